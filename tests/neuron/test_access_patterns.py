"""Where an access pattern starts, and by how much an address of the run moves it.

Every tensor holds its own element numbers, so that what is read says where it was read. What is
wanted follows NKI: the stubs of `NkiTensor.ap` and the guide on access patterns (Neuron SDK 2.32).
"""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from nasm.views.spelling import spell
from nasm.views.view import View
from tests.neuron import programs
from tests.neuron.programs import Tile, fault, hbm, ran, result, sbuf
from tests.tables import each

X = hbm("f32", np.arange(32).reshape(4, 8))
T = sbuf("f32", np.arange(32).reshape(4, 8))
BOX = hbm("f32", np.arange(48).reshape(2, 4, 6))


def index(*entries: int) -> Tile:
    return sbuf("i32", np.array(entries)[:, None])


def read(view: str, shape: tuple[int, int], register: int = 0, **tiles: Tile) -> list[list[int]]:
    """The elements that a DMA reads through a view; %r0 holds ``register``."""
    lines = f"@gpsimd RegisterMove %r0, {register}\n@gpsimd DmaCopy c, {view}"
    tensors = {"X": X, "BOX": BOX, "T": T, "c": sbuf("f32", np.full(shape, -1)), **tiles}
    return [[int(v) for v in row] for row in result(lines, "trn2", **tensors)]


# ---------------------------------------------------------------- the start


@pytest.mark.parametrize(
    ("view", "wanted"),
    [
        ("X.ap([[8, 1], [1, 4]])", [0, 1, 2, 3]),
        ("X[2:4].ap([[8, 1], [1, 4]])", [16, 17, 18, 19]),
        ("X[2:4, 3:].ap([[8, 1], [2, 4]])", [19, 21, 23, 25]),
        ("X[2:4][1:].ap([[8, 1], [1, 4]])", [24, 25, 26, 27]),
        ("X[3].ap([[1, 1], [1, 4]])", [24, 25, 26, 27]),
        ("X[1:, 4:].reshape(3, 2, 2).ap([[8, 1], [1, 4]])", [12, 13, 14, 15]),
        ("X[1:, 4:].T.ap([[8, 1], [1, 4]])", [12, 13, 14, 15]),
        ("X[2:4].ap([[8, 1], [-1, 4]])", [16, 15, 14, 13]),
        ("X[2:4].ap([[8, 1], [1, 4]]).ap([[8, 1], [4, 4]])", [16, 20, 24, 28]),
        ("X.ap([[8, 1], [1, 4]], offset=9).ap([[8, 1], [1, 4]])", [9, 10, 11, 12]),
    ],
)
def test_a_pattern_starts_where_its_view_does(view: str, wanted: list[int]) -> None:
    assert read(view, (1, 4)) == [wanted]


@pytest.mark.parametrize("view", ["X", "X[2:4]", "X[2:4, 3:]", "X.reshape(32)[5:]"])
def test_an_offset_that_is_given_counts_from_the_start_of_the_tensor(view: str) -> None:
    assert read(f"{view}.ap([[8, 1], [1, 4]], offset=0)", (1, 4)) == [[0, 1, 2, 3]]
    assert read(f"{view}.ap([[8, 1], [1, 4]], 6)", (1, 4)) == [[6, 7, 8, 9]]


def test_on_chip_the_start_has_a_partition() -> None:
    assert read("T[2:4, 5:].ap([[8, 2], [1, 3]])", (2, 3)) == [[21, 22, 23], [29, 30, 31]]
    assert read("T[1, 5:].ap([[8, 2], [1, 3]])", (2, 3)) == [[13, 14, 15], [21, 22, 23]]
    assert read("T[1:, 5:].ap([[8, 2], [1, 3]], offset=1)", (2, 3)) == [[1, 2, 3], [9, 10, 11]]


def test_the_start_is_the_same_in_elements_of_another_dtype() -> None:
    lines = "@gpsimd DmaCopy c, X[1:, 2:].view(u16).ap([[16, 1], [1, 4]])"
    got = result(lines, "trn2", X=X, c=sbuf("u16", (1, 4)))
    assert got.tolist() == [X.values.astype(np.float32).view(np.uint16)[1, 4:8].tolist()]


