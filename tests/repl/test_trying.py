"""Typed lines and changes at the prompt: what is understood, what is shown, what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from nasm.apps.repl import input, main
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.base.source import Source
from nasm.debugger.session import Session
from tests.repl.conftest import Tried

PROGRAM = """\
.target trn2
.sbuf x f32[128, 8]
.sem go
@vector Memset x, 1.0  $go >= 2
@scalar Nop
"""


@pytest.fixture
def tried() -> Tried:
    out = io.StringIO()
    shell = Shell(ReplScreen(out))
    shell.adopt(Session.load(Source("held.nasm", PROGRAM)))
    return Tried(shell, out)


def test_a_typed_line_shows_what_it_did_and_what_it_cost(tried: Tried) -> None:
    assert tried.does(".sbuf t f32[128, 4]") == "declared: 1 tensor, t\n"
    # 64 cycles at the least, of 1 / 0.96 ns: 0.067 µs
    assert tried.does("@vector Memset t, 1.5").startswith(
        "vector pc 1  Memset t, 1.5\n"
        "  vector cycles 0..64, 0.000..0.067 µs\n"
        "  busy 64, results after 64 cycles of vector (measured)\n"
        "meanwhile 1 instruction of the program completed\n"
        "  t 512 elements changed,  [0, 0] __ -> 1.5,  [0, 1] __ -> 1.5\n"
    )
    assert "elements changed" not in tried.does("@vector Memset t, 1.5")


def test_a_mnemonic_alone_is_a_typed_line_and_a_command_is_still_a_command(tried: Tried) -> None:
    tried.does("@gpsimd")
    assert "gpsimd pc 0  Memset x, 2" in tried.does("Memset x, 2")
    assert "gpsimd pc 1  Memset x, 3" in tried.does("execute Memset x, 3")
    assert "no command 'memset'" in tried.does("memset x, 2")
    assert "waits for $go >= 2" in tried.does("where")


def test_try_goes_back(tried: Tried) -> None:
    assert tried.does("try @gpsimd Memset x, 2").endswith(
        "and back: not started: 'step' or 'run' begins\n"
    )
    assert "__" in tried.does("print x")


def test_set_changes_each_kind_of_place(tried: Tried) -> None:
    assert "deadlock" in tried.does("run")
    assert tried.does("set $go = 2") == "$go 0 -> 2\n"
    assert tried.does("set @scalar %r3 = 4 + 1") == "@scalar %r3 uninitialised -> 5\n"
    assert tried.does("set x[0:2, 0:2] = 7") == (
        "  x[0:2, 0:2] 4 elements changed,  [0, 0] __ -> 7,  [0, 1] __ -> 7\n"
    )
    assert "finished" in tried.does("run")
    assert tried.does("set pc vector 0") == ("@vector pc 1 -> 0\nnext: Memset x, 1.0  $go >= 2\n")
    assert tried.does("skip @vector").startswith("@vector pc 0 -> 1\nvector has nothing left\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("@vector Memset y, 1", "nothing is called 'y'"),
        (".sbuf x f32[128, 8]", "'x' is already declared"),
        (".sbuff y f32[128, 8]", "did you mean '.sbuf'"),
        ("@", "error"),
        (".", "error"),
        ("try", "try which instruction?"),
        ("execute", "execute which instruction?"),
        ("set", "set what?"),
        ("set x", "no setting 'x'"),
        ("set x =", "set what to what"),
        ("set x == 3", "set what to what"),
        ("set pc", "set the pc of which engine"),
        ("set pc vector", "set the pc of which engine"),
        ("set pc vector nowhere", "no label 'nowhere'"),
        ("set pc vector 99", "no pc 99"),
        ("set pc vector line 99", "no instruction on line 99"),
        ("skip", "skip which engine's next instruction?"),
        ("skip gpsimd", "no instruction left to skip"),
        ("skip nobody", "no engine 'nobody'"),
    ],
)
def test_what_is_mistyped_is_said_and_moves_nothing(tried: Tried, line: str, said: str) -> None:
    before = tried.does("where")
    found = tried.does(line)
    assert "error[E" in found
    assert said in " ".join(found.split())
    assert tried.does("where") == before


def test_without_a_program_nothing_is_executed(bare: Tried) -> None:
    assert "no program is loaded" in bare.does("execute @vector Memset t, 1")
    assert "no program is loaded" in bare.does("skip")


def test_on_an_empty_machine_everything_works_that_a_workshop_begins_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "first.nasm"
    lines = [
        "where",
        "help Memset",
        ".sbuf t f32[128, 8]",
        "@vector Memset t, 2.0",
        "print t[0]",
        "info tensors",
        "back",
        "print t[0, 0]",
        "run",
        "@gpsimd Memset t, 3.0",
        f"save {path}",
        f"load {path}",
        "run",
        "print t[0, 0]",
    ]
    main(None, commands=lines)
    said = capsys.readouterr().out
    assert "error" not in said
    assert "nothing was executed yet" in said
    assert path.read_text() == (
        ".target trn2\n.sbuf t f32[128, 8]\n@vector Memset t, 2.0\n@gpsimd Memset t, 3.0\n"
    )


def test_saving_keeps_what_is_there(tried: Tried, tmp_path: Path) -> None:
    path = tmp_path / "a.nasm"
    tried.does("@gpsimd Memset x, 3.0")
    assert tried.does(f"save {path}") == f"saved 6 lines in {path}\n"
    assert path.read_text() == PROGRAM + "@gpsimd Memset x, 3.0\n"
    tried.does("@gpsimd Memset x, 4.0")
    assert "exists" in tried.does(f"save {path}")
    assert "4.0" not in path.read_text()
    assert "saved 7 lines" in tried.does(f"save {path} replace")
    assert "cannot write" in tried.does(f"save {tmp_path}/none/a.nasm")
    assert "save to which file?" in tried.does("save")


def test_another_target_is_asked_for_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(None, target="trn1", commands=["@vector Nop", "where"]) == 0
    assert main(None, target="trn9", commands=["where"]) == 2
    assert "no target 'trn9'" in capsys.readouterr().out


def test_a_block_is_typed_over_several_lines(tried: Tried) -> None:
    text = ".for i in 0..3  ; columns\n@gpsimd Memset x[:, i:i+1], i\n.end\nprint x[0, 0:4]"
    said = tried.does(*(line for _, line in input.commands(text.split("\n"))))
    assert said.splitlines()[1].split() == ["0", "0.0", "1.0", "2.0", "__"]


def test_the_report_says_that_the_run_was_changed_by_hand(tried: Tried) -> None:
    tried.does("set $go = 2", "@gpsimd Memset x, 3", "run")
    report = tried.shell.session.report()
    assert report.changes == ("set $go = 2", "@gpsimd Memset x, 3")
    assert "changed by hand: set $go = 2; @gpsimd Memset x, 3" in str(report)
    said = "changed by hand: set $go = 2; @gpsimd Memset x, 3"
    assert tried.does("report").endswith(f"{said}\n")
    tried.does("undo")
    assert tried.shell.session.report().changes == ("set $go = 2",)


def test_page_writes_the_run_so_far_and_no_file_that_exists(tried: Tried, tmp_path: Path) -> None:
    page, picture = tmp_path / "run.html", tmp_path / "run.svg"
    tried.does("step", "set $go 2")
    before = tried.does("where")
    assert tried.does(f"page {page}") == f"wrote {page}\n"
    assert "<title>held.nasm on" in page.read_text(encoding="utf-8")
    assert tried.does("where") == before
    assert "exists" in tried.does(f"page {page}")
    assert tried.does(f"page {page} replace", f"page {picture}") == f"wrote {picture}\n"
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert "page to which file?" in tried.does("page")
    assert "cannot write" in tried.does(f"page {tmp_path}/none/a.html")
