"""Whatever stands where a function of nki.language, or a tensor's method, takes something."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.nki import exceptions
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.exceptions import problem_of
from nasm.nki.tensor import NkiTensor
from tests.nki.kernels import traced
from tests.parts import part
from tests.tables import each

THINGS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "an object": object,
    "an array": lambda: np.ones(3),
    "a string": lambda: "x",
    "a fraction": lambda: 2.5,
    "a negative number": lambda: -3,
    "a large number": lambda: 10**30,
    "a list": lambda: [1, "a"],
    "lists in a list": lambda: [[1, 2], 3],
    "an empty list": list,
    "a dictionary": lambda: {1: 2},
    "a register": lambda: nisa.register_alloc(3),
    "a tile": lambda: nl.ndarray((4, 8), nl.float32, buffer=nl.sbuf),
    "a tensor": lambda: nl.ndarray((4, 8), nl.float32, buffer=nl.shared_hbm),
    "true": lambda: True,
    "no number": lambda: float("nan"),
    "a type": lambda: int,
    "a function": lambda: print,
    "a slice": lambda: slice(1, 2),
    "a window": lambda: nl.ds(0, 2),
}
RIGHT: dict[str, Any] = {
    "dim": 1, "start": 0, "end": 4, "step": 1, "index": 0, "dims": (0, 1), "size": 4,
    "shape": (4, 8), "start_dim": 1, "end_dim": 1, "pattern": [[8, 4], [1, 8]],
    "dtype": nl.float32, "axis": 1, "src_pattern": ("a", "b"), "dst_pattern": ("a", "b"),
    "op": nl.add, "buffer": nl.sbuf, "fill_value": 0.0, "vector_offset": None,
}  # fmt: skip
METHODS = [n for n in dir(NkiTensor) if not n.startswith("_") and callable(getattr(NkiTensor, n))]


def parameters(function: Any) -> list[inspect.Parameter]:
    """Those that a value can be given to by name."""
    try:
        every = inspect.signature(function).parameters.values()
    except (ValueError, TypeError, Failure):
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in every if p.name != "self" and p.kind not in variable]


def tries(function: Any, named: list[inspect.Parameter], tensor: NkiTensor) -> Iterator[str]:
    """Call a function with each thing in each place; tells what is a defect of ours."""
    for parameter in named:
        for what, thing in THINGS.items():
            given = {p.name: RIGHT.get(p.name, tensor) for p in named if p.default is p.empty}
            try:
                made = function(**{**given, parameter.name: thing()})
                if inspect.isgenerator(made):
                    list(islice(made, 3))
            except Failure as failure:
                if any(problem.span is None for problem in failure.problems):
                    yield f"{parameter.name}={what} has no line"
            except Exception as error:
                if problem_of(error) is None:
                    yield f"{parameter.name}={what}: {error!r}"


@each("buffer", ["sbuf", "shared_hbm"])
@each("name", METHODS)
def test_what_a_method_does_not_take_is_refused(name: str, buffer: str) -> None:
    with traced():
        tensor = nl.ndarray((4, 8), nl.float32, buffer=buffer)
        method = getattr(tensor, name)
        assert list(tries(method, parameters(method), tensor)) == []


@each("name", part([n for n in nl.__all__ if parameters(getattr(nl, n))], 22))
def test_what_a_function_does_not_take_is_refused(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with traced():
        function = getattr(nl, name)
        tensor = nl.ndarray((4, 8), nl.float32, buffer=nl.shared_hbm if "load" in name else nl.sbuf)
        assert list(tries(function, parameters(function), tensor)) == []


@each("what", THINGS)
def test_what_is_no_index_is_refused(what: str) -> None:
    thing = THINGS[what]
    keys: list[Callable[[], Any]] = [
        thing,
        lambda: (slice(0, 2), thing()),
        lambda: (slice(0, 2), nl.ds(thing(), 2)),
        lambda: (slice(0, 2), nl.ds(0, thing())),
        lambda: (slice(0, 2), slice(thing(), 3)),
    ]
    with traced():
        tile = nl.ndarray((4, 8), nl.float32, buffer=nl.sbuf)
        for key in keys:
            try:
                assert isinstance(tile[key()], NkiTensor)
            except Failure as failure:
                placed = [problem.span is not None for problem in failure.problems]
            else:
                placed = [True]
            assert all(placed)


def test_a_wrong_type_in_nasm_itself_is_a_defect_and_no_problem_of_the_kernel() -> None:
    with pytest.raises(TypeError) as wrong:
        exceptions._ours([1])  # type: ignore[list-item]
    assert problem_of(wrong.value) is None
