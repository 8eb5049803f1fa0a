"""What is kept of a run: all its records, or a summary that does not grow."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import Any

import pytest

import nasm
from nasm.sim import interlock, trace
from nasm.sim.trace import Summary

RECORDS: dict[str, tuple[Any, ...]] = {
    "take_instruction": (1, 2, 3, 4, 5, 6),
    "take_job": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
    "take_post": (1, 2, 3, 4),
    "take_message": (1, 2, 3, 4, "text"),
}
ENDLESS = """\
.target trn2
.hbm X u8[1, 2] input = zeros
.sbuf x u8[1, 2]
.sem s
.sbuf t u8[1, 2]
@sync
again: RegisterMove %r0, 1
DmaCopy x, X  $s += 16
EventSemaphore $s >= 16
EventSemaphore $s = 0
CompareBranch %r0, 0, op=greater, target=again
@gpsimd
Memset t, 5
more: RegisterMove %r0, 1
DevicePrint t, "t ="
CompareBranch %r0, 0, op=greater, target=more
"""


def hashed(*records: tuple[str, tuple[Any, ...]]) -> str:
    summary = Summary(256, [8] * 8)
    for kind, record in records:
        getattr(summary, kind)(record)
    return summary.digest()


def test_every_field_of_every_record_shows_in_the_hash() -> None:
    seen = {hashed(*RECORDS.items())}
    count = 1
    for kind, record in RECORDS.items():
        for at, field in enumerate(record):
            for other in ("texts", "") if isinstance(field, str) else (field + 1, 0, -field):
                if (kind, at) == ("take_instruction", 1) and other < 0:
                    continue  # no queue, and so nothing to count
                changed = (*record[:at], other, *record[at + 1 :])
                seen.add(hashed(*({**RECORDS, kind: changed}).items()))
                count += 1
    assert len(seen) == count


def test_the_order_within_a_kind_and_the_kind_of_a_record_show_in_the_hash() -> None:
    post, other = RECORDS["take_post"], (4, 3, 2, 1)
    orders = [
        hashed(("take_post", a), ("take_post", b)) for a, b in itertools.permutations((post, other))
    ]
    kinds = [hashed(("take_instruction", (*post, *other[:2]))), hashed(("take_post", post))]
    split = [
        hashed(("take_post", post), ("take_post", other)),
        hashed(("take_job", (*post, *other))),
    ]
    texts = [
        hashed(("take_message", (0, 0, 0, 0, a)), ("take_message", (0, 0, 0, 0, b)))
        for a, b in (("ab", "c"), ("a", "bc"), ("abc", ""))
    ]
    assert len({*orders, *kinds, *split, *texts, hashed()}) == 9  # one of split is one of orders


@pytest.mark.parametrize("full", [1, 7, 10**9])
def test_how_often_records_are_folded_makes_no_difference(
    full: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    straight = nasm.Session(ENDLESS).run(max_cycles=20_000)
    monkeypatch.setattr(trace, "FULL", full)
    session = nasm.Session(ENDLESS)
    for cycles in range(3_000, 20_001, 1_000):
        session.run(max_cycles=cycles)
        session.checkpoint()
    assert session.report() == straight


def test_queues_that_grow_keep_how_often_their_instructions_completed() -> None:
    summary = Summary(1, [1, 2])
    for queue, pc in ((0, 0), (1, 0), (1, 1), (1, 1)):
        summary.take_instruction((0, queue, pc, 1, 2, 3))
    summary.make_room([2, 3])
    assert [summary.completed(queue).tolist() for queue in range(2)] == [[1, 0], [1, 2, 0]]


def test_going_back_and_on_gives_the_same_hash() -> None:
    session = nasm.Session(ENDLESS)
    session.run(max_cycles=10_000)
    middle = session.checkpoint()
    there = session.report()
    ends = []
    for _ in range(3):
        ends.append(session.run(max_cycles=20_000))
        session.back_to(middle)
        assert session.report() == there
    session.restart()
    ends.append(session.run(max_cycles=20_000))
    assert [end == ends[0] for end in ends] == [True] * 4
    assert sum(e.instructions for e in ends[0].engines) > sum(e.instructions for e in there.engines)


def test_the_records_are_kept_only_if_they_are_asked_for() -> None:
    session = nasm.Session(ENDLESS)
    session.run(max_cycles=5_000)
    with pytest.raises(RuntimeError, match="make the session with trace=True"):
        _ = session.trace
    traced = nasm.Session(ENDLESS, trace=True)
    assert traced.run(max_cycles=5_000) == session.report()
    assert sum(job[10] for job in traced.trace.jobs) % 16 == 0 < len(traced.trace.instructions)


@pytest.mark.turns(3)
def test_a_run_takes_no_more_memory_the_longer_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "MESSAGES", 100)
    monkeypatch.setattr(trace, "FULL", 1_000)
    # what is kept to judge the order has a bound of its own: machine/test_ordering.py
    session = nasm.Session(ENDLESS, checked=False, keep=0)
    session.run(max_cycles=100_000)  # every message that is kept, and every cache
    assert session.report(hashes=False).messages_left_out > 0
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        completed = session.machine.scheduler.retired
        session.run(max_cycles=700_000)
        grown = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    more = session.machine.scheduler.retired - completed
    assert more > 5_000
    assert grown < 20 * more  # a record alone is 200


def test_of_messages_the_first_are_kept_and_the_rest_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trace, "MESSAGES", 3)
    session = nasm.Session(ENDLESS, trace=True)
    report = session.run(max_cycles=20_000)
    said = len(session.trace.messages)
    assert [m.pc for m in report.messages] == [2, 2, 2]
    assert report.messages_left_out == said - 3 > 1
    assert f"… and {said - 3} later messages, not kept" in str(report)


def test_few_long_messages_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "CHARACTERS", 24)  # "t = [[5 5]]" has 11
    report = nasm.Session(ENDLESS).run(max_cycles=20_000)
    assert len(report.messages) == 2
    assert report.messages_left_out


def test_what_is_remembered_of_pairs_is_bounded_and_makes_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = ENDLESS.replace("Memset t, 5\n", "Memset t, 5\nMemset x, 1\nTensorCopy x, x\n")
    before = nasm.Session(text).run(max_cycles=20_000)
    monkeypatch.setattr(interlock, "KNOWN", 1)
    session = nasm.Session(text)
    assert session.run(max_cycles=20_000) == before
    assert len(session.machine.scheduler.interlock._overlaps) <= 1
    assert before.hazards
