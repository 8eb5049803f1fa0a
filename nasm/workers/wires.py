"""Objects in other processes that are called by messages, whatever carries these.

The caller sends what it calls, the other process answers each call in its order. A wire carries
them: through memory that both have, or by MPI.
"""

from __future__ import annotations

import pickle
import traceback
from typing import Any, Protocol

from nasm.workers.actors import WorkerLost
from nasm.workers.version import OtherVersion, version

MAKE, END = "make", "end"


class Wire(Protocol):
    """Carries objects, all of which pickle, to one other process and from there."""

    def send(self, message: Any) -> None:
        """Send an object; raises EOFError if the process has ended."""

    def receive(self) -> Any:
        """Wait for an object; raises EOFError if the process has ended."""

    def close(self) -> None:
        """Nothing more is sent or received here."""


class Remote:
    """An object at the other end of a wire."""

    def __init__(self, wire: Wire, where: str) -> None:
        self.wire, self.where = wire, where
        self.sent = self.taken = 0

    def make(self, kind: type, args: Any) -> RemoteReply:
        """Let the object be made there."""
        return self.call(MAKE, version(), kind, tuple(args))

    def call(self, method: str, *args: Any) -> RemoteReply:
        """Call a method there."""
        try:
            self.wire.send((method, args))
        except EOFError:
            raise WorkerLost(self.where) from None
        return self.expected()

    def expected(self) -> RemoteReply:
        """The answer to what was called last."""
        self.sent += 1
        return RemoteReply(self, self.sent)

    def close(self) -> None:
        """The process serves until all of them are released."""


class RemoteReply:
    """What a process answers to its n-th call: answers come in the order of calls."""

    def __init__(self, remote: Remote, number: int) -> None:
        self.remote, self.number = remote, number

    def result(self) -> Any:
        """Wait for it; raises what the call raised, or WorkerLost."""
        remote = self.remote
        assert remote.taken == self.number - 1, "answers are taken in the order of calls"
        try:
            fine, found = remote.wire.receive()
        except EOFError:
            raise WorkerLost(remote.where) from None
        remote.taken += 1
        if not fine:
            raise found
        return found


def serve(wire: Wire, made: Any = None) -> Any:
    """Execute what comes by a wire, until that is ended; returns what came with that."""
    while True:
        try:
            method, args = wire.receive()
            if method == END:
                return args
            if method == MAKE:
                made, found = _made(*args), None
            else:
                found = getattr(made, method)(*args)
            wire.send((True, found))
        except EOFError:
            raise
        except Exception as error:
            wire.send((False, portable(error)))


def _made(wanted: str, kind: type, args: tuple[Any, ...]) -> Any:
    if version() != wanted:
        raise OtherVersion(wanted, version())
    return kind(*args)


def portable(error: Exception) -> Exception:
    """An exception with its traceback as a note; what it says alone if it does not pickle."""
    text = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(text)
    return error
