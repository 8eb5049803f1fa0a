"""A run judged by its loops: with few of their rounds, where all others follow from these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from nasm.base import gc_pause
from nasm.order.beyond import Beyond
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.kept_rounds import TRIED, loops, without
from nasm.order.observer import Watch
from nasm.order.posts import posted
from nasm.order.repeat_accesses import check_accesses
from nasm.order.repeats import Insertion, Place, Repeat, Unproved


def in_order(sources: Sources, watch: Watch) -> Check | None:
    """A run with few rounds that is in order, as then the whole run is; None if that is not shown.

    Engines wait for their own results. What is not shown in this way may be in order anyway.
    """
    if sources.typed or sources.clears or watch.vague or watch.closed:
        return None
    if not sources.jumps:
        return None
    with gc_pause.paused():
        return _in_order(sources, watch)


def _in_order(sources: Sources, watch: Watch) -> Check | None:
    if watch.full:
        longer = watch.longer
        if not isinstance(longer, Beyond) or longer.watch is None or longer.repeat is None:
            return None
        return _tried(sources, longer.watch, longer.repeat, longer.removed)
    for loop in loops(sources.program, watch)[:1]:
        for kept in TRIED:
            found = without(watch, loop, kept)
            if found is not None:
                made = _tried(sources, *found, loop.rounds - kept.rounds)
                if made is not None:
                    return made
    return None


def _tried(sources: Sources, shorter: Watch, repeat: Repeat, added: int) -> Check | None:
    """The same of a run without so many rounds, which would be added to others."""
    check = Check(sources, shorter, held=True)
    slopes = _slopes(check, repeat)
    if slopes:
        less = {place: slope * added for place, slope in slopes.items()}
        check = Check(sources, shorter, held=True, less=less)
    check.settle()
    return check if clean(check) and unproved(check, repeat, slopes) is None else None


def _slopes(check: Check, repeat: Repeat) -> dict[Place, int]:
    """By how much waits elsewhere that need more than few rounds post grow with each round."""
    total: Counter[int] = Counter()
    each: Counter[int] = Counter()
    down = set[int]()
    for taken in check.taken:
        step = taken.step
        if taken.posts is None:
            continue
        counter, value = posted(step)
        total[counter] += value
        first = repeat.starts[step.queue]
        if first <= step.index < first + repeat.lengths[step.queue]:
            each[counter] += value
        if value < 0:
            down.add(counter)
    return {
        (step.queue, step.index): each[wait.counter]
        for step in (taken.step for taken in check.taken)
        if (wait := step.wait) is not None
        and wait.value > total[wait.counter]
        and wait.counter not in down
        and not repeat.within(step.queue, step.index)
    }


def clean(check: Check) -> bool:
    """Whether there is nothing to report of a run that was judged."""
    order = check.order
    if check.races or order.unordered:
        return False
    return not [*order.late_takes(), *order.overruns(), *check.unlanded()]


def unproved(check: Check, repeat: Repeat, slopes: Mapping[Place, int]) -> str | None:
    """Why a run that is in order may not be so with more rounds; None if it is."""
    try:
        insertion = Insertion(check.order, repeat, slopes)
        insertion.check()
        check_accesses(check, insertion)
    except Unproved as found:
        return str(found)
    return None
