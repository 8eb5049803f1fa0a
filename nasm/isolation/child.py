"""The child process: limits first, then its work, each with an answer through a pipe of its own."""

from __future__ import annotations

import json
import os
import pickle
import struct
import sys
from collections.abc import Callable
from typing import NoReturn

from nasm.base import host_memory
from nasm.base.problems import Failure, Problem
from nasm.base.records import dataclass
from nasm.isolation import syscalls
from nasm.isolation.limits import Limits, restrict
from nasm.isolation.work import OF_MEMORY, TraceWork, Work, packed

HEAD = struct.Struct("=16scQ")
"""In front of each answer: the word that only this process was given, its kind, its length."""

PROTECTED, MADE, WRONG = b"p", b"m", b"w"


@dataclass(frozen=True, slots=True)
class Request:
    """What a child process is asked for: ``word`` marks its answers."""

    word: bytes
    work: tuple[Work, ...]
    limits: Limits
    writable: tuple[str, ...]
    readable: tuple[str, ...] | None


def main(channel: int) -> NoReturn:
    """Read a request from standard input, do it, answer through a descriptor, and leave."""
    with open(0, "rb", closefd=False) as stream:
        request: Request = pickle.load(stream)
    syscalls.end_with_parent()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.set_inheritable(channel, False)
    sys.dont_write_bytecode = True
    found = restrict(request.limits, request.writable, request.readable)
    text = [{"name": p.name, "active": p.active, "by": p.by} for p in found]
    send = _sender(channel, request.word)
    send(PROTECTED, json.dumps(text).encode())
    for work in request.work:
        send(*_done(work))
    for printed in (sys.stdout, sys.stderr):
        try:
            printed.flush()
        except (OSError, ValueError, AttributeError):
            continue
    os._exit(0)


def _sender(channel: int, word: bytes) -> Callable[[bytes, bytes], None]:
    def send(kind: bytes, content: bytes) -> None:
        left = memoryview(HEAD.pack(word, kind, len(content)) + content)
        while left:
            left = left[os.write(channel, left) :]

    return send


def _done(work: Work) -> tuple[bytes, bytes]:
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