def test_a_pattern_that_leaves_its_tensor_from_there_is_refused() -> None:
    with pytest.raises(Failure, match="reaches elements 24 to 33; X has 0 to 31"):
        read("X[3:].ap([[8, 1], [1, 10]])", (1, 10))


# ---------------------------------------------------------------- one start of the run


@each(
    ("view", "register", "first"),
    [
        # of the whole tensor: a row, a column
        ("X.ap({}, scalar_offset=%r0, indirect_dim=0)", 1, 8),
        ("X.ap({}, scalar_offset=%r0, indirect_dim=1)", 3, 3),
        # of what it is called on
        ("X.reshape(32).ap({}, scalar_offset=%r0, indirect_dim=0)", 1, 1),
        ("X.reshape(2, 16).ap({}, scalar_offset=%r0, indirect_dim=0)", 1, 16),
        ("X.reshape(8, 4).ap({}, scalar_offset=%r0, indirect_dim=0)", 5, 20),
        ("X.reshape(2, 2, 8).ap({}, scalar_offset=%r0, indirect_dim=1)", 3, 24),
        ("X.T.ap({}, scalar_offset=%r0, indirect_dim=0)", 3, 3),
        ("X[::2].ap({}, scalar_offset=%r0, indirect_dim=0)", 1, 16),
        ("BOX[1].ap({}, scalar_offset=%r0, indirect_dim=0)", 2, 24 + 12),
        ("BOX[:, 1].ap({}, scalar_offset=%r0, indirect_dim=0)", 1, 6 + 24),
        ("BOX[1, 1:3].reshape(4, 3).ap({}, scalar_offset=%r0, indirect_dim=0)", 3, 30 + 9),
        # its start is the view's, or the one that is given
        ("X[1:].ap({}, scalar_offset=%r0, indirect_dim=0)", 2, 24),
        ("X[1:, 2:].ap({}, scalar_offset=%r0, indirect_dim=1)", 3, 13),
        ("X[1:].reshape(24).ap({}, offset=3, scalar_offset=%r0, indirect_dim=0)", 2, 5),
    ],
)
def test_a_register_counts_steps_of_an_axis_of_the_view(
    view: str, register: int, first: int
) -> None:
    text = view.format("[[1, 1], [1, 4]]")
    wanted = [list(range(first, first + 4))]
    assert read(text, (1, 4), register) == wanted
    in_tile = text.replace("%r0", "k")
    assert read(in_tile, (1, 4), k=index(register)) == wanted


def test_so_it_does_on_chip() -> None:
    """A step of the partition axis is a partition, one of a free axis so many elements."""

    def copied(view: str, register: int) -> list[list[int]]:
        lines = f"@vector RegisterMove %r0, {register}\n@vector TensorCopy c, {view}"
        tiles = {"t": sbuf("f32", np.arange(128 * 8).reshape(128, 8)), "c": sbuf("f32", (2, 2))}
        return [[int(v) for v in row] for row in result(lines, "trn2", **tiles)]

    pairs = "[[8, 2], [1, 2]]"
    moved = f"t.reshape(128, 4, 2).ap({pairs}, scalar_offset=%r0, indirect_dim=1)"
    assert copied(moved, 3) == [[6, 7], [14, 15]]
    moved = f"t[:, 1:].ap({pairs}, scalar_offset=%r0, indirect_dim=1)"
    assert copied(moved, 3) == [[4, 5], [12, 13]]
    moved = f"t[32:64].ap({pairs}, scalar_offset=%r0, indirect_dim=0)"
    assert copied(moved, 32) == [[512, 513], [520, 521]]


