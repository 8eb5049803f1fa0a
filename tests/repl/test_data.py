"""Values and memory at the prompt: what commands print of them, and where they refuse."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from nasm.apps.repl import main
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.show import pictures
from tests.repl.conftest import COUNTDOWN, Tried
from tests.toy.target import TARGETS


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("p 3 + 4", "3 + 4 = 7\n"),
        ("p 1 / 3", "1 / 3 = 0.333333333\n"),
        ("p X[0, 1] + X[3, 0] > 6", "X[0, 1] + X[3, 0] > 6 = true\n"),
        ("p sum(x)", "sum(x) = __\n"),
        ("p $loaded", "$loaded = 0\n"),
        ("p/x $loaded", "$loaded = 0x00000000\n"),
        ("p @alpha.%r0", "@alpha.%r0 = __\n"),
        ("p/t 5", "5 = 0b101\n"),
        ("p/x 300 - 1", "300 - 1 = 0x12b\n"),
        ("p   argmax( X,\n axis=1 )[0]", "argmax( X, axis=1 )[0] = 1\n"),
        (
            "p X[:, 1].reshape(2, 2)",
            "X  float32[2, 2]  in ram\n"
            "       0    1\n"
            "  0  1.0  3.0\n"
            "  1  5.0  7.0\n"
            "  min 1  max 7  mean 4  4 elements\n",
        ),
        (
            "p X[:2] * x[0, 0:1]",
            "X[:2] * x[0, 0:1]  float64[2, 2]\n"
            "      0   1\n"
            "  0  __  __\n"
            "  1  __  __\n"
            "  4 elements  all uninitialised\n",
        ),
        (
            "p X[2:4] > 5",
            "X[2:4] > 5  bool[2, 2]\n"
            "         0      1\n"
            "  0  false  false\n"
            "  1   true   true\n"
            "  true in 2 of 4\n",
        ),
        ("p/s X", "X  float32[4, 2]  in ram\n  min 0  max 7  mean 3.5  8 elements\n"),
        (
            "p/t X[1, 0:1].view(u8)",
            "X  uint8[4]  in ram\n"
            "  0  00000000  00000000  00000000  01000000\n"
            "  min 0  max 64  mean 16  4 elements\n",
        ),
        (
            "x/3 X",
            "X  float32[3]\n"
            "  0  00000000  3f800000  40000000\n"
            "  min 0  max 2  mean 1  3 elements\n",
        ),
        (
            "p/p X",
            "X  float32[4, 2]  in ram\n"
            "   .\n"
            "  :=\n"
            "  +#\n"
            "  %@\n"
            "  ' .:-=+*#%@' is 0 to 7\n"
            "  4 rows of 2; a cell is an element\n",
        ),
        (
            "p/h X[0:2] // 2",
            "X[0:2] // 2  float64[2, 2]\n       0 .. 0.0625  2  " + "#" * 57 + "\n",
        ),
    ],
)
def test_a_value_is_printed(toy: Tried, line: str, said: str) -> None:
    assert toy.does(line).startswith(said)
    assert toy.shell.code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("p 3 +", "1 | 3 +"),
        ("p X + [1, 2, 3]", "do not match"),
        ("p/q X", "no format '/q'"),
        ("x", "examine what?"),
        ("x/q X", "examine what?"),
        ("x/8", "examine what?"),
        ("p/p 3", "a single number has no picture"),
        ("display/p X", "display shows no '/p'"),
        ("display X[9]", "index 9 is outside"),
        ("undisplay 1", "nothing is displayed"),
        ("compare X", "compare what with what?"),
        ("compare X, Z", "nothing is called 'Z'"),
        ("compare X, Y rtol=-1", "rtol= is a finite number of at least 0, found -1"),
        ('compare X "nowhere.npy"', "no file nowhere.npy"),
        ('compare X "nowhere"', "is not an array file"),
        ("write X", "write what, and where?"),
        ('write X "a.txt"', "no name for an array file"),
        ("info partition 4", "they are 0 to 3"),
        ("info partition x", "no partition 'x'"),
        ("info memory bnak", "no memory 'bnak'"),
        ("info banks bank 2", "no bank 2 in bank"),
        ("info ram 1", "ram has no bank 1"),
        ("info held gamma", "no engine or part 'gamma'"),
    ],
)
def test_what_cannot_be_shown_is_said(toy: Tried, line: str, said: str) -> None:
    assert said in toy.does(line)
    assert toy.shell.code == 1


def test_a_long_expression_is_cut_and_not_its_value(toy: Tried) -> None:
    said = toy.does(f"p {' + '.join(['1'] * 60)}")
    assert said.endswith("… = 60\n")
    assert len(said) <= 80


def test_displays_are_numbered_and_follow_the_run(toy: Tried) -> None:
    assert toy.does("display") == "nothing is displayed: display EXPRESSION begins it\n"
    assert toy.does("display $loaded") == "1: $loaded = 0\n"
    assert toy.does("display/x x[0]").splitlines()[0] == "2: x[0]  float32[1, 2]"
    toy.does("run")
    lines = toy.shell.displays.lines(toy.shell.session, 80)
    assert lines == ["1: $loaded = 2", "2: x[0]  float32[1, 2]", "     0  00000000  3f800000"]
    toy.does("undisplay 1")
    assert toy.does("display").splitlines()[0] == "2: x[0]  float32[1, 2]"
    assert toy.does("display 1 + 1") == "3: 1 + 1 = 2\n"
    toy.does("undisplay")
    assert toy.shell.displays.lines(toy.shell.session, 80) == []


def test_what_is_displayed_and_is_no_more_says_why(toy: Tried) -> None:
    toy.does("display y")
    toy.shell.adopt(Session.load(Source("o.nasm", ".target toy\n"), targets=TARGETS))
    assert toy.does("display") == "1: y: nothing is called 'y'\n"


def test_two_values_are_compared(toy: Tried) -> None:
    assert toy.does("compare X, X.T.T") == "8 elements: equal\n"
    assert toy.shell.code == 0
    assert toy.does("compare X, X + (X > 5)") == (
        "2 of 8 elements differ; the worst:\n"
        "  at      X  X + (X > 5)  difference\n"
        "  [3, 0]  6            7           1\n"
        "  [3, 1]  7            8           1\n"
    )
    assert toy.shell.code == 1
    assert "close, the largest difference is 1\n" in toy.does("compare X, X + (X > 5) atol=1")
    assert "nothing to compare" in toy.does("diff X, x")


def test_a_value_is_written_and_compared_with_its_file(
    toy: Tried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert toy.does('write X[0:2] "x.npy"') == "wrote X[0:2] to x.npy: float32[2, 2]\n"
    assert np.load("x.npy").tolist() == [[0, 1], [2, 3]]
    assert toy.does('compare X[0:2] "x.npy"') == "4 elements: equal\n"
    assert toy.shell.code == 0
    assert "exists already" in toy.does('write X[2:4] "x.npy"')
    assert np.load("x.npy").tolist() == [[0, 1], [2, 3]]
    assert toy.does('write X[2:4] "x.npy" replace').startswith("wrote X[2:4]")
    assert np.load("x.npy").tolist() == [[4, 5], [6, 7]]
    assert toy.does('write x + 1 "n.npy"').endswith("8 elements of it are not initialised\n")


def test_memory_banks_and_partitions(toy: Tried) -> None:
    assert toy.does("info banks bank 0") == (
        "memory  bank  written                state      tensors\n"
        "bank       0    0/128  ............  unwritten  x, y\n"
        "tensor  elements       partitions    bytes  written\n"
        "x       float32[4, 2]  0 to 3       0 .. 8        -\n"
        "y       float32[4, 2]  0 to 3      8 .. 16        -\n"
        "next writer: beta pc 0  Move x, X\n"
    )
    assert toy.does("run", "info partition 2") == (
        "memory  tensor  its row    bytes  written\n"
        "bank    x       [2]       0 .. 8      all\n"
        "bank    y       [2]      8 .. 16      all\n"
    )
    assert toy.does("info ram").splitlines()[0] == "ram: 64 of 4,096 bytes have an owner"
    assert toy.does("info held") == "no engine holds anything\n"


def test_without_values_memory_is_refused_politely(bare: Tried) -> None:
    session = Session.load(Source("toy.nasm", COUNTDOWN), targets=TARGETS, values=False)
    bare.shell.adopt(session)
    for line in (
        "p X",
        "p/p X",
        "x X",
        'write X "x.npy"',
        "compare X, Y",
        "info held",
        "info bank",
    ):
        assert "a run without values" in bare.does(line), line
    assert bare.does("p $loaded + 1") == "$loaded + 1 = 1\n"
    assert "unknown" in bare.does("info memory ram")
    assert "unknown" in bare.does("info tensors")


LOOKS = (
    *("p/p C[0:40]", "p/m A", "p/h C", "p C", "p/x a[3]", "p/t a[0:4]", "p max(abs(C - A.T @ B))"),
    *("display C[0:3] * 2", "display", "compare C, C + (C > 34)", "info memory", "info psum"),
    *("info psum 0", "info partition 9", "info held", "info held tensor", "info tensors"),
)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("system", ["", "standard", "truecolor"])
def test_every_view_keeps_to_its_width(
    width: int, system: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLORTERM", system)
    color = "always" if system else "never"
    assert main("programs/matmul.nasm", commands=["step 5", *LOOKS], color=color) <= 1
    _, _, out = _plain(capsys.readouterr().out).partition("\nC  float32[40, 512]")
    assert "error" not in out
    assert max(map(len, out.splitlines())) <= width
    assert ("▀" in out) is (system == "truecolor")
    assert ("'" + pictures.RAMP + "'" in out) is (system != "truecolor")


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_what_takes_long_is_said_on_a_terminal(toy: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[str] = []
    monkeypatch.setattr(toy.shell.screen, "passing", passed.append)
    toy.does("print x")
    assert passed == []
    monkeypatch.setattr("nasm.apps.repl.data_commands.MANY", 8)
    for line in ("print/h x", "print/s x", "print x"):
        toy.does(line)
    assert passed == ["looking at 8 elements"] * 3
