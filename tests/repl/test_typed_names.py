"""What lines that are typed may name of a program: its macros, views and constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.debugger.session import Session
from tests.repl.conftest import Tried

TEXT = """\
.target trn2
.sbuf  q  f32[4, 8]
.view  half = q[:, 0:4]
.const N = 3
.macro fill(t, n=N)
    .sbuf  one  f32[4, 1]
    @vector  Memset  one, n
    @vector  Memset  t, n
.end
fill(q, 1)
"""


@pytest.fixture
def ran(bare: Tried) -> Tried:
    bare.shell.adopt(Session(TEXT))
    bare.does("run")
    return bare


def row(ran: Tried) -> list[float]:
    return [float(value) for value in ran.shell.session.read("q[0]")[0]]


def test_a_macro_of_the_program_is_called_at_the_prompt(ran: Tried) -> None:
    said = ran.does("fill(half)")
    assert row(ran) == [3] * 4 + [1] * 4
    assert "fill_2_one" in said  # the program's own call is the first


def test_a_view_is_an_operand_and_an_expression(ran: Tried) -> None:
    ran.does("@vector Memset half, N + 2")
    assert row(ran) == [5] * 4 + [1] * 4
    assert ran.shell.session.evaluate("sum(half[0])").array == 20
    assert ran.shell.session.view("half").shape == (4, 4)


def test_a_view_that_is_typed_is_known_from_then_on(ran: Tried) -> None:
    assert "1 view, last" in ran.does(".view last = q[:, 7:8]")
    ran.does("@vector Memset last, 9")
    assert ran.shell.session.evaluate("last[0]").array == 9


def test_a_macro_that_is_typed_may_call_one_of_the_program(ran: Tried) -> None:
    ran.shell.take_all(".macro both(t)\nfill(t, 4)\nfill(q[:, 6:8], 5)\n.end\nboth(half)")
    assert row(ran) == [4] * 4 + [1] * 2 + [5] * 2


def test_what_was_typed_is_saved_as_it_was(ran: Tried, tmp_path: Path) -> None:
    ran.does("fill(half)", f"save {tmp_path / 'saved.nasm'}")
    again = Session(tmp_path / "saved.nasm")
    again.run()
    assert [float(v) for v in again.read("q[0]")[0]] == row(ran)


def test_a_name_of_a_view_is_not_to_be_another(ran: Tried) -> None:
    assert "'half' is a view of the program" in ran.does("let half = 3")


def test_a_misspelt_macro_is_reported(ran: Tried) -> None:
    said = ran.does("filll(q)")
    assert "no command or macro 'filll'" in said
    assert "did you mean 'fill'?" in said


def test_completion_offers_views(ran: Tried) -> None:
    assert "half" in dict(ran.shell.names.words["tensor"])


def test_a_loop_at_run_time_is_executed_as_a_whole(ran: Tried) -> None:
    ran.shell.take_all("@vector .loop %r1 in 0..4\n    Nop\n.end\nprint @vector.%r1")
    said = ran.out.getvalue()
    assert "error" not in said
    assert said.partition("… 1 earlier ones")[2].count("Nop") == 4
    assert "%r1 of vector unset -> 4" in said


def test_a_loop_that_counts_in_a_register_wants_an_engine(ran: Tried) -> None:
    ran.shell.take_all(".loop %r1 in 0..4\n    @vector Nop\n.end")
    said = ran.out.getvalue()
    assert said.count("error") == 1
    assert "engine" in said


def test_sessions_of_one_program_do_not_know_what_another_was_given() -> None:
    import nasm

    program = nasm.assemble(TEXT)
    first, second = Session(program), Session(program)
    first.execute(".macro two(t)\nfill(t, 2)\n.end\n.view end = q[:, 7:8]")
    assert first.changes.macros == {"fill", "two"}
    assert second.changes.macros == {"fill"}
    assert set(program.views) == {"half"}


def test_an_included_file_may_be_included_once_more(bare: Tried, tmp_path: Path) -> None:
    (tmp_path / "fill.nasm").write_text(
        TEXT.partition("fill(q, 1)")[0].partition(".const N = 3\n")[2]
    )
    (tmp_path / "main.nasm").write_text(
        '.target trn2\n.const N = 3\n.include "fill.nasm"\n.sbuf q f32[4, 8]\n'
    )
    session = Session(tmp_path / "main.nasm")
    session.execute(f'.include "{tmp_path / "fill.nasm"}"')
    session.execute("fill(q)")
    assert float(session.read("q")[0, 0]) == 3


def test_a_macro_that_posts_moments_is_called_and_those_of_the_program_are_explained(
    bare: Tried,
) -> None:
    macro = ".macro pair(t)\n@vector Memset t, 1 post set\n@gpsimd Nop after set\n.end\n"
    bare.shell.adopt(Session(f".target trn2\n.sbuf q f32[4, 8]\n{macro}pair(q)\n"))
    bare.does("run")
    assert "declared: 1 semaphore, " in bare.does("pair(q)")
    assert "nothing in the typed lines posts set" in bare.does("@vector Nop after set")
