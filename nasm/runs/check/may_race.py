"""Errors on some ways through a program, or with some addresses, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np

from nasm.base.problems import Note, Problem, Severity, listed
from nasm.base.records import replace
from nasm.program.program import Program
from nasm.runs.check.contents import Element
from nasm.runs.check.way import Decision

RACE, MAY_RACE = "E0502", "E0545"

MOST_PLACES = 3
"""Branches that are named of a way."""


Side = tuple[str, int | None, int, bool]
"""Of an access: its queue by name, its line, its pc, and whether it is one of a transfer."""


def race_between(one: Side, other: Side) -> Hashable:
    """What is equal for all races of two lines."""
    sides = (one, other)
    return RACE, frozenset((who, line or -1 - pc, moves) for who, line, pc, moves in sides)


def same(problem: Problem) -> Hashable:
    """What is equal for one problem that is found on several ways."""
    accesses = problem.facts.get("accesses")
    if problem.code == RACE and accesses:
        return race_between(*((a["engine"], a["line"], a["pc"], a["dma"]) for a in accesses))
    return problem.code, problem.span and (problem.span.source.name, problem.span.start)


def of_way(program: Program, decisions: Sequence[Decision]) -> Iterator[Note]:
    """The branches that a way depends on: the last ones where they went."""
    went: dict[tuple[int, int], Counter[bool]] = {}
    for one in reversed(decisions):
        went.setdefault((one.queue, one.pc), Counter())[one.taken] += 1
    for number, ((queue, pc), counts) in enumerate(went.items()):
        if number == MOST_PLACES:
            more = len(went) - MOST_PLACES
            others = "another branch decides" if more == 1 else f"{more:,} other branches decide"
            yield Note(f"and as {others}")
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


def with_values(problem: Problem, values: Mapping[Element, int]) -> Problem:
    """The same with values with which a run has it."""
    shown = {_name(element): value for element, value in values.items()}
    text = "the values that the program gives its inputs"
    if shown:
        text = listed((f"{name} = {value}" for name, value in shown.items()), "and")
    note = Note(f"a run has it with {text}")
    facts = {**problem.facts, "inputs": shown}
    return replace(problem, notes=(*problem.notes, note), facts=facts)


def _name(element: Element) -> str:
    at = np.unravel_index(element.number, element.tensor.shape)
    return f"{element.tensor.name}[{', '.join(map(str, map(int, at)))}]"


def on_some_ways(program: Program, problem: Problem, decisions: Sequence[Decision]) -> Problem:
    """What is found on some ways: an error is a warning there."""
    notes = (*problem.notes, *of_way(program, decisions))
    error = problem.severity is Severity.ERROR
    severity = Severity.WARNING if error else problem.severity
    return replace(problem, notes=notes, severity=severity)
