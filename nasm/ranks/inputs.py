"""Inputs by rank: a file for each, an array with an axis of ranks, or the same for all."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base import array_files
from nasm.base.array_files import ArrayFile
from nasm.base.files import ANY
from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.machine import inputs as given_inputs
from nasm.program.program import Program
from nasm.views.tensor import Tensor

RANK = "{rank}"
"""What a path has in the place of a rank's number."""


def by_rank(program: Program, given: given_inputs.Inputs | None) -> list[dict[str, Any]]:
    """What each rank begins with; raises Failure.

    An array that has one axis more than its tensor, as long as there are ranks, has a part for each
    of them; any other is the same for all.
    """
    named = given_inputs.by_name(program, given)
    found: list[dict[str, Any]] = [{} for _ in range(program.ranks)]
    for name, value in named.items():
        tensor = program.tensors.get(name)
        for rank, part in enumerate(_parts(tensor, value, program.ranks)):
            found[rank][name] = part
    return found


def _parts(tensor: Tensor | None, value: Any, ranks: int) -> list[Any]:
    if isinstance(value, ArrayFile):
        if RANK in value.name:
            names = [value.name.replace(RANK, str(rank)) for rank in range(ranks)]
            return [replace(value, name=name) for name in names]
        if tensor is not None:
            value = _read(value)
    if tensor is not None and not isinstance(value, ArrayFile):
        shape = getattr(value, "shape", None)
        if shape is None and isinstance(value, list | tuple):
            shape = np.shape(value)
        if shape == (ranks, *tensor.shape):
            return [value[rank] for rank in range(ranks)]
    return [value] * ranks


def _read(file: ArrayFile) -> Any:
    """An array that is read once for all ranks; what cannot be read is refused with its tensor."""
    try:
        return array_files.read_array(file, lambda shape, dtype: None, ANY, pipes=True)
    except Refused:
        return file
