"""Programs of several ranks without values: one rank, whichever it is, and then all of them.

One rank is examined as any program, with the others taken to reach its collectives when it does:
a branch by the number of the rank goes both ways. Then all ranks run and meet, without values.
"""

from __future__ import annotations

from typing import Unpack

from nasm.base.problems import Problem, Severity
from nasm.base.records import replace
from nasm.machine.records import MOST_EXAMINED, Status
from nasm.program.program import Program
from nasm.runs.check import Examination, examine
from nasm.runs.settings import CheckKeywords, RunSettings, with_keywords

DEPENDS = "E0518"
"""The code of what depends on a value, which a run without values does not have."""

LIMIT = "E0511"


def examine_ranks(
    program: Program,
    *,
    max_instructions: int | None = MOST_EXAMINED,
    relaxed: bool = False,
    why: tuple[int, int] | None = None,
    waits: bool = False,
    tried: bool = True,
    settings: RunSettings | None = None,
    **keywords: Unpack[CheckKeywords],
) -> Examination:
    """Look at a program without its values, as ``examine`` does, and let its ranks meet.

    Each rank is followed for at most ``max_instructions``.
    """
    chosen = with_keywords(settings, keywords)
    found = examine(
        program,
        max_instructions=max_instructions,
        relaxed=relaxed,
        why=why,
        waits=waits,
        tried=tried,
        settings=chosen,
    )
    if program.ranks == 1 or any(p.severity is Severity.ERROR for p in found.problems):
        return found
    judging = RunSettings(
        strict=chosen.strict,
        allow=chosen.allow,
        values=False,
        topology=chosen.topology,
        hashes=False,
        max_instructions=max_instructions,
    )
    from nasm.ranks.runs import RanksRun  # which most programs do not need

    report = RanksRun(program, None, judging).run()
    if any(problem.code == DEPENDS for one in report.ranks for problem in one.problems):
        return found  # what the ranks do depends on values: that was found of the first of them
    known = {_place(problem) for problem in found.problems}
    whole = report.whole
    more: list[Problem] = [
        problem
        for problem in (*whole.hazards, *whole.problems)
        if problem.code != LIMIT
        and (problem.severity is Severity.ERROR or _place(problem) not in known)
    ]
    instead = {_place(problem) for problem in more}
    rest = (problem for problem in found.problems if _place(problem) not in instead)
    ended = found.ended if report.status is Status.FINISHED else report.status.name.lower()
    return replace(found, problems=(*more, *rest), ended=ended if more else found.ended)


def _place(problem: Problem) -> object:
    """What a problem found on some way of one rank has in common with one that a run has."""
    return problem.code, problem.span
