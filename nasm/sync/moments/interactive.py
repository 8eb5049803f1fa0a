"""Moments of a text that is typed into a run: those of its own lines, and of what was typed before.

What was typed before and is complete needs no wait. The program's own moments are counts of
semaphores since it was assembled, which cannot be added to.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from nasm.program.builder import ProgramBuilder
from nasm.program.text_items import DeferredMoment, Drain, Item, MomentMention, Round, RunTimeLoop
from nasm.sync.moments.errors import IMPOSSIBLE, NO_POST, TWICE, refused, shown


def settled(builder: ProgramBuilder, before: Mapping[DeferredMoment, bool]) -> Set[DeferredMoment]:
    """Leave out what a text comes after that is over; returns the moments that it posts.

    ``before`` are those that were typed before, with whether they are over. Raises Failure for what
    cannot be waited for here.
    """
    recorded = builder.recorded
    recorded.settle()
    posts = [mention for line in recorded.moments.values() for mention in line.posts]
    for mention in posts:
        if _outside(mention.moment) in before:
            message = f"{shown(mention.moment)} was posted by what was typed before"
            raise refused(TWICE, message, mention.span, "give each a name or an index of its own")
    here = {mention.moment.name for mention in posts}
    for line in recorded.moments.values():
        line.afters = tuple(
            m
            for m in line.afters
            if (m.moment.name in here and m.moment not in before) or _left(m, before)
        )
    _check_drains(builder, recorded.items(builder.position))
    return {_outside(mention.moment) for mention in posts}


def _outside(moment: DeferredMoment) -> DeferredMoment:
    """A moment as it is called after all loops at run time."""
    indices = tuple(index for index in moment.indices if not isinstance(index, Round))
    return moment._replace(indices=indices)


def _left(mention: MomentMention, before: Mapping[DeferredMoment, bool]) -> bool:
    """Whether to wait for a moment that the text does not post; raises Failure."""
    moment = mention.moment
    if before.get(moment, False):
        return False
    if moment in before:
        message = f"{shown(moment)} has not happened: what was typed to post it is not complete"
        raise refused(NO_POST, message, mention.span, "let that complete first, or skip it")
    message = f"nothing in the typed lines posts {shown(moment)}"
    why = "moments of the program became counts of semaphores when it was assembled"
    hint = f"{why}: wait for one, as in '$s >= 16' ('info semaphores' lists them), or run until it"
    raise refused(NO_POST, message, mention.span, f"{hint} has happened")


def _check_drains(builder: ProgramBuilder, items: list[Item]) -> None:
    """Refuse a drain of transfers that were issued before, which nothing counts."""
    for item in items:
        match item:
            case RunTimeLoop():
                _check_drains(builder, item.body)
            case Drain():
                _check_drain(builder, item)


def _check_drain(builder: ProgramBuilder, drain: Drain) -> None:
    program = builder.program
    core = program.queues[drain.queue].core
    for number, lines in enumerate(program.queues):
        if lines.core != core or not (drain.every or number == drain.queue):
            continue
        issued = set(lines.instructions[: builder.begun(number)])
        if any(program.instructions[n].row.posts for n in issued):
            name = program.queue_name(number)
            text = f".drain waits for all transfers of @{name}, and the program had some before"
            hint = "what is typed has landed when the prompt is back: leave it out"
            raise refused(IMPOSSIBLE, f"{text} this was typed", program.spans[drain.span], hint)
