"""A program of two cores at the prompt: engines are named with their core."""

from __future__ import annotations

import pytest

from nasm.apps.repl import suggest
from nasm.apps.repl.known_names import names
from nasm.apps.repl.prompt import toolbar
from tests.repl.conftest import Loader, Tried

PAIR = """\
.target toy
.bank  x  f32[4, 2] = iota
.sem   here = 3
.event bit
@alpha
        Set   %r1, 7
        Meet  1                     $here++
@beta   Wait          $here >= 1    $bit = 1
.core 1
.bank  u  f32[4, 2] @ bank 1
.sem   there
@beta
begin:  Wait
        Wait
        Meet  1
        Wait          $there >= 1
@alpha  Wait                        $there++
.expect cycles(beta, core=1) >= 3
"""


@pytest.fixture
def pair(load: Loader) -> Tried:
    return load(PAIR)


def test_queues_say_which_core_they_belong_to_and_for_whom_they_are_held(pair: Tried) -> None:
    said = pair.does("cycle 3", "info queues")
    lines = {line.split()[0]: line.split() for line in said.splitlines()[1:]}
    assert list(lines) == ["0.alpha", "0.beta", "1.alpha", "1.beta"]
    assert lines["0.alpha"][4:] == ["waiting", "Meet", "1", "$here", "+=", "1"]
    where = pair.does("where").splitlines()
    assert where[1:4] == [
        "0.alpha  cycle 3, pc 1 of 2",
        "  next  line 7: Meet 1  $here += 1",
        "        waits at Meet for core 1 to reach one",
    ]
    assert where[-1] == "done: 1.alpha"


@pytest.mark.parametrize("line", ["step 2 1.beta", "step 1.beta 2", "step @1.beta 2"])
def test_a_step_counts_instructions_of_an_engine_of_either_core(pair: Tried, line: str) -> None:
    said = pair.does(line)
    assert "1.beta" in said
    assert pair.shell.session.queue("1.beta").count == 2


def test_an_engine_without_a_core_is_core_0s(pair: Tried) -> None:
    assert "0.alpha   0  Set %r1, 7" in pair.does("step alpha")
    assert "%r1 of 0.alpha unset -> 7" in pair.does("restart", "step alpha")
    assert "0.alpha" in pair.does("info registers alpha")
    assert pair.does("info registers 1.alpha") == "no register was set yet\n"


def test_cycles_are_those_of_the_engines_clock(pair: Tried) -> None:
    pair.does("cycle 2 1.beta")
    assert pair.shell.session.now == 10


def test_semaphores_events_banks_and_channels_have_the_number_of_their_core(pair: Tried) -> None:
    said = [line.split() for line in pair.does("run", "info semaphores").splitlines()[1:]]
    assert said == [["$here", "0.3", "1"], ["$bit", "event", "0.0", "1"], ["$there", "1.0", "1"]]
    assert pair.does("print $bit") == "$bit = 1\n"
    banks = [line.split() for line in pair.does("info banks").splitlines()[3:-1]]
    assert [(b[1], b[-1]) for b in banks] == [
        ("0.0", "x"),
        ("0.1", "-"),
        ("1.0", "-"),
        ("1.1", "u"),
    ]
    channels = [line.split()[0] for line in pair.does("info channels").splitlines()[1:]]
    assert channels == ["0.0", "0.1", "1.0", "1.1"]


def test_the_report_and_the_prompt_tell_the_cores_apart(pair: Tried) -> None:
    pair.shell.settings.width = 120
    assert "1.alpha 0/1" in toolbar(pair.shell, 120)
    said = pair.does("run")
    assert "FAIL" not in said
    assert "nothing completed" not in pair.does("report")
    assert "1.beta" in pair.does("report")


def test_a_label_is_found_in_the_core_it_is_in(pair: Tried) -> None:
    assert "begin:" in pair.does("list begin")
    assert "0.alpha" in pair.does("list 0.alpha")
    assert "Meet  1" in pair.does("step 2 1.beta", "list 1.beta")
    assert "did you mean '1.beta'?" in pair.does("list 1.bet")


def test_completion_knows_the_engines_of_both_cores(pair: Tried) -> None:
    known = names(pair.shell)
    assert [s.text for s in suggest.suggest("step 1.", known)] == ["1.alpha", "1.beta"]
    assert [s.text for s in suggest.suggest("step @1.b", known)] == ["@1.beta"]
    assert {"$here", "$bit"} <= {s.text for s in suggest.suggest("print $", known)}


def test_a_semaphore_that_changes_is_reported(pair: Tried) -> None:
    assert "$there 0 -> 1" in pair.does("step")


def test_one_core_needs_no_number(load: Loader) -> None:
    alone = load(".target toy\n.event e\n@beta Wait $e = 1\n")
    assert alone.does("run", "info semaphores").splitlines()[1].split() == ["$e", "event", "0", "1"]
    assert "1.beta" not in alone.does("info queues")
    assert "error" in alone.does("step 1.beta")
