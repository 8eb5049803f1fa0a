"""Programs that a compiler made which start requests by the registers of a network interface."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.machine.records import Status
from tests.tensix.riscv.compiled import linked

HEADER = """
typedef unsigned u;
typedef volatile u *reg;
#define NIU(n) ((reg)(0xFFB20000u + ((n) << 16)))
#define MID(x, y) ((x) << 4 | (y) << 10)
enum { TARG, TARG_MID, RET = 3, RET_MID, TAG = 6, CTRL, LEN, DATA, START };
enum { RD, AT, WR, INLINE = 8, MARKED = 16 };
static inline u counter(u noc, u n) { return NIU(noc)[128 + n]; }
static void request(u noc, u buffer, u targ, u tm, u ret, u rm, u ctrl, u len, u data) {
  reg r = NIU(noc) + 256 * buffer;
  while (r[START]) {}
  r[TARG] = targ; r[TARG_MID] = tm; r[RET] = ret; r[RET_MID] = rm;
  r[CTRL] = ctrl; r[LEN] = len; r[DATA] = data;
  r[START] = 1;
}
"""
WRITES = (
    HEADER
    + """
void work(void) {
  u *mine = (u *)0x4000;
  for (u i = 0; i < 64; i++) mine[i] = i * i;
  while (((reg)mine)[63] != 63 * 63) {}
  u before = counter(0, 1);
  request(0, 0, 0x4000, MID(1, 1), 0x8000, MID(4, 1), WR | MARKED, 256, 0);
  while (counter(0, 1) != before + 1) {}
  mine[0] = 77;
  request(0, 1, 0x8000, MID(4, 1), 0x5000, MID(1, 1), RD, 32, 0);
  request(1, 2, 0x8100, MID(5, 10), 0x5040, MID(8, 10), AT | MARKED, 1 << 12 | 31 << 2, 9);
  while (counter(0, 16) | counter(1, 16)) {}
  u *back = (u *)0x5000;
  mine[1] = back[5] + back[16];
}
"""
)
START = ".section .text\n.globl _start\n_start:\nli sp, {stack:#x}\ncall work\nebreak\n"


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_compiled_program_writes_to_another_tile_and_polls(level: str, tmp_path: Path) -> None:
    (tmp_path / "work.c").write_text(WRITES)
    (tmp_path / "start.S").write_text(START.format(stack=0xFFB01000))
    linked([tmp_path / "start.S", tmp_path / "work.c"], tmp_path / "a.elf", 0, level)
    (tmp_path / "a.nasm").write_text(
        ".target wormhole\n.tile 4, 1\n.l1 there u32[64] @ 0x8000 output\n"
        ".l1 word u32[4] @ 0x8100 output = [33, 0, 0, 0]\n.tile 1, 1\n"
        ".l1 mine u32[64] @ 0x4000 output\n.l1 back u32[32] @ 0x5000\n"
        '.rv B\n.include "a.elf"\n'
    )
    session = nasm.Session(tmp_path / "a.nasm")
    report = session.run(max_cycles=1_000_000)
    assert [p.message for p in (*report.problems, *report.hazards)] == []
    assert report.status is Status.FINISHED
    assert session.read("there").tolist() == [n * n for n in range(64)]
    assert session.read("mine").tolist()[:3] == [77, 25 + 33, 4]
    assert session.read("word").tolist()[0] == 33 + 9
