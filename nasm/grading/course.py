"""The course: exercises as lessons, one after the other, and how far a learner is.

All that belongs to a learner is in one folder: a file for each lesson that was begun, and
``progress.json``. No file is ever written over: a lesson that is begun again keeps the old file
under another name.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, did_you_mean, listed
from nasm.base.records import dataclass, field
from nasm.grading.exercise import STARTER, UNUSABLE, Exercise, exercises_of
from nasm.grading.grade import Grade

PROGRESS, COURSES = "progress.json", "courses.toml"
ALL = "day"
"""The course that has every lesson."""


def course_folder() -> str:
    """Where the lessons are: inside an installed package, else in the checkout around it."""
    package = Path(__file__).parents[1]
    packaged = package / "exercises"
    return str(packaged if packaged.is_dir() else package.parent / "programs" / "exercises")


@dataclass(slots=True)
class LessonRecord:
    """What a learner has done of a lesson. ``hints`` were shown of the check that failed last."""

    passed: bool = False
    tries: int = 0
    failed: str = ""
    hints: int = 0


@dataclass(slots=True)
class CourseProgress:
    """How far a learner is: the lesson that is open, and all that were begun."""

    course: str = ALL
    lesson: str = ""
    lessons: dict[str, LessonRecord] = field(default_factory=dict)


class Course:
    """The lessons of a learner's folder; raises Failure if its progress cannot be read."""

    def __init__(self, folder: str, lessons: str = "", course: str = "") -> None:
        self.folder = os.path.abspath(folder)
        self.all = [e for e in exercises_of(lessons or course_folder()) if e.wanted.number]
        self.courses = _courses(lessons or course_folder(), self.all)
        self.progress = _read(os.path.join(self.folder, PROGRESS))
        if course and course not in self.courses:
            hint = did_you_mean(course, self.courses)
            hint = hint or f"the courses are {listed(self.courses, 'and')}"
            raise Failure(Problem(UNUSABLE, f"no course '{course}'", None, hint))
        if course:
            self.progress.course = course
        names = self.courses.get(self.progress.course, self.courses[ALL])
        self.lessons = [e for name in names for e in self.all if e.name == name]

    # -- which lesson

    @property
    def current(self) -> Exercise:
        """The lesson that is open; if none is, the first that is not passed."""
        chosen = next((e for e in self.all if e.name == self.progress.lesson), None)
        return chosen or self.following or self.lessons[-1]

    @property
    def done(self) -> bool:
        """Whether all lessons are passed, and none is open."""
        return self.following is None and not self.progress.lesson

    @property
    def following(self) -> Exercise | None:
        """The first lesson that is not passed."""
        return next((e for e in self.lessons if not self.record(e).passed), None)

    def named(self, name: str) -> Exercise:
        """A lesson by its name or its number in the course; raises Failure."""
        if name.isdigit() and 1 <= int(name) <= len(self.lessons):
            return self.lessons[int(name) - 1]
        found = next((e for e in self.all if e.name == name), None)
        if found is None:
            names = [e.name for e in self.all]
            hint = did_you_mean(name, names) or f"the lessons are {listed(names, 'and')}"
            raise Failure(Problem(UNUSABLE, f"no lesson '{name}'", None, hint))
        return found

    def record(self, lesson: Exercise) -> LessonRecord:
        """What was done of a lesson."""
        return self.progress.lessons.get(lesson.name, LessonRecord())

    def number(self, lesson: Exercise) -> int:
        """The place of a lesson in the course, from 1; 0 if the course does not have it."""
        names = [e.name for e in self.lessons]
        return names.index(lesson.name) + 1 if lesson.name in names else 0

    # -- the learner's files

    def path(self, lesson: Exercise) -> str:
        """The learner's file of a lesson."""
        starter = self._starter(lesson)
        return os.path.join(self.folder, lesson.name + os.path.splitext(starter)[1])

    def begin(self, lesson: Exercise) -> str:
        """Open a lesson: its starter is copied unless the learner has a file; returns the file."""
        path = self.path(lesson)
        if not os.path.lexists(path):
            self._copy(lesson, path)
        self.progress.lesson = lesson.name
        self.save()
        return path

    def again(self, lesson: Exercise) -> str:
        """Begin a lesson again: the learner's file gets another name, which is returned."""
        path, kept = self.path(lesson), ""
        if os.path.lexists(path):
            stem, ending = os.path.splitext(path)
            number = 1
            while os.path.lexists(kept := f"{stem}.{number}{ending}"):
                number += 1
            host_files.replace(path, kept)
        self._copy(lesson, path)
        self.progress.lessons[lesson.name] = LessonRecord(self.record(lesson).passed)
        self.begin(lesson)
        return kept

    def untouched(self, lesson: Exercise) -> bool:
        """Whether the learner's file is still the starter."""
        path = self.path(lesson)
        return host_files.read_bytes(path) == host_files.read_bytes(self._starter(lesson))

    def _starter(self, lesson: Exercise) -> str:
        found = lesson.submissions(STARTER)
        if not found:
            raise Failure(Problem(UNUSABLE, f"the lesson {lesson.name} has no starter"))
        return found[0]

    def _copy(self, lesson: Exercise, path: str) -> None:
        host_files.make_folders(self.folder)
        with host_files.whole(path, over=False) as out:
            out.write(host_files.read_bytes(self._starter(lesson)))

    # -- what was done

    def graded(self, lesson: Exercise, found: Grade) -> LessonRecord:
        """Keep a grade: a lesson that is passed is closed.

        One more hint is shown each time that the same check fails.
        """
        record = self.progress.lessons.setdefault(lesson.name, LessonRecord())
        record.tries += 1
        record.passed = record.passed or found.passed
        again = found.failed == record.failed
        record.hints = min(record.hints + 1 if again else 1, len(found.hints))
        record.failed = found.failed
        if found.passed:
            self.progress.lesson = ""
        self.save()
        return record

    def save(self) -> None:
        """Write the progress; a file that is there is replaced as a whole."""
        host_files.make_folders(self.folder)
        lessons = {name: _fields(record) for name, record in self.progress.lessons.items()}
        made = {"course": self.progress.course, "lesson": self.progress.lesson, "lessons": lessons}
        with host_files.whole(os.path.join(self.folder, PROGRESS)) as out:
            out.write(json.dumps(made, indent=1).encode() + b"\n")

    def text(self, lesson: Exercise) -> str:
        """The text of a lesson, with the learner's file and this command in its examples."""
        file = os.path.basename(self.path(lesson))
        text = lesson.text.replace("starter.nasm", file).replace("mine.nasm", file)
        graded = rf"neuron-nasm grade \S*{re.escape(lesson.name)} {re.escape(file)}"
        return re.sub(graded, "neuron-nasm learn check", text)


