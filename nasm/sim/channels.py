"""Channels: what moves data apart from the queues, each with its own rings of shares.

A transfer in flight gives each of some channels a share. A channel serves one share at a time,
packet by packet: in order within a ring, and after every packet in turn between those rings whose
next share is the most urgent. A share reads its bytes when it starts and writes them when it
lands. Channels that have the same work in the same order are one :class:`ChannelGroup`, and the
shares of one transfer on them are one :class:`Group`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from operator import add
from typing import Any, NamedTuple, Protocol

from nasm.sim import round_robin
from nasm.views.regions import Region

Regions = tuple[Region, ...]


class Portion(NamedTuple):
    """Equal shares of a transfer, each on one channel of a set (a bit for each).

    ``shares`` are their numbers, by channel. Each is busy for so many ticks, in so many packets,
    lands ``latency`` ticks after its start, and has so many bytes.
    """

    channels: int
    shares: tuple[int, ...]
    busy: int
    latency: int
    bytes: int
    packets: int = 1


class Cargo(Protocol):
    """The bytes of a transfer."""

    def read(self, shares: Sequence[int]) -> Any:
        """Take the bytes of some shares as they are now."""

    def write(self, shares: Sequence[int], payload: Any) -> None:
        """Deliver what was taken."""

    def part(self, shares: Sequence[int], payload: Any, some: Sequence[int]) -> tuple[Any, Any]:
        """Of what was taken for some shares, that of a few of them and that of the rest."""


class TouchedRegions:
    """The regions that a transfer reads and writes, which ``find`` returns: made when asked for."""

    __slots__ = ("_find", "_found")
    CACHES = ("_found",)

    def __init__(self, find: Callable[[], tuple[Regions, Regions]]) -> None:
        self._find = find
        self._found: tuple[Regions, Regions] | None = None

    @property
    def both(self) -> tuple[Regions, Regions]:
        """What it reads, and what it writes."""
        if self._found is None:
            self._found = self._find()
        return self._found


UNTOUCHED = TouchedRegions(lambda: ((), ()))


class Flight:
    """A transfer in flight on a core's channels, until all of it has landed.

    ``origin`` is the queue and pc that issued it, ``record`` the number of that start, ``key`` its
    own number, ``urgency`` the lower the more urgent. ``touched`` are the regions it reads and
    writes, and ``pattern`` a number below -1 that is the same for every flight with the same ones.
    Each share that has landed posts 1 to ``semaphore``, which a waiter sees ``notify`` ticks later;
    ``landed`` is called when all have. ``shared`` says that it moves bytes of a memory that cores
    share. ``dispatch`` is how much later than its issue its shares arrive; ``made`` is the number
    of what was made for it before that, if anything was. ``descriptors`` are the pieces that its
    channels move one by one. One that ``adds`` adds to what it writes; of one that ``signals`` its
    sender never learns that it has landed. ``parts`` of what its core holds change when it is over:
    they are what tells of that. Without ``cargo`` it moves no bytes.
    ``left`` of its shares have still to land, ``unposted`` to post, which may be later.
    """

    __slots__ = (
        "adds", "cargo", "core", "descriptors", "dispatch", "key", "landed", "left", "made",
        "notify", "origin", "parts", "pattern", "portions", "record", "ring", "semaphore", "shared",
        "signals", "touched", "unposted", "urgency",
    )  # fmt: skip
    CACHES = ("pattern",)

    def __init__(
        self,
        key: int,
        origin: tuple[int, int],
        core: int,
        ring: int,
        portions: Sequence[Portion],
        cargo: Cargo | None,
        touched: TouchedRegions = UNTOUCHED,
        pattern: int = -2,
        semaphore: int | None = None,
        notify: int = 0,
        urgency: int = 0,
        shared: bool = False,
        dispatch: int = 0,
        descriptors: int = 0,
        adds: bool = False,
        landed: Callable[[], None] | None = None,
        signals: bool = False,
        parts: tuple[Hashable, ...] = (),
    ) -> None:
        self.signals, self.parts = signals, parts
        self.key, self.origin, self.core, self.ring = key, origin, core, ring
        self.portions, self.cargo, self.landed = portions, cargo, landed
        self.touched, self.pattern = touched, pattern
        self.semaphore, self.notify, self.urgency = semaphore, notify, urgency
        self.shared, self.descriptors = shared, descriptors
        self.dispatch, self.record, self.made = dispatch, -1, -1
        self.adds = adds
        left = 0
        for portion in portions:
            left += len(portion.shares)
        self.left = self.unposted = left

    @property
    def reads(self) -> Regions:
        """The regions that it reads."""
        return self.touched.both[0]

    @property
    def writes(self) -> Regions:
        """The regions that it writes."""
        return self.touched.both[1]

    @property
    def signals_only(self) -> bool:
        """Whether it moves nothing, and only posts where it lands."""
        return self.signals and not (self.reads or self.writes)

    @property
    def bytes(self) -> int:
        """All that it moves."""
        return sum(len(portion.shares) * portion.bytes for portion in self.portions)

    @property
    def busy(self) -> int:
        """The ticks of all its channels together."""
        return sum(len(portion.shares) * portion.busy for portion in self.portions)

    @property
    def working(self) -> int:
        """How many channels have something to do for it."""
        return sum(len(portion.shares) for portion in self.portions if portion.busy)


class Group:
    """Shares of one transfer that start and land together: on ``channels``, a bit for each.

    ``count`` is how many. They arrived at their rings, start, pass (``free`` is when the channels
    are done with them) and land; before their start, ``start`` is -1. ``done`` of their packets
    have passed. ``record`` is the number of their start. ``cause`` says what let them start: their
    "arrival", of a transfer issued by the start with the number ``because``, or the "channel",
    which shares with that number had before.
    """

    __slots__ = (
        "arrived", "because", "busy", "cause", "channels", "count", "done", "flight", "free",
        "landing", "latency", "packets", "payload", "portion", "record", "start",
    )  # fmt: skip
    CHANGES = (
        "channels", "count", "start", "done", "busy", "packets", "latency", "free", "landing",
        "record", "cause", "because", "payload",
    )  # fmt: skip

    def __init__(self, flight: Flight, portion: Portion, channels: int, arrived: int) -> None:
        _, _, busy, latency, _, packets = portion
        self.flight, self.portion, self.channels, self.arrived = flight, portion, channels, arrived
        self.count = channels.bit_count()
        self.busy = busy = busy or 1
        self.packets = packets if packets < busy else busy
        self.latency, self.done = latency, 0
        self.start = self.free = self.landing = self.record = self.because = -1
        self.cause = ""
        self.payload: Any = None

    @property
    def shares(self) -> tuple[int, ...]:
        """The numbers of the shares."""
        portion = self.portion
        if self.channels == portion.channels:
            return portion.shares
        both = zip(members(portion.channels), portion.shares, strict=True)
        return tuple(share for channel, share in both if self.channels >> channel & 1)

    @property
    def bytes(self) -> int:
        """The bytes of all of them."""
        return self.portion.bytes * self.count

    def part(self, channels: int) -> Group:
        """Let the shares on some of the channels go their own way from now on."""
        other = Group(self.flight, self.portion, channels, self.arrived)
        for name in self.CHANGES[2:]:
            setattr(other, name, getattr(self, name))
        shares, cargo = self.shares, self.flight.cargo
        self.channels ^= channels
        self.count -= other.count
        if self.start >= 0 and cargo is not None:
            other.payload, self.payload = cargo.part(shares, self.payload, other.shares)
        return other

    def save(self) -> Any:
        """Everything that changes."""
        return tuple(getattr(self, name) for name in self.CHANGES)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        for name, value in zip(self.CHANGES, saved, strict=True):
            setattr(self, name, value)


Parted = Callable[[Group, Group], None]
"""Called with a group that had started and another that was part of it."""


class ChannelGroup:
    """Channels that have the same work: their rings, of which none is empty, and who is how far.

    ``at`` is the end of the last packet that is accounted for, which may lie ahead; ``serving`` is
    whose packet that was, until the group is over, ``holder`` the number of its start, ``last`` its
    ring. The next group ends or starts at ``due``. What arrives where there is no work is served at
    once, so that all servers without work are equal.
    """

    __slots__ = (
        "at", "busy", "bytes", "channels", "due", "holder", "jobs", "last", "rings", "serving",
    )  # fmt: skip
    CHANGES = ("channels", "at", "last", "serving", "holder", "due", "jobs", "bytes", "busy")

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.rings: dict[int, deque[Group]] = {}
        self.at, self.last, self.due, self.holder = 0, -1, -1, -1
        self.serving: Group | None = None
        self.jobs = self.bytes = self.busy = 0

    def follow(self, group: Group) -> bool:
        """Queue a group if all that there is, is earlier on its ring: then nothing else changes."""
        rings = self.rings
        if len(rings) != 1 or group.flight.ring not in rings:
            return False
        rings[group.flight.ring].append(group)
        return True

    def add(self, group: Group, now: int) -> None:
        """Queue a group on its ring; what is being served is cut after the current packet."""
        rings = self.rings
        if not rings:
            self.at = now
        elif self.at <= now:
            self._advance(now + 1)
        ring = rings.get(group.flight.ring)
        if ring is None:
            ring = rings[group.flight.ring] = deque()
        ring.append(group)

    def start(self, group: Group) -> None:
        """Count a group that starts."""
        self.jobs += 1
        self.bytes += group.portion.bytes
        self.busy += group.busy if group.portion.busy else 0

    def heads(self) -> list[Group]:
        """What the most urgent rings have next, in the order of their turns."""
        rings, last = self.rings, self.last
        if len(rings) == 1:
            return [groups[0] for groups in rings.values()]
        found: list[Group] = []
        passed, least = 0, 0
        for ring in sorted(rings):
            head = rings[ring][0]
            urgency = head.flight.urgency
            if not found or urgency < least:
                found, passed, least = [], 0, urgency
            if urgency == least:
                found.append(head)
                passed += ring <= last
        return found[passed:] + found[:passed]

    def change(self) -> int:
        """When the next group ends or starts."""
        serving = self.serving
        if serving is not None and serving.done == serving.packets:
            return self.at
        return round_robin.change(self.heads(), self.at)

    def reach(self, now: int) -> Group | None:
        """Serve until now, when something changes: the group that is over, if one is."""
        if self.at < now:
            if len(self.rings) == 1:  # what is due is the end of its head
                ((ring, groups),) = self.rings.items()
                return self._end(ring, groups, now)
            self._advance(now)
        serving = self.serving
        if serving is None or serving.done < serving.packets:
            return None
        return self._end(self.last, self.rings[self.last], self.at)

    def _end(self, ring: int, groups: deque[Group], now: int) -> Group:
        """The head of a ring has passed: by now all of its packets have."""
        head = groups.popleft()
        head.done = head.packets
        self.at, self.last, self.holder, self.serving = now, ring, head.record, None
        if not groups:
            del self.rings[ring]
            if not self.rings:
                self.due = -1
        return head

    def _advance(self, limit: int) -> None:
        """Serve every packet that begins before a tick."""
        heads = self.heads()
        self.at, index = round_robin.advance(heads, self.at, limit)
        self._serve(heads[index])

    def _serve(self, group: Group) -> None:
        self.serving, self.last, self.holder = group, group.flight.ring, group.record

    def part(self, channels: int, parted: Parted) -> ChannelGroup:
        """Let some of the channels go their own way from now on."""
        other = ChannelGroup(channels)
        other.at, other.last, other.holder = self.at, self.last, self.holder
        for ring, groups in self.rings.items():
            other.rings[ring] = deque(group.part(channels) for group in groups)
            first, second = groups[0], other.rings[ring][0]
            if self.serving is first:
                other.serving = second
            if first.start >= 0:
                parted(first, second)
        self.channels ^= channels
        return other

    def save(self) -> Any:
        """Everything that changes."""
        changes = tuple(getattr(self, name) for name in self.CHANGES)
        rings = tuple(
            (ring, tuple((group, group.save()) for group in groups))
            for ring, groups in self.rings.items()
        )
        return changes, rings

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        changes, rings = saved
        for name, value in zip(self.CHANGES, changes, strict=True):
            setattr(self, name, value)
        self.rings = {}
        for ring, groups in rings:
            self.rings[ring] = deque(group for group, _ in groups)
            for group, state in groups:
                group.restore(state)


class Count(NamedTuple):
    """A channel: shares started, their bytes and ticks, how many wait, and whether it has work."""

    channel: int
    jobs: int
    bytes: int
    busy: int
    pending: int
    moving: bool


class Channels:
    """The channels of a core, as servers: each channel belongs to one.

    Those without work are one again as soon as a transfer needs them.
    """

    def __init__(self, core: int, count: int) -> None:
        self.core, self.count = core, count
        whole = (1 << count) - 1
        self.servers = {whole: ChannelGroup(whole)}
        self._jobs, self._bytes, self._busy = [0] * count, [0] * count, [0] * count

    def gather(self, channels: int, parted: Parted) -> Sequence[ChannelGroup]:
        """Servers of just these channels: idle ones as one, others parted where they have more."""
        known = self.servers.get(channels)
        if known is not None:
            return (known,)
        idle, found, kept = 0, [], []
        for server in self.servers.values():
            common = server.channels & channels
            if not common:
                kept.append(server)
            elif server.rings and server.channels == common:
                found.append(server)
            else:
                self._settle(server)
                if server.rings:
                    found.append(server.part(common, parted))
                else:
                    idle |= common
                    server.channels ^= common
                if server.channels:
                    kept.append(server)
        if idle:
            found.append(ChannelGroup(idle))
        self.servers = {server.channels: server for server in sorted((*kept, *found), key=_lowest)}
        return sorted(found, key=_lowest)

    def _settle(self, server: ChannelGroup) -> None:
        """Put what a server has counted to its channels."""
        for channel in members(server.channels):
            self._jobs[channel] += server.jobs
            self._bytes[channel] += server.bytes
            self._busy[channel] += server.busy
        server.jobs = server.bytes = server.busy = 0

    def settle(self) -> None:
        """Put what all servers have counted to their channels."""
        for server in self.servers.values():
            self._settle(server)

    def pass_over(self, count: Callable[[int], int]) -> None:
        """Replace what was counted, number by number."""
        self._jobs, self._bytes, self._busy = (
            [count(number) for number in numbers]
            for numbers in (self._jobs, self._bytes, self._busy)
        )

    def carry(self, portion: Portion) -> None:
        """Count what a network carries in place of channels, each of which is one of its links."""
        for channel in members(portion.channels):
            self._jobs[channel] += 1
            self._bytes[channel] += portion.bytes
            self._busy[channel] += portion.busy

    def add(self, counts: Sequence[Sequence[int]]) -> None:
        """Count shares, bytes and ticks, channel by channel, of what another machine carried."""
        for own, more in zip((self._jobs, self._bytes, self._busy), counts, strict=True):
            own[:] = map(add, own, more)

    @property
    def working(self) -> int:
        """How many channels have work."""
        return sum(server.channels.bit_count() for server in self.servers.values() if server.rings)

    def counts(self) -> list[Count]:
        """Every channel, by number."""
        found = []
        for server in self.servers.values():
            waiting = sum(g.start < 0 for groups in server.rings.values() for g in groups)
            for n in members(server.channels):
                jobs, size = self._jobs[n] + server.jobs, self._bytes[n] + server.bytes
                busy, moving = self._busy[n] + server.busy, bool(server.rings)
                found.append(Count(n, jobs, size, busy, waiting, moving))
        return sorted(found)

    def save(self) -> Any:
        """Everything that changes."""
        counts = tuple(self._jobs), tuple(self._bytes), tuple(self._busy)
        return tuple((server, server.save()) for server in self.servers.values()), counts

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        servers, counts = saved
        self._jobs, self._bytes, self._busy = map(list, counts)
        for server, state in servers:
            server.restore(state)
        self.servers = {server.channels: server for server, _ in servers}


def members(channels: int) -> Iterator[int]:
    """The numbers of the channels of a set."""
    while channels:
        lowest = channels & -channels
        yield lowest.bit_length() - 1
        channels ^= lowest


def _lowest(server: ChannelGroup) -> int:
    return server.channels & -server.channels
