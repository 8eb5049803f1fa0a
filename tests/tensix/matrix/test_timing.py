"""Figures of time from the documents, and who waits for which bank."""

from __future__ import annotations

import pytest

from nasm.targets.tensix.core import durations
from nasm.targets.tensix.matrix import arithmetic, control, moves, ownership, pack, timing, unpack
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, timing_of
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.state import MATRIX
from nasm.targets.tensix.words import WORDS
from tests.tensix.matrix.machine import configure, coprocessor, packs, unpacks

EXECUTED = {
    name: value
    for module in (arithmetic, control, moves, pack, unpack)
    for name, value in vars(module).items()
    if name in WORDS
}


def finished(blocks: int, count: int) -> int:
    """The cycle in which the last of some MVMULs starts that go around blocks of Dst."""
    written: dict[int, int] = {}
    at = -1
    for i in range(count):
        block = timing.dst_blocks(8 * (i % blocks), 8, wide=False)
        ready = max((written[b] + timing.DST_STALL + 1 for b in block if b in written), default=0)
        at = max(at + timing_of("MVMUL").interval, ready)
        written.update(dict.fromkeys(block, at))
    return at


def test_five_independent_blocks_keep_the_matrix_unit_busy() -> None:
    assert finished(blocks=5, count=16) == 15
    assert finished(blocks=4, count=16) == 3 + 3 * 5
    assert finished(blocks=1, count=4) == 3 * 5


def test_rows_of_32_bits_are_in_two_blocks() -> None:
    assert timing.dst_blocks(8, 8, wide=True) == {2, 3}
    assert timing.dst_blocks(8, 8, wide=False) == {1}


@pytest.mark.parametrize(
    ("earlier", "later", "cycles"),
    [
        ("MOVD2A", "MOVB2A", 0), ("MOVD2A", "MVMUL", 1), ("MOVD2B", "MOVD2B", 0),
        ("MOVD2B", "MOVD2A", 3), ("SHIFTXB", "SHIFTXB", 1), ("MOVA2D", "MVMUL", 3),
        ("MOVB2D", "ELWADD", 0), ("MVMUL", "MVMUL", 0),
    ],
)  # fmt: skip
def test_moves_hold_what_follows(earlier: str, later: str, cycles: int) -> None:
    assert timing.cycles_blocked(earlier, later) == cycles


def test_a_bf16_tile_gets_all_of_l1_alone_and_half_beside_another() -> None:
    speed = timing.wanted_speed(2, Format.BF16, tilized=False, to_dst=False)
    assert speed == 4
    assert timing.shared_speed(speed, speed) == (2, 2)
    assert timing.pack_cycles(2048 // 4) == 32
    assert timing.pack_cycles(512, accumulates=True) == 64


def test_what_instructions_ask_of_l1_follows_from_the_configuration() -> None:
    core = coprocessor(THCON_SEC0_REG2_Throttle_mode=2, THCON_SEC1_REG2_Throttle_mode=1)
    fields = unpacks(core, 0, 0x4000, Format.BF16, Format.BF16, 1024)
    assert durations.unpack_demand(core, 0, fields) == (2048, 4)
    fields = unpacks(core, 1, 0x4000, Format.BFP8, Format.BFP8, 1024)
    assert durations.unpack_demand(core, 0, fields) == (1088, 2)
    packs(core, 0x4000, Format.BF16, Format.BF16, False, 256)

    def cycles(packers: int, flush: int = 0) -> dict[int, int]:
        asked = {"PackerMask": packers, "OvrdThreadId": 0, "Flush": flush}
        return durations.pack_durations(core, 0, asked)

    assert cycles(15) == dict.fromkeys(range(4), 32)
    configure(core, {"THCON_SEC0_REG1_Pack_L1_Acc": 1})
    assert cycles(1) == {0: 64}
    assert cycles(2, flush=1) == {1: 0}


@pytest.mark.parametrize(
    ("wanted", "got"),
    [((1, 1), (1, 1)), ((2, 2), (1, 1)), ((4, 2), (2, 1)), ((2, 4), (1, 2)), ((1, 4), (1, 4))],
)
def test_unpackers_share_l1(wanted: tuple[int, int], got: tuple[int, int]) -> None:
    assert timing.shared_speed(*wanted) == got


def test_formats_and_modes_limit_the_speed() -> None:
    def speed(form: Format, *, tilized: bool = False, to_dst: bool = False, zeros: int = 0) -> int:
        return timing.wanted_speed(2, form, tilized=tilized, to_dst=to_dst, upsampling=zeros)

    assert speed(Format.BFP2) == 1
    assert speed(Format.BFP4, to_dst=True) == 2
    assert speed(Format.BF16, zeros=1) == 2
    assert speed(Format.BF16, zeros=3) == 1
    assert timing.wanted_speed(0, Format.BF16, tilized=True, to_dst=False) == 4


def test_every_documented_instruction_of_the_unit_has_a_time_and_is_executed() -> None:
    timed = {name for name, facts in MATRIX_UNIT.items() if facts.timing is not None}
    named = {*EXECUTED, "MOVDBGB2D"}  # which is executed as MOVB2D is
    assert timed | {"UNPACR", "UNPACR_NOP", "PACR", "SETDVALID"} == named


def test_instructions_wait_for_the_banks_that_they_read() -> None:
    core = coprocessor()
    m = core.matrix
    said = ownership.blocked(core, 0, "MVMUL")
    assert said is not None
    assert said.cause == "src"
    assert said.reason.startswith("bank 0 of SrcA is the unpackers'")
    m.owner_a[0] = MATRIX
    said = ownership.blocked(core, 0, "MVMUL")
    assert said is not None
    assert said.reason.startswith("bank 0 of SrcB is the unpackers'")
    assert ownership.blocked(core, 0, "MOVA2D") is None
    assert ownership.blocked(core, 0, "MOVD2B") is None
    m.owner_b[0] = MATRIX
    assert ownership.blocked(core, 0, "MVMUL") is None


def test_an_unpack_waits_until_its_bank_comes_back() -> None:
    core = coprocessor()
    assert ownership.blocked_unpack(core, 0, 1) is None
    core.matrix.owner_b[0] = MATRIX
    said = ownership.blocked_unpack(core, 0, 1)
    assert said is not None
    assert said.reason.startswith(
        "bank 0 of SrcB is the matrix unit's: no instruction with FlipSrcB"
    )
    assert ownership.blocked_unpack(core, 0, 1, CfgContextCntInc=1) is None
    assert ownership.blocked_unpack_nop(core, 0, 1, 1) == said
    assert ownership.blocked_unpack_nop(core, 0, 1, 7) is None
