"""Programs with one change to their waits or updates: a race is said exactly where there is one.

``python -m tests.order.measure`` tries every change; here are some of each program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine.records import Status
from nasm.targets import TARGETS
from tests.order.mutants import (
    AWAY,
    PROGRAMS,
    changed,
    mended,
    mutations,
    outcome,
    outcomes,
    program_of,
)
from tests.order.truth import Log, Truth
from tests.parts import part

EVERY = 9

HANDED_ON = """\
.target trn2
.hbm X f32[128, 64] input = iota
.hbm Y f32[128, 64] output
.sbuf t f32[128, 64]
.sbuf u f32[128, 64]
.sem loaded, doubled, stored
@sync   DmaCopy t, X                                               $loaded += 16
@vector TensorScalar u, t, op0=multiply, operand0=2.0  $loaded >= 16  $doubled++
@sync   DmaCopy Y, u                                   $doubled >= 1  $stored += 16
@sync   EventSemaphore                                 $stored >= 16
"""


def truth(text: str) -> tuple[Session, Truth]:
    session = Session(assemble(Source("handed-on.nasm", text), TARGETS))
    log = Log(session)
    assert session.run().status is Status.FINISHED
    return session, Truth(log)


def lines(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if part in line)


# ---------------------------------------------------------------- the judge, judged


def test_a_program_that_hands_on_what_it_has_done_is_in_order() -> None:
    _, found = truth(HANDED_ON)
    assert found.races == []
    assert found.early == []


@pytest.mark.parametrize(
    ("gone", "first", "second"),
    [("$loaded >= 16", "t, X", "u, t"), ("$doubled >= 1", "u, t", "Y, u")],
)
def test_without_a_wait_two_lines_race(gone: str, first: str, second: str) -> None:
    text = HANDED_ON.replace(gone, "")
    _, found = truth(text)
    assert found.lines == {frozenset((lines(text, first), lines(text, second)))}


def test_without_the_last_wait_the_host_may_read_too_early() -> None:
    _, found = truth(HANDED_ON.replace("$stored >= 16", ""))
    assert found.races == []
    assert found.early == [(4, 1)]


@pytest.mark.thorough
def test_the_programs_have_no_race_by_the_definition() -> None:
    for path in PROGRAMS:
        session = Session(program_of(path))
        log = Log(session)
        session.run(hashes=False)
        found = Truth(log)
        assert (found.races, found.early) == ([], []), path.stem


@pytest.mark.thorough
def test_a_changed_program_is_the_same_again_afterwards() -> None:
    for path in PROGRAMS:
        program, again = program_of(path), program_of(path)
        some = list(mutations(program))
        assert {change.what for change in some} == {"wait", "update"}
        for change in some:
            with changed(program, change):
                assert program != again
        assert program == again


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize("path", part(PROGRAMS, 1), ids=lambda p: p.stem)
def test_what_a_change_does_is_said_exactly_where_it_does_something(path: Path) -> None:
    first = PROGRAMS.index(path) % EVERY
    for one in outcomes(path, EVERY, first):
        assert one.caught, one.change
        assert one.false == [], one.change
        assert one.kind != "harmless" or one.reported == (), one.change


def test_the_wait_that_is_proposed_mends_what_was_taken_away() -> None:
    program = assemble(Source("handed-on.nasm", HANDED_ON), TARGETS)
    whole = Session(program).run().memory_hash
    tried = 0
    for change in mutations(program):
        found = outcome(program, change, whole)
        if (change.way, change.what) == (AWAY, "wait") and found.kind == "race":
            assert all(mended(program, found)), change
            tried += 1
    assert tried == 2