def test_the_last_legal_value_is_where_the_pattern_reaches_the_end_of_the_tensor() -> None:
    text = "X.reshape(32)[4:].ap([[1, 1], [1, 4]], scalar_offset=%r0, indirect_dim=0)"
    assert read(text, (1, 4), 24) == [[28, 29, 30, 31]]
    lines = f"@gpsimd RegisterMove %r0, 25\n@gpsimd DmaCopy c, {text}"
    assert fault(lines, "trn2", X=X, c=sbuf("f32", (1, 4))).code == "E0506"


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("X.reshape(32).ap({}, scalar_offset=%r0, indirect_dim=1)", "axes 0 to 0"),
        ("BOX[1].ap({}, scalar_offset=%r0, indirect_dim=2)", "axes 0 to 1"),
        ("X[%r1 : +2].ap({})", "whose start is in %r1"),
        ("X[%r1 : +2].ap({}, offset=0)", "whose start is in %r1"),
        ("X[%r1 : +2].ap({}, scalar_offset=%r0, indirect_dim=0)", "whose start is in %r1"),
        ("X.ap({}, scalar_offset=%r1, indirect_dim=0).ap({})", "whose start is in %r1"),
        ("X.ap({}, vector_offset=k, indirect_dim=0).ap({})", "k decides at run time"),
        ("X[0:1].broadcast(4, 8).ap({}, scalar_offset=%r0, indirect_dim=0)", "a step of 0"),
        ("X[::-1].ap({}, scalar_offset=%r0, indirect_dim=0)", "a step of -8"),
    ],
)
def test_what_cannot_be_right_is_refused(view: str, said: str) -> None:
    text = view.replace("{}", "[[1, 1], [1, 4]]")
    with pytest.raises(Failure) as caught:
        read(text, (1, 4), k=index(0))
    (problem,) = caught.value.problems
    assert problem.code == "E0306"
    assert said in problem.message


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize(
    ("view", "wanted"),
    [
        ("X.ap([[8, 2], [1, 3]], vector_offset=k)", [[24, 25, 26], [8, 9, 10]]),
        ("X[:, 4:].ap([[8, 2], [1, 3]], vector_offset=k)", [[28, 29, 30], [12, 13, 14]]),
        ("X.reshape(32).ap([[1, 2], [1, 3]], vector_offset=k)", [[3, 4, 5], [1, 2, 3]]),
        ("X.reshape(8, 4).ap([[4, 2], [1, 3]], vector_offset=k)", [[12, 13, 14], [4, 5, 6]]),
        ("X.reshape(8, 4)[2:].ap([[4, 2], [1, 3]], vector_offset=k)", [[20, 21, 22], [12, 13, 14]]),
        ("BOX[1].ap([[6, 2], [1, 3]], vector_offset=k)", [[42, 43, 44], [30, 31, 32]]),
        ("BOX[1].ap([[6, 2], [1, 3]], offset=1, vector_offset=k)", [[19, 20, 21], [7, 8, 9]]),
    ],
)
def test_an_entry_counts_rows_of_the_view(view: str, wanted: list[list[int]]) -> None:
    assert read(view, (2, 3), k=index(3, 1)) == wanted


def test_rows_are_scattered_into_a_view_the_same_way() -> None:
    lines = "@gpsimd DmaCopy Y[1].ap([[6, 2], [1, 6]], vector_offset=k), s"
    done = ran(
        lines,
        "trn2",
        Y=hbm("f32", np.full((2, 4, 6), -1)),
        k=index(2, 0),
        s=sbuf("f32", np.arange(12).reshape(2, 6)),
    )
    wanted = np.full((2, 4, 6), -1.0)
    wanted[1, 2], wanted[1, 0] = np.arange(6), np.arange(6, 12)
    assert np.array_equal(done.read("Y"), wanted)


def test_an_entry_that_leads_out_of_the_tensor_from_the_view_on_is_a_fault() -> None:
    lines = "@gpsimd DmaCopy c, BOX[1].ap([[6, 2], [1, 6]], vector_offset=k)"
    tiles = {"BOX": BOX, "c": sbuf("f32", (2, 6))}
    assert fault(lines, "trn2", k=index(0, 4), **tiles).code == "E0508"


# ---------------------------------------------------------------- written out again


