"""Transfers on a running machine: planned, bound to memories, and launched.

Shares of a transfer mostly start and land together; then the whole transfer is one copy in and
one copy out. Views of single shares are only made when shares go their own ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.dtypes import Casting, DType
from nasm.machine.addresses import Access, Addresses
from nasm.machine.hazards import Hazards
from nasm.machine.indirect_transfers import Chosen, IndirectMove, Start, chosen_start
from nasm.problems import Refused
from nasm.sim.channels import Flight
from nasm.sim.counters import Who
from nasm.sim.memory import Array, CopyOnWrite
from nasm.sim.regions import overlap
from nasm.sim.scheduler import Scheduler
from nasm.spec.cut import pieces, rows
from nasm.spec.effects import ONTO, SUM, Plan, Transfer
from nasm.spec.instruction import Context
from nasm.spec.program import Program
from nasm.spec.view import View

MOST_IN_FLIGHT = 4_096
"""Transfers: each that starts is compared with all of them."""

Taken = Array | CopyOnWrite


class DirectMove:
    """A bound destination and its sources: where bytes come from and go to, and how."""

    def __init__(
        self, addresses: Addresses, casting: Casting, views: Sequence[View], transfer: Transfer
    ) -> None:
        dst, *srcs = views
        self.op, self.casting = transfer.op, casting
        self.reads = [addresses.access(src) for src in srcs]
        self.write = addresses.access(dst)
        sources = [read.elements for read in self.reads]
        if transfer.axes:
            sources = [source.transpose(transfer.axes) for source in sources]
        have, want = [src.dtype for src in srcs], dst.dtype
        self._take: Callable[[], Taken]
        if self.op == SUM:
            self._take = _summing(sources, have, dst.shape, want, casting)
        else:
            self._take = _copying(sources[0], have[0], dst.shape, want, casting, self.reads[0])

    def take(self, _: Chosen, hazards: Hazards, who: Who | None = None) -> Taken:
        """The bytes to move, as they are now."""
        for access in self.reads:
            if not access.initialised and access.uninitialised:
                hazards.uninitialised(access.view, access.missing, who=who)
        return self._take()

    def put(self, _: Chosen, values: Taken, hazards: Hazards) -> None:
        """Let what was taken appear, or add it to what is there."""
        write = self.write
        if self.op != ONTO:
            write.put_elements(values)
            return
        if not write.initialised and write.uninitialised:
            hazards.uninitialised(write.view, write.missing, adding=True)
        taken = values.take() if isinstance(values, CopyOnWrite) else values
        more = dtypes.to_float32(taken, write.view.dtype)
        write.add(more.reshape(write.array.shape), self.casting)


def _copying(
    source: Array, have: DType, shape: tuple[int, ...], want: DType, casting: Casting, read: Access
) -> Callable[[], Taken]:
    """Take the source's elements in the shape and dtype of the destination."""
    store, convert = read.store, casting.convert

    def take() -> Taken:
        done = convert(source, have, want)
        same = done is source
        return CopyOnWrite(store, done.reshape(shape)) if same else done.reshape(shape)

    return take


def _summing(
    sources: Sequence[Array],
    have: Sequence[DType],
    shape: tuple[int, ...],
    want: DType,
    casting: Casting,
) -> Callable[[], Array]:
    """Add the sources in float32, in order, and round into the destination's dtype."""
    narrow = casting.narrower(want)

    def take() -> Array:
        first, *others = zip(sources, have, strict=True)
        total = dtypes.to_float32(*first).reshape(shape).copy()
        for source, dtype in others:
            np.add(total, dtypes.to_float32(source, dtype).reshape(shape), out=total)
        return narrow(total, want)

    return take


Move = DirectMove | IndirectMove


