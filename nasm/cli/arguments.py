"""The command line: verbs, options, and what is wrong with one that means nothing."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from nasm import __version__
from nasm.cli import help_texts, program_names, sides, streams, text_arguments, values
from nasm.cli import shared_options as options
from nasm.problems import did_you_mean, quoted
from nasm.records import MOST_EXAMINED, MOST_PROFILED

COMMAND = "neuron-nasm"

PROGRAM = "a .nasm file, an object file, - for standard input, or kernel.py:name"
"""What can be run."""

VERBS = (
    "run",
    "nki",
    "profile",
    "diff",
    "check",
    "sync",
    "print",
    "list",
    "fmt",
    "asm",
    "dis",
    "isa",
    "explain",
    "repl",
    "help",
)


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
    close = did_you_mean(word, VERBS) or f"the commands are {', '.join(VERBS)}"
    return f"no command '{quoted(word)}': {close}"


def read(given: list[str]) -> argparse.Namespace:
    """The command line as it was meant; raises Wrong if it means nothing."""
    top = parser()
    if asked_for(given) == "diff":
        return _sides(top, given)
    parsed, rest = top.parse_known_args(given)
    said = _unknown(top, parsed.verb, rest) or _unfit(parsed)
    if said:
        raise Wrong(said)
    return parsed


def _sides(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    """A command line of two sides, each read as if it were the only one."""
    read_as = []
    try:
        for words in sides.parted(given):
            parsed, rest = top.parse_known_args(words)
            # argparse takes programs in one place alone: those behind an option are left over.
            programs = [*parsed.programs, *(w for w in rest if w == "-" or not w.startswith("-"))]
            said = _unknown(top, parsed.verb, [w for w in rest if w not in programs])
            if said:
                raise Wrong(said)
            parsed.words = words
            read_as.append((parsed, programs))
        return sides.joined(*read_as)
    except sides.Unclear as unclear:
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
    hint = did_you_mean(name, known) or f"it has {', '.join(known)}"
    return f"{verb or COMMAND} has no option {quoted(name)}: {hint}"


def _options(top: argparse.ArgumentParser, verb: str | None) -> list[str]:
    """The options of a verb, or of the command itself."""
    return [name for action in of_verb(top, verb)._actions for name in action.option_strings]


def of_verb(top: argparse.ArgumentParser, verb: str | None) -> argparse.ArgumentParser:
    """The parser of a verb, or of the command itself."""
    subs = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    chosen: argparse.ArgumentParser = subs.choices[verb] if verb else top
    return chosen


def _unfit(parsed: argparse.Namespace) -> str:
    """Which options do not go with the others, in a sentence; empty if all do."""
    if parsed.verb == "run" and parsed.autosync and program_names.kernel(parsed.program):
        return "--autosync is for a text: a kernel has no waits of its own, and gets them anyway"
    if parsed.verb in ("run", "nki") and parsed.trace_detail is not None and parsed.trace is None:
        return "--trace-detail says what --trace shows: give that, too"
    if parsed.verb in ("run", "nki") and not parsed.values and (parsed.outputs or parsed.out_dir):
        given = "--out" if parsed.outputs else "--out-dir"
        return f"{given} does not go with --no-values: a run without values has no outputs"
    if parsed.verb in ("run", "nki") and parsed.seed is not None and parsed.schedules is None:
        return "--seed says which timings --schedules begins with: give that, too"
    if parsed.verb in ("run", "nki") and parsed.witness and not parsed.values:
        return "--witness does not go with --no-values: it shows which values change"
    if parsed.verb in ("run", "nki") and parsed.witness and not parsed.checked:
        return "--witness does not go with --unchecked: it shows races that are found"
    if parsed.verb == "profile" and parsed.timeline is not None and (parsed.json or parsed.path):
        given = "--json" if parsed.json else "--path"
        return f"{given} does not go with --timeline, which shows nothing else"
    if parsed.verb == "profile" and parsed.format is not None and parsed.tables is None:
        return "--format says how --tables is written: give that, too"
    if parsed.verb == "profile" and parsed.timeline is not None and parsed.tables is not None:
        return "--tables does not go with --timeline, which shows nothing else"
    if parsed.verb in ("run", "nki", "profile", "check", "print", "repl"):
        return _unfit_program(parsed)
    if parsed.verb != "isa":
        return ""
    if parsed.options and parsed.timing:
        return "--options and --timing are two lists: give one of them"
    for name, what in (("options", "options of the machines"), ("timing", "timing figures")):
        if getattr(parsed, name) and (parsed.mnemonic or parsed.example or parsed.search):
            return f"--{name} lists the {what}: no instruction goes with it"
    if parsed.search is not None and (parsed.mnemonic or parsed.example):
        return f"--search lists instructions: no name goes with it ('{COMMAND} isa NAME')"
    if parsed.example and parsed.mnemonic is None:
        return f"--example wants the name of an instruction: {COMMAND} isa TensorTensor --example"
    if parsed.target is not None and not (parsed.example or parsed.timing):
        return "--target says for which machine --example writes its program, or --timing lists"
    return ""


OF_KERNELS = {"arguments": "--arg", "lnc": "--lnc"}
OF_ONE = OF_KERNELS | {
    "inputs": "--in",
    "outputs": "--out",
    "out_dir": "--out-dir",
    "emit": "--emit",
    "trace": "--trace",
    "sarif": "--sarif",
    "schedules": "--schedules",
    "witness": "--witness",
    "defines": "-D",
}
"""Options that go with one kernel, and not with a script, by their names in a namespace."""


def _unfit_program(parsed: argparse.Namespace) -> str:
    """Which options do not go with what the program is."""
    programs = parsed.programs if parsed.verb == "check" else [parsed.program]
    whole = parsed.verb == "nki" and program_names.script(parsed.program)
    if parsed.verb == "nki" and not program_names.kernel(parsed.program):
        return f"nki wants kernel.py:name or a script, found '{quoted(parsed.program)}'"
    if parsed.verb == "nki" and parsed.words and not whole:
        return f"'{quoted(parsed.words[0])}': arguments of a kernel are --in and --arg"
    if whole:
        for name, option in OF_ONE.items():
            if getattr(parsed, name):
                said = f"{option} goes with one kernel, and a script may call several"
                return f"{said}: name it, as in {parsed.program}:KERNEL"
    if any(map(program_names.kernel, programs)):
        return ""
    only = OF_KERNELS | ({"inputs": "--in"} if parsed.verb in ("check", "print") else {})
    for name, option in only.items():
        if getattr(parsed, name):
            return f"{option} goes with a kernel, kernel.py:name"
    return ""


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
    for add in (_run, _nki, _profile, _diff, _check, _sync, _print):
        add(verbs)
    text_arguments.add(verbs)
    for add in (_isa, _explain, _repl, _help):
        add(verbs)
    return top


def _run(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(verbs, "run", "run a program and report on it", help_texts.RUN)
    verb.add_argument("program", help=PROGRAM)
    verb.add_argument(
        "--autosync",
        action="store_true",
        help="of a text without waits and updates: find out from the order of its lines who waits "
        "for whom, as 'sync' shows",
    )
    _as_run(verb)
    verb.set_defaults(emit=None)


def _nki(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "nki", "run a kernel of NKI, or a script that calls some", help_texts.NKI
    )
    verb.add_argument("program", help="kernel.py:name, or a script")
    verb.set_defaults(autosync=False)
    verb.add_argument("words", metavar="ARGUMENT", nargs="*", help="what the script is called with")
    verb.add_argument(
        "--emit",
        metavar="FILE",
        help="write the program that the kernel becomes, as a text; - is standard output",
    )
    _as_run(verb)


def _as_run(verb: argparse.ArgumentParser) -> None:
    """The options of a run that writes results."""
    options.inputs(verb)
    verb.add_argument(
        "--out",
        dest="outputs",
        metavar="NAME=FILE",
        type=values.binding,
        action="append",
        default=[],
        help="write a tensor of any memory to a .npy file after the run; - is standard output",
    )
    verb.add_argument(
        "--out-dir",
        metavar="DIR",
        help="write every output tensor to DIR/NAME.npy; the folder is created if needed",
    )
    options.common(verb)
    options.kernel(verb)
    verb.add_argument(
        "--trace",
        metavar="FILE",
        help="write a trace for ui.perfetto.dev or chrome://tracing, gzipped if its name ends in "
        ".gz; - is standard output",
    )
    verb.add_argument(
        "--trace-detail",
        metavar="WHAT",
        choices=("transfers", "packets"),
        help="what that trace shows of DMA: transfers, the default, or packets, with a slice for "
        "each share on its DMA engine as well",
    )
    options.reruns(verb)
    options.most_cycles(verb)
    options.no_values(verb)
    options.policy(verb)
    options.unchecked(verb)
    options.limit(verb, "stop after N instructions, with exit code 1")
    options.timeout(verb)
    options.json(verb)
    options.sarif(verb)
    options.quiet(verb)


def _profile(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "profile", "run a program and say where the time went", help_texts.PROFILE
    )
    verb.add_argument("program", help=PROGRAM)
    verb.add_argument(
        "--path",
        action="store_true",
        help="list all of the critical path and the slack of other lines, and every warning",
    )
    verb.add_argument(
        "--timeline",
        metavar="FROM..TO",
        nargs="?",
        const="..",
        type=values.stretch,
        help="show instead what queues and DMA rings did, all along or between two bounds: a time "
        "(2.5us), a line number or a label",
    )
    verb.add_argument(
        "--tables",
        metavar="DIR",
        help="write tables of instructions, transfers, semaphores and a summary to DIR/NAME.jsonl, "
        "named as the vendor's profiler does; the folder is created if needed",
    )
    verb.add_argument(
        "--format",
        choices=("jsonl", "parquet"),
        help="of those tables: JSON lines, the default, or Parquet, for which pyarrow is needed",
    )
    verb.add_argument(
        "--no-what-if",
        dest="what_if",
        action="store_false",
        help="do not run it again, each time without something, to see what would help",
    )
    _with_history(verb)


def _with_history(verb: argparse.ArgumentParser) -> None:
    """The options of a run whose history is kept, and that writes no results of its own."""
    options.inputs(verb)
    options.common(verb)
    options.kernel(verb)
    options.most_cycles(verb)
    options.no_values(verb)
    options.policy(verb)
    options.unchecked(verb)
    options.limit(verb, "stop after N instructions, with exit code 1", MOST_PROFILED)
    options.timeout(verb)
    options.json(verb)
    verb.set_defaults(values=None, trace=None, outputs=[], out_dir=None, quiet=False)
    verb.set_defaults(sarif=None, emit=None, autosync=False)


def _diff(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "diff", "run two programs, or one in two ways, and compare them", help_texts.DIFF
    )
    verb.usage = f"{COMMAND} diff A [B] [options] [{sides.VS} [B] [options of B]]"
    verb.add_argument(
        "programs", metavar="program", nargs="*", help="a .nasm file, -, or kernel.py:name"
    )
    verb.add_argument(
        sides.VS,
        action="store_true",
        help="what follows is said of the second side alone, what stands before it of both",
    )
    _with_history(verb)


def _check(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "check", "check programs without computing a value", help_texts.CHECK
    )
    verb.add_argument(
        "programs", metavar="program", nargs="+", help="a .nasm file, -, or kernel.py:name"
    )
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    verb.add_argument(
        "--map",
        action="store_true",
        help="show who owns which bytes of each memory, from when to when, and by whom",
    )
    verb.add_argument(
        "--ordering",
        choices=("relaxed",),
        help="list the reads that nothing would order if engines did not wait for their own "
        "earlier results",
    )
    options.limit(verb, "follow at most N instructions", MOST_EXAMINED)
    options.policy(verb)
    options.timeout(verb)
    options.json(verb)
    options.sarif(verb)
    options.quiet(verb)


def _print(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs,
        "print",
        "print a program with all loops and expressions worked out",
        help_texts.PRINT,
    )
    verb.add_argument("program", help=PROGRAM)
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    verb.add_argument(
        "--places",
        action="store_true",
        help="say the place of every tensor, also of those that the program does not place",
    )
    verb.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        default="-",
        help="write it to a file, instead of to standard output",
    )
    options.timeout(verb)


def _sync(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "sync", "find the waits that a program in sequential order needs", help_texts.SYNC
    )
    verb.add_argument("program", help="a .nasm file, or - for standard input")
    options.common(verb)
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--write", action="store_true", help="write them into the file itself")
    where.add_argument(
        "-o", "--output", metavar="FILE", help="write the text with them to a file, or to -"
    )
    verb.add_argument(
        "--strip", action="store_true", help="leave out the waits and updates that there are first"
    )
    options.json(verb)
    options.quiet(verb)


def _isa(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "isa", "show the manual page of an instruction, or list instructions", help_texts.ISA
    )
    verb.add_argument("mnemonic", nargs="?", help="an instruction, as programs spell it")
    verb.add_argument(
        "--search",
        metavar="WORDS",
        help="list the instructions that have these words: a name, the vendor's name, an "
        "operator, a dtype, or any word of their description",
    )
    verb.add_argument("--options", action="store_true", help="list the machine options instead")
    verb.add_argument("--timing", action="store_true", help="list the timing figures instead")
    verb.add_argument(
        "--example", action="store_true", help="print a whole program that runs its example"
    )
    verb.add_argument(
        "--target",
        metavar="NAME",
        help="the target of that program, trn1, inf2, trn2, trn3, …, by default the first that "
        "has the instruction; or of those figures",
    )
    options.json(verb)


def _explain(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "explain", "explain a diagnostic in full, or list all of them", help_texts.EXPLAIN
    )
    verb.add_argument("code", nargs="?", help="a code, like E0501")
    options.json(verb)


def _help(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "help", "explain a command, an instruction or a diagnostic", help_texts.HELP
    )
    verb.add_argument(
        "topic", nargs="?", help="a command (run), an instruction (Max8) or a code (E0501)"
    )


def _repl(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = options.add_verb(
        verbs, "repl", "debug a program: step, and inspect the machine", help_texts.REPL
    )
    verb.add_argument("program", nargs="?", help="a .nasm file, or kernel.py:name")
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    options.no_values(verb)
    options.policy(verb)
    options.unchecked(verb)
    options.limit(verb, "let 'run' stop after N instructions; 'continue' resumes")
    verb.add_argument("-x", dest="script", metavar="FILE", help="execute the commands in a file")
    verb.add_argument(
        "-ex",
        dest="commands",
        metavar="COMMAND",
        action="append",
        default=[],
        help="execute a command; may be given several times",
    )
    verb.add_argument(
        "--stay",
        action="store_true",
        help="show the prompt when the commands of -x and -ex are done",
    )
    verb.add_argument(
        "--echo", action="store_true", help="print each command that nobody types before it is done"
    )
    verb.add_argument(
        "--plain",
        action="store_true",
        help="for screen readers: ASCII, no bar, no menu, nothing written over",
    )
    verb.add_argument(
        "--view",
        action="store_true",
        help="keep panels on screen above the prompt, as 'view' does; unattended, print them",
    )
    start = verb.add_mutually_exclusive_group()
    start.add_argument(
        "--init", metavar="FILE", help="begin with the commands in a file, not the start-up file"
    )
    start.add_argument("--no-init", action="store_true", help="leave out the start-up file")
