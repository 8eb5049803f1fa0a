"""Clocks and definition say the same of what comes before what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from nasm.order.skeleton import (
    COMPLETES,
    LANDS,
    STARTS,
    CounterChange,
    CounterWait,
    Event,
    Issue,
    Step,
)
from tests.order.judged import clocks, definition
from tests.order.oracle import Skeleton, Walk, before, deadlocks, rising, steps
from tests.order.skeletons import Drawn, executed

A, B, C, D = range(4)
"""Counters."""


# ---------------------------------------------------------------- skeletons by hand


def at_least(counter: int, value: int, op: str = ">=") -> Step:
    return Step(-1, -1, CounterWait(counter, op, value))


def post(counter: int, value: int = 1, op: str = "+", at_start: bool = False) -> Step:
    return Step(-1, -1, None, CounterChange(counter, op, value, at_start))


def move(counter: int | None, shares: int = 16) -> Step:
    return Step(-1, -1, None, None, Issue(counter, shares))


def both(wait: Step, then: Step) -> Step:
    """One instruction that waits and then does something."""
    return replace(then, wait=wait.wait)


NOTHING = Step(-1, -1)
READS = Step(-1, -1, after=-2)
"""An instruction that reads what the one before it writes."""


def made(*queues: list[Step]) -> Skeleton:
    return [
        [
            replace(step, queue=q, index=i, after=i - 1 if step.after == -2 else step.after)
            for i, step in enumerate(queue)
        ]
        for q, queue in enumerate(queues)
    ]


def runs(skeleton: Skeleton) -> Iterator[Drawn]:
    """Several orders in which the steps of a skeleton may start, to the last one."""
    for seed in range(20):
        drawn = executed(skeleton, Random(seed))
        if len(drawn.order) == sum(map(len, skeleton)):
            yield drawn


def precedes(skeleton: Skeleton, kind: int, event: tuple[int, int], start: tuple[int, int]) -> bool:
    """Whether an event comes before a start: definition and clocks agree, after any run."""
    asked = Event(kind, *event)
    found = before(skeleton, asked, *start)
    drawn = list(runs(skeleton))
    assert drawn
    assert {clocks(one).before(asked, *start) for one in drawn} == {found}
    return found


def landings(skeleton: Skeleton, start: tuple[int, int]) -> list[bool]:
    """Of each transfer, whether it lands before a start."""
    return [
        precedes(skeleton, LANDS, (step.queue, step.index), start)
        for step in steps(skeleton)
        if step.issue is not None
    ]


def completions(skeleton: Skeleton, queue: int, start: tuple[int, int]) -> list[bool]:
    """Of each instruction of a queue, whether it completes before a start."""
    return [
        precedes(skeleton, COMPLETES, (queue, index), start)
        for index in range(len(skeleton[queue]))
    ]


# ---------------------------------------------------------------- what follows, line by line


@pytest.mark.parametrize(
    ("value", "done"), [(1, 1), (2, 1), (3, 2), (4, 3), (6, 3)], ids=lambda n: str(n)
)
def test_a_wait_comes_after_the_completion_with_which_the_sum_is_enough_and_all_before_it(
    value: int, done: int
) -> None:
    skeleton = made([post(A, 2), post(A, 1), post(A, 3)], [at_least(A, value)])
    assert completions(skeleton, 0, (1, 0)) == [n < done for n in range(3)]


def test_what_posts_nothing_is_complete_when_what_posts_behind_it_is() -> None:
    skeleton = made([NOTHING, post(A), NOTHING], [at_least(A, 1)])
    assert completions(skeleton, 0, (1, 0)) == [True, True, False]


@pytest.mark.parametrize(("value", "ordered"), [(15, False), (16, False), (31, False), (32, True)])
@pytest.mark.parametrize("queues", [1, 2])
def test_of_two_transfers_that_share_a_counter_only_the_sum_of_both_orders_any(
    value: int, ordered: bool, queues: int
) -> None:
    moves = [[move(A), move(A)]] if queues == 1 else [[move(A)], [move(A)]]
    skeleton = made(*moves, [at_least(A, value)])
    assert landings(skeleton, (queues, 0)) == [ordered, ordered]


@pytest.mark.parametrize(("value", "ordered"), [(15, False), (16, True)])
def test_fifteen_shares_of_sixteen_order_nothing(value: int, ordered: bool) -> None:
    assert landings(made([move(A)], [at_least(A, value)]), (1, 0)) == [ordered]


def test_a_share_that_has_landed_says_that_its_transfer_was_issued() -> None:
    skeleton = made([post(B), move(A)], [at_least(A, 1)])
    assert precedes(skeleton, STARTS, (0, 1), (1, 0))
    assert precedes(skeleton, STARTS, (0, 0), (1, 0))
    assert not precedes(skeleton, COMPLETES, (0, 0), (1, 0))


def test_more_than_half_of_the_shares_of_two_transfers_say_that_both_were_issued() -> None:
    skeleton = made([move(A)], [move(A)], [at_least(A, 17)])
    assert landings(skeleton, (2, 0)) == [False, False]
    assert [precedes(skeleton, STARTS, (q, 0), (2, 0)) for q in (0, 1)] == [True, True]


def test_a_wait_for_both_of_two_posts_comes_after_both() -> None:
    skeleton = made([post(A)], [post(A)], [at_least(A, 2)])
    assert [precedes(skeleton, COMPLETES, (q, 0), (2, 0)) for q in (0, 1)] == [True, True]


def test_a_wait_for_either_of_two_posts_comes_after_neither_but_after_what_both_have_behind() -> (
    None
):
    skeleton = made(
        [post(B)],
        [both(at_least(B, 1), post(A))],
        [both(at_least(B, 1), post(A))],
        [at_least(A, 1)],
    )
    assert [precedes(skeleton, COMPLETES, (q, 0), (3, 0)) for q in (0, 1, 2)] == [
        True,
        False,
        False,
    ]


def test_a_post_that_came_later_in_this_run_counts_too() -> None:
    skeleton = made([post(A)], [at_least(A, 1)], [post(A)])
    first, waits, later = (queue[0] for queue in skeleton)
    order = clocks(Drawn(skeleton, [first, waits, later]))
    assert not order.before(Event(COMPLETES, 0, 0), 1, 0)
    assert not precedes(skeleton, COMPLETES, (0, 0), (1, 0))


def test_but_not_if_it_always_comes_after_the_wait() -> None:
    skeleton = made([post(A)], [both(at_least(A, 1), post(B))], [both(at_least(B, 1), post(A))])
    assert precedes(skeleton, COMPLETES, (0, 0), (1, 0))


@pytest.mark.parametrize(("much", "ordered"), [(1, [True, True]), (2, [False, True])])
def test_an_update_that_posts_too_much_weakens_every_wait(much: int, ordered: list[bool]) -> None:
    skeleton = made([post(A)], [post(A, much)], [at_least(A, 2)])
    assert [precedes(skeleton, COMPLETES, (q, 0), (2, 0)) for q in (0, 1)] == ordered


def test_a_wait_for_nothing_orders_nothing() -> None:
    skeleton = made([post(A)], [at_least(A, 0)], [move(A)])
    assert not precedes(skeleton, STARTS, (0, 0), (1, 0))
    assert landings(skeleton, (1, 0)) == [False]


def test_a_post_at_the_start_says_that_it_started_and_no_more() -> None:
    skeleton = made([NOTHING, post(A, at_start=True)], [at_least(A, 1)])
    assert precedes(skeleton, STARTS, (0, 1), (1, 0))
    assert completions(skeleton, 0, (1, 0)) == [False, False]


def test_the_interlock_orders_a_queue_and_what_waits_for_it() -> None:
    reads = replace(post(A, at_start=True), after=0)
    skeleton = made([NOTHING, NOTHING, reads], [at_least(A, 1)])
    assert completions(skeleton, 0, (0, 2)) == [True, False, False]
    assert completions(skeleton, 0, (1, 0)) == [True, False, False]


def test_a_transfer_is_apart_from_its_own_queue() -> None:
    skeleton = made([NOTHING, move(A), NOTHING])
    assert completions(skeleton, 0, (0, 1)) == [False, False, False]
    assert landings(skeleton, (0, 2)) == [False]
    assert precedes(skeleton, STARTS, (0, 1), (0, 2))


def test_a_transfer_that_posts_nowhere_lands_before_nothing() -> None:
    skeleton = made([move(None), post(A)], [at_least(A, 1)])
    assert landings(skeleton, (1, 0)) == [False]


def test_an_event_that_is_set_once_orders_as_a_counter_does() -> None:
    skeleton = made([post(A, 1, "=")], [at_least(A, 1, "==")])
    assert rising(skeleton)
    assert precedes(skeleton, COMPLETES, (0, 0), (1, 0))


def test_a_meeting_comes_after_what_any_of_its_members_comes_after() -> None:
    meets = replace(NOTHING, meeting=0)
    skeleton = made(
        [NOTHING, meets, NOTHING],
        [post(A)],
        [both(at_least(A, 1), meets), post(B)],
        [at_least(B, 1)],
    )
    for start in (0, 1), (0, 2), (2, 0), (3, 0):
        assert precedes(skeleton, COMPLETES, (1, 0), start)
        assert precedes(skeleton, STARTS, (0, 0), start) or start == (0, 0)
    assert not precedes(skeleton, COMPLETES, (0, 0), (2, 0))
    assert precedes(skeleton, STARTS, (0, 1), (3, 0))
    assert not precedes(skeleton, COMPLETES, (0, 1), (3, 0))
    assert precedes(skeleton, COMPLETES, (2, 0), (3, 0))


def test_a_member_waits_for_the_interlock_of_the_others() -> None:
    skeleton = made(
        [NOTHING, replace(NOTHING, meeting=0, after=0)], [NOTHING, replace(NOTHING, meeting=0)]
    )
    assert precedes(skeleton, COMPLETES, (0, 0), (1, 1))
    assert not precedes(skeleton, COMPLETES, (1, 0), (0, 1))


def test_members_that_wait_for_each_other_crosswise_never_start() -> None:
    one, two = (replace(NOTHING, meeting=n) for n in (0, 1))
    skeleton = made([one, two], [two, one])
    assert deadlocks(skeleton)
    assert Walk(skeleton).stuck


def test_sweeps_go_on_until_nothing_changes() -> None:
    # The last wait depends on the one before it, which depends on the first: each is weakened by a
    # post of another queue that comes behind it in the run.
    chain = made(
        [post(A)],
        [both(at_least(A, 1), post(B))],
        [both(at_least(B, 1), post(C))],
        [both(at_least(C, 1), post(D)), post(A)],
        [at_least(D, 1), post(C)],
        [post(B)],
    )
    assert not precedes(chain, COMPLETES, (0, 0), (4, 0))
    assert precedes(chain, COMPLETES, (3, 0), (4, 0))
    without_the_last = chain[:-1]
    assert precedes(without_the_last, COMPLETES, (0, 0), (3, 0))


# ---------------------------------------------------------------- counting down


def loop(rounds: int, interlock: bool = True) -> Skeleton:
    """Loops at run time: one takes a credit and loads; one takes what it loaded, and computes.

    Each ends with a branch that reads what the instruction before it writes; with no ``interlock``
    the second one does not wait for that.
    """
    loads = [both(at_least(A, 1), post(A, -1)), move(B, 2), NOTHING, READS]
    computes = [both(at_least(B, 2), post(B, -2)), post(A), READS if interlock else NOTHING]
    return made(loads * rounds, [post(A), *computes * rounds])


def rounds_of(skeleton: Skeleton) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Of each round the transfer, and the instruction that takes what it loaded."""
    loads = [(0, s.index) for s in skeleton[0] if s.issue]
    takes = [(1, s.index) for s in skeleton[1] if s.change and s.change.value == -2]
    return zip(loads, takes, strict=True)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_usual_loop_of_purses_is_proved(rounds: int) -> None:
    skeleton, last = loop(rounds), None
    for load, take in rounds_of(skeleton):
        assert precedes(skeleton, LANDS, load, take)
        assert precedes(skeleton, LANDS, load, (1, take[1] + 1))
        if last is not None:  # the credit of a round is given back by the one before
            assert precedes(skeleton, COMPLETES, (1, last[1] + 1), load)
        last = take


