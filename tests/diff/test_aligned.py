"""Which line of one text is which of another."""

from __future__ import annotations

import random

import pytest

from nasm.runs.diff import alignment as module
from nasm.runs.diff.alignment import aligned


def test_lines_that_are_the_same_are_found_around_what_came_and_went() -> None:
    found = aligned(["a", "b", "c", "d", "e"], ["a", "x", "b", "d", "e", "y"])
    assert found == {0: 0, 1: 2, 3: 3, 4: 4}


def test_a_line_that_was_changed_is_the_one_in_its_place() -> None:
    before = ["@vector Memset a, 1.0", "@sync DmaCopy b, B", "@sync Nop"]
    after = ["@vector Memset a, 1.0", "@scalar DmaCopy b, B[0:4]", "@sync Nop"]
    assert aligned(before, after) == {0: 0, 1: 1, 2: 2}


def test_a_line_that_was_changed_among_new_ones_is_known_by_its_instruction() -> None:
    before = ["@sync DmaCopy a, A", "", "@sync Nop"]
    after = [".for k in 0..2", "@sync", "DmaCopy a{k}, A[k]", ".end", "", "@sync Nop"]
    found = aligned(before, after)
    assert found[0] == 2
    assert found[2] == 5


def test_texts_that_have_nothing_in_common_have_no_line_in_common() -> None:
    assert aligned(["Nop", "Nop", "Memset a"], ["Iota b"]) == {}
    assert aligned([], ["a"]) == aligned(["a"], []) == aligned([], []) == {}


@pytest.mark.parametrize(("count", "kinds"), [(60, 60), (60, 4), (3000, 3000), (3000, 5)])
def test_of_random_texts_most_lines_are_found_in_order(count: int, kinds: int) -> None:
    chosen = random.Random(count + kinds)
    before = [f"line {chosen.randrange(kinds)}" for _ in range(count)]
    after = list(before)
    for place in chosen.sample(range(count), 10):
        after[place] = "new"
    del after[20:23]
    found = aligned(before, after)
    pairs = sorted(found.items())
    assert [b for _, b in pairs] == sorted(set(found.values()))  # in order, each at most once
    same = sum(before[a] == after[b] for a, b in pairs)
    assert same >= count - 3 - 10 - 5  # a few next to a change may stay alone


def test_many_lines_that_repeat_themselves_are_not_compared_each_with_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("lines are compared each with each")

    monkeypatch.setattr(module, "SequenceMatcher", refuse)
    before = ["Nop"] * 2000
    found = aligned(before, [*before[:1000], "Drain", *before[1000:]])
    assert sorted(found) == list(range(2000))
