"""Transfers on a running machine: from a planned move to a shipment for the channels.

Shares of a transfer mostly start and land together; then the whole transfer is one copy in and
one copy out. Views of single shares are only made when shares go their own ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nasm import dtypes
from nasm.machine.places import elements
from nasm.sim.channels import Shipment
from nasm.sim.memory import Array, Loan
from nasm.spec.cut import pieces
from nasm.spec.effects import Move, Transfer
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine


class Part:
    """A bound pair of views: where bytes come from and go to."""

    __slots__ = ("read", "take", "target", "write")

    def __init__(self, machine: Machine, dst: View, src: View) -> None:
        self.read, self.write = machine.access(src), machine.access(dst)
        source = elements(src, self.read.store)
        self.target: Array = elements(dst, self.write.store)
        shape, have, want = self.target.shape, src.dtype, dst.dtype

        lender = self.read.store

        def take() -> Array | Loan:
            done = dtypes.convert(source, have, want)
            return Loan(lender, done.reshape(shape)) if done is source else done.reshape(shape)

        self.take: Callable[[], Array | Loan] = take


class Plan:
    """A transfer bound to a machine's memories, to be started any number of times."""

    def __init__(self, machine: Machine, move: Move, transfer: Transfer, number: int) -> None:
        self.machine, self.move, self.transfer = machine, move, transfer
        self.number = number
        self.whole = [Part(machine, dst, src) for dst, src in move.moves]
        self.reads = tuple(part.read.region for part in self.whole)
        self.writes = tuple(part.write.region for part in self.whole)
        first = machine.program.generation.channels
        self.timings = [
            [(core * first + s.channel, s.busy, s.latency, s.bytes) for s in transfer.shares]
            for core in range(machine.cores)
        ]
        self.full = sum(1 for share in transfer.shares if share.ranges)
        self._shares: dict[int, list[Part]] = {}

    def parts(self, shares: Sequence[int]) -> list[Part]:
        """What some shares move: the whole transfer if they are all that move anything."""
        moving = [n for n in shares if self.transfer.shares[n].ranges]
        if len(moving) == self.full:
            return self.whole
        return [part for n in moving for part in self._share(n)]

    def _share(self, number: int) -> list[Part]:
        found = self._shares.get(number)
        if found is None:
            found = self._shares[number] = [
                Part(self.machine, *pair)
                for move, begin, end in self.transfer.shares[number].ranges
                for pair in pieces(*self.move.moves[move], begin, end)
            ]
        return found

    def start(self, queue: int, pc: int, semaphore: int | None, key: int, core: int) -> Shipment:
        """One start of the transfer, as a shipment that posts for each share that has landed."""
        machine, transfer = self.machine, self.transfer
        left = len(transfer.shares)

        def read(shares: Sequence[int], now: int) -> Any:
            taken = []
            for part in self.parts(shares):
                if not part.read.settled and part.read.unwritten():
                    machine.hazard_unwritten(queue, part.read.view, pc=pc)
                taken.append(part.take())
            return taken

        def land(shares: Sequence[int], payload: Any, now: int) -> None:
            nonlocal left
            for part, values in zip(self.parts(shares), payload, strict=True):
                store = part.write.store
                if isinstance(values, Loan):
                    store.put_loan(part.target, values)
                else:
                    store.put(part.target, values)
                part.write.mark()
            left -= len(shares)
            if not left:
                del machine.scheduler.transfers[key]
            if semaphore is not None:
                for _ in shares:
                    machine.scheduler.post(semaphore, "+", 1, transfer.notify)

        return Shipment(key, (queue, pc), transfer.ring, self.timings[core], read, land)

