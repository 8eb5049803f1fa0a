"""Calls that repeat an earlier one: left out with the same values, or kept for a reason."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.installing import installed
from nasm.nki.kernel import Traced, trace
from nasm.nki.kernel_run import run
from tests.nki.minikernel import Array, loaded, psum, sbuf, seeded
from tests.parts import part
from tests.sync.traced_oracle import judge

ROUNDS, SHAPE = 3, (32, 8)
X, Y = seeded(1, *SHAPE), seeded(2, ROUNDS, *SHAPE)


def both(kernel: Callable[..., Any], *arrays: Array, **options: Any) -> Traced:
    """A kernel as it is hoisted: the same bits as without, and in order."""
    results = []
    for hoist in (False, True):
        traced = trace(kernel, *(array.copy() for array in arrays), hoist=hoist, **options)
        made = run(traced)
        assert made.ok
        changed = [made.result.outputs[name] for name in traced.changed]
        results.append([made.outputs, *changed])
        assert hoist or not traced.reused
    assert all(map(np.array_equal, *results))
    verdict = judge(traced)
    assert verdict is None or not (verdict.unordered or verdict.needless)
    return traced


def left_out(traced: Traced) -> list[int]:
    """How many calls of each line are left out."""
    return [each.count for each in traced.reused]


def result() -> Any:
    """What kernels here return: a tile for each round."""
    return nl.ndarray((ROUNDS, *SHAPE), nl.float32, nl.shared_hbm)


def combined(first: Any, second: Any, op: Any = nl.multiply) -> Any:
    into = sbuf(first.shape)
    nisa.tensor_tensor(into, first, second, op=op)
    return into


# -- left out


def test_what_does_not_depend_on_the_round_is_loaded_and_computed_once() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out = result()
        for i in range(ROUNDS):
            tile = loaded(x)
            power = sbuf(SHAPE)
            nisa.activation(power, op=nl.exp, data=tile, scale=0.5)
            nisa.dma_copy(out[i], combined(combined(power, tile), loaded(y[i])))
        return out

    traced = both(kernel, X, Y)
    assert left_out(traced) == [2, 2, 2]
    names = {tensor.name for tensor in traced.program.tensors.values()}
    assert "power" in names
    assert "power_1" not in names
    assert [tensor.index for tensor in traced.program.tensors.values()] == list(range(len(names)))


def test_two_lines_that_compute_the_same_are_one() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out, tile = result(), loaded(x)
        first = combined(tile, tile)
        second = combined(tile, tile)
        for i in range(ROUNDS):
            nisa.dma_copy(out[i], (first, second, tile)[i])
        return out

    (one,) = both(kernel, X, Y).reused
    assert (one.count, one.calls) == (1, 1)
    assert one.first != one.span
    assert "what another line has computed" in one.note().message


def test_both_results_of_an_instruction_are_reused() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out = result()
        tile = loaded(x)
        for i in range(ROUNDS):
            squares, total = sbuf(SHAPE), sbuf((SHAPE[0], 1))
            nisa.activation_reduce(
                squares, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total
            )
            into = sbuf(SHAPE)
            nisa.tensor_scalar(into, combined(squares, loaded(y[i])), op0=nl.add, operand0=total)
            nisa.dma_copy(out[i], into)
        return out

    traced = both(kernel, X, Y)
    assert left_out(traced) == [2]


@pytest.mark.parametrize("rounds", [range, nl.affine_range, nl.static_range])
def test_a_load_is_reused_in_a_later_round_of_an_outer_loop_and_a_computation_is_not(
    rounds: Any,
) -> None:
    """As in AWS's profiles of mamba_v1: loads of delta and u are reused, their product is not.

    Rounds that are written out are no loop, as those of mamba_v3.
    """
    written_out = rounds is nl.static_range

    def kernel(x: Any, y: Any) -> Any:
        out = nl.ndarray((2, ROUNDS, *SHAPE), nl.float32, nl.shared_hbm)
        for outer in range(2):
            for inner in rounds(ROUNDS):
                tile = loaded(y[inner])
                nisa.dma_copy(out[outer, inner], combined(tile, tile))
        return out

    traced = both(kernel, X, Y)
    assert left_out(traced) == [ROUNDS] * (1 + written_out)
    count = sum(len(queue) for queue in traced.program.queues if queue.engine == "vector")
    assert count == (1 if written_out else 2) * ROUNDS


def test_a_tile_is_read_in_a_loop_of_the_machine_that_has_its_result() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out = result()
        tile = loaded(x)
        again = loaded(x)

        def body(i: Any) -> None:
            nisa.dma_copy(out.select(0, i), combined(again, tile))

        nl.fori_loop(0, ROUNDS, body)
        return out

    assert left_out(both(kernel, X, Y)) == [1]


def test_inputs_are_reused_on_two_cores() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out = result()
        for i in range(ROUNDS):
            product = combined(loaded(x), loaded(y[i]))
            if i % 2 == nl.program_id(0):
                nisa.dma_copy(out[i], product)
        return out

    assert left_out(both(kernel, X, Y, lnc=2)) == [4]


# -- kept


def _written_source(i: int, x: Any, y: Any) -> Any:
    tile = loaded(x)
    nisa.dma_copy(x, combined(tile, tile))
    return tile


def _written_operand(i: int, x: Any, y: Any) -> Any:
    tile = loaded(y[0])
    nisa.tensor_tensor(tile, tile, tile, op=nl.add)
    return tile


def _by_hand(i: int, x: Any, y: Any) -> Any:
    tile = nl.ndarray(SHAPE, nl.float32, nl.sbuf, address=(0, 512))
    nisa.dma_copy(tile, x)
    nisa.tensor_scalar(tile, tile, op0=nl.add, operand0=1.0)
    return tile


def _random(i: int, x: Any, y: Any) -> Any:
    bits, tile = sbuf(SHAPE, nl.uint32), sbuf(SHAPE)
    nisa.rng(bits)
    nisa.tensor_scalar(tile, bits, op0=nl.multiply, operand0=1e-9)
    return tile


def _zero(i: int, x: Any, y: Any) -> Any:
    tile = sbuf(SHAPE)
    nisa.memset(tile, value=-0.0 if i else 0.0)
    return tile


def _address_at_run_time(i: int, x: Any, y: Any) -> Any:
    register = nisa.register_alloc(i % 2)
    tile = sbuf(SHAPE)
    nisa.dma_copy(tile, y.select(0, register))
    return tile


def _kept_sums(i: int, x: Any, y: Any) -> Any:
    tile, total = sbuf(SHAPE), sbuf((SHAPE[0], 1))
    source = sbuf(SHAPE)
    nisa.memset(source, value=float(i))
    command = nisa.reduce_cmd.reduce if i else nisa.reduce_cmd.reset_reduce
    nisa.activation(
        tile, op=nl.square, data=source, reduce_op=nl.add, reduce_res=total, reduce_cmd=command
    )
    nisa.tensor_scalar(tile, tile, op0=nl.add, operand0=total)
    return tile


@pytest.mark.parametrize(
    "made",
    [_written_source, _written_operand, _by_hand, _random, _zero, _address_at_run_time, _kept_sums],
)
def test_a_call_is_kept_whose_result_may_be_another(made: Callable[..., Any]) -> None:
    def kernel(x: Any, y: Any) -> Any:
        out = result()
        for i in range(ROUNDS):
            nisa.dma_copy(out[i], made(i, x, y))
        return out

    assert left_out(both(kernel, X, Y)) == ([1] if made is _zero else [])


def test_what_reads_a_tile_that_has_changed_is_computed_again() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out, total = result(), loaded(x)
        for i in range(ROUNDS):
            nisa.tensor_scalar(total, total, op0=nl.add, operand0=1.0)
            nisa.dma_copy(out[i], combined(total, total))
        return out

    assert left_out(both(kernel, X, Y)) == []


def test_what_lies_in_psum_is_computed_again() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out, tile = result(), loaded(x)
        for i in range(ROUNDS):
            into = psum(SHAPE)
            nisa.tensor_copy(into, tile, engine=nisa.engine.vector)
            copy = sbuf(SHAPE)
            nisa.tensor_copy(copy, into, engine=nisa.engine.vector)
            nisa.dma_copy(out[i], copy)
        return out

    assert left_out(both(kernel, X, Y)) == []


def test_what_two_cores_share_and_one_writes_is_loaded_again() -> None:
    def kernel(x: Any, y: Any) -> Any:
        out, shared = result(), nl.ndarray(SHAPE, nl.float32, nl.shared_hbm)
        if nl.program_id(0) == 0:
            nisa.dma_copy(shared, loaded(x))
        nisa.core_barrier(shared, (0, 1))
        for i in range(ROUNDS):
            tile = loaded(shared)
            if nl.program_id(0) == 0:
                nisa.dma_copy(out[i], combined(tile, loaded(y[i])))
        return out

    assert left_out(both(kernel, X, Y, lnc=2)) == []


def test_without_room_each_round_loads_again() -> None:
    wide = np.ones((2, 1, 30_000), np.float32)

    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, nl.float32, nl.shared_hbm)
        for i in range(2):
            for one in range(2):
                nisa.dma_copy(out[i], loaded(x[one]))
        return out

    assert left_out(both(kernel, wide)) == []
    assert left_out(both(kernel, wide[:, :, :20_000].copy())) == [2]


def test_what_fits_is_reused_and_what_does_not_is_loaded_again() -> None:
    wide = np.ones((4, 1, 15_000), np.float32)

    def kernel(x: Any) -> Any:
        out = nl.ndarray((2, 4, 1, 15_000), nl.float32, nl.shared_hbm)
        for i in range(2):
            for one in range(4):
                nisa.dma_copy(out[i, one], loaded(x[one]))
        return out

    assert 0 < sum(left_out(both(kernel, wide))) < 4


# -- random kernels


def _drawn(random: Random) -> Callable[..., Any]:
    """Loads, computations, stores and loops over few tensors, so that much is repeated."""
    steps = [
        (random.choice("llllccccttsmi"), *(random.randrange(4) for _ in range(3)))
        for _ in range(random.randrange(4, 14))
    ]
    rounds = random.choice([(3,), (2, 2), (2, 3)])

    def kernel(x: Any, y: Any) -> Any:
        out, kept = result(), [loaded(y[i % ROUNDS]) for i in range(4)]
        for where in np.ndindex(*rounds):
            for number, (kind, a, b, c) in enumerate(steps):
                _step(kind, kept, (x, y, out), a, b, (c + where[c % len(where)] * (c % 2)) % 4)
                if kind == "s" and number % 2:
                    nisa.dma_copy(x, kept[b])
        for i in range(ROUNDS):
            nisa.dma_copy(out[i], kept[i])
        return out

    return kernel


def _step(kind: str, kept: list[Any], hbm: Any, a: int, b: int, c: int) -> None:
    x, y, out = hbm
    if kind == "l":
        kept[a] = loaded(y[c % ROUNDS] if b else x)
    elif kind == "c":
        kept[a] = combined(kept[b], kept[c], nl.maximum if a % 2 else nl.add)
    elif kind == "t":
        into = sbuf(SHAPE)
        nisa.tensor_scalar(into, kept[b], op0=nl.multiply, operand0=0.5 * c)
        kept[a] = into
    elif kind == "m":
        kept[a] = sbuf(SHAPE)
        nisa.memset(kept[a], value=float(c))
    elif kind == "i":
        nisa.tensor_scalar(kept[a], kept[a], op0=nl.add, operand0=1.0)
    else:
        nisa.dma_copy(out[c % ROUNDS], kept[a])


def test_random_kernels_have_the_same_values() -> None:
    seeds = part(range(400), 5)
    reused = sum(len(both(_drawn(Random(seed)), X, Y).reused) for seed in seeds)
    assert reused > len(seeds)


def test_kernels_of_nki_0_1_reuse_results_unless_they_are_to_be_as_written() -> None:
    with installed():
        from neuronxcc import nki as old
        from neuronxcc.nki import compiler
        from neuronxcc.nki import language as tiles

    def again(x: Any) -> Any:
        out = tiles.ndarray((3, *x.shape), dtype=x.dtype, buffer=tiles.shared_hbm)
        for i in tiles.affine_range(3):
            tiles.store(out[i], tiles.load(x))
        return out

    def loads(kernel: Any, **options: Any) -> int:
        traced = trace(kernel, np.ones((8, 8), np.float32), **options)
        assert bool(traced.program.warnings) == bool(options.get("hoist"))
        return len(traced.program)

    plain = loads(old.jit(again), hoist=False)
    assert loads(old.jit(again)) < plain
    assert loads(old.jit(again), hoist=True) == loads(old.jit(again))
    whole = compiler.skip_middle_end_transformations
    assert loads(whole(old.jit(again))) == loads(whole(old.jit(again))[1]) == plain

    def unlike(x: Any) -> Any:
        return again(x)

    assert loads(old.jit(whole(unlike))) == loads(old.benchmark(old.jit(unlike))) == plain
