"""The verb ``learn``: the course in the terminal, lesson by lesson."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from textwrap import wrap
from typing import TYPE_CHECKING

from nasm.apps.cli import streams
from nasm.apps.cli.answer import BROKEN, OK
from nasm.apps.cli.file_watch import PAUSE
from nasm.apps.cli.verb import Verb, preload
from nasm.base import files, signals
from nasm.base.problems import counted, in_line
from nasm.base.signals import StopSignal

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.grading.course import Course
    from nasm.grading.exercise import Exercise
    from nasm.grading.grade import Grade

FOLDER = "neuron-nasm-course"
ACTIONS = ("check", "hint", "list", "show", "again")


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "words",
        nargs="*",
        metavar="WHAT",
        help="a lesson to go to, by its name or number; or check, hint, list, show or again, with "
        "a lesson after it",
    )
    verb.add_argument(
        "--dir",
        dest="folder",
        metavar="DIR",
        help=f"the folder of your files and your progress; without it ~/{FOLDER}",
    )
    verb.add_argument(
        "--course", metavar="NAME", default="", help="hours, a course of two hours, or day, all"
    )


def unfit(parsed: argparse.Namespace) -> str:
    """Too many words."""
    words = parsed.words
    return f"{' '.join(words)}: one lesson at a time" if len(_named(words)) > 1 else ""


def _named(words: list[str]) -> list[str]:
    """The lessons among some words."""
    return words[1:] if words and words[0] in ACTIONS else words


def learn(args: argparse.Namespace, screen: Screen) -> int:
    """Continue with the course, or do what a word says; returns the exit code."""
    preload("nasm.grading.course")
    from nasm.grading.course import Course

    folder = args.folder or os.path.join(os.path.expanduser("~"), FOLDER)
    shown = _Shown(Course(folder, course=args.course), screen, args.folder)
    action = args.words[0] if args.words and args.words[0] in ACTIONS else ""
    names = _named(args.words)
    lesson = shown.course.named(names[0]) if names else shown.course.current
    if action == "list":
        shown.list()
        return OK
    if action == "again":
        kept = shown.course.again(lesson)
        screen.note(f"your file is now {in_line(kept)}" if kept else "there was no file of yours")
    if not names and not action and shown.course.done:
        shown.say(f"all lessons are passed: {shown.command} list")
        return OK
    path = shown.course.begin(lesson)
    if action == "hint":
        return shown.hint(lesson)
    if action == "check":
        return shown.check(lesson)
    shown.lesson(lesson, path)
    if action or not sys.stdout.isatty():
        shown.say("")
        shown.whole(f"edit it, then: {shown.command} check")
        return OK
    return _watched(shown, lesson)


class _Shown:
    """What a learner sees of the course."""

    def __init__(self, course: Course, screen: Screen, folder: str | None) -> None:
        self.course, self.screen = course, screen
        self.command = "neuron-nasm learn"
        if folder is not None:
            self.command += f" --dir {in_line(folder)}"

    def say(self, *lines: str) -> None:
        """Show lines of plain text."""
        from rich.text import Text

        from nasm.show.columns import hanging

        width = self.screen.width or 80
        for line in lines:
            self.screen.show(*map(Text, hanging(line, width) if line else [""]))

    def whole(self, line: str) -> None:
        """Show a line that is not wrapped: a path or a command, which may be copied."""
        from rich.text import Text

        self.screen.show(Text(line, no_wrap=True, overflow="ignore"))

    def list(self) -> None:
        """All lessons, with those that are passed."""
        from rich.text import Text

        from nasm.show.columns import table

        course = self.course
        rows = []
        for number, lesson in enumerate(course.lessons, 1):
            record = course.record(lesson)
            state = "passed" if record.passed else f"{record.tries} checked"
            state = state if record.passed or record.tries else ""
            here = "*" if lesson.name == course.current.name else ""
            rows.append([here, str(number), lesson.name, lesson.wanted.title, state])
        width = self.screen.width or 80
        lines = table(["", ">", "lesson", "", ""], rows, width)
        self.screen.show(*map(Text, lines))
        self.say("", self.progress())

    def progress(self) -> str:
        """How many lessons are passed."""
        course = self.course
        done = sum(course.record(lesson).passed for lesson in course.lessons)
        bar = "#" * done + "." * (len(course.lessons) - done)
        return f"[{bar}] {done} of {counted(len(course.lessons), 'lesson')} passed"

    def lesson(self, lesson: Exercise, path: str) -> None:
        """The text of a lesson, and where its file is."""
        from rich.text import Text

        from nasm.grading.exercise import described

        number = self.course.number(lesson)
        self.say(self.progress(), "")
        place = f"Lesson {number}: " if number else ""
        text = self.course.text(lesson).strip() or f"# {lesson.wanted.title}"
        width = self.screen.width or 80
        self.screen.show(*map(Text, readable(text.replace("# ", f"# {place}", 1), width)))
        self.say("", f"asked: {described(lesson.wanted)}")
        self.whole(f"your file: {in_line(path)}")

    def check(self, lesson: Exercise) -> int:
        """Judge the learner's file, and show what was found."""
        from nasm.grading.grade import grade

        if self.course.untouched(lesson):
            self.say(f"{os.path.basename(self.course.path(lesson))} is still as you were given it")
        found = grade(lesson, self.course.path(lesson))
        record = self.course.graded(lesson, found)
        self.found(lesson, found, record.hints)
        return OK if found.passed else BROKEN

    def found(self, lesson: Exercise, found: Grade, hints: int) -> None:
        """What a check found, with so many hints."""
        for check in found.checks:
            mark = "ok  " if check.passed else "    " if check.message == "not reached" else "FAIL"
            self.say(f"{mark} {check.name}: {in_line(check.message)}")
        for number, hint in enumerate(found.hints[:hints], 1):
            self.say(f"hint {number} of {len(found.hints)}: {hint}")
        if found.passed:
            after = self.course.following
            went = f"next: {self.command}" if after is not None else "that was the last lesson"
            self.say("", f"{lesson.wanted.title}: passed. {self.progress()}")
            self.whole(went)
        elif found.failed in ("order", "run"):
            self.whole(f"see why: neuron-nasm run {in_line(self.course.path(lesson))}")

    def hint(self, lesson: Exercise) -> int:
        """One more hint for the check that failed last."""
        record = self.course.record(lesson)
        hints = lesson.wanted.hints.get(record.failed or "read", ())
        if record.passed or not record.tries:
            self.say("passed already" if record.passed else f"first: {self.command} check")
            return OK
        shown = min(record.hints + 1, len(hints))
        for number, hint in enumerate(hints[:shown], 1):
            self.say(f"hint {number} of {len(hints)}: {hint}")
        if not hints:
            self.say(f"there is no hint for '{record.failed}'")
        record.hints = shown
        self.course.save()
        return OK


