"""The views that an instruction reads and writes, before anything is known of their places."""

from __future__ import annotations

from typing import NamedTuple

from nasm.base.problems import Refused
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.effects import MOVING, ONTO, RankExchange, Rendezvous, Transfer, moved
from nasm.isa.generation import Generation
from nasm.isa.list_kinds import views
from nasm.program.footprint.layout import Regions
from nasm.program.footprint.reach import located
from nasm.program.footprint.traits import Footprint, Traits, here
from nasm.program.program import Instruction
from nasm.program.shapes import Shape
from nasm.views.regions import Region
from nasm.views.view import Reg, View


class MovedViews(NamedTuple):
    """What is moved apart from the queue: by a transfer, or while cores meet.

    A transfer that ``adds`` does so to what it writes. Both are one object if it is not known which
    of them is read, and which written. What cores that meet only ``name`` is neither: others come
    before and after it.
    """

    reads: tuple[View, ...]
    writes: tuple[View, ...]
    meets: bool = False
    adds: bool = False
    name: bool = False


class InstructionViews(NamedTuple):
    """What an instruction touches; ``taken`` and ``left`` are registers it reads and writes.

    It is ``plain`` if it has neither these nor anything moved, and all views are where they say.
    """

    reads: tuple[View, ...]
    writes: tuple[View, ...]
    moved: MovedViews | None = None
    taken: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    plain: bool = False

    @property
    def all_writes(self) -> tuple[View, ...]:
        """What it writes, by whatever means."""
        moved = self.moved
        return self.writes if moved is None or moved.name else (*self.writes, *moved.writes)


class TouchedViews:
    """What the instructions of a program touch, each looked at once."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self.regions = Regions()
        self._traits: dict[tuple[Shape, int], Traits] = {}
        self._known: dict[tuple[Instruction, int], InstructionViews] = {}

    def of(self, instruction: Instruction, engine: str, core: int) -> InstructionViews:
        """What an instruction of an engine touches."""
        key = instruction, core
        found = self._known.get(key)
        if found is None:
            shape = instruction.shape(engine, self.generation)
            traits = self._traits.get((shape, core))
            if traits is None:
                traits = self._traits[shape, core] = Traits(shape, core)
            found = self._known[key] = _read(shape, traits, instruction)
        return found

    def region(self, view: View) -> Region:
        """The bytes that a view touches, or may touch; its tensor has its place."""
        return located(self.regions, view)


_new = tuple.__new__
"""Makes a record of all its fields: twice as fast as by their names."""


def _read(shape: Shape, traits: Traits, instruction: Instruction) -> InstructionViews:
    operands = instruction.operands
    if traits.plain:
        read = tuple([operands[at] for at, _ in traits.reads])
        written = tuple([operands[at] for at, _ in traits.writes])
        return _new(InstructionViews, (read, written, None, (), (), True))
    reads = _views(traits.reads, shape, operands)
    if traits.tile is not None:
        named = (view.offsets for operand in operands for view in _named(operand))
        reads += tuple([offsets.tile for offsets in named if offsets is not None])
    writes = _views(traits.writes, shape, operands)
    effect, apart = None, None
    if instruction.row.effect in MOVING:
        effect = _effect(traits, operands)
        exchange = effect.exchange if isinstance(effect, Rendezvous) else None
        if (exchange is not None and exchange.direct) or isinstance(effect, RankExchange):
            out, into = moved(effect)
            reads, writes = (*reads, *out), (*writes, *into)
        else:
            apart = _moved(effect, instruction)
    return InstructionViews(
        reads,
        writes,
        apart,
        (*_registers(operands, traits.registers), *shape.registers),
        _registers(operands, traits.stored),
    )


def _views(
    places: list[tuple[int, Footprint | None]], shape: Shape, operands: tuple[object, ...]
) -> tuple[View, ...]:
    found: list[View] = []
    for position, footprint in places:
        if footprint is None:
            found.append(operands[position])  # type: ignore[arg-type]
        else:
            found += footprint(here(shape.context, operands))
    return tuple(found)


def _moved(made: object, instruction: Instruction) -> MovedViews | None:
    """What moves apart from the queue; ``made`` is what the semantics return."""
    if isinstance(made, Transfer):
        return MovedViews(*moved(made), adds=made.op == ONTO)
    if isinstance(made, Rendezvous) and made.exchange is not None:
        return MovedViews(*moved(made), meets=True)
    every = tuple([view for operand in instruction.operands for view in _named(operand)])
    meets = instruction.row.effect is Rendezvous
    return MovedViews(every, every, meets=meets, name=isinstance(made, Rendezvous))


def _effect(traits: Traits, operands: tuple[object, ...]) -> object:
    """What the semantics return; None if only a run knows."""
    if traits.blind or traits.registers:
        return None
    arguments = traits.arguments.copy()
    for position, at in traits.constants:
        arguments[at] = operands[position]
    try:
        return traits.row.semantics(*arguments)
    except Refused:
        return None


def _registers(operands: tuple[object, ...], places: list[tuple[int, int]]) -> tuple[int, ...]:
    if not places:
        return ()
    found = (operands[position] for position, _ in places)
    return tuple(register.number for register in found if isinstance(register, Reg))


def _named(operand: object) -> tuple[View, ...]:
    if isinstance(operand, DeclaredTransfer):
        return tuple(view for pair in operand.moves for view in pair)
    return views(operand)
