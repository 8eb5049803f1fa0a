"""Arithmetic of the scalar unit on general registers, all of it unsigned.

Sources: the pages of the instructions in the public ISA documentation of Wormhole B0. The right
operand is a register, or where ``OpBisConst`` is set its number itself.
"""

from __future__ import annotations

from typing import Final

from nasm.problems import Refused
from nasm.targets.tensix.state import Coprocessor

WORD: Final = 0xFFFFFFFF


def _operands(
    core: Coprocessor, thread: int, OpBisConst: int, RightReg: int, LeftReg: int
) -> tuple[int, int]:
    registers = core.threads[thread].registers
    return int(registers[LeftReg]), RightReg if OpBisConst else int(registers[RightReg])


def ADDDMAREG(
    core: Coprocessor, thread: int, OpBisConst: int, ResultReg: int, RightReg: int, LeftReg: int
) -> None:
    """Add; what does not fit into 32 bits is lost."""
    left, right = _operands(core, thread, OpBisConst, RightReg, LeftReg)
    core.threads[thread].registers[ResultReg] = left + right & WORD


def SUBDMAREG(
    core: Coprocessor, thread: int, OpBisConst: int, ResultReg: int, RightReg: int, LeftReg: int
) -> None:
    """Take the right operand from the left one, modulo 2**32."""
    left, right = _operands(core, thread, OpBisConst, RightReg, LeftReg)
    core.threads[thread].registers[ResultReg] = left - right & WORD


def MULDMAREG(
    core: Coprocessor, thread: int, OpBisConst: int, ResultReg: int, RightReg: int, LeftReg: int
) -> None:
    """Multiply the low 16 bits of each; the product has 32."""
    left, right = _operands(core, thread, OpBisConst, RightReg, LeftReg)
    core.threads[thread].registers[ResultReg] = (left & 0xFFFF) * (right & 0xFFFF)


def BITWOPDMAREG(
    core: Coprocessor,
    thread: int,
    OpBisConst: int,
    Mode: int,
    ResultReg: int,
    RightReg: int,
    LeftReg: int,
) -> None:
    """And, or, exclusive or: modes 0 to 2; raises Refused for others."""
    left, right = _operands(core, thread, OpBisConst, RightReg, LeftReg)
    results = left & right, left | right, left ^ right
    core.threads[thread].registers[ResultReg] = results[_mode("BITWOPDMAREG", Mode, 2)]


def SHIFTDMAREG(
    core: Coprocessor,
    thread: int,
    OpBisConst: int,
    Mode: int,
    ResultReg: int,
    RightReg: int,
    LeftReg: int,
) -> None:
    """Shift left or right, modes 0 and 1, by the low five bits; raises Refused for others."""
    left, right = _operands(core, thread, OpBisConst, RightReg, LeftReg)
    results = left << (right & 31) & WORD, left >> (right & 31)
    core.threads[thread].registers[ResultReg] = results[_mode("SHIFTDMAREG", Mode, 1)]


def CMPDMAREG(
    core: Coprocessor,
    thread: int,
    OpBisConst: int,
    Mode: int,
    ResultReg: int,
    RightReg: int,
    LeftReg: int,
) -> None:
    """1 if left is greater, less or equal, modes 0 to 2, else 0; raises Refused for others."""
    left, right = _operands(core, thread, OpBisConst, RightReg, LeftReg)
    results = left > right, left < right, left == right
    core.threads[thread].registers[ResultReg] = results[_mode("CMPDMAREG", Mode, 2)]


def _mode(name: str, mode: int, most: int) -> int:
    if mode > most:
        raise Refused("E0701", f"mode {mode} of {name} is not documented; wanted 0 to {most}")
    return mode
