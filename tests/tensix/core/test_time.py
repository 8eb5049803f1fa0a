"""When instructions start: one a cycle and thread, and what units, banks and gates add to that.

Ticks are cycles. All of them are worked by hand from the documents' latencies.
"""

from __future__ import annotations

import numpy as np
import pytest

from nasm.analysis.deadlock.report import deadlock
from nasm.analysis.hazards.hazards import Hazards
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine import Machine
from nasm.targets.tensix.core.tensix import Tensix
from tests.tensix.core import matmul
from tests.tensix.core.machines import hazards, held, made, ran, starts
from tests.tensix.matrix.machine import configure

BANKS = "@t0 SETDVALID FlipSrcA=1, FlipSrcB=1\n"
"""Hands bank 0 of SrcA and SrcB to the matrix unit, in cycle 0: there at 1."""


def test_a_thread_starts_an_instruction_each_cycle() -> None:
    done = ran("@t0 SETADCXX\n" * 5 + "@t1 SETADCXX\n" * 3)
    assert starts(done, 0) == [0, 1, 2, 3, 4]
    assert starts(done, 1) == [0, 1, 2]


def test_threads_take_turns_at_a_unit() -> None:
    done = ran("@t0 SEMPOST SemaphoreMask=1\n" * 2 + "@t1 SEMPOST SemaphoreMask=2\n" * 2)
    assert sorted(starts(done, 0) + starts(done, 1)) == [0, 1, 2, 3]
    assert held(done).semaphores[:2, 0].tolist() == [2, 2]


def test_a_thread_is_frozen_while_the_scalar_unit_works_for_it() -> None:
    # Both registers of the first sum are of one aligned quad: 3 cycles. Those of the second are
    # not: 4. A third thread's unit is free meanwhile.
    done = ran(
        "@t0 ADDDMAREG ResultReg=8, RightReg=1, LeftReg=2\n"
        "@t0 ADDDMAREG ResultReg=8, RightReg=1, LeftReg=5\n"
        "@t0 SETADCXX\n"
        "@t1 SETADCXX\n@t1 SETADCXX"
    )
    assert starts(done, 0) == [0, 3, 7]
    assert starts(done, 1) == [0, 1]


def test_what_reg2flop_writes_is_there_behind_what_wrcfg_has_written() -> None:
    # WRCFG of cycle 0 writes word 55 at 2; REG2FLOP, from 1 on, at 3, and t0 goes on then.
    done = ran(
        "@t0\n.cfg GPR4 = 11\n.cfg GPR5 = 22\n"
        "@t0 WRCFG InputReg=4, CfgIndex=55\n"
        "@t0 REG2FLOP SizeSel=1, ThConCfgIndex=3, InputReg=5\n"
        "@t0 NOP"
    )
    assert starts(done, 0) == [0, 1, 3]
    assert held(done).config[0, 55] == 22


def multiply(rows: list[int]) -> str:
    return BANKS + "".join(f"@t1 MVMUL DstRow={row}\n" for row in rows)


def test_products_into_five_blocks_start_each_cycle() -> None:
    done = ran(multiply([0, 8, 16, 24, 32] * 3 + [0]))
    assert starts(done, 1) == list(range(1, 17))


def test_a_product_waits_four_cycles_for_the_block_that_the_last_one_wrote() -> None:
    done = ran(multiply([0, 0, 0]))
    assert starts(done, 1) == [1, 6, 11]
    assert done.scheduler.queues[1].waiting["dst", None] == 8


def test_a_product_that_follows_on_four_others_waits_for_a_cycle() -> None:
    assert starts(ran(multiply([0, 8, 16, 24, 0])), 1) == [1, 2, 3, 4, 6]


def test_nothing_but_such_moves_follows_directly_on_a_move_out_of_dst() -> None:
    done = ran("@t1 MOVD2A\n@t1 MOVD2A\n@t1 SETRWC\n@t1 MOVD2B\n@t1 MOVD2B\n@t1 SETRWC")
    # The second MOVD2A at 1; SETRWC not at 2. MOVD2B at 4 and 5, and nothing else at 6 to 8.
    assert starts(done, 1) == [0, 1, 3, 4, 5, 9]


def test_an_exchange_of_lanes_takes_two_cycles_but_of_nop() -> None:
    assert starts(ran("@t1 SFPSWAP VC=0, VD=1\n@t1 SFPABS VC=2, VD=3"), 1) == [0, 2]
    assert starts(ran("@t1 SFPSWAP VC=0, VD=1\n@t1 SFPNOP"), 1) == [0, 1]


