"""What is in memory: who owns which bytes, what of that is written, and what has changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nasm.machine.records import Rows
from nasm.runs.execution import Checkpoint, Execution

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.debugger.moving.delta import MemoryChange
    from nasm.debugger.values.memory import BankNow, Lane, MemoryNow, Owner


class MemoryPart:
    """The memories of a run."""

    def __init__(self, run: Execution) -> None:
        self.run = run

    def maps(self, name: str = "", rows: int = 8, columns: int = 64) -> Rows[MemoryNow]:
        """Who owns which bytes of a memory, or of each, and what of that is written.

        A map has at most so many rows and columns of cells. Raises Refused for an unknown name.
        """
        from nasm.debugger.values import memory
        from nasm.debugger.values.memory import MemoryNow

        return self.run.rows(MemoryNow, memory.memories(self.run, name, rows, columns))

    def banks(self) -> Rows[BankNow]:
        """Every bank: what is in it, and whether instructions ahead add to that."""
        from nasm.debugger.values import memory
        from nasm.debugger.values.memory import BankNow

        return self.run.rows(BankNow, memory.banks(self.run))

    def owners(self, bank: BankNow) -> tuple[Owner, ...]:
        """The tensors that have bytes in a bank."""
        from nasm.debugger.values import memory

        tensors = self.run.program.tensors
        return tuple(memory.owner(self.run, tensors[name]) for name in bank.record.tensors)

    def partition(self, number: int) -> tuple[Lane, ...]:
        """What every tensor has in a partition, by memory and address."""
        from nasm.debugger.values import memory

        return memory.lanes(self.run, number)

    def written(self, name: str) -> float:
        """How much of a tensor or a part of one is initialised, from 0 to 1; raises Failure."""
        from nasm.debugger.values import memory

        return memory.written(self.run, name)

    # -- what changed

    def since(self) -> Checkpoint:
        """A moment to compare memory with later, by :meth:`changes`; :meth:`release` it then."""
        from nasm.debugger.moving import delta

        delta.settle(self.run)
        return self.run.checkpoint()

    def changes(self, since: Checkpoint) -> tuple[MemoryChange, ...]:
        """What of each tensor is not as it was; nothing if the run went back to before that."""
        from nasm.debugger.moving import delta

        known = since in self.run.checkpoints and self.run.values
        return delta.changes(self.run, since) if known else ()

    def release(self, since: Checkpoint) -> None:
        """A moment is no longer needed to compare with."""
        if since in self.run.checkpoints:
            self.run.discard(since)

    @contextmanager
    def comparing(self) -> Iterator[list[MemoryChange]]:
        """What a block has changed in memory; it is there when the block is left."""
        found: list[MemoryChange] = []
        since = self.since()
        try:
            yield found
            found += self.changes(since)
        finally:
            self.release(since)