def _fields(record: LessonRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _KINDS}


_KINDS: Mapping[str, tuple[type, ...]] = {
    "passed": (bool,),
    "tries": (int,),
    "failed": (str,),
    "hints": (int,),
}


def _read(path: str) -> CourseProgress:
    """The progress of a file; of none, that of a learner who begins."""
    if not os.path.lexists(path):
        return CourseProgress()
    try:
        read = json.loads(host_files.read_text(path))
        lessons = {
            str(name): LessonRecord(**{k: _kept(k, record[k]) for k in _KINDS if k in record})
            for name, record in read["lessons"].items()
        }
        return CourseProgress(str(read["course"]), str(read["lesson"]), lessons)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "move it to another place to begin again; your files of the lessons stay"
        message = f"{path} does not hold the progress of a course: {error}"
        raise Failure(Problem(UNUSABLE, message, None, hint)) from None


def _kept(name: str, value: object) -> Any:
    if not isinstance(value, _KINDS[name]):
        raise TypeError(f"{name} is {value!r}")
    return value


def _courses(folder: str, lessons: list[Exercise]) -> dict[str, tuple[str, ...]]:
    """The lessons of each course by their names; the whole one has all of them."""
    made = {ALL: tuple(e.name for e in lessons)}
    path = os.path.join(folder, COURSES)
    if os.path.isfile(path):
        for name, course in tomllib.loads(host_files.read_text(path)).items():
            made[name] = tuple(str(lesson) for lesson in course.get("lessons", made[ALL]))
    return made
