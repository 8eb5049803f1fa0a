"""What is in no order between tiles is reported with both lines, and what is in order is not."""

from __future__ import annotations

import pytest

from nasm.base.problems import Problem
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.order.tile_watch import TileWatch
from nasm.targets import TARGETS

HEAD = """\
.target wormhole
.tile 1, 1
.l1 a u32[8] @ 0x1000 = iota
.l1 e u32[8] @ 0x1200 = zeros
.sem acked, back
.tile 4, 1
.l1 b u32[8] @ 0x2000 = zeros
.l1 c u32[8] @ 0x2100 = zeros
.sem ready, done
.tile 1, 3
.l1 d u32[8] @ 0x1000 = iota
.sem sent
.tile 1, 1
"""


def hazards(text: str) -> list[Problem]:
    made = Session.load(Source("t.nasm", HEAD + text), targets=TARGETS)
    report = made.run()
    assert report.problems == ()
    return [h for h in report.hazards if h.code.startswith("E05")]


def races(text: str) -> list[tuple[str, ...]]:
    """The instructions of each race, by their queues and pcs."""
    found = hazards(text)
    assert {h.code for h in found} <= {"E0502"}
    return [tuple(f"{a['engine']} {a['pc']}" for a in h.facts["accesses"]) for h in found]


THERE = "\n.tile 4, 1\n@noc1 NOC_WRITE e, b $ready >= {n}\n@noc1 NOC_BARRIER\n"


@pytest.mark.parametrize(
    "lines",
    [
        "@noc0 NOC_WRITE b, a\n@noc0 NOC_INC $ready++",
        "@noc0 NOC_WRITE b, a $acked++\n@noc0 NOC_INC $ready++\n@noc0 NOC_NOP $acked >= 1",
        "@noc0 NOC_WRITE_POSTED b, a\n@noc0 NOC_BARRIER\n@noc0 NOC_INC $ready++",
        "@noc0 NOC_WRITE_POSTED b, a\n@noc0 NOC_WRITE c, a\n@noc0 NOC_BARRIER\n"
        "@noc0 NOC_INC $ready++",
        "@noc0 NOC_WRITE b, a\n@noc1 NOC_BARRIER\n@noc1 NOC_INC $ready++",
        "@noc0 NOC_MULTICAST 0x2000, a, X0=2, Y0=1, X1=4, Y1=1\n@noc0 NOC_INC $ready++",
    ],
)
def test_a_semaphore_raised_before_the_acknowledgement_orders_nothing(lines: str) -> None:
    (found,) = hazards(lines + THERE.format(n=1))
    assert found.code == "E0502"
    assert {a["engine"] for a in found.facts["accesses"]} == {"1-1.noc0", "4-1.noc1"}
    places = {found.span.line if found.span else 0, *(n.span.line for n in found.notes if n.span)}
    assert places == {14, len((HEAD + lines).splitlines()) + 2}


@pytest.mark.parametrize(
    "lines",
    [
        "@noc0 NOC_WRITE b, a\n@noc0 NOC_BARRIER\n@noc0 NOC_INC $ready++",
        "@noc0 NOC_WRITE b, a $acked++\n@noc0 NOC_INC $acked >= 1 $ready++",
        "@noc0 NOC_WRITE b, a $acked++\n@noc1 NOC_INC $acked >= 1 $ready++",
        "@noc0 NOC_MULTICAST 0x2000, a, X0=2, Y0=1, X1=4, Y1=1 $acked += 3\n"
        "@noc0 NOC_INC_MULTICAST X0=2, Y0=1, X1=4, Y1=1 $acked >= 3 $ready += 3",
    ],
)
def test_a_semaphore_raised_after_it_does(lines: str) -> None:
    assert hazards(lines + THERE.format(n=1)) == []


def test_an_acknowledgement_of_some_receivers_is_not_that_of_all() -> None:
    lines = (
        "@noc0 NOC_MULTICAST 0x2000, a, X0=2, Y0=1, X1=4, Y1=1 $acked += 3\n"
        "@noc0 NOC_INC $acked >= 2 $ready++\n@noc0 NOC_NOP $acked >= 3"
    )
    assert len(races(lines + THERE.format(n=1))) == 1


BOTH = (
    "@noc0 NOC_WRITE b, a\n@noc0 NOC_BARRIER\n@noc0 NOC_INC $ready++\n"
    ".tile 1, 3\n@noc0 NOC_WRITE c, d\n@noc0 NOC_BARRIER\n@noc0 NOC_INC $ready++\n"
)


