"""Object files: an assembled program as bytes, and back. docs/object-format.md says each byte."""

from nasm.objects.loading import Loaded, load, loaded
from nasm.objects.writing import written

__all__ = ["Loaded", "load", "loaded", "written"]
