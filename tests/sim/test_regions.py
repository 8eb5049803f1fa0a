"""Regions: which bytes an access touches, and which accesses overlap."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nasm.views.regions import Region, covers, intersect, overlap
from tests.parts import examples


def touched(region: Region) -> set[tuple[int, int]]:
    """Every (row, byte) a region touches, by a plain loop."""
    first, count, step = region.rows
    found = set()
    for row in range(count):
        for index in itertools.product(*(range(n) for _, n in region.dims)):
            at = region.start + sum(i * s for i, (s, _) in zip(index, region.dims, strict=True))
            found |= {(first + step * row, at + b) for b in range(region.itemsize)}
    return found


@st.composite
def regions(draw: st.DrawFn) -> Region:
    """A small region with strides of any sign."""
    dims = tuple(
        draw(st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 4)), min_size=0, max_size=2))
    )
    size, start = draw(st.sampled_from([1, 2, 4])), draw(st.integers(60, 80))
    reach = [s * (n - 1) for s, n in dims]
    low = start + sum(r for r in reach if r < 0)
    high = start + sum(r for r in reach if r > 0) + size
    rows = (draw(st.integers(5, 8)), draw(st.integers(1, 5)), draw(st.integers(-2, 6)))
    return Region("0.m", rows, low, high, start, dims, size)


@given(regions(), regions())
def test_overlap_is_exact(a: Region, b: Region) -> None:
    assert overlap(a, b) == bool(touched(a) & touched(b))
    assert overlap(b, a) == overlap(a, b)


@st.composite
def scattered(draw: st.DrawFn) -> Region:
    """Runs of bytes in one row."""
    edges = sorted(draw(st.sets(st.integers(40, 120), min_size=2, max_size=8)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    runs = tuple((low, high) for low, high in pairs)
    low, high = runs[0][0], runs[-1][1]
    return Region("0.m", (draw(st.integers(5, 8)), 1, 1), low, high, low, (), 1, runs)


@given(scattered(), st.one_of(regions(), scattered()))
def test_overlap_of_runs_is_exact(a: Region, b: Region) -> None:
    def every(region: Region) -> set[tuple[int, int]]:
        row = region.rows[0]
        if not region.runs:
            return touched(region)
        return {(row, at) for low, high in region.runs for at in range(low, high)}

    assert overlap(a, b) == bool(every(a) & every(b))
    assert overlap(b, a) == overlap(a, b)


def test_regions_of_different_places_never_intersect() -> None:
    a = Region("0.m", (0, 1, 1), 0, 4, 0, (), 4)
    b = Region("1.m", (0, 1, 1), 0, 4, 0, (), 4)
    assert not intersect((a,), (b,))
    assert intersect((a,), (b, a))


@st.composite
def boxes(draw: st.DrawFn) -> Region:
    """Runs of one length that lie one of two pitches apart."""
    pitch, count = draw(st.sampled_from([-12, 12, 12, 12, 16])), draw(st.integers(1, 5))
    length, start = draw(st.integers(1, 14)), draw(st.integers(60, 130))
    reach = pitch * (count - 1)
    low, high = start + min(0, reach), start + max(0, reach) + length
    return Region("0.m", (0, 1, 1), low, high, start, ((pitch, count), (1, length)), 1)


@settings(max_examples=examples(500, 62))
@given(boxes(), boxes())
def test_overlap_of_boxes_is_exact(a: Region, b: Region) -> None:
    assert overlap(a, b) == bool(touched(a) & touched(b))
    assert overlap(b, a) == overlap(a, b)


def test_tiles_side_by_side_in_a_large_tensor_do_not_overlap_and_are_not_enumerated() -> None:
    def tile(column: int) -> Region:
        start = 4 * column
        high = start + 127 * 4 * 8192 + 4 * 2048
        return Region("0.hbm", (0, 1, 1), start, high, start, ((4 * 8192, 128), (4, 2048)), 4)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Region, "spans", lambda _: pytest.fail("enumerated"))
        assert not overlap(tile(0), tile(2048))
        assert overlap(tile(0), tile(2047))
        assert overlap(tile(4096), tile(4096))


@st.composite
def rectangles(draw: st.DrawFn) -> Region:
    """Rows of rows of runs, as views of a few large tensors with pitches in common walk them."""
    pitches = draw(st.sampled_from([(48, 12), (48, 6), (24, 6), (60, 12), (12, 3)]))
    counts = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    length, start = draw(st.integers(1, 13)), draw(st.integers(300, 420))
    signs = draw(st.sampled_from([(1, 1), (1, -1), (-1, 1)]))
    dims = tuple((s * p, n) for s, p, n in zip(signs, pitches, counts, strict=True))
    reach = [s * (n - 1) for s, n in dims]
    low, high = start + sum(r for r in reach if r < 0), start + sum(r for r in reach if r > 0)
    return Region("0.m", (0, 1, 1), low, high + length, start, (*dims, (1, length)), 1)


@settings(max_examples=examples(1000, 125))
@given(rectangles(), rectangles())
def test_overlap_of_rectangles_is_exact(a: Region, b: Region) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Region, "spans", lambda _: pytest.fail("enumerated"))
        assert overlap(a, b) == bool(touched(a) & touched(b))
        assert overlap(b, a) == overlap(a, b)


@settings(max_examples=examples(1000, 125))
@given(st.one_of(rectangles(), boxes()), st.one_of(rectangles(), boxes()), st.booleans())
def test_what_one_region_covers_of_another_is_exact(a: Region, b: Region, moved: bool) -> None:
    if moved:  # into the other's corner, where it is more often covered
        ahead = a.low - b.low
        b = b._replace(start=b.start + ahead, low=a.low, high=b.high + ahead)
    assert covers(a, b) == (touched(b) <= touched(a))


def test_patterns_that_have_nothing_in_common_are_enumerated_in_the_end() -> None:
    def woven(start: int) -> Region:
        dims = tuple((2 * 3**n, 3) for n in reversed(range(8)))
        high = start + sum(s * (n - 1) for s, n in dims) + 1
        return Region("0.hbm", (0, 1, 1), start, high, start, dims, 1)

    def other(start: int) -> Region:
        dims = tuple((2 * 5**n, 4) for n in reversed(range(6)))
        high = start + sum(s * (n - 1) for s, n in dims) + 1
        return Region("0.hbm", (0, 1, 1), start, high, start, dims, 1)

    assert not overlap(woven(0), other(1))
    assert overlap(woven(0), other(2))
