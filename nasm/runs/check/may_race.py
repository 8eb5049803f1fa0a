"""What is wrong on some ways through a program, or with some addresses, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from nasm.base.problems import Note, Problem, Severity, counted
from nasm.base.records import replace
from nasm.program.program import Program
from nasm.runs.check.way import Decision

RACE, MAY_RACE = "E0502", "E0545"

MOST_PLACES = 3
"""Branches that are named of a way."""


def same(problem: Problem) -> Hashable:
    """What is equal for one problem that is found on several ways."""
    accesses = problem.facts.get("accesses")
    if problem.code == RACE and accesses:
        return RACE, frozenset((a["engine"], a["line"] or -1 - a["pc"], a["dma"]) for a in accesses)
    return problem.code, problem.span and (problem.span.source.name, problem.span.start)


def of_way(program: Program, decisions: Sequence[Decision]) -> Iterator[Note]:
    """The branches that a way depends on: the last ones where they went."""
    went: dict[tuple[int, int], Counter[bool]] = {}
    for one in reversed(decisions):
        went.setdefault((one.queue, one.pc), Counter())[one.taken] += 1
    for number, ((queue, pc), counts) in enumerate(went.items()):
        if number == MOST_PLACES:
            yield Note(f"and as {counted(len(went) - MOST_PLACES, 'other branch')} decides")
            return
        name, taken, of = program.instruction_name(queue, pc), counts[True], counts.total()
        how = "is taken" if taken else "is not taken"
        if of > 1:
            how = f"is taken {taken:,} of the {of:,} times that a value decides it"
        yield Note(f"if {name} {how}", program.span(queue, pc), excerpt=True)


def may_race(
    program: Program, race: Problem, decisions: Sequence[Decision], vague: bool
) -> Problem:
    """A race that depends on values."""
    notes = list(of_way(program, decisions))
    if vague:
        notes.append(Note("if what they address as values decide is the same"))
    message = f"may race as values decide: {race.message}"
    kept = tuple(note for note in race.notes if note.party)
    made = replace(race, code=MAY_RACE, message=message, notes=(*kept, *notes))
    return replace(made, severity=Severity.WARNING)


def on_some_ways(program: Program, problem: Problem, decisions: Sequence[Decision]) -> Problem:
    """An error of some ways: for which values they are the ones is not known."""
    notes = (*problem.notes, *of_way(program, decisions))
    return replace(problem, notes=notes, severity=Severity.WARNING)
