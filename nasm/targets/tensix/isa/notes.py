"""What a page says of an instruction besides its values: what it waits for, and its hazards.

It is made of what the row declares, so that it is what the machine does.
"""

from __future__ import annotations

from collections.abc import Iterator

from nasm.targets.tensix.core.findings import SAFE_LOAD
from nasm.targets.tensix.lanes.facts import Lanes, Role
from nasm.targets.tensix.matrix.facts import MatrixFacts, always, never
from nasm.targets.tensix.matrix.timing import DST_STALL


def of_lanes(facts: Lanes) -> Iterator[str]:
    """Of the vector unit."""
    if facts.latency > 1:
        yield (
            f"Its result can be read after {facts.latency} cycles: what starts in the cycle after "
            "it must not read VD (E0551). Nothing waits by itself: put an instruction that does "
            "not depend on it, or one that idles, in between."
        )
    elif facts.slow_modes:
        modes = ", ".join(map(str, sorted(facts.slow_modes)))
        yield (
            f"With Mod1 {modes} its result can be read after two cycles, and its sub-unit is busy "
            "for both: what starts in the cycle after must not read VD, nor use it (E0551)."
        )
    elif facts.interlocked:
        yield "It takes two cycles, and the unit waits: what follows starts a cycle later."
    if facts.role is Role.LOADS or facts.role is Role.MACRO:
        yield (
            f"Of rows that the matrix unit began to write less than {SAFE_LOAD} cycles ago it may "
            "read what was there before (E0553): wait with BlockMask B8 and ConditionMask C7, or "
            "let three other instructions come in between."
        )
    if not facts.reads_flags:
        yield "It acts on all lanes, whether they execute or not."
    elif facts.sub_unit != "load" or facts.role is Role.LOADS:
        yield "Lanes that do not execute, by their flags or by LaneConfig, stay as they are."


def of_matrix(facts: MatrixFacts) -> Iterator[str]:
    """Of the matrix unit."""
    banks = [name for name, needed in zip(("SrcA", "SrcB"), facts.banks, strict=True) if needed]
    if banks:
        yield (
            f"It waits at the gate until the matrix unit owns its bank of {' and '.join(banks)}: "
            "until an unpack with FlipSrc, or SETDVALID of FlipSrc, has given it."
        )
    dst = facts.dst
    if dst is not None and dst.reads is not never:
        when = "" if dst.reads is always else ", where it reads them,"
        yield (
            f"It waits for its rows of Dst{when}: a block of eight that was written can be read "
            f"{DST_STALL + 1} cycles later."
        )
    if dst is not None and dst.writes:
        yield (
            "What the vector unit loads, or a packer reads, of these rows does not wait by itself "
            "(E0553): post a semaphore after a wait for C7."
        )
    into, cycles = facts.move
    if into == "Dst":
        yield f"For {cycles} cycles after it the unit takes nothing that reads Dst."
    elif into and cycles:
        yield f"For {cycles} cycles after it the unit takes nothing but moves to {into}."
    elif cycles:
        yield f"For {cycles} more cycles the unit takes nothing else."
