"""The command line: verbs, options, and the error for one that means nothing."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn

from nasm import __version__
from nasm.apps.cli import program_names, streams
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.verb import COMMAND, Verb, named, names, verbs
from nasm.base.problems import Failure, did_you_mean, quoted


class Wrong(Exception):
    """A command line that means nothing; ``text`` is all that there is to say of it."""

    def __init__(self, message: str, text: str = "") -> None:
        self.text = text or message
        super().__init__(message)


class _Parser(argparse.ArgumentParser):
    """A parser that leaves printing errors, and exiting, to the command."""

    def error(self, message: str) -> NoReturn:
        alone = VALUELESS.match(message)
        if alone is not None:
            message = f"{alone[1]} takes no value: leave out '=' and what comes after it"
        raise Wrong(message, f"{message}\n{self.format_usage().rstrip()}")

    def _print_message(self, message: str, file: Any = None) -> None:
        streams.write(file or sys.stderr, message)  # argparse would not tell of a full disk


def asked(given: list[str]) -> tuple[str, bool]:
    """The verb, and whether a JSON document is wanted, as far as that is known."""
    words = given[: given.index("--")] if "--" in given else given
    verb = asked_for(given)
    wanted = "--json" in words and verb and "--json" in _options(parser(verb), verb)
    return verb, bool(wanted)


ELSEWHERE = {"trace": "run --trace FILE", "version": "-V"}
"""What other tools have commands for, and this one options."""

VALUELESS = re.compile(r"argument (\S+): ignored explicit argument")

OPTIONS = {
    **dict.fromkeys(("-o", "--output"), ("--out", "--output")),
    **dict.fromkeys(("--define", "-d"), ("-D",)),
    **dict.fromkeys(("--arch", "--gen", "--generation", "--device", "-t", "-m"), ("--target",)),
    **dict.fromkeys(("--include",), ("-I",)),
    **dict.fromkeys(("--input", "-i"), ("--in", "-I")),
    **dict.fromkeys(("-Werror", "--werror"), ("--strict",)),
}
"""What other tools call the options, by those that there may be."""


def asked_for(given: list[str]) -> str:
    """The verb, as far as it is known; empty if there is none."""
    words = given[: given.index("--")] if "--" in given else given
    return next((word for word in words if word in names()), "")


def refusal(given: list[str]) -> str:
    """Why a first word is no verb, in a sentence; empty if it is one, or an option."""
    word = given[0] if given else ""
    if not word or word.startswith("-") or word in names():
        return ""
    if program_names.kernel(word):
        text = quoted(word)
        return f"'{text}' is not a command; to run it: {COMMAND} nki {text}"
    if word.endswith(".nasm"):
        return f"'{quoted(word)}' is not a command; to run it: {COMMAND} run {quoted(word)}"
    others = {other: name for name, verb in verbs().items() for other in verb.other_names}
    if meant := (ELSEWHERE | others).get(word):
        return f"no command '{quoted(word)}': write '{COMMAND} {meant}'"
    close = did_you_mean(word, verbs()) or f"the commands are {', '.join(verbs())}"
    return f"no command '{quoted(word)}': {close}"


def read(given: list[str]) -> argparse.Namespace:
    """The command line as it was meant; raises Wrong if it means nothing."""
    verb = asked_for(given)
    top = parser(verb, alone=bool(given) and given[0] == verb)
    if verb and (own := named(verb).read) is not None:
        return own(top, given)
    parsed, rest = top.parse_known_args(given)
    text = unknown(top, parsed.verb, rest) or _unfit(parsed)
    if text:
        raise Wrong(text)
    return unpacked(parsed)


def _unfit(parsed: argparse.Namespace) -> str:
    """Which options do not go with the others, in a sentence; empty if all do."""
    conflicts = named(parsed.verb).conflicts if parsed.verb else ()
    return next(filter(None, (conflict(parsed) for conflict in conflicts)), "")


def unpacked(parsed: argparse.Namespace) -> argparse.Namespace:
    """The same with every array of an archive that --in names as a --in of its own."""
    if any(not name for name, _ in getattr(parsed, "inputs", ())):
        from nasm.machine.inputs import in_archive

        explicit = {name for name, _ in parsed.inputs if name}
        found: list[tuple[str, str]] = []
        for name, text in parsed.inputs:
            if name:
                found.append((name, text))
                continue
            try:
                keys = [key for key in in_archive(text) if key not in explicit]
            except Failure as failure:
                raise Wrong(f"--in: {failure.problems[0].message}") from None
            found += [(key, f"{text}:{key}") for key in keys]
        parsed.inputs = found
    return parsed


FEW = 8
"""So many options are named in a message."""


def unknown(top: argparse.ArgumentParser, verb: str | None, rest: list[str]) -> str:
    """What to say of words that nothing takes; empty if there are none."""
    if not rest:
        return ""
    known = _options(top, verb)
    name = rest[0].partition("=")[0]
    if not name.startswith("-"):
        text = f"{verb or 'it'} takes no '{quoted(rest[0])}' here"
        return f"{text}: '{COMMAND} {verb} --help' shows its use"
    hint = next(
        (f"write '{known_as}'" for known_as in OPTIONS.get(name, ()) if known_as in known), ""
    )
    if not hint and name.removeprefix("--") in verbs():
        hint = f"that is a command: write '{COMMAND} {name.removeprefix('--')}'"
    hint = hint or did_you_mean(name, known)
    if not hint and len(known) <= FEW:
        hint = f"it has {', '.join(known)}"
    hint = hint or f"'{COMMAND} {verb} --help' lists its options"
    return f"{verb or COMMAND} has no option {quoted(name)}: {hint}"


def _options(top: argparse.ArgumentParser, verb: str | None) -> list[str]:
    """The options of a verb, or of the command itself."""
    return [name for action in of_verb(top, verb)._actions for name in action.option_strings]


def of_verb(top: argparse.ArgumentParser, verb: str | None) -> argparse.ArgumentParser:
    """The parser of a verb, or of the command itself."""
    subs = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    chosen: argparse.ArgumentParser = subs.choices[verb] if verb else top
    return chosen


def parser(verb: str = "", *, alone: bool = True, whole: bool = False) -> argparse.ArgumentParser:
    """The parser of a command line with a verb: the others are only listed, or not if ``alone``.

    The ``whole`` one has all verbs with their options: nothing is read with it.
    """
    top: argparse.ArgumentParser = _Parser(
        prog=COMMAND,
        description="Assemble, run and inspect programs for the AWS Neuron instruction set on a\n"
        "simulated NeuronCore: values and cycles from one run, without the hardware.",
        epilog="" if verb and alone else f"examples:\n{_examples()}\n{BELOW}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"{COMMAND} {__version__}",
        help="print the version and leave",
    )
    options.color(top, "auto")
    added = top.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    for name in [verb] if verb and alone else verbs():
        if name == verb or whole:
            _add(added, name, named(name))
        else:
            added.add_parser(name, help=verbs()[name].summary, add_help=False)
    return top


def _add(added: argparse._SubParsersAction[argparse.ArgumentParser], name: str, verb: Verb) -> None:
    """Add the parser of a verb."""
    made = added.add_parser(
        name,
        help=verb.summary,
        description=verb.summary[0].upper() + verb.summary[1:] + ".",
        epilog=verb.notes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    options.color(made, argparse.SUPPRESS)  # before the verb or after it: the last one counts
    verb.arguments(made)


BELOW = f"""\
'{COMMAND} help COMMAND' explains a command's options.

exit codes: 0 no errors; 1 the program fails (an expectation, a hazard, a
deadlock, a fault, a limit); 2 it does not assemble, or the command line
or a file is wrong; 70 a defect in nasm; 124 --timeout; 130 Ctrl-C,
143 SIGTERM, 129 SIGHUP.
"""
"""What the help of the command says below its examples."""


def _examples() -> str:
    """The examples of all verbs, a line each."""
    rows = [
        (f"  {COMMAND} {name} {words}".rstrip(), what)
        for name, verb in verbs().items()
        for words, what in verb.examples
    ]
    return "".join(f"{line:<45} {what}".rstrip() + "\n" for line, what in rows)
