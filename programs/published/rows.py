"""What a row of the ledger is: a published figure, and the program and measure that answer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from nasm.api import assemble
from nasm.program.program import Program
from programs.published.runs import Run

FOLDER = Path(__file__).parent

Sizes = Mapping[str, int]
Make = Callable[[Sizes, str], Program]
Measure = Callable[[Run], float]


class Use(Enum):
    """What a published figure is for."""

    SETS = "sets"
    JUDGES = "judges"
    NEITHER = "neither"


class Bound(Enum):
    """What limits a figure, which decides how near the model has to come."""

    ENGINE = "engine"
    DMA = "DMA"
    LATENCY = "latency"
    MICRO = "micro"
    PROGRAM = "program"
    """It follows from the program alone, as bytes do: a check that the program is the kernel."""


GOALS = {
    Bound.ENGINE: 0.03,
    Bound.DMA: 0.15,
    Bound.LATENCY: 0.15,
    Bound.MICRO: 0.10,
    Bound.PROGRAM: 0.01,
}
GOAL_OF_WHAT_SETS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kernel:
    """A public kernel as a program for this machine; rows of one kernel share its runs.

    ``source`` is where the kernel is published. ``choices`` is what that leaves open, each with
    the choice made and the evidence for it. ``program`` makes it for some sizes and a target.
    ``full`` are the published sizes. If ``along`` names one of them, the kernel may be run at the
    three values of ``reduced`` instead, which lie equally far apart: its figures at the full size
    are those of the largest plus as many steps, if both steps between the three are the same.
    One whose addresses are in tiles is run with ``values``. ``allow`` are codes of hazards that it
    may have.
    """

    name: str
    source: str
    choices: tuple[str, ...]
    program: Make
    target: str = "trn2"
    full: Sizes = field(default_factory=dict)
    along: str = ""
    reduced: tuple[int, int, int] = (0, 0, 0)
    values: bool = False
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
    """A published figure. ``published`` is a number, or the lowest and the highest one read.

    A figure that ``whole`` says is of a whole kernel on the device: the kernel's entry and exit,
    which are in no clock here, are added to the model's. Within a ``family`` the order of kernels
    by the same figure is to be right. ``remark`` is the reason for an error beyond the goal, and
    what would decide it.
    """

    name: str
    figure: str
    published: float | tuple[float, float]
    use: Use
    bound: Bound
    kernel: Kernel
    measure: Measure
    unit: str = "µs"
    whole: bool = False
    family: str = ""
    remark: str = ""

    @property
    def goal(self) -> float:
        """The largest relative error that is good enough."""
        program = self.bound is Bound.PROGRAM
        return GOAL_OF_WHAT_SETS if self.use is Use.SETS and not program else GOALS[self.bound]

    @property
    def middle(self) -> float:
        """The published number, or the middle of what was read."""
        if isinstance(self.published, tuple):
            return sum(self.published) / 2
        return self.published

    def error(self, model: float) -> float:
        """How far the model is off, of what is published: 0 within the range that was read."""
        low, high = (
            self.published
            if isinstance(self.published, tuple)
            else (self.published, self.published)
        )
        nearest = min(max(model, low), high)
        return (model - nearest) / nearest


def text(name: str, sequential: bool = False) -> Make:
    """A program of this folder; its sizes are its constants. A sequential one has no waits yet."""

    def make(sizes: Sizes, target: str) -> Program:
        path = FOLDER / name
        return assemble(path, target=target, defines=dict(sizes), autosync=sequential)

    return make
