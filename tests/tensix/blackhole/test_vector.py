"""The vector unit of Blackhole: facts of the documents, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.lanes import blackhole as v
from nasm.targets.tensix.lanes import blackhole_dst
from nasm.targets.tensix.lanes.predication import SFPENCC, SFPPOPC
from nasm.targets.tensix.scalar.config import set_field
from tests.tensix.blackhole.cores import bits, made, ran, register, words

MINUS_0 = 1 << 31


def flags(core: object) -> list[bool]:
    return core.vector.flag.tolist()  # type: ignore[attr-defined,no-any-return]


# -- comparisons


def test_the_order_is_that_of_sign_and_magnitude() -> None:
    core = made()
    SFPENCC(core, 0, 3, 10)
    core.vector.registers[0] = words(MINUS_0, 0, 0xFFC00000, 0x7F800000, 5)
    core.vector.registers[1] = words(0, MINUS_0, 0xFF800000, 0x7FC00000, 5)
    v.SFPGT(core, 0, VC=0, VD=1, Mod1=1)  # L1 > L0
    assert flags(core)[:5] == [True, False, True, True, False]
    SFPENCC(core, 0, 3, 10)
    v.SFPLE(core, 0, VC=0, VD=1, Mod1=1)
    assert flags(core)[:5] == [False, True, False, False, True]


def test_a_comparison_writes_minus_one_or_zero() -> None:
    core = made()
    core.vector.registers[0], core.vector.registers[1] = bits(1.0, 2.0), bits(1.5)
    v.SFPLE(core, 0, VC=1, VD=0, Mod1=8)
    assert core.vector.registers[0].tolist() == [0xFFFFFFFF] + [0] * 31


def test_a_comparison_changes_the_top_of_the_stack_in_all_lanes() -> None:
    core = made()
    SFPENCC(core, 0, 3, 10)
    v.SFPPUSHC(core, 0)
    core.vector.flag[:] = False  # no lane executes
    core.vector.registers[0], core.vector.registers[1] = words(1, 3), words(2)
    v.SFPGT(core, 0, VC=0, VD=1, Mod1=2 | 1)  # 2 > 1 in lane 0 alone
    assert not any(flags(core))
    SFPPOPC(core, 0)
    assert flags(core) == [True] + [False] * 31


def test_or_sets_what_and_keeps_out() -> None:
    core = made()
    SFPENCC(core, 0, 1, 10)  # in use, and all false
    v.SFPPUSHC(core, 0)
    core.vector.registers[0], core.vector.registers[1] = words(1, 3), words(2)
    v.SFPGT(core, 0, VC=0, VD=1, Mod1=2)
    v.SFPGT(core, 0, VC=0, VD=1, Mod1=2 | 4)
    SFPPOPC(core, 0)
    assert flags(core) == [True] + [False] * 31


# -- integers


def test_a_product_of_23_bits_has_two_halves() -> None:
    core = made()
    core.vector.registers[0] = words(0x7FFFFF, 1000, 0xFF800003)
    core.vector.registers[1] = words(0x7FFFFF, 77, 5)
    v.SFPMUL24(core, 0, VA=0, VB=1, VC=9, VD=2)
    v.SFPMUL24(core, 0, VA=0, VB=1, VC=9, VD=3, Mod1=1)
    # (2**23 - 1)**2 = 2**46 - 2**24 + 1
    assert core.vector.registers[2][:3].tolist() == [1, 77000, 15]
    assert core.vector.registers[3][:3].tolist() == [(1 << 23) - 2, 0, 0]


def test_a_product_adds_nothing() -> None:
    core = made()
    core.vector.registers[4] = words(0, 1)
    with pytest.raises(Refused, match="SFPMUL24 adds VC, register 4"):
        v.SFPMUL24(core, 0, VA=0, VB=1, VC=4, VD=2)
    with pytest.raises(Refused, match="bit 1 is reserved"):
        v.SFPMUL24(core, 0, VA=0, VB=1, VC=9, VD=2, Mod1=2)


def test_and_and_or_may_name_their_second_register() -> None:
    core = made()
    held = core.vector.registers
    held[0], held[1], held[2] = words(0b1100), words(0b1010), words(0b1111)
    v.SFPAND(core, 0, VB=1, VC=0, VD=2, Mod1=1)
    assert held[2, 0] == 0b1000
    v.SFPOR(core, 0, VB=1, VC=0, VD=2)  # VD, not VB
    assert held[2, 0] == 0b1100


def test_shifts_copy_the_sign_or_take_vc() -> None:
    core = made()
    held = core.vector.registers
    held[0], held[1], held[2] = words(0x80000010), words(-4 & 0xFFFFFFFF, 4), words(0)
    held[2] = held[0]
    v.SFPSHFT(core, 0, Imm12=0, VC=1, VD=2, Mod1=2)
    assert held[2, :2].tolist() == [0xF8000001, 0x100]
    v.SFPSHFT(core, 0, Imm12=-4 & 0xFFF, VC=0, VD=3, Mod1=5)
    assert held[3, 0] == 0x08000001
    v.SFPSHFT(core, 0, Imm12=-4 & 0xFFF, VC=0, VD=3, Mod1=7)
    assert held[3, 0] == 0xF8000001
    with pytest.raises(Refused, match="SFPSHFT: Mod1 is 4, which is reserved"):
        v.SFPSHFT(core, 0, Imm12=0, VC=0, VD=3, Mod1=4)


def test_casts_between_signs_are_their_own_inverse() -> None:
    core = made()
    held = core.vector.registers
    held[0] = words(5, 0x80000005, MINUS_0, 0)
    v.SFPCAST(core, 0, VC=0, VD=1, Mod1=3)
    assert held[1, :4].tolist() == [5, -5 & 0xFFFFFFFF, MINUS_0, 0]
    v.SFPCAST(core, 0, VC=1, VD=2, Mod1=3)
    assert held[2].tolist() == held[0].tolist()
    v.SFPCAST(core, 0, VC=1, VD=2, Mod1=2)
    assert held[2, :4].tolist() == [5, 5, MINUS_0, 0]
    v.SFPCAST(core, 0, VC=0, VD=2)
    assert held[2, :2].tolist() == bits(5.0, -5.0)[:2].tolist()


# -- floats


def test_factors_and_addends_may_be_negated() -> None:
    core = made()
    held = core.vector.registers
    held[0], held[1], held[2] = bits(3.0), bits(4.0), bits(10.0)
    for mode, result in enumerate((22.0, -2.0, 2.0, -22.0)):
        v.SFPMAD(core, 0, VA=0, VB=1, VC=2, VD=3, Mod1=mode)
        assert held[3].tolist() == bits(result).tolist()


def test_a_reciprocal_is_within_the_error_that_the_page_gives() -> None:
    core = made()
    for sign in (1.0, -1.0):
        for x in np.geomspace(2.0**-126, 2.0**125, 400).reshape(-1, 20):
            core.vector.registers[0] = bits(*(sign * x))
            v.SFPARECIP(core, 0, VB=0, VC=0, VD=1)
            found = core.vector.registers[1].view(np.float32)[:20].astype(np.float64)
            ratio = found * (sign * x).astype(np.float32).astype(np.float64)
            assert (ratio > 0.9944).all()
            assert (ratio < 1.0054).all()


def test_a_reciprocal_of_one_and_of_the_ends() -> None:
    core = made()
    core.vector.registers[0] = words(0x3F800000, 0, MINUS_0, 0x007FFFFF, 0x7E800000, 0x7FC00000)
    v.SFPARECIP(core, 0, VB=0, VC=0, VD=1)
    assert core.vector.registers[1, :6].tolist() == [
        int(bits(0.99609375)[0]), 0x7F800000, 0xFF800000, 0x7F800000, 0, 0,
    ]  # fmt: skip


def test_a_reciprocal_where_another_register_is_negative() -> None:
    core = made()
    core.vector.registers[0], core.vector.registers[2] = bits(-2.0), bits(-0.0, 1.0)
    v.SFPARECIP(core, 0, VB=2, VC=0, VD=1, Mod1=1)
    first, second = core.vector.registers[1, :2].view(np.float32).tolist()
    assert (round(first, 2), second) == (0.5, -2.0)
    with pytest.raises(Refused, match="SFPARECIP with Mod1 2 is not modelled on Blackhole A0"):
        v.SFPARECIP(core, 0, VB=0, VC=0, VD=1, Mod1=2)


def test_floats_are_rounded_to_zero() -> None:
    core = made()
    core.vector.registers[0] = words(0x3FFFFFFE, 0x3F80FFFF, 0x3F810000, 0xBF80FFFE)
    v.SFP_STOCH_RND(core, 0, 2, 0, 0, 0, 1, 0, 1)  # to seven bits
    assert core.vector.registers[1, :4].tolist() == [0x3FFF0000, 0x3F800000, 0x3F810000, 0xBF800000]
    with pytest.raises(Refused, match="RoundingMode is 3"):
        v.SFP_STOCH_RND(core, 0, 3, 0, 0, 0, 1, 0, 1)


def test_the_three_numbers_that_round_away_from_zero() -> None:
    core = made()
    core.vector.registers[0] = bits(0.9999998807907, 0.9999999403954, 1.999999880791, 0.9999998)
    v.SFP_STOCH_RND(core, 0, 2, 0, 0, 0, 1, 0, 2)
    assert core.vector.registers[1, :4].tolist() == [1, 1, 2, 0]


# -- the stack


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        (1, [0, 1, 0, 1]), (2, [1, 0, 1, 0]), (3, [0, 0, 0, 1]), (4, [0, 1, 1, 1]),
        (5, [0, 0, 1, 0]), (6, [1, 0, 1, 1]), (7, [0, 1, 0, 0]), (8, [1, 1, 0, 1]),
        (9, [1, 0, 0, 0]), (10, [1, 1, 1, 0]), (11, [0, 1, 1, 0]), (12, [1, 0, 0, 1]),
        (13, [1, 0, 1, 0]), (14, [1, 1, 1, 1]), (15, [0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_a_push_with_a_mode_changes_the_top(mode: int, wanted: list[int]) -> None:
    core = made()
    vector = core.vector
    vector.uses_flag[:] = True
    vector.flag[:] = [False, False, True, True] * 8  # of the top
    v.SFPPUSHC(core, 0)
    vector.flag[:] = [False, True, False, True] * 8  # now
    v.SFPPUSHC(core, 0, mode)
    assert len(vector.stack) == 1
    now = [1, 0, 1, 0] if mode == 13 else [0, 1, 0, 1]
    assert flags(core)[:4] == [bool(x) for x in now]
    SFPPOPC(core, 0)
    assert flags(core)[:4] == [bool(x) for x in wanted]


def test_a_push_with_a_mode_needs_a_top() -> None:
    with pytest.raises(Refused, match="SFPPUSHC with Mod1 3 and an empty stack"):
        v.SFPPUSHC(made(), 0, 3)


# -- Dst


def test_eight_address_modifiers_are_named_by_the_instruction() -> None:
    core = made()
    set_field(core, 0, "ADDR_MOD_DST_SEC6_DestIncr", 4)
    core.vector.registers[0] = bits(1.5)
    blackhole_dst.SFPSTORE(core, 0, VD=0, Mod0=2, AddrMod=6, Imm10=0)
    assert core.threads[0].rows.dst == 4
    core.vector.registers[0] = bits(2.5)
    blackhole_dst.SFPSTORE(core, 0, VD=0, Mod0=2, AddrMod=0, Imm10=0)
    core.threads[0].rows.dst = 0
    blackhole_dst.SFPLOAD(core, 0, VD=1, Mod0=2, AddrMod=6, Imm10=0)
    blackhole_dst.SFPLOAD(core, 0, VD=2, Mod0=2, AddrMod=0, Imm10=0)
    found = core.vector.registers[1:3, 0].view(np.float32).tolist()
    assert found == [1.5, 2.5]


def test_a_thread_may_have_a_format_of_its_own() -> None:
    core = made()
    set_field(core, 0, "ALU_FORMAT_SPEC_REG1_SrcB", 5)  # BF16
    set_field(core, 1, "SFPU_DEST_FMT_Enable", 1)
    set_field(core, 1, "SFPU_DEST_FMT_Base", 1)  # FP16
    core.vector.registers[0] = bits(1.0009765625)  # 1 + 2**-10, which a BF16 has not
    for thread, wanted in ((0, 1.0), (1, 1.0009765625)):
        blackhole_dst.SFPSTORE(core, thread, VD=0, Mod0=0, AddrMod=0, Imm10=0)
        blackhole_dst.SFPLOAD(core, thread, VD=1, Mod0=0, AddrMod=0, Imm10=0)
        assert core.vector.registers[1, 0].view(np.float32) == wanted


def test_int8_has_eight_bits_and_nothing_is_converted() -> None:
    core = made()
    core.vector.registers[0] = words(200, MINUS_0 | 300, 0xFFFFFFFF)
    blackhole_dst.SFPSTORE(core, 0, VD=0, Mod0=13, AddrMod=0, Imm10=0)
    blackhole_dst.SFPLOAD(core, 0, VD=1, Mod0=5, AddrMod=0, Imm10=0)
    blackhole_dst.SFPLOAD(core, 0, VD=2, Mod0=13, AddrMod=0, Imm10=0)
    assert core.vector.registers[1, :2].tolist() == [200, MINUS_0 | 300 & 255]
    assert core.vector.registers[2, :3].tolist() == [200, MINUS_0 | 300, MINUS_0 | 0x3FF]
    blackhole_dst.SFPSTORE(core, 0, VD=0, Mod0=12, AddrMod=0, Imm10=8)
    blackhole_dst.SFPLOAD(core, 0, VD=1, Mod0=12, AddrMod=0, Imm10=8)
    assert core.vector.registers[1, 2] == 0xFFFFFFFF


def test_rows_in_another_order_are_found_again_and_are_where_the_page_says() -> None:
    core = made()
    set_field(core, 0, "DEST_ACCESS_CFG_remap_addrs", 1)
    for wide, mode in ((False, 6), (True, 4)):
        set_field(core, 0, "DEST_ACCESS_CFG_swizzle_32b", int(wide))
        for row in (0, 4, 8, 16, 32):
            core.vector.registers[0] = row + 1
            blackhole_dst.SFPSTORE(core, 0, VD=0, Mod0=mode, AddrMod=0, Imm10=row)
        for row in (0, 4, 8, 16, 32):
            blackhole_dst.SFPLOAD(core, 0, VD=1, Mod0=mode, AddrMod=0, Imm10=row)
            assert core.vector.registers[1, 0] == row + 1
        # bits 3, 4, 5 of a row of 16 bits are bits 5, 3, 4 of storage; of 32 bits then bits 2 and 3
        # are 3 and 2, and bit 4 both 3 and 4; from 3 on they are doubled, for the low halves at 8
        places = (0, 4, 32, 8, 16) if not wide else (8, 24, 72, 12, 56)
        assert [int(core.matrix.dst[place, 0]) for place in places] == [1, 5, 9, 17, 33]


def test_the_stack_of_rows_grows_with_stores_and_shrinks_with_loads() -> None:
    core = made()
    set_field(core, 0, "SFPU_STACK_Incr", 4)
    set_field(core, 0, "DEST_SP_BASE_Base", 16)
    own = core.threads[0].rows
    own.dst = 7  # of which the stack has three: odd columns
    SFPENCC(core, 0, 3, 10)
    core.vector.flag[:] = False  # no lane executes, which is all the same to a stack
    for number in (1, 2):
        core.vector.registers[0] = number
        blackhole_dst.SFPSTORE(core, 0, VD=0, Mod0=10, AddrMod=0, Imm10=0)
    assert own.stack == 8
    assert core.matrix.dst[24:28, 1].tolist() == [0] * 4  # the high halves of 16 are at 16
    # rows of 32 bits: 16 to 23 have their low halves at 40 to 47
    assert core.matrix.dst[40:48, 1].tolist() == [1] * 4 + [2] * 4
    found = []
    for _ in range(3):
        blackhole_dst.SFPLOAD(core, 0, VD=1, Mod0=10, AddrMod=0, Imm10=0)
        found.append((int(core.vector.registers[1, 0]), own.stack))
    assert found == [(2, 4), (1, 0), (1, 0)]


def test_other_modes_count_the_stack_mod_4() -> None:
    core = made()
    core.threads[0].rows.stack = 6
    core.vector.registers[0] = 5
    blackhole_dst.SFPSTORE(core, 0, VD=0, Mod0=6, AddrMod=0, Imm10=8)
    assert core.matrix.dst[8, :4].tolist() == [0, 5, 0, 5]


def test_a_number_that_is_added_or_multiplied_may_be_negated() -> None:
    core = made()
    core.vector.registers[0] = bits(3.0)
    v.SFPMULI(core, 0, Imm16=0x4000, VD=0, Mod1=2)
    assert core.vector.registers[0].tolist() == bits(-6.0).tolist()
    v.SFPADDI(core, 0, Imm16=0x3F80, VD=0, Mod1=2)
    assert core.vector.registers[0].tolist() == bits(7.0).tolist()


# -- time


def cycles(text: str) -> tuple[int, list[str]]:
    session = ran("\n".join(f"@t1 {line}" for line in text.splitlines()))
    report = session.report()
    assert report.problems == ()
    return report.ticks, [hazard.code for hazard in report.hazards]


MAD = "SFPMAD VA=10, VB=10, VC=10, VD=1"


@pytest.mark.parametrize(
    ("after", "delay", "codes"),
    [
        ("SFPMOV VC=2, VD=3", 0, []),
        ("SFPMOV VC=1, VD=3", 1, []),
        ("SFPADD VA=10, VB=1, VC=2, VD=3", 1, []),
        ("SFPAND VB=1, VC=2, VD=3, Mod1=1", 0, ["E0551"]),
        ("SFPAND VC=2, VD=1", 1, []),
        ("SFPIADD VC=2, VD=1, Mod1=4", 0, ["E0551"]),
        ("SFPIADD VC=1, VD=2, Mod1=4", 1, []),
        ("SFPSHFT VC=2, VD=1", 0, ["E0551"]),
        ("SFPSWAP VC=1, VD=2, Mod1=0", 1, []),
        ("SFPSWAP VC=1, VD=2, Mod1=1", 0, ["E0551"]),
        ("SFPSHFT2 VC=1, VD=2, Mod1=3", 0, ["E0551"]),
    ],
)
def test_the_unit_delays_what_it_knows_to_read_a_result(
    after: str, delay: int, codes: list[str]
) -> None:
    alone, _ = cycles(f"SFPMAD VA=10, VB=10, VC=10, VD=7\n{after}")
    ticks, found = cycles(f"{MAD}\n{after}")
    assert (ticks - alone, found) == (delay, codes)


def test_a_rotation_is_followed_by_an_idle_cycle() -> None:
    other, idle = (
        cycles(f"SFPSHFT2 VC=1, VD=2, Mod1=3\n{line}\nSFPMOV VC=4, VD=3")[0]
        for line in ("SFPMOV VC=4, VD=5", "SFPNOP")
    )
    assert other - idle == 1


def test_an_approximate_reciprocal_and_a_step_of_newton() -> None:
    # y = y * (2 - x * y), of which x = 3: the error is squared
    session = ran(
        "@t1 SFPLOADI VD=0, Mod0=0, Imm16=0x4040\n@t1 SFPLOADI VD=2, Mod0=0, Imm16=0x4000\n"
        "@t1 SFPARECIP VC=0, VD=1\n@t1 SFPMAD VA=0, VB=1, VC=2, VD=3, Mod1=NEGATE_VA\n"
        "@t1 SFPMUL VA=1, VB=3, VC=9, VD=4"
    )
    first, second = (np.uint32(register(session, n)[0]).view(np.float32) for n in (1, 4))
    assert abs(first - 1 / 3) * 3 < 0.006
    assert abs(second - 1 / 3) * 3 < 0.006**2
    assert session.report().hazards == ()
