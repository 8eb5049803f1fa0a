"""Reads of what nobody wrote are told once, at the kernel's line, and change no value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Problem
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel_run import run

P, W = 8, 16
ONES = np.ones((P, W), np.float32)


def problems_of(kernel: Any, *arrays: Any) -> list[Problem]:
    """What is said of reads."""
    return [p for p in run(kernel, *arrays).report.hazards if p.code == "E0501"]


def tile(name: str, address: Any = None) -> Any:
    return nl.ndarray((P, W), nl.float32, buffer=nl.sbuf, name=name, address=address)


def out(shape: tuple[int, ...] = (P, W)) -> Any:
    return nl.ndarray(shape, nl.float32, buffer=nl.shared_hbm)


def after_another(x: Any) -> Any:
    """Reads a tile on the bytes of one that is over."""
    result, first = out(), tile("first", (0, 0))
    nisa.dma_copy(dst=first, src=x)
    nisa.dma_copy(dst=result, src=first)
    second = tile("second", (0, 0))
    nisa.memset(dst=second[:, 0:4], value=2.0)
    for _ in range(2):
        nisa.dma_copy(dst=result, src=second)
    return result


def test_a_tile_on_the_bytes_of_another_is_not_taken_to_be_written() -> None:
    (said,) = problems_of(after_another, ONES)
    assert said.message.endswith(
        "reads second, 96 of 128 elements of which nothing has written before"
    )
    assert said.span is not None
    assert said.span.text == "nisa.dma_copy(dst=result, src=second)"
    wanted = ONES.copy()
    wanted[:, :4] = 2
    np.testing.assert_array_equal(run(after_another, ONES).outputs, wanted)


def test_what_was_written_part_by_part_is_written() -> None:
    def kernel(x: Any) -> Any:
        result, mine = out(), tile("mine")
        for part in range(4):
            nisa.memset(dst=mine[:, 4 * part : 4 * part + 4], value=1.0)
        nisa.dma_copy(dst=result, src=mine)
        return result

    assert problems_of(kernel, ONES) == []


@pytest.mark.parametrize("writes", [True, False])
def test_what_the_other_core_writes_is_not_taken_to_be_unwritten(writes: bool) -> None:
    def kernel(x: Any) -> Any:
        result, core = out(), nl.program_id(0)
        middle = nl.ndarray((P, W), nl.float32, buffer=nl.shared_hbm, name="middle")
        if core == 0 and writes:
            nisa.dma_copy(dst=middle, src=x)
        nisa.core_barrier(result, (0, 1))
        if core == 1:
            nisa.dma_copy(dst=result, src=middle)
        return result

    found = [p for p in run(kernel, ONES, lnc=2).report.hazards if p.code == "E0501"]
    assert len(found) == (not writes)


def test_a_barrier_that_names_a_tile_does_not_write_it() -> None:
    def kernel(x: Any) -> Any:
        result, mine, other = out(), tile("mine", (0, 0)), tile("other", (0, 0))
        nisa.memset(dst=other, value=1.0)
        nisa.dma_copy(dst=result, src=other)
        nisa.core_barrier(mine, (0, 1))
        if nl.program_id(0) == 1:
            nisa.dma_copy(dst=result, src=mine)
        return result

    found = [p for p in run(kernel, ONES, lnc=2).report.hazards if p.code == "E0501"]
    assert [p.facts["tensor"] for p in found] == ["mine_c1"]


def test_a_read_of_bytes_that_were_never_written_is_reported_once() -> None:
    def kernel(x: Any) -> Any:
        result, mine = out(), tile("mine")
        nisa.dma_copy(dst=result, src=mine)
        return result

    (said,) = problems_of(kernel, ONES)
    assert said.facts["tensor"] == "mine"


def test_a_tile_that_a_later_line_of_a_loop_writes_is_read_too_early() -> None:
    def kernel(x: Any) -> Any:
        result, first = out(), tile("first", (0, 0))
        nisa.dma_copy(dst=first, src=x)
        nisa.dma_copy(dst=result, src=first)
        state = tile("state", (0, 0))
        for _ in nl.dynamic_range(2):
            nisa.dma_copy(dst=result, src=state)
            nisa.memset(dst=state, value=1.0)
        return result

    (said,) = problems_of(kernel, ONES)
    assert said.message.endswith("reads state, which nothing has written before")


def test_what_a_register_addresses_is_taken_to_be_written() -> None:
    def kernel(x: Any) -> Any:
        result, mine = out(), tile("mine")
        for i in nl.dynamic_range(W):
            nisa.dma_copy(dst=mine.select(1, i), src=x.select(1, i))
        nisa.dma_copy(dst=result, src=mine)
        return result

    assert problems_of(kernel, ONES) == []


def stale(kernel: Any, *arrays: Any) -> list[Problem]:
    """What is said of reads of what another tile has taken."""
    return [p for p in run(kernel, *arrays).report.hazards if p.code == "E0523"]


def taken_too_early(x: Any) -> Any:
    """Reads the first tile once the second has its bytes."""
    result, first, second = out(), tile("first", (0, 0)), tile("second", (0, 32))
    nisa.dma_copy(dst=first, src=x)
    nisa.memset(dst=second, value=2.0)
    nisa.dma_copy(dst=result, src=first)
    return result


def test_a_tile_that_another_one_has_taken_is_reported_with_both_places() -> None:
    (said,) = stale(taken_too_early, ONES)
    assert said.message == (
        "DmaCopy on gpsimd reads first after second was written to the same bytes: both are "
        "placed there by hand"
    )
    assert said.span is not None
    assert said.span.text == "nisa.dma_copy(dst=result, src=first)"
    (note,) = said.notes
    assert note.message == "Memset on gpsimd has written second there"
    wanted = ONES.copy()
    wanted[:, 8:] = 2
    np.testing.assert_array_equal(run(taken_too_early, ONES).outputs, wanted)


def test_what_is_read_before_or_beside_what_was_taken_is_not_reported() -> None:
    def before(x: Any) -> Any:
        result, first, second = out(), tile("first", (0, 0)), tile("second", (0, 32))
        nisa.dma_copy(dst=first, src=x)
        nisa.dma_copy(dst=result, src=first)
        nisa.memset(dst=second, value=2.0)
        nisa.dma_copy(dst=result, src=second)
        return result

    def beside(x: Any) -> Any:
        result, first, second = out((P, 8)), tile("first", (0, 0)), tile("second", (0, 32))
        nisa.dma_copy(dst=first, src=x)
        nisa.memset(dst=second, value=2.0)
        nisa.dma_copy(dst=result, src=first[:, 0:8])
        return result

    def again(x: Any) -> Any:
        result, first, second = out(), tile("first", (0, 0)), tile("second", (0, 32))
        nisa.dma_copy(dst=first, src=x)
        nisa.memset(dst=second, value=2.0)
        nisa.dma_copy(dst=result, src=second)
        nisa.dma_copy(dst=first[:, 8:16], src=x[:, 8:16])
        nisa.dma_copy(dst=result, src=first)
        return result

    assert not stale(before, ONES)
    assert not stale(beside, ONES)
    assert not stale(again, ONES)


def test_buffers_in_turn_are_enough_or_one_too_few() -> None:
    def turning(count: int) -> Any:
        def kernel(x: Any) -> Any:
            result = out()
            tiles = [tile(f"t{i}", (0, 64 * (i % count))) for i in range(3)]
            for each in tiles[:2]:
                nisa.dma_copy(dst=each, src=x)
            for i in range(3):
                if i:
                    nisa.dma_copy(dst=tiles[(i + 1) % 3], src=x)
                nisa.dma_copy(dst=result, src=tiles[i])
            return result

        return kernel

    assert not stale(turning(3), ONES)
    assert stale(turning(2), ONES)
