"""What the vector unit does not check, as findings: what comes too early, what is undefined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.base.records import dataclass
from nasm.targets.tensix.lanes.dst_access import address, resolved, rows_read
from nasm.targets.tensix.lanes.facts import (
    LANES,
    ROUND,
    SIMPLE,
    Fields,
    Role,
    VectorTable,
    facts_of,
    lanes_of,
    the,
)
from nasm.targets.tensix.lanes.permutations import ROTATE_AND_COPY4
from nasm.targets.tensix.lanes.predication import STACK
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.register_uses import uses
from nasm.targets.tensix.lanes.unit import ENABLE_DEST_INDEX, configured
from nasm.targets.tensix.scalar.dst_order import follow_order
from nasm.targets.tensix.state import Coprocessor

OF_STATE: Final = (Role.PUSHES, Role.POPS, Role.LOADS, Role.MACRO)
"""What may be undefined in some states; of other instructions LaneConfig decides."""


@dataclass(frozen=True, slots=True)
class SchedulingFinding:
    """Something wrong that the hardware does not refuse: a sentence, and what to do."""

    kind: str
    message: str
    hint: str


def latency(mnemonic: str, fields: Fields) -> int:
    """After how many cycles what an instruction writes can be read: 1 or 2."""
    return LANES[mnemonic].facts.latency_of(fields)


def stalls(before: str, mnemonic: str) -> bool:
    """Whether an instruction waits for a cycle because of the one that was issued in the last."""
    earlier = LANES.get(before)
    if earlier is None or not earlier.facts.interlocked:
        return False
    return facts_of(mnemonic).role is not Role.IDLES


def delayed(before: str, its: Fields, mnemonic: str, fields: Fields, lanes: VectorTable) -> bool:
    """The same by the fields of both, where the unit also compares registers."""
    earlier = lanes.get(before)
    if earlier is None or earlier.facts.latency_of(its) < 2:
        return False
    later = facts_of(mnemonic, lanes)
    if earlier.facts.interlocked:
        return later.role is not Role.IDLES
    if not earlier.facts.scoreboard:
        return False
    seen = later.reads if later.seen is None else later.seen
    return bool(uses(before, its, lanes=lanes).writes & seen(fields))


def too_early(
    before: str, its: Fields, mnemonic: str, fields: Fields, lanes: VectorTable = LANES
) -> Iterator[SchedulingFinding]:
    """Errors of issuing an instruction in the cycle after another; no hardware waits.

    Args:
        before: The earlier instruction.
        its: Its fields, by the documents' names.
        mnemonic: The one in the next cycle.
        fields: The fields of that.
        lanes: The instructions of the generation.
    """
    earlier, later = facts_of(before, lanes), facts_of(mnemonic, lanes)
    if earlier.latency_of(its) > 1 and not earlier.interlocked:
        written = uses(before, its, lanes=lanes).writes
        used = uses(mnemonic, fields, lanes=lanes)
        yield from _met(before, "reads", written & used.reads, mnemonic)
        if earlier.is_slow(its):
            if its["Mod1"] == ROTATE_AND_COPY4:
                yield from _met(before, "writes", used.writes & {1, 2, 3}, mnemonic)
            shifts = later.sub_unit in (SIMPLE, ROUND) and not later.after_shift
            if shifts and not later.is_slow(fields):
                text = (
                    f"{mnemonic} starts in the cycle after {before} with Mod1 {its['Mod1']}, "
                    "which takes two cycles"
                )
                yield SchedulingFinding("sub-unit", text, f"insert {the(Role.IDLES)}")
    elif earlier.role is Role.CONFIGURES and its["VD"] == 15 and fields.get("VD", 0) >= 12:
        text = (
            f"{mnemonic} has VD {fields['VD']} in the cycle after {before} of LaneConfig: it may "
            "still see the old DISABLE_BACKDOOR_LOAD"
        )
        yield SchedulingFinding("backdoor", text, f"insert {the(Role.IDLES)}")


def _met(
    before: str, verb: str, registers: frozenset[int], mnemonic: str
) -> Iterator[SchedulingFinding]:
    for number in sorted(registers):
        text = (
            f"{mnemonic} {verb} LReg[{number}] in the cycle after {before}, "
            "which takes two cycles to write it"
        )
        hint = f"insert {the(Role.IDLES)}, or an instruction that has nothing to do with it"
        yield SchedulingFinding("latency", text, hint)


def undefined_now(
    core: Coprocessor, thread: int, mnemonic: str, fields: Fields, quirks: Quirks = DOCUMENTED
) -> Iterator[SchedulingFinding]:
    """What is undefined, or a bug, about executing an instruction in the present state."""
    vector, facts = core.vector, facts_of(mnemonic, lanes_of(core.chip))
    yield from _undefined_stack(len(vector.stack), facts.role, mnemonic, fields, quirks)
    if facts.dst_address is not None:
        at = facts.dst_address(fields)
        yield from _undefined_rows(core, thread, mnemonic, at, fields["Mod0"])
    if configured(vector, ENABLE_DEST_INDEX) is not None and not facts.dst_index:
        written = uses(mnemonic, fields, lanes=lanes_of(core.chip)).writes
        for number in sorted(written & {4, 5, 6, 7}):
            text = (
                f"{mnemonic} writes LReg[{number}] while ENABLE_DEST_INDEX is set: "
                "hardware corrupts it"
            )
            hint = "write LReg[0] to LReg[3], or clear ENABLE_DEST_INDEX first"
            yield SchedulingFinding("dest index", text, hint)


def _undefined_stack(
    depth: int, role: Role, mnemonic: str, fields: Fields, quirks: Quirks
) -> Iterator[SchedulingFinding]:
    if role is Role.PUSHES and fields.get("Mod1", 0):
        if not depth:
            text = f"{mnemonic} with Mod1 {fields['Mod1']} and an empty stack of flags"
            yield SchedulingFinding("stack", text, f"{mnemonic} with Mod1 0 comes before it")
    elif role is Role.PUSHES and depth >= STACK:
        text = f"{mnemonic} with {depth} entries on the stack of flags, which has room for {STACK}"
        yield SchedulingFinding("stack", text, f"{the(Role.POPS)} before another {mnemonic}")
    elif role is not Role.POPS:
        return
    elif fields["Mod1"] == 0 and not depth:
        text = f"{mnemonic} with an empty stack of flags"
        yield SchedulingFinding("stack", text, f"{the(Role.PUSHES)} comes before {mnemonic}")
    elif fields["Mod1"] and depth >= STACK and quirks.stack_bug:
        text = f"{mnemonic} with Mod1 {fields['Mod1']} and a full stack overwrites its bottom entry"
        yield SchedulingFinding("stack", text, "peek only with fewer than eight entries")


def _undefined_rows(
    core: Coprocessor, thread: int, mnemonic: str, Imm10: int, Mod0: int
) -> Iterator[SchedulingFinding]:
    kind = resolved(core, thread, Mod0)
    rows = rows_read(kind, address(core, thread, kind, Imm10), follow_order(core, thread))
    missing = [row for row in rows if not core.matrix.defined[row]]
    if missing:
        listed = ", ".join(map(str, missing))
        text = (
            f"{mnemonic} with Imm10 {Imm10} and Mod0 {Mod0} reads rows {listed} of Dst, "
            "which are undefined"
        )
        yield SchedulingFinding("undefined rows", text, "write all of their columns first")
