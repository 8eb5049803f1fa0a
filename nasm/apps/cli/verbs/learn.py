"""The verb ``learn``: the course, exercise by exercise."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING

from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK
from nasm.apps.cli.verb import COMMAND, Verb, preload
from nasm.base import files
from nasm.base.problems import in_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nasm.apps.cli.screen import Screen
    from nasm.grading.course import Course
    from nasm.grading.exercise import Exercise
    from nasm.grading.grade import Grade

FOLDER = "nasm-course"
ONCE = ("list", "solution")


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "exercise", nargs="?", help="its name or number; by default the first that has not passed"
    )
    verb.add_argument(
        "--dir",
        metavar="FOLDER",
        default=FOLDER,
        help=f"where your solutions are, by default {FOLDER}",
    )
    verb.add_argument(
        "--course",
        metavar="NAME",
        help="2h, day or all: the exercises of a course of two hours, of one of a day, or every "
        "one; by default what was chosen last",
    )
    what = verb.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the exercises, and what has passed")
    what.add_argument("--hint", action="store_true", help="show one more hint of the exercise")
    what.add_argument(
        "--solution", action="store_true", help="print a solution, once yours has passed"
    )
    verb.add_argument(
        "--once",
        dest="watch",
        action="store_false",
        default=True,
        help="judge it once, instead of again whenever the file changes",
    )
    options.json(verb)


def read(parser: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    """Watch only where someone looks, and only what can change."""
    parsed = parser.parse_args(given)
    listed = any(getattr(parsed, name) for name in ONCE)
    parsed.watch = parsed.watch and sys.stdout.isatty() and not listed and not parsed.json
    return parsed


def learn(args: argparse.Namespace, screen: Screen) -> int:
    """Judge the exercise; returns the exit code: 1 if it does not pass yet."""
    preload("nasm.grading.course", "nasm.grading.class_report")
    from rich.text import Text

    from nasm.grading.course import Course
    from nasm.grading.exercise import COURSES

    course = Course(args.dir, args.course)
    if args.list:
        return _list(args, screen, course)
    exercise = course.next() if args.exercise is None else course.named(args.exercise)
    if exercise is None:
        if args.json:
            return int(args.answer.give(OK, exercises=_listed(course), problems=[]))
        course.choose()
        of = f" of {COURSES[course.name]}" if course.name else ""
        screen.show(Text(f"All {len(course.planned)} exercises{of} have passed. Well done."))
        if len(course.planned) < len(course.exercises):
            screen.note(f"the others: {COMMAND} learn --course all{_folder(args.dir)}")
        return OK
    if args.solution:
        return _solution(args, screen, course, exercise)
    return _judge(args, screen, course, exercise)


def _judge(args: argparse.Namespace, screen: Screen, course: Course, exercise: Exercise) -> int:
    """Show what is asked, judge the file, and say what is next."""
    from rich.markdown import Markdown
    from rich.text import Text

    from nasm.grading.class_report import GRADE, one
    from nasm.grading.grade import grade
    from nasm.show.documents import plain

    first, path = not course.begun(exercise), course.begin(exercise)
    course.choose()
    files.note(path)
    found = grade(exercise, path)
    course.graded(exercise, found)
    if args.hint and not found.passed:
        course.ask_hint(exercise, len(found.hints))
        args.hint = False  # one for each call, however often the file changes
    code = OK if found.passed else BROKEN
    if args.json:
        made = {"grade": plain(found, GRADE), "exercises": _listed(course)}
        return int(args.answer.give(code, **made, problems=[]))
    width = screen.width or 80
    head = f"exercise {course.place(exercise)} of {len(course.exercises)}"
    if exercise in course.planned and course.name:
        place, of = course.planned.index(exercise) + 1, len(course.planned)
        head = f"exercise {place} of {of}, {exercise.wanted.minutes[course.name]} minutes planned"
    shown: list[RenderableType] = [Text(f"{head}: {exercise.wanted.title}", "bold"), Text()]
    if exercise.text and (first or sys.stdout.isatty()):
        shown += [Markdown(_body(exercise, path, args.dir)), Text()]
    lines = one(found, width, course.hints(exercise))
    screen.show(*shown, *map(Text, map(in_line, lines)), Text())
    screen.note("\n".join(_next(args, course, exercise, path, found)))
    return code


def _body(exercise: Exercise, path: str, folder: str) -> str:
    """The text of an exercise without its heading, which is its title.

    Its commands name the learner's file, and judge it with this verb.
    """
    text = exercise.text
    text = text.partition("\n")[2].strip() if text.startswith("# ") else text
    judged = rf"{COMMAND} grade \S*{re.escape(exercise.name)} (mine|starter)\.\w+"
    again = f"{COMMAND} learn {exercise.name} --once{_folder(folder)}"
    text = re.sub(judged, lambda _: again, text)
    return re.sub(r"\b(mine|starter)\.(nasm|py)\b", lambda _: os.path.relpath(path), text)


def _folder(folder: str) -> str:
    """The option for the folder, where it is another one than without it."""
    return "" if folder == FOLDER else f" --dir {folder}"


def _next(
    args: argparse.Namespace, course: Course, exercise: Exercise, path: str, found: Grade
) -> list[str]:
    """What to do now."""
    more = _folder(args.dir)
    if not found.passed:
        file = in_line(os.path.relpath(path))
        lines = [f"edit {file}"]
        if path.endswith(".nasm") and not found.correct:
            found_waits = " --autosync" * exercise.wanted.autosync
            lines.append(f"the whole report: {COMMAND} run {file}{found_waits}")
        if course.hints(exercise) < len(found.hints):
            lines.append(f"a hint: {COMMAND} learn {exercise.name} --hint{more}")
        return lines
    following = course.next(exercise)
    lines = [f"a solution of ours: {COMMAND} learn {exercise.name} --solution{more}"]
    if following is not None:
        lines.append(f"next, {following.wanted.title}: {COMMAND} learn {following.name}{more}")
    return lines


def _solution(args: argparse.Namespace, screen: Screen, course: Course, exercise: Exercise) -> int:
    from rich.text import Text

    from nasm.base import host_files
    from nasm.base.problems import Failure, Problem
    from nasm.grading.exercise import SOLUTIONS

    if not course.passed(exercise):
        message = f"'{exercise.name}' has not passed yet"
        raise Failure(Problem("E0854", message, None, f"{COMMAND} learn {exercise.name} --hint"))
    texts = [host_files.read_text(path) for path in exercise.submissions(SOLUTIONS)]
    if args.json:
        return int(args.answer.give(OK, solutions=texts, problems=[]))
    screen.show(*(Text(text) for text in texts))
    return OK


def _listed(course: Course) -> list[dict[str, object]]:
    return [
        {
            "exercise": each.name,
            "title": each.wanted.title,
            "minutes": dict(each.wanted.minutes),
            "begun": course.begun(each),
            "passed": course.passed(each),
        }
        for each in course.exercises
    ]


def _list(args: argparse.Namespace, screen: Screen, course: Course) -> int:
    from rich.text import Text

    from nasm.grading.exercise import COURSES
    from nasm.show.columns import table

    if args.json:
        return int(args.answer.give(OK, exercises=_listed(course), problems=[]))
    course.choose()
    current, names = course.next(), [course.name] if course.name else list(COURSES)
    rows = []
    for each in course.planned:
        state = "passed" if course.passed(each) else "begun" if course.begun(each) else ""
        mark = ">" if current is not None and each.name == current.name else ""
        minutes = [str(each.wanted.minutes.get(name, "")) for name in names]
        place = str(course.place(each))
        rows.append([mark, place, each.name, each.wanted.title, *minutes, state])
    heads = ["", ">no.", "exercise", "title", *(f">{name}" for name in names), ""]
    screen.show(*map(Text, table(heads, rows, screen.width or 80)))
    done = sum(map(course.passed, course.planned))
    screen.note(f"\n{done} of {len(course.planned)} passed; {COMMAND} learn continues")
    for name in names:
        left = sum(
            each.wanted.minutes.get(name, 0) for each in course.planned if not course.passed(each)
        )
        screen.note(f"{name}: the minutes that {COURSES[name]} plans; {left} are left")
    return OK


VERB = Verb(
    summary="learn it: a course of exercises that check themselves",
    rank=15,
    arguments=_arguments,
    read=read,
    body=learn,
    examples=(("", "the first exercise of the course, or the next"),),
    notes="""\
examples:
  neuron-nasm learn                begin, or continue where you were
  neuron-nasm learn --hint         one more hint
  neuron-nasm learn --list         all exercises, and which have passed
  neuron-nasm learn softmax        another one
  neuron-nasm learn --course 2h    those of a course of two hours, from now on

Each exercise is a text and a file to edit. On a terminal the file is judged
again whenever it is saved, until Ctrl-C. Nothing of yours is overwritten.
""",
    other_names=("course", "tutorial", "exercises", "teach"),
)
