"""Claims about the machine: the table of docs/tensix.md, its programs, rates by counting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from nasm import assemble
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.machine.records import RunReport, Status

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "programs" / "tensix" / "claims"
PAGE = (ROOT / "docs" / "tensix.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## Claims about the machine")[1].split("\n## ")[0]
OPERATIONS = 2 * 32**3
CARDS = {72: (294.9, 147.5, 73.7), 128: (524.3, 262.1, 131.1)}
"""Tiles of a card, and published TFLOP/s of all with 1, 2 and 4 phases."""


def run(source: Source, defines: Mapping[str, int] = {}) -> RunReport:
    report = Session.load(source, defines=dict(defines)).run()
    assert report.status is Status.FINISHED
    assert (report.problems, report.hazards) == ((), ())
    return report


def named(name: str) -> Source:
    return source_of(FOLDER / f"{name}.nasm")


def cycles_per_tile(name: str, few: int, many: int, **defines: int) -> float:
    """Cycles of t1 that another tile costs: of two runs, what the longer took more."""
    reports = [run(named(name), {"TILES": n, **defines}) for n in (few, many)]
    ticks = [next(e.cycles for e in r.engines if e.engine == "t1") for r in reports]
    return (ticks[1] - ticks[0]) / (many - few)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.nasm")), ids=lambda p: str(p.stem))
def test_a_program_shows_its_claim_and_is_in_the_table(path: Path) -> None:
    report = run(source_of(path))
    assert report.expectations
    assert [e.text for e in report.expectations if not e.held] == []
    assert f"](../programs/tensix/claims/{path.name})" in TABLE


def test_the_table_names_programs_that_there_are() -> None:
    linked = re.findall(r"\]\((\.\./programs/[^)]*)\)", TABLE)
    assert len(linked) > 14
    assert [name for name in linked if not (ROOT / "docs" / name).exists()] == []


@pytest.mark.parametrize(("at", "phases"), [(0, 1), (1, 2), (2, 4)])
def test_rates_of_tiles_and_cards_are_the_published_ones(at: int, phases: int) -> None:
    cycles = cycles_per_tile("peak", 20, 60, PHASES=phases)
    assert cycles == 16 * phases
    tera = OPERATIONS / cycles / 1000
    assert round(tera, 3) == (4.096, 2.048, 1.024)[at]
    assert f"{tera:.3f}" in TABLE
    for tiles, published in CARDS.items():
        assert round(tiles * tera, 1) == published[at]
        assert str(published[at]) in TABLE


def test_fp8_has_sixteen_eighteenths_of_the_peak() -> None:
    peak, cycles = cycles_per_tile("peak", 20, 60), cycles_per_tile("fp8", 16, 32)
    assert peak / cycles == 16 / 18
    assert round(72 * OPERATIONS / cycles / 1000, 1) == 262.1


def test_what_is_beyond_is_refused_or_reported() -> None:
    text = named("memory").text.replace("@ 1464 * 1024 - 16", "@ 1464 * 1024")
    with pytest.raises(Failure):
        assemble(Source("memory.nasm", text))
    nine = named("flag_stack").text.replace("0..8", "0..9")
    report = Session.load(Source("flags.nasm", nine)).run()
    assert report.problems or report.hazards
