"""Every wrong program of ``tests/wrong/`` is told exactly what is wrong with it.

A ``NAME.nasm`` is assembled and, if that succeeds, run; ``NAME.txt`` is what must be said, all of
it. ``; -D N=4`` on the first line gives what the command line would. Microseconds are written as
``N.NNN``: they belong to the timing, which other tests measure.

``NASM_ACCEPT_WRONG=1 pytest tests/test_wrong.py`` writes the texts anew; read what changed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from nasm.asm.assemble import assemble
from nasm.problems import Failure, Problem, render
from nasm.session import Session
from nasm.source import Source
from nasm.targets import TARGETS

FOLDER = Path(__file__).parent / "wrong"
PROGRAMS = sorted(FOLDER.glob("*.nasm"))
ACCEPT = os.environ.get("NASM_ACCEPT_WRONG") == "1"
DEFINE = re.compile(r"-D (\w+)=(\d+)")
CYCLES = 1_000_000


def problems(path: Path) -> list[Problem]:
    """All that is wrong with a program: of its text, or else of its run."""
    text = path.read_text(encoding="utf-8")
    first = text.partition("\n")[0]
    defines = {n: int(v) for n, v in DEFINE.findall(first)} if first.startswith(";") else {}
    try:
        session = Session(assemble(Source(path.name, text), TARGETS, None, defines))
    except Failure as failure:
        return list(failure.problems)
    report = session.run(max_cycles=CYCLES)
    return [*report.hazards, *report.problems]


def said(path: Path) -> str:
    """The problems as the command prints them."""
    text = "\n\n".join(map(render, problems(path))) + "\n"
    return re.sub(r"\d+\.\d{3} µs", "N.NNN µs", text)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_a_wrong_program_is_told_exactly_what_is_wrong(path: Path) -> None:
    found, expected = said(path), path.with_suffix(".txt")
    assert found.strip(), "nothing was said"
    if ACCEPT:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


def test_every_wrong_program_has_its_text_and_every_text_its_program() -> None:
    assert [p.with_suffix(".txt") for p in PROGRAMS] == sorted(FOLDER.glob("*.txt"))
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_problems_are_said_once_and_in_the_order_of_the_text(path: Path) -> None:
    texts = [render(p) for p in problems(path)]
    assert len(set(texts)) == len(texts)
    places = [p.span.start for p in problems(path) if p.span and p.code < "E05"]
    assert places == sorted(places)
