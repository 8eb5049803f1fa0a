"""``asm --words`` and ``dis --words``: a program as the words of its instructions, and back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable

from nasm.apps.cli import results, streams
from nasm.apps.cli.assembling import assembled
from nasm.apps.cli.exit_codes import OK, REFUSED
from nasm.apps.cli.screen import Screen
from nasm.base import host_files
from nasm.base.problems import Failure, Problem, Refused, did_you_mean, listed
from nasm.base.source_files import LARGEST
from nasm.isa.target import Target
from nasm.language.expanding.statements import unknown_target
from nasm.language.printing.word_files import WordFile, hexed, packed, read
from nasm.language.printing.words import text_of, words_known, words_of
from nasm.targets import TARGETS


def asm(args: argparse.Namespace, screen: Screen) -> int:
    """Print the words of a program, or write those of a queue to a file; the exit code."""
    try:
        program = assembled(args, args.program).program
        made, _ = _spelling(program.target, args.form)
        queues = _chosen(words_of(program), args.queue)
        spelled = {queue: [made(word) for word in words] for queue, words in queues.items()}
        if args.output in (None, "-"):
            name = program.generation.spellings[0]
            streams.write(sys.stdout, hexed(WordFile(name, spelled)))
        else:
            data = packed(_only(spelled))
            results.replace(args.output, lambda out: _done(out.write(data)))
    except (Failure, Refused) as problem:
        return _refuse(screen, problem)
    if not args.quiet:
        screen.problems(program.warnings)
    return OK


def dis(args: argparse.Namespace, screen: Screen) -> int:
    """Print a file of words as a program; the exit code."""
    try:
        given = read(args.program, _bytes(args.program))
        name = args.target or given.target
        target = _target(name)
        generation = target.generation(name)
        assert generation is not None
        _, back = _spelling(target, args.form)
        queues: dict[str, list[int]] = {}
        for queue, words in given.queues.items():
            at = generation.engine(queue or args.queue or generation.engines[0].name).name
            queues.setdefault(at, []).extend(map(back, words))
        printed = text_of(target, name, queues)
        if args.output == "-":
            streams.write(sys.stdout, printed)
        else:
            results.replace(args.output, lambda out: _done(out.write(printed.encode())))
    except (Failure, Refused) as problem:
        return _refuse(screen, problem)
    return OK


def _refuse(screen: Screen, problem: Failure | Refused) -> int:
    found = problem.problems if isinstance(problem, Failure) else (problem.at(None),)
    screen.problems(found)
    return REFUSED


def _done(_: int) -> None:
    return None


def _bytes(path: str) -> bytes:
    """What is in a file, ``-`` is standard input; raises Failure."""
    if path == "-":
        return sys.stdin.buffer.read(LARGEST)
    try:
        with host_files.opened(path) as stream:
            return stream.read(LARGEST)
    except OSError as error:
        said = f"cannot read {path}: {error.strerror}"
        raise Failure(Problem("E0801", said)) from None


def _target(name: str) -> Target:
    if not name:
        hint = "give --target NAME, or begin the text with '.target NAME'"
        raise Refused("E0812", "words do not say what machine they are for", hint)
    if name not in TARGETS:
        raise unknown_target(name, TARGETS)
    return TARGETS[name]()


def _spelling(
    target: Target, form: str | None
) -> tuple[Callable[[int], int], Callable[[int], int]]:
    """What makes a form of a word, and the word of that; raises Refused."""
    known = words_known(target).spellings
    if form is None:
        return int, int
    if form not in known:
        forms = listed(known, "and") if known else "none"
        hint = did_you_mean(form, known) or f"the forms are {forms}"
        raise Refused("E0812", f"words of {target.summary} have no form '{form}'", hint)
    return known[form].made, known[form].read


def _named(queues: Iterable[str]) -> str:
    """The queues in which words stand."""
    names = [f"@{name}" for name in queues]
    return listed(names, "and") if names else "no queue"


def _chosen(queues: dict[str, list[int]], queue: str | None) -> dict[str, list[int]]:
    """All queues, or one of them; raises Refused."""
    if queue is None:
        return queues
    if queue not in queues:
        has = _named(queues)
        raise Refused("E0812", f"nothing stands in @{queue}", f"words stand in {has}")
    return {queue: queues[queue]}


def _only(queues: dict[str, list[int]]) -> list[int]:
    """The words of the one queue that has some; raises Refused."""
    if len(queues) != 1:
        has = _named(queues)
        raise Refused(
            "E0812",
            f"a file of bytes has the words of one queue; words stand in {has}",
            "say which with --queue, or leave -o out: text has them all",
        )
    return next(iter(queues.values()))
