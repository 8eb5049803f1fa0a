"""From words to operations with their operands, and back; each word is decoded once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from nasm.targets.tensix.riscv.extensions import EVERY
from nasm.targets.tensix.riscv.formats import RD, RS1, RS2, WORD, register_at
from nasm.targets.tensix.riscv.operations import PUSHED_WORD, Operation

MOST_PUSHED: Final = 0xC0000000
"""Words from this one on are no Tensix instructions, and cannot be pushed by one word."""


class DecodedWord(NamedTuple):
    """An operation, the registers it names (0 where it names none), and its immediate.

    What is pushed is an ``immediate``, too: the word of the Tensix instruction.
    """

    operation: Operation
    rd: int
    rs1: int
    rs2: int
    immediate: int


def _by_opcode() -> dict[int, list[Operation]]:
    found: dict[int, list[Operation]] = {}
    for one in EVERY.values():
        found.setdefault(one.match & 0x7F, []).append(one)
    return found


_OPERATIONS: Final = _by_opcode()


@lru_cache(maxsize=1 << 14)
def decode(word: int) -> DecodedWord | None:
    """What a word is; None if it is no instruction of cores of any generation."""
    if word & 3 != 3:
        return DecodedWord(PUSHED_WORD, 0, 0, 0, unrotated(word))
    for one in _OPERATIONS.get(word & 0x7F, ()):
        if word & one.mask == one.match:
            rd, rs1, rs2 = (
                register_at(word, at) if at in one.form.registers else 0 for at in (RD, RS1, RS2)
            )
            return DecodedWord(one, rd, rs1, rs2, one.form.immediate(word))
    return None


def decode_on(generation: str, word: int) -> DecodedWord | None:
    """What a word is for the cores of a generation; None if it is no instruction of theirs."""
    found = decode(word)
    if found is None:
        return None
    one = found.operation
    absent = one.since not in ("", generation) or one.until not in ("", generation)
    return None if absent else found


def encode(operation: Operation, registers: Iterable[int], immediate: int = 0) -> int:
    """The word of an operation: registers in the order of its format, an immediate that fits."""
    return operation.match | operation.form.encode(registers, immediate)


def rotated(word: int) -> int:
    """The word that pushes a Tensix instruction."""
    return (word << 2 | word >> 30) & WORD


def unrotated(word: int) -> int:
    """The Tensix instruction that a word pushes."""
    return (word >> 2 | word << 30) & WORD
