"""Bounds and rates against the vendor's definitions, worked by hand."""

from __future__ import annotations

import pytest

from nasm.analysis.profile.records import Bound, Profile
from nasm.debugger.session import Session
from nasm.show.profile import rate_lines

MATMUL = """\
.target {target}
.hbm A {dtype}[128, 128] input = zeros
.hbm B {dtype}[128, 512] input = zeros
.hbm C f32[128, 512] output
.sbuf a {dtype}[128, 128]
.sbuf b {dtype}[128, 512]
.sbuf c f32[128, 512]
.psum p f32[128, 512]
.sem loaded, done, copied
@sync DmaCopy a, A $loaded += 16
@sync DmaCopy b, B $loaded += 16
@tensor LoadStationary a $loaded >= 32
@tensor MultiplyMoving p, b $done++
@vector TensorCopy c, p $done >= 1 $copied++
@sync DmaCopy C, c $copied >= 1
"""


def profile(text: str) -> tuple[Profile, dict[str, Bound]]:
    session = Session(text, profile=True)
    session.run()
    found = session.profile()
    return found, {bound.name: bound for bound in found.bounds}


def test_rates_are_of_the_peaks_of_the_machine() -> None:
    found, _ = profile(MATMUL.format(target="trn2", dtype="bf16"))
    rates = found.rates
    flops, moved = 2 * 128 * 128 * 512, 2 * 128 * 128 + 2 * 128 * 512 + 4 * 128 * 512
    nanoseconds = found.microseconds * 1000
    peak = 2 * 128 * 128 * 2.4
    assert (rates.flops, rates.transposes, rates.read + rates.written) == (flops, 0, moved)
    assert rates.minimum == moved
    assert rates.mfu == rates.hfu == pytest.approx(flops / (peak * nanoseconds), rel=1e-12)
    assert rates.mbu == pytest.approx(moved / (716 * nanoseconds), rel=1e-12)
    assert rates.intensity == pytest.approx(flops / moved, rel=1e-12)
    assert rates.ridge == pytest.approx(109.84, abs=0.005)  # as the profiler prints it
    assert rates.mfu_limit == pytest.approx(flops / moved / (peak / 716), rel=1e-12)
    assert rates.verdict == "memory-bound"


def test_bounds_are_one_below_the_other_with_their_gaps() -> None:
    found, bounds = profile(MATMUL.format(target="trn2", dtype="bf16"))
    for bound in found.bounds[1:]:
        above = bounds[bound.above]
        assert bound.gap == above.microseconds - bound.microseconds
        assert bound.gap >= 0
    assert bounds["total_time"].microseconds == found.microseconds
    moved = found.rates.read + found.rates.written
    ideal = moved / (16 * 27.2) / 1000
    assert bounds["memory_bound_ideal"].microseconds == pytest.approx(ideal, rel=1e-12)
    assert bounds["memory_bound_no_reloads"].microseconds == pytest.approx(ideal, rel=1e-12)
    # 512 cycles and the peak: one product of each row, column and moving column a cycle
    flops = bounds["compute_bound_ideal_flops"]
    assert flops.microseconds == pytest.approx(512 / 2400, rel=1e-12)
    tensor = next(e for e in found.engines if e.engine == "tensor")
    assert bounds["compute_bound"].microseconds == tensor.active / 4800
    (whole,) = (m for m in found.moved if m.ring is None)
    assert bounds["memory_bound"].microseconds == whole.active / 4800
    longest = max(*(e.active for e in found.engines), whole.active)
    assert bounds["perfect_pipeline"].microseconds == longest / 4800


def test_float32_takes_four_times_the_operations_of_the_peak() -> None:
    _, bounds = profile(MATMUL.format(target="trn2", dtype="f32"))
    found = bounds["compute_bound_ideal_flops"].microseconds
    assert found == pytest.approx(4 * 512 / 2400, rel=1e-12)


