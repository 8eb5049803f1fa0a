"""Transfers on a running machine: from a planned move to a shipment for the channels.

Shares of a transfer mostly start and land together; then the whole transfer is one copy in and
one copy out. Views of single shares are only made when shares go their own ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nasm import dtypes
from nasm.dtypes import Casting, DType
from nasm.machine.places import Access, elements
from nasm.sim.channels import Shipment
from nasm.sim.memory import Array, Loan, overlap
from nasm.spec.cut import pieces, rows
from nasm.spec.effects import ONTO, SUM, Plan, Transfer
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine


class Part:
    """A bound destination and its sources: where bytes come from and go to, and how."""

    __slots__ = ("put", "reads", "take", "write")

    def __init__(
        self, machine: Machine, dst: View, srcs: Sequence[View], op: str, axes: Sequence[int]
    ) -> None:
        self.reads = [machine.access(src) for src in srcs]
        self.write = machine.access(dst)
        store = self.write.store
        target = elements(dst, store)
        sources = [elements(s, r.store) for s, r in zip(srcs, self.reads, strict=True)]
        if axes:
            sources = [source.transpose(axes) for source in sources]
        have = [src.dtype for src in srcs]
        casting = machine.state.castings[-1]
        self.take: Callable[[], Array | Loan]
        if op == SUM:
            self.take = _summing(sources, have, target, dst.dtype, casting)
        else:
            self.take = _copying(sources[0], have[0], target, dst.dtype, casting, self.reads[0])
        onto = op == ONTO
        self.put = _adding(self.write, target, casting) if onto else _storing(self.write, target)


def _copying(
    source: Array, have: DType, target: Array, want: DType, casting: Casting, read: Access
) -> Callable[[], Array | Loan]:
    """Take the source's elements in the shape and dtype of the destination."""
    shape, lender, convert = target.shape, read.store, casting.convert

    def take() -> Array | Loan:
        done = convert(source, have, want)
        return Loan(lender, done.reshape(shape)) if done is source else done.reshape(shape)

    return take


def _summing(
    sources: Sequence[Array], have: Sequence[DType], target: Array, want: DType, casting: Casting
) -> Callable[[], Array]:
    """Add the sources in float32, in order, and round into the destination's dtype."""
    shape, narrow = target.shape, casting.narrower(want)

    def take() -> Array:
        first, *others = zip(sources, have, strict=True)
        total = dtypes.to_float32(*first).reshape(shape).copy()
        for source, dtype in others:
            np.add(total, dtypes.to_float32(source, dtype).reshape(shape), out=total)
        return narrow(total, want)

    return take


def _storing(write: Access, target: Array) -> Callable[[Array | Loan], None]:
    """Let what was taken appear."""
    store = write.store

    def put(values: Array | Loan) -> None:
        if isinstance(values, Loan):
            store.put_loan(target, values)
        else:
            store.put(target, values)

    return put


def _adding(write: Access, target: Array, casting: Casting) -> Callable[[Array | Loan], None]:
    """Add what was taken to what is there, in float32, rounded into its dtype."""
    store, dtype = write.store, write.view.dtype
    narrow = casting.narrower(dtype)

    def put(values: Array | Loan) -> None:
        taken = values.take() if isinstance(values, Loan) else values
        total = dtypes.to_float32(target, dtype) + dtypes.to_float32(taken, dtype)
        store.put(target, narrow(total, dtype))

    return put


class BoundTransfer:
    """A transfer bound to a machine's memories, to be started any number of times."""

    def __init__(self, machine: Machine, move: Transfer, transfer: Plan, number: int) -> None:
        self.machine, self.move, self.transfer = machine, move, transfer
        self.number = number
        self.whole = [self._part(views) for views in move.moves]
        self.reads = tuple(read.region for part in self.whole for read in part.reads)
        self.writes = tuple(part.write.region for part in self.whole)
        first = machine.program.generation.channels
        self.timings = [
            [(core * first + s.channel, s.busy, s.latency, s.bytes) for s in transfer.shares]
            for core in range(machine.cores)
        ]
        self.full = sum(1 for share in transfer.shares if share.ranges)
        self._shares: dict[int, list[Part]] = {}
        self.tangled = self._tangled()

    def _tangled(self) -> bool:
        """Whether it reads what it writes, but not as it writes it: its shares have no order."""
        straight = not self.move.axes
        return any(
            overlap(read.region, part.write.region)
            and not (straight and mine is part and read.region == part.write.region)
            for part in self.whole
            for mine in self.whole
            for read in mine.reads
        )

    def parts(self, shares: Sequence[int]) -> list[Part]:
        """What some shares move: the whole transfer if they are all that move anything."""
        moving = [n for n in shares if self.transfer.shares[n].ranges]
        if len(moving) == self.full:
            return self.whole
        return [part for n in moving for part in self._share(n)]

    def _part(self, views: Sequence[View]) -> Part:
        dst, *srcs = views
        return Part(self.machine, dst, srcs, self.move.op, self.move.axes)

    def _share(self, number: int) -> list[Part]:
        found = self._shares.get(number)
        if found is None:
            found = self._shares[number] = [
                self._part(views)
                for move, begin, end in self.transfer.shares[number].ranges
                for views in self._cut(self.move.moves[move], begin, end)
            ]
        return found

    def _cut(self, views: Sequence[View], begin: int, end: int) -> Sequence[Sequence[View]]:
        if self.move.axes:
            dst, src = views
            return [rows(dst, src, self.move.axes, begin, end)]
        return pieces(views, begin, end)

    def start(
        self,
        queue: int,
        pc: int,
        semaphore: int | None,
        key: int,
        landed: Callable[[], None] | None = None,
    ) -> Shipment:
        """One start of the transfer, as a shipment that posts for each share that has landed.

        ``landed`` is called when all have.
        """
        machine = self.machine
        adds = self.move.op == ONTO

        def read(shares: Sequence[int], now: int) -> Any:
            taken = []
            for part in self.parts(shares):
                for access in part.reads:
                    if not access.settled and access.unwritten():
                        machine.hazard_unwritten(queue, access.view, pc=pc)
                taken.append(part.take())
            return taken

        def land(shares: Sequence[int], payload: Any, now: int) -> None:
            for part, values in zip(self.parts(shares), payload, strict=True):
                write = part.write
                if adds and not write.settled and write.unwritten():
                    machine.hazard_unwritten(queue, write.view, adding=True, pc=pc)
                part.put(values)
                write.mark()

        return self.shipment((queue, pc), semaphore, key, landed, read, land)

    def shipment(
        self,
        origin: tuple[int, int],
        semaphore: int | None,
        key: int,
        landed: Callable[[], None] | None,
        read: Callable[[Sequence[int], int], Any],
        deliver: Callable[[Sequence[int], Any, int], None],
    ) -> Shipment:
        """The shares as channels serve them; each posts once what it moved was delivered."""
        scheduler, transfer = self.machine.scheduler, self.transfer
        left = len(transfer.shares)

        def land(shares: Sequence[int], payload: Any, now: int) -> None:
            nonlocal left
            deliver(shares, payload, now)
            left -= len(shares)
            if not left:
                del scheduler.transfers[key]
                if landed is not None:
                    landed()
            if semaphore is not None:
                for _ in shares:
                    scheduler.post(semaphore, "+", 1, transfer.notify)

        timings = self.timings[self.machine.program.queues[origin[0]].core]
        return Shipment(key, origin, transfer.ring, timings, read, land, transfer.urgency)
