"""Where the time of engines went, in ticks worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.analysis.profile.records import EngineTimes, Profile, Stall
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from nasm.machine.records import Status
from tests.parts import part

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))

CHAIN = """\
.target trn2
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sbuf c f32[128, 512]
.sem done
@gpsimd Memset a, 1.0 $done++
@vector Memset b, 1.0
@vector TensorCopy c, a $done >= 1
"""


def profile(text: str, **given: object) -> tuple[Profile, dict[str, EngineTimes]]:
    session = Session(text, profile=True)
    session.run(**given)  # type: ignore[arg-type]
    found = session.profile()
    return found, {e.name: e for e in found.engines}


def test_an_engine_is_busy_waits_for_who_posted_and_is_empty() -> None:
    found, engines = profile(CHAIN)
    gpsimd, vector = engines["gpsimd"], engines["vector"]
    # GpSimd: 150 + 512 cycles of 4 ticks, results 50 ns = 240 ticks later, seen 40 ns = 192 later
    assert gpsimd.busy == 662 * 4
    posted = 662 * 4 + 240
    # Vector: memset of 0.8 cycles an element, 410 cycles of 5 ticks, then the copy waits
    memset = 410 * 5
    start = posted + 192
    assert vector.stalls == (Stall("semaphore", "gpsimd", start - memset),)
    assert vector.busy == found.ticks - (start - memset) - vector.empty
    for engine in engines.values():
        waits = sum(stall.ticks for stall in engine.stalls)
        assert engine.busy + waits + engine.empty == found.ticks
    assert engines["sync"].empty == found.ticks


def test_active_is_from_start_to_completion_and_counts_no_tick_twice() -> None:
    found, engines = profile(CHAIN)
    assert engines["gpsimd"].active == 662 * 4 + 240
    # the copy ends with the run; before it the memset and its 58 ns of results, 279 ticks
    vector = engines["vector"]
    start = 662 * 4 + 240 + 192
    cycles = -(-58 * 960 // 1000)  # whole cycles
    assert vector.active == 410 * 5 + cycles * 5 + found.ticks - start


def test_semaphores_are_split_by_who_posted_last() -> None:
    text = CHAIN.replace(".sem done", ".hbm A f32[128, 512] input = iota\n.sem done, loaded")
    text = text.replace("@gpsimd Memset a, 1.0 $done++", "@sync DmaCopy a, A $loaded += 16\n"
                        "@gpsimd EventSemaphore $loaded >= 16 $done++")  # fmt: skip
    _, engines = profile(text)
    assert [(s.cause, s.by) for s in engines["gpsimd"].stalls] == [("semaphore", "DMA")]
    assert [(s.cause, s.by) for s in engines["vector"].stalls] == [("semaphore", "gpsimd")]


@pytest.mark.parametrize("path", part(PROGRAMS, 6), ids=lambda path: path.stem)
def test_busy_and_waits_and_empty_are_all_the_time_of_every_program(path: Path) -> None:
    session = Session(path, profile=True)
    for cycles in (300, 3000, None):
        session.run(max_cycles=cycles)
        found = session.profile()
        for engine in found.engines:
            parts = [engine.busy, engine.empty, *(stall.ticks for stall in engine.stalls)]
            assert min(parts) >= 0
            assert sum(parts) == found.ticks
            assert 0 <= engine.active <= found.ticks


def test_a_run_that_goes_back_has_the_profile_of_one_that_did_not() -> None:
    for path in PROGRAMS[:6]:
        session = Session(path, profile=True)
        session.run(max_cycles=500)
        moment = session.checkpoint()
        session.run()
        first = session.profile()
        session.back_to(moment)
        session.run()
        assert session.profile() == first
        session.restart()
        session.run()
        assert session.profile() == first


def test_a_run_without_values_has_the_same_profile() -> None:
    for name in ("matmul_tiled", "softmax"):
        path = next(p for p in PROGRAMS if p.stem == name)
        both = []
        for values in (True, False):
            session = Session(path, profile=True, values=values)
            session.run()
            both.append(session.profile())
        assert both[0] == both[1]


def test_a_run_that_was_stopped_is_profiled_as_far_as_it_got() -> None:
    found, engines = profile(CHAIN, max_cycles=100)
    assert (found.status, found.ticks) == (Status.LIMIT, 400)
    assert engines["gpsimd"].busy == engines["gpsimd"].active == 400


def test_a_session_that_was_not_watched_has_no_profile() -> None:
    session = Session(CHAIN)
    session.run()
    with pytest.raises(Failure) as caught:
        session.profile()
    assert [p.code for p in caught.value.problems] == ["E0815"]


@pytest.mark.parametrize(("engine", "title"), [("gpsimd", "GpSimd"), ("vector", "Vector")])
def test_the_verdict_names_an_engine_as_the_vendor_does(engine: str, title: str) -> None:
    text = f".target trn2\n.sbuf t f32[128, 512]\n@{engine} Memset t, 1.0\n"
    found, _ = profile(text)
    assert found.verdict == f"bound by {title} at work: 100 % of the critical path"


TURNS = """\
.target trn2
.sbuf p f32[128, 64] = zeros
.sbuf q f32[128, 64] = zeros
.sem v, s
.for i in 0..ROUNDS
@vector TensorScalar q, p, add, 1.0 $s >= i $v++
@scalar Activation p, q, op=copy $v >= i + 1 $s++
.end
"""


ACTS = "@scalar Activation p, q, op=copy $v >= i + 1"
TWICE = f"{ACTS}\n@scalar Activation p, q, op=copy"


def test_engines_that_take_turns_are_a_chain() -> None:
    found, engines = profile(TURNS.replace("ROUNDS", "20"))
    assert found.chain is not None
    assert [link.name for link in found.chain.links] == ["Scalar", "Vector"]
    assert found.chain.rounds == 20
    assert sum(link.ticks for link in found.chain.links) == found.ticks
    for link in found.chain.links:
        assert link.busy == engines[link.name.lower()].busy
    assert found.verdict == (
        "bound by a chain: Scalar and Vector take turns 20 times on the critical path "
        "and are idle for 90 % and 87 % of the run"
    )


def test_turns_that_are_few_or_leave_an_engine_busy_are_no_chain() -> None:
    few, _ = profile(TURNS.replace("ROUNDS", "2"))
    busy, _ = profile(TURNS.replace("ROUNDS", "20").replace("64]", "4096]").replace(ACTS, TWICE))
    assert few.chain is None
    assert max(engine.busy for engine in busy.engines) > 0.6 * busy.ticks
    assert busy.chain is None
    assert busy.verdict.endswith("% of the critical path")
