"""What can be seen of a run at a moment, and asked of the program: the views of the debugger.

Nothing here moves the machine, or changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nasm.base.problems import number_of
from nasm.debugger.values.expressions import Expression
from nasm.debugger.values.value import Value, first
from nasm.machine.records import Rows
from nasm.runs.running import Checkpoint, Running

if TYPE_CHECKING:  # a view is imported when it is used
    from nasm.debugger.engines.context import Scene
    from nasm.debugger.engines.counters import Counter
    from nasm.debugger.engines.future_posts import Outlook
    from nasm.debugger.engines.records import Context
    from nasm.debugger.engines.transfers import TransferRecord
    from nasm.debugger.engines.users import LineUse
    from nasm.debugger.engines.wait_chain import WaitChain
    from nasm.debugger.moving.delta import MemoryChange
    from nasm.debugger.values.differences import ValueDifference
    from nasm.debugger.values.held import HeldPart
    from nasm.debugger.values.memory import BankNow, Lane, MemoryNow, Owner
    from nasm.debugger.values.pictures import Picture
    from nasm.debugger.values.statistics import Histogram, Statistics
    from nasm.debugger.values.writing import Written

BINS = 16
"""Default number of bins of a histogram."""


class Seeing(Running):
    """A run, and all that can be seen of it now."""

    _looked: Outlook | None = None

    # -- values

    def expression(self, text: str, names: Iterable[str] = ()) -> Expression:
        """An expression of the language of ``.expect``, read once, to be asked at any moment.

        Semaphores (``$loaded``) and registers (``@scalar.%r0``) may be used in it, and ``names`` of
        numbers that are given with each question. Raises Failure.
        """
        return Expression(self, text, names)

    def evaluate(self, text: str, names: Mapping[str, int | float] | None = None) -> Value:
        """What an expression is now, to be read before the machine runs on; raises Failure."""
        return Expression(self, text, names or ()).value(self, names)

    def _value(self, what: str | Value) -> Value:
        return what if isinstance(what, Value) else self.evaluate(what)

    def statistics(self, what: str | Value) -> Statistics:
        """The least, the greatest and the mean of what an expression is, and what is missing.

        It is an expression, or what :meth:`evaluate` made of one. Raises Failure.
        """
        from nasm.debugger.values.statistics import statistics

        return statistics(self._value(what))

    def first(self, what: str | Value, count: int) -> Value:
        """The first elements of what an expression is, in row-major order; raises Failure."""
        return first(self._value(what), number_of("elements", count, 1))

    def written(self, name: str) -> float:
        """How much of a tensor or a part of one is initialised, from 0 to 1; raises Failure."""
        from nasm.debugger.values import memory

        return memory.written(self, name)

    def histogram(self, what: str | Value, bins: int = BINS) -> Histogram:
        """How the finite numbers of what an expression is are spread; raises Failure."""
        from nasm.debugger.values.statistics import histogram

        return histogram(self._value(what), number_of("bins", bins, 1))

    def difference(
        self,
        left: str | Value,
        right: str | Value,
        *,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> ValueDifference:
        """How two values differ, exactly or with a tolerance; raises Failure or Refused.

        They are expressions, values, and on the right also the path of an array file in quotes.
        """
        from nasm.debugger.values.differences import difference, named_file, of_file

        mine, path = self._value(left), named_file(right) if isinstance(right, str) else None
        other = self._value(right) if path is None else of_file(mine, path, self.files)
        return difference(mine, other, rtol, atol)

    def write(self, text: str, path: str | Path, *, over: bool = False) -> Written:
        """Write what an expression is to an array file; raises Failure or Refused.

        A file that exists stays as it is unless ``over`` is set.
        """
        from nasm.debugger.values import writing

        return writing.write(self.evaluate(text), str(path), self.files, over)

    def picture(
        self, what: str | Value, rows: int = 32, columns: int = 76, mean: bool = False
    ) -> Picture:
        """What an expression is in at most so many rows and columns of cells.

        A cell has the element of its block that is farthest from zero, or the mean of them. Raises
        Refused or Failure.
        """
        from nasm.debugger.values.pictures import picture

        return picture(self._value(what), rows, columns, mean)

    # -- memory

    def memories(self, name: str = "", rows: int = 8, columns: int = 64) -> Rows[MemoryNow]:
        """Who owns which bytes of a memory, or of each, and what of that is written.

        A map has at most so many rows and columns of cells. Raises Refused for an unknown name.
        """
        from nasm.debugger.values import memory
        from nasm.debugger.values.memory import MemoryNow

        return self._rows(MemoryNow, memory.memories(self, name, rows, columns))

    def bank_states(self) -> Rows[BankNow]:
        """Every bank: what is in it, and whether instructions ahead add to that."""
        from nasm.debugger.values import memory
        from nasm.debugger.values.memory import BankNow

        return self._rows(BankNow, memory.banks(self))

    def owners(self, bank: BankNow) -> tuple[Owner, ...]:
        """The tensors that have bytes in a bank."""
        from nasm.debugger.values import memory

        tensors = self.program.tensors
        return tuple(memory.owner(self, tensors[name]) for name in bank.record.tensors)

    def partition(self, number: int) -> tuple[Lane, ...]:
        """What every tensor has in a partition, by memory and address."""
        from nasm.debugger.values import memory

        return memory.lanes(self, number)

    def held(self, engine: str = "") -> tuple[HeldPart, ...]:
        """What an engine, or each of them, holds between instructions: tiles, masks, accumulators.

        It is named as :meth:`queue` says. Raises Refused, and Failure in a run without values.
        """
        from nasm.debugger.values.held import held

        return held(self, engine)

    # -- what changed

    def since(self) -> Checkpoint:
        """A moment to compare memory with later, by :meth:`changes`; :meth:`release` it then."""
        from nasm.debugger.moving import delta

        delta.settle(self)
        return self.checkpoint()

    def changes(self, since: Checkpoint) -> tuple[MemoryChange, ...]:
        """What of each tensor is not as it was; nothing if the run went back to before that."""
        from nasm.debugger.moving import delta

        return delta.changes(self, since) if since in self.checkpoints and self.values else ()

    def release(self, since: Checkpoint) -> None:
        """A moment is no longer needed to compare with."""
        if since in self.checkpoints:
            self.discard(since)

    @contextmanager
    def _comparing(self) -> Iterator[list[MemoryChange]]:
        """What a block has changed in memory; it is there when the block is left."""
        found: list[MemoryChange] = []
        since = self.since()
        try:
            yield found
            found += self.changes(since)
        finally:
            self.release(since)

    # -- engines

    @property
    def _outlook(self) -> Outlook:
        from nasm.debugger.engines.future_posts import Outlook

        if self._looked is None or not self._looked.current:
            self._looked = Outlook(self.machine)
        return self._looked

    def context(self) -> Context:
        """What every engine executes, what it does next, and why that does not start yet."""
        from nasm.debugger.engines.context import context

        return context(self.machine, self._outlook, self.status)

    def transfers(self) -> Rows[TransferRecord]:
        """Every transfer (DMA) in flight, oldest first."""
        from nasm.debugger.engines.transfers import TransferRecord

        return self._rows(TransferRecord, self._scene().transfers)

    def counters(self, name: str = "") -> Rows[Counter]:
        """Every semaphore and event the program names, or one, with who waits and who can post.

        Raises Refused if there is none of that name.
        """
        from nasm.debugger.engines.counters import Counter, counter

        numbers = {**self.program.semaphores, **self.program.events}
        scene = self._scene()
        wanted = [self.semaphore(name)] if name else sorted(numbers.values())
        return self._rows(Counter, (counter(scene, number) for number in wanted))

    def blocked(self, engine: str) -> WaitChain:
        """Why an engine is blocked, back to what no other blocks; raises Refused.

        It is named as :meth:`queue` says.
        """
        from nasm.debugger.engines.wait_chain import blocked

        return blocked(self._scene(), self.queue(engine))

    def who(self, text: str) -> Rows[LineUse]:
        """Every line that reads or writes a tensor or slice, or uses a ``$semaphore``.

        ``%r0`` and ``@scalar.%r0`` are registers. Raises Failure or Refused.
        """
        from nasm.debugger.engines import users as who

        return self._rows(who.LineUse, who.uses(self, self._outlook, text))

    def _scene(self) -> Scene:
        from nasm.debugger.engines.context import Scene

        return Scene(self.machine, self._outlook, self.status)
