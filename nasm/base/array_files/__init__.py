"""Array files, .npy and .npz: how they are named, and their one reader.

What a file says of itself is compared with what is wanted before anything is read, and no more is
read than was wanted. Whatever is wrong is E0801 with the file's name.
"""

from nasm.base.array_files.names import SPELLING, ArrayFile
from nasm.base.array_files.reader import archived, read_array, read_header

__all__ = ["SPELLING", "ArrayFile", "archived", "read_array", "read_header"]
