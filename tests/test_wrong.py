"""Every wrong program of ``tests/wrong/`` is told exactly what is wrong with it.

``NAME.txt`` is, to the letter, what ``neuron-nasm run NAME.nasm`` prints where there is no
terminal. ``; -D N=4`` on the first line is an option of the command. The table of times in front is
left out, and microseconds are written as ``N.NNN``: they belong to the timing, which other tests
measure.

``NASM_ACCEPT_WRONG=1 pytest tests/test_wrong.py`` writes the texts anew; read what changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nasm import api
from nasm.apps.cli import main
from nasm.base.problems import Failure, Problem
from tests.parts import part
from tests.tables import each

FOLDER = Path(__file__).parent / "wrong"
PROGRAMS = sorted(FOLDER.glob("*.nasm"))
ACCEPT = os.environ.get("NASM_ACCEPT_WRONG") == "1"
DEFINE = re.compile(r"-D (\w+)=(\d+)")
CYCLES = 1_000_000
TIMES = re.compile(
    r"\A\S+ on .*?^time: [^\n]*\n(MFU [^\n]*\n)?(a device [^\n]*\n)?(estimate: [^\n]*\n)?\n?",
    re.DOTALL | re.MULTILINE,
)


def defines(path: Path) -> dict[str, int]:
    """The constants that the first line of a program gives."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return {n: int(v) for n, v in DEFINE.findall(first)} if first.startswith(";") else {}


def problems(path: Path) -> list[Problem]:
    """All that is wrong with a program: of its text, or else of its run."""
    try:
        report = api.run(path, defines=defines(path), max_cycles=CYCLES).report
    except Failure as failure:
        return list(failure.problems)
    return [*report.hazards, *report.problems]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What the command prints of a program."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(FOLDER)

    def run(path: Path) -> str:
        given = [f"-D{name}={value}" for name, value in defines(path).items()]
        code = main(["run", f"--max-cycles={CYCLES}", *given, path.name])
        printed = capsys.readouterr()
        assert code in (1, 2)
        assert not (printed.out and printed.err)
        text = TIMES.sub("", printed.out + printed.err)
        return re.sub(r"\d+\.\d{3} µs", "N.NNN µs", text)

    return run


@each("path", PROGRAMS, ids=lambda p: p.stem)
def test_a_wrong_program_is_reported_exactly_what_is_wrong(
    path: Path, said: Callable[..., str]
) -> None:
    found, expected = said(path), path.with_suffix(".txt")
    if ACCEPT:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


def test_every_wrong_program_has_its_text_and_every_text_its_program() -> None:
    assert [p.with_suffix(".txt") for p in PROGRAMS] == sorted(FOLDER.glob("*.txt"))
    assert len(PROGRAMS) >= 60


@each("path", part(PROGRAMS, 50), ids=lambda p: p.stem)
def test_problems_are_said_once_and_in_the_order_of_the_text(path: Path) -> None:
    texts = [str(p) for p in problems(path)]
    assert len(set(texts)) == len(texts)
    places = [p.span.start for p in problems(path) if p.span and p.code < "E05"]
    assert places == sorted(places)
