"""Loops that never end: found where a program is checked, or as soon as one is entered.

A loop is *closed* if it can be left by no branch, or only by some that compare registers which
nothing in the loop changes: what they decide once, they decide in every round. One that waits for
what others post, or for another core, is not looked at: those may hold it up.
"""

from __future__ import annotations

from nasm.analysis.flow import (
    Flow,
    FlowLoop,
    compared_registers,
    decided_by_core,
    written_registers,
)
from nasm.analysis.straight_run import Sequencer, walk
from nasm.base.problems import Failure, Note, Problem, listed
from nasm.base.records import dataclass
from nasm.isa.effects import Clear, RankExchange, Rendezvous
from nasm.machine.machine import Machine
from nasm.machine.state import Registers
from nasm.program.program import Program
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.view import Reg

ENDLESS = "E0519"


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed loop of a queue; ``registers`` are those that its exits compare."""

    flow: Flow
    loop: FlowLoop
    registers: tuple[int, ...]

    @property
    def branches(self) -> list[int]:
        """The branches of the loop, by pc."""
        last = (self.flow.last(block) for block in sorted(self.loop.blocks))
        return [pc for pc in last if pc in self.flow.branches]

    def stays(self, sequencer: Sequencer) -> bool:
        """Whether no exit is taken as the registers are."""
        for pc in self.loop.exits:
            taken = sequencer.taken(pc)
            if taken is None:
                return False
            after = self.flow.branches[pc].target if taken else pc + 1
            if self.flow.block(after) not in self.loop.blocks:
                return False
        return True


MEETING = (Rendezvous, RankExchange)
"""Effects of what may wait for another core or rank."""


def closed_loops(program: Program, flow: Flow) -> list[Closed]:
    """The closed loops of a queue, the inner ones first."""
    found = []
    for loop in flow.loops:
        pcs = [pc for block in loop.blocks for pc in flow.pcs(block)]
        instructions = [program.instruction(flow.queue, pc) for pc in pcs]
        compared = {
            register
            for pc in loop.exits
            for register in compared_registers(program.instruction(flow.queue, pc))
        }
        changed = {register for one in instructions for register in written_registers(one)}
        meets = any(one.row.effect in MEETING or decided_by_core(one) for one in instructions)
        if compared & changed or meets or _blocked_by(program, flow.queue, pcs):
            continue
        found.append(Closed(flow, loop, tuple(sorted(compared))))
    return found[::-1]


def _blocked_by(program: Program, queue: int, pcs: list[int]) -> bool:
    """Whether some instructions of a queue wait for what another queue updates."""
    lines = program.queues[queue]
    waits = (program.waits[lines.waits[pc]] for pc in pcs)
    awaited = {wait.semaphore for wait in waits if wait is not None}
    if not awaited:
        return False
    for index, other in enumerate(program.queues):
        if index == queue:
            continue
        updates = (program.updates[n] for n in set(other.updates))
        if any(update is not None and update.semaphore in awaited for update in updates):
            return True
        if any(program.instructions[n].row.effect is Clear for n in set(other.instructions)):
            return True
    return False


class Endless(Observer):
    """Ends a run that enters a closed loop which it can never leave.

    ``watched`` are the branches of closed loops, by queue and pc: there is nothing to observe if
    there are none.
    """

    def __init__(self, program: Program, registers: list[Registers]) -> None:
        self.program = program
        self.watched: dict[tuple[int, int], list[Closed]] = {}
        self._sequencers: dict[int, Sequencer] = {}
        for queue, lines in enumerate(program.queues):
            if not lines.labels:
                continue
            for closed in closed_loops(program, Flow(program, queue)):
                self._sequencers[queue] = Sequencer(program, queue, registers[queue])
                for pc in closed.branches:
                    self.watched.setdefault((queue, pc), []).append(closed)

    @classmethod
    def watch(cls, machine: Machine) -> None:
        """Observe the run of a machine, if there is anything to observe."""
        made = cls(machine.program, machine.state.registers)
        if made.watched and machine.program.target.expand is None:
            machine.scheduler.observe(made)

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """A branch of a closed loop is about to decide."""
        for closed in self.watched.get((queue.index, queue.pc), ()):
            on_the_way = {
                register
                for flying in queue.flight
                for register in written_registers(self.program.instruction(queue.index, flying.pc))
            }
            sequencer = self._sequencers[queue.index]
            if on_the_way.isdisjoint(closed.registers) and closed.stays(sequencer):
                at = f" (at {now / self.program.generation.ticks:.3f} µs)"
                raise Failure(problem(self.program, closed, sequencer, at))


def endless(program: Program) -> list[Problem]:
    """The loops of a program that are certainly entered and never left: one for each queue."""
    found = []
    for queue, lines in enumerate(program.queues):
        if lines.labels:
            flow = Flow(program, queue)
            loops = closed_loops(program, flow)
            if loops:
                found += _entered(program, flow, loops)
    return found


def _entered(program: Program, flow: Flow, loops: list[Closed]) -> list[Problem]:
    """The closed loop that a queue certainly enters, if there is one."""
    sequencer, stopped = Sequencer(program, flow.queue), 0
    for _, stop in walk(flow, 0, sequencer):
        stopped = stop
        for closed in loops:
            if stop - 1 in closed.branches and closed.stays(sequencer):
                return [problem(program, closed, sequencer)]
    block = flow.block(stopped)
    behind = flow.reachable_after(block)
    without_exit = [c for c in loops if not c.loop.exits and c.loop.blocks <= behind]
    if flow.end in behind or block == flow.end or len(without_exit) != 1:
        return []
    return [problem(program, without_exit[0], sequencer)]


# -- in words


def problem(program: Program, closed: Closed, sequencer: Sequencer, at: str = "") -> Problem:
    """The report on a loop that never ends."""
    flow, queue = closed.flow, closed.flow.queue
    head = flow.starts[min(closed.loop.blocks)]
    back = _back(closed, head)
    name = program.queue_name(queue)
    who = program.instruction_name(queue, back)
    if head == back and not closed.loop.exits:
        message = f"{who} branches to itself, and never ends{at}"
    elif not closed.loop.exits:
        message = f"{_lines(program, closed)} of {name} has no way out{at}"
    else:
        message = f"{_lines(program, closed)} of {name} never ends: {_why(closed, sequencer)}{at}"
    notes = []
    if head != back:
        notes.append(Note("the loop begins here", program.span(queue, head), excerpt=True))
    notes += _setters(program, closed)
    return Problem(
        ENDLESS, message, program.span(queue, back), _hint(program, closed), tuple(notes)
    )


def _back(closed: Closed, head: int) -> int:
    """The branch that ends a round: an exit if there is one, or the last that leads back."""
    branches = closed.flow.branches
    back = [pc for pc in closed.branches if branches[pc].target == head]
    exits = [pc for pc in closed.loop.exits if pc in back] or list(closed.loop.exits)
    return max(exits or back or closed.branches)


def _lines(program: Program, closed: Closed) -> str:
    """A loop by its lines."""
    flow = closed.flow
    pcs = [pc for block in closed.loop.blocks for pc in flow.pcs(block)]
    spans = [program.span(flow.queue, pc) for pc in pcs]
    lines = [span.line for span in spans if span is not None]
    if not lines:
        return f"the loop from pc {min(pcs)} to {max(pcs)}"
    if min(lines) == max(lines):
        return f"the loop of line {min(lines)}"
    return f"the loop from line {min(lines)} to {max(lines)}"


def _why(closed: Closed, sequencer: Sequencer) -> str:
    values = sequencer.registers.values
    held = [f"{Reg(n)}, which is {values[n]}" for n in closed.registers]
    return f"nothing in it changes {listed(held, 'and')}"


def _setters(program: Program, closed: Closed) -> list[Note]:
    """Where the registers that the exits compare are set, if that is at one place."""
    notes, lines = [], program.queues[closed.flow.queue].instructions
    for register in closed.registers:
        setting = {n for n in set(lines) if register in written_registers(program.instructions[n])}
        pcs = [pc for pc, n in enumerate(lines) if n in setting]
        if len(pcs) == 1:
            span = program.span(closed.flow.queue, pcs[0])
            notes.append(Note(f"{Reg(register)} is set here alone", span, excerpt=True))
    return notes


def _hint(program: Program, closed: Closed) -> str:
    if not closed.registers:
        return "let a branch that compares a register lead out of it"
    names = listed((str(Reg(n)) for n in closed.registers), "or")
    hint = f"change {names} in the loop, or compare a register that changes there"
    here = program.queues[closed.flow.queue].core
    others = [
        program.queue_name(n)
        for n, lines in enumerate(program.queues)
        if n != closed.flow.queue
        and lines.core == here
        and any(
            set(written_registers(program.instructions[i])) & set(closed.registers)
            for i in set(lines.instructions)
        )
    ]
    if others:
        hint += f"; each engine has its own registers: those that {listed(others, 'and')} "
        hint += f"{'sets' if len(others) == 1 else 'set'} are others"
    return hint
