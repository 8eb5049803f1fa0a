"""A macro: a load, and up to four instructions that it puts off, one for each other sub-unit.

What was put off waits in ``vector.pending``. The owner of the clock calls ``pass_cycle`` once for
every cycle while something does, with the instruction that is issued in it, if one is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from nasm.base.records import dataclass, replace
from nasm.targets.tensix.lanes.dst_access import address, check_put_off, resolved, store
from nasm.targets.tensix.lanes.dst_formats import formats_of
from nasm.targets.tensix.lanes.facts import MAD, ROUND, SIMPLE, STORE, Role, facts_of, lanes_of, the
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.unit import undefined
from nasm.targets.tensix.state import U32, Coprocessor, Vector
from nasm.targets.tensix.words import FIRST, TABLES, WordTable

_UNITS = (SIMPLE, MAD, ROUND, STORE)
"""In the order of the bytes of a sequence."""

_L16 = 16


@dataclass(frozen=True, slots=True)
class PutOff:
    """An instruction that a macro has put off.

    Attributes:
        unit: The sub-unit that executes it.
        thread: The thread whose macro it was.
        mnemonic: What it is.
        fields: Its fields, as the macro has set them.
        delay: It executes in the next cycle if this is 0, which is counted down to.
        by_instructions: Whether instructions are counted rather than cycles.
        at: Of a store, the address in Dst.
    """

    unit: str
    thread: int
    mnemonic: str
    fields: tuple[tuple[str, int], ...]
    delay: int
    by_instructions: bool
    at: int


def SFPLOADMACRO(
    core: Coprocessor,
    thread: int,
    MacroIndex: int,
    VDLo: int,
    Mod0: int,
    AddrMod: int,
    Imm9: int,
    VDHi: int,
) -> None:
    """Load VDHi VDLo from Imm9 VDHi as a load does, and put off what sequence MacroIndex says.

    Raises:
        Refused: The sequence is undefined, or not the same in all columns; or it stores in a way
            that no source gives.
    """
    VD, Imm10 = VDHi << 2 | VDLo, Imm9 << 1 | VDHi
    at = address(core, thread, resolved(core, thread, Mod0), Imm10)
    vector = core.vector
    sequence = _same(vector.sequences[MacroIndex], f"sequence {MacroIndex}")
    misc = _same(vector.macro_misc, "what configures macros")
    store_mode = Mod0 if misc >> (4 + MacroIndex) & 1 else misc & 15
    pending = list(pending_of(vector))
    for i, unit in enumerate(_UNITS):
        byte = sequence >> 8 * i & 0xFF
        delay = byte >> 3 & 7
        if delay != 7:
            pending = [p for p in pending if (p.unit, p.delay) != (unit, delay)]
        if byte & 7 == 0:
            continue
        mnemonic, given = _template(core, byte & 7, unit)
        if unit == STORE:
            check_put_off(core, store_mode)
            fields = _stored(given, byte, VD, store_mode)
        else:
            fields = _set(given, byte, VD)
        by_instructions = bool(misc >> (8 + i) & 1)
        text = tuple(sorted(fields.items()))
        pending.append(PutOff(unit, thread, mnemonic, text, delay, by_instructions, at))
    lanes_of(core.chip)[the(Role.LOADS)].act(core, thread, VD, Mod0, AddrMod, Imm10)
    vector.pending = tuple(pending)


def pending_of(vector: Vector) -> tuple[PutOff, ...]:
    """What macros have put off."""
    return vector.pending  # type: ignore[return-value]


def due(vector: Vector) -> tuple[PutOff, ...]:
    """What of it executes in this cycle."""
    return tuple(p for p in pending_of(vector) if p.delay == 0)


def displaced(core: Coprocessor, mnemonic: str) -> PutOff | None:
    """What executes in this cycle on the sub-unit of an instruction, which is then discarded."""
    unit = facts_of(mnemonic, lanes_of(core.chip)).sub_unit
    return next((p for p in due(core.vector) if p.unit == unit), None)


def pass_cycle(
    core: Coprocessor, issued: Callable[[], None] | None = None, quirks: Quirks = DOCUMENTED
) -> None:
    """Let a cycle pass: what is due executes, with what is issued; the rest is counted down.

    All of them read registers and flags as they were before.

    Args:
        core: The coprocessor.
        issued: Executes the instruction that is issued in this cycle, if one is and none displaces
            it; if one does, something that does nothing.
        quirks: For what is put off.
    """
    vector = core.vector
    now, rest = due(vector), [p for p in pending_of(vector) if p.delay > 0]
    if issued is not None or not any(p.by_instructions for p in rest):
        rest = [replace(p, delay=p.delay - 1) for p in rest]
    vector.pending = tuple(rest)
    acts = [] if issued is None else [issued]
    acts += [_act(core, p, quirks) for p in sorted(now, key=lambda p: _UNITS.index(p.unit))]
    _at_once(vector, acts)


def _at_once(vector: Vector, acts: list[Callable[[], None]]) -> None:
    """Do several things, each with the registers and flags that were there before."""
    if len(acts) < 2:
        for act in acts:
            act()
        return
    parts: list[Any] = [vector.registers, vector.flag, vector.uses_flag]
    before, after = [part.copy() for part in parts], [part.copy() for part in parts]
    for act in acts:
        act()
        for part, was, new in zip(parts, before, after, strict=True):
            np.copyto(new, part, where=part != was)
            part[...] = was
    for part, new in zip(parts, after, strict=True):
        part[...] = new


def _act(core: Coprocessor, put_off: PutOff, quirks: Quirks) -> Callable[[], None]:
    fields = dict(put_off.fields)
    if put_off.unit == STORE:

        def act() -> None:
            kind = resolved(core, put_off.thread, fields["Mod0"])
            store(core, fields["VD"], kind, put_off.at, quirks, formats_of(core.chip))
    else:

        def act() -> None:
            function = lanes_of(core.chip)[put_off.mnemonic].act
            accepted = parameters(function)
            given: dict[str, Any] = {name: n for name, n in fields.items() if name in accepted}
            if "quirks" in accepted:
                given["quirks"] = quirks
            function(core, put_off.thread, **given)

    return act


@cache
def parameters(function: Callable[..., None]) -> frozenset[str]:
    """The names of what a function takes."""
    return frozenset(inspect.signature(function).parameters)


def _same(by_column: U32, what: str) -> int:
    if (by_column != by_column[0]).any():
        raise undefined(
            f"{the(Role.MACRO)}: {what} differs between columns",
            f"{the(Role.CONFIGURES)} with the same LReg[0] in every column",
        )
    return int(by_column[0])


def _template(core: Coprocessor, kind: int, unit: str) -> tuple[str, dict[str, int]]:
    """What a byte of a sequence names for a sub-unit; the idle one if it cannot execute that."""
    if kind == 1:
        raise undefined(f"{the(Role.MACRO)}: the sequence has 1 for {unit}", "it is 0, or 2 to 7")
    if kind == 2:
        mnemonic, fields = the(Role.IDLES), {}
    elif kind == 3:
        mnemonic, fields = the(Role.STORES), {"VD": 0}
    else:
        mnemonic, fields = parsed(
            _same(core.vector.templates[kind - 4], f"template {kind - 4}"), core.chip.words
        )
    known = lanes_of(core.chip)
    if mnemonic in known and unit in facts_of(mnemonic, known).put_off_to:
        return mnemonic, fields
    if unit == STORE:
        raise undefined(
            f"{the(Role.MACRO)}: the sequence has {mnemonic} for store",
            f"it executes {the(Role.STORES)} alone",
        )
    return the(Role.IDLES), {}


def parsed(number: int, words: WordTable = TABLES[FIRST]) -> tuple[str, dict[str, int]]:
    """A word as its mnemonic and its fields; what no opcode is, no sub-unit executes."""
    word = words.by_opcode.get(number >> 24)
    if word is None:
        return "", {}
    return word.mnemonic, {name: one.get(number) for name, one in word.encoding.parts.items()}


def _set(fields: dict[str, int], byte: int, VD: int) -> dict[str, int]:
    """The fields of an instruction with VD for its VB or VC, and for its VD, or L16."""
    own = fields.get("VD", 0)
    if byte & 0x80:
        fields["VB"] = VD
        fields.setdefault("VC", own)
    else:
        fields["VC"] = VD
        fields.setdefault("VB", own)
    fields["VD"] = _L16 if byte & 0x40 else VD
    return fields


def _stored(fields: dict[str, int], byte: int, VD: int, Mod0: int) -> dict[str, int]:
    """The fields of a store: its VD or that of the load, or L16, and the mode of stores."""
    own = VD if not byte & 0x80 else fields["VD"]
    return {"VD": _L16 if byte & 0x40 else own, "Mod0": Mod0}
