"""Loops at run time in the debugger: registers by the names that the text has for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.problems import Failure, Refused
from nasm.debugger.session import Session
from tests.repl.conftest import Tried

TEXT = """\
.target trn2
.hbm   Y  f32[512, 64]  output
.sbuf  x  f32[128, 4, 64]
.sem   made, stored
.loop k in 0..4
    @vector  Memset   x[:, k, :], 2.0                   $made++
    @sync    EventSemaphore                $made >= 1   $made -= 1
    @sync    DmaCopy  Y[k*128 + 0 : +128, :], x[:, k, :]   $stored += 16
.end
@sync  EventSemaphore  $stored >= 64
@scalar .loop %auto in 0..3
    Nop
.end
"""


@pytest.fixture
def looped(bare: Tried) -> Tried:
    bare.shell.adopt(Session(TEXT))
    return bare


def test_an_instruction_shows_the_variable_and_no_register_of_the_loop(looped: Tried) -> None:
    said = looped.does("break 6 if k == 2", "continue", "where")
    assert "line 6: Memset x[:, k : +1, :][:, 0, :], 2.0" in said
    assert "Y[k*128 : +128, :]" in looped.does("where sync")
    assert "%r" not in said


def test_a_loop_variable_is_a_number_of_each_engine(looped: Tried) -> None:
    session = looped.shell.session
    looped.does("break 6 if k == 2", "continue")
    assert session.evaluate("@vector.k").array == 2
    # Vector runs ahead of the transfers: sync is in an earlier round.
    assert session.evaluate("@sync.k").array < 2
    with pytest.raises(Refused, match="engines are in different rounds: k is 2 for vector and"):
        session.evaluate("k")
    assert session.evaluate("@vector.k * 10 + 1").array == 21


def test_a_loop_variable_that_all_engines_agree_on_needs_no_engine() -> None:
    text = (
        ".target trn2\n.sbuf t f32[128, 8]\n@vector .loop k in 3..8 step 2\nMemset t[:, k], k\n.end"
    )
    session = Session(text.replace("Memset t[:, k], k", "Memset t[:, k], 1.0"))
    session.break_at(4, ignore=1)
    session.run()
    assert session.evaluate("k").array == 5  # the second round of 3, 5, 7
    assert session.evaluate("t[0, k]").missing.all()


def test_a_variable_is_none_outside_of_its_loop(looped: Tried) -> None:
    session = looped.shell.session
    with pytest.raises(Refused, match="no engine is in a round of"):
        session.evaluate("k")
    with pytest.raises(Failure) as refused:
        session.evaluate("@vector.j")
    assert refused.value.problems[0].code == "E0208"


def test_registers_are_listed_with_what_a_loop_holds_in_them(looped: Tried) -> None:
    looped.does("break 6 if k == 1", "continue")
    said = looped.does("info registers")
    assert "%r63 (k)" in said
    assert "(k*128)" in said
    assert "%r63 (%auto)" in said or "scalar" not in said


def test_an_object_knows_the_names_of_registers(looped: Tried, tmp_path: Path) -> None:
    from nasm.language.objects.writing import written

    made = looped.shell.session
    for strip in (False, True):
        (tmp_path / "made.no").write_bytes(written(made.program, made.source, strip=strip))
        session = Session(tmp_path / "made.no")
        session.step()
        assert ("[:, k : +1, :]" in session.queues()[1].text) is not strip


def test_a_run_stops_when_an_engine_is_in_a_round(looped: Tried) -> None:
    session = looped.shell.session
    assert "say whose: @vector.k or @sync.k" in looped.does("break if k == 2")
    looped.does("break if @sync.k == 1", "continue")
    assert session.evaluate("@sync.k").array == 1
    assert "breakpoint 1" in looped.does("back", "continue")
    looped.does("delete 1", "continue")
    assert session.over
