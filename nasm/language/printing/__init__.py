"""The printer: a program as a text that assembles to it."""

from nasm.language.printing.text import text

__all__ = ["text"]
