"""Code of cores as words, and words as code: by ``asm --words`` and ``dis --words``."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from nasm.apps.cli import main
from tests.parts import part
from tests.tensix.riscv.compiled import compiler, linked
from tests.tensix.riscv.elves import elf, words
from tests.tensix.riscv.test_elf import PUSH, SOURCE, START

PROGRAM = """\
.target wormhole
.rv B
    li   a0, 3
again:
    addi a0, a0, -1
    bnez a0, again
    space 8
    word 0x12345678
.rv T0
    ttinsn 0xA4000008
    ebreak
"""


def printed(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    assert main(list(given)) == 0
    return capsys.readouterr().out


def test_code_of_each_core_is_printed_as_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words are assembled by hand, and ttinsn is its word rotated left by two."""
    (tmp_path / "a.nasm").write_text(PROGRAM)
    assert printed(capsys, "asm", "--words", str(tmp_path / "a.nasm")).splitlines() == [
        ".target wormhole",
        "@brisc", "00300513", "fff50513", "fe051ee3", "00000000", "00000000", "12345678",
        "@trisc0", "90000022", "00100073",
    ]  # fmt: skip


def test_words_become_lines_that_have_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in part(range(40), 4):
        choose = random.Random(seed)
        opcodes = (0x13, 0x33, 0x03, 0x23, 0x63, 0x6F, 0x67, 0x37, 0x17, 0x73, 0x0F)
        some = [choose.getrandbits(32) & ~0x7F | choose.choice(opcodes) for _ in range(60)]
        some += [choose.getrandbits(32) for _ in range(20)]
        file, text = tmp_path / "words.bin", tmp_path / "words.nasm"
        file.write_bytes(words(*some))
        core = choose.choice(("brisc", "trisc0", "trisc2", "ncrisc"))
        given = ("--words", "--target", "wormhole", "--queue", core, str(file), "-o", str(text))
        printed(capsys, "dis", *given)
        back = tmp_path / "back.bin"
        printed(capsys, "asm", "--words", str(text), "--queue", core, "-o", str(back))
        assert back.read_bytes() == file.read_bytes(), seed


def test_a_compiled_program_is_that_of_objcopy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.which(compiler().replace("gcc", "objcopy"))
    if copy is None:
        pytest.skip("there is no objcopy for RISC-V")
    (tmp_path / "work.c").write_text(SOURCE)
    (tmp_path / "start.S").write_text(START.format(stack=0xFFB01000))
    made = linked([tmp_path / "start.S", tmp_path / "work.c"], tmp_path / "a.elf", 0, "-O2")
    subprocess.run([copy, "-O", "binary", str(made), str(tmp_path / "a.bin")], check=True)
    (tmp_path / "a.nasm").write_text('.target wormhole\n.rv B\n.include "a.elf"\n')
    given = ("--words", str(tmp_path / "a.nasm"), "--queue", "brisc")
    printed(capsys, "asm", *given, "-o", str(tmp_path / "ours.bin"))
    wanted = (tmp_path / "a.bin").read_bytes()
    assert (tmp_path / "ours.bin").read_bytes()[: len(wanted)] == wanted
    assert not any((tmp_path / "ours.bin").read_bytes()[len(wanted) :])


def test_an_elf_file_is_printed_as_lines_of_a_core(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.elf").write_bytes(elf([(0, PUSH, 6)], symbols={"start": 0, "data": 20}))
    given = ("--words", "--target", "wormhole", str(tmp_path / "a.elf"))
    text = printed(capsys, "dis", *given, "--queue", "brisc")
    assert text.startswith(".target wormhole\n\n@brisc\nrv_org 0x0\nstart:\nrv_lui t0, 0xffe40")
    assert "rv_lui" not in printed(capsys, "dis", *given, "--queue", "t0")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (".rv B\nnop\norg 0xFFB00000\nword 7", "is from 0x0 to 0xffb00003, too far apart"),
        (".rv B\norg 0x100\nnop\norg 0x100\nnop", "another line is at 0x100 already"),
    ],
)
def test_what_has_no_file_of_words(
    code: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.nasm").write_text(f".target wormhole\n{code}\n")
    assert main(["asm", "--words", str(tmp_path / "a.nasm")]) == 2
    assert said in capsys.readouterr().err
