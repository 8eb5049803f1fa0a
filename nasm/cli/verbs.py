"""What each verb does. Everything heavy is imported here, or later."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from nasm import host_memory, stopping
from nasm.cli import streams
from nasm.cli.screen import Screen
from nasm.problems import Failure, Problem, counted, in_line
from nasm.report import jsonable

if TYPE_CHECKING:
    from nasm.spec.timing import Timing

OK, REFUSED = 0, 2


# ---------------------------------------------------------------- run


def run(args: argparse.Namespace) -> int:
    """``run``: the program, then what it did."""
    with stopping.shielded():
        from nasm.cli.running import Run

        if args.schedules or args.witness:
            from nasm.cli.rerunning import Rerunning as Run

    return Run(args, Screen(args.color)).go()


def profile(args: argparse.Namespace) -> int:
    """``profile``: the program, then where its time went."""
    with stopping.shielded():
        from nasm.cli.profiling import Profiling

    return Profiling(args, Screen(args.color)).go()


def diff(args: argparse.Namespace) -> int:
    """``diff``: two programs, then what tells them apart."""
    with stopping.shielded():
        from nasm.cli.comparing import Comparing

    return Comparing(args, Screen(args.color)).go()


# ---------------------------------------------------------------- check


def check(args: argparse.Namespace) -> int:
    """``check``: every problem of every file, and nothing is run."""
    screen = Screen(args.color)
    files: list[dict[str, Any]] = args.answer.content["files"]
    wrong = bad = 0
    try:
        timing = _timing(args.timing)
    except Failure as failure:
        return _unchecked(screen, args, failure.problems)
    for path in args.programs:
        about, problems = _checked(path, args, timing)
        files.append({**about, "ok": not problems, "problems": jsonable.problems(problems)})
        wrong, bad = wrong + len(problems), bad + bool(problems)
        if args.json:
            continue
        if problems:
            screen.problems(problems)
            screen.note("")
        elif not args.quiet:
            screen.show(_fine(about))
    code = REFUSED if wrong else OK
    if args.json:
        args.answer.give(code, files=files, problems=[])
    elif wrong:
        screen.note(f"{counted(wrong, 'error')} in {bad} of {counted(len(files), 'file')}")
    return code


def _timing(path: str | None) -> Timing:
    with stopping.shielded():
        from nasm.spec.timing import Timing
    return Timing.of(path)


def _unchecked(screen: Screen, args: argparse.Namespace, problems: Sequence[Problem]) -> int:
    """No file can be checked."""
    if args.json:
        args.answer.give(REFUSED, files=[], problems=jsonable.problems(problems))
    else:
        screen.problems(problems)
    return REFUSED


def _checked(
    path: str, args: argparse.Namespace, timing: Timing
) -> tuple[dict[str, Any], list[Problem]]:
    """What a file is, if it assembles, and all that is wrong with it."""
    with stopping.shielded():
        from nasm.asm.assemble import assemble
        from nasm.cli import files
        from nasm.machine.endless import endless
        from nasm.open_files import Allowed
        from nasm.targets import TARGETS

    about: dict[str, Any] = {"file": path}
    try:
        program = assemble(
            files.program_text(path),
            TARGETS,
            args.target,
            dict(args.defines),
            dict(args.options),
            Allowed.of(args.files),
            timing,
        )
    except Failure as failure:
        return about, list(failure.problems)
    except (MemoryError, SystemError) as error:
        if not host_memory.lacking(error):
            raise
        return about, [Problem("E0808", host_memory.LACKING)]
    about["target"] = program.generation.spellings[0]
    about["generation"] = program.generation.summary
    about["options"] = program.chosen
    about["timing"] = jsonable.figures_set(program.figures_set)
    about["instructions"] = {
        program.queue_name(n): len(q) for n, q in enumerate(program.queues) if len(q)
    }
    about["tensors"] = len(program.tensors)
    about["expectations"] = len(program.expectations)
    return about, endless(program)


def _fine(about: dict[str, Any]) -> Text:
    queues = about["instructions"]
    return Text(
        f"{in_line(about['file'])}: ok, {counted(sum(queues.values()), 'instruction')} on "
        f"{counted(len(queues), 'engine')}, {about['generation']}"
    )


# ---------------------------------------------------------------- repl


def repl(args: argparse.Namespace) -> int:
    """``repl``: hands over to the debugger."""
    with stopping.shielded():
        from nasm import repl as debugger
        from nasm.cli import files
        from nasm.repl.screen import Unwritable

    try:
        inputs = files.arrays(args.inputs)
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
            most=args.max_instructions,
            values=args.values,
            script=args.script,
            commands=args.commands,
            color=args.color,
        )
    except Unwritable as problem:
        streams.leave(sys.stdout)
        raise streams.Unwritable(str(problem)) from None


# ---------------------------------------------------------------- isa, explain, help


def look_up(args: argparse.Namespace) -> int:
    """``isa``, ``explain`` and ``help``: what there is to read of instructions and the command."""
    from nasm.cli import manual

    return {"isa": manual.isa, "explain": manual.explain, "help": manual.help_}[args.verb](args)


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": run,
    "profile": profile,
    "diff": diff,
    "check": check,
    "isa": look_up,
    "explain": look_up,
    "repl": repl,
    "help": look_up,
}
