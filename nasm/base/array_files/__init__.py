"""Array files, .npy and .npz: how they are named, and their one reader.

What a file says of itself is compared with what is wanted before anything is read, and no more is
read than was wanted. Whatever is wrong is E0801 with the file's name.
The reader is imported when a file is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nasm.base.array_files.names import SPELLING, ArrayFile

if TYPE_CHECKING:
    from nasm.base.array_files.reader import archived, read_array, read_header

__all__ = ["SPELLING", "ArrayFile", "archived", "read_array", "read_header"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nasm.base.array_files import reader

    return getattr(reader, name)
