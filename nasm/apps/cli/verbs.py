"""What each verb does. Everything heavy is imported here, or later."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nasm.apps.cli import program_names, streams
from nasm.apps.cli.exit_codes import REFUSED
from nasm.apps.cli.screen import Screen
from nasm.base import gc_pause, signals
from nasm.base.problems import Failure


@contextmanager
def _importing() -> Iterator[None]:
    """No package likes to be imported by halves, and all that is made lives on."""
    with signals.shielded(), gc_pause.imported():
        yield


# ---------------------------------------------------------------- run


def run(args: argparse.Namespace) -> int:
    """``run``: the program, then what it did."""
    if args.isolated:
        with _importing():
            from nasm.apps.cli import isolating
        return isolating.run(args, Screen(args.color))
    with _importing():
        from nasm.apps.cli.running import Run

        if args.schedules or args.witness:
            from nasm.apps.cli.rerunning import Rerunning as Run

    return Run(args, Screen(args.color)).go()


def nki(args: argparse.Namespace) -> int:
    """``nki``: a kernel, run as a program is; or a script that calls some."""
    if not program_names.script(args.program):
        return run(args)
    with _importing():
        from nasm.apps.cli.scripts import Script

    return Script(args, Screen(args.color)).go()


def profile(args: argparse.Namespace) -> int:
    """``profile``: the program, then where its time went."""
    with _importing():
        from nasm.apps.cli.profiling import Profiling

    return Profiling(args, Screen(args.color)).go()


def diff(args: argparse.Namespace) -> int:
    """``diff``: two programs, then what tells them apart."""
    with _importing():
        from nasm.apps.cli.comparing import Comparing

    return Comparing(args, Screen(args.color)).go()


def check(args: argparse.Namespace) -> int:
    """``check``: every problem of every file, as far as no value decides it."""
    with _importing():
        from nasm.apps.cli import checking

    return checking.check(args, Screen(args.color))


def print_(args: argparse.Namespace) -> int:
    """``print``: the program as the lines that are left when all is worked out."""
    with _importing():
        from nasm.apps.cli import printing

    return printing.print_(args, Screen(args.color))


def sync(args: argparse.Namespace) -> int:
    """``sync``: who has to wait for whom, from the order of the lines."""
    with _importing():
        from nasm.apps.cli import synchronising

    return synchronising.sync(args, Screen(args.color))


# ---------------------------------------------------------------- texts and objects


def list_(args: argparse.Namespace) -> int:
    """``list``: the lines of a program with what the assembler made of them."""
    with _importing():
        from nasm.apps.cli import listing

    return listing.list_(args, Screen(args.color))


def fmt(args: argparse.Namespace) -> int:
    """``fmt``: texts in columns."""
    from nasm.apps.cli import formatting

    return formatting.fmt(args, Screen(args.color))


def asm(args: argparse.Namespace) -> int:
    """``asm``: a program as an object file."""
    with _importing():
        from nasm.apps.cli import objects, words

    work = words.asm if args.words else objects.asm
    return work(args, Screen(args.color))


def dis(args: argparse.Namespace) -> int:
    """``dis``: an object file as a text."""
    with _importing():
        from nasm.apps.cli import objects, words

    work = words.dis if args.words else objects.dis
    return work(args, Screen(args.color))


# ---------------------------------------------------------------- repl


def repl(args: argparse.Namespace) -> int:
    """``repl``: hands over to the debugger."""
    with _importing():
        from nasm.apps import repl as debugger
        from nasm.apps.cli import arrays, kernels
        from nasm.apps.repl.screen import Unwritable

    try:
        inputs = {} if program_names.kernel(args.program) else arrays.inputs(args)
    except Failure as failure:
        Screen(args.color).problems(failure.problems)
        return REFUSED
    try:
        return debugger.main(
            args.program,
            target=args.target,
            defines=dict(args.defines),
            inputs=inputs,
            options=dict(args.options),
            timing=args.timing,
            files=args.files,
            include=args.include,
            most=args.max_instructions,
            values=args.values,
            script=args.script,
            commands=args.commands,
            stay=args.stay,
            echo=args.echo,
            plain=args.plain,
            view=args.view,
            init=args.init,
            no_init=args.no_init,
            strict=args.strict,
            allow=args.allow,
            checked=args.checked,
            color=args.color,
            kernel=(lambda: kernels.loaded(args)) if program_names.kernel(args.program) else None,
        )
    except Unwritable as problem:
        streams.leave(sys.stdout)
        raise streams.Unwritable(str(problem)) from None


def lsp(args: argparse.Namespace) -> int:
    """``lsp``: answers an editor until it is done."""
    with _importing():
        from nasm.apps.cli import editing

    return editing.lsp(args, Screen(args.color))


# ---------------------------------------------------------------- isa, explain, help


def look_up(args: argparse.Namespace) -> int:
    """``isa``, ``explain`` and ``help``: what there is to read of instructions and the command."""
    from nasm.apps.cli import manual

    return {"isa": manual.isa, "explain": manual.explain, "help": manual.help_}[args.verb](args)


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": run,
    "nki": nki,
    "profile": profile,
    "diff": diff,
    "check": check,
    "print": print_,
    "sync": sync,
    "list": list_,
    "fmt": fmt,
    "asm": asm,
    "dis": dis,
    "isa": look_up,
    "explain": look_up,
    "repl": repl,
    "lsp": lsp,
    "help": look_up,
}
