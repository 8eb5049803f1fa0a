"""What each verb does. Everything heavy is imported here, or later."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.text import Text

from nasm.cli import streams
from nasm.cli.screen import Screen
from nasm.problems import Failure, Problem, Refused, counted
from nasm.report import jsonable

if TYPE_CHECKING:
    from nasm.spec.instruction import Row
    from nasm.spec.target import Target

OK, BROKEN, REFUSED, INTERRUPTED = 0, 1, 2, 130


# ---------------------------------------------------------------- run


def run(args: argparse.Namespace) -> int:
    """``run``: the program, then what it did."""
    from nasm.cli.running import Run

    return Run(args, Screen()).go()


# ---------------------------------------------------------------- check


def check(args: argparse.Namespace) -> int:
    """``check``: every problem of every file, and nothing is run."""
    screen = Screen()
    checked = [_checked(path, args) for path in args.programs]
    code = REFUSED if any(p for _, p in checked) else OK
    if args.json:
        files = [{**about, "ok": not p, "problems": jsonable.problems(p)} for about, p in checked]
        screen.document(jsonable.document("check", code, files=files))
        return code
    for about, problems in checked:
        if problems:
            screen.problems(problems)
            screen.note("")
        elif not args.quiet:
            screen.show(_fine(about))
    wrong = sum(len(p) for _, p in checked)
    if wrong:
        bad = sum(bool(p) for _, p in checked)
        screen.note(f"{counted(wrong, 'error')} in {bad} of {counted(len(checked), 'file')}")
    return code


def _checked(path: str, args: argparse.Namespace) -> tuple[dict[str, Any], list[Problem]]:
    """What a file is, if it assembles, and all that is wrong with it."""
    from nasm.asm.assemble import assemble
    from nasm.cli import files
    from nasm.targets import TARGETS

    about: dict[str, Any] = {"file": path}
    try:
        program = assemble(
            files.program_text(path), TARGETS, args.target, dict(args.defines), dict(args.options)
        )
    except Failure as failure:
        return about, list(failure.problems)
    about["target"] = program.generation.spellings[0]
    about["generation"] = program.generation.summary
    about["options"] = program.chosen
    about["instructions"] = {
        program.queue_name(n): len(q) for n, q in enumerate(program.queues) if len(q)
    }
    about["tensors"] = len(program.tensors)
    about["expectations"] = len(program.expectations)
    return about, []


def _fine(about: dict[str, Any]) -> Text:
    queues = about["instructions"]
    return Text(
        f"{about['file']}: ok, {counted(sum(queues.values()), 'instruction')} on "
        f"{counted(len(queues), 'engine')}, {about['generation']}"
    )


# ---------------------------------------------------------------- isa, explain


def isa(args: argparse.Namespace) -> int:
    """``isa``: the page of an instruction, or all of them in short."""
    from nasm.report import lists, pages
    from nasm.targets import TARGETS

    screen = Screen()
    targets = list({id(t): t for t in (load() for load in TARGETS.values())}.values())
    if args.options:
        if args.json:
            rows = [row for t in targets for row in lists.json_options(t)]
            screen.document(jsonable.document("isa", OK, options=rows))
        else:
            screen.show(*(lists.rich_options(t) for t in targets))
        return OK
    if args.mnemonic is None:
        if args.json:
            rows = [row for t in targets for row in lists.json_list(t)]
            screen.document(jsonable.document("isa", OK, instructions=rows))
        else:
            screen.show(*(lists.rich_list(t) for t in targets))
        return OK
    for target in targets:
        row = pages.find(target, args.mnemonic)
        if row is not None and args.example:
            return _example(screen, args, row, target)
        if row is not None:
            page = pages.page(row, target)
            if args.json:
                content = {"target": target.name, **pages.json_page(page)}
                screen.document(jsonable.document("isa", OK, instruction=content))
            else:
                more = f"'neuron-nasm isa {row.name} --example' prints a program that runs it"
                screen.show(pages.rich_page(page), Text(more, "dim"))
            return OK
    hint = pages.suggestion(targets, args.mnemonic) or "'neuron-nasm isa' lists them all"
    problem = Problem("E0201", f"no instruction '{args.mnemonic}'", None, hint)
    return _refuse(screen, args, "isa", problem)


def _example(screen: Screen, args: argparse.Namespace, row: Row, target: Target) -> int:
    """``isa NAME --example``: a program, and nothing else on standard output."""
    from nasm.report import examples

    try:
        text = examples.whole(row, target, args.target)
    except Refused as refused:
        return _refuse(screen, args, "isa", refused.at(None))
    if args.json:
        screen.document(jsonable.document("isa", OK, example=text))
    else:
        streams.write(sys.stdout, text)
    return OK


def explain(args: argparse.Namespace) -> int:
    """``explain``: a diagnostic at length, or all of them in short."""
    from nasm import codes
    from nasm.report import explanations

    screen = Screen()
    if args.code is None:
        rows = codes.table()
        if args.json:
            content = [explanations.json_code(row) for row in rows]
            screen.document(jsonable.document("explain", OK, codes=content))
        else:
            screen.show(explanations.rich_list(rows))
        return OK
    try:
        row = explanations.find(args.code)
    except Refused as refused:
        return _refuse(screen, args, "explain", refused.at(None))
    if args.json:
        content = [explanations.json_code(row)]
        screen.document(jsonable.document("explain", OK, codes=content))
    else:
        screen.show(explanations.rich_code(row))
    return OK


def _refuse(screen: Screen, args: argparse.Namespace, verb: str, problem: Problem) -> int:
    if args.json:
        found = jsonable.problems([problem])
        screen.document(jsonable.document(verb, REFUSED, problems=found))
    else:
        screen.problems([problem])
    return REFUSED


# ---------------------------------------------------------------- repl


def repl(args: argparse.Namespace) -> int:
    """``repl``: hands over to the debugger."""
    from nasm import repl as debugger
    from nasm.cli import files
    from nasm.repl.screen import Unwritable

    try:
        inputs = files.arrays(args.inputs)
    except Failure as failure:
        Screen().problems(failure.problems)
        return REFUSED
    try:
        return debugger.main(
            args.program,
            target=args.target,
            defines=dict(args.defines),
            inputs=inputs,
            options=dict(args.options),
            script=args.script,
            commands=args.commands,
        )
    except Unwritable as problem:
        streams.leave(sys.stdout)
        raise streams.Unwritable(str(problem)) from None


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": run,
    "check": check,
    "isa": isa,
    "explain": explain,
    "repl": repl,
}
