"""Random programs of ranks, right and wrong, against NumPy and a search of what is in order.

* Values are those of NumPy, and nothing is reported; neither hosts nor the order in which ranks are
  advanced change anything.
* Without one of its waits the races reported are those that a search finds: at least one, and none
  if another path orders the same operations.
* With other collectives on one rank, or one left out, the report names the ranks and lines at which
  a search finds that ranks are left; nothing hangs.
"""

from __future__ import annotations

import re
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.problems import Problem
from nasm.machine.records import Status
from nasm.ranks.runs import RanksRun
from nasm.runs.settings import RunSettings
from tests.parts import part
from tests.ranks.before import Meetings, Order
from tests.ranks.programs import Program
from tests.ranks.texts import Text

DEADLINE = 20
STANDSTILLS = {"E0560", "E0561", "E0564"}
RACE, UNLANDED, UNWRITTEN = "E0502", "E0514", "E0501"


# -- what is right


@pytest.mark.parametrize("seed", part(range(250), 6))
def test_values_are_numpys_and_nothing_is_reported(seed: int) -> None:
    made = Program(seed)
    assert not Order(made.ops, made.waits).races()
    text = str(Text(made))
    done = nasm.run(text, made.inputs, deadline=DEADLINE)
    assert done.ok, (text, done.report.reasons)
    assert not done.report.hazards
    ends = [0] * made.ranks
    assert done.ranks is not None
    for one in done.ranks.meetings:
        assert one.start == max(one.arrivals)
        for rank, came in zip(one.group, one.arrivals, strict=True):
            assert came >= ends[rank]  # the CC-cores do one at a time
            ends[rank] = one.start + one.ticks
    for rank, end in enumerate(ends):
        assert done.ranks.ranks[rank].ticks >= end
    for name, wanted in made.outputs().items():
        assert np.abs(wanted).max() < 2**24  # so that no sum was rounded
        assert np.array_equal(done.outputs[name], wanted), (text, name)


@pytest.mark.parametrize("seed", part(range(1000, 1050), 2))
def test_the_order_in_which_ranks_are_advanced_changes_nothing(seed: int) -> None:
    made = Program(seed)
    program = nasm.assemble(str(Text(made)))
    ranks = list(range(made.ranks))
    orders = [ranks, ranks[::-1], made.random.sample(ranks, len(ranks))]
    runs = [RanksRun(program, made.inputs, RunSettings(), order) for order in orders]
    assert len({of_run(run.run()) for run in runs}) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1200, 1208))
def test_two_processes_give_the_same_bits(seed: int) -> None:
    made = Program(seed)
    text = str(Text(made))
    here, there = (nasm.run(text, made.inputs, executor=n) for n in (None, 2))
    assert here.ranks is not None
    assert there.ranks is not None
    assert of_run(here.ranks) == of_run(there.ranks)
    for name, values in here.outputs.items():
        assert values.tobytes() == there.outputs[name].tobytes()


def of_run(report: Any) -> tuple[object, ...]:
    """All that must not depend on who runs it."""
    each = tuple((one.ticks, one.trace_hash, one.memory_hash) for one in report.ranks)
    meetings = tuple((one.operation, one.arrivals, one.start, one.ticks) for one in report.meetings)
    return report.status, report.trace_hash, report.memory_hash, each, meetings


# -- without a wait


def lines_of(problem: Problem) -> frozenset[int]:
    spans = (problem.span, *(note.span for note in problem.notes))
    return frozenset(span.line for span in spans if span is not None)


def judge_without_a_wait(seed: int, checked: bool = False) -> bool:
    """Whether the wait that is left out was needed; fails if it is not reported exactly then."""
    made = Program(seed)
    places = [(two, one) for two, some in made.waits.items() for one in some]
    waits = made.without(*made.random.choice(places))
    return judge_order(made, Text(made, waits), Order(made.ops, waits), checked)


def judge_with_an_early_post(seed: int) -> bool:
    """The same if a collective posts when it starts, and not when it is over."""
    made = Program(seed, moments=False)
    posting = {one for some in made.waits.values() for one in some}
    exchanging = [op.number for op in made.ops if op.kind == "cc" and op.number in posting]
    early = made.random.choice(exchanging or [-1])
    text = Text(made, early=early)
    return judge_order(made, text, Order(made.ops, made.waits, early), checked=False)


