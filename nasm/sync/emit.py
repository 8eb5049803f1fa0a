"""From a plan to queues: semaphores are declared, and every line is appended with its wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.program.builder import ProgramBuilder
from nasm.program.program import Update, Wait
from nasm.program.receivers import posts_of
from nasm.sync.dependences import OVER, Body, LineStep, NodeEvent
from nasm.sync.plan import Entered, LevelPlan

Place = tuple[int, int]
"""Numbers of a span and a chain: where something is written."""


class CoreOutput:
    """Appends to the queues of one core; ``numbers`` are those that the program gives them."""

    def __init__(self, builder: ProgramBuilder, core: int, numbers: Sequence[int]) -> None:
        self.builder, self.core, self.numbers = builder, core, numbers
        self.program, self.generation = builder.program, builder.generation
        self.sequencing = self.program.target.sequencing
        self._bare: dict[int, int] = {}

    def name(self, queue: int) -> str:
        """The engine of a queue."""
        return self.program.queues[self.numbers[queue]].engine

    def posts(self, queue: int, instruction: int) -> int:
        """How often a transfer posts."""
        return posts_of(self.program, self.numbers[queue], instruction)

    def append(
        self, queue: int, instruction: int, place: Place, wait: Wait | None, update: Update | None
    ) -> None:
        """Put an instruction at the end of a queue."""
        made = (instruction, *self.builder.numbers(wait, update))
        self.builder.append(self.numbers[queue], made, *place)

    def bare(self, queue: int) -> int:
        """The instruction that only waits and updates, on a queue."""
        found = self._bare.get(queue)
        if found is None:
            assert self.sequencing is not None
            row = self.builder.row(self.sequencing.wait)
            made = self.builder.make(self.numbers[queue], row, [], {}, None, None)
            found = self._bare[queue] = made[0]
        return found

    def counter(self, name: str, event: bool = False) -> int:
        """A new semaphore, under a name that is like the one wanted."""
        name = f"{name}_{self.core}" if self.program.cores > 1 else name
        declared, chosen, n = self.builder.declared, name, 1
        while chosen in declared:
            n += 1
            chosen = f"{name}_again{n}" if self.program.cores > 1 else f"{name}_{n}"
        self.builder.semaphore(chosen, core=self.core, event=event)
        number = (self.program.events if event else self.program.semaphores)[chosen]
        self.program.unnamed.add(number)
        return number

    def clear(self, queue: int, counters: list[int]) -> Iterator[int]:
        """Instructions that set semaphores to 0."""
        assert self.sequencing is not None
        row = self.builder.row(self.sequencing.clear)
        own = sorted(self.generation.counter(counter)[1] for counter in counters)
        first = last = own[0]
        for number in (*own[1:], -1):
            if number == last + 1:
                last = number
                continue
            operands: list[object] = [first, last]
            yield self.builder.make(self.numbers[queue], row, operands, {}, None, None)[0]
            first = last = number


class LevelWriter:
    """Writes a level: the program, or one round of a loop.

    ``ranks`` say how many of a queue's instructions have signalled once one has; counters are those
    of the queues, and of the transfers by their slots.
    """

    def __init__(self, output: CoreOutput, plan: LevelPlan, prefix: str = "") -> None:
        self.output, self.plan, self.level, self.prefix = output, plan, plan.level, prefix
        self.ranks: dict[tuple[int, int], int] = {}
        counts: dict[int, int] = {}
        for queue, index in sorted(plan.signalled):
            self.ranks[queue, index] = counts[queue] = counts.get(queue, 0) + 1
        self.queues = {queue: output.counter(prefix + output.name(queue)) for queue in counts}
        slots = 1 + max((slot for slot, _ in plan.slots.values()), default=-1)
        self.slots = [output.counter(f"{prefix}dma{slot}") for slot in range(slots)]
        self.shares: dict[int, int] = {}

    def program(self) -> None:
        """All of a core."""
        self.nodes()
        places = {
            node.mark: (node.line.span, node.line.chain)
            for node in self.level.nodes
            if isinstance(node, LineStep) and node.mark >= 0
        }
        for queue, waits in self.plan.last.items():
            for event in waits:
                self._add(queue, None, places[event.at], event)

    def nodes(self) -> None:
        """Write every node in order."""
        entered = iter(self.plan.entered)
        for node, waits in zip(self.level.nodes, self.plan.waits, strict=True):
            if isinstance(node, LineStep):
                self._step(node, waits)
            else:
                self._loop(node, next(entered))

    def _step(self, step: LineStep, waits: Sequence[NodeEvent]) -> None:
        line = step.line
        place = line.span, line.chain
        for event in waits[:-1]:
            self._add(step.queue, None, place, event)
        update = signal = None
        if (step.queue, step.index) in self.ranks:
            signal = Update(self.queues[step.queue], "+", 1)
        if step.mark in self.plan.slots:
            posts = self.output.posts(step.queue, line.instruction)
            slot, uses = self.plan.slots[step.mark]
            self.shares[step.mark] = uses * posts
            update = Update(self.slots[slot], "+", posts)
        elif step.mark < 0:
            update, signal = signal, None
        self._add(step.queue, line.instruction, place, waits[-1] if waits else None, update)
        if signal is not None:  # the update of a transfer is made when it lands, not by its queue
            self._add(step.queue, None, place, None, signal)

    def _add(
        self,
        queue: int,
        instruction: int | None,
        place: Place,
        event: NodeEvent | None = None,
        update: Update | None = None,
    ) -> None:
        """Append an instruction, or one that only waits and updates."""
        if instruction is None:
            instruction = self.output.bare(queue)
        wait = None if event is None else self._wait(event)
        self.output.append(queue, instruction, place, wait, update)

    def _wait(self, event: NodeEvent) -> Wait:
        """The wait for an event."""
        _, queue, index = event
        if event.kind == OVER:
            mark = self.level.marks[index]
            if not mark.loop:
                return Wait(self.slots[self.plan.slots[index][0]], ">=", self.shares[index])
            queue, index = mark.queue, mark.index
        return Wait(self.queues[queue], ">=", self.ranks[queue, index])

    # -- loops

    def _loop(self, body: Body, entered: Entered) -> None:
        loop, output = body.loop, self.output
        place = loop.span, loop.chain
        own = {output.numbers.index(queue): queue for queue in loop.leave}
        for queue, waits in entered.waits.items():
            for event in waits:
                self._add(queue, None, place, event)
        for queue, number in own.items():
            output.builder.label(number, loop.head)
            self._add(queue, loop.leave[number], place)
        inside = LevelWriter(output, entered.inside, f"{loop.head}_")
        inside.nodes()
        inside.meet(body)
        for queue, number in own.items():
            for instruction in (*loop.step.get(number, ()), loop.back[number]):
                self._add(queue, instruction, place)
            output.builder.label(number, loop.end)
        signal = body.signal
        if (signal.queue, signal.index) in self.ranks:
            self._add(signal.queue, None, place, None, Update(self.queues[signal.queue], "+", 1))

    def meet(self, body: Body) -> None:
        """The end of a round: all of it is over before any queue begins another one."""
        plan, leader = self.plan, body.leader
        place = body.loop.span, body.loop.chain
        for queue, step in plan.arrivals.items():
            if step is None and (rank := (queue, self.level.counts[queue])) in self.ranks:
                self._add(queue, None, place, None, Update(self.queues[rank[0]], "+", 1))
        for event in plan.last[leader]:
            self._add(leader, None, place, event)
        self._clear(body)
        for queue in plan.arrivals:
            go = self._event("go", queue)
            self._add(leader, None, place, None, Update(go, "=", 1))
            self._met(queue, place, go, queue in plan.hasty)

    def _clear(self, body: Body) -> None:
        """Set the semaphores of a round to 0, which the leader sees before it begins another."""
        leader, place = body.leader, (body.loop.span, body.loop.chain)
        counters = [*self.queues.values(), *self.slots]
        if not counters:
            return
        *others, last = self.output.clear(leader, counters)
        for instruction in others:
            self._add(leader, instruction, place)
        if leader not in self.plan.hasty:
            self._add(leader, last, place)
            return
        clear = self._event("clear", leader)
        self._add(leader, last, place, None, Update(clear, "=", 1))
        self._met(leader, place, clear, hasty=not self.plan.arrivals)

    def _event(self, what: str, queue: int) -> int:
        return self.output.counter(f"{self.prefix}{what}_{self.output.name(queue)}", event=True)

    def _met(self, queue: int, place: Place, event: int, hasty: bool) -> None:
        """Let a queue continue once an event is set, which it clears.

        A ``hasty`` one could come here again before it is clear.
        """
        wait, update = Wait(event, "==", 1), Update(event, "=", 0)
        self.output.append(queue, self.output.bare(queue), place, wait, update)
        if hasty:
            self.output.append(queue, self.output.bare(queue), place, Wait(event, "==", 0), None)
