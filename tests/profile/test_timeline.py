"""Timelines: cells against a walk over every tick, bounds, and what is drawn."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nasm.analysis.profile.timeline import Strip, Timeline, covering, stacked
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from nasm.show.timeline import marks, shown
from tests.parts import part

ROOT = Path(__file__).parents[2]

TEXT = """\
.target trn2
.hbm A f32[128, 512] input = zeros
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sbuf c f32[128, 512]
.sem loaded, done
@sync DmaCopy a, A $loaded += 16
again: @gpsimd Memset c, 1.0 $done++
@vector Memset b, 1.0
@vector TensorCopy b, a $loaded >= 16
@vector TensorCopy c, b $done >= 1
"""


def ran(text: str = TEXT) -> Session:
    session = Session(text, profile=True, values=False)
    session.run()
    return session


def test_what_covers_a_cell_is_counted_in_ticks() -> None:
    draw = random.Random(11)
    for _ in range(200):
        stretches = [
            (start := draw.randrange(40), start + draw.randrange(12))
            for _ in range(draw.randrange(6))
        ]
        starts = np.array([start for start, _ in stretches], np.int64)
        ends = np.array([end for _, end in stretches], np.int64)
        edges = np.array(sorted(draw.sample(range(60), 5)), np.int64)
        once, each = covering(starts, ends, edges), stacked(starts, ends, edges)
        for cell, (low, high) in enumerate(
            zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ):
            count = [sum(a <= t < b for a, b in stretches) for t in range(low, high)]
            assert once[cell] == pytest.approx(sum(n > 0 for n in count))
            assert each[cell] == pytest.approx(sum(count))


def test_a_cell_of_a_tick_is_what_the_queue_did_then() -> None:
    session = ran()
    total = session.now
    found = session.timeline(total)
    strips = {strip.name: strip for strip in found.strips}
    profile = {e.engine: e for e in session.profile().engines}
    for name in ("sync", "gpsimd", "vector"):
        states = Counter(strips[name].states)
        engine = profile[name]
        assert states["busy"] == engine.busy
        assert states["empty"] == engine.empty
        waits = {stall.by or stall.cause: stall.ticks for stall in engine.stalls}
        assert {s: n for s, n in states.items() if s not in ("busy", "empty")} == waits
    levels = strips["ring 0"].levels
    busy = -(-8 * 2048 * 48 // 230)
    assert sum(levels) == busy
    assert set(levels) == {0.0, 1.0}


def test_cells_have_the_state_that_lasts_longest() -> None:
    session = ran()
    width = 7
    found, ticks = session.timeline(width), session.timeline(session.now)
    edges = np.round(np.linspace(0, session.now, width + 1)).astype(int).tolist()
    for strip, fine in zip(found.strips, ticks.strips, strict=True):
        for cell, state in enumerate(strip.states):
            counts = Counter(fine.states[edges[cell] : edges[cell + 1]])
            assert counts[state] == max(counts.values())


def test_no_cell_is_shorter_than_a_tick() -> None:
    session = ran()
    whole = {strip.name: strip for strip in session.timeline(session.now).strips}
    found = session.timeline(90, "1us", "1.001us")
    assert (found.begin, found.end) == (4800, 4805)
    for strip in found.strips:
        assert strip.states == whole[strip.name].states[4800:4805]
        assert strip.levels == whole[strip.name].levels[4800:4805]


@pytest.mark.parametrize("width", [0, -3])
def test_a_timeline_has_cells(width: int) -> None:
    with pytest.raises(ValueError, match=f"1 cell or more, not {width}"):
        ran().timeline(width)


def test_a_timeline_begins_and_ends_at_times_lines_and_labels() -> None:
    session = ran()
    whole = session.timeline(10)
    assert (whole.begin, whole.end) == (0, session.now)
    times = session.timeline(10, "100ns", "0.5us")
    assert (times.begin, times.end) == (480, 2400)
    copy = session.timeline(10, "10", "10")
    vector = next(q for q in session.machine.scheduler.queues if q.engine == "vector")
    assert vector.finished > copy.begin >= 600 * 4.8
    label = session.timeline(10, "again", "again")
    assert (label.begin, label.end) == (0, 662 * 4 + 240)
    for late in ("1s", f"{'9' * 400}s"):
        assert session.timeline(10, "", late).end == session.now


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [
        ("2us", "1us", "ends at 1.000 µs, and begins at 2.000"),
        ("", "agian", "did you mean 'again'?"),
        ("99", "", "no instruction is at '99'"),
        ("2 parsecs", "", "a time (2.5us), a line or a label"),
        ("1000us", "", "begins at 1,000.000"),
    ],
)
def test_a_bound_that_means_nothing_is_refused(begin: str, end: str, said: str) -> None:
    with pytest.raises(Failure) as caught:
        ran().timeline(10, begin, end)
    (problem,) = caught.value.problems
    assert problem.code == "E0816"
    assert said in f"{problem.message} {problem.hint}"


def test_what_has_not_started_has_no_time() -> None:
    session = Session(TEXT, profile=True, values=False)
    session.run(max_cycles=100)
    assert [s.states[-1] for s in session.timeline(5).strips if s.name == "vector"] == ["busy"]
    with pytest.raises(Failure, match="has started"):
        session.timeline(5, "11")


DRAWN = Timeline(
    0,
    4800,
    (
        Strip("tensor", ("busy", "DMA", "vector", "empty")),
        Strip("vector", ("busy", "busy", "tensor", "data")),
        Strip("ring 0", levels=(0.0, 0.05, 0.5, 1.0)),
    ),
)


def test_strips_are_drawn_with_a_letter_for_every_poster() -> None:
    lines = [line.plain for line in shown(DRAWN, 4800)]
    assert lines[1:4] == ["tensor █dv·", "vector ██t=", "ring 0  ▁▄█"]
    assert lines[5] == "█ busy  · nothing left"
    assert lines[6] == "waits for  d DMA  = its own result  t tensor  v vector"


def test_without_more_than_ascii_they_are_drawn_in_it() -> None:
    lines = [line.plain for line in shown(DRAWN, 4800, ascii_only=True)]
    assert lines[1:4] == ["tensor #dv.", "vector ##t=", "ring 0  .=#"]
    assert all(line.replace("µ", "u").isascii() for line in lines)


def test_a_cause_of_the_target_has_a_letter_that_is_free() -> None:
    found = replace(DRAWN, strips=(Strip("tensor", ("busy", "DMA", "tray", "drum", "data")),))
    lines = [line.plain for line in shown(found, 4800)]
    assert lines[1] == "tensor █dru="
    assert lines[4] == "waits for  d DMA  = its own result  r tray  u drum"


def test_a_unit_and_a_ring_are_reported_apart_in_the_legend() -> None:
    found = replace(DRAWN, strips=(*DRAWN.strips, Strip("mill", levels=(1, 0, 0.5, 0), unit=True)))
    lines = [line.plain for line in shown(found, 4800)]
    assert lines[4] == "mill   █ ▄ "
    assert lines[8].startswith("of a unit that is shared ▁ to █: at work for an eighth to all")
    assert lines[9].startswith("of a ring ▁ to █: one in eight")
    found = replace(found, strips=(found.strips[0], found.strips[-1]))
    assert not any("ring" in line.plain for line in shown(found, 4800))


def test_two_states_never_have_one_letter() -> None:
    for path in part(sorted((ROOT / "programs").glob("*.nasm")), 6):
        session = Session(path, profile=True)
        session.run(max_cycles=3000)
        if session.now:
            for plain in (True, False):
                letters = marks(session.timeline(50), plain)
                assert len({mark for mark, _ in letters.values()}) == len(letters)
