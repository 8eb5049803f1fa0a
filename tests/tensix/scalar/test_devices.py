"""The mover, stores to SrcA and SrcB, what packers keep, FLUSHDMA, and what is out of reach."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.scalar.config import set_field
from nasm.targets.tensix.scalar.forms import SETDMAREG, STOREIND, waits_to_store
from nasm.targets.tensix.scalar.mover import XMOV, duration
from nasm.targets.tensix.scalar.registers_of_devices import LOADREG, STOREREG
from nasm.targets.tensix.scalar.unit import FLUSHDMA, hold, waits_for_unit, waits_to_flush
from nasm.targets.tensix.state import MATRIX, Coprocessor
from tests.tensix.scalar.cores import Flat, made


def moved(core: Coprocessor, into: int, source: int, units: int, direction: int) -> None:
    for name, value in (
        ("Destination_address", into >> 4),
        ("Source_address", source >> 4),
        ("Buffer_size", units),
        ("Transfer_direction", direction),
    ):
        set_field(core, 0, f"THCON_SEC0_REG6_{name}", value)
    XMOV(core, 0)()


def bytes_of(core: Coprocessor) -> np.ndarray:
    assert isinstance(core.l1, Flat)
    return core.l1.bytes


def test_the_mover_copies_and_clears_l1() -> None:
    core = made()
    l1 = bytes_of(core)
    l1[:64] = range(1, 65)
    moved(core, 0x1000, 16, 2, 3)
    assert l1[0x1000:0x1030].tolist() == [*range(17, 49), *[0] * 16]
    moved(core, 16, 0x2000, 1, 0)
    assert l1[:48].tolist() == [*range(1, 17), *[0] * 16, *range(33, 49)]
    moved(core, 16, 0, 0, 0)
    assert l1[0] == 1


def test_the_mover_writes_both_banks_of_the_configuration() -> None:
    core = made()
    l1 = bytes_of(core)
    l1[:32] = np.arange(8, dtype="<u4").view("u1") + 0
    moved(core, 184 * 4, 0, 2, 1)
    assert core.config[:, 184:].tolist() == [[0, 1, 2, 3]] * 2
    assert core.config[1, :4].tolist() == [4, 5, 6, 7]
    moved(core, 188 * 4, 0, 1, 2)
    assert not core.config[1, :4].any()


def test_the_mover_seeds_and_resets_as_other_writes_do() -> None:
    core = made()
    bytes_of(core)[:16] = np.array([9, 0, 0, 0], "<u4").view("u1")
    moved(core, 164 * 4, 0, 1, 1)
    assert len(set(core.vector.random.tolist())) == 32


def test_what_the_mover_reads_is_what_is_there_when_it_ends() -> None:
    core = made()
    set_field(core, 0, "THCON_SEC0_REG6_Destination_address", 2)
    set_field(core, 0, "THCON_SEC0_REG6_Buffer_size", 1)
    set_field(core, 0, "THCON_SEC0_REG6_Transfer_direction", 3)
    done = XMOV(core, 0)
    set_field(core, 0, "THCON_SEC0_REG6_Destination_address", 3)
    bytes_of(core)[0] = 5
    done()
    assert bytes_of(core)[[32, 48]].tolist() == [5, 0]


def test_what_the_mover_writes_nowhere_is_lost() -> None:
    core = made()
    bytes_of(core)[:64] = 7
    moved(core, 0x20000, 0, 4, 1)
    assert core.config[0].nonzero()[0].tolist() == [77, 78]
    assert not core.config[1].any()
    assert bytes_of(core).nonzero()[0].tolist() == [*range(64)]


def test_the_mover_fills_the_instruction_memory_of_nc() -> None:
    core = made()
    moved(core, 0x40010, 0, 4, 1)
    assert core.iram[:80].tolist() == [0] * 16 + bytes_of(core)[:64].tolist()
    assert core.iram_known.nonzero()[0].tolist() == [*range(16, 80)]


@pytest.mark.parametrize(
    ("into", "source", "units", "direction", "said"),
    [
        (WORMHOLE.l1_bytes, 0, 1, 3, "XMOV of 16 bytes to 0x16e000 leaves L1, of 0x16e000 bytes"),
        (WORMHOLE.l1_bytes - 16, 0, 2, 0, "XMOV of 32 bytes to 0x16dff0"),
        (0, WORMHOLE.l1_bytes, 1, 3, "XMOV of 16 bytes from 0x16e000"),
        (0xFFF0, 0, 2, 2, "leaves its region"),
        (1504, 0, 1, 2, "to bytes 1504 to 1519 of the configuration; its banks have 1504"),
    ],
)
def test_what_the_mover_cannot_reach(
    into: int, source: int, units: int, direction: int, said: str
) -> None:
    with pytest.raises(Refused, match=said):
        moved(made(), into, source, units, direction)


def test_the_movers_pace() -> None:
    """93.1 bits a cycle copied: eight units of 128 bits in 11 cycles; 128 cleared."""
    assert [duration(3, 128), duration(1, 256), duration(0, 128), duration(2, 16)] == [11, 22, 8, 1]
    assert round(8 * 1280 / duration(3, 1280), 1) == 93.1


def store(core: Coprocessor, to_b: int, offset: int = 0, step: int = 0) -> None:
    core.threads[0].registers[1] = offset
    assert STOREIND(core, 0, 0, 0, to_b, 2, step, 4, 0) is None


def test_four_bf16_go_to_a_row_in_two_orders_of_bits() -> None:
    """By hand: 1.5 is sign 0, exponent 127, mantissa 64; -2 sign 1, exponent 128, mantissa 0."""
    core = made()
    plain, in_dst_order = 0x3FC0, 64 << 8 | 127
    core.threads[0].registers[4:6] = plain << 16 | in_dst_order, 0xC000 << 16 | 1 << 15 | 128
    core.threads[0].registers[0] = 4 * 4 + 2
    store(core, 0)
    one_and_half, minus_two = 64 << 11 | 127, 1 << 18 | 128
    row = core.matrix.srca[0, 0].tolist()
    assert row == [0] * 8 + [one_and_half] * 2 + [minus_two] * 2 + [0] * 4
    assert not core.matrix.srcb.any()


def test_rows_of_stores_to_sources() -> None:
    core = made()
    core.threads[0].registers[4:6] = 0x3F80_0000
    core.threads[0].src_row = 16, 32
    for number, to_b, found in ((0, 1, 32), (15 * 4, 1, 47), (4 * 4, 0, 16), (19 * 4, 0, 31)):
        core.matrix.srca[...] = core.matrix.srcb[...] = 0
        core.threads[0].registers[0] = number
        store(core, to_b)
        held = core.matrix.srcb if to_b else core.matrix.srca
        assert held[0].any(axis=1).nonzero()[0].tolist() == [found]
    core.matrix.srca[...] = 0
    core.threads[0].registers[0] = 3 * 4
    store(core, 0)
    assert not core.matrix.srca.any()
    set_field(core, 0, "SRCA_SET_SetOvrdWithAddr", 1)
    core.threads[0].registers[0] = 67 * 4
    store(core, 0)
    assert core.matrix.srca[0].any(axis=1).nonzero()[0].tolist() == [63]
    for number, to_b, rows in ((68 * 4, 0, 63), (16 * 4, 1, 15)):
        core.threads[0].registers[0] = number
        with pytest.raises(Refused, match=f"rows 0 to {rows} are documented"):
            store(core, to_b)


def test_the_offset_of_a_store_to_a_source_counts_in_sixteenths() -> None:
    core = made()
    core.threads[0].registers[4] = 0x3F80_0000
    core.matrix.unpack_b = 1
    store(core, 1, 0x23, 3)
    assert core.matrix.srcb[1, 0].nonzero()[0].tolist() == [9]
    assert core.threads[0].registers[1] == 0x33


def test_a_store_to_a_source_waits_for_the_bank_of_the_unpackers() -> None:
    core = made()
    core.matrix.owner_a[0] = core.matrix.owner_b[1] = MATRIX
    wait = waits_to_store(core, 0, 0, 0)
    assert wait is not None
    assert wait.reason == "bank 0 of SrcA belongs to the matrix unit"
    assert waits_to_store(core, 0, 0, 1) is None
    assert waits_to_store(core, 1, 0, 0) is None


def special(
    core: Coprocessor, size: int, source: int, into: int, which: int = 0, half: int = 0
) -> None:
    SETDMAREG(core, 0, size, which << 7 | source << 3 | half, 1, into)


def test_histograms_of_exponents_come_to_registers() -> None:
    core = made()
    core.packers[2].histogram[:] = range(32)
    core.packers[0].largest_exponent = 200
    special(core, 2, 6, 2 * 9, which=6)
    special(core, 2, 7, 2 * 12, which=2)
    assert core.threads[0].registers[8:16].view("u1").tolist() == [*range(32)]
    special(core, 1, 7, 2 * 3, which=2, half=5)
    assert core.threads[0].registers[3].tobytes() == bytes([24, 25, 26, 27])
    special(core, 0, 9, 2 * 3 + 1)
    assert core.threads[0].registers[3].tobytes() == bytes([24, 25, 200, 0])


def test_other_sources_clear_a_quad_or_what_a_header_does_not_reserve() -> None:
    core = made()
    core.threads[0].registers[:] = 0xFFFFFFFF
    special(core, 2, 10, 2 * 5)
    special(core, 3, 15, 2 * 9)
    assert core.threads[0].registers[4:8].tolist() == [0] * 4
    assert core.threads[0].registers[8:12].tolist() == [0xFFFF0000, 0xFF00FFFF, 0, 0xFFFFFFFF]
    assert (core.threads[0].registers[12:] == 0xFFFFFFFF).all()


@pytest.mark.parametrize("source", [0, 1, 2, 3, 4, 5, 8])
def test_what_packers_tell_of_compression_is_refused(source: int) -> None:
    with pytest.raises(Refused, match=f"SETDMAREG from source {source} reads"):
        special(made(), 2, source, 0)


def test_registers_of_devices_are_refused_by_name() -> None:
    core = made()
    for low, said in (
        (0x11000, "TDMA-RISC"),
        (0x12000, "the control, debug and status registers of the tile"),
        (0x20004, "NoC 0"),
        (0x10FFC, "below 0xffb11000 is not documented"),
        (0x80000, "where the memory map has nothing"),
    ):
        with pytest.raises(Refused, match=said):
            LOADREG(core, 0, 0, low >> 2)
        with pytest.raises(Refused, match=said):
            STOREREG(core, 0, 0, low >> 2)
        core.threads[0].registers[3] = 0xABC00000 | low
        with pytest.raises(Refused, match=said):
            STOREIND(core, 0, 0, 1, 0, 0, 0, 0, 3)


class Idle:
    now = 0

    def __init__(self, *busy: tuple[str, int]) -> None:
        self.pairs = busy

    def busy(self, unit: str, thread: int) -> bool:
        return (unit, thread) in self.pairs


def test_flushdma_waits_for_all_four_unless_reported_which() -> None:
    core = made()
    for unit, bit in (("unpack0", 2), ("unpack1", 4), ("pack0", 8)):
        for mask in (0, bit):
            assert waits_to_flush(core, 0, mask, Idle((unit, 0))) is not None
        assert waits_to_flush(core, 0, 15 - bit, Idle((unit, 0))) is None
    assert waits_to_flush(core, 0, 0, Idle(("pack1", 0), ("matrix", 0), ("unpack0", 1))) is None
    core.threads[0].requests = 1
    wait = waits_to_flush(core, 0, 0, Idle())
    assert wait is not None
    assert "memory request" in wait.reason
    hold(core, 0)
    FLUSHDMA(core, 0, 0)
    assert waits_for_unit(core, 1) is None
