"""All lines of a program that read or write some bytes, or post or wait for a semaphore."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from nasm.analysis.flow import written_registers
from nasm.analysis.summary import instruction_text
from nasm.base.problems import Refused, clean
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.isa.effects import Clear
from nasm.isa.instruction import InstructionContext
from nasm.isa.list_kinds import views
from nasm.machine.writers import read, written
from nasm.program.program import Instruction
from nasm.views.regions import Region, intersect
from nasm.views.view import Reg, View

if TYPE_CHECKING:
    from nasm.debugger.engines.future_posts import ProgramFlows
    from nasm.machine import Machine
    from nasm.runs.inspection import Inspection

_REGISTER = re.compile(r"(?:@?([\w.]+)[. ]\s*)?%r(\d+)")

READS, WRITES, POSTS, WAITS, CLEARS = "reads", "writes", "posts", "waits", "clears"


@dataclass(frozen=True, slots=True, repr=False)
class LineUse:
    """A line of a queue that uses something: ``does`` says how, ``pcs`` are its instructions.

    ``amount`` is what a post does to a semaphore, or what a wait wants of it. ``text`` is the first
    of the instructions. It has ``completed`` so many times, all of them together; one that
    ``loops`` may do so any number of times. With ``perhaps`` an address that is known only when it
    runs decides.
    """

    engine: str
    queue: int
    pcs: tuple[int, ...]
    span: Span | None
    does: str
    amount: str
    text: str
    completed: int
    loops: bool
    perhaps: bool = False

    def __repr__(self) -> str:
        return clean(f"<{self.engine} pc {self.pcs[0]} {self.does}: {self.text}>")


UseKind = tuple[str, str, bool]
"""What an instruction does, how much, and whether that is decided when it runs."""


def uses(held: Inspection, flows: ProgramFlows, text: str) -> tuple[LineUse, ...]:
    """Who uses a tensor or slice, a ``$semaphore`` or a register; raises Failure or Refused."""
    machine, text = held.machine, held.spelled(text.strip())
    register = _REGISTER.fullmatch(text)
    if register is not None:
        of = [held.queue(register[1])] if register[1] else machine.scheduler.queues
        number = int(register[2][:9])
        return of_register(machine, flows, number, [queue.index for queue in of])
    if text.startswith("$"):
        return of_semaphore(machine, flows, held.semaphore(text))
    view = held.view(text)
    found = of_view(machine, flows, view)
    memory = view.tensor.memory
    if memory.numbered and not found:
        message = (
            f"who uses {view.tensor.name} is not known: instructions reach {memory.name} by address"
        )
        raise Refused("E0822", message, f"'watch {view.tensor.name}' stops where it changes")
    return found


def of_view(machine: Machine, flows: ProgramFlows, view: View) -> tuple[LineUse, ...]:
    """Who reads and writes any byte of a view, queue by queue in order."""
    wanted = machine.addresses.region(view)
    area, program = machine.state.areas[view.tensor.index], machine.program
    known: dict[int, tuple[UseKind, ...]] = {}

    def does(queue: int, pc: int) -> tuple[UseKind, ...]:
        number = program.queues[queue].instructions[pc]
        if number not in known:
            known[number] = tuple(_touches(machine, program.instructions[number], area, wanted))
        return known[number]

    return _folded(machine, flows, does)


def _touches(
    machine: Machine, instruction: Instruction, area: int, wanted: Region
) -> Iterator[UseKind]:
    for does, operands in ((READS, read(instruction)), (WRITES, written(instruction))):
        near = [v for v in operands if machine.state.areas[v.tensor.index] == area]
        exact = [v for v in near if not v.dynamic and v.offsets is None]
        if any(_overlaps(machine, _footprint(machine, instruction, v), wanted) for v in exact):
            yield does, "", False
        elif any(
            _overlaps(machine, (View.whole(v.tensor),), wanted) for v in near if v not in exact
        ):
            yield does, "", True


def _overlaps(machine: Machine, touched: Iterable[View], wanted: Region) -> bool:
    return any(intersect((machine.addresses.region(view),), (wanted,)) for view in touched)


def _footprint(machine: Machine, instruction: Instruction, view: View) -> tuple[View, ...]:
    """The views that an instruction really touches where a program writes one."""
    row = instruction.row
    operand = next((o for o in row.operands if instruction.operand(o.name) is view), None)
    if operand is None or operand.footprint is None:
        return (view,)
    generation = machine.program.generation
    return operand.footprint(
        InstructionContext.of(row, instruction.operands, row.engines[0], generation)
    )


def of_semaphore(machine: Machine, flows: ProgramFlows, number: int) -> tuple[LineUse, ...]:
    """The lines that post and wait for a semaphore or event, queue by queue in order."""
    program = machine.program
    waits = {
        n: f"{w.op} {w.value}"
        for n, w in enumerate(program.waits)
        if w is not None and w.semaphore == number
    }
    posts = flows.changing.pcs(number)
    changing = {queue: frozenset(pcs) for queue, pcs in posts.items()}

    def does(queue: int, pc: int) -> tuple[UseKind, ...]:
        lines, found = program.queues[queue], []
        if lines.waits[pc] in waits:
            found.append((WAITS, waits[lines.waits[pc]], False))
        if pc in changing.get(queue, ()):
            update = program.updates[lines.updates[pc]]
            if update is not None and update.semaphore == number:
                sign = "" if update.op == "=" else "-" if update.value < 0 else "+"
                amount = f"{sign}= {abs(update.value)}"
                found.append((POSTS, amount + (" at its start" if update.at_read else ""), False))
            elif program.instruction(queue, pc).row.effect is Clear:
                found.append((CLEARS, "= 0", False))
        return tuple(found)

    return _folded(machine, flows, does)


def of_register(
    machine: Machine, flows: ProgramFlows, register: int, queues: Iterable[int]
) -> tuple[LineUse, ...]:
    """Who of some queues reads or sets a register of its engine."""
    program, wanted = machine.program, frozenset(queues)

    def does(queue: int, pc: int) -> Sequence[UseKind]:
        if queue not in wanted:
            return ()
        instruction, found = program.instruction(queue, pc), list[UseKind]()
        if register in _read_registers(instruction):
            found.append((READS, "", False))
        if register in written_registers(instruction):
            found.append((WRITES, "", False))
        return found

    return _folded(machine, flows, does)


def _read_registers(instruction: Instruction) -> set[int]:
    """The registers that an instruction reads, those in addresses too."""
    found: set[int] = set()
    for operand, value in zip(instruction.row.operands, instruction.operands, strict=True):
        if isinstance(value, Reg) and operand.access != "w":
            found.add(value.number)
        found |= {moved.register for view in views(value) for moved in view.dynamic}
    return found


def _folded(
    machine: Machine, flows: ProgramFlows, does: Callable[[int, int], Sequence[UseKind]]
) -> tuple[LineUse, ...]:
    """The instructions of each line that do the same, as one."""
    program, made = machine.program, []
    for queue, lines in enumerate(program.queues):
        found: dict[tuple[int, UseKind], list[int]] = {}
        for pc in range(len(lines)):
            for one in does(queue, pc):
                found.setdefault((lines.spans[pc] or -1 - pc, one), []).append(pc)
        completed = machine.summary.completed(queue) if found else ()
        flow = flows.flow(queue) if found else None
        for (_, (how, amount, perhaps)), pcs in found.items():
            assert flow is not None
            made.append(
                LineUse(
                    program.queue_name(queue),
                    queue,
                    tuple(pcs),
                    program.span(queue, pcs[0]),
                    how,
                    amount,
                    instruction_text(machine, queue, pcs[0]),
                    sum(int(completed[pc]) for pc in pcs),
                    any(flow.in_loop(pc) for pc in pcs),
                    perhaps,
                )
            )
    return tuple(made)
