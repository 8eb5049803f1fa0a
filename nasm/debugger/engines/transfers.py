"""Transfers in flight: how far each of them is, and when it will land."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from nasm.base.problems import clean
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.debugger.engines.earliest_starts import earliest
from nasm.debugger.engines.future_posts import ProgramFlows
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import views
from nasm.machine.writers import written
from nasm.program.program import Instruction
from nasm.sim import round_robin
from nasm.sim.channels import ChannelGroup, Flight, Group, members
from nasm.sim.counters import TRANSFER, Who
from nasm.sim.legs import Arriving, Leg, Reply
from nasm.views.spelling import spell
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.machine import Machine

DISPATCH, QUEUED, MOVING, LANDING, NOTIFYING = PHASES = (
    "dispatch",
    "queued",
    "moving",
    "landing",
    "notifying",
)
"""How far a transfer is: its shares have not arrived at the channels; none has started; some
have; the channels are done with all of them; all have landed, and waiters do not know yet."""


@dataclass(frozen=True, slots=True, repr=False)
class TransferRecord:
    """A transfer in flight; ``number`` counts those of the run from 1, 0 where that is forgotten.

    Of its ``shares`` so many have ``landed``. It lands at the tick ``lands``, not before it if that
    is not ``certain``, and waiters see it at ``seen``. ``dst`` and ``src`` are views as a program
    writes them. ``ring`` is the queue within each channel, -1 for one that is over.
    """

    number: int
    core: int
    queue: int
    engine: str
    pc: int
    span: Span | None
    text: str
    phase: str
    shares: int
    landed: int
    bytes: int
    dst: str
    src: str
    ring: int
    semaphore: str
    lands: int
    certain: bool
    seen: int

    @property
    def left(self) -> int:
        """How many shares have not landed."""
        return self.shares - self.landed

    def __repr__(self) -> str:
        done = f"{self.landed} of {self.shares} shares landed"
        return clean(f"<transfer of {self.engine} pc {self.pc}: {self.phase}, {done}>")


@dataclass(slots=True)
class Landing:
    """When the last share of a transfer lands: not before a tick, and whether just then."""

    tick: int = 0
    certain: bool = True

    def add(self, tick: int, certain: bool) -> None:
        """Shares land at a tick, or later."""
        self.tick, self.certain = max(self.tick, tick), self.certain and certain


class Landings:
    """When transfers in flight land, as far as that can be predicted.

    A channel serves the shares of one ring in order. So when they land follows from what is there
    already, if nothing of another ring gets in between.
    """

    def __init__(self, machine: Machine, flows: ProgramFlows, starts: Sequence[int] = ()) -> None:
        self.scheduler = machine.scheduler
        self.of: dict[int, Landing] = defaultdict(Landing)
        self.arriving: dict[int, int] = {}
        self.groups: dict[int, list[Group]] = defaultdict(list)
        self.first: dict[int, int] = {}
        now = self.scheduler.now
        self._future = [
            (future, (starts[future.queue] if starts else now) + future.dispatch)
            for future in flows.transfers()
        ]
        self._free: dict[tuple[int, int, int], int] = {}
        self._doubted: set[int] = set()
        arrivals: list[tuple[int, Flight]] = []
        for tick, what in self.scheduler.coming():
            if isinstance(what, Group):
                self.groups[what.flight.key].append(what)
                self._add(what.flight, tick, True)
            elif isinstance(what, Leg):
                self.arriving.setdefault(what.flight.key, tick)
                self._add(what.flight, what.known, True)
            elif isinstance(what, Arriving):
                self.groups[what.group.flight.key].append(what.group)
                self._add(what.group.flight, what.leg.known, True)
            elif isinstance(what, Reply):
                self._add(what.group.flight, tick, True)
            elif isinstance(what, Flight):
                self.arriving[what.key] = tick
                arrivals.append((tick, what))
        self._arrivals = arrivals
        for core in self.scheduler.service.cores.values():
            for server in core.servers.values():
                self._serve(core.core, server)
        for tick, flight in arrivals:
            self._arrive(tick, flight)

    def _add(self, flight: Flight, tick: int, certain: bool) -> None:
        """Shares of a transfer land at a tick, or later."""
        self.of[flight.key].add(tick, certain)
        self.first[flight.key] = min(tick, self.first.get(flight.key, tick))

    def _serve(self, core: int, server: ChannelGroup) -> None:
        """The groups of a server, ring by ring: what follows another starts when that is over."""
        for ring, groups in server.rings.items():
            at, known = server.at, len(server.rings) == 1
            for group in groups:
                self.groups[group.flight.key].append(group)
                started = group.start >= 0
                start = group.start if started else at
                left = group.packets - group.done
                at = at + round_robin.passed(group, left) if left else at
                known = known and (started or not self._stretched(group.flight))
                known = known and not self._between(core, ring, at)
                self._add(group.flight, max(start + group.latency, at), known)
            for channel in members(server.channels):
                self._free[core, ring, channel] = at
            self._doubted |= set() if known else {core}

    def _arrive(self, tick: int, flight: Flight) -> None:
        """The shares of a transfer that is still being dispatched to the channels."""
        core, ring, ends = flight.core, flight.ring, tick
        for portion in flight.portions:
            for channel in members(portion.channels):
                start = max(tick, self._free.get((core, ring, channel), 0))
                end = start + (portion.busy or 1)
                self._free[core, ring, channel], ends = end, max(ends, end)
                self._add(flight, max(start + portion.latency, end), True)
        others = any(c == core and other != ring for c, other, _ in self._free)
        before = any(f.core == core and arrives < tick for f, arrives in self._future)
        if before or others or self._stretched(flight) or self._between(core, ring, ends):
            self._doubted.add(core)
        if core in self._doubted:
            self.of[flight.key].certain = False

    def _between(self, core: int, ring: int, until: int) -> bool:
        """Whether something of another ring may arrive before a tick."""
        return any(
            future.core == core and future.ring != ring and arrives < until
            for future, arrives in self._future
        ) or any(
            flight.core == core and flight.ring != ring and tick < until
            for tick, flight in self._arrivals
        )

    def _stretched(self, flight: Flight) -> bool:
        """Whether others may make its shares take longer when they start."""
        return bool(self.scheduler.service.supply) and flight.shared


def predict(machine: Machine, flows: ProgramFlows) -> tuple[Landings, list[int]]:
    """When transfers in flight land, and the earliest next start of each queue."""
    starts: list[int] = []
    for _ in range(2):  # a transfer to come may be in the way of one, and wait for that
        landings = Landings(machine, flows, starts)
        starts = earliest(machine, flows, landings.first.__getitem__)
    return landings, starts


def under_way(machine: Machine, landings: Landings) -> tuple[TransferRecord, ...]:
    """Every transfer that was issued and may still be waited for, oldest first."""
    scheduler = machine.scheduler
    flying = [_flying(machine, flight, landings) for flight in scheduler.transfers.values()]
    return (*_notifying(machine, {f.origin for f in scheduler.transfers.values()}), *flying)


def _flying(machine: Machine, flight: Flight, landings: Landings) -> TransferRecord:
    landing = landings.of[flight.key]
    number = flight.semaphore
    shares = sum(len(portion.shares) for portion in flight.portions)
    return _record(
        machine,
        flight.origin,
        number=flight.key,
        phase=_phase(flight, landings),
        shares=shares,
        landed=shares - flight.unposted,
        bytes=flight.bytes,
        ring=flight.ring,
        semaphore=machine.program.semaphore_name(number) if number is not None else "",
        lands=landing.tick,
        certain=landing.certain,
        seen=landing.tick + flight.notify,
    )


def _phase(flight: Flight, landings: Landings) -> str:
    if flight.key in landings.arriving:
        return DISPATCH
    groups = landings.groups[flight.key]
    if all(group.landing >= 0 for group in groups):
        return LANDING
    started = any(group.start >= 0 for group in groups)
    return (
        MOVING if started or flight.left < sum(len(p.shares) for p in flight.portions) else QUEUED
    )


def _notifying(machine: Machine, flying: set[Who]) -> Iterator[TransferRecord]:
    """Transfers that have landed, and whose posts are not visible yet."""
    now = machine.scheduler.now
    for number, semaphore in sorted(machine.scheduler.semaphores.items()):
        posts: dict[Who, list[tuple[int, int]]] = {}
        for post in semaphore.pending:
            if post.poster == TRANSFER and post.at > now and post.by not in flying:
                assert post.by is not None
                posts.setdefault(post.by, []).append((post.value, post.at))
        for by, made in posts.items():
            shares = sum(value for value, _ in made)
            yield _record(
                machine,
                by,
                number=0,
                phase=NOTIFYING,
                shares=shares,
                landed=shares,
                bytes=0,
                ring=-1,
                semaphore=machine.program.semaphore_name(number),
                lands=now,
                certain=True,
                seen=max(at for _, at in made),
            )


def _record(
    machine: Machine,
    origin: Who,
    *,
    number: int,
    phase: str,
    shares: int,
    landed: int,
    bytes: int,
    ring: int,
    semaphore: str,
    lands: int,
    certain: bool,
    seen: int,
) -> TransferRecord:
    program = machine.program
    queue, pc = origin
    instruction = program.instruction(queue, pc)
    dst, src = moved(instruction)
    return TransferRecord(
        number,
        program.queues[queue].core,
        queue,
        program.queue_name(queue),
        pc,
        program.span(queue, pc),
        instruction.row.name,
        phase,
        shares,
        landed,
        bytes,
        dst,
        src,
        ring,
        semaphore,
        lands,
        certain,
        seen,
    )


def moved(instruction: Instruction) -> tuple[str, str]:
    """Where a transfer's bytes go to, and where they come from, as a program writes it."""
    to = written(instruction)
    come = [
        src for o in instruction.operands if isinstance(o, DeclaredTransfer) for _, src in o.moves
    ]
    come += [
        view
        for operand in instruction.operands
        if not isinstance(operand, DeclaredTransfer)
        for view in views(operand)
        if not any(view is dst for dst in to)
    ]
    return _few(to), _few(come)


def _few(found: Iterable[View]) -> str:
    text = [spell(view) for view in found]
    return ", ".join(text[:2]) + (f" and {len(text) - 2} more" if len(text) > 2 else "")
