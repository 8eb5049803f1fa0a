"""Files that a program names and that cannot be read are said before anybody runs it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.problems import Severity

TEXT = """\
.target trn1
.hbm A f32[4] input = "a.npy"
.hbm C f32[4] output
.sem s
@sync DmaCopy C, A  $s += 16
@sync EventSemaphore $s >= 16
.expect C == "gold.npy"
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "copy.nasm"
    path.write_text(TEXT, encoding="utf-8")
    return path


def said(path: Path) -> list[tuple[str, str, Severity]]:
    found = nasm.check(path).problems
    return [(p.code, p.message.replace(f"{path.parent}/", ""), p.severity) for p in found]


def save(path: Path, shape: int = 4) -> None:
    np.save(path, np.zeros(shape, np.float32))


def test_a_golden_file_that_is_not_there_is_an_error(program: Path) -> None:
    save(program.parent / "a.npy")
    assert said(program) == [("E0801", "no file gold.npy", Severity.ERROR)]
    (problem,) = nasm.check(program).problems
    assert problem.span is not None
    assert problem.span.text == '"gold.npy"'


def test_an_initialiser_that_is_not_there_is_a_warning_for_a_caller_may_fill_the_tensor(
    program: Path,
) -> None:
    save(program.parent / "gold.npy")
    assert said(program) == [("E0801", "no file a.npy", Severity.WARNING)]
    assert nasm.run(program, {"A": np.zeros(4, np.float32)}).ok


def test_an_initialiser_of_another_shape_is_said_of_its_header(program: Path) -> None:
    save(program.parent / "gold.npy")
    save(program.parent / "a.npy", 5)
    ((code, message, _),) = said(program)
    assert (code, message) == ("E0804", "A is [4], the array in a.npy [5]")


def test_files_that_are_there_are_not_mentioned(program: Path) -> None:
    save(program.parent / "gold.npy")
    save(program.parent / "a.npy")
    assert said(program) == []


def test_a_file_that_is_none_is_an_error(program: Path) -> None:
    save(program.parent / "a.npy")
    (program.parent / "gold.npy").write_text("no array", encoding="utf-8")
    ((code, message, severity),) = said(program)
    assert (code, severity) == ("E0801", Severity.ERROR)
    assert message == "gold.npy is not a readable array file: it is neither .npy nor .npz"
