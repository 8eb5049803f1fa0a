"""The operations of RV32IM: their words and what each computes, one entry for each.

What later generations add is in ``extensions.py``.

Sources: The RISC-V Instruction Set Manual, Volume I, 20191213, chapters 2, 7 and 24; what the cores
of a tile do otherwise, and ``ttinsn``, are of the page BabyRISCV of the public ISA documentation of
Wormhole B0. Values are words: integers from 0 to 2**32 - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final

from nasm.base.records import dataclass
from nasm.targets.tensix.riscv.formats import (
    BRANCHES,
    IMMEDIATE,
    JUMPS,
    NONE,
    RD,
    REGISTERS_ONLY,
    SHIFT,
    STORED,
    UPPER,
    WORD,
    WordLayout,
    signed,
)


class Does(Enum):
    """What kind of thing an operation does."""

    COMPUTE = "computes of two registers"
    IMMEDIATE = "computes of a register and a number"
    UPPER = "makes a number"
    BRANCH = "branches"
    JUMP = "jumps"
    JUMP_REGISTER = "jumps to a register"
    LOAD = "loads"
    STORE = "stores"
    UNARY = "computes of one register"
    ATOMIC = "loads a word and stores another"
    STATUS = "reads and writes a status register"
    FENCE = "orders loads and stores, on generations where it does"
    NOTHING = "does nothing"
    PAUSE = "pauses the core"
    PUSHES = "pushes a Tensix instruction"


class IntegerTime(Enum):
    """How long the integer unit is occupied."""

    ONE = "a cycle"
    MULTIPLY = "two cycles"
    DIVIDE = "2 to 33 cycles, by what is divided"


Compute = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: the bits that tell it, what it does, and a sentence.

    ``compute`` gets two words: of registers, or of a register and its immediate, or the pc and the
    upper immediate, or what memory or a status register has and a register; a branch is taken where
    it gives 1. ``size`` are the bytes of a load or store, of which a load fills the rest with the
    sign if it is ``signed``. It is there ``since`` a generation and ``until`` another one.
    """

    name: str
    form: WordLayout
    match: int
    mask: int
    does: Does
    sentence: str
    formula: str
    compute: Compute | None = None
    size: int = 4
    signed: bool = False
    time: IntegerTime = IntegerTime.ONE
    since: str = ""
    until: str = ""

    @property
    def writes(self) -> bool:
        """Whether it has a register for its result."""
        return RD in self.form.registers

    @property
    def reads(self) -> tuple[int, ...]:
        """Where in its word the registers are that it reads."""
        return tuple(at for at in self.form.registers if at != RD)


# -- what is computed


def _mulhsu(a: int, b: int) -> int:
    return signed(a) * b >> 32 & WORD


def _div(a: int, b: int) -> int:
    if not b:
        return WORD
    found, by = signed(a), signed(b)
    quotient = abs(found) // abs(by)
    return (quotient if (found < 0) == (by < 0) else -quotient) & WORD


def _rem(a: int, b: int) -> int:
    if not b:
        return a
    found, by = signed(a), signed(b)
    rest = abs(found) % abs(by)
    return (-rest if found < 0 else rest) & WORD


def _sra(a: int, b: int) -> int:
    return signed(a) >> (b & 31) & WORD


_COMPUTES: Final[dict[str, tuple[int, int, Compute, str, str]]] = {
    "add": (0, 0, lambda a, b: a + b & WORD, "Add two registers.", "Rs1 + Rs2"),
    "sub": (0, 0x20, lambda a, b: a - b & WORD, "Subtract a register from another.", "Rs1 - Rs2"),
    "sll": (1, 0, lambda a, b: a << (b & 31) & WORD, "Shift to the left, zeros in.",
            "Rs1 << (Rs2 & 31)"),
    "slt": (2, 0, lambda a, b: int(a ^ 1 << 31 < b ^ 1 << 31), "Compare with signs: 1 if less.",
            "1 if Rs1 < Rs2, with signs, else 0"),
    "sltu": (3, 0, lambda a, b: int(a < b), "Compare without signs: 1 if less.",
             "1 if Rs1 < Rs2, without signs, else 0"),
    "xor": (4, 0, lambda a, b: a ^ b, "The bits that differ.", "Rs1 ^ Rs2"),
    "srl": (5, 0, lambda a, b: a >> (b & 31), "Shift to the right, zeros in.",
            "Rs1 >> (Rs2 & 31), zeros in"),
    "sra": (5, 0x20, _sra, "Shift to the right, the sign in.", "Rs1 >> (Rs2 & 31), the sign in"),
    "or": (6, 0, lambda a, b: a | b, "The bits that are set in either.", "Rs1 | Rs2"),
    "and": (7, 0, lambda a, b: a & b, "The bits that are set in both.", "Rs1 & Rs2"),
}  # fmt: skip
"""funct3 and funct7 of each, what it computes, and how its page says that."""