def readable(markdown: str, width: int) -> list[str]:
    """A text in Markdown for a terminal: paragraphs are wrapped, blocks of code indented."""
    made: list[str] = []
    paragraph: list[str] = []
    inside = False

    def end() -> None:
        if paragraph:
            indent = " " * (len(paragraph[0]) - len(paragraph[0].lstrip("0123456789.*- ")))
            text = " ".join(line.strip() for line in paragraph).replace("**", "")
            made.extend(wrap(text, width, subsequent_indent=indent, break_long_words=False))
            paragraph.clear()

    for line in markdown.splitlines():
        fence = line.startswith("```")
        if fence or inside or not line.strip() or re.match(r"#|[*-] |[0-9]+\. ", line):
            end()
        if fence:
            inside = not inside
        elif inside or not line.strip():
            made.append(f"    {line}".rstrip())
        else:
            paragraph.append(line.lstrip("#"))
    end()
    return made


def _watched(shown: _Shown, lesson: Exercise) -> int:
    """Check a lesson whenever its file is saved, and continue with the next, until Ctrl-C."""
    course, screen = shown.course, shown.screen
    try:
        while True:
            screen.note(f"watching {in_line(course.path(lesson))}: save it to have it checked; "
                        "Ctrl-C ends")  # fmt: skip
            _wait(course.path(lesson))
            shown.say("")
            if shown.check(lesson) != OK:
                continue
            after = course.following
            if after is None:
                return OK
            lesson = after
            shown.say("")
            shown.lesson(lesson, course.begin(lesson))
    except KeyboardInterrupt as error:
        if StopSignal.of(error).leaving:
            raise
        with signals.shielded():
            streams.write(sys.stderr, f"\ncontinue with: {shown.command}\n")
        return OK


def _wait(path: str) -> None:
    """Wait until a file has changed and stays as it is."""
    was = before = files.state(path)
    while True:
        time.sleep(PAUSE)
        now = files.state(path)
        if now is not None and now != was and now == before:
            return
        before = now


VERB = Verb(
    summary="go through the course: lessons, each with an exercise that is checked",
    rank=15,
    arguments=_arguments,
    conflicts=(unfit,),
    body=learn,
    examples=(("", "a course in the terminal, from the first program on"),),
    notes="""\
examples:
  neuron-nasm learn                 the next lesson, checked when you save it
  neuron-nasm learn list            all lessons, and how far you are
  neuron-nasm learn check           check your file once
  neuron-nasm learn hint            one more hint
  neuron-nasm learn race            go to a lesson
  neuron-nasm learn again race      begin again; your file gets another name
  neuron-nasm learn --course hours  the lessons of two hours

A file of yours is never written over. If the output is no terminal nothing is
watched: the text of the lesson is printed, and 'learn check' checks it.
""",
    other_names=("course", "tutorial", "lesson", "teach"),
)
