"""Which wait to add for a fault, and how it continues from round to round: each is tried first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from nasm.order.check import Check
from nasm.order.events import Added
from nasm.order.faults import Fault
from nasm.order.remedies import Remedy, remedy
from nasm.order.round_takes import again, rounds, taking
from nasm.order.skeleton import CounterWait, Take
from nasm.order.trial import Trials

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""

STEPS = 4
"""The ways to continue a wait from round to round that are tried."""


class Advice(NamedTuple):
    """A wait that was tried: for ``step`` more in each further round of its line.

    If there is no ``wait`` in the remedy the event itself was
    waited for, which takes a counter of its own.
    """

    remedy: Remedy
    step: int = 0


def advised(trials: Trials, fault: Fault) -> Advice | None:
    """What brings the two sides of a fault into order, in all their rounds; None if nothing does.

    What is advised does not keep the run from coming to its end.
    """
    races = [one.race for one in (fault, *fault.alike)]
    for advice in _candidates(trials.check, fault):
        more: dict[Place, list[Added]] = {}
        for one in (fault, *fault.alike):
            _add(trials.check, one, advice, more)
        if trials.mends(more, races):
            return advice
    return None


def _candidates(check: Check, fault: Fault) -> Iterator[Advice]:
    """Waits for what is posted already, and then for what is not yet."""
    found = fault.remedy
    if found.wait is not None and found.wait.counter not in check.sources.program.unnamed:
        repeated = again(check, found.place)
        for value, step in _steps(_values(check, fault)) if not found.takes else ():
            if not (step and repeated):
                yield Advice(found._replace(wait=found.wait._replace(value=value)), step)
        if repeated:
            yield Advice(found)
            yield from map(Advice, taking(check, found))
    yield Advice(found._replace(wait=None, others=(), placed=None, takes=False))


def _values(check: Check, fault: Fault) -> dict[int, int]:
    """What each round has to wait for, counted from the one that is named."""
    found = fault.remedy
    assert found.wait is not None
    values = {0: found.wait.value}
    if found.placed is not None:
        return values
    number = {index: nth for nth, index in enumerate(rounds(check, found.place))}
    for waiter, other in check.split(fault.race, found.waiter):
        if waiter.index not in number or check.starts_after(other, waiter):
            continue
        one = remedy(check, waiter, other).wait
        if one is not None and one.counter == found.wait.counter:
            nth = number[waiter.index]
            values[nth] = max(values.get(nth, 0), one.value)
    return values


def _steps(values: dict[int, int]) -> list[tuple[int, int]]:
    """First values and steps that are enough for all of some values, the closest ones first."""
    known = sorted(values.items())
    steps = {0} if len(known) == 1 else set[int]()
    for (first, less), (second, more) in pairwise(known):
        steps.add((more - less) // (second - first))
        steps.add(-((less - more) // (second - first)))
    made = [(max(value - step * nth for nth, value in known), step) for step in steps if step >= 0]
    made.sort(key=lambda one: sum(one[0] + one[1] * nth - value for nth, value in known))
    return made[:STEPS]


def _add(check: Check, fault: Fault, advice: Advice, more: dict[Place, list[Added]]) -> None:
    """Let all rounds of a line wait as advised."""
    wait, mine = advice.remedy.wait, fault.remedy.wait
    if wait is None or mine is None:
        for waiter, other in check.split(fault.race, fault.remedy.waiter):
            if not check.starts_after(other, waiter):
                more.setdefault((waiter.queue, waiter.index), []).append(check.end(other))
        return
    for nth, index in enumerate(rounds(check, fault.remedy.place)):
        added = CounterWait(mine.counter, ">=", wait.value + advice.step * nth)
        place = fault.remedy.place[0], index
        more.setdefault(place, []).append(Take(added) if advice.remedy.takes else added)
