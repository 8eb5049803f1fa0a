"""What the instructions of a program touch, whatever a run would make of them.

An address that only a run knows counts as all of its tensor. What an engine holds is a place of
its own, as a register is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from nasm.base.problems import Refused
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.effects import COPY, MOVING, ONTO, Clear, Jump, Rendezvous, Transfer, moved
from nasm.isa.list_kinds import views
from nasm.machine.machine import Machine
from nasm.machine.outlines import Outline
from nasm.program.footprint.traits import Footprint, Traits, here
from nasm.program.program import Instruction
from nasm.program.shapes import Shape
from nasm.views.regions import REGISTERS, Region
from nasm.views.view import View

T = TypeVar("T")

STATE_PREFIX = "held."
"""How the place begins of what an engine holds."""


class Touched(NamedTuple):
    """What an instruction reads and writes, its transfer included.

    ``registers`` and ``held`` are those of its queue, as regions, read and written.
    """

    reads: tuple[View, ...] = ()
    writes: tuple[View, ...] = ()
    taken: tuple[Region, ...] = ()
    left: tuple[Region, ...] = ()


class Touches:
    """Asks a machine, which need have no values, what instructions touch."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.program = machine, machine.program
        self._known: dict[tuple[int, int], Touched] = {}
        self._held: dict[str, int] = {}

    def of(self, queue: int, pc: int) -> Touched:
        """What the instruction at a pc of a queue touches."""
        number = self.program.queues[queue].instructions[pc]
        found = self._known.get((queue, number))
        if found is None:
            shape = self.machine.tasks[queue].shape_at(pc)
            found = self._touched(queue, self.program.instructions[number], shape)
            self._known[queue, number] = found
        return found

    def regions(self, found: Iterable[View]) -> list[Region]:
        """The bytes of some views."""
        return list(map(self.machine.addresses.region, found))

    def written(self, queue: int, pc: int) -> list[str]:
        """What an instruction writes to, by name."""
        found = self.of(queue, pc)
        held = {number: name for name, number in self._held.items()}
        names = [view.tensor.name for view in found.writes]
        for region in found.left:
            register = region.place.startswith(REGISTERS)
            names.append(f"%r{region.low // 4}" if register else f"the {held[region.low]}")
        return list(dict.fromkeys(names))

    def target(self, queue: int, pc: int) -> Jump | None:
        """Where a branch goes that depends on nothing; None if it does, or is no branch."""
        shape = self.machine.shape(queue, pc)
        if shape.row.effect is not Jump:
            return None
        traits = Traits(shape, self.program.queues[queue].core)
        if traits.registers or traits.blind:
            return None
        found = self._outline(queue, traits, self.program.instruction(queue, pc)).values()
        return found if isinstance(found, Jump) else None

    def meeting(self, queue: int, pc: int) -> tuple[object, ...] | None:
        """What a rendezvous is matched by; None of all other instructions."""
        instruction = self.program.instruction(queue, pc)
        if instruction.row.effect is not Rendezvous:
            return None
        traits = Traits(self.machine.shape(queue, pc), self.program.queues[queue].core)
        found = self._outline(queue, traits, instruction).values()
        return instruction.row.name, found.cores, found.by

    def clears(self, queue: int, pc: int) -> bool:
        """Whether an instruction sets semaphores to 0, besides what it updates."""
        return self.program.instruction(queue, pc).row.effect is Clear

    def copies(self, queue: int, pc: int) -> Iterator[tuple[View, View]]:
        """Where a transfer copies to, each with where from; nothing of one that does more."""
        traits = Traits(self.machine.shape(queue, pc), self.program.queues[queue].core)
        try:
            effect = self._outline(queue, traits, self.program.instruction(queue, pc)).values()
        except Refused:
            return
        if isinstance(effect, Transfer) and effect.op == COPY and not effect.axes:
            yield from ((dst, src) for dst, src in effect.moves)

    def _outline(self, queue: int, traits: Traits, instruction: Instruction) -> Outline:
        machine = self.machine
        registers, engine = machine.state.registers[queue], machine.state.engines[queue]
        return Outline(traits, instruction.operands, registers, engine, machine.findings, 0)

    def _touched(self, queue: int, instruction: Instruction, shape: Shape) -> Touched:
        row, operands = instruction.row, instruction.operands
        traits = Traits(shape, self.program.queues[queue].core)
        reads = [v.offsets.tile for o in operands for v in views(o) if v.offsets is not None]
        writes = []
        for position, footprint in traits.reads:
            reads += _views(operands, position, footprint, shape)
        for position, footprint in traits.writes:
            into = _views(operands, position, footprint, shape)
            writes += into
            adds = row.operands[position].adds
            if adds and instruction.operand(adds):
                reads += into
        if row.effect in MOVING:
            more, into = self._moved(queue, traits, instruction)
            reads += more
            writes += into
        region = self.machine.state.registers[queue].region
        taken = [region(operands[p].number) for p, _ in traits.registers]  # type: ignore[attr-defined]
        taken += [region(register) for register in shape.registers]
        taken += [self._engine(queue, name) for name in traits.states]
        left = [region(operands[p].number) for p, _ in traits.stored]  # type: ignore[attr-defined]
        left += [self._engine(queue, name) for name in traits.held]
        return Touched(_each(reads), _each(writes), _each(taken), _each(left))

    def _moved(
        self, queue: int, traits: Traits, instruction: Instruction
    ) -> tuple[list[View], list[View]]:
        """What a transfer or an exchange reads and writes."""
        try:
            if traits.registers:
                raise Refused("E0518", "it depends on a register")
            effect = self._outline(queue, traits, instruction).values()
        except Refused:
            every = [all_of(v) for operand in instruction.operands for v in _named(operand)]
            return every, every
        out, into = (list(map(all_of, found)) for found in moved(effect))
        adds = isinstance(effect, Transfer) and effect.op == ONTO
        return out + (into if adds else []), into

    def _engine(self, queue: int, name: str) -> Region:
        at = self._held.setdefault(name, len(self._held))
        return Region(f"{STATE_PREFIX}{queue}", (0, 1, 1), at, at + 1, at, (), 1)


def _each(found: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(found))


def _named(operand: object) -> tuple[View, ...]:
    if isinstance(operand, DeclaredTransfer):
        return tuple(view for pair in operand.moves for view in pair)
    return views(operand)


def all_of(view: View) -> View:
    """A view, or all of its tensor if only a run knows which part of it that is."""
    return View.whole(view.tensor) if view.dynamic or view.offsets is not None else view


def _views(
    operands: tuple[object, ...], position: int, footprint: Footprint | None, shape: Shape
) -> list[View]:
    view = operands[position]
    assert isinstance(view, View)
    if view.dynamic or view.offsets is not None or footprint is None:
        return [all_of(view)]
    return [all_of(v) for v in footprint(here(shape.context, operands))]
