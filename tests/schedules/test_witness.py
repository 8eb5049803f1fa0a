"""Witnesses: an event delayed until nothing else can happen, and what that changes."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event
from nasm.runs.schedules.witnesses import Witnesses
from tests.parts import part
from tests.schedules.programs import ENDS, FIVE, HEAD, InOrder
from tests.schedules.test_schedules import ran

KINDS = {"starts": STARTS, "completes": COMPLETES, "lands": LANDS}


def event(session: Session, kind: str, engine: str, index: int) -> Event:
    return Event(KINDS[kind], session.queue(engine).index, index)


@pytest.mark.parametrize("name", FIVE)
def test_one_of_two_runs_shows_what_is_right_by_luck(name: str) -> None:
    session = ran(HEAD + FIVE[name])
    found = nasm.witness(session, *(event(session, *end) for end in ENDS[name]))
    assert found.shows
    assert found.tried <= 3
    assert found.run.status is Status.FINISHED
    assert found.run.tensors[0].name == "Y"


def test_the_witness_of_a_late_completion_says_what_would_be_there() -> None:
    text = (
        HEAD
        + """
@vector Memset t, 1.0
@gpsimd Memset t[:, 3:5], 2.0
@scalar Activation u, t, op=copy   $ready >= 1  $done++
@vector Memset big, 1.0            $ready++
@sync DmaCopy Y, u $done >= 1 $stored += 16
@sync EventSemaphore $stored >= 16
"""
    )
    session = ran(text)
    assert session.read("Y")[0, 2:6].tolist() in ([1, 2, 2, 1], [1, 1, 1, 1])
    found = nasm.witness(session, event(session, "completes", "vector", 0))
    other = nasm.witness(session, event(session, "completes", "gpsimd", 0))
    first = next(w for w in (found, other) if w.shows)
    (change, *_) = first.run.tensors
    assert (change.name, change.count, change.elements) == ("Y", 256, 8192)
    assert "Y[0, 3] would be " in str(first)
    assert "; 256 of 8,192 elements differ, by up to 1" in str(first)


@pytest.mark.parametrize("seed", part(range(12), 3))
def test_no_event_of_a_program_in_order_shows_anything(seed: int) -> None:
    session = ran(InOrder(seed).text)
    shower, rng = Witnesses(session), np.random.default_rng(seed)
    for queue in session.machine.scheduler.queues:
        for index in rng.permutation(queue.count)[:3]:
            moves = session.program.instruction(queue.index, _pc(session, queue.index, int(index)))
            kinds = [STARTS, COMPLETES, *([LANDS] if moves.row.posts else [])]
            for kind in kinds:
                found = shower.of([(Event(kind, queue.index, int(index)), None)])
                assert not found.shows, str(found)


def _pc(session: Session, queue: int, index: int) -> int:
    return index  # nothing branches in these


LOOP = (
    HEAD
    + """
@scalar
       RegisterMove   %r0, 4
again: Activation u, t, op=copy              $ready >= 1
       RegisterAlu    %r0, %r0, 1, op=subtract
       CompareBranch  %r0, 0, op=greater, target=again
       Nop                                   $done++
@vector Memset t, 1.0                        $ready++
@gpsimd Nop
@gpsimd Memset t, 2.0
@sync DmaCopy Y, u $done >= 1 $stored += 16
@sync EventSemaphore $stored >= 16
"""
)


def test_the_number_of_an_event_counts_what_its_queue_executed() -> None:
    session = ran(LOOP)
    last = event(session, "starts", "scalar", 10)
    found = nasm.witness(session, last)
    assert found.held.pc == 1  # the fourth round: 1 + 3 * 3
    assert "the start of scalar pc 1 (Activation of line " in str(found)


def test_a_share_alone_is_held_where_fewer_than_all_are_waited_for() -> None:
    text = (
        HEAD
        + """