def test_of_two_that_raise_a_semaphore_either_may_be_the_first() -> None:
    # In the run the far tile is later, so that reading b would seem to be in order.
    assert races(BOTH + THERE.format(n=1)) == [("4-1.noc1 0", "1-1.noc0 0")]
    assert races(BOTH + THERE.format(n=2)) == []


def test_a_read_is_no_place_to_send_from_before_its_barrier() -> None:
    early = "@noc0 NOC_READ e, b\n@noc0 NOC_WRITE c, e\n@noc0 NOC_BARRIER"
    assert races(early) == [("1-1.noc0 1", "1-1.noc0 0")]
    assert races("@noc0 NOC_READ e, b\n@noc0 NOC_BARRIER\n@noc0 NOC_WRITE c, e\n") == []


def test_what_was_sent_may_not_be_written_before_it_is_acknowledged() -> None:
    lines = "@noc0 NOC_WRITE b, e $acked++\n@noc1 NOC_READ e, c $back++\n@noc1 NOC_BARRIER"
    assert len(races(f"{lines}\n@noc0 NOC_BARRIER")) == 1


def test_atomics_on_one_word_are_in_no_order_and_do_not_conflict() -> None:
    lines = "@noc0 NOC_ATOMIC_INC b[0:1], e[0:1], 1\n@noc0 NOC_BARRIER\n"
    other = ".tile 1, 3\n@noc0 NOC_ATOMIC_INC b[0:1], d[0:1], 1\n@noc0 NOC_BARRIER\n"
    assert races(lines + other) == []
    written = ".tile 1, 3\n@noc0 NOC_INLINE_WRITE b[0:1], 1\n@noc0 NOC_BARRIER\n"
    assert len(races(lines + written)) == 1


STORE = (
    "@t0\n.cfg GPR0 = 0x1200 // 16\n.cfg GPR4 = 42\n{wait}\n"
    "STOREIND MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4\n"
    "STALLWAIT BlockMask=STALL_SYNC, ConditionMask=THCON\n{post}\n"
)
WAIT = "SEMWAIT BlockMask=STALL_THCON, SemaphoreMask=2, ConditionMask=STALL_ON_ZERO"
INIT = ".cfg SEM1_max = 3\n"


def test_a_thread_that_stores_while_a_packet_is_read_from_there_is_a_race() -> None:
    store = STORE.format(wait="", post="")
    assert len(races(f"{store}@noc0 NOC_WRITE b, e\n@noc0 NOC_BARRIER")) == 1


def test_a_thread_posts_what_a_network_waits_for() -> None:
    store = INIT + STORE.format(wait="", post="SEMPOST SemaphoreMask=2")
    assert races(f"{store}@noc0\nNOC_SEMWAIT 1, 1\nNOC_WRITE b, e\nNOC_BARRIER") == []


@pytest.mark.parametrize(
    "wait",
    ["NOP", "STALLWAIT BlockMask=STALL_SYNC, ConditionMask=PACK",
     "STALLWAIT BlockMask=STALL_MATH, ConditionMask=THCON"],
)  # fmt: skip
def test_a_thread_that_does_not_wait_for_its_unit_posts_too_early(wait: str) -> None:
    stall = "STALLWAIT BlockMask=STALL_SYNC, ConditionMask=THCON"
    store = INIT + STORE.format(wait="", post="SEMPOST SemaphoreMask=2").replace(stall, wait)
    (found,) = hazards(f"{store}@noc0\nNOC_SEMWAIT 1, 1\nNOC_WRITE b, e\nNOC_BARRIER")
    assert [a["engine"] for a in found.facts["accesses"]] == ["1-1.noc0", "1-1.t0"]
    assert found.hint is not None
    assert found.hint.startswith("let 1-1.t0 wait for the unit of 1-1.t0 pc 0 (STOREIND)")


def test_a_core_that_waits_for_its_thread_has_waited_for_its_units() -> None:
    stall = "STALLWAIT BlockMask=STALL_SYNC, ConditionMask=THCON\n"
    store = STORE.format(wait="", post="").replace(stall, "")
    done = "@trisc0 LW CoprocessorDoneCheck\n"
    post = "@trisc0 SW SEM1, 0\n"
    send = "@noc0\nNOC_SEMWAIT 1, 1\nNOC_WRITE b, e\nNOC_BARRIER"
    assert races(f"{INIT}{store}{done}{post}{send}") == []
    assert races(f"{INIT}{store}{post}{send}") == [("1-1.noc0 1", "1-1.t0 0")]


def test_a_network_posts_what_a_thread_waits_for_once_the_bytes_have_come() -> None:
    store = INIT + STORE.format(wait=WAIT, post="")
    early = "@noc0\nNOC_READ e, b\nNOC_SEMPOST 1\nNOC_BARRIER\n"
    late = "@noc0\nNOC_READ e, b\nNOC_BARRIER\nNOC_SEMPOST 1\n"
    assert len(races(early + store)) == 1
    assert races(late + store) == []


