"""Every wait and post of a program changed alone, and the changed program judged anew."""

from __future__ import annotations

import random

from nasm.base.records import replace
from nasm.program.program import Program, Update, Wait
from nasm.runs.equal.followed import follow
from nasm.runs.equal.shadow import unit_of
from nasm.runs.equal.value_numbers import ValueNumbers
from nasm.runs.waits.edits import Place, WaitEdits, changed

MOST = 40_000


class EveryChange:
    """A program, and whether it has the same results with a change."""

    def __init__(self, program: Program) -> None:
        self.program, self.numbers = program, ValueNumbers()
        self.unit = unit_of((program,))
        self.base = follow(program, self.numbers, self.unit, MOST)

    @property
    def fine(self) -> bool:
        """Whether it can be judged at all."""
        return not self.base.reason

    def holds(self, edits: WaitEdits) -> bool:
        """Whether the changed program has no error and computes the same of the same."""
        side = follow(changed(self.program, edits), self.numbers, self.unit, MOST)
        if side.reason or side.numbering is None:
            return False
        assert self.base.numbering is not None
        outputs = [t for t in self.program.tensors.values() if t.role in ("output", "inout")]
        return all(
            (self.base.numbering.output(t) == side.numbering.output(t)).all() for t in outputs
        )

    def drops(self) -> set[Place]:
        """The instructions that need not wait."""
        found = set()
        for place, wait, update in self._places():
            if wait is None:
                continue
            takes = update is not None and update.semaphore == wait.semaphore and update.value < 0
            if self.holds(WaitEdits({place: None}, {place: None} if takes else {})):
                found.add(place)
        return found

    def weaker(self, places: set[Place]) -> set[Place]:
        """Of some places those that may wait for one less."""
        return {
            place
            for place, wait, _ in self._places()
            if wait is not None
            and place in places
            and wait.value > 1
            and self.holds(WaitEdits({place: wait._replace(value=wait.value - 1)}, {}))
        }

    def early(self, lines: list[list[Place]]) -> set[Place]:
        """The instructions of lines all of which may post as soon as they have read."""
        found: set[Place] = set()
        for places in lines:
            posts = {
                (queue, pc): replace(update, at_read=True)
                for queue, pc in places
                if (update := self.program.updates[self.program.queues[queue].updates[pc]])
            }
            if posts and self.holds(WaitEdits({}, dict(posts))):
                found.update(posts)
        return found

    def _places(self) -> list[tuple[Place, Wait | None, Update | None]]:
        program = self.program
        return [
            ((queue, pc), program.waits[lines.waits[pc]], program.updates[lines.updates[pc]])
            for queue, lines in enumerate(program.queues)
            for pc in range(len(lines))
        ]


def with_more_waits(program: Program, seed: int, count: int) -> Program:
    """A program with waits that another instruction of the same queue has, at others before it."""
    chance = random.Random(seed)
    waits: dict[Place, Wait | None] = {}
    for queue, lines in enumerate(program.queues):
        free = [pc for pc in range(len(lines)) if not lines.waits[pc]]
        known = [pc for pc in range(len(lines)) if lines.waits[pc]]
        for _ in range(count if free and known else 0):
            pc = chance.choice(free)
            earlier = [at for at in known if at < pc]
            if earlier:
                wait = program.waits[lines.waits[chance.choice(earlier)]]
                if wait is not None:
                    waits[queue, pc] = wait
    return changed(program, WaitEdits(waits, {}))


def with_later_posts(program: Program) -> Program:
    """A program in which what is posted at a start is posted at the completion."""
    updates: dict[Place, Update | None] = {}
    for queue, lines in enumerate(program.queues):
        for pc in range(len(lines)):
            update = program.updates[lines.updates[pc]]
            if update is not None and update.at_read:
                updates[queue, pc] = replace(update, at_read=False)
    return changed(program, WaitEdits({}, updates))
