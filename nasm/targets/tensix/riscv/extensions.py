"""The operations that cores of Blackhole have besides: Zba, Zbb, parts of Zbkb, Zaamo, Zicsr.

Sources: the page Instruction Set of BabyRISCV in the public ISA documentation of Blackhole A0,
which lists them; The RISC-V Instruction Set Manual, Volume I, 20240411, for words and results; for
grevi the draft 0.94 of the bit-manipulation extension. Of F, Zfh and V, which the page has in part,
and of mret, nothing is executed: what fused multiply-adds compute is not documented, and the page
ends before it describes the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.targets.tensix.riscv.formats import (
    ATOMICS,
    ONE_REGISTER,
    REGISTERS_ONLY,
    SHIFT,
    STATUS,
    STATUS_NUMBER,
    WORD,
    signed,
)
from nasm.targets.tensix.riscv.operations import OPERATIONS, Compute, Does, Operation

SINCE: Final = "blackhole"

_FUNCT3, _FUNCT7, _FUNCT12, _FUNCT5 = 0x707F, 0xFE00707F, 0xFFF0707F, 0xF800707F
"""Masks of what tells operations apart; two more bits of an atomic operation are ignored."""


def _rotated(a: int, by: int) -> int:
    """A word rotated to the right."""
    by &= 31
    return (a >> by | a << 32 - by) & WORD


def _least(a: int, b: int) -> int:
    return a if signed(a) <= signed(b) else b


def _most(a: int, b: int) -> int:
    return a if signed(a) >= signed(b) else b


_MASKS: Final = (0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF)


def _reversed(a: int, by: int) -> int:
    """Neighbours of 1, 2, 4, 8 and 16 bits change places, by the bits of a number."""
    for at, mask in enumerate(_MASKS):
        if by >> at & 1:
            step = 1 << at
            a = (a & mask) << step | a >> step & mask
    return a


_OF_TWO: Final[dict[str, tuple[int, int, Compute, str, str]]] = {
    "sh1add": (2, 0x10, lambda a, b: (a << 1) + b & WORD,
               "Add a register to another one, shifted by 1.", "Rs2 + (Rs1 << 1)"),
    "sh2add": (4, 0x10, lambda a, b: (a << 2) + b & WORD,
               "Add a register to another one, shifted by 2.", "Rs2 + (Rs1 << 2)"),
    "sh3add": (6, 0x10, lambda a, b: (a << 3) + b & WORD,
               "Add a register to another one, shifted by 3.", "Rs2 + (Rs1 << 3)"),
    "andn": (7, 0x20, lambda a, b: a & ~b & WORD,
             "The bits that are set in the first alone.", "Rs1 & ~Rs2"),
    "orn": (6, 0x20, lambda a, b: (a | ~b) & WORD,
            "The bits that are set in the first, or not in the other.", "Rs1 | ~Rs2"),
    "xnor": (4, 0x20, lambda a, b: ~(a ^ b) & WORD, "The bits that agree.", "~(Rs1 ^ Rs2)"),
    "min": (4, 5, _least, "The lesser of two registers, with signs.",
            "the lesser of Rs1 and Rs2, with signs"),
    "minu": (5, 5, min, "The lesser of two registers, without signs.",
             "the lesser of Rs1 and Rs2, without signs"),
    "max": (6, 5, _most, "The greater of two registers, with signs.",
            "the greater of Rs1 and Rs2, with signs"),
    "maxu": (7, 5, max, "The greater of two registers, without signs.",
             "the greater of Rs1 and Rs2, without signs"),
    "rol": (1, 0x30, lambda a, b: _rotated(a, -b), "Rotate to the left.",
            "Rs1 rotated to the left by Rs2 & 31"),
    "ror": (5, 0x30, _rotated, "Rotate to the right.", "Rs1 rotated to the right by Rs2 & 31"),
    "pack": (4, 4, lambda a, b: a & 0xFFFF | (b & 0xFFFF) << 16,
             "The lower halves of two registers.", "(Rs1 & 0xFFFF) | (Rs2 << 16)"),
}  # fmt: skip
"""funct3 and funct7 of each, what it computes, and how its page says that."""

_OF_A_NUMBER: Final[dict[str, tuple[int, Compute, str, str]]] = {
    "rori": (0x30, _rotated, "Rotate to the right by a number.",
             "Rs1 rotated to the right by Imm"),
    "grevi": (0x34, _reversed, "Let neighbours change places: bits, pairs, … by bits of a number.",
              "Rs1, whose neighbours of 1, 2, 4, 8, 16 bits change places by bits 0 to 4 of Imm"),
}  # fmt: skip

_OF_ONE: Final[dict[str, tuple[int, int, Compute, str, str]]] = {
    "clz": (1, 0x600, lambda a, b: 32 - a.bit_length(), "Count zeros before the first bit set.",
            "zeros above the highest bit that is set in Rs1; 32 of 0"),
    "ctz": (1, 0x601, lambda a, b: (a & -a).bit_length() - 1 if a else 32,
            "Count zeros after the last bit set.",
            "zeros below the lowest bit that is set in Rs1; 32 of 0"),
    "cpop": (1, 0x602, lambda a, b: a.bit_count(), "Count the bits that are set.",
             "how many bits are set in Rs1"),
    "sext.b": (1, 0x604, lambda a, b: (a & 0xFF ^ 0x80) - 0x80 & WORD,
               "A byte with its sign.", "the lowest byte of Rs1, with its sign"),
    "sext.h": (1, 0x605, lambda a, b: (a & 0xFFFF ^ 0x8000) - 0x8000 & WORD,
               "Two bytes with their sign.", "the lower half of Rs1, with its sign"),
    "orc.b": (5, 0x287,
              lambda a, b: sum(0xFF << at for at in (0, 8, 16, 24) if a >> at & 0xFF),
              "Each byte as all ones, or zero if it is.",
              "for each byte of Rs1 0xFF, or 0 where it is 0"),
}  # fmt: skip
"""funct3 and the upper twelve bits of each."""

_ATOMIC: Final[dict[str, tuple[int, Compute, str]]] = {
    "amoswap.w": (1, lambda a, b: b, "Rs2"),
    "amoadd.w": (0, lambda a, b: a + b & WORD, "it + Rs2"),
    "amoxor.w": (4, lambda a, b: a ^ b, "it ^ Rs2"),
    "amoand.w": (12, lambda a, b: a & b, "it & Rs2"),
    "amoor.w": (8, lambda a, b: a | b, "it | Rs2"),
    "amomin.w": (16, _least, "the lesser of both, with signs"),
    "amomax.w": (20, _most, "the greater of both, with signs"),
    "amominu.w": (24, min, "the lesser of both, without signs"),
    "amomaxu.w": (28, max, "the greater of both, without signs"),
}

_STATUS: Final[dict[str, tuple[int, Compute, str]]] = {
    "csrrw": (1, lambda a, b: b, "Rs1"),
    "csrrs": (2, lambda a, b: a | b, "it | Rs1"),
    "csrrc": (3, lambda a, b: a & ~b & WORD, "it & ~Rs1"),
}


def _all() -> Iterator[Operation]:
    for name, (funct3, funct7, compute, said, formula) in _OF_TWO.items():
        match, shown = 0x33 | funct3 << 12 | funct7 << 25, f"Rd = {formula}"
        yield Operation(
            name, REGISTERS_ONLY, match, _FUNCT7, Does.COMPUTE, said, shown, compute, since=SINCE
        )
    for name, (funct7, compute, said, formula) in _OF_A_NUMBER.items():
        match, shown = 0x13 | 5 << 12 | funct7 << 25, f"Rd = {formula}"
        yield Operation(
            name, SHIFT, match, _FUNCT7, Does.IMMEDIATE, said, shown, compute, since=SINCE
        )
    for name, (funct3, upper, compute, said, formula) in _OF_ONE.items():
        match, shown = 0x13 | funct3 << 12 | upper << 20, f"Rd = {formula}"
        yield Operation(
            name, ONE_REGISTER, match, _FUNCT12, Does.UNARY, said, shown, compute, since=SINCE
        )
    for name, (funct5, compute, becomes) in _ATOMIC.items():
        match, shown = 0x2F | 2 << 12 | funct5 << 27, f"Rd = the word at Base, which is {becomes}"
        said = "Load a word of L1 and store another one there, which nothing divides."
        yield Operation(
            name, ATOMICS, match, _FUNCT5, Does.ATOMIC, said, shown, compute, since=SINCE
        )
    for name, (funct3, compute, becomes) in _STATUS.items():
        for form, suffix, of in ((STATUS, "", "Rs1"), (STATUS_NUMBER, "i", "Imm")):
            code = funct3 | (4 if suffix else 0)
            shown = f"Rd = Status, which is {becomes.replace('Rs1', of)}"
            said = "Read a status register of the core, and write it."
            yield Operation(
                name + suffix, form, 0x73 | code << 12, _FUNCT3, Does.STATUS, said, shown, compute,
                since=SINCE,
            )  # fmt: skip


EXTENSIONS: Final = {one.name: one for one in _all()}
"""All of them, by name."""

EVERY: Final = {**OPERATIONS, **EXTENSIONS}
"""Operations of all generations, by name."""
