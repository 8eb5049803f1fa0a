"""The printer: a program as a text that assembles to it."""

from nasm.printer.text import text

__all__ = ["text"]
