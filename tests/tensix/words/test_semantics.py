"""How what executes a word is given: a function of its fields, under any of their names."""

from __future__ import annotations

from typing import Any

import pytest

from nasm.spec.implicit_operands import FieldOf
from nasm.spec.instruction import Context, Row
from nasm.spec.isa import Isa
from nasm.targets.tensix.generation import WORMHOLE
from nasm.targets.tensix.isa import table


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch) -> table.Family:
    monkeypatch.setattr(table, "ISA", Isa("test"))
    return table.Family(__name__)


def handed(row: Row, word: int) -> dict[str, Any]:
    """The fields that semantics get of a word."""
    assert row.encoding is not None
    values = dict(zip((o.name for o in row.written), row.encoding.decode(word), strict=True))
    context = Context.of(row, tuple(values.get(o.name) for o in row.operands), "t0", WORMHOLE)
    return {
        o.name: o.kind.handed(None, context) if isinstance(o.kind, FieldOf) else values[o.name]
        for o in row.reads
        if isinstance(o.kind, FieldOf) or o.name in values
    }


def test_semantics_get_the_fields_that_their_parameters_name(family: table.Family) -> None:
    def load(core: Any, thread: int, MemHierSel: int, Size: int, DataReg: int) -> None:
        """Take an operand, a field over two operands, and another name."""

    row = family.row("STOREIND", load)
    assert [o.name for o in row.reads] == ["core", "thread", "MemHierSel", "Size", "DataReg"]
    assert [o.name for o in row.written] == [
        o.name for o in table.WORDS["STOREIND"].encoding.operands
    ]


def test_a_field_over_two_operands_is_put_together(family: table.Family) -> None:
    def store(core: Any, thread: int, Size: int, DataReg: int) -> None:
        """Take them."""

    row = family.row("STOREIND", store)
    assert handed(row, 0x66000000 | 1 << 23 | 2 << 21 | 5 << 6) == {"Size": 2, "DataReg": 5}


def test_a_field_with_a_sign_is_handed_with_it(family: table.Family) -> None:
    def shift(VD: int, Imm12: int) -> None:
        """Take them."""

    row = family.row("SFPSHFT2", shift)
    assert handed(row, 0x94FFE010) == {"VD": 1, "Imm12": -2}


def test_a_parameter_that_is_no_field_fails_the_import(family: table.Family) -> None:
    def multiply(DstRwo: int) -> None:
        """Take it."""

    with pytest.raises(TypeError, match="the word of MVMUL has no field DstRwo; it has"):
        family.row("MVMUL", multiply)
