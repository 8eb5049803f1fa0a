"""Runs of words that are executed at once: values, times and the trace are those one by one."""

from __future__ import annotations

import re
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


def test_what_is_recorded_while_it_is_executed_is_recorded_in_a_burst() -> None:
    body = "".join(f"SFPLOADI VD={n % 4}, Mod0=0, Imm16=0x{4000 + n}\n" for n in range(24))
    record = f"@t1\nREPLAY Index=4, Count=20, Exec=1, Load=1\n{body}"
    together, alone = both(
        Source("a.nasm", f".target wormhole\n{record}REPLAY Index=4, Count=20\n")
    )
    assert alone.machine.scheduler.position > 80
    assert together.machine.scheduler.position < 20, together.machine.scheduler.position


def test_what_is_recorded_is_played_in_the_same_burst() -> None:
    body = "".join(f"SFPLOADI VD={n % 4}, Mod0=0, Imm16=0x{4000 + n}\n" for n in range(24))
    for index, count in ((0, 24), (20, 24), (30, 20), (0, 30)):  # the last ones play no replay
        record = f"@t1\nREPLAY Index={index}, Count={count}, Exec=1, Load=1\n{body}"
        played = "".join(f"REPLAY Index={(index + n) % 32}, Count=9\n" for n in (0, 3, 9))
        together, alone = both(Source("a.nasm", f".target wormhole\n{record}{played}"))
        assert alone.machine.scheduler.position > 40
        assert together.machine.scheduler.position < 4


def test_threads_that_play_the_same_move_counters_of_their_own() -> None:
    played = "REPLAY Index=0, Count=1, Load=1\nINCRWC DstInc=4\nREPLAY Index=0, Count=1\n"
    text = f".target wormhole\n@t0\n{played}@t1\n{played}{played}@t2\n{played}"
    for held in both(Source("a.nasm", text)):
        (core,) = held.machine.holds
        assert isinstance(core, Tensix)
        assert [thread.rows.dst for thread in core.threads] == [4, 8, 4]


LOADS = "@t1\n" + "SFPLOADI VD=0, Mod0=0, Imm16=0x4000\n" * 60


def test_a_thread_that_waits_for_the_same_unit_goes_on_as_without() -> None:
    other = "@t2\nSEMWAIT BlockMask=0x100, SemaphoreMask=2, ConditionMask=1\nSFPNOP\n"
    both(Source("a.nasm", f".target wormhole\n{other}{LOADS}SEMPOST SemaphoreMask=0x2\n"))


def test_a_unit_of_another_thread_comes_to_rest_when_it_does() -> None:
    wait = "MVMUL\nSTALLWAIT BlockMask=0x2, ConditionMask=0x80\nSEMPOST SemaphoreMask=0x2\n"
    for before in range(24):
        other = "@t0\nSETDVALID 3\n" + "NOP\n" * before + wait
        both(Source("a.nasm", f".target wormhole\n{other}{LOADS}"))


UNPACKER = """\
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.l1 A bf16[32, 32] tiled @ 0x4000 input = normal(seed=1)
formats()
unpacker(0, 0x4000)
unpacker(1, 0x4000)
"""
PRODUCTS = "@t1\nZEROACC Mode=3\n" + "MVMUL\nMVMUL DstRow=8\n" * 50


TO_DST = """\
.cfg THCON_SEC0_REG2_Unpack_if_sel_cntx1 = 1
.cfg THCON_SEC0_REG3_Base_cntx1_address = 0x3ff
.cfg THCON_SEC0_REG2_Disable_zero_compress_cntx1 = 1
.cfg THCON_SEC0_REG5_Tile_x_dim_cntx1 = 1024
.cfg THCON_SEC0_REG5_Dest_cntx1_address = 64
"""
BOTH_BANKS = "\n".join(f"UNPACR WhichUnpacker={n}, MultiContextMode=1, FlipSrc=1" for n in (0, 1))


