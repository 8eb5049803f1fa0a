"""What rounds of a loop have in common, by hand."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from nasm.language.editing.rounds import (
    IN_ALL,
    LEAST,
    WORK,
    RangeEnd,
    Round,
    Rounds,
    SearchWork,
    Sentence,
    sentences,
)

Wanted = dict[Round, list[Round]]


def written(found: list[Sentence] | None, own: Rounds, bounds: list[RangeEnd] | None = None) -> str:
    assert found is not None
    made = []
    for one in found:
        places = zip(one.indices, bounds or [None] * len(one.indices), strict=True)
        indices = ", ".join(index.text(own.variables, bound) for index, bound in places)
        condition = one.condition(own.variables)
        made.append(f"x[{indices}]" + (f" if {condition}" if condition else ""))
    return "; ".join(made)


def of(*variables: str, sizes: tuple[int, ...] = (8,)) -> Rounds:
    return Rounds(variables, tuple(product(*map(range, sizes))))


def said(own: Rounds, other: Rounds, wanted: Wanted, may: object = None) -> str:
    """The sentences for what is wanted, if nothing else may be said, or what ``may`` allows."""
    pairs = {(one, two) for one, some in wanted.items() for two in some}
    allowed = pairs if may is None else may
    found = sentences(own, other, wanted, lambda one, two: (one, two) in allowed)  # type: ignore[operator]
    if found is not None:
        assert {
            (v, w) for v in own.rounds for w in other.rounds if any(s.says(v, w) for s in found)
        } >= pairs
    return "none" if found is None else written(found, own)


R = of("r")


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({(r,): [(r,)] for r in range(8)}, "x[r]"),
        ({(r,): [(r - 2,)] for r in range(2, 8)}, "x[r - 2] if r >= 2"),
        ({(r,): [(r + 1,)] for r in range(7)}, "x[r + 1] if r <= 6"),
        ({(r,): [(3,)] for r in range(8)}, "x[3]"),
        ({(4,): [(0,)]}, "x[0] if r == 4"),
        ({(r,): [(0,), (1,), (2,)] for r in range(8)}, "x[0..3]"),
        ({(r,): [(r,), (r - 1,)] if r else [(r,)] for r in range(8)}, "x[r]; x[r - 1] if r >= 1"),
        ({(r,): [((r * r) % 8,)] for r in range(8)}, "none"),
    ],
)
def test_of_one_loop(wanted: Wanted, text: str) -> None:
    assert said(R, R, wanted) == text


def test_what_follows_in_other_rounds_may_be_said_of_all() -> None:
    every = {((r,), ()) for r in range(8)}
    assert said(R, Rounds((), ((),)), {(0,): [()]}, every) == "x[]"
    assert said(R, Rounds((), ((),)), {(0,): [()]}) == "x[] if r == 0"


def test_the_round_before_of_two_loops() -> None:
    own = of("m", "k", sizes=(3, 4))
    wanted = {}
    for m, k in own.rounds:
        if (m, k) != (0, 0):
            wanted[m, k] = [(m, k - 1) if k else (m - 1, 3)]
    text = said(own, own, wanted)
    assert text == "x[m, k - 1] if k >= 1; x[m - 1, 3] if m >= 1 and k == 0"


def test_the_last_round_is_called_by_the_bound_of_its_loop() -> None:
    found = sentences(Rounds((), ((),)), R, {(): [(7,)]}, lambda one, two: True)
    assert written(found, Rounds((), ((),)), [RangeEnd("N", 8)]) == "x[N - 1]"
    assert written(found, Rounds((), ((),)), [RangeEnd("N", 9)]) == "x[7]"
    found = sentences(Rounds((), ((),)), R, {(): [(n,) for n in range(8)]}, lambda one, two: True)
    assert written(found, Rounds((), ((),)), [RangeEnd("N", 8)]) == "x[0..N]"


def test_an_index_is_the_variable_of_the_same_name_if_it_can_be() -> None:
    own, other = of("a", "b", sizes=(2, 2)), of("b", sizes=(2,))
    wanted = {(a, b): [(b,)] for a, b in own.rounds}
    assert said(own, other, wanted) == "x[b]"


def test_searches_for_steep_sentences_have_so_much_work_in_all_and_each_a_little() -> None:
    draw, own, other = Random(7), of(*"njmi", sizes=(2,) * 4), of(*"njmik", sizes=(4,) * 5)
    wanted = {one: draw.sample(other.rounds, 6) for one in own.rounds}
    work, spent = SearchWork(), []
    for _ in range(5):
        before = work.left
        assert sentences(own, other, wanted, lambda one, two: True, work) is None
        spent.append(before - work.left)
    assert spent[0] == pytest.approx(WORK, rel=0.01)
    assert spent[-1] == pytest.approx(LEAST, rel=0.02)
    assert sum(spent) < IN_ALL + 5 * LEAST
