"""A row that leaves out what its unit needs to know fails when it is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from nasm.targets.tensix import TARGET
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.lanes import facts as lanes
from nasm.targets.tensix.lanes.facts import SIMPLE, Lanes, Role
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, MatrixFacts
from nasm.targets.tensix.words import OPCODES, WORDS
from nasm.targets.tensix.words.units import CONFIG, MATRIX, MOVER, SCALAR, SYNC, VECTOR, TensixUnit
from nasm.targets.tensix.words.word import Word

TABLES = (WORDS, OPCODES, TARGET.isa.rows, lanes.LANES, MATRIX_UNIT)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Takes back what a test has declared."""
    before = [dict(table) for table in TABLES]
    yield
    for table, was in zip(TABLES, before, strict=True):
        table.clear()
        table.update(was)  # type: ignore[arg-type]


def row(unit: TensixUnit, mnemonic: str = "TESTED", opcode: int = 0xFE, **facts: Any) -> None:
    def executed(core: Any, thread: int) -> None:
        """Do nothing."""

    Family(__name__).row(Word(opcode, mnemonic, unit, "Do nothing."), executed, **facts)


def idle(role: Role = Role.PLAIN) -> Lanes:
    none: Callable[[Any], frozenset[int]] = lambda fields: frozenset()  # noqa: E731
    return Lanes(sub_unit=SIMPLE, reads=none, writes=none, role=role)


@pytest.mark.parametrize(
    ("unit", "facts", "wanted"),
    [
        (VECTOR, {}, "TESTED needs facts=Lanes"),
        (VECTOR, {"facts": MatrixFacts(timing=None)}, "TESTED needs facts=Lanes"),
        (MATRIX, {}, "TESTED needs facts=Matrix"),
        (MATRIX, {"facts": idle()}, "TESTED needs facts=Matrix"),
        (MATRIX, {"facts": MatrixFacts(timing=None)}, "TESTED needs pace="),
        *((unit, {}, "TESTED needs pace=") for unit in (SCALAR, CONFIG, SYNC, MOVER)),
    ],
)
def test_what_a_unit_needs_to_know_is_asked_for(
    unit: TensixUnit, facts: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(TypeError, match=wanted):
        row(unit, **facts)


def test_a_declaration_of_the_vector_unit_names_its_sub_unit_and_registers() -> None:
    for name in ("sub_unit", "reads", "writes"):
        given = {"sub_unit": SIMPLE, "reads": idle().reads, "writes": idle().writes}
        del given[name]
        with pytest.raises(TypeError, match=name):
            Lanes(**given)  # type: ignore[arg-type]


def test_two_rows_have_neither_one_mnemonic_nor_one_opcode_nor_one_role() -> None:
    row(VECTOR, facts=idle())
    with pytest.raises(TypeError, match="TESTED and TESTED: one mnemonic or opcode"):
        row(VECTOR, opcode=0xFD, facts=idle())
    with pytest.raises(TypeError, match="OTHER and TESTED: one mnemonic or opcode"):
        row(VECTOR, "OTHER", facts=idle())
    with pytest.raises(TypeError, match="OTHER pushes, as SFPPUSHC does"):
        row(VECTOR, "OTHER", opcode=0xFD, facts=idle(Role.PUSHES))
