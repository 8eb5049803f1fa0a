"""DmaTranspose: what arrives, and how long the 16 engines take together.

What the vendor's test_nki_isa_dma_transpose.py and test_nki_nl_load_transpose2d.py hold is here.
Ticks by hand: 5.6, 4.8 and 2.4 per nanosecond on v2, v3 and v4. From v3 on an engine moves its 16th
of the bytes at 0.9 (HBM to SBUF) or 0.5 (SBUF to SBUF) of 23 or 33 bytes per ns; on v2 every
element is a descriptor of 7 ns. All rounded up.
"""

from __future__ import annotations

import numpy as np
import pytest

from nasm.debugger.session import Session
from tests.neuron.programs import Tile, hbm, ran, result, sbuf
from tests.shares import shares


def spans(of: Session) -> set[tuple[int, int]]:
    """When the shares of the first transfer started and landed."""
    return {(s.start, s.landed) for s in shares(of.machine.trace)}


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("memory", [hbm, sbuf])
def test_two_axes_change_places(on: str, memory: object) -> None:
    a = memory("i16", [[1, 2, 3], [4, 5, 6]])  # type: ignore[operator]
    got = result("@sync DmaTranspose c, a", on, a=a, c=sbuf("i16", (3, 2)))
    assert got.tolist() == [[1, 4], [2, 5], [3, 6]]


def test_of_three_axes_the_first_and_the_last_change_places() -> None:
    a = hbm("i32", [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]])
    got = result("@sync DmaTranspose c, a, axes=[2, 1, 0]", "trn2", a=a, c=sbuf("i32", (2, 3, 2)))
    assert got.tolist() == [[[1, 7], [3, 9], [5, 11]], [[2, 8], [4, 10], [6, 12]]]


def test_of_four_axes_the_middle_ones_keep_their_order() -> None:
    a = sbuf("i32", [[[[1, 2, 3]], [[4, 5, 6]]], [[[7, 8, 9]], [[10, 11, 12]]]])
    got = result("@gpsimd DmaTranspose c, a", "trn2", a=a, c=sbuf("i32", (3, 2, 1, 2)))
    assert got.tolist() == [[[[1, 7]], [[4, 10]]], [[[2, 8]], [[5, 11]]], [[[3, 9]], [[6, 12]]]]


def test_every_bit_arrives() -> None:
    bits = np.array([[0x7F01, 0xFFFF], [0x0001, 0x8000]], np.uint16)
    a = Tile("hbm", "bf16", (2, 2), bits.view(hbm("bf16", [0]).values.dtype))  # type: ignore[union-attr]
    got = result("@sync DmaTranspose c, a", "trn3", a=a, c=sbuf("bf16", (2, 2)))
    assert got.view(np.uint16).tolist() == bits.T.tolist()


def test_slices_of_both_sides_may_skip_and_turn_back() -> None:
    values = np.arange(80).reshape(8, 10)
    got = ran(
        "@sync DmaTranspose c[5:8, 1::2], a[::-2, 2:8:2]",
        "trn2",
        a=hbm("i32", values),
        c=sbuf("i32", np.zeros((9, 9))),
    )
    assert got.read("c")[5:8, 1::2].tolist() == values[::-2, 2:8:2].T.tolist()


@pytest.mark.parametrize("mode", ["none", "hwdge"])
@pytest.mark.parametrize("memory", [hbm, sbuf])
def test_the_vendors_two_axes(mode: str, memory: object) -> None:
    # test_dma_transpose_2d: HBM and SBUF to SBUF, with and without the hardware's descriptors.
    src = (np.random.default_rng(0).random((16, 128)) * 100).astype(np.float16)
    got = result(
        f"@sync DmaTranspose c, a, dge_mode={mode}",
        "trn2",
        a=memory("f16", src),
        c=sbuf("f16", (128, 16)),
    )  # type: ignore[operator]
    np.testing.assert_array_equal(got, src.T)


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_the_vendors_load_of_a_tall_float32_matrix(on: str) -> None:
    # test_dma_transpose_load_0 and _1: nl.load_transpose2d and nisa.dma_transpose.
    src = (np.random.default_rng(0).random((2048, 128)) * 100).astype(np.float32)
    got = result("@sync DmaTranspose c, a", on, a=hbm("f32", src), c=sbuf("f32", (128, 2048)))
    np.testing.assert_array_equal(got, src.T)


# 512 x 128 x 2 bytes are 8,192 for each engine: 395.75 ns at 20.7 bytes per ns on v3, 275.83 at
# 29.7 on v4. They land after 293 ns and 1.3 times that. 128 x 128 x 4 are 4,096: 356.17 ns at 11.5.
TIMES = [
    ("trn2", hbm("bf16", np.zeros((512, 128))), sbuf("bf16", (128, 512)), 3605, 3876),
    ("trn3", hbm("bf16", np.zeros((512, 128))), sbuf("bf16", (128, 512)), 1803, 1564),
    ("trn2", sbuf("f32", np.zeros((128, 128))), sbuf("f32", (128, 128)), 3605, 3629),
    # 2 x 17 is rounded up to 128 x 32, 4,096 times 4 bytes, 1,024 for each engine: 89.04 ns.
    ("trn2", sbuf("f32", np.zeros((17, 2))), sbuf("f32", (2, 17)), 3605, 1963),
]


@pytest.mark.parametrize(("on", "a", "c", "start", "took"), TIMES)
def test_all_engines_work_together_from_v3_on(
    on: str, a: Tile, c: Tile, start: int, took: int
) -> None:
    done = ran("@vector DmaTranspose c, a", on, a=a, c=c)
    assert spans(done) == {(start, start + took)}
    assert len(shares(done.machine.trace)) == 16


def test_a_small_tile_takes_the_time_of_a_whole_one() -> None:
    # 128 x 16 x 4 x 100 bytes, 51,200 for each engine at 20.7 bytes per ns: 2473.43 ns.
    a, c = hbm("f32", np.zeros((1, 100, 3))), sbuf("f32", (3, 100, 1))
    done = ran("@vector DmaTranspose c, a", "trn2", a=a, c=c)
    assert spans(done) == {(3605, 3605 + 16_841)}


def test_v2_moves_element_by_element() -> None:
    # Engine 0 writes 8 partitions of 100 elements, 5,600 ns; engine 1 the ninth, 700 ns; the
    # others nothing. All land 293 ns later.
    tiles = {"a": hbm("f32", np.zeros((100, 9))), "c": sbuf("f32", (9, 100))}
    done = ran("@vector DmaTranspose c, a", **tiles)
    assert spans(done) == {(4206, 4206 + 33_001), (4206, 4206 + 5561), (4206, 4206 + 1641)}