@each(
    "view",
    [
        "X.reshape(32).ap([[4, 1], [1, 4]], scalar_offset=%r0, indirect_dim=0)",
        "X.reshape(2, 16).ap([[4, 1], [1, 4]], scalar_offset=k, indirect_dim=0)",
        "X.reshape(2, 2, 8).ap([[4, 1], [1, 4]], scalar_offset=%r0, indirect_dim=1)",
        "X[::3].ap([[4, 1], [1, 4]], scalar_offset=%r0, indirect_dim=0)",
        "X.T.ap([[4, 1], [1, 4]], scalar_offset=%r0, indirect_dim=0)",
        "X[1:].view(u8).ap([[4, 1], [1, 4]], scalar_offset=%r0, indirect_dim=0)",
        "X[2:].ap([[8, 1], [1, 4]], vector_offset=k)",
        "BOX[1].ap([[6, 1], [1, 6]], vector_offset=k)",
        "BOX.reshape(48).ap([[6, 1], [1, 6]], vector_offset=k)",
        "T.reshape(4, 4, 2).ap([[8, 4], [1, 2]], scalar_offset=%r0, indirect_dim=1)",
        "T.reshape(4, 2, 4).ap([[8, 4], [1, 2]], scalar_offset=%r0, indirect_dim=2)",
        "T[::2].ap([[8, 2], [1, 2]], scalar_offset=%r0, indirect_dim=0)",
        "T.view(bf16).ap([[16, 2], [1, 2]], scalar_offset=%r0, indirect_dim=1)",
    ],
)
def test_a_pattern_that_moves_is_spelt_as_it_was_meant(view: str) -> None:
    made = programs.program("@vector Nop", "trn3", X=X, BOX=BOX, T=T, k=sbuf("i32", (1, 1)))
    session = Session(made)
    seen = session.view(view)
    assert session.view(spell(seen)) == seen


@pytest.mark.parametrize(
    "view",
    [
        "X.view(f32)[%r0 : +1, %r1 : +1]",
        "X[%r0 : +1, 0:8].view(f32)[:, %r1 : +1]",
        "F[%r0 : +2, %r1 : +4]",
        "F[%r0 : +2, %r1 : +4].view(u8)",
    ],
)
def test_a_view_that_two_registers_move_is_spelt_as_slices(view: str) -> None:
    head = ".target trn2\n.hbm X i8[4, 8]\n.hbm F f32[8, 8]\n"
    made = [
        nasm.assemble(f"{head}@gpsimd DevicePrint {text}\n").instructions[0].operands[0]
        for text in (view, spell(first_operand(f"{head}@gpsimd DevicePrint {view}\n")))
    ]
    first, second = made
    assert isinstance(first, View)
    assert isinstance(second, View)
    assert spell(first) == spell(second)
    assert spell(first).count("%r") == 2
    assert "offset" not in spell(first)
    assert (first.shape, first.steps, first.dynamic) == (second.shape, second.steps, second.dynamic)


def first_operand(text: str) -> View:
    operand = nasm.assemble(text).instructions[0].operands[0]
    assert isinstance(operand, View)
    return operand


def test_a_pattern_that_two_registers_move_names_no_argument_twice() -> None:
    text = ".target trn2\n.hbm F f32[8, 8]\n@gpsimd DevicePrint F[%r0 : +2, %r1 : +4].permute(1, 0)"
    said = spell(first_operand(text + "\n"))
    assert said.count("scalar_offset=") == 1
    assert said.count("%r") == 2


def test_a_register_moves_what_is_viewed_wider_by_whole_elements() -> None:
    head = ".target trn2\n.hbm X i8[4, 8]\n.hbm F f32[8, 8]\n"
    with pytest.raises(Failure, match="%r0 moves it by 1 byte; wanted a multiple of 4"):
        nasm.assemble(f"{head}@gpsimd DevicePrint X[0:1, %r0 : +4].view(f32)\n")
    nasm.assemble(f"{head}@gpsimd DevicePrint X[%r0 : +1, 0:4].view(f32)\n")