def while_it_unpacks(
    own: str, others: str = "", before: str = "NOP", more: str = "", unpackers: int = 2
) -> None:
    """A thread computes, and a third comes in, while unpackers are at work.

    Two of them are slow: they complete long after their time alone.
    """
    for wait in range(0, 60, 4):
        lines = ["@t0", "SETADCXX U0=1, U1=1, X1Val=1023", before, *["NOP"] * wait]
        unpack = "UNPACR WhichUnpacker={}, MultiContextMode=1"
        lines += [f"{unpack.format(n)}{'' if n else more}" for n in range(unpackers)]
        text = "\n".join([".target wormhole", UNPACKER, *lines, own, others])
        both(Source("a.nasm", f"{text}\n"))


def test_an_unpack_that_hands_a_bank_to_another_thread_ends_what_that_waits_for() -> None:
    flips = ", FlipSrc=1"
    while_it_unpacks(LOADS, "@t2\nSETDVALID 2\nMVMUL", more=flips, unpackers=1)
    while_it_unpacks(LOADS * 2, "@t2\nSETDVALID 2\nMVMUL", more=flips)


def test_an_unpack_to_dst_changes_what_products_are_added_to() -> None:
    while_it_unpacks(TO_DST + PRODUCTS, before=BOTH_BANKS, more=", ContextNumber=1")


def test_an_unpack_to_a_bank_that_was_given_away_changes_products() -> None:
    while_it_unpacks(PRODUCTS, "@t2\n" + "NOP\n" * 40 + "SETDVALID 3")


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
MOVES = (
    "MOVA2D SrcRow={6}, AddrMod={4}, DstRow={5}{0}, Move8Rows=1",
    "MOVA2D SrcRow={6}, AddrMod={4}, DstRow={5}",
)
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


def elsewhere(line: str, by: int) -> str:
    """The same with another place in Dst, if it has one."""
    return re.sub(r"(?<=Imm10=)\d+", lambda found: str(int(found[0]) + by), line)


