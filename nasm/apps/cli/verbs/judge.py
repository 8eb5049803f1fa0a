"""The verb ``judge``: candidates for a task, judged for the programs that write them."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from nasm.apps.cli import many_runs, values
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import in_line

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.grading.grade import Grade


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("task", help="the folder of the task, with exercise.toml and golden.py")
    verb.add_argument(
        "candidates", nargs="+", metavar="candidate", help="a .py file of a kernel, or a .nasm file"
    )
    verb.add_argument(
        "--target",
        dest="targets",
        metavar="NAMES",
        type=lambda text: text.split(","),
        default=[],
        help="the targets to run on, such as trn1,trn2, instead of that of the task",
    )
    verb.add_argument(
        "--fresh",
        metavar="N",
        type=values.seed,
        default=3,
        help="add so many cases with sizes and inputs of their own (3 by default)",
    )
    verb.add_argument(
        "--seed",
        metavar="N",
        type=values.seed,
        help="what those are drawn from: with the same seed a judgement is the same",
    )
    many_runs.over(verb)
    options.timeout(verb)
    options.json(verb)
    options.quiet(verb)


def judge(args: argparse.Namespace, screen: Screen) -> int:
    """Judge; returns the exit code: 1 if a candidate does not pass."""
    preload("nasm.grading.grading")
    from rich.text import Text

    from nasm.grading import grading, judgement
    from nasm.show.documents import plain

    begun = time.monotonic()

    def watch(found: Grade, done: int, of: int) -> None:
        screen.counting("candidates", done, of, time.monotonic() - begun)

    found = grading.judge(
        args.task,
        args.candidates,
        executor=many_runs.executor(args, screen),
        watch=watch,
        targets=args.targets,
        fresh=args.fresh,
        seed=args.seed,
    )
    screen.clear()
    code = OK if all(each.passed for each in found) else BROKEN
    if args.json:
        made = [plain(each, judgement.JUDGEMENT) for each in found]
        return int(args.answer.give(code, judgements=made, problems=[]))
    for number, each in enumerate(() if args.quiet else found):
        lines = [""] * (number > 0) + judgement.lines(each, screen.width or 80)
        screen.show(*map(Text, map(in_line, lines)))
    if not args.quiet and args.seed is None and (drawn := found[0].fresh) is not None:
        screen.note(f"the same cases again: --seed {drawn}")
    return code


VERB = Verb(
    summary="judge kernels that a program has written",
    rank=39,
    arguments=_arguments,
    body=judge,
    examples=(("task candidate.py --json", "right or wrong, how fast, and what would help"),),
    notes="""\
examples:
  neuron-nasm judge task candidate.py --json
  neuron-nasm judge task candidates/*.py --target trn1,trn2 -j 4 --json

A task is the folder of an exercise. To its cases come fresh ones, of sizes and
inputs that the candidate cannot know. Exit code 1: a candidate does not pass.
""",
    undone="all candidates had been judged",
    other_names=("score", "evaluate"),
)
