"""A stop is reported when the run comes to it, and not again by what is done there by hand."""

from __future__ import annotations

from tests.repl.conftest import Tried


def test_a_change_by_hand_does_not_report_the_stop_again(toy: Tried) -> None:
    toy.does("commands")
    assert "breakpoint 1: " in toy.does("break Wait", "commands 1 p $done", "run")
    said = toy.does("set $done = 5")
    assert "$done 0 -> 5" in said
    assert "breakpoint" not in said
    assert "stopped at" not in said
    assert "$done = 5" not in said  # what is done at the stop has been done
    assert toy.shell.session.hits


def test_a_name_of_a_semaphore_is_hinted_at_with_its_sign(toy: Tried) -> None:
    assert "a semaphore is written '$loaded'" in toy.does("p loaded")
    assert "a semaphore is written '$loaded'" in toy.does("break if loaded > 1")
    assert "did you mean" not in toy.does("p loaded")
