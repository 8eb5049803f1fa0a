"""What an operand may not be, said of operands that no sensible program has."""

from __future__ import annotations

import pytest

from tests.neuron.programs import refused, result, sbuf

HUGE = "(1 << 2000)"


def said(line: str, on: str = "trn1") -> list[str]:
    tiles = {"a": sbuf("f32", (128, 8)), "c": sbuf("f32", (128, 8)), "u": sbuf("u16", (32, 8))}
    return [problem.message for problem in refused(line, on, **tiles)]


@pytest.mark.parametrize(
    "view",
    ["a[:, %r64 : +8]", "a[%r70]", "a.ap([[8, 128], [1, 8]], scalar_offset=%r64, indirect_dim=1)"],
)
def test_an_address_names_registers_that_an_engine_has(view: str) -> None:
    (message,) = said(f"@vector TensorCopy c, {view}")
    assert "does not exist: wanted a register %r0 to %r63" in message


def test_tensors_where_integers_are_wanted_are_named() -> None:
    assert said("@vector TensorReduce c, a, op=add, axis=a") == [
        "operand axis of TensorReduce: wanted an integer or a list of integers, found "
        "a[128, 8] (float32)"
    ]


def test_tensors_in_a_list_are_named() -> None:
    assert said("@sync DmaCompute [a, 3], [a], reduce_op=add") == [
        "operand dst of DmaCompute: wanted a tile in hbm or sbuf, found [a[128, 8] (float32), 3]"
    ]


def test_a_transfer_is_named() -> None:
    (message,) = said(".dma load\n    c <- a\n.end\n@vector TensorCopy c, load")
    assert message.endswith("wanted a tile in sbuf or psum, found the transfer load")


def test_a_number_of_hundreds_of_digits_is_not_written_out() -> None:
    assert said(f"@vector Memset c, {HUGE}") == [
        "operand value of Memset: an integer of 603 digits is beyond float64"
    ]
    assert said(f"@scalar Activation c, a, op=exp, scale={HUGE}") == [
        "operand scale of Activation: an integer of 603 digits is beyond float64"
    ]
    assert said(f"@gpsimd Iota u, [[1, 8]], {HUGE}")[0].endswith("found an integer of 603 digits")


@pytest.mark.parametrize("op", ["logical_and", "logical_or", "logical_xor"])
def test_integers_beyond_64_bits_are_numbers_like_others(op: str) -> None:
    line = f"@vector ScalarTensorTensor c, a, op0={op}, operand0=1 << 70, op1=add, operand1=b"
    got = result(line, a=sbuf("f32", [[0, 1]]), b=sbuf("f32", [[0, 0]]), c=sbuf("f32", (1, 2)))
    assert (
        got.tolist()
        == {"logical_and": [[0, 1]], "logical_or": [[1, 1]], "logical_xor": [[1, 0]]}[op]
    )


def test_a_place_of_the_array_that_there_is_not_is_all_that_is_said() -> None:
    assert said("@tensor LoadStationary a, tile_position=[-1, 0], tile_size=[32, -4]", "trn2") == [
        "LoadStationary: a tile of 32 rows at -1; wanted a multiple of 32 below 128"
    ]


def test_more_axes_than_a_tile_has_are_reported_which_it_has() -> None:
    (message,) = said("@vector TensorReduce c, a, op=add, axis=[1, 2, 3]")
    assert message.endswith("a tile with 2 axes; wanted its last ones, such as [1]")


def test_wrong_entries_of_a_mask_are_named_once() -> None:
    (message,) = said(f"@vector LoadMaskRegister [{', '.join(['32', '-1'] * 16)}]")
    assert message == "LoadMaskRegister: shuffle_mask has -1 and 32"


@pytest.mark.parametrize(
    "line",
    [
        ".hbm x f32[2] input = [1, 2, 3]",
        ".sbuf x f32[1, 2] = [[1], [2, 3]]",
        '.sbuf x f32[1, 1] = ["1"]',
        ".sbuf x e8m0[1, 4] = iota",
        ".sbuf x float8_e5m2_x4[1, 4] = random(seed=1)",
    ],
)
def test_an_initialiser_that_cannot_be_is_refused_when_assembled(line: str) -> None:
    (problem,) = refused(line, "trn3")
    assert problem.code == "E0217"


@pytest.mark.parametrize("view", ["a.reshape(128, {0}8)", "a.ap([[8, 128], {1}[1, 8]])"])
def test_a_view_has_no_more_axes_than_arrays_can_have(view: str) -> None:
    made = view.format("1, " * 40, "[1, 1], " * 40)
    assert said(f"@vector TensorCopy c, {made}") == ["a view of 42 axes; wanted at most 32"]


def test_a_tensor_has_no_more_axes_than_arrays_can_have() -> None:
    assert said(f".hbm x f32[{'1, ' * 40}8]") == ["x has 41 axes; wanted at most 32"]
