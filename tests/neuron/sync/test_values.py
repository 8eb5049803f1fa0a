"""Barriers and exchanges of a pair, events and cleared semaphores: by hand, in ticks and values.

A tick of v3 is 1/4.8 ns: GpSimd and Sync take 4 of them to a cycle, Vector 5. On v4 it is 1/2.4 ns
and they take 2.
"""

from __future__ import annotations

import numpy as np
import pytest

from nasm.api import Builder, run
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine.records import Status
from nasm.targets import TARGETS
from tests.neuron.programs import hazards, ran, refused, sbuf, times
from tests.shares import shares

TICKS = {"trn2": 4800, "trn3": 2400}
"""Per microsecond."""


def pair(first: str, second: str = "", on: str = "trn2", shared: str = "") -> Session:
    """A program of two cores after its run."""
    text = f".target {on}\n{shared}\n.core 0\n{first}\n.core 1\n{second}\n"
    made = Session(assemble(Source("pair.nasm", text), TARGETS), {}, trace=True)
    made.run()
    return made


def problem(of: Session, status: Status) -> Problem:
    assert of.status is status
    (found,) = of.problems
    return found


def taken(of: Session, name: str) -> list[tuple[int, int, int]]:
    """Core, start and completion of the instructions of a name, in ticks."""
    instructions, queues = of.program.instructions, of.program.queues
    return [
        (core, start, finish)
        for core, queue, pc, _, start, finish in of.machine.trace.instructions
        if instructions[queues[queue].instructions[pc]].row.name == name
    ]


# -- barriers


@pytest.mark.parametrize("on", TICKS)
def test_a_barrier_takes_600_ns_from_the_later_arrival_on(on: str) -> None:
    barrier = TICKS[on] * 600 // 1000
    load = TICKS[on] * 300 // 1000  # TensorLoad: 300 ns, 360 cycles of Sync
    made = pair(
        "@sync CoreBarrier H",
        "@sync TensorLoad %r0, H\n@sync CoreBarrier H",
        on,
        ".hbm H i32[1] input = zeros",
    )
    assert made.status is Status.FINISHED
    assert taken(made, "CoreBarrier") == [(0, 0, load + barrier), (1, load, load + barrier)]
    (sync,) = [e for e in made.report().engines if (e.core, e.engine) == (0, "sync")]
    assert dict(sync.waits) == {"core": 360}
    assert (sync.busy, sync.cycles) == (720, 1080)


def test_the_same_engines_meet_in_their_order() -> None:
    made = pair(
        "@sync CoreBarrier H\n@sync CoreBarrier H\n@vector CoreBarrier H",
        "@vector CoreBarrier H\n@sync CoreBarrier H\n@sync CoreBarrier H",
        shared=".hbm H f32[1]",
    )
    assert made.status is Status.FINISHED
    # 600 ns are 2880 ticks; Vector and Sync go their own ways.
    assert sorted(taken(made, "CoreBarrier")) == [
        (0, 0, 2880),
        (0, 0, 2880),
        (0, 2880, 5760),
        (1, 0, 2880),
        (1, 0, 2880),
        (1, 2880, 5760),
    ]


def test_another_engine_of_the_other_core_is_no_partner() -> None:
    made = pair("@gpsimd CoreBarrier H", "@sync CoreBarrier H", shared=".hbm H f32[1]")
    found = problem(made, Status.DEADLOCK)
    assert "@0.gpsimd and @1.sync are blocked" in found.message
    assert "for core 1 to reach one with engine gpsimd" in found.notes[0].message
    assert "1.sync pc 0 (CoreBarrier H)" in found.notes[0].message
    assert found.hint.endswith("they match only with the same engine")


def test_a_core_that_has_fewer_barriers_is_a_deadlock() -> None:
    made = pair(
        "@sync CoreBarrier H\n@sync CoreBarrier H", "@sync CoreBarrier H", shared=".hbm H f32[1]"
    )
    found = problem(made, Status.DEADLOCK)
    assert "0.sync pc 1 waits at CoreBarrier for core 1 to reach" in found.notes[0].message
    assert "no CoreBarrier is left there" in found.notes[0].message


def test_a_barrier_on_one_core_alone_is_a_deadlock() -> None:
    text = ".target trn2\n.hbm H f32[1]\n@sync CoreBarrier H\n"
    made = Session(assemble(Source("alone.nasm", text), TARGETS), {})
    made.run()
    assert "no CoreBarrier is left" in problem(made, Status.DEADLOCK).notes[0].message


