"""A partition spread over the others: whoever reads it, wherever that is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel import trace
from tests.nki.kernels import refused
from tests.nki.minikernel import loaded, result, sbuf, seeded, stored

ROW = seeded(1, 1, 16)
OTHER = seeded(2, 1, 16)
WIDE = np.broadcast_to(ROW, (32, 16))
INTO = (32, 16)


def spread(source: Any, partitions: int = 32) -> Any:
    """The row that a tensor in HBM holds, on many partitions."""
    tile = loaded(source)
    return nl.broadcast_to(tile, (partitions, *tile.shape[1:]))


def copied(tile: Any, **named: Any) -> Any:
    into = sbuf(tile.shape, tile.dtype)
    nisa.tensor_copy(into, tile, **named)
    return into


def multiplied(tile: Any) -> Any:
    """It by the identity: a matmul reads SBUF alone."""
    into = nl.ndarray(tile.shape, nl.float32, nl.psum)
    one = nl.shared_identity_matrix(tile.shape[0], nl.float32)
    nisa.nc_matmul(into, stationary=one, moving=tile)
    return into


def instructions(kernel: Callable[..., Any], *arrays: Any) -> list[str]:
    """The rows of a kernel's instructions, each with the memories of its tiles."""
    program = trace(kernel, *arrays).program
    return [
        " ".join(
            [one.row.name, *(v.tensor.memory.name for v in one.operands if hasattr(v, "tensor"))]
        )
        for one in program.instructions
    ]


# -- in which memory it is read


def test_a_spread_tile_is_a_tile_in_sbuf() -> None:
    def kernel(row: Any) -> Any:
        wide = spread(row)
        assert nl.is_sbuf(wide.buffer)
        return stored(wide)

    assert np.array_equal(result(kernel, ROW), WIDE)


def test_who_can_reads_it_in_psum_and_no_copy_is_made() -> None:
    def kernel(row: Any, x: Any) -> Any:
        return stored(nl.add(loaded(x), spread(row)))

    x = seeded(3, 32, 16)
    assert np.array_equal(result(kernel, ROW, x), x + WIDE)
    made = instructions(kernel, ROW, x)
    assert "TensorTensor sbuf sbuf psum" in made
    assert not any(one.startswith("TensorCopy") for one in made)


def test_of_two_that_cannot_both_be_in_psum_one_is_copied() -> None:
    def kernel(row: Any, other: Any) -> Any:
        return stored(nl.add(spread(row), spread(other)))

    assert np.array_equal(result(kernel, ROW, OTHER), np.broadcast_to(ROW + OTHER, INTO))
    made = instructions(kernel, ROW, OTHER)
    assert sum(one.startswith("TensorCopy") for one in made) == 1


def test_an_engine_without_a_way_to_psum_gets_a_copy() -> None:
    def kernel(row: Any) -> Any:
        return stored(copied(spread(row), engine=nisa.engine.gpsimd))

    assert np.array_equal(result(kernel, ROW), WIDE)


def test_a_function_that_is_gpsimds_reads_a_copy() -> None:
    def kernel(row: Any) -> Any:
        return stored(nl.rsqrt(spread(row)))

    row = np.abs(ROW) + 1
    wanted = np.broadcast_to(1 / np.sqrt(row), INTO)
    assert np.allclose(result(kernel, row), wanted, rtol=1e-6, atol=0)


def test_it_is_stored_moved_and_transposed() -> None:
    def kernel(row: Any) -> Any:
        wide = spread(row)
        first, second = (nl.ndarray(INTO, nl.float32, nl.shared_hbm) for _ in range(2))
        nl.store(first, wide)
        nisa.dma_copy(second, wide)
        turned = nl.ndarray((16, 32), nl.float32, nl.psum)
        nisa.nc_transpose(turned, wide)
        return first, second, stored(turned), stored(nl.transpose(wide))

    first, second, third, fourth = result(kernel, ROW)
    assert np.array_equal(first, WIDE)
    assert np.array_equal(second, WIDE)
    assert np.array_equal(third, WIDE.T)
    assert np.array_equal(fourth, WIDE.T)


