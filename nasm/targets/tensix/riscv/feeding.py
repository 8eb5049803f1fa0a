"""Threads that execute what RISC-V code pushes: what they have next, and who may push more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from nasm.isa.core_state import Blocked
from nasm.isa.micro_instructions import Elsewhere
from nasm.targets.tensix.core.pushed import front_of
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.front.feeding import Ingested
from nasm.targets.tensix.risc_state import B
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.unit_queries import thread_name

FED_ROWS: Final[set[str]] = set()
"""The row of such lines, by its name."""

FED_LINES: Final = 2
"""Lines of a thread that is fed: one for the words, one at which it waits for more."""


def words(
    core: Tensix, thread: int, pc: int, made: Callable[[Ingested], Sequence[Any]]
) -> Sequence[Any] | Blocked | Elsewhere:
    """What a thread executes next of what was pushed to it, at one of its two lines."""
    front = front_of(core, thread)
    if front.lines:
        if pc:
            return Elsewhere(0)
        first, *rest = front.lines
        front.lines, front.passing = tuple(rest), first.number
        return made(first)
    on, by = (f"front {thread}",), pushers(core, thread)
    if not front.empty:
        reason = "what is pushed to it is still in front of the expanders"
        until = front.next_step(core.around.now)
        return Blocked("host", reason, until, by=by, on=on, noted=True)
    if all(core.riscs[engine - THREADS].ended for engine in by):
        return Elsewhere(FED_LINES)
    reason = f"no core has pushed an instruction to {thread_name(thread)}"
    return Blocked("host", reason, by=by, on=on, noted=True)


def pushers(core: Tensix, thread: int) -> tuple[int, ...]:
    """The engines whose RISC-V code may push to a thread."""
    return tuple(THREADS + n for n in (thread, B) if core.codes[n] is not None)
