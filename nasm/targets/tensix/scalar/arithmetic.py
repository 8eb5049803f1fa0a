"""Arithmetic of the scalar unit on general registers, all of it unsigned.

Sources: the pages of the instructions in the public ISA documentation of Wormhole B0. The right
operand is a register, or where ``OpBisConst`` is set its number itself.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, eq, gt, lt, or_, xor
from typing import Final

from nasm.base.problems import Refused
from nasm.targets.tensix.state import Coprocessor

WORD: Final = 0xFFFFFFFF


Compute = Callable[[int, int], int]


def _operands(
    core: Coprocessor, thread: int, OpBisConst: int, RightReg: int, LeftReg: int
) -> tuple[int, int]:
    registers = core.threads[thread].registers
    return int(registers[LeftReg]), RightReg if OpBisConst else int(registers[RightReg])


def _always(compute: Compute) -> Callable[..., None]:
    """What an instruction without modes does: it computes a register from its operands."""

    def execute(
        core: Coprocessor, thread: int, OpBisConst: int, ResultReg: int, RightReg: int, LeftReg: int
    ) -> None:
        operands = _operands(core, thread, OpBisConst, RightReg, LeftReg)
        core.threads[thread].registers[ResultReg] = compute(*operands)

    return execute


def _by_mode(name: str, *computes: Compute) -> Callable[..., None]:
    """What one with modes does, which are counted from 0; it refuses others."""

    def execute(
        core: Coprocessor,
        thread: int,
        OpBisConst: int,
        Mode: int,
        ResultReg: int,
        RightReg: int,
        LeftReg: int,
    ) -> None:
        last = len(computes) - 1
        if Mode > last:
            raise Refused("E0701", f"mode {Mode} of {name} is not documented; wanted 0 to {last}")
        operands = _operands(core, thread, OpBisConst, RightReg, LeftReg)
        core.threads[thread].registers[ResultReg] = computes[Mode](*operands)

    return execute


ADDDMAREG = _always(lambda left, right: left + right & WORD)
"""Add; what does not fit into 32 bits is lost."""

SUBDMAREG = _always(lambda left, right: left - right & WORD)
"""Take the right operand from the left one, modulo 2**32."""

MULDMAREG = _always(lambda left, right: (left & 0xFFFF) * (right & 0xFFFF))
"""Multiply the low 16 bits of each; the product has 32."""

BITWOPDMAREG = _by_mode("BITWOPDMAREG", and_, or_, xor)
"""And, or, exclusive or."""

SHIFTDMAREG = _by_mode(
    "SHIFTDMAREG",
    lambda left, right: left << (right & 31) & WORD,
    lambda left, right: left >> (right & 31),
)
"""Shift left or right by the low five bits of the right operand."""

CMPDMAREG = _by_mode("CMPDMAREG", gt, lt, eq)
"""1 if left is greater, less or equal, else 0."""
