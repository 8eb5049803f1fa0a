"""Every verb that takes a program looks for included texts where -I says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

LIBRARY = ".macro fill(x)\n@vector Memset x, 1.0\n.end\n"
PROGRAM = '.target trn2\n.include "own.nasm"\n.sbuf t f32[128, 8]\nfill(t)\n.expect t == 1\n'


@pytest.mark.parametrize(
    "verb",
    [
        ["run"],
        ["profile"],
        ["check"],
        ["print"],
        ["list"],
        ["list", "--explorer"],
        ["asm", "-o", "made.nobj"],
        ["sync"],
        ["repl", "-ex", "run"],
    ],
    ids=" ".join,
)
def test_included_texts_are_found(
    ran: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "own.nasm").write_text(LIBRARY, encoding="utf-8")
    Path("prog.nasm").write_text(PROGRAM, encoding="utf-8")
    name, *more = verb
    missing = ran(name, "prog.nasm", *more)
    assert "no file own.nasm" in missing.err + missing.out
    found = ran(name, "prog.nasm", "-I", "shared", *more)
    assert "own.nasm to include" not in found.err + found.out
    assert found.code == 0
