"""BatchNormStats and BatchNormAggregate: worked by hand, and as the vendor's test uses them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.neuron.programs import psum, ran, result, sbuf


def stats(data: list[float], dtype: str = "f32") -> list[float]:
    got = result("@vector BatchNormStats c, a", a=psum(dtype, [data]), c=sbuf("f32", (1, 6)))
    return [float(v) for v in got[0]]


@pytest.mark.parametrize(
    ("data", "want"),
    [
        # Even 1, 3, 8: mean 4, 9 + 1 + 16 = 26. Odd 2, 6: mean 4, 4 + 4 = 8.
        ([1, 2, 3, 6, 8], [3, 4, 26, 2, 4, 8]),
        ([7], [1, 7, 0, 0, 0, 0]),
        ([5, -5], [1, 5, 0, 1, -5, 0]),
    ],
)
def test_even_and_odd_elements_by_index_have_their_own_statistics(
    data: list[float], want: list[float]
) -> None:
    assert stats(data) == want
    assert stats(data, "i16") == want


def aggregate(data: list[float]) -> list[float]:
    size = len(data)
    got = result(
        "@vector BatchNormAggregate c, a.reshape(1, " + str(size) + ")",
        a=sbuf("f32", [data]),
        c=sbuf("f32", (1, 2)),
    )
    return [float(v) for v in got[0]]


def test_triples_are_aggregated() -> None:
    # Of 1, 2, 3, 6, 8: mean 20 / 5 = 4; (26 + 8 + 0) / 5 = 6.8
    assert aggregate([3, 4, 26, 2, 4, 8]) == [4, float(np.float32(6.8))]
    # 2 elements of mean 1 and 2 of mean 3, none of which varies: mean 2, variance 1.
    assert aggregate([2, 1, 0, 2, 3, 0]) == [2, 1]
    # An empty part changes nothing.
    assert aggregate([1, 7, 0, 0, 0, 0]) == [7, 0]


def test_nothing_at_all_has_no_mean() -> None:
    assert np.isnan(aggregate([0, 0, 0])).all()


@pytest.mark.parametrize("pieces", [1, 2])
def test_together_they_give_numpys_mean_and_variance(pieces: int) -> None:
    """The vendor's test: 128x128 in one piece, 128x1024 in two."""
    size = 128 if pieces == 1 else 512
    data = np.random.default_rng(pieces).random((128, pieces * size), np.float32) * 100
    lines = [
        f"BatchNormStats s[:, {6 * n} : +6], a[:, {n * size} : +{size}]" for n in range(pieces)
    ]
    done = ran(
        "\n".join(["@vector", *lines, "BatchNormAggregate c, s"]),
        a=sbuf("f32", data),
        s=sbuf("f32", (128, 6 * pieces)),
        c=sbuf("f32", (128, 2)),
    )
    got = done.read("c")
    # The vendor compares with numpy's defaults.
    np.testing.assert_allclose(got[:, 0], data.mean(1), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(got[:, 1], data.var(1), rtol=1e-5, atol=1e-8)
