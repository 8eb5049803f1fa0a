"""Rounds of the same instructions evaluated all at once, with an axis for the rounds.

What a round finds in registers and flags is taken to be what the first one finds. That is looked at
afterwards: it holds if whatever a round reads of what rounds write is at its end as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nasm.targets.tensix.lanes.dst_access import load, store
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.lanes.steps import Step
from nasm.targets.tensix.lanes.unit import lanes
from nasm.targets.tensix.state import LANES, Coprocessor, Vector


def together(
    core: Coprocessor,
    thread: int,
    steps: Sequence[Step],
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
    wide = _widened(vector, count)
    saved = matrix.dst.copy(), matrix.defined.copy()
    core.vector = wide
    try:
        held = _execute(core, thread, steps, kinds, at, quirks)
    finally:
        core.vector = vector
    if not _same(vector, wide, held, any(step.flags for step in steps)):
        matrix.dst[...], matrix.defined[...] = saved
        return False
    vector.registers[...] = wide.registers[:, -1]
    vector.flag[...], vector.uses_flag[...] = wide.flag[-1], wide.uses_flag[-1]
    vector.rotated[...] = wide.rotated[-1]
    return True


def _widened(vector: Vector, count: int) -> Vector:
    """The same in every round; what is not by lane stays, as no round changes it."""
    shape = count, LANES
    registers = np.empty((len(vector.registers), *shape), np.uint32)
    registers[...] = vector.registers[:, None]
    return Vector(
        registers=registers,
        flag=np.broadcast_to(vector.flag, shape).copy(),
        uses_flag=np.broadcast_to(vector.uses_flag, shape).copy(),
        stack=tuple((a * count, b * count) for a, b in vector.stack),
        lane_config=vector.lane_config,
        templates=vector.templates,
        sequences=vector.sequences,
        macro_misc=vector.macro_misc,
        random=vector.random,
        rotated=np.broadcast_to(vector.rotated, shape).copy(),
    )


def _execute(
    core: Coprocessor,
    thread: int,
    steps: Sequence[Step],
    kinds: Sequence[int],
    at: Any,
    quirks: Quirks,
) -> set[int]:
    """Execute steps; registers that they write, and of which some lane's former value mattered."""
    vector, dst = core.vector, core.matrix.dst
    live: set[int] = set()
    replaced: set[int] = set()
    written: set[int] = set()
    every = lanes(vector) is None
    number = 0
    for step in steps:
        live |= step.reads - replaced
        written |= step.writes
        if (every or step.all_lanes) and not step.some_lanes:
            replaced |= step.writes
        else:
            live |= step.writes - replaced
        if step.mnemonic == "SFPLOAD":
            load(vector, dst, step.fields["VD"], kinds[number], at[number])
            number += 1
        elif step.mnemonic == "SFPSTORE":
            store(core, step.fields["VD"], kinds[number], at[number], quirks)
            number += 1
        elif step.act is not None:
            step.act(core, thread)
            if step.flags:
                every = lanes(vector) is None
    return live & written


def _same(vector: Vector, wide: Vector, held: set[int], flags: bool) -> bool:
    """Whether all rounds but the last end with what they began with, of what matters."""
    if flags:
        ends = (wide.flag[:-1] == vector.flag, wide.uses_flag[:-1] == vector.uses_flag)
        if not all(end.all() for end in ends):
            return False
        count = len(wide.flag)
        if wide.stack != tuple((a * count, b * count) for a, b in vector.stack):
            return False
    return all((wide.registers[n, :-1] == vector.registers[n]).all() for n in held)
