"""A tile multiplied from L1 to L1: errors by phase, and exact where nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.targets.tensix.matrix.formats import Format
from tests.tensix.matrix.matmul import multiplied, relative_error


@pytest.mark.parametrize(
    ("phases", "expected"), [(1, 2.6e-2), (2, 4.5e-3), (3, 3.9e-3), (4, 3.9e-3)]
)
def test_the_error_of_bf16_by_phases(phases: int, expected: float) -> None:
    # Published for random operands; another sample differs by a few hundredths.
    error = relative_error(Format.BF16, Format.BF16, wide=False, phases=phases, seed=2)
    assert error == pytest.approx(expected, rel=0.06)


def test_the_error_with_32_bits_of_dst_is_that_of_the_alignment() -> None:
    error = relative_error(Format.BF16, Format.BF16, wide=True, phases=4, seed=2)
    assert error == pytest.approx(3.2e-4, rel=0.06)


def test_fp32_sources_lose_what_tf32_and_the_multiplier_do_not_have() -> None:
    error = relative_error(Format.FP32, Format.TF32, wide=True, phases=4, seed=2)
    assert 5e-4 < error < 2e-3


def test_small_integers_multiply_exactly() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(-3, 4, (2, 32, 32)).astype(np.float32)
    found = multiplied(x, y, Format.BF16, Format.BF16, wide=True, phases=1)
    assert np.array_equal(found, x @ y)
