"""The verbs of the command, each with its options."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from nasm.apps.cli import diff_arguments, help_texts, text_arguments, values
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.help_texts import COMMAND
from nasm.apps.cli.text_arguments import Verbs
from nasm.machine.records import MOST_EXAMINED, MOST_PROFILED

PROGRAM = options.PROGRAM
"""What can be run."""


def _run(verbs: Verbs) -> None:
    verb = options.add_verb(verbs, "run", "run a program and report on it", help_texts.RUN)
    verb.add_argument("program", help=PROGRAM)
    verb.add_argument(
        "--autosync",
        action="store_true",
        help="of a text without waits and updates: find the necessary waits from the order of its "
        "lines, as 'sync' shows",
    )
    options.watch(verb)
    _as_run(verb)
    verb.set_defaults(emit=None)


def _nki(verbs: Verbs) -> None:
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
    options.inputs_folder(verb)
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
    options.isolated(verb)
    options.json(verb)
    options.sarif(verb)
    options.quiet(verb)


def _profile(verbs: Verbs) -> None:
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
    options.inputs_folder(verb)
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


def _diff(verbs: Verbs) -> None:
    verb = options.add_verb(
        verbs, "diff", "run two programs, or one in two ways, and compare them", help_texts.DIFF
    )
    verb.usage = f"{COMMAND} diff A [B] [options] [{diff_arguments.VS} [B] [options of B]]"
    verb.add_argument(
        "programs", metavar="program", nargs="*", help="a .nasm file, -, or kernel.py:name"
    )
    verb.add_argument(
        diff_arguments.VS,
        action="store_true",
        help="options after it apply to the second side alone, options before it to both",
    )
    _with_history(verb)


def _check(verbs: Verbs) -> None:
    verb = options.add_verb(
        verbs, "check", "check programs without computing a value", help_texts.CHECK
    )
    verb.add_argument(
        "programs", metavar="program", nargs="+", help="a .nasm file, -, or kernel.py:name"
    )
    options.watch(verb)
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


def _print(verbs: Verbs) -> None:
    verb = options.add_verb(
        verbs,
        "print",
        "print a program with all loops expanded and expressions evaluated",
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


def _sync(verbs: Verbs) -> None:
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
        "--strip",
        action="store_true",
        help="leave out the waits, updates and moments that there are first",
    )
    verb.add_argument(
        "--waits", action="store_true", help="write waits and updates of semaphores, not moments"
    )
    options.json(verb)
    options.quiet(verb)


def _isa(verbs: Verbs) -> None:
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
        help="the target that is meant, trn1, trn2, trn3, wormhole, …, by default all that nasm "
        "knows; a program is for the first that has the instruction",
    )
    options.json(verb)


def _explain(verbs: Verbs) -> None:
    verb = options.add_verb(
        verbs, "explain", "explain a diagnostic in full, or list all of them", help_texts.EXPLAIN
    )
    verb.add_argument("code", nargs="?", help="a code, like E0501")
    options.json(verb)


def _help(verbs: Verbs) -> None:
    verb = options.add_verb(
        verbs, "help", "explain a command, an instruction or a diagnostic", help_texts.HELP
    )
    verb.add_argument(
        "topic", nargs="?", help="a command (run), an instruction (Max8) or a code (E0501)"
    )


def _repl(verbs: Verbs) -> None:
    verb = options.add_verb(
        verbs, "repl", "debug a program: step, and inspect the machine", help_texts.REPL
    )
    verb.add_argument("program", nargs="?", help="a .nasm file, or kernel.py:name")
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    options.inputs_folder(verb)
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
        "--echo",
        action="store_true",
        help="print each command that is not typed before executing it",
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


def _lsp(verbs: Verbs) -> None:
    verb = options.add_verb(verbs, "lsp", "answer an editor: the language server", help_texts.LSP)
    options.common(verb)
    verb.add_argument(
        "--no-cycles",
        dest="cycles",
        action="store_false",
        help="do not offer the cycles of each instruction after its line",
    )


VERBS: dict[str, Callable[[Verbs], None]] = {
    "run": _run,
    "nki": _nki,
    "profile": _profile,
    "diff": _diff,
    "check": _check,
    "sync": _sync,
    "print": _print,
    **text_arguments.VERBS,
    "isa": _isa,
    "explain": _explain,
    "repl": _repl,
    "lsp": _lsp,
    "help": _help,
}
"""What adds the parser of each verb, in the order of the help."""
