"""Bytes of outer memory: every use, and each byte once, against sets of bytes."""

from __future__ import annotations

import random

import nasm
from nasm.analysis.profile.minimum_traffic import least
from nasm.analysis.profile.observers import TouchedMemory
from nasm.analysis.profile.records import Profile
from nasm.views.regions import Region
from nasm.views.tensor import Tensor

HEAD = """\
.target trn2
.hbm A f32[128, 64] input = iota
.hbm T f32[128, 64]
.hbm C f32[128, 64] output
.sbuf a f32[128, 64]
.sem s
"""


def profiled(text: str) -> Profile:
    session = nasm.run(HEAD + text, profile=True).session
    return session.profile()


def moved(text: str) -> tuple[int, int, int]:
    rates = profiled(text).rates
    return rates.read, rates.written, rates.minimum


WHOLE = 128 * 64 * 4


def test_a_byte_that_is_read_twice_is_needed_once() -> None:
    twice = "@sync DmaCopy a, A $s += 16\n@sync DmaCopy a, A $s >= 16 $s += 16\n"
    assert moved(twice) == (2 * WHOLE, 0, WHOLE)


def test_parts_that_overlap_count_their_bytes_once() -> None:
    text = (
        "@sync DmaCopy a[:, 0:48], A[:, 0:48] $s += 16\n"
        "@sync DmaCopy a[0:64, 16:64], A[0:64, 16:64] $s >= 16 $s += 16\n"
    )
    read = 128 * 48 + 64 * 48
    assert moved(text) == (4 * read, 0, 4 * (128 * 48 + 64 * 16))


def test_what_is_spilled_and_read_back_is_not_needed_at_all() -> None:
    text = (
        "@sync DmaCopy a, A $s += 16\n"
        "@sync DmaCopy T, a $s >= 16 $s += 16\n"
        "@sync DmaCopy a, T $s >= 32 $s += 16\n"
        "@sync DmaCopy C, a $s >= 48 $s += 16\n"
    )
    assert moved(text) == (2 * WHOLE, 2 * WHOLE, 2 * WHOLE)


def test_an_output_that_is_read_back_is_needed_both_ways() -> None:
    text = (
        "@vector Memset a, 1.0 $s += 16\n"
        "@sync DmaCopy C, a $s >= 16 $s += 16\n"
        "@sync DmaCopy a, C $s >= 32 $s += 16\n"
    )
    assert moved(text) == (WHOLE, WHOLE, 2 * WHOLE)


def test_registers_that_are_loaded_read_memory_too() -> None:
    text = ".hbm n i32[4] input = [1, 2, 3, 4]\n@sync TensorLoad %r1, n[2:3]\n"
    assert moved(text) == (4, 0, 4)


def test_patterns_of_any_kind_touch_the_bytes_of_a_plain_walk() -> None:
    draw = random.Random(3)
    whole = nasm.assemble(HEAD).tensors["A"]
    assert whole.bytes == WHOLE
    for _ in range(200):
        regions = [_region(draw, whole) for _ in range(draw.randrange(1, 4))]
        touched = TouchedMemory(frozenset({"0.hbm"}))
        touched.reads = dict.fromkeys(regions)
        wanted = {byte for region in regions for byte in walked(region)}
        assert least(touched, [whole]) == len(wanted)


def _region(draw: random.Random, tensor: Tensor) -> Region:
    low = (tensor.offset or 0) + 4 * draw.randrange(40)
    if draw.random() < 0.2:
        runs = sorted((4 * n + (tensor.offset or 0), 4 * n + 4 + (tensor.offset or 0))
                      for n in draw.sample(range(60), 3))  # fmt: skip
        return Region("0.hbm", (0, 1, 1), runs[0][0], runs[-1][1], runs[0][0], (), 4, tuple(runs))
    dims = tuple(
        (draw.choice((4, 8, 12, 64, 0)), draw.randrange(1, 5)) for _ in range(draw.randrange(3))
    )
    high = low + sum(step * (count - 1) for step, count in dims) + 4
    return Region("0.hbm", (0, 1, 1), low, high, low, dims, 4)


def walked(region: Region) -> set[int]:
    """Every byte, by loops over all positions."""
    if region.runs:
        return {byte for low, high in region.runs for byte in range(low, high)}
    at = {0}
    for step, count in region.dims:
        at = {start + step * n for start in at for n in range(count)}
    return {region.low + start + byte for start in at for byte in range(region.itemsize)}


def test_a_gather_reads_a_row_as_often_as_entries_name_it() -> None:
    text = """\
.target trn2
.hbm TABLE f32[16, 512]  input = iota
.hbm IDS   i32[128, 1]   input = zeros
.hbm Y     f32[128, 512] output
.sbuf ids i32[128, 1]
.sbuf y f32[128, 512]
.sem s
@gpsimd DmaCopy ids, IDS $s += 16
@gpsimd DmaCopy y, TABLE.ap([[512, 128], [1, 512]], vector_offset=ids) $s >= 16 $s += 16
@gpsimd DmaCopy Y, y $s >= 32 $s += 16
@gpsimd EventSemaphore $s >= 48
"""
    rates = nasm.run(text, profile=True).session.profile().rates
    row = 512 * 4
    assert rates.read == 128 * 4 + 128 * row
    assert rates.minimum == 128 * 4 + row + 128 * row
