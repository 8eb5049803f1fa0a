"""Runs without something that costs time: ticks worked out by hand, and what is left out."""

from __future__ import annotations

from pathlib import Path

from nasm.analysis.profile.what_if import WhatIf, in_any_order, ranked, without
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine import Machine
from nasm.machine.changes import Changes
from nasm.machine.records import Status
from nasm.sim.history import History
from nasm.sim.recording import Recording
from tests.toy.target import TARGETS as TOY

MOVED = """\
.target toy
.ram X f32[4, 2] input = iota
.bank x f32[4, 2]
.bank y f32[4, 2]
.sem loaded, added
@alpha Move x, X              $loaded += 2
@beta  Add y, x, x            $loaded >= 2  $added++
@alpha Scale x, y, factor=2   $added >= 1
"""
# A cycle of alpha is 3 ticks, one of beta 5. The move starts at 0, its halves of 16 bytes arrive at
# 20, land 26 ticks later and are seen 4 ticks after that. Beta is busy for 2 cycles and done after
# 5; alpha sees that 6 ticks later (4 ns), and is done after 5 cycles.
TOTAL = 20 + 26 + 4 + 5 * 5 + 6 + 5 * 3


def ran(text: str) -> tuple[Session, History, Recording]:
    session = Session.load(Source("toy.nasm", text), targets=TOY)
    history, recording = History(), Recording()
    session.machine.scheduler.observe(history)
    session.machine.scheduler.observe(recording)
    assert session.run(hashes=False).ok
    return session, history, recording


def saved(text: str, values: bool = False) -> dict[str, WhatIf]:
    session, history, recording = ran(text)

    def make(changes: Changes) -> Machine:
        return Machine(session.program, values=values, changes=changes)

    machine = session.machine
    found = (*without(machine, history, make), *in_any_order(machine, history, recording))
    return {outcome.name: outcome for outcome in found}


def test_each_line_takes_away_what_it_says() -> None:
    session, _, _ = ran(MOVED)
    assert session.now == TOTAL
    found = saved(MOVED)
    assert {name: outcome.saved for name, outcome in found.items()} == {
        "no hand-off latency": 6 + 4,
        "free DMA": 26 - 1,  # a tick is the least that shares take
        "free issue": 0,  # shares arrive 20 ticks after the start of the issue all the same
        "free alpha": 5 * 3 - 1,
        "free beta": 5 * 5 - 1,
        "alpha in any order": 0,
    }
    assert all(outcome.ticks == TOTAL - outcome.saved for outcome in found.values())


def test_a_transfer_is_issued_at_once_only_where_that_is_asked_for() -> None:
    machine = Session.load(Source("toy.nasm", MOVED), targets=TOY).machine
    queues = {machine.program.queue_name(n): n for n in range(len(machine.program.queues))}
    move, add = machine.shape(queues["alpha"], 0), machine.shape(queues["beta"], 0)
    others = Changes(hand_off=True, shares=True, ports=True)
    assert [others.frees(one) for one in (move, add)] == [False, False]
    assert [Changes(issue=True).frees(one) for one in (move, add)] == [True, False]
    assert [Changes(engine="beta").frees(one) for one in (move, add)] == [False, True]
    assert [Changes(engine="alpha").frees(one) for one in (move, add)] == [False, False]


def test_what_saves_most_comes_first_and_what_cannot_be_said_last() -> None:
    outcomes = [WhatIf("none", None, reason="why"), WhatIf("loss", 12, -2), WhatIf("gain", 7, 3)]
    assert [outcome.name for outcome in ranked(outcomes)] == ["gain", "loss", "none"]


def test_a_queue_in_any_order_gains_what_a_better_order_of_the_program_gains() -> None:
    # Loads and stores of a matmul from one queue. A store that stands behind the loads of its own
    # result holds back those of the next; the published program places it behind later loads.
    path = Path(__file__).parents[2] / "programs" / "published" / "matmul_naive.nasm"
    text = path.read_text(encoding="utf-8")
    size = {"M": 128, "K": 1024, "N": 4096}
    behind, found = {}, {}
    for lag in ("1", "D + 2"):
        source = Source("matmul", text.replace("LAG = D + 2", f"LAG = {lag}"))
        session = Session.load(source, defines=size, values=False)
        history, recording = History(), Recording()
        session.machine.scheduler.observe(history)
        session.machine.scheduler.observe(recording)
        assert session.run(hashes=False).status is Status.FINISHED
        behind[lag] = session.now
        outcomes = in_any_order(session.machine, history, recording)
        (found[lag],) = (o for o in outcomes if o.name == "gpsimd in any order")
    assert behind["1"] > 1.1 * behind["D + 2"]
    assert found["1"].ticks is not None
    assert abs(found["1"].ticks - behind["D + 2"]) < 0.01 * behind["D + 2"]
    assert abs(found["D + 2"].saved) < 0.01 * behind["D + 2"]


BRANCHES = """\
.target trn2
.hbm N i32[1, 1] input = [[2]]
.sbuf n i32[1, 1]
.sem loaded
@sync DmaCopy n, N $loaded += 16
@vector EventSemaphore $loaded >= 16
@vector TensorLoad %r0, n
@vector
again:
    RegisterAlu %r0, %r0, 1, op=subtract
    CompareBranch %r0, 0, op=greater, target=again
"""


def test_a_run_that_needs_values_and_has_none_is_left_out_with_the_reason() -> None:
    session = Session(BRANCHES)
    history, recording = History(), Recording()
    session.machine.scheduler.observe(history)
    session.machine.scheduler.observe(recording)
    assert session.run(hashes=False).ok
    machine = session.machine

    def make(changes: Changes) -> Machine:
        return Machine(session.program, values=False, changes=changes)

    for outcome in without(machine, history, make):
        assert outcome.ticks is None
        assert "loaded from memory" in outcome.reason


def test_a_branch_that_depends_on_memory_keeps_its_queue_in_order() -> None:
    session = Session(BRANCHES)
    history, recording = History(), Recording()
    session.machine.scheduler.observe(history)
    session.machine.scheduler.observe(recording)
    assert session.run(hashes=False).ok
    (vector,) = in_any_order(session.machine, history, recording)
    assert vector.ticks is None
    assert vector.reason == "it branches on what it loads from memory"
