"""Kernels of NKI 0.1, whose calls return tiles, against NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure
from tests.tables import each

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import compiler as ncc
    from neuronxcc.nki import isa as nisa
    from neuronxcc.nki import language as nl

    import nki as today
    import nki.language as today_nl

RNG = np.random.default_rng(1)


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    """Whole numbers, so that no sum depends on its order."""
    return RNG.integers(-8, 9, shape).astype(np.float32)


def like(x: Any, shape: Any = None) -> Any:
    return nl.ndarray(x.shape if shape is None else shape, dtype=x.dtype, buffer=nl.shared_hbm)


RIGHT: dict[str, tuple[Any, tuple[Any, ...], Callable[..., Any]]] = {}


def right(*args: Any, gives: Callable[..., Any], grid: Any = None) -> Callable[..., Any]:
    """What the kernel that follows gives for arguments."""

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        kernel = nki.jit(function)
        RIGHT[function.__name__] = kernel if grid is None else kernel[grid], args, gives
        return function

    return kept


# ---------------------------------------------------------------- indices


@right(numbers(8, 6, 4), gives=lambda x: x.transpose(0, 2, 1))
def free_axes_in_another_order(x: Any) -> Any:
    p, f, g = nl.arange(8)[:, None, None], nl.arange(6)[None, None, :], nl.arange(4)[None, :, None]
    out = like(x, (8, 4, 6))
    tile = nl.load(x)
    nl.store(out, tile[p, f, g])
    return out


@right(numbers(16, 12), gives=lambda x: x[1::3, 2:11:2] * 2)
def strides_and_offsets(x: Any) -> Any:
    out = like(x, (5, 5))
    i = nl.mgrid[0:5, 0:5]
    tile = nl.load(x[3 * i.p + 1, 2 * i.x + 2])
    nl.store(out[i.p, i.x], tile * 2)
    return out


@right(numbers(4, 8), gives=lambda x: x.reshape(4, 2, 4).sum(axis=1))
def two_vectors_in_one_index(x: Any) -> Any:
    out = like(x, (4, 4))
    p, f, g = nl.mgrid[0:4, 0:4, 0:2]
    nl.store(out, nl.sum(nl.load(x)[p, 4 * g + f], axis=[2]))
    return out


@right(numbers(8, 9), gives=lambda x: x[:, 4])
def a_column(x: Any) -> Any:
    out = like(x, (8, 1))
    nl.store(out, nl.load(x)[:, 4])
    return out[0:8, 0]


@right(numbers(4, 16), gives=lambda x: x[:, :8] + x[:, 8:])
def windows_and_views(x: Any) -> Any:
    out = like(x, (4, 8))
    tile = nl.load(x)
    left = tile[:, nl.ds(0, 12)]
    nl.store(out[...], left[:, 0:8] + tile[0:4, nl.ds(8, 8)])
    return out


@right(numbers(32, 8), gives=lambda x: np.where(np.eye(32, 8) > 0, 7, x))
def numbers_at_any_partition(x: Any) -> Any:
    out, tile = like(x), nl.load(x)
    for i in nl.static_range(8):
        tile[i, i] = 7
    nl.store(out, tile)
    return out


def halves_in_another_order(x: Any) -> Any:
    return x[:, ::-1, :] - 2 * x[:, :, ::-1]


@right(numbers(8, 4, 6), gives=halves_in_another_order)
def tiles_that_are_read_backwards(x: Any) -> Any:
    out = like(x)
    p, f, g = nl.mgrid[0:8, 0:4, 0:6]
    tile = nl.load(x)
    nl.store(out, tile[p, 3 - f, g] - 2 * tile[p, f, -1 * g + 5])
    return out


@right(numbers(8, 6), gives=lambda x: np.exp(x[:, ::-1]))
def tiles_that_are_written_backwards(x: Any) -> Any:
    out, made = like(x), nl.ndarray((8, 6), dtype=x.dtype, buffer=nl.sbuf)
    p, f = nl.mgrid[0:8, 0:6]
    made[p, 5 - f] = nl.exp(nl.load(x))
    nl.store(out, made)
    return out


@right(numbers(8, 6), gives=lambda x: np.where(np.arange(6) > 0, x[::-1, ::-1], 9))
def loads_and_stores_that_run_backwards(x: Any) -> Any:
    out = like(x)
    p, f = nl.mgrid[0:8, 0:6]
    nl.store(out, nl.load(x) * 0 + 9)
    nl.store(out[7 - p, f], nl.load(x[p, 5 - f]), mask=f > 0)
    return out


@right(numbers(4, 32), gives=lambda x: x.reshape(4, 2, 2, 2, 2, 2).transpose(0, 5, 4, 3, 2, 1))
def more_free_axes_than_a_pattern_has(x: Any) -> Any:
    out = like(x, (4, 2, 2, 2, 2, 2))
    p, a, b, c, d, e = nl.mgrid[0:4, 0:2, 0:2, 0:2, 0:2, 0:2]
    nl.store(out, nl.copy(nl.load(x)[p, a + 2 * b + 4 * c + 8 * d + 16 * e]))
    return out


@right(numbers(2, 8, 1), gives=lambda x: np.exp(x[0]) + np.exp(x[1]))
def columns_of_one_tile(x: Any) -> Any:
    out, p = like(x, (8, 1)), nl.arange(8)[:, None]
    columns = nl.ndarray((2, nl.par_dim(8), 1), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(2):
        columns[i, p, 0] = nl.exp(nl.load(x[i, p, 0]))
    nl.store(out[p, 0], columns[0, p, 0] + columns[1, p, 0])
    return out


@right(numbers(8, 6), gives=lambda x: np.stack([x[:, 3] + n for n in range(6)], axis=1))
def a_vector_of_one_position_is_repeated(x: Any) -> Any:
    out = like(x)
    p, f, one = nl.arange(8)[:, None], nl.arange(6)[None, :], nl.arange(1)[None, :]
    tile = nl.load(x[p, 3 + one + 0 * f], mask=one < 1)
    for n in nl.static_range(6):
        nl.store(out[p, n + one], tile[p, one] + n, mask=nl.arange(1)[:, None] < 3)
    return out


# ---------------------------------------------------------------- masks


@right(numbers(40, 10), gives=lambda x: x * 3 + 1)
def a_last_tile_that_is_smaller(x: Any) -> Any:
    out = like(x)
    p, f = nl.arange(32)[:, None], nl.arange(16)[None, :]
    for i in nl.affine_range(2):
        tile = nl.load(x[i * 32 + p, f], mask=(i * 32 + p < 40) & (f < 10))
        made = nl.multiply(tile, 3) + 1
        nl.store(out[i * 32 + p, f], made, mask=(i * 32 + p < 40) & (f < 10))
    return out


@right(numbers(40, 10), gives=lambda x: x * x.sum(1, keepdims=True) - x.max(1, keepdims=True))
def columns_of_a_last_tile_that_is_smaller(x: Any) -> Any:
    out = like(x)
    p, f = nl.mgrid[0:32, 0:10]
    for i in nl.affine_range(2):
        tile = nl.load(x[i * 32 + p, f], mask=i * 32 + p < 40)
        made = tile * nl.sum(tile, axis=1) - nl.max(tile, axis=1)
        nl.store(out[i * 32 + p, f], made, mask=i * 32 + p < 40)
    return out


@right(numbers(8, 16), numbers(8).astype(np.float16), gives=lambda x, b: x + b[:, None])
def a_column_of_halves(x: Any, b: Any) -> Any:
    return nisa.tensor_scalar(nl.load(x), np.add, nl.load(b))


@right(numbers(8, 16), gives=lambda x: np.where(np.arange(16) < 5, x * x, -1))
def assigned_under_a_mask(x: Any) -> Any:
    out = like(x)
    p, f = nl.mgrid[0:8, 0:16]
    tile = nl.full((8, 16), -1, dtype=x.dtype)
    tile[p, f] = nl.square(nl.load(x), mask=f < 5)
    nl.store(out, tile)
    return out


@right(numbers(8, 8), gives=np.tril)
def a_mask_that_is_no_box(x: Any) -> Any:
    out = like(x)
    p, f = nl.mgrid[0:8, 0:8]
    nl.store(out, nl.zeros((8, 8), dtype=x.dtype))
    nl.store(out[p, f], nl.load(x), mask=f <= p)
    return out


@right(numbers(8, 16), gives=lambda x: x[:, 3:7].sum(axis=1, keepdims=True))
def masks_joined_as_python_does(x: Any) -> Any:
    out = like(x, (8, 1))
    f = nl.arange(16)[None, :]
    tile = nl.load(x)
    some = nl.sum(tile, axis=[1], mask=(3 <= f < 7))
    again = nl.sum(tile, axis=[1], mask=(f >= 3 and f < 7))
    nl.store(out, nl.maximum(some, again))
    return out


@right(numbers(8, 8), gives=lambda x: np.where(np.arange(8)[:, None] > np.arange(8), x, -5))
def selected_by_a_predicate(x: Any) -> Any:
    out = like(x)
    p, f = nl.mgrid[0:8, 0:8]
    nl.store(out, nisa.affine_select(p > f, nl.load(x), -5))
    return out


# ---------------------------------------------------------------- blocks, loops, sums


@right(numbers(3, 16, 8), gives=lambda x: np.exp(x))
def blocks_of_tiles(x: Any) -> Any:
    out = like(x)
    tiles = nl.ndarray((3, nl.par_dim(16), 8), dtype=x.dtype)
    for i in nl.affine_range(3):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(3):
        nl.store(out[i], nl.exp(tiles[i, :, :]))
    return out


@right(numbers(4, 8, 8), gives=lambda x: np.stack([x[:2].max(0), x[2:].max(0)]))
def reductions_of_rounds_that_are_written_out(x: Any) -> Any:
    out = like(x, (2, 8, 8))
    for i in nl.static_range(2):
        for j in nl.affine_range(2):
            most = nl.loop_reduce(nl.load(x[2 * i + j]), op=np.max, loop_indices=[j])
        nl.store(out[i], most)
    return out


@right(numbers(256, 32), numbers(256, 64), gives=lambda x, y: x.T @ y)
def products_accumulate(x: Any, y: Any) -> Any:
    out = like(x, (32, 64))
    total = nl.zeros((32, 64), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(2):
        rows = nl.ds(k * 128, 128)
        total += nisa.nc_matmul(nl.load(x[rows, :]), nl.load(y[rows, :]))
    nl.store(out, total)
    return out


@right(numbers(64, 32), numbers(64, 64), gives=lambda x, y: 2 * (x.T @ y) + 3)
def products_added_to_numbers(x: Any, y: Any) -> Any:
    out = like(x, (32, 64))
    total = nl.full((32, 64), 3, dtype=nl.float32, buffer=nl.psum)
    a, b = nl.load(x), nl.load(y)
    total[...] += nl.matmul(a, b, transpose_x=True)
    total[:, 0:32] += nisa.nc_matmul(a, b[:, 0:32])
    total[:, 32:64] += nisa.nc_matmul(a, b[:, 32:64])
    nl.store(out, total)
    return out


@right(numbers(256, 32), numbers(256, 64), gives=lambda x, y: x[:200, :20].T @ y[:200, :40])
def products_where_masks_hold(x: Any, y: Any) -> Any:
    out = like(x, (20, 40))
    total = nl.zeros((32, 64), dtype=nl.float32, buffer=nl.psum)
    i, j = nl.arange(32)[None, :], nl.arange(64)[None, :]
    row, ahead = nl.arange(128)[:, None], nl.arange(20)[:, None]
    for k in nl.affine_range(3):
        inside = k * 128 + row < 200
        a, b = nl.ndarray((128, 32), dtype=x.dtype), nl.ndarray((128, 64), dtype=x.dtype)
        a[row, i] = nl.load(x[k * 128 + row, i], mask=inside)
        b[row, j] = nl.load(y[k * 128 + row, j], mask=inside & (j < 40))
        total += nisa.nc_matmul(a[row, i], b[row, j], mask=inside & (j < 40))
    left = nl.arange(40)[None, :]
    nl.store(out[ahead, left], total[ahead, left])
    return out


@right(numbers(4, 8, 8), gives=lambda x: np.stack([x.max(axis=0), x.sum(axis=0)]))
def reduced_over_rounds(x: Any) -> Any:
    out = like(x, (2, 8, 8))
    most = nl.ndarray((nl.par_dim(8), 8), dtype=x.dtype)
    for i in nl.affine_range(2):
        for j in nl.affine_range(2):
            tile = nl.load(x[2 * i + j])
            most[...] = nl.loop_reduce(tile, op=np.max, loop_indices=[i, j])
            total = nl.loop_reduce(tile, op=nl.add, loop_indices=[i, j])
    nl.store(out[0], most)
    nl.store(out[1], total)
    return out


@right(numbers(8, 8), gives=lambda x: (x + 1) * 100 + x + 1)
def a_result_that_is_used_again(x: Any) -> Any:
    out = like(x)
    kept = nl.ndarray((8, 8), dtype=x.dtype)
    more = nl.load(x) + 1
    kept[...] = more
    kept[...] = kept * 100
    nl.store(out, kept + more)
    return out


@right(numbers(8, 8), gives=lambda x: np.concatenate([x[:, :1], x[:, :-1]], axis=1))
def a_tile_moved_along_itself(x: Any) -> Any:
    out, tile = like(x), nl.load(x)
    tile[:, 1:8] = nl.copy(tile[:, 0:7])
    nl.store(out, tile)
    return out


# ---------------------------------------------------------------- functions


@right(numbers(8, 8), numbers(1, 8), numbers(8, 1), gives=lambda x, y, z: (x + y) * z - y)
def shapes_that_broadcast(x: Any, y: Any, z: Any) -> Any:
    out = like(x)
    a, b, c = nl.load(x), nl.load(y), nl.load(z)
    nl.store(out, (a + b) * c - b)
    return out


@right(
    RNG.integers(1, 9, (8, 8)).astype(np.float32), gives=lambda x: 12 / x + x / 4 + x % 3 + (x > 4)
)
def operators_that_no_instruction_has(x: Any) -> Any:
    out, tile = like(x), nl.load(x)
    nl.store(out, 12 / tile + tile / 4 + tile % 3 + (tile > 4))
    return out


@right(RNG.integers(0, 99, (1, 16)).astype(np.int32), gives=lambda x: np.repeat(x, 40, axis=0))
def integers_on_all_partitions(x: Any) -> Any:
    out = like(x, (40, 16))
    nl.store(out, nl.broadcast_to(nl.load(x), shape=(40, 16)))
    return out


@right(numbers(16, 8), gives=lambda x: x[[3, 1, 15, 0]])
def rows_by_a_tile(x: Any) -> Any:
    out = like(x, (4, 8))
    rows = nl.load(nl.shared_constant(np.array([[3], [1], [15], [0]], np.int32)))
    nl.store(out, nl.load(x[rows, nl.arange(8)[None, :]]))
    return out


@right(numbers(32, 64), gives=lambda x: x.T)
def places_by_hand(x: Any) -> Any:
    out = like(x, (64, 32))
    tile = nl.ndarray((nl.par_dim(32), 64), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=512))
    turned = nl.ndarray((64, 32), dtype=x.dtype, buffer=ncc.psum.mod_alloc(base_bank=2))
    tile[...] = nl.load(x)
    turned[...] = nisa.nc_transpose(tile)
    nl.store(out, turned)
    return out


def bank_of(bank_map: Any, idx: Any, pdim_size: int, fdim_size: int) -> tuple[int, int, int]:
    assert (pdim_size, fdim_size) == (8, 32)
    return bank_map[idx], 0, 0


@right(numbers(2, 8, 8), gives=lambda x: x.transpose(0, 2, 1))
def places_by_a_function_with_a_keyword(x: Any) -> Any:
    out, place = like(x), functools.partial(bank_of, bank_map={(0,): 3, (1,): 5})
    turned = nl.ndarray((2, nl.par_dim(8), 8), dtype=x.dtype, buffer=ncc.psum.alloc(place))
    for i in nl.affine_range(2):
        turned[i] = nisa.nc_transpose(nl.load(x[i]))
        nl.store(out[i], nl.copy(turned[i]))
    return out


# ---------------------------------------------------------------- grids


@right(numbers(4, 3, 8, 8), gives=lambda x: x + np.arange(12).reshape(4, 3, 1, 1), grid=(4, 3))
def instances_of_a_grid(x: Any) -> Any:
    out = like(x)
    i, j = nl.program_id(0), nl.program_id(1)
    assert nl.num_programs([0, 1]) == (4, 3)
    nl.store(out[i, j], nl.load(x[i, j]) + (3 * i + j))
    return out


@right(
    numbers(4, 8, 8),
    gives=lambda x: x + np.arange(4).reshape(4, 1, 1),
    grid=nl.spmd_dim(2, nl.nc(2)),
)
def instances_on_two_cores(x: Any) -> Any:
    out, i = like(x), nl.program_id(0)
    nl.store(out[i], nl.load(x[i]) + i)
    return out


@each("name", sorted(RIGHT))
def test_kernels_whose_calls_return_tiles(name: str) -> None:
    kernel, args, gives = RIGHT[name]
    done = nasm.nki.run(kernel, *args)
    wanted = gives(*args)
    np.testing.assert_allclose(done.outputs.reshape(wanted.shape), wanted, rtol=1e-5)
    assert not done.report.problems, done.report.problems


# ---------------------------------------------------------------- instructions


def rows_of(name: str) -> list[str]:
    """The instructions that a kernel becomes."""
    kernel, args, _ = RIGHT[name]
    program = nasm.nki.trace(kernel, *args).program
    return [one.row.name for one in program.instructions]


def test_an_assigned_result_is_written_where_it_goes() -> None:
    assert "TensorCopy" not in rows_of("assigned_under_a_mask")
    assert "TensorCopy" not in rows_of("columns_of_one_tile")


def test_zeros_that_matmuls_overwrite_are_not_written() -> None:
    assert "Memset" not in rows_of("products_accumulate")
    assert "Memset" in rows_of("products_added_to_numbers")


# ---------------------------------------------------------------- running


def test_arguments_that_a_kernel_writes_are_changed() -> None:
    @nki.trace
    def doubled(x: Any, y: Any) -> None:
        nl.store(y, nl.load(x) * 2)

    x, y = numbers(8, 8), numbers(8, 8)
    assert nki.simulate_kernel(doubled, x, y) is None
    np.testing.assert_array_equal(y, 2 * x)


def test_a_benchmark_keeps_the_simulated_time() -> None:
    kernel, args, _ = RIGHT["blocks_of_tiles"]
    timed = nki.benchmark(warmup=2, iters=5)(kernel)
    timed(*args)
    latency = timed.benchmark_result.nc_latency
    assert latency.get_latency_percentile(99) == nasm.nki.run(kernel, *args).report.microseconds


def test_both_dialects_in_one_process() -> None:
    @today.jit
    def twice(x: Any) -> Any:
        out = today_nl.ndarray(x.shape, dtype=x.dtype, buffer=today_nl.shared_hbm)
        today_nl.store(out, today_nl.add(today_nl.load(x), today_nl.load(x)))
        return out

    kernel, args, gives = RIGHT["shapes_that_broadcast"]
    np.testing.assert_array_equal(kernel(*args), gives(*args))
    np.testing.assert_array_equal(twice(args[0]), args[0] * 2)


# ---------------------------------------------------------------- refusals

REFUSED: dict[str, tuple[Callable[..., Any], str, str]] = {}


def refused(message: str, hint: str) -> Callable[..., Any]:
    """Parts of what is said of the kernel that follows."""

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED[function.__name__] = function, message, hint
        return function

    return kept


@refused("was made in round 1 of an nl.affine_range, which is over", "before the loop")
def a_tile_out_of_its_loop(x: Any) -> Any:
    for _ in nl.affine_range(2):
        tile = nl.load(x)
    return nl.exp(tile)


@refused("indexed by slices and index vectors at once", "nl.arange(stop - start)")
def a_mixed_index(x: Any) -> Any:
    return nl.load(x[nl.arange(8)[:, None], 0:4])


@refused("an index expression with //, which is not affine", "a sum of vectors")
def an_index_that_is_not_affine(x: Any) -> Any:
    return nl.load(x[nl.arange(8)[:, None], nl.arange(8)[None, :] // 2])


@refused("reaches 0 to 15 on axis 0, which has 8", "mask=")
def an_index_past_the_end(x: Any) -> Any:
    return nl.load(x[nl.arange(16)[:, None], nl.arange(8)[None, :]])


@refused("runs along its partitions", "nisa.nc_transpose")
def partitions_along_a_row(x: Any) -> Any:
    return nl.copy(nl.load(x)[nl.arange(8)[None, :], nl.arange(8)[:, None]])


@refused("a mask that is no box", "nisa.affine_select")
def a_mask_of_a_triangle(x: Any) -> Any:
    p, f = nl.mgrid[0:8, 0:8]
    return nl.exp(nl.load(x), mask=p < f)


@refused("a mask with |", "joined by &")
def a_mask_of_either(x: Any) -> Any:
    f = nl.arange(8)[None, :]
    return nl.exp(nl.load(x), mask=(f < 2) | (f > 5))


@refused("a mask as a condition", "&")
def a_branch_on_a_mask(x: Any) -> Any:
    if nl.arange(8)[None, :] < 2:
        return x
    return None


@refused("is several blocks", "x[i] of a loop")
def several_blocks_at_once(x: Any) -> Any:
    return nl.exp(nl.zeros((2, nl.par_dim(8), 8), dtype=x.dtype))


@refused("of neuronxcc.nki with <private_hbm", "one dialect")
def a_function_of_the_other_dialect(x: Any) -> Any:
    return nl.exp(x.storage.tile(()))


@refused("loop_indices are variables of loops that it is in", "")
def a_reduction_over_no_loop(x: Any) -> Any:
    (*_, last) = nl.affine_range(2)
    return nl.loop_reduce(nl.load(x), op=np.add, loop_indices=[last])


@each("name", sorted(REFUSED))
def test_what_the_dialect_has_no_meaning_for(name: str) -> None:
    function, message, hint = REFUSED[name]
    with pytest.raises(Failure) as failure:
        nasm.nki.trace(nki.jit(function), numbers(8, 8))
    problem = failure.value.problems[0]
    assert message in problem.message
    assert hint in problem.hint
    assert problem.span is not None
    assert problem.code in ("E0651", "E0305")


def test_instances_declare_the_same_tensors() -> None:
    @nki.jit
    def uneven(x: Any) -> Any:
        return like(x, (8, 8 + nl.program_id(0)))

    with pytest.raises(Failure, match="declares the same tensors"):
        uneven[2](numbers(8, 8))


def test_a_kernel_of_one_dialect_called_by_the_other() -> None:
    @nki.jit
    def inner(x: Any) -> Any:
        return x

    @today.jit
    def outer(x: Any) -> Any:
        return inner(x)

    with pytest.raises(Failure, match="called by a kernel of nki"):
        outer(numbers(8, 8))


def test_every_function_takes_no_other_keyword() -> None:
    functions = {**vars(nl), **vars(nisa)}
    for name in ("load", "exp", "activation", "nc_matmul", "zeros"):
        with pytest.raises(TypeError):
            functions[name](1, nothing_of_that_name=2)


def test_names_of_the_dialect_are_there() -> None:
    wanted = SimpleNamespace(
        language="arange mgrid ds par_dim nc spmd_dim affine_range sequential_range static_range "
        "loop_reduce shared_constant gather_flattened static_cast program_ndim device_print fp32 "
        "tile_size load_transpose2d atomic_rmw rms_norm bfloat16 float8_e4m3",
        isa="tensor_copy_dynamic_src tensor_partition_reduce local_gather sequence_bounds "
        "unknown_engine reduce_cmd oob_mode get_nc_version builtin_custom_op",
    )
    assert not [name for name in wanted.language.split() if not hasattr(nl, name)]
    assert not [name for name in wanted.isa.split() if not hasattr(nisa, name)]
