"""What each verb does. Everything heavy is imported here, or later."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.text import Text

from nasm import host_memory, stopping
from nasm.cli import streams
from nasm.cli.screen import Screen
from nasm.problems import Failure, Family, Problem, counted, family, in_line
from nasm.report import jsonable

if TYPE_CHECKING:
    from nasm.allowing import Judged
    from nasm.spec.timing import Timing

OK, BROKEN, REFUSED = 0, 1, 2


# ---------------------------------------------------------------- run


def run(args: argparse.Namespace) -> int:
    """``run``: the program, then what it did."""
    with stopping.shielded():
        from nasm.cli.running import Run

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
    wrong = bad = code = OK
    log, logged = "", []
    try:
        if args.sarif is not None:
            log = _log(args, screen)
        timing = _timing(args.timing)
    except Failure as failure:
        return _not_checked(screen, args, failure.problems)
    for path in args.programs:
        about, found = _checked(path, args, timing)
        files.append({**about, **_found(found)})
        logged.append((path, found))
        wrong, bad = wrong + len(found.errors), bad + bool(found.errors)
        if found.errors:  # what does not assemble weighs more than what --strict holds against it
            code = max(code, BROKEN if "instructions" in about else REFUSED)
        if not args.json:
            _tell(screen, about, found, args.quiet)
    unwritten = _logged(log, logged) if log else []
    code = REFUSED if unwritten else code
    if unwritten:
        screen.problems(unwritten)
    if args.json:
        args.answer.give(code, files=files, problems=jsonable.problems(unwritten))
    elif wrong:
        screen.note(f"{counted(wrong, 'error')} in {bad} of {counted(len(files), 'file')}")
    return code


def _tell(screen: Screen, about: dict[str, Any], found: Judged, quiet: bool) -> None:
    """What is wrong with a file, or that nothing is."""
    shown = [*found.errors, *([] if quiet else found.warnings)]
    if shown:
        screen.problems(shown)
        screen.note("")
    if not quiet:
        if not found.errors:
            screen.show(_fine(about))
        for allowed in found.allowed:
            screen.show(Text(str(allowed), "dim"))


def _log(args: argparse.Namespace, screen: Screen) -> str:
    """Where --sarif goes; raises Failure."""
    from nasm.cli import sarif_file

    read = [args.timing] if args.timing is not None else []
    path = sarif_file.destination(args.sarif, args.programs, read, args.json)
    if sarif_file.takes_output(path):
        screen.aside()
    return path


def _logged(path: str, files: Sequence[tuple[str, Judged]]) -> Sequence[Problem]:
    """Write what --sarif asks for; gives why that cannot be done."""
    from nasm.cli import sarif_file
    from nasm.report import sarif

    found = [sarif.Found(name, (*j.errors, *j.warnings), j.allowed) for name, j in files]
    try:
        sarif_file.write(path, found)
    except Failure as failure:
        return failure.problems
    return ()


def _timing(path: str | None) -> Timing:
    with stopping.shielded():
        from nasm.spec.timing import Timing
    return Timing.of(path)


def _not_checked(screen: Screen, args: argparse.Namespace, problems: Sequence[Problem]) -> int:
    """No file can be checked."""
    if args.json:
        args.answer.give(REFUSED, files=[], problems=jsonable.problems(problems))
    else:
        screen.problems(problems)
    return REFUSED


def _checked(path: str, args: argparse.Namespace, timing: Timing) -> tuple[dict[str, Any], Judged]:
    """What a file is, if it assembles, and all that is wrong with it."""
    with stopping.shielded():
        from nasm import allowing, codes
        from nasm.asm.assemble import assemble
        from nasm.cli import files
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
        policy = allowing.policy(program.allows, args.allow, args.strict)
        if wrong := codes.unallowable(policy.allows):
            raise Failure(wrong)
    except Failure as failure:
        return about, allowing.refused(failure.problems)
    except (MemoryError, SystemError) as error:
        if not host_memory.lacking(error):
            raise
        return about, allowing.refused([Problem("E0808", host_memory.LACKING)])
    about["target"] = program.generation.spellings[0]
    about["generation"] = program.generation.summary
    about["options"] = program.chosen
    about["timing"] = jsonable.figures_set(program.figures_set)
    about["instructions"] = {
        program.queue_name(n): len(q) for n, q in enumerate(program.queues) if len(q)
    }
    about["tensors"] = len(program.tensors)
    about["expectations"] = len(program.expectations)
    found = policy.judged(program.warnings)
    unused = policy.unused(program.warnings, _checks_for)
    return about, replace(found, warnings=(*found.warnings, *unused))


def _checks_for(code: str) -> bool:
    """Whether a check can find a code: hazards are found by a run, what is slow by a profile."""
    return family(code) not in (Family.HAZARD, Family.SLOW)


def _found(found: Judged) -> dict[str, Any]:
    """What a document says of all that is wrong with a file."""
    return {
        "ok": not found.errors,
        "problems": jsonable.problems(found.errors),
        "warnings": jsonable.problems(found.warnings),
        "allowed": jsonable.allowed(found.allowed),
    }


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
            strict=args.strict,
            allow=args.allow,
            checked=args.checked,
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
