"""Objects in other processes of this computer, which are called through memory that they share."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from nasm.base.problems import Failure
from nasm.workers.actors import Actor
from nasm.workers.pools import in_one_thread, other, server
from nasm.workers.shared_wire import SHARED, SharedWire
from nasm.workers.version import OtherVersion
from nasm.workers.wires import Remote, portable, serve

_STARTED: WeakSet[InProcess] = WeakSet()
"""All that this process has started: a copy of it closes what it has of their wires."""

GRACE = 5.0
"""Seconds that a process has to end."""

FORK, SERVER = "fork", "forkserver"


class InProcess(Remote):
    """An object in a process of its own, which is started as ``start`` says.

    A copy of this process makes it at once, of arguments that it has; any other gets them sent.
    """

    def __init__(self, kind: type, args: Sequence[Any], start: str) -> None:
        import multiprocessing  # which not every Python in a browser has

        context: Any = server() if start == SERVER else multiprocessing.get_context(start)
        shared, (ours, theirs) = context.RawArray("B", SHARED), socket.socketpair()
        self.copied = start == FORK
        given = (kind, tuple(args), ours) if self.copied else None
        self.process = context.Process(target=_live, args=(shared, theirs, given), daemon=True)
        with in_one_thread():
            self.process.start()
        theirs.close()
        wire = SharedWire(shared, ours, 0)
        super().__init__(wire, f"process {self.process.pid}")
        _STARTED.add(self)

    def close(self) -> None:
        """End the process."""
        self.wire.close()
        if self.sent > self.taken:
            self.process.terminate()
        self.process.join(GRACE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _live(shared: Any, bell: Any, given: tuple[type, tuple[Any, ...], Any] | None) -> None:
    """The life of a process that has an object."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    wire = SharedWire(shared, bell, 1)
    try:
        made: Any = None
        if given is not None:
            kind, args, ours = given
            ours.close()
            for one in _STARTED:
                one.wire.close()
            gc.freeze()  # what is copied lives on in the other process, too
            try:
                made = kind(*args)
            except Exception as error:
                wire.send((False, portable(error)))
            else:
                wire.send((True, None))
        serve(wire, made)
    except EOFError:
        pass
    finally:
        os._exit(0)  # nothing of what is copied is ended here


def in_processes(kind: type, each: Sequence[Sequence[Any]], start: str = "") -> list[Actor]:
    """Objects in processes of this computer, one in each; raises what making one raises.

    Processes are copies of this one if the class ``forks``, and this one has a single thread:
    copies are there at once, and have what an object is made of. But products in them would use as
    many threads as here.
    """
    if not start:
        alone = sys.platform == "linux" and threading.active_count() == 1
        start = FORK if alone and getattr(kind, "forks", False) else SERVER
    made: list[Actor] = []
    try:
        begun = []
        for args in each:
            begun.append(InProcess(kind, args, start))
            made.append(begun[-1])
        firsts = [
            one.expected() if one.copied else one.make(kind, args)
            for one, args in zip(begun, each, strict=True)
        ]
        for one, first in zip(begun, firsts, strict=True):
            try:
                first.result()
            except OtherVersion as error:
                raise Failure(other(error, one.where)) from None
    except BaseException:
        for actor in made:
            actor.close()
        raise
    return made
