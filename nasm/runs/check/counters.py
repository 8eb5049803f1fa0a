"""Semaphores and events that are waited for or posted in vain, and waits that order nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from nasm.base.problems import Note, Problem, counted
from nasm.isa.effects import Clear
from nasm.program.program import Program, Update, Wait
from nasm.runs.check.lines import CheckedLine, finding, lines, span_of, subject

Place = tuple[int, int]
"""An instruction: its queue and pc."""

NOWHERE = -(1 << 40)
"""Below every value of a counter."""

NEVER_POSTED, NEVER_AWAITED, EMPTY_WAIT = "E0530", "E0531", "E0532"


class CounterUses:
    """What the instructions that can be reached wait for and post, by semaphore or event."""

    def __init__(self, program: Program, reachable: Sequence[Sequence[bool]]) -> None:
        self.program = program
        self.waits: dict[int, list[Place]] = {}
        self.posts: dict[int, list[Place]] = {}
        self.cleared = False
        self._lowest: dict[int, int] = {}
        for queue, column in enumerate(program.queues):
            for pc, (wait, update) in enumerate(zip(column.waits, column.updates, strict=True)):
                if not reachable[queue][pc]:
                    continue
                awaited, posted = program.waits[wait], program.updates[update]
                if awaited is not None:
                    self.waits.setdefault(awaited.semaphore, []).append((queue, pc))
                if posted is not None:
                    self.posts.setdefault(posted.semaphore, []).append((queue, pc))
                if program.instruction(queue, pc).row.effect is Clear:
                    self.cleared = True

    def wait(self, place: Place) -> Wait:
        """What an instruction waits for."""
        queue, pc = place
        found = self.program.waits[self.program.queues[queue].waits[pc]]
        assert found is not None
        return found

    def update(self, place: Place) -> Update:
        """What an instruction posts."""
        queue, pc = place
        found = self.program.updates[self.program.queues[queue].updates[pc]]
        assert found is not None
        return found

    def _name(self, number: int) -> str:
        return f"${self.program.semaphore_name(number)}"

    def never_posted(self, reported: Collection[int]) -> Iterator[Problem]:
        """Waits for what nothing posts, but for those of semaphores that a deadlock tells of."""
        for number, places in self.waits.items():
            held = [place for place in places if not _holds_at_first(self.wait(place))]
            if number in self.posts or number in reported or not held:
                continue
            name, program = self._name(number), self.program
            first, *others = _lines(program, held)
            text = f"{subject(program, first)} waits for {name}, which nothing posts"
            notes = tuple(
                Note(f"so does {subject(program, o)}", span_of(program, o)) for o in others
            )
            hint = f"this wait never ends: let something update {name}, or do not wait"
            yield finding(NEVER_POSTED, text, span_of(program, first), hint, notes)

    def never_awaited(self, reported: Collection[int]) -> Iterator[Problem]:
        """Semaphores and events that nothing waits for, but for those reported elsewhere."""
        for number, places in self.posts.items():
            if number in self.waits or number in reported:
                continue
            first, *others = _lines(self.program, places)
            text = f"nothing waits for {self._name(number)}, which {_these(self.program, first)}"
            if others:
                text += f" and {counted(len(others), 'other line')}"
            text += " post" if others or len(first.pcs) > 1 else " posts"
            hint = "wait for it where its order matters, or take the update away"
            yield finding(NEVER_AWAITED, text, span_of(self.program, first), hint)

    def empty_waits(self, idle: Collection[Place] = ()) -> Iterator[Problem]:
        """Waits that order nothing in any round of their line.

        They hold whenever they are reached, or are ``idle``: what ends them certainly comes before.
        """
        repeated = set(self._repeated())
        places = sorted(_all(self.waits.values()))
        empty = {p for p in places if self._always(p) or p in repeated or p in idle}
        for line in _lines(self.program, places):
            if all((line.queue, pc) in empty for pc in line.pcs):
                yield self._empty(line, repeated)

    def _empty(self, line: CheckedLine, repeated: Set[Place]) -> Problem:
        rounds = [(line.queue, pc) for pc in line.pcs]
        wait = self.wait(rounds[0])
        name = self._name(wait.semaphore)
        text = f"{subject(self.program, line)} waits for {name}, which orders nothing: "
        if all(map(self._always, rounds)):
            text += f"{name} is never below {max(self.wait(place).value for place in rounds)}"
        elif set(rounds) <= repeated:
            text += f"its queue has waited for as much of {name} before"
        else:
            text += "what posts it is in order with it by other waits, or before any"
        return finding(
            EMPTY_WAIT, text, span_of(self.program, line), "it can be left out: all stays in order"
        )

    def _always(self, place: Place) -> bool:
        """Whether a wait holds from the start on, and nothing ever makes it fail."""
        wait = self.wait(place)
        return wait.op == ">=" and wait.value <= self._floor(wait.semaphore)

    def _floor(self, number: int) -> int:
        """What a counter is never below; far below 0 if something takes it down."""
        floor = self._lowest.get(number)
        if floor is None:
            changes = set(map(self._change, self.posts.get(number, ())))
            floor = min((n if op == "=" else NOWHERE for op, n in changes if n < 0), default=0)
            self._lowest[number] = floor
        return floor

    def _change(self, place: Place) -> tuple[str, int]:
        update = self.update(place)
        return update.op, update.value

    def _rises(self, number: int) -> bool:
        """Whether nothing ever takes a counter down."""
        changes = set(map(self._change, self.posts.get(number, ())))
        return not self.cleared and all(op == "+" and n >= 0 for op, n in changes)

    def _repeated(self) -> Iterator[Place]:
        """Waits for what their queue has waited for already, where no branch can go around that."""
        program = self.program
        rising = {number for number in self.waits if self._rises(number)}
        for queue, column in enumerate(program.queues):
            if column.labels:
                continue
            most: dict[int, int] = {}
            for pc, number in enumerate(column.waits):
                wait = program.waits[number]
                if wait is None or wait.op != ">=" or wait.semaphore not in rising:
                    continue
                if most.get(wait.semaphore, wait.value - 1) >= wait.value:
                    yield queue, pc
                most[wait.semaphore] = max(wait.value, most.get(wait.semaphore, wait.value))


def _holds_at_first(wait: Wait) -> bool:
    """Whether a wait is satisfied by a counter that nothing has touched."""
    return wait.value == 0 or (wait.op == ">=" and wait.value < 0)


def _all(places: Iterable[Sequence[Place]]) -> Iterator[Place]:
    for some in places:
        yield from some


def _lines(program: Program, places: Sequence[Place]) -> list[CheckedLine]:
    """The lines that some instructions came from."""
    by_queue: dict[int, list[int]] = {}
    for queue, pc in places:
        by_queue.setdefault(queue, []).append(pc)
    return [line for queue, pcs in by_queue.items() for line in lines(program, queue, pcs)]


def _these(program: Program, line: CheckedLine) -> str:
    """The instructions of a line as the subject of a relative clause."""
    if len(line.pcs) == 1:
        return program.instruction_name(line.queue, line.pcs[0])
    name = program.instruction(line.queue, line.pcs[0]).row.name
    return f"the {counted(len(line.pcs), 'round')} of {name} of {program.queue_name(line.queue)}"
