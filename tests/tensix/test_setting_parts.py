"""Parts of a coprocessor set by hand: seen, stored in the right bits, and computed with."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.core.tensix import Tensix
from tests.tables import each

LANES = """\
@t1 SFPLOADI 0, 0, 0x3FC0
@t1 SFPMAD 0, 0, 9, 2, 0
@t1 SFPNOP
@t1 SFPMOV 0, 2, 3, 0
"""
"""LReg 2 becomes 1.5 times itself, and LReg 3 what LReg 2 is."""


def session(text: str = "@t0 NOP") -> Session:
    return Session.load(Source("set.nasm", f".target wormhole\n{text}\n"))


def core(of: Session) -> Tensix:
    held = of.machine.holds[0]
    assert isinstance(held, Tensix)
    return held


def shown(of: Session, text: str) -> object:
    return of.evaluate(text).array.tolist()


def test_a_register_is_set_lane_by_lane_or_in_bits_and_computed_with() -> None:
    one = session(LANES)
    one.step("t1", 1)
    one.set("lreg0", 2)
    one.set("lreg0[3, 7]", -0.5)
    one.set("lreg0[0, 1].view(u32)", 0x40400000)
    one.run()
    expected = np.full((4, 8), 4.0)
    expected[3, 7], expected[0, 1] = 0.25, 9
    assert shown(one, "lreg3") == expected.tolist()
    one.set("lreg1[0, 0].view(u32)", 0x7F800001)  # a signalling NaN stays one
    assert core(one).vector.registers[1, 0] == 0x7F800001


@pytest.mark.parametrize("number", [8, 9, 10, 15])
def test_constants_of_the_hardware_are_not_set(number: int) -> None:
    with pytest.raises(Refused, match=r"constant of the hardware|lreg15 can be looked at, and not"):
        session().set(f"lreg{number}", 1)
    session().set("lreg11", 1)


@pytest.mark.parametrize(
    ("cfg", "value", "bits"),
    [
        ("", 1.0, 0x007F),  # {sign, mantissa 7, exponent 8}
        ("", -1.5, 0xC07F),
        ("", 1 + 2**-9, 0x007F),  # rounded to the nearest BF16
        ("ALU_FORMAT_SPEC_REG0_SrcA = f16", 1.5, 0x400F),  # {sign, mantissa 10, exponent 5}
    ],
)
def test_a_number_of_dst_is_stored_in_the_format_that_it_is_seen_in(
    cfg: str, value: float, bits: int
) -> None:
    one = session(f".cfg {cfg}\n@t0 NOP" if cfg else "@t0 NOP")
    one.set("dst[5, 3]", value)
    assert int(core(one).matrix.dst[5, 3]) == bits
    assert shown(one, "dst16[5, 3]") == bits


def test_a_number_of_32_bits_is_in_two_rows_of_dst() -> None:
    one = session(".cfg ALU_ACC_CTRL_Fp32_enabled = 1\n@t0 NOP")
    one.set("dst[0, 0]", 1 + 2**-20)
    assert shown(one, "dst[0, 0]") == 1 + 2**-20
    assert core(one).matrix.dst[[0, 8], 0].tolist() == [0x007F, 0x0008]


def test_integers_of_dst_have_a_sign_and_a_magnitude() -> None:
    one = session(".cfg ALU_ACC_CTRL_INT8_math_enabled = 1\n@t0 NOP")
    one.set("dst[1, 2]", -3)
    assert shown(one, "dst[1, 2]") == -3
    assert shown(one, "dst32[1, 2]") == 0x80000003
    one.set("srcb[0, 4, 5]", -7)
    assert shown(one, "srcb[0, 4, 5]") == -7
    assert int(core(one).matrix.srcb[0, 4, 5]) == 1 << 18 | 7 << 8 | 16
    with pytest.raises(Refused, match="takes -1023 to 1023, found 1024"):
        one.set("srca[0, 0, 0]", 1024)


def test_tf32_and_bf16_are_rounded_into_elements_of_srca() -> None:
    one = session(".cfg ALU_FORMAT_SPEC_REG0_SrcA = tf32\n@t0 NOP")
    one.set("srca[1, 2, 3]", 1 + 2**-10 + 2**-12)
    assert shown(one, "srca[1, 2, 3]") == 1 + 2**-10
    one = session()
    one.set("srca[1, 2, 3]", 1 + 2**-7 + 2**-9)
    assert shown(one, "srca[1, 2, 3]") == 1 + 2**-7


def test_a_row_of_dst_that_is_set_is_defined_then() -> None:
    one = session()
    with pytest.raises(Refused, match="uninitialised"):
        one.set("dst[1]", "dst[0]")
    one.set("dst[0]", 1)
    one.set("dst[1]", "dst[0] + 1")
    assert shown(one, "dst[1]") == [2.0] * 16
    assert core(one).matrix.defined[:3].tolist() == [True, True, False]


def test_a_mutex_that_is_freed_lets_who_waits_for_it_go_on() -> None:
    one = session("@t0 ATGETM 3\n@t1 NOP\n@t1 ATGETM 3")
    assert one.run().status is Status.DEADLOCK
    one.set("mutex3", "free")
    assert one.run().status is Status.FINISHED
    assert shown(one, "mutex3") == 1
    with pytest.raises(Refused, match="there is no mutex 1"):
        one.set("mutex1", "t0")
    with pytest.raises(Refused) as refused:
        one.set("mutex2", "t7")
    assert refused.value.hint == "words for it are free, t0, t1 and t2"


def test_a_semaphore_that_is_set_ends_a_wait_of_the_gate() -> None:
    one = session(
        "@t0 SEMINIT 4, 0, 2\n@t1 STALLWAIT 0x2, 0x80\n@t1 SEMWAIT 0x2, 2, 1\n@t1 SEMGET 2"
    )
    assert one.run().status is Status.DEADLOCK
    one.set("semaphore1[0]", 1)
    assert one.run().status is Status.FINISHED
    assert shown(one, "semaphore1") == [0, 4]


def test_fields_of_the_configuration_take_numbers_and_words_by_bank_and_by_thread() -> None:
    one = session()
    one.set("ALU_FORMAT_SPEC_REG0_SrcA", "bf16")
    assert shown(one, "ALU_FORMAT_SPEC_REG0_SrcA") == [5, 5]
    one.set("ALU_FORMAT_SPEC_REG0_SrcA[1]", "tf32")
    assert shown(one, "ALU_FORMAT_SPEC_REG0_SrcA") == [5, 4]
    one.set("CFG_STATE_ID_StateID[2]", 1)
    assert [int(own.config[0]) & 1 for own in core(one).threads] == [0, 0, 1]
    before = core(one).vector.random.copy()
    one.set("PRNG_SEED_Seed_Val", 7)
    assert not np.array_equal(before, core(one).vector.random)
    with pytest.raises(Refused, match="ALU_FORMAT_SPEC_REG0_SrcA takes 0 to 15, found 16"):
        one.set("ALU_FORMAT_SPEC_REG0_SrcA", 16)


def test_counters_registers_and_words_of_expanders_are_set_by_thread() -> None:
    one = session("@t1 REPLAY 0, 1, 0, 0\n@t0 NOP")
    one.set("rwc[1, 0]", 16)
    assert core(one).threads[1].rows.dst == 16
    one.set("gpr[2, 63]", 0xFFFFFFFF)
    assert int(core(one).threads[2].registers[63]) == 0xFFFFFFFF
    one.set("adc[0, 1, 0, 2, 0]", 255)
    assert int(core(one).threads[0].adc[1, 0, 2, 0]) == 255
    one.set("replay[1, 0]", 0x02000000)
    one.set("mop[1, 5]", 0x02000000)
    assert int(core(one).threads[1].mop[5]) == 0x02000000
    for place, value in (("rwc[1, 7]", 2), ("rwc[0, 2]", 64), ("adc[0, 0, 0, 3, 1]", 256)):
        with pytest.raises(Refused, match="takes 0 to"):
            one.set(place, value)
    with pytest.raises(Refused, match="holds uint32, found 4294967296"):
        one.set("gpr[0, 0]", 1 << 32)


def test_flags_are_set_where_lanes_use_them() -> None:
    one = session("@t1 SFPENCC 3, 0, 0, 10")  # every lane uses its flag, which is set
    with pytest.raises(Refused, match="lane 0 does not use its flag"):
        one.set("flag", 0)
    one.run()
    one.set("flag[1, 2:4]", 0)
    assert np.flatnonzero(~core(one).vector.flag).tolist() == [10, 11]
    assert shown(one, "sum(active)") == 30
    with pytest.raises(Refused, match="holds 0 or 1"):
        one.set("flag[0, 0]", 2)


def test_what_is_due_by_then_does_not_overwrite_what_is_set() -> None:
    one = session("@t1 SFPLOADI 0, 0, 0x3FC0\n@t1 SFPMUL 0, 0, 9, 2, 0")
    one.run()
    one.set("lreg2", 8)
    core(one).settle()
    assert shown(one, "lreg2[0, 0]") == 8


@pytest.mark.parametrize("name", ["active", "requests"])
def test_what_follows_from_others_is_looked_at_alone(name: str) -> None:
    with pytest.raises(Refused, match="can be looked at, and not be set"):
        session().set(name, 1)


@each("part", TARGET.parts(TARGET.generations[0]), ids=lambda part: part.name)
def test_setting_a_part_to_what_it_is_changes_nothing(part: object) -> None:
    """Every part that can be set takes what is seen of it."""
    one = session(LANES)
    one.run()
    name = part.name  # type: ignore[attr-defined]
    if part.put is None:  # type: ignore[attr-defined]
        with pytest.raises((Failure, Refused)):
            one.set(name, 0)
        return
    before = repr(core(one).save())
    if name in ("dst", "dst16", "dst32", "flag", "mutexes"):
        return  # of these nothing is known here
    name = {"lreg": "lreg[0:8]", "config": "CLR_DVALID_SrcA_Disable"}.get(name, name)
    assert one.set(name, one.evaluate(name).array).count == 0
    assert repr(core(one).save()) == before
