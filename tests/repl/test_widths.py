"""Everything is laid out for the columns there are."""

from __future__ import annotations

import io
import os

import pytest

from nasm.apps.repl.screen import ReplScreen
from nasm.show.columns import folded, in_ascii, squeezed, table
from tests.repl.conftest import Tried


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 7


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The columns of the terminal, to be changed."""
    found = [100]
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(
        os, "get_terminal_size", lambda fd=0: os.terminal_size((found[0] if fd == 7 else 66, 24))
    )
    return found


@pytest.mark.usefixtures("columns")
def test_a_pipe_has_80_columns() -> None:
    assert ReplScreen(io.StringIO()).width == 80


def test_a_terminal_has_as_many_as_it_has_now(columns: list[int]) -> None:
    screen = ReplScreen(Terminal())
    assert screen.width == 100
    columns[0] = 132
    assert screen.width == 132
    columns[0] = 12
    assert screen.width == 40
    columns[0] = 0  # it does not say
    assert screen.width == 80


@pytest.mark.usefixtures("columns")
def test_the_environment_and_a_setting_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "64")
    screens = ReplScreen(Terminal()), ReplScreen(io.StringIO())
    assert [s.width for s in screens] == [64, 64]
    monkeypatch.setenv("COLUMNS", "0")
    assert [s.width for s in screens] == [100, 80]
    for s in screens:
        s.settings.width = 50
    assert [s.width for s in screens] == [50, 50]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_what_commands_print_fits(toy: Tried, width: int) -> None:
    screen = ReplScreen(out := Terminal(), "never")
    screen.settings.width = width
    toy.shell.screen = screen
    for line in (
        "step 4",
        "run",
        "list",
        "where",
        "print x",
        "info queues",
        "info semaphores",
        "info banks",
        "info channels",
        "info registers",
        "info tensors",
        "info options",
        "info timing",
        "info settings",
        "help",
        "help step",
        "help info",
    ):
        out.truncate(0)
        toy.shell.execute(line)
        said = out.getvalue().replace("\0", "").replace("\r\x1b[K", "\n")
        assert said.strip()
        assert max(map(len, said.splitlines())) <= width, said


def test_a_sentence_is_folded_on_a_terminal_and_where_a_width_was_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    sentence = "  a sentence of 47 columns that goes on  and ends"
    folded = "  a sentence of 47 columns that goes on\n    and ends\n"
    for stream, width, said in (
        (io.StringIO(), None, f"{sentence}\n"),
        (io.StringIO(), 40, folded),
        (Terminal(), None, folded),
        (Terminal(), 40, folded),
    ):
        screen = ReplScreen(stream)
        screen.settings.width = width
        screen.say(sentence)
        assert stream.getvalue() == said


def test_no_column_of_a_table_is_lost_where_it_is_narrow() -> None:
    rows = [("alpha", "12", "Move x, X  $loaded += 2", "next"), ("beta", "3", "", "done")]
    heads = ("engine", ">pc", "text", "state")
    assert table(heads, rows, 43) == [
        "engine  pc  text                     state",
        "alpha   12  Move x, X  $loaded += 2  next",
        "beta     3                           done",
    ]
    assert table(heads, rows, 40)[1] == "alpha   12  Move x, X  $loaded +…  next"
    assert table(heads, rows, 30) == [
        "engine  pc  state",
        "  text",
        "alpha   12  next",
        "  Move x, X  $loaded += 2",
        "beta     3  done",
    ]


PROGRAM = [
    "again:  Move      x, X              $loaded += 2",
    "",
    "; a comment of any length, which has no columns",
    "@alpha  Wait            $loaded >= 2",
]


def test_lines_of_a_program_are_squeezed_together() -> None:
    assert squeezed(PROGRAM, 60) == PROGRAM
    # Blank in both lines with columns are 6 and 7, 12 to 17, 22 and 23: only 14 to 17 can go.
    assert squeezed(PROGRAM, 45) == [
        "again:  Move  x, X              $loaded += 2",
        "",
        "; a comment of any length, which has no columns",
        "@alpha  Wait        $loaded >= 2",
    ]


def test_what_is_longer_still_goes_on_in_the_next_line() -> None:
    assert folded("  7 | ", "again:  Move  x, X  $loaded += 2", 30) == [
        "  7 | again:  Move  x, X",
        "    |     $loaded += 2",
    ]
    assert folded("  7 | ", "Move  x, X", 30) == ["  7 | Move  x, X"]
    assert folded("  7 | ", "M" * 40, 30) == [f"  7 | {'M' * 23}…"]


def test_ascii_has_a_spelling_for_the_rest() -> None:
    assert in_ascii("  …  4.5 µs  abcdef…\n… 3 earlier\n") == (
        " ..  4.5 us  abcd...\n... 3 earlier\n"
    )


def test_plain_is_ascii_without_colours_and_writes_nothing_over() -> None:
    out = Terminal()
    screen = ReplScreen(out, "always")
    screen.settings.plain = True
    screen.passing("half way")
    screen.say("0.5 µs", "bold")
    assert out.getvalue() == "0.5 us\n"
    assert screen.ascii_only
    screen.settings.plain = False
    assert screen.coloured
