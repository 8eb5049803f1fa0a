"""Transfers that meet on the DMA engines: who has a turn when, and which bytes arrive."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from tests.neuron.programs import Tile, hbm, ran, sbuf, session, times
from tests.parts import part
from tests.shares import Share, shares
from tests.tables import each

PROGRAMS = sorted((Path(__file__).parents[3] / "programs").glob("*.nasm"))
F32 = np.float32

# 64 KiB a partition, 8 MiB; and 4 bytes a partition on a ring of their own.
LARGE = {"L": hbm("f32", np.zeros((128, 16384))), "l": sbuf("f32", (128, 16384))}
SMALL = {"S": hbm("f32", np.ones((128, 1))), "s": sbuf("f32", (128, 1))}


@pytest.mark.parametrize(
    "first",
    [
        "@scalar DmaCopy l, L\n@sync DmaCopy s, S, queue=1  $in += 16",
        "@sync\nDmaCopy l, L\nDmaCopy s, S, queue=1  $in += 16",
        "@scalar\nDmaCopy l, L, queue=1\nDmaCopy s, S  $in += 16",
    ],
)
def test_a_small_load_does_not_wait_for_a_large_one(first: str) -> None:
    lines = f".sem in\n{first}\n@vector TensorCopy t, s  $in >= 16"
    made = ran(lines, "trn2", **LARGE, **SMALL, t=sbuf("f32", (128, 1)))
    issued = next(s.arrived for s in shares(made.machine.trace) if s.bytes == 32) - 3605
    ((start, _),) = times(made, "vector")
    assert (start - issued) / 4800 < 2.5
    # Rows of 64 KiB are cut, so that another queue has its turn after 4 KiB: 178 ns. The small load
    # passes in 56 ns, lands 293 ns and 1.3 times that after its start, and is seen 314 ns later.
    assert start - issued <= 3605 + -(-4096 * 48 // 230) + 1 + 1756 + 1508


def test_a_large_load_takes_as_long_and_a_small_ones_time_more() -> None:
    alone = ran("@sync DmaCopy l, L", "trn2", **LARGE)
    beside = ran("@sync DmaCopy l, L\n@scalar DmaCopy s, S, queue=1", "trn2", **LARGE, **SMALL)
    (one,) = alone.machine.trace.jobs
    two = next(job for job in beside.machine.trace.jobs if job[9] == 128 * 65536)
    small = next(job for job in beside.machine.trace.jobs if job[9] == 128 * 4)
    assert small[6] == small[5]  # Scalar stands before Sync: it is first, and alone for 56 ns
    assert two[7] - two[6] == one[7] - one[6]
    assert two[6] == small[7] == one[6] + 269


# 2 KiB a partition: packets of two rows. Sync's issue lets one follow the other after 7 ns.
def test_descriptors_of_less_than_a_packet_go_together() -> None:
    tiles = {n: sbuf("f32", (128, 512)) for n in "ab"} | {"A": hbm("f32", np.zeros((128, 512)))}
    lines = "@sync\nDmaCopy a, A, dge_mode=none\nDmaCopy b, A, queue=1, dge_mode=none"
    done = ran(lines, "trn2", **tiles)
    first, second = (s for s in shares(done.machine.trace) if not s.channel)
    # 712.35 ns, 3,420 ticks, in four packets of 855
    assert (first.start, second.start) == (3605, 3605 + 855)
    assert (first.free, second.free) == (3605 + 7 * 855, 3605 + 8 * 855)


# -- bytes of shares that part


BIG: dict[str, tuple[str, dict[str, Tile]]] = {
    "load": (
        "DmaCopy c, A",
        {"A": hbm("f32", np.arange(128 * 2048).reshape(128, 2048)), "c": sbuf("f32", (128, 2048))},
    ),
    "store": (
        "DmaCopy c, A",
        {"c": hbm("f32", (128, 2048)), "A": sbuf("f32", np.arange(128 * 2048).reshape(128, 2048))},
    ),
    "permuted": (
        "DmaCopy c.permute(1, 0, 2), A[:, ::-1]",
        {
            "c": hbm("f32", (40, 100, 64)),
            "A": sbuf("f32", np.arange(100 * 40 * 64).reshape(100, 40, 64)),
        },
    ),
    "converted": (
        "DmaCopy c, A, dge_mode=none",
        {"c": hbm("bf16", (128, 2048)), "A": sbuf("f32", np.ones((128, 2048)))},
    ),
    "transposed": (
        "DmaTranspose c, A",
        {
            "A": sbuf("f32", np.arange(2048 * 64).reshape(64, 2048)[:, :128]),
            "c": sbuf("f32", (128, 64)),
        },
    ),
    "summed": (
        "DmaCompute c, [A, A], reduce_op=add",
        {"c": hbm("f32", (128, 2048)), "A": sbuf("f32", np.arange(128 * 2048).reshape(128, 2048))},
    ),
    "flat": (
        "DmaCopy c, A",
        {"A": hbm("f32", np.arange(200_000)), "c": hbm("f32", (200_000,))},
    ),
}  # fmt: skip


def parted(more: str, on: str, kind: str, **extra: Tile) -> Session:
    line, tiles = BIG[kind]
    made = session(f".sem big\n@sync {line}  $big += 16\n{more}", on, **tiles, **extra)
    made.run()
    return made


@pytest.mark.parametrize("kind", BIG)
def test_shares_that_part_deliver_what_they_had_read_together(kind: str) -> None:
    whole = parted("", "trn2", kind).read("c")
    # A transfer of some engines comes when the large one is under way; then A is overwritten.
    extra = {f"S{n}": hbm("f32", np.ones((16 * n, 9))) for n in (1, 2)}
    extra |= {f"s{n}": sbuf("f32", (16 * n, 9)) for n in (1, 2)}
    meets = "@gpsimd\nDmaCopy s1, S1, queue=1, dge_mode=none\nDmaCopy s2, S2, queue=2\n"
    source = BIG[kind][1]["A"]
    if source.memory == "sbuf":
        meets += "@vector\n" + "RegisterMove %r0, 1\n" * 20 + "Memset A, 7.0\n"
    made = parted(meets, "trn2", kind, **extra)
    jobs = [job for job in made.machine.trace.jobs if job[3] == made.queue("sync").index]
    assert len({job[6] for job in jobs}) < len(jobs), "they started together and landed apart"
    np.testing.assert_array_equal(made.read("c"), whole)
    assert made.known("c").all()
    if source.memory == "sbuf":
        assert (made.read("A") == 7).all()


def test_gathered_rows_part_as_well() -> None:
    table, entries = np.arange(300)[:, None] * np.ones(2048), np.arange(0, 256, 2)
    tiles = {
        "T": hbm("f32", table),
        "i": sbuf("i32", entries[:, None]),
        "c": sbuf("f32", (128, 2048)),
        "S": hbm("f32", np.ones((20, 9))),
        "s": sbuf("f32", (20, 9)),
    }
    lines = (
        "@gpsimd DmaCopy c, T.ap([[2048, 128], [1, 2048]], vector_offset=i)\n@sync\n"
        + "RegisterMove %r0, 1\n" * 8
        + "DmaCopy s, S, queue=1"
    )
    done = ran(lines, "trn2", **tiles)
    jobs = [job for job in done.machine.trace.jobs if job[3] == done.queue("gpsimd").index]
    assert len(jobs) > 1
    np.testing.assert_array_equal(done.read("c"), table[entries])


# -- descriptors that GpSimd makes


def test_descriptors_are_made_for_one_transfer_at_a_time_beside_gpsimd() -> None:
    tiles = {"A": hbm("f32", np.ones((128, 4))), "i": sbuf("i32", [[0], [3]])}
    tiles |= {n: sbuf("f32", (128, 4)) for n in "abcd"} | {"e": sbuf("f32", (2, 4))}
    lines = (
        "@gpsimd\nDmaCopy a, A\nDmaCopy b, A\nDmaCopy e, A.ap([[4, 2], [1, 4]], vector_offset=i)\n"
        "DmaCopy c, A\nDmaCopy d, A, dge_mode=none\nMemset e, 1.0"
    )
    made = session(lines, "trn2", **tiles)
    made.run()
    # 8 ns are ten cycles of 4 ticks. 650 ns each and 1,035 for the rows, one behind the other; the
    # first is done before the dispatch is over, 751 ns after its start. The last needs none.
    assert [start for start, _ in times(made, "gpsimd")] == [0, 40, 80, 120, 160, 161]
    arrived = {s.pc: s.arrived for s in shares(made.machine.trace)}
    made_at = list(itertools.accumulate([3120, 3120, 4968, 3120]))
    assert arrived == {0: 3605, 1: made_at[1], 2: made_at[2], 3: made_at[3], 4: 160 + 3605}
    generator = made.machine.scheduler.resources.named(0, "descriptors")
    assert generator.free_at == made_at[3]


def test_each_core_has_its_own_generator() -> None:
    side = ".sbuf a{0} f32[128, 4]\n@gpsimd DmaCopy a{0}, A\n"
    lines = "".join(f".core {core}\n{side.format(core)}" for core in (0, 1))
    done = ran(lines, "trn2", A=hbm("f32", np.ones((128, 4))))
    assert {s.arrived for s in shares(done.machine.trace)} == {3605}


# -- HBM


def both(on: str, rows: int) -> list[Share]:
    """Loads of two cores at once: of each DMA engine with something to do the first core's last."""
    side = f".sbuf a{{0}} f32[{rows}, 4096]\n@vector\nDmaCopy a{{0}}, A\nDmaCopy a{{0}}, A\n"
    lines = "".join(f".core {core}\n{side.format(core)}" for core in (0, 1))
    made = session(lines, on, A=hbm("f32", np.ones((rows, 4096))))
    made.run()
    return [s for s in shares(made.machine.trace) if not s.channel]


