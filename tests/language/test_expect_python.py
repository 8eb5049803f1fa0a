"""Expectations that call a function of a Python file: what it is given, and where it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from nasm.language.objects.writing import written as written_object
from nasm.runs.settings import RunSettings

TEXT = """\
.target trn2
.const N = 2
.hbm x f32[4, 4] input = iota
.hbm y f32[4, 4] output
@sync DmaCopy y, x
@sync .drain
.expect {}
"""
GOLDEN = """
from pathlib import Path
import beside
Path(__file__).with_name("ran").touch()
def same(x):
    x[:] *= 1
    return x
def told(x, n, *, words):
    assert (x.dtype, x.shape, n, words) == ("f8", (4, 4), 2, ["a", 1.5]), (n, words)
    print("told")
    return x * beside.ONE
def spoils(x):
    x[:] = 0
    return 1
def raises(x): raise beside.Own("no such thing")
def leaves(x): raise SystemExit(0)
def texts(x): return ["a"]
def none(x): return None
def other(x): return x[:3, :3]
def truth(x): return x >= 0
"""
BESIDE = "ONE = 1\nclass Own(Exception): pass\n"
CALLS = "y ~ golden.py:same(x)"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("golden.py").write_text(GOLDEN, encoding="utf-8")
    Path("beside.py").write_text(BESIDE, encoding="utf-8")
    return written(CALLS, tmp_path)


def written(expectation: str, folder: Path) -> Path:
    path = folder / "k.nasm"
    path.write_text(TEXT.format(expectation), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("expectation", "held"),
    [
        (CALLS, True),
        ('y ~ golden.py:told(x, N, words=["a", 1.5])', True),
        ("y + 1 == 1 + golden.py:same(y)", True),
        ("golden.py:spoils(x) * x == y", True),  # what it is given is a copy
        ("y[0] == golden.py:same(x[0])", True),
        ("y ~ golden.py:same(2 * x)", False),
        ("y ~ golden.py:spoils(x)", False),
        ("(golden.py:truth(y) == 1)", True),
    ],
)
def test_what_it_returns_is_compared(folder: Path, expectation: str, held: bool) -> None:
    done = nasm.run(written(expectation, folder.parent), python=True)
    assert [record.held for record in done.report.expectations] == [held]


@pytest.mark.parametrize(
    ("expectation", "message"),
    [
        ("y ~ golden.py:raises(x)", "golden.py:raises raised Own: no such thing"),
        ("y ~ golden.py:leaves(x)", "golden.py:leaves raised SystemExit: 0"),
        ("y ~ golden.py:same(x, x)", "raised TypeError"),
        ("y ~ golden.py:texts(x)", "returns <U1, no array of numbers"),
        ("y ~ golden.py:none(x)", "returns object, no array of numbers"),
        ("y ~ golden.py:other(x)", "the shapes [4, 4] and [3, 3] do not match"),
        ("y ~ golden.py:sane(x)", "golden.py has no function 'sane'"),
        ("y ~ goldn.py:same(x)", "no file goldn.py next to the program"),
        ("y ~ broken.py:same(x)", "broken.py, line 1"),
        ("y ~ zero.py:same(x)", "zero.py"),
        ("y ~ fails.py:same(x)", "fails.py raised ZeroDivisionError"),
        ("y ~ golden.py:same(z)", "nothing is called 'z'"),
        ("y ~ golden.py:same(x[9])", "outside axis 0"),
    ],
)
def test_what_is_wrong_is_said_at_the_line(folder: Path, expectation: str, message: str) -> None:
    Path("broken.py").write_text("def f(:\n", encoding="utf-8")
    Path("zero.py").write_bytes(b"\0")
    Path("fails.py").write_text("1 / 0\n", encoding="utf-8")
    path = written(expectation, folder.parent)
    try:
        problems = nasm.run(path, python=True).report.problems
    except Failure as failure:
        problems = failure.problems
    assert message in problems[0].message
    assert problems[0].span is not None
    assert problems[0].span.text in f".expect {expectation}"


def test_it_is_not_called_unless_python_is_allowed(folder: Path) -> None:
    assembled = nasm.assemble(folder)
    calls: list[Any] = [
        lambda: nasm.run(folder),
        lambda: nasm.run(folder, python=True, files=False),
        lambda: nasm.run(assembled),
        lambda: nasm.Session(folder),
        lambda: Session(folder),
    ]
    for call in calls:
        with pytest.raises(Failure, match=r"E0229.*Python may not be run here"):
            call()
    assert nasm.check(folder, settings=RunSettings(python=True)).problems == ()
    assert nasm.run(folder, python=True, values=False).report.expectations == ()
    assert not Path("ran").exists()
    assert nasm.run(assembled, python=True).report.ok
    assert Path("ran").exists()


def test_a_file_outside_of_the_allowed_folder_is_not_read(folder: Path) -> None:
    Path("only").mkdir()
    report = nasm.run(folder, python=True, files="only").report
    assert "golden.py may not be read" in report.problems[0].message
    assert not Path("ran").exists()


def test_isolated_runs_and_sweeps_refuse_it(folder: Path) -> None:
    settings = RunSettings(python=True)
    outcome = nasm.isolated(folder, settings=settings)
    assert (outcome.ok, [p.code for p in outcome.problems]) == (False, ["E0229"])
    (row,) = nasm.sweep(folder, {"N": [2]}, settings=settings).rows
    assert (row.ok, row.code) == (False, "E0229")
    assert not Path("ran").exists()


def test_an_object_file_holds_none(folder: Path) -> None:
    with pytest.raises(Failure, match="carries no Python"):
        written_object(nasm.assemble(folder))
