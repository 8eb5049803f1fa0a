"""What groups of tiles and whatever lets them meet have in common: records, all of which pickle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nasm.isa.tile_grid import chip_of
from nasm.machine.group_packets import LaunchedPacket, Payload
from nasm.program.program import Program


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

    What happens next is at tick ``next``, None for nothing. So many instructions have completed by
    ``now``; it ``sends`` while some queue of a network is not at its end, or a packet has not been
    answered. It has ``kept`` so many events that it has not reported. It cannot continue by
    itself if there is a reason to be ``alone``.
    """

    launches: Sequence[LaunchedPacket]
    payloads: Sequence[Payload]
    next: int | None
    now: int
    retired: int
    sends: bool
    kept: int
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
    """What a group has at the end of a run: of its own tiles alone, by their numbers.

    ``semaphores`` are values, each with what changed it last, what replaced one last, and which
    queues wait for it.
    """

    queues: Mapping[int, Any]
    semaphores: Mapping[int, Any]
    stores: Mapping[Any, Any]
    holds: Mapping[int, Any]
    registers: Mapping[int, Any]
    engines: Mapping[int, Any]
    channels: Mapping[int, Any]
    expanded: Mapping[int, Any]
    watched: Any


def divided(program: Program, count: int) -> Division:
    """So many groups of as many tiles as they can be, and the shared memories.

    What tiles do at a time depends on their row and on their column: the tiles of either are spread
    over all groups. Each tile, in the order of their numbers, goes to one of the smallest groups,
    of these to the one that has the fewest in its row and its column.
    """
    sizes = [0] * count
    lines: Counter[tuple[int, ...]] = Counter()
    groups = []
    for core in range(program.cores):
        place = program.tiles[core]
        own = [(chip_of(place), axis, place[axis]) for axis in (0, 1)]
        group = min(range(count), key=lambda n: (sizes[n], sum(lines[n, *one] for one in own), n))
        groups.append(group)
        sizes[group] += 1
        lines.update((group, *one) for one in own)
    shared = sorted({t.memory.name for t in program.tensors.values() if t.memory.shared})
    return Division(tuple(groups), {name: n % count for n, name in enumerate(shared)})
