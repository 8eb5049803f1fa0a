"""Clocks and definition say the same of thousands of small random skeletons.

``python -m tests.order`` tries as many more as one likes.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from nasm.order.clocks import Order
from nasm.order.deltas import ClockDeltas
from nasm.order.posts import Clock, joined
from nasm.order.skeleton import STARTS, Step
from tests.order.judged import clocks, judged, report
from tests.order.oracle import TooLarge, Walk, events, orders, rising, steps, unordered_sets
from tests.order.skeletons import (
    EVENTS,
    KINDS,
    PURSES,
    RISING,
    SETS,
    SMALL,
    Drawn,
    Sizes,
    drawn,
    executed,
    in_steps,
    in_turn,
    possible,
    streams,
    without,
)
from tests.parts import part

STATES = 20_000
WIPED = (77, 212)
"""Of sets, these have waits that are over when a set has wiped out some changes, or none yet."""

LONG = Sizes(queues=5, steps=25, counters=4, transfers=8, shares=3)
WIDE = Sizes(queues=4, steps=8, counters=3, transfers=4, shares=16)


@pytest.mark.parametrize("batch", range(4))
def test_clocks_say_what_the_definition_says_where_counters_go_up(batch: int) -> None:
    for seed in part(range(500 * batch, 500 * (batch + 1)), 30):
        one = drawn(seed, RISING)
        assert report(one) == "", seed
        assert report(executed(one.skeleton, Random(seed))) == "", seed


def test_so_they_do_with_events_that_are_set_once() -> None:
    for seed in part(range(1000), 50):
        assert report(drawn(seed, EVENTS)) == "", seed


def test_so_they_do_for_larger_skeletons() -> None:
    for seed in part(range(100), 20):
        assert report(drawn(seed, RISING, WIDE)) == "", seed


@pytest.mark.parametrize("kind", [PURSES, SETS])
def test_clocks_never_say_more_than_the_definition_where_counters_go_down_or_are_set(
    kind: str,
) -> None:
    ordered = known = 0
    for seed in (*part(range(400), 12), *WIPED):
        one = drawn(seed, kind)
        for run in (one, executed(one.skeleton, Random(seed))):
            try:
                found = judged(run, STATES)
            except TooLarge:
                continue
            assert found.differences == [] or report(run) == "", seed
            ordered, known = ordered + found.ordered, known + found.known
    assert known > 0.95 * ordered


def test_sets_are_reported_if_something_is_in_no_order_with_them() -> None:
    said = quiet = 0
    for seed in range(150):
        one = drawn(seed, SETS, SMALL)
        walk = Walk(one.skeleton)
        wrong = any(unordered_sets(walk))
        assert bool(clocks(one).unordered) == wrong, seed
        said, quiet = said + wrong, quiet + (not wrong)
    assert min(said, quiet) > 40


def test_and_not_if_each_waits_for_just_the_value_that_the_one_before_has_left() -> None:
    for seed in range(150):
        one = in_turn(seed)
        assert list(unordered_sets(Walk(one.skeleton))) == [], seed
        assert clocks(one).unordered == [], seed


def test_sets_among_posts_of_several_are_reported_exactly_if_something_is_in_no_order() -> None:
    said = quiet = 0
    for seed in part(range(2000), 200):
        one = in_steps(seed)
        wrong = any(unordered_sets(Walk(one.skeleton)))
        assert bool(clocks(one).unordered) == wrong, seed
        said, quiet = said + wrong, quiet + (not wrong)
    assert min(said, quiet) > 40


def test_what_a_run_happened_to_do_does_not_matter() -> None:
    for seed in part(range(100), 20):
        skeleton = drawn(seed, RISING).skeleton
        asked = [(e, s) for e in events(skeleton) for s in steps(skeleton)]
        answers = set()
        for draw in range(3):
            order = clocks(executed(skeleton, Random(draw)))
            answers.add(tuple(order.before(e, s.queue, s.index) for e, s in asked))
        assert len(answers) == 1, seed


def test_a_wait_for_just_a_value_is_warned_of_exactly_if_it_may_be_overrun() -> None:
    said = 0
    for seed in part(range(600), 40):
        skeleton, draw = drawn(seed, RISING).skeleton, Random(seed)
        waits = [s for s in steps(skeleton) if s.wait is not None and s.wait.value > 0]
        if not waits:
            continue
        chosen = draw.choice(waits)
        changed = [[_just(s) if s is chosen else s for s in queue] for queue in skeleton]
        run = executed(changed, draw)
        if len(run.order) == sum(map(len, skeleton)):
            found = {one.place for one in clocks(run).overruns()}
            assert found == Walk(changed).overrun, seed
            said += len(found)
    assert said


def _just(step: Step) -> Step:
    """A step that waits for just the value that it waits for at least."""
    assert step.wait is not None
    return replace(step, wait=step.wait._replace(op="=="))


@pytest.mark.parametrize("every", [1, 3, 7])
def test_what_is_judged_bit_by_bit_is_what_is_judged_at_once(every: int) -> None:
    for seed in part(range(60), 6):
        one = drawn(seed, RISING, LONG)
        assert taken(one, every) == [t.clock for t in clocks(one).taken], seed


@pytest.mark.parametrize("every", [0, 40])
def test_what_is_new_in_a_clock_is_all_that_there_is_to_learn_from_it(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [drawn(seed, kind, LONG) for seed in part(range(60), 3) for kind in KINDS]
    found = [taken(one, every, settled=False) for one in some]
    monkeypatch.setattr(ClockDeltas, "joined", lambda _, queue, *waited: joined(*waited))
    assert found == [taken(one, every, settled=False) for one in some]


def taken(drawn: Drawn, every: int, settled: bool = True) -> list[Clock]:
    """The clocks of steps, if they are judged after every so many of them."""
    order = Order(len(drawn.skeleton), streams(drawn.skeleton))
    for number, step in enumerate(drawn.order, 1):
        order.take(step)
        if every and number % every == 0 and step.meeting < 0:
            order.settle()
    if settled:
        order.settle()
    return [t.clock for t in order.taken]


def test_what_is_known_of_purses_only_grows_until_nothing_more_is_found() -> None:
    assert clocks(drawn(7, PURSES, LONG)).taken  # it went to and fro between two answers for ever


# ---------------------------------------------------------------- the judge, judged


def test_the_fixpoint_is_what_the_walk_finds() -> None:
    for seed in part(range(200), 25):
        skeleton = drawn(seed, RISING).skeleton
        walk, pairs = Walk(skeleton), orders(skeleton)
        for event in events(skeleton):
            for start in steps(skeleton):
                itself = (event.queue, event.index) == (start.queue, start.index)
                met = skeleton[event.queue][event.index].meeting == start.meeting >= 0
                if not (itself or (met and event.kind == STARTS)):
                    found = (event, (start.queue, start.index)) in pairs
                    assert found == walk.before(event, start.queue, start.index), seed


def test_counters_that_go_up_have_one_end_whatever_the_timing() -> None:
    ended = stuck = 0
    for seed in part(range(300), 30):
        skeleton = drawn(seed, RISING).skeleton
        cut = without(Drawn(skeleton, ()), skeleton[0][0]) if Random(seed).randrange(2) else None
        walk = Walk(cut.skeleton if cut else skeleton)
        ends = {state.values for state in (*walk.ends, *walk.stuck)}
        assert len(ends) == len(walk.ends) + len(walk.stuck) == 1, seed
        ended, stuck = ended + bool(walk.ends), stuck + bool(walk.stuck)
    assert ended
    assert stuck


def test_every_skeleton_that_is_drawn_can_happen_and_kinds_are_what_they_say() -> None:
    for kind in KINDS:
        some = [drawn(seed, kind) for seed in range(200)]
        assert all(possible(one) for one in some)
        assert all(rising(one.skeleton) for one in some) == (kind in (RISING, EVENTS))
    shapes = [step for seed in range(200) for step in drawn(seed, RISING).order]
    for name in "wait", "change", "issue":
        assert any(getattr(step, name) for step in shapes)
    assert any(step.meeting >= 0 for step in shapes)
    assert any(step.after >= 0 for step in shapes)
