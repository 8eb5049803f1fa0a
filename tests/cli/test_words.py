"""``asm --words`` and ``dis --words``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PROGRAM = """\
.target wormhole
@t1
    MVMUL  FlipSrcA=1, DstRow=8
    .word  0xff000000, data=true
"""
TEXT = ".target wormhole\n@t1\n26400008\nff000000\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.nasm"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_words_are_printed_and_read_back(ran: Any, program: Path, tmp_path: Path) -> None:
    assert ran("asm", program, "--words").out == TEXT
    words = tmp_path / "words.txt"
    words.write_text(TEXT, encoding="utf-8")
    assert ran("dis", words, "--words").out == (
        ".target wormhole\n\n@t1\n    MVMUL clear_dvalid=CLR_A, dst=8\n"
        "    .word 0xff000000, data=true  ; no instruction has the opcode 0xff\n"
    )


def test_bytes_are_written_and_read_back(ran: Any, program: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.bin"
    assert ran("asm", program, "--words", "-o", path).code == 0
    assert path.read_bytes() == bytes.fromhex("08004026 000000ff")
    back = ran("dis", path, "--words", "--target", "wormhole", "--queue", "t2").out
    assert "@t2\n    MVMUL clear_dvalid=CLR_A, dst=8\n" in back


def test_another_form_is_printed_and_read_back(ran: Any, program: Path, tmp_path: Path) -> None:
    printed = ran("asm", program, "--words", "--form", "ttinsn").out
    assert printed == ".target wormhole\n@t1\n99000020\nfc000003\n"
    words = tmp_path / "words.txt"
    words.write_text(printed, encoding="utf-8")
    assert "MVMUL clear_dvalid=CLR_A, dst=8" in ran("dis", words, "--words", "--form", "ttinsn").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--words", "--form", "rv"], "have no form 'rv'"),
        (["--words", "--queue", "t0"], "no words are in @t0"),
        (["--form", "ttinsn"], "--form is about words: it goes with --words"),
        (["--words", "--strip"], "--strip is about object files"),
    ],
)
def test_what_does_not_fit_is_said(ran: Any, program: Path, words: list[str], said: str) -> None:
    done = ran("asm", program, *words)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize("more", [["-o", "w.bin"], ["--queue", "t0"]])
def test_a_program_without_words_has_none_to_choose(
    ran: Any, tmp_path: Path, more: list[str]
) -> None:
    path = tmp_path / "empty.nasm"
    path.write_text(".target wormhole\n", encoding="utf-8")
    done = ran("asm", path, "--words", *more)
    assert done.code == 2
    assert "there are words in no queue" in done.err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"26400008", "words do not say what machine they are for"),
        (b".target wormhole\n2640000g", "'2640000g' is no word"),
        (b".target wormhole\n@t9 1", "no engine 't9'"),
        (b".target trn1\n1", "no public document says what words"),
        (b"\0\1\2", "has 3 bytes; wanted words of 4"),
    ],
)
def test_files_that_hold_no_words_are_refused(
    ran: Any, tmp_path: Path, data: bytes, said: str
) -> None:
    path = tmp_path / "w"
    path.write_bytes(data)
    done = ran("dis", path, "--words")
    assert done.code == 2
    assert said in done.err


def test_isa_lists_the_instructions_of_a_target(ran: Any) -> None:
    listed = ran("isa", "--target", "wormhole").out
    assert "SFPSHFT2" in listed
    assert "TensorTensor" not in listed
    assert "|a|b|. .|c|. .| d |. . . . .|       DstRow      |" in ran("isa", "MVMUL").out
