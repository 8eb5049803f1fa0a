"""The course: begun, left and continued, and nothing of the learner's is lost."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.cli import main
from nasm.grading.course import NOTES, Course
from nasm.grading.exercise import SOLUTIONS, STARTER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def learn(folder: Path, *words: str) -> int:
    return main(["learn", *words, "--dir", str(folder), "--once"])


def solved(folder: Path, name: str = "add") -> Path:
    """Put a solution where the learner writes one."""
    course = Course(folder)
    exercise = course.named(name)
    path = Path(course.begin(exercise))
    shutil.copy(exercise.submissions(SOLUTIONS)[0], path)
    return path


def test_it_begins_with_a_file_to_edit(folder: Path, capsys: Any) -> None:
    first = Course(folder).next()
    assert first is not None
    assert learn(folder) == 1
    shown = capsys.readouterr()
    assert first.wanted.title in shown.out
    assert f"{first.name}.nasm" in shown.err
    assert [each.name for each in folder.iterdir()] == [f"{first.name}.nasm"]


def test_commands_in_a_text_name_the_file_of_the_learner(folder: Path, capsys: Any) -> None:
    learn(folder, "add")
    shown = " ".join(capsys.readouterr().out.split())
    assert "mine.nasm" not in shown
    assert "neuron-nasm sync " in shown
    assert f"neuron-nasm learn add --once --dir {folder}" in shown
    assert "neuron-nasm grade" not in shown


def test_what_passed_is_remembered_and_the_next_one_follows(folder: Path, capsys: Any) -> None:
    solved(folder)
    assert learn(folder, "add") == 0
    assert "next, " in capsys.readouterr().err
    course = Course(folder)
    assert course.passed(course.named("add"))
    following = course.next()
    assert following is not None
    assert following.name != "add"


def test_a_file_of_the_learner_is_never_overwritten(folder: Path) -> None:
    path = solved(folder)
    path.write_text("; mine\n")
    assert learn(folder, "add") == 1
    assert path.read_text() == "; mine\n"
    path.unlink()
    path.symlink_to(folder / "elsewhere")
    assert learn(folder, "add") == 1
    assert path.is_symlink()
    assert not (folder / "elsewhere").exists()


def test_one_hint_after_the_other(folder: Path, capsys: Any) -> None:
    path = Path(Course(folder).begin(Course(folder).named("add")))
    path.write_text("nonsense\n")
    hints = Course(folder).named("add").wanted.hints["read"]
    for number in range(len(hints) + 1):
        assert learn(folder, "add", "--hint") == 1
        shown = " ".join(capsys.readouterr().out.split())
        for place, hint in enumerate(hints):
            assert (" ".join(hint.split()) in shown) == (place <= number), (number, place)


def test_a_solution_is_shown_once_it_has_passed(folder: Path, capsys: Any) -> None:
    assert learn(folder, "add", "--solution") == 2
    assert "E0854" in capsys.readouterr().err
    solved(folder)
    learn(folder, "add")
    capsys.readouterr()
    assert learn(folder, "add", "--solution") == 0
    assert "TensorTensor" in capsys.readouterr().out


def test_an_exercise_is_named_by_its_number_or_a_close_name(folder: Path, capsys: Any) -> None:
    course = Course(folder)
    assert course.named("1").name == course.exercises[0].name
    assert learn(folder, "ad") == 2
    assert "did you mean 'add'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "notes", ["", "{", "[]", '{"version": 2}', '{"version": 1}', "[" * 100_000,
              '{"version": 1, "passed": [1], "hints": {}}',
              '{"version": 1, "passed": [], "hints": {"add": -1}}'],
)  # fmt: skip
def test_damaged_notes_are_neither_believed_nor_overwritten(
    folder: Path, capsys: Any, notes: str
) -> None:
    folder.mkdir()
    (folder / NOTES).write_text(notes)
    assert learn(folder) == 2
    assert "E0852" in capsys.readouterr().err
    assert (folder / NOTES).read_text() == notes


def test_the_document_lists_the_exercises(folder: Path, capsys: Any) -> None:
    solved(folder)
    assert main(["learn", "add", "--dir", str(folder), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["grade"]["passed"] is True
    (own,) = [each for each in made["exercises"] if each["exercise"] == "add"]
    assert own["passed"]
    assert own["begun"]
    assert main(["learn", "--list", "--dir", str(folder)]) == 0
    assert "passed" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "file").write_text("")
    assert learn(tmp_path / "file") == 2
    assert "E0801" in capsys.readouterr().err


def test_every_exercise_has_a_start_and_a_solution() -> None:
    course = Course("nowhere")
    numbers = [each.wanted.number for each in course.exercises]
    assert len(numbers) > 5
    for each in course.exercises:
        assert each.submissions(STARTER), each.name
        assert each.submissions(SOLUTIONS), each.name
    texts = [each for each in course.exercises if each.text]
    assert all(each.text.startswith("# ") for each in texts)
    assert len(texts) > 4


def test_after_an_exercise_in_the_middle_the_one_behind_it_is_next(
    folder: Path, capsys: Any
) -> None:
    solved(folder, "race")
    assert learn(folder, "race") == 0
    course = Course(folder)
    race = course.named("race")
    behind = course.exercises[course.place(race)]
    assert f"next, {behind.wanted.title}" in capsys.readouterr().err
    assert course.next(course.exercises[-1]) == course.exercises[0]


def test_the_course_of_two_hours_is_that_of_its_page(folder: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "course.md").read_text()
    table = page.partition("## Two hours")[2].partition("## A day")[0]
    rows = re.findall(r"^\| (\d+) \| .*? \| (?:`(\w+)`)? *\|", table, re.MULTILINE)
    planned = {name: int(minutes) for minutes, name in rows if name}
    exercises = Course(folder).exercises
    assert planned == {
        e.name: e.wanted.minutes["2h"] for e in exercises if "2h" in e.wanted.minutes
    }
    assert sum(int(minutes) for minutes, _ in rows) == 120


def test_the_course_of_a_day_is_that_of_its_page(folder: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "course.md").read_text()
    table = page.partition("## A day")[2].partition("\n\nFor those")[0]
    rows = re.findall(r"^\| ([\d.]+) \| .*? \| (.*?) \|", table, re.MULTILINE)
    of = {each.name: each.wanted.minutes.get("day", 0) for each in Course(folder).exercises}
    first = [each.name for each in Course(folder, "2h").planned]
    named = [re.findall(r"`(\w+)`", said) or first for _, said in rows]
    assert [60 * float(hours) for hours, _ in rows] == [sum(map(of.get, each)) for each in named]  # type: ignore[arg-type]
    planned = [each.name for each in Course(folder, "day").planned]
    assert [name for each in named for name in each] == planned


@pytest.mark.turns(3)
def test_a_course_is_chosen_and_continued(folder: Path, capsys: Any) -> None:
    assert learn(folder, "--course", "2h") == 1
    assert "exercise 1 of 6, 15 minutes planned" in capsys.readouterr().out
    names = [each.name for each in Course(folder).planned]
    assert len(names) == 6
    for number, name in enumerate(names):
        solved(folder, name)
        assert learn(folder) == 0, name
        assert f"exercise {number + 1} of 6" in capsys.readouterr().out
    assert learn(folder) == 0
    shown = capsys.readouterr()
    assert "All 6 exercises of the course of two hours have passed" in shown.out
    assert f"learn --course all --dir {folder}" in shown.err
    assert learn(folder, "--list", "--course", "day") == 0
    assert "360 are left" in capsys.readouterr().err
    following = Course(folder).next()
    assert following is not None
    assert following.name == "faster"
    assert Course(folder, "all").name == ""
    assert learn(folder, "--course", "2 h") == 2
    assert "did you mean '2h'" in capsys.readouterr().err


def test_notes_of_before_there_were_courses_are_read(folder: Path) -> None:
    folder.mkdir()
    (folder / NOTES).write_text('{"version": 1, "passed": ["add"], "hints": {}}')
    assert (Course(folder).name, Course(folder).passed(Course(folder).named("add"))) == ("", True)
    (folder / NOTES).write_text('{"version": 1, "passed": [], "hints": {}, "course": ["2h"]}')
    assert learn(folder) == 2


def test_what_is_wrong_is_said_in_whole_by_a_command(folder: Path, capsys: Any) -> None:
    path = solved(folder, "sync")
    path.write_text(path.read_text().replace("TensorScalar", "TensorScaler"))
    assert learn(folder, "sync") == 1
    (said,) = re.findall(r"the whole report: neuron-nasm (.*)", capsys.readouterr().err)
    assert main([*said.split()]) == 2
    assert "did you mean 'TensorScalar'?" in capsys.readouterr().err
    shutil.copy(Course(folder).named("overlap").submissions(STARTER)[0], folder / "overlap.nasm")
    assert learn(folder, "overlap") == 1
    assert "the whole report" not in capsys.readouterr().err


def test_what_is_measured_of_the_course_is_each_exercise(folder: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "course.md").read_text()
    measured = page.partition("<!-- measured -->")[2].partition("<!-- end -->")[0]
    names = [each.name for each in Course(folder).exercises]
    assert re.findall(r"^\| `(\w+)` \| [\d.]+ s \| [\d.]+ s \|$", measured, re.MULTILINE) == names
