"""``run --elf``: RISC-V code of cores from ELF files, with a program or without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tensix.riscv.elves import elf, words

FIVE = words(0x00500513, 0x00000073)  # li a0, 5; ecall
STORE = words(0x00500513, 0x10A02023, 0x00000073)  # li a0, 5; sw a0, 256(zero); ecall


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "b.elf").write_bytes(elf([(0, STORE, 0)], symbols={"main": 0}))
    (tmp_path / "t0.elf").write_bytes(elf([(0x6000, FIVE, 0)], 0x6000))
    text = ".target wormhole\n.l1 x u32[1] @ 256 output = zeros\n.expect x[0] == 5\n"
    (tmp_path / "p.nasm").write_text(text)
    return tmp_path


def test_files_run_alone_or_with_a_program(files: Path, ran: Any) -> None:
    given = f"brisc={files / 'b.elf'},trisc0={files / 't0.elf'}"
    alone = ran("run", "--elf", given, "--json")
    found = json.loads(alone.out)
    assert (alone.code, found["status"]) == (0, "finished")
    with_program = ran("run", files / "p.nasm", "--elf", given)
    assert with_program.code == 0
    assert "x[0] = 5" in with_program.out
    named = ran(
        "run", files / "p.nasm", "--elf", f"B={files / 'b.elf'}", "--elf", f"T0={files / 't0.elf'}"
    )
    assert named.out == with_program.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "the following arguments are required: program"),
        (("--elf", "b.elf"), "'b.elf' is not NAME=FILE"),
        (("--elf", "b=b.elf"), "no engine 'b'"),
        (("--elf", "brisc=c.elf"), "no file"),
        (("--elf", "brisc=p.nasm"), "the file is not called *.elf"),
        (("--elf", "brisc=b.elf", "--isolated"), "--elf does not go with --isolated"),
        (("--elf", "brisc=b.elf", "--watch"), "--elf does not go with --watch"),
    ],
)
def test_what_is_refused(
    arguments: tuple[str, ...], said: str, files: Path, ran: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    found = ran("run", *arguments)
    assert found.code in (1, 2)
    assert said in found.out + found.err
