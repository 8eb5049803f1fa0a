"""Steps that come again with other registers, evaluated together: each time is as more lanes.

Within a round a program often does the same with one register after another. Where what comes again
reads nothing that an earlier time writes, all times find what the first one finds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from nasm.base.records import replace
from nasm.targets.tensix.lanes.facts import Registers, Role
from nasm.targets.tensix.lanes.steps import LaneStep
from nasm.targets.tensix.state import Coprocessor

_WORTH: Final = 12
"""Steps that have to be saved at least."""

_CONSTANTS: Final = 8
"""The first register that no step writes: such a number means the same each time."""

_NAMED: Final = ("VA", "VB", "VC", "VD")
"""Fields that are numbers of registers."""


class RenamedRounds(NamedTuple):
    """Steps from the first on, in rounds of so many that differ in registers alone.

    ``names`` are by register of the first round those of each round. ``reads`` are registers of
    the first round whose former values matter to it, ``writes`` those that it writes. ``live`` and
    ``written`` are the same of all rounds, by their own names.
    """

    first: int
    size: int
    names: dict[int, tuple[int, ...]]
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    live: Registers
    written: Registers

    @property
    def times(self) -> int:
        """How many rounds there are."""
        return len(next(iter(self.names.values())))

    @property
    def end(self) -> int:
        """The step after them."""
        return self.first + self.size * self.times


@lru_cache(maxsize=1 << 8)
def renamed(steps: tuple[LaneStep, ...]) -> dict[int, RenamedRounds]:
    """Rounds of renamed registers among steps, by their first step."""
    keys = [_key(step) for step in steps]
    found, at = {}, 0
    while at < len(steps):
        best = max(_at(steps, keys, at), key=_saved, default=None)
        if best is None:
            at += 1
        else:
            found[at] = best
            at = best.end
    return found


def _saved(rounds: RenamedRounds) -> int:
    return rounds.size * (rounds.times - 1)


def _key(step: LaneStep) -> Hashable:
    """What a step is but for the registers that it names; None where that is not all it uses."""
    plain = step.role is Role.PLAIN or step.role is Role.IDLES
    if not plain or step.flags or step.some_lanes or step.alone or step.facts.is_slow(step.fields):
        return None
    fields = step.fields
    if not step.reads | step.writes <= {fields[name] for name in _NAMED if name in fields}:
        return None
    return (
        id(step.facts),
        *(
            (name, -1 if name in _NAMED and value < _CONSTANTS else value)
            for name, value in fields.items()
        ),
    )


def _at(steps: Sequence[LaneStep], keys: Sequence[Hashable], at: int) -> Iterator[RenamedRounds]:
    """Rounds from a step on that are worth it, of every size."""
    if keys[at] is None:
        return
    for size in range(1, (len(steps) - at) // 2 + 1):
        if keys[at + size - 1] is None:
            return
        end = at + size
        while end < len(steps) and keys[end] is not None and keys[end] == keys[end - size]:
            end += 1
        times = (end - at) // size
        while size * (times - 1) >= _WORTH:
            found = _rounds(steps[at : at + size * times], at, size)
            if found is not None:
                yield found
                break
            times -= 1


def _rounds(steps: Sequence[LaneStep], first: int, size: int) -> RenamedRounds | None:
    """Steps as rounds of a size, if they can be evaluated together."""
    parts = [steps[at : at + size] for at in range(0, len(steps), size)]
    maps = [found for part in parts if (found := _map(parts[0], part)) is not None]
    if len(maps) < len(parts):
        return None
    written: set[int] = set()
    live: set[int] = set()
    for part in parts:
        reads, writes = _uses(part)
        if reads & written:
            return None
        live |= reads
        written |= writes
    names = {register: tuple(held[register] for held in maps) for register in maps[0]}
    if not names:
        return None
    reads, writes = _uses(parts[0])
    return RenamedRounds(
        first, size, names, tuple(reads), tuple(writes), frozenset(live), frozenset(written)
    )


def _map(one: Sequence[LaneStep], other: Sequence[LaneStep]) -> dict[int, int] | None:
    """What registers of steps are called in other steps, of which the same holds otherwise.

    None where one would be two, or two one.
    """
    found: dict[int, int] = {}
    for first, second in zip(one, other, strict=True):
        used, meant = first.reads | first.writes, second.reads | second.writes
        for name in _NAMED:
            register, called = first.fields.get(name), second.fields.get(name)
            if register not in used or called not in meant:
                continue
            assert register is not None
            assert called is not None
            if found.setdefault(register, called) != called:
                return None
        for own, others in ((first.reads, second.reads), (first.writes, second.writes)):
            if {found.get(register) for register in own} != others:
                return None
    return found if len(set(found.values())) == len(found) else None


def _uses(steps: Sequence[LaneStep]) -> tuple[set[int], set[int]]:
    """Registers whose former values matter to steps, and those that they write, in all lanes."""
    reads: set[int] = set()
    writes: set[int] = set()
    for step in steps:
        reads |= step.reads - writes
        writes |= step.writes
    return reads, writes


def execute_renamed(
    core: Coprocessor, thread: int, steps: Sequence[LaneStep], rounds: RenamedRounds
) -> None:
    """Execute rounds of renamed registers, where all lanes execute."""
    vector = core.vector
    held = vector.registers
    number, count, lanes = held.shape
    together = np.empty((number, rounds.times, count, lanes), np.uint32)
    for register in rounds.reads:
        together[register] = held[list(rounds.names[register])]
    flat = together.reshape(number, -1, lanes)
    none = np.zeros(flat.shape[1:], np.bool_)
    core.vector = replace(vector, registers=flat, flag=none, uses_flag=none)
    try:
        for step in steps[rounds.first : rounds.first + rounds.size]:
            if step.act is not None:
                step.act(core, thread)
    finally:
        core.vector = vector
    for register in rounds.writes:
        for name, values in zip(rounds.names[register], together[register], strict=True):
            held[name] = values
