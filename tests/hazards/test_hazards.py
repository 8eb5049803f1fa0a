"""Small programs with one fault each, what is said of it to the letter, and the same without it.

The first line of a program names its fault. Comments say what it should be: ``;=`` the line above,
written right; ``;+`` a line that is missing; ``;-`` the line above, which should not be there. So
the mended twin is made, of which nothing may be said.

``NAME.txt`` is all that is said of a program, to the letter: of its text, or else of its run,
warnings and notes included; of what is ``needless``, by ``neuron-nasm check``. Microseconds are
written as ``N.NNN``. ``NASM_ACCEPT_HAZARDS=1 pytest tests/hazards`` writes the texts anew; read
what changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.cli import main
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session

FOLDER = Path(__file__).parent
PROGRAMS = sorted(FOLDER.glob("*.nasm"))
UNTOLD: dict[str, str] = {}
UNMENDED: dict[str, str] = {}
"""What is not as it should be, and why."""

ACCEPT = os.environ.get("NASM_ACCEPT_HAZARDS") == "1"
CYCLES = 1_000_000
NEEDLESS = "needless"
KINDS = ("race", "host", "counter", "deadlock", "fault", "data", "space", NEEDLESS)


def mended(text: str) -> str:
    """The twin of a program, as its comments say."""
    lines: list[str] = []
    for line in text.split("\n"):
        mark, rest = line[:2], line[2:].strip()
        if mark == ";=":
            lines[-1] = rest
        elif mark == ";+":
            lines.append(rest)
        elif mark == ";-":
            del lines[-1]
        else:
            lines.append(line)
    return "\n".join(lines)


def kind(path: Path) -> str:
    """The kind of fault that a program has."""
    return path.read_text(encoding="utf-8").partition(":")[0].removeprefix("; ")


def said(name: str, text: str) -> str:
    """All that is said of a program, and how its run ended."""
    source = Source(name, text)
    try:
        report = Session.load(source).run(max_cycles=CYCLES, hashes=False)
    except Failure as failure:
        return "\n\n".join((*map(str, failure.problems), "does not assemble\n"))
    problems = (*report.warnings, *report.hazards, *report.problems)
    end = "ok" if report.ok else report.status.value if report.problems else "finished, and fails"
    lines = "\n\n".join((*map(str, problems), f"{end}\n"))
    return re.sub(r"\d+\.\d{3} µs|\d+\.\d{3} and \d+\.\d{3} µs", _time, lines)


def _time(found: re.Match[str]) -> str:
    return re.sub(r"\d+\.\d{3}", "N.NNN", found[0])


def checked(name: str, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """All that ``neuron-nasm check`` says of a program."""
    Path(name).write_text(text, encoding="utf-8")
    main(["check", name])
    printed = capsys.readouterr()
    return printed.out + printed.err


def programs(but: Mapping[str, str]) -> list[Any]:
    """All programs; those of which it is known that they do not pass are marked."""
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=[pytest.mark.xfail(reason=but[path.stem])] if path.stem in but else [],
        )
        for path in PROGRAMS
    ]


@pytest.mark.parametrize("path", programs(UNTOLD))
def test_a_fault_is_reported_exactly(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text, expected = path.read_text(encoding="utf-8"), path.with_suffix(".txt")
    monkeypatch.chdir(tmp_path)
    needless = kind(path) == NEEDLESS
    found = checked(path.name, text, capsys) if needless else said(path.name, text)
    if ACCEPT and path.stem not in UNTOLD:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", programs(UNMENDED))
def test_nothing_is_said_of_the_fixed_twin(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = path.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert mended(text) != text
    assert said(path.name, mended(text)) == "ok\n"
    if kind(path) == NEEDLESS:
        (line,) = checked(path.name, mended(text), capsys).splitlines()
        assert line.startswith(f"{path.name}: ok, ")


def test_there_is_a_program_for_every_kind_and_a_text_for_every_program() -> None:
    assert {kind(path) for path in PROGRAMS} == set(KINDS)
    texts = [p.with_suffix(".txt") for p in PROGRAMS if p.stem not in UNTOLD]
    assert texts == sorted(FOLDER.glob("*.txt"))
    assert len(PROGRAMS) >= 60
