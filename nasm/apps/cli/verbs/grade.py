"""The verb ``grade``: submissions to an exercise, judged."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import many_runs, results, values
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import in_line

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.grading.grade import Grade


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("exercise", help="the folder of the exercise, with exercise.toml")
    verb.add_argument(
        "submissions",
        nargs="*",
        metavar="submission",
        help="a .nasm file, or a .py file of a kernel",
    )
    verb.add_argument(
        "--all",
        dest="folder",
        metavar="FOLDER",
        help="every submission of a class: the files of a folder, or of each folder in it",
    )
    verb.add_argument(
        "--check",
        action="store_true",
        help="check the exercise: its solutions pass, its starter fails, its wrong answers fail as "
        "they say",
    )
    verb.add_argument(
        "--hints",
        metavar="N",
        type=values.count,
        default=1,
        help="show so many hints for the first check that fails (1 by default)",
    )
    many_runs.over(verb)
    verb.add_argument(
        "--csv", metavar="FILE", help="write a row for each submission; - is standard output"
    )
    options.timeout(verb)
    options.json(verb)
    options.quiet(verb)


def unfit(parsed: argparse.Namespace) -> str:
    """What there is to judge, if it is not clear; else empty."""
    given = [bool(parsed.submissions), parsed.folder is not None, parsed.check]
    if sum(given) != 1:
        return "name submissions, or give --all FOLDER, or --check"
    return ""


def grade(args: argparse.Namespace, screen: Screen) -> int:
    """Judge; returns the exit code: 1 if something does not pass."""
    preload("nasm.grading.grading")
    from rich.text import Text

    from nasm.grading import class_report
    from nasm.grading.exercise import Exercise, described, submissions_of
    from nasm.grading.grading import faults, judge
    from nasm.show.documents import plain

    begun = time.monotonic()

    def watch(found: Grade, done: int, of: int) -> None:
        screen.counting("submissions", done, of, time.monotonic() - begun)

    how: dict[str, Any] = {"executor": many_runs.executor(args, screen), "watch": watch}
    if args.check:
        wrong = list(faults(args.exercise, **how))
        screen.clear()
        if args.json:
            return int(args.answer.give(BROKEN if wrong else OK, faults=wrong, problems=[]))
        screen.show(*map(Text, wrong or ["the exercise is as it should be"]))
        return BROKEN if wrong else OK
    if args.csv is not None and (problem := results.unwritable(args.csv)) is not None:
        screen.problems([problem])
        return 2
    paths = args.submissions or submissions_of(args.folder)
    found = judge(args.exercise, paths, fresh=0, **how)
    screen.clear()
    code = OK if all(each.passed for each in found) else BROKEN
    if args.csv is not None:
        results.put_text(results.spelled(args.csv), class_report.comma_separated(found))
    if args.json:
        made = [plain(each, class_report.GRADE) for each in found]
        return int(args.answer.give(code, grades=made, problems=[]))
    if args.quiet or args.csv == "-":
        return code
    wanted, width = Exercise(args.exercise).wanted, screen.width or 80
    lines = [f"{wanted.title} on {wanted.target}: {described(wanted)}", ""]
    if len(found) == 1 and args.folder is None:
        lines += class_report.one(found[0], width, args.hints)
        lines += class_report.more_hints(found[0], args.hints)
    else:
        lines += class_report.of_class(found, width)
    screen.show(*map(Text, map(in_line, lines)))
    if args.csv is not None:
        screen.note(f"wrote {in_line(os.path.relpath(args.csv))}")
    return code


VERB = Verb(
    summary="judge submissions to an exercise",
    rank=38,
    arguments=_arguments,
    conflicts=(unfit,),
    body=grade,
    examples=(("exercises/softmax mine.nasm", "what is right and wrong about it"),),
    notes="""\
examples:
  neuron-nasm grade exercises/softmax mine.nasm
  neuron-nasm grade exercises/softmax --all submissions --csv points.csv
  neuron-nasm grade exercises/softmax --check

A submission is run in processes of its own, with inputs that it does not know.
Nothing that it prints is shown. Exit code 1 says that something does not pass.
""",
    undone="all submissions had been judged",
    other_names=("mark", "autograde"),
)
