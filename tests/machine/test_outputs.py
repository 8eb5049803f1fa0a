"""Outputs that were not written as a whole: which elements, when it is said, and when it is not."""

from __future__ import annotations

import random

import numpy as np
import pytest

import nasm
from nasm.analysis.outputs import ranges
from nasm.base.problems import Problem
from nasm.debugger.session import Session
from tests.parts import part

HEAD = ".target trn1\n.sbuf t f32[128, 64]\n.sem done, stored\n@vector Memset t, 1.0 $done++\n"
STORE = "@sync DmaCopy Y[{}], t[{}] $done >= 1 $stored += 16\n"
END = "@sync EventSemaphore $stored >= 16\n"


def found(report: nasm.RunReport) -> list[Problem]:
    return [p for p in report.hazards if p.code == "E0524"]


def said(text: str, **inputs: object) -> list[str]:
    return [p.message for p in found(nasm.run(text, inputs=inputs).report)]


def test_slices_are_exactly_the_elements() -> None:
    for seed in part(range(300), 60):
        chance = np.random.default_rng(seed)
        shape = tuple(chance.integers(1, 7, chance.integers(1, 4)))
        mask = np.zeros(shape, np.bool_)
        for _ in range(chance.integers(1, 4)):
            box = tuple(
                slice(low := chance.integers(0, n), chance.integers(low, n) + 1,
                      chance.integers(1, 3)) for n in shape
            )  # fmt: skip
            mask[box] = True
        shown = np.zeros(shape, np.int64)
        for text in ranges(mask):
            at = [slice(*(int(n) if n else None for n in p.split(":"))) if ":" in p else int(p)
                  for p in text.strip("[]").split(", ")]  # fmt: skip
            shown[tuple(at)] += 1
        assert (shown == mask).all(), (seed, list(ranges(mask)))


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (range(64, 128), "[64:128]"),
        (range(1, 128, 2), "[1:128:2]"),
        ([5], "[5]"),
        ([3, 4, 9], "[3:5] [9]"),
    ],
)
def test_rows_are_said_as_one_would_write_them(rows: list[int], text: str) -> None:
    mask = np.zeros((128, 8), np.bool_)
    mask[list(rows)] = True
    assert " ".join(ranges(mask)) == text


def test_half_an_output_is_an_error_and_says_which_half() -> None:
    text = ".hbm Y f32[128, 64] output\n" + STORE.format("0:64", "0:64") + END
    report = nasm.run(HEAD + text).report
    assert not report.ok
    (problem,) = found(report)
    assert problem.message == "nothing wrote 4,096 of 8,192 elements of output Y: Y[64:128]"
    assert [note.message for note in problem.notes] == ["sync pc 0 (DmaCopy) writes to it"]


def test_what_has_a_value_at_the_start_is_no_such_output() -> None:
    assert said(HEAD + ".hbm Y f32[128, 64] output = zeros\n") == []
    assert said(HEAD + ".hbm Y f32[2] inout\n", Y=np.zeros(2, np.float32)) == []
    assert said(HEAD + ".hbm Y f32[2] inout\n") == ["nothing wrote output Y"]
    assert said(HEAD + ".hbm Y f32[2]\n") == []


def test_a_run_that_has_not_finished_is_not_judged() -> None:
    text = HEAD + ".hbm Y f32[128, 64] output\n" + STORE.format(":", ":")
    assert [
        p.code for p in nasm.run(text + "@sync EventSemaphore $stored >= 17\n").report.hazards
    ] == []
    session = Session(text + END)
    assert not found(session.run(max_cycles=200))
    assert not found(session.run())


def test_it_is_said_once_and_goes_when_the_session_goes_back() -> None:
    session = Session(HEAD + ".hbm Y f32[128, 64] output\n@vector Nop\n")
    for _ in range(2):
        assert len(found(session.run())) == 1
        assert len(found(session.run())) == 1
        session.restart()
        assert not session.hazards
    session.step(count=10)
    assert len(session.hazards) == 1


def test_a_run_without_values_says_nothing() -> None:
    session = Session(HEAD + ".hbm Y f32[128, 64] output\n", values=False)
    assert not session.run().hazards


def test_random_stores_leave_what_nothing_wrote() -> None:
    for seed in range(30):
        chance, mask, lines = random.Random(seed), np.ones((128, 64), np.bool_), []
        for _ in range(chance.randrange(5)):
            a, b = sorted(chance.sample(range(129), 2))
            c, d = sorted(chance.sample(range(65), 2))
            mask[a:b, c:d] = False
            lines.append(STORE.format(f"{a}:{b}, {c}:{d}", f"{a}:{b}, {c}:{d}"))
        end = f"@sync EventSemaphore $stored >= {16 * len(lines)}\n"
        text = HEAD + ".hbm Y f32[128, 64] output\n" + "".join(lines) + end
        messages, count = said(text), int(mask.sum())
        if not count:
            assert messages == []
        elif count == mask.size:
            assert messages == ["nothing wrote output Y"]
        else:
            (message,) = messages
            assert message.startswith(f"nothing wrote {count:,} of 8,192 elements of output Y: Y[")
