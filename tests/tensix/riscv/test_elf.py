"""ELF files of cores: the lines that they become, what is refused, and compiled programs."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

import nasm
from nasm.base.problems import Failure, Refused
from nasm.machine.records import Status
from nasm.targets.tensix.engine_names import HARTS
from nasm.targets.tensix.riscv.elf_text import text_of
from tests.parts import part
from tests.tensix.core.machines import held
from tests.tensix.riscv.compiled import linked
from tests.tensix.riscv.elves import elf, words

PUSH = words(
    0xFFE402B7,  # lui   t0, 0xffe40
    0xA4000337,  # lui   t1, 0xa4000
    0x00830313,  # addi  t1, t1, 8
    0x0062A023,  # sw    t1, 0(t0)
    0x00008067,  # jalr  zero, 0(ra)
    0x12345678,  # pushes 0x048d159e
    0xFFFFFFFF,
    0xFE5FF06F,  # jal   zero, 0
)
LINES = """\
rv_org 0x0
start:
rv_lui t0, 0xffe40  ; 0x0 start
rv_lui t1, 0xa4000  ; 0x4 start+4
rv_addi t1, t1, 8  ; 0x8 start+8
rv_sw t1, 0(t0)  ; 0xc start+12
rv_jalr zero, 0(ra)  ; 0x10 start+16
data:
rv_ttinsn 0x048d159e  ; 0x14 data
rv_word 0xffffffff  ; 0x18 data+4
rv_jal zero, start  ; 0x1c data+8
rv_zeros 8
"""


def run(folder: Path, core: str, data: bytes, more: str = "") -> nasm.Session:
    (folder / "a.elf").write_bytes(data)
    text = f'.target wormhole\n{more}\n.rv {core}\n.include "a.elf"\n'
    (folder / "a.nasm").write_text(text)
    session = nasm.Session(folder / "a.nasm")
    session.run(max_cycles=1_000_000)
    return session


def test_a_file_becomes_lines_with_its_symbols() -> None:
    data = elf([(0, PUSH, 6)], symbols={"start": 0, "data": 20, "$x": 0, "outside": 0x100})
    assert text_of("a.elf", data, "brisc", "wormhole") == LINES


def test_the_lines_have_the_words_of_the_file() -> None:
    """Random words, most of which are some instruction: each is in memory as it was."""
    for seed in part(range(40), 4):
        choose = random.Random(seed)
        opcodes = (0x13, 0x33, 0x03, 0x23, 0x63, 0x6F, 0x67, 0x37, 0x17, 0x73, 0x0F)
        some = [choose.getrandbits(32) & ~0x7F | choose.choice(opcodes) for _ in range(60)]
        some += [choose.getrandbits(32) for _ in range(20)]
        text = text_of("a.elf", elf([(0x6000, words(*some), 0)], 0x6000), "trisc0", "wormhole")
        machine = nasm.Session(nasm.assemble(f".target wormhole\n.rv T0\n{text}")).machine
        held_words = held(machine).l1.read(0x6000, 4 * len(some)).view("<u4").tolist()
        assert held_words == some, seed


def test_a_file_begins_at_its_entry_and_fills_local_memory(tmp_path: Path) -> None:
    code = words(0x00000013, 0xFFB005B7, 0x0045A503, 0x00100073)  # nop; lui a1; lw a0, 4(a1)
    data = elf([(0x5000, code, 0), (0xFFB00000, words(7, 42), 4)], 0x5004)
    session = run(tmp_path, "NC", data)
    assert session.report().status is Status.FINISHED
    core = held(session.machine).riscs[HARTS.index("ncrisc")]
    assert core.registers[10] == 42
    assert core.local[:3].tolist() == [7, 42, 0]


def test_code_in_the_instruction_memory_of_nc(tmp_path: Path) -> None:
    code = words(0x00500513, 0x00100073)  # li a0, 5; ebreak
    session = run(tmp_path, "NC", elf([(0xFFC00000, code, 0)], 0xFFC00000))
    assert held(session.machine).riscs[HARTS.index("ncrisc")].registers[10] == 5
    with pytest.raises(Failure, match="in no memory that the core has"):
        run(tmp_path, "B", elf([(0xFFC00000, code, 0)], 0xFFC00000))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (elf([(0, PUSH, 0)], machine=62), "is for machine 62, not for RISC-V"),
        (elf([(0, PUSH, 0)], bits=2), "is no ELF file of 32 bits"),
        (elf([(0, PUSH, 0)], flags=1), "has compressed instructions"),
        (elf([(0, PUSH, 0)], kind=1), "is not linked"),
        (elf([(2, PUSH, 0)]), "no multiple of 4"),
        (elf([(0, PUSH, 0)])[:100], "ends before"),
        (b"\x7fELF", "is no ELF file of 32 bits"),
        (b"", "is no ELF file of 32 bits"),
    ],
)
def test_files_that_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(Failure, match=said):
        text_of("a.elf", data, "brisc", "wormhole")


def test_a_file_needs_a_core() -> None:
    with pytest.raises(Refused, match="is code of a RISC-V core"):
        text_of("a.elf", elf([(0, PUSH, 0)]), "t0", "wormhole")


def test_damaged_files_are_refused_in_a_sentence() -> None:
    whole = elf([(0, PUSH, 6)], symbols={"start": 0, "data": 20})
    choose = random.Random(3)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(choose.randrange(1, 4)):
            damaged[choose.randrange(16, len(damaged))] = choose.getrandbits(8)
        with suppress(Failure, Refused):
            text_of(
                "a.elf",
                bytes(damaged[: choose.randrange(40, len(damaged) + 1)]),
                "brisc",
                "wormhole",
            )


SOURCE = """
typedef unsigned u;
static volatile u *const out = (u *)0x4000;
static u table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
u zeroed[4];
static u fib(u n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static u mixed(u n) { u s = 0; for (u i = 0; i < 8; i++) s = s * 31 + table[i] % n; return s; }
void work(void) {
  zeroed[1] += 7;
  out[0] = fib(11);
  out[1] = mixed(5);
  out[2] = (u)(-1700 / (int)zeroed[1]);
  out[3] = ((unsigned char *)table)[20];
  *(volatile u *)0xFFE40000 = 0xA4000008;
}
"""
START = ".section .text\n.globl _start\n_start:\nli sp, {stack:#x}\ncall work\nebreak\n"


def mixed(n: int) -> int:
    found = 0
    for value in (3, 1, 4, 1, 5, 9, 2, 6):
        found = (found * 31 + value % n) & 0xFFFFFFFF
    return found


@pytest.mark.parametrize(
    ("core", "start", "stack", "level"),
    [("B", 0, 0xFFB01000, "-O2"), ("T1", 0xA000, 0xFFB00800, "-O0"), ("T0", 0x8000, 0x9000, "-Os")],
)
def test_compiled_programs_run(
    core: str, start: int, stack: int, level: str, tmp_path: Path
) -> None:
    (tmp_path / "work.c").write_text(SOURCE)
    (tmp_path / "start.S").write_text(START.format(stack=stack))
    files = [tmp_path / "start.S", tmp_path / "work.c"]
    made = linked(files, tmp_path / "made.elf", start, level)
    more = ".l1 out u32[4] @ 0x4000 output\n.cfg SEM1_max = 15"
    session = run(tmp_path, core, made.read_bytes(), more)
    assert session.report().problems == ()
    quotient = -(1700 // 7) & 0xFFFFFFFF
    assert session.read("out").tolist() == [89, mixed(5), quotient, 9]
    assert held(session.machine).semaphores[1, 0] == 1


def test_labels_are_functions_in_the_debugger_and_in_errors(tmp_path: Path) -> None:
    data = elf([(0, words(0x00A00513, 0xFFFFFFFF), 0)], symbols={"main": 0})
    report = run(tmp_path, "B", data).report()
    (problem,) = report.problems
    assert problem.span is not None
    assert "0x4 main+4" in problem.span.source.text.splitlines()[-1]
