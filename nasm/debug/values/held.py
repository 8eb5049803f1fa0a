"""What engines hold between instructions: loaded tiles, masks, accumulators, generators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.asm.expectations.elements import Plain, Stored
from nasm.debug.values.value import Value
from nasm.inspection import Inspection
from nasm.machine.outlines import NoValues
from nasm.problems import counted
from nasm.sim.queues import Queue
from nasm.spec.implicit_operands import EngineValue


@dataclass(frozen=True, slots=True, repr=False)
class Held:
    """What an engine holds under a name.

    ``parts`` say each what it is, and its elements; there are none if nothing was left there, and
    ``how`` says what leaves it. Until ``ready``, a tick, its next user waits.
    """

    core: int
    engine: str
    name: str
    how: str
    ready: int
    parts: tuple[tuple[str, Value], ...]

    def __repr__(self) -> str:
        parts = counted(len(self.parts), "part")
        return f"<{self.name} of {self.engine}, core {self.core}: {parts}>"


def held(session: Inspection, engine: str = "") -> tuple[Held, ...]:
    """What an engine holds, or all of them; of what nobody left, how it is left.

    Without a name, only engines that hold something are told of. Raises Failure without values.
    """
    if not session.values:
        raise NoValues.of("what engines hold")
    queues = [session.queue(engine)] if engine else session.machine.scheduler.queues
    return tuple(item for queue in queues for item in _of(session, queue, bool(engine)))


def _of(session: Inspection, queue: Queue, every: bool) -> Iterator[Held]:
    state = session.machine.state.engines[queue.index]
    for name, kind in _kinds(session, queue.engine).items():
        value = state.values.get(name)
        parts = () if value is None else tuple(_values(kind, value))
        if parts or every:
            ready = state.ready.get(name, 0)
            yield Held(queue.core, queue.engine, name, kind.how, ready, parts)


def _kinds(session: Inspection, engine: str) -> dict[str, EngineValue]:
    """What instructions leave in an engine, by name."""
    program, found = session.program, dict[str, EngineValue]()
    for row in program.target.isa:
        if engine in row.engines and program.target.available(row, program.generation):
            for operand in row.operands:
                if isinstance(operand.kind, EngineValue):
                    found.setdefault(operand.kind.name, operand.kind)
    return found


def _values(kind: EngineValue, value: Any) -> Iterator[tuple[str, Value]]:
    for what, array, known in kind.parts(value):
        elements = np.asarray(array)
        missing = None
        if known is not None and not np.all(known):
            missing = np.broadcast_to(~np.asarray(known), elements.shape)
        if missing is not None and missing.all():
            continue  # nobody has set any
        dtype = dtypes.find(elements.dtype.name)
        made = Plain(elements) if dtype is None else Stored(elements, dtype, computes=False)
        yield what, Value(kind.name, made, dtype, missing)
