"""Values written to array files: whole or not at all, and never over a file unless asked to."""

from __future__ import annotations

import os
import zipfile
from typing import IO

import numpy as np

from nasm.base import dtypes, host_files
from nasm.base.array_files import SPELLING, ArrayFile
from nasm.base.dtypes import Array
from nasm.base.files import Allowed
from nasm.base.problems import Refused, quoted
from nasm.base.records import dataclass
from nasm.debugger.values.value import Value

UNWRITABLE = "E0806"


@dataclass(frozen=True, slots=True)
class Written:
    """An array that was written: what it is, as what it is stored, and how much was not known."""

    file: str
    text: str
    dtype: str
    stored_as: str
    shape: tuple[int, ...]
    unknown: int


def write(value: Value, path: str, files: Allowed, over: bool = False) -> Written:
    """Write a value to "file.npy" or "file.npz:key"; raises Refused.

    A file that exists is only replaced if that is asked for. Where a program may read only some
    files, only in their folder something is written.
    """
    file = ArrayFile.written(path, "")
    if file is None and path.endswith(".npz"):
        key = value.text if value.text.isidentifier() else "value"
        file = ArrayFile("", path, key)
    if file is None or not os.path.basename(file.name).partition(".")[0]:
        raise Refused(UNWRITABLE, f'"{path}" is no name for an array file', SPELLING)
    name = os.path.expanduser(file.name)
    if not files.lists(os.path.dirname(name) or os.curdir):
        where = f"in {files.folder} alone" if files.folder else "nowhere"
        raise Refused(UNWRITABLE, f"{name} may not be written: files may be written {where}")
    if not over and os.path.lexists(name):
        hint = f'write {value.text} "{path}" replace'
        raise Refused(UNWRITABLE, f"{name} exists already, and is left as it is", hint)
    array = value.array
    if value.dtype is not None:
        array = dtypes.npy_storable(array, value.dtype)
    _save(name, np.ascontiguousarray(array).reshape(value.shape), file.key, over)
    unknown = 0 if value.missing is None else int(np.count_nonzero(value.missing))
    what = value.dtype.name if value.dtype else str(array.dtype)
    return Written(name, value.text, what, str(array.dtype), value.shape, unknown)


def _save(name: str, array: Array, key: str, over: bool) -> None:
    """Write a temporary file next to the target, then move it there."""
    try:
        with host_files.whole(name, over) as out:
            _put(out, array, key)
    except FileExistsError:
        raise Refused(UNWRITABLE, f"{name} exists already, and is left as it is") from None
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise Refused(UNWRITABLE, f"cannot write {quoted(name)}: {why}") from None


def _put(out: IO[bytes], array: Array, key: str) -> None:
    if not key:
        np.lib.format.write_array(host_files.Stream(out), array, allow_pickle=False)
        return
    with (
        zipfile.ZipFile(out, "w") as archive,
        archive.open(f"{key}.npy", "w", force_zip64=True) as member,
    ):
        np.lib.format.write_array(member, array, allow_pickle=False)
