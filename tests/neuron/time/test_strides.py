"""What strides cost: slots = max(elements, 2 x 16-byte blocks touched) on v3 and v4.

The blocks are counted here by walking addresses, element by element.
"""

from __future__ import annotations

import itertools

import pytest

from nasm.isa.evidence import Evidence
from tests.neuron.programs import cost, psum, sbuf
from tests.tables import each

SIZES = {"f32": 4, "bf16": 2, "u8": 1}


def slots(pattern: list[tuple[int, int]], size: int) -> int:
    """The slots of a walk: (step, count) in elements, slowest first; each row begins a block."""
    *outer, (step, count) = pattern
    rows = list(itertools.product(*(range(n) for _, n in outer)))
    touched = sum(len({(i * abs(step) * size) // 16 for i in range(count)}) for _ in rows)
    return max(len(rows) * count, 2 * touched)


def test_the_measured_strides_of_float32() -> None:
    # 8 bytes apart no penalty, 12 half-way, from 16 on half the rate.
    assert [slots([(step, 512)], 4) for step in (1, 2, 3, 4, 5, 8)] == [
        512, 512, 768, 1024, 1024, 1024,
    ]  # fmt: skip


@each("on", ["trn2", "trn3"])
@each("dtype", SIZES)
@each("step", [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, -3])
def test_a_strided_tile_takes_the_slots_of_its_blocks(on: str, dtype: str, step: int) -> None:
    tiles = {"a": sbuf(dtype, (128, 512 * abs(step))), "c": sbuf("f32", (128, 512))}
    want = slots([(step, 512)], SIZES[dtype])
    found = cost(f"@scalar Activation c, a[:, ::{step}], op=exp", on, **tiles)
    assert found.interval == want
    known = Evidence.MEASURED if on == "trn2" else Evidence.ASSUMED
    assert found.evidence is known
    assert ("16-byte blocks" in found.source) == (want > 512)


@pytest.mark.parametrize(
    ("view", "pattern"),
    [
        ("a[:, 0:4096].reshape(128, 64, 64)[:, :, 0:8]", [(64, 64), (1, 8)]),
        ("a[:, 0:4096].reshape(128, 64, 64)[:, :, 0:24:3]", [(64, 64), (3, 8)]),
        ("a[:, 0:4096].reshape(128, 64, 64)[:, :, 0]", [(64, 64)]),
        ("a[:, 0:512].reshape(128, 8, 64).permute(0, 2, 1)", [(1, 64), (64, 8)]),
        ("a[:, 0:512].reshape(128, 256, 2).permute(0, 2, 1)", [(1, 2), (2, 256)]),
    ],
)
def test_rows_count_one_by_one(view: str, pattern: list[tuple[int, int]]) -> None:
    shape = tuple(n for _, n in pattern)
    tiles = {"a": sbuf("f32", (128, 4096)), "c": sbuf("f32", (128, *shape))}
    found = cost(f"@scalar Activation c, {view}, op=exp", "trn2", **tiles)
    assert found.interval == max(64, slots(pattern, 4))


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_moving_tile_keeps_the_array_busy_for_its_slots(step: int) -> None:
    tiles = {"a": sbuf("f32", (128, 512 * step)), "acc": psum("f32", (128, 512))}
    line = f"@tensor MultiplyMoving acc, a[:, ::{step}]"
    plain = cost("@tensor MultiplyMoving acc, a[:, 0:512]", "trn2", **tiles)
    more = 4 * (slots([(step, 512)], 4) - 512)
    assert cost(line, "trn2", **tiles).interval == plain.interval + more


def test_a_strided_result_keeps_its_port_busy_too() -> None:
    tiles = {"a": sbuf("f32", (128, 512)), "c": sbuf("f32", (128, 512 * 3))}
    assert cost("@scalar Activation c[:, ::3], a, op=exp", "trn2", **tiles).interval == 768
    # Few results of many elements: the elements are what takes time.
    tiles = {"a": sbuf("f32", (128, 64, 64)), "c": sbuf("f32", (128, 64 * 4))}
    line = "@vector TensorReduce c[:, ::4], a, op=add, axis=2"
    assert cost(line, "trn2", **tiles).interval == 4096


@pytest.mark.parametrize(("step", "want"), [(3, 512), (4, 1024), (5, 1024)])
def test_v2_keeps_its_documented_step(step: int, want: int) -> None:
    tiles = {"a": sbuf("f32", (128, 512 * step)), "c": sbuf("f32", (128, 512))}
    assert cost(f"@scalar Activation c, a[:, ::{step}], op=exp", "trn1", **tiles).interval == want


@pytest.mark.parametrize("engine", ["vector", "gpsimd"])
def test_the_rule_is_assumed_of_vector_and_gpsimd(engine: str) -> None:
    tiles = {"a": sbuf("f32", (128, 512 * 3)), "c": sbuf("f32", (128, 512))}
    found = cost(f"@{engine} TensorCopy c, a[:, ::3]", "trn2", **tiles)
    assert (found.interval, found.evidence) == (768, Evidence.ASSUMED)
