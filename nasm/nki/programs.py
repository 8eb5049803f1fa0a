"""Where a kernel runs, and the loops that are unrolled while it is traced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import VirtualRegister
from nasm.nki.tracing import current, tracing


def unrolled(start: Any, stop: Any = None, step: Any = 1) -> Iterator[int]:
    """A range that is unrolled while tracing."""
    if any(isinstance(n, VirtualRegister) for n in (start, stop, step)):
        refuse(
            "a range whose bounds are in a register: it is unrolled while tracing",
            "nl.fori_loop(lower, upper, body) is a loop of the machine",
        )
    first, last = (0, start) if stop is None else (start, stop)
    bounds = [whole_number(n, "a bound of a range") for n in (first, last, step)]
    if not bounds[2]:
        refuse("a range with step 0")
    return iter(range(*bounds))


def written_out(start: Any, stop: Any = None, step: Any = 1) -> Iterator[int]:
    """A range whose rounds are written out: each has lines of its own."""
    numbers, trace = unrolled(start, stop, step), tracing()
    return numbers if trace is None else trace.written_out(numbers)


def program_id(axis: int = 0) -> int:
    """The number of the core."""
    _launched("program_id", axis)
    return current("nl.program_id").core


def num_programs(axes: Any = 0) -> int:
    """How many cores run the kernel."""
    for axis in axes if isinstance(axes, list | tuple) else (axes,):
        _launched("num_programs", axis)
    return current("nl.num_programs").cores


def _launched(what: str, axis: Any) -> None:
    if axis is not None and whole_number(axis, f"an axis of nl.{what}"):
        refuse(f"nl.{what}({axis!r}): a kernel is launched along one axis, 0")


def program_ndim() -> int:
    """The axes along which the kernel is launched."""
    return int(current("nl.program_ndim").cores > 1)


@contextmanager
def no_reorder() -> Iterator[None]:
    """Keep the order of what is inside: it is kept everywhere."""
    trace = current("nl.no_reorder")
    trace.in_order += 1
    try:
        yield
    finally:
        trace.in_order -= 1


def is_hbm(buffer: Any) -> bool:
    """Whether a memory is one of HBM's."""
    return str(buffer).endswith("hbm")


def is_on_chip(buffer: Any) -> bool:
    """Whether a memory is SBUF or PSUM."""
    return is_sbuf(buffer) or is_psum(buffer)


def is_psum(buffer: Any) -> bool:
    """Whether a memory is PSUM."""
    return str(buffer) == "psum"


def is_sbuf(buffer: Any) -> bool:
    """Whether a memory is SBUF."""
    return str(buffer) == "sbuf"
