"""The values of a program's tensors: loaded at the start, read at any time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.machine.addresses import Addresses
from nasm.problems import Failure, Problem, Refused, did_you_mean
from nasm.sim.memory import Array
from nasm.spec.array_files import read_array
from nasm.spec.initial import initial
from nasm.spec.memory import Tensor
from nasm.spec.program import Program
from nasm.spec.view import View


def load(program: Program, addresses: Addresses, inputs: Mapping[str, Any]) -> None:
    """Initialise every tensor that has a value at the start; raises Failure with every problem."""
    tensors = program.tensors
    taking = [name for name, tensor in tensors.items() if tensor.role in ("input", "inout")]
    have = f"its inputs: {', '.join(taking)}" if taking else ""
    problems = [
        Problem(
            "E0803", f"the program has no input '{name}'", None, did_you_mean(name, tensors) or have
        )
        for name in inputs
        if name not in tensors
    ]
    for name, tensor in tensors.items():
        try:
            values = _start(tensor, inputs.get(name))
        except Refused as refused:
            problems.append(refused.at(tensor.span))
            continue
        if values is not None:
            fill(addresses, tensor, values)
    if problems:
        raise Failure(problems)


def fill(addresses: Addresses, tensor: Tensor, values: Array) -> None:
    """Store a whole tensor from outside the program."""
    addresses.access(View.whole(tensor)).put_elements(values)


def contents(addresses: Addresses, view: View) -> Array:
    """The elements of a view now, as an array of their own."""
    _placed(view)
    return addresses.access(view).elements.copy()


def known(addresses: Addresses, view: View) -> Array:
    """Which elements of a view are initialised."""
    _placed(view)
    return addresses.access(view).known()


def _placed(view: View) -> None:
    """Refuse a view whose address only an instruction knows."""
    if view.dynamic or view.offsets is not None:
        said = f"{view.tensor.name} is addressed by a register or a tile here: it has an address "
        raise Failure(Problem("E0305", f"{said}only while an instruction executes"))


def _start(tensor: Tensor, given: Any) -> Array | None:
    if given is not None:
        return accepted(tensor, np.asarray(given))
    init = tensor.init
    if init is None:
        if tensor.role == "input":
            raise Refused(
                "E0802",
                f"input {tensor.name} has no values",
                f"give them with --in {tensor.name}=FILE.npy, or write an initialiser",
            )
        return None
    assert isinstance(init, tuple)
    if init[0] == "file":
        return accepted(tensor, read_array(init[1], init[2]))
    return initial(tensor, init)


def accepted(tensor: Tensor, array: Array) -> Array:
    """An array from outside as the tensor stores it; refuses another shape or dtype."""
    if array.shape != tensor.shape:
        raise Refused(
            "E0804", f"{tensor.name} is {list(tensor.shape)}, the given array {list(array.shape)}"
        )
    try:
        return dtypes.from_npy(array, tensor.dtype)
    except dtypes.DTypeError as problem:
        hint = "nothing is converted implicitly: convert the array first"
        raise Refused("E0804", f"{tensor.name}: {problem}", hint) from None
