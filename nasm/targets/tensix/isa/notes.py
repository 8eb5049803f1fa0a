"""What a page says of an instruction besides its values: what it waits for, and its hazards.

It is made of what the row declares, so that it is what the machine does.
"""

from __future__ import annotations

from collections.abc import Iterator

from nasm.targets.tensix.core.findings import SAFE_LOAD
from nasm.targets.tensix.lanes.facts import Lanes, Role
from nasm.targets.tensix.matrix.facts import MatrixFacts, always, never
from nasm.targets.tensix.matrix.timing import DST_STALL
from nasm.targets.tensix.scalar.timing import Paces, UnitPace, arithmetic


def of_lanes(facts: Lanes) -> Iterator[str]:
    """Of the vector unit."""
    if facts.interlocked and facts.slow_modes:
        modes = ", ".join(map(str, sorted(facts.slow_modes)))
        yield (
            f"With Mod1 {modes} it takes two cycles, and the unit waits: what follows starts a "
            "cycle later."
        )
    elif facts.interlocked:
        yield "It takes two cycles, and the unit waits: what follows starts a cycle later."
    elif facts.scoreboard:
        yield (
            f"Its result can be read after {facts.latency} cycles: the unit delays what starts in "
            "the cycle after it by one, where it knows that this reads VD."
        )
    elif facts.latency > 1:
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
    else:
        yield "The instruction in the cycle after it sees what it did."
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
    if not banks and dst is None and not cycles:
        yield "It waits for no bank, and what follows it in the unit sees what it did."


def of_pace(pace: Paces) -> Iterator[str]:
    """Of the other units, which take a fixed time."""
    if pace is arithmetic:
        yield (
            "Its thread issues nothing else for 3 cycles, or 4 if its registers are of two groups "
            "of four, and no other thread's instruction enters the scalar unit."
        )
    if not isinstance(pace, UnitPace):
        return
    least = "at least " if pace.least else ""
    cycles = f"{least}{pace.busy} cycle{'s' if pace.busy > 1 else ''}"
    every = f"{least}{pace.busy} cycles" if pace.busy > 1 else "cycle"
    if pace.blocks:
        yield (
            f"Its thread issues nothing else for {cycles}, and no other thread's instruction "
            "enters the scalar unit."
        )
    elif pace.shared:
        yield f"The unit takes one instruction of all threads every {every}."
    else:
        yield f"The unit takes one instruction of each thread every {every}."
    if pace.latency > pace.busy:
        yield f"What it writes is there {least}{pace.latency} cycles after it starts."


def of_waits(doc: str) -> Iterator[str]:
    """Of what an instruction waits for by itself, as what decides that says."""
    first = doc.partition("\n")[0]
    yield f"It waits at the gate for {first[:1].lower()}{first[1:]}"


def of_named() -> Iterator[str]:
    """Of an instruction that documents only name."""
    yield (
        "No public source says what it computes, how long it takes or what has to wait for it: it "
        "assembles and disassembles, and refuses to execute (E0701)."
    )
