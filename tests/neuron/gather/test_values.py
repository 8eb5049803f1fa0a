"""Gathers and TopK: worked by hand, and the vendor's published example."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.targets import TARGETS
from tests.neuron.programs import cost, fault, ran, result, same, sbuf

ALL = 128


def test_the_published_local_gather() -> None:
    # nki/test/test_nki_isa_local_gather.py: rows of 4, whose numbers are multiplied by 4
    random = np.random.default_rng(0)
    src = random.random((ALL, 512, 4), np.float32) * 100
    rows = np.tile(random.integers(0, 512, (16, 4), np.uint16), (8, 1))
    want = np.empty((ALL, 64, 4), np.float32)
    for core in range(8):
        part = slice(16 * core, 16 * core + 16)
        want[part] = np.take(src[part], rows[part].flatten(order="F")[:64], axis=1)
    got = result(
        "@gpsimd LocalGather c, src, index, num_elem_per_idx=4, num_valid_indices=64",
        src=sbuf("f32", src),
        index=sbuf("u16", rows * 4),
        c=sbuf("f32", (ALL, 4, 16, 4)),
    )
    same(got, want.reshape(ALL, 4, 16, 4))


def test_the_indices_of_a_core_are_read_down_its_partitions_first() -> None:
    index = np.arange(32).reshape(2, 16).T % 20  # partition p holds p and (16 + p) % 20
    src = np.tile(np.arange(20) * 10, (16, 1))
    got = result(
        "@gpsimd LocalGather c, a, i, num_valid_indices=18",
        a=sbuf("i32", src),
        i=sbuf("u16", index),
        c=sbuf("i32", (16, 18)),
    )
    assert got.tolist() == [[10 * n for n in range(18)]] * 16


@pytest.mark.parametrize(("index", "per"), [(64, 1), (63, 2), (65535, 1)])
def test_an_index_outside_the_buffer_is_refused_when_it_is_met(index: int, per: int) -> None:
    problem = fault(
        f"@gpsimd LocalGather c, a, i, num_elem_per_idx={per}, num_valid_indices=1",
        a=sbuf("f32", np.zeros((16, 64))),
        i=sbuf("u16", np.full((16, 1), index)),
        c=sbuf("f32", (16, per)),
    )
    assert problem.code == "E0701"
    assert f"element {index + per - 1} is outside the tile, whose last is 63" in problem.message


def test_what_is_not_valid_is_not_looked_at() -> None:
    index = np.full((16, 1), 9999)
    index[0] = 3
    got = result(
        "@gpsimd LocalGather c, a, i, num_valid_indices=1",
        a=sbuf("u8", np.eye(16, 8)),
        i=sbuf("u16", index),
        c=sbuf("u8", (16, 1)),
    )
    assert got[:, 0].tolist() == [0, 0, 0, 1] + 12 * [0]


def test_local_gather_is_faster_per_element_the_more_an_index_gathers() -> None:
    # 4096 float32: 150 + 4096 * 32/4 = 32918; 128 of 32: 150 + 4096 * (156/128) / min(4/4, 32)
    a, one = sbuf("f32", (ALL, 64)), sbuf("u16", (ALL, 256))
    few, c = sbuf("u16", (ALL, 8)), sbuf("f32", (ALL, 4096))
    assert cost("@gpsimd LocalGather c, a, one", a=a, one=one, c=c).interval == 32918
    wide = "@gpsimd LocalGather c, a, few, num_elem_per_idx=32"
    assert cost(wide, a=a, few=few, c=c).interval == 150 + 4096 * 156 // 128


def test_the_printed_cost_of_local_gather_is_an_option() -> None:
    text = (
        ".target trn1\n.sbuf a f32[128, 64]\n.sbuf i u16[128, 256]\n.sbuf c f32[128, 4096]\n"
        "@gpsimd LocalGather c, a, i\n"
    )
    made = assemble(Source("x.nasm", text), TARGETS, options={"local_gather.cost": "divide"})
    assert made.instructions[0].shape("gpsimd", made.generation).cost.interval == 150 + 4096 // 8


def test_every_partition_gathers_with_its_own_indices() -> None:
    data = np.arange(12).reshape(2, 2, 3)
    picks = [[5, 0, 0], [1, 2, 3]]
    got = result(
        "@gpsimd NcNGather c, a, i",
        a=sbuf("bf16", data),
        i=sbuf("u32", picks),
        c=sbuf("bf16", (2, 3)),
    )
    assert got.astype(int).tolist() == [[5, 0, 0], [7, 8, 9]]
    problem = fault(
        "@gpsimd NcNGather c, a, i",
        a=sbuf("bf16", data),
        i=sbuf("u32", [[0, 0, 6], [0, 0, 0]]),
        c=sbuf("bf16", (2, 3)),
    )
    assert (problem.code, "index 6 is outside" in problem.message) == ("E0701", True)


def test_a_gather_within_partitions_is_a_group_of_instructions_for_512_elements() -> None:
    tiles = {"i": sbuf("u32", (1, 10)), "c": sbuf("u8", (1, 10))}
    line = "@gpsimd NcNGather c, a, i"
    assert cost(line, a=sbuf("u8", (1, 512)), **tiles).interval == 160
    assert cost(line, a=sbuf("u8", (1, 513)), **tiles).interval == 320


# -- TopK


def snake(values: list[float]) -> np.ndarray:
    """Values as they lie in 16 partitions."""
    padded = values + [99.0] * (-len(values) % 16)
    return np.array(padded).reshape(-1, 16).T


def top(values: list[float], k: int, more: str = "") -> tuple[list[float], list[int]]:
    done = ran(
        f"@gpsimd TopK v, i, s, {len(values)}{more}",
        s=sbuf("bf16", snake(values)),
        v=sbuf("bf16", np.full((16, k), 77.0)),
        i=sbuf("u32", np.full((16, k), 77)),
    )
    found, places = (done.read(name).T.reshape(-1) for name in "vi")
    assert (found[k:] == 77).all()
    assert (places[k:] == 77).all()
    return found[:k].astype(np.float32).tolist(), places[:k].tolist()


MANY = [float(v) for v in (5, 1, 9, -3, 7, 0, 2, 8, 4, 6, -1, 3, 10, 12, 11, 20, 15, 30)]


def test_the_largest_are_in_ascending_order_with_their_places_in_the_snake() -> None:
    assert top(MANY, 5) == ([11.0, 12.0, 15.0, 20.0, 30.0], [14, 13, 16, 15, 17])


def test_a_sorted_result_begins_with_the_largest() -> None:
    found = top(MANY, 5, ", sorted=true")
    assert found == ([30.0, 20.0, 15.0, 12.0, 11.0], [17, 15, 16, 13, 14])


def test_results_lie_in_a_snake_of_their_own() -> None:
    done = ran(
        "@gpsimd TopK v, i, s, 18",
        s=sbuf("bf16", snake(MANY)),
        v=sbuf("bf16", np.full((16, 18), 77.0)),
        i=sbuf("u32", np.full((16, 18), 77)),
    )
    values, places = done.read("v"), done.read("i")
    assert values[:, 0].tolist() == sorted(MANY)[:16]
    assert values[:2, 1].tolist() == [20.0, 30.0]
    assert places[:2, 1].tolist() == [15, 17]
    assert (values[2:, 1] == 77).all()  # the column is written, what with is not published
    assert (values[:, 2:] == 77).all()


def test_elements_behind_n_do_not_count() -> None:
    assert top([1.0] * 7 + [2.0], 1) == ([2.0], [7])


def test_of_equal_values_the_first_are_taken_and_are_in_order() -> None:
    values = [4.0, 1.0, 4.0, 4.0, 0.0, 5.0, 4.0, 0.0]
    assert top(values, 3) == ([4.0, 4.0, 5.0], [0, 2, 5])
    assert top(values, 3, ", sorted=true") == ([5.0, 4.0, 4.0], [5, 0, 2])


def test_nan_is_above_every_number() -> None:
    values, places = top([1.0, np.nan, np.inf, 0.0, 0.0, 0.0, 0.0, 0.0], 2)
    assert (values[0], np.isnan(values[1]), places) == (np.inf, True, [2, 1])


def test_every_group_of_16_partitions_has_its_own_result() -> None:
    s = np.concatenate([snake(list(range(16))), snake(list(range(0, -16, -1)))])
    done = ran(
        "@gpsimd TopK v, i, s, 16, sorted=true",
        s=sbuf("bf16", s),
        v=sbuf("bf16", np.zeros((32, 2))),
        i=sbuf("u32", np.zeros((32, 2))),
    )
    assert done.read("i")[[0, 1, 16, 17], 0].tolist() == [15, 14, 0, 1]


def test_topk_takes_four_cycles_for_each_element_and_one_for_each_result() -> None:
    tiles = {"s": sbuf("bf16", (16, 64)), "v": sbuf("bf16", (16, 8)), "i": sbuf("u32", (16, 8))}
    assert cost("@gpsimd TopK v, i, s, 1000", **tiles).interval == 4008
