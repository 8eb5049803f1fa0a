"""What can be seen of a coprocessor: its parts, against numbers worked bit by bit."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.moving.stops import ElementChange
from nasm.debugger.session import Session
from nasm.isa.core_state import Seen
from nasm.show.columns import in_ascii
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.scalar.config import set_field

PROGRAM = """\
.target wormhole
@t0 SETDMAREG 0, 123, 0, 4
@t0 ATGETM 3
@t0 SEMINIT 4, 1, 4
@t1 SFPLOADI 0, 0, 0x3FC0
@t1 SFPLOADI 1, 0, 0x4000
@t1 SFPMAD 0, 1, 9, 2, 0
@t1 SFPNOP
@t1 SFPSTORE 2, 2, 0, 0
@t1 REPLAY 4, 2, 0, 1
@t1 SFPLOADI 3, 0, 0x4040
@t1 SFPLOADI 4, 0, 0x4080
@t1 REPLAY 4, 2, 0, 0
@t1 SETC16 0, 1
@t2 STALLWAIT 0x100, 0x80
@t2 ATGETM 3
"""
"""t2 waits for a mutex for ever. LReg 2 is 1.5 times 2 and goes to the even columns of Dst."""


@pytest.fixture
def session() -> Session:
    return Session.load(Source("look.nasm", PROGRAM))


@pytest.fixture
def done(session: Session) -> Session:
    session.run()
    return session


def core(of: Session) -> Tensix:
    held = of.machine.holds[0]
    assert isinstance(held, Tensix)
    return held


def seen(of: Session, name: str) -> Seen:
    (part,) = (part for part in TARGET.parts(TARGET.generations[0]) if part.name == name)
    return part.read(core(of))


def array(of: Session, text: str) -> list[Any]:
    found: list[Any] = of.evaluate(text).array.tolist()
    return found


# -- one element at a time


def bf16_of_dst(bits: int) -> float:
    """{sign, mantissa 7, exponent 8}."""
    sign, mantissa, exponent = bits >> 15, bits >> 8 & 0x7F, bits & 0xFF
    if exponent == 255:
        return math.nan if mantissa else math.copysign(math.inf, -sign or 1)
    size = math.ldexp(1 + mantissa / 128, exponent - 127)
    size = math.ldexp(mantissa / 128, -126) if exponent == 0 else size
    return -size if sign else size


def fp16_of_dst(bits: int) -> float:
    """{sign, mantissa 10, exponent 5}; there are no infinities, and denormals count as 0."""
    sign, mantissa, exponent = bits >> 15, bits >> 5 & 0x3FF, bits & 0x1F
    size = math.ldexp(1 + mantissa / 1024, exponent - 15) if exponent else 0.0
    return -size if sign else size


def row_of(row: int) -> int:
    """Where the high halves of a row of 32 bits are: eight rows of them, then eight of low ones."""
    return row // 8 * 16 + row % 8


def same(found: Any, wanted: list[float]) -> bool:
    """Whether numbers are equal, NaNs too."""
    return bool(np.array_equal(np.asarray(found), np.asarray(wanted, np.float32), equal_nan=True))


def scattered(of: Session) -> list[list[int]]:
    """Random bits in all of Dst, every row of which is defined."""
    draw = random.Random(14)
    rows = [[draw.getrandbits(16) for _ in range(16)] for _ in range(1024)]
    core(of).matrix.dst[:] = rows
    core(of).matrix.defined[:] = True
    return rows


@pytest.mark.parametrize(("forced", "of_bits"), [(0, bf16_of_dst), (1, fp16_of_dst)])
def test_dst_is_shown_in_the_format_of_the_configuration(
    session: Session, forced: int, of_bits: Callable[[int], float]
) -> None:
    rows = scattered(session)
    set_field(core(session), 1, "FP16A_FORCE_Enable", forced)
    found = seen(session, "dst")
    assert found.array is not None
    assert same(found.array, [[of_bits(bits) for bits in row] for row in rows])  # type: ignore[misc]
    assert found.summary.startswith("float16" if forced else "bfloat16")


def test_dst_of_32_bits_puts_halves_of_two_rows_together(session: Session) -> None:
    rows = scattered(session)
    assert seen(session, "dst32").array is not None
    for row, held in enumerate(array(session, "dst32")):
        high = row_of(row)
        assert held == [h << 16 | low for h, low in zip(rows[high], rows[high + 8], strict=True)]


def test_dst_of_integers_has_a_sign_and_a_magnitude(session: Session) -> None:
    set_field(core(session), 1, "ALU_ACC_CTRL_INT8_math_enabled", 1)
    matrix = core(session).matrix
    matrix.dst[0, 0], matrix.dst[8, 0] = 0x8000, 5  # the sign, and 5
    matrix.dst[0, 1], matrix.dst[8, 1] = 0x0001, 0  # the lowest bit of the exponent: 2^23
    matrix.defined[[0, 8]] = True
    assert array(session, "dst[0, :2]") == [-5, 1 << 23]
    value = session.evaluate("dst[:2]")
    known = value.known((slice(None), slice(None)))
    assert (known[0].all(), known[1].any()) == (True, False)


def test_sources_are_shown_by_bank_with_their_owners(session: Session) -> None:
    held = core(session)
    # {sign, mantissa 10, exponent 8}: -1.5 and 2
    held.matrix.srca[1, 3, :2] = (1 << 18 | 0x200 << 8 | 127, 128)
    held.matrix.owner_a[1], held.matrix.matrix_a = 1, 1
    assert array(session, "srca[1, 3, :2]") == [-1.5, 2.0]
    assert seen(session, "srca").summary == (
        "bfloat16: bank 0 of the unpackers (unpacking), bank 1 of the matrix unit (computing)"
    )
    assert seen(session, "srcb").rests
    # of five bits: {sign, mantissa 10, 000, exponent 5}
    set_field(held, 1, "FP16A_FORCE_Enable", 1)
    held.matrix.srca[1, 3, :2] = (1 << 18 | 0x200 << 8 | 15, 16)
    assert array(session, "srca[1, 3, :2]") == [-1.5, 2.0]


# -- after a program


def test_nothing_is_reported_of_a_coprocessor_at_reset(session: Session) -> None:
    assert [one.name for one in session.engines.held() if not one.resting] == []


def test_registers_of_the_vector_unit_are_4_by_8_lanes(done: Session) -> None:
    assert array(done, "lreg2") == [[3.0] * 8] * 4
    assert array(done, "lreg15[1]") == list(range(16, 32, 2))
    assert array(done, "lreg4.view(i32)[0, :1]") == [0x40800000]
    assert seen(done, "lreg").summary == "not 0: LReg[0], LReg[1], LReg[2], LReg[3], LReg[4]"
    assert array(done, "dst[0, :4]") == [3.0, 0.0, 3.0, 0.0]
    with pytest.raises(Failure, match="nothing is called 'lreg16'"):
        done.evaluate("lreg16")


def test_flags_and_their_stack_are_shown(session: Session) -> None:
    vector = core(session).vector
    assert seen(session, "active").rests
    vector.flag[[0, 9]] = True
    vector.uses_flag[:16] = True
    vector.stack = ((vector.flag.tobytes(), vector.uses_flag.tobytes()),)
    assert seen(session, "active").summary == "18 of 32 lanes"
    assert seen(session, "flag").summary == "2 of 16 set"
    value = session.evaluate("flag")
    assert value.known((slice(None), slice(None))).sum() == 16
    assert seen(session, "flag_stack").rows == (("0", "0x00000201", "0x0000ffff"),)


def test_what_threads_share_is_a_table(done: Session) -> None:
    assert seen(done, "mutexes").rows == (("3", "t0", "t2"),)
    assert seen(done, "semaphores").rows == (("2", "1", "4"),)
    assert array(done, "semaphore2") == [1, 4]
    assert array(done, "mutex3") == 0
    assert seen(done, "gpr").array[0, 2] == 123  # type: ignore[index]


def test_fields_of_the_configuration_have_their_names(done: Session) -> None:
    assert array(done, "CFG_STATE_ID_StateID") == [0, 1, 0]
    (one,) = (one for one in done.engines.held("t1") if one.name == "thread_config")
    assert one.rows == (("t1", "CFG_STATE_ID_StateID", "0", "1"),)
    set_field(core(done), 1, "ALU_FORMAT_SPEC_REG0_SrcA", 5)
    set_field(core(done), 1, "PRNG_SEED_Seed_Val", 7)
    assert array(done, "ALU_FORMAT_SPEC_REG0_SrcA") == [0, 5]  # t1 uses bank 1
    config = seen(done, "config")
    assert config.rows == (
        ("ALU_FORMAT_SPEC_REG0_SrcA", "1", "0", "5", ""),
        ("PRNG_SEED_Seed_Val", "164", "", "", "7"),
    )
    assert config.summary == "2 not 0; t0 uses bank 0, t1 uses bank 1, t2 uses bank 0"


def test_what_was_recorded_is_disassembled(done: Session) -> None:
    (replay,) = (one for one in done.engines.held("t1") if one.name == "replay")
    assert replay.rows == (
        ("t1", "4", "71304040", "SFPLOADI lreg_ind=LREG3, imm16=0x4040"),
        ("t1", "5", "71404080", "SFPLOADI lreg_ind=LREG4, imm16=0x4080"),
    )
    own = core(done).threads[0]
    own.recording.left, own.recording.index, own.recording.executes = 3, 8, True
    assert seen(done, "replay").summary == "t0 records 3 more from 8 and executes them"
    own.mop[0], own.mop[1], own.mop[3] = 4, 2, 0x71304040
    assert seen(done, "mop").rows == (
        ("t0", "OuterCount", "00000004", "4"),
        ("t0", "Flags or InnerCount", "00000002", "2"),
        ("t0", "A0 or EndOp0", "71304040", "SFPLOADI lreg_ind=LREG3, imm16=0x4040"),
    )
    own.mop[3] = 0xFF000000
    assert seen(done, "mop").rows[2][3] == ".word 0xff000000"


def test_the_gate_says_what_it_holds_back_and_until_when(session: Session) -> None:
    held = core(session)
    latch = held.threads[2].latch
    latch.block, latch.conditions, latch.semaphores, latch.of_semaphores = 1 << 8, 1, 4, True
    assert seen(session, "gate").rows == (
        ("t2", "SEMWAIT", "vector unit", "semaphore 2 is 0 (C0)", "0"),
    )
    latch.block, latch.conditions, latch.of_semaphores = 0x1FF, 1 << 10, False
    assert seen(session, "gate").rows == (
        ("t2", "STALLWAIT", "everything", "bank 0 of SrcA belongs to the unpackers (C10)", "0"),
    )


def test_counters_are_by_thread(session: Session) -> None:
    held = core(session)
    held.threads[1].rows.dst, held.threads[1].rows.fidelity = 12, 2
    held.threads[2].adc[2, 1, 0] = 5, 4
    assert seen(session, "rwc").rows == (("t1", "12", "0", "0", "0", "0", "0", "2", "0"),)
    assert seen(session, "adc").rows == (
        ("t2", "packers", "1", "5 (4)", "0 (0)", "0 (0)", "0 (0)"),
    )
    held.threads[0].context, held.threads[2].src_row = (0, 1), (4, 0)
    assert seen(session, "unpacking").rows == (("t0", "1", "0", "1"), ("t2", "0", "4", "0"))


def test_units_at_work_are_reported_with_their_threads(session: Session) -> None:
    held = core(session)
    held.occupy("matrix", 1, 5)
    held.occupy("pack2", 2, 3)
    units = seen(session, "units")
    assert units.rows == (("pack2", "t2", "3"), ("matrix", "t1", "5"))
    assert units.summary == "pack2, matrix busy"


def test_changes_of_registers_are_watched_and_asked_for(session: Session) -> None:
    session.watch("lreg2")
    session.run()
    (hit,) = session.hits
    assert hit.met.text == "lreg2 changed with @t1 pc 2 (SFPMAD, line 7)"
    assert hit.met.count == 32
    session.breakpoints.delete(1)
    session.run()
    why = session.why("lreg3")
    assert why.maker is not None
    assert (why.maker.name, str(why.maker.pc)) == ("SFPLOADI", "8.0")
    assert session.back_to_write("lreg2")
    assert array(session, "lreg2") == [[0.0] * 8] * 4


STORES = """
.target wormhole
.l1  x  u32[2]  @ 0x1000  output = zeros
.l1  y  u32[1]  @ 0x1010
@t0
.cfg  GPR0 = 0x100
.cfg  GPR4 = 42
STOREIND  MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4
DMANOP
"""


def test_who_changed_memory_that_is_reached_by_address_is_found() -> None:
    session = Session.load(Source("store.nasm", STORES))
    session.watch("x")
    session.run()
    (hit,) = session.hits
    assert hit.met.text == "x changed with @t0 pc 0 (STOREIND, line 8)"
    assert (hit.met.count, hit.met.elements) == (1, (ElementChange((0,), 0, 42),))
    session.breakpoints.delete(1)
    session.run()
    maker = session.why("x[0]").maker
    assert maker is not None
    assert (maker.queue, maker.pc, maker.name, maker.cycle) == ("t0", 0, "STOREIND", 3)
    assert (session.why("x[1]").maker, session.why("x[1]").start) == (None, "initial value, zeros")
    assert session.why("y[0]").start == "not yet written"
    last = session.last_write("x")
    assert last is not None
    assert last.maker.name == "STOREIND"
    assert session.back_to_write("x")
    assert session.evaluate("x").array.tolist() == [0, 0]


def test_who_reads_and_who_uses_memory_that_is_reached_by_address_is_not_known() -> None:
    session = Session.load(Source("store.nasm", STORES))
    with pytest.raises(Refused, match="who reads x is not known: instructions reach it by address"):
        session.watch("x", "read")
    with pytest.raises(Refused, match="who uses x is not known: instructions reach l1 by address"):
        session.who("x[0]")


def test_to_look_changes_nothing(session: Session) -> None:
    session.run()
    before = session.report()
    other = Session.load(Source("look.nasm", PROGRAM))
    while other.event():
        for part in TARGET.parts(TARGET.generations[0]):
            part.read(core(other))
    assert other.report().trace_hash == before.trace_hash
    for part in TARGET.parts(TARGET.generations[0]):
        one, two = part.read(core(session)), part.read(core(other))
        assert (one.summary, one.rows) == (two.summary, two.rows), part.name


# -- at the prompt


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("plain", [False, True])
def test_every_part_is_laid_out_for_the_columns_there_are(
    done: Session, width: int, plain: bool
) -> None:
    out = io.StringIO()
    shell = Shell(ReplScreen(out, "never"))
    shell.adopt(done)
    shell.settings.width, shell.settings.plain = width, plain
    held = core(done)
    held.matrix.owner_a[1], held.threads[2].latch.block = 1, 0x1FF
    held.threads[2].latch.conditions = 1 << 10
    for word in ("", "t1", *(part.name for part in TARGET.parts(TARGET.generations[0]))):
        shell.execute(f"info held {word}".strip())
    lines = out.getvalue().splitlines()
    assert len(lines) > len(TARGET.parts(TARGET.generations[0]))
    assert "error" not in out.getvalue()
    assert all(in_ascii(line).isascii() for line in lines)
    assert plain or max(map(len, lines)) <= width


def test_an_expanded_instruction_names_its_slot_of_the_template_and_the_replay_buffer() -> None:
    text = """\
.target wormhole
@t0
.cfg MOP1_OuterCount = 1
.cfg MOP1_InnerCount = 3
.cfg MOP1_StartOp: NOP
.cfg MOP1_LoopOp: SFPNOP
.cfg MOP1_LoopOp1: NOP
.cfg MOP1_EndOp0: REPLAY 4, 1, 0, 0
.cfg MOP1_EndOp1: NOP
.cfg MOP1_Loop0Last: SFPNOP
.cfg REPLAY5: SFPNOP
REPLAY 4, 1, 0, 1
SETDMAREG 0, 1, 0, 4
MOP 1, 0, 0
REPLAY 5, 1, 0, 0
"""
    one = Session.load(Source("micro.nasm", text))
    found = []
    for _ in range(6):
        one.step("t0", 1)
        at = one.context().engines[0]
        if at.at is not None:
            found.append((str(at.at.pc), at.text.split()[0], at.origin))
    assert found == [
        ("2.1", "SFPNOP", "LoopOp of MOP"),
        ("2.2", "SFPNOP", "Loop0Last of MOP"),
        ("2.3", "SETDMAREG", "EndOp0 of MOP, REPLAY slot 4, recorded at line 13"),
        ("3.0", "SFPNOP", "REPLAY slot 5"),
    ]