def test_a_take_that_may_not_be_complete_at_the_next_wait_is_no_take_yet() -> None:
    skeleton = loop(2, interlock=False)
    assert [precedes(skeleton, LANDS, load, take) for load, take in rounds_of(skeleton)] == [
        True,
        False,
    ]


def test_a_purse_that_several_take_from_may_be_taken_from_too_often() -> None:
    take = both(at_least(A, 1), post(A, -1))
    assert Walk(made([post(A)], [take], [take], [take])).lowest[A] == -2
    held = both(at_least(A, 1), post(A, -1, at_start=True))
    assert Walk(made([post(A)], [held], [held])).lowest[A] == 0


# ---------------------------------------------------------------- sets and clears


def test_a_clear_that_is_ordered_on_both_sides_begins_a_new_life() -> None:
    skeleton = made(
        [post(A), both(at_least(B, 1), post(A))],
        [at_least(A, 1), post(A, 0, "="), replace(post(B), after=1), at_least(A, 1)],
    )
    assert precedes(skeleton, COMPLETES, (0, 0), (1, 0))
    assert precedes(skeleton, COMPLETES, (0, 1), (1, 3))
    assert not clocks(next(runs(skeleton))).unordered


def test_what_was_taken_before_a_set_ends_no_wait_for_less_than_was_set() -> None:
    def just(value: int) -> Step:
        return at_least(A, value, "==")

    taken = [both(just(0), post(A, -1)), just(-1)]
    skeleton = made(
        [*taken, both(just(-1), post(A, 1, "=")), just(1), both(just(1), post(A, 0, "=")), just(0)]
    )
    assert precedes(skeleton, COMPLETES, (0, 4), (0, 5))
    assert not clocks(next(runs(skeleton))).unordered


