"""Array files as a text names them, and what a text leaves to files."""

from __future__ import annotations

import os
from math import prod
from typing import Any

import numpy as np

from nasm.base import dtypes, host_files
from nasm.base.array_files import ArrayFile
from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.literal_kinds import literal
from nasm.program.initializers import initial
from nasm.views.tensor import Tensor

UNPRINTABLE = "E0840"

LONG = 64
"""Elements of a list that stays in the text where arrays may go to files."""


@dataclass(frozen=True, slots=True)
class Files:
    """Where the text will be, and the folder for its arrays, if they may go to files."""

    folder: str = ""
    arrays: str | None = None

    def named(self, folder: str, name: str) -> str:
        """A file as the text names it that was called so by a text in a folder."""
        if os.path.isabs(name) or _same(folder, self.folder):
            return name
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and not self.folder:
            return path
        return os.path.relpath(path, self.folder or ".")

    def spelled(self, folder: str, text: str) -> str:
        """The same of what a string of a program says: ``file.npy`` or ``file.npz:key``."""
        file = ArrayFile.written(text, "")
        if file is None:
            return text
        name = self.named(folder, file.name)
        return f"{name}:{file.key}" if file.key else name

    def initialiser(self, tensor: Tensor) -> str:
        """What a declaration says after ``=``; long lists are written to files if they may be."""
        match tensor.init:
            case ("zeros" | "iota" as fill,):
                return fill
            case ("random" | "normal" as draw, int(seed)):
                return f"{draw}(seed={seed})"
            case ("list", list(values)):
                if self.arrays is None or prod(tensor.shape) <= LONG:
                    return literal(values)
                return literal(self._written(tensor, self.arrays))
            case ArrayFile(folder=folder, name=name, key=key):
                message = self.named(folder, name) + (f":{key}" if key else "")
                return _quoted(tensor, message)
        message = f"what {tensor.name} holds at the start has no text: {type(tensor.init).__name__}"
        raise Refused(UNPRINTABLE, message)

    def _written(self, tensor: Tensor, folder: str) -> str:
        """The name of a new file that holds what a tensor does at the start."""
        values: np.ndarray[Any, Any] = np.empty(tensor.shape, tensor.dtype.numpy)
        for window, piece in initial(tensor, tensor.init):  # type: ignore[arg-type]
            values[window] = piece
        name = f"{tensor.name}.npy"
        path = os.path.join(folder, name)
        try:
            host_files.make_folders(folder or ".")
            with host_files.whole(path) as out:
                stored = dtypes.npy_storable(values, tensor.dtype)
                np.lib.format.write_array(host_files.Stream(out), stored, allow_pickle=False)
        except OSError as error:
            raise Refused("E0801", f"cannot write {path}: {error.strerror}") from None
        return self.named(folder, name)


def _same(one: str, other: str) -> bool:
    return os.path.abspath(one) == os.path.abspath(other)


def _quoted(tensor: Tensor, name: str) -> str:
    """A file's name as a string, if one can hold it and it is one of a file then."""
    file = ArrayFile.written(name, "")
    if file is None or any(c < " " and c not in "\n\t" for c in name):
        message = f"the file of {tensor.name} has a name that no text holds: {name!r}"
        raise Refused(UNPRINTABLE, message)
    return literal(name)