def test_in_a_list_of_sources_it_is_read_in_sbuf() -> None:
    def kernel(row: Any, x: Any) -> Any:
        out = nl.ndarray(INTO, nl.float32, nl.shared_hbm)
        nisa.dma_compute(out, [loaded(x), spread(row)], nl.add)
        return out

    x = seeded(3, 32, 16)
    assert np.array_equal(result(kernel, ROW, x), x + WIDE)


def test_a_matmul_takes_it_as_either_operand() -> None:
    def kernel(row: Any, x: Any) -> Any:
        wide, other = spread(row), loaded(x)
        made = [nl.ndarray((16, 16), nl.float32, nl.psum) for _ in range(2)]
        nisa.nc_matmul(made[0], stationary=wide, moving=other)
        nisa.nc_matmul(made[1], stationary=other, moving=wide)
        return stored(made[0]), stored(made[1])

    x = seeded(3, 32, 16)
    first, second = result(kernel, ROW, x)
    assert np.allclose(first, WIDE.T @ x, rtol=1e-5, atol=1e-5)
    assert np.allclose(second, x.T @ WIDE, rtol=1e-5, atol=1e-5)


def test_a_tile_of_entries_may_be_spread() -> None:
    def kernel(table: Any, entries: Any) -> Any:
        chosen = spread(entries, 8).view(nl.uint32)
        return stored(nl.gather_flattened(loaded(table), chosen))

    table = seeded(4, 8, 16)
    entries = np.array([[3, 1, 15, 0]], np.uint32)
    found = result(kernel, table, entries.view(np.float32))
    # Bits of small integers are subnormal floats, which a matmul leaves as they are.
    assert np.array_equal(found, table[:, entries[0]])


def test_a_copy_has_the_views_of_what_it_is_of() -> None:
    def kernel(row: Any) -> Any:
        wide = spread(row)
        part = wide.reshape((32, 4, 4)).permute((0, 2, 1))[:8, 1:3].reshape_dim(1, (1, 2))
        out = nl.ndarray(part.shape, nl.float32, nl.shared_hbm)
        nisa.dma_copy(out, part)
        return out, stored(copied(part[:, 0], engine=nisa.engine.vector))

    wanted = WIDE.reshape(32, 4, 4).transpose(0, 2, 1)[:8, 1:3]
    moved, read = result(kernel, ROW)
    assert np.array_equal(moved, wanted.reshape(8, 1, 2, 4))
    assert np.array_equal(read, wanted)


def test_a_matmul_into_it_is_refused_as_into_any_tile_in_sbuf() -> None:
    def kernel(row: Any) -> Any:
        wide = spread(row)
        tile = copied(wide)
        nisa.nc_matmul(wide[:16], tile[:, :16], tile)
        return stored(wide)

    assert "in sbuf" in refused(lambda: trace(kernel, ROW)).message


# -- what is spread

ROWS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "a partition somewhere": (lambda x: x[5:6], lambda x: x[5:6]),
    "one where instructions may begin": (lambda x: x[32:33], lambda x: x[32:33]),
    "every other element": (lambda x: x[0:1, ::2], lambda x: x[:1, ::2]),
    "in another order": (
        lambda x: x.reshape((64, 4, 4))[0:1].permute((0, 2, 1)),
        lambda x: x.reshape(64, 4, 4)[:1].transpose(0, 2, 1),
    ),
    "of a spread tile": (lambda x: nl.broadcast_to(x[0:1], (8, 16))[7:8], lambda x: x[:1]),
    "at an address": (lambda x: _at(x, (64, 0)), lambda x: x[:1]),
    "in PSUM": (
        lambda x: nl.matmul(nl.shared_identity_matrix(64, nl.float32), x)[32:33],
        lambda x: x[32:33],
    ),
}


def _at(x: Any, address: tuple[int, int]) -> Any:
    tile = nl.ndarray((1, 16), nl.float32, nl.sbuf, address=address)
    nisa.dma_copy(tile, x[0:1])
    return tile


