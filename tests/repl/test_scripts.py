"""Scripts of commands as somebody gives them on a command line: what they end with, and show."""

from __future__ import annotations

import pytest

from nasm.apps.repl import main

Capture = pytest.CaptureFixture[str]


def said(capsys: Capture, *commands: str) -> list[str]:
    """The lines that commands on the first program print; none of them fails."""
    assert main("programs/matmul.nasm", commands=commands) == 0
    return capsys.readouterr().out.splitlines()


def test_back_and_on_and_why_names_the_instruction_that_made_a_value(capsys: Capture) -> None:
    lines = said(capsys, "step 5", "back 5", "continue", "help TensorCopy", "why C[0, 0]")
    assert "back by 5 instructions" in lines
    assert "7 instructions completed" in lines  # all there are: none had completed any more
    chain = lines[next(n for n, line in enumerate(lines) if line.startswith("C[0, 0] = ")) :]
    makers = [line.split()[1].rstrip(",") for line in chain if line.strip().startswith("by ")]
    assert makers[:3] == ["DmaCopy", "TensorCopy", "MultiplyMoving"]
    assert set(makers[3:]) == {"DmaCopy", "LoadStationary"}


def test_a_breakpoint_stops_before_its_line_and_a_watchpoint_where_it_is_written(
    capsys: Capture,
) -> None:
    lines = said(capsys, "break 19", "run", "where", "back", "watch acc", "run", "p acc[0, 0]")
    stops = [line for line in lines if line.startswith(("breakpoint 1:", "watchpoint 2:"))]
    assert stops == [
        "breakpoint 1: before line 19",
        "breakpoint 1: before @vector pc 0 (TensorCopy, line 19) starts",
        "watchpoint 2: acc is changed",
        "watchpoint 2: acc changed by @tensor pc 1 (MultiplyMoving, line 18)",
    ]
    place = lines.index(stops[1])
    assert "        starts now" in lines[place:]
    assert lines[-2:] == ["  0  30.569", "  min 30.569  max 30.569  mean 30.569  1 element"]


def test_the_clock_goes_on_where_nothing_happens(capsys: Capture) -> None:
    lines = said(capsys, *["run 500"] * 5)
    stops = [line for line in lines if line.startswith("stopped at ")]
    assert [line.partition("cycle ")[2].partition(";")[0] for line in stops] == [
        "500", "1,000", "1,500", "2,000", "2,500",
    ]  # fmt: skip


def test_an_engine_that_has_nothing_left_does_not_move(capsys: Capture) -> None:
    lines = said(capsys, "step 3 tensor", "p $copied", "step tensor", "p $copied")
    assert "tensor has nothing left to do: nothing moves" in lines
    assert [line for line in lines if line.startswith("$copied")] == [
        "$copied = 0, sync waiting"
    ] * 2


def test_values_of_another_moment_are_shown_and_compared(capsys: Capture) -> None:
    lines = said(capsys, "step 4", "p $loaded at 1.2us", "p $loaded", "compare a at 2us")
    assert lines.index("$loaded = 16") < lines.index("$loaded = 32")
    assert "16,384 elements: equal" in lines


def test_a_misspelt_mnemonic_is_reported_from_a_misspelt_command(capsys: Capture) -> None:
    assert main("programs/matmul.nasm", commands=["TensorCpy c, acc", "stp"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "error[E0821]: no command or instruction 'TensorCpy'",
        "  hint: did you mean 'TensorCopy'?",
        "error[E0821]: no command 'stp'",
        "  hint: did you mean 'step'?",
    ]
