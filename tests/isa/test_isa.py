"""What stops a row whose halves do not agree: the import fails, and says what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from nasm.isa.effects import Jump, Say
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.implicit_kinds import DtypeOf
from nasm.isa.instruction import (
    InstructionContext,
    OfOperands,
    Operand,
    Row,
    Rule,
    in_bits,
    of_operands,
)
from nasm.isa.isa import Isa
from nasm.isa.kinds import Flag, Label, Number, Tile
from nasm.views.view import View

LANES = Tile(("bank",))
DST, DATA = Operand("dst", LANES, "w"), Operand("data", LANES)


@of_operands
def free(_: InstructionContext) -> Cost:
    """Nothing to speak of."""
    return Cost(1, 1, Evidence.ASSUMED, "a test")


@of_operands
def combined(_: InstructionContext, first: View, dst: View, op: str, faster: bool = False) -> Cost:
    """As many cycles as elements."""
    return Cost(first.elements, dst.elements, Evidence.ASSUMED, f"{op} {faster}")


@of_operands
def both(_: InstructionContext, *views: View) -> tuple[View, ...]:
    return views


def made(semantics: Any, *operands: Operand, **more: Any) -> Row:
    given = {"engines": ("alpha",), "cost": free(), "source": "a test", "example": "Copy y, x"}
    return Isa("test").instruction(*operands, **(given | more))(semantics)


def refusal(semantics: Any, *operands: Operand, **more: Any) -> str:
    with pytest.raises(TypeError) as caught:
        made(semantics, *operands, **more)
    return str(caught.value)


def Copy(data: Any) -> Any:  # noqa: N802  (a mnemonic)
    """Copy a tile."""
    return data


def Goto(target: str) -> Jump:  # noqa: N802
    """Go on at a label."""
    return Jump(target)


def Idle() -> None:  # noqa: N802
    """Do nothing."""


TARGET = Operand("target", Label())


def test_a_row_whose_halves_agree_is_made() -> None:
    assert made(Copy, DST, DATA).name == "Copy"
    assert made(Goto, TARGET, effect=Jump).effect is Jump
    assert made(Idle).writes == ()


def test_a_cost_asks_for_operands_of_the_row() -> None:
    assert refusal(Copy, DST, DATA, cost=combined("data", "dst", op="op")) == (
        "Copy: its cost, combined, asks for op; the operands of the row are dst, data"
    )
    assert refusal(Idle, cost=combined("a", "b", "c")) == (
        "Idle: its cost, combined, asks for a, b, c; the operands of the row are none"
    )


def test_a_cost_is_reported_all_that_it_asks_for() -> None:
    with pytest.raises(TypeError, match=r"combined, called with \('data',\).*'dst'"):
        combined("data")
    with pytest.raises(TypeError, match=r"combined, called with .*unexpected.*'slower'"):
        combined("data", "dst", "op", slower="data")


def test_a_cost_is_called_with_names_and_not_passed_itself() -> None:
    assert refusal(Copy, DST, DATA, cost=combined) == (
        "Copy: its cost is the function combined itself; call it with the names of the operands "
        "it is to ask for"
    )
    assert "Copy: its domain is the function <lambda> itself" in refusal(
        Copy, DST, DATA, domain=lambda context: "bits"
    )
    twice = Operand("dst", LANES, "w", footprint=both)  # type: ignore[arg-type]
    assert "Copy: the footprint of dst is the function both itself" in refusal(Copy, twice, DATA)


def test_so_do_a_domain_a_footprint_a_rule_and_what_is_not_written() -> None:
    domain = OfOperands(("op",), lambda _: "bits", "choosing")
    rule = Rule("E0404", "all is well", "a test", lambda _: None, names=("data", "mask"))
    twice = Operand("dst", LANES, "w", footprint=both("dst", "src"))
    adds = Operand("dst", LANES, "w", adds="accumulate")
    hidden = Operand("dtype", DtypeOf("src"), "-")
    asked = [
        refusal(Copy, DST, DATA, domain=domain),
        refusal(Copy, DST, DATA, rules=(rule,)),
        refusal(Copy, twice, DATA),
        refusal(Copy, adds, DATA),
        refusal(Copy, DST, DATA, hidden),
    ]
    assert [said.partition(";")[0] for said in asked] == [
        "Copy: its domain, choosing, asks for op",
        "Copy: its rule 'all is well' asks for mask",
        "Copy: the footprint of dst asks for src",
        "Copy: its operand dst, which adds, asks for accumulate",
        "Copy: its operand dtype, the dtype of src, asks for src",
    ]


def test_semantics_return_the_effect_that_the_row_names() -> None:
    assert refusal(Goto, TARGET) == "Goto returns Jump but its row names no effect"
    assert refusal(Goto, TARGET, effect=Say) == "Goto returns Jump but its row says effect=Say"
    assert refusal(Copy, DATA, effect=Jump) == "Copy returns no effect but its row says effect=Jump"


def test_a_row_with_an_effect_writes_no_operand() -> None:
    assert refusal(Goto, DST, TARGET, effect=Jump) == (
        "Goto returns an effect, so nothing is left for dst, which its row writes"
    )


def test_a_result_is_written_and_what_is_written_is_a_result() -> None:
    assert refusal(Copy, DATA) == "Copy returns a result but its row writes nothing"
    assert refusal(Idle, DST) == "Idle returns nothing but its row writes dst"


def test_semantics_take_what_the_row_reads() -> None:
    assert "takes ('data',) but its row reads ('data', 'mask')" in refusal(
        Copy, DST, DATA, Operand("mask", LANES)
    )


def test_the_function_of_a_cost_gets_the_operands_of_its_names() -> None:
    flag, op = Operand("quick", Flag(), "-"), Operand("op", Number(), "-")
    row = made(Copy, DST, DATA, op, flag, cost=combined("data", "dst", op="op", faster="quick"))
    context: Any = type("C", (), {"operands": {"data": _View(4), "dst": _View(9)}})()
    context.operands |= {"op": 1.5, "quick": True}
    assert row.cost(context) == Cost(4, 9, Evidence.ASSUMED, "1.5 True")
    assert combined("data", "dst", "op")(context) == Cost(4, 9, Evidence.ASSUMED, "1.5 False")
    assert row.cost.doc == "As many cycles as elements."
    assert in_bits(context) == "bits"


class _View:
    def __init__(self, elements: int) -> None:
        self.elements = elements


@pytest.mark.parametrize("other", ["Copied", "Copy"])
def test_a_row_to_use_instead_is_another_row(other: str) -> None:
    isa = Isa("test")
    given = {"engines": ("alpha",), "cost": free(), "source": "a test", "example": "Copy y, x"}
    isa.instruction(DST, DATA, instead={other: "at times"}, **given)(Copy)
    with pytest.raises(TypeError, match=f"no row {other} to use instead"):
        isa.arrange([__name__])
