"""``why`` of what a coprocessor holds: back to inputs, through register files and L1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nasm.base.source import Source
from nasm.debugger.origins.records import OriginSource, Why
from nasm.debugger.session import Session

PROGRAMS = Path(__file__).parents[2] / "programs" / "tensix"

MADE = """\
.target wormhole
@t1
SFPLOADI 0, 0, 0x3FC0
SFPLOADI 1, 0, 0x4000
SFPLOADI 5, 0, 0x40A0
SFPLOADI 6, 0, 0x40C0
SFPMAD 0, 1, 5, 2, 0
SFPNOP
SFPMOV 0, 2, 3, 0
REPLAY 4, 1, 0, 1
SFPMUL 3, 3, 9, 4, 0
SFPNOP
REPLAY 4, 1, 0, 0
"""
"""LReg 2 is 1.5 times 2 plus 5, LReg 3 the same, and LReg 4 its square; nothing reads LReg 6."""

STORES = """\
.target wormhole
.l1  x  u32[2]  @ 0x1000  output = zeros
@t0
.cfg  GPR0 = 0x100
.cfg  GPR4 = 42
STOREIND  MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4
DMANOP
"""


def ran(text: str, name: str = "made.nasm") -> Session:
    session = Session.load(Source(name, text))
    session.run()
    return session


def sample(name: str) -> Session:
    path = PROGRAMS / f"{name}.nasm"
    return Session.load(Source(str(path), path.read_text()))


def read(why: Why) -> dict[str, list[float]]:
    return {source.text: source.values.astype(float).tolist() for source in why.sources}


def steps(why: Why) -> Iterator[Why]:
    yield why
    for source in why.sources:
        for one in source.whys:
            yield from steps(one)


def only(sources: tuple[OriginSource, ...]) -> Why:
    (source,) = sources
    (why,) = source.whys
    return why


def test_lanes_are_followed_to_the_numbers_that_were_loaded() -> None:
    session = ran(MADE)
    now, memory = session.moment, session.evaluate("lreg").array.tolist()
    why = session.why("lreg4[1, 3]")
    assert why.maker is not None
    assert (why.maker.name, str(why.maker.pc), why.summary) == ("SFPMUL", "10.0", "64.0")
    assert read(why) == {"lreg3[1, 3]": [8.0]}
    moved = only(why.sources)
    assert moved.maker is not None
    assert (moved.maker.name, moved.maker.line) == ("SFPMOV", 9)
    added = only(moved.sources)
    assert added.maker is not None
    assert (added.maker.name, added.maker.line) == ("SFPMAD", 7)
    assert read(added) == {"lreg0[1, 3]": [1.5], "lreg1[1, 3]": [2.0], "lreg5[1, 3]": [5.0]}
    lines = [one.maker.line for s in added.sources for one in s.whys if one.maker is not None]
    assert lines == [3, 4, 5]
    assert (session.moment, session.evaluate("lreg").array.tolist()) == (now, memory)


def test_data_and_addresses_in_registers_are_sources_of_memory() -> None:
    why = ran(STORES).why("x[0]")
    assert read(why) == {"gpr[0, 0:2]": [0x100, 0], "gpr[0, 4]": [42]}


@pytest.mark.turns(3)
def test_an_element_of_a_product_is_followed_to_the_row_and_the_column() -> None:
    session = sample("matmul")
    session.run()
    why = session.why("C[3, 5]", depth=8)
    found = list(steps(why))
    inputs = {one.text for one in found if one.maker is None}
    assert {"A[3, 0:16]", "A[3, 16:32]", "B[0:16, 5]", "B[16:32, 5]"} <= inputs
    assert {text.split(",")[0] for text in inputs if text.startswith("A")} == {"A[3"}
    assert {text.split(", ")[1] for text in inputs if text.startswith("B")} == {"5]"}
    names = {one.maker.name for one in found if one.maker is not None}
    assert names == {"PACR", "MVMUL", "UNPACR"}
    products = [one for one in found if one.maker is not None and one.maker.name == "MVMUL"]
    assert all({"srca", "srcb"} <= {s.role for s in one.sources} for one in products)
    assert all(one.maker is not None for one in found if one.text.startswith("src"))
    origins = [one.maker.origin for one in found if one.maker is not None]
    assert any(origin.startswith("REPLAY slot 8") for origin in origins)


def test_elements_that_did_not_change_together_are_followed_apart() -> None:
    session = sample("matmul")
    session.watch("srcb[0, 16, 3]")
    session.run()
    session.set("srcb[0, 16, 3]", "7")
    session.breakpoints.delete(1)
    session.watch("dst[0, 0]")
    session.run()
    why = session.why("dst[0, 0]", depth=2, most=30)
    parts = [one for s in why.sources if s.text.startswith("srcb") for one in s.whys]
    kinds = {one.text: one.maker.kind for one in parts if one.maker is not None}
    assert kinds == {
        "srcb[0, 16, 0:3]": "instruction",
        "srcb[0, 16, 4:16]": "instruction",
        "srcb[0, 16, 3]": "change",
    }


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["exp", "gelu"])
def test_an_element_of_a_function_is_followed_to_the_one_it_is_of(name: str) -> None:
    session = sample(name)
    session.run()
    why = session.why("y[3, 5]", depth=40, most=100)
    found = list(steps(why))
    assert {"PACR", "SFPSTORE", "SFPLOAD", "MOVA2D", "UNPACR"} <= {
        one.maker.name for one in found if one.maker is not None
    }
    tensors = {one.text for one in found if one.text.startswith("x")}
    assert tensors == {"x[3, 5]"}
    x = session.evaluate("x[3, 5]").array
    assert all(np.all(one.values == x) for one in found if one.text == "x[3, 5]")
