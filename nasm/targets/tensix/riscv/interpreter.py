"""A core alone: words of a memory decoded once, and executed over what loads and stores.

Nothing here knows of time. The machine executes by the same steps; see ``execute.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from nasm.base.problems import Refused
from nasm.targets.tensix.riscv.decode import DecodedWord, decode
from nasm.targets.tensix.riscv.formats import WORD
from nasm.targets.tensix.riscv.operations import Does

REGISTERS: Final = 32
NOWHERE: Final = REGISTERS
"""Where results for x0 go: an entry after the registers, which nothing reads."""

Registers = list[int]
Step = Callable[[Registers], int]
"""Executes one instruction on registers, and returns the pc of the next one."""


class RiscMemory(Protocol):
    """What a core loads from and stores to."""

    def fetch(self, address: int) -> int:
        """The word of an instruction."""

    def load(self, address: int, size: int) -> int:
        """So many bytes, the lowest first, as a number without a sign."""

    def store(self, address: int, size: int, value: int) -> None:
        """Store the lowest bytes of a word."""

    def push(self, word: int) -> None:
        """Push a Tensix instruction."""


def filled(value: int, size: int) -> int:
    """A number of so many bytes as a word with its sign."""
    bits = 8 * size
    return (value | -(value >> (bits - 1)) << bits) & WORD


def _computing(found: DecodedWord, pc: int) -> Step:
    compute, (_, rd, rs1, rs2, imm) = found.operation.compute, found
    assert compute is not None
    to, after, word = rd or NOWHERE, pc + 4 & WORD, imm & WORD
    if found.operation.does in (Does.COMPUTE, Does.UNARY):

        def step(r: Registers) -> int:
            r[to] = compute(r[rs1], r[rs2])
            return after

    elif found.operation.does is Does.IMMEDIATE:

        def step(r: Registers) -> int:
            r[to] = compute(r[rs1], word)
            return after

    else:
        value = compute(pc, imm)

        def step(r: Registers) -> int:
            r[to] = value
            return after

    return step


def _branching(found: DecodedWord, pc: int) -> Step:
    operation, rd, rs1, rs2, imm = found
    after, target, to = pc + 4 & WORD, pc + imm & WORD, rd or NOWHERE
    if operation.does is Does.BRANCH:
        compute = operation.compute
        assert compute is not None
        return lambda r: target if compute(r[rs1], r[rs2]) else after

    def jump(r: Registers) -> int:
        r[to] = after
        return target

    def jump_register(r: Registers) -> int:
        there = r[rs1] + imm & WORD & -2
        r[to] = after
        return there

    return jump if operation.does is Does.JUMP else jump_register


def private_step(found: DecodedWord, pc: int) -> Step | None:
    """The step of an instruction at a pc that reaches nothing but registers; None of any other."""
    match found.operation.does:
        case Does.COMPUTE | Does.UNARY | Does.IMMEDIATE | Does.UPPER:
            return _computing(found, pc)
        case Does.BRANCH | Does.JUMP | Does.JUMP_REGISTER:
            return _branching(found, pc)
        case Does.NOTHING | Does.FENCE:
            return lambda r: pc + 4 & WORD
        case _:
            return None


class Interpreter:
    """A core over a memory: its registers, its pc, and the steps of what it has decoded.

    ``paused`` says that it has reached an ``ebreak`` or ``ecall``, with the pc after that.
    """

    def __init__(self, memory: RiscMemory, pc: int = 0) -> None:
        self.memory, self.pc = memory, pc
        self.registers: Registers = [0] * (REGISTERS + 1)
        self.paused = False
        self._steps: dict[int, Step] = {}

    def run(self, most: int) -> int:
        """Execute at most so many instructions, until it pauses; returns how many there were.

        Raises Refused for a word that is no instruction.
        """
        registers, steps, pc, count = self.registers, self._steps, self.pc, 0
        try:
            while count < most and not self.paused:
                step = steps.get(pc)
                if step is None:
                    step = steps[pc] = self._decoded(pc)
                pc = step(registers)
                count += 1
        finally:
            self.pc = pc
        return count

    def _decoded(self, pc: int) -> Step:
        word = self.memory.fetch(pc)
        found = decode(word)
        if found is None:
            raise Refused("E0701", f"{word:#010x} at {pc:#x} is no instruction of these cores")
        return private_step(found, pc) or self._reaching(found, pc)

    def _reaching(self, found: DecodedWord, pc: int) -> Step:
        """The step of an instruction that reaches more than registers."""
        operation, rd, rs1, rs2, imm = found
        memory, size, after, to = self.memory, operation.size, pc + 4 & WORD, rd or NOWHERE

        def load(r: Registers) -> int:
            value = memory.load(r[rs1] + imm & WORD, size)
            r[to] = filled(value, size) if operation.signed else value
            return after

        def store(r: Registers) -> int:
            address = r[rs1] + imm & WORD
            memory.store(address, size, r[rs2] & (1 << 8 * size) - 1)
            self.forget(address)
            return after

        def push(r: Registers) -> int:
            memory.push(imm)
            return after

        def exchange(r: Registers) -> int:
            address, compute = r[rs1] & -4, operation.compute
            assert compute is not None
            found, given = memory.load(address, 4), r[rs2]
            memory.store(address, 4, compute(found, given))
            self.forget(address)
            r[to] = found
            return after

        def refuse(r: Registers) -> int:
            raise Refused(
                "E0601", f"{operation.name} at {pc:#x}: a core alone has no such register"
            )

        def pause(r: Registers) -> int:
            self.paused = True
            return after

        by = {
            Does.LOAD: load, Does.STORE: store, Does.PUSHES: push, Does.PAUSE: pause,
            Does.ATOMIC: exchange, Does.STATUS: refuse,
        }  # fmt: skip
        return by[operation.does]

    def forget(self, address: int) -> None:
        """What is stored at an address may be an instruction: decode it again."""
        self._steps.pop(address & -4, None)
