"""Programs with one change to what they compute, and whether runs of them differ.

A change is made in the assembled program, to one instruction of one queue: each round of an
unrolled loop has its own. Rules are not checked again: a change that a run refuses is none.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nasm
from nasm.base import dtypes
from nasm.base.problems import Failure, Refused
from nasm.base.records import replace
from nasm.machine.records import Status
from nasm.program.program import Instruction, Program
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings
from nasm.views.view import View

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))
MOST = 40_000


@dataclass(frozen=True)
class Mutant:
    """A program with one change, in words."""

    what: str
    program: Program


def mutants(program: Program, seed: int, count: int) -> Iterator[Mutant]:
    """Some programs with one change each."""
    chance = random.Random(seed)
    places = [(q, pc) for q, lines in enumerate(program.queues) for pc in range(len(lines))]
    made = 0
    for _ in range(20 * count):
        if made == count:
            return
        queue, pc = chance.choice(places)
        way = chance.choice(
            (_operand, _operand, _operand, _dropped, _swapped, _repeated, _resynced)
        )
        found = way(program, queue, pc, chance)
        if found is not None:
            made += 1
            yield Mutant(f"{way.__name__[1:]} at {program.instruction_name(queue, pc)}", found)


def _with(program: Program, queue: int, pc: int, made: Instruction) -> Program:
    other = program.own()
    other.instructions = [*program.instructions, made]
    lines = other.queues[queue]
    numbers = lines.instructions[:]
    numbers[pc] = len(other.instructions) - 1
    lines.instructions = numbers
    return other


def _operand(program: Program, queue: int, pc: int, chance: random.Random) -> Program | None:
    """Another tensor, place, number or choice in the place of an operand."""
    old = program.instruction(queue, pc)
    at = chance.randrange(len(old.operands)) if old.operands and not old.row.labels else -1
    if at < 0:
        return None
    value = old.operands[at]
    new = _another(program, value, chance)
    if new is None or new == value:
        return None
    try:
        new = old.row.operands[at].kind.accept(new)
    except Refused:
        return None
    operands = (*old.operands[:at], new, *old.operands[at + 1 :])
    return _with(program, queue, pc, Instruction(old.row, operands))


def _another(program: Program, value: Any, chance: random.Random) -> Any:
    if isinstance(value, View):
        return _view(program, value, chance)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((1, -1))
    if isinstance(value, float):
        return value * 2 + 1
    if isinstance(value, str):
        words = {v for i in program.instructions for v in i.operands if isinstance(v, str)}
        return chance.choice(sorted({*words, "add", "subtract", "max", "multiply", "relu", "copy"}))
    return None


def _view(program: Program, view: View, chance: random.Random) -> View | None:
    """Another tensor of the same memory, or another part of the tensor."""
    if chance.random() < 0.4:
        size = view.dtype.itemsize
        offset = view.offset + chance.choice((-1, 1)) * size * chance.choice(
            (1, max(1, view.elements))
        )
        moved = replace(view, offset=offset)
        low, high = moved.extent
        return moved if low >= 0 and high <= view.tensor.bytes else None
    others = [
        t
        for t in program.tensors.values()
        if t is not view.tensor
        and (t.memory, t.dtype, t.core) == (view.tensor.memory, view.tensor.dtype, view.tensor.core)
        and t.bytes >= view.extent[1]
        and t.partitions >= view.tensor.partitions
    ]
    return replace(view, tensor=chance.choice(others)) if others else None


def _dropped(program: Program, queue: int, pc: int, chance: random.Random) -> Program | None:
    """An instruction that computes nothing, in the place of one that does."""
    old = program.instruction(queue, pc)
    if old.row.posts or old.row.effect is not None or old.row.name in ("Nop", "EventSemaphore"):
        return None
    row = program.target.isa.rows["Nop"]
    if program.queues[queue].engine not in row.engines:
        return None
    return _with(program, queue, pc, Instruction(row, row.defaults))


def _swapped(program: Program, queue: int, pc: int, chance: random.Random) -> Program | None:
    """Two neighbours, each with the waits and updates of the other."""
    lines = program.queues[queue]
    if pc + 1 >= len(lines) or lines.instructions[pc] == lines.instructions[pc + 1]:
        return None
    one, two = (program.instruction(queue, at) for at in (pc, pc + 1))
    if one.row.posts != two.row.posts or one.row.labels or two.row.labels:
        return None
    other = program.own()
    numbers = lines.instructions[:]
    numbers[pc], numbers[pc + 1] = numbers[pc + 1], numbers[pc]
    other.queues[queue].instructions = numbers
    return other


def _repeated(program: Program, queue: int, pc: int, chance: random.Random) -> Program | None:
    """The instruction before it once more, in its place."""
    lines = program.queues[queue]
    if not pc or lines.instructions[pc] == lines.instructions[pc - 1]:
        return None
    one, two = (program.instruction(queue, at) for at in (pc - 1, pc))
    if one.row.posts != two.row.posts or one.row.effect is not two.row.effect or one.row.labels:
        return None
    other = program.own()
    numbers = lines.instructions[:]
    numbers[pc] = numbers[pc - 1]
    other.queues[queue].instructions = numbers
    return other


def _resynced(program: Program, queue: int, pc: int, chance: random.Random) -> Program | None:
    """No wait, or no update."""
    lines, other = program.queues[queue], program.own()
    name = chance.choice(("waits", "updates"))
    numbers = getattr(lines, name)[:]
    if not numbers[pc]:
        return None
    numbers[pc] = 0
    setattr(other.queues[queue], name, numbers)
    return other


WAYS = (_operand, _operand, _operand, _dropped, _swapped, _repeated, _resynced)


def random_inputs(program: Program, seed: int) -> dict[str, Any]:
    """Random elements of every input that numbers can be converted to."""
    generator = np.random.default_rng(seed)
    found = {}
    for tensor in program.tensors.values():
        if tensor.role in ("input", "inout") and tensor.dtype.kind.name not in ("SCALE", "PACKED"):
            values = generator.standard_normal(tensor.shape)
            if tensor.dtype.is_int:
                values = generator.integers(0, 4, tensor.shape).astype(np.float64)
            found[tensor.name] = dtypes.convert_float64(values, tensor.dtype)
    return found


def results(program: Program, seed: int) -> dict[str, bytes] | None:
    """The bytes of all outputs for random inputs; None if the run does not get to a clean end."""
    try:
        run = Execution(program, random_inputs(program, seed), settings=RunSettings())
        report = run.run(max_instructions=MOST, hashes=False)
    except Failure:
        return None
    if run.status is not Status.FINISHED or report.hazards:
        return None
    outputs = (t.name for t in program.tensors.values() if t.role in ("output", "inout"))
    return {name: run.read(name).tobytes() for name in outputs}


def assembled(path: Path) -> Program:
    """A program of a file."""
    return nasm.assemble(path)
