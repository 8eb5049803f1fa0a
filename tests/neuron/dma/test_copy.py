"""DmaCopy and DmaTrigger: who moves what, when it is there, and what the semaphore says.

Ticks by hand, from the guides' and measured figures: 5.6, 4.8 and 2.4 ticks per nanosecond on v2,
v3 and v4. The shares of a load arrive 751 ns after the start of its instruction. An engine takes
its bytes at 17, 23 or 33 per ns (7 ns a run of bytes at the least); they land after 293 ns and that
time, on v3 and v4 1.3 times that if all 16 engines have some. Who waits for them may start 314 ns
later. All rounded up to ticks.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from nasm.base.problems import Severity
from nasm.debugger.session import Session
from tests.neuron import scalar as reference
from tests.neuron.programs import (
    Tile,
    cost,
    hazards,
    hbm,
    psum,
    ran,
    refused,
    result,
    sbuf,
    session,
    tile,
    times,
)
from tests.parts import part
from tests.shares import Share, shares
from tests.tables import each

F32 = np.float32
DATA = np.arange(128 * 512, dtype=F32).reshape(128, 512)
ALL = range(16)


def moved(of: Session) -> dict[int, int]:
    """Bytes by DMA engine, of those that moved any."""
    return {s.channel: s.bytes for s in shares(of.machine.trace) if s.bytes}


def _start(share: Share) -> int:
    return share.start


def spans(of: Session, ring: int = 0) -> list[tuple[int, int]]:
    """Start and landing of what the first DMA engine did for one of its queues."""
    jobs = [s for s in shares(of.machine.trace) if s.channel == 0 and s.ring == ring]
    return sorted((s.start, s.landed) for s in jobs)


# -- who moves what


def test_partition_p_of_dst_belongs_to_engine_p_over_8() -> None:
    done = ran("@sync DmaCopy c[64:84], A", A=hbm("f32", DATA[:20]), c=sbuf("f32", DATA))
    assert moved(done) == {8: 8 * 2048, 9: 8 * 2048, 10: 4 * 2048}


def test_without_partitions_in_dst_those_of_src_decide() -> None:
    done = ran("@sync DmaCopy C, a[120:128]", a=sbuf("f32", DATA), C=hbm("f32", (8, 512)))
    assert moved(done) == {15: 8 * 2048}
    np.testing.assert_array_equal(done.read("C"), DATA[120:])


def test_between_two_tiles_dst_decides() -> None:
    done = ran("@sync DmaCopy c[32:40], a[0:8]", a=sbuf("f32", DATA), c=sbuf("f32", 0 * DATA))
    assert moved(done) == {4: 8 * 2048}
    np.testing.assert_array_equal(done.read("c[32:40]"), DATA[:8])


def test_the_place_of_the_tensor_counts() -> None:
    done = ran("@sync DmaCopy c, A", A=hbm("f32", [[1], [2]]), c=sbuf("f32", (2, 1), "39:0"))
    assert moved(done) == {4: 4, 5: 4}


def test_strided_partitions_go_to_the_engines_they_belong_to() -> None:
    done = ran("@sync DmaCopy c[0:128:16], A", A=hbm("f32", DATA[:8]), c=sbuf("f32", 0 * DATA))
    assert moved(done) == {n: 2048 for n in range(0, 16, 2)}
    np.testing.assert_array_equal(done.read("c")[::16], DATA[:8])


@pytest.mark.parametrize(("count", "shares"), [(1600, [400] * 16), (16, [4] * 16)])
def test_hbm_to_hbm_is_cut_into_16_equal_runs(count: int, shares: list[int]) -> None:
    done = ran("@sync DmaCopy C, A", A=hbm("f32", np.arange(count)), C=hbm("f32", (count,)))
    assert moved(done) == dict(enumerate(shares))
    assert done.read("C").tolist() == list(range(count))


def test_psum_is_read() -> None:
    got = result("@sync DmaCopy c, a", a=psum("f32", DATA), c=hbm("f32", (128, 512)))
    np.testing.assert_array_equal(got, DATA)


# -- what arrives


SHAPES = [
    ((5, 7), (35, 1)),
    ((35, 1), (5, 7)),
    ((4, 6), (8, 3)),
    ((120, 2), (16, 3, 5)),
    ((7,), (7,)),
    ((3, 4, 5), (60,)),
    ((60,), (4, 15)),
    ((2, 64), (128, 1)),
]


@each(("src", "dst"), SHAPES)
@each("memories", [("hbm", "hbm"), ("hbm", "sbuf"), ("sbuf", "hbm"), ("sbuf", "sbuf")])
def test_both_sides_are_walked_in_row_major_order(
    src: tuple[int, ...], dst: tuple[int, ...], memories: tuple[str, str]
) -> None:
    values = np.arange(math.prod(src)).reshape(src)
    got = result(
        "@sync DmaCopy c, a", a=tile(memories[0], "f32", values), c=tile(memories[1], "f32", dst)
    )
    np.testing.assert_array_equal(got, values.reshape(dst))


@pytest.mark.parametrize("shapes", [((12, 4000), (8, 6000)), ((8, 6000), (12, 4000))])
def test_shares_of_unequal_size_find_their_elements_on_the_other_side(
    shapes: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    values = np.arange(48_000).reshape(shapes[0])
    got = result("@sync DmaCopy c, a", a=sbuf("f32", values), c=sbuf("f32", shapes[1]))
    np.testing.assert_array_equal(got, values.reshape(shapes[1]))


@pytest.mark.parametrize("seed", part(range(12), 4))
def test_a_dma_converts_through_float32(seed: int) -> None:
    draw = np.random.default_rng(seed)
    kinds = [k for k in reference.NUMPY if k != "float8_e4m3fn"]
    src, dst = (str(k) for k in draw.choice(kinds, 2, replace=False))
    shape = (int(draw.integers(1, 129)), int(draw.integers(1, 30)))
    values = draw.integers(-(2**20), 2**20, shape) / draw.choice([4, 1024])
    given = hbm(src, np.abs(values) % 200 if src[0] == "u" else values % 100 - 50)
    held = given.values
    assert held is not None
    got = result("@sync DmaCopy c, a", a=given, c=sbuf(dst, shape))
    want = reference.each(
        shape, lambda p, n: reference.out(reference.f(float(held[p, n])), dst), dst
    )
    np.testing.assert_array_equal(got.astype(float), want.astype(float))


@each("on", ["trn1", "trn2", "trn3"])
@each("engine", ["sync", "scalar", "gpsimd", "vector"])
def test_a_dma_between_two_dtypes_needs_no_mode_that_converts(engine: str, on: str) -> None:
    got = result(f"@{engine} DmaCopy c, a", on, a=hbm("f32", [[1.5, 3.0]]), c=sbuf("i32", (1, 2)))
    assert got.tolist() == [[2, 3]]


@pytest.mark.parametrize("engine", ["sync", "scalar"])
def test_the_default_of_an_engine_makes_no_descriptors_where_it_would_not_convert(
    engine: str,
) -> None:
    # 486 ns where the hardware makes them for one engine, 7 where they are written before the run.
    tiles = {"a": hbm("f32", (1, 8)), "c": sbuf("f32", (1, 8)), "d": sbuf("bf16", (1, 8))}
    issue = [
        cost(f"@{engine} DmaCopy {line}", "trn2", **tiles).interval
        for line in ("c, a", "c, a, dge_mode=hwdge", "d, a", "d, a, dge_mode=none")
    ]
    assert issue == [584, 584, 9, 9]


def test_a_mode_that_does_not_convert_is_refused_where_a_program_says_it() -> None:
    tiles = {"a": hbm("f32", (1, 8)), "d": sbuf("bf16", (1, 8))}
    (problem,) = refused("@sync DmaCopy d, a, dge_mode=hwdge", "trn2", **tiles)
    assert problem.code == "E0405"
    assert problem.message == "DmaCopy: float32 into bfloat16 with dge_mode=hwdge"


def test_equal_dtypes_move_bit_for_bit() -> None:
    bits = np.array([0x7FA0_0001, 0x0000_0001, 0xFFFF_FFFF], np.uint32)
    for dtype, kind in (("f32", F32), ("i32", np.int32)):
        given = Tile("hbm", dtype, (3,), bits.view(kind))
        got = result("@sync DmaCopy c, a", "trn2", a=given, c=hbm(dtype, (3,)))
        assert got.tobytes() == bits.tobytes()


def test_a_view_of_a_dma_may_skip_and_turn_back() -> None:
    got = result("@sync DmaCopy c, a[::-2, 1::3]", a=hbm("f32", DATA[:6]), c=sbuf("f32", (3, 171)))
    np.testing.assert_array_equal(got, DATA[:6][::-2, 1::3])


def test_a_register_moves_the_start_of_a_dma_with_descriptors_made_at_run_time() -> None:
    lines = "@gpsimd\nRegisterMove %r1, 96\nDmaCopy c, A[%r1 : +4]"
    got = result(lines, A=hbm("f32", DATA), c=sbuf("f32", (4, 512)))
    np.testing.assert_array_equal(got, DATA[96:100])


# The vendor's test_nki_isa_dma_copy.py, those without an index tile: example 1, 9 and 10.
@pytest.mark.parametrize(
    ("line", "on", "memory", "shape"),
    [
        ("@sync DmaCopy c, a", "trn1", "hbm", (256, 1)),
        ("@gpsimd DmaCopy c, a, dge_mode=swdge", "trn1", "hbm", (64, 512)),
        ("@scalar DmaCopy c, a, dge_mode=hwdge", "trn2", "sbuf", (128, 512)),
    ],
)
def test_the_vendors_copies(line: str, on: str, memory: str, shape: tuple[int, int]) -> None:
    src = np.random.default_rng(0).random(shape).astype(F32) * 100
    got = result(line, on, a=tile(memory, "f32", src), c=tile(memory, "f32", shape))
    np.testing.assert_array_equal(got, src)


# -- when

# Dispatch, 16,384 bytes at the engine's rate, from the start to the landing, notify: in ticks.
# 963.76 ns and 293 more; 712.35, and 293 and 1.3 times that; 496.48 likewise.
WHEN = {
    "trn1": (4206, 5398, 7038, 1759),
    "trn2": (3605, 3420, 5852, 1508),
    "trn3": (1803, 1192, 2253, 754),
}
LOAD = ".sem s\n@sync DmaCopy c, A  $s += 16\n@vector EventSemaphore  $s >= 16"


@pytest.mark.parametrize("on", WHEN)
def test_every_share_starts_when_dispatched_and_lands_when_its_bytes_have_passed(on: str) -> None:
    dispatch, bytes_, latency, notify = WHEN[on]
    done = ran(LOAD, on, A=hbm("f32", DATA), c=sbuf("f32", (128, 512)))
    landed = dispatch + latency
    sync = done.queue("sync").index
    # core, engines, queue, issuing queue and pc; arrived, start, over, landing; bytes, shares
    assert done.machine.trace.jobs == [
        (0, 0xFFFF, 0, sync, 0, dispatch, dispatch, dispatch + bytes_, landed, 16 * 16384, 16)
    ]
    assert done.machine.trace.posts == [(0, 0, landed, 16)]
    assert times(done, "vector")[0][0] == landed + notify


# 293 ns for the 15 engines without anything to do; 7 ns more for the one descriptor of the other,
# on v3 and v4 times 1 + 0.3 / 16.
@pytest.mark.parametrize(
    ("on", "none", "one"), [("trn1", 1641, 1680), ("trn2", 1407, 1441), ("trn3", 704, 721)]
)
def test_a_small_transfer_takes_little_more_than_an_empty_one(on: str, none: int, one: int) -> None:
    dispatch = WHEN[on][0]
    done = ran(LOAD, on, A=hbm("f32", [[1.0]]), c=sbuf("f32", (1, 1)))
    assert done.machine.trace.posts == [(0, 0, dispatch + none, 15), (0, 0, dispatch + one, 16)]


# 566 ns until the shares arrive; 162 ns and 0.96 of 963.76, 712.35 and 496.48 ns until they land;
# 355 ns until that is seen.
@pytest.mark.parametrize(
    ("on", "want"),
    [
        ("trn1", (3170, 5398, 6089, 1988)),
        ("trn2", (2717, 3420, 4061, 1704)),
        ("trn3", (1359, 1192, 1533, 852)),
    ],
)
def test_a_store_has_times_of_its_own(on: str, want: tuple[int, ...]) -> None:
    dispatch, bytes_, latency, notify = want
    lines = LOAD.replace("c, A", "A, c")
    done = ran(lines, on, c=sbuf("f32", DATA), A=hbm("f32", (128, 512)))
    (job,) = done.machine.trace.jobs
    assert job[5:9] == (dispatch, dispatch, dispatch + bytes_, dispatch + latency)
    assert times(done, "vector")[0][0] == dispatch + latency + notify


def test_a_long_store_lands_as_soon_as_its_bytes_have_passed() -> None:
    # 131,072 bytes of an engine take 5,698.8 ns at 23 per ns, 27,355 ticks; 162 ns and 0.96 of that
    # are less, 5,632.8 ns.
    tiles = {"c": sbuf("f32", np.zeros((128, 4096))), "A": hbm("f32", (128, 4096))}
    done = ran("@sync DmaCopy A, c", "trn2", **tiles)
    (job,) = done.machine.trace.jobs
    assert job[6:9] == (2717, 2717 + 27_355, 2717 + 27_355)


def test_data_in_flight_is_not_seen_before_it_lands() -> None:
    made = session(LOAD, A=hbm("f32", DATA), c=sbuf("f32", (128, 512)))
    made.machine.run(10_000, until=4206 + 7038 - 1)
    assert not made.known("c").any()
    made.machine.run(10_000, until=4206 + 7038)
    assert made.known("c").all()
    np.testing.assert_array_equal(made.read("c"), DATA)


def test_the_semaphore_counts_share_by_share() -> None:
    # Engine 0 has 8 partitions of 16 KiB, engine 1 has 4, the others none: 131072 / 17 ns, half of
    # it and nothing, and 293 ns.
    made = session(LOAD, A=hbm("f32", np.ones((12, 4096))), c=sbuf("f32", (12, 4096)))
    none, half, full = 4206 + 1641, 4206 + 23_230, 4206 + 44_818
    for until, value, rows in (
        (none - 1, 0, 0),
        (none, 14, 0),
        (half - 1, 14, 0),
        (half, 15, 4),
        (full - 1, 15, 4),
        (full, 16, 12),
    ):
        made.machine.run(10_000, until=until)
        assert made.semaphores()[0].value == value
        assert made.known("c").all(axis=1).sum() == rows
    assert made.run().hazards == ()
    assert times(made, "vector")[0][0] == full + 1759


def test_a_share_reads_its_bytes_when_it_starts_not_when_it_is_issued() -> None:
    lines = "@sync DmaCopy C, a\n@vector Memset a, 7.0"
    tiles = {"a": sbuf("f32", np.ones((128, 4))), "C": hbm("f32", (128, 4))}
    made = session(lines, **tiles)
    made.run()
    # The fill completes after 164 cycles of Vector, 820 ticks, long before the dispatch.
    assert (made.read("C") == 7).all()


def test_reading_what_is_still_on_its_way_is_a_hazard_and_gets_the_old_bytes() -> None:
    lines = "@sync DmaCopy c, A\n@vector\nNop\nTensorCopy d, c"
    tiles = {
        "A": hbm("f32", np.ones((4, 4))),
        "c": sbuf("f32", np.zeros((4, 4))),
        "d": sbuf("f32", (4, 4)),
    }
    assert "E0502" in hazards(lines, **tiles)
    made = session(lines, **tiles)
    made.run()
    assert not made.read("d").any()


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("@sync DmaCopy c[1:4], c[0:3]", ["E0502"]),
        ("@sync DmaCopy c[:, 0:2], c[:, 2:4]", []),
        ("@sync DmaCopy c, c", []),
        (".dma t\n  d <- c\n  e <- d\n.end\n@sync DmaTrigger t", ["E0502"]),
        (".dma t\n  d <- c\n  c <- e\n.end\n@sync DmaTrigger t", ["E0502"]),
        ("@sync DmaTranspose c, c", ["E0502"]),
        ("@sync DmaCompute c, [d, c[::-1]], reduce_op=add", ["E0502"]),
        ("@sync DmaCompute c, [d, c], reduce_op=add", []),
    ],
)
def test_a_transfer_that_reads_what_it_writes_has_no_order(lines: str, found: list[str]) -> None:
    tile = sbuf("f32", np.ones((4, 4)))
    assert hazards(lines, c=tile, d=tile, e=tile) == found


def test_a_dma_is_complete_for_its_queue_once_issued() -> None:
    done = ran("@sync\nDmaCopy c, A\nNop", "trn2", A=hbm("f32", DATA), c=sbuf("f32", (128, 512)))
    # 600 ns with hardware descriptors are 720 cycles of 4 ticks; then 10 ns, 12 cycles.
    assert times(done, "sync") == [(0, 2880), (2880, 2928)]


# -- the end


def test_a_transfer_that_nothing_waits_for_is_reported() -> None:
    lines = ".sem s, t\n@sync\nDmaCopy c, A  $s += 16\nDmaCopy d, A\nDmaCopy e, A  $t += 16\n"
    tiles = {"A": hbm("f32", DATA), **{name: sbuf("f32", (128, 512)) for name in "cde"}}
    done = ran(lines + "EventSemaphore $s >= 16", **tiles)
    second, third = done.report().warnings
    assert [(w.code, w.severity) for w in (second, third)] == [("E0514", Severity.WARNING)] * 2
    assert second.message == "sync pc 1 (DmaCopy) was still in flight when every queue was done"
    assert second.hint == "write '.drain' after it: the host reads when every queue is done"
    assert third.message.startswith("sync pc 2")
    assert third.hint == "it updates $t: wait for all of them at the end, with '.drain'"
    assert done.report().ok
    np.testing.assert_array_equal(done.read("d"), DATA)


def test_a_transfer_that_lands_before_the_end_is_not() -> None:
    # 5,886 ticks until it has landed; Vector is busy for 10,000 elements of 5 ticks.
    lines = "@sync DmaCopy c, A\n@vector Memset w, 1.0"
    done = ran(lines, A=hbm("f32", [[1]]), c=sbuf("f32", (1, 1)), w=sbuf("f32", (1, 10_000)))
    assert done.report().warnings == ()


# -- queues

TWO = {
    "A": hbm("f32", DATA),
    "a": sbuf("f32", (128, 512)),
    "b": sbuf("f32", (128, 512)),
    "c": sbuf("f32", (128, 512)),
}


def test_transfers_of_one_queue_follow_each_other_on_each_engine() -> None:
    done = ran("@sync\nDmaCopy a, A\nDmaCopy b, A\nDmaCopy c, A", **TWO)
    assert spans(done) == [(4206 + n * 5398, 4206 + n * 5398 + 7038) for n in range(3)]


def test_an_engine_takes_its_queues_in_turn() -> None:
    done = ran("@sync\nDmaCopy a, A\nDmaCopy b, A\nDmaCopy c, A, queue=3", **TWO)
    # Rows of 2 KiB: two make a packet, four packets a share, of 1,350, 1,349, 1,350 and 1,349
    # ticks. From the first boundary on queues 0 and 3 take turns; a is over after seven packets,
    # c after eight, and both have landed by then. b has to wait for a.
    a, b = (s for s in shares(done.machine.trace) if s.channel == s.ring == 0)
    (c,) = (s for s in shares(done.machine.trace) if s.channel == 0 and s.ring == 3)
    assert (a.arrived, b.arrived, c.arrived) == (4206, 4246, 4286)
    assert (a.start, a.free, a.landed) == (4206, 4206 + 9447, 4206 + 9447)
    assert (c.start, c.free, c.landed) == (4206 + 1350, 4206 + 10_796, 4206 + 10_796)
    assert (b.start, b.landed) == (4206 + 10_796, 4206 + 10_796 + 7038)


def test_the_next_share_starts_when_the_bytes_have_passed_not_when_they_have_landed() -> None:
    done = ran(
        "@sync\nDmaCopy c, A\nDmaCopy d, A",
        A=hbm("f32", np.ones((128, 1))),
        c=sbuf("f32", (128, 1)),
        d=sbuf("f32", (128, 1)),
    )
    # Eight runs of 4 bytes, 7 ns each: 56 ns, 314 ticks; landed 293 ns later.
    assert spans(done) == [(4206, 4206 + 1955), (4206 + 314, 4206 + 314 + 1955)]


# Issued 9, 9 and 9 cycles apart on v4 (7 ns), each 1,192 ticks; the first is under way when the
# others arrive.
@pytest.mark.parametrize(
    ("second", "third", "order"),
    [
        ("queue=1", "queue=2, priority=0", "acb"),
        ("queue=1, priority=3", "queue=2, priority=2", "acb"),
        ("queue=1, priority=2", "queue=2", "abc"),
        ("queue=1, priority=1", "queue=2, priority=1", "abc"),
        ("queue=1", "queue=1, priority=0", "abc"),  # in order within a queue
    ],
)
def test_an_engine_of_v4_takes_the_most_urgent_share_that_waits(
    second: str, third: str, order: str
) -> None:
    lines = f"@vector\nDmaCopy a, A\nDmaCopy b, A, {second}\nDmaCopy c, A, {third}"
    done = ran(lines, "trn3", **TWO)
    by_start = [s.pc for s in sorted(shares(done.machine.trace), key=_start) if not s.channel]
    assert "".join("abc"[pc] for pc in by_start) == order


def test_without_priorities_queues_take_turns() -> None:
    lines = "@vector\nDmaCopy a, A, queue=2\nDmaCopy b, A, queue=1\nDmaCopy c, A, queue=3"
    done = ran(lines, "trn3", **TWO)
    jobs = [s for s in sorted(shares(done.machine.trace), key=_start) if not s.channel]
    assert [s.pc for s in jobs] == [0, 2, 1], "queue 3 comes after 2, then 1"


@pytest.mark.parametrize(("have", "want"), [("f32", "bf16"), ("bf16", "f32")])
def test_the_wider_side_of_a_conversion_takes_the_time(have: str, want: str) -> None:
    done = ran("@sync DmaCopy c, A", A=hbm(have, DATA), c=sbuf(want, (128, 512)))
    assert spans(done) == [(4206, 4206 + 7038)]
