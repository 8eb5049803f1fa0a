"""Stores, loans and regions: what a byte is, whose it is, and which accesses meet."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nasm.sim.memory import POISON, Loan, Region, Store, meet, overlap


def test_unwritten_memory_is_poison() -> None:
    store = Store("m", 2, 8)
    assert (store.data == POISON).all()
    assert np.isnan(store.array(np.float32, 0, 0, (2, 2), (8, 4))).all()


def test_a_store_that_begins_elsewhere_finds_its_bytes() -> None:
    store = Store("m", 2, 8, row=32, base=100)
    store.put(store.array(np.uint8, 33, 104, (1, 2), (8, 1)), np.array([[5, 6]], np.uint8))
    assert store.data[1, 4:6].tolist() == [5, 6]


def test_a_loan_keeps_what_was_lent_when_the_store_changes() -> None:
    store = Store("m", 1, 4)
    bytes_ = store.array(np.uint8, 0, 0, (1, 4), (4, 1))
    store.put(bytes_, np.array([[1, 2, 3, 4]], np.uint8))
    loan = Loan(store, bytes_)
    store.put(bytes_, np.array([[9, 9, 9, 9]], np.uint8))
    assert loan.take().tolist() == [[1, 2, 3, 4]]
    assert store.data.tolist() == [[9, 9, 9, 9]]


def test_a_loan_within_one_store_is_read_before_it_is_written() -> None:
    store = Store("m", 1, 4)
    whole = store.array(np.uint8, 0, 0, (1, 4), (4, 1))
    store.put(whole, np.array([[1, 2, 3, 4]], np.uint8))
    loan = Loan(store, store.array(np.uint8, 0, 0, (1, 3), (4, 1)))
    store.put_loan(store.array(np.uint8, 0, 1, (1, 3), (4, 1)), loan)
    assert store.data.tolist() == [[1, 1, 2, 3]]
    assert not store.loans


def test_an_untouched_loan_is_not_copied_and_ends() -> None:
    store, other = Store("m", 1, 4), Store("m", 1, 4)
    source = store.array(np.uint8, 0, 0, (1, 4), (4, 1))
    store.put(source, np.array([[1, 2, 3, 4]], np.uint8))
    loan = Loan(store, source)
    other.put_loan(other.array(np.uint8, 0, 0, (1, 4), (4, 1)), loan)
    assert loan.values is source
    assert not store.loans
    assert other.data.tolist() == [[1, 2, 3, 4]]


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
    rows = (draw(st.integers(5, 8)), draw(st.integers(1, 4)), draw(st.sampled_from([-1, 1, 2, 3])))
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


def test_regions_of_different_places_never_meet() -> None:
    a = Region("0.m", (0, 1, 1), 0, 4, 0, (), 4)
    b = Region("1.m", (0, 1, 1), 0, 4, 0, (), 4)
    assert not meet((a,), (b,))
    assert meet((a,), (b, a))