def judge_order(made: Program, text: Text, order: Order, checked: bool) -> bool:
    """Whether there is a fault; fails if what is reported are others, or none."""
    races = {frozenset(text.lines[n] for n in pair) for pair in order.races()}
    unlanded = {text.lines[n] for n in order.unlanded()}
    program = nasm.assemble(str(text))
    report = nasm.run(program, made.inputs, deadline=DEADLINE).report
    for found in (report.hazards, *([nasm.check(program).errors] if checked else [])):
        said = {lines_of(hazard) for hazard in found if hazard.code == RACE}
        assert bool(said) == bool(races), (str(text), said, races)
        assert said <= races, (str(text), said, races)
        late = {min(lines_of(hazard)) for hazard in found if hazard.code == UNLANDED}
        assert late == unlanded - frozenset[int]().union(*said), (str(text), late, unlanded)
    codes = {problem.code for problem in (*report.hazards, *report.problems)}
    assert codes <= {RACE, UNLANDED, UNWRITTEN}, (str(text), codes)
    assert report.ok != bool(races or unlanded)
    return not report.ok


@pytest.mark.parametrize("seed", part(range(2000, 2250), 6))
def test_a_wait_that_is_missing_is_reported_exactly_if_it_was_needed(seed: int) -> None:
    judge_without_a_wait(seed)


@pytest.mark.parametrize("seed", part(range(5000, 5250), 4))
def test_that_a_collective_has_started_orders_nothing_after_its_end(seed: int) -> None:
    judge_with_an_early_post(seed)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2900, 2920))
def test_check_finds_the_same_without_values(seed: int) -> None:
    judge_without_a_wait(seed, checked=True)


# -- one rank that differs


def judge_other_collectives(seed: int, swap: bool) -> str:
    """How a program ends in which one rank has two collectives in the other order, or one less."""
    made, random = Program(seed, moments=False, least=2), Random(seed)
    order = [op.number for op in made.ops if op.kind == "cc"]
    rank, theirs = random.randrange(made.ranks), order.copy()
    apart = False
    if swap:
        pairs = list(combinations(order, 2))
        first = [pair for pair in pairs if never_meet(made, rank, *pair)]
        apart = bool(first)
        one, other = random.choice(first or pairs)
        at, to = order.index(one), order.index(other)
        theirs[at], theirs[to] = theirs[to], theirs[at]
    else:
        del theirs[random.randrange(len(order))]
    text = Text(made, rank=rank, theirs=theirs)
    orders = [theirs if n == rank else order for n in range(made.ranks)]
    left = Meetings(made.ops, made.waits, orders)
    report = nasm.run(str(text), made.inputs, deadline=DEADLINE).report
    codes = {problem.code for problem in report.problems}
    assert left.arrived or not apart
    if not left.arrived:
        assert not codes & STANDSTILLS, (str(text), codes)
        assert bool(left.blocked) == (report.status is Status.DEADLOCK), (str(text), codes)
        return "blocked" if left.blocked else "finished"
    assert report.status is Status.DEADLOCK, (str(text), report.status, codes)
    assert codes & STANDSTILLS, (str(text), codes)
    wanted = {n: (text.other if n == rank else text.lines)[op] for n, op in left.arrived.items()}
    for problem in report.problems:
        if problem.code in STANDSTILLS:
            assert problem.span is not None
            named = {rank_in(problem.message): problem.span.line}
            for note in problem.notes:
                assert note.span is not None
                named[rank_in(note.message)] = note.span.line
            assert named.items() <= wanted.items(), (str(text), named, wanted)
            if problem.code == "E0564":
                assert named == wanted, (str(text), named, wanted)
            else:
                assert len(named) == 2
    return "stuck"


def never_meet(made: Program, rank: int, one: int, other: int) -> bool:
    """Whether a rank meets another in two collectives that differ: their order decides."""
    first, second = made.ops[one], made.ops[other]
    both = set(first.group(rank)) & set(second.group(rank))
    return len(both) > 1 and first.call(rank) != second.call(rank)


def rank_in(message: str) -> int:
    """The first rank that a message names."""
    found = re.search(r"rank (\d+)", message)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("seed", part(range(3000, 3250), 6))
def test_two_collectives_in_the_other_order_on_one_rank_are_named(seed: int) -> None:
    judge_other_collectives(seed, swap=True)


@pytest.mark.parametrize("seed", part(range(4000, 4250), 6))
def test_a_collective_that_one_rank_leaves_out_is_named(seed: int) -> None:
    judge_other_collectives(seed, swap=False)
