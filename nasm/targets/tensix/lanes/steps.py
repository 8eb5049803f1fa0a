"""Words of the vector unit taken apart once: what each does, and what can be done with many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from nasm.base.records import dataclass
from nasm.targets.tensix.lanes.facts import (
    LANES,
    MAD,
    Fields,
    Lanes,
    Registers,
    Role,
    VectorFacts,
    mode_of,
)
from nasm.targets.tensix.lanes.macros import parameters, parsed
from nasm.targets.tensix.lanes.permutations import SHIFT
from nasm.targets.tensix.lanes.predication import STACK
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.lanes.register_uses import uses

Act = Callable[..., None]

ACCESSES: Final = (Role.LOADS, Role.STORES)
"""Roles of instructions that have an address in Dst."""

INDIRECT_VD: Final = 8
"""Of modes of the MAD sub-unit: each lane writes the register that its L7 names."""


@dataclass(frozen=True, slots=True, eq=False)
class LaneStep:
    """A word that is executed whatever the state is.

    Attributes:
        facts: What its row declares.
        role: What is treated in a way of its own, which is of these.
        fields: Its fields, by the documents' names.
        act: Executes it, called with a core and a thread; None if that does nothing. Loads and
            stores need an address instead.
        reads: Registers that it may read.
        writes: Registers that it may write, in the lanes that execute.
        all_lanes: It heeds no flags.
        some_lanes: It may leave out some of the lanes that execute.
        flags: It may write flags.
        alone: Rounds that have it cannot be evaluated together.
    """

    facts: Lanes
    role: Role
    fields: Fields
    act: Act | None
    reads: Registers
    writes: Registers
    all_lanes: bool
    some_lanes: bool
    flags: bool
    alone: bool


@lru_cache(maxsize=1 << 4)
def steps_by(quirks: Quirks) -> Callable[[int], LaneStep]:
    """What a word does, by the word."""
    return lru_cache(maxsize=1 << 12)(partial(_step, quirks))


def _step(quirks: Quirks, word: int) -> LaneStep:
    mnemonic, fields = parsed(word)
    used, executed = uses(mnemonic, fields), LANES[mnemonic]
    facts, mode = executed.facts, mode_of(fields)
    return LaneStep(
        facts,
        facts.role,
        fields,
        _bound(executed, fields, quirks),
        used.reads,
        used.writes,
        mode in facts.all_lanes,
        facts.sub_unit == MAD and mode & INDIRECT_VD > 0,
        used.writes_flags,
        facts.role is Role.CONFIGURES or facts.draws(fields, quirks),
    )


def _bound(executed: VectorFacts, fields: Fields, quirks: Quirks) -> Act | None:
    if executed.facts.role in (Role.IDLES, *ACCESSES):
        return None
    accepted = parameters(executed.act)
    given: dict[str, Any] = {name: n for name, n in fields.items() if name in accepted}
    if "quirks" in accepted:
        given["quirks"] = quirks
    return partial(executed.act, **given)


def carried(steps: Iterable[LaneStep]) -> set[int]:
    """Registers that steps write, of which they read what was there, if all lanes execute."""
    live: set[int] = set()
    written: set[int] = set()
    for one in steps:
        live |= one.reads - written
        written |= one.writes
    return live & written


def carried_from(steps: Sequence[LaneStep]) -> list[int]:
    """How many registers are carried from one round of steps to the next that begins at each."""
    written = set[int]().union(*(one.writes for one in steps))
    live: set[int] = set()
    found = []
    for one in reversed((*steps, *steps)):
        live = live - one.writes | one.reads
        found.append(len(live & written))
    return found[: len(steps) - 1 : -1]


def keeps_rotated(steps: Sequence[LaneStep]) -> bool:
    """Whether what was rotated last is not at once read by steps and then changed."""
    asked = [one.fields["Mod1"] for one in steps if one.facts.is_slow(one.fields)]
    return not asked or asked[0] != SHIFT or set(asked) == {SHIFT}


def depths(steps: Iterable[LaneStep], peeks_full: bool = False) -> tuple[int, int, int]:
    """Of the stack of flags: what it grows by, and the fewest and the most entries to begin with.

    The most are so many that no step finds it full that pushes, or peeks unless it may.
    """
    depth, fewest, most = 0, 0, STACK
    for one in steps:
        if one.role is Role.PUSHES:
            most = min(most, STACK - 1 - depth)
            depth += 1
        elif one.role is Role.POPS and one.fields["Mod1"]:
            most = min(most, STACK - depth if peeks_full else STACK - 1 - depth)
        elif one.role is Role.POPS:
            fewest = max(fewest, 1 - depth)
            depth -= 1
    return depth, fewest, most
