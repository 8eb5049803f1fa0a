"""Where tensors go in a program in sequential order: bytes are used again, as late as possible.

A line that reuses bytes waits for the lines that used them before. So tensors are placed round the
memory, each after the one before, in the order in which they become live; in a memory with banks
each at the border of a bank, as long as there is one. What finds no place so is placed ahead of all
others, and with it what is as large: first what is largest, each at the lowest byte that is free as
long as it lives. The others go round those. When all are placed like this and it does not do, what
lives longest goes first; when that does not do, the program is refused.

Only tensors of a memory of limited size that belongs to one core share bytes. Those that the
program placed stay where they are, and may share them as they like. A tensor that no instruction
mentions has a place of its own if there is one left, and is at byte 0 otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from nasm.base.problems import Problem
from nasm.program import placement as building
from nasm.program.placement import Align, Room, Runs, aligned, at_border, by_memory, clear
from nasm.program.program import Program
from nasm.sync.fixed_places import NOTHING, FixedPlaces, Living
from nasm.sync.lines import Item, Sequence
from nasm.sync.live_ranges import BEFORE, FOREVER, Life, lifetimes, written
from nasm.sync.placement_errors import refusal
from nasm.views.tensor import Tensor


def place(program: Program, sequence: Sequence) -> list[Problem]:
    """Give every tensor without a place one; returns what does not fit, one for each memory."""
    problems: list[Problem] = []
    rest: list[Tensor] = []
    live_ranges: dict[int, Mapping[int, Life]] = {}
    for group in by_memory(program.tensors.values()):
        memory, core = group[0].memory, group[0].core
        if memory.shared or not memory.size:
            rest += group
            continue
        items = sequence.cores[core] if core < len(sequence.cores) else []
        if core not in live_ranges:
            live_ranges[core] = lifetimes(program, items)
        problems += _in_memory(program, items, group, live_ranges[core])
    return problems + building.place(rest)


def fits(living: list[Living]) -> bool:
    """Whether tensors of one memory of one core all find places, while they live so long."""
    given = [one for one in living if one.tensor.offset is not None]
    tiles = sorted((one for one in living if one.tensor.offset is None), key=_begin)
    return _placed(tiles, given)[1] is None


def _in_memory(
    program: Program, items: list[Item], group: list[Tensor], live_ranges: Mapping[int, Life]
) -> list[Problem]:
    """Place the tensors of one memory of one core."""
    living = [Living(t, _life(t, live_ranges[t.index])) for t in group if t.index in live_ranges]
    given = [one for one in living if one.tensor.offset is not None]
    tiles = sorted((one for one in living if one.tensor.offset is None), key=_begin)
    places, refused = _placed(tiles, given)
    if refused is not None:
        return [refusal(refused, tiles, given, places, written(program, items))]
    for one in tiles:
        _settle(one.tensor, places[one.tensor.index])
    return _unmentioned([t for t in group if t.offset is None], living)


def _life(tensor: Tensor, life: Life) -> Life:
    """What is there before the program lives from then on, and its results for good."""
    begin = BEFORE if tensor.role or tensor.init is not None else life.begin
    return life._replace(begin=begin, end=FOREVER if tensor.role else life.end)


def _settle(tensor: Tensor, at: int) -> None:
    tensor.partition, tensor.offset, tensor.fixed = 0, at, True


def _unmentioned(tensors: list[Tensor], living: list[Living]) -> list[Problem]:
    """Place tensors that nothing uses: next to all others if there is room, else anywhere."""
    problems: list[Problem] = []
    always, room = Life(BEFORE, FOREVER, 0, 0), Room()
    taken = FixedPlaces(living, len(living)).taken(always, FOREVER) if tensors else NOTHING
    before: dict[tuple[int, int], int | None] = {}
    for tensor in tensors:
        if tensor.bytes > tensor.memory.size:
            problems += building.place([tensor])
            continue
        alike = tensor.bytes, tensor.dtype.itemsize  # no room for more of these before the last one
        at = before.get(alike, 0)
        if at is not None:
            at = _fit(tensor, 0 if tensor.memory.bank else at, (room.runs, taken))
            before[alike] = at
        if at is not None:
            room.take(at, tensor.bytes)
        _settle(tensor, at or 0)
    return problems


# -- strategies

Places = dict[int, int]
"""Bytes at which tensors begin, by the index of the tensor."""

Attempt = tuple[Places, Living | None]
"""Places, and the first tensor for which there was none."""


def _begin(one: Living) -> tuple[int, ...]:
    """As they begin to live, those that begin together as they are mentioned."""
    return one.life.begin, one.life.first, one.tensor.index


def _largest(one: Living) -> tuple[int, ...]:
    return -one.tensor.bytes, one.life.begin - one.life.end, one.tensor.index


def _longest(one: Living) -> tuple[int, ...]:
    return one.life.begin - one.life.end, -one.tensor.bytes, one.tensor.index


ROUNDS = 6
"""How often what is as large as the tensor that found no place is placed ahead of the others."""


def _placed(tiles: list[Living], given: list[Living]) -> Attempt:
    """The first attempt that succeeds, else the very first one."""
    places, first = _rotated(tiles, [], given)
    if first is None or _most_alive(tiles) > first.tensor.memory.size:
        return places, first
    least, failed = first.tensor.bytes, first
    for left in reversed(range(ROUNDS)):
        least = min(least, failed.tensor.bytes) if left else 0
        ahead = sorted((one for one in tiles if one.tensor.bytes >= least), key=_largest)
        behind = [one for one in tiles if one.tensor.bytes < least]
        found, missing = _rotated(behind, ahead, given)
        if missing is None:
            return found, None
        if missing.tensor.bytes >= least:
            break
        failed = missing
    found, missing = _rotated([], sorted(tiles, key=_longest), given)
    return (places, first) if missing else (found, None)


def _most_alive(tiles: list[Living]) -> int:
    """The most bytes that tensors alive at once take, in each partition."""
    changes = [(one.life.begin, one.tensor.bytes) for one in tiles]
    changes += [(one.life.end + 1, -one.tensor.bytes) for one in tiles]
    most = alive = 0
    for _, change in sorted(changes):
        alive += change
        most = max(most, alive)
    return most


def _rotated(tiles: list[Living], ahead: list[Living], given: list[Living]) -> Attempt:
    """Place some tensors ahead of all others, in this order, and the others round the memory."""
    standing = FixedPlaces(given, len(given) + len(ahead))
    places: Places = {}
    for one in ahead:
        at = _fit(one.tensor, 0, (standing.taken(one.life, one.tensor.partitions),))
        if at is None:
            return places, one
        places[one.tensor.index] = at
        standing.add(at, one)
    room, leaving, cursor = Room(), list[tuple[int, int]](), 0
    for one in tiles:
        tensor, life = one.tensor, one.life
        while leaving and leaving[0][0] < life.begin:
            room.give(heappop(leaving)[1])
        at = _fit(tensor, cursor, (room.runs, standing.taken(life, tensor.partitions)))
        if at is None:
            return places, one
        places[tensor.index], cursor = at, at + tensor.bytes
        room.take(at, tensor.bytes)
        heappush(leaving, (life.end, at))
    return places, None


def _fit(tensor: Tensor, cursor: int, taken: tuple[Runs, ...]) -> int | None:
    """The first byte that is free from a cursor on, round the memory; None if there is none."""
    size = tensor.bytes
    last = tensor.memory.size - size
    aligns: tuple[Align, ...] = (at_border, aligned) if tensor.memory.bank else (aligned,)
    for align in aligns:
        for begin in (cursor, 0) if cursor else (0,):
            at = clear(tensor, size, begin, taken, align)
            if at <= last:
                return at
    return None
