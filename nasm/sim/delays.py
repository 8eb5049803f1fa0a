"""Delays: how long things take in a run whose timing is not the machine's own.

A :class:`~nasm.sim.delayed_scheduler.DelayedScheduler` asks for each duration when it is needed.
They change times alone: order within a queue, interlock, waits and turns are the scheduler's. All
times are ticks, whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from nasm.sim.channels import Flight, Portion, members
from nasm.sim.queues import Queue


class Delays:
    """What takes how long; by themselves, just as long as it takes anyhow.

    They are asked about the next task of a queue, ``queue.started`` by its number.
    """

    def lag(self, queue: Queue, latency: int) -> int:
        """How much later it tries to start than it could."""
        return 0

    def work(self, queue: Queue, interval: int, latency: int) -> tuple[int, int]:
        """Its interval and its latency, when it starts."""
        return interval, latency

    def hand_off(self, ticks: int, least: int) -> int:
        """How much later a waiter sees a post; those that it follows are all seen at ``least``."""
        return ticks

    def some(self, ticks: int) -> int:
        """What else takes so many ticks: dispatch, the making of descriptors, a release."""
        return ticks

    def transfer(self, queue: Queue, flight: Flight) -> None:
        """Give what it lets move other times; nothing of that has arrived anywhere."""

    def save(self) -> Any:
        """Everything that changes."""
        return None

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""


# -- other timings


SPEEDS = (-12, -8, -4, -2, 0, 1, 2, 3)
"""Powers of two: what is drawn lies between a tick and what it takes by itself, times one of them.

The same delay for all would even out over many instructions, and would hide what is right by luck.
"""


class Jitter(Delays):
    """Draws each duration again, from 1 tick up to eight times its usual length.

    In each run every queue has one of the ``SPEEDS``, and so has each transfer and each hand-off;
    the shares of some transfers go their own ways. A start may be up to ``span`` ticks late: twice
    the length of the run, that is, so that anything may come after all the rest. The same seed
    draws the same numbers on every computer.
    """

    def __init__(self, seed: int = 0, span: int = 1_000) -> None:
        self.span = span
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Begin again."""
        self._random = Random(seed)
        self._speeds: dict[int, int] = {}

    def _drawn(self, ticks: int, speed: int) -> int:
        most = ticks << speed if speed >= 0 else ticks >> -speed
        return 1 + ((self._random.getrandbits(32) * most) >> 32)

    def some(self, ticks: int) -> int:
        """Up to one of the speeds times as long."""
        return self._drawn(ticks, SPEEDS[self._random.getrandbits(3)])

    def _of_queue(self, queue: int, ticks: int) -> int:
        """The same at the speed that this queue has in this run."""
        speed = self._speeds.get(queue)
        if speed is None:
            speed = self._speeds[queue] = SPEEDS[self._random.getrandbits(3)]
        return self._drawn(ticks, speed)

    def lag(self, queue: Queue, latency: int) -> int:
        """Of every fourth start and of the first; each power of two is as likely as any other."""
        if queue.started and self._random.getrandbits(2):
            return 0
        bits = (self._random.getrandbits(8) * self.span.bit_length()) >> 8
        return self._random.getrandbits(bits) if bits else 0

    def work(self, queue: Queue, interval: int, latency: int) -> tuple[int, int]:
        """Both drawn again; the latency is not below the interval, as with any instruction."""
        interval = self._of_queue(queue.index, interval)
        return interval, max(interval, self._of_queue(queue.index, latency))

    def hand_off(self, ticks: int, least: int) -> int:
        """No post is seen before one that was made earlier, which another time might do to it."""
        return max(self.some(ticks), least)

    def transfer(self, queue: Queue, flight: Flight) -> None:
        """New times for all shares together, for each of them, or for a few together."""
        parts = 1 << (0, 0, 2, 4)[self._random.getrandbits(2)]
        flight.portions = [
            part._replace(busy=busy, latency=max(busy, self.some(part.latency)))
            for portion in flight.portions
            for part in parted(portion, lambda share: share % parts)
            for busy in (self.some(part.busy) if part.busy else 0,)
        ]

    def save(self) -> Any:
        """Everything that changes."""
        return self._random.getstate(), dict(self._speeds)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        state, speeds = saved
        self._random.setstate(state)
        self._speeds = dict(speeds)


def parted(portion: Portion, kind: Callable[[int], int]) -> Iterator[Portion]:
    """A portion as several, by what kind of share each of its own is."""
    kinds: dict[int, list[tuple[int, int]]] = {}
    for channel, share in zip(members(portion.channels), portion.shares, strict=True):
        kinds.setdefault(kind(share), []).append((channel, share))
    for found in kinds.values():
        channels = sum(1 << channel for channel, _ in found)
        yield portion._replace(channels=channels, shares=tuple(share for _, share in found))
