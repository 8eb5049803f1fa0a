"""Whatever view a program can make, what is written of it makes the same one."""

from __future__ import annotations

from random import Random

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.views.spelling import spelled
from nasm.views.view import Reg, View, Window
from tests.parts import part

SHAPES = ((128, 4, 16), (64, 7, 10), (32, 48), (1, 8, 1, 6), (16, 2, 3, 4))
DTYPES = ("float32", "bfloat16", "uint8", "int32")


def program(draw: Random) -> nasm.Session:
    lines = [".target trn3"]
    for name, memory in (("t", "sbuf"), ("u", "hbm"), ("v", "psum")):
        shape = draw.choice(SHAPES)
        dtype = draw.choice(DTYPES)
        lines.append(f".{memory} {name} {dtype}{list(shape)}")
    lines += [".sbuf i uint32[128, 2]", ".sbuf j int32[1, 1]"]
    return nasm.Session("\n".join(lines) + "\n")


def step(draw: Random, view: View, session: nasm.Session) -> View:
    """The view after one more method or slice; raises Failure if it is refused."""
    axis = draw.randrange(len(view.shape))
    count = view.shape[axis]
    match draw.choice("wwsssaaavrrpbTxyzc"):
        case "w":
            length = draw.randint(1, count)
            item: object = Window(Reg(draw.randrange(4)), length)
        case "s":
            first, last = sorted((draw.randint(0, count), draw.randint(0, count)))
            item = slice(first, last, draw.choice((1, 1, 2, 3)))
        case "a":
            item = draw.randrange(count) if draw.random() < 0.5 else slice(None, None, -1)
        case "v":
            return view.view(draw.choice(DTYPES))
        case "r":
            sizes = list(view.shape)
            part = draw.choice([n for n in (1, 2, 3, 4) if count % n == 0])
            sizes[axis : axis + 1] = [part, count // part]
            if draw.random() < 0.5:
                at = draw.randrange(len(sizes) - 1)
                sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
            return view.reshape(*sizes)
        case "p":
            axes = list(range(len(view.shape)))
            draw.shuffle(axes)
            return view.permute(*axes)
        case "b":
            sizes = [n if n > 1 else draw.choice((1, 3)) for n in view.shape]
            return view.broadcast(*sizes)
        case "T":
            return view.T
        case "c":
            return view.indirect(session.view("i"), draw.choice((None, 5)))
        case how:
            return patterned(draw, view, session, how)
    return view[tuple([*[slice(None)] * axis, item])]


def patterned(draw: Random, view: View, session: nasm.Session, how: str) -> View:
    pairs = [[draw.choice((1, 2, 5, -1)), draw.randint(1, 4)] for _ in range(draw.randint(1, 3))]
    if view.partitioned:
        row = view.tensor.bytes // view.dtype.itemsize
        pairs.insert(0, [row * draw.choice((1, 2)), draw.randint(1, view.tensor.partitions)])
    offset = draw.choice((None, draw.randrange(8)))
    dim = draw.randrange(len(view.shape))
    if how == "x":
        return view.ap(pairs, offset, scalar_offset=Reg(draw.randrange(4)), indirect_dim=dim)
    if how == "y":
        return view.ap(pairs, offset, scalar_offset=session.view("j"), indirect_dim=dim)
    if draw.random() < 0.5:
        return view.ap(pairs, offset)
    return view.ap(pairs, offset, vector_offset=session.view("i[:, 0:1]"))


def made(draw: Random, session: nasm.Session) -> View:
    view = session.view(draw.choice("tuv"))
    for _ in range(draw.randint(1, 6)):
        try:
            view = step(draw, view, session)
        except Failure:
            continue
    return view


@pytest.mark.parametrize("seed", part(range(8), 1))
def test_what_is_written_of_any_view_makes_it_again(seed: int) -> None:
    draw = Random(seed)
    moved = 0
    for _ in range(25):
        session = program(draw)
        for _ in range(20):
            view = made(draw, session)
            text = spelled(view)
            assert text, view
            moved += bool(view.dynamic or view.offsets)
            assert session.view(text) == view
    assert moved > 100
