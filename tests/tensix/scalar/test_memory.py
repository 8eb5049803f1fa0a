"""Loads, stores and atomics on L1 against plain bytes: what they do, when, and what they await."""

from __future__ import annotations

import random

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.scalar import memory
from nasm.targets.tensix.scalar.forms import STOREIND
from nasm.targets.tensix.scalar.unit import hold, waits_for_unit
from nasm.targets.tensix.state import Coprocessor
from tests.parts import part
from tests.tensix.scalar.cores import Flat, made

STEPS = (0, 2, 4, 16)


def bytes_of(core: Coprocessor) -> np.ndarray:
    assert isinstance(core.l1, Flat)
    return core.l1.bytes


def put(core: Coprocessor, address: int, *words: int) -> None:
    raw = b"".join(word.to_bytes(4, "little") for word in words)
    bytes_of(core)[address : address + len(raw)] = [*raw]


def word(core: Coprocessor, address: int) -> int:
    return int.from_bytes(bytes(bytes_of(core)[address : address + 4].tolist()), "little")


@pytest.mark.parametrize("size", range(4))
def test_random_loads_and_stores(size: int) -> None:
    draw = random.Random(size)
    core = made()
    registers, l1 = core.threads[0].registers, bytes_of(core)
    count = (16, 4, 2, 1)[size]
    for _ in part(range(2000), 250):
        memory_before = [draw.getrandbits(8) for _ in range(4096)]
        l1[:4096] = memory_before
        held = [draw.getrandbits(32) for _ in range(64)]
        address, offset_half = draw.randrange(64), 2 * draw.randrange(64) + draw.randrange(2)
        held[address] = draw.randrange(100)
        if offset_half // 2 == address:
            continue
        offset = draw.randrange(2000)
        shift = 16 * (offset_half % 2)
        held[offset_half // 2] &= ~(0xFFFF << shift)
        held[offset_half // 2] |= offset << shift
        step, reg = draw.randrange(4), draw.randrange(64)
        registers[:] = held
        where = held[address] * 16 + offset
        where -= where % count
        loads = draw.random() < 0.5
        held[offset_half // 2] &= ~(0xFFFF << shift)
        held[offset_half // 2] |= (offset + STEPS[step]) % 65536 << shift
        first = reg - reg % 4 if size == 0 else reg
        raw = b"".join(v.to_bytes(4, "little") for v in held)
        if loads:
            later = memory.LOADIND(core, 0, size, offset_half, step, reg, address)
            assert registers.tolist() == held
            later()
            after = bytearray(raw)
            after[4 * first : 4 * first + count] = bytes(memory_before[where : where + count])
            assert registers.view("u1").tolist() == [*after]
        else:
            done = STOREIND(core, 0, 1, size >> 1, size & 1, offset_half, step, reg, address)
            assert done is not None
            assert l1[:4096].tolist() == memory_before
            done()
            memory_before[where : where + count] = raw[4 * first : 4 * first + count]
            assert l1[:4096].tolist() == memory_before
            assert registers.tolist() == held


def test_an_offset_wraps_within_its_half() -> None:
    core = made()
    core.threads[0].registers[1] = 0x1234FFF8
    memory.LOADIND(core, 0, 1, 2, 3, 8, 0)()
    assert core.threads[0].registers[1] == 0x12340008


def test_a_load_takes_memory_as_it_is_then_and_the_register_as_it_was() -> None:
    core = made()
    core.threads[1].registers[0] = 4
    put(core, 64, 1)
    later = memory.LOADIND(core, 1, 1, 2, 0, 9, 0)
    put(core, 64, 2)
    core.threads[1].registers[0] = 8
    assert core.threads[1].requests == 1
    assert core.threads[0].requests == 0
    later()
    assert core.threads[1].registers[9] == 2
    assert core.threads[1].requests == 0


def test_a_store_takes_its_data_at_once() -> None:
    core = made()
    core.threads[0].registers[5] = 7
    later = memory.STOREIND_L1(core, 0, 1, 2, 0, 5, 0)
    core.threads[0].registers[5] = 8
    later()
    assert word(core, 0) == 7


def test_behind_the_end_of_l1_there_is_nothing() -> None:
    core = made()
    core.threads[0].registers[0] = WORMHOLE.l1_bytes // 16
    with pytest.raises(Refused, match="0x16e000 is beyond the end of L1"):
        memory.LOADIND(core, 0, 1, 2, 0, 9, 0)
    assert core.threads[0].requests == 0
    core.threads[0].registers[0] -= 1
    memory.LOADIND(core, 0, 0, 2, 0, 9, 0)()


def test_atincget_adds_within_its_width_and_returns_the_old_word() -> None:
    draw = random.Random(8)
    core = made()
    registers = core.threads[0].registers
    for _ in part(range(3000), 400):
        width, ofs, old, step = (
            draw.randrange(32),
            draw.randrange(4),
            draw.getrandbits(32),
            draw.choice((1, 3, draw.getrandbits(32))),
        )
        put(core, 160 + 4 * ofs, old)
        registers[3], registers[7] = 10, step
        later = memory.ATINCGET(core, 0, width, ofs, 7, 3)
        registers[7] = 99
        later()
        size = 2 ** (width + 1)
        assert word(core, 160 + 4 * ofs) == old // size * size + (old + step) % size
        assert registers[7] == old


def test_atswap_stores_the_halves_of_its_mask_and_reads_nothing_back() -> None:
    core = made()
    registers = core.threads[0].registers
    registers[8:12] = 0x11110000, 0x33332222, 0x55554444, 0x77776666
    registers[0] = 2
    put(core, 32, *[0xAAAAAAAA] * 4)
    memory.ATSWAP(core, 0, 0, 0b10010110, 10, 0)()
    found = [word(core, 32 + 4 * i) for i in range(4)]
    assert found == [0x1111AAAA, 0xAAAA2222, 0xAAAA4444, 0x7777AAAA]
    assert registers[8:12].tolist() == [0x11110000, 0x33332222, 0x55554444, 0x77776666]
    put(core, 32, *[0xAAAAAAAA] * 4)
    memory.ATSWAP(core, 0, 1, 0b00111111, 10, 0)()
    assert [word(core, 32 + 4 * i) for i in range(4)] == [0, 0, 0x55554444, 0xAAAAAAAA]


def fifo_model(read: int, write: int, width: int, pushes: bool) -> bool:
    """Whether a counter may be stepped: by the definition of full and empty."""
    size = (write - read) % 2**32
    if not pushes:
        return size != 0
    capacity = 2 ** (width - 1) if width else 0x8000
    return not (size % capacity == 0 and size != 0)


def test_atincgetptr_against_plain_counters() -> None:
    draw = random.Random(9)
    core = made()
    registers = core.threads[2].registers
    outcomes = set()
    for _ in part(range(5000), 600):
        width, ofs, log2, still = (
            draw.randrange(16),
            draw.randrange(4),
            draw.randrange(16),
            draw.randrange(2),
        )
        words = [
            draw.randrange(40) if draw.random() < 0.8 else draw.getrandbits(32) for _ in "0123"
        ]
        registers[1], registers[2] = 3, 0
        put(core, 48, *words)
        may = fifo_model(words[0], words[1], width, bool(ofs & 1))
        wait = memory.waits_for_fifo(core, 2, width, ofs, 1)
        assert (wait is None) == may
        outcomes.add((may, ofs & 1))
        if may:
            memory.ATINCGETPTR(core, 2, still, log2, width, ofs, 2, 1)
            assert registers[2] == words[ofs]
            size, step = 2**width, 0 if still else 2**log2
            words[ofs] = words[ofs] // size * size + (words[ofs] + step) % size
        assert [word(core, 48 + 4 * i) for i in range(4)] == words
    assert len(outcomes) == 4


def test_a_full_and_an_empty_fifo_say_so() -> None:
    core = made()
    put(core, 0, 5, 13)
    wait = memory.waits_for_fifo(core, 0, 4, 1, 0)
    assert wait is not None
    assert wait.reason == "the FIFO at 0x0 is full: it holds 8, its capacity is 8"
    put(core, 0, 13)
    wait = memory.waits_for_fifo(core, 0, 4, 0, 0)
    assert wait is not None
    assert wait.reason == "the FIFO at 0x0 is empty: both counters are 13"


def test_atcas_compares_all_32_bits_and_sets_them() -> None:
    core = made()
    core.threads[0].registers[6] = 1
    put(core, 24, 0x10000003)
    wait = memory.waits_for_word(core, 0, 3, 2, 6)
    assert wait is not None
    assert wait.reason == "the word at 0x18 is 268435459, not 3"
    put(core, 24, 3)
    assert memory.waits_for_word(core, 0, 3, 2, 6) is None
    memory.ATCAS(core, 0, 9, 2, 6)
    assert word(core, 24) == 9


def test_what_waits_inside_of_the_unit_keeps_the_others_out() -> None:
    core = made()
    hold(core, 1)
    assert waits_for_unit(core, 1) is None
    wait = waits_for_unit(core, 0)
    assert wait is not None
    assert (wait.reason, wait.by) == ("an instruction of t1 waits in the scalar unit", (1,))
    memory.ATCAS(core, 2, 1, 0, 0)
    assert waits_for_unit(core, 0) is not None
    memory.ATCAS(core, 1, 1, 0, 0)
    assert waits_for_unit(core, 0) is None
