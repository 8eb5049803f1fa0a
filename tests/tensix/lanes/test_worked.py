"""Facts of the documents, worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.lanes.arithmetic import SFPADD, SFPADDI, SFPMAD, SFPMULI
from nasm.targets.tensix.lanes.configuration import SFPCONFIG, SFPMOV
from nasm.targets.tensix.lanes.conversions import SFP_STOCH_RND, SFPCAST, SFPLOADI
from nasm.targets.tensix.lanes.dst_access import SFPLOAD, SFPSTORE, address, load
from nasm.targets.tensix.lanes.integers import SFPABS, SFPIADD, SFPLZ, SFPSHFT
from nasm.targets.tensix.lanes.permutations import SFPSHFT2, SFPSWAP, SFPTRANSP
from nasm.targets.tensix.lanes.predication import SFPCOMPC, SFPENCC, SFPPOPC, SFPPUSHC, SFPSETCC
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.lanes.randoms import following
from nasm.targets.tensix.lanes.tables import LUT8, LUT16, SFPLUT, SFPLUTFP32
from nasm.targets.tensix.lanes.unit import backdoor
from nasm.targets.tensix.state import Coprocessor
from tests.tensix.lanes.compare import Flat


@pytest.fixture
def core() -> Coprocessor:
    return Coprocessor(Flat())


def _floats(values: Any) -> Any:
    return np.asarray(values, np.float32).view(np.uint32)


def test_two_immediates_make_32_bits(core: Coprocessor) -> None:
    SFPLOADI(core, 0, VD=2, Mod0=10, Imm16=0xBEEF)
    SFPLOADI(core, 0, VD=2, Mod0=8, Imm16=0xDEAD)
    assert (core.vector.registers[2] == 0xDEADBEEF).all()


def test_an_immediate_as_fp16_has_no_denormals(core: Coprocessor) -> None:
    SFPLOADI(core, 0, VD=0, Mod0=1, Imm16=0x3C00)
    assert (core.vector.registers[0] == 0x3F800000).all()
    SFPLOADI(core, 0, VD=0, Mod0=1, Imm16=0x8000)
    assert (core.vector.registers[0] == 0x80000000 | 112 << 23).all()


def test_another_mode_of_immediates_is_refused(core: Coprocessor) -> None:
    with pytest.raises(Refused, match="SFPLOADI: Mod0 is 3"):
        SFPLOADI(core, 0, VD=0, Mod0=3, Imm16=1)


def test_constants_are_not_written(core: Coprocessor) -> None:
    before = core.vector.registers[8:16].copy()
    for VD in range(8, 12):
        SFPADDI(core, 0, Imm16=0x3F80, VD=VD)
    assert np.array_equal(core.vector.registers[8:16], before)
    assert core.vector.registers[15].tolist() == list(range(0, 64, 2))


def test_mad_of_l7_reads_and_writes_other_registers_in_each_lane(core: Coprocessor) -> None:
    held = core.vector.registers
    held[7] = np.arange(32) % 4
    held[:4] = _floats([[1.0], [2.0], [3.0], [4.0]])
    SFPMAD(core, 0, VA=5, VB=10, VC=10, VD=6, Mod1=12)  # L[L7] = L[L7] * 1 + 1
    for lane in range(32):
        wanted = [1.0, 2.0, 3.0, 4.0]
        wanted[lane % 4] += 1
        assert held[:4, lane].view(np.float32).tolist() == wanted
    assert not held[6].any()


def test_immediates_multiply_and_add(core: Coprocessor) -> None:
    core.vector.registers[1] = _floats(3.0)
    SFPMULI(core, 0, Imm16=0x4000, VD=1)  # 2
    SFPADDI(core, 0, Imm16=0xBF80, VD=1)  # -1
    assert (core.vector.registers[1] == _floats(5.0)).all()


def test_a_sum_of_negative_zeros_is_positive(core: Coprocessor) -> None:
    core.vector.registers[0] = 0x80000000
    SFPADD(core, 0, VA=10, VB=0, VC=0, VD=1)
    assert not core.vector.registers[1].any()


def test_a_load_takes_four_rows_and_even_or_odd_columns(core: Coprocessor) -> None:
    core.matrix.dst[...] = np.arange(1024 * 16).reshape(1024, 16)
    SFPLOAD(core, 0, VD=0, Mod0=6, AddrMod=0, Imm10=8)
    SFPLOAD(core, 0, VD=1, Mod0=6, AddrMod=0, Imm10=10)
    assert core.vector.registers[0, [0, 1, 9, 31]].tolist() == [128, 130, 146, 190]
    assert (core.vector.registers[1] == core.vector.registers[0] + 1).all()


def test_a_float_in_dst_is_in_two_rows_that_are_eight_apart(core: Coprocessor) -> None:
    core.vector.registers[0] = 0x40490FDB  # 0, 128, 0x490FDB
    SFPSTORE(core, 0, VD=0, Mod0=3, AddrMod=0, Imm10=8)
    assert core.matrix.dst[16:20, ::2].tolist() == [[0x4980] * 8] * 4
    assert core.matrix.dst[24:28, ::2].tolist() == [[0x0FDB] * 8] * 4
    assert np.flatnonzero(core.matrix.defined).tolist() == [*range(16, 20), *range(24, 28)]
    SFPLOAD(core, 0, VD=1, Mod0=3, AddrMod=0, Imm10=8)
    assert (core.vector.registers[1] == 0x40490FDB).all()


@pytest.mark.parametrize(
    ("Mod0", "value", "stored"),
    [
        (1, 0x3F800000, 15),  # 1.0
        (1, 0xC7800000, 0x801F),  # -65536: no infinity in the way
        (1, 0xC8000000, 0xFFFF),  # -131072 becomes the largest number
        (1, 0x38000000, 0),  # 2**-15 is too small
        (1, 0xB8000000, 0x8000),
        (2, 0x3FFFFFFF, 0x7F7F),  # truncated
        (2, 0x80400000, 0x8000),
        (5, 0x80000005, 0x8000 | 5 << 5 | 16),
        (13, 0xFFFFFFFB, 0x8000 | 5 << 5 | 16),
        (8, 0x80012345, 0x8000 | 0x2345),
        (14, 0x12345678, 0x5678),
        (15, 0x12345678, 0x1234),
        (11, 0x12345678, 0),
    ],
)
def test_16_bits_are_stored_in_a_format(
    core: Coprocessor, Mod0: int, value: int, stored: int
) -> None:
    core.vector.registers[3] = value
    SFPSTORE(core, 0, VD=3, Mod0=Mod0, AddrMod=0, Imm10=0)
    assert (core.matrix.dst[:4, ::2] == stored).all()
    assert not core.matrix.dst[:4, 1::2].any()


def test_denormals_are_stored_unless_the_simulator_is_followed(core: Coprocessor) -> None:
    core.vector.registers[0] = 0x80000001
    SFPSTORE(core, 0, VD=0, Mod0=3, AddrMod=0, Imm10=0)
    assert (core.matrix.dst[8:12, ::2] == 1).all()
    simulator = Quirks(store_flushes_denormals=True)
    SFPSTORE(core, 0, VD=0, Mod0=3, AddrMod=0, Imm10=0, quirks=simulator)
    assert (core.matrix.dst[:4, ::2] == 0x8000).all()
    assert not core.matrix.dst[8:12].any()


def test_an_address_adds_up_and_the_counter_moves_after_it(core: Coprocessor) -> None:
    own = core.threads[1]
    own.rows.dst, own.config[1] = 6, 1000
    own.rows.fidelity = 1
    core.config[0, 6] = 20
    own.config[23 + 2] = 2 | 1 << 13  # modifier 2: Dst by 2, fidelity by 1
    core.matrix.dst[:4, 1] = 7
    assert address(core, 1, 6, 0) == 2
    assert address(core, 1, 10, 3) == 1000 + 3 + 2
    SFPLOAD(core, 1, VD=0, Mod0=6, AddrMod=2, Imm10=0)
    assert core.vector.registers[0, :2].tolist() == [7, 0]
    assert own.rows.dst == 8
    assert own.rows.fidelity == 1


def test_many_addresses_are_loaded_at_once(core: Coprocessor) -> None:
    core.matrix.dst[...] = np.random.default_rng(1).integers(0, 1 << 16, (1024, 16))
    wide = Coprocessor(Flat())
    wide.vector.registers = np.zeros((17, 32, 32), np.uint32)
    for Mod0 in (1, 2, 3, 6, 13):
        load(wide.vector, core.matrix.dst, 0, Mod0, np.arange(0, 64, 2))
        for i in range(32):
            load(core.vector, core.matrix.dst, 0, Mod0, 2 * i)
            assert np.array_equal(wide.vector.registers[0, i], core.vector.registers[0])


def test_a_load_that_captures_also_has_the_place(core: Coprocessor) -> None:
    core.vector.lane_config[...] = 0b1100
    SFPLOAD(core, 0, VD=1, Mod0=11, AddrMod=0, Imm10=6)
    assert core.vector.registers[5, [0, 9]].tolist() == [4 << 4 | 1, 5 << 4 | 3]


def test_an_addition_sets_flags_by_the_sign_and_inverts_them_even_if_it_leaves_them(
    core: Coprocessor,
) -> None:
    SFPIADD(core, 0, Imm12=0xFFF, VC=15, VD=0, Mod1=1)  # 2 * lane - 1
    assert core.vector.registers[0, :2].tolist() == [0xFFFFFFFF, 1]
    assert core.vector.flag.tolist() == [True] + [False] * 31
    SFPIADD(core, 0, Imm12=0, VC=15, VD=0, Mod1=1 | 4 | 8)
    assert core.vector.flag.tolist() == [False] + [True] * 31


def test_leading_zeros_and_shifts(core: Coprocessor) -> None:
    held = core.vector.registers
    held[0, :4] = [0, 1, 0x80000000, 0x00FFFFFF]
    SFPLZ(core, 0, VC=0, VD=1, Mod1=0)
    assert held[1, :4].tolist() == [32, 31, 0, 8]
    held[2], held[3, :4] = 0x80000001, [4, 0xFFFFFFFF, 33, 0xFFFFFFE0]  # 4, -1, 33, -32
    SFPSHFT(core, 0, Imm12=0, VC=3, VD=2)
    assert held[2, :4].tolist() == [0x10, 0x40000000, 2, 0x80000001]


def test_absolute_values_leave_what_has_none(core: Coprocessor) -> None:
    held = core.vector.registers
    held[0, :4] = [0x80000000, 0xFF800000, 0xFF800001, 0xBF800000]
    SFPABS(core, 0, VC=0, VD=1, Mod1=1)
    assert held[1, :4].tolist() == [0, 0x7F800000, 0xFF800001, 0x3F800000]
    SFPABS(core, 0, VC=0, VD=1, Mod1=0)
    assert held[1, :2].tolist() == [0x80000000, 0x00800000]
    SFPABS(core, 0, VC=0, VD=1, Mod1=1, quirks=Quirks(abs_keeps_minus_infinity=True))
    assert held[1, 1] == 0xFF800000


def test_integers_become_floats_with_ties_to_even(core: Coprocessor) -> None:
    held = core.vector.registers
    held[0, :4] = [(1 << 24) + 1, (1 << 24) + 3, 0x80000003, 0x80000000]
    SFPCAST(core, 0, VC=0, VD=1)
    assert held[1, :4].tolist() == [0x4B800000, 0x4B800002, 0xC0400000, 0x80000000]


@pytest.mark.parametrize(
    ("Mod1", "value", "rounded"),
    [
        (3, 2.5, 3),
        (3, -2.5, 0x80000003),
        (3, -0.5, 0x80000001),
        (3, -0.49, 0),
        (3, -1000.0, 0x8000007F),
        (2, -1000.0, 255),
        (6, 65535.5, 65535),
        (7, float("nan"), 32767),
        (1, 1.00390625, 0x3F810000),  # 1 + 2**-8: a tie, away from zero
        (0, -0.0, 0),
    ],
)
def test_rounding_is_to_nearest_ties_away(
    core: Coprocessor, Mod1: int, value: float, rounded: int
) -> None:
    core.vector.registers[0] = _floats(value)
    SFP_STOCH_RND(core, 0, 0, 0, 0, VC=0, VD=1, UseImm5=0, Mod1=Mod1)
    assert (core.vector.registers[1] == rounded).all()
    assert not core.vector.random.any()


def test_rounding_at_random_takes_what_is_cut_off_for_a_chance(core: Coprocessor) -> None:
    core.vector.registers[0] = _floats(2.25)
    core.vector.random[:3] = [0, 0x200000, 0x200001]  # 0.25 of 2**23, and one more
    SFP_STOCH_RND(core, 0, 1, 0, 0, VC=0, VD=1, UseImm5=0, Mod1=2)
    assert core.vector.registers[1, :3].tolist() == [3, 3, 2]
    core.vector.registers[0], core.vector.random[...] = _floats(2.0), 0
    SFP_STOCH_RND(core, 0, 1, 0, 0, VC=0, VD=1, UseImm5=0, Mod1=2)
    assert (core.vector.registers[1] == 3).all()  # the bias: it was exact
    core.vector.random[...] = 0
    SFP_STOCH_RND(core, 0, 1, 0, 0, 0, 1, 0, 2, quirks=Quirks(rounding_bias=False))
    assert (core.vector.registers[1] == 2).all()


def test_random_numbers_go_on_only_where_they_are_drawn(core: Coprocessor) -> None:
    state = np.array([0, 0x80000000, 3, 1], np.uint32)
    assert following(state).tolist() == [0x80000000, 0x40000000, 0x80000001, 0]
    core.vector.uses_flag[1:] = True
    SFPMOV(core, 0, VC=9, VD=0, Mod1=8)
    assert core.vector.random.tolist() == [0x80000000] + [0] * 31


def test_an_else_executes_the_other_lanes(core: Coprocessor) -> None:
    v = core.vector
    SFPENCC(core, 0, Imm2=3, Mod1=10)
    v.registers[0] = np.where(np.arange(32) < 10, 0x80000000, 5)
    SFPPUSHC(core, 0)
    SFPSETCC(core, 0, Imm1=0, VC=0, Mod1=0)
    SFPLOADI(core, 0, VD=1, Mod0=2, Imm16=1)
    SFPCOMPC(core, 0)
    SFPLOADI(core, 0, VD=1, Mod0=2, Imm16=2)
    SFPPOPC(core, 0)
    assert v.registers[1].tolist() == [1] * 10 + [2] * 22
    assert v.flag.all()
    assert v.stack == ()


def test_the_stack_has_room_for_eight(core: Coprocessor) -> None:
    for _ in range(8):
        SFPPUSHC(core, 0)
    with pytest.raises(Refused, match="8 entries"):
        SFPPUSHC(core, 0)
    for _ in range(8):
        SFPPOPC(core, 0)
    with pytest.raises(Refused, match="empty"):
        SFPPOPC(core, 0)


def test_peeking_at_a_full_stack_damages_its_bottom(core: Coprocessor) -> None:
    for _ in range(8):
        SFPPUSHC(core, 0)
        core.vector.flag[...] = True
    bottom, top = core.vector.stack[0], core.vector.stack[-1]
    SFPPOPC(core, 0, Mod1=13, quirks=Quirks(stack_bug=False))
    assert core.vector.stack[0] == bottom != top
    SFPPOPC(core, 0, Mod1=13)
    assert core.vector.stack[0] == top


def test_entries_of_tables() -> None:
    assert LUT8[[0x00, 0x0F, 0x10, 0x90, 0xFF]].view(np.float32).tolist() == [
        1,
        1.9375,
        0.5,
        -0.5,
        0,
    ]
    assert LUT16[[0x3C00, 0x0000, 0x8001, 0x7C00]].view(np.float32).tolist() == [
        1, 2**-15, -(1 + 2**-10) * 2**-15, 0,
    ]  # fmt: skip


def test_a_table_of_8_bits_is_chosen_by_size(core: Coprocessor) -> None:
    held = core.vector.registers
    held[0], held[1], held[2] = 0x00FF, 0x10FF, 0x1000  # x, x / 2, x / 2 + 1
    held[3, :4] = _floats([0.75, -1.5, 2.0, -8.0])
    SFPLUT(core, 0, VD=4, Mod0=0)
    assert held[4, :4].view(np.float32).tolist() == [0.75, 0.75, 2, 5]
    SFPLUT(core, 0, VD=4, Mod0=4)
    assert held[4, :4].view(np.float32).tolist() == [0.75, -0.75, 2, -5]


@pytest.mark.parametrize(("Mod1", "cut"), [(2, 3.0), (3, 4.0)])
def test_six_entries_of_16_bits_are_halves(core: Coprocessor, Mod1: int, cut: float) -> None:
    held = core.vector.registers
    one, off = 0x3C00, 0x7C00  # 1 and 0 as entries
    for n in range(3):
        held[n] = off << 16 | off
        held[4 + n] = (one + (2 * n + 1)) << 16 | one + 2 * n  # 1 + piece * 2**-10
    held[3, :6] = _floats([0.25, 0.5, 1.25, -1.75, 2.75, cut])
    SFPLUTFP32(core, 0, VD=0, Mod1=Mod1)
    assert ((held[0, :6].view(np.float32) - 1) * 1024).tolist() == [0, 1, 2, 3, 4, 5]


def test_three_entries_of_16_bits_write_what_l7_says(core: Coprocessor) -> None:
    held = core.vector.registers
    held[:3], held[3], held[7] = 0x3C007C00, _floats(5.0), 6
    SFPLUTFP32(core, 0, VD=4, Mod1=10)
    assert (held[6] == _floats(5.0)).all()
    assert not held[4].any()
    SFPLUTFP32(core, 0, VD=4, Mod1=10, quirks=Quirks(table_bug=False))
    assert (held[4] == _floats(5.0)).all()


def test_swaps_order_zeros_and_nans(core: Coprocessor) -> None:
    held = core.vector.registers
    held[0, :3], held[1, :3] = [0, 0x7FC00000, 0xFFC00000], [0x80000000, 0x7F800000, 0xFF800000]
    SFPSWAP(core, 0, VC=0, VD=1, Mod1=1)
    assert held[1, :3].tolist() == [0x80000000, 0x7F800000, 0xFFC00000]
    assert held[0, :3].tolist() == [0, 0x7FC00000, 0xFF800000]


def test_a_swap_with_indices_takes_them_along(core: Coprocessor) -> None:
    held = core.vector.registers
    core.vector.lane_config[...] = 4
    held[0], held[1], held[4], held[5] = _floats(1.0), _floats(2.0), 10, 20
    SFPSWAP(core, 0, VC=0, VD=1, Mod1=1)
    assert held[[0, 1, 4, 5], 0].tolist() == [*_floats([2.0, 1.0]), 20, 10]


def test_rows_of_four_registers_are_transposed(core: Coprocessor) -> None:
    held = core.vector.registers
    held[:8] = np.arange(256).reshape(8, 32)
    SFPTRANSP(core, 0)
    assert held[1, 17] == 2 * 32 + 9  # row 2 of L1 is row 1 of L2
    assert held[6, 31] == 7 * 32 + 23
    SFPTRANSP(core, 0)
    assert held[:8].ravel().tolist() == list(range(256))


def test_lanes_rotate_within_rows_and_a_shift_has_the_bug(core: Coprocessor) -> None:
    held = core.vector.registers
    held[0], held[1] = np.arange(32), 100 + np.arange(32)
    SFPSHFT2(core, 0, Imm12=0, VC=0, VD=2, Mod1=3)
    assert held[2, :9].tolist() == [7, 0, 1, 2, 3, 4, 5, 6, 15]
    SFPSHFT2(core, 0, Imm12=0, VC=1, VD=2, Mod1=4)
    assert held[2, :9].tolist() == [7, 100, 101, 102, 103, 104, 105, 106, 15]
    SFPSHFT2(core, 0, Imm12=0, VC=9, VD=9, Mod1=3)  # as documents advise
    SFPSHFT2(core, 0, Imm12=0, VC=1, VD=2, Mod1=4)
    assert held[2, [0, 1, 8]].tolist() == [0, 100, 0]


def test_a_register_moves_up_a_row_in_a_chain(core: Coprocessor) -> None:
    held = core.vector.registers
    held[:4] = np.arange(128).reshape(4, 32)
    SFPSHFT2(core, 0, Imm12=0, VC=0, VD=0, Mod1=1)
    assert held[:3].ravel().tolist() == list(range(32, 128))
    assert held[3].tolist() == [*range(8, 32), *[0] * 8]


def test_configuration_is_of_columns(core: Coprocessor) -> None:
    core.vector.registers[0] = np.arange(32)
    SFPCONFIG(core, 0, Imm16=0b101, VD=12, Mod1=8)  # columns 0 and 1
    assert core.vector.registers[12, [0, 1, 2, 9, 26]].tolist() == [0, 1, 0x37800000, 1, 0x37800000]
    SFPCONFIG(core, 0, Imm16=0, VD=12, Mod1=1)
    assert (core.vector.registers[12] == _floats(2**-16)).all()


def test_masked_rows_do_not_execute(core: Coprocessor) -> None:
    SFPCONFIG(core, 0, Imm16=0b0110 << 12, VD=15, Mod1=1)
    SFPLOADI(core, 0, VD=0, Mod0=2, Imm16=9)
    assert core.vector.registers[0].tolist() == [9] * 8 + [0] * 16 + [9] * 8


def test_an_instruction_with_vd_from_12_on_becomes_a_template(core: Coprocessor) -> None:
    word = 0x84 << 24 | 0xAB9 << 8 | 14 << 4  # SFPMAD with VD 14
    assert backdoor(core.vector, word, 14)
    assert (core.vector.templates[2] == word).all()
    assert not backdoor(core.vector, word & ~0x80, 6)
    core.vector.uses_flag[3] = True
    with pytest.raises(Refused, match="not all lanes execute"):
        backdoor(core.vector, word, 14)
    core.vector.lane_config[...] = 2
    assert not backdoor(core.vector, word, 14)
