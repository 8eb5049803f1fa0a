"""What a run has left undone: elements of outputs, with who writes the others; what is still open.

An element is written if an instruction or a transfer wrote it, or if the program or the caller gave
the tensor values before the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from nasm.base.problems import Note, Problem, Severity
from nasm.machine.writers import part
from nasm.sim.memory import Mask
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.isa.core_state import Unfinished
    from nasm.machine.machine import Machine
    from nasm.sim.counters import Who
    from nasm.sim.queues import Queue
    from nasm.views.tensor import Tensor

IDLE = "E0566"
LISTED = 3
"""Ranges of elements, and instructions, that are named."""


def unwritten(machine: Machine) -> Iterator[Problem]:
    """A problem for each output that a run, which has finished, did not write as a whole.

    One that was declared while it ran can still be written by what is typed.
    """
    tensors = islice(machine.program.tensors.values(), machine.tensors)
    for tensor in tensors if machine.values else ():
        if tensor.role in ("output", "inout"):
            access = machine.addresses.access(View.whole(tensor))
            if access.uninitialised:
                yield unwritten_output(machine, tensor, access.missing())


def unfinished(machine: Machine) -> Iterator[Problem]:
    """A problem for each thing that an engine has begun and not ended when a run has finished.

    And one for each engine that could not begin.
    """
    program = machine.program
    for queue, found in _left_open(machine):
        message = f"{program.queue_name(queue.index)} {found.message}"
        if found.idle:
            span, severity = program.span(queue.index, 0), Severity.WARNING
            yield Problem(IDLE, message, span, found.hint, severity=severity)
        else:
            span = program.span(queue.index, len(program.queues[queue.index]) - 1)
            yield Problem("E0556", message, span, found.hint)


def idle(machine: Machine) -> list[Note]:
    """A note for each engine that could not begin: what others wait for may be in its lines."""
    program, found = machine.program, _left_open(machine)
    return [
        Note(f"{program.queue_name(queue.index)} {one.message}", program.span(queue.index, 0))
        for queue, one in found
        if one.idle
    ]


def _left_open(machine: Machine) -> Iterator[tuple[Queue, Unfinished]]:
    program, find = machine.program, machine.program.target.unfinished
    if find is None:
        return
    for queue in machine.scheduler.queues:
        held = machine.holds[queue.core]
        for found in find(held) if held is not None and len(program.queues[queue.index]) else ():
            mine = program.generation.engines[found.engine].name == queue.engine
            if mine and queue.done and not (found.idle and queue.count):
                yield queue, found


def unwritten_output(machine: Machine, tensor: Tensor, missing: Mask) -> Problem:
    """The problem of an output some of whose elements, which ``missing`` says, nothing wrote."""
    view, name = View.whole(tensor), tensor.name
    count = int(np.count_nonzero(missing))
    message = f"nothing wrote output {name}"
    if count < view.size:
        where = list(islice(ranges(missing), LISTED + 1))
        listed = ", ".join(name + one for one in where[:LISTED])
        listed += ", …" if len(where) > LISTED else ""
        message = f"nothing wrote {count:,} of {view.size:,} elements of output {name}: {listed}"
    region, writers = machine.addresses.region(view), machine.findings.writers
    never = [w for w in writers.of(part(region, missing, view)) if not _ran(machine, w)][:LISTED]
    them = "it" if count == view.size else "some of them"
    notes = [_note(machine, who, f"would write {them}, and did not run") for who in never]
    others = (who for who in writers.of((region,)) if who not in never)
    notes += [_note(machine, who, "writes to it") for who in islice(others, LISTED)]
    hint = f"store to it, or declare {name} without '{tensor.role}'"
    if never:
        hint = "a branch went past what writes it"
    elif notes:
        hint = "what is returned there is whatever the memory held: write it, or return less"
    return Problem("E0524", message, tensor.span, hint, tuple(notes))


def _note(machine: Machine, who: Who, text: str) -> Note:
    return Note(f"{machine.program.instruction_name(*who)} {text}", machine.program.span(*who))


def _ran(machine: Machine, who: Who) -> bool:
    """Whether an instruction has completed, or another one of its line."""
    queue, pc = who
    spans = np.asarray(machine.program.queues[queue].spans)
    here = spans == spans[pc] if spans[pc] else np.arange(len(spans)) == pc
    return bool(machine.summary.completed(queue)[here].any())


def ranges(chosen: Mask) -> Iterator[str]:
    """Some elements of an array as few slices, ``[64:128, 0:8]``, without whole axes at the end."""
    for slices in _boxes(chosen):
        while len(slices) > 1 and slices[-1] == ":":
            slices.pop()
        yield f"[{', '.join(slices)}]"


def _boxes(chosen: Mask) -> Iterator[list[str]]:
    """The same as a slice for each axis."""
    if chosen.ndim == 1:
        yield from ([one] for one in _slices(np.flatnonzero(chosen), len(chosen)))
        return
    flat = chosen.reshape(len(chosen), -1)
    some = np.flatnonzero(flat.any(axis=1))
    if (flat[some] == flat[some[0]]).all():
        for first in _slices(some, len(chosen)):
            yield from ([first, *rest] for rest in _boxes(chosen[some[0]]))
        return
    ends = np.flatnonzero((np.diff(some) > 1) | (flat[some[1:]] != flat[some[:-1]]).any(axis=1))
    for group in np.split(some, ends + 1):
        first = next(_slices(group, len(chosen)))
        yield from ([first, *rest] for rest in _boxes(chosen[group[0]]))


def _slices(places: np.ndarray[tuple[int], np.dtype[np.int64]], size: int) -> Iterator[str]:
    """Ascending places along an axis as slices, with a step where they are evenly apart."""
    steps = np.diff(places)
    if len(steps) > 1 and steps[0] > 1 and (steps == steps[0]).all():
        yield f"{places[0]}:{places[-1] + 1}:{steps[0]}"
        return
    for run in np.split(places, np.flatnonzero(steps > 1) + 1):
        low, high = int(run[0]), int(run[-1]) + 1
        yield ":" if (low, high) == (0, size) else str(low) if high == low + 1 else f"{low}:{high}"
