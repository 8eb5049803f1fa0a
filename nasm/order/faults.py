"""Faults: of all races those that a program has to fix, one for each wait that is missing.

A forgotten wait shows in many pairs of accesses: all rounds of a line, all tensors it touches, and
all consequences. Each race is assumed fixed before the next is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nasm.order.accesses import ByteAccess
from nasm.order.check import Apart, Check, Race
from nasm.order.events import Added
from nasm.order.remedies import Meant, Remedy, remedy
from nasm.order.round_takes import taken, taking
from nasm.order.skeleton import Take

MOST = 12
"""Faults that are searched one by one; the rest is reported pair by pair."""

LINES = 6
"""Races that a fault is looked for in."""

TRIED = 4
"""Remedies that are compared for one line."""

WORK = 400_000
"""Instructions of the run that are judged again, in all, to tell faults apart."""

Filled = Callable[[ByteAccess], bool]
"""Whether what an access touches has had values before the run."""

Who = Callable[[Check, ByteAccess, ByteAccess], Meant]
"""Which of two accesses should wait for the other one."""


class Fault(NamedTuple):
    """A race and its fix; and the same of the same lines on other queues."""

    race: Race
    remedy: Remedy
    alike: tuple[Fault, ...] = ()


def faults(check: Check, meant: Who, apart: Apart | None) -> list[Fault]:
    """The faults of a run that was judged, in its order."""
    found: list[Fault] = []
    more: dict[tuple[int, int], list[Added]] = {}
    budget = WORK
    if check.races:
        run = check.sources, check.watch, check.held
        check = Check(*run, every=True, apart=apart, judged=check, shown=check.shown)
        check.settle()
    there = check.lines
    while check.races and len(found) < MOST and budget > 0:
        best: tuple[int, Fault, Check] | None = None
        for one in _candidates(check, meant):
            tried = {place: list(waits) for place, waits in more.items()}
            _mend(check, one, tried)
            budget -= len(check.watch.queues)
            for first in check.parts:
                fixed = check.tried(tried, apart, first)
                if len(fixed.races) >= (len(check.races) if best is None else best[0]):
                    break
                if not fixed.lines <= there:  # a take that another line is short of then
                    break
            else:
                best = len(fixed.races), one, fixed
            if not fixed.races or budget < 0:
                break
        if best is None or best[0] >= len(check.races):
            break
        found.append(best[1])
        more, check = dict(best[2].more), best[2]  # type: ignore[arg-type]
    found += [plain(check, race, meant) for race in check.races]
    return _one_for_each_line(check, found)


def _one_for_each_line(check: Check, found: list[Fault]) -> list[Fault]:
    """Faults of the same lines of the text as one: cores that do the same lack the same."""
    kept: dict[object, list[Fault]] = {}
    for fault in found:
        sides = (fault.remedy.waiter, fault.remedy.other)
        lines = [check.line(one.queue, one.index) for one in sides]
        key: object = tuple(
            (span, one.kind, one.moves) for (_, span), one in zip(lines, sides, strict=True)
        )
        if any(span < 0 for _, span in lines):
            key = fault.race.first, fault.race.second  # of no line: each for itself
        kept.setdefault(key, []).append(fault)
    return [first._replace(alike=tuple(rest)) for first, *rest in kept.values()]


def _candidates(check: Check, meant: Who) -> Iterator[Fault]:
    """What might fix most: a wait on a line of the first races, for what these or others need."""
    races = [(race, meant(check, race.first, race.second)) for race in check.races[:LINES]]
    races.sort(key=lambda one: not one[1].sure)
    lines = dict.fromkeys(check.line(one.waiter.queue, one.waiter.index) for _, one in races)
    for line in lines:
        some = _largest(_of_line(check, line, meant))[:TRIED]
        yield from some
        for one in some:
            yield from (one._replace(remedy=found) for found in taking(check, one.remedy))
    for race, (waiter, other, *_) in races:
        for _, (later, behind, *_) in races:
            if later.queue == waiter.queue and later.index > waiter.index:
                found = remedy(check, waiter, behind)
                if found.wait is not None:
                    yield Fault(race, found._replace(other=other))
        yield from _met(check, race, waiter, other)


def _met(check: Check, race: Race, waiter: ByteAccess, other: ByteAccess) -> Iterator[Fault]:
    """The waits before meetings that come before a waiter, on the core of what it waits for."""
    queues = check.sources.program.queues
    known, there = (check.order.clock(one.queue, one.index) for one in (waiter, other))
    for queue, index in check.watch.meetings:
        if queues[queue].core != queues[other.queue].core or there[queue] > index:
            continue
        if known[queue] > index:
            found = remedy(check, waiter._replace(queue=queue, index=index), other)
            if found.wait is not None:
                yield Fault(race, found._replace(waiter=waiter, placed=(queue, index)))


def _largest(found: list[Fault]) -> list[Fault]:
    """Of those that are fixed by a wait for the same counter the one that waits for most."""
    best: dict[object, Fault] = {}
    for one in found:
        wait = one.remedy.wait
        key = (one.remedy.waiter.queue, one.remedy.waiter.index, wait and wait.counter)
        if wait is None:
            key = (one.remedy.waiter, one.remedy.other)  # type: ignore[assignment]
        known = best.get(key)
        most = known.remedy.wait if known is not None else None
        if wait is None or most is None or wait.value > most.value:
            best[key] = one
    return list(best.values())


def plain(check: Check, race: Race, meant: Who) -> Fault:
    """A race by itself, with the wait that would fix it."""
    one = meant(check, race.first, race.second)
    return Fault(race, remedy(check, one.waiter, one.other))


def _of_line(check: Check, line: tuple[int, int], meant: Who) -> list[Fault]:
    """The races that a wait on a line could fix."""
    found = []
    for race in check.races:
        for waiter in (race.second, race.first):
            if check.line(waiter.queue, waiter.index) == line:
                break
        else:
            continue
        for one, two in check.split(race, waiter):
            if (one.queue, one.index) != (waiter.queue, waiter.index):
                continue
            if check.starts_after(two, one):
                continue  # it cannot come first
            if meant(check, one, two) != Meant(two, one, by_text=True):
                found.append(Fault(race, remedy(check, one, two)))
    return found


def _mend(check: Check, fault: Fault, more: dict[tuple[int, int], list[Added]]) -> None:
    """Let every round of a line wait as one of them would have to."""
    if fault.remedy.takes:
        for place, wait in taken(check, fault.remedy).items():
            more.setdefault(place, []).append(Take(wait))
        return
    for waiter, other in check.split(fault.race, fault.remedy.waiter):
        if check.starts_after(other, waiter):
            continue  # it cannot come first
        found = remedy(check, waiter, other)
        if waiter == fault.remedy.waiter:
            found = fault.remedy
        added: Added = check.end(other) if found.wait is None else found.wait
        kept = more.setdefault(found.place, [])
        if added not in kept:
            kept.append(added)
