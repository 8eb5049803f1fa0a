"""Messages through shared memory: whole, in order, of any length, whichever side is slow."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from nasm.workers import shared_wire
from nasm.workers.shared_wire import COUNTERS, SharedWire

Pair = Callable[[], tuple[SharedWire, SharedWire]]

SMALL = 64
"""Bytes of a ring that nearly every message fills."""


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Makes both ends of a wire."""
    made: list[SharedWire] = []

    def make() -> tuple[SharedWire, SharedWire]:
        shared = bytearray(COUNTERS + 2 * shared_wire.RING)
        ours, theirs = socket.socketpair()
        made[:] = SharedWire(shared, ours, 0), SharedWire(shared, theirs, 1)
        return made[0], made[1]

    yield make
    for end in made:
        end.close()


def messages(seed: int) -> list[bytes]:
    """Some bytes, some times."""
    rng = Random(seed)
    return [rng.randbytes(rng.choice((0, 1, 30, 64, 100, 1000))) for _ in range(200)]


@pytest.mark.parametrize("seed", range(4))
def test_both_ends_send_and_receive_messages_of_any_length(
    seed: int, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_wire, "RING", SMALL)
    ends, found = pair(), ([], [])  # type: ignore[var-annotated]
    sent = messages(seed), messages(seed + 100)

    def live(end: int) -> None:
        rng = Random(seed + end)
        for message in sent[end]:  # all of it, while the other end does the same
            ends[end].send(message)
            if rng.random() < 0.05:
                time.sleep(0.001)
        found[end].extend(ends[end].receive() for _ in sent[1 - end])

    threads = [threading.Thread(target=live, args=(end,), daemon=True) for end in (0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
        assert not one.is_alive(), "each waits for the other"
    assert found == (sent[1], sent[0])


def test_announcements_that_are_not_heard_do_not_block(pair: Pair) -> None:
    one, other = pair()
    for number in range(3000):
        one.send(number)
    for _ in range(300_000):
        one._ring()
    assert [other.receive() for _ in range(3000)] == list(range(3000))


def test_an_end_that_is_gone_is_an_end_of_file(pair: Pair) -> None:
    one, other = pair()
    one.send("last")
    one.close()
    assert other.receive() == "last"
    with pytest.raises(EOFError):
        other.receive()
    with pytest.raises(EOFError):
        other.send("nothing hears this")


def test_what_is_read_frees_its_room(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_wire, "RING", SMALL)
    one, other = pair()
    for number in range(100):
        one.send(number)
        assert other.receive() == number
    assert one.written == other.read > 10 * SMALL


def test_a_wait_can_be_interrupted(pair: Pair) -> None:
    one, _ = pair()
    heard: list[Any] = []

    def interrupt(*_: Any) -> None:
        heard.append(1)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(KeyboardInterrupt):
            one.receive()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard
