"""Going back at the prompt: what is said, and that nothing is told that did not happen again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from tests.repl.conftest import Tried


def test_back_undoes_what_step_did_and_step_does_it_again(toy: Tried) -> None:
    steps = [toy.does("step") for _ in range(4)]
    there = toy.shell.session.moment
    assert "back by 3 instructions" in toy.does("back 3")
    assert [toy.does("step") for _ in range(3)] == steps[1:]
    assert toy.shell.session.moment == there
    assert "that is the start" in toy.does("back 99")
    assert toy.shell.session.moment.position == 0


def test_goto_marks_and_moments(toy: Tried) -> None:
    assert "no moment has a name" in toy.does("moments")
    toy.does("step 2", "mark here")
    there = toy.shell.session.moment
    toy.does("run", "goto here")
    assert toy.shell.session.moment == there
    assert "here" in toy.does("moments")
    assert "did you mean 'here'" in toy.does("goto her")
    assert toy.shell.session.moment == there
    toy.does("goto end")
    assert toy.shell.session.over
    assert "start" in toy.does("mark start")
    toy.does("goto start")
    assert toy.shell.session.moment.position == 0


def test_a_change_is_gone_back_over_kept_by_a_mark_and_undone(toy: Tried) -> None:
    toy.does("break Add", "run", "set x[0, 0] = 100", "mark changed", "back 1", "goto end")
    session = toy.shell.session
    assert session.read("y")[0, 0] == 200
    assert "lies ahead" in toy.does("rc", "undo")
    assert "undone: set x[0, 0] = 100" in toy.does("goto end", "undo")
    assert not session.changes.made
    toy.does("goto end")
    assert session.read("y")[0, 0] == 0
    toy.does("goto changed", "goto end")
    assert session.read("y")[0, 0] == 200
    assert "changed by hand" in toy.does("report")
    assert "undone: set x[0, 0] = 100" in toy.does("undo")
    assert "nothing was changed by hand" in toy.does("undo")


def test_back_write_and_back_until(toy: Tried) -> None:
    toy.does("run")
    assert "about to happen: y" in toy.does("back write y")
    assert "__ -> 6" in toy.does("step") or toy.shell.session.read("y")[1, 1] == 6
    toy.does("back until $done >= 1")
    session = toy.shell.session
    assert session.semaphores()[1].value == 1
    toy.does("back write y")
    assert "nothing wrote y before: that is the start" in toy.does("back write y")
    assert "was never true" in toy.does("back until $done >= 7")
    assert session.moment.position == 0


def test_at_the_start_nothing_of_the_last_stop_is_reported(toy: Tried) -> None:
    toy.does("break Add")
    assert "breakpoint 1" in toy.does("run")
    assert "breakpoint 1" not in toy.does("goto start")


def test_torn_by_a_second_interrupt_it_goes_to_before_the_event(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = toy.shell.session
    toy.does("step 3")
    before = session.moment
    scheduler = session.machine.scheduler
    finish: Callable[..., None] = scheduler.finish

    def torn(queue: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scheduler, "finish", torn)
    assert "interrupted within an instruction" in toy.does("step")
    monkeypatch.setattr(scheduler, "finish", finish)
    assert "cannot continue" in toy.does("step")
    toy.does("back 1")
    assert not toy.shell.torn
    assert session.moment < before
    toy.does("delete", "goto end")
    assert session.report().ok
