"""The child process: limits first, then its work, each with an answer through a pipe of its own."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from typing import NoReturn

from nasm.isolation import syscalls
from nasm.isolation.exchange import PROTECTED, Request, done, marked
from nasm.isolation.restricting import restrict


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
        send(*done(work))
    for printed in (sys.stdout, sys.stderr):
        try:
            printed.flush()
        except (OSError, ValueError, AttributeError):
            continue
    os._exit(0)


def _sender(channel: int, word: bytes) -> Callable[[bytes, bytes], None]:
    def send(kind: bytes, content: bytes) -> None:
        left = memoryview(marked(word, kind, content))
        while left:
            left = left[os.write(channel, left) :]

    return send
