"""Transfers: copies, transposes, sums, and what a tile or a register of entries names."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel import trace
from tests.nki.minikernel import Array, loaded, psum, result, sbuf, seeded, stored

BF16 = ml_dtypes.bfloat16
A = seeded(1, 64, 32)
ROWS = np.array([[5], [0], [63], [17]] * 4, np.uint32)


def refused(kernel: Any, *arrays: Array, target: str = "trn2") -> str:
    with pytest.raises(Failure) as failure:
        trace(kernel, *arrays, target=target)
    problem = failure.value.problems[0]
    assert problem.span is not None
    return f"{problem.code}: {problem.message}"


def test_dma_copy_casts_on_the_way() -> None:
    def kernel(source: Any) -> Any:
        tile = sbuf((64, 32), nl.bfloat16)
        nisa.dma_copy(tile, source)
        return stored(tile)

    assert np.array_equal(result(kernel, A), A.astype(BF16))


def test_dma_copy_from_hbm_to_hbm() -> None:
    def kernel(source: Any) -> Any:
        out = nl.ndarray((64, 32), nl.float32, nl.shared_hbm)
        nisa.dma_copy(out, source)
        return out

    assert np.array_equal(result(kernel, A), A)


def test_a_tensor_in_hbm_written_by_the_kernel_is_read_behind_that() -> None:
    def kernel(source: Any) -> Any:
        middle = nl.ndarray((64, 32), nl.float32, nl.private_hbm)
        nisa.dma_copy(middle, loaded(source))
        return stored(loaded(middle))

    assert np.array_equal(result(kernel, A), A)


@pytest.mark.parametrize("mode", ["none", "swdge", "hwdge", "unknown"])
def test_dma_copy_with_each_maker_of_descriptors(mode: str) -> None:
    def kernel(source: Any) -> Any:
        tile = sbuf((64, 32))
        nisa.dma_copy(tile, source, dge_mode=nisa.dge_mode[mode])
        return stored(tile)

    assert np.array_equal(result(kernel, A), A)


def test_dma_copy_by_the_engine_that_asks_the_hardware() -> None:
    def kernel(source: Any) -> Any:
        tile = sbuf((64, 32))
        hardware = nisa.dge_mode.hwdge
        nisa.dma_copy(tile, source, dge_mode=hardware, engine=nisa.engine.scalar)
        return stored(tile)

    assert np.array_equal(result(kernel, A), A)


def test_an_engine_of_a_dma_copy_without_hardware_descriptors_is_refused() -> None:
    def kernel(source: Any) -> Any:
        nisa.dma_copy(sbuf((64, 32)), source, engine=nisa.engine.sync)

    assert "without dge_mode=nisa.dge_mode.hwdge" in refused(kernel, A)


def test_a_transfer_from_psum_is_refused() -> None:
    def kernel(source: Any) -> Any:
        tile = psum((64, 32))
        nisa.tensor_copy(tile, loaded(source))
        out = nl.ndarray((64, 32), nl.float32, nl.shared_hbm)
        nisa.dma_copy(out, tile)
        return out

    assert "no transfer reads that" in refused(kernel, A)


def test_rows_that_a_tile_names_are_gathered() -> None:
    def kernel(source: Any, rows: Any) -> Any:
        index, tile = loaded(rows), sbuf((16, 32))
        nisa.dma_copy(tile, source.ap([[32, 16], [1, 32]], vector_offset=index, indirect_dim=0))
        return stored(tile)

    assert np.array_equal(result(kernel, A, ROWS), A[ROWS[:, 0]])


def test_rows_that_a_tile_names_are_scattered() -> None:
    rows = np.arange(16, dtype=np.uint32)[::-1].copy()[:, None]

    def kernel(source: Any, rows: Any) -> Any:
        out = nl.ndarray((16, 32), nl.float32, nl.shared_hbm)
        index, tile = loaded(rows), loaded(source)
        nisa.dma_copy(out.ap([[32, 16], [1, 32]], vector_offset=index, indirect_dim=0), tile)
        return out

    assert np.array_equal(result(kernel, A[:16], rows), A[:16][::-1])


def test_rows_out_of_bounds_are_left_out_where_that_is_said() -> None:
    rows = ROWS.copy()
    rows[3] = 1000

    def kernel(source: Any, rows: Any) -> Any:
        index, tile = loaded(rows), sbuf((16, 32))
        nisa.memset(tile, 0.0)
        nisa.dma_copy(
            tile,
            source.ap([[32, 16], [1, 32]], vector_offset=index, indirect_dim=0),
            oob_mode=nisa.oob_mode.skip,
        )
        return stored(tile)

    expected = A[np.minimum(rows[:, 0], 63)]
    expected[3] = 0
    assert np.array_equal(result(kernel, A, rows), expected)


def test_a_tile_of_one_element_moves_the_whole_transfer() -> None:
    start = np.array([[7]], np.int32)

    def kernel(source: Any, start: Any) -> Any:
        at, tile = loaded(start), sbuf((16, 32))
        nisa.dma_copy(tile, source.ap([[32, 16], [1, 32]], scalar_offset=at, indirect_dim=0))
        return stored(tile)

    assert np.array_equal(result(kernel, A, start), A[7:23])


@pytest.mark.parametrize("convert", [False, True])
def test_a_register_moves_the_whole_transfer(convert: bool) -> None:
    start = np.array([[7]], np.int32)

    def kernel(source: Any, start: Any) -> Any:
        register = nisa.register_alloc()
        nisa.register_load(register, loaded(start))
        tile = sbuf((16, 32), nl.bfloat16 if convert else nl.float32)
        part = source.ap([[32, 16], [1, 32]], scalar_offset=register, indirect_dim=0)
        nisa.dma_copy(tile, part)
        return stored(tile)

    expected = A[7:23].astype(BF16) if convert else A[7:23]
    assert np.array_equal(result(kernel, A, start), expected)


def test_dma_transpose_of_two_axes() -> None:
    a = seeded(2, 64, 32, dtype=BF16)

    def kernel(source: Any) -> Any:
        tile = sbuf((32, 64), nl.bfloat16)
        nisa.dma_transpose(tile, source)
        return stored(tile)

    assert np.array_equal(result(kernel, a), a.T)


def test_dma_transpose_of_four_axes() -> None:
    a = seeded(3, 16, 2, 3, 32, dtype=BF16)

    def kernel(source: Any) -> Any:
        tile = sbuf((32, 2, 3, 16), nl.bfloat16)
        nisa.dma_transpose(tile, source, axes=(3, 1, 2, 0))
        return stored(tile)

    assert np.array_equal(result(kernel, a), a.transpose(3, 1, 2, 0))


def test_dma_transpose_of_rows_that_a_tile_names() -> None:
    a = seeded(4, 64, 32, dtype=BF16)

    def kernel(source: Any, rows: Any) -> Any:
        index, tile = loaded(rows), sbuf((32, 16), nl.bfloat16)
        part = source.ap([[32, 16], [1, 32]], vector_offset=index, indirect_dim=0)
        nisa.dma_transpose(tile, part, axes=(1, 0))
        return stored(tile)

    assert np.array_equal(result(kernel, a, ROWS), a[ROWS[:, 0]].T)


def test_dma_compute_adds() -> None:
    b = seeded(5, 64, 32)

    def kernel(first: Any, second: Any) -> Any:
        tile = sbuf((64, 32))
        nisa.dma_compute(tile, [first, second], nl.add, scales=[1.0, 1.0])
        return stored(tile)

    assert np.array_equal(result(kernel, A, b), A + b)


def test_dma_compute_adds_rows_that_a_tile_names_to_a_tile() -> None:
    def kernel(source: Any, base: Any, rows: Any) -> Any:
        index, tile = loaded(rows), loaded(base)
        part = source.ap([[32, 16], [1, 32]], vector_offset=index, indirect_dim=0)
        nisa.dma_compute(tile, [part, tile], nl.add)
        return stored(tile)

    b = seeded(6, 16, 32)
    assert np.array_equal(result(kernel, A, b, ROWS), A[ROWS[:, 0]] + b)


def test_two_cores_exchange_tiles() -> None:
    def kernel(source: Any) -> Any:
        core = nl.program_id(0)
        out = nl.ndarray((2, 64, 32), nl.float32, nl.shared_hbm)
        mine, other = loaded(source), sbuf((64, 32))
        nisa.tensor_scalar(mine, mine, nl.add, float(core))
        nisa.sendrecv(mine, other, 1 - core, 1 - core, 0)
        nisa.dma_copy(out[core], other)
        return out

    found = result(kernel, A, lnc=2)
    assert np.array_equal(found[0], A + 1)
    assert np.array_equal(found[1], A)


def test_a_barrier_lets_one_core_read_what_the_other_wrote() -> None:
    def kernel(source: Any) -> Any:
        core = nl.program_id(0)
        middle = nl.ndarray((2, 64, 32), nl.float32, nl.shared_hbm)
        out = nl.ndarray((2, 64, 32), nl.float32, nl.shared_hbm)
        tile = loaded(source)
        nisa.tensor_scalar(tile, tile, nl.add, float(core))
        nisa.dma_copy(middle[core], tile)
        nisa.core_barrier(middle, (0, 1))
        nisa.dma_copy(tile, middle[1 - core])
        nisa.dma_copy(out[core], tile)
        return out

    found = result(kernel, A, lnc=2)
    assert np.array_equal(found[0], A + 1)
    assert np.array_equal(found[1], A)


def test_an_exchange_on_one_core_is_refused() -> None:
    def kernel(source: Any) -> Any:
        nisa.core_barrier(source, (0, 1))

    assert "nisa.core_barrier on one core" in refused(kernel, A)


@pytest.mark.parametrize("cores", [0, (0,), [0]])
def test_a_barrier_that_names_one_core_holds_nothing_up(cores: Any) -> None:
    def kernel(source: Any) -> Any:
        tile = loaded(source)
        nisa.core_barrier(source, cores)
        return stored(tile)

    assert np.array_equal(result(kernel, A), A)


def test_a_tile_that_addresses_a_transfer_is_overwritten_when_that_has_started() -> None:
    """Somebody waits for its start, and somebody for its end: its own update tells of one."""

    def kernel(source: Any, where: Any) -> Any:
        at = sbuf((1, 1), nl.int32)
        nisa.dma_copy(at, where)
        tiles = []
        for _ in range(2):
            tiles.append(sbuf((4, 32), nl.float32))
            rows = source.ap([[32, 4], [1, 32]], scalar_offset=at, indirect_dim=0)
            nisa.dma_copy(tiles[-1], rows)
            nisa.tensor_scalar(at, at, nl.add, 8, engine=nisa.engine.vector)
        out = sbuf((4, 32), nl.float32)
        nisa.tensor_tensor(out, tiles[0], tiles[1], nl.subtract, engine=nisa.engine.vector)
        return stored(out)

    assert np.array_equal(result(kernel, A, np.array([[3]], np.int32)), A[3:7] - A[11:15])


@pytest.mark.parametrize("rows", [[[9]], [[9], [2], [63], [40]]])
def test_stores_between_each_other_in_rows_that_a_tile_names_need_no_order(rows: Any) -> None:
    where, count = np.array(rows, np.uint32), len(rows)
    by = "scalar_offset" if count == 1 else "vector_offset"

    def kernel(source: Any, where: Any) -> Any:
        tile, at = loaded(source), loaded(where)
        out = nl.ndarray((64, 32), nl.float32, nl.shared_hbm)
        nisa.dma_copy(out, source)
        for first in (0, 1):
            rows = out.ap([[32, 4], [2, 16]], first, indirect_dim=0, **{by: at})
            nisa.dma_copy(rows, tile[0:4, first::2])
        return out

    wanted = A.copy()
    wanted[where[:, 0] if count > 1 else slice(9, 13)] = A[0:4]
    assert np.array_equal(result(kernel, A, where), wanted)


@pytest.mark.parametrize("mode", [0, 2, 3])
def test_a_mode_may_be_given_by_its_number(mode: int) -> None:
    def kernel(source: Any) -> Any:
        tile = sbuf((64, 32))
        nisa.dma_copy(tile, source, dge_mode=mode)
        return stored(tile)

    assert np.array_equal(result(kernel, A), A)


def test_a_number_that_is_no_mode_is_refused() -> None:
    def kernel(source: Any) -> Any:
        nisa.dma_copy(sbuf((64, 32)), source, dge_mode=7)

    assert "dge_mode of DmaCopy: 7 is no dge_mode" in refused(kernel, A)
