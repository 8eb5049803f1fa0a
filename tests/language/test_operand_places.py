"""An error of a rule about one operand stands under that operand, else under its line."""

from __future__ import annotations

import pytest

import nasm
from nasm.base.problems import Problem
from nasm.base.source import Source, Span
from nasm.language.expanding.operand_texts import operand_place

HEAD = """\
.target trn2
.hbm A f32[128, 64]
.sbuf a f32[128, 64]
.sbuf half f32[64, 64]
"""


def problems(lines: str) -> tuple[Problem, ...]:
    with pytest.raises(nasm.Failure) as failed:
        nasm.assemble(HEAD + lines + "\n")
    return failed.value.problems


def underlined(lines: str) -> list[str]:
    return [p.span.text for p in problems(lines) if p.span is not None]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("@vector TensorCopy a[3:9], a[0:6]", "a[3:9]"),
        ("@vector TensorCopy a[0:6], a[3:9]", "a[3:9]"),
        ("@vector TensorCopy src=a[3:9], dst=a[0:6]", "a[3:9]"),
        ("again: @vector TensorCopy (a[3:9]), a[0:6]", "(a[3:9])"),
        ("@vector TensorCopy a[0:6], a[3 :\n  9]", "a[3 :\n  9]"),
        (".sem s\n@vector TensorCopy a[3:9], a[0:6]  $s >= 1  $s -= 1", "a[3:9]"),
        (".for k in 0..3\n@vector TensorCopy a[k+3 : k+9], a[0:6]\n.end", "a[k+3 : k+9]"),
        ("@sync DmaCopy a, A, compute_op=add", "add"),
    ],
)
def test_an_operand_that_breaks_a_rule_is_underlined(line: str, place: str) -> None:
    assert underlined(line) == [place]


def test_two_operands_that_do_not_fit_each_other_are_a_matter_of_the_line() -> None:
    assert underlined("@vector TensorCopy a, half") == ["TensorCopy a, half"]


def test_an_operand_that_is_not_written_leaves_the_line() -> None:
    source = Source("x.nasm", "TensorCopy a, half")
    line = Span(source, 0, len(source.text))
    row = nasm.targets.TARGETS["trn2"]().isa.rows["TensorCopy"]
    assert operand_place(line, row, "src") == Span(source, 14, 18)
    assert operand_place(line, row, "another") is None
    assert operand_place(Span(source, 0, 12), row, "src") is None
    assert operand_place(Span(Source("k.py", "copy(a, half)"), 0, 13), row, "src") is None


def test_an_operand_in_a_loop_keeps_its_rounds() -> None:
    (problem,) = problems(".for k in 2..4\n@vector TensorCopy a[k : k + 1], a[0:1]\n.end")
    assert problem.span is not None
    assert problem.span.text == "a[k : k + 1]"
    assert [frame.what for frame in problem.span.chain] == [".for k = 2"]


def test_what_python_builds_is_placed_at_its_line() -> None:
    b = nasm.Builder("trn2")
    tile = b.sbuf("tile", "f32", (128, 4))
    b.vector.TensorCopy(tile[3:9], tile[0:6])
    with pytest.raises(nasm.Failure) as failed:
        b.finish()
    (problem,) = failed.value.problems
    assert problem.span is not None
    assert "b.vector.TensorCopy(tile[3:9], tile[0:6])" in problem.span.text
