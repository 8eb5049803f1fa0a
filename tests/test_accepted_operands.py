"""Operands that differ in addresses are accepted, refused, and distinguished as each by itself."""

from __future__ import annotations

import math
from typing import Any

import pytest

from nasm.base.problems import Failure, Refused
from nasm.program.builder import ProgramBuilder
from nasm.targets import TARGETS
from nasm.views.view import View


class Made:
    """A builder of trn2 with tiles of both cores."""

    def __init__(self) -> None:
        target = TARGETS["trn2"]()
        generation = target.generation("trn2")
        assert generation is not None
        self.builder = ProgramBuilder(target, generation)
        self.tiles = {
            name: View.whole(self.builder.tensor(memory, name, dtype, (128, 8), core=core))
            for name, memory, dtype, core in (
                ("a", "sbuf", "float32", 0),
                ("b", "sbuf", "float32", 0),
                ("w", "sbuf", "bfloat16", 0),
                ("p", "psum", "float32", 0),
                ("theirs", "sbuf", "float32", 1),
            )
        }

    def make(self, engine: str, mnemonic: str, **named: Any) -> int:
        """The number of an instruction of core 0."""
        views = {name: self.tiles.get(v, v) if type(v) is str else v for name, v in named.items()}
        builder = self.builder
        return builder.make(builder.queue(engine), builder.row(mnemonic), [], views, None, None)[0]


def test_instructions_have_operands_and_numbers_of_their_own() -> None:
    made = Made()
    first = made.make("vector", "TensorCopy", dst="a", src="b")
    other = made.make("vector", "TensorCopy", dst="b", src="a")
    again = made.make("vector", "TensorCopy", dst="a", src="b")
    instructions = made.builder.program.instructions
    assert (first, other, again) == (0, 1, 0)
    assert [i.operand("dst") for i in instructions] == [made.tiles["a"], made.tiles["b"]]
    assert [i.operand("src") for i in instructions] == [made.tiles["b"], made.tiles["a"]]


def test_an_instruction_cannot_name_what_another_core_has() -> None:
    made = Made()
    made.make("vector", "TensorCopy", dst="a", src="b")
    with pytest.raises(Failure, match="theirs is in sbuf of core 1"):
        made.make("vector", "TensorCopy", dst="a", src="theirs")


@pytest.mark.parametrize("place", [(False, 0), (0.0, 0), [0, False]])
def test_a_list_is_no_equal_of_one_with_items_of_other_types(place: Any) -> None:
    made = Made()
    made.make("tensor", "LoadStationary", stationary="w", tile_position=(0, 0), tile_size=(128, 32))
    with pytest.raises(Failure, match="tile_position"):
        made.make(
            "tensor", "LoadStationary", stationary="w", tile_position=place, tile_size=(128, 32)
        )


def test_numbers_that_compare_equal_are_told_apart() -> None:
    made, same = Made(), math.nan
    values = (0.0, -0.0, 0, 1, 1.0, same, same, float("nan"))
    numbers = [made.make("vector", "Memset", dst="a", value=value) for value in values]
    assert numbers == [0, 1, 2, 3, 4, 5, 5, 6]
    operands = [instruction.operand("value") for instruction in made.builder.program.instructions]
    assert list(map(repr, operands)) == list(map(repr, (*values[:6], values[7])))


def test_a_zero_keeps_its_sign_where_a_tile_could_be() -> None:
    made = Made()
    for value in (0.0, -0.0):
        made.make("vector", "TensorScalar", dst="a", data="b", op0="add", operand0=value)
    found = [one.operand("operand0") for one in made.builder.program.instructions]
    assert list(map(repr, found)) == ["0.0", "-0.0"]


def test_an_operand_that_a_row_does_not_have_is_refused_after_others_were_accepted() -> None:
    made = Made()
    made.make("vector", "TensorCopy", dst="a", src="b")
    with pytest.raises(Refused, match="no operand 'source'"):
        made.make("vector", "TensorCopy", dst="a", source="b")
