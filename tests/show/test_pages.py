"""The manual page of every row, in all its forms."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from rich.console import Console

from nasm.isa.instruction import REQUIRED, Row
from nasm.show import explanations, json_isa, pages
from nasm.show.documents import plain
from nasm.targets import TARGETS
from tests.parts import part
from tests.tables import each
from tests.toy.target import TARGET as TOY

NEURON = TARGETS["trn1"]()
ROWS = [(row, target) for target in (NEURON, TOY) for row in target.isa]


def shown(row: Row, target: object) -> str:
    out = StringIO()
    console = Console(file=out, width=80, color_system=None)
    console.print(pages.rich_page(pages.page(row, target)))  # type: ignore[arg-type]
    return out.getvalue()


@each(("row", "target"), part(ROWS, 9), ids=lambda v: getattr(v, "name", ""))
def test_every_row_has_a_page_in_every_form(row: Row, target: object) -> None:
    page = pages.page(row, target)  # type: ignore[arg-type]
    text, markdown = shown(row, target), pages.markdown_page(page)
    data = plain(page, json_isa.PAGE)
    assert json.loads(json.dumps(data)) == data
    assert max(map(len, text.splitlines())) <= 80
    for operand in row.written:
        assert f"    {operand.name} " in text
        assert f"| `{operand.name}` |" in markdown
    words = " ".join(text.split())
    for rule in row.rules:
        assert rule.sentence in words
        assert rule.sentence in markdown
    assert row.example in words
    assert [o["name"] for o in data["operands"]] == [o.name for o in row.written]
    required = [o.name for o in row.written if o.default is REQUIRED]
    assert [o["name"] for o in data["operands"] if o["default"] is None] == required


def test_hidden_operands_are_not_shown() -> None:
    data = plain(pages.page(NEURON.isa.rows["LoadStationary"], NEURON), json_isa.PAGE)
    assert {"weights", "dtype"}.isdisjoint(o["name"] for o in data["operands"])


def test_an_engine_that_came_later_says_so() -> None:
    data = plain(pages.page(NEURON.isa.rows["TensorScalar"], NEURON), json_isa.PAGE)
    assert data["engines"] == ["vector", "scalar (from v3)", "gpsimd"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [("tensor_copy", "TensorCopy"), ("MatMul", "MultiplyMoving"), ("Nopp", "Nop"), ("qqq", "")],
)
def test_a_wrong_mnemonic_gets_the_right_one(said: str, meant: str) -> None:
    hint = NEURON.isa.meant(said)
    assert (f"'{meant}'" in hint) if meant else not hint


def test_backquotes_become_colour() -> None:
    text = explanations.prose("write `a` and `b`")
    assert text.plain == "write a and b"
    assert [text.plain[s.start : s.end] for s in text.spans] == ["a", "b"]