class BoundTransfer:
    """A transfer bound to a machine's memories, to be launched any number of times."""

    def __init__(self, transfers: Transfers, transfer: Transfer, plan: Plan) -> None:
        self.transfer, self.plan = transfer, plan
        self._transfers = transfers
        self.whole = [transfers.move(views, transfer) for views in transfer.moves]
        self.descriptors = sum(share.descriptors for share in plan.shares)
        self._full = sum(1 for share in plan.shares if share.ranges)
        self._shares: dict[int, list[Move]] = {}
        self._start: Start | None = None

    def start(self, who: Who) -> Start:
        """What is decided when it starts: where tiles address it, by their entries then."""
        transfers = self._transfers
        if self._start is not None:
            return self._start
        direct = [move for move in self.whole if isinstance(move, DirectMove)]
        if len(direct) < len(self.whole):
            moves = [move for move in self.whole if isinstance(move, IndirectMove)]
            return chosen_start(moves, self.transfer, transfers.hazards, who, transfers.fresh())
        self._start = Start(
            {},
            tuple(read.region for move in direct for read in move.reads),
            tuple(move.write.region for move in direct),
            transfers.fresh(),
            self._tangled(direct),
        )
        return self._start

    def _tangled(self, moves: Sequence[DirectMove]) -> bool:
        """Whether it reads what it writes, but not as it writes it: its shares have no order."""
        straight = not self.transfer.axes
        return any(
            overlap(read.region, move.write.region)
            and not (straight and mine is move and read.region == move.write.region)
            for move in moves
            for mine in moves
            for read in mine.reads
        )

    def moves(self, shares: Sequence[int]) -> list[Move]:
        """What some shares move: the whole transfer if they are all that move anything."""
        moving = [n for n in shares if self.plan.shares[n].ranges]
        if len(moving) == self._full:
            return self.whole
        return [move for n in moving for move in self._share(n)]

    def _share(self, number: int) -> list[Move]:
        found = self._shares.get(number)
        if found is None:
            found = self._shares[number] = [
                self._transfers.move(views, self.transfer)
                for move, begin, end in self.plan.shares[number].ranges
                for views in self._cut(self.transfer.moves[move], begin, end)
            ]
        return found

    def _cut(self, views: Sequence[View], begin: int, end: int) -> Sequence[Sequence[View]]:
        if self.transfer.axes:
            dst, src = views
            return [rows(dst, src, self.transfer.axes, begin, end)]
        return pieces(views, begin, end)


class Transfers:
    """Plans transfers as the target does, binds them, and hands them to the channels.

    ``launched`` counts them. What a start touches has a number of its own, by which others remember
    it: one that was given is never given again, whatever is restored.
    """

    CACHES = ("_given",)

    def __init__(
        self,
        program: Program,
        addresses: Addresses,
        casting: Casting,
        hazards: Hazards,
        scheduler: Scheduler,
    ) -> None:
        self.program, self.addresses, self.casting = program, addresses, casting
        self.hazards, self.scheduler = hazards, scheduler
        self.launched = 0
        self._given = 1

    def save(self) -> int:
        """How many were launched."""
        return self.launched

    def restore(self, saved: int) -> None:
        """Count on from there."""
        self.launched = saved

    def fresh(self) -> int:
        """A number above 1 that was never given."""
        self._given += 1
        return self._given

    def move(self, views: Sequence[View], transfer: Transfer) -> Move:
        """Bind a destination and its sources: the same way for every move of a transfer."""
        addressed = any(v.offsets is not None for views in transfer.moves for v in views)
        make = IndirectMove if addressed else DirectMove
        return make(self.addresses, self.casting, views, transfer)

    def direct(self, pair: tuple[View, View]) -> DirectMove:
        """Bind a copy of one view to another."""
        return DirectMove(self.addresses, self.casting, pair, Transfer((pair,)))

    def bind(self, transfer: Transfer, context: Context) -> BoundTransfer:
        """A transfer as the target splits it, bound to the memories."""
        plan = self.program.target.plan
        assert plan is not None, "the target has a moving instruction and no plan for it"
        return BoundTransfer(self, transfer, plan(transfer, context.generation, context.engine))

    def launch(
        self,
        bound: BoundTransfer,
        who: Who,
        now: int,
        semaphore: int | None = None,
        landed: Callable[[], None] | None = None,
    ) -> None:
        """Start a transfer for an instruction; ``landed`` is called when all of it has."""
        if len(self.scheduler.transfers) >= MOST_IN_FLIGHT:
            raise Refused(
                "E0517",
                f"{MOST_IN_FLIGHT:,} transfers are in flight, and nothing waits for them",
                "wait for those of an earlier round before starting more",
            )
        plan, hazards, start = bound.plan, self.hazards, bound.start(who)

        def read(shares: Sequence[int]) -> Any:
            return [move.take(start.chosen, hazards) for move in bound.moves(shares)]

        def write(shares: Sequence[int], payload: Any) -> None:
            for move, values in zip(bound.moves(shares), payload, strict=True):
                move.put(start.chosen, values, hazards)

        if start.tangled:
            hazards.tangled(who)
        first = self.program.queues[who[0]].core * self.program.generation.channels
        self.launched += 1
        flight = Flight(
            self.launched,
            who,
            plan.ring,
            [(first + s.channel, s.busy, s.latency, s.bytes) for s in plan.shares],
            read,
            write,
            reads=start.reads,
            writes=start.writes,
            pattern=-start.number,
            semaphore=semaphore,
            notify=plan.notify,
            urgency=plan.urgency,
            descriptors=bound.descriptors,
            landed=landed,
        )
        self.scheduler.issue(flight, now + plan.dispatch)