def test_two_cores_of_v3_want_more_than_their_hbm_has() -> None:
    # 131,072 bytes at 23 per ns, 27,355 ticks; 736 GB/s of 716 where both cores are at work.
    alone, scaled = 27_355, -(-27_355 * 736 // 716)
    found = both("trn2", 128)
    took = {core: [s.free - s.start for s in found if s.core == core] for core in (0, 1)}
    assert took == {0: [alone, scaled], 1: [scaled, scaled]}  # core 0 starts first, and so alone
    late = [s for s in found if s.free - s.start == scaled]
    # It lands as much later: 293 ns and 1.3 times 5,698.8 ns.
    assert {s.landed - s.start for s in late} == {36_967 + scaled - alone}


@pytest.mark.parametrize(("on", "rows"), [("trn2", 120), ("trn3", 128)])
def test_what_their_hbm_can_serve_is_not_slower_for_two(on: str, rows: int) -> None:
    # 31 engines of v3 take 713 of 716 GB/s; all of v4 1,056 of 1,175.
    assert len({s.free - s.start for s in both(on, rows)}) == 1


# -- what holds of every program


def _covered(found: list[Share]) -> list[tuple[int, int]]:
    """While one engine had something under way, from when to when."""
    spans: list[tuple[int, int]] = []
    for share in sorted(found, key=lambda s: s.start):
        if spans and share.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], share.free))
        else:
            spans.append((share.start, share.free))
    return spans


@each("path", part(PROGRAMS, 5), ids=lambda path: path.stem)
def test_an_engine_is_never_idle_while_a_share_waits(path: Path) -> None:
    made = Session.load(source_of(path), trace=True)
    made.run(hashes=False)
    by_engine: dict[tuple[int, int], list[Share]] = {}
    for share in shares(made.trace):
        assert share.arrived <= share.start < share.free <= share.landed
        by_engine.setdefault((share.core, share.channel), []).append(share)
    counts: dict[Any, Any] = {(c.core, c.index): c for c in made.channels()}
    for engine, found in by_engine.items():
        spans = _covered(found)
        for share in found:
            assert any(a <= share.arrived <= share.start <= b for a, b in spans)
        busy = counts[engine].busy + sum(s.bytes == 0 for s in found)
        assert sum(b - a for a, b in spans) == busy, "packets of an engine do not overlap"
