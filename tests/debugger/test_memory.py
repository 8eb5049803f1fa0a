"""Memory as it is now: owners, maps, banks, partitions, and what engines hold."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm import Failure
from nasm.base.problems import Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.debugger.values.memory import FREE
from nasm.show import memories
from tests.repl.conftest import COUNTDOWN
from tests.toy.target import TARGETS

PLACED = """\
.target toy
.ram   X  f32[4, 2]  input = iota
.bank  x  f32[2, 4] @ 0:0
.bank  y  f32[2, 2] @ 2:8
@beta   Move   x[0:1, 0:2], X[0:1]
"""
"""x has partitions 0 and 1, bytes 0 to 15; y has 2 and 3, bytes 8 to 15; half a row is written."""


def session(text: str, **more: bool) -> Session:
    return Session.load(Source("toy.nasm", text), targets=TARGETS, **more)  # type: ignore[arg-type]


def test_a_map_says_who_owns_a_cell_and_how_much_of_it_is_written() -> None:
    placed = session(PLACED)
    placed.run()
    (found,) = placed.memory.maps("bank", rows=99, columns=4)
    assert (found.placed, found.reach, found.partitions) == (16, 16, 4)
    assert found.cells == (
        ((0, 1.0), (0, 1.0), (0, 0.0), (0, 0.0)),
        ((0, 0.0), (0, 0.0), (0, 0.0), (0, 0.0)),
        ((FREE, 0.0), (FREE, 0.0), (1, 0.0), (1, 0.0)),
        ((FREE, 0.0), (FREE, 0.0), (1, 0.0), (1, 0.0)),
    )
    assert [(o.name, o.low, o.high, o.written) for o in found.owners] == [
        ("x", 0, 16, 0.25),
        ("y", 8, 16, 0.0),
    ]
    assert memories.shown(found, False, 60, memories.WriteTimes(placed, None))[:6] == [
        f"bank: 16 of {found.size} bytes of each partition have an owner",
        "  0 AAaa",
        "  1 aaaa",
        "  2 ..bb",
        "  3 ..bb",
        "    a letter is about 4 bytes,",
    ]


def test_a_coarse_map_has_the_share_of_each_cell() -> None:
    placed = session(PLACED)
    placed.run()
    (found,) = placed.memory.maps("bank", rows=2, columns=2)
    assert found.cells == (((0, 0.5), (0, 0.0)), ((FREE, 0.0), (1, 0.0)))


def test_a_shared_cell_belongs_to_who_has_the_most_of_it() -> None:
    text = ".target toy\n.bank  p  f32[4, 1] @ 0:0\n.bank  q  f32[4, 3] @ 0:4\n"
    (found,) = session(text).memory.maps("bank", rows=1, columns=1)
    assert found.cells == (((1, 0.0),),)
    (halves,) = session(text).memory.maps("bank", rows=1, columns=2)
    assert halves.cells == (((0, 0.0), (1, 0.0)),)


def test_a_linear_memory_is_one_row_and_what_is_not_known_is_refused() -> None:
    placed = session(PLACED)
    (found,) = placed.memory.maps("ram", columns=4)
    assert (found.cells, found.partitions) == ((((0, 1.0),) * 4,), 0)
    assert [m.memory for m in placed.memory.maps()] == ["ram", "bank"]
    with pytest.raises(Refused, match="no memory 'bnak'"):
        placed.memory.maps("bnak")


def test_a_partition_across_all_tensors() -> None:
    placed = session(PLACED)
    placed.run()
    assert [(lane.owner.name, lane.low, lane.written) for lane in placed.memory.partition(0)] == [
        ("x", 0, 8)
    ]
    assert [(lane.owner.name, lane.low, lane.written) for lane in placed.memory.partition(3)] == [
        ("y", 8, 0)
    ]
    assert memories.lanes(placed.memory.partition(0), 0, False, 60) == [
        "memory  tensor  its row    bytes  written",
        "bank    x       [0]      0 .. 16      50%",
    ]


def test_without_values_it_is_not_known_what_was_written() -> None:
    placed = session(PLACED, values=False)
    placed.run()
    assert {o.written for m in placed.memory.maps() for o in m.owners} == {None}
    assert placed.memory.partition(0)[0].written is None
    with pytest.raises(Failure, match="without values"):
        placed.memory.written("x")
    with pytest.raises(Failure, match="without values"):
        placed.engines.held()


def test_a_bank_accumulates_while_instructions_ahead_add_to_it() -> None:
    matmul = nasm.Session("programs/matmul_k.nasm")
    seen = []
    while not matmul.over:
        state = matmul.memory.banks()[0].state
        if [state] != seen[-1:]:
            seen.append(state)
        matmul.step()
    assert seen == ["unwritten", "accumulating", "closed"]
    assert {bank.state for bank in matmul.memory.banks()[1:]} == {"free"}


def test_the_next_writer_of_a_bank_is_named() -> None:
    toy = session(COUNTDOWN)
    assert toy.memory.banks()[0].next == "beta pc 0  Move x, X"
    toy.run()
    assert toy.memory.banks()[0].next == ""


def test_the_banks_as_a_strip() -> None:
    toy = session(COUNTDOWN)
    assert memories.strip(toy.memory.banks(), 40) == ["  0.x+1              1-"]


# -- what engines hold


def test_the_stationary_tile_is_what_was_loaded() -> None:
    matmul = nasm.Session("programs/matmul.nasm")
    assert matmul.engines.held() == ()
    matmul.run()
    (found,) = matmul.engines.held("tensor")
    ((what, value),) = found.parts
    assert (found.name, what.partition(" ")[0]) == ("stationary tile", "bfloat16")
    assert np.array_equal(value.array, matmul.read("a").astype(np.float32))
    with pytest.raises(Refused, match="no engine"):
        matmul.engines.held("nobody")


HOLDING = """\
.nasm 1
.target trn2
.hbm   V  f32[128, 8]  input = random(seed=1)
.sbuf  v  f32[128, 8]
.sbuf  w  u32[128, 8]
.sem   loaded
@sync    DmaCopy          v, V                          $loaded += 16
@vector  MatchValueLoad   v             $loaded >= 16
@vector  Rng              w
"""


def test_match_values_and_generators_are_shown_as_arrays() -> None:
    held = nasm.Session(Source("h.nasm", HOLDING))
    names = {item.name for item in held.engines.held("vector")}
    assert {"match values", "random numbers"} <= names
    assert all(item.parts == () and item.how for item in held.engines.held("vector"))
    held.run()
    found = {item.name: item.parts for item in held.engines.held("vector") if item.parts}
    assert set(found) == {"match values", "random numbers"}
    assert np.array_equal(found["match values"][0][1].array, held.read("V"))
    state = found["random numbers"][0][1]
    assert state.shape[0] == 128
    assert state.dtype is not None
    assert state.dtype.name == "uint32"