_MULTIPLIES: Final[dict[str, tuple[int, Compute, str, str]]] = {
    "mul": (0, lambda a, b: a * b & WORD, "Multiply: the lower word.", "lower word of Rs1 * Rs2"),
    "mulh": (1, lambda a, b: signed(a) * signed(b) >> 32 & WORD,
             "Multiply with signs: the upper word.", "upper word of Rs1 * Rs2, with signs"),
    "mulhsu": (2, _mulhsu, "Multiply a number with a sign by one without: the upper word.",
               "upper word of Rs1 * Rs2, Rs1 with a sign, Rs2 without"),
    "mulhu": (3, lambda a, b: a * b >> 32, "Multiply without signs: the upper word.",
              "upper word of Rs1 * Rs2, without signs"),
    "div": (4, _div, "Divide with signs, towards 0; by 0 it is -1.",
            "Rs1 / Rs2, with signs, towards 0"),
    "divu": (5, lambda a, b: a // b if b else WORD, "Divide without signs; by 0 it is 2^32 - 1.",
             "Rs1 / Rs2, without signs"),
    "rem": (6, _rem, "The remainder of a division with signs; by 0 it is Rs1.",
            "Rs1 - Rs2 * (Rs1 / Rs2), with signs"),
    "remu": (7, lambda a, b: a % b if b else a,
             "The remainder of a division without signs; by 0 it is Rs1.",
             "Rs1 - Rs2 * (Rs1 / Rs2), without signs"),
}  # fmt: skip

_BRANCHES: Final[dict[str, tuple[int, Compute, str, str]]] = {
    "beq": (0, lambda a, b: int(a == b), "two registers are equal", "Rs1 == Rs2"),
    "bne": (1, lambda a, b: int(a != b), "two registers differ", "Rs1 != Rs2"),
    "blt": (4, lambda a, b: int(a ^ 1 << 31 < b ^ 1 << 31),
            "a register is less than another, with signs", "Rs1 < Rs2, with signs"),
    "bge": (5, lambda a, b: int(a ^ 1 << 31 >= b ^ 1 << 31),
            "a register is not less than another, with signs", "Rs1 >= Rs2, with signs"),
    "bltu": (6, lambda a, b: int(a < b),
             "a register is less than another, without signs", "Rs1 < Rs2, without signs"),
    "bgeu": (7, lambda a, b: int(a >= b),
             "a register is not less than another, without signs", "Rs1 >= Rs2, without signs"),
}  # fmt: skip

_LOADS: Final = {
    "lb": (0, 1, True, "Load a byte, with its sign."),
    "lh": (1, 2, True, "Load two bytes, with their sign."),
    "lw": (2, 4, False, "Load a word."),
    "lbu": (4, 1, False, "Load a byte; zeros above it."),
    "lhu": (5, 2, False, "Load two bytes; zeros above them."),
}
_STORES: Final = {
    "sb": (0, 1, "Store the lowest byte of a register."),
    "sh": (1, 2, "Store the lower two bytes of a register."),
    "sw": (2, 4, "Store a register."),
}

_OPCODE, _FUNCT3, _FUNCT7 = 0x7F, 0x707F, 0xFE00707F
"""Masks of what tells operations apart."""


def _immediate_forms() -> Iterator[Operation]:
    for name, (funct3, funct7, compute, sentence, formula) in _COMPUTES.items():
        if name == "sub":
            continue
        shift = funct3 & 3 == 1
        own = f"{name[:-1]}iu" if name.endswith("u") else f"{name}i"
        said = sentence.replace("two registers", "a number to a register")
        shown = formula.replace("(Rs2 & 31)", "Imm").replace("Rs2", "Imm")
        form, mask = (SHIFT, _FUNCT7) if shift else (IMMEDIATE, _FUNCT3)
        match = 0x13 | funct3 << 12 | (funct7 << 25 if shift else 0)
        yield Operation(own, form, match, mask, Does.IMMEDIATE, said, f"Rd = {shown}", compute)


def _register_forms() -> Iterator[Operation]:
    for name, (funct3, funct7, compute, sentence, formula) in _COMPUTES.items():
        match = 0x33 | funct3 << 12 | funct7 << 25
        shown = f"Rd = {formula}"
        yield Operation(
            name, REGISTERS_ONLY, match, _FUNCT7, Does.COMPUTE, sentence, shown, compute
        )
    for name, (funct3, compute, sentence, formula) in _MULTIPLIES.items():
        match = 0x33 | funct3 << 12 | 1 << 25
        time = IntegerTime.MULTIPLY if funct3 < 4 else IntegerTime.DIVIDE
        shown = f"Rd = {formula}"
        yield Operation(
            name, REGISTERS_ONLY, match, _FUNCT7, Does.COMPUTE, sentence, shown, compute, time=time
        )


