"""The formatter: a text in columns, which means what it did."""

from nasm.language.formatting.formatted import formatted

__all__ = ["formatted"]
