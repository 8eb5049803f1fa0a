"""Exercises: right answers pass, wrong ones fail for their reasons, and nothing hidden is shown."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from nasm.base.problems import Failure
from nasm.grading import class_report
from nasm.grading.exercise import CHECKS, Exercise, ExerciseCase, exercises_of, submissions_of
from nasm.grading.grade import grade, reason
from nasm.grading.grading import faults, judge
from nasm.isolation import here, process
from nasm.show.documents import plain
from tests.parts import part

EXERCISES = Path(__file__).parents[2] / "programs" / "exercises"
DOUBLE = """
.target trn1
.hbm   X  f32[2, 4]  input = zeros
.hbm   Y  f32[2, 4]  output
.sbuf  x  f32[2, 4]
@sync    DmaCopy       x, X                            post loaded
@vector  TensorScalar  x, x, op0=multiply, operand0=2  after loaded  post doubled
@sync    DmaCopy       Y, x                            after doubled
@sync    .drain
"""
GOLDEN = """
import numpy as np

def inputs(rng):
    return {"X": rng.integers(100000, 999999, (2, 4)).astype(np.float32)}

def golden(X):
    return {"Y": X * 2}
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Path:
    made = tmp_path / "double"
    (made / "solutions").mkdir(parents=True)
    (made / "exercise.toml").write_text(
        'title = "Twice"\ntarget = "trn1"\nseeds = [7]\ntime_us = 9.0\nlines = 10\n'
        '[hints]\nright = "Multiply by two."\n'
    )
    (made / "golden.py").write_text(GOLDEN)
    (made / "solutions" / "twice.nasm").write_text(DOUBLE)
    return made


def judged(exercise: Path, text: str, name: str = "mine.nasm") -> Any:
    path = exercise.parent / name
    path.write_text(text)
    return grade(Exercise(exercise), str(path))


def secrets(exercise: Path) -> list[str]:
    given, right = Exercise(exercise).made(ExerciseCase(7))
    return [str(int(value)) for array in (*given.values(), *right.values()) for value in array.flat]


def test_what_is_right_passes_and_gets_all_points(exercise: Path) -> None:
    found = judged(exercise, DOUBLE)
    assert found.passed
    assert (found.points, found.of) == (6, 6)
    assert [check.name for check in found.checks] == [
        "read", "run", "order", "right", "time", "lines",
    ]  # fmt: skip
    assert judged(exercise, DOUBLE) == found


@pytest.mark.parametrize(
    ("before", "after", "fails", "message"),
    part(
        [
            ("operand0=2", "operand0=3", "right", "8 of 8 elements of Y are wrong"),
            ("after loaded  post", "post", "order", "E0502"),
            (".sbuf ", ".sem never\n@gpsimd EventSemaphore $never >= 1\n.sbuf ", "run", "E051"),
            ("x, x, op0", "x, y, op0", "read", "nothing is called 'y'"),
            ("Y, x ", "Z, x ", "read", "nothing is called 'Z'"),
            (
                ".drain",
                ".drain\n.sbuf z f32[2, 4]\n.for i in 0..300\n@gpsimd Memset z, 0\n.end",
                "time",
                "at most 9",
            ),
            (".drain", ".drain\n@vector Nop\n@vector Nop\n@vector Nop", "lines", "11 lines"),
        ],
        3,
    ),
    ids=lambda value: str(value)[:9],
)
def test_what_is_wrong_fails_for_its_reason(
    exercise: Path, before: str, after: str, fails: str, message: str
) -> None:
    found = judged(exercise, DOUBLE.replace(before, after))
    assert found.failed == fails
    failed = next(check for check in found.checks if not check.passed)
    assert message in failed.message
    assert found.points < found.of


def test_points_of_a_wrong_result_are_none(exercise: Path) -> None:
    found = judged(exercise, DOUBLE.replace("operand0=2", "operand0=3"))
    assert found.points == 2  # it is a program, and runs
    assert found.hints == ("Multiply by two.",)


def test_hints_come_one_after_the_other(exercise: Path) -> None:
    toml = exercise / "exercise.toml"
    toml.write_text(toml.read_text().replace('"Multiply by two."', '["Look.", "Twice.", "By 2."]'))
    found = judged(exercise, DOUBLE.replace("operand0=2", "operand0=3"))
    shown = class_report.one(found, 80, 2) + class_report.more_hints(found, 2)
    assert [line for line in shown if "hint" in line] == [
        "hint: Look.",
        "hint: Twice.",
        "1 more hint: --hints 3",
    ]


def test_a_text_is_run_with_each_shape_and_its_waits_are_found(exercise: Path) -> None:
    (exercise / "exercise.toml").write_text(
        'title = "Twice"\ntarget = "trn1"\nautosync = true\nseeds = [7, 8]\n[shapes]\nN = [4, 6]\n'
    )
    golden = GOLDEN.replace("(rng)", "(rng, N)").replace("(2, 4)", "(2, N)")
    (exercise / "golden.py").write_text(golden)
    plain = "\n".join(
        line.partition("  after")[0].partition("  post")[0] for line in DOUBLE.split("\n")
    )
    plain = plain.replace("@sync    .drain", "").replace(".hbm   X", ".const N = 4\n.hbm   X")
    assert judged(exercise, plain.replace("[2, 4]", "[2, N]")).passed
    fixed = judged(exercise, plain)
    assert fixed.failed == "read"
    assert "the given array [2, 6]" in fixed.checks[0].message


