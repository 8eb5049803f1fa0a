"""Random instructions, executed here and by unicorn: the same registers, pc and memory.

unicorn (QEMU's translator) is not ours. A program has no loop: branches go forwards, so that each
ends after as many instructions as it has at most.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pytest

from nasm.targets.tensix.riscv.decode import encode
from nasm.targets.tensix.riscv.interpreter import REGISTERS, Interpreter
from nasm.targets.tensix.riscv.operations import OPERATIONS, Does, Operation
from tests.parts import part
from tests.tensix.riscv.flat_memory import FlatMemory

unicorn = pytest.importorskip("unicorn", reason="unicorn, which executes RISC-V, is not installed")

CODE, DATA, SIZE = 0x1000, 0x10000, 0x1000
LENGTH, PROGRAMS = 200, 700
"""Instructions of a program, and programs: more than 100,000 instructions are executed in all."""

POINTER = 31
"""The register with an address in the middle of the data, which nothing random writes."""

TARGETS = 30
"""The register that jumps through registers go through."""

NOP = 0x13

KINDS = [
    one for one in OPERATIONS.values() if one.does not in (Does.PAUSE, Does.NOTHING)
]  # fence.i flushes what unicorn has translated, and is no instruction of these cores
EDGES = (0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFF, 0x8000)


def any_register(choose: random.Random) -> int:
    return choose.randrange(POINTER - 1)


def forwards(choose: random.Random, starts: Sequence[int], at: int) -> int:
    """How far it is from an instruction to one of the next few, in bytes."""
    later = min(len(starts) - 1, at + choose.randrange(1, 8))
    return 4 * (starts[later] - starts[at])


def words_of(choose: random.Random, one: Operation, starts: Sequence[int], at: int) -> list[int]:
    """A random instruction, or auipc and a jump through its register, the lowest bit set or not."""
    form = one.form
    if one.does in (Does.LOAD, Does.STORE):
        offset = choose.randrange(-2048, 2048)
        return [encode(one, [any_register(choose), POINTER], offset // one.size * one.size)]
    registers = [any_register(choose) for _ in form.registers]
    if one.does is Does.JUMP_REGISTER:
        here = encode(OPERATIONS["auipc"], [TARGETS], 0)
        ahead = forwards(choose, starts, at) + choose.randrange(2)
        return [here, encode(one, [registers[0], TARGETS], ahead)]
    if one.does in (Does.BRANCH, Does.JUMP):
        return [encode(one, registers, forwards(choose, starts, at))]
    if choose.random() < 0.2:
        value = choose.choice((form.least, form.most, 0, form.step))
    else:
        value = choose.randrange(form.least, form.most + 1) if form.bits else 0
    return [encode(one, registers, value)]


def program(choose: random.Random) -> tuple[list[int], list[int], bytes]:
    """Words, the registers they begin with, and the data. The last word is only reached."""
    kinds = [choose.choice(KINDS) for _ in range(LENGTH)]
    sizes = [1 + (one.does is Does.JUMP_REGISTER) for one in kinds]
    starts = [*accumulate(sizes, initial=0)]
    words = [word for at, one in enumerate(kinds) for word in words_of(choose, one, starts, at)]
    registers = [
        choose.choice(EDGES) if choose.random() < 0.3 else choose.getrandbits(32)
        for _ in range(REGISTERS)
    ]
    registers[0], registers[POINTER] = 0, DATA + SIZE // 2
    return [*words, NOP], registers, choose.randbytes(SIZE)


def ours(
    words: Sequence[int], registers: Sequence[int], data: bytes, count: int
) -> tuple[list[int], int, bytes]:
    """Registers, pc and data after so many instructions."""
    memory = FlatMemory(0, DATA + SIZE)
    memory.put(CODE, b"".join(word.to_bytes(4, "little") for word in words))
    memory.put(DATA, data)
    core = Interpreter(memory, CODE)
    core.registers[:REGISTERS] = registers
    assert core.run(count) == count
    return core.registers[:REGISTERS], core.pc, bytes(memory.data[DATA:])


def theirs(
    words: Sequence[int], registers: Sequence[int], data: bytes
) -> tuple[list[int], int, bytes, int]:
    """The same, after the last of the words was reached, and how many instructions that took."""
    from unicorn import riscv_const as names

    machine = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    machine.mem_map(CODE, 0x1000)
    machine.mem_map(DATA, SIZE)
    machine.mem_write(CODE, b"".join(word.to_bytes(4, "little") for word in words))
    machine.mem_write(DATA, data)
    numbers = [getattr(names, f"UC_RISCV_REG_X{n}") for n in range(REGISTERS)]
    for number, value in zip(numbers[1:], registers[1:], strict=True):
        machine.reg_write(number, value)
    count = 0

    def counted(*_: Any) -> None:
        nonlocal count
        count += 1

    machine.hook_add(unicorn.UC_HOOK_CODE, counted)
    machine.emu_start(CODE, CODE + 4 * (len(words) - 1))
    found = [machine.reg_read(number) for number in numbers]
    pc = machine.reg_read(names.UC_RISCV_REG_PC)
    return found, pc, bytes(machine.mem_read(DATA, SIZE)), count


@pytest.mark.parametrize("first", part(range(0, PROGRAMS, 10), 5))
def test_random_instructions_do_what_they_do_in_unicorn(first: int) -> None:
    for seed in range(first, first + 10):
        words, registers, data = program(random.Random(seed))
        wanted, there, stored, count = theirs(words, registers, data)
        found, pc, data_now = ours(words, registers, data, count)
        assert (pc, found) == (there, wanted), f"program {seed}"
        assert data_now == stored, f"program {seed}"


def test_every_operation_is_among_the_random_ones() -> None:
    choose = random.Random(0)
    met = set()
    for _ in range(20):
        for word in program(choose)[0]:
            met |= {o.name for o in KINDS if word & o.mask == o.match}
    assert met == {one.name for one in KINDS}
