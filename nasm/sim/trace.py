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
from dataclasses import dataclass, field

InstructionRecord = tuple[int, int, int, int, int, int]
JobRecord = tuple[int, int, int, int, int, int, int, int]
PostRecord = tuple[int, int, int, int]
MessageRecord = tuple[int, int, int, int, str]


@dataclass(slots=True)
class Trace:
    """Records of a run so far."""

    instructions: list[InstructionRecord] = field(default_factory=list)
    jobs: list[JobRecord] = field(default_factory=list)
    posts: list[PostRecord] = field(default_factory=list)
    messages: list[MessageRecord] = field(default_factory=list)

    def digest(self) -> str:
        """BLAKE2b-128 over all records: by kind, a line of fields per record, texts as JSON."""
        hasher = hashlib.blake2b(digest_size=16)
        every: tuple[tuple[str, Sequence[tuple[int | str, ...]]], ...] = (
            ("i", self.instructions),
            ("j", self.jobs),
            ("p", self.posts),
            ("m", self.messages),
        )
        for kind, records in every:
            for record in records:
                hasher.update(f"{kind} {' '.join(map(_field, record))}\n".encode())
        return hasher.hexdigest()


def _field(value: int | str) -> str:
    return json.dumps(value) if isinstance(value, str) else str(value)
