"""Typed lines and changes at the prompt: what is understood, what is shown, what is refused."""

from __future__ import annotations

import io

import pytest

from nasm.repl import help_commands  # noqa: F401  (declares the commands)
from nasm.repl.screen import Screen
from nasm.repl.shell import Shell
from nasm.session import Session
from nasm.source import Source
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
    shell = Shell(Screen(out))
    shell.adopt(Session.load(Source("held.nasm", PROGRAM)))
    return Tried(shell, out)


def test_a_typed_line_shows_what_it_did_and_what_it_cost(tried: Tried) -> None:
    assert tried.does(".sbuf t f32[128, 4]") == "declared: 1 tensor, t\n"
    # 64 cycles at the least, of 1 / 0.96 ns: 0.067 µs
    assert tried.does("@vector Memset t, 1.5").startswith(
        "vector pc 1  Memset t, 1.5\n"
        "  vector cycles 0..64, 0.000..0.067 µs\n"
        "  busy 64, results after 64 cycles of vector (measured)\n"
        "t: 512 of 512 elements changed\n"
        "  [0, 0] __ -> 1.5,  [0, 1] __ -> 1.5,  [0, 2] __ -> 1.5,  [0, 3] __ -> 1.5,  …\n"
        "meanwhile 1 instruction of the program completed\n"
    )
    assert "every element stays as it was" in tried.does("@vector Memset t, 1.5")


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
        "x: 4 of 4 elements changed\n"
        "  [0, 0] __ -> 7.0,  [0, 1] __ -> 7.0,  [1, 0] __ -> 7.0,  [1, 1] __ -> 7.0\n"
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
