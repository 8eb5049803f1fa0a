"""Arithmetic on general registers against plain integers."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.scalar import arithmetic
from nasm.targets.tensix.scalar.forms import SETDMAREG
from nasm.targets.tensix.scalar.timing import arithmetic as pace
from tests.parts import part
from tests.tensix.scalar.cores import made

TWO = 2**32
PLAIN: dict[str, Callable[[int, int], int]] = {
    "ADDDMAREG": lambda a, b: (a + b) % TWO,
    "SUBDMAREG": lambda a, b: (a - b) % TWO,
    "MULDMAREG": lambda a, b: (a % 65536) * (b % 65536),
}
MODES: dict[str, tuple[Callable[[int, int], int], ...]] = {
    "BITWOPDMAREG": (lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b),
    "SHIFTDMAREG": (lambda a, b: a * 2 ** (b % 32) % TWO, lambda a, b: a // 2 ** (b % 32)),
    "CMPDMAREG": (
        lambda a, b: 1 if a > b else 0,
        lambda a, b: 1 if a < b else 0,
        lambda a, b: 1 if a == b else 0,
    ),
}
CASES = [(n, None, f) for n, f in PLAIN.items()]
CASES += [(n, mode, f) for n, fs in MODES.items() for mode, f in enumerate(fs)]


@pytest.mark.parametrize(("name", "mode", "wanted"), CASES)
def test_random_values(name: str, mode: int | None, wanted: Callable[[int, int], int]) -> None:
    draw = random.Random(f"{name}{mode}")
    core = made()
    registers = core.threads[1].registers
    special = (0, 1, 31, 32, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
    for _ in part(range(4000), 400):
        values = [draw.choice((draw.getrandbits(32), draw.choice(special))) for _ in range(64)]
        registers[:] = values
        const, result, right, left = draw.randrange(2), *(draw.randrange(64) for _ in range(3))
        modes = () if mode is None else (mode,)
        getattr(arithmetic, name)(core, 1, const, *modes, result, right, left)
        values[result] = wanted(values[left], right if const else values[right])
        assert registers.tolist() == values
    assert not core.threads[0].registers.any()


@pytest.mark.parametrize(
    ("name", "mode"), [("BITWOPDMAREG", 3), ("SHIFTDMAREG", 2), ("CMPDMAREG", 7)]
)
def test_other_modes_are_refused(name: str, mode: int) -> None:
    with pytest.raises(Refused, match=f"mode {mode} of {name} is not documented"):
        getattr(arithmetic, name)(made(), 0, 0, mode, 0, 0, 0)


def test_comparison_is_unsigned() -> None:
    core = made()
    core.threads[0].registers[:2] = 0xFFFFFFFF, 1
    arithmetic.CMPDMAREG(core, 0, 0, 0, 2, 1, 0)
    assert core.threads[0].registers[2] == 1


def test_two_halves_make_a_register() -> None:
    """TT_SETDMAREG(0, value, 0, half): the payload's two fields are one number of 16 bits."""
    core = made()
    for half, value in ((10, 0x5678), (11, 0xC234)):
        SETDMAREG(core, 2, value >> 14, value & 0x3FFF, 0, half)
    assert core.threads[2].registers[5] == 0xC2345678
    SETDMAREG(core, 2, 0, 1, 0, 10)
    assert core.threads[2].registers[5] == 0xC2340001


def test_a_quad_is_read_at_once() -> None:
    names = "OpBisConst", "OpBRegIndex", "OpARegIndex"
    found = [pace(dict(zip(names, n, strict=True))) for n in ((0, 4, 7), (0, 3, 4), (1, 3, 4))]
    assert [one.busy for one in found] == [3, 4, 3]