def _upper(name: str, opcode: int, compute: Compute, sentence: str, formula: str) -> Operation:
    return Operation(name, UPPER, opcode, _OPCODE, Does.UPPER, sentence, formula, compute)


def _memory() -> Iterator[Operation]:
    for name, (funct3, size, sign, sentence) in _LOADS.items():
        match, of = 0x03 | funct3 << 12, {1: "byte", 2: "two bytes", 4: "word"}[size]
        shown = f"Rd = the {of} at Base + Offset"
        yield Operation(
            name, IMMEDIATE, match, _FUNCT3, Does.LOAD, sentence, shown, size=size, signed=sign
        )
    for name, (funct3, size, sentence) in _STORES.items():
        match, of = 0x23 | funct3 << 12, {1: "byte", 2: "two bytes", 4: "word"}[size]
        shown = f"the {of} at Base + Offset = Rs"
        yield Operation(name, STORED, match, _FUNCT3, Does.STORE, sentence, shown, size=size)


def _control() -> Iterator[Operation]:
    said = "Jump to a label; the address of the next instruction goes to a register."
    yield Operation("jal", JUMPS, 0x6F, _OPCODE, Does.JUMP, said, "Rd = pc + 4; continue at Target")
    said = "Jump to the address in a register; that of the next instruction goes to another."
    shown = "Rd = pc + 4; continue at (Rs1 + Imm) & ~1"
    yield Operation("jalr", IMMEDIATE, 0x67, _FUNCT3, Does.JUMP_REGISTER, said, shown)
    for name, (funct3, compute, where, formula) in _BRANCHES.items():
        match, said = 0x63 | funct3 << 12, f"Continue at a label if {where}."
        shown = f"if {formula}: continue at Target"
        yield Operation(name, BRANCHES, match, _FUNCT3, Does.BRANCH, said, shown, compute)


def _system() -> Iterator[Operation]:
    said = "Order loads and stores, on Blackhole; on Wormhole nothing, as it executes it as a nop."
    shown = "nothing, or later instructions wait until the store queue is empty and loads are back"
    yield Operation("fence", NONE, 0x0F, _FUNCT3, Does.FENCE, said, shown)
    said = "Nothing: these cores do not have it, and execute it as a nop; their caches stay."
    yield Operation(
        "fence.i", NONE, 0x100F, _FUNCT3, Does.NOTHING, said, "nothing", until="wormhole"
    )
    for name, code in (("ecall", 0), ("ebreak", 1)):
        said = "Pause the core for a debugger, which may let it continue."
        match = 0x73 | code << 20
        yield Operation(name, NONE, match, WORD, Does.PAUSE, said, "the core pauses")


def _all() -> Iterator[Operation]:
    said = "Put a number into the upper twenty bits of a register, and zeros into the others."
    yield _upper("lui", 0x37, lambda pc, imm: imm << 12, said, "Rd = Imm << 12")
    said = "Add a number in the upper twenty bits to the address of the instruction."
    formula = "Rd = pc + (Imm << 12)"
    yield _upper("auipc", 0x17, lambda pc, imm: pc + (imm << 12) & WORD, said, formula)
    yield from _immediate_forms()
    yield from _register_forms()
    yield from _memory()
    yield from _control()
    yield from _system()


OPERATIONS: Final = {one.name: one for one in _all()}
"""Those of the first generation, by name."""

PUSHED_WORD: Final = Operation(
    "ttinsn",
    NONE,
    0,
    0,
    Does.PUSHES,
    "Push a Tensix instruction, by its word.",
    "the word goes to the FIFO of the thread, as a store to INSTRN_BUF_BASE",
)
"""What words are whose lowest two bits are not both set: a Tensix instruction, rotated by two."""


def divide_cycles(dividend: int, divisor: int, with_signs: bool) -> int:
    """Cycles of a division in the integer unit.

    Two by 0 or 1, and of the least number by -1; else 6 to 33, of which the page says only that
    they depend on the magnitude of the dividend: one more than it has bits is assumed.
    """
    if divisor < 2 or (with_signs and dividend == 1 << 31 and divisor == WORD):
        return 2
    size = abs(signed(dividend)) if with_signs else dividend
    return min(33, max(6, size.bit_length() + 1))


SIGNED_DIVISIONS: Final = frozenset({"div", "rem"})
"""Operations that divide with signs."""