def test_both_cores_name_the_same_data() -> None:
    shared = ".hbm H f32[1]\n.hbm G f32[4]"
    made = pair("@sync CoreBarrier H", "@sync CoreBarrier G[0:2]", shared=shared)
    found = problem(made, Status.FAULT)
    assert (found.code, found.message) == (
        "E0512",
        "CoreBarrier of 0.sync pc 0 and 1.sync pc 0 differ in data: H and G",
    )


def test_a_barrier_takes_a_tile_of_each_core_whatever_they_are_called() -> None:
    shared = ".core 0\n.sbuf mine f32[1, 1]\n.core 1\n.sbuf yours f32[1, 1]"
    made = pair("@sync CoreBarrier mine", "@sync CoreBarrier yours", shared=shared)
    assert made.status is Status.FINISHED
    made = pair("@sync CoreBarrier H", "@sync CoreBarrier yours", shared=f".hbm H f32[1]\n{shared}")
    found = problem(made, Status.FAULT)
    assert found.message.endswith("differ in data: H and a tile in sbuf")


def test_a_barrier_does_not_wait_for_transfers() -> None:
    side = (
        ".sbuf t{0} i8[1, 99999] = zeros\n.sbuf u{0} i8[2, 99999]\n.sem s{0}\n@gpsimd\n"
        "DmaCopy S[{0} : +1], t{0}  $s{0} += 16\nCoreBarrier S {1}\n"
        "DmaCopy u{0}, S, queue=1  $s{0} += 16\nEventSemaphore $s{0} >= 32"
    )
    # The queues of a DMA engine take turns: the load reads S before the store has landed there.
    for wait, codes in (("", {"E0502"}), ("$s{0} >= 16", set())):
        sides = [side.replace("{1}", wait).replace("{0}", str(core)) for core in (0, 1)]
        made = pair(*sides, shared=".hbm S i8[2, 99999]")
        assert {h.code for h in made.hazards} == codes


def test_trn1_has_no_second_core_and_no_barrier() -> None:
    (found,) = refused(".core 1", "trn1")
    assert found.code == "E0318"
    assert found.message == "no core 1: NeuronCore-v2 (Trn1) has one core, 0"
    assert found.hint == "v3 and v4 have it"
    for line in ("CoreBarrier H", "SendRecv a, b, 0, 0, 0"):
        (found,) = refused(
            f".hbm H f32[1]\n@sync {line}", "trn1", a=sbuf("f32", (1, 1)), b=sbuf("f32", (1, 1))
        )
        assert found.code == "E0408"
    assert ran("@sync RankId %r0", "trn1").registers("sync") == {0: 0}


# -- exchanges

TILE = ".sbuf a{c} bf16[128, 512] = {what}\n.sbuf b{c} bf16[128, 512]\n"


def swap(on: str, route: str = "dma", engine: str = "gpsimd") -> Session:
    def side(core: int) -> str:
        what = "zeros" if core else "iota"
        return (
            f"{TILE.format(c=core, what=what)}.sem s{core}\n@{engine} SendRecv b{core}, a{core}, "
            f"send_to_rank={1 - core}, recv_from_rank={1 - core}, pipe_id=3, dma_engine={route} "
            f"$s{core}++\n@vector EventSemaphore $s{core} >= 1"
        )

    return pair(side(0), side(1), on)


