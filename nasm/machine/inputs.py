"""What a caller gives of inputs: arrays by name, all arrays of an archive, or files of a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from nasm.base import array_files, dtypes
from nasm.base.array_files import ArrayFile
from nasm.base.files import note
from nasm.base.names import identifier
from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass, field
from nasm.program.initializers import array_of
from nasm.program.program import Program
from nasm.views.tensor import Tensor

ROLES = ("input", "inout")


@dataclass(frozen=True, slots=True)
class InFolder:
    """The inputs of a program that have a file ``NAME.npy`` in a folder, and ``others`` by name.

    What is given by name counts before the file.
    """

    folder: str
    others: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """Values that are made as ``init`` says, in the shape and dtype of the input they are for."""

    init: tuple[Any, ...]

    def of(self, tensor: Tensor) -> Any:
        """The array; raises Failure."""
        if self.init == ("ones",):
            return dtypes.convert_float64(np.ones(tensor.shape), tensor.dtype)
        return array_of(self.init, tensor.dtype, tensor.shape)


Inputs = Mapping[str, Any] | InFolder | str | os.PathLike[str]
"""Arrays by tensor name, or the path of a .npz file or of a folder of .npy files."""


def by_name(program: Program, given: Inputs | None) -> Mapping[str, Any]:
    """What is given of each input; raises Failure."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return _made(program, given)
    if isinstance(given, InFolder):
        return {**in_folder(program, given.folder), **_made(program, given.others)}
    try:
        path = os.fsdecode(given)
    except TypeError:
        message = f"inputs are arrays by name, found {type(given).__name__}"
        hint = 'write {"A": array}, or the path of a .npz file or a folder of .npy files'
        raise Failure(Problem("E0803", message, None, hint)) from None
    return in_folder(program, path) if os.path.isdir(path) else in_archive(path)


def _made(program: Program, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same, with arrays for values that are made; what is no tensor is left as it is."""
    if not any(isinstance(value, Made) for value in given.values()):
        return given
    tensors = program.tensors
    return {
        name: value.of(tensors[name]) if isinstance(value, Made) and name in tensors else value
        for name, value in given.items()
    }


def in_archive(path: str) -> dict[str, ArrayFile]:
    """Every array of a .npz file by its name; raises Failure."""
    try:
        return {file.key: file for file in array_files.archived(path)}
    except Refused as refused:
        raise Failure(refused.at(None)) from None


def in_folder(program: Program, folder: str) -> dict[str, ArrayFile]:
    """The files of a folder that are named as inputs of a program are; raises Failure."""
    if not os.path.isdir(folder):
        raise Failure(Problem("E0801", f"no folder {folder}, from which inputs are read"))
    found: dict[str, ArrayFile] = {}
    for tensor in program.tensors.values():
        if tensor.role in ROLES:
            path = os.path.join(folder, f"{identifier(tensor.name)}.npy")
            note(path)  # one that is not there may come
            if os.path.exists(path):
                found[tensor.name] = ArrayFile("", path)
    return found
