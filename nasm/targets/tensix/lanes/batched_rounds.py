"""Rounds of the same instructions evaluated all at once, with an axis for the rounds.

What a round finds in registers and flags is taken to be what the first one finds. That is looked at
afterwards: it holds if whatever a round reads of what rounds write is at its end as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.lanes.dst_access import load, store
from nasm.targets.tensix.lanes.facts import Role
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.lanes.renamed_rounds import execute_renamed, renamed
from nasm.targets.tensix.lanes.steps import LaneStep
from nasm.targets.tensix.lanes.unit import lanes
from nasm.targets.tensix.state import LANES, Coprocessor, Vector

_T = TypeVar("_T", np.uint32, np.bool_)


def execute_batched(
    core: Coprocessor,
    thread: int,
    steps: Sequence[LaneStep],
    kinds: Sequence[int],
    at: Any,
    count: int,
    quirks: Quirks,
) -> bool:
    """Execute rounds of steps, if they can be so executed; otherwise nothing has changed.

    Args:
        core: The coprocessor.
        thread: Whose instructions they are.
        steps: Those of a round.
        kinds: The formats of their loads and stores, resolved.
        at: The addresses of these, (loads and stores, rounds); no round reads or writes what
            another one writes, and all that is read is defined.
        count: How many rounds there are.
        quirks: For what is executed.
    """
    vector, matrix = core.vector, core.matrix
    wide = _widened(vector, steps, count)
    saved = matrix.dst.copy(), matrix.defined.copy()
    core.vector = wide
    try:
        carried, written = _execute(core, thread, steps, kinds, at, quirks)
    finally:
        core.vector = vector
    if not _same(vector, wide, carried, any(step.flags for step in steps)):
        matrix.dst[...], matrix.defined[...] = saved
        return False
    for number in written:
        vector.registers[number] = wide.registers[number, -1]
    vector.flag[...], vector.uses_flag[...] = wide.flag[-1], wide.uses_flag[-1]
    vector.rotated[...] = wide.rotated[-1]
    return True


def _widened(vector: Vector, steps: Sequence[LaneStep], count: int) -> Vector:
    """The same in every round; what is not by lane stays, as no round changes it.

    Registers that steps neither read nor write are left as anything.
    """
    registers = np.empty((len(vector.registers), count, LANES), np.uint32)
    used = sorted(frozenset[int]().union(*(step.reads | step.writes for step in steps)))
    registers[used] = vector.registers[used, None]
    return Vector(
        registers=registers,
        flag=_repeated(vector.flag, count),
        uses_flag=_repeated(vector.uses_flag, count),
        stack=_repeated_stack(vector, count),
        lane_config=vector.lane_config,
        templates=vector.templates,
        sequences=vector.sequences,
        macro_misc=vector.macro_misc,
        random=vector.random,
        rotated=_repeated(vector.rotated, count),
    )


def _repeated(part: NDArray[_T], count: int) -> NDArray[_T]:
    repeated = np.empty((count, LANES), part.dtype)
    repeated[...] = part
    return repeated


def _repeated_stack(vector: Vector, count: int) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((flag * count, uses * count) for flag, uses in vector.stack)


def _execute(
    core: Coprocessor,
    thread: int,
    steps: Sequence[LaneStep],
    kinds: Sequence[int],
    at: Any,
    quirks: Quirks,
) -> tuple[set[int], set[int]]:
    """Execute steps.

    Returns:
        Registers that they write: those of which the former value of some lane matters, and all.
    """
    vector, dst = core.vector, core.matrix.dst
    live: set[int] = set()
    replaced: set[int] = set()
    written: set[int] = set()
    every = lanes(vector) is None
    together = renamed(tuple(steps))
    number = at_step = 0
    while at_step < len(steps):
        rounds = together.get(at_step) if every else None
        if rounds is not None:
            live |= rounds.live - replaced
            written |= rounds.written
            replaced |= rounds.written
            execute_renamed(core, thread, steps, rounds)
            at_step = rounds.end
            continue
        step = steps[at_step]
        at_step += 1
        live |= step.reads - replaced
        written |= step.writes
        if (every or step.all_lanes) and not step.some_lanes:
            replaced |= step.writes
        else:
            live |= step.writes - replaced
        if step.role is Role.LOADS:
            load(vector, dst, step.fields["VD"], kinds[number], at[number])
            number += 1
        elif step.role is Role.STORES:
            store(core, step.fields["VD"], kinds[number], at[number], quirks)
            number += 1
        elif step.act is not None:
            step.act(core, thread)
            if step.flags:
                every = lanes(vector) is None
    return live & written, written


def _same(vector: Vector, wide: Vector, carried: set[int], flags: bool) -> bool:
    """Whether all rounds but the last end with what they began with, of what matters."""
    if flags:
        ends = (wide.flag[:-1] == vector.flag, wide.uses_flag[:-1] == vector.uses_flag)
        if not all(end.all() for end in ends):
            return False
        if wide.stack != _repeated_stack(vector, len(wide.flag)):
            return False
    return all((wide.registers[n, :-1] == vector.registers[n]).all() for n in carried)