@pytest.mark.parametrize(("on", "payload"), [("trn2", 3629), ("trn3", 1478)])
def test_an_exchange_is_a_transfer_each_way_and_a_barrier(on: str, payload: int) -> None:
    made = swap(on)
    assert made.status is Status.FINISHED
    # Each DMA engine moves 8 partitions of 1024 bytes: 356.17 ns at 23 bytes per ns, 248.24 at 33.
    # They land after 293 ns and 1.3 times that. HBM has no part in it.
    per = TICKS[on]
    dispatch, notify = -(-751 * per // 1000), -(-314 * per // 1000)
    finish = dispatch + payload + notify + 600 * per // 1000
    assert taken(made, "SendRecv") == [(0, 0, finish), (1, 0, finish)]
    found = {(s.core, s.start, s.landed, s.bytes) for s in shares(made.machine.trace)}
    assert found == {(core, dispatch, dispatch + payload, 8192) for core in (0, 1)}
    assert made.report().channel_bytes == 2 * 128 * 1024
    assert (made.read("b0") == 0).all()
    np.testing.assert_array_equal(made.read("b1"), made.read("a0"))


@pytest.mark.parametrize("on", TICKS)
def test_gpsimd_exchanges_by_itself_without_dma_engines(on: str) -> None:
    sides = [
        f".sbuf a{c} f32[128, 256] = {what}\n.sbuf b{c} f32[128, 256]\n"
        + sends(f"b{c}", f"a{c}", 1 - c, 1 - c, 0, "gpsimd_dma")
        for c, what in ((0, "iota"), (1, "zeros"))
    ]
    made = pair(*sides, on)
    # 131,072 bytes at 16 times 23 or 33 bytes per ns: 356.2 ns, and 293, the least, in cycles of
    # 1.2 GHz.
    cycles = {"trn2": 428, "trn3": 352}[on]
    finish = cycles * {"trn2": 4, "trn3": 2}[on]
    assert taken(made, "SendRecv") == [(0, 0, finish), (1, 0, finish)]
    assert made.machine.trace.jobs == []
    np.testing.assert_array_equal(made.read("b1"), made.read("a0"))
    assert (made.read("b0") == 0).all()


def sends(dst: str, src: str, to: int, source: int, pipe: int = 0, route: str = "dma") -> str:
    return (
        f"@gpsimd SendRecv {dst}, {src}, send_to_rank={to}, recv_from_rank={source}, "
        f"pipe_id={pipe}, dma_engine={route}"
    )


SMALL = ".sbuf a{0} {1}[4, 2] = zeros\n.sbuf b{0} {1}[4, 2]\n"


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (("f32", "", 1, 1, "dma"), ("i32", "", 0, 0, "dma"), "differ in dtype: float32 and int32"),
        (
            ("f32", "", 1, 1, "dma"),
            ("f32", "[0:2]", 0, 0, "dma"),
            "differ in shape: [4, 2] and [2, 2]",
        ),
        (
            ("f32", "", 1, 1, "dma"),
            ("f32", "", 0, 0, "gpsimd_dma"),
            "differ in dma_engine: dma and gpsimd_dma",
        ),
        (
            ("f32", "", 1, 1, "dma"),
            ("f32", "", 1, 1, "dma"),
            "do not match: core 0 sends to core 1, which receives from core 1",
        ),
        (
            ("f32", "", 0, 1, "dma"),
            ("f32", "", 0, 0, "dma"),
            "do not match: core 0 sends to core 0, which receives from core 1",
        ),
    ],
)
def test_sides_that_do_not_fit_are_a_fault(
    first: tuple[str, str, int, int, str], second: tuple[str, str, int, int, str], said: str
) -> None:
    sides = [
        SMALL.format(core, dtype) + sends(f"b{core}{cut}", f"a{core}{cut}", to, source, 0, route)
        for core, (dtype, cut, to, source, route) in enumerate((first, second))
    ]
    found = problem(pair(*sides), Status.FAULT)
    assert found.code == "E0512"
    assert said in found.message
    assert "0.gpsimd pc 0" in found.message
    assert "1.gpsimd pc 0" in found.message


def test_pipes_do_not_wait_for_each_other_and_another_pipe_is_no_partner() -> None:
    here = SMALL.format(0, "f32") + sends("b0", "a0", 1, 1, 4)
    there = SMALL.format(1, "f32") + sends("b1", "a1", 0, 0, 5)
    found = problem(pair(here, there), Status.DEADLOCK)
    assert "for core 1 to reach one with pipe_id 4" in found.notes[0].message
    assert "pipe_id=5" in found.notes[0].message
    assert found.hint.endswith("they match only with the same pipe_id")
    # On engines of their own both pipes come to their end, whatever the order of the text.
    both = [
        SMALL.format(c, "f32")
        + sends(f"b{c}", f"a{c}", 1 - c, 1 - c, first)
        + f"\n.sbuf d{c} f32[4, 2]\n"
        + sends(f"d{c}", f"a{c}", 1 - c, 1 - c, 9 - first).replace("@gpsimd", "@sync")
        for c, first in ((0, 4), (1, 5))
    ]
    assert pair(*both).status is Status.FINISHED


