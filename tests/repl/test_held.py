"""What cores hold at the prompt: the toy's rack, at every width and as sentences."""

from __future__ import annotations

import io

import pytest

from nasm.apps.repl import known_names
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.apps.repl.suggest import suggest
from nasm.show.columns import in_ascii
from tests.repl.conftest import Loader

RACKED = """\
.target toy
@alpha  Lock   2
@alpha  Push   7
@alpha  Tape   2
@alpha  Push   9
@alpha  Drop   2
@beta   Heat   100
"""


def test_parts_that_are_not_at_rest_have_a_line_each(load: Loader) -> None:
    toy = load(RACKED)
    assert toy.does("info held") == "no engine holds anything\n"
    assert toy.does("run", "info held") == (
        "part   now             what it is\n"
        "lock   1 row           the locks, and the queue that holds each\n"
        "belt   1 of 2 entries  a belt of two entries\n"
        "plate  hot until 100   the tick until which the plate is hot\n"
        "tape   2 rows          what each queue has recorded\n"
    )
    toy.shell.screen.settings.width = 60
    assert toy.does("info held").splitlines()[:2] == ["part   now", "lock   1 row"]
    toy.shell.screen.settings.width = 80
    assert toy.does("info held lock") == (
        "lock: the locks, and the queue that holds each\n  lock  held by\n     2  alpha\n"
    )
    assert toy.does("info held belt") == (
        "belt: a belt of two entries\n"
        "  1 of 2 entries\n"
        "belt  int32[2]\n"
        "  0   7  __\n"
        "  min 7  max 7  mean 7  2 elements  1 uninitialised\n"
    )
    assert toy.does("info held alpha").splitlines()[0] == "tape: what each queue has recorded"
    assert toy.does("info held beta").splitlines()[1:] == ["  empty"]
    assert toy.does("p lock2") == "lock2 = 0\n"
    assert toy.does("why lock2") == (
        "lock2 = 0\n  changed with Lock, line 2, alpha pc 0, at cycle 0, 0.000 µs\n"
    )


def test_in_plain_words_there_are_no_tables(load: Loader) -> None:
    toy = load(RACKED)
    toy.shell.settings.plain = True
    assert toy.does("run", "info held").splitlines()[1] == (
        "belt: 1 of 2 entries (a belt of two entries)"
    )
    assert toy.does("info held tape").splitlines()[1:] == [
        "  engine alpha, place 0, instruction Push",
        "  engine alpha, place 1, instruction Drop",
    ]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("color", ["never", "always"])
def test_what_is_held_fits_every_width(load: Loader, width: int, color: str) -> None:
    toy = load(RACKED)
    out = io.StringIO()
    screen = ReplScreen(out, color)
    screen.settings.width = width
    toy.shell.screen = screen
    for line in ("run", "info held", "info held lock", "info held belt", "info held tape"):
        toy.shell.execute(line)
    lines = out.getvalue().splitlines()
    assert lines
    assert max(map(len, lines)) <= width
    assert all(in_ascii(line).isascii() for line in lines)


def test_names_of_parts_are_offered_where_expressions_may_are(load: Loader) -> None:
    shell: Shell = load(RACKED).shell
    for command in ("p ", "watch ", "display ", "info held ", "why "):
        offered = {s.text for s in suggest(f"{command}be", known_names.names(shell))}
        assert "belt" in offered, command
    assert {s.text for s in suggest("p lo", known_names.names(shell))} >= {"lock", "lock3"}


def test_a_stop_shows_what_changed(load: Loader) -> None:
    toy = load(RACKED)
    assert toy.does("watch belt", "display belt[0] + 1", "run").splitlines() == [
        "1 instruction completed",
        "watchpoint 1: belt changed with @alpha pc 1 (Push, line 3)",
        "  1 element,  [0] __ -> 7",
        "stopped at 0.002 µs, cycle 1",
        "1: belt[0] + 1 = 8",
    ]


def test_an_expanded_instruction_says_what_it_is_one_of(load: Loader) -> None:
    toy = load(".target toy\n@alpha\nTape 2\nSet %r0, 1\nCount %r0\nPlay 2\nWait\n")
    assert toy.does("step alpha 2", "where").splitlines()[1] == (
        "alpha  cycle 4, pc 3.3 of 5 (3.0 to 3.3 for Play 2, line 6)"
    )
    assert "3.0 to 3.3 for Play 2, line 6" in toy.does("where alpha").splitlines()[1]
    toy.shell.settings.plain = True
    assert "That is one of 3.0 to 3.3 for Play 2, line 6." in toy.does("where").splitlines()
    toy.shell.settings.plain = False
    assert "for Play" not in toy.does("step alpha 2", "where")
