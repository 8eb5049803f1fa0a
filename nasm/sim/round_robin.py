"""Taking turns, packet by packet, in closed form: when something changes, and who is how far then.

A head is what a ring has next. Heads are served in turn, a packet each, until one of them ends or
one has its first packet. Packet k of a head that takes ``busy`` ticks for ``packets`` packets ends
``ceil(busy * k / packets)`` ticks after its begin, had it been alone: whole ticks that add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TurnTaker(Protocol):
    """What takes turns: ``done`` of its packets have passed; ``start`` is -1 before the first."""

    packets: int
    busy: int
    done: int
    start: int


def passed(head: TurnTaker, packets: int) -> int:
    """The ticks that so many more packets of a head take."""
    busy, count, done = head.busy, head.packets, head.done
    return -(-busy * (done + packets) // count) + (-busy * done // count)


def rounds_take(heads: Sequence[TurnTaker], rounds: int) -> int:
    """The ticks of so many rounds, each a packet of every head."""
    ticks = 0
    for head in heads:
        ticks += passed(head, rounds)
    return ticks


def change(heads: Sequence[TurnTaker], at: int) -> int:
    """When the first of some heads ends or starts; from ``at`` on they have turns in this order."""
    if len(heads) == 1:
        head = heads[0]
        return at if head.start < 0 else at + passed(head, head.packets - head.done)
    tick, rounds, first = at, 0, 0
    for index, head in enumerate(heads):
        if head.start < 0:
            return tick
        more = head.packets - head.done
        if not rounds or more < rounds:
            rounds, first = more, index
        tick += passed(head, 1)
        if more == 1:
            return tick
    tick = at
    for index, head in enumerate(heads):
        tick += passed(head, rounds - 1 if index > first else rounds)
    return tick


def _whole(heads: Sequence[TurnTaker], ticks: int) -> int:
    """How many rounds take no more than so many ticks; no head ends before the last of them."""
    shortest, longest, most = 0, 0, heads[0].packets
    for head in heads:
        shortest += head.busy // head.packets
        longest -= -head.busy // head.packets
        most = min(most, head.packets - head.done)
    low, high = min(most, ticks // longest), min(most, ticks // shortest)
    while low < high:
        middle = (low + high + 1) // 2
        if rounds_take(heads, middle) <= ticks:
            low = middle
        else:
            high = middle - 1
    return low


def advance(heads: Sequence[TurnTaker], at: int, limit: int) -> tuple[int, int]:
    """Serve every packet that begins before ``limit``; all heads have started, and none ends first.

    There is at least one. Returns the end of the last one and the index of the head whose it was.
    """
    rounds = _whole(heads, limit - at - 1)
    if rounds:
        at += rounds_take(heads, rounds)
        for head in heads:
            head.done += rounds
    for index, head in enumerate(heads):
        if at >= limit:
            return at, index - 1
        at += passed(head, 1)
        head.done += 1
    return at, len(heads) - 1
