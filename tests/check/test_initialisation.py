"""What was written by when, without values, is what a run with values finds."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.base.problems import Failure, Problem
from nasm.machine.records import Status
from tests.parts import part

ROOT = Path(__file__).parents[2]
JUDGED = {"E0501", "E0503", "E0507", "E0509", "E0524"}
TOO_LARGE = {"digits", "transformer_block"}

HEAD = """\
.target trn2
.hbm  X  f32[128, 8]  input = iota
.hbm  Y  f32[128, 8]  output
.sbuf s  f32[128, 8]
.sbuf t  f32[128, 8]
.sbuf m  bf16[128, 8] = zeros
.psum p  f32[8, 8]
.sem  a, b, c
"""
STORE = "@sync DmaCopy Y, t $a >= 1 $b += 16\n@sync Nop $b >= 16\n"


def errors(text: str) -> list[tuple[str, int]]:
    """The code of each error, and its line after the head; 0 for one in the head."""
    return sorted((p.code, _line(p)) for p in nasm.check(HEAD + text).errors)


def _line(problem: Problem) -> int:
    line = 0 if problem.span is None else problem.span.line
    return max(0, line - HEAD.count("\n"))


def test_what_nothing_wrote_is_found_where_it_is_read() -> None:
    assert errors("@vector TensorCopy t, s $a++\n" + STORE) == [("E0501", 1)]


def test_what_was_written_in_part_is_missing_in_part() -> None:
    text = "@vector Memset s[0:64], 1.0\n@vector TensorCopy t, s $a++\n" + STORE
    (problem,) = nasm.check(HEAD + text).errors
    assert "reads s, 512 of 1,024 elements of which are uninitialised" in problem.message
    two = "@vector Memset s[0:64], 1.0\n@vector Memset s[64:128, 0:8:2], 1.0\n"
    odd = "@vector Memset s[64:128, 1:8:2], 1.0\n"
    copy = "@vector TensorCopy t, s $a++\n" + STORE
    assert errors(two + copy) == [("E0501", 3)]
    assert errors(two + odd + copy) == []


def test_what_an_address_in_a_register_reads_has_to_be_written_there() -> None:
    text = "@vector\n Memset t, 1.0\n Memset s[:, {}], 1.0\n RegisterMove %r1, 2\n"
    text += " TensorCopy t[:, 0:2], s[:, %r1 : +2] $a++\n" + STORE
    assert errors(text.format("0:4")) == errors(text.format("2:4")) == []
    for missing, said in (("0:3", "128 of 256 elements of which are"), ("0:2", "which is")):
        (problem,) = nasm.check(HEAD + text.format(missing)).errors
        assert (problem.code, _line(problem)) == ("E0501", 5)
        assert f"reads s, {said} uninitialised" in problem.message


def test_an_output_that_is_written_in_part_is_named_with_the_rest() -> None:
    text = "@vector Memset t, 1.0 $a++\n@sync DmaCopy Y[0:64], t[0:64] $a >= 1 $b += 16\n"
    (problem,) = nasm.check(HEAD + text + "@sync Nop $b >= 16\n").errors
    assert problem.code == "E0524"
    assert "4,096" not in problem.message
    assert "512 of 1,024 elements of output Y: Y[64:128]" in problem.message


def test_the_first_product_of_a_group_has_to_overwrite() -> None:
    load = "@tensor LoadStationary m\n"
    assert ("E0501", 2) in errors(load + "@tensor MultiplyMoving p, m, accumulate=true\n")
    both = load + "@tensor MultiplyMoving p, m\n@tensor MultiplyMoving p, m, accumulate=true\n"
    assert errors(both) == [("E0524", 0)]


def test_a_product_is_not_added_to_what_another_engine_wrote() -> None:
    text = "@vector Memset p, 0.0 $c++\n@tensor LoadStationary m\n"
    text += "@tensor MultiplyMoving p, m, accumulate=true $c >= 1\n"
    assert ("E0509", 3) in errors(text)
    first = "@tensor LoadStationary m\n@tensor MultiplyMoving p, m $c >= 1\n"
    text = "@vector Memset p, 0.0 $c++\n" + first
    text += "@tensor MultiplyMoving p, m, accumulate=true\n"
    assert [code for code, _ in errors(text)] == ["E0524"]


def test_a_product_needs_a_stationary_tile_of_its_modes() -> None:
    product = "@tensor MultiplyMoving p, m\n"
    assert errors(product) == [("E0503", 1), ("E0524", 0)]
    other = "@tensor LoadStationary m, is_transpose=true\n"
    assert errors(other + product) == [("E0507", 2), ("E0524", 0)]
    assert errors("@tensor LoadStationary m\n" + product) == [("E0524", 0)]
    half = "@tensor LoadStationary m[0:64], tile_position=[0, 0], tile_size=[64, 128]\n"
    assert ("E0503", 2) in errors(half + product)


def test_each_line_that_finds_nothing_in_its_engine_is_named() -> None:
    assert errors("@tensor MultiplyMoving p, m\n@tensor MultiplyMoving p, m\n") == [
        ("E0503", 1),
        ("E0503", 2),
        ("E0524", 0),
    ]


@pytest.mark.parametrize(
    ("expectation", "wrong"),
    [
        ("Y ~ X", False),
        ("Y ~ X.T", True),
        ("Y ~ X @ X", True),
        ("Y ~ (X.T @ X)[0]", False),
        ("sum(Y, axis=1) ~ sum(X, axis=1)", False),
        ("sum(Y, axis=1) ~ sum(X, axis=0)", True),
        ("Y ~ softmax(X) + X[0:3]", True),
        ("Y ~ where(X > 0, X, 0)", False),
        ("Y ~ X.reshape(8, 127)", True),
    ],
)
def test_shapes_of_an_expectation_have_to_match(expectation: str, wrong: bool) -> None:
    text = "@vector Memset t, 1.0 $a++\n" + STORE + f".expect {expectation}\n"
    assert errors(text) == ([("E0221", 4)] if wrong else [])


# -- what a run with values finds


def programs() -> list[Path]:
    found = sorted((ROOT / "programs").glob("*.nasm"))
    return [path for path in found if path.stem not in TOO_LARGE]


WRITTEN_IN_PART = ("embedding_gather", "histogram")
"""Programs that write where values say: what may be written in part counts as written."""

IN_PART = "elements of which are uninitialised"


def _without() -> list[tuple[str, int]]:
    """Each program without one of its lines that start an instruction."""
    return [
        (path.stem, number)
        for path in programs()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
        if line.startswith(("@", "    "))
    ]


@pytest.mark.parametrize(("name", "number"), part(_without(), 30))
def test_a_program_without_a_line_has_the_errors_that_a_run_finds(
    name: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ROOT / "programs" / f"{name}.nasm"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[number] = ";"
    monkeypatch.chdir(path.parent)
    try:
        session = nasm.Session(nasm.assemble("\n".join(lines)))
    except Failure:
        return  # it does not assemble without this line
    found = nasm.check(session.program)
    if not found.whole or any(p.code in ("E0502", "E0510") for p in found.errors):
        return  # what is read then follows from the timing, or not at all
    report = session.run()
    met = [*report.hazards, *report.problems]
    known = {(p.code, p.span and p.span.line) for p in found.errors if p.code in JUDGED}
    wanted = {(p.code, p.span and p.span.line) for p in met if p.code in JUDGED}
    if report.status is Status.FINISHED:
        assert known <= wanted
        missed = [p for p in met if (p.code, p.span and p.span.line) in wanted - known]
        assert all(name in WRITTEN_IN_PART and IN_PART in p.message for p in missed)
    else:
        assert wanted <= known
