"""Which bytes an instruction touches, enumerated from its operands alone.

A patch is rows of a memory (its partitions) by runs of bytes in each. Views whose address is known
at run time only are taken to touch whatever they could reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.effects import Rendezvous, Transfer
from nasm.isa.generation import Generation
from nasm.isa.instruction import InstructionContext
from nasm.program.program import Instruction
from nasm.views.view import Reg, View

Runs = np.ndarray[Any, np.dtype[np.int64]]
"""Ranges [begin, end) that have nothing in common, upwards."""


class Patch(NamedTuple):
    """Some bytes of a memory, in some of its rows."""

    space: str
    rows: Runs
    bytes: Runs


class Touch(NamedTuple):
    """What is done to a patch; ``apart`` from the queue by what is moved, ``surely`` all of it."""

    patch: Patch
    writes: bool
    apart: bool = False
    adds: bool = False
    surely: bool = True


@dataclass
class Touches:
    """What an instruction does, in which order does not matter.

    ``taken`` and ``left`` are registers that it reads and writes, ``lands`` says that what it moves
    lands some time later, ``meeting`` tells which of the other core's instructions it meets.
    """

    each: list[Touch] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    lands: bool = False
    meeting: tuple[object, ...] = ()


def joined(runs: Runs) -> Runs:
    """Runs that overlap or meet, as one."""
    order = runs[np.argsort(runs[:, 0], kind="stable")]
    ends = np.maximum.accumulate(order[:, 1])
    apart = order[1:, 0] > ends[:-1]
    first, last = np.concatenate(([True], apart)), np.concatenate((apart, [True]))
    return np.stack((order[first, 0], ends[last]), axis=1)


def repeated(start: int, size: int, axes: Iterable[tuple[int, int]]) -> Runs:
    """So many bytes from a start on, again at each place that the axes (step, count) lead to."""
    made = np.array([[start, start + size]], np.int64)
    for step, count in sorted(axes, key=lambda axis: abs(axis[0])):
        if count > 1 and step:
            moved = made + step * np.arange(count, dtype=np.int64)[:, None, None]
            made = joined(moved.reshape(-1, 2))
    return made


def patch(view: View) -> Patch:
    """All that a view could touch."""
    tensor, size = view.tensor, view.dtype.itemsize
    lanes = bool(tensor.memory.partitions)
    axes = list(zip(view.steps, view.shape, strict=True))
    rows, free = (axes[:1], axes[1:]) if lanes else ([], axes)
    if view.offsets is not None:
        named = view.offsets.step, view.offsets.limit + 1
        free = [named, *(free if view.offsets.single else free[1:])]
    free = [(step * size, count) for step, count in free]
    for moved in view.dynamic:
        kept = rows if lanes and moved.axis == 0 else free
        kept.append((moved.stride, moved.limit + 1))
    runs = repeated((tensor.offset or 0) + view.offset, size, free)
    if lanes and view.offsets is not None:  # an engine takes the whole range
        runs = np.array([[runs[0, 0], runs[-1, 1]]])
    first = (tensor.partition or 0) + view.partition if lanes else 0
    memory = tensor.memory
    space = memory.name if memory.shared else f"{tensor.core}.{memory.name}"
    return Patch(space, repeated(first, 1, rows), runs)


def touched(instruction: Instruction, engine: str, core: int, generation: Generation) -> Touches:
    """What an instruction touches."""
    row, found = instruction.row, Touches()
    context = InstructionContext.of(row, instruction.operands, engine, generation)
    named = dict(zip(row.position, instruction.operands, strict=True))
    for value in instruction.operands:
        for view in _views(value):
            found.taken |= {moved.register for moved in view.dynamic}
            if view.offsets is not None:
                found.each.append(Touch(patch(view.offsets.tile), writes=False))
    for operand in row.operands:
        value = named.get(operand.name)
        if isinstance(value, Reg):
            for kept, letter in ((found.taken, "r"), (found.left, "w")):
                if letter in operand.access:
                    kept.add(value.number)
        if operand.access not in ("r", "w", "rw"):
            continue
        views: Iterable[View] = _views(value)
        if operand.footprint is not None and isinstance(value, View):
            views = operand.footprint(context)
        for view in views:
            for letter in operand.access:
                surely = not view.dynamic
                found.each.append(Touch(patch(view), writes=letter == "w", surely=surely))
    if row.effect is Transfer:
        _moved(named, found)
    elif row.effect is Rendezvous:
        _met(named, engine, core, found)
    return found


def _views(value: object) -> Iterator[View]:
    if isinstance(value, View):
        yield value
    elif isinstance(value, tuple):
        yield from (item for item in value if isinstance(item, View))


def _moved(named: dict[str, Any], found: Touches) -> None:
    """What a transfer reads and writes."""
    into, out = [named.get("dst")], [named.get("src"), *named.get("srcs", ())]
    declared = named.get("transfer")
    if isinstance(declared, DeclaredTransfer):
        into, out = [dst for dst, _ in declared.moves], [src for _, src in declared.moves]
    adds = named.get("compute_op") == "add"
    for views, writes in ((out, False), (into, True)):
        for view in views:
            if view is not None:
                found.each.append(Touch(patch(view), writes, apart=True, adds=writes and adds))
    found.lands = True


def _met(named: dict[str, Any], engine: str, core: int, found: Touches) -> None:
    """What is exchanged; at a barrier its data, for whoever writes it before and reads it behind.

    GpSimd's own engine exchanges as an instruction does: it reads when all are there.
    """
    if "data" in named:
        data = patch(named["data"])
        found.each += [Touch(data, writes=False, apart=True), Touch(data, writes=True, apart=True)]
        found.meeting = ("barrier", engine)
        return
    apart = named["dma_engine"] == "dma"
    found.each.append(Touch(patch(named["src"]), writes=False, apart=apart))
    found.each.append(Touch(patch(named["dst"]), writes=True, apart=apart))
    found.meeting = ("pipe", named["pipe_id"])
