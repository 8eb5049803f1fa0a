"""Service of channels: against a model that serves packet by packet, channel by channel."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from nasm.sim.channels import Channels, Flight, Group, Portion, members
from nasm.sim.counters import Counters
from nasm.sim.events import Observer
from nasm.sim.scheduler import Scheduler
from tests.parts import part

CHANNELS = 6


@dataclass
class Share:
    """A share of the model: when it arrives where, what it takes, and what came of it."""

    flight: int
    channel: int
    ring: int
    urgency: int
    arrived: int
    busy: int
    packets: int
    latency: int
    start: int = -1
    free: int = -1
    landed: int = -1
    spans: list[tuple[int, int]] = field(default_factory=list)

    def packet(self, k: int) -> int:
        """The ticks of packet k, from 0 on."""
        busy = max(1, self.busy)
        count = min(self.packets, busy)
        ends = [-(-busy * n // count) for n in range(count + 1)]
        return ends[k + 1] - ends[k]

    @property
    def count(self) -> int:
        return min(self.packets, max(1, self.busy))


def served(shares: Sequence[Share]) -> None:
    """Serve one channel, a packet at a time; shares are in the order of their arrival."""
    coming = deque(shares)
    rings: dict[int, deque[list[Any]]] = defaultdict(deque)
    now, last = 0, -1

    def arrive(before: int) -> None:
        while coming and coming[0].arrived < before:
            share = coming.popleft()
            rings[share.ring].append([share, 0])

    while coming or any(rings.values()):
        arrive(now)  # what arrives at a boundary finds the next packet begun
        if not any(rings.values()):
            last = -1
            now = coming[0].arrived
            first = coming.popleft()  # the first to arrive has the channel at once
            rings[first.ring].append([first, 0])
        heads = {ring: jobs[0][0] for ring, jobs in rings.items() if jobs}
        least = min(share.urgency for share in heads.values())
        urgent = sorted(ring for ring, share in heads.items() if share.urgency == least)
        last = next((ring for ring in urgent if ring > last), urgent[0])
        share, done = rings[last][0]
        if done == 0:
            share.start = now
        took = share.packet(done)
        share.spans.append((now, now + took))
        now += took
        rings[last][0][1] += 1
        if done + 1 == share.count:
            share.free = now
            share.landed = max(share.start + share.latency, now)
            rings[last].popleft()


class Bytes:
    """Says which shares it took, and compares that with what is delivered."""

    def __init__(self) -> None:
        self.delivered: list[int] = []

    def read(self, shares: Sequence[int]) -> Any:
        return list(shares)

    def write(self, shares: Sequence[int], payload: Any) -> None:
        assert payload == list(shares)
        self.delivered += shares

    def part(self, shares: Sequence[int], payload: Any, some: Sequence[int]) -> tuple[Any, Any]:
        assert payload == list(shares)
        assert set(some) < set(shares)
        return list(some), [share for share in shares if share not in some]


class Landings(Observer):
    """What every share did, by flight and channel."""

    def __init__(self) -> None:
        self.jobs: dict[tuple[int, int], tuple[int, int, int, int]] = {}
        self.groups: list[Group] = []
        self.started: dict[int, int] = {}

    def read(self, group: Group, now: int) -> None:
        assert group.start == now
        assert group.free == now + group.busy
        self.begun(group)

    def parted(self, group: Group, other: Group, now: int) -> None:
        assert group.channels & other.channels == 0
        assert group.start == other.start <= now
        self.begun(other)

    def begun(self, group: Group) -> None:
        assert group.record not in self.started
        self.started[group.record] = group.start

    def landed(self, group: Group, now: int) -> None:
        assert self.started[group.record] == group.start <= group.free <= now
        self.groups.append(group)
        for channel in members(group.channels):
            assert (group.flight.key, channel) not in self.jobs
            self.jobs[group.flight.key, channel] = (group.arrived, group.start, group.free, now)


def portions(shares: Sequence[Share]) -> tuple[Portion, ...]:
    """Shares of one flight, those that are alike together."""
    alike: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for number, share in enumerate(shares):
        key = (share.busy, share.latency, share.packets)
        alike.setdefault(key, []).append((share.channel, number))
    return tuple(
        Portion(sum(1 << c for c, _ in m), tuple(n for _, n in sorted(m)), busy, latency, 8, count)
        for (busy, latency, count), m in alike.items()
    )


def transfers(seed: int) -> list[list[Share]]:
    """Transfers of one to all channels, in the order of their arrival."""
    chance = random.Random(seed)
    rings, urgencies = chance.choice([1, 2, 3, 5]), chance.choice([1, 1, 2, 3])
    longest = chance.choice([1, 8, 60, 1000])
    made, now = [], 0
    for flight in range(chance.randrange(1, 14)):
        now += chance.choice([0, 0, 1, 2, 5, chance.randrange(1 + longest), 3 * longest])
        ring, urgency = chance.randrange(rings), chance.randrange(urgencies)
        kinds = [
            (
                chance.choice([0, chance.randrange(1, longest + 1)]),
                chance.choice([1, 2, chance.randrange(1, 40)]),
                chance.randrange(2 * longest),
            )
            for _ in range(chance.choice([1, 1, 2, 3]))
        ]
        used = chance.sample(range(CHANNELS), chance.choice([CHANNELS, CHANNELS, 1, 2, 4]))
        shares = []
        for channel in used:
            busy, packets, latency = chance.choice(kinds)
            shares.append(Share(flight, channel, ring, urgency, now, busy, packets, latency))
        made.append(shares)
    return made


def run(made: Sequence[Sequence[Share]]) -> tuple[Scheduler, Landings, dict[int, Bytes]]:
    scheduler = Scheduler(Counters(8, 2), [Channels(0, CHANNELS)], 3)
    told, cargo = Landings(), {}
    scheduler.observe(told)
    for shares in made:
        first = shares[0]
        cargo[first.flight] = Bytes()
        flight = Flight(
            first.flight, (0, 0), 0, first.ring, portions(shares), cargo[first.flight],
            urgency=first.urgency, semaphore=1,
        )  # fmt: skip
        scheduler.service.issue(flight, first.arrived)
    return scheduler, told, cargo


@pytest.mark.parametrize("batch", part(range(10), 1))
def test_shares_start_and_land_when_single_packets_say(batch: int) -> None:
    for seed in range(batch * 300, batch * 300 + 300):
        made = transfers(seed)
        for channel in range(CHANNELS):
            served([s for shares in made for s in shares if s.channel == channel])
        scheduler, told, cargo = run(made)
        scheduler.run(100_000)
        wanted = {
            (s.flight, s.channel): (s.arrived, s.start, s.free, s.landed)
            for shares in made
            for s in shares
        }
        assert told.jobs == wanted, seed
        assert not scheduler.transfers
        assert scheduler.semaphores[1].value == len(wanted)
        for shares in made:
            delivered = cargo[shares[0].flight].delivered
            assert sorted(delivered) == list(range(len(shares)))
        _never_idle_and_never_twice(made)
        counts = scheduler.service.cores[0].counts()
        assert [count[:4] for count in counts] == [_count(made, n) for n in range(CHANNELS)]
        assert not any(count.pending or count.moving for count in counts)


def _count(made: Sequence[Sequence[Share]], channel: int) -> tuple[int, int, int, int]:
    """A channel's shares, their bytes and their ticks."""
    mine = [s for shares in made for s in shares if s.channel == channel]
    return channel, len(mine), 8 * len(mine), sum(s.busy for s in mine)


def _never_idle_and_never_twice(made: Sequence[Sequence[Share]]) -> None:
    """Of the model: packets of a channel do not overlap, and it has no break while one waits."""
    for channel in range(CHANNELS):
        shares = [s for shares in made for s in shares if s.channel == channel]
        spans = sorted(span for s in shares for span in s.spans)
        for (_, end), (begin, _) in itertools.pairwise(spans):
            assert begin >= end
            if begin > end:  # nothing that had arrived was left
                assert all(s.free <= end or s.arrived >= begin for s in shares)