def test_a_ring_of_one_is_a_copy_that_waits_for_the_other_core() -> None:
    made = pair(
        ".sbuf a f32[1, 4] = iota\n.sbuf b f32[1, 4]\n" + sends("b", "a", 0, 0),
        ".sbuf c f32[1, 4] = zeros\n.sbuf d f32[1, 4]\n" + sends("d", "c", 1, 1),
    )
    assert made.read("b").tolist() == [[0, 1, 2, 3]]
    assert made.read("d").tolist() == [[0, 0, 0, 0]]


def test_what_is_exchanged_while_it_is_written_is_a_race() -> None:
    made = pair(
        ".sbuf a f32[128, 256]\n.sbuf b f32[128, 256]\n.sem s\n@vector Memset a, 1.0  $s++\n"
        "@gpsimd EventSemaphore $s >= 1\n@vector Memset a, 2.0\n"
        + sends("b", "a", 1, 1, 0, "gpsimd_dma"),
        ".sbuf c f32[128, 256] = zeros\n.sbuf d f32[128, 256]\n"
        + sends("d", "c", 0, 0, 0, "gpsimd_dma"),
    )
    assert [h.code for h in made.hazards] == ["E0502"]
    assert (made.read("d") == 1).all()


def test_a_start_in_a_register_is_exchanged_as_it_is_then() -> None:
    made = pair(
        ".sbuf a f32[2, 8] = iota\n.sbuf b f32[2, 2]\n@gpsimd RegisterMove %r1, 3\n"
        + sends("b", "a[:, %r1 : +2]", 1, 1, 0, "gpsimd_dma"),
        ".sbuf c f32[2, 2] = zeros\n.sbuf d f32[2, 8]\n@gpsimd RegisterMove %r1, 5\n"
        + sends("d[:, %r1 : +2]", "c", 0, 0, 0, "gpsimd_dma"),
    )
    assert made.status is Status.FINISHED
    assert made.read("d[:, 5:7]").tolist() == [[3, 4], [11, 12]]
    assert made.read("b").tolist() == [[0, 0], [0, 0]]


# -- events and cleared semaphores


def test_an_event_hands_over_as_a_semaphore_does() -> None:
    done = ran(".event e\n@sync Nop  $e = 1\n@gpsimd Nop  $e == 1  $e = 0\n@gpsimd Nop $e == 0")
    # Nop takes 10 ns, 14 cycles of 1.4 GHz; a waiter starts 40 ns after a post: 224 ticks.
    assert times(done, "gpsimd")[0] == (14 * 4 + 224, 2 * 14 * 4 + 224)
    assert [(s.name, s.value, s.event) for s in done.semaphores()] == [("e", 0, True)]


def test_256_events_are_beside_256_semaphores() -> None:
    lines = (
        ".for k in 0..256\n.sem s{k}\n.event e{k}\n.end\n"
        "@sync\n.for k in 0..256\nNop $e{k} = 1\nNop $s{k} = k\n.end"
    )
    done = ran(lines)
    assert [s.value for s in done.semaphores()] == [*range(256), *[1] * 256]
    assert [p.code for p in refused(f"{lines}\n.event more")] == ["E0312"]
    assert [p.code for p in refused(".event e = 256")] == ["E0312"]


def test_an_event_set_twice_is_flagged() -> None:
    assert hazards(".event e\n@sync\nNop $e = 1\nNop $e = 1") == ["E0513"]


def test_a_range_of_semaphores_is_set_to_0_when_the_instruction_completes() -> None:
    done = ran(
        ".sem a = 4, b = 5, c = 6, d = 7\n@sync\n"
        "Nop $a += 9\nNop $b -= 3\nNop $c++\nNop $d = 2\n"
        "EventSemaphoreRangeClear 5, 6  $a++\n@vector EventSemaphore $a >= 10\n@vector Nop $c == 0"
    )
    assert {s.name: s.value for s in done.semaphores()} == {"a": 10, "b": 0, "c": 0, "d": 2}


# -- from Python


