"""The formatter: a text in columns, which means what it did."""

from nasm.language.formatting.formatter import formatted

__all__ = ["formatted"]