def test_the_hint_says_what_orders_tiles() -> None:
    (found,) = hazards("@noc0 NOC_WRITE b, a\n@noc0 NOC_INC $ready++" + THERE.format(n=1))
    assert found.hint == (
        "once 1-1.noc0 pc 0 (NOC_WRITE) is answered, let 1-1.noc0 raise a semaphore of tile 4-1 by "
        "a packet, for which line 17 waits"
    )


@pytest.mark.parametrize(
    ("lines", "hint", "followed"),
    [
        (
            "@noc0 NOC_WRITE_POSTED b, a\n@noc0 NOC_READ e, b\n@noc0 NOC_BARRIER",
            "send it with NOC_WRITE, and put a NOC_BARRIER before line 15",
            "@noc0 NOC_WRITE b, a\n@noc0 NOC_BARRIER\n@noc0 NOC_READ e, b\n@noc0 NOC_BARRIER",
        ),
        (
            "@noc0 NOC_WRITE_POSTED b, a\n@noc0 NOC_READ a, c\n@noc0 NOC_BARRIER",
            "but after a NOC_FLUSH its bytes have left: put one before line 15",
            "@noc0 NOC_WRITE_POSTED b, a\n@noc0 NOC_FLUSH\n@noc0 NOC_READ a, c\n@noc0 NOC_BARRIER",
        ),
        (
            "@noc0 NOC_WRITE_POSTED b, a\n@noc1 NOC_READ a, c\n@noc1 NOC_BARRIER",
            "its bytes have left: let 1-1.noc0 signal that, and line 15 wait for it",
            "@noc0 NOC_WRITE_POSTED b, a\n@noc0 NOC_FLUSH\n@noc0 NOC_NOP $acked++\n"
            "@noc1 NOC_READ a, c $acked >= 1\n@noc1 NOC_BARRIER",
        ),
        (
            "@noc0 NOC_WRITE_POSTED b, a\n@noc1 NOC_READ e, b\n@noc1 NOC_BARRIER",
            "send it with NOC_WRITE, let that post when it is answered, and let line 15 wait",
            "@noc0 NOC_WRITE b, a $acked++\n@noc1 NOC_READ e, b $acked >= 1\n@noc1 NOC_BARRIER",
        ),
        (
            "@noc0 NOC_WRITE_POSTED b, a\n@noc0 NOC_INC $ready++" + THERE.format(n=1),
            "send it with NOC_WRITE, and once that is answered, let 1-1.noc0 raise a semaphore of "
            "tile 4-1 by a packet, for which line 17 waits",
            "@noc0 NOC_WRITE b, a\n@noc0 NOC_BARRIER\n@noc0 NOC_INC $ready++" + THERE.format(n=1),
        ),
        (
            "@noc0 NOC_MULTICAST_POSTED 0x2000, a, X0=2, Y0=1, X1=4, Y1=1\n@noc0 NOC_INC $ready++"
            + THERE.format(n=1),
            "send it with NOC_MULTICAST, and once that is answered",
            "@noc0 NOC_MULTICAST 0x2000, a, X0=2, Y0=1, X1=4, Y1=1\n@noc0 NOC_BARRIER\n"
            "@noc0 NOC_INC $ready++" + THERE.format(n=1),
        ),
    ],
)
def test_what_is_never_answered_is_ordered_by_what_the_hint_says(
    lines: str, hint: str, followed: str
) -> None:
    (found,) = hazards(lines)
    first = found.hint.splitlines()[0]
    assert "POSTED) is never answered" in first
    assert hint in first
    assert "post " not in first.replace("let that post when", "")
    assert races(followed) == []


def test_a_moment_of_what_is_never_answered_is_not_that_it_is_there() -> None:
    lines = "@noc0 NOC_WRITE_POSTED b, a post sent_all\n@noc0 NOC_READ e, b after sent_all\n"
    (found,) = hazards(f"{lines}@noc0 NOC_BARRIER")
    assert "is never answered: send it with NOC_WRITE" in found.hint


def test_a_run_of_tiles_that_is_too_long_says_where_judging_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nasm.order.observer.MOST", 20)
    lines = ".for n in 0..20\n@noc0 NOC_WRITE b, a\n@noc0 NOC_BARRIER\n.end\n"
    made = Session.load(Source("t.nasm", HEAD + lines), targets=TARGETS)
    (found,) = [h for h in made.run().warnings if h.code == "E0542"]
    (note,) = found.notes
    # A round takes 112 cycles: 90 and 20 of hops, the second flit, and the barrier.
    assert note.message == "judging ended at 1.120 µs, with the start of 1-1.noc0 pc 20 (NOC_WRITE)"
    assert note.span is not None
    assert note.span.line == 15


