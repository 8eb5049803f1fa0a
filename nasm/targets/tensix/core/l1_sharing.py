"""How unpackers share their way to L1: each continues at a speed that depends on the other.

Source: UNPACR_Regular.md (Performance). Two that read at once get what ``shared_speed`` says; when
one of them begins or is done, the other continues at another speed from that cycle on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple, Protocol

from nasm.isa.core_state import Place
from nasm.targets.tensix.matrix.timing import shared_speed


class Reads(NamedTuple):
    """What an unpacker has to read: ``lines`` of 16 bytes left at a tick ``since``.

    ``wanted`` is the speed it would have alone, in lines a cycle; ``speed`` what it has, 0 before
    its addresses are made. ``done`` is what follows: it writes a ``bank``, or Dst where that is
    None. ``place`` is that of the instruction.
    """

    thread: int
    lines: int
    wanted: int
    done: Callable[[], None]
    bank: int | None
    place: Place = None
    since: int = 0
    speed: int = 0

    @property
    def ends(self) -> int:
        """The tick at which it is through at its speed."""
        return self.since - -self.lines // self.speed

    def going_on(self, now: int, speed: int) -> Reads:
        """What is left of it at a tick, from which on it has another speed."""
        left = max(0, self.lines - self.speed * (now - self.since))
        return Reads(self.thread, left, *self[2:6], now, speed)


class ReadingHost(Protocol):
    """What has the two unpackers, and knows the time."""

    now: int
    reads: tuple[Reads | None, Reads | None]

    def at(
        self, tick: int, act: Callable[[], None] | None, key: Hashable = None, place: Place = None
    ) -> None:
        """Have something happen at a tick, for the instruction at a place."""


def begin(host: ReadingHost, unpacker: int) -> None:
    """An unpacker has its addresses, and reads from now on."""
    own = host.reads[unpacker]
    assert own is not None
    _put(host, unpacker, own._replace(since=host.now, speed=own.wanted))
    _share(host)


def end(host: ReadingHost, unpacker: int) -> None:
    """An unpacker is through."""
    own = host.reads[unpacker]
    assert own is not None
    _put(host, unpacker, None)
    own.done()
    _share(host)


def _put(host: ReadingHost, unpacker: int, reads: Reads | None) -> None:
    first, second = host.reads
    host.reads = (first, reads) if unpacker else (reads, second)


def _share(host: ReadingHost) -> None:
    """Give both the speeds that they have from now on."""
    reading = [r if r is not None and r.speed else None for r in host.reads]
    first, second = reading
    if first is not None and second is not None:
        speeds = shared_speed(first.wanted, second.wanted)
    else:
        speeds = tuple(0 if r is None else r.wanted for r in reading)  # type: ignore[assignment]
    for unpacker, (reads, speed) in enumerate(zip(reading, speeds, strict=True)):
        if reads is None:
            continue
        now = reads.going_on(host.now, speed)
        _put(host, unpacker, now)
        _end_at(host, unpacker, now)


def _end_at(host: ReadingHost, unpacker: int, reads: Reads) -> None:
    host.at(reads.ends, lambda: end(host, unpacker), ("unpack", unpacker), reads.place)
