"""RISC-V: what the standard assembler has for one or two instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nasm.isa.instruction import Operand
from nasm.targets.tensix.host.operands import WordValue
from nasm.targets.tensix.isa import riscv
from nasm.targets.tensix.isa.riscv import LABEL, PREFIX, RD, RS1, RS2, RiscRow, one_word
from nasm.targets.tensix.riscv.code import Address, LineForm
from nasm.targets.tensix.riscv.decode import encode
from nasm.targets.tensix.riscv.formats import WORD
from nasm.targets.tensix.riscv.operands import distance
from nasm.targets.tensix.riscv.operations import OPERATIONS

SOURCE: Final = f"{riscv.MANUAL}, chapter 25: pseudoinstructions"

RS: Final = riscv.register("Rs", "a register")
_VALUE: Final = Operand("Value", WordValue(), "-", doc="the number")

_ZERO, _RA = 0, 1

Argument = str | int
"""An operand by its name, or a register or number."""

_SIMPLE: Final[Mapping[str, tuple[tuple[Operand, ...], str, tuple[Argument, ...], str]]] = {
    "nop": ((), "addi", (_ZERO, _ZERO, 0), "Nothing, for a cycle."),
    "mv": ((RD, RS), "addi", ("Rd", "Rs", 0), "Copy a register."),
    "not": ((RD, RS), "xori", ("Rd", "Rs", -1), "The bits that are not set."),
    "neg": ((RD, RS), "sub", ("Rd", _ZERO, "Rs"), "The negative of a register."),
    "seqz": ((RD, RS), "sltiu", ("Rd", "Rs", 1), "1 if a register is 0, else 0."),
    "snez": ((RD, RS), "sltu", ("Rd", _ZERO, "Rs"), "1 if a register is not 0, else 0."),
    "sltz": ((RD, RS), "slt", ("Rd", "Rs", _ZERO), "1 if a register is negative, else 0."),
    "sgtz": ((RD, RS), "slt", ("Rd", _ZERO, "Rs"), "1 if a register is positive, else 0."),
    "beqz": ((RS, LABEL), "beq", ("Rs", _ZERO), "Continue at a label if a register is 0."),
    "bnez": ((RS, LABEL), "bne", ("Rs", _ZERO), "Continue at a label if a register is not 0."),
    "blez": ((RS, LABEL), "bge", (_ZERO, "Rs"), "Continue at a label if a register is not "
             "positive."),
    "bgez": ((RS, LABEL), "bge", ("Rs", _ZERO), "Continue at a label if a register is not "
             "negative."),
    "bltz": ((RS, LABEL), "blt", ("Rs", _ZERO), "Continue at a label if a register is negative."),
    "bgtz": ((RS, LABEL), "blt", (_ZERO, "Rs"), "Continue at a label if a register is positive."),
    "bgt": ((RS1, RS2, LABEL), "blt", ("Rs2", "Rs1"),
            "Continue at a label if a register is greater than another, with signs."),
    "ble": ((RS1, RS2, LABEL), "bge", ("Rs2", "Rs1"),
            "Continue at a label if a register is not greater than another, with signs."),
    "bgtu": ((RS1, RS2, LABEL), "bltu", ("Rs2", "Rs1"),
             "Continue at a label if a register is greater than another, without signs."),
    "bleu": ((RS1, RS2, LABEL), "bgeu", ("Rs2", "Rs1"),
             "Continue at a label if a register is not greater than another, without signs."),
    "j": ((LABEL,), "jal", (_ZERO,), "Continue at a label."),
    "call": ((LABEL,), "jal", (_RA,), "Call a function: continue at a label, the next address in "
             "ra."),
    "tail": ((LABEL,), "jal", (_ZERO,), "Continue at a function that returns in its place."),
    "jr": ((RS,), "jalr", (_ZERO, "Rs", 0), "Continue at the address in a register."),
    "ret": ((), "jalr", (_ZERO, _RA, 0), "Return from a function: continue at the address in ra."),
}  # fmt: skip
"""Operands, the instruction that each is, and what that gets in the order of its word."""

_EXAMPLES: Final = {"Rd": "a0", "Rs": "a1", "Rs1": "a1", "Rs2": "a2", "Target": "onwards"}


def _simple(name: str) -> RiscRow:
    operands, instruction, arguments, sentence = _SIMPLE[name]
    one = OPERATIONS[instruction]

    def word(of: Mapping[str, Any], at: int, label: Address) -> int:
        values = [of[a] if isinstance(a, str) else a for a in arguments]
        registers = values[: len(one.form.registers)]
        (value,) = values[len(one.form.registers) :] or (0,)
        if "Target" in of:
            value = distance(one.form, label(of["Target"]), at, of["Target"])
        return encode(one, registers, value)

    shown = [a if isinstance(a, str) else f"x{a}" for a in arguments]
    shown = [*shown, *(["Target"] if LABEL in operands else [])]
    example = ", ".join(_EXAMPLES[operand.name] for operand in operands)
    return RiscRow(
        name=name,
        operands=operands,
        sentence=sentence,
        formula=f"{instruction} {', '.join(shown)}",
        example=f"{name} {example}".rstrip(),
        form=one_word(word),
        setup=_setup(name, operands),
        source=SOURCE,
    )


def _setup(name: str, operands: tuple[Operand, ...]) -> str:
    """The lines before the example: registers, and a label that is followed by the end."""
    if LABEL in operands:
        return riscv.ONWARDS
    through = {"jr": "a1", "ret": "ra"}.get(name)
    if through:
        return f"{riscv.ONWARDS}\n{PREFIX}la {through}, onwards"
    return f"{PREFIX}addi a1, zero, 256"


def parts_of(value: int) -> tuple[int, int]:
    """The upper twenty bits and the lower twelve, with a sign, whose sum is a word."""
    value &= WORD
    low = (value & 0xFFF) - ((value & 0x800) << 1)
    return (value - low & WORD) >> 12, low


def load_words(rd: int, value: int) -> list[int]:
    """The instructions that put a number into a register, one or two."""
    upper, low = parts_of(value)
    if not upper:
        return [encode(OPERATIONS["addi"], [rd, 0], low)]
    first = encode(OPERATIONS["lui"], [rd], upper)
    return [first] if not low else [first, encode(OPERATIONS["addi"], [rd, rd], low)]


def _address_words(of: Mapping[str, Any], at: int, label: Address) -> list[int]:
    upper, low = parts_of(label(of["Target"]))
    rd = of["Rd"]
    return [encode(OPERATIONS["lui"], [rd], upper), encode(OPERATIONS["addi"], [rd, rd], low)]


def _rows() -> Iterator[RiscRow]:
    yield from (_simple(name) for name in _SIMPLE)
    yield RiscRow(
        name="li",
        operands=(RD, _VALUE),
        sentence="Put a number into a register, by one instruction or two.",
        formula="Rd = Value",
        example="li a0, 0x12345678",
        form=LineForm(
            lambda of: 4 * len(load_words(of["Rd"], of["Value"])),
            lambda of, at, label: load_words(of["Rd"], of["Value"]),
        ),
        source=SOURCE,
    )
    yield RiscRow(
        name="la",
        operands=(RD, LABEL),
        sentence="Put the address of a label into a register, by two instructions.",
        formula="Rd = the address of Target",
        example="la a0, onwards",
        setup=riscv.ONWARDS,
        form=LineForm(lambda of: 8, _address_words),
        source=SOURCE,
    )


for _one in _rows():
    globals()[f"{PREFIX}{_one.name}"] = _one.made(__name__)
