"""The verb ``repl``: the debugger."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from nasm.apps.cli import program_names, streams
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.verb import Verb, preload

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("program", nargs="?", help="a .nasm file, or kernel.py:name")
    verb.add_argument(
        "--replay",
        metavar="FILE",
        help="continue from where a recording is, as 'record' and the command 'save' write it",
    )
    options.common(verb)
    options.kernel(verb)
    options.ranks(verb)
    options.topology(verb)
    options.rank(verb, "of a program of several ranks the one to begin with, by default 0")
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


def unfit(parsed: argparse.Namespace) -> str:
    """What a recording brings with it; empty if nothing else is given."""
    if parsed.replay is None:
        return ""
    if parsed.program is not None:
        return "--replay has a program of its own: leave the other out"
    brought = ("target", "defines", "options", "timing", "inputs", "in_dir", "include", "allow")
    given = [name for name in brought if getattr(parsed, name)]
    if given or not parsed.values or not parsed.checked or parsed.strict:
        return "--replay has the program, its inputs and how it was assembled: no option changes it"
    return ""


def repl(args: argparse.Namespace, screen: Screen) -> int:
    """Debug a program until that is over; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.apps.repl")
    from nasm.apps import repl as debugger
    from nasm.apps.cli import arrays, programs
    from nasm.apps.repl.screen import ScreenUnwritable

    inputs = {} if program_names.kernel(args.program) else arrays.inputs(args)
    try:
        return debugger.main(
            args.program,
            replay=args.replay,
            inputs=inputs,
            settings=programs.settings(args),
            script=args.script,
            commands=args.commands,
            stay=args.stay,
            echo=args.echo,
            plain=args.plain,
            view=args.view,
            init=args.init,
            no_init=args.no_init,
            color=args.color,
            typed_python=program_names.python(args),
            rank=args.rank or 0,
            kernel=(lambda: programs.called(args)) if program_names.kernel(args.program) else None,
        )
    except ScreenUnwritable as problem:
        streams.leave(sys.stdout)
        raise streams.Unwritable(str(problem)) from None


VERB = Verb(
    summary="debug a program: step, and inspect the machine",
    rank=140,
    arguments=_arguments,
    conflicts=(unfit, options.text_with_arguments),
    body=repl,
    examples=(("matmul.nasm", "step through it"),),
    notes="""\
examples:
  neuron-nasm repl matmul.nasm
  neuron-nasm repl matmul.nasm -ex run -ex "info queues"
  neuron-nasm repl --replay run.nrec
""",
    other_names=("debug", "gdb", "dbg"),
)
