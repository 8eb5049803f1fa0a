"""What is asked of a process, what it answers, and how it ended."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable, Iterator, Sequence

from nasm.base import host_memory
from nasm.base.problems import Failure, Problem
from nasm.base.records import dataclass, field
from nasm.isolation.limits import Limits
from nasm.isolation.work import OF_MEMORY, TraceWork, Work, packed

_HEAD = struct.Struct("=16scQ")
"""In front of each answer: the word that only its process was given, its kind, its length."""

PROTECTED, MADE, WRONG = b"p", b"m", b"w"

LARGEST_ANSWER = 1 << 30
"""Bytes of an answer that are taken."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a child process is asked for: ``word`` marks its answers."""

    word: bytes
    work: tuple[Work, ...]
    limits: Limits
    writable: tuple[str, ...]
    readable: tuple[str, ...] | None


def marked(word: bytes, kind: bytes, content: bytes) -> bytes:
    """An answer as it is sent."""
    return _HEAD.pack(word, kind, len(content)) + content


def done(work: Work) -> tuple[bytes, bytes]:
    """The kind of an answer, and the answer."""
    try:
        return MADE, work.done()
    except Failure as failure:
        problems: tuple[Problem, ...] = failure.problems
    except (MemoryError, SystemError) as error:
        if not host_memory.lacking(error):
            raise
        problems = (OF_MEMORY,)
    except KeyboardInterrupt:
        problems = (Problem("E0655", "the kernel raises KeyboardInterrupt"),)
    return WRONG, packed(problems) if isinstance(work, TraceWork) else pickle.dumps(problems)


@dataclass(slots=True)
class Ended:
    """How a process ended, and what it had said."""

    status: int = 0
    cpu: float = 0.0
    late: bool = False
    answers: bytearray = field(default_factory=bytearray)
    printed: dict[str, bytearray] = field(
        default_factory=lambda: {"stdout": bytearray(), "stderr": bytearray()}
    )
    left_out: dict[str, int] = field(default_factory=lambda: {"stdout": 0, "stderr": 0})

    @property
    def flooded(self) -> bool:
        """Whether it answered more than is taken."""
        return len(self.answers) > LARGEST_ANSWER

    def answer(self, word: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The kinds and contents of its answers, as far as they are whole and marked."""
        at, data = 0, self.answers
        while len(data) - at >= _HEAD.size:
            mark, kind, size = _HEAD.unpack_from(data, at)
            at += _HEAD.size
            if mark != word or kind not in (PROTECTED, MADE, WRONG) or len(data) - at < size:
                return
            yield kind, bytes(data[at : at + size])
            at += size


Perform = Callable[[Sequence[Work], Limits, float, str, bytes, Callable[[], bool]], Ended]
"""What does some work within limits until a moment of the monotonic clock: it may write to a
folder, marks its answers with a word, and ends once a function returns true."""
