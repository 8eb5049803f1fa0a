"""Values that are given by hand: expressions, arrays and files, as some elements store them."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from nasm.base import array_files, dtypes
from nasm.base.array_files import SPELLING, ArrayFile
from nasm.base.problems import Refused, counted, quoted
from nasm.base.records import dataclass
from nasm.debugger.changing.changes import WRONG
from nasm.debugger.values.expressions import Expression
from nasm.runs.execution import Execution
from nasm.runs.inspection import Inspection
from nasm.sim.memory import Array

QUOTED = re.compile(r'"([^"\n]*)"')


@dataclass(frozen=True, slots=True)
class Wanted:
    """Some elements that are to get values: what sentences call them, how they are stored.

    With ``exact`` integers are neither rounded nor saturated, but refused.
    """

    name: str
    dtype: dtypes.DType
    shape: tuple[int, ...]
    exact: bool = False


def one_number(running: Execution, value: object) -> object:
    """The value to put into a counter or a register."""
    found: Any = value
    if isinstance(value, str):
        found = _evaluated(running, value)[0]
    found = np.asarray(found)
    if found.dtype.kind not in "biuf":
        raise Refused("E0210", f"wanted a number, found {quoted(repr(value))}")
    if found.size != 1:
        raise Refused("E0210", f"wanted one number, found {found.size:,} of them")
    return found.reshape(-1)[0].item()


def stored(running: Execution, wanted: Wanted, value: object) -> Array:
    """Values for all of the elements, as they are stored: broadcast, and rounded once."""
    dtype, same = wanted.dtype, None
    if isinstance(value, str):
        name = QUOTED.fullmatch(value.strip())
        if name is not None:
            found = _file(running, wanted, name[1])
        else:
            found, same = _evaluated(running, value)
    else:
        found = _array(wanted, value)
    if (
        found.dtype == dtype.numpy
        and same in (None, dtype)
        and dtype.kind is not dtypes.ElementKind.INT
    ):
        held = found
    else:
        held = _rounded(wanted, found, same)
    try:
        return np.ascontiguousarray(np.broadcast_to(held, wanted.shape))
    except ValueError:
        message = f"{list(held.shape)} does not fit into {list(wanted.shape)}"
        raise Refused(
            "E0221", message, "shapes are matched from the last axis on, 1 fits all"
        ) from None


def _rounded(wanted: Wanted, found: Array, held: dtypes.DType | None) -> Array:
    try:
        if held is wanted.dtype:
            return found
        wide = dtypes.to_float64(found, held) if held else np.asarray(found, np.float64)
        rounded = dtypes.convert_float64(wide, wanted.dtype)
    except dtypes.DTypeError as problem:
        raise Refused("E0210", f"{wanted.name}: {problem}") from None
    if wanted.exact and wanted.dtype.is_int and (wrong := rounded != wide).any():
        first = wide[wrong][0]
        shown = int(first) if first.is_integer() else first
        raise Refused("E0210", f"{wanted.name} holds {wanted.dtype.name}, found {shown}")
    return rounded


def _array(wanted: Wanted, value: object) -> Array:
    """Values from Python."""
    try:
        found = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        found = np.asarray(None)
    if found.dtype.kind not in "biuf" and found.dtype != wanted.dtype.numpy:
        raise Refused("E0804", f"what was given for {wanted.name} is no array of numbers")
    return found


def _file(running: Execution, wanted: Wanted, path: str) -> Array:
    """The array of a file: elements of the dtype, or any numbers."""
    file = ArrayFile.written(path, "")
    if file is None:
        raise Refused("E0801", f'"{path}" is not an array file', SPELLING)

    def fits(shape: tuple[int, ...], found: np.dtype[Any]) -> None:
        try:
            np.broadcast_shapes(shape, wanted.shape)
            fine = len(shape) <= len(wanted.shape) and prod(shape) <= prod(wanted.shape)
        except ValueError:
            fine = False
        if not fine:
            message = f"{path} has the shape {list(shape)}, wanted {list(wanted.shape)}"
            raise Refused("E0804", message)
        if found.kind not in "biuf" and not _as_it_is(found, wanted):
            raise Refused("E0804", f"{path} holds no numbers, but {found}")

    array = array_files.read_array(file, fits, running.files)
    if _as_it_is(array.dtype, wanted):
        return dtypes.from_npy(array, wanted.dtype)
    return array


def _as_it_is(found: np.dtype[Any], wanted: Wanted) -> bool:
    try:
        dtypes.check_npy(found, wanted.dtype)
    except dtypes.DTypeError:
        return False
    return True


def _evaluated(held: Inspection, text: str) -> tuple[Array, dtypes.DType | None]:
    """What an expression is now, and the dtype it is stored in if it is a tensor."""
    value = Expression(held, text).value(held)
    if value.missing is not None and value.missing.any():
        count = int(np.count_nonzero(value.missing))
        message = f"{count:,} of {counted(value.size, 'element')} of {text} are uninitialised"
        raise Refused(WRONG, message, "set what is there alone, or give them values first")
    return value.elements.array if value.dtype is None else value.stored(()), value.dtype
