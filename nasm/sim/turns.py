"""Taking turns, packet by packet, in closed form: when something changes, and who is how far then.

A head is what a ring has next. Heads are served in turn, a packet each, until one of them ends or
one has its first packet. Packet k of a head that takes ``busy`` ticks for ``packets`` packets ends
``ceil(busy * k / packets)`` ticks after its begin, had it been alone: whole ticks that add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Head(Protocol):
    """What takes turns: ``done`` of its packets have passed; ``start`` is -1 before the first."""

    packets: int
    busy: int
    done: int
    start: int


def passed(head: Head, packets: int) -> int:
    """The ticks that so many more packets of a head take."""
    busy, count, done = head.busy, head.packets, head.done
    return -(-busy * (done + packets) // count) + (-busy * done // count)


def left(head: Head) -> int:
    """The ticks that the rest of a head takes, without a break."""
    busy = head.busy
    return busy + (-busy * head.done // head.packets) if head.done else busy


def change(heads: Sequence[Head], at: int) -> int:
    """When the first of some heads ends or starts; from ``at`` on they have turns in this order."""
    tick = at
    for head in heads:
        if head.start < 0:
            return tick
        tick += passed(head, 1)
        if head.done + 1 == head.packets:
            return tick
    rounds = min(head.packets - head.done for head in heads)
    tick = at
    ended = False
    for head in heads:
        tick += passed(head, rounds - 1 if ended else rounds)
        ended = ended or head.packets - head.done == rounds
    return tick


def advance(heads: Sequence[Head], at: int, limit: int) -> tuple[int, int]:
    """Serve every packet that begins before ``limit``; all heads have started, and none ends first.

    There is at least one. Returns the end of the last one and the index of the head whose it was.
    """
    low, high = 0, min(head.packets - head.done for head in heads)
    while low < high:
        middle = (low + high + 1) // 2
        if at + sum(passed(head, middle) for head in heads) < limit:
            low = middle
        else:
            high = middle - 1
    if low:
        at += sum(passed(head, low) for head in heads)
        for head in heads:
            head.done += low
    for index, head in enumerate(heads):
        if at >= limit:
            return at, index - 1
        at += passed(head, 1)
        head.done += 1
    return at, len(heads) - 1
