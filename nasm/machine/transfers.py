"""Transfers on a running machine: planned, bound to memories, and launched.

Shares of a transfer mostly start and land together; then the whole transfer is one copy in and
one copy out. Views of single shares are only made when shares go their own ways.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from nasm.base.dtypes import Casting
from nasm.base.problems import Refused
from nasm.isa.effects import ONTO, Plan, Transfer
from nasm.isa.instruction import InstructionContext
from nasm.machine.addresses import Addresses
from nasm.machine.changes import UNCHANGED, Changes
from nasm.machine.direct_transfers import CutViews, DirectMove, addressed, cut, cutter
from nasm.machine.findings import Findings
from nasm.machine.indirect_transfers import Chosen, IndirectMove, TransferStart, chosen_start
from nasm.machine.lost_results import Losses
from nasm.program.program import Program
from nasm.sim.channels import Cargo, Flight, Portion
from nasm.sim.counters import Who
from nasm.sim.scheduler import Scheduler
from nasm.views.regions import Region, overlap
from nasm.views.view import View

MOST_IN_FLIGHT = 4_096
"""Transfers: each that starts is compared with all of them."""

Move = DirectMove | IndirectMove


class Mover(Protocol):
    """A destination and its sources: takes bytes, and delivers them."""

    def take(self, _: Chosen, findings: Findings, who: Who | None = None) -> Any:
        """The bytes to move, as they are now."""

    def put(self, _: Chosen, values: Any, findings: Findings) -> None:
        """Let what was taken appear."""


class Launched(Protocol):
    """A transfer that can be launched any number of times."""

    plan: Plan
    portions: tuple[Portion, ...]

    def start(self, who: Who) -> TransferStart:
        """What is decided when it starts."""

    def cargo(self, start: TransferStart, who: Who) -> Cargo:
        """What its shares take and deliver."""


def direct_start(addresses: Addresses, transfer: Transfer, number: int) -> TransferStart:
    """The start of a transfer that no tile addresses: always the same."""
    moves = [tuple(map(addresses.region, views)) for views in transfer.moves]
    reads = tuple([src for move in moves for src in move[1:]])
    writes = tuple([move[0] for move in moves])
    tangled = _tangled(moves, straight=not transfer.axes)
    return TransferStart({}, reads, writes, number, tangled, transfer.op == ONTO)


def _tangled(moves: Sequence[tuple[Region, ...]], straight: bool) -> bool:
    """Whether it reads what it writes, but not as it writes it: its shares have no order."""
    for move in moves:
        dst = move[0]
        for mine in moves:
            for src in mine[1:]:
                if src.area != dst.area:
                    continue
                if overlap(src, dst) and not (straight and mine is move and src == dst):
                    return True
    return False


class TransferBytes:
    """The bytes of one start of a transfer, with the entries of that moment."""

    __slots__ = ("bound", "chosen", "findings", "losses", "result")

    def __init__(self, bound: BoundTransfer, chosen: Chosen, findings: Findings, who: Who) -> None:
        self.bound, self.chosen, self.findings = bound, chosen, findings
        self.losses = bound.losses
        self.result = self.losses.begin(who, bound.full)

    def read(self, shares: Sequence[int]) -> Any:
        """Take what some shares move, as it is now."""
        chosen, findings = self.chosen, self.findings
        return [move.take(chosen, findings) for move in self.bound.moves(shares)]

    def write(self, shares: Sequence[int], payload: Any) -> None:
        """Let what was taken appear."""
        chosen, findings, moves = self.chosen, self.findings, self.bound.moves(shares)
        for move, values in zip(moves, payload, strict=True):
            move.put(chosen, values, findings)
        places = [move.write.place for move in moves if isinstance(move, DirectMove)]
        self.losses.landed(self.result, self.bound.moving(shares), places)

    def part(self, shares: Sequence[int], payload: Any, some: Sequence[int]) -> tuple[Any, Any]:
        """Of what was taken for some shares, that of a few of them and that of the rest."""
        return self.bound.part(shares, payload, some)

    def touches(self, share: int) -> tuple[Region, ...]:
        """All that one share reads and writes."""
        moves = self.bound.moves((share,))
        return tuple(region for move in moves for region in move.touches(self.chosen))


def portions(plan: Plan) -> tuple[Portion, ...]:
    """The shares of a plan as the simulator has them: equal ones grouped."""
    alike: dict[tuple[int, int, int, int], list[tuple[int, int]]] = {}
    for number, share in enumerate(plan.shares):
        key = (share.busy, share.latency, share.bytes, share.packets)
        alike.setdefault(key, []).append((share.channel, number))
    return tuple(
        Portion(sum(1 << n for n, _ in found), tuple(n for _, n in sorted(found)), *key)
        for key, found in alike.items()
    )


class BoundTransfer:
    """A transfer bound to a machine's memories."""

    def __init__(self, transfers: Transfers, transfer: Transfer, plan: Plan) -> None:
        self.transfer, self.plan, self.portions = transfer, plan, transfers.portions(plan)
        self._transfers = transfers
        self.whole = [transfers.move(views, transfer) for views in transfer.moves]
        self.full = sum(1 for share in plan.shares if share.ranges)
        self._shares: dict[int, list[Move]] = {}
        self._start: TransferStart | None = None
        self._cuts: dict[int, list[CutViews]] | None = None

    def start(self, who: Who) -> TransferStart:
        """What is decided when it starts: where tiles address it, by their entries then."""
        transfers = self._transfers
        if self._start is not None:
            return self._start
        number = transfers.fresh()
        moves = [move for move in self.whole if isinstance(move, IndirectMove)]
        if moves:
            return chosen_start(moves, self.transfer, transfers.findings, who, number)
        self._start = direct_start(transfers.addresses, self.transfer, number)
        return self._start

    def cargo(self, start: TransferStart, who: Who) -> Cargo:
        """What its shares take and deliver."""
        return TransferBytes(self, start.chosen, self._transfers.findings, who)

    @property
    def losses(self) -> Losses:
        """Where results that were never read are counted."""
        return self._transfers.addresses.losses

    def moving(self, shares: Sequence[int]) -> int:
        """How many of some shares move anything."""
        return len(self._moving(shares))

    def moves(self, shares: Sequence[int]) -> list[Move]:
        """What some shares move: the whole transfer if they are all that move anything."""
        moving = self._moving(shares)
        if len(moving) == self.full:
            return self.whole
        return [move for n in moving for move in self._share(n)]

    def part(
        self, shares: Sequence[int], payload: list[Any], some: Sequence[int]
    ) -> tuple[list[Any], list[Any]]:
        """Of what was taken for some shares, that of a few of them and that of the rest."""
        moving, few = self._moving(shares), self._moving(some)
        if len(few) in (0, len(moving)):
            return (payload, []) if few else ([], payload)
        if len(moving) == self.full:
            each = {n: list(cut) for n, cut in zip(moving, self._cut_up(payload), strict=True)}
        else:
            taken = iter(payload)
            each = {n: [next(taken) for _ in self._share(n)] for n in moving}
        rest = [values for n in moving if n not in few for values in each[n]]
        return [values for n in few for values in each[n]], rest

    def _moving(self, shares: Sequence[int]) -> list[int]:
        return [n for n in shares if self.plan.shares[n].ranges]

    def _cut_up(self, payload: list[Any]) -> Iterator[list[Any]]:
        """What was taken for the whole, share by share, as the moves of each want it."""
        cut = [cutter(values) for values in payload]
        for number, share in enumerate(self.plan.shares):
            if not share.ranges:
                continue
            found, moves = [], iter(self._share(number))
            for whole, begin, end in share.ranges:
                while begin < end:
                    shape = next(moves).shape
                    last = begin + math.prod(shape)
                    found.append(cut[whole](begin, last, shape))
                    begin = last
            yield found

    def _share(self, number: int) -> list[Move]:
        found = self._shares.get(number)
        if found is None:
            transfers, transfer = self._transfers, self.transfer
            found = self._shares[number] = [
                transfers.move(views, transfer) for views in self._cut(number)
            ]
        return found

    def _cut(self, number: int) -> list[tuple[View, ...]]:
        """The views of what a share moves, cut as those of every transfer of the same form are."""
        moves, cuts = self.transfer.moves, self._cuts
        if cuts is None:
            cuts = self._cuts = self._transfers.cuts(self.transfer, self.plan)
        known = cuts.get(number)
        if known is not None:
            return [cut.of(moves[cut.move]) for cut in known]
        ranges, axes = self.plan.shares[number].ranges, self.transfer.axes
        found = [(m, views) for m, b, e in ranges for views in cut(moves[m], axes, b, e)]
        if not addressed(self.transfer):
            cuts[number] = [CutViews.between(m, moves[m], views) for m, views in found]
        return [views for _, views in found]


