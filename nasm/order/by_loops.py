"""A run judged by its loops: with few of their rounds, where all others follow from these."""

from __future__ import annotations

from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.kept_rounds import TRIED, Kept, Loop, loops, without
from nasm.order.observer import Watch
from nasm.order.repeat_accesses import check_accesses
from nasm.order.repeats import Insertion, Repeat, Unproved

LEAST = 1_000
"""Instructions of a run that is worth it."""


def in_order(sources: Sources, watch: Watch) -> Check | None:
    """A run with few rounds that is in order, as then the whole run is; None if that is not shown.

    Engines wait for their own results. What is not shown in this way may be in order anyway.
    """
    if len(watch.queues) < LEAST or sources.typed or sources.clears:
        return None
    for loop in loops(sources.program, watch)[:1]:
        for kept in TRIED:
            made = _tried(sources, watch, loop, kept)
            if made is not None:
                return made
    return None


def _tried(sources: Sources, watch: Watch, loop: Loop, kept: Kept) -> Check | None:
    """The same of one loop, with so many of its rounds."""
    found = without(sources.program, watch, loop, kept)
    if found is None:
        return None
    shorter, repeat = found
    check = Check(sources, shorter, held=True)
    check.settle()
    return check if clean(check) and unproved(check, repeat) is None else None


def clean(check: Check) -> bool:
    """Whether there is nothing to report of a run that was judged."""
    order = check.order
    if check.races or order.unordered:
        return False
    return not [*order.late_takes(), *order.overruns(), *check.unlanded()]


def unproved(check: Check, repeat: Repeat) -> str | None:
    """Why a run that is in order may not be so with more rounds; None if it is."""
    try:
        insertion = Insertion(check.order, repeat)
        insertion.check()
        check_accesses(check, insertion)
    except Unproved as found:
        return str(found)
    return None
