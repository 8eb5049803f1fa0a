"""Shapes: what instructions have in common that differ in nothing but addresses and data.

Context, domain, cost, and the arguments of the semantics that are the same for all of them are
decided once for each shape, when the program is assembled. Data are numbers with a fraction where
a tile could be.
"""

from __future__ import annotations

from typing import Any

from nasm.isa.evidence import Cost
from nasm.isa.generation import Generation
from nasm.isa.implicit_kinds import CoreState, EngineValue, Here, RoundingOf
from nasm.isa.instruction import InstructionContext, Operand, Row
from nasm.isa.kinds import Kind
from nasm.views.view import Reg, View

NONE = frozenset[str]()
"""The one that shapes have in common, most of which have no footprint but their views."""

Place = tuple[Operand, int, int]
"""An operand, its position in the row, and that among the arguments or the results."""


class Shape:
    """What follows from a row, an engine, and operands but for their addresses and data.

    ``arguments`` are what the semantics take; those of ``reading`` are filled in for each
    instruction. ``writing`` are the results, ``held`` the names of those that stay in the engine,
    ``registers`` those that addresses depend on. ``exact`` are the operands whose footprint is
    just the view that the program writes. One that ``acts`` changes what the core holds and nothing
    else, and what its semantics take is the same for all instructions of a queue.
    """

    __slots__ = ("acts", "arguments", "context", "cost", "domain", "exact", "held", "reading",
                 "registers", "row", "writing")  # fmt: skip

    def __init__(self, row: Row, context: InstructionContext) -> None:
        self.row, self.context = row, context
        self.domain = row.domain.answer(context)
        self.cost: Cost = row.cost.answer(context)
        self.arguments, self.reading = arguments_of(row, context)
        self.writing: tuple[Place, ...] = tuple(
            (operand, row.position[operand.name], at) for at, operand in enumerate(row.writes)
        )
        self.held = tuple(o.kind.name for o in row.writes if isinstance(o.kind, EngineValue))
        self.registers = registers_of(context.operands.values())
        self.acts = row.acts and all(
            isinstance(operand.kind, CoreState | Here) for operand, *_ in self.reading
        )
        exact = (
            o.name
            for o in row.operands
            if o.footprint is not None and o.footprint(context) == (context.operands[o.name],)
        )
        self.exact = frozenset(exact) or NONE


def arguments_of(row: Row, context: InstructionContext) -> tuple[list[Any], tuple[Place, ...]]:
    """What the semantics take, and the places of what each instruction fills in itself."""
    arguments: list[Any] = []
    reading: list[Place] = []
    for operand in row.reads:
        value = context.operands[operand.name]
        if _varies(operand, value):
            reading.append((operand, row.position[operand.name], len(arguments)))
        elif type(operand.kind).for_semantics is not Kind.for_semantics:
            value = operand.kind.for_semantics(value, context)
        arguments.append(value)
    return arguments, tuple(reading)


def _varies(operand: Operand, value: object) -> bool:
    """Whether an argument is read from somewhere, or is data, or says where something is."""
    if isinstance(operand.kind, EngineValue | CoreState | Here | RoundingOf):
        return True
    if type(value) is float:
        return operand.data
    first = value[0] if type(value) is tuple and value else value
    return type(first) in (View, Reg)


def registers_of(operands: Any) -> tuple[int, ...]:
    """The registers that addresses depend on, each once."""
    found: list[int] = []
    for operand in operands:
        if type(operand) is View and operand.dynamic:
            found += [d.register for d in operand.dynamic if d.register not in found]
    return tuple(found)


class Shapes:
    """The shapes of a program's instructions, by what they follow from."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self._known: dict[tuple[Any, ...], Shape] = {}
        self._costs: dict[Cost, Cost] = {}

    def of(
        self,
        row: Row,
        operands: tuple[object, ...],
        engine: str,
        context: InstructionContext | None = None,
    ) -> Shape:
        """The shape of an instruction; ``context`` is its own, if it has been made."""
        key = signature(row, engine, operands)
        found = self._known.get(key)
        if found is None:
            made = context or InstructionContext.of(row, operands, engine, self.generation)
            found = self._known[key] = Shape(row, made)
            found.cost = self._costs.setdefault(found.cost, found.cost)
        return found

    def known(self, row: Row, operands: tuple[object, ...], engine: str) -> Shape | None:
        """The shape of an instruction, if another one had it."""
        return self._known.get(signature(row, engine, operands))


def signature(row: Row, engine: str, operands: tuple[object, ...]) -> tuple[Any, ...]:
    """What the shape of an instruction follows from: of a view all but its offset."""
    key: list[Any] = [row.name, engine]
    data = row.data
    for at, value in enumerate(operands):
        kind = type(value)
        if kind is View:
            view: View = value  # type: ignore[assignment]
            tensor = view.tensor
            if view.dynamic or view.offsets is not None:
                key.append(view)
            else:
                first = view.partition + (tensor.partition or 0)
                key += (view.shape, view.steps, view.dtype.name, tensor.memory.name, first)
        elif kind is float and at in data:
            key.append((kind, not value))  # rules may ask whether it is 0
        elif kind is float:
            key.append(value.hex())  # type: ignore[attr-defined]  # tells 0.0 from -0.0 and 0
        elif kind is bool:
            key.append((kind, value))
        else:
            key.append(value)
    return tuple(key)
