"""Ranks that meet: when, in what order, with what; and the machine's own promise of one result."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.machine.rank_meetings import RankLanding
from nasm.machine.records import Status
from nasm.ranks.rank import Rank
from nasm.ranks.runs import RanksRun
from nasm.runs.settings import RunSettings
from nasm.sim.events import Observer
from tests.parts import part

UNEQUAL = """
.target trn2
.ranks 4
.hbm x f32[128, 256] input
.hbm y f32[128, 256] output
.hbm z f32[128, 256] output
.sbuf t f32[128, 256]
.sem loaded, ready, done
@sync
    CollectiveRankId %r0
    DmaCopy t, x $loaded += 16
@vector
    CollectiveRankId %r1
    EventSemaphore $loaded >= 16
again:
    TensorScalar t, t, op0=add, operand0=1.0
    RegisterAlu %r1, %r1, 1, op=subtract
    CompareBranch %r1, 0, op=greater_equal, target=again
    EventSemaphore $ready++
@sync
    DmaCopy z, t $ready >= 1 $loaded += 16
@cc
    Collective y, z, all_reduce, op=add, groups=[[0, 1], [2, 3]] $loaded >= 32 $done++
"""
"""Rank n adds 1 n + 1 times, so that each one is later than the one before it."""


def values(seed: int = 1, ranks: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).integers(-9, 9, (ranks, 128, 256)).astype(np.float32)


def test_values_and_waits_of_ranks_that_are_not_equally_fast() -> None:
    x = values()
    done = nasm.run(UNEQUAL, {"x": x})
    assert done.ok, done.report.reasons
    added = x + np.arange(1, 5, dtype=np.float32).reshape(4, 1, 1)
    assert np.array_equal(done.outputs["z"], added)
    sums = [added[0] + added[1]] * 2 + [added[2] + added[3]] * 2
    assert np.array_equal(done.outputs["y"], sums)
    found = done.ranks
    assert found is not None
    assert [one.group for one in found.meetings] == [(0, 1), (2, 3)]
    for one in found.meetings:
        first, last = one.arrivals
        assert first < last == one.start
        assert one.waits == (last - first, 0)
    assert found.waits[0] == found.meetings[0].waits[0]
    ends = [report.ticks for report in found.ranks]
    assert ends[0] == ends[1] == found.meetings[0].start + found.meetings[0].ticks
    assert ends[2] == ends[3] == found.meetings[1].start + found.meetings[1].ticks > ends[0]


def test_the_time_that_a_rank_waits_is_that_of_its_queue() -> None:
    found = nasm.run(UNEQUAL, {"x": values()}).ranks
    assert found is not None
    for rank, report in enumerate(found.ranks):
        engine = next(one for one in report.engines if one.engine == "cc")
        cycle = report.units.cycle
        assert dict(engine.waits).get("rank", 0) == found.waits[rank] // cycle
        assert engine.busy == -(-found.exchanging[rank] // cycle) or engine.busy == (
            found.exchanging[rank] // cycle
        )


def hashes(order: tuple[int, ...], values_of: np.ndarray, **settings: object) -> tuple[str, ...]:
    program = nasm.assemble(UNEQUAL)
    run = RanksRun(program, {"x": values_of}, RunSettings(**settings), order)  # type: ignore[arg-type]
    report = run.run()
    assert report.status is Status.FINISHED
    return report.trace_hash, report.memory_hash, *(one.trace_hash for one in report.ranks)


@pytest.mark.parametrize("order", part(list(itertools.permutations(range(4))), 4))
def test_which_rank_is_advanced_first_changes_nothing(order: tuple[int, ...]) -> None:
    x = values(2)
    assert hashes(order, x) == hashes((0, 1, 2, 3), x)


def test_ticks_and_trace_are_the_same_without_values() -> None:
    x = values(3)
    whole, _, *each = hashes((0, 1, 2, 3), x)
    found, memory, *alone = hashes((3, 2, 1, 0), x, values=False)
    assert (found, memory, alone) == (whole, "", each)


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32"])
def test_a_sum_over_ranks_is_the_exact_one(ranks: int, dtype: str) -> None:
    kind = {"f32": np.float32, "i32": np.int32}.get(dtype)
    text = (
        f".target trn2\n.ranks {ranks}\n.hbm x {dtype}[64, 8] input\n.hbm y {dtype}[64, 8] output\n"
        "@cc Collective y, x, all_reduce, op=add\n"
    )
    rng = np.random.default_rng(ranks)
    if kind is None:
        import ml_dtypes

        kind = ml_dtypes.bfloat16
    wide = rng.integers(-99, 99, (ranks, 64, 8)) / (1 if dtype == "i32" else 8)
    x = wide.astype(kind)
    found = nasm.run(text, {"x": x}, ranks=ranks).outputs["y"]
    wanted = x.astype(np.float64).sum(0).astype(kind)  # sums of so few bits are exact in float64
    assert found.shape == (ranks, 64, 8)
    for one in found:
        assert one.tobytes() == wanted.tobytes()


def test_a_sum_that_float32_would_round_on_the_way_is_rounded_once() -> None:
    text = (
        ".target trn2\n.ranks 4\n.hbm x f32[2, 2] input\n.hbm y f32[2, 2] output\n"
        "@cc Collective y, x, all_reduce, op=add\n"
    )
    x = (
        np.array([1e30, 1.0, -1e30, 2.0**-30], np.float32)
        .reshape(4, 1, 1)
        .repeat(2, 1)
        .repeat(2, 2)
    )
    assert nasm.run(text, {"x": x}).outputs["y"].tolist() == [[[1.0] * 2] * 2] * 4


def test_a_rank_of_two_cores_meets_on_each() -> None:
    """The cores of rank 0 come in one order, those of rank 1 in the other."""
    text = ".target trn2\n.ranks 2\n.hbm x f32[64, 8] input\n"
    for core, (op, rounds) in enumerate((("add", 200), ("maximum", 20))):
        text += (
            f".core {core}\n.hbm y{core} f32[64, 8] output\n.sem go{core}\n@sync\n"
            "    CollectiveRankId %r0\n    RegisterMove %r1, 0\n"
            f"    CompareBranch %r0, {core}, op=not_equal, target=go{core}\n"
            f"more{core}:\n    RegisterAlu %r1, %r1, 1, op=add\n"
            f"    CompareBranch %r1, {rounds}, op=less, target=more{core}\n"
            f"go{core}:\n    EventSemaphore $go{core}++\n"
            f"@cc Collective y{core}, x, all_reduce, op={op} $go{core} >= 1\n"
        )
    x = values(5, 2)[:, :64, :8].copy()
    run = RanksRun(nasm.assemble(text), {"x": x}, RunSettings())
    clocks = [Clock() for _ in range(2)]
    for clock, rank in zip(clocks, ranks_of(run), strict=True):
        rank.execution.machine.scheduler.observe(clock)
    found = run.run()
    assert found.ok, found.reasons
    outputs = run.outputs()
    assert np.array_equal(outputs["y0"], [x.sum(0)] * 2)
    assert np.array_equal(outputs["y1"], [x.max(0)] * 2)
    by_core = sorted(found.meetings, key=lambda one: one.start)
    assert [one.arrivals.index(max(one.arrivals)) for one in by_core] == [1, 0]
    for one in found.meetings:
        assert one.start == max(one.arrivals)
        assert min(one.waits) == 0 < max(one.waits)
    assert by_core[0].start + by_core[0].ticks < by_core[1].start
    assert all(clock.ticks == sorted(clock.ticks) for clock in clocks)


def ranks_of(run: RanksRun) -> list[Rank]:
    """The ranks of a run that are in this process."""
    host = run.engine.local
    assert host is not None
    return [host.ranks[number] for number in range(run.program.ranks)]


class Clock(Observer):
    """The ticks at which something started, one after the other."""

    def __init__(self) -> None:
        self.ticks: list[int] = []

    def started(self, queue: Any, task: Any, now: int) -> None:
        self.ticks.append(now)


def test_a_run_of_a_rank_that_meets_no_other_is_that_of_a_machine_alone() -> None:
    text = (
        ".target trn2\n.hbm x f32[64, 8] input\n.hbm y f32[64, 8] output\n.sem done\n"
        "@cc Collective y, x, all_gather $done++\n@sync EventSemaphore $done >= 1\n"
    )
    x = values(6)[0, :64, :8].copy()
    alone = nasm.run(text, {"x": x})
    several = nasm.run(text, {"x": x[None]}, ranks=1)
    assert np.array_equal(alone.outputs["y"], x)
    assert np.array_equal(several.outputs["y"], x[None])
    assert several.ranks is not None
    assert several.ranks.ranks[0].trace_hash == alone.report.trace_hash
    assert several.ranks.ranks[0].memory_hash == alone.report.memory_hash


def test_a_loop_at_run_time_meets_in_each_round() -> None:
    text = (
        ".target trn2\n.ranks 2\n.hbm x f32[4, 4] inout\n"
        "@cc\n    RegisterMove %r0, 0\nagain:\n"
        "    Collective x, x, all_reduce, op=add\n"
        "    RegisterAlu %r0, %r0, 1, op=add\n    CompareBranch %r0, 5, op=less, target=again\n"
    )
    x = np.ones((2, 4, 4), np.float32)
    done = nasm.run(text, {"x": x})
    assert done.ok, done.report.reasons
    assert np.array_equal(done.outputs["x"], x * 2**5)
    assert done.ranks is not None
    assert len(done.ranks.meetings) == 5
    starts = [one.start for one in done.ranks.meetings]
    ends = [one.start + one.ticks for one in done.ranks.meetings]
    assert all(start >= end for end, start in zip(ends, starts[1:], strict=False))


def test_a_permutation_leaves_what_nothing_is_sent_to() -> None:
    text = (
        ".target trn2\n.ranks 4\n.hbm x f32[2, 2] input\n.hbm y f32[2, 2] inout\n"
        "@cc Collective y, x, collective_permute, pairs=[[0, 2], [2, 1]]\n"
    )
    x = np.arange(16, dtype=np.float32).reshape(4, 2, 2)
    before = np.full((4, 2, 2), -1, np.float32)
    done = nasm.run(text, {"x": x, "y": before})
    assert done.ok, done.report.reasons
    assert np.array_equal(done.outputs["y"], [before[0], x[2], x[0], before[3]])


def test_every_moment_between_two_meetings_can_be_returned_to() -> None:
    program = nasm.assemble(UNEQUAL)
    x = values(7)
    whole = RanksRun(program, {"x": x}, RunSettings())
    report = whole.run()
    run = RanksRun(program, {"x": x}, RunSettings())
    host = run.engine.local
    assert host is not None
    executions = [rank.execution for rank in host.ranks.values()]
    world, machines = run.world, [execution.machine for execution in executions]
    saved = []
    while True:
        saved.append((world.save(), [machine.save() for machine in machines]))
        if not world.step():
            break
    assert len(saved) > 2
    for kept, states in reversed(saved[:-1]):
        world.restore(kept)
        for machine, state, execution in zip(machines, states, executions, strict=True):
            machine.restore(state)
            execution.status = Status.RUNNING
        found = run.run()
        assert (found.trace_hash, found.memory_hash) == (report.trace_hash, report.memory_hash)
        assert found.meetings == report.meetings


def test_a_session_of_one_rank_goes_back_into_a_collective() -> None:
    text = (
        ".target trn2\n.hbm x f32[64, 8] input = iota\n.hbm y f32[64, 8] output\n.sem a\n"
        "@cc Collective y, x, all_gather $a++\n@sync EventSemaphore $a >= 1\n"
    )
    session = nasm.Session(text, keep=0)
    hashes = set()
    for _ in range(2):
        session.advance(100)
        assert session.queues()[5].in_flight
        kept = session.checkpoint()
        for _ in range(2):
            hashes.add(session.run().memory_hash)
            session.back_to(kept)
        session.restart()
    assert len(hashes) == 1


def test_records_and_messages_of_ranks_pickle() -> None:
    found = nasm.run(UNEQUAL, {"x": values(8)})
    again = pickle.loads(pickle.dumps(found))
    assert again.ranks == found.ranks
    program = nasm.assemble(UNEQUAL)
    run = RanksRun(program, {"x": values(8)}, RunSettings())
    arrivals = run.engine.advance(dict.fromkeys(range(4)))
    assert pickle.loads(pickle.dumps(arrivals)) == arrivals
    host = run.engine.local
    assert host is not None
    sent = host.sent([(one.rank, one.queue) for one in arrivals])  # type: ignore[union-attr]
    for parcels in pickle.loads(pickle.dumps(sent)):
        assert [parcel.values.shape for parcel in parcels] == [(128, 256)]


def test_a_run_of_ranks_that_takes_too_long_ends_between_two_events() -> None:
    text = (
        ".target trn2\n.ranks 2\n.hbm x f32[4, 4] inout\n@cc\nagain:\n"
        "    Collective x, x, all_reduce, op=maximum\n    CompareBranch target=again\n"
    )
    x = np.ones((2, 4, 4), np.float32)
    late = nasm.run(text, {"x": x}, deadline=0.4, max_instructions=None)
    assert late.report.status is Status.TIMEOUT
    assert [one.code for one in late.report.problems] == ["E0516"]
    most = nasm.run(text, {"x": x}, max_instructions=21)
    assert most.report.status is Status.LIMIT
    assert {one.code for one in most.report.problems} == {"E0511"}
    assert most.ranks is not None
    assert len(most.ranks.meetings) == 11


def test_what_a_rank_has_sent_is_kept_with_its_machine() -> None:
    run = RanksRun(nasm.assemble(UNEQUAL), {"x": values(9)}, RunSettings())
    ranks = ranks_of(run)
    machines = [rank.execution.machine for rank in ranks]
    arrivals = run.engine.advance(dict.fromkeys(range(4)))
    sent = [ranks[one.rank].sent(one.queue) for one in arrivals]  # type: ignore[union-attr]
    states = [machine.save() for machine in machines]
    for machine, one in zip(machines, arrivals, strict=True):
        machine.ranks.land(RankLanding(one.queue, one.tick + 100, 50, (None,)))  # type: ignore[union-attr]
        while machine.run(100):
            pass
        assert not machine.ranks.arrived
    for machine, state in zip(machines, states, strict=True):
        machine.restore(state)
    for one, parcels in zip(arrivals, sent, strict=True):
        again = ranks[one.rank].sent(one.queue)  # type: ignore[union-attr]
        assert [p.values.tobytes() for p in again] == [p.values.tobytes() for p in parcels]