STORES = """\
.rv B
        li      t0, 0x1200
        li      t1, 0x1220
next:   sw      t0, 0(t0)
        lw      t2, 0(t0)
        addi    t0, t0, 4
        bne     t0, t1, next
        ebreak
"""


@pytest.mark.parametrize("most", range(9, 35, 5))
def test_what_an_instruction_past_the_limit_touches_is_of_none_before_it(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finished() -> tuple[Session, TileWatch]:
        text = HEAD + STORES + "@noc0\n" + "NOC_NOP\n" * 9
        made = Session.load(Source("t.nasm", text), targets=TARGETS)
        report = made.run()
        assert not report.problems
        assert [h.code for h in report.hazards if h.code.startswith("E05")] == []
        watch = made.machine.watch
        assert isinstance(watch, TileWatch)
        return made, watch

    whole = finished()[1]
    assert len(whole.queues) > most
    monkeypatch.setattr("nasm.order.observer.MOST", most)
    made, judged = finished()
    for _ in range(2):
        assert judged.full
        assert len(judged.queues) == most
        for found, every in ((judged.reads, whole.reads), (judged.writes, whole.writes)):
            assert found == {at: some for at, some in every.items() if at in _kept(judged)}
        made.goto("start")
        assert not judged.full
        made.run()


def _kept(watch: TileWatch) -> set[tuple[int, int]]:
    return {(queue, n) for queue, pcs in enumerate(watch.pcs) for n in range(len(pcs))}


CIRCLE = """\
.tile 4, 1
@noc0 NOC_NOP $ready >= 1
@noc0 NOC_INC $acked++
.tile 1, 1
@noc0 NOC_NOP $acked >= 1
@noc0 NOC_INC_MULTICAST X0=2, Y0=1, X1=4, Y1=1 $ready += 3
"""


def test_a_deadlock_of_tiles_is_reported_with_its_cycle() -> None:
    made = Session.load(Source("t.nasm", HEAD + CIRCLE), targets=TARGETS)
    (found,) = made.run().problems
    assert found.code == "E0510"
    assert "@4-1.noc0 and @1-1.noc0 are blocked forever" in found.message
    first, second = found.notes
    assert "the next update would come from 1-1.noc0 pc 1, which is blocked itself" in first.message
    assert (
        "the next update would come from 4-1.noc0 pc 1, which is blocked itself" in second.message
    )


def test_a_cycle_may_lead_through_a_thread_and_the_semaphores_of_the_tensix() -> None:
    lines = (
        INIT + ".cfg SEM2_max = 3\n@noc1 NOC_SEMPOST 1 $back >= 1\n@t0\n"
        "SEMWAIT BlockMask=STALL_SYNC, SemaphoreMask=2, ConditionMask=STALL_ON_ZERO\n"
        "SEMPOST SemaphoreMask=4\n@noc0\nNOC_SEMWAIT 2, 1\nNOC_INC $ready++\n"
        ".tile 4, 1\n@noc0 NOC_INC $ready >= 1 $back++\n"
    )
    made = Session.load(Source("t.nasm", HEAD + lines), targets=TARGETS)
    (found,) = made.run().problems
    assert (found.code, len(found.notes)) == ("E0510", 4)
    for name in ("@1-1.noc1", "@1-1.t0", "@1-1.noc0", "@4-1.noc0"):
        assert name in found.message


@pytest.mark.parametrize(
    ("line", "late"),
    [
        ("NOC_WRITE b, a", "write '.drain' after it"),
        ("NOC_WRITE b, a\n.drain", ""),
        ("NOC_WRITE b, a  $acked++\n.drain", ""),
        ("NOC_WRITE b, a\nNOC_BARRIER", ""),
        ("NOC_WRITE_POSTED b, a", "nothing answers it: send what is acknowledged"),
        ("NOC_WRITE_POSTED b, a\n.drain", "nothing answers it: send what is acknowledged"),
    ],
)
def test_what_nothing_waits_for_at_the_end_is_reported(line: str, late: str) -> None:
    head = HEAD.replace("@ 0x2000 = zeros", "@ 0x2000 output = zeros")
    made = Session.load(Source("t.nasm", f"{head}@noc0\n{line}\n"), targets=TARGETS)
    found = [h.hint for h in made.run().hazards]
    assert len(found) == bool(late)
    assert all(hint.startswith(late) for hint in found)
