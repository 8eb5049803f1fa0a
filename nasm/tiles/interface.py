"""What groups of tiles and whatever lets them meet have in common: records, all of which pickle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nasm.machine.group_packets import LaunchedPacket, Payload
from nasm.program.program import Program
from nasm.sim.group_scheduler import CrossingKey, KeptEvent


class Division(NamedTuple):
    """Which group has each core, and each memory that tiles share, by its name."""

    groups: tuple[int, ...]
    memories: Mapping[str, int]


class GroupWindow(NamedTuple):
    """What a group is asked to do: to execute all that happens before a tick.

    ``launches`` are the packets that all groups have sent before, in order, and ``payloads`` what
    they have taken for this one.
    """

    until: int
    launches: Sequence[LaunchedPacket]
    payloads: Sequence[Payload]


class Reached(NamedTuple):
    """What a group has done in a window.

    ``revoked`` are events of the window before that did not happen. What happens next is at tick
    ``next``, None for nothing. So many instructions have completed by ``now``; it ``sends`` while
    some queue of a network is not at its end, or a packet has not been answered. It cannot continue
    by itself if there is a reason to be ``alone``.
    """

    launches: Sequence[LaunchedPacket]
    payloads: Sequence[Payload]
    kept: Sequence[KeptEvent]
    revoked: Sequence[tuple[int, int, CrossingKey]]
    next: int | None
    now: int
    retired: int
    sends: bool
    alone: str = ""


class QueuePlace(NamedTuple):
    """Where a queue is in the middle of a run, and what it has done."""

    pc: int
    done: bool
    completed: int
    finished: int
    busy: int
    busy_until: int
    mark: int
    waiting: Mapping[Any, int]


class GroupState(NamedTuple):
    """What a group has at the end of a run: of its own tiles alone, by their numbers."""

    queues: Mapping[int, Any]
    semaphores: Mapping[int, int]
    stores: Mapping[int, Any]
    holds: Mapping[int, Any]
    registers: Mapping[int, Any]
    engines: Mapping[int, Any]
    channels: Mapping[int, Any]
    expanded: Mapping[int, Any]
    watched: Any


def divided(program: Program, count: int) -> Division:
    """Tiles as evenly as they can be, in the order of their numbers, and the shared memories."""
    cores = program.cores
    groups = tuple(core * count // cores for core in range(cores))
    shared = sorted({t.memory.name for t in program.tensors.values() if t.memory.shared})
    return Division(groups, {name: n % count for n, name in enumerate(shared)})
