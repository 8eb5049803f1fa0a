"""The order of a machine's run, judged when somebody asks: stepped, gone back, cut short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.base.problems import Problem
from nasm.order import observer

LATE = """
.target trn2
.hbm  X  f32[128, 64]  input = iota
.hbm  Y  f32[128, 64]  output
.sbuf t  f32[128, 64]
.sbuf u  f32[128, 64]
.sem  loaded, copied, stored
@sync   DmaCopy     t, X    $loaded += 16
@vector TensorCopy  u, t                        $copied++
@gpsimd DmaCopy     Y, u    $copied >= 1        $stored += 16
@gpsimd EventSemaphore      $stored >= 16
"""

RELAXED = """
.target trn2
.sbuf t  f32[128, 64]
.sbuf u  f32[128, 64]
.sem  own
@vector Memset      t, 1.0  $own++
@vector TensorCopy  u, t{wait}
@sync   Nop
"""


ADDED = """
.target trn3
.hbm  X  f32[128, 64]  input = iota
.sbuf t  f32[128, 64]
.sbuf u  f32[128, 64] = zeros
.sem  cleared, added, other
@vector Memset      t, 1.0  $cleared++
@sync   DmaCopy     t, X, compute_op=add  $cleared >= 1  $added += 16
@scalar DmaCopy     t, X, compute_op=add  $cleared >= 1  $other += 16
{then}
@sync   EventSemaphore      $added >= 16
@sync   EventSemaphore      $other >= 16
"""


def session(text: str, **options: Any) -> nasm.Session:
    return nasm.Session(nasm.assemble(text, **options))


def codes(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.code for problem in problems]


def test_a_race_is_reported_in_the_step_that_meets_it() -> None:
    made = session(LATE)
    before = []
    while not made.hazards:
        before.append(len(made.step()))
    assert codes(made.hazards) == ["E0502"]
    assert made.now < made.run().ticks


@pytest.mark.parametrize(
    ("then", "raced"),
    [
        ("", set()),
        ("@vector Memset t, 2.0", {"sync", "scalar"}),
        ("@gpsimd TensorCopy u, t $added >= 16", {"scalar"}),
        ("@gpsimd DmaCopy u, t $other >= 16 $cleared += 16", {"sync"}),
        ("@gpsimd DmaCopy t, X $added >= 16 $cleared += 16", {"scalar"}),
        ("@gpsimd Nop $added >= 16\n@gpsimd TensorCopy u, t $other >= 16", set()),
    ],
)
def test_transfers_that_add_are_in_no_need_of_order_but_what_else_is_there_is(
    then: str, raced: set[str]
) -> None:
    made = session(ADDED.format(then=then))
    made.run()
    found = [p for p in made.hazards if p.code == "E0502"]
    engines = {access["engine"] for p in found for access in p.facts["accesses"]}
    assert engines & {"sync", "scalar"} == raced


def test_what_was_found_is_forgotten_by_going_back_and_found_again() -> None:
    made = session(LATE)
    first = made.run()
    made.restart()
    assert made.hazards == ()
    again = made.run()
    assert again.hazards == first.hazards
    assert codes(again.hazards) == ["E0502"]


def test_going_back_into_the_run_forgets_what_came_later() -> None:
    made = session(LATE)
    start = made.checkpoint()
    made.run()
    made.back_to(start)
    made.step()
    stepped = [p.message for p in made.hazards]
    fresh = session(LATE)
    fresh.step()
    assert stepped == [p.message for p in fresh.hazards]


def test_asking_changes_nothing() -> None:
    asked, left = session(LATE), session(LATE)
    while asked.step():
        assert asked.hazards is not None
    one, other = asked.run(), left.run()
    assert (one.trace_hash, one.memory_hash) == (other.trace_hash, other.memory_hash)
    assert one.hazards == other.hazards


def test_a_run_without_values_has_the_same_races() -> None:
    program = nasm.assemble(LATE)
    with_values, without = nasm.Session(program), nasm.Session(program, values=False)
    assert with_values.run().hazards == without.run().hazards


def test_engines_without_an_interlock_need_a_wait_for_their_own_results() -> None:
    def problems_of(wait: str, **options: Any) -> list[str]:
        return codes(session(RELAXED.format(wait=wait), **options).run().hazards)

    assert problems_of("") == []
    assert problems_of("", options={"ordering": "relaxed"}) == ["E0502"]
    assert problems_of("  $own >= 1", options={"ordering": "relaxed"}) == []


def test_a_race_names_both_accesses_and_the_wait_for_programs() -> None:
    (race,) = session(LATE).run().hazards
    assert race.facts["kind"] == "read-write"
    assert [one["access"] for one in race.facts["accesses"]] == ["read", "write"]
    assert [one["line"] for one in race.facts["accesses"]] == [9, 8]
    wait = race.facts["wait"]
    assert (wait["line"], wait["semaphore"], wait["op"], wait["value"]) == (9, "loaded", ">=", 16)
    assert not race.facts["right_by_luck"]


def test_adding_the_wait_that_is_proposed_mends_it() -> None:
    mended = LATE.replace("TensorCopy  u, t     ", "TensorCopy  u, t  $loaded >= 16 ")
    assert session(mended).run().hazards == ()


def test_of_a_very_long_run_it_is_said_where_judging_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observer, "MOST", 3)
    report = session(LATE).run()
    (note,) = (p for p in report.warnings if p.code == "E0542")
    assert note.message == "the order of the first 3 instructions was judged, and of no more"


def test_waits_beyond_what_was_judged_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        ".target trn2\n.hbm Y f32[128, 64] output\n.sbuf t f32[128, 64] = zeros\n.sem stored\n"
        "@sync\nDmaCopy Y, t $stored += 16\nNop\nNop\nNop $stored >= 16\n"
    )
    monkeypatch.setattr(observer, "MOST", 2)
    assert [p.code for p in session(text).run().warnings] == ["E0542"]


@pytest.mark.thorough
def test_programs_have_no_race() -> None:
    for path in sorted((Path(nasm.__file__).parents[1] / "programs").glob("*.nasm")):
        report = nasm.Session(path).run(hashes=False)
        assert report.hazards == (), path


EXCHANGED = """
.target trn2
.hbm  X  f32[32, 4]  input = iota
.sbuf a  f32[32, 4]  = zeros
.sbuf b  f32[32, 4]
.core 1
.sbuf c  f32[32, 4]
.sbuf d  f32[32, 4]
.sem  loaded, made
@sync   DmaCopy         d, X            $loaded += 16
@vector Memset          c[:, 0:2], 1.0
@vector Memset          c[:, 2:4], 1.0  $made++
@sync   EventSemaphore  $loaded >= 16
@sync   SendRecv        d, c, send_to_rank=0, recv_from_rank=0, pipe_id=0
.core 0
@sync   SendRecv        b, a, send_to_rank=1, recv_from_rank=1, pipe_id=0
"""


def test_a_wait_that_a_member_lacks_takes_no_order_from_its_meeting() -> None:
    made = session(EXCHANGED)
    made.run()
    (race,) = made.hazards
    assert {access["tensor"] for access in race.facts["accesses"]} == {"c"}


APART = """
.target trn2
.sbuf a f32[128, 64] @ 0:0
.sbuf b f32[128, 64] @ 0:{place}
.sem done, other
@vector
    Memset {tensor}, 1.0  $done++
