"""What differs between two values: worked by hand, and with what is not known left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nasm.base.files import Allowed
from nasm.base.problems import Refused
from nasm.debugger.values.differences import difference, kept, of_file
from nasm.language.expectations.records import Mismatch
from nasm.show import differences
from tests.debugger.test_statistics import value

LEFT = np.float32([[1, 2], [3, 4]])


def test_equal_values() -> None:
    found = difference(value(LEFT), value(LEFT.astype(np.float64)))
    assert (found.same, found.differing, found.size, found.largest) == (True, 0, 4, 0.0)
    assert differences.shown(found, 80) == ["4 elements: equal"]


def test_the_worst_places_come_first() -> None:
    found = difference(value(LEFT), value(np.float32([[1, 2.5], [3, 2]])))
    assert (found.differing, found.largest) == (2, 2.0)
    assert found.worst == (Mismatch((1, 1), 4.0, 2.0, 2.0), Mismatch((0, 1), 2.0, 2.5, 0.5))
    assert differences.shown(found, 80) == [
        "2 of 4 elements differ; the worst:",
        "  at      t    t  difference",
        "  [1, 1]  4    2           2",
        "  [0, 1]  2  2.5         0.5",
    ]


def test_a_tolerance_is_of_the_right_and_what_is_not_given_allows_nothing() -> None:
    right = value(np.float32([[1, 2.5], [3, 5]]))
    assert difference(value(LEFT), right, rtol=0.2).same  # 0.5 of 2.5, 1 of 5
    assert difference(value(LEFT), right, rtol=0.199).differing == 2
    assert difference(value(LEFT), right, atol=0.5).differing == 1
    assert difference(value(LEFT), right, atol=0.99998).differing == 1  # no rtol of its own
    close = differences.shown(difference(value(LEFT), right, atol=1), 80)
    assert close == ["4 elements: close, the largest difference is 1"]


def test_nan_equals_nan_and_nothing_else() -> None:
    one, other = np.float32([np.nan, 1, np.inf]), np.float32([np.nan, np.nan, np.inf])
    assert difference(value(one), value(one)).same
    found = difference(value(one), value(other))
    assert found.differing == 1
    assert np.isnan(found.largest)


def test_what_is_not_known_is_not_compared() -> None:
    hidden = [[1, 0], [0, 0]]
    found = difference(value(np.add(LEFT, [[5, 0], [0, 1]]), hidden), value(LEFT))
    assert (found.differing, found.unknown) == (1, 1)
    assert differences.shown(found, 80)[0] == (
        "1 of 3 elements (1 more are uninitialised) differ; the worst:"
    )
    none = difference(value(LEFT, np.ones((2, 2))), value(LEFT))
    assert differences.shown(none, 80) == ["nothing to compare: all 4 elements are uninitialised"]


def test_shapes_broadcast_or_are_refused() -> None:
    assert difference(value(LEFT), value(np.float32([1, 2]))).differing == 2
    with pytest.raises(Refused, match="do not match"):
        difference(value(LEFT, np.zeros((2, 2))), value(np.zeros(3), [0, 0, 1]))


def test_a_file_is_read_as_the_left_side_is_stored(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", LEFT)
    found = of_file(value(LEFT), str(tmp_path / "a.npy"), Allowed())
    assert difference(value(LEFT), found).same
    with pytest.raises(Refused, match="shape"):
        of_file(value(LEFT[0]), str(tmp_path / "a.npy"), Allowed())
    with pytest.raises(Refused, match="no file"):
        of_file(value(LEFT), str(tmp_path / "b.npy"), Allowed())
    with pytest.raises(Refused, match="may not be read"):
        of_file(value(LEFT), str(tmp_path / "a.npy"), Allowed.of(False))


def test_a_kept_value_stays() -> None:
    array = LEFT.copy()
    now = value(array)
    then = kept(now)
    array[0, 0] = 9
    assert difference(now, then).worst == (Mismatch((0, 0), 9.0, 1.0, 8.0),)
