"""What ``set``, ``skip`` and ``set pc`` mean: a place and a value, or an engine, as a change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.debug.changing.changes import (
    WRONG,
    Change,
    Divert,
    SetElements,
    SetRegister,
    SetSemaphore,
    word,
)
from nasm.debug.moving.delta import MemoryChange
from nasm.debug.values.expressions import Expression
from nasm.inspection import Inspection
from nasm.machine.outlines import NoValues
from nasm.machine.state import UNKNOWN
from nasm.problems import Refused, counted, did_you_mean, in_line, listed, quoted
from nasm.running import Running
from nasm.sim.memory import Array
from nasm.sim.queues import Queue
from nasm.spec.array_files import SPELLING, ArrayFile, read_array
from nasm.spec.view import View

REGISTER = re.compile(r"@?([\w.]+?)(?:\s+|\.)%r(\d+)")
QUOTED = re.compile(r'"([^"\n]*)"')
LINE = re.compile(r"(?:line\s+|:)(\d+)")


@dataclass(frozen=True, slots=True, repr=False)
class Altered:
    """What was changed by hand, and how.

    A semaphore, a register or the pc of a queue is a number ``before`` and ``after``; None is one
    that is not known. Of a tensor it is said which elements of the ``memory`` are not what they
    were.
    """

    what: str
    before: int | None = None
    after: int | None = None
    memory: tuple[MemoryChange, ...] = ()

    def __str__(self) -> str:
        if self.after is None:
            count = sum(change.count for change in self.memory)
            return f"{self.what}: {counted(count, 'element')} changed"
        before = "uninitialised" if self.before is None else self.before
        return f"{self.what} {before} -> {self.after}"

    def __repr__(self) -> str:
        return f"<{in_line(str(self))}>"


def setting(running: Running, place: str, value: object) -> Change:
    """A change that gives a place a value: a view of a tensor, a semaphore or a register.

    A value that is a text is an expression, or in quotes the name of an array file. Raises Failure
    or Refused.
    """
    place = running.spelled(str(place).strip())
    shown = value if isinstance(value, str) else _shown(value)
    text = f"set {place} = {shown}"
    if place.startswith("$"):
        number = running.semaphore(place)
        event = running.program.generation.counter(number)[2]
        found = word(_number(running, value), "an event" if event else "a semaphore")
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
            said = f"no register %r{number}: an engine has %r0 to %r{count - 1}"
            raise Refused("E0301", said)
        return SetRegister(text, queue.index, number, word(_number(running, value), "a register"))
    view = running.view(place)
    if not running.values:
        raise NoValues.of(place)
    if view.dynamic or view.offsets is not None:
        said = f"{view.tensor.name} is addressed by a register or a tile here"
        raise Refused(WRONG, said, "write the index as a number")
    return SetElements(text, ((view, _stored(running, view, value)),))


def _shown(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"<{value.dtype}[{', '.join(map(str, value.shape))}]>"
    return str(value)


# -- values


def _number(running: Running, value: object) -> object:
    """What is to be put into a counter or a register."""
    found: Any = value
    if isinstance(value, str):
        found = _evaluated(running, value)[0]
    found = np.asarray(found)
    if found.dtype.kind not in "biuf":
        raise Refused("E0210", f"wanted a number, found {quoted(repr(value))}")
    if found.size != 1:
        raise Refused("E0210", f"wanted one number, found {found.size:,} of them")
    return found.reshape(-1)[0].item()


def _stored(running: Running, view: View, value: object) -> Array:
    """Values for all elements of a view, as it stores them: broadcast, and rounded once."""
    dtype, same = view.dtype, None
    if isinstance(value, str):
        name = QUOTED.fullmatch(value.strip())
        if name is not None:
            found = _file(running, view, name[1])
        else:
            found, same = _evaluated(running, value)
    else:
        found = _array(view, value)
    if found.dtype == dtype.numpy and same in (None, dtype) and dtype.kind is not dtypes.Kind.INT:
        held = found
    else:
        held = _rounded(view, found, same)
    try:
        return np.ascontiguousarray(np.broadcast_to(held, view.shape))
    except ValueError:
        said = f"{list(held.shape)} does not fit into {list(view.shape)}"
        raise Refused(
            "E0221", said, "shapes are matched from the last axis on, 1 fits all"
        ) from None


def _rounded(view: View, found: Array, held: dtypes.DType | None) -> Array:
    try:
        if held is view.dtype:
            return found
        wide = dtypes.to_float64(found, held) if held else np.asarray(found, np.float64)
        return dtypes.convert_float64(wide, view.dtype)
    except dtypes.DTypeError as problem:
        raise Refused("E0210", f"{view.tensor.name}: {problem}") from None


def _array(view: View, value: object) -> Array:
    """Values from Python."""
    try:
        found = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        found = np.asarray(None)
    if found.dtype.kind not in "biuf" and found.dtype != view.dtype.numpy:
        raise Refused("E0804", f"what was given for {view.tensor.name} is no array of numbers")
    return found


def _file(running: Running, view: View, path: str) -> Array:
    """The array of a file: elements of the view's dtype, or any numbers."""
    file = ArrayFile.written(path, "")
    if file is None:
        raise Refused("E0801", f'"{path}" is not an array file', SPELLING)

    def fits(shape: tuple[int, ...], found: np.dtype[Any]) -> None:
        try:
            np.broadcast_shapes(shape, view.shape)
            fine = len(shape) <= len(view.shape) and prod(shape) <= view.size
        except ValueError:
            fine = False
        if not fine:
            said = f"{path} has the shape {list(shape)}, wanted {list(view.shape)}"
            raise Refused("E0804", said)
        if found.kind not in "biuf" and not _as_it_is(found, view):
            raise Refused("E0804", f"{path} holds no numbers, but {found}")

    array = read_array(file, fits, running.files)
    if _as_it_is(array.dtype, view):
        return dtypes.from_npy(array, view.dtype)
    return array


