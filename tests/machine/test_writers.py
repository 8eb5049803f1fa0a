"""Who writes some bytes: by the bytes, against a walk over every one of them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.debugger.session import Session
from nasm.machine import writers as writers_module
from nasm.machine.writers import MOST, Writers, part
from nasm.views.view import View
from tests import parts

TENSORS = """\
.target trn2
.hbm  H  f32[32, 64]
.sbuf a  f32[128, 64]  @ 0:0
.sbuf b  u8[64, 64]    @ 32:96
.sbuf c  bf16[128, 40]
.sbuf at i32[1, 1]
"""

PARTS = (
    "@vector Memset a[{r}:{s}, {x}:{y}:{z}], 1.0",
    "@vector Memset b[{p}:{q}, {x}:{y}], 1",
    "@gpsimd DmaCopy H[{u}:{v}:{z}, {x}:{y}], a[0:{n}, 0:{y}-{x}]",
    "@scalar TensorCopy c[{r}:{s}, 0:{w}], a[{r}:{s}, 0:{w}]",
)


def line(chance: random.Random) -> str:
    """A line that writes a part of a tensor."""
    x, u = chance.randrange(0, 60), chance.randrange(0, 30)
    y, v = chance.randrange(x + 1, 65), chance.randrange(u + 1, 33)
    z, r, p = chance.choice((1, 1, 2, 3)), chance.choice((0, 32, 64)), chance.choice((0, 32))
    n = len(range(u, v, z))
    words = {"x": x, "y": y, "u": u, "v": v, "z": z, "r": r, "s": r + 32, "p": p, "q": p + 20}
    return chance.choice(PARTS).format(**words, n=n, w=chance.randrange(1, 41))


def bytes_of(session: Session, view: View) -> set[tuple[str, int, int]]:
    """Every byte of a view, as (memory, partition, byte), element by element."""
    tensor, found = view.tensor, set()
    for place in np.ndindex(*view.shape):
        row, at = 0, (tensor.offset or 0) + view.offset
        for axis, (n, step) in enumerate(zip(place, view.steps, strict=True)):
            if axis == 0 and view.partitioned:
                row = (tensor.partition or 0) + view.partition + n * step
            else:
                at += n * step * view.dtype.itemsize
        found |= {(tensor.memory.name, row, at + k) for k in range(view.dtype.itemsize)}
    return found


def test_the_writers_of_a_part_are_those_who_write_a_byte_of_it() -> None:
    for seed in parts.part(range(40), 8):
        chance = random.Random(seed)
        text = TENSORS + "\n".join(line(chance) for _ in range(8))
        session = Session(text)
        program, region = session.program, session.machine.addresses.region
        writers = Writers(program, region)
        name = chance.choice("abcH")
        view = session.view(f"{name}[{chance.randrange(0, 4)}:30:3, 2:20]")
        chosen = np.random.default_rng(seed).random(view.shape) < chance.choice((0.02, 0.3, 1))
        wanted = [e for e, c in zip(np.ndindex(*view.shape), chosen.flat, strict=True) if c]
        ours = set()
        for row, column in wanted:
            one = session.view(f"{name}[{chance_row(view, row)}, {2 + column}:{3 + column}]")
            ours |= bytes_of(session, one)
        expected = [
            (queue, pc)
            for queue, lines in enumerate(program.queues)
            for pc in range(len(lines))
            if bytes_of(session, program.instruction(queue, pc).operands[0]) & ours
        ]
        assert list(writers.of(part(region(view), chosen, view))) == expected, (seed, text)


def chance_row(view: View, row: int) -> str:
    """The row of a tensor at which a row of a view with a step of 3 stands."""
    first = view.partition if view.partitioned else view.offset // (64 * 4)
    return f"{first + 3 * row}:{first + 3 * row + 1}"


def test_all_rounds_of_a_line_are_one_writer() -> None:
    session = Session(TENSORS + ".for i in 0..3\n@vector Memset a[:, i:64], 1.0\n.end\n")
    writers = Writers(session.program, session.machine.addresses.region)
    (only,) = writers.of((session.machine.addresses.region(session.view("a")),))
    assert only[1] == 0


def test_what_a_register_addresses_may_be_anywhere_in_its_tensor() -> None:
    session = Session(TENSORS + "@vector RegisterMove %r0, 3\n@vector Memset a[:, %r0 : +1], 1.0\n")
    region = session.machine.addresses.region
    writers = Writers(session.program, region)
    assert [pc for _, pc in writers.of((region(session.view("a[:, 60:64]")),))] == [1]


def test_of_many_elements_the_first_are_looked_at() -> None:
    session = Session(".target trn2\n.hbm H u8[4, 100000]\n")
    view = session.view("H")
    chosen = np.ones(view.shape, np.bool_)
    chosen[0, 0] = False
    (only,) = part(session.machine.addresses.region(view), chosen, view)
    assert only.runs == ((1, MOST + 1),)


def test_rows_of_which_the_same_is_missing_are_one_part() -> None:
    session = Session(TENSORS)
    view = session.view("a[8:20]")
    chosen = np.zeros(view.shape, np.bool_)
    chosen[2:5, 3] = chosen[7:, 3] = chosen[6, 4] = True
    found = part(session.machine.addresses.region(view), chosen, view)
    assert [(each.rows, each.runs) for each in found] == [
        ((10, 3, 1), ((12, 16),)),
        ((14, 1, 1), ((16, 20),)),
        ((15, 5, 1), ((12, 16),)),
    ]


def test_a_barrier_and_a_print_write_nothing() -> None:
    text = TENSORS + "@vector CoreBarrier H\n.core 1\n@vector CoreBarrier H\n"
    session = Session(text + ".core 0\n@vector Memset a, 1.0\n@gpsimd DevicePrint a\n")
    region = session.machine.addresses.region
    writers = Writers(session.program, region)
    assert list(writers.of((region(session.view("H")),))) == []
    assert len(list(writers.of((region(session.view("a")),)))) == 1
    assert nasm.run(text).report.ok


def test_reads_of_bytes_that_nothing_wrote_do_not_look_at_every_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each line finds bytes that it alone writes, of a tensor that all of them write."""
    looked, intersects = [], writers_module.intersect

    def counted(*regions: Any) -> bool:
        looked.append(regions)
        return intersects(*regions)

    monkeypatch.setattr(writers_module, "intersect", counted)
    lines = [f"@vector TensorCopy a[:, {n}:{n + 1}], a[:, {n}:{n + 1}]" for n in range(64)]
    session = Session(TENSORS + "\n".join(lines))
    session.run()
    assert len(session.report().hazards) == 64
    assert len(looked) <= 64 * 8


def test_of_an_instruction_that_writes_some_rows_only_these_count() -> None:
    text = ".target trn2\n.sbuf d i32[128, 9]\n.sbuf s i32[128, 8] = zeros\n"
    session = Session(text + "@gpsimd NonzeroWithCount d, s\n")
    region = session.machine.addresses.region
    writers = Writers(session.program, region)
    for row in (0, 1, 15, 16, 112, 127):
        found = list(writers.of((region(session.view(f"d[{row}:{row + 1}, :]")),)))
        assert len(found) == (row % 16 == 0), row
