"""The formatter: a text in columns, which means what it did."""

from nasm.formatting.formatted import formatted

__all__ = ["formatted"]