def test_a_builder_makes_both_cores() -> None:
    n = Builder("trn2")
    shared = n.hbm("S", "float32", (2, 8), role="output")
    for core in (0, 1):
        row = n.sbuf(f"row{core}", np.float32, (1, 8), core=core)
        done, stored = (n.semaphore(f"{w}{core}", core=core) for w in ("done", "stored"))
        ready = n.event(f"ready{core}", core=core)
        vector, gpsimd = n.engine("vector", core), n.engine("pool", core)
        vector.Memset(row, 3.0 + core, update=ready.set(1))
        vector.Nop(wait=ready == 1, update=done + 1)
        gpsimd.DmaCopy(shared[core : core + 1], row, wait=done >= 1, update=stored + 16)
        gpsimd.CoreBarrier(shared, wait=stored >= 16)
    n.expect("S[0] == 3")
    n.expect("S[1] == 4")
    n.expect("cycles(gpsimd, core=1) > 0")
    assert run(n.finish()).ok


def test_a_builder_refuses_what_a_text_may_not_say() -> None:
    n = Builder("trn2")
    there = n.sbuf("there", "float32", (1, 8), core=1)
    far = n.semaphore("far", core=1)
    event = n.event("event")
    for code, emit in (
        ("E0319", lambda: n.vector.Memset(there, 0.0)),
        ("E0320", lambda: n.vector.Nop(wait=far >= 1)),
        ("E0321", lambda: n.vector.Nop(update=event + 1)),
        ("E0321", lambda: n.vector.Nop(wait=event >= 2)),
        ("E0318", lambda: n.engine("vector", core=2)),
        ("E0318", lambda: n.sbuf("x", "float32", (1, 8), core=2)),
        ("E0203", lambda: n.engine("vectr", core=1)),
    ):
        with pytest.raises(Failure) as caught:
            emit()
        assert [p.code for p in caught.value.problems] == [code]
    n.vector.Nop(update=far + 1)


def test_a_tile_of_entries_is_on_the_core_that_reads_it() -> None:
    lines = (
        ".hbm H f32[8, 4]\n.core 1\n.sbuf at i32[1, 1] = zeros\n.core 0\n.sbuf t f32[1, 4]\n"
        "@gpsimd DmaCopy t, H.ap([[4, 1], [1, 4]], vector_offset=at)"
    )
    (found,) = refused(lines, "trn2")
    assert (found.code, "at is in sbuf of core 1" in found.message) == ("E0319", True)


def test_a_prepared_transfer_belongs_to_the_core_whose_tensors_it_moves() -> None:
    lines = ".hbm H f32[1, 4]\n.core 1\n.sbuf t f32[1, 4] = zeros\n.sem s\n.dma put\nH <- t\n.end\n"
    (found,) = refused(f"{lines}.core 0\n@sync DmaTrigger put", "trn2")
    assert (found.code, "t is in sbuf of core 1" in found.message) == ("E0319", True)
    done = ran(f"{lines}@sync DmaTrigger put  $s += 16\n@sync EventSemaphore $s >= 16", "trn2")
    assert (done.read("H") == 0).all()


RELEASED = """\
.target trn2
.sbuf a bf16[128, 512] = iota
.sbuf got bf16[128, 512]
.sbuf sum f32[128, 512]
.sem sent
@{engine} SendRecv got, a, 1, 1, 0, dma_engine={by}  $sent++{when}
@vector {line}  $sent >= 1
.core 1
.sbuf there bf16[128, 512] = iota
.sbuf back bf16[128, 512]
@{engine} SendRecv back, there, 0, 0, 0, dma_engine={by}
"""


@pytest.mark.parametrize("line", ["TensorTensor sum, got, a, op=add", "Memset a, 0"])
def test_tiles_that_dma_engines_exchange_are_free_when_the_barrier_begins(line: str) -> None:
    early, late = (
        run(RELEASED.format(engine="tensor", by="dma", line=line, when=when)).report
        for when in (" @read", "")
    )
    assert early.ok
    assert late.ok
    completes = {"TensorTensor sum, got, a, op=add": 600, "Memset a, 0": 365}[line]
    assert 1000 * (late.microseconds - early.microseconds) == pytest.approx(completes, abs=1)


@pytest.mark.parametrize(
    ("line", "wrong"), [("TensorTensor sum, got, got, op=add", True), ("Memset a, 0", False)]
)
def test_what_gpsimd_exchanges_is_read_at_the_start_and_there_at_completion(
    line: str, wrong: bool
) -> None:
    text = RELEASED.format(engine="gpsimd", by="gpsimd_dma", line=line, when=" @read")
    report = run(text.replace(", 512]", ", 8]")).report
    assert [p.code for p in report.hazards] == ["E0502"] * wrong