def test_a_byte_of_the_configuration_waits_a_cycle_behind_a_word_of_it() -> None:
    done = ran("@t0 WRCFG CfgIndex=60\n@t0 RMWCIB0 Index4=61\n@t1 NOP\n@t1 SETC16 CfgIndex=9")
    assert starts(done, 0) == [0, 2]
    assert starts(done, 1) == [0, 1]


def test_an_address_is_read_advanced_and_written_back_without_waits() -> None:
    # 100 in the configuration and 7 in register 36: word 52 + 12 becomes 107.
    def addresses(core: Tensix) -> None:
        core.config[:, 64] = 100
        core.threads[0].registers[36] = 7

    text = "@t0 RDCFG 4, 64\n@t0 ADDDMAREG 0, 4, 4, 36\n@t0 REG2FLOP 1, 0, 0, 0, 12, 4\n"
    core = held(ran(text + "@t0 DMANOP\n" * 4, set_up=addresses))
    assert core.threads[0].registers[4] == 107
    assert core.config[0, 64] == 107


def test_what_a_mop_makes_is_followed_by_a_cycle_without_an_instruction() -> None:
    def configured(core: Tensix) -> None:
        words = core.threads[0].mop
        words[[0, 1]] = 1, 3  # three rounds of one loop
        words[[2, 3, 4, 6]] = 0x02000000
        words[[5, 7, 8]] = 0x5E000000  # SETADCXX

    done = ran("@t0 MOP mop_type=1\n@t0 MOP mop_type=1\n@t0 SETADCXX", set_up=configured)
    assert starts(done, 0) == [0, 1, 2, 3, 4, 5, 7]


def test_what_is_recorded_takes_a_cycle_each_and_playing_none() -> None:
    done = ran(
        "@t1 REPLAY Index=4, Count=2, Load=1\n@t1 SFPLOADI VD=1, Imm16=5, Mod0=2\n"
        "@t1 SFPLOADI VD=2, Imm16=6, Mod0=2\n@t1 REPLAY Index=4, Count=2\n@t1 SFPNOP"
    )
    assert starts(done, 1) == [3, 4, 5]  # REPLAY and two words went in, in cycles 0 to 2
    assert held(done).vector.registers[1:3, 0].tolist() == [5, 6]


def test_a_word_that_is_executed_while_it_is_recorded_costs_nothing_more() -> None:
    done = ran("@t1 SFPNOP\n@t1 REPLAY Count=2, Load=1, Exec=1\n@t1 SFPNOP\n@t1 SFPNOP\n@t1 SFPNOP")
    assert starts(done, 1) == [0, 2, 3, 4]


def test_setting_the_mask_of_a_mop_takes_a_cycle() -> None:
    assert starts(ran("@t1 MOP_CFG MaskHi=1\n@t1 MOP_CFG MaskHi=2\n@t1 SFPNOP"), 1) == [2]


# -- the wait gate


def test_a_wait_that_is_met_at_once_costs_one_cycle_of_what_it_covers() -> None:
    # Latched at 0, looked at in 1 and met, gone at 2. SETADCXX is B0, the vector unit is B8.
    assert starts(ran("@t0 STALLWAIT BlockMask=1, ConditionMask=1\n@t0 SETADCXX"), 0) == [0, 2]
    uncovered = "@t0 STALLWAIT BlockMask=1, ConditionMask=1\n@t0 SFPNOP\n@t0 SETADCXX"
    assert starts(ran(uncovered), 0) == [0, 1, 2]


def test_a_gate_looks_at_its_wait_while_the_unit_behind_it_is_busy() -> None:
    # The other thread has the scalar unit from 0 to 3; the wait, met at 1, is gone long before.
    text = "@t1 ADDDMAREG ResultReg=8, RightReg=1, LeftReg=2\n"
    text += "@t0 STALLWAIT BlockMask=0x20, ConditionMask=1\n@t0 DMANOP\n"
    assert starts(ran(text), 0) == [0, 3]


def test_a_wait_for_the_matrix_unit_lasts_until_its_latency_is_over() -> None:
    text = BANKS + "@t1 MVMUL\n@t1 STALLWAIT BlockMask=0x100, ConditionMask=0x80\n@t1 SFPNOP"
    # MVMUL from 1 to 6; met at 6, and gone at 7.
    assert starts(ran(text), 1) == [1, 2, 7]


def test_a_wait_for_another_threads_unit_is_no_wait() -> None:
    text = BANKS + "@t1 MVMUL\n@t2 STALLWAIT BlockMask=0x100, ConditionMask=0x80\n@t2 SFPNOP"
    assert starts(ran(text), 2) == [0, 2]


