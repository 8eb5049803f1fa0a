"""A sequencer: 64 registers of 32 bits, memory cells and branches, one instruction at a time.

Written from KLR's register operators (Core/Operators.lean) and nki.isa.register_move, _load and
_store. Registers hold signed integers that wrap, and a shift by 32 and more leaves nothing, or
copies of the sign: no page says so, and nasm assumes it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

CODES = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "float16": "e",
    "float32": "f",
}


@dataclass
class Sequencer:
    """What an engine's sequencer holds. Cells are lists of bytes, the lowest first."""

    registers: dict[int, int] = field(default_factory=dict)
    cells: dict[str, list[int]] = field(default_factory=dict)
    signed: dict[str, bool] = field(default_factory=dict)

    def read(self, operand: str | int) -> int:
        """A register (``%r3``) or a number, as the sequencer sees it."""
        if isinstance(operand, str):
            return self.registers[int(operand[2:])]
        return word(operand)

    def write(self, register: str, value: int) -> None:
        self.registers[int(register[2:])] = word(value)

    def run(self, program: list[tuple[Any, ...]]) -> None:
        """Execute until the program is left at its end."""
        pc = 0
        while pc < len(program):
            name, *operands = program[pc]
            pc += 1
            if name == "RegisterMove":
                self.write(operands[0], self.read(operands[1]))
            elif name == "RegisterAlu":
                dst, a, b, op = operands
                self.write(dst, alu(op, self.read(a), self.read(b)))
            elif name == "TensorLoad":
                cell = self.cells[operands[1]]
                self.write(operands[0], from_bytes(cell, self.signed[operands[1]]))
            elif name == "TensorStore":
                cell = self.cells[operands[0]]
                value = self.read(operands[1])
                for at in range(len(cell)):
                    cell[at] = (value >> (8 * at)) & 255
            elif name == "CompareBranch":
                a, b, op, target = operands
                if op == "always" or compare(op, self.read(a), self.read(b)):
                    pc = target
            else:
                assert name == "Nop"


def word(value: int) -> int:
    """The signed 32-bit integer with the same low bits."""
    low = value & 0xFFFFFFFF
    return low - 2**32 if low >= 2**31 else low


def from_bytes(cell: list[int], signed: bool) -> int:
    """Bytes as a number, its sign extended if it is a signed integer."""
    value = 0
    for at, byte in enumerate(cell):
        value |= byte << (8 * at)
    if signed and cell[-1] >= 128:
        value -= 1 << (8 * len(cell))
    return value


def compare(op: str, a: int, b: int) -> bool:
    return {
        "equal": a == b,
        "not_equal": a != b,
        "less": a < b,
        "less_equal": a <= b,
        "greater": a > b,
        "greater_equal": a >= b,
    }[op]


def alu(op: str, a: int, b: int) -> int:
    """The operators that registers have, on signed 32-bit integers."""
    if op in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        return int(compare(op, a, b))
    if op in ("add", "subtract", "multiply"):
        return {"add": a + b, "subtract": a - b, "multiply": a * b}[op]
    if op in ("maximum", "minimum"):
        return a if (a > b) == (op == "maximum") else b
    if op.startswith("logical_"):
        first, second = a != 0, b != 0
        return int(
            {
                "logical_and": first and second,
                "logical_or": first or second,
                "logical_xor": first != second,
            }[op]
        )
    x, y = a & 0xFFFFFFFF, b & 0xFFFFFFFF
    if op.startswith("bitwise_"):
        return {"bitwise_and": x & y, "bitwise_or": x | y, "bitwise_xor": x ^ y}[op]
    if op in ("left_shift", "arith_shift_left"):
        return x << y if y < 32 else 0
    if op == "right_shift":
        return x >> y if y < 32 else 0
    assert op == "arith_shift_right"
    return a >> min(y, 31)


def bytes_of(value: Any, dtype: str) -> list[int]:
    """The bytes of a number of a dtype."""
    if dtype == "bfloat16":
        return list(struct.pack("<f", float(value)))[2:]
    number = int(value) if "int" in dtype else float(value)
    return list(struct.pack("<" + CODES[dtype], number))
