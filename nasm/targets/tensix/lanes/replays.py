"""Many instructions of the vector unit one after the other, so that the scheduler need not ask.

Registers, flags, row counters and Dst are afterwards as if each had been executed alone. Rounds of
the same instructions are evaluated together where they do not need one another's results.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.targets.tensix.lanes.batched_rounds import execute_batched
from nasm.targets.tensix.lanes.dst_access import bases, load, resolved, rows_read, store
from nasm.targets.tensix.lanes.dst_formats import SRCB
from nasm.targets.tensix.lanes.facts import LANES, Role, mode_of
from nasm.targets.tensix.lanes.macros import parsed
from nasm.targets.tensix.lanes.periods import WordRounds, periods
from nasm.targets.tensix.lanes.places import LoadStorePlaces, places
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.scheduling import stalls, too_early
from nasm.targets.tensix.lanes.steps import (
    ACCESSES,
    LaneStep,
    carried,
    depths,
    keeps_rotated,
    steps_by,
)
from nasm.targets.tensix.lanes.unit import TEMPLATES
from nasm.targets.tensix.state import Coprocessor, RowCounters


@lru_cache(maxsize=1 << 10)
def fit(words: tuple[int, ...]) -> int:
    """How many of some words of the vector unit, from the first on, can be executed at once."""
    before = None
    for number, word in enumerate(words):
        if not _fits(word) or (before is not None and _too_early(before, word)):
            return number
        before = word
    return len(words)


@lru_cache(maxsize=1 << 12)
def _fits(word: int) -> bool:
    """Whether it is never refused, becomes no template, and leaves macros and lanes as they are."""
    mnemonic, fields = parsed(word)
    executed, VD = LANES.get(mnemonic), fields.get("VD", 0)
    if executed is None:
        return False
    facts = executed.facts
    if facts.role is Role.CONFIGURES:
        return 11 <= VD < 15
    known = facts.modes is None or mode_of(fields) in facts.modes
    return known and VD < TEMPLATES and facts.role is not Role.MACRO


@lru_cache(maxsize=1 << 12)
def _name(word: int) -> str:
    return parsed(word)[0]


@lru_cache(maxsize=1 << 12)
def _too_early(before: int, word: int) -> bool:
    """Whether there is something to say about a word in the cycle after another."""
    (first, its), (second, fields) = parsed(before), parsed(word)
    return any(too_early(first, its, second, fields)) and not stalls(first, second)


@lru_cache(maxsize=1 << 10)
def starts(words: tuple[int, ...]) -> tuple[int, ...]:
    """How many cycles after the first of some words each starts, and then whatever follows.

    Who follows may still have to wait for the last one, as ``scheduling.stalls`` says.
    """
    names = list(map(_name, words))
    waits = [stalls(*pair) for pair in pairwise(names)]
    return tuple(accumulate((1 + wait for wait in [*waits, False][: len(words)]), initial=0))


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Words that are executed at once.

    Attributes:
        steps: What they do.
        rounds: All of them as rounds.
        independent: Which of these may be evaluated together.
        fewest: Entries that have to be on the stack of flags.
        most: Entries that may be there at most.
    """

    steps: tuple[LaneStep, ...]
    rounds: tuple[WordRounds, ...]
    independent: tuple[bool, ...]
    fewest: int
    most: int


@lru_cache(maxsize=1 << 8)
def _run(words: tuple[int, ...], quirks: Quirks) -> _Run:
    steps = tuple(map(steps_by(quirks), words))
    rounds = periods(_alike(words, steps), steps)
    independent = tuple(
        r.times > 1 and _independent(steps[r.first : r.first + r.size]) for r in rounds
    )
    _, fewest, most = depths(steps, not quirks.stack_bug)
    return _Run(steps, rounds, independent, fewest, most)


def _alike(words: tuple[int, ...], steps: tuple[LaneStep, ...]) -> list[int]:
    """Numbers that are the same for words that differ in nothing but where in Dst they access."""
    numbers: dict[Hashable, int] = {}
    return [
        numbers.setdefault(_but_place(one) if one.role in ACCESSES else word, len(numbers))
        for word, one in zip(words, steps, strict=True)
    ]


def _but_place(step: LaneStep) -> Hashable:
    """What a load or store is, but for its address."""
    fields = step.fields.items()
    return step.role, *((name, n) for name, n in fields if name not in ("Imm10", "AddrMod"))


