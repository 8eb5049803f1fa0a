"""Names of expressions at the prompt: given, listed, completed, recorded, kept by a reload."""

from __future__ import annotations

from pathlib import Path

from nasm.apps.repl.suggest import suggest
from tests.repl.conftest import Tried


def test_a_name_is_given_and_listed_and_forgotten(toy: Tried) -> None:
    assert toy.does("let") == "no expression has a name: let NAME = EXPRESSION\n"
    assert toy.does("let err = y - X") == "err = y - X\n"
    assert toy.does("let worst=max( err )") == "worst = max( err )\n"
    assert toy.does("let") == "name   means\nerr    y - X\nworst  max( err )\n"
    toy.does("run")
    assert toy.does("p worst") == "worst = 7\n"
    assert toy.does("display err[0]").startswith("1: err[0]  float64[2]\n")
    assert "'err' is used by worst = max( err )" in toy.does("unlet err")
    assert toy.does("unlet worst") == ""
    assert toy.does("unlet err", "let") == "no expression has a name: let NAME = EXPRESSION\n"
    assert "nothing is called 'err'" in toy.does("display")


def test_what_let_cannot_take_is_said(toy: Tried) -> None:
    assert "a name and an expression, found 'err'" in toy.does("let err")
    assert "'X' is a tensor of the program" in toy.does("let X = 1")
    assert "forget which name?" in toy.does("unlet")
    assert "did you mean 'err'?" in toy.does("let err = y - X", "unlet er")


def test_a_name_completes_with_what_it_is_for(toy: Tried) -> None:
    toy.does("let err = y - X")
    for typed in ("p e", "display e", "watch e", "set e", "why e", "let q = e", "unlet e"):
        found = [s for s in suggest(typed, toy.shell.names) if s.text == "err"]
        assert [s.meta for s in found] == ["a name for y - X"], typed
    toy.does("unlet err")
    assert not [s for s in suggest("p e", toy.shell.names) if s.text == "err"]


def test_names_are_recorded_and_done_again(toy: Tried, tmp_path: Path) -> None:
    path = tmp_path / "steps.txt"
    for line in (f"record {path}", "let err = y - X", "let X = 2", "record off"):
        toy.shell.take(line)
    assert path.read_text() == "let err = y - X\n; let X = 2  (failed)\n"
    toy.does("unlet err", f"source {path}")
    assert toy.shell.session.named == {"err": "y - X"}


def test_the_file_loaded_again_keeps_names_and_says_which_are_gone(
    bare: Tried, tmp_path: Path
) -> None:
    path = tmp_path / "a.nasm"
    path.write_text(".target trn2\n.sbuf t f32[1, 2]\n.sem s\n@vector Memset t, 1.0\n")
    bare.does(f"load {path}", "let a = t + 1", "let posts = $s + 1")
    bare.does("break Memset after if max(a) > 0")
    path.write_text(
        ".target trn2\n.sbuf t f32[1, 2]\n@vector Memset t, 2.0\n@vector Reciprocal t, t\n"
    )
    assert bare.does("load").splitlines()[1:] == ["posts = $s + 1 is gone: no semaphore '$s'"]
    assert "breakpoint 1: @vector pc 0 (Memset" in bare.does("run")
    assert bare.does("p max(a)") == "max(a) = 3\n"
    assert bare.does("restart", "let") == "name  means\na     t + 1\n"
