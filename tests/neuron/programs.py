"""Runs a few lines of a program on tiles that a test declares and fills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from nasm.base import dtypes
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.evidence import Cost
from nasm.isa.instruction import InstructionContext
from nasm.language.assemble import assemble
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.targets import TARGETS

Array = np.ndarray[Any, Any]
GENERATIONS = ("trn1", "trn2", "trn3")


@dataclass(frozen=True, slots=True)
class Tile:
    """A tensor to declare; without values nothing has written it when the program starts."""

    memory: str
    dtype: str
    shape: tuple[int, ...]
    values: Array | None = None
    place: str = ""

    def declaration(self, name: str) -> str:
        sizes = ", ".join(map(str, self.shape))
        return f".{self.memory} {name} {self.dtype}[{sizes}]{self.place}"


def tile(memory: str, dtype: str, content: Any, place: str = "") -> Tile:
    """A tile of a shape (a tuple), or of values: an array, or a list of them."""
    if isinstance(content, tuple):
        return Tile(memory, dtype, content, None, place)
    found = dtypes.find(dtype)
    assert found is not None
    values = np.asarray(content).astype(found.numpy)
    return Tile(memory, dtype, values.shape, values, place)


def sbuf(dtype: str, content: Any, place: str = "") -> Tile:
    return tile("sbuf", dtype, content, f" @ {place}" if place else "")


def psum(dtype: str, content: Any, place: str = "") -> Tile:
    return tile("psum", dtype, content, f" @ {place}" if place else "")


def hbm(dtype: str, content: Any) -> Tile:
    return tile("hbm", dtype, content)


Options = Mapping[str, object]


def program(lines: str, on: str = "trn1", options: Options | None = None, **tiles: Tile) -> Program:
    declared = [t.declaration(name) for name, t in tiles.items()]
    text = "\n".join([f".target {on}", *declared, lines, ""])
    return assemble(Source("test.nasm", text), TARGETS, options=options)


def session(lines: str, on: str = "trn1", options: Options | None = None, **tiles: Tile) -> Session:
    """The program loaded, and not yet started."""
    values = {name: t.values for name, t in tiles.items() if t.values is not None}
    return Session(program(lines, on, options, **tiles), values, trace=True)


def ran(lines: str, on: str = "trn1", options: Options | None = None, **tiles: Tile) -> Session:
    """The program after a run in which nothing was wrong."""
    made = session(lines, on, options, **tiles)
    report = made.run()
    assert report.problems == ()
    assert report.hazards == ()
    assert report.status is Status.FINISHED
    return made


def result(lines: str, on: str = "trn1", **tiles: Tile) -> Array:
    """What ``c`` holds after the run."""
    return ran(lines, on, **tiles).read("c")


def refused(lines: str, on: str = "trn1", **tiles: Tile) -> tuple[Problem, ...]:
    """Why it does not assemble."""
    with pytest.raises(Failure) as caught:
        program(lines, on, **tiles)
    return caught.value.problems


def fault(lines: str, on: str = "trn1", **tiles: Tile) -> Problem:
    """What stopped the run."""
    made = session(lines, on, **tiles)
    report = made.run()
    assert report.status is Status.FAULT
    (problem,) = report.problems
    return problem


def hazards(lines: str, on: str = "trn1", **tiles: Tile) -> Sequence[str]:
    """The codes of what a run met that was legal and wrong."""
    report = session(lines, on, **tiles).run()
    assert report.problems == ()
    return [h.code for h in report.hazards]


def same(got: Array, want: Array, signs: bool = False) -> None:
    """Equal dtypes and values, if asked for also the signs of zeros; NaN equals NaN."""
    assert got.dtype == want.dtype
    with np.errstate(all="ignore"):  # a signalling NaN warns when it is widened
        wide, wanted = got.astype(np.float64), want.astype(np.float64)
    np.testing.assert_array_equal(wide, wanted)
    if signs:
        numbers = ~np.isnan(wide)
        np.testing.assert_array_equal(np.signbit(wide[numbers]), np.signbit(wanted[numbers]))


def times(of: Session, engine: str) -> list[tuple[int, int]]:
    """Start and completion of every instruction of an engine, in ticks."""
    index = of.queue(engine).index
    return [(r[4], r[5]) for r in of.machine.trace.instructions if r[1] == index]


def cost(lines: str, on: str = "trn1", **tiles: Tile) -> Cost:
    """What the last instruction of the lines costs."""
    made = program(lines, on, **tiles)
    instruction = made.instructions[-1]
    engine = next(q.engine for q in made.queues if len(made.instructions) - 1 in q.instructions)
    return instruction.row.cost(
        InstructionContext.of(instruction.row, instruction.operands, engine, made.generation)
    )
