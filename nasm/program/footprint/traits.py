"""Traits: where the operands of a shape are read and written, and what its semantics depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nasm.isa.core_state import Holds
from nasm.isa.effects import MOVING
from nasm.isa.implicit_kinds import CoreState, EngineValue, Here, RoundingOf
from nasm.isa.instruction import InstructionContext, Operand
from nasm.isa.list_kinds import views
from nasm.program.shapes import Shape
from nasm.views.view import Reg, View

Footprint = Callable[[InstructionContext], tuple[View, ...]]


class Traits:
    """What the outlines of a shape have in common.

    ``computes`` says that the run depends on its semantics, ``blind`` that these depend on what
    memory or the engine holds; ``arguments`` are theirs, of which ``constants`` and ``registers``
    are filled in, as (place among the operands, among the arguments). ``reads`` and ``writes`` are
    views by their place among the operands, with a footprint where it is not the view itself;
    ``stored`` are the registers that results go to, as (place among the operands, among the
    results); ``states`` the engine values it needs, of which those ``loaded`` must be there.
    ``acts`` says that all it does is done to what the core holds. ``tile`` is what addresses one of
    the operands, if something does. Where it is known what the core ``holds``, semantics get that,
    and the run depends on them; elsewhere they are blind for want of it. Where no ``rank`` is known
    they are blind that ask for it. It is ``plain`` if all it touches are the views that it names,
    which no register and no tile moves.
    """

    __slots__ = (
        "acts", "arguments", "blind", "computes", "constants", "held", "holds", "loaded", "plain",
        "rank", "reads", "registers", "results", "row", "states", "stored", "tile", "writes",
    )  # fmt: skip

    def __init__(
        self, shape: Shape, core: int, holds: Holds | None = None, rank: int | None = None
    ) -> None:
        context, self.holds, self.rank = shape.context, holds, rank
        self.row, self.held = shape.row, shape.held
        self.arguments, self.blind = shape.arguments.copy(), False
        self.constants: list[tuple[int, int]] = []
        self.registers: list[tuple[int, int]] = []
        self.reads: list[tuple[int, Footprint | None]] = []
        self.states: list[str] = []
        self.loaded: list[EngineValue] = []
        for operand, position, at in shape.reading:
            self._read(operand, position, at, context, core, shape.exact)
        self.writes: list[tuple[int, Footprint | None]] = []
        self.stored: list[tuple[int, int]] = []
        self.results = len(shape.writing)
        for operand, position, at in shape.writing:
            value = context.operands[operand.name]
            if type(value) is Reg:
                self.stored.append((position, at))
            elif type(value) is View:
                self.writes.append((position, _footprint(operand, shape.exact)))
        self.acts = shape.row.acts
        acts = holds is not None and self.acts
        self.computes = bool(self.stored) or shape.row.effect is not None or acts
        self.tile = addressed(tuple(context.operands.values()))
        moves = shape.row.effect in MOVING
        found = (self.tile, self.registers, self.stored, shape.registers, moves)
        named = all(footprint is None for _, footprint in (*self.reads, *self.writes))
        self.plain = named and not any(found)

    def _read(
        self,
        operand: Operand,
        position: int,
        at: int,
        context: InstructionContext,
        core: int,
        exact: frozenset[str],
    ) -> None:
        kind, value = operand.kind, context.operands[operand.name]
        if isinstance(kind, Here):
            self.arguments[at] = context.here(kind, core, self.rank)
            self.blind = self.blind or self.arguments[at] is None
        elif isinstance(kind, CoreState):
            self.arguments[at] = self.holds
            self.blind = self.blind or self.holds is None
        elif isinstance(kind, EngineValue):
            self.blind = True
            self.states.append(kind.name)
            initial = kind.initial
            if (initial(context) if callable(initial) else initial) is None:
                self.loaded.append(kind)
        elif isinstance(kind, RoundingOf):
            self.blind = True
        elif type(value) is Reg:
            self.registers.append((position, at))
        elif type(value) is View and operand.access != "@":
            self.blind = True
            self.reads.append((position, _footprint(operand, exact)))
        else:
            self.constants.append((position, at))


def _footprint(operand: Operand, exact: frozenset[str]) -> Footprint | None:
    if operand.footprint is None or operand.name in exact:
        return None
    return operand.footprint


def addressed(operands: Sequence[object]) -> View | None:
    """The tile that addresses one of some operands; None if none does."""
    for operand in operands:
        for view in views(operand):
            if view.offsets is not None:
                return view.offsets.tile
    return None


def here(context: InstructionContext, operands: tuple[object, ...]) -> InstructionContext:
    """The context of an instruction of which another of the same shape is known."""
    return InstructionContext.of(context.row, operands, context.engine, context.generation)
