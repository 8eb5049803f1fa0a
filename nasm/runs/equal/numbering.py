"""Numbers the values of a program's run, which computes none: what each instruction makes of what.

An observer of a run without values. Where a run is free of races what conflicts is in one order
whatever the durations; so each instruction can be taken as a whole when it starts, and each
transfer when it is issued. Members of a meeting are taken together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from nasm.base.problems import Failure, Refused
from nasm.isa.effects import COPY, ONTO, Clear, Exchange, Jump, Rendezvous, Say, Transfer
from nasm.isa.implicit_kinds import (
    JOINED,
    KEPT,
    READ,
    CoreState,
    EngineValue,
    Here,
    Implicit,
    LanesOf,
)
from nasm.isa.instruction import Operand
from nasm.isa.ranges import HIGH, LOW, Unknown
from nasm.machine.dynamic_addresses import resolved
from nasm.machine.machine import Machine
from nasm.machine.outlines import Outline
from nasm.program.footprint.traits import Footprint, Traits, here
from nasm.program.program import Instruction
from nasm.program.shapes import Shape
from nasm.runs.equal.numbered_values import (
    ActingInstruction,
    NumberedValues,
    numbers_from,
    one_number,
)
from nasm.runs.equal.spelled import outline, pattern, spelled
from nasm.runs.equal.value_numbers import UNNUMBERED, Read, Tokens, ValueNumbers
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.tensor import Tensor
from nasm.views.view import Reg, View

ANY = LOW, HIGH
"""What a register may hold that is not known."""


class Numbering(Observer):
    """Follows the values of one run, by their numbers.

    ``values`` are what it has so far. ``sums`` are transfers that add to what is there, by queue
    and number of the instruction.
    """

    CACHES = ("_shapes", "_traits")

    def __init__(self, machine: Machine, numbers: ValueNumbers, unit: int) -> None:
        self.machine, self.program, self.numbers = machine, machine.program, numbers
        self.values = NumberedValues(machine, numbers, unit)
        self.sums: list[tuple[int, int]] = []
        self._states: dict[tuple[int, str], int] = {}
        self._traits: dict[tuple[Shape, int], Traits] = {}
        self._shapes: dict[tuple[int, Instruction], Shape] = {}
        self._meeting: list[int] = []
        self._met: set[int] = set()
        self._started = [0 for _ in self.program.queues]
        for tensor in self.program.tensors.values():
            self._begin(tensor)

    def _begin(self, tensor: Tensor) -> None:
        """What a tensor holds before the run: an input by its name, a constant by what it is."""
        given = tensor.role in ("input", "inout")
        if not given and tensor.init is None:
            return
        what: Hashable = ("input", tensor.name)
        if not given:
            what = "constant", spelled(tensor.init)
        place = self.values.memory.window(View.whole(tensor))
        made = self.numbers.define((what, tensor.dtype.name, tensor.shape), place.size)
        place[...] = numbers_from(made, place)

    def output(self, tensor: Tensor) -> Tokens:
        """The value numbers of a tensor, as they are now."""
        return self.values.memory.window(View.whole(tensor))

    # -- events

    def met(self, queues: Sequence[int]) -> None:
        """The next tasks of these queues start together."""
        self._meeting = list(queues)

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """An instruction starts."""
        index = self._started[queue.index]
        self._started[queue.index] = index + 1
        try:
            if queue.index in self._met:
                self._met.discard(queue.index)
            elif queue.index in self._meeting:
                self._met = set(self._meeting) - {queue.index}
                members = [self.machine.scheduler.queues[number] for number in self._meeting]
                self._meeting = []
                self._exchange([self._acting(member.index, member.pc) for member in members])
            else:
                self._instruction(self._acting(queue.index, queue.pc), index)
        except Refused as refused:
            raise Failure(refused.at(self.program.span(queue.index, queue.pc))) from None

    def _acting(self, queue: int, pc: int) -> ActingInstruction:
        if type(pc) is not int:
            raise Refused(UNNUMBERED, "instructions that expand to others are not compared")
        instruction = self.program.instruction(queue, pc)
        shape = self.machine.tasks[queue].shape_at(pc)
        if not shape.registers:
            return ActingInstruction(queue, pc, shape, instruction.operands)
        values = self.machine.state.registers[queue].values
        held = {n: ANY if isinstance(values[n], Unknown) else values[n] for n in shape.registers}
        operands = tuple(resolved(operand, held) for operand in instruction.operands)
        engine = self.program.queues[queue].engine
        return ActingInstruction(
            queue, pc, self.machine.shapes.of(shape.row, operands, engine), operands
        )

    def _of(self, acting: ActingInstruction) -> Traits:
        key = acting.shape, self.program.queues[acting.queue].core
        found = self._traits.get(key)
        if found is None:
            found = self._traits[key] = Traits(*key)
        return found

    def _instruction(self, acting: ActingInstruction, index: int) -> None:
        effect = acting.shape.row.effect
        if effect is None:
            self._computed(acting)
        elif effect is Transfer:
            self._transfer(acting, index)
        elif effect is Rendezvous:
            self._exchange([acting])
        elif effect not in (Jump, Say, Clear):
            raise Refused(UNNUMBERED, f"what {acting.shape.row.name} does is not compared")

    # -- what engines compute

    def _computed(self, acting: ActingInstruction) -> None:
        traits, shape = self._of(acting), acting.shape
        row, what, reads = shape.row, list[Hashable](), list[Read]()
        for operand, value in zip(row.operands, acting.operands, strict=True):
            what.append(self._operand(acting, operand, value, reads))
        for position, footprint in traits.reads:
            for view in _views(acting, position, footprint):
                self.values.read(acting, reads, row.operands[position].name, view)
        targets = list(self._targets(acting, traits))
        for operand, view in targets:
            adds = bool(operand.adds and acting.operands[row.position[operand.adds]])
            if adds or operand.partial or view.offsets is not None or view.dynamic:
                self.values.read(acting, reads, f"{operand.name}, as it was", view, whole=adds)
        key: Hashable = (row.name, self.program.queues[acting.queue].engine, tuple(what))
        for nth, (_, view) in enumerate(targets):
            self.values.write(acting, (key, nth), view, tuple(reads))
        for position, _ in traits.stored:
            register = acting.operands[position]
            assert isinstance(register, Reg)
            made = self.values.define(acting, (key, position), 1, tuple(reads))
            self.values.registers[acting.queue, register.number] = made
        for operand in row.writes:
            if isinstance(operand.kind, EngineValue):
                self._leave(acting, operand, operand.kind.name, key, reads)

    def _operand(
        self, acting: ActingInstruction, operand: Operand, value: object, reads: list[Read]
    ) -> Hashable:
        """What of an operand decides the result, but for the elements that are read of it."""
        kind = operand.kind
        if isinstance(kind, Implicit):
            return self._implicit(acting, operand, reads)
        if isinstance(value, Reg):
            return None if operand.access == "w" else self._register(acting, operand, value, reads)
        if isinstance(value, View):
            needs = (o.kind for o in acting.shape.row.operands if isinstance(o.kind, LanesOf))
            lanes = any(kind.operand == operand.name for kind in needs)
            return pattern(value) if operand.access == "@" else outline(value, lanes)
        return spelled(value)

    def _implicit(self, acting: ActingInstruction, operand: Operand, reads: list[Read]) -> Hashable:
        kind = operand.kind
        if isinstance(kind, CoreState):
            name = acting.shape.row.name
            raise Refused(UNNUMBERED, f"what {name} does to its core is not compared")
        if isinstance(kind, Here):
            return spelled(acting.shape.context.here(kind, self.program.queues[acting.queue].core))
        if not isinstance(kind, EngineValue) or operand not in acting.shape.row.reads:
            return None
        return self._held(acting, kind.name, reads) if self._use(acting, operand) == READ else None

    def _use(self, acting: ActingInstruction, operand: Operand) -> str:
        return READ if operand.use is None else operand.use(acting.shape.context)

    def _held(self, acting: ActingInstruction, name: str, reads: list[Read]) -> Hashable:
        """Read what the engine holds, or has from the start."""
        number = self._states.get((acting.queue, name))
        if number is None:
            return "initial", name, self.program.queues[acting.queue].core
        self.values.append(reads, name, one_number(number))
        return None

    def _leave(
        self,
        acting: ActingInstruction,
        operand: Operand,
        name: str,
        key: Hashable,
        reads: list[Read],
    ) -> None:
        """What stays in the engine."""
        use, left = self._use(acting, operand), list(reads)
        if use == KEPT:
            return
        if use == JOINED:
            key = key, self._held(acting, name, left)
        made = self.values.define(acting, (key, name), 1, tuple(left))
        self._states[acting.queue, name] = made

    def _register(
        self, acting: ActingInstruction, operand: Operand, value: Reg, reads: list[Read]
    ) -> Hashable:
        """The value of a register that is read, or the definition that it has."""
        held = self.machine.state.registers[acting.queue].values[value.number]
        if not isinstance(held, Unknown):
            return "register", held
        self.values.append(reads, operand.name, self.values.register(acting, value.number))
        return "register"

    def _targets(self, acting: ActingInstruction, traits: Traits) -> Iterator[tuple[Operand, View]]:
        for position, footprint in traits.writes:
            for view in _views(acting, position, footprint):
                yield acting.shape.row.operands[position], view

    # -- transfers and meetings

    def _effect(self, acting: ActingInstruction) -> Any:
        machine, queue = self.machine, acting.queue
        registers, engine = machine.state.registers[queue], machine.state.engines[queue]
        traits = self._of(acting)
        made = Outline(traits, acting.operands, registers, engine, machine.findings, 0)
        return made.values()

    def _transfer(self, acting: ActingInstruction, index: int) -> None:
        transfer: Transfer = self._effect(acting)
        if transfer.op == ONTO:
            self.sums.append((acting.queue, index))
        taken = [self._taken(acting, srcs) for _, *srcs in transfer.moves]
        for (dst, *srcs), tokens in zip(transfer.moves, taken, strict=True):
            self._land(acting, transfer, dst, srcs, tokens)

    def _taken(self, acting: ActingInstruction, srcs: list[View]) -> list[Read]:
        """What a move reads, before any part of its transfer has written."""
        reads: list[Read] = []
        for nth, src in enumerate(srcs):
            name = f"source {nth + 1}" if len(srcs) > 1 else "source"
            self.values.read(acting, reads, name, src)
        return [Read(read.name, read.tokens.copy(), read.digest) for read in reads]

    def _land(
        self,
        acting: ActingInstruction,
        transfer: Transfer,
        dst: View,
        srcs: list[View],
        reads: list[Read],
    ) -> None:
        """What a move leaves: a plain copy the values themselves, all else a definition."""
        fixed = not any(view.dynamic or view.offsets is not None for view in (dst, *srcs))
        if len(srcs) == 1 and srcs[0].dtype is dst.dtype and fixed and transfer.op == COPY:
            tokens = reads[0].tokens
            if transfer.axes:
                tokens = tokens.transpose((*transfer.axes, tokens.ndim - 1))
            self.values.put(dst, tokens.reshape(*dst.shape, tokens.shape[-1]))
            return
        if transfer.op == ONTO or dst.offsets is not None or dst.dynamic:
            self.values.read(acting, reads, "destination", dst, whole=transfer.op == ONTO)
        have = tuple((src.dtype.name, src.shape) for src in srcs)
        what = "transfer", transfer.op, transfer.axes, transfer.skips, have
        self.values.write(acting, what, dst, tuple(reads))

    def _exchange(self, members: list[ActingInstruction]) -> None:
        """All members of a meeting send, then all receive."""
        some = [(member, self._effect(member).exchange) for member in members]
        cores = {self.program.queues[m.queue].core: exchange for m, exchange in some}
        taken: list[tuple[ActingInstruction, Exchange, Exchange, list[Read]]] = []
        for member, exchange in some:
            if exchange is None:
                continue
            sender: Exchange | None = cores.get(exchange.source)
            if sender is None:
                raise Refused(UNNUMBERED, "what a meeting exchanges is not known")
            taken.append((member, exchange, sender, self._taken(member, [sender.src])))
        for member, exchange, sender, reads in taken:
            move = Transfer(((exchange.dst, sender.src),))
            self._land(member, move, exchange.dst, [sender.src], reads)


def _views(
    acting: ActingInstruction, position: int, footprint: Footprint | None
) -> tuple[View, ...]:
    view = acting.operands[position]
    assert isinstance(view, View)
    if footprint is None:
        return (view,)
    if view.offsets is not None or view.dynamic:
        raise Refused(UNNUMBERED, f"what is read around {view.tensor.name} depends on values")
    return footprint(here(acting.shape.context, acting.operands))
