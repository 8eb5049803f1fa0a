"""The matrix of instructions, engines and generations."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from nasm.isa.target import Target
from nasm.show import json_isa, lists
from nasm.targets import TARGETS
from tests.toy.target import TARGET as TOY

NEURON = TARGETS["trn1"]()


def shown(target: Target, width: int = 80) -> list[str]:
    out = StringIO()
    Console(file=out, width=width, color_system=None).print(lists.rich_list(target))
    return out.getvalue().splitlines()


def test_engines_have_letters_of_their_own() -> None:
    letters = lists.engine_letters(NEURON)
    five = {"tensor": "t", "vector": "v", "scalar": "s", "gpsimd": "g", "sync": "y"}
    assert letters == {**five, "cc": "c"}
    assert lists.engine_letters(TOY) == {"alpha": "a", "beta": "b"}


def test_the_matrix_says_which_engine_of_which_generation_has_what() -> None:
    lines = {line.split()[0]: line for line in shown(NEURON, 100) if line[:1].isupper()}
    assert lines["TensorCopy"].split()[1:4] == [".v.g.", ".vsg.", ".vsg."]
    assert lines["Nop"].split()[1:4] == ["tvsgyc"] * 3
    assert lines["LoadStationary"].split()[1:4] == ["t...."] * 3
    assert "engines: t tensor, v vector, s scalar, g gpsimd, y sync, c cc" in shown(NEURON)
    assert "v3: NeuronCore-v3 (Trn2), .target trn2 or gen3" in shown(NEURON)


def test_the_matrix_fits_80_columns_and_holds_every_instruction() -> None:
    for target in (NEURON, TOY):
        lines = shown(target)
        assert max(map(len, lines)) <= 80
        first = [line.split()[0] for line in lines if line and line[0] != " "]
        assert [name for name in first if name in target.isa.rows] == list(target.isa.rows)


def test_the_data_has_the_same_and_more() -> None:
    rows = {r["name"]: r for r in json_isa.instructions(NEURON)}
    assert list(rows) == list(NEURON.isa.rows)
    assert rows["TensorCopy"]["generations"] == {
        "v2": ["vector", "gpsimd"],
        "v3": ["vector", "scalar", "gpsimd"],
        "v4": ["vector", "scalar", "gpsimd"],
    }
