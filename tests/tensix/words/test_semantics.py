"""How what executes a word is given: a function of its fields, under any of their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nasm.targets.tensix.core.instruction_start import started
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.words import WORDS


class Around:
    """Nothing around a coprocessor, at tick 0."""

    now, place, record = 0, None, 0

    def changed(self, *parts: str, record: int) -> None:
        """Nobody waits."""


def run(mnemonic: str, semantics: Callable[..., None], word: int) -> None:
    core: Any = Tensix(None, around=Around())  # type: ignore[arg-type]
    started(WORDS[mnemonic], semantics)(core, 2, word & 0xFFFFFF)


def test_semantics_get_the_fields_that_their_parameters_name() -> None:
    got = []

    def load(core: Any, thread: int, MemHierSel: int, Size: int, DataReg: int) -> None:
        """Take an operand, a field over two operands, and another name."""
        got.append((thread, MemHierSel, Size, DataReg))

    run("STOREIND", load, 0x66000000 | 1 << 23 | 2 << 21 | 5 << 6)
    assert got == [(2, 1, 2, 5)]


def test_a_field_with_a_sign_is_handed_with_it() -> None:
    got = []

    def shift(core: Any, thread: int, VD: int, Imm12: int) -> None:
        """Take them."""
        got.append((VD, Imm12))

    run("SFPSHFT2", shift, 0x94FFE010)
    assert got == [(1, -2)]


def test_a_parameter_that_is_no_field_fails_the_import() -> None:
    def multiply(core: Any, thread: int, DstRwo: int) -> None:
        """Take it."""

    with pytest.raises(TypeError, match="the word of MVMUL has no field DstRwo; it has"):
        started(WORDS["MVMUL"], multiply)
