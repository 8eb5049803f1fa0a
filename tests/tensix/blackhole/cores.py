"""A coprocessor of Blackhole, with what its registers hold as plain lists."""

from __future__ import annotations

from typing import Any

import numpy as np

import nasm
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.chips import BLACKHOLE
from nasm.targets.tensix.isa import rows_on, words_on
from nasm.targets.tensix.state import Coprocessor
from tests.tensix.lanes.compare import Flat

GENERATION = TARGET.generation("blackhole")
ROWS, WORDS = rows_on("blackhole"), words_on("blackhole")


def made() -> Coprocessor:
    return Coprocessor(Flat(), chip=BLACKHOLE)


def bits(*values: float) -> Any:
    """Floats as 32 lanes of bits, the last one as often as needed."""
    full = [*values, *[values[-1]] * (32 - len(values))]
    return np.asarray(full, np.float32).view(np.uint32)


def words(*values: int) -> Any:
    """Integers as 32 lanes, the last one as often as needed."""
    return np.asarray([*values, *[values[-1]] * (32 - len(values))], np.uint32)


def ran(text: str) -> nasm.Session:
    session = nasm.Session(nasm.assemble(f".target blackhole\n{text}\n"))
    session.run(max_cycles=10_000)
    return session


def register(session: nasm.Session, number: int) -> list[int]:
    core = session.machine.holds[0]
    assert isinstance(core, Coprocessor)
    return core.vector.registers[number].tolist()
