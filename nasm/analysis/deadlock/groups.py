"""The separate troubles of a deadlock: which queues block themselves, and which these block.

A set of blocked queues is *stuck* if nothing that the others would do, were they free, lets one of
them continue. The smallest stuck sets are the troubles: one queue whose wait nothing can end, or
several that wait for each other. A queue in none of them is only blocked by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.analysis.deadlock.posts import Supply
from nasm.base.records import dataclass

if TYPE_CHECKING:
    from nasm.sim.queues import Queue


@dataclass(frozen=True, slots=True)
class Trouble:
    """Queues that are stuck by themselves, and those that would continue if they did."""

    queues: tuple[Queue, ...]
    followers: tuple[Queue, ...]


def troubles(supply: Supply) -> list[Trouble]:
    """The troubles of a deadlock, in the order of queues."""
    left = {queue.index: queue for queue in supply.blocked}
    found: list[set[int]] = []
    while stuck := _stuck(supply, left):
        smallest = set(_smallest(supply, stuck))
        found.append(smallest)
        left = {n: queue for n, queue in left.items() if n not in smallest}
    found = sorted(_merge_unmet(supply, found), key=min)
    followers: list[set[int]] = [set() for _ in found]
    for index in left:
        followers[_before(supply, index, found)].add(index)
    queues = supply.machine.scheduler.queues
    return [
        Trouble(tuple(queues[n] for n in sorted(own)), tuple(queues[n] for n in sorted(others)))
        for own, others in zip(found, followers, strict=True)
    ]


def _stuck(supply: Supply, queues: dict[int, Queue]) -> dict[int, Queue]:
    """The largest stuck set among some queues; empty if there is none."""
    stuck = dict(queues)
    while free := [n for n, queue in stuck.items() if supply.satisfied(queue, stuck)]:
        for n in free:
            del stuck[n]
    return stuck


def _smallest(supply: Supply, stuck: dict[int, Queue]) -> dict[int, Queue]:
    """A stuck set within another one that has none within itself."""
    for left_out in stuck:
        fewer = _stuck(supply, {n: queue for n, queue in stuck.items() if n != left_out})
        if fewer:
            return _smallest(supply, fewer)
    return stuck


def _merge_unmet(supply: Supply, found: list[set[int]]) -> list[set[int]]:
    """The same, with those as one that wait at one kind of rendezvous, each for another."""
    rows = {m.queue: m.context.row.name for m, _ in supply.machine.rendezvous.waiting()}
    by_row: dict[str, set[int]] = {}
    rest = []
    for queues in found:
        name = rows.get(min(queues)) if len(queues) == 1 else None
        if name is None:
            rest.append(queues)
        else:
            by_row.setdefault(name, set()).update(queues)
    return [*rest, *by_row.values()]


def _before(supply: Supply, index: int, found: list[set[int]]) -> int:
    """Which trouble a queue follows: the first one on the way to a queue that could help it."""
    met, left = {index}, [index]
    while left:
        at = left.pop(0)
        for number, queues in enumerate(found):
            if at in queues:
                return number
        more = [n for n in helpers(supply, at) if n not in met]
        met.update(more)
        left += more
    return 0


def helpers(supply: Supply, index: int) -> list[int]:
    """The queues that could still do what a blocked one waits for."""
    queue = supply.machine.scheduler.queues[index]
    if queue.arrived is not None:
        return [
            n
            for member, absent in supply.machine.rendezvous.waiting()
            if member.queue == index
            for core in absent
            for n in supply.arriving(member, core)
        ]
    if queue.blocked is not None:
        return [n for n in supply.enders(queue) if n != index]
    updaters = supply.updaters(supply.wait(queue).semaphore)
    return [u.queue for u in updaters if u.coming and u.queue != index]
