"""Breakpoints at the prompt: what is said of them, their commands, and what they print."""

from __future__ import annotations

import pytest

from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from tests.repl.conftest import Tried


def said(tried: Tried, *lines: str) -> list[str]:
    return tried.does(*lines).splitlines()


def test_a_breakpoint_is_set_met_listed_and_deleted(toy: Tried) -> None:
    assert said(toy, "break Add as sum") == ["breakpoint 1: before Add as sum"]
    out = toy.does("run")
    assert "breakpoint 1 (sum): before @beta pc 2 (Add, line 14) starts" in out
    assert toy.shell.session.memory.written("y") == 0  # nothing of it has happened
    listed = said(toy, "info breakpoints")
    assert any("sum" in line and "Add" in line and " 1 " in line for line in listed)
    assert said(toy, "delete sum")[0].startswith("deleted 1: before Add as sum")
    assert "no breakpoints" in toy.does("info breakpoints")
    assert "finished" in toy.does("continue")


def test_commands_of_a_breakpoint_are_done_at_it_and_may_go_on_from_it(toy: Tried) -> None:
    toy.does("break Count", "commands 1 p 40 + 2; continue")
    out = toy.does("run")
    assert out.count("42") == 2  # the loop has two rounds
    assert out.count("breakpoint 1: before") == 2
    assert "finished" in out
    assert toy.shell.attached is None
    assert toy.shell.code == 0


def test_commands_of_a_breakpoint_that_is_met_a_hundred_times_are_done_each_time(
    toy: Tried, load: object
) -> None:
    many = toy.shell.session.source
    assert many is not None
    tried = load(many.text.replace("Set    %r0, 2", "Set    %r0, 100"))  # type: ignore[operator]
    tried.does("break Count", "commands 1 continue")
    out = tried.does("run")
    assert out.count("breakpoint 1: before") == 100
    assert "finished" in out


def test_a_command_that_fails_ends_those_of_its_breakpoint(toy: Tried) -> None:
    toy.does("break Count", "commands 1 p nothing; continue")
    out = toy.does("run")
    assert out.count("breakpoint 1: before") == 1
    assert "error" in out
    assert not toy.shell.session.over


def test_those_of_the_next_stop_come_instead_of_the_rest(toy: Tried) -> None:
    toy.does("break Count", "break Add", "commands 1 continue; p 1000 + 1", "commands 2 p 2000 + 2")
    out = toy.does("run")
    assert "2002" in out.replace(",", "")
    assert "1001" not in out.replace(",", "")


def test_continue_passes_as_many_stops_as_it_is_asked_to(toy: Tried) -> None:
    toy.does("break Count")
    toy.does("run")
    first = toy.shell.session.moment
    toy.does("rs", "continue 1")
    assert toy.shell.session.moment == first
    toy.does("continue 2")
    assert toy.shell.session.over


def test_watching_shows_what_was_and_what_is(toy: Tried) -> None:
    toy.does("watch x[1]", "watch y[2, 1]", "rwatch x")
    out = toy.does("run")
    assert "watchpoint 1: x[1] changed by" in out
    assert "__ -> 2" in out
    assert "x is about to be read by @beta pc 2 (Add, line 14)" in toy.does("continue")
    assert "__ -> 10" in toy.does("continue")


def test_a_stop_before_an_instruction_survives_a_change_and_is_left_once(toy: Tried) -> None:
    toy.does("break Add", "run", "set x[0, 0] = 100")
    out = toy.does("continue")
    assert "finished" in out
    assert toy.shell.session.read("y")[0, 0] == 200
    assert toy.shell.session.breakpoints[1].hits == 1
    toy.does("rc")
    assert toy.shell.session.moment.poised
    assert toy.shell.session.breakpoints[1].hits == 1


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("break 99", "no instruction on or after line 99"),
        ("break", "no breakpoints"),
        ("tbreak", "stop where?"),
        ("watch", "watch what?"),
        ("watch nothing", "nothing"),
        ("delete 7", "no breakpoint '7'"),
        ("ignore 1", "ignore which, how often?"),
        ("commands", "commands of which breakpoint?"),
        ("break cycle", "cycle"),
        ("break Add if nothing > 3", "nothing"),
    ],
)
def test_what_is_wrong_is_said_and_sets_nothing(toy: Tried, line: str, wanted: str) -> None:
    assert wanted in toy.does(line)
    assert not list(toy.shell.session.breakpoints)
