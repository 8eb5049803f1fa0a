"""Every verb that takes a program looks for included texts where -I says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nasm.apps.lsp.analysis import analyse
from nasm.apps.lsp.diagnostics import diagnostics, included

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


SECRET = "root:secret:19000:0:99999:7:::\n"


@pytest.mark.parametrize("name", ["shadow", "link.nasm"])
def test_no_line_of_a_file_that_is_no_program_is_shown(
    ran: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shadow").write_text(SECRET, encoding="utf-8")
    Path("link.nasm").symlink_to("shadow")
    Path("prog.nasm").write_text(f'.target trn2\n.include "{name}"\n', encoding="utf-8")
    for words in (["check"], ["check", "--json"], ["run"], ["list"], ["check", "--sarif", "-"]):
        done = ran(*words, "prog.nasm")
        assert done.code == 2
        assert f"{name} may not be included" in done.out + done.err
        assert "secret" not in done.out + done.err
        assert "root" not in done.out + done.err
    found = analyse(Path("prog.nasm").read_text(encoding="utf-8"), "prog.nasm")
    marked = str((diagnostics(found, found.problems), included(found, found.problems)))
    assert "may not be included" in marked
    assert "secret" not in marked
