"""What of a run decides its order: waits, changes of counters, transfers, meetings.

A run without its time: for each queue the instructions that it executed, by number, from 0 on. An
instruction that does none of the above leaves nothing here but its number.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from nasm.base.records import dataclass

STARTS, COMPLETES, LANDS = range(3)
"""What happens of an instruction: its start, its completion, the landing of what it issued."""


class CounterWait(NamedTuple):
    """An instruction starts when a counter is at least (``>=``), or just (``==``), a value."""

    counter: int
    op: str
    value: int


class CounterChange(NamedTuple):
    """A counter grows by a value (``+``) or becomes it (``=``): at the completion, or the start."""

    counter: int
    op: str
    value: int
    at_start: bool = False


class Take(NamedTuple):
    """An instruction in front of another one waits for a counter, and takes what it waited for."""

    wait: CounterWait


SILENT = -1
"""In the place of a counter: nothing ever says that a transfer has landed."""


class Issue(NamedTuple):
    """A transfer: each of its shares posts 1 where it has landed, if there is a counter.

    Of transfers that go different ``ways`` it is known separately how many have landed. It lands
    ``after`` others of its queue have, given by the columns of a clock and their counts.
    """

    counter: int | None
    shares: int
    way: Hashable = None
    after: tuple[tuple[int, int], ...] = ()


Stream = tuple[int, Hashable] | tuple[int, Hashable, Hashable]
"""A queue, the counter that its transfers post to, and their way, if it is not None."""


def stream_of(queue: int, issue: Issue) -> Stream:
    """The stream of a transfer of a queue."""
    if issue.way is None:
        return queue, issue.counter
    return queue, issue.counter, issue.way


@dataclass(slots=True)
class Step:
    """An instruction of a queue; ``index`` is its number among those that the queue executed.

    Its start needs the completion of instruction ``after`` of its queue, which writes what it
    reads, if that is not -1. Those with the same ``meeting``, if that is not -1, start together.
    With an ``after_event`` it starts after that: for trying what an order would fix.
    """

    queue: int
    index: int
    wait: CounterWait | None = None
    change: CounterChange | None = None
    issue: Issue | None = None
    after: int = -1
    meeting: int = -1
    after_event: Event | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """What happens at one moment: ``kind`` is one of ``STARTS``, ``COMPLETES`` and ``LANDS``.

    A transfer lands when all of its shares have.
    """

    kind: int
    queue: int
    index: int
