"""Object files: an assembled program as bytes, and back. docs/object-format.md says each byte."""

from nasm.language.objects.loading import Loaded, load, loaded

__all__ = ["Loaded", "load", "loaded"]
