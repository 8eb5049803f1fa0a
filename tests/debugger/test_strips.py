"""The time so far: strips against the counters of the queues, and against a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.analysis.profile.records import Stall
from nasm.analysis.profile.timeline import BUSY, EMPTY, READYING
from nasm.debugger.engines.strips import TimeSoFar
from nasm.debugger.session import Session
from tests.parts import part

PROGRAMS = sorted(Path("programs").glob("*.nasm"))
EVERYTHING = 1 << 40
"""More cycles than any run has."""


def of(session: Session, cycles: int) -> TimeSoFar:
    found = session.engines.strip(cycles)
    assert found is not None
    return found


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda p: p.stem)
def test_sums_are_those_of_a_profile_of_the_same_run(path: Path) -> None:
    profiled = Session(str(path), values=False, profile=True)
    profiled.run(hashes=False)
    half = profiled.now // profiled.program.generation.base.cycle // 2
    session = Session(str(path), values=False)
    for cycles in (half, None):
        other = Session(str(path), values=False, profile=True)
        for one in (session, other):
            one.run(max_cycles=cycles, hashes=False) if cycles else one.run(hashes=False)
        found = of(session, EVERYTHING)
        assert found.begin == 0
        assert found.end == session.now == other.now
        wanted = [e for e in other.profile().engines if session.queue(e.name).length]
        assert [e.engine for e in found.engines] == [e.name for e in wanted]
        for mine, theirs in zip(found.engines, wanted, strict=True):
            assert (mine.busy, mine.empty) == (theirs.busy, theirs.empty)
            assert sorted(mine.stalls, key=repr) == sorted(theirs.stalls, key=repr)


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda p: p.stem)
def test_spells_follow_each_other_without_a_gap(path: Path) -> None:
    session = Session(str(path), values=False)
    session.run(hashes=False)
    for engine in of(session, EVERYTHING).engines:
        at = 0
        for begin, end, _ in sorted(engine.spells):
            assert begin == at
            assert end > begin
            at = end
        assert at == session.now


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda p: p.stem)
def test_a_strip_is_what_two_moments_differ_by(path: Path) -> None:
    """The counters now, without those of when it begins."""
    session = Session(str(path), values=False)
    session.run(hashes=False)
    total = session.now // session.program.generation.base.cycle
    session.restart()
    session.advance(total // 3)
    before = [queue.times(session.now) for queue in session.machine.scheduler.queues]
    session.advance(total // 3)
    found = of(session, total // 3)
    for engine in found.engines:
        busy, idle = session.machine.scheduler.queues[engine.index].times(session.now)
        old, was = before[engine.index]
        assert engine.busy == busy - old
        spent = sum(stall.ticks for stall in engine.stalls) + engine.empty
        assert spent == sum(idle.values()) - sum(was.values())


def test_the_run_stays_where_it_is() -> None:
    session, other = Session("programs/matmul_k.nasm"), Session("programs/matmul_k.nasm")
    for one in (session, other):
        one.advance(4_000)
    moment = session.moment
    of(session, 1_000)
    assert session.moment == moment
    assert session.run().memory_hash == other.run().memory_hash
    assert session.report().trace_hash == other.report().trace_hash


def test_no_more_is_run_again_than_the_last_checkpoint_asks_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session("programs/matmul_k.nasm", values=False)
    # a checkpoint after every look at the clock
    monkeypatch.setattr("nasm.debugger.moving.past.EVERY", 0.0)
    monkeypatch.setattr("nasm.debugger.moving.past.SHARE", 0)
    while not session.over:
        session.event()
    points = [point.moment.tick for point in session.checkpoints]
    assert len(points) > 20
    seen = []
    there = session.past.replay

    def replay(end, *observers):  # type: ignore[no-untyped-def]
        seen.append(session.now)
        return there(end, *observers)

    monkeypatch.setattr(session.past, "replay", replay)
    first = of(session, 500).begin
    assert seen == [max(tick for tick in points if tick <= first)]


def test_countdown_by_hand() -> None:
    """The instruction that completed last, and what it waited for.

    CompareBranch needs the result of RegisterAlu, which its engine makes: 1810 to 1987 in the
    debugger's page; it could have started when the one before it had left its unit.
    """
    session = Session("programs/countdown.nasm")
    session.step("scalar", 5)
    last = of(session, EVERYTHING).last
    assert last is not None
    assert last.text.startswith("CompareBranch")
    assert {wait.state for wait in last.waits} == {"data"}
    assert last.ticks // session.machine.cycle(session.queue("scalar").index) == 123


def test_what_is_asked_of_before_the_first_tick_is_nothing() -> None:
    found = of(Session("programs/matmul.nasm"), 100)
    assert (found.begin, found.end, found.last) == (0, 0, None)
    assert all(engine.busy == 0 for engine in found.engines)


def test_cells_say_what_lasts_longest() -> None:
    session = Session("programs/matmul.nasm", values=False)
    session.run(hashes=False)
    found = session.engines.strip(EVERYTHING, 50)
    assert found is not None
    strip = next(s for s in found.timeline.strips if s.name == "tensor")
    spells = next(e for e in found.engines if e.engine == "tensor").spells
    each = session.now / 50
    for n, state in enumerate(strip.states):
        inside: dict[str, float] = {}
        for begin, end, what in spells:
            covered = min(end, (n + 1) * each) - max(begin, n * each)
            if covered > 0:
                inside[what] = inside.get(what, 0) + covered
        assert inside[state] >= max(inside.values()) - 1
    assert set(strip.states) <= {BUSY, EMPTY, READYING, "DMA"}


def test_a_halted_one_says_nothing() -> None:
    session = Session("programs/matmul.nasm")
    session.run()
    there = session.past.return_before

    def halted(*args, **more):  # type: ignore[no-untyped-def]
        found = there(*args, **more)
        session.halt()
        return found

    session.past.return_before = halted  # type: ignore[method-assign]
    try:
        assert session.engines.strip() is None
    finally:
        session.past.return_before = there  # type: ignore[method-assign]


def test_a_stall_is_a_record_of_the_profile() -> None:
    session = Session("programs/matmul.nasm")
    session.run()
    tensor = next(e for e in of(session, EVERYTHING).engines if e.engine == "tensor")
    assert isinstance(tensor.stalls[0], Stall)
    assert str(tensor.stalls[0]) == "semaphore of DMA"
