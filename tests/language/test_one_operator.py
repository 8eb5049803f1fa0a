"""What may be left out: ``op=`` for ``op0=``, and how much a transfer adds with ``++``."""

from __future__ import annotations

import nasm
from nasm.apps.lsp.analysis import analyse
from nasm.apps.lsp.completion import completions
from nasm.base.problems import Failure
from nasm.language.printing.text import text as printed
from tests.tables import each

HEAD = """.target trn2
.hbm X f32[128, 64] input = iota
.sbuf x f32[128, 64]
.sbuf y f32[128, 64]
.sem s, t
.event e
"""


def shown(text: str) -> str:
    return printed(nasm.assemble(HEAD + text), comments=False)


def problems_of(text: str) -> list[tuple[str, str, str]]:
    try:
        nasm.assemble(HEAD + text)
    except Failure as failure:
        return [(p.code, "" if p.span is None else p.span.text, p.hint) for p in failure.problems]
    return []


@each(
    ("short", "full"),
    [
        ("TensorScalar y, x, op=add, operand=1", "TensorScalar y, x, op0=add, operand0=1"),
        ("TensorScalar y, x, add, 1", "TensorScalar y, x, op0=add, operand0=1"),
        (
            "TensorScalar y, x, op=subtract, operand=1, reverse=true",
            "TensorScalar y, x, op0=subtract, operand0=1, reverse0=true",
        ),
        ("TensorTensor y, x, x, add", "TensorTensor y, x, x, op=add"),
        (
            "TensorScalarReduce y, x, op=add, operand=1, reduce_op=add, reduce_res=x[:, 0:1]",
            "TensorScalarReduce y, x, op0=add, operand0=1, reduce_op=add, reduce_res=x[:, 0:1]",
        ),
    ],
)
def test_one_operator_needs_no_number(short: str, full: str) -> None:
    assert shown(f"@vector {short}\n") == shown(f"@vector {full}\n")


@each(
    ("line", "where"),
    [
        ("TensorScalar y, x, op=add, operand0=1, op1=multiply, operand1=2", "op=add"),
        ("TensorScalar y, x, op0=add, operand=1, op1=multiply, operand1=2", "operand=1"),
        ("TensorScalar y, x, op=add, op0=add, operand0=1", "op0=add"),
        ("ScalarTensorTensor y, x, x, op=add, operand0=1, op1=add", "op=add"),
        ("TensorTensor y, x, x, op0=add", "op0=add"),
    ],
)
def test_of_two_operators_each_has_its_number(line: str, where: str) -> None:
    (found,) = problems_of(f"@vector {line}\n")
    assert found[:2] == ("E0309", where)


def test_an_editor_completes_the_words_of_one_operator() -> None:
    found = completions(analyse(HEAD), "@vector TensorScalar y, x, op=ad")
    assert [s.text for s in found] == ["add"]


def test_a_transfer_adds_what_its_engines_add_together() -> None:
    lines = "@sync DmaCopy x, X  {}\n@vector TensorCopy y, x  $s >= 16  $t++\n"
    assert shown(lines.format("$s++")) == shown(lines.format("$s += 16"))
    loop = "@vector EventSemaphore take $s, 16\n"
    assert not problems_of(f"@sync DmaCopy x, X  $s++\n{loop}")


@each(
    ("more", "where", "hint"),
    [
        ("@vector TensorCopy y, x  $s >= 1", "TensorCopy y, x  $s >= 1", "$s >= 16"),
        ("@vector TensorCopy y, x  $s == 17", "TensorCopy y, x  $s == 17", "$s >= 16"),
        ("@vector Memset y, 0  $s++", "Memset y, 0  $s++", "$s += 16"),
        ("@vector EventSemaphore take $s", "EventSemaphore take $s", "$s >= 16"),
    ],
)
def test_where_it_is_unclear_what_is_added_it_is_refused(more: str, where: str, hint: str) -> None:
    found = problems_of(f"@sync DmaCopy x, X  $s++\n{more}\n")
    assert found[0][:2] == ("E0314", where)
    assert hint in found[0][2]
    assert not problems_of(f"@sync DmaCopy x, X  $s += 16\n{more}\n")


@each(
    ("update", "code"),
    [("$s--", "E0314"), ("give $s", "E0314"), ("$s++ @read", "E0314"), ("$e++", "E0321")],
)
def test_a_transfer_counts_up_when_it_has_landed(update: str, code: str) -> None:
    assert [found[0] for found in problems_of(f"@sync DmaCopy x, X  {update}\n")] == [code]


def test_a_typed_transfer_is_held_to_the_same() -> None:
    session = nasm.Session(HEAD)
    session.execute("@sync DmaCopy x, X  $s++")
    session.run()
    assert session.evaluate("$s").array == 16
