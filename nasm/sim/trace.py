"""What happened, in the order it happened, and a hash of it.

Three kinds of record, plain tuples of integers; all times are ticks:

* instruction: core, queue, pc, head (when it was next in its queue), start, finish
* job: core, channel, ring, queue and pc that issued it, start, landed, bytes
* post: core, semaphore, tick, value afterwards
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

InstructionRecord = tuple[int, int, int, int, int, int]
JobRecord = tuple[int, int, int, int, int, int, int, int]
PostRecord = tuple[int, int, int, int]


@dataclass(slots=True)
class Trace:
    """Records of a run so far."""

    instructions: list[InstructionRecord] = field(default_factory=list)
    jobs: list[JobRecord] = field(default_factory=list)
    posts: list[PostRecord] = field(default_factory=list)

    def digest(self) -> str:
        """BLAKE2b-128 over all records: kind by kind, one line of decimal fields per record."""
        hasher = hashlib.blake2b(digest_size=16)
        for kind, records in (("i", self.instructions), ("j", self.jobs), ("p", self.posts)):
            for record in records:
                hasher.update(f"{kind} {' '.join(map(str, record))}\n".encode())
        return hasher.hexdigest()
