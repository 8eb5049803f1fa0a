"""SETC16, WRCFG, RDCFG, RMWCIB, REG2FLOP: what they write, where, and when."""

from __future__ import annotations

import random

import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.scalar import configuring
from nasm.targets.tensix.scalar.forms import REG2FLOP
from tests.parts import part
from tests.tensix.scalar.cores import made

RMWCIB = configuring.RMWCIB0, configuring.RMWCIB1, configuring.RMWCIB2, configuring.RMWCIB3


def test_setc16_writes_the_threads_own_word() -> None:
    core = made()
    configuring.SETC16(core, 1, 56, 0xFFFF)
    assert [int(t.config[56]) for t in core.threads] == [0, 0xFFFF, 0]
    with pytest.raises(Refused, match="words 0 to 56; found 57"):
        configuring.SETC16(core, 1, 57, 0)


def test_wrcfg_writes_at_its_end_what_the_registers_were_at_its_start() -> None:
    core = made()
    configuring.SETC16(core, 1, 0, 1)
    core.threads[1].registers[4:8] = 1, 2, 3, 4
    later = configuring.WRCFG(core, 1, 6, 1, 58)
    core.threads[1].registers[4:8] = 0
    configuring.SETC16(core, 1, 0, 0)
    assert not core.config.any()
    later()
    assert core.config[1, 56:60].tolist() == [1, 2, 3, 4]
    assert core.config.sum() == 10


def test_wrcfg_of_one_word_needs_no_alignment() -> None:
    core = made()
    core.threads[0].registers[7] = 0xFFFFFFFF
    configuring.WRCFG(core, 0, 7, 0, 187)()
    assert core.config[:, 187].tolist() == [0xFFFFFFFF, 0xFFFFFFFF]
    assert configuring.written_by_WRCFG(core, 0, 187) == range(187, 188)
    assert configuring.written_by_WRCFG(core, 1, 187) == range(184, 188)
    with pytest.raises(Refused, match="words 0 to 187; found 188"):
        configuring.WRCFG(core, 0, 0, 0, 188)


def test_wrcfg_seeds_the_generators() -> None:
    core = made()
    core.threads[0].registers[0] = 77
    configuring.WRCFG(core, 0, 0, 0, 164)()
    assert len(set(core.vector.random.tolist())) == 32


def test_rdcfg_reads_the_threads_bank() -> None:
    core = made()
    core.config[:, 60] = 5, 6
    configuring.SETC16(core, 2, 0, 1)
    configuring.RDCFG(core, 2, 9, 60)
    assert core.threads[2].registers[9] == 6


def test_rdcfg_refuses_a_register_that_no_thread_has() -> None:
    with pytest.raises(Refused, match="registers 0 to 63, found 128"):
        configuring.RDCFG(made(), 0, 128, 60)


def test_rmwcib_writes_bits_of_a_byte() -> None:
    draw = random.Random(4)
    core = made()
    for _ in part(range(2000), 250):
        byte, mask, value, number = (
            draw.randrange(4),
            draw.getrandbits(8),
            draw.getrandbits(8),
            draw.randrange(5, 152),
        )
        old = draw.getrandbits(32)
        core.config[:, number] = old
        RMWCIB[byte](core, 0, mask, value, number)
        parts = [*old.to_bytes(4, "little")]
        parts[byte] = value & mask | parts[byte] & (255 - mask)
        assert core.config[:, number].tolist() == [int.from_bytes(bytes(parts), "little"), old]


def test_rmwcib_does_not_reset_the_state() -> None:
    core = made()
    core.config[...] = 0xFF
    RMWCIB[0](core, 0, 0xFF, 1, 4)
    assert core.config[0, 3:6].tolist() == [0xFF, 1, 0xFF]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_reg2flop_writes_a_word_of_thcon(size: int) -> None:
    core = made()
    core.threads[0].registers[5] = 0xABCD1234
    write = REG2FLOP(core, 0, size, 0, 3, 3, 99, 5)
    assert write is not None
    assert not core.config.any()
    core.threads[0].registers[5] = 0  # it was read at the start
    write()
    assert core.config[0, 52 + 99] == 0xABCD1234
    assert core.config[1].sum() == 0


def test_reg2flop_of_size_0_writes_four() -> None:
    core = made()
    core.threads[0].registers[4:8] = 1, 2, 3, 4
    write = REG2FLOP(core, 0, 0, 0, 0, 0, 6, 5)
    assert write is not None
    write()
    assert core.config[0, 56:60].tolist() == [1, 2, 3, 4]
    with pytest.raises(Refused, match="words 0 to 99 of THCON; found 100"):
        REG2FLOP(core, 0, 1, 0, 0, 0, 100, 0)
    with pytest.raises(Refused, match="TargetSel 1"):
        REG2FLOP(core, 0, 1, 1, 0, 0, 0, 0)


def test_reg2flop_to_counters_against_plain_integers() -> None:
    draw = random.Random(12)
    core = made()
    for _ in part(range(4000), 500):
        size, shift, override, sel = (draw.randrange(n) for n in (4, 4, 2, 4))
        channel, unit, cr, dimension, register = (draw.randrange(n) for n in (2, 4, 2, 4, 64))
        thread, value = draw.randrange(3), draw.getrandbits(32)
        for own in core.threads:
            own.adc[...] = 1
        core.threads[thread].registers[register] = value
        flop = channel << 5 | unit << 3 | cr << 2 | dimension
        REG2FLOP(core, thread, size, 2 + override, shift, sel, flop, register)
        if size == 0 or (size == 1 and shift) or (size == 2 and shift % 2):
            taken = 0
        elif size == 1:
            taken = value
        elif size == 2:
            taken = value >> (8 * shift) & 0xFFFF
        else:
            taken = value >> (8 * shift) & 0xFF
        wanted = [[1] * 48 for _ in range(3)]
        owner = sel if override else thread
        if owner < 3 and unit < 3:
            place = ((unit * 2 + channel) * 4 + dimension) * 2 + cr
            wanted[owner][place] = taken % (1 << (18, 13, 8, 8)[dimension])
        assert [own.adc.ravel().tolist() for own in core.threads] == wanted
