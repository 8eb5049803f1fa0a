"""Changes to the waits and updates of an assembled program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nasm.program.program import Program, Update, Wait

Place = tuple[int, int]
"""A queue and a pc."""


class WaitEdits(NamedTuple):
    """What instructions wait for instead, and what they update instead, by their places."""

    waits: Mapping[Place, Wait | None]
    updates: Mapping[Place, Update | None]

    @property
    def size(self) -> int:
        """How many instructions it changes."""
        return len(self.waits.keys() | self.updates.keys())


def joined(every: Iterable[WaitEdits]) -> WaitEdits | None:
    """Several changes as one; None if two of them change the same."""
    waits: dict[Place, Wait | None] = {}
    updates: dict[Place, Update | None] = {}
    for edits in every:
        if waits.keys() & edits.waits.keys() or updates.keys() & edits.updates.keys():
            return None
        waits.update(edits.waits)
        updates.update(edits.updates)
    return WaitEdits(waits, updates)


def changed(program: Program, edits: WaitEdits) -> Program:
    """The program with changes; the program itself stays as it is."""
    made = program.own()
    made.waits, made.updates = list(program.waits), list(program.updates)
    for lines in made.queues:
        lines.waits, lines.updates = lines.waits[:], lines.updates[:]
    known: dict[Wait | Update, int] = {}
    for (queue, pc), wait in edits.waits.items():
        number = 0
        if wait is not None:
            number = known.get(wait, 0)
            if not number:
                number = known[wait] = len(made.waits)
                made.waits.append(wait)
        made.queues[queue].waits[pc] = number
    posted: dict[Update, int] = {}
    for (queue, pc), update in edits.updates.items():
        number = 0
        if update is not None:
            number = posted.get(update, 0)
            if not number:
                number = posted[update] = len(made.updates)
                made.updates.append(update)
        made.queues[queue].updates[pc] = number
    return made
