"""What happened, in the order it happened, and a hash of it.

Four kinds of record, plain tuples of integers and texts; all times are ticks:

* instruction: core, queue, pc, head (when it was next in its queue), start, finish
* job: core, channel, ring, queue and pc that issued it, start, landed, bytes
* post: core, semaphore, tick, value afterwards
* message: core, queue, pc, tick, text
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from nasm.sim.channels import Channel, Flight
from nasm.sim.counters import Semaphore
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue

InstructionRecord = tuple[int, int, int, int, int, int]
JobRecord = tuple[int, int, int, int, int, int, int, int]
PostRecord = tuple[int, int, int, int]
MessageRecord = tuple[int, int, int, int, str]


class Trace(Observer):
    """Records of a run so far; ``per_core`` is how many semaphores and events a core has."""

    def __init__(self, per_core: int = 1) -> None:
        self.per_core = max(1, per_core)
        self.instructions: list[InstructionRecord] = []
        self.jobs: list[JobRecord] = []
        self.posts: list[PostRecord] = []
        self.messages: list[MessageRecord] = []

    def finished(self, queue: Queue, done: Flying) -> None:
        """Record an instruction."""
        self.instructions.append(done[:6])

    def landed(
        self, flight: Flight, shares: Sequence[int], channels: Sequence[Channel], began: int,
        now: int,
    ) -> None:  # fmt: skip
        """Record a job for each share."""
        for share, channel in zip(shares, channels, strict=True):
            size = flight.shares[share][3]
            self.jobs.append(
                (channel.core, channel.index, flight.ring, *flight.origin, began, now, size)
            )

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Record a post."""
        core, own = divmod(number, self.per_core)
        self.posts.append((core, own, now, semaphore.value))

    def said(self, queue: Queue, text: str, now: int) -> None:
        """Record a message."""
        self.messages.append((queue.core, queue.index, queue.pc, now, text))

    def save(self) -> Any:
        """How many records there are: none ever changes."""
        return tuple(len(records) for _, records in self._kinds())

    def restore(self, saved: Any) -> None:
        """Drop what was recorded since."""
        for (_, records), count in zip(self._kinds(), saved, strict=True):
            del records[count:]

    def _kinds(self) -> tuple[tuple[str, list[Any]], ...]:
        return (("i", self.instructions), ("j", self.jobs), ("p", self.posts), ("m", self.messages))

    def digest(self) -> str:
        """BLAKE2b-128 over all records: by kind, a line of fields per record, texts as JSON."""
        hasher = hashlib.blake2b(digest_size=16)
        for kind, records in self._kinds():
            for record in records:
                hasher.update(f"{kind} {' '.join(map(_field, record))}\n".encode())
        return hasher.hexdigest()


def _field(value: int | str) -> str:
    return json.dumps(value) if isinstance(value, str) else str(value)
