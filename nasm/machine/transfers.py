"""Transfers on a running machine: planned, bound to memories, and launched.

Shares of a transfer mostly start and land together; then the whole transfer is one copy in and
one copy out. Views of single shares are only made when shares go their own ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from nasm.base.dtypes import Casting
from nasm.base.problems import Refused
from nasm.isa.effects import ONTO, Plan, Transfer
from nasm.isa.instruction import InstructionContext
from nasm.machine.addresses import Addresses
from nasm.machine.changes import UNCHANGED, Changes
from nasm.machine.direct_transfers import CutViews, DirectMove, TakenPieces, addressed, cut_moves
from nasm.machine.findings import Findings
from nasm.machine.indirect_transfers import Chosen, IndirectMove, TransferStart, chosen_start
from nasm.machine.lost_results import Losses
from nasm.program.program import Program
from nasm.sim.channels import Cargo, Flight, Portion, Regions, TouchedRegions
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

    def cargo(self, start: TransferStart, who: Who) -> Cargo | None:
        """What its shares take and deliver; None if they move nothing."""


def direct_start(addresses: Addresses, transfer: Transfer, number: int) -> TransferStart:
    """The start of a transfer that no tile addresses: always the same."""
    touched = TouchedRegions(partial(_direct_regions, addresses, transfer))
    tangled = _shares_bytes(addresses.areas, transfer) and _tangled(
        [tuple(map(addresses.region, views)) for views in transfer.moves],
        straight=not transfer.axes,
    )
    return TransferStart({}, touched, number, tangled, transfer.op == ONTO)


def _direct_regions(addresses: Addresses, transfer: Transfer) -> tuple[Regions, Regions]:
    """What a transfer reads and writes that no tile addresses."""
    region, moves = addresses.region, transfer.moves
    reads = tuple([region(src) for move in moves for src in move[1:]])
    return reads, tuple([region(move[0]) for move in moves])


def _shares_bytes(areas: Mapping[int, int], transfer: Transfer) -> bool:
    """Whether a source of a transfer may share bytes with a destination."""
    if len(transfer.moves) == 1 and len(transfer.moves[0]) == 2:
        ((dst, src),) = transfer.moves
        return areas[dst.tensor.index] == areas[src.tensor.index]
    written = {areas[move[0].tensor.index] for move in transfer.moves}
    return any(areas[src.tensor.index] in written for move in transfer.moves for src in move[1:])


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
        self._pieces: dict[tuple[int, ...], list[TransferPiece]] = {}
        self._start: TransferStart | None = None

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
        return [piece.move for piece in self._cut(moving)]

    def part(
        self, shares: Sequence[int], payload: list[Any], some: Sequence[int]
    ) -> tuple[list[Any], list[Any]]:
        """Of what was taken for some shares, that of a few of them and that of the rest."""
        moving, few = self._moving(shares), self._moving(some)
        if len(few) in (0, len(moving)):
            return (payload, []) if few else ([], payload)
        taken = TakenPieces()
        for piece, values in zip(self._cut(moving), payload, strict=True):
            taken.add(piece.of, piece.begin, piece.end, values)
        rest = tuple(n for n in moving if n not in few)
        return self._taken(taken, few), self._taken(taken, rest)

    def _taken(self, taken: TakenPieces, moving: tuple[int, ...]) -> list[Any]:
        return [taken.cut(one.of, one.begin, one.end, one.move.shape) for one in self._cut(moving)]

    def _moving(self, shares: Sequence[int]) -> tuple[int, ...]:
        return tuple([n for n in shares if self.plan.shares[n].ranges])

    def _cut(self, moving: tuple[int, ...]) -> list[TransferPiece]:
        """The pieces of what some shares move: those of shares side by side are one."""
        found = self._pieces.get(moving)
        if found is None:
            found = self._pieces[moving] = list(self._made(moving))
        return found

    def _made(self, moving: tuple[int, ...]) -> Iterator[TransferPiece]:
        transfers, transfer = self._transfers, self.transfer
        if len(moving) == self.full:
            for of, move in enumerate(self.whole):
                yield TransferPiece(of, 0, transfer.moves[of][0].size, move)
            return
        for of, begin, end, views in transfers.cuts(transfer, self.plan, moving):
            yield TransferPiece(of, begin, end, transfers.move(views, transfer))


class TransferPiece(NamedTuple):
    """Some elements of a move of a transfer, one after the other, and what moves these."""

    of: int
    begin: int
    end: int
    move: Move


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
        self._cuts: dict[tuple[Any, ...], tuple[Plan, list[CutViews]]] = {}

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
        semaphore: int | None,
        now: int,
        who: Who | None = None,
        landed: Callable[[], None] | None = None,
    ) -> None:
        """Start a transfer for an instruction, the one that acts unless another is named.

        Its shares post to ``semaphore``; ``landed`` is called when all of it has landed.
        """
        scheduler, key = self.scheduler, self.launched + 1
        service = scheduler.service
        who = who or scheduler.acting
        if len(service.transfers) >= MOST_IN_FLIGHT:
            raise Refused(
                "E0517",
                f"{MOST_IN_FLIGHT:,} transfers are in flight, and nothing waits for them",
                "wait for those of an earlier round before starting more",
            )
        plan, start = bound.plan, bound.start(who)
        if start.tangled:
            self.findings.reads_own_result(who)
        self.launched = key
        self.plans[who] = plan
        core, dispatch = self.program.queues[who[0]].core, plan.dispatch
        flight = Flight(
            key, who, core, plan.ring, bound.portions, bound.cargo(start, who), start.touched,
            -start.number, semaphore, plan.notify, plan.urgency, plan.shared, dispatch,
            plan.descriptors, start.adds, landed,
        )  # fmt: skip
        at = now + dispatch
        if plan.maker:
            maker = scheduler.resources.named(core, plan.maker)
            flight.made = service.make(maker, plan.making)
            at = max(at, maker.free_at)
        service.issue(flight, at)

    def cuts(
        self, transfer: Transfer, plan: Plan, shares: tuple[int, ...]
    ) -> Iterable[tuple[int, int, int, Sequence[View]]]:
        """How some shares of a transfer are cut, as those of every one with its patterns are.

        Each piece is of a move, from one element to another; and the views that these are.
        """
        if addressed(transfer):
            return cut_moves(transfer, plan, shares)
        moves = transfer.moves
        patterns = tuple(
            tuple((v.shape, v.steps, v.dtype.itemsize, v.partitioned) for v in views)
            for views in moves
        )
        key = id(plan), transfer.axes, patterns, shares
        found = self._cuts.get(key)
        if found is None:
            made = [CutViews.of(moves, *cut) for cut in cut_moves(transfer, plan, shares)]
            found = self._cuts[key] = plan, made
        return [(cut.move, cut.begin, cut.end, cut.views(moves)) for cut in found[1]]

    def portions(self, plan: Plan) -> tuple[Portion, ...]:
        """The portions of a plan, made once for each: transfers of a shape have the same plan."""
        found = self._known.get(id(plan))
        if found is None:
            found = self._known[id(plan)] = (plan, portions(plan))
        return found[1]
