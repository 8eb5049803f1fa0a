"""Instructions of Tensix that run in a second, in replays that nothing observes, and one by one."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

from processor_time import busy

import nasm
from nasm.base.source import Source
from nasm.program.program import Program
from nasm.runs.execution import Execution, HasExecution

PROGRAMS = Path(__file__).resolve().parents[2] / "programs" / "tensix"

HEAD = """\
.target wormhole
@t1
.cfg ADDR_MOD_DST_SEC2_DestIncr = 2
.for n in 0..512
    SFPSTORE  VD=0, AddrMod=2
.end
"""
GELU = """\
    SFPLOAD     VD=3, AddrMod=3
    SFPMUL      VA=3, VB=12, VC=9, VD=7
    SFPLUTFP32  VD=3, Mod1=2
    SFPNOP
    SFPADD      VA=10, VB=3, VC=7, VD=3
    SFPNOP
    SFPSTORE    VD=3, AddrMod=2
"""
MADS = "    SFPMAD  VA=0, VB=1, VC=2, VD=3\n    SFPMAD  VA=0, VB=1, VC=2, VD=4\n" * 4
LOADS = "    SFPLOADI  VD=0, Mod0=0, Imm16=0x4000\n    SFPLOADI  VD=1, Mod0=0, Imm16=0x4000\n" * 4
CARRIED = "    SFPMAD  VA=0, VB=1, VC=2, VD=2\n    SFPNOP\n" * 4
CODE = """\
.target wormhole
.rv B
    li    a0, 40000
loop:
    addi  a1, a1, 3
    xor   a2, a1, a0
    sll   a3, a2, a1
    add   a4, a3, a2
    sub   a5, a4, a1
    and   a6, a5, a3
    addi  a0, a0, -1
    bnez  a0, loop
"""
SENT = """\
.target wormhole
.grid 8, 10
.tile 0, 0
.l1 a u32[256] = iota
.l1 b u32[256] output = zeros
@noc0
.for n in 0..50
    NOC_WRITE  b, a
    NOC_BARRIER
.end
"""
TILE = "0, 1, 0, 2, 0, 1, 3, 0, 0, 1, 0, 2, 0, 1, 3, 1"


def replayed(body: str, times: int) -> str:
    count = body.count("\n")
    record = f"    REPLAY  Index=0, Count={count}, Exec=1, Load=1\n{body}"
    return f"{record}.for p in 0..{times}\n    REPLAY  Index=0, Count={count}\n.end\n"


def products() -> str:
    """Products of tiles of 32 by 32 in one phase, with the modifiers of the library."""
    body = f".for m in [{TILE}]\n    MVMUL  AddrMod=m\n.end\n"
    record = f"    REPLAY  Index=0, Count=16, Exec=1, Load=1\n{body}"
    replays = ".for p in 0..1000\n    REPLAY  Index=0, Count=16\n.end\n"
    head = '.target wormhole\n.include "lib/tensix/math.nasm"\nformats()\naddr_mods()\n'
    return f"{head}@t1\n    SETDVALID  3\n    ZEROACC  Mode=3\n{record}{replays}"


KERNELS = (
    ("matmul_k, 24 tiles of one phase", {"ROUNDS": 24, "PHASES": 1}, 24, "tiles/s, at least 400"),
    ("matmul_k as it is, 8 tiles of four phases", {}, 8, "tiles/s, at least 160"),
)
SAMPLES = (
    ("gelu", ", at least 25,000"),
    ("exp", ", at least 80,000"),
    ("softmax", ", at least 100,000"),
)


def kernels(tries: int) -> list[tuple[str, float, str]]:
    """Whole programs from L1 to L1, with what comes before and after: binding, and judging."""
    found = []
    for name, defines, tiles, unit in KERNELS:
        program = nasm.assemble(PROGRAMS / "matmul_k.nasm", defines=defines)
        rate = _rate(program, tries, Execution) / _instructions(program) * tiles
        found.append((f"Tensix, {name}", rate, unit))
    for name, least in SAMPLES:
        program = nasm.assemble(PROGRAMS / f"{name}.nasm")
        rate = _rate(program, tries, Execution)
        found.append((f"Tensix, {name} as it is", rate, f"instructions/s{least}"))
    return found


def _instructions(program: Program) -> int:
    """How many instructions a run of it completes; it warms the caches that programs share."""
    held = Execution(program)
    held.run(hashes=False)
    return held.machine.scheduler.retired


def _rate(program: Program, tries: int, of: Callable[..., HasExecution]) -> float:
    """Instructions per second of the processor's time: the median."""
    rates = []
    for _ in range(tries):
        held = of(program)
        gc.collect()
        seconds = busy(partial(held.run, hashes=False))
        rates.append(held.execution.machine.scheduler.retired / seconds)
    return statistics.median(rates)


def _forgetful(program: Program) -> nasm.Session:
    return nasm.Session(program, keep=0)


def idle(tries: int) -> list[tuple[str, float, str]]:
    """A chip of which one tile does something, as times of that tile alone."""
    every = "\n".join(f".tile {x}, {y}" for x in range(8) for y in range(10))
    chip = nasm.assemble(Source("chip", SENT.replace(".tile", f"{every}\n.tile", 1)))
    alone = nasm.assemble(Source("alone", SENT))
    pairs = [(_parts(chip), _parts(alone)) for _ in range(10 * tries)]
    best = [[min(times) for times in zip(*of, strict=True)] for of in zip(*pairs, strict=True)]
    names = ("Tensix, 79 idle tiles and one / it alone: making", "  the run", "  a checkpoint")
    ratios = (more / one for more, one in zip(*best, strict=True))
    return [(name, r, "ratio, at most 1.1") for name, r in zip(names, ratios, strict=True)]


def _parts(program: Program) -> tuple[float, float, float]:
    """Seconds of the processor's time to make a run, to run it, and of a checkpoint at its end."""
    gc.collect()
    made: list[Execution] = []
    making = busy(lambda: made.append(Execution(program)))
    return making, busy(lambda: made[0].run(hashes=False)), busy(made[0].checkpoint)


def rows(tries: int) -> list[tuple[str, float, str]]:
    """What is measured: a name, a figure, and what it counts."""
    vector = (
        ("GELU in replays", HEAD + replayed(GELU, 5_000), "at least 300,000"),
        ("SFPMAD in replays", HEAD + replayed(MADS, 4_000), "at least 300,000"),
        ("SFPLOADI in replays", HEAD + replayed(LOADS, 4_000), "at least 300,000"),
        ("sums carried from one SFPMAD to the next", HEAD + replayed(CARRIED, 4_000), ""),
    )
    found = []
    for name, text, least in vector:
        program = nasm.assemble(Source("rate", text))
        unit = f"instructions/s{least and f', {least}'}"
        found.append((f"Tensix, {name}", _rate(program, tries, Execution), unit))
        found.append(("  a session that keeps nothing", _rate(program, tries, _forgetful), unit))
        found.append(("  the same in the debugger", _rate(program, 1, nasm.Session), unit[:14]))
    code = nasm.assemble(Source("rate", CODE))
    rate = _rate(code, tries, Execution)
    found.append(("Tensix, plain RISC-V code", rate, "instructions/s, at least 300,000"))
    found.append(("  the same in the debugger", _rate(code, 1, nasm.Session), unit[:14]))
    tiles = _rate(nasm.assemble(Source("rate", products())), tries, Execution) / 16
    found.append(("Tensix, products of tiles in one phase", tiles, "tiles/s, at least 800"))
    return [*found, *kernels(3 * tries), *idle(tries)]
