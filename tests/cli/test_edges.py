"""Edges of use: what is asked for by mistake or in passing is answered as other tools answer it."""

from __future__ import annotations

import os
import pty
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.apps.cli import results
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source, Span
from tests.cli.programs import MATMUL, terminal

RMSNORM = Path(__file__).parents[2] / "programs" / "nki" / "rmsnorm.py"


def test_an_option_of_kernels_is_refused_for_a_text(ran: Any, halves: Path) -> None:
    for verb in ("run", "profile", "check"):
        done = ran(verb, halves, "--dma", "split")
        assert done.code == 2
        assert "--dma goes with a kernel" in done.err


@pytest.mark.parametrize(("said", "value"), [("zeros", 0.0), ("ones", 1.0), ("iota", 511.0 / 2)])
def test_values_are_made_in_the_shape_and_dtype_of_the_tensor(
    ran: Any, halves: Path, tmp_path: Path, said: str, value: float
) -> None:
    out = tmp_path / "y.npy"
    assert ran("run", halves, "--in", f"X={said}", "--out", f"Y={out}").code == 0
    kept = np.load(out).astype(np.uint32) << 16
    wanted = np.float32(value / 2 if said != "iota" else 256.0)  # 511 is no bfloat16
    assert kept[-1, -1].view(np.float32) == wanted


def test_a_seed_decides_values_and_a_dtype_is_refused(ran: Any, tmp_path: Path) -> None:
    same = ["--in", "A=normal:seed=3", "--in", "B=random:seed=4", "--json"]
    with_shape = ["--in", "A=normal[128,128]:bf16:seed=3", "--in", "B=random[128,512]:bf16:seed=4"]
    first, again = ran("run", MATMUL, *same), ran("run", MATMUL, *with_shape, "--json")
    assert first.document["memory_hash"] == again.document["memory_hash"]
    done = ran("run", MATMUL, "--in", "A=normal:bf16")
    assert done.code == 2
    assert "--in A: 'bf16' is no seed: the dtype is the tensor's own" in done.err


def test_what_no_tensor_is_called_is_refused_and_a_kernel_wants_a_shape(ran: Any) -> None:
    done = ran("run", MATMUL, "--in", "Q=zeros")
    assert (done.code, "no input 'Q'" in done.err) == (2, True)
    done = ran("nki", f"{RMSNORM}:rmsnorm", "--in", "x=zeros", "--in", "w=ones[1,512]")
    assert done.code == 2
    assert "--in x=zeros says no shape" in done.err
    assert "zeros[128,512]:bf16" in done.err


def test_a_word_that_is_no_instruction_is_looked_for_on_neuron_first(ran: Any) -> None:
    for verb in ("isa", "help"):
        done = ran(verb, "add")
        assert done.code == 2
        assert "isa --search add" in done.err
        assert "ADDI" not in done.err  # which is the closest on Tensix
    assert "SFPADD" in ran("isa", "SFPAD").err  # which Neuron has nothing like


def test_bytes_are_not_written_to_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        found = results.seen("the object file", os.ttyname(theirs))
    finally:
        os.close(ours)
        os.close(theirs)
    assert found is not None
    assert found.message == "the object file is no text: it is not written to a terminal"
    assert results.seen("the object file", os.devnull) is None
    assert results.seen("the object file", str(tmp_path / "new")) is None


def test_an_object_file_and_an_array_are_asked_where_they_go(
    ran: Any, halves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "seen", lambda what, path: Problem("E0806", f"{what}: {path}"))
    assert "the object file: /dev/stdout" in ran("asm", halves, "-o", "-").err
    assert "the array Y: /dev/stdout" in ran("run", halves, "--out", "Y=-").err


@pytest.mark.parametrize(
    "given",
    [
        ["run", "{}", "--out", "Y=y.npy"],
        ["run", "{}", "--sarif", "o.sarif"],
        ["asm", "{}", "-o", "o.nobj"],
        ["nki", "k.py:f"],
    ],
)
def test_a_working_folder_that_was_deleted_is_no_defect(
    ran: Any, halves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = ran(*(word.format(halves) for word in given))
    assert done.code == 2
    assert "error[E0801]: the working folder was deleted" in done.err


@pytest.mark.parametrize(
    ("text", "named", "said"),
    [
        ("", ":f", "has no kernel 'f'"),
        ("def f(:\n", ":f", "SyntaxError"),
        ("def f(:\n", "", "SyntaxError"),
    ],
)
def test_a_file_without_a_kernel_is_refused(
    ran: Any, tmp_path: Path, text: str, named: str, said: str
) -> None:
    path = tmp_path / "no_kernel.py"
    path.write_text(text, encoding="utf-8")
    done = ran("nki", f"{path}{named}")
    assert done.code == 2
    assert "error[E0656]" in done.err
    assert said in done.err


def test_the_repr_of_a_failure_escapes_the_name_of_the_file_too() -> None:
    source = Source("a\x1b[31m\n.nasm", "x\n")
    failure = Failure(Problem("E0201", "one\x1b\ntwo\u202e", Span(source, 0, 1)))
    assert repr(failure).isprintable()
    assert "one\\x1b\\ntwo\\u202e" in repr(failure)


def test_an_option_of_another_tool_is_refused_with_what_to_write(ran: Any, halves: Path) -> None:
    for words, said in (
        (["-i", "X=x.npy"], "write '--in'"),
        (["--profile"], "that is a command: write 'neuron-nasm profile'"),
        (["--json=out.json"], "--json takes no value: leave out '=' and what comes after it"),
    ):
        done = ran("run", halves, *words)
        assert done.code == 2
        assert said in done.err


@pytest.mark.parametrize("width", [30, 47])
def test_what_is_said_on_a_narrow_terminal_breaks_between_words(width: int, tmp_path: Path) -> None:
    folder = tmp_path / "a_folder_with_a_name_that_is_wider_than_the_terminal_is"

    def said(*words: str) -> list[str]:
        given = ("learn", "--dir", folder, *words)
        with terminal(*given, COLUMNS=str(width)) as (child, reader):
            shown = reader()
            child.wait()
        lines = [line.rstrip() for line in shown.replace("\r", "").split("\n")]
        return lines[next(n for n, line in enumerate(lines) if line.startswith(("edit", "0 of"))) :]

    wide = [word for line in said("--once") for word in line.split() if "/" in word]
    assert [word for word in wide if word.endswith(f"{folder.name}/add.nasm")]
    listed = said("--list")
    assert "the course of two hours plans" in " ".join(listed)
    assert max(map(len, listed)) <= width