@sync   DmaCopy t, X       $loaded += 16
@vector TensorCopy u, t    $loaded >= 15  $done++
@sync DmaCopy Y, u $done >= 1 $stored += 16
@sync EventSemaphore $stored >= 16
@gpsimd EventSemaphore $loaded >= 16
"""
    )
    session = ran(text)
    found = nasm.witness(session, event(session, "lands", "sync", 0))
    assert found.shows
    assert (found.tried, found.held.shares) == (2, 1)
    assert found.run.tensors[0].count == 512  # 8 of 128 partitions
    assert "the landing of one share of sync pc 0 (DmaCopy of line 12)" in str(found)


def test_only_shares_that_move_racing_bytes_are_held() -> None:
    text = (
        HEAD
        + """
@gpsimd DmaCopy t, X                              $second += 16
@vector Memset u, 0.0
@vector Memset big, 1.0
@vector TensorCopy u[32:64], t[32:64]             $done++
@sync DmaCopy Y, u $done >= 1 $stored += 16
@sync EventSemaphore $stored >= 16
@tensor EventSemaphore $second >= 16
"""
    )
    session = ran(text)
    region = session.machine.addresses.region(session.view("t[32:64]"))
    found = nasm.witness(session, event(session, "lands", "gpsimd", 0), regions=[region])
    assert (found.tried, found.held.shares) == (1, 4)
    assert [(c.name, c.count) for c in found.run.tensors] == [("Y", 32 * 64), ("u", 32 * 64)]
    found = nasm.witness(session, event(session, "lands", "gpsimd", 0))
    assert (found.tried, found.held.shares) == (1, 16)


def test_what_a_held_transfer_reads_it_reads_late() -> None:
    text = (
        HEAD
        + """
@vector Memset t, 1.0                             $ready++
@sync   DmaCopy Y, t               $ready >= 1    $stored += 16
@gpsimd EventSemaphore             $ready >= 1
@gpsimd Memset big, 1.0
@gpsimd Memset big, 1.0
@gpsimd Memset big, 1.0
@gpsimd Memset t, 5.0
@tensor EventSemaphore $stored >= 16
"""
    )
    session = ran(text)
    assert (session.read("Y") == 1).all()
    found = nasm.witness(session, event(session, "lands", "sync", 0))
    assert found.run.tensors[0].first is not None
    assert (found.run.tensors[0].first.a, found.run.tensors[0].first.b) == (1, 5)


def test_what_reads_a_result_of_its_queue_waits_for_it_however_late_it_is() -> None:
    text = (
        HEAD
        + """
@vector Memset t, 1.0
@vector TensorCopy u, t            $done++
@sync DmaCopy Y, u $done >= 1 $stored += 16
@sync EventSemaphore $stored >= 16
"""
    )
    session = ran(text)
    for kind in ("starts", "completes"):
        found = nasm.witness(session, event(session, kind, "vector", 0))
        assert not found.shows
        assert str(found).endswith("delayed until nothing else can happen nothing changes")


POLLS = """
.target trn2
.hbm F i32[1, 1] input = zeros
.hbm G i32[1, 1] input = [[1]]
.hbm Y i32[1, 1] output
.sbuf y i32[1, 1]
.sem s
@scalar
again: TensorLoad     %r0, F
       CompareBranch  %r0, 0, op=equal, target=again
@sync DmaCopy F, G
@sync DmaCopy Y, G
"""


def test_an_event_that_others_poll_for_is_let_go_in_the_end() -> None:
    session = Session(POLLS, reruns=True)
    session.run(hashes=False)
    assert session.status is Status.FINISHED
    found = nasm.witness(session, event(session, "lands", "sync", 0))
    assert found.run.status is Status.FINISHED


@pytest.mark.parametrize(
    ("kind", "queue", "index", "said"),
    [
        (STARTS, 1, 9, "vector executed 1 instruction: there is no number 9, counted from 0"),
        (LANDS, 1, 0, "instruction 0 of vector moves nothing that could land"),
        (STARTS, 77, 0, "there is no queue 77 of 5"),
    ],
)
def test_an_event_that_there_was_none_of_is_refused(
    kind: int, queue: int, index: int, said: str
) -> None:
    session = ran(".target trn2\n@vector Nop\n")
    with pytest.raises(Failure) as caught:
        nasm.witness(session, Event(kind, queue, index))
    assert [(p.code, p.message) for p in caught.value.problems] == [("E0837", said)]
