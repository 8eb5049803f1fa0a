"""What an instruction reads and what it certainly writes, before its tensors have places.

The rules of such an instruction are not checked yet. So where the operands alone do not say it, all
views that it has are taken to be read, and none to be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nasm.base.problems import Refused
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.effects import MOVING, ONTO, Packet, RankExchange, Rendezvous, Transfer, moved
from nasm.isa.generation import Generation
from nasm.isa.instruction import InstructionContext
from nasm.isa.list_kinds import views
from nasm.program.program import Instruction
from nasm.program.shapes import arguments_of
from nasm.views.view import View


class Sure(NamedTuple):
    """Views of which any element may be read, and views of which every element is written.

    Of a tensor ``beyond`` its views there may be more that is read.
    """

    reads: tuple[View, ...]
    writes: tuple[View, ...] = ()
    beyond: tuple[View, ...] = ()


def definite_accesses(instruction: Instruction, engine: str, generation: Generation) -> Sure:
    """What an instruction of an engine reads, and what it writes whatever the run decides."""
    operands = instruction.operands
    if instruction.row.effect in MOVING:
        found = _moved(instruction, engine, generation)
        if found is None:
            return Sure(tuple(view for value in operands for view in _every(value)))
    else:
        found = _computed(instruction, engine, generation)
    tiles = (v.offsets.tile for value in operands for v in views(value) if v.offsets is not None)
    reads, writes, beyond = found
    fixed = tuple(v for v in writes if not v.dynamic and v.offsets is None)
    return Sure((*reads, *tiles), fixed, beyond)


def _every(value: object) -> Iterator[View]:
    """The views of an operand, and the tiles of entries that address them."""
    if isinstance(value, DeclaredTransfer):
        value = tuple(view for move in value.moves for view in move)
    for view in views(value):
        yield view
        if view.offsets is not None:
            yield view.offsets.tile


def _computed(instruction: Instruction, engine: str, generation: Generation) -> Sure:
    """What an engine itself reads and writes."""
    row, operands = instruction.row, instruction.operands
    reads: list[View] = []
    writes: list[View] = []
    beyond: list[View] = []
    for operand, value in zip(row.operands, operands, strict=False):
        if isinstance(value, DeclaredTransfer):
            reads += _every(value)
        some, itself = views(value), True
        if some and operand.footprint is not None:
            context = InstructionContext.of(row, operands, engine, generation)
            itself = operand.footprint(context) == (value,)
        if operand.access != "w" or (operand.adds and operands[row.position[operand.adds]]):
            reads += some
            beyond += () if itself else some
        if itself and "w" in operand.access and not operand.partial:
            writes += some
    return Sure(tuple(reads), tuple(writes), tuple(beyond))


def _moved(instruction: Instruction, engine: str, generation: Generation) -> Sure | None:
    """What a transfer or an exchange moves; None if that is not known from the operands."""
    row = instruction.row
    context = InstructionContext.of(row, instruction.operands, engine, generation)
    arguments, reading = arguments_of(row, context)
    for operand, position, at in reading:
        value = instruction.operands[position]
        if operand.access != "@" or not views(value):
            return None
        arguments[at] = value
    try:
        effect = row.semantics(*arguments)
    except Refused:
        return None
    out, into = moved(effect)
    if isinstance(effect, RankExchange):  # with counts it may leave some of them as they are
        return Sure(out, () if len(out) > len(into) or effect.others else into)
    if isinstance(effect, Packet) or (isinstance(effect, Rendezvous) and effect.exchange):
        return Sure(out, into)
    if not isinstance(effect, Transfer):
        return None
    if effect.op == ONTO:
        return Sure((*out, *into))
    return Sure(out, () if effect.skips else into)
