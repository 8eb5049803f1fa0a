"""Which registers of lanes an instruction reads and writes, and flags: from its fields alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nasm.targets.tensix.lanes.permutations import (
    COPY4,
    ROTATE,
    ROTATE_AND_COPY4,
    SHIFT_BITS,
    SHIFT_BITS_BY,
)

Fields = Mapping[str, int]

ALL = frozenset(range(8))
_FOUR = frozenset(range(4))
_NONE: frozenset[int] = frozenset()

_OF_VC: Final = frozenset(
    {"SFPNOT", "SFPLZ", "SFPABS", "SFPEXEXP", "SFPEXMAN", "SFPDIVP2", "SFPCAST", "SFPSETCC"}
)
_OF_BOTH: Final = frozenset({"SFPAND", "SFPOR", "SFPXOR", "SFPSWAP"})
_IMMEDIATE_FOR_VC: Final = frozenset({"SFPSHFT"})
_IMMEDIATE_FOR_VB: Final = frozenset({"SFPIADD", "SFPSETEXP", "SFPSETMAN", "SFPSETSGN"})
_OF_THREE: Final = frozenset({"SFPMAD", "SFPADD", "SFPMUL"})
_OF_VD: Final = frozenset({"SFPMULI", "SFPADDI", "SFPSTORE"})
_FLAGS: Final = frozenset({"SFPSETCC", "SFPENCC", "SFPPOPC", "SFPCOMPC"})
_NO_RESULT: Final = _FLAGS | {"SFPPUSHC", "SFPNOP", "SFPSTORE"}
_ALL_LANES: Final = frozenset({"SFPENCC", "SFPNOP"})
_HALF_LOADS: Final = frozenset({14, 15})

MAD_FAMILY: Final = frozenset({*_OF_THREE, "SFPMULI", "SFPADDI", "SFPLUT", "SFPLUTFP32"})
"""Instructions of the MAD sub-unit: what they write is not to be read in the next cycle."""


@dataclass(frozen=True, slots=True)
class Uses:
    """What an instruction may read and write: numbers of registers, and flags."""

    reads: frozenset[int]
    writes: frozenset[int]
    reads_flags: bool
    writes_flags: bool


def uses(mnemonic: str, fields: Fields, dest_index: bool = False) -> Uses:
    """What an instruction uses.

    Args:
        mnemonic: An instruction of the vector unit.
        fields: Its fields, by the documents' names.
        dest_index: Whether ENABLE_DEST_INDEX is set somewhere: SFPSWAP then uses L4 to L7 with
            their companions, and a load may write one.
    """
    mode = fields.get("Mod1", fields.get("Mod0", 0))
    writes = _writes(mnemonic, fields, mode)
    reads = _reads(mnemonic, fields, mode)
    if dest_index and mnemonic == "SFPSWAP":
        companions = {4 + (fields[name] & 3) for name in ("VC", "VD")}
        reads, writes = reads | companions, writes | companions
    if dest_index and mnemonic in ("SFPLOAD", "SFPLOADMACRO"):
        writes |= {number + 4 for number in writes if number < 4}
    sets = mnemonic in _FLAGS or (_may_set_flags(mnemonic, mode) and fields["VD"] < 8)
    return Uses(reads, writes, mnemonic not in _ALL_LANES, sets)


def _may_set_flags(mnemonic: str, mode: int) -> bool:
    if mnemonic == "SFPIADD":
        return mode & 12 != 4
    return mnemonic in ("SFPLZ", "SFPEXEXP") and mode & 10 != 0


def _writes(mnemonic: str, fields: Fields, mode: int) -> frozenset[int]:
    if mnemonic in _NO_RESULT:
        return _NONE
    if mnemonic == "SFPTRANSP" or (mnemonic in MAD_FAMILY and mode & 8 and fields["VD"] != 16):
        return ALL
    if mnemonic == "SFPSHFT2" and mode <= ROTATE_AND_COPY4:
        return _FOUR
    if mnemonic == "SFPLOADMACRO":
        return frozenset({fields["VDHi"] << 2 | fields["VDLo"]})
    written = {fields["VD"], fields["VC"]} if mnemonic == "SFPSWAP" else {fields["VD"]}
    if mnemonic == "SFPCONFIG":
        return frozenset(written & set(range(11, 15)))
    return frozenset(number for number in written if number < 8 or number == 16)


def _reads(mnemonic: str, fields: Fields, mode: int) -> frozenset[int]:
    VB, VC, VD = fields.get("VB"), fields.get("VC"), fields.get("VD", 0)
    if mnemonic in MAD_FAMILY:
        return _mad_reads(mnemonic, fields, mode)
    if mnemonic == "SFPSHFT2":
        return _shift_reads(fields, mode)
    named: list[int | None] = []
    if mnemonic in _OF_VC:
        named = [] if mnemonic == "SFPSETCC" and mode & 9 else [VC]
    elif mnemonic in _OF_BOTH:
        named = [VC, VD if VB is None else VB]
    elif mnemonic in _IMMEDIATE_FOR_VC:
        named = [None if mode & 1 else VC, VD if VB is None else VB]
    elif mnemonic in _IMMEDIATE_FOR_VB:
        named = [VC, None if mode & 1 else VD if VB is None else VB]
    elif mnemonic in _OF_VD:
        named = [VD]
    elif mnemonic == "SFPMOV":
        named = [None if mode & 8 else VC]
    elif mnemonic == "SFP_STOCH_RND":
        named = [VC, VB if mode & 7 in (4, 5) and not fields["UseImm5"] else None]
    elif mnemonic == "SFPLOADI":
        named = [VD if mode in (8, 10) else None]
    elif mnemonic == "SFPLOAD":
        named = [VD if mode in _HALF_LOADS else None]
    elif mnemonic == "SFPLOADMACRO":
        named = [fields["VDHi"] << 2 | fields["VDLo"] if mode in _HALF_LOADS else None]
    elif mnemonic == "SFPCONFIG":
        named = [None if mode & 1 and VD > 3 else 0]
    elif mnemonic == "SFPTRANSP":
        return ALL
    return frozenset(number for number in named if number is not None)


def _mad_reads(mnemonic: str, fields: Fields, mode: int) -> frozenset[int]:
    found = {7} if mode & 8 else set()
    if mnemonic in _OF_THREE:
        found |= set(range(16)) | {7} if mode & 4 else {fields["VA"]}
        found |= {fields["VB"], fields["VC"]}
    elif mnemonic == "SFPLUT":
        found |= {0, 1, 2, 3}
    elif mnemonic == "SFPLUTFP32":
        found |= {0, 1, 2, 3} if mode & 10 == 10 else {0, 1, 2, 3, 4, 5, 6}
    else:
        found.add(fields.get("VC", fields["VD"]))
    return frozenset(found)


def _shift_reads(fields: Fields, mode: int) -> frozenset[int]:
    VB = fields.get("VB", fields.get("Imm12", 0) & 15)
    if mode == COPY4:
        return frozenset({1, 2, 3})
    if mode < ROTATE_AND_COPY4:
        return _FOUR
    if mode == ROTATE_AND_COPY4:
        return frozenset({1, 2, 3, fields["VC"]})
    if mode >= SHIFT_BITS:
        return frozenset({VB} if mode == SHIFT_BITS_BY else {VB, fields["VC"]})
    assert mode >= ROTATE
    return frozenset({fields["VC"]})
