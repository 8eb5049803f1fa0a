"""Vector's transposes: quicker after one between the same pair of quadrants."""

from __future__ import annotations

from itertools import pairwise

from tests.neuron.programs import cost, ran, sbuf, times

# 93 ns are 90 cycles of 0.96 GHz, 234 are 225; a cycle is 5 ticks. Results come after 233 ns.
SAME, OTHER, DONE = 90 * 5, 225 * 5, 225 * 5
TILES = {
    "a": sbuf("f32", [[1.0] * 512] * 128),
    "b": sbuf("f32", (128, 512)),
    "c": sbuf("f32", [[1.0] * 32] * 128),
    "d": sbuf("f32", (128, 32)),
}


def timed(lines: str, on: str = "trn2") -> tuple[list[int], list[int]]:
    """From start to start, and from start to completion, of transposes by quadrant."""
    found = times(ran(f"@vector\n{lines}", on, **TILES), "vector")
    return [b - a for (a, _), (b, _) in pairwise(found)], [b - a for a, b in found]


def block(src: int, dst: int) -> str:
    return f"Transpose d[{32 * dst} : +32, :], c[{32 * src} : +32, :]\n"


def test_the_first_and_another_pair_take_longer() -> None:
    pairs = [(0, 0), (0, 0), (0, 1), (0, 1), (0, 1), (1, 1), (1, 0), (0, 1)]
    gaps, latencies = timed("".join(block(*pair) for pair in pairs))
    assert gaps == [OTHER, SAME, OTHER, SAME, SAME, OTHER, OTHER]
    assert latencies == [DONE] * 8


def test_other_instructions_between_make_no_difference() -> None:
    gaps, _ = timed(block(2, 2) + "Memset b[:, 0:1], 0.0\n" + block(2, 2) + block(2, 2))
    assert gaps == [OTHER, 64 * 5, SAME]


def test_a_long_transpose_changes_quadrants_behind_its_elements() -> None:
    gaps, latencies = timed("Transpose b, a\n" * 3 + block(0, 0) + block(0, 0))
    assert gaps == [(512 + 135) * 5, 512 * 5, 512 * 5, OTHER]
    assert latencies == [(512 + 135) * 5] * 3 + [DONE] * 2


def test_v2_has_one_time_for_all() -> None:
    gaps, _ = timed(block(0, 0) + block(1, 0) + block(1, 0), "trn1")
    assert gaps == [64 * 5] * 2
    assert cost("@vector Transpose b, a", "trn1", **TILES).pace == ""
