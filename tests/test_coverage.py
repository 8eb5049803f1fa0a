"""Every function and operator of AWS's interfaces has its instruction here, or says why not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from nasm.targets.neuron.isa import ISA


@pytest.fixture(scope="module")
def coverage() -> Iterator[ModuleType]:
    before = list(sys.path)
    sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
    from generator import coverage as found  # type: ignore[import-not-found]

    yield found
    sys.path[:] = before


def test_every_function_of_nki_has_an_instruction(coverage: ModuleType) -> None:
    empty = [
        name
        for name in coverage.FUNCTIONS
        if not coverage.by_function(name) and name not in coverage.NO_INSTRUCTION
    ]
    assert not empty


def test_every_operator_of_klr_has_an_instruction(coverage: ModuleType) -> None:
    empty = [
        name
        for name in coverage.OPERATORS
        if not coverage.by_operator(name) and name not in coverage.OTHERWISE
    ]
    assert not empty


def test_what_is_said_to_be_none_is_none(coverage: ModuleType) -> None:
    assert not [n for n in coverage.NO_INSTRUCTION if coverage.by_function(n)]
    assert not [n for n in coverage.OTHERWISE if coverage.by_operator(n)]
    assert set(coverage.NO_INSTRUCTION) <= set(coverage.FUNCTIONS)
    assert set(coverage.OTHERWISE) <= set(coverage.OPERATORS)


def test_rows_name_only_what_there_is(coverage: ModuleType) -> None:
    operators = {n[0].upper() + n[1:] for n in coverage.OPERATORS} | set(
        coverage.OPERATORS.values()
    )
    for row in ISA:
        for said in row.vendor.get("NKI", ()):
            module, _, name = said.rpartition(".")
            assert module != "nki.isa" or name in coverage.FUNCTIONS, row.name
        for said in row.vendor.get("KLR", ()):
            assert said in operators, row.name


def test_the_forms_of_nki_are_the_same_instruction(coverage: ModuleType) -> None:
    names = {n: [row.name for row in coverage.by_operator(n)] for n in coverage.OPERATORS}
    assert names["ncCopy"] == names["copy"] == ["TensorCopy"]
    assert names["ncMatMul"] == ["LoadStationary", "MultiplyMoving"]
    assert "Activation" in names["activationReduce"]
    assert [r.name for r in coverage.by_function("nc_stream_shuffle")] == [
        "LoadMaskRegister",
        "Shuffle",
    ]
