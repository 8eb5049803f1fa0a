"""Tiled tensors of L1: where each element stands, and what NumPy gets, by a model in plain Python.

Element (r, c) of a tile is in face 2*(r // 16) + c // 16, at row r % 16 and column c % 16 of it.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.targets.tensix.arrangements import ARRANGEMENTS
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.format_names import FORMATS
from nasm.targets.tensix.state import U8
from tests.tables import each


def session(text: str, **inputs: object) -> Session:
    source = Source("t.nasm", f".target wormhole\n{text}\n")
    return Session.load(source, inputs=inputs)


def l1(made: Session, address: int, count: int) -> U8:
    held = made.machine.holds[0]
    assert isinstance(held, Tensix)
    return held.l1.read(address, count)


def place(row: int, column: int, columns: int) -> int:
    """How many elements stand before one."""
    tile = row // 32 * (columns // 32) + column // 32
    r, c = row % 32, column % 32
    return 1024 * tile + 256 * (2 * (r // 16) + c // 16) + 16 * (r % 16) + c % 16


def test_elements_are_face_by_face_and_tile_by_tile() -> None:
    made = session(".l1 x f32[64, 96] tiled @ 0x10000 = iota")
    words = l1(made, 0x10000, 4 * 64 * 96).view(np.float32)
    for row, column in ((0, 0), (0, 16), (16, 0), (17, 33), (31, 95), (32, 0), (63, 95)):
        assert words[place(row, column, 96)] == 96 * row + column
    assert made.read("x[33, 40:43]").tolist() == [96 * 33 + c for c in (40, 41, 42)]


def test_more_axes_are_tiles_one_after_the_other() -> None:
    made = session(".l1 x i16[3, 32, 32] tiled @ 0 = iota")
    words = l1(made, 0, 2 * 3 * 1024).view(np.uint16)
    assert words[2 * 1024 + place(5, 20, 32)] == 2 * 1024 + 5 * 32 + 20


def test_integers_have_a_sign_and_a_magnitude() -> None:
    values = np.zeros((32, 32), np.int32)
    values[0, :3] = [-1, 5, -(2**31) + 1]
    made = session(".l1 x i32[32, 32] tiled @ 0 input", x=values)
    assert l1(made, 0, 12).view(np.uint32).tolist() == [0x80000001, 5, 0xFFFFFFFF]
    assert np.array_equal(made.read("x"), values)


def test_what_has_no_sign_and_magnitude_is_refused() -> None:
    values = np.full((32, 32), -128, np.int8)
    with pytest.raises(Failure) as raised:
        session(".l1 x i8[32, 32] tiled input", x=values)
    assert raised.value.problems[0].message == "INT8 goes from -127 to 127; found -128"


def test_block_floats_share_an_exponent_by_sixteen() -> None:
    values = np.zeros((32, 32), np.float32)
    values[0, :2] = [1.0, 0.5]
    made = session(".l1 x bfp8[32, 32] tiled @ 0 input\n.l1 y bfp4[32, 32] tiled @ 0x1000 input",
                   x=values, y=values)  # fmt: skip
    # The exponent of 1.0 is 127. BFP8 has a sign and 7 bits of magnitude, 64 of which are 1.0;
    # BFP4 a sign and 3 bits, of which 4 are 1.0, the first of a byte in its low half.
    assert l1(made, 0, 64).tolist() == [127] + [0] * 63
    assert l1(made, 64, 2).tolist() == [64, 32]
    assert l1(made, 0x1000, 1).tolist() == [127]
    assert l1(made, 0x1040, 1).tolist() == [4 | 2 << 4]
    for name, size in (("x", 1088), ("y", 576)):
        assert made.read(name).dtype == np.float32
        assert np.array_equal(made.read(name), values)
        assert made.program.tensors[name].bytes == size


@each("word", FORMATS)
def test_every_format_gives_back_what_it_can_hold(word: str) -> None:
    (found,) = (a for a, name in zip(ARRANGEMENTS, FORMATS, strict=True) if name == word)
    values = np.tile(np.array([0, 1, -1, 1, 0, -1, 1, 1], np.float64), (32, 8))
    made = session(f".l1 x {word}[32, 64] tiled input", x=values.astype(found.dtype.numpy))
    assert np.array_equal(made.read("x").astype(np.float64), values)
    assert made.program.tensors["x"].bytes == found.size((32, 64))


def test_bytes_that_an_element_uses_are_those_that_change_with_it() -> None:
    for form in ARRANGEMENTS:
        zeros = np.zeros((32, 32), form.dtype.numpy)
        base = form.encode(zeros)
        uses = form.uses((32, 32))
        for row, column in ((0, 0), (3, 7), (20, 5), (31, 31)):
            one = zeros.copy()
            one[row, column] = -1
            changed = set(np.flatnonzero(form.encode(one) != base).tolist())
            assert changed
            assert changed <= set(uses[32 * row + column].tolist())


def test_bfloat16_is_bfloat16_to_numpy() -> None:
    made = session(".l1 x bf16[32, 32] tiled = iota")
    assert made.read("x").dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("shape", ["[32]", "[32, 31]", "[16, 64]"])
def test_a_shape_that_is_no_tiles_is_refused(shape: str) -> None:
    with pytest.raises(Failure) as raised:
        session(f".l1 x bf16{shape} tiled")
    assert raised.value.problems[0].code == "E0246"
