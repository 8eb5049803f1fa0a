"""Where in Dst a series of loads and stores is, all computed before the first is executed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.targets.tensix.lanes.dst_access import placed, rows_read
from nasm.targets.tensix.lanes.dst_formats import LOADED_32, SRCB, STORED_32, ZERO
from nasm.targets.tensix.lanes.facts import Role
from nasm.targets.tensix.lanes.periods import WordRounds
from nasm.targets.tensix.lanes.steps import ACCESSES, LaneStep
from nasm.targets.tensix.scalar.addr_mods import increments, move
from nasm.targets.tensix.scalar.dst_order import placed32
from nasm.targets.tensix.state import U16, RowCounters

_FEWEST = 4
"""Rounds of a part that are worth it."""

_GROUPS = 512
"""Four rows, and their even or odd columns."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadStorePlaces:
    """Of all loads and stores, in their order.

    Attributes:
        kinds: Formats, resolved.
        at: Addresses.
        loaded: All rows of Dst that loads read.
        apart: For each of some rounds the formats of the loads and stores of a round, and their
            addresses, (loads and stores, rounds), in parts: no round needs what another one of its
            part writes. None where parts would be small.
        after: The row counters afterwards.
    """

    kinds: tuple[int, ...]
    at: tuple[int, ...]
    loaded: Any
    apart: tuple[tuple[tuple[int, ...], Sequence[Any]] | None, ...]
    after: tuple[int, ...]


def places(
    steps: Sequence[LaneStep],
    all_rounds: Sequence[WordRounds],
    rows: RowCounters,
    config: U16,
    bases: tuple[int, int],
    default: int,
) -> LoadStorePlaces:
    """Where loads and stores are.

    Args:
        steps: Steps, of which these are some.
        all_rounds: All of the steps as rounds.
        rows: The row counters before; changed.
        config: The thread's configuration.
        bases: MATH_Offset and DEST_REGW_BASE.
        default: The format that is meant by 0.
    """
    offset, base = bases
    sets = [[increments(config, n, extra) for n in range(4)] for extra in range(2)]
    kinds, at = [], []
    loaded: set[int] = set()
    for step in steps:
        if step.role in ACCESSES:
            fields = step.fields
            kind = default if fields["Mod0"] == SRCB else fields["Mod0"]
            where = placed(kind, fields["Imm10"] + offset, rows.dst + base)
            kinds.append(kind)
            at.append(where)
            if step.role is Role.LOADS:
                loaded.update(rows_read(kind, where))
            move(rows, sets[rows.extra_addr_mod][fields["AddrMod"]], False)
    apart, number = [], 0
    for rounds in all_rounds:
        roles = [s.role for s in steps[rounds.first : rounds.first + rounds.size]]
        roles = [role for role in roles if role in ACCESSES]
        its_kinds = tuple(kinds[number : number + len(roles)])
        many = len(roles) * rounds.times
        its = np.array(at[number : number + many], np.intp).reshape(rounds.times, len(roles)).T
        number += many
        parts = _parted(roles, its_kinds, its) if rounds.times > 1 else ()
        apart.append((its_kinds, parts) if parts else None)
    return LoadStorePlaces(
        tuple(kinds), tuple(at), np.array(sorted(loaded), np.intp), tuple(apart), rows.save()
    )


def _parted(roles: Sequence[Role], kinds: Sequence[int], at: Any) -> Sequence[Any]:
    """Parts of rounds in which no round writes what another one reads or writes."""
    size = times = at.shape[1]
    while size >= _FEWEST:
        parts = [at[:, first : first + size] for first in range(0, times, size)]
        if all(_apart(roles, kinds, part) for part in parts):
            return parts
        size //= 2
    return ()


def _apart(roles: Sequence[Role], kinds: Sequence[int], at: Any) -> bool:
    """Whether no round writes what another one reads or writes."""
    owners = np.full(_GROUPS, -1)
    rounds = np.arange(at.shape[1])
    for role, kind, some in zip(roles, kinds, at, strict=True):
        if role is Role.STORES:
            for groups in _groups(some, kind in STORED_32):
                owner = owners[groups]
                owners[groups] = rounds
                if ((owner >= 0) & (owner != rounds) | (owners[groups] != rounds)).any():
                    return False
    for role, kind, some in zip(roles, kinds, at, strict=True):
        if role is Role.LOADS and kind != ZERO:
            for groups in _groups(some, kind in LOADED_32):
                owner = owners[groups]
                if ((owner >= 0) & (owner != rounds)).any():
                    return False
    return True


def _groups(at: Any, wide: bool) -> tuple[Any, ...]:
    """The groups of 16 bits of addresses, by number."""
    if not wide:
        return (at >> 1,)
    high = placed32(at & ~3, 0) >> 1 | at >> 1 & 1
    return high, high + 4
