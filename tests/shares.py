"""The shares of transfers in a trace, one by one."""

from __future__ import annotations

from typing import NamedTuple

from nasm.sim.trace import Trace


class Share(NamedTuple):
    """What one channel did for a transfer."""

    core: int
    channel: int
    ring: int
    queue: int
    pc: int
    arrived: int
    start: int
    free: int
    landed: int
    bytes: int


def shares(trace: Trace) -> list[Share]:
    """Those of every job of a trace, in order."""
    found = []
    for core, channels, ring, queue, pc, arrived, start, free, landed, size, count in trace.jobs:
        members = [n for n in range(channels.bit_length()) if channels >> n & 1]
        assert len(members) == count
        assert size % count == 0
        for channel in members:
            times = (arrived, start, free, landed)
            found.append(Share(core, channel, ring, queue, pc, *times, size // count))
    return found
