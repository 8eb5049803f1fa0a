"""The instructions of one queue of a program, as targets look at them."""

from __future__ import annotations

from collections.abc import Mapping

from nasm.base.source import Span
from nasm.program.program import Instruction, Program


class QueueLines:
    """The instructions of a queue of a program."""

    def __init__(self, program: Program, queue: int) -> None:
        self.program, self.queue = program, queue

    def instruction(self, pc: int) -> Instruction:
        """The instruction at a pc."""
        return self.program.instructions[self.program.queues[self.queue].instructions[pc]]

    @property
    def labels(self) -> Mapping[str, int]:
        """The pcs that labels name."""
        return self.program.queues[self.queue].labels

    def __len__(self) -> int:
        return len(self.program.queues[self.queue])

    def span(self, pc: int) -> Span | None:
        """Where the instruction at a pc is written."""
        return self.program.span(self.queue, pc)
