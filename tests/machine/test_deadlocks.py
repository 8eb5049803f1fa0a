"""A trouble of a deadlock is stuck by itself, and who is said to be behind one is not."""

from __future__ import annotations

import re
from itertools import chain

import pytest

import nasm
from nasm.machine.records import Status
from tests.machine.random_deadlocks import QUEUES, Lines, drawn, free, text
from tests.parts import part
from tests.tables import each

PLACE = re.compile(r"^(\w+) pc (\d+) waits for")
NAMES = re.compile(r"@(\w+)")
SEEDS = range(120)


def stuck(lines: Lines) -> dict[str, int]:
    """Where each queue of a program is blocked."""
    session = nasm.Session(text(lines))
    session.run()
    return {q.engine: q.pc for q in session.queues() if q.pc < q.length}


@each("seed", part(SEEDS, 14))
def test_a_trouble_stays_when_the_others_are_free_and_who_is_behind_goes_on(seed: int) -> None:
    lines = drawn(seed)
    session = nasm.Session(text(lines), trace=True)
    report = session.run()
    blocked = {q.engine: q.pc for q in session.queues() if q.pc < q.length}
    if not blocked:
        assert report.status is Status.FINISHED
        return
    assert report.status is Status.DEADLOCK
    noted = [m.groups() for p in report.problems for n in p.notes if (m := PLACE.match(n.message))]
    assert sorted(noted) == sorted((name, str(pc)) for name, pc in blocked.items())
    heads: list[list[str]] = []
    behind: list[str] = []
    for problem in report.problems:
        own, _, others = problem.message.partition(" blocked forever")
        heads.append(NAMES.findall(own))
        behind += NAMES.findall(others)
    assert sorted([*chain(*heads), *behind]) == sorted(blocked)
    for own in heads:
        others = {q: lines[q] if q in own else free(lines[q]) for q in QUEUES}
        assert {q: blocked[q] for q in own} == stuck(others)
    for one in behind:
        others = {q: lines[q] if q == one else free(lines[q]) for q in QUEUES}
        assert stuck(others).get(one) != blocked[one]


@pytest.mark.thorough
def test_among_the_random_programs_are_all_kinds_of_trouble() -> None:
    said: list[str] = []
    for seed in SEEDS:
        report = nasm.run(text(drawn(seed))).report
        if len(report.problems) > 1:
            said.append("several")
        for problem in report.problems:
            said += [problem.message, problem.hint, *(n.message for n in problem.notes)]
    every = "\n".join(said)
    for one in ("several", "are blocked forever", "blocked by it", "jumped over", "count them"):
        assert one in every
