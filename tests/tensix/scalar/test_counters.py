"""ADC and RWC instructions against plain integers, by field, one counter after the other."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from nasm.targets.tensix.matrix.control import INCRWC, SETRWC
from nasm.targets.tensix.scalar import adc
from nasm.targets.tensix.state import Coprocessor
from tests.parts import part
from tests.tensix.scalar.cores import made

SIZES = (1 << 18, 1 << 13, 1 << 8, 1 << 8)
NAMES = "XYZW"
Counters = dict[tuple[int, int, int, str], list[int]]
"""By thread, unit (U0, U1, PK), channel and dimension: the counter and its carriage return."""


def counters(core: Coprocessor) -> Counters:
    return {
        (t, u, c, NAMES[d]): core.threads[t].adc[u, c, d].tolist()
        for t in range(3)
        for u in range(3)
        for c in range(2)
        for d in range(4)
    }


def fill(core: Coprocessor, draw: random.Random) -> None:
    for own in core.threads:
        for d in range(4):
            own.adc[:, :, d] = [
                [[draw.randrange(SIZES[d]) for _ in range(2)] for _ in range(2)] for _ in range(3)
            ]


def apply(model: Counters, place: tuple[int, int, int, str], how: str, value: int) -> None:
    size = SIZES[NAMES.index(place[3])]
    counter, cr = model[place]
    if how == "set":
        model[place] = [value % size] * 2
    elif how == "step":
        model[place] = [(counter + value) % size, cr]
    else:
        model[place] = [(cr + value) % size] * 2


FAMILIES: dict[str, tuple[Callable[..., None], str, str, bool]] = {
    "SETADCXY": (adc.SETADCXY, "set", "XY", True),
    "SETADCZW": (adc.SETADCZW, "set", "ZW", True),
    "INCADCXY": (adc.INCADCXY, "step", "XY", False),
    "INCADCZW": (adc.INCADCZW, "step", "ZW", False),
    "ADDRCRXY": (adc.ADDRCRXY, "return", "XY", True),
    "ADDRCRZW": (adc.ADDRCRZW, "return", "ZW", True),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_of_two_dimensions_change_what_is_selected(name: str) -> None:
    execute, how, dimensions, selects = FAMILIES[name]
    draw = random.Random(name)
    core = made()
    for _ in part(range(400), 80):
        fill(core, draw)
        model, thread, override = counters(core), draw.randrange(3), draw.randrange(4)
        units = [draw.randrange(2) for _ in range(3)]
        places = [(d, c) for c in (1, 0) for d in reversed(dimensions)]
        values = {f"{d}{c}": draw.randrange(8) for d, c in places}
        bits = {place: draw.randrange(2) for place in values}
        second1, first1, second0, first0 = values.values()
        mask = sum(8 >> n for n, bit in enumerate(bits.values()) if bit)
        execute(
            core,
            thread,
            CntSetMask=units[0] + 2 * units[1] + 4 * units[2],
            Ch1_Y=8 * override + second1,
            Ch1_X=first1,
            Ch0_Y=second0,
            Ch0_X=first0,
            **({"BitMask": mask} if selects else {}),
        )
        owner = override - 1 if override else thread
        for unit in range(3):
            for (d, c), (place, value) in zip(places, values.items(), strict=True):
                if units[unit] and (bits[place] or not selects):
                    apply(model, (owner, unit, c, d), how, value)
        assert counters(core) == model


def test_setadc_sets_one_counter_and_its_return() -> None:
    draw = random.Random(5)
    core = made()
    for _ in part(range(1500), 300):
        fill(core, draw)
        model, thread = counters(core), draw.randrange(3)
        units = [draw.randrange(2) for _ in range(3)]
        channel, dimension, value = draw.randrange(2), draw.randrange(4), draw.getrandbits(18)
        selected = units[0] + 2 * units[1] + 4 * units[2]
        adc.SETADC(core, thread, selected, channel, dimension, value)
        override = value // 65536
        for unit in range(3):
            if units[unit]:
                place = (override - 1 if override else thread, unit, channel, NAMES[dimension])
                apply(model, place, "set", value)
        assert counters(core) == model


def test_the_override_of_setadc_is_part_of_x() -> None:
    core = made()
    adc.SETADC(core, 0, 1, 0, adc.X, 0x20005)
    assert core.threads[1].adc[0, 0, 0].tolist() == [0x20005, 0x20005]
    assert not core.threads[0].adc.any()


def test_setadcxx_sets_x_of_both_channels() -> None:
    core = made()
    adc.SETADCXX(core, 2, 5, 255, 17)
    for unit, wanted in ((0, True), (1, False), (2, True)):
        x = core.threads[2].adc[unit, :, 0].tolist()
        assert x == ([[17, 17], [255, 255]] if wanted else [[0, 0], [0, 0]])
    assert not core.threads[2].adc[:, :, 1:].any()


def test_setrwc_and_incrwc_against_plain_integers() -> None:
    draw = random.Random(6)
    core = made()
    rows = core.threads[1].rows
    for _ in part(range(4000), 500):
        a, a_cr, b, b_cr = (draw.randrange(64) for _ in range(4))
        d, d_cr, phase = draw.randrange(1024), draw.randrange(1024), draw.randrange(4)
        rows.srca, rows.srca_cr, rows.srcb, rows.srcb_cr = a, a_cr, b, b_cr
        rows.dst, rows.dst_cr, rows.fidelity = d, d_cr, phase
        c_to_cr, cr_d, cr_b, cr_a, f, yes_d, yes_b, yes_a = (draw.randrange(2) for _ in range(8))
        by_d, by_b, by_a = (draw.randrange(16) for _ in range(3))
        if draw.random() < 0.5:
            SETRWC(
                core, 1, 0, 0, c_to_cr, cr_d, cr_b, cr_a, by_d, by_b, by_a, f, yes_d, yes_b, yes_a
            )
            if yes_a:
                a = a_cr = (by_a + (a_cr if cr_a else 0)) % 64
            if yes_b:
                b = b_cr = (by_b + (b_cr if cr_b else 0)) % 64
            if yes_d or c_to_cr:
                base = d if c_to_cr else d_cr if cr_d else 0
                d = d_cr = (by_d + base) % 1024
            phase = 0 if f else phase
        else:
            INCRWC(core, 1, cr_d, cr_b, cr_a, by_d, by_b, by_a)
            if cr_a:
                a_cr = (a_cr + by_a) % 64
            a = a_cr if cr_a else (a + by_a) % 64
            if cr_b:
                b_cr = (b_cr + by_b) % 64
            b = b_cr if cr_b else (b + by_b) % 64
            if cr_d:
                d_cr = (d_cr + by_d) % 1024
            d = d_cr if cr_d else (d + by_d) % 1024
        assert (rows.srca, rows.srca_cr, rows.srcb, rows.srcb_cr) == (a, a_cr, b, b_cr)
        assert (rows.dst, rows.dst_cr, rows.fidelity) == (d, d_cr, phase)
