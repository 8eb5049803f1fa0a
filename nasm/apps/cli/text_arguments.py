"""The command line of the verbs that are about texts, listings and object files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

from nasm.apps.cli import help_texts, values
from nasm.apps.cli import shared_options as options

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What verbs are added to."""


def _list(verbs: Verbs) -> None:
    verb = options.add_verb(
        verbs, "list", "list what a program became, line by line", help_texts.LIST
    )
    verb.add_argument("program", help=options.PROGRAM)
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    verb.add_argument(
        "--autosync", action="store_true", help="list it with the waits that 'sync' finds"
    )
    verb.add_argument(
        "--engine",
        dest="engines",
        metavar="NAME",
        action="append",
        default=[],
        help="list this engine alone; may be given several times",
    )
    verb.add_argument("--core", metavar="N", type=values.core, help="list this core alone")
    how = verb.add_mutually_exclusive_group()
    how.add_argument(
        "--explorer",
        action="store_true",
        help="write operands and semaphores as Neuron Explorer shows them",
    )
    how.add_argument("--csv", action="store_true", help="as comma-separated values")
    options.desugar(how, "print, instead, the plain program that is left, as 'print' does")
    options.timeout(verb)
    options.json(verb)


def _fmt(verbs: Verbs) -> None:
    verb = options.add_verb(verbs, "fmt", "format texts: columns, blanks, indents", help_texts.FMT)
    verb.add_argument(
        "programs", metavar="program", nargs="+", help="a .nasm file, or - for standard input"
    )
    how = verb.add_mutually_exclusive_group()
    how.add_argument(
        "--check",
        action="store_true",
        help="write nothing; name the files that are not formatted, with exit code 1",
    )
    how.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    options.quiet(verb)


def _asm(verbs: Verbs) -> None:
    verb = options.add_verb(verbs, "asm", "assemble a program into an object file", help_texts.ASM)
    verb.add_argument("program", help=options.PROGRAM)
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    verb.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the object file, by default next to the program, ending in .nobj; - is standard "
        "output",
    )
    verb.add_argument(
        "--autosync", action="store_true", help="with the waits and updates that 'sync' finds"
    )
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
    _words(verb, "print the words of its instructions instead, or write those of a queue as bytes")
    options.timeout(verb)
    options.json(verb)
    options.quiet(verb)


def _words(verb: argparse.ArgumentParser, what: str) -> None:
    verb.add_argument("--words", action="store_true", help=what)
    verb.add_argument(
        "--form", metavar="NAME", help="another form of words that the target has, with --words"
    )
    verb.add_argument("--queue", metavar="NAME", help="the queue that words are of, with --words")


def _dis(verbs: Verbs) -> None:
    verb = options.add_verb(verbs, "dis", "print the text of an object file", help_texts.DIS)
    verb.add_argument("program", help="an object file, or - for standard input")
    verb.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="write it to a file, instead of to standard output",
    )
    verb.add_argument(
        "--places",
        action="store_true",
        help="say the place of every tensor, also of those that the program does not place",
    )
    verb.add_argument(
        "--extract",
        action="store_true",
        help="write the array files that are in the object next to the text",
    )
    _words(verb, "read words, as hexadecimal text or as bytes, instead of an object file")
    verb.add_argument(
        "--target", metavar="NAME", help="the machine of words whose file does not say it"
    )
    options.timeout(verb)


VERBS: dict[str, Callable[[Verbs], None]] = {"list": _list, "fmt": _fmt, "asm": _asm, "dis": _dis}
"""What adds the parser of each, in the order of the help."""
