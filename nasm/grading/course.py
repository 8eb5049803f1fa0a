"""The exercises that are installed with nasm, in order, and how far someone has got with them."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, did_you_mean, in_line
from nasm.grading.exercise import COURSES, STARTER, Exercise, exercises_of
from nasm.grading.grade import Grade

UNREADABLE, UNKNOWN, UNWRITABLE = "E0852", "E0853", "E0801"
NOTES = ".progress.json"
VERSION = 1

ALL = "all"
"""What is chosen instead of one of the courses: every exercise."""


def installed() -> str:
    """The folder of the exercises: inside an installed package, else in the checkout around it."""
    package = Path(__file__).parents[1]
    packaged = package / "exercises"
    return str(packaged if packaged.is_dir() else package.parent / "programs" / "exercises")


class Course:
    """The exercises of a course, and the folder in which someone does them.

    The folder has a file for each exercise that was begun, which is never overwritten, and notes of
    what passed, how many hints were shown, and which of the COURSES was chosen last: its exercises
    are the ones that follow each other; without one, all. ``chosen`` chooses one, ALL none. Raises
    Failure if the notes cannot be read, and for a course that there is not.
    """

    def __init__(self, folder: str | os.PathLike[str], chosen: str | None = None) -> None:
        self.folder = os.fspath(folder)
        self._notes = _read(os.path.join(self.folder, NOTES))
        self._before = self._notes["course"]
        if chosen is not None:
            if chosen not in (*COURSES, ALL):
                names = [*COURSES, ALL]
                hint = did_you_mean(chosen, names) or f"there are {', '.join(names)}"
                raise Failure(Problem(UNKNOWN, f"no course '{in_line(chosen)}'", None, hint))
            self._notes["course"] = "" if chosen == ALL else chosen

    @property
    def name(self) -> str:
        """The course that was chosen, one of COURSES; empty if none was."""
        return str(self._notes["course"])

    def choose(self) -> None:
        """Keep the choice of a course for the next time."""
        if self._before != self.name:
            self._write()
            self._before = self.name

    @cached_property
    def planned(self) -> tuple[Exercise, ...]:
        """The exercises of the course that was chosen, in order."""
        return tuple(e for e in self.exercises if not self.name or self.name in e.wanted.minutes)

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises, in order."""
        return tuple(exercises_of(installed()))

    def passed(self, exercise: Exercise) -> bool:
        """Whether a solution of an exercise has passed."""
        return exercise.name in self._notes["passed"]

    def hints(self, exercise: Exercise) -> int:
        """How many hints of an exercise were asked for."""
        return int(self._notes["hints"].get(exercise.name, 0))

    def begun(self, exercise: Exercise) -> bool:
        """Whether there is a file for an exercise."""
        return os.path.lexists(self.path(exercise))

    def next(self, after: Exercise | None = None) -> Exercise | None:
        """The first that has not passed, of those after one if any; None if all have.

        It is one of the course that was chosen.
        """
        start = 0 if after is None else self.place(after)
        behind = [each for each in self.planned if self.place(each) <= start]
        ahead = (*self.planned[len(behind) :], *behind)
        return next((each for each in ahead if not self.passed(each)), None)

    def named(self, name: str) -> Exercise:
        """An exercise by its name or its place; raises Failure."""
        for place, each in enumerate(self.exercises, 1):
            if name in (each.name, str(place)):
                return each
        names = [each.name for each in self.exercises]
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise Failure(Problem(UNKNOWN, f"no exercise '{in_line(name)}'", None, hint))

    def place(self, exercise: Exercise) -> int:
        """Its place in the course, from 1."""
        return [each.name for each in self.exercises].index(exercise.name) + 1

    def path(self, exercise: Exercise) -> str:
        """Where someone writes the solution of an exercise."""
        starts = exercise.submissions(STARTER)
        ending = os.path.splitext(starts[0])[1] if starts else ".nasm"
        return os.path.join(self.folder, f"{exercise.name}{ending}")

    def begin(self, exercise: Exercise) -> str:
        """Copy what an exercise begins with, unless there is a file; its path. Raises Failure."""
        path = self.path(exercise)
        if not os.path.lexists(path):
            (starter, *_) = exercise.submissions(STARTER)
            try:
                host_files.make_folders(self.folder)
                text = host_files.read_bytes(starter)
                with host_files.whole(path, over=False) as out:
                    out.write(text)
            except OSError as error:
                raise _unwritable(path, error) from None
        return path

    def graded(self, exercise: Exercise, grade: Grade) -> None:
        """Note that a solution has passed; one that fails later takes nothing away."""
        if grade.passed and not self.passed(exercise):
            self._notes["passed"].append(exercise.name)
            self._write()

    def ask_hint(self, exercise: Exercise, most: int) -> None:
        """Note that one hint more is wanted of an exercise, of so many."""
        self._notes["hints"][exercise.name] = min(self.hints(exercise) + 1, most)
        self._write()

    def _write(self) -> None:
        path = os.path.join(self.folder, NOTES)
        try:
            host_files.make_folders(self.folder)
            with host_files.whole(path) as out:
                out.write(json.dumps(self._notes, indent=2).encode() + b"\n")
        except OSError as error:
            raise _unwritable(path, error) from None


def _read(path: str) -> dict[str, Any]:
    """The notes of a folder: none if there is no file; raises Failure if they are damaged."""
    empty = {"version": VERSION, "passed": [], "hints": {}, "course": ""}
    try:
        text = host_files.read_text(path)
    except FileNotFoundError:
        return empty
    except NotADirectoryError as error:
        raise _unwritable(path, error) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, in_line(str(error))) from None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise _unreadable(path, "it is not JSON") from None
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise _unreadable(path, f"it is not of version {VERSION}")
    passed, hints, course = found.get("passed"), found.get("hints"), found.get("course", "")
    names = isinstance(passed, list) and all(isinstance(name, str) for name in passed)
    counts = isinstance(hints, dict) and all(type(n) is int and n >= 0 for n in hints.values())
    if not names or not counts:
        raise _unreadable(path, "it does not list exercises")
    if course not in ("", *COURSES):
        raise _unreadable(path, f"there is no course {in_line(str(course))[:40]}")
    return {**empty, "passed": passed, "hints": hints, "course": course}


def _unreadable(path: str, why: str) -> Failure:
    message = f"{in_line(path)} is not how far you have got: {why}"
    hint = "restore it, or delete it: your solutions are files of their own, and pass again"
    return Failure(Problem(UNREADABLE, message, None, hint))


def _unwritable(path: str, error: OSError) -> Failure:
    message = f"cannot write {in_line(path)}: {error.strerror or error}"
    return Failure(Problem(UNWRITABLE, message, None, "choose another folder with --dir"))
