"""The command line: verbs, options, and what is wrong with one that means nothing."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from nasm import __version__
from nasm.apps.cli import diff_arguments, help_texts, program_names, streams
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.help_texts import COMMAND
from nasm.apps.cli.option_conflicts import unfit
from nasm.apps.cli.verb_parsers import VERBS
from nasm.base.problems import Failure, did_you_mean, quoted


class Wrong(Exception):
    """A command line that means nothing; ``text`` is all that there is to say of it."""

    def __init__(self, message: str, text: str = "") -> None:
        self.text = text or message
        super().__init__(message)


class _Parser(argparse.ArgumentParser):
    """A parser that leaves it to the command to say what is wrong, and to leave."""

    def error(self, message: str) -> NoReturn:
        raise Wrong(message, f"{message}\n{self.format_usage().rstrip()}")

    def _print_message(self, message: str, file: Any = None) -> None:
        streams.write(file or sys.stderr, message)  # argparse would not tell of a full disk


def asked(given: list[str]) -> tuple[str, bool]:
    """The verb, and whether a JSON document is wanted, as far as that can be told."""
    words = given[: given.index("--")] if "--" in given else given
    verb = asked_for(given)
    wanted = "--json" in words and verb and "--json" in _options(parser(), verb)
    return verb, bool(wanted)


ELSEWHERE = {
    **dict.fromkeys(("assemble", "compile", "build", "as"), "asm"),
    **dict.fromkeys(("simulate", "exec", "execute", "start", "sim"), "run"),
    **dict.fromkeys(("lint", "verify", "validate"), "check"),
    **dict.fromkeys(("debug", "gdb", "dbg"), "repl"),
    **dict.fromkeys(("disassemble", "objdump", "disasm"), "dis"),
    **dict.fromkeys(("format", "tidy"), "fmt"),
    "trace": "run --trace FILE",
    "version": "-V",
}
"""What other tools call the commands."""

OPTIONS = {
    **dict.fromkeys(("-o", "--output"), ("--out", "--output")),
    **dict.fromkeys(("--define", "-d"), ("-D",)),
    **dict.fromkeys(("--arch", "--gen", "--generation", "--device", "-t", "-m"), ("--target",)),
    **dict.fromkeys(("--include", "-i"), ("-I",)),
    **dict.fromkeys(("--input",), ("--in",)),
    **dict.fromkeys(("-Werror", "--werror"), ("--strict",)),
}
"""What other tools call the options, by those that there may be."""


def asked_for(given: list[str]) -> str:
    """The verb, as far as that can be told; empty if there is none."""
    words = given[: given.index("--")] if "--" in given else given
    return next((word for word in words if word in VERBS), "")


def refusal(given: list[str]) -> str:
    """Why a first word is no verb, in a sentence; empty if it is one, or an option."""
    word = given[0] if given else ""
    if not word or word.startswith("-") or word in VERBS:
        return ""
    if program_names.kernel(word):
        said = quoted(word)
        return f"'{said}' is not a command; to run it: {COMMAND} nki {said}"
    if word.endswith(".nasm"):
        return f"'{quoted(word)}' is not a command; to run it: {COMMAND} run {quoted(word)}"
    if word in ELSEWHERE:
        return f"no command '{quoted(word)}': write '{COMMAND} {ELSEWHERE[word]}'"
    close = did_you_mean(word, VERBS) or f"the commands are {', '.join(VERBS)}"
    return f"no command '{quoted(word)}': {close}"


def read(given: list[str]) -> argparse.Namespace:
    """The command line as it was meant; raises Wrong if it means nothing."""
    top = parser()
    if asked_for(given) == "diff":
        return _sides(top, given)
    parsed, rest = top.parse_known_args(given)
    said = _unknown(top, parsed.verb, rest) or unfit(parsed)
    if said:
        raise Wrong(said)
    return _unpacked(parsed)


def _unpacked(parsed: argparse.Namespace) -> argparse.Namespace:
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


def _sides(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    """A command line of two sides, each read as if it were the only one."""
    read_as = []
    try:
        for words in diff_arguments.parted(given):
            parsed, rest = top.parse_known_args(words)
            # argparse takes programs in one place alone: those behind an option are left over.
            programs = [*parsed.programs, *(w for w in rest if w == "-" or not w.startswith("-"))]
            said = _unknown(top, parsed.verb, [w for w in rest if w not in programs])
            if said:
                raise Wrong(said)
            parsed.words = words
            read_as.append((parsed, programs))
        both = diff_arguments.joined(*read_as)
        both.first = _unpacked(both.first)
        return _unpacked(both)
    except diff_arguments.Unclear as unclear:
        raise Wrong(str(unclear)) from None


def _unknown(top: argparse.ArgumentParser, verb: str | None, rest: list[str]) -> str:
    """What to say of words that nothing takes; empty if there are none."""
    if not rest:
        return ""
    known = _options(top, verb)
    name = rest[0].partition("=")[0]
    if not name.startswith("-"):
        said = f"{verb or 'it'} takes no '{quoted(rest[0])}' here"
        return f"{said}: '{COMMAND} {verb} --help' shows its use"
    hint = next(
        (f"write '{known_as}'" for known_as in OPTIONS.get(name, ()) if known_as in known), ""
    )
    hint = hint or did_you_mean(name, known) or f"it has {', '.join(known)}"
    return f"{verb or COMMAND} has no option {quoted(name)}: {hint}"


def _options(top: argparse.ArgumentParser, verb: str | None) -> list[str]:
    """The options of a verb, or of the command itself."""
    return [name for action in of_verb(top, verb)._actions for name in action.option_strings]


def of_verb(top: argparse.ArgumentParser, verb: str | None) -> argparse.ArgumentParser:
    """The parser of a verb, or of the command itself."""
    subs = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    chosen: argparse.ArgumentParser = subs.choices[verb] if verb else top
    return chosen


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top: argparse.ArgumentParser = _Parser(
        prog=COMMAND,
        description="Assemble, run and inspect programs for the AWS Neuron instruction set on a\n"
        "simulated NeuronCore: values and cycles from one run, without the hardware.",
        epilog=help_texts.EPILOG,
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
    verbs = top.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    for add in VERBS.values():
        add(verbs)
    return top
