"""What is said of lines that a program includes: their file, and who called the macro."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.language.objects.writing import written
from tests.repl.conftest import Tried

MACROS = """\
.macro twice(t)
    @vector  TensorScalar  t, t, op0=multiply, operand0=2   $done++
.end
"""
TEXT = """\
.target trn2
.include "parts/twice.nasm"
.sbuf  t  f32[128, 8]
.sem   done
@gpsimd  Memset  t, 1.0  $done++
@scalar  EventSemaphore  $done >= 2
@vector  EventSemaphore  $done >= 1
twice(t)
"""


@pytest.fixture
def included(bare: Tried, tmp_path: Path) -> Tried:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "twice.nasm").write_text(MACROS)
    (tmp_path / "main.nasm").write_text(TEXT)
    bare.shell.adopt(Session.load(source_of(tmp_path / "main.nasm")))
    return bare


def test_a_line_that_is_included_has_the_name_of_its_file(included: Tried) -> None:
    said = included.does("break parts/twice.nasm:2", "continue", "where")
    assert "next  parts/twice.nasm:2 (twice(t) on line 8): TensorScalar" in said
    assert "vector pc 1, parts/twice.nasm:2 posts it" in " ".join(said.split())
    assert "line 2" not in said


def test_a_stop_names_the_included_file(included: Tried) -> None:
    assert "breakpoint 1: before parts/twice.nasm:2\n" in included.does("break twice.nasm:1")
    said = included.does("continue")
    assert "before @vector pc 1 (TensorScalar, parts/twice.nasm:2) starts" in said


def test_the_maker_of_a_value_names_the_included_file(included: Tried) -> None:
    assert "by TensorScalar, parts/twice.nasm:2, vector pc 1" in included.does("run", "why t[0, 0]")


def test_lines_of_an_included_file_are_listed(included: Tried) -> None:
    said = included.does("list parts/twice.nasm:3")
    assert "3 | .end" in said
    assert ".target" not in said


def test_an_included_line_is_not_that_of_the_program(included: Tried) -> None:
    # Line 2 of the program is the .include; line 2 of the other file is an instruction of vector.
    assert "no instruction on line 2" in included.does("set pc vector line 2")


def test_an_object_knows_which_text_is_included(included: Tried, tmp_path: Path) -> None:
    made = included.shell.session
    data = written(made.program, made.source)
    assert str(tmp_path).encode() not in data.replace(str(tmp_path / "main.nasm").encode(), b"")
    (tmp_path / "made.no").write_bytes(data)
    session = Session(tmp_path / "made.no")
    session.run_until(session.stop_for("TensorScalar"))
    assert "parts/twice.nasm:2" in str(session.context().engines[1].at)
