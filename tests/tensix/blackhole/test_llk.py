"""Functions of tt-llk, and programs as such functions, with the macros of Blackhole."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm import assemble
from nasm.apps.cli import main
from nasm.language.printing.llk import llk_text
from nasm.language.printing.words import words_of

HEADER = """
inline void f() {
    TTI_SFPLOADI(0, 0, 0x4000);
    TTI_SFPGT(0, 0, 1, 8);
    TTI_SFPLOAD(1, 2, 5, 4);
    TTI_MVMUL(0, 0, 5, 8);
}
"""

MADE = [0x71000000 | 0x4000, 0x97000018, 0x70000000 | 1 << 20 | 2 << 16 | 5 << 13 | 4, 0x26014008]


def test_macros_have_their_operands_where_blackhole_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.h"
    path.write_text(HEADER)
    assert main(["llk", f"{path}:f", "--target", "blackhole", "--queue", "t1"]) == 0
    program = assemble(capsys.readouterr().out)
    assert words_of(program)["t1"] == MADE
    text = llk_text(program)
    assert "TTI_SFPGT(0, p_sfpu::LREG0, p_sfpu::LREG1, 8);" in text
    assert "TTI_SFPLOAD(p_sfpu::LREG1, InstrModLoadStore::FP16B, ADDR_MOD_5, 4);" in text


def test_wormhole_has_no_macro_of_what_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.h"
    path.write_text(HEADER)
    assert main(["llk", f"{path}:f", "--queue", "t1"]) != 0
    assert "TTI_SFPGT" in capsys.readouterr().err


def test_statements_in_a_program_are_words_of_its_machine() -> None:
    text = '@t1\n.llk "TTI_SFPGT(0, 0, 1, 8); TTI_SFPLOAD(1, 2, 5, 4);"\n'
    assert words_of(assemble(f".target blackhole\n{text}"))["t1"] == MADE[1:3]


def test_a_word_that_is_no_instruction_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.h"
    path.write_text("inline void f() { TTI_MVMUL(0, 0, 5, 8); }")
    assert main(["llk", f"{path}:f", "--queue", "t1"]) == 0
    assert words_of(assemble(capsys.readouterr().out))["t1"] == [0x26028008]