def _independent(steps: tuple[LaneStep, ...]) -> bool:
    """Whether rounds of steps may find the same as each other, but for Dst."""
    return (
        not any(one.alone for one in steps)
        and not carried(steps)
        and keeps_rotated(steps)
        and depths(steps)[0] == 0
    )


def perform(
    core: Coprocessor, thread: int, words: tuple[int, ...], quirks: Quirks = DOCUMENTED
) -> bool:
    """Execute words that ``fit`` one after the other.

    Returns:
        Whether they were executed; otherwise nothing has changed, and one of them is undefined in
        the state that it meets, or macros or LaneConfig ask for more.
    """
    vector = core.vector
    if vector.pending or vector.lane_config.any() or fit(words) < len(words):
        return False
    run = _run(words, quirks)
    if not run.fewest <= len(vector.stack) <= run.most:
        return False
    rows = core.threads[thread].rows
    found = _places(
        run,
        rows.save(),
        core.threads[thread].config.tobytes(),
        bases(core, thread),
        resolved(core, thread, SRCB),
    )
    if core.matrix.defined[found.loaded].all():
        _perform(core, thread, run, found, quirks)
    elif not _watched(core, thread, run, found, quirks):
        return False
    rows.restore(found.after)
    return True


@lru_cache(maxsize=1 << 8)
def _places(
    run: _Run, rows: tuple[int, ...], config: bytes, based: tuple[int, int], default: int
) -> LoadStorePlaces:
    return places(
        run.steps, run.rounds, RowCounters(*rows), np.frombuffer(config, np.uint16), based, default
    )


def _perform(
    core: Coprocessor, thread: int, run: _Run, found: LoadStorePlaces, quirks: Quirks
) -> None:
    """Execute everything; all that is loaded is defined."""
    number = 0
    for rounds, independent, apart in zip(run.rounds, run.independent, found.apart, strict=True):
        if independent and apart is not None:
            kinds, parts = apart
            for at in parts:
                some = rounds._replace(times=at.shape[1])
                number += _rounds(core, thread, run, some, found, number, (kinds, at), quirks)
        else:
            steps = run.steps[rounds.first : rounds.end]
            number = _one_by_one(core, thread, steps, found, number, quirks)


def _rounds(
    core: Coprocessor,
    thread: int,
    run: _Run,
    rounds: WordRounds,
    found: LoadStorePlaces,
    number: int,
    apart: tuple[tuple[int, ...], Any],
    quirks: Quirks,
) -> int:
    """Execute rounds together, or all but the first, or else one by one; their accesses."""
    kinds, at = apart
    steps = run.steps[rounds.first : rounds.first + rounds.size]
    if not execute_batched(core, thread, steps, kinds, at, rounds.times, quirks):
        _one_by_one(core, thread, steps, found, number, quirks)
        if not execute_batched(core, thread, steps, kinds, at[:, 1:], rounds.times - 1, quirks):
            rest = run.steps[rounds.first + rounds.size : rounds.end]
            _one_by_one(core, thread, rest, found, number + len(kinds), quirks)
    return len(kinds) * rounds.times


def _one_by_one(
    core: Coprocessor,
    thread: int,
    steps: tuple[LaneStep, ...],
    found: LoadStorePlaces,
    number: int,
    quirks: Quirks,
) -> int:
    """Execute steps; the first load or store has a number, the next one is returned."""
    vector, dst = core.vector, core.matrix.dst
    for one in steps:
        if one.act is not None:
            one.act(core, thread)
        elif one.role is Role.LOADS:
            load(vector, dst, one.fields["VD"], found.kinds[number], found.at[number])
            number += 1
        elif one.role is Role.STORES:
            store(core, one.fields["VD"], found.kinds[number], found.at[number], quirks)
            number += 1
    return number


def _watched(
    core: Coprocessor, thread: int, run: _Run, found: LoadStorePlaces, quirks: Quirks
) -> bool:
    """Execute everything if all that is loaded is defined by then; otherwise nothing changes."""
    vector, matrix = core.vector, core.matrix
    saved = vector.save(), matrix.dst.copy(), matrix.defined.copy()
    number = 0
    for one in run.steps:
        if one.role is Role.LOADS:
            missing = rows_read(found.kinds[number], found.at[number])
            if missing and not matrix.defined[list(missing)].all():
                vector.restore(saved[0])
                matrix.dst[...], matrix.defined[...] = saved[1:]
                return False
        number = _one_by_one(core, thread, (one,), found, number, quirks)
    return True
