"""Every diagnostic code is explained, every explained code is used, and the examples are true."""

from __future__ import annotations

import re
from pathlib import Path

import nasm
from nasm.base.problems import FAMILIES, Failure, ProblemFamily, Severity, family
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language import codes
from nasm.language.codes import checking
from nasm.machine.records import Status
from nasm.runs.check import examine
from nasm.show.log_lines import of_run
from tests.parts import part
from tests.tables import each

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"\b[EW]0\d{3}\b")
TABLE = {row.code: row for row in codes.table()}

HEAD = """
.target trn1
.hbm   A    bf16[128, 128]  input = iota
.hbm   B    bf16[128, 512]  input = iota
.hbm   C    f32[128, 512]
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]
.sem   loaded, done
"""
"""What the examples may use, as Code says."""


def used() -> set[str]:
    """The codes that the source names outside of explanations."""
    found: set[str] = set()
    for path in (ROOT / "nasm").rglob("*.py"):
        parts = path.relative_to(ROOT / "nasm").parts
        if parts[0] != "codes" and parts[-1] != "syntax_errors.py":
            found |= set(CODE.findall(path.read_text(encoding="utf-8")))
    # expect.py explains its own codes beside their use
    return found


def problems_of_ranks(text: str) -> set[str]:
    """The same of a text whose ranks run together."""
    try:
        report = nasm.run(text).report
    except Failure as failure:
        return {p.code for p in failure.problems}
    return {p.code for p in of_run(report).problems}


def problems(text: str) -> set[str]:
    """The codes a text gives when it is assembled and run, each as severe as its row says."""
    whole = text if ".target" in text else HEAD + text
    if ".ranks" in text:
        return problems_of_ranks(whole)
    try:
        session = Session.load(Source("example.nasm", whole + "\n"), profile=True)
    except Failure as failure:
        return {p.code for p in failure.problems}
    report = session.run(max_cycles=100_000)
    slow = [finding.problem for finding in session.profile().findings]
    goes_on = *report.hazards, *report.warnings, *slow
    for problem in goes_on:
        row = TABLE[problem.code]
        assert row.allowable or problem.severity is Severity.NOTE
        assert row.warns or problem.severity is row.severity
    if report.status is not Status.FINISHED:
        ending = [TABLE[p.code] for p in report.problems if family(p.code) is ProblemFamily.HAZARD]
        assert all(row.ends for row in ending)
    examined = {row.code for row in checking.ROWS}
    found = {p.code for p in (*goes_on, *of_run(report).problems)}
    return found | (examined & {p.code for p in examine(session.program).problems})


def test_every_code_in_the_source_is_explained() -> None:
    assert used() - set(TABLE) == set()


def test_every_explained_code_is_in_the_source() -> None:
    # Examples of a command line in the help text do not make a code used.
    assert set(TABLE) - used() == set()


@each("row", TABLE.values(), ids=lambda r: r.code)
def test_a_row_has_a_title_and_sentences(row: codes.Code) -> None:
    assert row.title
    assert row.title[-1] not in ".!"
    assert row.text[-1] in ".)"
    assert row.text.count("`") % 2 == 0 or "\\`" in row.text


def programs(side: str) -> list[tuple[str, str]]:
    """The examples that are lines of a program; those of writing are tested with the parser."""
    return [
        (row.code, getattr(row, side))
        for row in TABLE.values()
        if getattr(row, side) and not getattr(row, side).startswith("$") and row.code > "E0200"
    ]


@each(("code", "text"), programs("wrong"), ids=lambda v: v[:5])
def test_the_wrong_example_is_wrong_in_this_way(code: str, text: str) -> None:
    assert code in problems(text)


@each(("code", "text"), part(programs("right"), 30), ids=lambda v: v[:5])
def test_the_right_example_is_not(code: str, text: str) -> None:
    found = problems(text)
    # What is never written, or never set, is beside the point of an example about operands.
    beside = set() if family(code) is ProblemFamily.HAZARD else {c for c in found if "E05" in c}
    beside |= {c for c in found if family(c) is ProblemFamily.SLOW and c != code}
    beside |= {row.code for row in checking.ROWS if row.code != code}
    assert found - beside == set()


def test_a_code_is_found_in_small_letters_and_others_are_not() -> None:
    found = codes.find("e0501")
    assert found is not None
    assert found.code == "E0501"
    assert found.family is ProblemFamily.HAZARD
    assert codes.find("E0999") is None
    assert codes.find("nonsense") is None


def test_codes_of_writing_and_of_expectations_are_in_the_table() -> None:
    assert TABLE["E0101"].family is ProblemFamily.SYNTAX
    assert TABLE["E0221"].family is ProblemFamily.NAME
    assert set(FAMILIES.values()) == {row.family for row in TABLE.values()} == set(ProblemFamily)


def test_the_table_is_in_order() -> None:
    listed = [row.code for row in codes.table()]
    assert listed == sorted(listed)
