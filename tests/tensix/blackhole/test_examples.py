"""Examples of rows and sample programs: each runs on Blackhole, or is refused with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.machine.records import Status
from nasm.show.examples import whole
from nasm.show.pages import page
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.isa.blackhole import CHANGES
from nasm.targets.tensix.words import TABLES
from nasm.targets.tensix.words.word import Described
from tests.parts import part
from tests.tables import each
from tests.tensix.blackhole.cores import ROWS

CARRIED = ("ring.nasm", "rv_push.nasm")
FOLDER = Path(__file__).parents[3] / "programs" / "tensix"
NAMES = {n for n, word in TABLES["blackhole"].by_name.items() if word.described is Described.NAME}
MISSING = {name for name, how in CHANGES["blackhole"].rows.items() if how.missing}
REFUSED = {**dict.fromkeys(NAMES, "E0701"), **dict.fromkeys(MISSING, "E0601")}


@each("name", part(list(ROWS), 24))
def test_an_example_runs_or_is_refused_by_name(name: str) -> None:
    session = nasm.Session(nasm.assemble(whole(ROWS[name], TARGET, "blackhole")))
    session.run(max_cycles=10_000)
    report = session.report()
    if name in REFUSED:
        (problem,) = report.problems
        assert (report.status, problem.code) == (Status.FAULT, REFUSED[name])
        assert name in problem.message
        assert name not in MISSING or "on Blackhole A0" in problem.message
        return
    said = [problem.message for problem in (*report.problems, *report.hazards)]
    assert (report.status, said) == (Status.FINISHED, [])


def test_how_many_instructions_are_executed() -> None:
    assert len(ROWS) - len(REFUSED) == 118
    assert len(NAMES) == 17  # those of Wormhole
    assert sorted(MISSING) == ["PACR_SETREG", "XMOV"]


def test_the_page_of_a_row_says_what_differs() -> None:
    text = " ".join(page(TARGET.isa.rows["MVMUL"], TARGET).text)
    assert "AddrMod is bits 16..14" in text
    assert "It is not modelled on Blackhole A0" in " ".join(
        page(TARGET.isa.rows["XMOV"], TARGET).text
    )
    assert page(TARGET.isa.rows["SFPGT"], TARGET).generations == ("Tensix of Blackhole A0",)
    assert "Blackhole" not in " ".join(page(TARGET.isa.rows["SFPNOT"], TARGET).text)


def on_blackhole(name: str) -> str:
    return (
        (FOLDER / name).read_text(encoding="utf-8").replace(".target wormhole", ".target blackhole")
    )


def test_threads_pass_a_token_as_on_wormhole() -> None:
    report = nasm.Session(nasm.assemble(on_blackhole("ring.nasm"))).run()
    assert report.status is Status.FINISHED
    assert [e.held for e in report.expectations] == [True]
    assert report.ticks == 77


def test_code_of_cores_runs_as_on_wormhole() -> None:
    report = nasm.Session(nasm.assemble(on_blackhole("rv_push.nasm"))).run()
    assert report.status is Status.FINISHED
    assert [e.held for e in report.expectations] == [True] * len(report.expectations) != []


@pytest.mark.parametrize(
    "name", sorted(p.name for p in FOLDER.glob("*.nasm") if p.name not in CARRIED)
)
def test_other_samples_are_refused_with_what_blackhole_has_in_another_way(name: str) -> None:
    with pytest.raises(Failure) as raised:
        nasm.assemble(on_blackhole(name))
    problems = [f"{problem.message}: {problem.hint}" for problem in raised.value.problems]
    assert [one for one in problems if "Blackhole A0" not in one] == []
