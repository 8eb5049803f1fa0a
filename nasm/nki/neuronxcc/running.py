"""What is known of a kernel of NKI 0.1 while it is traced: its loops, and its place in the grid."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from nasm.base.records import dataclass, field
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.tracing import LoopRound, UnrolledLoop, current


class LoopVariable(int):
    """The number of a round; it knows its loop, which ``nl.loop_reduce`` asks for."""

    loop: UnrolledLoop

    def __new__(cls, value: int, loop: UnrolledLoop) -> LoopVariable:
        """A number of a loop."""
        made = super().__new__(cls, value)
        made.loop = loop
        return made

    def __reduce__(self) -> Any:
        return int, (int(self),)


@dataclass(slots=True, eq=False)
class Running:
    """An instance of a kernel: its open rounds, its place in the grid, the tensors it declares.

    ``indexed`` is what index expressions select, whatever their constants.
    """

    grid: tuple[int, ...] = ()
    place: tuple[int, ...] = ()
    rounds: list[LoopRound] = field(default_factory=list)
    shared: list[Any] = field(default_factory=list)
    first: Running | None = None
    kept: dict[Any, Any] = field(default_factory=dict)
    indexed: dict[Any, Any] = field(default_factory=dict)
    placed: list[tuple[Any, Any]] = field(default_factory=list)
    declared: int = 0

    def as_first(self, what: Any, place: Any) -> Any:
        """The place that the same declaration was given in the first round of its loops.

        AWS's compiler of NKI 0.1 ran the body of such a loop once, with a symbol for its variable:
        an address that the kernel counts up while it declares tiles counts them once.
        """
        number = self.declared
        self.declared += 1
        if number == len(self.placed):
            self.placed.append((what, place))
        found, first = self.placed[number]
        return first if found == what else place

    @property
    def round(self) -> LoopRound | None:
        """The innermost open round."""
        return self.rounds[-1] if self.rounds else None


_RUNNING: ContextVar[Running | None] = ContextVar("nasm.nki.neuronxcc", default=None)


def running() -> Running | None:
    """The instance that is traced, if one is."""
    return _RUNNING.get()


def instance(what: str) -> Running:
    """The instance that is traced; refuses what makes sense in one alone."""
    found = _RUNNING.get()
    if found is None:
        refuse(f"{what} of neuronxcc.nki outside of a kernel of it", "call it in a kernel")
    return found


@contextmanager
def traced(made: Running) -> Iterator[Running]:
    """Let an instance be traced."""
    before = _RUNNING.set(made)
    try:
        yield made
    finally:
        _RUNNING.reset(before)


# ---------------------------------------------------------------- loops


def _rounds(name: str, args: tuple[Any, ...]) -> Iterator[int]:
    now, loop = instance(f"nl.{name}"), UnrolledLoop(name)
    depth = len(now.rounds)
    numbers = [whole_number(n, f"a bound of nl.{name}") for n in args]
    if not 1 <= len(numbers) <= 3 or numbers[2:] == [0]:
        refuse(f"nl.{name}{tuple(numbers)}: wanted a stop, or a start, a stop and a step")
    trace = current(f"nl.{name}")
    around, declared = trace.parallel, now.declared
    try:
        for value in range(*numbers):
            opened = LoopRound(loop, value)
            now.rounds[depth:] = [opened]
            now.declared = declared
            if name == "affine_range":
                trace.parallel = (*around, opened)
            yield LoopVariable(value, loop)
    finally:
        del now.rounds[depth:]
        trace.parallel = around


def affine_range(*args: Any, **_: Any) -> Iterator[int]:
    """Rounds in any order: none needs what another has made, but for a sum."""
    return _rounds("affine_range", args)


def sequential_range(*args: Any, **_: Any) -> Iterator[int]:
    """Rounds one after the other."""
    return _rounds("sequential_range", args)


def static_range(*args: Any) -> Iterator[int]:
    """Rounds written out: what is made in one is there after it."""
    instance("nl.static_range")
    numbers = range(*(whole_number(n, "a bound of nl.static_range") for n in args))
    return current("nl.static_range").written_out(iter(numbers))


# ---------------------------------------------------------------- grids


def program_id(axis: Any) -> int:
    """The place of the instance along an axis of the grid."""
    now = instance("nl.program_id")
    return now.place[_axis("program_id", axis, now)] if now.grid else 0


def num_programs(axes: Any = None) -> Any:
    """How many instances there are, along one axis or several."""
    now = instance("nl.num_programs")
    if axes is None:
        return now.grid if len(now.grid) != 1 else now.grid[0]
    if isinstance(axes, list | tuple):
        return tuple(now.grid[_axis("num_programs", axis, now)] for axis in axes)
    return now.grid[_axis("num_programs", axes, now)] if now.grid else 1


def program_ndim() -> int:
    """The axes of the grid."""
    return len(instance("nl.program_ndim").grid)


def _axis(what: str, axis: Any, now: Running) -> int:
    number = whole_number(axis, f"an axis of nl.{what}")
    if now.grid and not 0 <= number < len(now.grid):
        refuse(f"nl.{what}({number}) of a kernel that is launched along {len(now.grid)} axes")
    return number