@pytest.mark.parametrize(
    "line",
    part(
        [
            '@vector DevicePrint x, "x ="',
            '@gpsimd DevicePrint x, "x ="',
            ".expect Y == X",
            ".expect Y == 0",
            '.include "golden.py"',
            '.hbm G f32[2, 4] input = "golden.npy"',
            '.expect Y ~ "golden.npy"',
            "@vector TensorScalar x, x, op0=multiply, operand0=3e38",
            '.assert False, "nothing"',
        ],
        2,
    ),
)
def test_no_submission_shows_what_is_hidden(exercise: Path, line: str) -> None:
    found = judged(exercise, DOUBLE.replace("@sync    .drain", f"@sync    .drain\n{line}"))
    shown = repr(found) + "\n".join(class_report.one(found, 200))
    shown += json.dumps(plain(found, class_report.GRADE))
    assert not [number for number in secrets(exercise) if number in shown]


@pytest.mark.thorough
def test_a_kernel_sees_no_value_and_constants_do_not_pass(exercise: Path) -> None:
    toml = exercise / "exercise.toml"
    toml.write_text('title = "Twice"\nkernel = "twice"\ntarget = "trn2"\nseeds = [7, 8]\n')
    golden = GOLDEN.replace('"X":', '"x":').replace("golden(X)", "golden(x)").replace("X *", "x *")
    (exercise / "golden.py").write_text(golden)
    text = """
import numpy as np
import nki, nki.isa as nisa, nki.language as nl

@nki.jit
def twice(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
    assert judged(exercise, text, "mine.py").passed
    zeros = text.replace("operand0=2.0", "operand0=0.0")
    assert judged(exercise, zeros, "mine.py").failed == "right"
    leaves = text.replace("    nisa.dma_copy(dst=tile, src=x)\n", "    import os; os._exit(0)\n", 1)
    assert judged(exercise, leaves, "mine.py").failed == "read"
    unread = text.replace("import numpy", f"open({str(toml)!r}).read()\nimport numpy")
    found = judged(exercise, unread, "mine.py")
    assert found.passed or found.failed == "read"  # as far as the system can forbid it


@pytest.mark.thorough
def test_an_exercise_that_is_wrong_says_how(exercise: Path) -> None:
    (exercise / "starter.nasm").write_text(DOUBLE)
    (exercise / "wrong").mkdir()
    (exercise / "wrong" / "thrice.nasm").write_text(
        f"; fails: time\n{DOUBLE.replace('operand0=2', 'operand0=3')}"
    )
    (exercise / "solutions" / "bad.nasm").write_text(DOUBLE.replace("operand0=2", "operand0=1"))
    found = list(faults(exercise))
    assert len(found) == 3
    assert found[0].startswith("the solution bad.nasm fails at 'right'")
    assert found[1] == "starter.nasm passes"
    assert found[2].startswith("thrice.nasm fails at 'right'")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("exercise.toml", "titel = 1", "has 'titel'"),
        ("exercise.toml", "title = 1", "title is a text"),
        ("exercise.toml", "[", "exercise.toml"),
        ("exercise.toml", 'title = "x"\n[hints]\nrigth = ""', "did you mean 'right'"),
        ("golden.py", "1 / 0", "ZeroDivisionError"),
        ("golden.py", "x = 1", "no function 'inputs'"),
        ("golden.py", "def inputs(rng): return 1", "no arrays by name"),
        ("golden.py", "def inputs(rng): 1 / 0", "ZeroDivisionError"),
    ],
)
def test_what_is_no_exercise(exercise: Path, file: str, text: str, message: str) -> None:
    (exercise / file).write_text(text)
    with pytest.raises(Failure, match="E0847") as raised:
        judge(exercise, [exercise / "solutions" / "twice.nasm"])
    assert message in str(raised.value)


def test_each_exercise_of_ours_has_a_text_and_its_number() -> None:
    found = exercises_of(EXERCISES)
    assert len(found) >= 16
    assert [each.wanted.number for each in found] == list(range(1, len(found) + 1))
    for each in found:
        assert each.text.startswith(f"# {each.wanted.title}\n")
        assert each.submissions("solutions")
        assert each.submissions("starter")
        assert {reason(path) for path in each.submissions("wrong")} <= set(CHECKS)
        assert len(each.submissions("wrong")) >= 3
        assert {"right"} <= set(each.wanted.hints)


@pytest.mark.thorough
@pytest.mark.parametrize("folder", sorted(EXERCISES.iterdir()), ids=lambda path: path.name)
def test_an_exercise_of_ours_is_as_it_should_be(folder: Path) -> None:
    assert list(faults(folder)) == []


@pytest.mark.thorough
def test_a_class_is_judged_the_same_over_processes(exercise: Path) -> None:
    texts = {
        "ada": DOUBLE,
        "bob": DOUBLE.replace("operand0=2", "operand0=3"),
        "cyd": DOUBLE.replace("after loaded  post", "post"),
        "dan": "this is no program",
        "eve": "",
    }
    for name, text in texts.items():
        (exercise.parent / "class" / name).mkdir(parents=True)
        (exercise.parent / "class" / name / "submission.nasm").write_text(text)
    paths = submissions_of(str(exercise.parent / "class"))
    found = judge(exercise, paths, executor=2, fresh=0)
    assert found == judge(exercise, paths, fresh=0)
    assert [class_report.student(each.submission) for each in found] == list(texts)
    assert [each.failed for each in found] == ["", "right", "order", "read", "read"]
    read = list(csv.DictReader(io.StringIO(class_report.comma_separated(found))))
    assert [row["passed"] for row in read] == ["True", "False", "False", "False", "False"]
    shutil.rmtree(exercise.parent / "class" / "dan")
    assert len(submissions_of(str(exercise.parent / "class"))) == 4


KINDS = {
    "": DOUBLE,
    "right": DOUBLE.replace("operand0=2", "operand0=3"),
    "order": DOUBLE.replace("after loaded  post", "post"),
    "run": DOUBLE.replace(".sbuf ", ".sem never\n@gpsimd EventSemaphore $never >= 1\n.sbuf "),
    "time": DOUBLE.replace(
        ".drain", ".drain\n.sbuf z f32[2, 4]\n.for i in 0..300\n@gpsimd Memset z, 0\n.end"
    ),
    "lines": DOUBLE.replace(".drain", ".drain\n@vector Nop\n@vector Nop\n@vector Nop"),
    "instructions": DOUBLE.replace(".drain", ".drain\n@vector Nop"),
    "read": "this is no program\n",
    "read, empty": "",
    "read, a tensor that is not there": DOUBLE.replace("Y, x ", "Z, x "),
    "right, nothing stored": DOUBLE.replace("@sync    DmaCopy       Y, x    ", ";"),
    "run, without end": DOUBLE.replace(".drain", ".drain\n@gpsimd\non: CompareBranch target=on"),
}


@pytest.mark.thorough
def test_sixty_submissions_get_the_points_that_they_should(exercise: Path) -> None:
    toml = exercise / "exercise.toml"
    toml.write_text(f'not_used = ["Nop"]\nmax_instructions = 5000\n{toml.read_text()}')
    folder, wanted = exercise.parent / "class", []
    for number in range(60):
        kind, text = list(KINDS.items())[number % len(KINDS)]
        place = folder / f"student{number:02}"
        place.mkdir(parents=True)
        (place / "submission.nasm").write_text(text)
        wanted.append("lines" if kind == "lines" else kind.partition(",")[0])
    found = judge(exercise, submissions_of(str(folder)), executor=2, fresh=0)
    assert [each.failed for each in found] == wanted
    for at in range(12):  # equal submissions have equal points
        assert len({(each.points, each.passed) for each in found[at::12]}) == 1
    assert found[0].points == found[0].of == 7
    shown = "\n".join(class_report.of_class(found, 100))
    assert "5 of 60 submissions passed" in shown
    assert "what failed first: read (15), right (10), run (10)" in shown
    rows = list(csv.DictReader(io.StringIO(class_report.comma_separated(found))))
    assert [row["student" if "student" in row else "submission"] for row in rows] == [
        f"student{number:02}" for number in range(60)
    ]


OF_OURS = [
    path
    for folder in sorted(EXERCISES.iterdir())
    for kind in ("solutions", "wrong")
    for path in sorted((folder / kind).glob("*.*"))
    if path.suffix in (".nasm", ".py")
]


@pytest.mark.parametrize("path", part(OF_OURS, 5), ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_grade_is_the_same_without_processes(path: Path) -> None:
    exercise, before = Exercise(path.parents[1]), dict(sys.modules)
    isolated, here_alone = (grade(exercise, str(path), perform=p) for p in (process.run, here.run))
    assert isolated == here_alone
    assert class_report.one(isolated, 90, 9) == class_report.one(here_alone, 90, 9)
    assert path.stem not in set(sys.modules) - set(before)


def test_a_kernel_that_was_changed_or_moved_is_read_again(tmp_path: Path) -> None:
    """Equal functions of two files are equal to Python: their places are not."""
    exercise = Exercise(EXERCISES / "kernel")
    text = (EXERCISES / "kernel" / "wrong" / "all_rows.py").read_text()
    found = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "kernel.py"
        path.write_text(text)
        found.append(grade(exercise, str(path), perform=here.run).message)
    assert found[0] == found[1]
    assert found[0].startswith("line ")
    path.write_text("def rmsnorm(x, gain):\n    print('p')\n    raise KeyboardInterrupt\n")
    assert "KeyboardInterrupt" in grade(exercise, str(path), perform=here.run).message
