"""What a run can be moved to: the next thing that happens, and the end of something."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from nasm.analysis.flow import Branch, Flow
from nasm.base.problems import Refused
from nasm.base.source import Frame
from nasm.debugger.moving.locations import location
from nasm.debugger.moving.stops import Met, Test
from nasm.isa.micro_instructions import Micro
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.sim.channels import Flight, Group
from nasm.sim.counters import Semaphore, Who
from nasm.sim.queues import Flying, Queue, Task


class AnyEvent(Test):
    """Whatever happens."""

    def _note(self, kind: str, text: str) -> None:
        self.meet(Met(text, kind=kind))

    def waited(self, queue: Queue, semaphore: int, by: Who | None, seen: int) -> None:
        """The wait of an instruction is over."""
        name = self.running.program.semaphore_name(semaphore)
        self._note("wait", f"{self.acting(queue.index, queue.pc)} sees ${name}: its wait is over")

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """An instruction starts."""
        self._note("start", f"{self.acting(queue.index, queue.pc)} starts")

    def arrived(self, queue: Queue, task: Task, record: int, now: int) -> None:
        """An instruction waits for other cores."""
        who = self.acting(queue.index, queue.pc)
        self._note("arrival", f"{who} has arrived, and waits for the others")

    def finished(self, queue: Queue, done: Flying) -> None:
        """An instruction completes."""
        self._note("completion", f"{self.acting(queue.index, done.pc)} completes")

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """A semaphore changes."""
        name = self.running.program.semaphore_name(number)
        by = f", by {self.acting(*semaphore.by)}" if semaphore.by is not None else ""
        self._note("post", f"${name} is {semaphore.value}{by}")

    def issued(self, flight: Flight, now: int) -> None:
        """A transfer is issued."""
        self._note("issue", f"{self.acting(*flight.origin)} issues a transfer")

    def queued(self, flight: Flight, now: int) -> None:
        """A transfer reaches its rings."""
        self._note("queued", f"the transfer of {self.acting(*flight.origin)} reaches its ring")

    def read(self, group: Group, now: int) -> None:
        """Shares start."""
        who = self.acting(*group.flight.origin)
        self._note("share", f"{_shares(group)} of the transfer of {who} start to move")

    def delivered(self, group: Group, now: int) -> None:
        """Shares land."""
        who, left = self.acting(*group.flight.origin), group.flight.left - group.count
        more = f"{left} to come" if left else "all there"
        self._note("landing", f"{_shares(group)} of the transfer of {who} land: {more}")


def of_loop(running: Execution, engine: str, whole: bool) -> Test:
    """The round of the loop that an engine is in to end, or the whole loop; raises Refused."""
    queue = running.queue(engine)
    loop = loop_around(running.program, queue.index, queue.pc)
    if loop is None:
        name = running.program.queue_name(queue.index)
        raise Refused("E0822", f"the next instruction of {name} is in no loop")
    return Left(running, queue.index, loop, whole)


def of_expansion(running: Execution, engine: str) -> Test:
    """The completion of the last instruction that one expands to; raises Refused."""
    queue = running.queue(engine)
    if type(queue.pc) is not Micro:
        name = running.program.queue_name(queue.index)
        raise Refused("E0822", f"the next instruction of {name} is not one of an expansion")
    return Expanded(running, queue)


def of_transfers(running: Execution, where: str) -> Test:
    """The landing of transfers in flight: all, or those that a location issued; raises Refused."""
    flying = running.machine.scheduler.transfers.values()
    found = location(running, where) if where else None
    keys = [f.key for f in flying if found is None or found.holds(*f.origin)]
    if not keys:
        raise Refused("E0822", "no such transfer is in flight", "'info transfers' lists them")
    return Landed(running, keys)


def _shares(group: Group) -> str:
    return "1 share" if group.count == 1 else f"{group.count} shares"


class Done(Test):
    """A queue has completed all that it had."""

    def __init__(self, running: Execution, queue: Queue) -> None:
        super().__init__(running)
        self.queue = queue

    def finished(self, queue: Queue, done: Flying) -> None:
        """Whether that was the last."""
        if queue is self.queue and queue.done and not queue.flight:
            name = self.running.program.queue_name(queue.index)
            self.meet(Met(f"@{name} has completed all its instructions"))


class Expanded(Test):
    """All instructions that the one at the pc of a queue expands to have completed."""

    def __init__(self, running: Execution, queue: Queue) -> None:
        super().__init__(running)
        self.queue, self.pc = queue, int(queue.pc)

    def finished(self, queue: Queue, done: Flying) -> None:
        """Whether that was the last."""
        mine = queue is self.queue and done.pc == self.pc
        if mine and type(done.pc) is Micro and done.pc.last:
            self.meet(Met(f"{self.acting(queue.index, done.pc)} was the last of its expansion"))


class Landed(Test):
    """Some transfers have landed, by their keys."""

    def __init__(self, running: Execution, keys: Collection[int]) -> None:
        super().__init__(running)
        self.keys = set(keys)

    def delivered(self, group: Group, now: int) -> None:
        """Whether that was the last."""
        if group.flight.left == group.count:
            self.keys.discard(group.flight.key)
            if not self.keys:
                who = self.acting(*group.flight.origin)
                self.meet(Met(f"the transfer of {who} has landed"))


class Left(Test):
    """A queue has reached the end of a round of a loop, or has left the loop.

    The loop are the instructions from one pc to another. If it ``branches`` it goes back from its
    last one, else each of its rounds has instructions of its own.
    """

    def __init__(self, running: Execution, queue: int, loop: LoopPcs, whole: bool) -> None:
        super().__init__(running)
        self.queue, self.loop, self.whole = queue, loop, whole

    def finished(self, queue: Queue, done: Flying) -> None:
        """Whether that was the last instruction of it."""
        if queue.index != self.queue:
            return
        last = self.loop.whole if self.whole else self.loop.round
        left = done.pc == last[-1]
        if self.whole and self.loop.branches:
            left = queue.pc not in last and not any(f.pc in last for f in queue.flight)
        if left:
            what = "the loop has ended" if self.whole else "a round has ended"
            self.meet(Met(f"{what}: {self.acting(queue.index, done.pc)} completed"))


class LoopPcs(NamedTuple):
    """A loop around an instruction: the pcs of the round it is in, and of all of the loop."""

    round: range
    whole: range
    branches: bool


def loop_around(program: Program, queue: int, pc: int) -> LoopPcs | None:
    """The innermost loop that an instruction is in; None if it is in none."""
    lines = program.queues[queue]
    if pc >= len(lines):
        return None
    inside = [
        branch
        for branch in Flow(program, queue).branches.values()
        if branch.target <= pc <= branch.pc
    ]
    if inside:
        least: Branch = min(inside, key=lambda branch: branch.pc - branch.target)
        found = range(least.target, least.pc + 1)
        return LoopPcs(found, found, True)
    chain = program.chains[lines.chains[pc]]
    if not chain:
        return None
    depth = len(chain)

    def along(same: Callable[[tuple[Frame, ...]], bool]) -> range:
        first = last = pc
        while first and same(program.chains[lines.chains[first - 1]]):
            first -= 1
        while last + 1 < len(lines) and same(program.chains[lines.chains[last + 1]]):
            last += 1
        return range(first, last + 1)

    outer, span = chain[:-1], chain[-1].span
    return LoopPcs(
        along(lambda other: other[:depth] == chain),
        along(
            lambda other: (
                other[: depth - 1] == outer and [f.span for f in other[depth - 1 : depth]] == [span]
            )
        ),
        False,
    )
