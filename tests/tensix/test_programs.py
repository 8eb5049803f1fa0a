"""The programs of programs/tensix/: what they promise holds, and every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.records import RunReport, Status
from nasm.session import Session
from nasm.source_files import source_of

FOLDER = Path(__file__).parents[2] / "programs" / "tensix"
PROGRAMS = sorted(p.name for p in FOLDER.glob("*.nasm"))


def test_the_readme_lists_them() -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert PROGRAMS
    assert [name for name in PROGRAMS if f"](tensix/{name})" not in readme] == []


def run(name: str, **defines: int) -> RunReport:
    return Session.load(source_of(FOLDER / name), defines=defines).run()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_promises_without_hazards(name: str) -> None:
    report = Session.load(source_of(FOLDER / name)).run()
    assert report.status is Status.FINISHED
    assert (report.problems, report.hazards) == ((), ())
    assert len(report.expectations) >= 1
    assert [e.text for e in report.expectations if not e.held] == []
    again = Session.load(source_of(FOLDER / name)).run()
    assert (report.trace_hash, report.memory_hash) == (again.trace_hash, again.memory_hash)


@pytest.mark.parametrize(("phases", "held"), [(1, False), (2, True), (3, True), (4, True)])
def test_a_product_takes_sixteen_cycles_a_phase(phases: int, held: bool) -> None:
    report = run("matmul.nasm", PHASES=phases)
    values, time = report.expectations
    assert (values.held, time.held) == (held, True)
    assert report.ticks == 106 + 16 * phases


def test_a_loop_of_products_unpacks_while_it_multiplies() -> None:
    times = []
    for rounds in (8, 10):
        report = run("matmul_k.nasm", ROUNDS=rounds)
        assert report.ok
        times.append(report.ticks)
    # Two rounds: 64 products and SETRWC in each, and one cycle of waiting for banks.
    assert times[1] - times[0] == 131


@pytest.mark.parametrize("tiles", [1, 2, 15])
def test_rows_of_any_length_become_tiles(tiles: int) -> None:
    assert run("tilize.nasm", TILES=tiles).ok


def test_the_profile_of_a_program_adds_up() -> None:
    session = Session.load(source_of(FOLDER / "matmul.nasm"), profile=True)
    report = session.run()
    found = session.profile()
    assert sum(ticks for _, ticks in found.evidence) == report.ticks