def test_semaphores_pass_a_token_around_three_threads() -> None:
    # Each waits for its own semaphore and posts the next one's. A post at cycle c is seen at c + 1
    # and lets what waits go at c + 2: SEMGET, and SEMPOST behind it.
    text = (
        "@t0 SEMPOST SemaphoreMask=2\n@t0 SEMWAIT BlockMask=2, SemaphoreMask=1, ConditionMask=1\n"
    )
    for thread in (1, 2):
        own, following = 1 << thread, 1 << (thread + 1) % 3
        text += (
            f"@t{thread} SEMWAIT BlockMask=2, SemaphoreMask={own}, ConditionMask=1\n"
            f"@t{thread} SEMGET SemaphoreMask={own}\n@t{thread} SEMPOST SemaphoreMask={following}\n"
        )
    done = ran(text + "@t0 SEMGET SemaphoreMask=1")
    (_, get, post), (_, get2, post2) = starts(done, 1), starts(done, 2)
    assert (post, post2) == (get + 1, get2 + 1)
    assert get2 == post + 2
    assert starts(done, 0)[2] == post2 + 2
    assert held(done).semaphores[:3, 0].tolist() == [0, 0, 0]


def test_a_mutex_goes_to_the_next_thread_in_turn() -> None:
    text = "@t0 ATGETM Index=2\n@t0 SETADCXX\n@t0 SETADCXX\n@t0 ATRELM Index=2\n"
    text += "".join(f"@t{t} NOP\n@t{t} ATGETM Index=2\n@t{t} ATRELM Index=2\n" for t in (1, 2))
    done = ran(text)
    assert starts(done, 0) == [0, 1, 2, 3]
    assert starts(done, 1) == [0, 4, 5]
    assert starts(done, 2) == [0, 6, 7]


def test_an_atomic_that_waits_in_the_scalar_unit_keeps_others_out() -> None:
    text = (
        "@t0 ATCAS SetVal=1, CmpVal=5\n"
        "@t1 NOP\n@t1 NOP\n@t1 SETDMAREG Payload_SigSel=1, RegIndex16b=2\n"
    )
    machine = made(text, set_up=lambda core: core.l1.write(0, np.zeros(16, np.uint8)))
    machine.run(100)
    (problem,) = deadlock(machine)
    said = "; ".join(note.message for note in problem.notes)
    assert "waits: the word at 0x0 is 0, not 5" in said
    assert "an instruction of t0 waits in the scalar unit" in said


# -- findings and deadlocks


def test_a_forgotten_flip_is_explained() -> None:
    machine = made("@t0 SETDVALID FlipSrcB=1\n@t1 MVMUL")
    machine.run(100)
    (problem,) = deadlock(machine)
    said = "bank 0 of SrcA is the unpackers': no UNPACR of unpacker 0 with FlipSrc"
    assert said in "".join(note.message for note in problem.notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@t1 SFPMAD VD=1\n@t1 SFPMOV VC=1, VD=2", ["E0551"]),
        ("@t1 SFPMAD VD=1\n@t1 SFPNOP\n@t1 SFPMOV VC=1, VD=2", []),
        ("@t0 WRCFG CfgIndex=164\n@t0 RDCFG CfgReg=164", []),  # the unit waits a cycle by itself
        ("@t0 WRCFG CfgIndex=6\n@t0 SFPLOAD VD=1, Mod0=2", ["E0552", "E0554"]),
        ("@t0 WRCFG CfgIndex=6\n@t0 NOP\n@t0 SFPLOAD VD=1, Mod0=2", ["E0554"]),
        (BANKS + "@t1 MVMUL\n@t1 SFPLOAD VD=1, Mod0=2", ["E0553"]),
        (BANKS + "@t1 MVMUL\n" + "@t1 NOP\n" * 2 + "@t1 SFPLOAD VD=1, Mod0=2", ["E0553"]),
        (BANKS + "@t1 MVMUL\n" + "@t1 NOP\n" * 3 + "@t1 SFPLOAD VD=1, Mod0=2", []),
        ("@t1 SFPLOAD VD=1, Mod0=2", ["E0554"]),
        ("@t1 SFPPUSHC\n" * 8, []),
    ],
)
def test_what_hardware_does_not_check_is_reported(text: str, expected: list[str]) -> None:
    assert sorted(hazards(ran(text))) == expected


