"""The verb ``asm``: a program as an object file, or as the words of its instructions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from nasm.apps.cli import program_names, results, streams
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import OK
from nasm.apps.cli.program_run import file_of
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.print import desugared
from nasm.base.problems import Failure, Problem, Refused, counted, did_you_mean, in_line, listed

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.isa.generation import Generation
    from nasm.isa.target import Target
    from nasm.program.program import Program

ENDING = ".nobj"


def _arguments(verb: argparse.ArgumentParser) -> None:
    options.program(verb)
    options.common(verb)
    options.ranks(verb)
    options.kernel(verb)
    options.inputs(verb)
    verb.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the object file, by default next to the program, ending in .nobj; - is standard "
        "output",
    )
    options.autosync(verb, "with the waits and updates that 'sync' finds")
    how = verb.add_mutually_exclusive_group()
    how.add_argument(
        "--strip", action="store_true", help="leave out the text, and the positions of lines in it"
    )
    options.desugar(
        how, "write, instead, the plain program that assembles to the same, as 'print' does"
    )
    verb.add_argument(
        "--link",
        action="store_true",
        help="leave array files that the program names where they are, instead of in the object",
    )
    of_words(
        verb, "print the words of its instructions instead, or write those of a queue as bytes"
    )
    options.timeout(verb)
    options.json(verb)
    options.quiet(verb)


def of_words(verb: argparse.ArgumentParser, what: str) -> None:
    """Options of words, in place of an object file."""
    verb.add_argument("--words", action="store_true", help=what)
    verb.add_argument(
        "--form", metavar="NAME", help="another form of words that the target has, with --words"
    )
    verb.add_argument("--queue", metavar="NAME", help="the queue that words are of, with --words")


def unfit(parsed: argparse.Namespace) -> str:
    """Why options of words and of object files do not go together; empty if they do."""
    names = ("form", "queue", "target") if "extract" in parsed else ("form", "queue")
    if not parsed.words:
        given = [name for name in names if getattr(parsed, name) is not None]
        return f"--{given[0]} is about words: it goes with --words" if given else ""
    others = ("strip", "link", "json", "places", "extract")
    given = [name for name in others if getattr(parsed, name, False)]
    return f"--{given[0]} is about object files: it does not go with --words" if given else ""


def asm(args: argparse.Namespace, screen: Screen) -> int:
    """Assemble a program into an object file, or into words; returns the exit code."""
    if args.words:
        return _words(args, screen)
    if args.desugar:
        return desugared(args, screen)
    preload("nasm.apps.cli.programs", "nasm.language.objects.writing")
    from nasm.apps.cli.programs import assembled
    from nasm.language.objects.writing import written

    path = results.spelled(_default_output(args))
    check("the object file", path, args, binary=True)
    if path == results.spelled("-"):
        screen.aside()
    made = assembled(args, args.program)
    link = os.path.dirname(path) if args.link else None
    data = written(made.program, made.source, strip=args.strip, link=link)
    results.put(path, data)
    warnings = made.program.warnings
    if args.json:
        from nasm.show.documents import plain
        from nasm.show.json_texts import OBJECT

        return int(args.answer.give(OK, **plain(_Made(path, data, made.program), OBJECT)))
    if not args.quiet:
        screen.problems(warnings)
        count = counted(len(made.program), "instruction")
        screen.note(f"{count}, {len(data):,} bytes; wrote {in_line(path)}")
    return OK


class _Made(NamedTuple):
    path: str
    data: bytes
    program: Program


def _default_output(args: argparse.Namespace) -> str:
    """Where the object goes; raises Failure if nothing determines it."""
    if args.output is not None:
        return str(args.output)
    if args.program == "-":
        message = "asm - does not know what to call the object file"
        raise Failure(Problem("E0812", message, None, "give -o FILE, or -o - for standard output"))
    if program_names.kernel(args.program):
        folder = os.path.dirname(file_of(args.program))
        return os.path.join(folder, f"{args.program.rpartition(':')[2]}{ENDING}")
    stem, ending = os.path.splitext(args.program)
    return f"{args.program}{ENDING}" if ending == ENDING else f"{stem}{ENDING}"


def check(what: str, path: str, args: argparse.Namespace, binary: bool = False) -> None:
    """Whether a result can be written; raises Failure."""
    others = [("it is the program", file_of(args.program))] if args.program != "-" else []
    if getattr(args, "timing", None) is not None:
        others.append(("it is read", args.timing))
    document = getattr(args, "json", False)
    found = results.clashes([(what, path)], others, document)
    problem = results.unwritable(path) or (results.seen(what, path) if binary else None)
    if problem is not None or found:
        raise Failure([*found, *([] if problem is None else [problem])])


# ---------------------------------------------------------------- words


def _words(args: argparse.Namespace, screen: Screen) -> int:
    """Print the words of a program, or write those of a queue to a file; the exit code."""
    preload("nasm.apps.cli.programs", "nasm.language.printing.words")
    from nasm.apps.cli.programs import assembled
    from nasm.language.printing.word_files import WordFile, hexed, packed
    from nasm.language.printing.words import words_with_code

    program = assembled(args, args.program).program
    made, _ = spelling(program.target, program.generation, args.form)
    queues = _chosen(words_with_code(program), args.queue)
    spelled = {queue: [made(word) for word in words] for queue, words in queues.items()}
    if args.output in (None, "-"):
        name = program.generation.spellings[0]
        streams.write(sys.stdout, hexed(WordFile(name, spelled)))
    else:
        results.put(args.output, packed(_only(spelled)))
    if not args.quiet:
        screen.problems(program.warnings)
    return OK


def spelling(
    target: Target, generation: Generation, form: str | None
) -> tuple[Callable[[int], int], Callable[[int], int]]:
    """What makes a form of a word, and the word of that; raises Refused."""
    from nasm.language.printing.words import words_known

    known = words_known(target, generation).spellings
    if form is None:
        return int, int
    if form not in known:
        forms = listed(known, "and") if known else "none"
        hint = did_you_mean(form, known) or f"the forms are {forms}"
        raise Refused("E0812", f"words of {target.summary} have no form '{form}'", hint)
    return known[form].made, known[form].read


def _named(queues: Iterable[str]) -> str:
    """The queues that contain words."""
    names = [f"@{name}" for name in queues]
    return listed(names, "and") if names else "no queue"


def _chosen(queues: dict[str, list[int]], queue: str | None) -> dict[str, list[int]]:
    """All queues, or one of them; raises Refused."""
    if queue is None:
        return queues
    if queue not in queues:
        has = _named(queues)
        raise Refused("E0812", f"no words are in @{queue}", f"there are words in {has}")
    return {queue: queues[queue]}


def _only(queues: dict[str, list[int]]) -> list[int]:
    """The words of the one queue that has some; raises Refused."""
    if len(queues) != 1:
        has = _named(queues)
        raise Refused(
            "E0812",
            f"a file of bytes has the words of one queue; there are words in {has}",
            "say which with --queue, or leave -o out: text has them all",
        )
    return next(iter(queues.values()))


VERB = Verb(
    summary="assemble a program into an object file",
    rank=100,
    arguments=_arguments,
    conflicts=(options.kernel_with_autosync, unfit, options.text_with_inputs),
    body=asm,
    examples=(("program.nasm", "an object file; dis gives its text"),),
    notes="""\
examples:
  neuron-nasm asm program.nasm                writes program.nobj
  neuron-nasm asm program.nasm -D N=256 --strip -o small.nobj
  neuron-nasm asm kernel.py:name --in "x=iota[128,512]"
  neuron-nasm asm program.nasm --desugar      the plain program that is left
  neuron-nasm run program.nobj                and repl, profile, diff, check, …
  neuron-nasm asm program.nasm --words        of targets whose words are public

The same text becomes the same bytes. Array files that the program names go
with it, unless --link leaves them where they are. Inputs of a kernel begin with
values that are made; arrays of files are given when it is run. --desugar writes
what 'print' does, to standard output without -o.
""",
    document="program",
    other_names=("assemble", "compile", "build", "as"),
)
