"""The verb ``run``: load, run, write, report, and the exit code of it all."""

from __future__ import annotations

import argparse
from typing import Any

from nasm.cli import files
from nasm.cli.screen import Screen
from nasm.problems import Failure, Problem, counted
from nasm.records import RunReport, Status
from nasm.report import jsonable, tables
from nasm.session import Session

OK, BROKEN, REFUSED, INTERRUPTED = 0, 1, 2, 130


class Run:
    """One ``neuron-nasm run``."""

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        self.args, self.screen = args, screen
        self.written: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def go(self) -> int:
        """The whole of it; returns the exit code."""
        args = self.args
        try:
            session = Session.load(
                files.program_text(args.program),
                target=args.target,
                defines=dict(args.defines),
                inputs=files.arrays(args.inputs),
                options=dict(args.options),
                files=args.files,
            )
            wanted = files.destinations(session.program, args.outputs, args.out_dir)
            if args.out_dir is not None:
                files.make_folder(args.out_dir)
        except Failure as failure:
            return self.refused(failure.problems)
        try:
            report = session.run(
                max_cycles=args.max_cycles, progress=self.screen.progress, hashes=args.json
            )
        except KeyboardInterrupt:
            self.screen.clear()
            return self.interrupted(session)
        self.screen.clear()
        problems = (*self.limit(session, report), *self.store(session, report, wanted))
        return self.tell(session, report, problems)

    # -- what is written

    def limit(self, session: Session, report: RunReport) -> list[Problem]:
        """What --max-cycles has cut off."""
        if report.status is not Status.LIMIT:
            return []
        running = [q for q in session.queues() if q.state in ("running", "waiting")]
        span = next((q.span for q in running if q.state == "running" and q.span), None)
        where = ", ".join(f"{session.name(q)} at pc {q.pc}" for q in running)
        return [
            Problem(
                "E0511",
                f"still running after {self.args.max_cycles:,} cycles: {where}",
                span,
                "allow more with --max-cycles, or look for a loop that does not end",
            )
        ]

    def store(self, session: Session, report: RunReport, wanted: Any) -> list[Problem]:
        """Write outputs and trace; returns what could not be written."""
        problems: list[Problem] = []
        try:
            if report.status is Status.FINISHED:
                self.written = files.store(session, wanted)
            elif wanted:
                self.notes.append("no outputs are written: the program did not run to its end")
        except Failure as failure:
            problems += failure.problems
        try:
            if self.args.trace:
                slices = files.trace(session, self.args.trace)
                self.notes.append(f"wrote {slices:,} slices to {self.args.trace}")
        except Failure as failure:
            problems += failure.problems
        return problems

    # -- what is said

    def tell(self, session: Session, report: RunReport, more: tuple[Problem, ...]) -> int:
        """Print the report; returns the exit code."""
        code = exit_code(report, more)
        generation = session.program.generation
        if self.args.json:
            content = jsonable.report(report, generation)
            content["problems"] += jsonable.problems(more)
            content["outputs"] = self.written
            self.screen.document(jsonable.document("run", code, **content))
            return code
        screen = self.screen
        if self.args.quiet:
            if code:
                screen.show(
                    *tables.failures(report, more, width=screen.width, ascii_only=screen.ascii_only)
                )
            return code
        for item in self.written:
            kept = (
                item["dtype"]
                if item["stored_as"] == item["dtype"]
                else (f"{item['dtype']} as {item['stored_as']}")
            )
            self.notes.append(f"wrote {item['tensor']} to {item['file']} ({kept}{item['shape']})")
        screen.show(
            *tables.run_report(
                report,
                generation,
                more,
                self.notes,
                width=screen.width,
                ascii_only=screen.ascii_only,
            )
        )
        return code

    def refused(self, problems: tuple[Problem, ...]) -> int:
        """The program cannot be run."""
        if self.args.json:
            content = {
                "program": self.args.program,
                "status": "refused",
                "problems": jsonable.problems(problems),
            }
            self.screen.document(jsonable.document("run", REFUSED, **content))
            return REFUSED
        self.screen.problems(problems)
        errors = counted(sum(not p.warning for p in problems), "error")
        self.screen.note(f"\n{errors}; the program was not run")
        return REFUSED

    def interrupted(self, session: Session) -> int:
        """Say how far an interrupted run has got."""
        if self.args.json:
            content = jsonable.report(session.report(), session.program.generation)
            content["status"] = "interrupted"
            content["outputs"] = []
            self.screen.document(jsonable.document("run", INTERRUPTED, **content))
            return INTERRUPTED
        far = session.progress(0.0)
        self.screen.note(
            f"interrupted after {counted(far.instructions, 'instruction')}, at "
            f"{far.microseconds:,.3f} µs; nothing was written"
        )
        for queue in session.queues():
            if queue.state in ("running", "waiting") and queue.text:
                where = f" ({queue.span})" if queue.span else ""
                held = f", waits for {queue.wait}" if queue.wait else ""
                name = session.name(queue)
                self.screen.note(f"  {name} pc {queue.pc}: {queue.text}{where}{held}")
        return INTERRUPTED


def exit_code(report: RunReport, more: tuple[Problem, ...] = ()) -> int:
    """1 for a promise that does not hold; 2 if what was asked for could not be judged or done."""
    if any(p.code in ("E0806",) for p in more):
        return REFUSED
    if report.status is not Status.FINISHED or report.hazards:
        return BROKEN
    if not all(e.held for e in report.expectations):
        return BROKEN
    return REFUSED if report.problems else OK