@pytest.mark.parametrize(
    ("text", "threads"),
    [
        ("@t1 REPLAY Count=2, Load=1\n@t1 NOP\n@t1 NOP", []),
        ("@t1 REPLAY Count=2, Load=1\n@t1 NOP\n@t0 NOP", ["t1 ends while REPLAY waits for 1 more"]),
        (
            "@t1 REPLAY Count=2, Load=1, Exec=1\n@t1 NOP\n@t0 REPLAY Load=1",
            ["t0 ends while REPLAY waits for 64 more", "t1 ends while REPLAY waits for 1 more"],
        ),
    ],
)
def test_a_recording_that_is_open_at_the_end_of_a_thread_is_reported(
    text: str, threads: list[str]
) -> None:
    report = Session.load(Source("end.nasm", f".target wormhole\n{text}\n")).run()
    assert [p.code for p in report.hazards] == ["E0556"] * len(threads)
    assert [p.message[: len(t)] for p, t in zip(report.hazards, threads, strict=True)] == threads
    assert ["not executed" in p.message for p in report.hazards] == [
        "t0" in t or "Exec" not in text for t in threads
    ]


def test_an_atomic_waits_for_the_one_before_it() -> None:
    # 12 cycles from one to the next, by the requests that may be in flight.
    assert starts(ran(".l1 z u32[4] @ 0 = zeros\n@t0 ATINCGET\n@t0 ATINCGET\n@t0 ATSWAP"), 0) == [
        0,
        12,
        24,
    ]


def test_any_thread_waits_for_the_mover() -> None:
    text = ".cfg THCON_SEC0_REG6_Buffer_size = 64\n@t0 XMOV\n@t1 NOP\n"
    text += "@t1 STALLWAIT BlockMask=2, ConditionMask=0x1000\n@t1 SEMPOST SemaphoreMask=1\n"
    # 64 units of 16 bytes, one cleared a cycle; the gate opens a cycle after the mover is at rest.
    assert starts(ran(text), 1) == [0, 1, 65]


@pytest.mark.parametrize("text", ["@t1 SFPPOPC", "@t1 SFPPUSHC\n" * 9])
def test_a_stack_out_of_bounds_ends_the_run(text: str) -> None:
    with pytest.raises(Failure, match="E0555"):
        ran(text)


# -- unpack and pack


UNPACK = "@t0 UNPACR WhichUnpacker={}, MultiContextMode=1, FlipSrc=1\n"
WAIT = "@t0 STALLWAIT BlockMask=0x100, ConditionMask={}\n@t0 SFPNOP\n"


def alone(text: str, **settings: int) -> Machine:
    def set_up(core: Tensix) -> None:
        matmul.set_up(core)
        configure(core, settings)
        core.l1.write(matmul.A, np.zeros(2048, np.uint8))
        core.l1.write(matmul.B, np.zeros(2048, np.uint8))

    return ran(text, set_up=set_up)


@pytest.mark.parametrize(("throttle", "cycles"), [(0, 128), (1, 64), (2, 32)])
def test_a_tile_is_unpacked_at_the_speed_that_is_configured(throttle: int, cycles: int) -> None:
    done = alone(UNPACK.format(0) + WAIT.format(2), THCON_SEC0_REG2_Throttle_mode=throttle)
    # 2 cycles for addresses, 128 lines of 16 bytes; met when the unpacker is done, gone 1 later.
    # The thread issues nothing in the cycle behind UNPACR.
    assert starts(done, 0) == [0, 2, 2 + cycles + 1]


def test_an_unpack_goes_on_at_full_speed_once_the_other_is_done() -> None:
    text = UNPACK.format(0) + UNPACK.format(1) + WAIT.format(4)
    done = alone(text, THCON_SEC0_REG2_Throttle_mode=1)
    # Unpacker 0 wants 2 lines a cycle and has them from 2 to 4; with the other, which wants 4,
    # 1 and 2. The other has read its 128 after 64 cycles, at 68.
    assert starts(done, 0) == [0, 2, 4, 69]


def test_an_unpacker_takes_one_unpack_at_a_time() -> None:
    done = alone(UNPACK.format(0) + UNPACK.format(0))
    assert starts(done, 0) == [0, 34]


def test_a_post_behind_an_unpack_is_seen_long_before_that_is_done() -> None:
    text = UNPACK.format(0) + "@t0 SEMPOST SemaphoreMask=1\n"
    text += "@t1 SEMWAIT BlockMask=2, SemaphoreMask=1, ConditionMask=1\n@t1 SEMGET SemaphoreMask=1"
    # The post of 2 is there at 3, and the gate needs a cycle more; the unpack is done at 34.
    assert starts(alone(text), 1) == [0, 4]


