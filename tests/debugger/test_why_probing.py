"""Which elements a function's result depends on: functions whose answer is plain to see."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.debugger.origins.dependence import Patience, Probe, guarded, merged, progressions

X = np.arange(1, 25, dtype=np.float32).reshape(4, 6)
Y = X[::-1].copy()


def asked(
    function: Callable[..., Any],
    *arguments: Any,
    numbers: tuple[float, ...] = (),
    patience: int | None = None,
) -> Any:
    """The elements that matter, argument by argument."""

    def call(given: list[Any]) -> bytes:
        return np.asarray(function(*given)).tobytes()

    places = [(n, ()) for n in range(len(arguments))]
    found: list[set[tuple[int, ...]]] = [set() for _ in arguments]
    left = None if patience is None else Patience(patience)
    for box in Probe(guarded(call), list(arguments), places, numbers, left).needed():
        grids = np.meshgrid(*box.axes, indexing="ij")
        found[box.argument] |= set(zip(*(g.reshape(-1).tolist() for g in grids), strict=True))
    return found


def test_a_copy_depends_on_one_element() -> None:
    assert asked(lambda x: x[2, 3], X) == [{(2, 3)}]


def test_a_transpose_depends_on_one_element() -> None:
    assert asked(lambda x: x.T[3, 2], X) == [{(2, 3)}]


def test_a_sum_depends_on_its_row_and_a_product_on_row_and_column() -> None:
    assert asked(lambda x: x[1].sum(), X) == [{(1, k) for k in range(6)}]
    found = asked(lambda x, y: (x.T @ y)[2, 5], X, Y)
    assert found == [{(k, 2) for k in range(4)}, {(k, 5) for k in range(4)}]


def test_every_other_element_is_a_progression() -> None:
    wide = np.arange(200, dtype=np.float32)[None]
    assert asked(lambda x: x[0, 1::3].sum(), wide) == [{(0, k) for k in range(1, 200, 3)}]


def test_a_diagonal_is_no_box() -> None:
    square = X[:, :4].copy()
    assert asked(np.trace, square) == [{(k, k) for k in range(4)}]


def test_with_less_patience_boxes_are_larger() -> None:
    square = X[:, :4].copy()
    diagonal, everything = {(k, k) for k in range(4)}, {(i, k) for i in range(4) for k in range(4)}
    found = [asked(np.trace, square, patience=left)[0] for left in (0, 5_000, 10_000, 100_000)]
    assert found[0] == everything
    assert all(few <= more for more, few in pairwise(found))
    assert found[-1] == diagonal


def test_where_a_value_came_from_is_found_without_a_clock() -> None:
    for path in Path("nasm/debugger/origins").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "processor_time" not in text, path
        assert "import time" not in text, path


def test_the_branch_that_was_not_taken_does_not_matter() -> None:
    mask = np.array([[0.0, 1.0]], np.float32)
    found = asked(lambda m, x, y: np.where(m != 0, x[:1, :2], y[:1, :2])[0, 1], mask, X, Y)
    assert found == [{(0, 1)}, {(0, 1)}, set()]


@pytest.mark.parametrize("nan_wins", [True, False])
def test_each_element_of_a_maximum_matters(nan_wins: bool) -> None:
    largest = np.max if nan_wins else np.fmax.reduce
    assert asked(lambda x: largest(x[3]), X) == [{(3, k) for k in range(6)}]


def test_equality_is_found_whatever_it_compares_with() -> None:
    assert asked(lambda x: x[0, 0] == 12345.5, X, numbers=(12345.5,)) == [{(0, 0)}]
    assert asked(lambda x, y: x[0, 0] == y[0, 0], X, Y * 7) == [{(0, 0)}, {(0, 0)}]
    assert asked(lambda x: x[0, 0] + 3 == 7.25, X, numbers=(3.0, 7.25)) == [{(0, 0)}]


def test_what_only_matters_together_is_named() -> None:
    ones = np.ones((2, 2), np.float32)
    either = asked(lambda x, y: (x[0, 1] != 0) | (y[1, 0] != 0), ones, ones)
    assert either == [{(0, 1)}, {(1, 0)}]


def test_an_index_matters_and_what_it_picks() -> None:
    picks = np.array([2, 0, 5], np.uint32)
    assert asked(lambda x, i: x[1, i[0]], X, picks) == [{(1, 2)}, {(0,)}]


def test_nothing_matters_to_a_constant() -> None:
    assert asked(lambda x: np.float32(3), X) == [set()]


def test_numbers_are_arguments_too() -> None:
    assert asked(lambda a, b: a + 0 * b, 5, 7) == [{(0,)}, set()]


def test_indices_become_few_progressions() -> None:
    assert progressions([3]) == [range(3, 4)]
    assert progressions([0, 2, 4, 6]) == [range(0, 7, 2)]
    assert progressions([0, 5, 6, 7]) == [range(1), range(5, 8)]
    assert merged([(range(1), range(2, 3)), (range(1, 2), range(2, 3))]) == [
        (range(2), range(2, 3))
    ]