def test_of_float32_both_peaks_are_said() -> None:
    found, _ = profile(MATMUL.format(target="trn2", dtype="f32"))
    rates = found.rates
    assert rates.mfu is not None
    assert rates.ridge is not None
    assert (rates.peak, rates.other_peak) == ("16-bit", True)
    assert rates.dtype_mfu == rates.dtype_hfu == pytest.approx(4 * rates.mfu, rel=1e-12)
    assert rates.dtype_ridge == pytest.approx(rates.ridge / 4, rel=1e-12)
    # 2*128*128*512 operations for 4*(128*128 + 2*128*512) bytes: more than 109.8 / 4
    assert (rates.intensity, rates.verdict) == (pytest.approx(28.44, abs=0.005), "compute-bound")
    first, second = rate_lines(rates)
    part = f"{100 * rates.mfu:.1f}%", f"{400 * rates.mfu:.1f}%"
    assert first.startswith(f"MFU {part[0]}, HFU {part[0]} of the 16-bit peak ({part[1]} and ")
    assert second == "28.4 flops a byte, 27.5 are level: compute-bound"


def test_where_all_is_in_16_bits_one_peak_is_enough() -> None:
    found, _ = profile(MATMUL.format(target="trn2", dtype="bf16"))
    assert not found.rates.other_peak
    assert found.rates.dtype_mfu_limit == found.rates.mfu_limit
    assert "% of the 16-bit peak, MBU " in rate_lines(found.rates)[0]


def test_transposes_are_not_useful() -> None:
    text = MATMUL.format(target="trn1", dtype="bf16")
    text = text.replace("LoadStationary a", "LoadStationary a, is_transpose=true")
    text = text.replace("MultiplyMoving p, b", "MultiplyMoving p, b, is_transpose=true")
    found, bounds = profile(text)
    assert (found.rates.mfu, found.rates.intensity, found.rates.verdict) == (0, 0, "")
    assert found.rates.hfu is not None
    assert found.rates.hfu > 0
    assert bounds["compute_bound_useful_flops"].microseconds == 0
    assert bounds["compute_bound_useful_flops"].gap == pytest.approx(512 / 2800, rel=1e-12)


def test_what_computes_nothing_has_no_bounds_of_computing() -> None:
    _, bounds = profile(".target trn2\n.sbuf a f32[128, 8]\n@vector Memset a, 1.0\n")
    assert {name for name in bounds if "compute" in name} == set()


def test_a_ring_has_what_it_moved_and_so_have_all_together() -> None:
    text = """\
.target trn2
.hbm A f32[128, 512] input = zeros
.sbuf a f32[128, 512]
.sbuf b f32[8, 16]
.sem s
@sync DmaCopy a, A $s += 16
@scalar DmaCopy b, A[0:8, 0:16], queue=3 $s += 16
"""
    found, _ = profile(text)
    whole, first, third = found.moved
    assert (whole.ring, first.ring, third.ring) == (None, 0, 3)
    assert (first.transfers, first.bytes, first.descriptors) == (1, 128 * 2048, 128)
    assert (third.transfers, third.bytes, third.descriptors) == (1, 8 * 64, 8)
    assert (whole.transfers, whole.bytes, whole.descriptors) == (2, 128 * 2048 + 8 * 64, 136)
    assert (first.channels, third.channels, whole.channels) == (16, 1, 16)
    assert whole.bytes_per_descriptor == (128 * 2048 + 8 * 64) / 136
    # 8 partitions of 2 KiB at 23 bytes a ns, rounded up to whole ticks, on each of 16 engines
    busy = -(-8 * 2048 * 48 // 230)
    assert first.busy == 16 * busy
    assert whole.busy == first.busy + third.busy
    assert max(first.active, third.active) <= whole.active <= first.active + third.active


def test_what_instructions_read_themselves_bounds_no_transfer() -> None:
    found, bounds = profile(
        ".target trn2\n.hbm A i32[1, 64] input = zeros\n.sbuf a i32[1, 16]\n"
        "@sync DmaCopy a, A[:, 0:16]\n@vector TensorLoad %r1, A[:, 32:33]\n"
    )
    assert found.rates.minimum == 4 * 17
    once = bounds["memory_bound_no_reloads"]
    assert once.microseconds == pytest.approx(4 * 16 / (16 * 27.2) / 1000)
    assert once.gap == 0