class Transfers:
    """Plans transfers as the target does, binds them, and passes them to the channels.

    ``launched`` counts them; ``plans`` are the last ones of the instructions that issued any. What
    a start touches has a number of its own, by which others remember it: one that was given is
    never given again, whatever is restored.
    """

    CACHES = ("_cuts", "_given", "_known", "plans")

    def __init__(
        self,
        program: Program,
        addresses: Addresses,
        casting: Casting,
        findings: Findings,
        scheduler: Scheduler,
        changes: Changes = UNCHANGED,
    ) -> None:
        self.changes = changes
        self.plans: dict[Who, Plan] = {}
        self.program, self.addresses, self.casting = program, addresses, casting
        self.findings, self.scheduler = findings, scheduler
        self.launched = 0
        self._given = 1
        self._known: dict[int, tuple[Plan, tuple[Portion, ...]]] = {}
        self._cuts: dict[tuple[Any, ...], tuple[Plan, dict[int, list[CutViews]]]] = {}

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

    def direct(self, pair: tuple[View, View]) -> Mover:
        """Bind a copy of one view to another."""
        return DirectMove(self.addresses, self.casting, pair, Transfer((pair,)))

    def plan(self, transfer: Transfer, context: InstructionContext) -> Plan:
        """How the target splits a transfer: the same for all of an instruction's shape."""
        plan = self.program.target.plan
        assert plan is not None, "the target has a moving instruction and no plan for it"
        made = self.changes.plan(plan(transfer, context.generation, context.engine))
        if made.maker:
            for core in range(self.program.cores):
                self.scheduler.resources.named(core, made.maker)
        return made

    def bind(self, transfer: Transfer, plan: Plan) -> Launched:
        """A transfer as the target splits it, bound to the memories."""
        return BoundTransfer(self, transfer, plan)

    def launch(
        self,
        bound: Launched,
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
        plan, start = bound.plan, bound.start(who)
        if start.tangled:
            self.findings.reads_own_result(who)
        self.launched += 1
        self.plans[who] = plan
        flight = Flight(
            self.launched,
            who,
            self.program.queues[who[0]].core,
            plan.ring,
            bound.portions,
            bound.cargo(start, who),
            reads=start.reads,
            writes=start.writes,
            pattern=-start.number,
            semaphore=semaphore,
            notify=plan.notify,
            urgency=plan.urgency,
            shared=plan.shared,
            descriptors=plan.descriptors,
            adds=start.adds,
            dispatch=plan.dispatch,
            landed=landed,
        )
        at = now + plan.dispatch
        if plan.maker:
            maker = self.scheduler.resources.named(flight.core, plan.maker)
            flight.made = self.scheduler.service.make(maker, plan.making)
            at = max(at, maker.free_at)
        self.scheduler.service.issue(flight, at)

    def cuts(self, transfer: Transfer, plan: Plan) -> dict[int, list[CutViews]]:
        """How the shares of a transfer are cut, by number: the same for all with its patterns."""
        if addressed(transfer):
            return {}
        patterns = tuple(
            tuple((v.shape, v.steps, v.dtype.itemsize, v.partitioned) for v in views)
            for views in transfer.moves
        )
        key = id(plan), transfer.axes, patterns
        found = self._cuts.get(key)
        if found is None:
            found = self._cuts[key] = plan, {}
        return found[1]

    def portions(self, plan: Plan) -> tuple[Portion, ...]:
        """The portions of a plan, made once for each: transfers of a shape have the same plan."""
        found = self._known.get(id(plan))
        if found is None:
            found = self._known[id(plan)] = (plan, portions(plan))
        return found[1]
