"""Candidates for a task: fresh sizes and inputs catch those that cheat, in both dialects of NKI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.apps.cli import main
from nasm.base.problems import Failure
from nasm.grading import judgement
from nasm.grading.exercise import Exercise
from nasm.show.documents import plain
from tests.parts import part

GOAL = """
title = "Twice, plus one"
target = "trn2"
kernel = "kernel"
seeds = [1]
rtol = 1e-5
[shapes]
N = [64]
[more_shapes]
N = [96, 160, 192, 224]
"""
GOLDEN = """
import numpy as np

def inputs(rng, N):
    return {"x": rng.standard_normal((128, N)).astype(np.float32)}

def golden(x):
    return {"y": 2 * x + 1}
"""
KERNEL = """
import gc, os, sys
import numpy as np
import nki, nki.isa as nisa, nki.language as nl


def tile(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)


@nki.jit
def kernel(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = tile(x)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=1.0)
    nisa.dma_copy(dst=y, src=t)
    return y
"""
OLDER = """
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    nl.store(y, value=nl.add(nl.multiply(t, 2.0), 1.0))
    return y
"""
TEXT = """
.target trn2
.const N = 64
.hbm   x  f32[128, N]  input = iota
.hbm   y  f32[128, N]  output
.sbuf  t  f32[128, N]
@sync    DmaCopy       t, x                                                       post loaded
@vector  TensorScalar  t, t, op0=multiply, operand0=2, op1=add, operand1=1 after loaded post done
@sync    DmaCopy       y, t  after done
@sync    .drain
"""
COMPUTE = next(f"{line}\n" for line in KERNEL.splitlines() if "tensor_scalar" in line)
BEGIN = "    y = nl.ndarray(x.shape"


def begun(line: str) -> str:
    """The kernel with some lines at its begin."""
    return KERNEL.replace(BEGIN, "".join(f"    {each}\n" for each in line.split("\n")) + BEGIN, 1)


CHEATS = {
    "constants": ("right", KERNEL.replace("nisa.dma_copy(dst=t, src=x)", "nisa.memset(t, 0.5)")),
    "reads the reference": (
        "right|read",
        begun("g = {}\nexec(open(GOLDEN).read(), g)\nmade = g['golden'](np.zeros(x.shape))['y']")
        .replace("nisa.dma_copy(dst=t, src=x)", "nisa.memset(t, float(made[0, 0]))")
        .replace(COMPUTE, ""),
    ),
    "writes the output from the host": (
        "right|read",
        begun(
            "given = [a for a in gc.get_objects() if isinstance(a, np.ndarray)]\n"
            "given = [a for a in given if a.shape == x.shape]\n"
            "return given[0] * 2 + 1 if given else np.zeros(x.shape, np.float32)"
        ),
    ),
    "one size alone": (
        "right",
        KERNEL.replace(COMPUTE, f"    if x.shape[1] == 64:\n    {COMPUTE}"),
    ),
    "one size, else nothing": ("read", begun("assert x.shape[1] == 64")),
    "half of the rows": ("right", KERNEL.replace("dst=y, src=t", "dst=y[0:64], src=t[0:64]")),
    "patches the judge": (
        "right",
        begun(
            "import nasm.grading.judged as judged\n"
            "judged._differences = lambda *given: iter(())\n"
            "np.isclose = lambda *given, **how: np.ones(1, bool)"
        ).replace(COMPUTE, ""),
    ),
    "answers instead of the judge": (
        "read",
        begun(
            "import struct\n"
            "for number in range(3, 64):\n"
            "    try:\n"
            "        os.write(number, struct.pack('=16scQ', bytes(16), b'm', 4) + b'okay')\n"
            "    except OSError:\n"
            "        pass\n"
            "os._exit(0)"
        ),
    ),
    "less precision": (
        "right",
        KERNEL.replace("x.dtype, buffer=nl.sbuf", "nl.bfloat16, buffer=nl.sbuf"),
    ),
    "the values of the output are given": (
        "right|read|order",
        TEXT.replace("output", "output = zeros").replace("y, t  after done", "t, x"),
    ),
    "a file of results": ("read", TEXT.replace("input = iota", 'input = "golden.npy"')),
    "a race that is allowed": (
        "order",
        TEXT.replace("post done\n", "post done  ; nasm: allow E0501, E0502 faster\n").replace(
            "after loaded", ""
        ),
    ),
    "results that have not landed": ("order", TEXT.replace("@sync    .drain\n", "")),
    "an expectation that holds": (
        "right",
        TEXT.replace("operand1=1", "operand1=0").replace(".drain", ".drain\n.expect y == y"),
    ),
    "sizes of its own": ("read", TEXT.replace(".const N = 64\n", "").replace("N]", "64]")),
}  # fmt: skip
"""Candidates that cheat, each with the checks that find them."""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    made = tmp_path / "task"
    made.mkdir()
    (made / "exercise.toml").write_text(GOAL)
    (made / "golden.py").write_text(GOLDEN)
    return made


def written(task: Path, text: str) -> Path:
    """A candidate in a folder of its own."""
    ending = "py" if "import" in text else "nasm"
    path = task.parent / "candidates" / f"candidate.{ending}"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace("GOLDEN", repr(str(task / "golden.py"))))
    return path


def judged(task: Path, text: str, **how: Any) -> nasm.Grade:
    (found,) = nasm.judge(task, [written(task, text)], **{"seed": 5, "fresh": 1} | how)
    return found


@pytest.mark.parametrize("name", part(["text", "kernel", "older"], 1))
def test_what_is_right_is_right_in_each_form(task: Path, name: str) -> None:
    found = judged(task, {"text": TEXT, "kernel": KERNEL, "older": OLDER}[name], targets=["trn1"])
    assert found.passed, found.message
    sizes = [run.case.shape["N"] for run in found.runs]
    assert (sizes[0], len(set(sizes))) == (64, 2)
    assert all(run.timed for run in found.runs)


@pytest.mark.parametrize("name", part(list(CHEATS), 2))
def test_a_candidate_that_cheats_is_found(task: Path, name: str) -> None:
    checks, text = CHEATS[name]
    assert text not in (KERNEL, TEXT)
    found = judged(task, text, fresh=3)
    assert found.failed in checks.split("|"), found.message
    assert not found.correct


def test_a_judgement_says_what_would_help(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("after loaded", "")
    path = written(task, text)
    code = main(["judge", str(task), str(path), "--json", "--fresh", "0", "-j", "1"])
    document = json.loads(capsys.readouterr().out)
    (found,) = document["judgements"]
    assert (code, document["exit_code"]) == (1, 1)
    assert (found["correct"], found["failed"], found["seed"]) == (False, "order", None)
    run = found["runs"][0]
    assert (run["read"], run["ran"], run["ordered"]) == (True, True, False)
    assert run["bytes"] == 2 * 128 * 64 * 4
    first = found["advice"][0]
    assert (first["about"], first["problem"]["code"]) == ("order", "E0502")
    assert "let line 8 say 'after loaded'" in first["hint"]
    assert first["problem"]["line"] == 8


def test_fresh_cases_follow_from_their_seed(task: Path) -> None:
    held = Exercise(task)
    assert held.fresh(5, 4) == held.fresh(5, 4)
    sizes = {case.shape["N"] for case in held.fresh(5, 40)}
    assert sizes == {64, 96, 160, 192, 224}
    assert len({case.seed for number in range(5) for case in held.fresh(number, 4)}) == 20


@pytest.mark.thorough
def test_judgements_are_the_same_over_processes(task: Path) -> None:
    texts = [TEXT, TEXT.replace("operand1=1", "operand1=2"), "no program\n"]
    found = nasm.judge(task, texts, seed=3, executor=2)
    assert found == nasm.judge(task, texts, seed=3)
    assert [each.failed for each in found] == ["", "right", "read"]
    documents = [plain(each, judgement.JUDGEMENT) for each in found]
    assert [each["correct"] for each in documents] == [True, False, False]


@pytest.mark.thorough
def test_time_that_depends_on_values_is_not_shown(task: Path) -> None:
    toml = task / "exercise.toml"
    toml.write_text(GOAL.replace("rtol", "time_us = 99\nrtol"))
    counting = """.drain
@gpsimd
         TensorLoad    %r1, x.view(i32)[0:1, 0:1]
         RegisterAlu   %r1, %r1, 63, op=bitwise_and
again:   RegisterAlu   %r1, %r1, 1, op=subtract
         CompareBranch %r1, 0, op=greater, target=again
"""
    found = judged(task, TEXT.replace(".drain", counting), fresh=0)
    assert found.passed, found.message
    assert found.timed is None
    assert found.checks[-1].message == "its time depends on values, and is not shown"
    assert judged(task, TEXT, fresh=0).timed is not None


def test_an_unknown_target_is_the_callers_fault(task: Path) -> None:
    with pytest.raises(Failure, match="E0214"):
        judged(task, TEXT, targets=["trn9"])
