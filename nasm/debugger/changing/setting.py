"""What ``set``, ``skip`` and ``set pc`` mean: a place and a value, or an engine, as a change."""

from __future__ import annotations

import re

import numpy as np

from nasm.base.problems import Refused, counted, did_you_mean, in_line, listed
from nasm.base.records import dataclass
from nasm.debugger.changing import part_setting
from nasm.debugger.changing.changes import (
    WRONG,
    Divert,
    HandChange,
    SetElements,
    SetRegister,
    SetSemaphore,
    word,
)
from nasm.debugger.changing.values import Wanted, one_number, stored
from nasm.debugger.moving.delta import MemoryChange
from nasm.debugger.moving.stops import ElementChange
from nasm.machine.outlines import NoValues
from nasm.runs.execution import Execution
from nasm.sim.queues import Queue

REGISTER = re.compile(r"@?([\w.]+?)(?:\s+|\.)%r(\d+)")
LINE = re.compile(r"(?:line\s+|:)(\d+)")


@dataclass(frozen=True, slots=True, repr=False)
class Altered:
    """What was changed by hand, and how.

    A semaphore, a register or the pc of a queue is a number ``before`` and ``after``; None is one
    that is not known. For a tensor, ``memory`` has the elements that changed; for a part of a core,
    ``count`` is how many changed, and ``elements`` are the first.
    """

    what: str
    before: int | None = None
    after: int | None = None
    memory: tuple[MemoryChange, ...] = ()
    count: int = 0
    elements: tuple[ElementChange, ...] = ()

    def __str__(self) -> str:
        if self.after is None:
            count = self.count + sum(change.count for change in self.memory)
            return f"{self.what}: {counted(count, 'element')} changed"
        before = "uninitialised" if self.before is None else self.before
        return f"{self.what} {before} -> {self.after}"

    def __repr__(self) -> str:
        return f"<{in_line(str(self))}>"


def setting(running: Execution, place: str, value: object) -> HandChange:
    """A change that gives a place a value: a tensor or part of it, a semaphore, a register.

    Parts of what a core holds are places, too.

    A value that is a text is an expression, or in quotes the name of an array file. Raises Failure
    or Refused.
    """
    place = running.spelled(str(place).strip())
    shown = value if isinstance(value, str) else _shown(value)
    text = f"set {place} = {shown}"
    if place.startswith("$"):
        number = running.semaphore(place)
        event = running.program.generation.counter(number)[2]
        found = word(one_number(running, value), "an event" if event else "a semaphore")
        if event and found not in (0, 1):
            raise Refused(
                "E0321", f"the event {place} is one bit, found {found}", "set it to 0 or 1"
            )
        return SetSemaphore(text, number, found)
    register = REGISTER.fullmatch(place)
    if register is not None:
        queue, number = running.queue(register[1]), int(register[2])
        count = running.program.generation.registers
        if number >= count:
            message = f"no register %r{number}: an engine has %r0 to %r{count - 1}"
            raise Refused("E0301", message)
        return SetRegister(
            text, queue.index, number, word(one_number(running, value), "a register")
        )
    of_core = part_setting.setting(running, place, text, value)
    if of_core is not None:
        return of_core
    view = running.view(place)
    if not running.values:
        raise NoValues.of(place)
    if view.dynamic or view.offsets is not None:
        message = f"{view.tensor.name} is addressed by a register or a tile here"
        raise Refused(WRONG, message, "write the index as a number")
    wanted = Wanted(view.tensor.name, view.dtype, view.shape)
    return SetElements(text, place, ((view, stored(running, wanted, value)),))


def _shown(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"<{value.dtype}[{', '.join(map(str, value.shape))}]>"
    return str(value)


# -- queues


def skipping(running: Execution, engine: str | None) -> Divert:
    """A change that lets an engine go past its next instruction."""
    queue = _queue(running, engine)
    name = running.program.queue_name(queue.index)
    if queue.done:
        raise Refused(WRONG, f"@{name} has no instruction left to skip")
    return Divert(f"skip {name}", queue.index, *queue.following())


def _queue(running: Execution, engine: str | None) -> Queue:
    if engine is not None:
        return running.queue(engine)
    left = [queue for queue in running.machine.scheduler.queues if not queue.done]
    if len(left) == 1:
        return left[0]
    if not left:
        raise Refused(WRONG, "no engine has an instruction left to skip")
    names = listed((f"@{running.program.queue_name(q.index)}" for q in left), "or")
    raise Refused(WRONG, "skip which engine's next instruction?", f"one of {names}")


def going_on_at(running: Execution, engine: str, place: int | str) -> Divert:
    """A change that sends an engine to a label, a pc, or the first instruction of a line."""
    queue = running.queue(engine)
    name = running.program.queue_name(queue.index)
    pc = _pc(running, queue, name, place)
    return Divert(f"set pc {name} {place}", queue.index, pc)


def _pc(running: Execution, queue: Queue, name: str, place: int | str) -> int:
    labels = running.program.queues[queue.index].labels
    if not isinstance(place, int | np.integer):
        place = str(place).strip()
        if labels.get(place, queue.length + 1) <= queue.length:
            return labels[place]
        line = LINE.fullmatch(place)
        if line is not None:
            return _of_line(running, queue, name, int(line[1]))
        if not place.isdecimal() or len(place) > 9:
            hint = did_you_mean(place, labels) or "a label, the number of an instruction, or line N"
            raise Refused("E0207", f"no label '{place}' in @{name}", hint)
        place = int(place)
    if not 0 <= place <= queue.length:
        message = f"@{name} has {queue.length:,} instructions, and no pc {place}"
        raise Refused(WRONG, message, f"0 to {queue.length}, where it ends")
    return int(place)


def _of_line(running: Execution, queue: Queue, name: str, line: int) -> int:
    """The first instruction of a queue that is written on a line."""
    program = running.program
    for pc in range(queue.length):
        span = program.span(queue.index, pc)
        if span is not None and span.line == line and not span.source.label:
            return pc
    raise Refused(WRONG, f"@{name} has no instruction on line {line}")


def current_value(running: Execution, change: HandChange) -> int | None:
    """What the semaphore or the register of a change holds; None if that is not known."""
    if isinstance(change, SetSemaphore):
        return running.machine.scheduler.semaphores[change.number].value
    assert isinstance(change, SetRegister)
    registers = running.machine.state.registers[change.queue]
    value = registers.values[change.number]
    return value if registers.known[change.number] and isinstance(value, int) else None
