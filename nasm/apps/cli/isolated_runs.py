"""``--isolated``: a program of others, or a kernel, in child processes with limits."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from nasm.apps.cli import arrays, files, program_names, programs, results, streams
from nasm.apps.cli.answer import BROKEN, RAISED, REFUSED
from nasm.apps.cli.program_run import exit_code
from nasm.apps.cli.screen import Screen
from nasm.base import dtypes
from nasm.base.names import identifier
from nasm.base.problems import Failure, Problem, counted, did_you_mean
from nasm.base.signals import TIMED_OUT
from nasm.isolation.entry import isolated
from nasm.isolation.limits import Limits
from nasm.isolation.outcome import ISOLATION, Outcome
from nasm.nki.engines import USUAL
from nasm.show import jsonable, tables
from nasm.show.documents import plain

STATUS = {"cpu": "timeout", "deadline": "timeout", "refused": "refused"}
"""What a document calls an end that is no report; all others are faults."""


def run(args: argparse.Namespace, screen: Screen) -> int:
    """The whole of it; returns the exit code."""
    try:
        outcome = _outcome(args)
    except Failure as failure:
        if args.json:
            args.answer.cut(REFUSED, "refused", failure.problems)
        else:
            screen.problems(failure.problems)
        return REFUSED
    unwritten: list[Problem] = []
    written: list[files.WrittenArray] = []
    if outcome.ok or outcome.outputs:
        written, unwritten = _stored(args, outcome)
    code = _code(outcome, unwritten)
    if args.json:
        made = jsonable.report(outcome.report) if outcome.report is not None else {}
        report = made or {"status": STATUS.get(outcome.how, "fault")}
        problems = jsonable.problems((*outcome.problems, *unwritten))
        report |= {
            "problems": [*report.get("problems", ()), *problems],
            "program": args.program,
            "isolation": plain(outcome, ISOLATION),
        }
        return int(args.answer.give(code, **report, outputs=jsonable.outputs(written)))
    _printed(outcome)
    screen.problems([*outcome.problems, *unwritten])
    if outcome.unprotected and not args.quiet:
        screen.note(f"warning: {outcome.unprotected}")
    if outcome.report is not None and not args.quiet:
        notes = [f"wrote {item.tensor} to {item.file}" for item in written]
        shown: dict[str, Any] = {"width": screen.width, "ascii_only": screen.ascii_only}
        screen.show(*tables.run_report(outcome.report, notes=notes, **shown))
    elif outcome.report is None:
        screen.note(f"\n{counted(len(outcome.problems), 'error')}; the program was not run")
    return code


def _outcome(args: argparse.Namespace) -> Outcome:
    kernel = program_names.kernel(args.program)
    inputs: Any = arrays.read(args.inputs) if kernel else arrays.inputs(args)
    limits = Limits() if args.timeout is None else Limits(deadline=args.timeout)
    return isolated(
        args.program if args.program != "-" else files.program("-"),
        inputs,
        limits=limits,
        arguments=programs.words(args, inputs) if kernel else None,
        lnc=args.lnc,
        dma=args.dma or USUAL,
        hoist=args.hoist,
        overlap=args.overlap,
        python=program_names.python(args),
        settings=programs.settings(args),
    )


def _code(outcome: Outcome, unwritten: list[Problem]) -> int:
    """The exit code: as of a run in this process, where there was one."""
    if outcome.report is not None:
        return exit_code(outcome.report, unwritten)
    if outcome.how in ("cpu", "deadline"):
        return TIMED_OUT
    raised = {problem.code for problem in outcome.problems} == {RAISED}
    return BROKEN if raised or outcome.how != "refused" else REFUSED


def _printed(outcome: Outcome) -> None:
    """Show what it printed."""
    for stream, printed in ((sys.stdout, outcome.stdout), (sys.stderr, outcome.stderr)):
        streams.write(stream, printed.text)
        if printed.left_out:
            streams.write(sys.stderr, f"… {printed.left_out:,} more bytes\n")


def _stored(
    args: argparse.Namespace, outcome: Outcome
) -> tuple[list[files.WrittenArray], list[Problem]]:
    """Write what --out and --out-dir ask for; says what was written, and what could not be."""
    held = outcome.outputs or {}
    written: list[files.WrittenArray] = []
    problems: list[Problem] = []
    wanted = [(name, results.spelled(path)) for name, path in args.outputs]
    try:
        if args.out_dir is not None:
            results.make_folder(args.out_dir)
            wanted += [(n, os.path.join(args.out_dir, f"{identifier(n)}.npy")) for n in held]
    except Failure as failure:
        return [], list(failure.problems)
    for name, path in wanted:
        if name not in held:
            hint = did_you_mean(name, held)
            problems.append(
                Problem("E0805", f"--out: the program has no output '{name}'", None, hint)
            )
            continue
        try:
            dtype = dtypes.find(held[name].dtype.name)
            assert dtype is not None
            written.append(files.put_array(name, path, held[name], dtype))
        except Failure as failure:
            problems += failure.problems
    return written, problems
