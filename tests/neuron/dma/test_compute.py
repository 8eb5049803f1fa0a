"""DmaCompute, and DmaCopy with compute_op=add: sums in float32, by the DMA engines or by SBUF.

Ticks by hand, as in test_copy.py. Adding two sources runs at half the rate of a copy.
"""

from __future__ import annotations

import numpy as np
import pytest

from nasm.debugger.session import Session
from tests.neuron.programs import Tile, hazards, hbm, ran, result, sbuf
from tests.shares import shares

ONES = np.ones((128, 512))


def spans(of: Session) -> set[tuple[int, int]]:
    return {(s.start, s.landed) for s in shares(of.machine.trace)}


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_the_sum_of_three_tensors(on: str) -> None:
    tiles = {
        "a": sbuf("f32", [[1, 2]]),
        "A": hbm("i16", [[30, 40]]),
        "b": sbuf("bf16", [[0.5, 0.25]]),
        "c": hbm("f32", (2,)),
    }
    got = result("@sync DmaCompute c, [a, A, b], reduce_op=add", on, **tiles)
    assert got.tolist() == [31.5, 42.25]


def test_sources_are_added_in_order_in_float32() -> None:
    # 1e8 + 1 is 1e8 in float32; 1e8 - 1e8 + 1 is 1.
    tiles = {
        "a": hbm("f32", [1e8]),
        "b": hbm("f32", [1]),
        "d": hbm("f32", [-1e8]),
        "c": hbm("f32", (1,)),
    }
    assert result("@sync DmaCompute c, [a, b, d], reduce_op=add", **tiles).tolist() == [0]
    assert result("@sync DmaCompute c, [a, d, b], reduce_op=add", **tiles).tolist() == [1]


def test_the_sum_is_rounded_once() -> None:
    # 1 + 2**-8 is halfway between two bfloat16, and would go back to 1 if it were rounded.
    tiles = {
        "a": hbm("bf16", [1]),
        "b": hbm("bf16", [2.0**-8]),
        "d": hbm("bf16", [2.0**-10]),
        "c": hbm("bf16", (1,)),
    }
    got = result("@sync DmaCompute c, [a, b, d], reduce_op=add, scales=[1, 1, 1.0]", **tiles)
    assert float(got[0]) == 1 + 2.0**-7


def test_a_single_source_passes_through_float32() -> None:
    got = result(
        "@sync DmaCompute c, [a], reduce_op=add", a=hbm("i32", [2**24 + 1]), c=hbm("i32", (1,))
    )
    assert got.tolist() == [2**24]


def test_integers_saturate() -> None:
    got = result(
        "@sync DmaCompute c, [a, a], reduce_op=add", a=hbm("i8", [100, -100, 3]), c=hbm("i8", (3,))
    )
    assert got.tolist() == [127, -128, 6]


@pytest.mark.parametrize("memory", [hbm, sbuf])
def test_a_destination_among_the_sources_accumulates(memory: object) -> None:
    lines = ".sem s\n@sync\n" + "\n".join(
        f"DmaCompute c, [A, c], reduce_op=add  $s >= {16 * n}  $s += 16" for n in range(3)
    )
    done = ran(lines, A=hbm("f32", [[1.0, 2.0]]), c=memory("f32", [[10, 20]]))  # type: ignore[operator]
    assert done.read("c").tolist() == [[13, 26]]


def test_sixteen_sources() -> None:
    tiles: dict[str, Tile] = {f"t{n}": hbm("f32", [2.0**n]) for n in range(16)}
    listed = ", ".join(tiles)
    got = result(f"@sync DmaCompute c, [{listed}], reduce_op=add", c=hbm("f32", (1,)), **tiles)
    assert got.tolist() == [2**16 - 1]


def test_sources_of_other_shapes_are_walked_in_row_major_order() -> None:
    values = np.arange(24)
    got = result(
        "@sync DmaCompute c, [a, A.reshape(2, 12).T], reduce_op=add",
        a=sbuf("f32", values.reshape(6, 4)),
        A=hbm("f32", values),
        c=hbm("f32", (12, 2)),
    )
    want = values.reshape(12, 2) + values.reshape(2, 12).T
    assert got.tolist() == want.tolist()


@pytest.mark.parametrize(("sources", "streams"), [(1, 2), (2, 2), (3, 3), (16, 16)])
def test_two_sources_take_twice_a_copys_time_and_more_in_proportion(
    sources: int, streams: int
) -> None:
    # An engine's 16,384 bytes take 963.765 ns of v2's 17 per ns for each source; 293 ns more until
    # they have landed.
    names = ", ".join(["A"] * sources)
    done = ran(
        f"@sync DmaCompute c, [{names}], reduce_op=add",
        A=hbm("f32", ONES),
        c=sbuf("f32", (128, 512)),
    )
    took = -(-(293 * 17 + streams * 16384) * 56 // 170)
    assert spans(done) == {(4206, 4206 + took)}


def test_shares_of_unequal_size_find_the_elements_of_every_source() -> None:
    values = np.arange(48_000)
    tiles = {
        "a": sbuf("f32", values.reshape(8, 6000)),
        "A": hbm("f32", values),
        "c": sbuf("f32", values.reshape(12, 4000)),
    }
    got = result("@sync DmaCompute c, [a, A, c], reduce_op=add", **tiles)
    assert got.reshape(-1).tolist() == (3 * values).tolist()


# -- SBUF adds (v4)


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_sbuf_adds_what_arrives_to_what_it_holds(dtype: str) -> None:
    got = result(
        "@sync DmaCopy c, A, compute_op=add",
        "trn3",
        A=hbm(dtype, [[1, 2.5]]),
        c=sbuf(dtype, [[10, 20]]),
    )
    assert got.astype(float).tolist() == [[11, 22.5]]


def test_sbuf_adds_at_the_rate_of_a_copy() -> None:
    tiles = {"A": hbm("f32", ONES), "c": sbuf("f32", ONES)}
    done = ran("@sync DmaCopy c, A, compute_op=add", "trn3", **tiles)
    assert spans(done) == {(1803, 1803 + 2253)}


def test_two_transfers_that_sbuf_adds_at_once_both_count() -> None:
    lines = "@sync DmaCopy c, A, compute_op=add\n@scalar DmaCopy c, A, compute_op=add"
    done = ran(lines, "trn3", A=hbm("f32", ONES), c=sbuf("f32", ONES))
    assert (done.read("c") == 3).all()


def test_two_transfers_that_read_and_write_at_once_are_a_race() -> None:
    lines = "@sync DmaCompute c, [c, A], reduce_op=add\n@scalar DmaCompute c, [c, A], reduce_op=add"
    assert hazards(lines, A=hbm("f32", ONES), c=sbuf("f32", ONES)) == ["E0502"]


def test_adding_to_what_was_never_written_is_a_hazard() -> None:
    tiles = {"A": hbm("f32", ONES), "c": sbuf("f32", (128, 512))}
    assert hazards("@sync DmaCopy c, A, compute_op=add", "trn3", **tiles) == ["E0501"]
    assert hazards("@sync DmaCompute c, [A, c], reduce_op=add", **tiles) == ["E0501"]
