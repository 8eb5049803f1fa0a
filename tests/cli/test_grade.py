"""``neuron-nasm grade``: one submission, a class, an exercise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.grading.test_grading import DOUBLE, exercise

__all__ = ["exercise"]


def test_one_submission_a_class_and_an_exercise(ran: Any, exercise: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.nasm"
    wrong.write_text(DOUBLE.replace("operand0=2", "operand0=3"))
    one = ran("grade", exercise, wrong, "-j", "1")
    assert one.code == 1
    assert "FAILS at 'right': 2 of 6 points\nhint: Multiply by two." in one.out
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ada.nasm").write_text(DOUBLE)
    table = tmp_path / "points.csv"
    every = ran("grade", exercise, "--all", folder, "-j", "1", "--csv", table)
    assert every.code == 0
    assert "1 of 1 submission passed" in every.out
    assert table.read_text().startswith("submission,passed,points,of,")
    document = json.loads(ran("grade", exercise, wrong, "-j", "1", "--json").out)
    assert [check["name"] for check in document["grades"][0]["checks"]][3] == "right"
    checked = ran("grade", exercise, "--check", "-j", "1")
    assert checked.code == 1
    assert "it has no starter" in checked.out


def test_what_there_is_to_judge_must_be_clear(ran: Any, exercise: Path) -> None:
    assert "name submissions, or give --all" in ran("grade", exercise).err
    assert ran("grade", exercise.parent / "none", "x.nasm").code == 2
