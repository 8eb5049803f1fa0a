"""What executes an instruction asks for fields that its word has."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from nasm.targets.tensix.matrix import control
from nasm.targets.tensix.scalar import (
    adc,
    arithmetic,
    configuring,
    forms,
    memory,
    mover,
    registers_of_devices,
    unit,
)
from nasm.targets.tensix.scalar.timing import PACES
from nasm.targets.tensix.sync import gate, mutexes, semaphores
from nasm.targets.tensix.words import WORDS
from tests.tables import each

MODULES = (
    adc,
    arithmetic,
    configuring,
    control,
    forms,
    gate,
    memory,
    mover,
    mutexes,
    registers_of_devices,
    semaphores,
    unit,
)


def executing(mnemonic: str) -> list[Callable[..., Any]]:
    """The functions of that name, from where they are defined."""
    found = [vars(module).get(mnemonic) for module in MODULES]
    return [f for f in dict.fromkeys(found) if f is not None]


ARITHMETIC = [f"{op}DMAREG" for op in ("ADD", "SUB", "MUL", "BITWOP", "SHIFT", "CMP")]
MNEMONICS = [*PACES, *ARITHMETIC, "XMOV", "SETRWC", "INCRWC"]


@each("mnemonic", MNEMONICS)
def test_parameters_are_fields_of_the_word(mnemonic: str) -> None:
    (execute,) = executing(mnemonic)
    encoding = WORDS[mnemonic].encoding
    known = {field.name for field in encoding.fields()}
    first, second, *fields = inspect.signature(execute).parameters
    assert (first, second) == ("core", "thread")
    assert not {*fields} - known


@pytest.mark.parametrize(
    ("mnemonic", "busy", "latency", "shared", "blocks"),
    [
        ("DMANOP", 1, 1, True, True),
        ("REG2FLOP", 2, 2, True, True),
        ("LOADIND", 3, 10, True, True),
        ("ATINCGET", 3, 27, True, True),
        ("ATCAS", 15, 15, True, True),
        ("SETC16", 1, 1, False, False),
        ("WRCFG", 1, 2, True, False),
        ("SEMPOST", 1, 1, True, False),
        ("ATGETM", 1, 1, False, False),
        ("INCADCZW", 1, 1, False, False),
    ],
)
def test_paces_are_those_of_the_pages(
    mnemonic: str, busy: int, latency: int, shared: bool, blocks: bool
) -> None:
    pace = PACES[mnemonic]
    assert (pace.busy, pace.latency, pace.shared, pace.blocks) == (busy, latency, shared, blocks)
    assert pace.source.startswith("ISA documentation, ")
