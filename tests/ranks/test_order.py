"""The order of a collective with what else its rank does: it reads until it is over, and writes."""

from __future__ import annotations

import pytest

import nasm
from tests.parts import part

HEAD = """.target trn2
.ranks 2
.hbm x f32[128, 64] input = iota
.hbm y f32[128, 64]
.hbm out f32[128, 64] output
.sbuf a f32[128, 64]
.sbuf b f32[128, 64]
.sbuf c f32[128, 64]
.sem loaded, done, stored, sent
@sync DmaCopy a, x $loaded += 16
"""


def races(lines: str) -> list[tuple[str, tuple[int, ...]]]:
    """The hazards of a program, with the lines that they name, from the first of these on."""
    report = nasm.run(HEAD + lines).report
    first = HEAD.count("\n")
    return [
        (
            one.code,
            tuple(
                sorted(
                    span.line - first
                    for span in (one.span, *(note.span for note in one.notes))
                    if span is not None
                )
            ),
        )
        for one in (*report.hazards, *report.problems)
    ]


def codes(lines: str) -> set[str]:
    return {code for code, _ in races(lines)}


ORDERED = """
@cc Collective b, a, all_reduce, op=add $loaded >= 16 $done++
@vector Memset a, 0.0 $done >= 1
@scalar TensorCopy c, b $done >= 1 $stored++
@sync DmaCopy out, c $stored >= 1 $sent += 16
@sync EventSemaphore $sent >= 16
"""


def test_what_waits_for_its_update_comes_after_it() -> None:
    assert races(ORDERED) == []


@pytest.mark.parametrize(
    ("before", "after", "pair"),
    [
        (" $loaded >= 16 $done++", " $done++", (0, 2)),  # its source has not landed
        (
            "a, 0.0 $done >= 1",
            "a, 0.0 $loaded >= 16",
            (2, 3),
        ),  # its source is written before it has left
        ("c, b $done >= 1", "c, b", (2, 4)),  # its destination is read before it has landed
    ],
)
def test_each_missing_wait_is_reported(before: str, after: str, pair: tuple[int, int]) -> None:
    assert before in ORDERED
    found = races(ORDERED.replace(before, after))
    assert any(code == "E0502" and set(pair) <= set(lines) for code, lines in found), found


def test_the_start_of_a_later_instruction_does_not_say_that_it_is_over() -> None:
    """An update that is posted before it says nothing of it."""
    lines = """
@sync EventSemaphore $loaded >= 16 $stored++
@cc Collective b, a, all_reduce, op=add $stored >= 1 $done++
@vector Memset a, 0.0 $stored >= 1
@sync EventSemaphore $done >= 1
"""
    assert codes(lines) == {"E0502", "E0524"}


def test_that_it_has_started_does_not_say_that_its_source_has_left() -> None:
    lines = ORDERED.replace("$done++", "$done++ @read")
    found = nasm.run(HEAD + lines).report.hazards
    assert {one.code for one in found} == {"E0502"}
    assert any("Memset" in one.message for one in found)


def test_collectives_of_a_queue_are_in_order() -> None:
    lines = """
@cc Collective b, a, all_reduce, op=add $loaded >= 16
@cc Collective a, b, all_reduce, op=add
@cc Collective c, a, all_reduce, op=add $done++
@sync DmaCopy out, c $done >= 1 $loaded += 16
@sync EventSemaphore $loaded >= 32
"""
    assert races(lines) == []


def test_a_dma_into_its_source_races_with_it() -> None:
    lines = """
@cc Collective b, a, all_reduce, op=add $loaded >= 16 $done++
@gpsimd DmaCopy a, x $loaded >= 16 $stored += 16
@gpsimd EventSemaphore $stored >= 16
@sync DmaCopy out, b $done >= 1 $loaded += 16
@sync EventSemaphore $loaded >= 32
"""
    assert codes(lines) == {"E0502"}