@pytest.mark.parametrize("name", ROWS)
def test_any_partition_is_spread(name: str) -> None:
    row, wanted = ROWS[name]

    def kernel(x: Any) -> Any:
        one = row(loaded(x))
        return stored(nl.broadcast_to(one, (32, *one.shape[1:])))

    x = seeded(8, 64, 16)
    held = wanted(x)
    assert np.array_equal(result(kernel, x), np.broadcast_to(held, (32, *held.shape[1:])))


def test_a_partition_that_a_register_names_is_spread() -> None:
    def kernel(x: Any) -> Any:
        tile, out = loaded(x), nl.ndarray((3, *INTO), nl.float32, nl.shared_hbm)
        nl.fori_loop(0, 3, lambda i: nl.store(out[i], nl.broadcast_to(tile[i], INTO)))
        return out

    x = seeded(8, 8, 16)
    assert np.array_equal(result(kernel, x), np.broadcast_to(x[:3, None], (3, *INTO)))


@pytest.mark.parametrize(
    ("shape", "said"),
    [((0, 16), "each of 1 or of its size"), ((129, 16), "129 partitions; psum has 128")],
)
def test_a_shape_that_no_tile_has_is_refused(shape: tuple[int, int], said: str) -> None:
    problem = refused(lambda: trace(lambda row: stored(nl.broadcast_to(loaded(row), shape)), ROW))
    assert said in problem.message


# -- written


def test_what_is_written_into_it_is_read_of_it() -> None:
    def kernel(row: Any, x: Any) -> Any:
        wide, other = spread(row), loaded(x)
        before = multiplied(wide)
        nisa.tensor_tensor(wide, wide, other, nl.add)
        return stored(before), stored(multiplied(wide)), stored(wide)

    x = seeded(3, 32, 16)
    before, after, held = result(kernel, ROW, x)
    assert np.array_equal(before, WIDE)
    assert np.array_equal(after, WIDE + x)
    assert np.array_equal(held, WIDE + x)


def test_what_is_written_through_another_view_is_read_of_it() -> None:
    def kernel(row: Any) -> Any:
        wide = spread(row)
        first = nl.ndarray(INTO, nl.float32, nl.shared_hbm)
        nisa.dma_copy(first, wide)
        nisa.memset(wide.reshape((32, 4, 4))[:, 1], 7.0)
        return first, stored(wide), stored(nl.rsqrt(wide[:, 4:8]))

    before, after, roots = result(kernel, np.abs(ROW) + 1)
    wanted = np.broadcast_to(np.abs(ROW) + 1, INTO).copy()
    assert np.array_equal(before, wanted)
    wanted[:, 4:8] = 7.0
    assert np.array_equal(after, wanted)
    assert np.allclose(roots, 7.0**-0.5, rtol=1e-6, atol=0)


def test_a_transfer_writes_it() -> None:
    def kernel(row: Any, x: Any) -> Any:
        wide = spread(row)
        before = copied(wide)
        nisa.dma_copy(wide[4:8], x[4:8])
        return stored(before), stored(nl.add(wide, 0.0)), stored(wide)

    x = seeded(3, 32, 16)
    wanted = WIDE.copy()
    wanted[4:8] = x[4:8]
    before, read, moved = result(kernel, ROW, x)
    assert np.array_equal(before, WIDE)
    assert np.array_equal(read, wanted)
    assert np.array_equal(moved, wanted)


# -- in loops of the machine


def doubled(tile: Any) -> None:
    nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)


def test_what_a_loop_writes_into_it_is_there_in_the_next_round_and_behind() -> None:
    def kernel(row: Any) -> Any:
        wide = spread(row)
        multiplied(wide)
        rounds = nl.ndarray((3, *INTO), nl.float32, nl.shared_hbm)

        def body(i: Any) -> None:
            nisa.dma_copy(rounds[i], wide)
            doubled(wide)

        nl.fori_loop(0, 3, body)
        return rounds, stored(wide), stored(multiplied(wide))

    rounds, after, last = result(kernel, ROW)
    assert np.array_equal(rounds, np.stack([WIDE, 2 * WIDE, 4 * WIDE]))
    assert np.array_equal(after, 8 * WIDE)
    assert np.array_equal(last, 8 * WIDE)


