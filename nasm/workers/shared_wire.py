"""Messages between two processes of one computer, through memory that both have.

Each direction is a ring of bytes, with counters of what was written and read. A byte on a socket
announces what was written, and that there is room again: a process that waits sleeps until then,
and learns of the end of the other one. The memory has no name: nothing of it is left when both
processes are gone, however they end.
"""

from __future__ import annotations

import pickle
import select
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from socket import socket

RING = 1 << 20
"""Bytes of a ring: a longer message passes through it in parts."""

COUNTERS = 256
"""Bytes before the rings: each counter has a line of the cache of its own."""

SHARED = COUNTERS + 2 * RING
"""Bytes that two processes share."""

NAP = 500
"""Milliseconds after which a process that waits looks at what else was asked of it."""


class SharedWire:
    """One end: ``side`` 0 or 1 of ``shared`` memory, with its end of a pair of sockets.

    ``written`` and ``read`` count bytes; ``inbox`` has those that were read and are not a whole
    message yet, ``unannounced`` is how many the other end may not know to be read.
    """

    def __init__(self, shared: Any, bell: socket, side: int) -> None:
        memory = memoryview(shared).cast("B")
        self._counters = memory[:COUNTERS].cast("Q")
        rings = memory[COUNTERS : COUNTERS + RING], memory[COUNTERS + RING : COUNTERS + 2 * RING]
        self._out, self._in = rings[side], rings[1 - side]
        self._out_counters, self._in_counters = 16 * side, 16 * (1 - side)
        self.bell = bell
        bell.setblocking(False)
        self._poll = select.poll()
        self._poll.register(bell, select.POLLIN)
        self.written = self.read = self.unannounced = 0
        self.inbox = bytearray()

    def send(self, message: Any) -> None:
        """Send an object; raises EOFError if the other process has ended."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._write((len(data).to_bytes(8, "little"), data))
        self._ring()

    def receive(self) -> Any:
        """Wait for an object; raises EOFError if the other process has ended."""
        inbox = self.inbox
        while len(inbox) < 8 or len(inbox) < (end := 8 + int.from_bytes(inbox[:8], "little")):
            self._listen()
        try:
            with memoryview(inbox) as whole, whole[8:end] as data:
                return pickle.loads(data)
        finally:
            del inbox[:end]

    def close(self) -> None:
        """The other end learns that this one is gone."""
        self.bell.close()

    # -- bytes

    def _write(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            done, size, rest = 0, len(part), memoryview(part)
            while done < size:
                room = RING - (self.written - self._counters[self._out_counters + 8])
                if not room:
                    self._ring()
                    self._listen()
                    continue
                at = self.written % RING
                count = min(room, RING - at, size - done)
                self._out[at : at + count] = rest[done : done + count]
                done += count
                self.written += count
                self._counters[self._out_counters] = self.written

    def _ring(self) -> None:
        """Announce something to the other end."""
        try:
            self.bell.send(b"!")
        except BlockingIOError:
            pass  # what it has not heard yet announces this, too
        except OSError:
            raise EOFError from None

    def _listen(self) -> None:
        """Sleep until something is announced, then read all that is there."""
        while not self._poll.poll(NAP):
            pass
        try:
            heard = self.bell.recv(4096)
        except OSError:
            raise EOFError from None
        if not heard:
            raise EOFError
        count = self._counters[self._in_counters] - self.read
        if not count:
            return
        at = self.read % RING
        self.inbox += self._in[at : at + count]
        if at + count > RING:
            self.inbox += self._in[: at + count - RING]
        self.read += count
        self._counters[self._in_counters + 8] = self.read
        self.unannounced += count
        if 2 * self.unannounced >= RING:  # so that an end that waits for room hears of some
            self.unannounced = 0
            self._ring()