def _as_it_is(found: np.dtype[Any], view: View) -> bool:
    try:
        dtypes.check_npy(found, view.dtype)
    except dtypes.DTypeError:
        return False
    return True


def _evaluated(held: Inspection, text: str) -> tuple[Array, dtypes.DType | None]:
    """What an expression is now, and the dtype it is stored in if it is a tensor."""
    value = Expression(held, text).value(held)
    if value.missing is not None:
        count = int(np.count_nonzero(value.missing))
        said = f"{count:,} of {counted(value.size, 'element')} of {text} are uninitialised"
        raise Refused(WRONG, said, "set what is there alone, or give them values first")
    return value.elements.array if value.dtype is None else value.stored(()), value.dtype


# -- queues


def skipping(running: Running, engine: str | None) -> Divert:
    """A change that lets an engine go past its next instruction."""
    queue = _queue(running, engine)
    name = running.program.queue_name(queue.index)
    if queue.done:
        raise Refused(WRONG, f"@{name} has no instruction left to skip")
    return Divert(f"skip {name}", queue.index, *queue.following())


def _queue(running: Running, engine: str | None) -> Queue:
    if engine is not None:
        return running.queue(engine)
    left = [queue for queue in running.machine.scheduler.queues if not queue.done]
    if len(left) == 1:
        return left[0]
    if not left:
        raise Refused(WRONG, "no engine has an instruction left to skip")
    names = listed((f"@{running.program.queue_name(q.index)}" for q in left), "or")
    raise Refused(WRONG, "skip which engine's next instruction?", f"one of {names}")


def going_on_at(running: Running, engine: str, place: int | str) -> Divert:
    """A change that sends an engine to a label, a pc, or the first instruction of a line."""
    queue = running.queue(engine)
    name = running.program.queue_name(queue.index)
    pc = _pc(running, queue, name, place)
    return Divert(f"set pc {name} {place}", queue.index, pc)


def _pc(running: Running, queue: Queue, name: str, place: int | str) -> int:
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
        said = f"@{name} has {queue.length:,} instructions, and no pc {place}"
        raise Refused(WRONG, said, f"0 to {queue.length}, where it ends")
    return int(place)


def _of_line(running: Running, queue: Queue, name: str, line: int) -> int:
    """The first instruction of a queue that is written on a line."""
    program = running.program
    for pc in range(queue.length):
        span = program.span(queue.index, pc)
        if span is not None and span.line == line and not span.source.label:
            return pc
    raise Refused(WRONG, f"@{name} has no instruction on line {line}")


def held(running: Running, change: Change) -> int | None:
    """What the semaphore or the register of a change holds; None if that is not known."""
    if isinstance(change, SetSemaphore):
        return running.machine.scheduler.semaphores[change.number].value
    assert isinstance(change, SetRegister)
    registers = running.machine.state.registers[change.queue]
    known = registers.known[change.number] and registers.values[change.number] is not UNKNOWN
    return registers.values[change.number] if known else None
