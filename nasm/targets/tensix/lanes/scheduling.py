"""What the vector unit does not check, as findings: what comes too early, what is undefined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nasm.targets.tensix.lanes.dst_access import address, resolved, rows_read
from nasm.targets.tensix.lanes.permutations import ROTATE, ROTATE_AND_COPY4, SHIFT
from nasm.targets.tensix.lanes.predication import STACK
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.sub_units import ROUND, SIMPLE, SUB_UNITS
from nasm.targets.tensix.lanes.unit import ENABLE_DEST_INDEX, configured
from nasm.targets.tensix.lanes.uses import MAD_FAMILY, Fields, uses
from nasm.targets.tensix.state import Coprocessor

_SLOW_SHIFTS: Final = (ROTATE_AND_COPY4, ROTATE, SHIFT)
_NEVER_AFTER_A_SHIFT: Final = (frozenset(SUB_UNITS[SIMPLE]) | frozenset(SUB_UNITS[ROUND])) - {
    "SFPCOMPC", "SFPCONFIG", "SFPENCC", "SFPNOP", "SFPPOPC", "SFPPUSHC", "SFPSETCC", "SFPSWAP",
    "SFPTRANSP",
}  # fmt: skip
_INDEXED: Final = frozenset(
    {"SFPLOAD", "SFPLOADI", "SFPLOADMACRO", "SFPCONFIG", "SFPSWAP", "SFPTRANSP"}
)
_NOP: Final = "insert SFPNOP, or an instruction that has nothing to do with it"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong that the hardware does not refuse: a sentence, and what to do."""

    kind: str
    said: str
    hint: str


def latency(mnemonic: str, fields: Fields) -> int:
    """After how many cycles what an instruction writes can be read: 1 or 2."""
    slow = mnemonic == "SFPSHFT2" and fields["Mod1"] in _SLOW_SHIFTS
    return 2 if slow or mnemonic in MAD_FAMILY or mnemonic == "SFPSWAP" else 1


def stalls(before: str, mnemonic: str) -> bool:
    """Whether an instruction waits for a cycle because of the one that was issued in the last."""
    return before == "SFPSWAP" and mnemonic != "SFPNOP"


def too_early(before: str, its: Fields, mnemonic: str, fields: Fields) -> Iterator[Finding]:
    """What is wrong with issuing an instruction in the cycle after another; no hardware waits.

    Args:
        before: The earlier instruction.
        its: Its fields, by the documents' names.
        mnemonic: The one in the next cycle.
        fields: The fields of that.
    """
    written, used = uses(before, its).writes, uses(mnemonic, fields)
    if before in MAD_FAMILY:
        yield from _met(before, "reads", written & used.reads, mnemonic)
    elif before == "SFPSHFT2" and its["Mod1"] in _SLOW_SHIFTS:
        yield from _met(before, "reads", written & used.reads, mnemonic)
        if its["Mod1"] == ROTATE_AND_COPY4:
            yield from _met(before, "writes", used.writes & {1, 2, 3}, mnemonic)
        slow = mnemonic == "SFPSHFT2" and fields["Mod1"] in _SLOW_SHIFTS
        if mnemonic in _NEVER_AFTER_A_SHIFT and not slow:
            said = (
                f"{mnemonic} starts in the cycle after {before} with Mod1 {its['Mod1']}, "
                "which takes two cycles"
            )
            yield Finding("sub-unit", said, "insert SFPNOP")
    elif before == "SFPCONFIG" and its["VD"] == 15 and fields.get("VD", 0) >= 12:
        said = (
            f"{mnemonic} has VD {fields['VD']} in the cycle after SFPCONFIG of LaneConfig: it may "
            "still see the old DISABLE_BACKDOOR_LOAD"
        )
        yield Finding("backdoor", said, "insert SFPNOP")


def _met(before: str, verb: str, registers: frozenset[int], mnemonic: str) -> Iterator[Finding]:
    for number in sorted(registers):
        said = (
            f"{mnemonic} {verb} LReg[{number}] in the cycle after {before}, "
            "which takes two cycles to write it"
        )
        yield Finding("latency", said, _NOP)


def undefined_now(
    core: Coprocessor, thread: int, mnemonic: str, fields: Fields, quirks: Quirks = DOCUMENTED
) -> Iterator[Finding]:
    """What is undefined, or a bug, about executing an instruction in the present state."""
    vector = core.vector
    depth = len(vector.stack)
    if mnemonic == "SFPPUSHC" and depth >= STACK:
        said = f"SFPPUSHC with {depth} entries on the stack of flags, which has room for {STACK}"
        yield Finding("stack", said, "SFPPOPC before another SFPPUSHC")
    elif mnemonic == "SFPPOPC" and fields["Mod1"] == 0 and not depth:
        said = "SFPPOPC with an empty stack of flags"
        yield Finding("stack", said, "SFPPUSHC comes before SFPPOPC")
    elif mnemonic == "SFPPOPC" and fields["Mod1"] and depth >= STACK and quirks.stack_bug:
        said = f"SFPPOPC with Mod1 {fields['Mod1']} and a full stack overwrites its bottom entry"
        yield Finding("stack", said, "peek only with fewer than eight entries")
    elif mnemonic in ("SFPLOAD", "SFPLOADMACRO"):
        yield from _undefined_rows(core, thread, mnemonic, fields)
    if configured(vector, ENABLE_DEST_INDEX) is not None and mnemonic not in _INDEXED:
        for number in sorted(uses(mnemonic, fields).writes & {4, 5, 6, 7}):
            said = (
                f"{mnemonic} writes LReg[{number}] while ENABLE_DEST_INDEX is set: "
                "hardware corrupts it"
            )
            hint = "write LReg[0] to LReg[3], or clear ENABLE_DEST_INDEX first"
            yield Finding("dest index", said, hint)


def _undefined_rows(
    core: Coprocessor, thread: int, mnemonic: str, fields: Fields
) -> Iterator[Finding]:
    macro = mnemonic == "SFPLOADMACRO"
    Imm10 = fields["Imm9"] << 1 | fields["VDHi"] if macro else fields["Imm10"]
    kind = resolved(core, thread, fields["Mod0"])
    rows = rows_read(kind, address(core, thread, kind, Imm10))
    missing = [row for row in rows if not core.matrix.defined[row]]
    if missing:
        listed = ", ".join(map(str, missing))
        said = (
            f"{mnemonic} with Imm10 {Imm10} and Mod0 {fields['Mod0']} reads rows {listed} of Dst, "
            "which are undefined"
        )
        yield Finding("undefined rows", said, "write all of their columns first")