def test_an_unpack_waits_for_its_bank() -> None:
    # Both banks are full after two; the third waits until the matrix unit hands one back.
    text = UNPACK.format(0) * 3 + "@t1 STALLWAIT BlockMask=0x40, ConditionMask=0x400\n"
    done = alone(text + "@t1 NOP\n" * 100 + "@t1 SETRWC FlipSrcA=1\n")
    back = starts(done, 1)[-1]
    assert starts(done, 0) == [0, 34, back + 1]


def test_four_packers_write_a_tile_in_32_cycles() -> None:
    pack = "@t2 PACR PackerMask=15, Last=1\n"
    done = alone(pack + pack + "@t2 STALLWAIT BlockMask=0x100, ConditionMask=8\n@t2 SFPNOP")
    assert starts(done, 2) == [0, 32, 33, 65]


def test_sums_in_l1_take_twice_as_long() -> None:
    pack = "@t2 PACR PackerMask=1, Last=1\n"
    done = alone(pack + pack, THCON_SEC0_REG1_Pack_L1_Acc=1)
    assert starts(done, 2) == [0, 64]


@pytest.mark.parametrize(
    ("row", "wait", "expected"), [(0, 0, ["E0553"]), (8, 4, ["E0553"]), (8, 5, []), (16, 0, [])]
)
def test_rows_packed_before_they_are_written_are_reported(
    row: int, wait: int, expected: list[str]
) -> None:
    # MVMUL takes 1 to 6 to write eight rows; packer 0 reads rows 0 to 15 from ``wait`` + 1 on.
    pack = "@t2 NOP\n" * (wait + 1) + "@t2 PACR PackerMask=1, Last=1\n"
    assert hazards(alone(BANKS + f"@t1 MVMUL DstRow={row}\n" + pack)) == expected


def test_packed_rows_are_reported_with_who_writes_them() -> None:
    done = alone(BANKS + "@t1 MVMUL\n@t2 NOP\n@t2 NOP\n@t2 PACR PackerMask=1, Last=1\n")
    (problem,) = Hazards(done).run_errors
    said = "PACR reads rows 0 to 7 of Dst 1 cycle after MVMUL began to write them, which takes 5"
    assert said in problem.message
    assert any("writes these rows" in note.message for note in problem.notes)


def unpacked(place: int, target: str = "") -> list[str]:
    """The codes of what is reported where unpacker 0 begins so many numbers on."""
    done = alone(
        "@t0 SETADCXX U0=1, X1Val=255, X0Val=0\n@t0 UNPACR MultiContextMode=1, FlipSrc=1\n",
        THCON_SEC0_REG0_TileDescriptor=256 << 16 | 1 << 4 | 5,
        THCON_SEC0_REG2_Disable_zero_compress_cntx0=1,
        THCON_SEC0_REG2_Out_data_format=5,
        THCON_SEC0_REG3_Base_address=0x400,
        THCON_SEC0_REG5_Tile_x_dim_cntx0=256,
        THCON_SEC0_REG5_Dest_cntx0_address=place,
        SRCA_SET_SetOvrdWithAddr=1,
        **({target: 1} if target else {}),
    )
    warned = Hazards(done).warnings
    assert all("drops" in problem.message for problem in warned)
    return [problem.message.partition("drops ")[2] for problem in warned]


def test_rows_that_unpacker_0_drops_are_reported() -> None:
    assert unpacked(0) == ["4 rows of 16 numbers"]
    assert unpacked(48) == ["1 row of 16 numbers"]
    assert unpacked(64) == []
    assert unpacked(0, "THCON_SEC0_REG2_Unpack_if_sel_cntx0") == []  # to Dst


@pytest.mark.parametrize(("y", "expected"), [(0, ["E0515"]), (1, [])])
def test_a_tile_without_numbers_has_no_exponents(y: int, expected: list[str]) -> None:
    text = "@t0 SETADCXX U0=1, X1Val=255, X0Val=0\n@t0 UNPACR WhichUnpacker=0, FlipSrc=1\n"
    done = alone(
        text,
        THCON_SEC0_REG0_TileDescriptor=256 << 16 | 1 << 4 | 6,
        THCON_SEC0_REG0_TileDescriptor_YDim=y,
        THCON_SEC0_REG2_Out_data_format=6,
        THCON_SEC0_REG3_Base_address=0x400,
        SRCA_SET_SetOvrdWithAddr=1,
        UNP0_ADDR_BASE_REG_1_Base=128,
    )
    assert [problem.code for problem in Hazards(done).warnings] == expected
