"""The arrays within the arguments of an instruction, and arguments with other arrays in them.

What an engine holds is an object made of arrays: a tile in the systolic array, accumulators, the
state of a generator. Each of its arrays is a leaf, and has a path that leads there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base.exact import Factor
from nasm.base.records import fields, is_dataclass, replace

Path = tuple[int | str, ...]
"""From an argument to an array in it: places in tuples and names of fields."""

Array = np.ndarray[Any, Any]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Array]]:
    """The arrays in a value, each with its path; those of flags say how, not what."""
    if isinstance(value, np.ndarray):
        if value.size and value.dtype != np.bool_:
            yield path, value
    elif isinstance(value, tuple):
        for number, part in enumerate(value):
            yield from leaves(part, (*path, number))
    elif isinstance(value, Factor):
        yield (*path, "values"), value.values
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from leaves(getattr(value, field.name), (*path, field.name))


def leaf(value: Any, path: Path) -> Array:
    """The array at a path; a number is an array of one."""
    for step in path:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    return value if isinstance(value, np.ndarray) else np.array([value])


def grafted(value: Any, path: Path, array: Any) -> Any:
    """The value with another array at a path; nothing is changed in place."""
    if not path:
        return array if isinstance(value, np.ndarray) else type(value)(array.reshape(-1)[0])
    first, *rest = path
    if isinstance(value, Factor):
        return Factor(array)
    if isinstance(first, int):
        part = grafted(value[first], tuple(rest), array)
        return (*value[:first], part, *value[first + 1 :])
    return replace(value, **{first: grafted(getattr(value, first), tuple(rest), array)})


def copied(value: Any) -> Any:
    """The same value, none of whose arrays changes with a memory."""
    if isinstance(value, Factor):  # of a tile: in the place of its elements
        value = value.values
    return value.copy() if isinstance(value, np.ndarray) else value