def test_only_a_set_leads_to_one_where_each_post_is_of_two() -> None:
    posts = [post(A, 2, at_start=True), post(A, 1, "="), Step(0, 0)]
    skeleton = made(posts, [both(at_least(A, 1, "=="), post(A, 2))])
    assert precedes(skeleton, COMPLETES, (0, 1), (1, 0))
    assert not clocks(next(runs(skeleton))).unordered


def test_a_clear_in_no_order_with_an_update_is_reported() -> None:
    skeleton = made([post(A)], [post(A, 0, "=")])
    (found,) = clocks(next(runs(skeleton))).unordered
    assert (found.counter, found.set, found.other) == (A, (1, 0), (0, 0))


def test_a_wait_for_just_a_value_may_be_overrun() -> None:
    skeleton = made([post(A)], [post(A)], [at_least(A, 1, "==")])
    assert Walk(skeleton).overrun == {(2, 0)}
    assert deadlocks(skeleton)


def test_the_definition_of_a_skeleton_is_one_thing_whichever_way_it_is_asked() -> None:
    skeleton = made([post(A)], [at_least(A, 1)])
    ways = definition(skeleton), Walk(skeleton).before
    assert [way(Event(COMPLETES, 0, 0), 1, 0) for way in ways] == [True, True]


@pytest.mark.turns(3)
def test_one_late_update_may_weaken_a_wait_a_hundred_queues_away() -> None:
    """Each sweep tells one queue more that the update before it has come to be a matter of luck."""
    length, queues = 150, []
    for k in range(length):
        back = post(k - 1) if k else NOTHING
        queues.append([at_least(k, 1), back, post(k + 1) if k + 1 < length else NOTHING])
    sure = made(*queues, [post(0)])
    steps_of = [*sure[length], *(step for queue in sure[:length] for step in queue)]
    late = made([post(length - 1)])[0][0]
    some = [(k - 1, k) for k in (1, 2, length // 2, length - 1)]

    def ordered(skeleton: Skeleton, order: list[Step]) -> list[bool]:
        clocked = clocks(Drawn(skeleton, tuple(order)))
        found = [clocked.before(Event(STARTS, one, 0), other, 0) for one, other in some]
        assert found == [before(skeleton, Event(STARTS, one, 0), other, 0) for one, other in some]
        return found

    assert ordered(sure, steps_of) == [True] * 4
    other = replace(late, queue=length + 1)
    assert ordered([*sure, [other]], [*steps_of, other]) == [False] * 4
