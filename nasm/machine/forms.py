"""InstructionForms: what of an instruction decides when things happen, in a run without values.

Two that have one form take the same time, do the same to the machine, and differ at most in what
their transfers touch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from nasm.base.problems import Failure
from nasm.isa.effects import Transfer
from nasm.isa.list_kinds import views
from nasm.machine.effects import plan_of
from nasm.machine.outlines import Outline, OutlinedTransfer, nothing
from nasm.machine.state import State
from nasm.machine.transfers import Transfers
from nasm.program.program import Instruction, Program
from nasm.program.wait_columns import WaitColumns
from nasm.sim.channels import TouchedRegions
from nasm.sim.counters import Who
from nasm.sim.queues import Queue, Task
from nasm.sim.rounds import InstructionForms
from nasm.sim.shifts import Visitor

NO_FORM = -1
"""The form of an instruction that no other one is like."""


class TimedForms:
    """The forms of a machine's instructions, and what it remembers in addition to its scheduler."""

    def __init__(
        self,
        program: Program,
        state: State,
        transfers: Transfers,
        queues: Sequence[Queue],
        waits: Callable[[], WaitColumns],
    ) -> None:
        self.program, self.state, self.transfers, self.queues = program, state, transfers, queues
        generation = program.generation
        self._per_core, self._semaphores = max(1, generation.counters), generation.semaphores
        self._numbers: dict[Hashable, int] = {}
        self._transfers: dict[Hashable, int] = {}
        self.areas, self._waits = state.areas, waits

    def pass_over(self, visitor: Visitor) -> None:
        """Show a visitor what engines hold, and how many transfers were launched."""
        for engine in self.state.engines:
            visitor.same(tuple(engine.ready))
            for name, tick in engine.ready.items():
                engine.ready[name] = visitor.tick(tick)
        self.transfers.launched = visitor.count(self.transfers.launched)

    @property
    def launched(self) -> int:
        """How many transfers were launched."""
        return self.transfers.launched

    def touched(self, origin: Who) -> tuple[TouchedRegions, int]:
        """The regions that the transfer of an instruction touches, and its pattern."""
        queue, pc = origin
        task, _ = self.queues[queue].fetch(pc)
        start = task.work.start.args[0].start(origin)  # type: ignore[attr-defined]
        return start.touched, -start.number

    def forms(self, queue: Queue) -> InstructionForms:
        """The forms of a queue's instructions, and what they wait for."""
        lines, program = self.program.queues[queue.index], self.program
        count = len(lines)
        numbers, updates, waits = (
            np.frombuffer(column, np.int32)[:count].astype(np.int64)
            for column in (lines.instructions, lines.updates, lines.waits)
        )
        columns = self._waits()
        semaphores = columns.semaphores[waits]
        pairs = numbers * len(program.updates) + updates
        _, at, back = np.unique(pairs, return_index=True, return_inverse=True)
        of = zip(at.tolist(), numbers[at].tolist(), updates[at].tolist(), strict=True)
        forms = np.array([self._form(queue, *each) for each in of], np.int64)[back]
        none = forms < 0
        if columns.exact is not None:
            none |= columns.exact[waits]
        forms = np.where(none, NO_FORM, forms * 2**31 + semaphores + 1)
        return InstructionForms(forms, semaphores, columns.values[waits])

    def _form(self, queue: Queue, pc: int, number: int, update: int) -> int:
        """The form of an instruction with an update; of transfers only some have to be bound."""
        instruction = self.program.instructions[number]
        like = (queue.index, instruction.known, update) if self._apart(instruction) else None
        found = None if like is None else self._transfers.get(like)
        if found is None:
            try:
                task, _ = queue.fetch(pc)
            except Failure:
                return NO_FORM  # it is refused when its turn comes
            known = self._like(task, number)
            found = NO_FORM
            if known is not None:
                found = self._numbers.setdefault((queue.index, known), len(self._numbers))
            if like is not None:
                self._transfers[like] = found
        return found

    def _apart(self, instruction: Instruction) -> bool:
        """Whether it is a transfer between tensors that share no bytes, at places that are known.

        Such transfers of one shape take the same time.
        """
        shape = instruction.known
        if shape is None or shape.row.effect is not Transfer or shape.registers:
            return False
        touched = [view for operand in instruction.operands for view in views(operand)]
        if any(view.offsets is not None or view.dynamic for view in touched):
            return False
        return len({self.areas[view.tensor.index] for view in touched}) == len(touched)

    def _like(self, task: Task, number: int) -> Hashable:
        """What is equal for all that are like a task; None if it may do something each time."""
        work, post = task.work, task.update
        if task.expand is not None or work.condition is not None or work.arrive is not None:
            return None
        if work.branches or work.clears or work.number < 0:
            return None
        if post is not None and (post[1] != "+" or post[2] < 0 or not self._counts(post[0])):
            return None
        if work.start is nothing or _times_only(work.start):
            return (number, post) if work.finish is nothing else None
        if not isinstance(work.start, partial) or plan_of(work) is None:
            return None
        bound, semaphore = work.start.args
        if not isinstance(bound, OutlinedTransfer) or bound.start((0, 0)).tangled:
            return None
        if semaphore is not None and not self._counts(semaphore):
            return None
        like = (id(bound.plan), semaphore, post, bound.start((0, 0)).adds)
        if work.reads or work.writes or work.gate is not None:
            return (number, like)  # it waits in its queue for what it touches
        return (like, task.interval, task.latency, task.unit, task.issue, task.pace, task.key,
                task.needs, task.ports)  # fmt: skip

    def _counts(self, number: int) -> bool:
        """Whether a number is that of a semaphore."""
        return number % self._per_core < self._semaphores


def _times_only(start: Callable[[int], Any]) -> bool:
    """Whether a start only says from when on the engine holds something."""
    outline = getattr(start, "__self__", None)
    if not isinstance(outline, Outline) or start.__name__ != Outline.start.__name__:
        return False
    traits = outline.traits
    return not (traits.stored or traits.registers or traits.computes or traits.acts)