def program(rng: Random) -> str:
    """A thread that computes in replays and loops, and two that come in between now and then."""
    lines = [".target wormhole", "@t1"]
    lines += [f".cfg ADDR_MOD_DST_SEC{n}_DestIncr = {rng.choice([0, 2, 4, 8])}" for n in range(4)]
    lines += ["SETDVALID 3", ".for n in 0..64", "SFPSTORE VD=0, Mod0=2, Imm10=4 * n", ".end"]
    for _ in range(rng.randrange(1, 5)):
        (of,) = rng.choices((VECTOR, MATRIX, MOVES), (5, 3, 2))
        body = [part for _ in range(rng.randrange(1, 9)) for part in line(rng, of).split("\n")]
        if rng.random() < 0.6:
            rounds = [f"REPLAY Index=0, Count={len(body)}"] * rng.randrange(1, 20)
            head = f"REPLAY Index=0, Count={len(body)}, Exec={rng.randrange(2)}, Load=1"
            lines += [head, *body, *rounds]
        elif rng.random() < 0.5:
            lines += body * rng.randrange(1, 6)
        else:
            by = rng.choice([2, 4, 8])
            lines += [elsewhere(one, by * n) for n in range(rng.randrange(4, 9)) for one in body]
        lines += [line(rng, OTHERS)] if rng.random() < 0.5 else []
    for thread in rng.sample(["@t0", "@t2"], rng.randrange(3)):
        lines += [thread, *["NOP"] * rng.choice([0, 3, 60])]
        lines += [line(rng, OTHERS) for _ in range(rng.randrange(1, 5))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", part(range(0, 60, 10), 1))
def test_random_programs_come_to_the_same(seed: int) -> None:
    for number in range(seed, seed + 10):
        both(Source(f"{number}.nasm", program(Random(number))))


RENAMED = (
    "SFPMAD VA={0}, VB={1}, VC={2}, VD={3}\nSFPNOP",
    "SFPMUL VA={0}, VB={1}, VC=9, VD={3}\nSFPNOP",
    "SFPADD VA=10, VB={0}, VC={1}, VD={3}\nSFPNOP",
    "SFPIADD Imm12=3, VC={0}, VD={3}, Mod1=5",
    "SFPSHFT Imm12=3, VC=1, VD={3}, Mod1=1",
    "SFPSWAP VC={0}, VD={3}, Mod1=1\nSFPNOP",
    "SFPLOADI VD={3}, Mod0=0, Imm16=0x4120",
    "SFPMOV VC={0}, VD={3}",
    "SFPMUL VA={0}, VB={1}, VC=9, VD=11\nSFPNOP",
    "SFPSETCC VC={0}, Mod1=2",
    "SFPENCC Imm2=3, Mod1=10",
)


def renamed(rng: Random) -> str:
    """Rounds in which the same is done with one register after another, to several rows of Dst."""
    of = RENAMED if rng.random() < 0.2 else RENAMED[:-2]
    body, fresh = [f"SFPMOV VC={{}}, VD={n}" for n in (4, 5)], 0.05 if rng.random() < 0.7 else 0.5
    for _ in range(rng.randrange(2, 8)):
        sources, into = ("{0}", 4, 5), ("{0}", 4, 5, 6, 7)
        picked = [rng.choice(into if rng.random() < fresh else sources) for _ in range(3)]
        body += rng.choice(of).format(*picked, rng.choice(into)).split("\n")
    lines = []
    for n in range(rng.randrange(2, 5)):
        own = rng.randrange(4) if rng.random() < 0.1 else n
        lines += [text.replace("{0}", str(own)).replace("{}", str(own)) for text in body]
    set_up = [f"SFPLOADI VD={n}, Mod0=0, Imm16=0x3F{n}0" for n in range(4, 8)]
    loads = [f"SFPLOAD VD={n}, Mod0=2, AddrMod=3, Imm10={2 * n}" for n in range(4)]
    written = enumerate((*range(7), 11))
    stores = [f"SFPSTORE VD={VD}, Mod0=2, AddrMod=3, Imm10={2 * n}" for n, VD in written]
    whole = [*set_up, *loads, *lines, *stores]
    rounds = [elsewhere(one, 16 * n) for n in range(6) for one in whole]
    fill = ""
    for n in range(0, 128, 2):
        fill += f"SFPLOADI VD=0, Mod0=0, Imm16={0x3F00 + rng.randrange(0x100)}\n"
        fill += f"SFPSTORE VD=0, Mod0=2, AddrMod=3, Imm10={n}\n"
    return "\n".join([f".target wormhole\n@t1\n{fill}SETRWC", *rounds]) + "\n"


@pytest.mark.parametrize("seed", part(range(0, 60, 6), 1))
def test_registers_that_take_turns_come_to_the_same(seed: int) -> None:
    for number in range(seed, seed + 6):
        both(Source(f"{number}.nasm", renamed(Random(number))))


UNPACR = "UNPACR WhichUnpacker={}, Ch0YInc={}, MultiContextMode=1, FlipSrc={}, Last=1"


def aside(rng: Random) -> str:
    """Something for the thread of unpackers, which keeps no bank."""
    shortened = f"SETADCXX U0=1, U1=1, X1Val={rng.choice([255, 511, 1023])}, X0Val=0"
    waits = f"STALLWAIT BlockMask={rng.choice([8, 64])}, ConditionMask={rng.choice([2, 4, 6, 256])}"
    more = UNPACR.format(rng.randrange(2), 0, 0)
    given = f"SETDVALID {rng.randrange(4)}"
    return rng.choice([shortened, waits, more, given, "NOP", "SEMGET SemaphoreMask=4"])


def unpacks(rng: Random, tiles: int) -> list[str]:
    """What fills both banks so often, with something in between now and then."""
    lines = [".cfg THCON_SEC0_REG2_Unpack_if_sel_cntx0 = 1"] if rng.random() < 0.15 else []
    lines += ["@t0", "SETADCXX U0=1, U1=1, X1Val=1023, X0Val=0"]
    lines += ["NOP"] * rng.choice([0, 0, 5, 40])
    for _ in range(tiles):
        for unpacker in rng.choice([(0, 1), (1, 0)]):
            lines += [aside(rng)] if rng.random() < 0.2 else []
            lines.append(UNPACR.format(unpacker, 1, 1))
    return lines


def computes(rng: Random, tiles: int) -> list[str]:
    """What multiplies that many pairs of banks and gives them back, by runs of several kinds."""
    lines = ["@t1", "SEMINIT NewMax=1, NewValue=0, SemaphoreMask=2", "ZEROACC Mode=3"]
    lines += ["SFPLOADI VD=0, Mod0=0, Imm16=0x4000", "SFPLOADI VD=1, Mod0=0, Imm16=0x3f20"]
    of = MATRIX if rng.random() < 0.3 else MATRIX[:1]
    body = [line(rng, of) for _ in range(rng.choice([4, 12, 16]))]
    recorded = rng.random() < 0.7
    if recorded:
        lines += [f"REPLAY Index=0, Count={len(body)}, Exec=0, Load=1", *body]
    for _ in range(tiles):
        times = rng.randrange(1, 5)
        lines += [f"REPLAY Index=0, Count={len(body)}"] * times if recorded else body * times
        if rng.random() < 0.3:
            lines += ["STALLWAIT BlockMask=0x100, ConditionMask=0x80"] * rng.randrange(2)
            lines += [rng.choice(("SFPMAD VA=0, VB=1, VC=2, VD=3", "SFPNOP"))] * rng.choice([3, 30])
        lines += ["SEMPOST SemaphoreMask=4"] if rng.random() < 0.2 else []
        if rng.random() < 0.2:
            lines += ["MVMUL FlipSrcB=1, FlipSrcA=1"]
        else:
            lines += ["SETRWC FlipSrcB=1, FlipSrcA=1, Fidelity=1, Dst=1, SrcB=1, SrcA=1"]
    return [*lines, "STALLWAIT BlockMask=0x2, ConditionMask=0x80", "SEMPOST SemaphoreMask=2"]


def kernel(rng: Random) -> str:
    """A kernel from L1 to L1, with three threads that wait for each other."""
    tiles, wide = rng.randrange(1, 5), rng.randrange(2)
    head = [".target wormhole"]
    head += [f'.include "lib/tensix/{name}.nasm"' for name in ("unpack", "math", "pack")]
    for name, at, seed in (("A", 0x4000, 1), ("B", 0x10000, 2)):
        shape = f"bf16[32, {32 * tiles}] tiled @ {at:#x}"
        head.append(f".l1 {name} {shape} input = normal(seed={seed})")
    head += [f".l1 C {'f32' if wide else 'bf16'}[32, 32] tiled @ 0x20000 output"]
    head += [f"formats(wide={wide})", "addr_mods()", "unpacker(0, 0x10000)", "unpacker(1, 0x4000)"]
    pack = [f"pack_tile(0x20000, {'f32' if wide else 'bf16'})"]
    return "\n".join([*head, *unpacks(rng, tiles), *computes(rng, tiles), *pack]) + "\n"


@pytest.mark.parametrize("seed", part(range(0, 80, 10), 1))
def test_random_kernels_come_to_the_same(seed: int) -> None:
    saved = 0
    for number in range(seed, seed + 10):
        together, alone = both(Source(f"{number}.nasm", kernel(Random(number))))
        saved += alone.machine.scheduler.position - together.machine.scheduler.position
    assert saved > 300