def test_what_it_sends_and_nothing_wrote_is_reported() -> None:
    lines = "@cc Collective out, y, all_reduce, op=add\n@sync EventSemaphore $loaded >= 16\n"
    assert "E0501" in codes(lines)


def test_a_hint_names_a_wait_that_removes_the_race() -> None:
    lines = ORDERED.replace("a, 0.0 $done >= 1", "a, 0.0 $loaded >= 16")
    report = nasm.run(HEAD + lines).report
    (race,) = [one for one in report.hazards if one.code == "E0502"]
    assert race.hint.startswith("put '@vector EventSemaphore $done >= 1' before line 13")


def test_moments_order_it_as_well() -> None:
    text = (
        ".target trn2\n.ranks 2\n.hbm x f32[64, 8] input = iota\n.hbm out f32[64, 8] output\n"
        ".sbuf a f32[64, 8]\n.sbuf b f32[64, 8]\n"
        "@sync DmaCopy a, x post loaded\n"
        "@cc Collective b, a, all_reduce, op=add after loaded post summed\n"
        "@sync DmaCopy out, b after summed post stored\n@sync .drain\n"
    )
    assert nasm.run(text).ok
    bare = text.replace(" after summed", "")
    assert "E0502" in {one.code for one in nasm.run(bare).report.hazards}


def test_sync_finds_its_waits() -> None:
    text = (
        ".target trn2\n.ranks 2\n.hbm x f32[64, 8] input = iota\n.hbm out f32[64, 8] output\n"
        ".sbuf a f32[64, 8]\n.sbuf b f32[64, 8]\n"
        "@sync DmaCopy a, x\n@cc Collective b, a, all_reduce, op=add\n"
        "@vector Memset a, 0.0\n@sync DmaCopy out, b\n"
    )
    done = nasm.run(text, autosync=True)
    assert done.ok, done.report.reasons
    assert (
        done.outputs["out"].tolist() == (2 * done.outputs["out"][0] / 2)[None].repeat(2, 0).tolist()
    )


LATER = """.target trn2
.ranks 3
.hbm x f32[60, 12] input = iota
.hbm y f32[60, 12] output
.sbuf s f32[60, 12]
@sync
    DmaCopy s, x post loaded
    CollectiveRankId %r0
again:
    RegisterAlu %r0, %r0, 1, op=subtract
    CompareBranch %r0, 0, op=greater_equal, target=again
    DmaCopy y, s after loaded post stored
"""
"""Each rank stores later than the one before it."""


def test_a_race_that_all_ranks_have_at_other_times_is_reported_once() -> None:
    text = LATER.replace(" after loaded", "") + "    EventSemaphore after stored\n"
    done = nasm.run(text)
    (race,) = done.report.hazards
    assert race.code == "E0502"
    assert not any("rank" in note.message for note in race.notes)
    assert done.ranks is not None
    gaps = {note.message for one in done.ranks.ranks for note in one.hazards[0].notes}
    assert len(gaps) > 2  # which differ in their ticks


def test_what_all_ranks_have_is_an_error_though_one_way_has_it_as_a_warning() -> None:
    """Without values, a branch by the number of the rank may go either way."""
    found = nasm.check(LATER)
    assert [one.code for one in found.errors] == ["E0514"]
    assert "E0514" not in {one.code for one in found.problems if one not in found.errors}
    assert not nasm.check(LATER + "    EventSemaphore after stored\n").errors


WAITS = ("all_reduce, op=add $loaded >= 16", "Memset a, 0.0 $done >= 1", "c, b $done >= 1")


@pytest.mark.parametrize("removed", part(range(1, 8), 4))
def test_any_of_its_waits_that_is_missing_is_a_race(removed: int) -> None:
    """Every set of the three waits of the program that works."""
    lines = ORDERED
    for n, wait in enumerate(WAITS):
        if removed >> n & 1:
            assert wait in lines
            lines = lines.replace(wait, wait.partition(" $")[0])
    assert "E0502" in codes(lines)
