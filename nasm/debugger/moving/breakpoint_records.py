"""Records of breakpoints: what one is, and what it met."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

from nasm.base.problems import counted, in_line
from nasm.base.records import dataclass, field
from nasm.debugger.moving.specs import WATCHED, Condition, StopRequest
from nasm.debugger.moving.stops import Met, Test

HAZARDS = 0
"""The number of the stop at hazards, which is no breakpoint of its own."""


NOTHING = StopRequest("")

NAME = re.compile(r"[A-Za-z_][\w-]*")
"""A name that is no number."""


@dataclass(frozen=True, slots=True, repr=False)
class Breakpoint:
    """The state of something to stop at.

    It counts ``hits``, those left out by ``ignore`` included. A ``temporary`` one is deleted when
    it is met; ``condition`` must hold too. ``note`` says what is worth knowing about where it is.
    """

    number: int
    what: str
    condition: str = ""
    ignore: int = 0
    temporary: bool = False
    enabled: bool = True
    hits: int = 0
    name: str = ""
    commands: tuple[str, ...] = ()
    note: str = ""
    asked: StopRequest = NOTHING

    @property
    def watch(self) -> bool:
        """Whether it watches memory, a semaphore or a register."""
        return self.asked.how in WATCHED

    def __repr__(self) -> str:
        kind = "watchpoint" if self.watch else "breakpoint"
        return f"<{kind} {in_line(str(self))}, {counted(self.hits, 'hit')}>"

    def __str__(self) -> str:
        parts = [f"{self.number}: {self.what}"]
        parts += [f"if {self.condition}"] if self.condition else []
        parts += [f"as {self.name}"] if self.name else []
        parts += ["(once)"] if self.temporary else []
        parts += ["(off)"] if not self.enabled else []
        parts += [f"(ignored {counted(self.ignore, 'more time')})"] if self.ignore else []
        return " ".join(parts)


class BreakpointKeywords(TypedDict, total=False):
    """The options of a new breakpoint."""

    condition: str
    ignore: int
    temporary: bool
    name: str
    commands: str | Sequence[str]


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A breakpoint that was met, and what it met."""

    breakpoint: Breakpoint
    met: Met

    def __repr__(self) -> str:
        return f"<{in_line(str(self))}>"

    def __str__(self) -> str:
        if self.breakpoint.number <= HAZARDS:  # the user did not set it
            return self.met.text
        kind = "watchpoint" if self.breakpoint.watch else "breakpoint"
        name = f" ({self.breakpoint.name})" if self.breakpoint.name else ""
        return f"{kind} {self.breakpoint.number}{name}: {self.met.text}"


@dataclass(slots=True, eq=False)
class Armed:
    """A breakpoint that is set: its record, how to test it, and what it was made from."""

    record: Breakpoint
    test: Test
    holds: Condition | None
    met: list[Met] = field(default_factory=list)
