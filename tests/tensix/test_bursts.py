"""Runs of words that are executed at once: values, times and the trace are those one by one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.runs.execution import Execution
from nasm.targets import TARGETS
from nasm.targets.tensix.core.tensix import Tensix
from tests.parts import part

PROGRAMS = sorted((Path(__file__).parents[2] / "programs" / "tensix").glob("*.nasm"))


def marks(held: Execution) -> tuple[object, ...]:
    """All that a burst may not change."""
    report, machine = held.run(), held.machine
    scheduler, (core,) = machine.scheduler, machine.holds
    assert isinstance(core, Tensix)
    queues = [
        (q.pc, q.count, q.finished, q.record, q.times(scheduler.now)) for q in scheduler.queues
    ]
    values = core.vector.registers.tobytes(), core.vector.flag.tobytes(), core.vector.stack
    dst = core.matrix.dst.tobytes(), core.matrix.defined.tobytes(), core.until
    rows = [thread.rows.save() for thread in core.threads]
    counts = [dict(machine.summary.expanded(n)) for n in range(len(queues))]
    said = [str(problem) for problem in (*report.problems, *report.warnings)]
    hashes = report.trace_hash, report.memory_hash, report.ticks, scheduler.records
    return hashes, said, queues, values, dst, rows, counts


def both(source: Source) -> tuple[Execution, Execution]:
    """The same run with bursts and without any."""
    program = assemble(source, TARGETS)
    together, alone = Execution(program), Session(program)
    assert marks(together) == marks(alone), source.text
    return together, alone


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda path: path.stem)
def test_programs_come_to_the_same(path: Path) -> None:
    both(Source(path.name, path.read_text(encoding="utf-8")))


def test_replays_are_few_events() -> None:
    body = "SFPMAD VA=0, VB=1, VC=2, VD=3\nSFPNOP\n"
    replays = "REPLAY Index=0, Count=2\n" * 100
    text = f"@t1\nREPLAY Index=0, Count=2, Exec=1, Load=1\n{body}{replays}"
    together, alone = both(Source("a.nasm", f".target wormhole\n{text}"))
    assert alone.machine.scheduler.position > 400
    assert together.machine.scheduler.position < 40


LOADS = "@t1\n" + "SFPLOADI VD=0, Mod0=0, Imm16=0x4000\n" * 60


def test_a_thread_that_waits_for_the_same_unit_goes_on_as_without() -> None:
    other = "@t2\nSEMWAIT BlockMask=0x100, SemaphoreMask=2, ConditionMask=1\nSFPNOP\n"
    both(Source("a.nasm", f".target wormhole\n{other}{LOADS}SEMPOST SemaphoreMask=0x2\n"))


def test_a_unit_of_another_thread_comes_to_rest_when_it_does() -> None:
    wait = "MVMUL\nSTALLWAIT BlockMask=0x2, ConditionMask=0x80\nSEMPOST SemaphoreMask=0x2\n"
    for before in range(24):
        other = "@t0\nSETDVALID 3\n" + "NOP\n" * before + wait
        both(Source("a.nasm", f".target wormhole\n{other}{LOADS}"))


VECTOR = (
    "SFPLOADI VD={0}, Mod0=0, Imm16=0x4{1}20",
    "SFPMAD VA={0}, VB={1}, VC={2}, VD={3}",
    "SFPMAD VA={0}, VB={1}, VC={2}, VD={3}\nSFPNOP",
    "SFPMUL VA={0}, VB={1}, VC=9, VD={3}\nSFPNOP",
    "SFPADD VA=10, VB={0}, VC={1}, VD={2}\nSFPNOP",
    "SFPIADD Imm12=3, VC={0}, VD={1}, Mod1=5",
    "SFPSWAP VC={0}, VD={1}, Mod1=1",
    "SFPNOP",
    "SFPMOV VC={0}, VD={1}",
    "SFPSETCC VC={0}, Mod1=2",
    "SFPENCC Imm2=3, Mod1=10",
    "SFPLOAD VD={0}, Mod0=2, AddrMod={4}, Imm10={5}",
    "SFPSTORE VD={0}, Mod0=2, AddrMod={4}, Imm10={5}",
    "SFPLUTFP32 VD={0}, Mod1=2\nSFPNOP",
    "SFPPUSHC\nSFPNOP\nSFPPOPC",
)
MATRIX = ("MVMUL AddrMod={4}, DstRow={6}", "ELWADD AddrMod={4}, DstRow={6}", "NOP")
OTHERS = (
    "NOP",
    "SEMPOST SemaphoreMask={6}",
    "SEMGET SemaphoreMask={6}",
    "STALLWAIT BlockMask=0x{7}, ConditionMask=0x80",
    "SEMWAIT BlockMask=0x{7}, SemaphoreMask=2, ConditionMask=1",
    "SETDMAREG Payload_SigSel=5, SetSignalsMode=0, RegIndex16b={5}",
    "ADDDMAREG OpBisConst=1, ResultRegIndex={5}, OpBRegIndex={0}, OpARegIndex={1}",
    "ATGETM Index=0\nATRELM Index=0",
    "SFPNOP",
)


def line(rng: Random, of: tuple[str, ...]) -> str:
    numbers = [rng.randrange(4) for _ in range(4)]
    row = rng.choice([0, 8, 16, 24])
    more = rng.randrange(4), 2 * rng.randrange(8), row, rng.choice(["2", "40", "100", "1"])
    return rng.choice(of).format(*numbers, *more)


def program(rng: Random) -> str:
    """A thread that computes in replays and loops, and two that come in between now and then."""
    lines = [".target wormhole", "@t1"]
    lines += [f".cfg ADDR_MOD_DST_SEC{n}_DestIncr = {rng.choice([0, 2, 4, 8])}" for n in range(4)]
    lines += ["SETDVALID 3", ".for n in 0..64", "SFPSTORE VD=15, Mod0=2, Imm10=4 * n", ".end"]
    for _ in range(rng.randrange(1, 5)):
        of = MATRIX if rng.random() < 0.4 else VECTOR
        body = [part for _ in range(rng.randrange(1, 9)) for part in line(rng, of).split("\n")]
        if rng.random() < 0.6:
            rounds = [f"REPLAY Index=0, Count={len(body)}"] * rng.randrange(1, 20)
            head = f"REPLAY Index=0, Count={len(body)}, Exec={rng.randrange(2)}, Load=1"
            lines += [head, *body, *rounds]
        else:
            lines += body * rng.randrange(1, 6)
        lines += [line(rng, OTHERS)] if rng.random() < 0.5 else []
    for thread in rng.sample(["@t0", "@t2"], rng.randrange(3)):
        lines += [thread, *["NOP"] * rng.choice([0, 3, 60])]
        lines += [line(rng, OTHERS) for _ in range(rng.randrange(1, 5))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", part(range(0, 60, 10), 1))
def test_random_programs_come_to_the_same(seed: int) -> None:
    for number in range(seed, seed + 10):
        both(Source(f"{number}.nasm", program(Random(number))))
