"""The values of a program's tensors: loaded at the start, read at any time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nasm.base import array_files, dtypes
from nasm.base.array_files import ArrayFile
from nasm.base.files import ANY, Allowed
from nasm.base.pieces import Window
from nasm.base.problems import Failure, Problem, Refused, did_you_mean, quoted
from nasm.base.records import dataclass
from nasm.machine.addresses import Addresses
from nasm.program.initializers import initial
from nasm.program.program import Program
from nasm.sim.memory import Array
from nasm.views.tensor import MOST_AXES, Tensor
from nasm.views.view import View


@dataclass(frozen=True, slots=True, eq=False)
class LoadedArray:
    """What an array file held, as its tensor stores it."""

    values: Array


def load(
    program: Program, addresses: Addresses, inputs: Mapping[str, Any], files: Allowed = ANY
) -> dict[str, Any]:
    """Initialise every tensor that has a value at the start; raises Failure with every problem.

    ``inputs`` are arrays, or array files; their ``files`` are those that the program itself names.
    Returns inputs for another machine, which needs no file for them: a pipe is read only once.
    """
    tensors, read = program.tensors, dict(inputs)
    problems = unknown(program, inputs)
    for name, tensor in tensors.items():
        try:
            values = _start(tensor, inputs.get(name), files)
            if isinstance(values, LoadedArray):
                read[name], values = values, [((), values.values)]
            if values is not None:
                addresses.access(View.whole(tensor)).put_parts(values)
        except Refused as refused:
            problems.append(refused.at(tensor.span))
    if problems:
        raise Failure(problems)
    return read


def first_values(tensor: Tensor, files: Allowed) -> Array | None:
    """What a tensor holds that is declared now; None for nothing. Raises Failure."""
    if tensor.init is None:
        return None
    try:
        values = _start(tensor, None, files)
    except Refused as refused:
        raise Failure(refused.at(tensor.span)) from None
    if values is None or isinstance(values, LoadedArray):
        return None if values is None else values.values
    held = np.empty(tensor.shape, tensor.dtype.numpy)
    for window, part in values:
        held[window] = part
    return held


def kept(given: Any) -> Any:
    """An input that was accepted, to be loaded again whatever its owner does to it."""
    return given if isinstance(given, LoadedArray) else np.array(given)


def unknown(program: Program, inputs: Mapping[str, Any]) -> list[Problem]:
    """The errors in the names of inputs."""
    tensors = program.tensors
    taking = [name for name, tensor in tensors.items() if tensor.role in ("input", "inout")]
    have = f"its inputs: {', '.join(taking)}" if taking else ""
    return [
        Problem(
            "E0803",
            f"the program has no input '{quoted(str(name))}'",
            None,
            did_you_mean(str(name), tensors) or have,
        )
        for name in inputs
        if name not in tensors
    ]


def contents(addresses: Addresses, view: View) -> Array:
    """The elements of a view now, as an array of their own."""
    _placed(view)
    return addresses.access(view).elements.copy()


def as_it_is(addresses: Addresses, tensor: Tensor) -> Array:
    """The elements of a tensor in row-major order, to be read before the machine runs on."""
    return np.ascontiguousarray(addresses.access(View.whole(tensor)).elements)


def known(addresses: Addresses, view: View) -> Array:
    """Which elements of a view are initialised."""
    _placed(view)
    return addresses.access(view).known()


def _placed(view: View) -> None:
    """Refuse a view whose address only an instruction knows."""
    if view.dynamic or view.offsets is not None:
        text = f"{view.tensor.name} is addressed by a register or a tile here: it has an address "
        raise Failure(Problem("E0305", f"{text}only while an instruction executes"))


def _start(
    tensor: Tensor, given: Any, files: Allowed
) -> LoadedArray | Iterable[tuple[Window, Array]] | None:
    """What a tensor holds at the start, from a file or in parts; None for nothing."""
    if isinstance(given, LoadedArray):
        return given
    if isinstance(given, ArrayFile):  # a user's, not the program's: any file, and pipes too
        return LoadedArray(_read(tensor, given, ANY, pipes=True))
    if given is not None:
        return [((), accepted(tensor, given))]
    init = tensor.init
    if init is None:
        if tensor.role == "input":
            raise Refused(
                "E0802",
                f"input {tensor.name} has no values",
                f"give them with --in {tensor.name}=FILE.npy, or write an initialiser",
            )
        return None
    if isinstance(init, ArrayFile):
        return LoadedArray(_read(tensor, init, files, pipes=False))
    assert isinstance(init, tuple)
    return initial(tensor, init)


def _read(tensor: Tensor, file: ArrayFile, files: Allowed, pipes: bool) -> Array:
    """What an array file holds, as the tensor stores it; refuses another shape or dtype."""

    def fits(shape: tuple[int, ...], found: np.dtype[Any]) -> None:
        _fits(tensor, shape, found, file.path)

    return dtypes.from_npy(array_files.read_array(file, fits, files, pipes=pipes), tensor.dtype)


def readable(tensor: Tensor, file: ArrayFile, files: Allowed) -> None:
    """Refuse a file that could not be read into a tensor; none of its elements is."""

    def fits(shape: tuple[int, ...], found: np.dtype[Any]) -> None:
        _fits(tensor, shape, found, file.path)

    array_files.read_header(file, fits, files)


def accepted(tensor: Tensor, given: Any) -> Array:
    """An array from Python as the tensor stores it; refuses another shape or dtype."""
    shape = _outline(given)
    if shape is not None:  # before anything is made of it
        _shaped(tensor, shape)
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, OverflowError):
        raise Refused("E0804", f"what was given for {tensor.name} is no array") from None
    _fits(tensor, array.shape, array.dtype)
    if np.ma.is_masked(given):
        message = f"the array given for {tensor.name} has elements that are masked"
        raise Refused("E0804", message, "give them values, with its method filled")
    return dtypes.from_npy(array, tensor.dtype)


def _fits(tensor: Tensor, shape: tuple[int, ...], found: np.dtype[Any], file: str = "") -> None:
    """Refuse the array of a file, or a given one, if its shape or dtype is not the tensor's."""
    _shaped(tensor, shape, file)
    try:
        dtypes.check_npy(found, tensor.dtype)
    except dtypes.DTypeError as problem:
        hint = "nothing is converted implicitly: convert the array first"
        of = f"{tensor.name}: {file}" if file else tensor.name
        raise Refused("E0804", f"{of}: {problem}", hint) from None


def _shaped(tensor: Tensor, shape: tuple[int, ...], file: str = "") -> None:
    if shape != tensor.shape:
        what = f"the array in {file}" if file else "the given array"
        raise Refused("E0804", f"{tensor.name} is {list(tensor.shape)}, {what} {list(shape)}")


def _outline(given: Any) -> tuple[int, ...] | None:
    """The shape of what was given, of lists that of their first elements; None if unknown."""
    sizes: list[int] = []
    while isinstance(given, list | tuple) and len(sizes) <= MOST_AXES:
        sizes.append(len(given))
        given = given[0] if given else 0
    shape = () if isinstance(given, int | float) else getattr(given, "shape", None)
    return (*sizes, *shape) if isinstance(shape, tuple) else None
