"""Inputs from an archive and from a folder, at the command line and in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.apps.cli import main

TEXT = """\
.target trn1
.hbm A f32[4] input
.hbm B f32[4] input = iota
.hbm C f32[4] output
.sem s
@sync DmaCopy C[0:2], A[0:2]  $s += 16
@sync DmaCopy C[2:4], B[2:4]  $s += 16
@sync EventSemaphore $s >= 32
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("two.nasm").write_text(TEXT, encoding="utf-8")
    Path("given").mkdir()
    np.save("given/A.npy", filled(7))
    np.save("given/C.npy", filled(9))  # of an output: nobody reads it
    np.savez("two.npz", A=filled(5), B=filled(6))
    np.savez("wrong.npz", AA=filled(5), B=filled(6))
    return tmp_path


def filled(value: float) -> np.ndarray[Any, Any]:
    return np.full(4, value, np.float32)


def output(*options: str) -> list[float]:
    assert main(["run", "-q", "two.nasm", "--out", "C=c.npy", *options]) == 0
    found: list[float] = np.load("c.npy").tolist()
    return found


def test_an_archive_fills_a_tensor_from_each_of_its_arrays() -> None:
    assert output("--in", "two.npz") == [5, 5, 6, 6]


def test_an_array_that_is_given_by_name_counts_before_an_archive_and_a_folder() -> None:
    assert output("--in", "two.npz", "--in", "A=ones[4]") == [1, 1, 6, 6]
    assert output("--in-dir", "given", "--in", "A=ones[4]") == [1, 1, 2, 3]
    assert output("--in-dir", "given", "--in", "two.npz") == [5, 5, 6, 6]


def test_a_folder_fills_the_inputs_that_have_a_file_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert output("--in-dir", "given") == [7, 7, 2, 3]
    capsys.readouterr()
    assert main(["run", "two.nasm", "--in-dir", "given"]) == 0
    printed = capsys.readouterr().out
    assert "read A from given\n" in printed
    assert "given has no file for B\n" in printed


def test_outputs_of_one_run_are_inputs_of_another() -> None:
    assert main(["run", "-q", "two.nasm", "--in", "two.npz", "--out-dir", "out"]) == 0
    Path("out/C.npy").rename("out/A.npy")
    assert output("--in-dir", "out") == [5, 5, 2, 3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--in", "wrong.npz"],
            "[E0803]: the program has no input 'AA'\n  hint: did you mean 'A'?",
        ),
        (["--in", "nothing.npz"], "--in: no file nothing.npz"),
        (["--in", "two.nasm"], "'two.nasm' is neither NAME=FILE nor a .npz file"),
        (["--in", "two.npz", "--in", "two.npz"], "--in A is given twice"),
        (["--in-dir", "nowhere"], "no folder nowhere, from which inputs are read"),
    ],
)
def test_what_is_no_archive_and_no_folder_is_refused(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "two.nasm", *options]) == 2
    assert said in capsys.readouterr().err


def test_a_damaged_archive_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.npz").write_bytes(Path("two.npz").read_bytes()[:100])
    assert main(["run", "two.nasm", "--in", "bad.npz"]) == 2
    assert "bad.npz is not a readable archive of arrays" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["profile", "repl"])
def test_other_verbs_take_them_too(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["-ex", "run", "-ex", "print C"] if verb == "repl" else []
    assert main([verb, "two.nasm", "--in-dir", "given", *more]) == 0
    assert main([verb, "two.nasm", "--in", "two.npz", *more]) == 0
    capsys.readouterr()


def test_each_side_of_a_comparison_has_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "two.nasm", "--in", "two.npz", "--vs", "--in", "A=ones[4]"]) in (0, 1)
    printed = capsys.readouterr()
    assert not printed.err
    assert "two.npz:A" in printed.out


@pytest.mark.parametrize(
    ("inputs", "wanted"),
    [
        ("two.npz", [5, 5, 6, 6]),
        (Path("two.npz"), [5, 5, 6, 6]),
        ("given", [7, 7, 2, 3]),
        ({"A": filled(1), "B": filled(2)}, [1, 1, 2, 2]),
    ],
)
def test_python_takes_the_same(inputs: Any, wanted: list[float]) -> None:
    assert nasm.run("two.nasm", inputs).outputs["C"].tolist() == wanted


@pytest.mark.parametrize("inputs", [5, [1], b"nothing.npz", "wrong.npz"])
def test_what_python_cannot_give_is_refused(inputs: Any) -> None:
    with pytest.raises(nasm.Failure):
        nasm.run("two.nasm", inputs)


def test_two_runs_with_different_folders_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    Path("other").mkdir()
    values = filled(7)
    values[1] = 8
    np.save("other/A.npy", values)
    given = "diff", "two.nasm", "--in-dir", "given"
    assert main([*given, "--vs", "--in-dir", "other"]) == 0
    differs = "C: 1 of 4 elements differ, the first at [1]: 7 and 8"
    assert differs in capsys.readouterr().out
    assert main([*given, "--vs", "--in", "A=other/A.npy"]) == 0
    assert differs in capsys.readouterr().out
    assert main([*given, "--vs", "--in-dir", "given"]) == 0
    assert "differ, the first" not in capsys.readouterr().out
