"""A program whose values were numbered, if it has one result for each input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass
from nasm.machine.outlines import NO_VALUES
from nasm.machine.records import RunReport, Status
from nasm.order.check import Check
from nasm.order.hangs import HangSearch
from nasm.order.late_takes import always_ends
from nasm.order.skeleton import LANDS, Event
from nasm.program.program import Program
from nasm.runs.equal.any_value import AnyValue
from nasm.runs.equal.numbering import Numbering
from nasm.runs.equal.value_numbers import UNNUMBERED, ValueNumbers
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings
from nasm.views.regions import intersect

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""


@dataclass(slots=True, eq=False)
class FollowedProgram:
    """A program, its run without values, and the numbers of what it computes.

    ``reason`` says why it may have several results, or none that is known; empty if it has one.
    """

    program: Program
    execution: Execution
    numbering: Numbering | None
    reason: str
    problems: tuple[Problem, ...] = ()

    @property
    def instructions(self) -> int:
        """How many instructions it executed."""
        return self.execution.machine.scheduler.retired


def follow(program: Program, numbers: ValueNumbers, unit: int, most: int | None) -> FollowedProgram:
    """Number the values of a program, of at most so many instructions.

    Raises :class:`~nasm.runs.equal.shadow.TooCoarse` if a view reaches a part of a unit.
    """
    run = Execution(program, settings=RunSettings(values=False))
    if any(casting.chance is not None for casting in run.machine.state.castings):
        return FollowedProgram(program, run, None, "its results are rounded by chance")
    try:
        numbering = Numbering(run.machine, numbers, unit)
        any_value = AnyValue()
        run.machine.follow(any_value)
        if run.machine.watch is not None:
            run.machine.watch.vague = any_value.vague_regions
        run.machine.scheduler.observe(numbering)
        report = run.run(max_instructions=most, hashes=False)
    except Failure as failure:
        problem = failure.problems[0]
        return FollowedProgram(program, run, None, problem.message, failure.problems)
    except Refused as refused:
        return FollowedProgram(program, run, None, refused.message)
    reason, problems = _reason(run, report, numbering)
    return FollowedProgram(program, run, numbering, reason, problems)


def _reason(
    run: Execution, report: RunReport, numbering: Numbering
) -> tuple[str, tuple[Problem, ...]]:
    """Why a run is not the only one, or did not end; empty if it is and did."""
    stopped = [p for p in report.problems if p.code in (UNNUMBERED, NO_VALUES)]
    if stopped:
        return stopped[0].message, tuple(stopped)
    found = (*report.problems, *report.hazards)
    if report.status is Status.LIMIT:
        done = run.machine.scheduler.retired
        return f"it executes more than {done:,} instructions", tuple(report.problems)
    if report.status is not Status.FINISHED or found:
        why = found[0].message if found else report.status.value
        return f"it has an error: {why}", found
    ordering = run.ordering
    if ordering is None:
        return "", ()
    if ordering.watch.full:
        return "it is too long for its order to be judged", ()
    check = ordering.judged()
    if check.vague_races:
        return "it may have a race where values decide the addresses", ()
    if check.races or check.unordered or any(True for _ in check.order.late_takes()):
        return "some of it is in no order", tuple(ordering.problems())
    search = HangSearch([one.step for one in check.order.taken])
    if not (search.free or always_ends(check.order.taken)) and search.decide() is not None:
        return "it may hang under another timing, or that is not known", ()
    for pair in _unordered_sums(numbering.sums, check):
        pcs = ordering.watch.pcs
        one, two = (run.program.instruction_name(q, pcs[q][n]) for q, n in pair)
        return f"the sums of {one} and {two} are in no order", ()
    return "", ()


def _unordered_sums(sums: Sequence[Place], check: Check) -> Iterator[tuple[Place, Place]]:
    """Transfers that add to the same bytes, neither of which has landed before the other starts."""
    moved, before = check.watch.moved, check.order.before
    for nth, mine in enumerate(sums):
        for other in sums[:nth]:
            writes = (moved[queue][index].writes for queue, index in (mine, other))
            if not intersect(*writes):
                continue
            one, two = Event(LANDS, *mine), Event(LANDS, *other)
            if not (before(two, *mine) or before(one, *other)):
                yield other, mine