@gpsimd
    Memset b, 2.0  {wait}
"""


@pytest.mark.parametrize(
    ("wait", "tensor", "place", "watched"),
    [
        ("$done >= 1", "a", 256, False),
        ("$done >= 1", "b", 256, True),
        ("$done >= 1", "a", 252, True),
        ("$done == 1", "a", 256, True),
        ("$done >= 1  $other -= 1", "a", 256, True),
    ],
)
def test_queues_that_share_no_byte_and_only_count_up_are_not_watched(
    wait: str, tensor: str, place: int, watched: bool
) -> None:
    program = nasm.assemble(APART.format(wait=wait, tensor=tensor, place=place))
    assert (nasm.Session(program).machine.watch is not None) == watched


EXCHANGE = """
.target trn2
.for c in 0..2
.core c
.sbuf mine{{c}}  f32[128, 64]
.sbuf copy{{c}}  f32[128, 64]
.sbuf got{{c}}   f32[128, 64]
@vector Memset      mine{{c}}, 1.0
{between}
@vector SendRecv    got{{c}}, mine{{c}}, send_to_rank=1 - c, recv_from_rank=1 - c, pipe_id=0
.end
"""


def test_what_an_engine_has_waited_for_is_written_when_the_channels_send_it() -> None:
    ordered = EXCHANGE.format(between="@vector TensorCopy  copy{c}, mine{c}")
    assert session(ordered).run().hazards == ()
    assert set(codes(session(EXCHANGE.format(between="")).run().hazards)) == {"E0502"}
