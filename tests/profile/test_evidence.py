"""Every tick of a critical path is documented, measured or assumed, by what it stands on."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.analysis.profile.path import critical_path
from nasm.analysis.profile.profile import evidence
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.isa.evidence import Evidence
from nasm.sim.history import History
from tests.parts import part
from tests.toy.target import TARGETS as TOY

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))
DOCUMENTED, MEASURED, ASSUMED = Evidence


def mix(session: Session) -> dict[Evidence, int]:
    history = History()
    session.machine.scheduler.observe(history)
    session.run(hashes=False)
    return dict(evidence(session.machine, history, critical_path(history)))


@pytest.mark.parametrize("path", part(PROGRAMS, 6), ids=lambda path: path.stem)
def test_the_kinds_of_evidence_add_up_to_the_run(path: Path) -> None:
    session = Session.load(source_of(path))
    assert sum(mix(session).values()) == session.now


MOVED = """\
.target {on}
.hbm X f32[128, 128] input = iota
.sbuf a f32[128, 128]
.sbuf b f32[128, 128]
.sem loaded, done
@sync   DmaCopy a, X, dge_mode=none   $loaded += 16
@gpsimd TensorTensor b, a, a, op=add  $loaded >= 16  $done++
@scalar EventSemaphore                $done >= 1
"""


ADDED = 4 * (150 + 2 * 128 + 60)
"""Ticks of the addition: 150 cycles, 2 for each element, and 60 until its results are there."""


def test_transfers_instructions_and_hand_offs_each_have_their_own() -> None:
    # On Trainium2 dispatch, shares, notification and the hand-off are measured, and nobody has
    # published what an addition on GpSimd takes.
    session = Session(MOVED.format(on="trn2"))
    found = mix(session)
    assert found == {ASSUMED: ADDED, MEASURED: session.now - ADDED}


def test_on_a_generation_of_which_nothing_is_published_all_of_it_is_assumed() -> None:
    session = Session(MOVED.format(on="trn3"))
    found = mix(session)
    assert found[ASSUMED] > 0.9 * session.now


def test_what_a_user_sets_is_worth_what_the_user_says() -> None:
    timing = {"dma_load_dispatch_ns": 100_000}
    before, session = (
        mix(Session(MOVED.format(on="trn2"))),
        Session(MOVED.format(on="trn2"), timing=timing),
    )
    kind = session.program.generation.numbers["dma_load_dispatch_ns"].evidence
    assert mix(session)[kind] >= 100_000 * session.program.generation.ticks // 1000
    assert before.get(kind, 0) < 100_000


def test_a_target_that_names_no_figures_has_none_but_assumed_ones() -> None:
    text = """\
.target toy
.ram X f32[4, 2] input = iota
.bank x f32[4, 2]
.bank y f32[4, 2]
.sem loaded
@alpha Move x, X $loaded += 2
@alpha Add y, x, x $loaded >= 2
"""
    session = Session.load(Source("toy.nasm", text), targets=TOY)
    assert mix(session) == {ASSUMED: session.now}


def test_an_instruction_is_counted_as_often_as_it_completes() -> None:
    def total(times: int) -> int:
        add = "@vector TensorTensor b, a, a, op=add\n" * times
        text = f".target trn2\n.sbuf a f32[128, 8] = iota\n.sbuf b f32[128, 8]\n{add}"
        (of_engines,) = [e.evidence for e in Session(text).run().engines if e.evidence]
        return sum(cycles for _, cycles in of_engines)

    assert total(5) == 5 * total(1) > 0
