"""``neuron-nasm learn``: lessons one after the other, checked, and nothing lost."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.cli.verbs.learn import readable
from nasm.grading.course import Course, course_folder
from nasm.grading.exercise import Exercise

LESSONS = Path(course_folder())
SOLUTION = LESSONS / "add" / "solutions" / "in_place.nasm"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def test_every_lesson_has_a_text_a_starter_and_a_place() -> None:
    lessons = Course("unused").lessons
    assert [lesson.name for lesson in lessons][:5] == ["add", "tiles", "race", "matmul", "overlap"]
    for lesson in lessons:
        assert lesson.text.startswith("# "), lesson.name
        assert lesson.submissions("starter"), lesson.name
        assert lesson.submissions("solutions"), lesson.name
    assert len({lesson.wanted.number for lesson in lessons}) == len(lessons)


def test_courses_have_lessons_that_there_are() -> None:
    course = Course("unused")
    names = [lesson.name for lesson in course.all]
    assert set(course.courses) == {"day", "hours"}
    for lessons in course.courses.values():
        assert set(lessons) <= set(names)


def test_in_a_pipe_the_first_lesson_is_shown_and_its_starter_copied(ran: Any, folder: Path) -> None:
    done = ran("learn", "--dir", folder)
    assert done.code == 0
    assert "Lesson 1: Add two tensors" in done.out
    assert f"your file: {folder}/add.nasm" in done.out
    assert "mine.nasm" not in done.out
    assert "neuron-nasm learn check" in done.out
    assert (folder / "add.nasm").read_bytes() == (LESSONS / "add" / "starter.nasm").read_bytes()


def test_a_file_of_the_learner_is_never_written_over(ran: Any, folder: Path) -> None:
    folder.mkdir()
    (folder / "add.nasm").write_text("; mine")
    ran("learn", "--dir", folder)
    assert (folder / "add.nasm").read_text() == "; mine"
    done = ran("learn", "--dir", folder, "again", "add")
    assert "add.1.nasm" in done.err
    assert (folder / "add.1.nasm").read_text() == "; mine"
    (folder / "add.nasm").write_text("; mine again")
    ran("learn", "--dir", folder, "again", "add")
    assert (folder / "add.1.nasm").read_text() == "; mine"
    assert (folder / "add.2.nasm").read_text() == "; mine again"


def test_a_check_tells_what_fails_and_another_gives_the_next_hint(ran: Any, folder: Path) -> None:
    ran("learn", "--dir", folder, "race")
    first = ran("learn", "--dir", folder, "check")
    assert first.code == 1
    assert "race.nasm is still as you were given it" in first.out
    assert "FAIL order" in first.out
    hints = Exercise(LESSONS / "race").wanted.hints["order"]
    shown = [first.out.count("hint "), ran("learn", "--dir", folder, "hint").out.count("hint ")]
    assert shown == [1, min(2, len(hints))]


def test_what_is_passed_is_kept_and_the_next_lesson_follows(ran: Any, folder: Path) -> None:
    ran("learn", "--dir", folder)
    shutil.copy(SOLUTION, folder / "add.nasm")
    done = ran("learn", "--dir", folder, "check")
    assert done.code == 0
    assert "Add two tensors: passed." in done.out
    assert "1 of " in ran("learn", "--dir", folder, "list").out
    assert "Lesson 2: Chunks of rows" in ran("learn", "--dir", folder).out
    (folder / "add.nasm").write_text("; gone")
    assert ran("learn", "--dir", folder, "check", "add").code == 1
    assert "1 of " in ran("learn", "--dir", folder, "list").out


def test_a_lesson_is_named_by_its_number_or_name_and_others_are_refused(
    ran: Any, folder: Path
) -> None:
    assert "Chunks of rows" in ran("learn", "--dir", folder, "2").out
    assert "A race" in ran("learn", "--dir", folder, "show", "race").out
    wrong = ran("learn", "--dir", folder, "rase")
    assert wrong.code == 2
    assert "did you mean 'race'" in wrong.err
    assert ran("learn", "--dir", folder, "race", "add").code == 2
    assert ran("learn", "--dir", folder, "--course", "hour", "list").code == 2
    assert "5 lessons" in ran("learn", "--dir", folder, "--course", "hours", "list").out


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"course": 1, "lesson": "", "lessons": {"add": {"tries": "x"}}}']
)
def test_damaged_progress_is_refused_and_left_as_it_is(ran: Any, folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "progress.json").write_text(text)
    done = ran("learn", "--dir", folder, "list")
    assert done.code == 2
    assert "E0847" in done.err
    assert (folder / "progress.json").read_text() == text


def test_when_all_is_passed_that_is_said(ran: Any, folder: Path) -> None:
    folder.mkdir()
    lessons = {lesson.name: {"passed": True} for lesson in Course(str(folder)).all}
    made = {"course": "day", "lesson": "", "lessons": lessons}
    (folder / "progress.json").write_text(json.dumps(made))
    assert "all lessons are passed" in ran("learn", "--dir", folder).out


def test_a_text_in_markdown_is_wrapped_but_for_its_code() -> None:
    text = "# Title\n\nSome words\nin **two** lines.\n\n1. one\n2. two\n\n```text\na    b\n```\n"
    assert readable(text, 80) == [
        "Title", "", "Some words in two lines.", "", "1. one", "2. two", "", "    a    b",
    ]  # fmt: skip
    assert readable("one two three\n", 8) == ["one two", "three"]


@pytest.mark.turns(4)
def test_on_a_terminal_a_saved_file_is_checked_and_the_next_lesson_shown(folder: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "nasm", "learn", "--dir", str(folder)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""

    def until(word: bytes) -> None:
        nonlocal seen
        end = time.monotonic() + 90
        while word not in seen and time.monotonic() < end:
            if select.select([ours], [], [], 0.2)[0]:
                seen += os.read(ours, 4096)
        assert word in seen, seen.decode()

    try:
        until(b"Ctrl-C ends")
        time.sleep(0.3)  # it has looked at the file
        shutil.copy(SOLUTION, folder / "add.nasm")
        until(b"Lesson 2: Chunks of rows")
        until(b"tiles.nasm: save it")
        process.send_signal(signal.SIGINT)
        until(b"continue with: neuron-nasm learn")
        assert process.wait(20) == 0
    finally:
        process.kill()
        os.close(ours)
    assert json.loads((folder / "progress.json").read_text())["lessons"]["add"]["passed"]