def test_one_read_in_a_loop_first_is_read_behind_it_though_there_was_no_round() -> None:
    def kernel(row: Any) -> Any:
        wide = spread(row)
        out = nl.ndarray(INTO, nl.float32, nl.shared_hbm)
        other = nl.ndarray(INTO, nl.float32, nl.shared_hbm)
        nisa.dma_copy(other, wide)
        for _ in nl.dynamic_range(0, 0):
            nisa.dma_copy(other, wide)
        nisa.dma_copy(out, wide)
        return out

    assert np.array_equal(result(kernel, ROW), WIDE)


def test_one_made_in_a_loop_is_that_rounds() -> None:
    def kernel(rows: Any) -> Any:
        out = nl.ndarray((3, *INTO), nl.float32, nl.shared_hbm)
        sums = nl.ndarray((3, *INTO), nl.float32, nl.shared_hbm)

        def body(i: Any) -> None:
            tile = sbuf((1, 16))
            nisa.dma_copy(tile, rows[i].reshape((1, 16)))
            wide = nl.broadcast_to(tile, INTO)
            nisa.dma_copy(out[i], wide)
            twice = sbuf(INTO)
            nisa.tensor_tensor(twice, wide, wide, nl.add)
            nisa.dma_copy(sums[i], twice)

        nl.fori_loop(0, 3, body)
        return out, sums

    rows = seeded(5, 3, 16)
    wanted = np.broadcast_to(rows[:, None], (3, *INTO))
    out, sums = result(kernel, rows)
    assert np.array_equal(out, wanted)
    assert np.array_equal(sums, 2 * wanted)


# -- room


@pytest.mark.parametrize("count", [8, 20])
def test_as_many_as_a_kernel_likes_may_be_in_use(count: int) -> None:
    def kernel(rows: Any, x: Any) -> Any:
        total = loaded(x)
        made = [spread(rows[n : n + 1], 128) for n in range(count)]
        for wide in made:
            nisa.tensor_tensor(total, total, wide, nl.add)
        return stored(total)

    rows, x = seeded(6, count, 512), seeded(7, 128, 512)
    wanted = x
    for row in rows:
        wanted = wanted + row
    assert np.array_equal(result(kernel, rows, x), wanted)


@pytest.mark.parametrize("together", [1, 12])
def test_a_round_of_a_loop_spreads_as_many_as_it_likes(together: int) -> None:
    def kernel(rows: Any, x: Any) -> Any:
        total = loaded(x)

        def body(_: Any) -> None:
            for first in range(0, 12, together):
                made = [spread(rows[n : n + 1], 128) for n in range(first, first + together)]
                for wide in made:
                    nisa.tensor_tensor(total, total, wide, nl.add)

        nl.fori_loop(0, 3, body)
        return stored(total)

    rows, x = seeded(6, 12, 512), seeded(7, 128, 512)
    wanted = x
    for row in (*rows, *rows, *rows):
        wanted = wanted + row
    assert np.array_equal(result(kernel, rows, x), wanted)
    copies = [one for one in instructions(kernel, rows, x) if one == "TensorCopy sbuf psum"]
    assert len(copies) == (0 if together == 1 else 4)  # there are eight banks


def test_those_of_the_kernel_in_psum_come_first() -> None:
    def kernel(row: Any, x: Any) -> Any:
        wide, tile = spread(row, 128), loaded(x)
        held = [nl.ndarray((128, 512), nl.float32, nl.psum) for _ in range(8)]
        for one in held:
            nisa.tensor_copy(one, tile, engine=nisa.engine.vector)
        for one in held:
            nisa.tensor_tensor(tile, tile, one, nl.add)
        return stored(nl.add(tile, wide))

    row, x = seeded(6, 1, 512), seeded(7, 128, 512)
    wanted = x
    for _ in range(8):
        wanted = wanted + x
    assert np.array_equal(result(kernel, row, x), wanted + row)
