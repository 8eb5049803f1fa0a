"""The verb diff: two sides on one command line."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.apps.cli import arguments
from tests.cli.programs import ENDLESS, HALVES, MATMUL, PROGRAMS, process, terminal, written

TILED = str(PROGRAMS / "matmul_tiled.nasm")


def sides(*words: str) -> tuple[Any, Any]:
    parsed = arguments.read(["diff", *words])
    return parsed.first, parsed


def test_what_is_before_vs_is_said_of_both_sides() -> None:
    a, b = sides("x.nasm", "-D", "N=1", "--target", "trn1", "--vs", "-D", "N=2", "-D", "M=3")
    assert (a.program, b.program) == ("x.nasm", "x.nasm")
    assert (dict(a.defines), dict(b.defines)) == ({"N": 1}, {"N": 2, "M": 3})
    assert (a.target, b.target) == ("trn1", "trn1")


def test_what_is_behind_vs_has_the_last_word_on_the_second_side() -> None:
    a, b = sides("x.nasm", "--target=trn1", "--timing", "a.toml", "--vs", "y.nasm", "--target=trn2",
                 "--timing", "b.toml", "--no-files", "--max-cycles", "9")  # fmt: skip
    assert (a.program, b.program) == ("x.nasm", "y.nasm")
    assert (a.target, b.target) == ("trn1", "trn2")
    assert (a.timing, b.timing) == ("a.toml", "b.toml")
    assert (a.files, b.files) == (None, False)
    assert (a.max_cycles, b.max_cycles) == (None, 9)


@pytest.mark.parametrize(
    "words",
    [
        ("x.nasm", "y.nasm"),
        ("x.nasm", "--target", "trn2", "y.nasm"),
        ("--target", "trn2", "x.nasm", "--vs", "y.nasm"),
        ("x.nasm", "--vs", "--target", "trn2", "y.nasm"),
        ("--json", "x.nasm", "y.nasm", "--vs", "-D", "N=2"),
        ("--", "x.nasm", "y.nasm"),
        ("x.nasm", "--vs", "--", "y.nasm"),
    ],
)
def test_programs_are_anywhere(words: tuple[str, ...]) -> None:
    a, b = sides(*words)
    assert (a.program, b.program) == ("x.nasm", "y.nasm")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "diff wants a program"),
        (("--vs", "-D", "N=2"), "diff wants a program"),
        (("--vs", "x.nasm"), "diff wants a program"),
        (("x.nasm",), "diff wants something to compare x.nasm with"),
        (("x.nasm", "--vs"), "diff wants something to compare x.nasm with"),
        (("x.nasm", "--target", "trn2"), "diff wants something to compare x.nasm with"),
        (("x", "y", "z"), "diff compares two programs, found 3"),
        (("x", "y", "--vs", "z"), "diff compares two programs, found 3"),
        (("x", "--vs", "y", "--vs", "z"), "--vs is given 2 times"),
        (("x", "--vs", "--tagret", "trn2"), "did you mean '--target'"),
        (("x", "--target", "--vs", "trn2"), "--target"),
        (("x", "y", "--out", "C=c.npy"), "diff has no option --out"),
    ],
)
def test_a_command_line_that_names_no_two_sides(
    ran: Any, words: tuple[str, ...], said: str
) -> None:
    done = ran("diff", *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""
    found = ran("diff", *words, "--json") if "--vs" not in words[-1:] else None
    if found is not None:
        assert found.document["exit_code"] == 2
        assert found.document["problems"][0]["code"] == "E0812"


def test_two_sides_that_ran_are_no_failure_whatever_tells_them_apart(ran: Any) -> None:
    done = ran("diff", MATMUL, str(PROGRAMS / "matmul_k.nasm"))
    assert (done.code, done.err) == (0, "")
    assert "values: the output differs" in done.out


def test_a_side_that_breaks_a_promise_is_one(ran: Any, halves: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.nasm"
    wrong.write_text(HALVES.replace("X * 0.5\n", "X * 0.25\n"), encoding="utf-8")
    for pair in ((halves, wrong), (wrong, halves)):
        done = ran("diff", *pair)
        assert done.code == 1
        assert f"{'ab'[pair.index(wrong)]} fails: 1 of 1 expectation failed" in done.out
    assert ran("diff", wrong, halves, "--no-values").code == 0  # nothing is judged
    raced = tmp_path / "raced.nasm"
    raced.write_text(HALVES.replace("$loaded >= 16", ""), encoding="utf-8")
    done = ran("diff", halves, raced, "--no-values")
    assert done.code == 1
    assert "hazard" in done.out
    done = ran("diff", halves, "--vs", "--max-cycles", 100)
    assert done.code == 1
    assert "b fails: limit reached" in done.out
    assert "E0511" in done.out


def test_a_side_that_cannot_be_run_refuses_both(ran: Any, halves: Path, tmp_path: Path) -> None:
    bad = written(tmp_path, ".target trn1\n@sync Npo\n")
    done = ran("diff", halves, bad)
    assert (done.code, done.out) == (2, "")
    assert "E0201" in done.err
    assert done.err.endswith("1 error; nothing was compared\n")
    found = ran("diff", halves, tmp_path / "no.nasm", "--json").document
    assert set(found) >= {"programs", "status", "problems"}
    assert found["programs"] == [str(halves), str(tmp_path / "no.nasm")]
    assert (found["status"], found["problems"][0]["code"]) == ("refused", "E0801")


def test_inputs_are_of_either_side(ran: Any, tmp_path: Path) -> None:
    text = HALVES.replace("bf16", "f32").replace("input = iota", "input")
    text = text.replace(".expect  Y == X * 0.5\n", "")
    program = written(tmp_path, text)
    x = np.ones((128, 4), np.float32)
    np.save(tmp_path / "x.npy", x)
    x[3, 1] = 5
    np.save(tmp_path / "y.npy", x)
    x_in, y_in = (f"X={tmp_path / name}" for name in ("x.npy", "y.npy"))
    found = ran("diff", program, "--in", x_in, "--vs", "--in", y_in, "--json").document
    assert found["tensors"][0]["first"] == {"index": [3, 1], "a": 0.5, "b": 2.5}
    assert found["differences"] == [{"kind": "input", "name": "X", "a": x_in[2:], "b": y_in[2:]}]
    done = ran("diff", program, "--vs", "--in", x_in, "--in", y_in)
    assert done.code == 2
    assert "--in X is given twice" in done.err
    found = ran("diff", program, "--vs", program, "--json").document
    assert (found["exit_code"], found["tensors"]) == (0, [])
    assert found["without_values"].startswith("input X has no values")


def test_with_values_the_first_output_that_differs_is_named(ran: Any, halves: Path) -> None:
    text = halves.read_text(encoding="utf-8").replace("operand0=0.5", "operand0=0.25")
    other = halves.parent / "quarters.nasm"
    other.write_text(text.replace("X * 0.5", "X * 0.25"), encoding="utf-8")
    found = ran("diff", halves, other, "--json").document
    assert (found["exit_code"], found["first_tensor"]) == (0, "Y")
    [tensor] = found["tensors"]
    # iota: element n is n, of which 0 is equal in both; bfloat16 rounds both alike
    assert tensor["first"] == {"index": [0, 1], "a": 0.5, "b": 0.25}
    assert (tensor["differ"], tensor["elements"]) == (511, 512)
    assert tensor["largest"] == 512 * 0.25
    timed = ran("diff", halves, other, "--no-values", "--json").document
    assert (timed["tensors"], timed["without_values"]) == ([], "--no-values")
    assert timed["change"] == {"microseconds": 0, "ratio": 0}


@pytest.mark.turns(3)
def test_one_program_from_standard_input_is_both_sides() -> None:
    text = Path(MATMUL).read_text(encoding="utf-8")
    done = process("diff", "-", "--vs", "--target", "trn2", text=text)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("a  <stdin> on NeuronCore-v2 (Trn1)\nb  <stdin> on NeuronCore-v3")


@pytest.mark.thorough
def test_a_terminal_of_80_columns_is_wide_enough() -> None:
    with terminal("diff", TILED, "--vs", "--target", "trn2") as (child, read):
        said = read()
        assert child.wait(timeout=600) == 0
    assert "Traceback" not in said
    plain = [line for line in said.splitlines() if "\x1b" not in line]
    assert max(map(len, plain)) <= 80


@pytest.mark.turns(3)
def test_one_that_does_not_end_is_cut_short_by_time(tmp_path: Path) -> None:
    program = written(tmp_path, ENDLESS)
    done = process("diff", MATMUL, program, "--max-instructions", "none", "--timeout", 2, "--json")
    assert done.code == 124
    found = done.document
    assert (found["status"], found["problems"][0]["code"]) == ("timeout", "E0516")
    assert "before both programs had run" in done.err


@pytest.mark.turns(3)
def test_figures_that_both_sides_have_are_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    held = b"semaphore_ns = 500\n"
    writer = threading.Thread(target=pipe.write_bytes, args=(held,), daemon=True)
    writer.start()
    given = (MATMUL, "--timing", pipe, "--vs", "--max-cycles=1000000", "--json", "--timeout=30")
    done = process("diff", *given)
    assert done.code == 0
    times = [done.document[side]["microseconds"] for side in "ab"]
    assert times[0] == times[1]
