"""ATGETM and ATRELM: who holds what, who waits, and whose turn comes after a release."""

from __future__ import annotations

import pytest

from nasm.targets.tensix.state import NO_THREAD
from nasm.targets.tensix.sync.gate import STALLWAIT
from nasm.targets.tensix.sync.mutexes import ATGETM, ATRELM, waits_for_mutex, waits_to_release, want
from tests.tensix.scalar.cores import made


def test_a_mutex_is_held_until_it_is_released() -> None:
    core = made()
    assert waits_for_mutex(core, 1, 3) is None
    ATGETM(core, 1, 3)
    held = waits_for_mutex(core, 0, 3)
    assert held is not None
    assert (held.cause, held.reason, held.by) == ("mutex", "mutex 3 is held by t1", (1,))
    assert waits_for_mutex(core, 1, 3) is None
    assert waits_for_mutex(core, 0, 4) is None
    ATRELM(core, 1, 3)
    assert waits_for_mutex(core, 0, 3) is None
    assert (core.mutexes == NO_THREAD).all()


def test_a_release_of_what_another_holds_does_nothing() -> None:
    core = made()
    ATGETM(core, 2, 0)
    ATRELM(core, 1, 0)
    assert core.mutexes[0] == 2


@pytest.mark.parametrize("index", [1, 8, 0xFFFF])
def test_there_are_seven_and_the_others_wait_for_ever(index: int) -> None:
    core = made()
    for wait in (waits_for_mutex(core, 0, index), waits_to_release(core, index)):
        assert wait is not None
        assert "waits forever" in wait.reason
        assert wait.until is None
    assert [i for i in range(9) if waits_to_release(core, i) is None] == [0, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("thread", range(3))
def test_of_two_that_wait_the_next_in_turn_is_given_the_mutex(thread: int) -> None:
    core = made()
    ATGETM(core, thread, 5)
    first, second = (thread + 1) % 3, (thread + 2) % 3
    want(core, second, 5)
    want(core, first, 5)
    ATRELM(core, thread, 5)
    assert core.mutexes[5] == first
    assert waits_for_mutex(core, first, 5) is None
    assert waits_for_mutex(core, second, 5) is not None
    ATGETM(core, first, 5)
    ATRELM(core, first, 5)
    assert core.mutexes[5] == NO_THREAD


def test_who_is_held_at_the_gate_or_wants_another_does_not_wait_for_it() -> None:
    core = made()
    ATGETM(core, 0, 5)
    want(core, 1, 4)
    want(core, 2, 5)
    ATRELM(core, 0, 5)
    assert core.mutexes[5] == NO_THREAD
    ATGETM(core, 0, 5)
    want(core, 1, 5)
    STALLWAIT(core, 1, 0b10, 1)
    ATRELM(core, 0, 5)
    assert core.mutexes[5] == NO_THREAD
