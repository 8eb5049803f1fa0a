"""Tables of activation functions: Scalar loads one when a function is not in what it has."""

from __future__ import annotations

from itertools import pairwise

import pytest

from nasm.targets.neuron.activations import PLAIN
from tests.neuron.programs import cost, psum, ran, sbuf, times

TILES = {"a": sbuf("f32", [[0.5] * 512] * 128), "c": sbuf("f32", (128, 512))}
# Ticks: an activation of 512 elements takes 512 cycles of 4 ticks on v2 and v3, of 2 on v4. A table
# takes 1,283 ns, 1,540 cycles of 1.2 GHz; on v2 368 ns, 516 cycles of 1.4 GHz.
LOAD = {"trn1": 516 * 4, "trn2": 1540 * 4, "trn3": 1540 * 2}
TAKES = {"trn1": 512 * 4, "trn2": 512 * 4, "trn3": 512 * 2}


def loads(ops: list[str], on: str) -> list[int]:
    """How many tables are loaded between each function and the one before it."""
    lines = "@scalar\n" + "\n".join(
        f"TensorCopy c, a{op[4:]}" if op.startswith("move") else f"Activation c, a, op={op}"
        for op in ops
    )
    starts = [start for start, _ in times(ran(lines, on, **TILES), "scalar")]
    assert starts[0] == 0  # the entry of a kernel loads the first
    gaps = [after - before for before, after in pairwise(starts)]
    found = [divmod(gap - TAKES[on], LOAD[on]) for gap in gaps]
    assert all(rest == 0 for _, rest in found)
    return [count for count, _ in found]


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_two_functions_in_turn_cost_a_table_each_time(on: str) -> None:
    assert loads(["exp", "sigmoid", "exp", "exp", "sigmoid"], on) == [1, 1, 0, 1]


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_copies_squares_and_roots_share_a_table(on: str) -> None:
    ops = ["copy", "square", "sqrt", "rsqrt", "copy", "exp", "copy"]
    assert loads(ops, on) == [0, 0, 0, 0, 1, 1]


def test_any_other_function_has_a_table_of_its_own() -> None:
    others = [op for op in PLAIN if op not in ("copy", "square", "sqrt", "rsqrt")]
    keys = [cost(f"@scalar Activation c, a, op={op}", "trn2", **TILES).key for op in others]
    assert len(set(keys)) == len(others) == len(PLAIN) - 4


@pytest.mark.parametrize("on", ["trn2", "trn3"])
def test_copies_that_are_no_functions_need_no_table_and_replace_none(on: str) -> None:
    assert loads(["exp", "move", "exp"], on) == [0, 0]


def test_a_table_is_loaded_while_its_function_waits() -> None:
    lines = """.sem ready
        @scalar Activation c, a, op=exp
        @scalar Activation d, a, op=tanh $ready >= 1
        @vector Memset e, 1.0
        @vector Memset e, 1.0
        @vector Memset e, 1.0
        @vector Memset e, 1.0 $ready++"""
    tiles = TILES | {"d": sbuf("f32", (128, 512)), "e": sbuf("f32", (128, 4096))}
    done = ran(lines, "trn2", **tiles)
    posted = times(done, "vector")[-1][1]
    assert posted > TAKES["trn2"] + LOAD["trn2"]
    # 40 ns of 4.8 ticks after the post, and nothing more.
    assert times(done, "scalar")[1][0] == posted + 192


def test_stages_need_the_table_of_their_function() -> None:
    one = cost(
        "@scalar Activation2 c, a, op=gelu, imm0=2.0, imm1=0.5, op0=multiply, op1=add",
        "trn3",
        **TILES,
    )
    assert (one.pace, one.key) == ("tables", "gelu")


def test_a_tile_that_is_read_apart_leaves_the_table_as_it_is() -> None:
    tiles = TILES | {"s": sbuf("f32", (128, 1)), "p": psum("f32", (128, 512))}
    found = cost("@scalar Activation c, p, op=exp, bias=s", "trn2", **tiles)
    assert (found.pace, found.key) == ("tables", "exp")
