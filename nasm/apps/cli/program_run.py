"""A run of the command: load, run, write, report, and the exit code of it all.

Verbs that run programs import this at every start of the command, so it imports what brings NumPy
or Rich in its functions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import pages, program_names, results, sarif
from nasm.apps.cli.answer import BROKEN, OK, RAISED, REFUSED
from nasm.base import signals
from nasm.base.problems import Failure, Problem, Severity, counted, in_line
from nasm.base.signals import StopSignal
from nasm.machine.records import MOST_INSTRUCTIONS, MOST_PROFILED, RunReport, Status
from nasm.show import jsonable
from nasm.show.log_lines import ProgramProblems, of_run

if TYPE_CHECKING:
    from nasm.analysis.profile.records import Profile
    from nasm.apps.cli.files import Tracing, WrittenArray
    from nasm.apps.cli.screen import Screen
    from nasm.base.source_files import Given
    from nasm.isa.timing import TimingGiven
    from nasm.machine.inputs import Inputs
    from nasm.nki.kernel import Traced
    from nasm.program.program import Program
    from nasm.runs.execution import Execution
    from nasm.show.json_diff import Others
    from nasm.views.tensor import Tensor


RANKS = "E0823"
"""The code of a program of several ranks where one machine is wanted."""


class Run:
    """One ``neuron-nasm run``; ``undone`` is what may not be done when the run itself is.

    ``drawn_at_once`` says whether its page needs nothing but the run; ``of_ranks`` makes what runs
    a program of several ranks in its place, if anything does.
    """

    undone, drawn_at_once = "", True

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        self.args, self.screen = args, screen
        self.trace = args.trace and results.spelled(args.trace)
        self.tracing: Tracing | None = None
        self.written: list[WrittenArray] = []
        self.unwritten: list[Problem] = []
        self.notes: list[str] = []
        self.log = ""
        self.judged = self.telling = self.whole = False
        self.traced: Traced | None = None
        self.given: Given | None = None
        self.of_ranks: Callable[[Given | None], Run] | None = None

    def go(self) -> int:
        """The whole of it; returns the exit code."""
        from nasm.apps.cli import files

        with ExitStack() as files_begun:
            files_begun.callback(self.cut_log)
            try:
                self.begin_log()
                session, wanted = self.load()
                if self.trace:
                    made = files.tracing(session, self.trace, self.args.trace_detail or "transfers")
                    self.tracing = files_begun.enter_context(made)
            except Failure as failure:
                several = self.several(failure)
                return self.refused(failure.problems) if several is None else several.go()
            return self.run_and_report(session, wanted)

    def several(self, failure: Failure) -> Run | None:
        """What runs the program if this cannot, as it has several ranks; None if it cannot be."""
        if self.of_ranks is None or [p.code for p in failure.problems] != [RANKS]:
            return None
        self.log = ""  # the other writes it
        return self.of_ranks(self.given)

    def run_and_report(self, session: Execution, wanted: dict[str, Tensor]) -> int:
        """Run, write and report; returns the exit code."""
        try:
            report = self.run(session)
            again = self.again(session, report)
            if again is not None:
                session = again
                report = self.run(session)
            self.screen.clear()
            self.store(session, report.status, wanted)
            return self.tell(session, report, exit_code(report, self.unwritten))
        except Failure as failure:
            return self.refused(failure.problems)
        except KeyboardInterrupt as error:
            with signals.lifted():  # to tell of it may take a while
                return self.stopped(session, StopSignal.of(error))

    def again(self, session: Execution, report: RunReport) -> Execution | None:
        """Another session to be run in place of one that reports this; None if it will do."""
        return None

    @property
    def hashes(self) -> bool:
        """Whether its report carries the hashes of trace and memory."""
        return bool(self.args.json)

    def figures(self) -> TimingGiven | None:
        """What sets timing figures."""
        path: str | None = self.args.timing
        return path

    def source(self) -> Given:
        """The program as it is given; raises Failure."""
        from nasm.apps.cli import files

        if self.given is None:  # a pipe is read once
            code, path = getattr(self.args, "elf", None), self.args.program
            alone = "alone" in self.args
            self.given = files.with_code(path, code, alone) if code else files.program(path)
        return self.given

    def session(self, **more: Any) -> Execution:
        """The program on a machine; raises Failure."""
        from nasm.apps.cli import programs
        from nasm.runs.execution import Execution

        args = self.args
        more = {"profile": bool(pages.wanted(args)), **more}
        chosen = programs.settings(args, timing=self.figures(), **more)
        rank = getattr(args, "rank", None)
        if program_names.kernel(args.program):
            self.traced = self.traced or programs.traced(args, self.figures())
            program, source = self.traced.program, None
            settings = chosen.of_assembled(files=True)
        elif rank is None:
            return Execution.load(self.source(), self.inputs(), settings=chosen)
        else:
            loaded = chosen.assembled(self.source())
            program, source, settings = loaded.program, loaded.source, chosen.of_assembled()
        if rank is None:
            made = Execution(program, self.inputs(), settings=settings)
        else:
            from nasm.ranks.peers import of_rank

            made = of_rank(program, self.inputs(), rank, settings)
            made.source, made.assembly = source, chosen
        made.called = args.program
        return made

    def inputs(self) -> Inputs:
        """What its inputs begin with; raises Failure."""
        from nasm.apps.cli import arrays

        if self.traced is not None:
            return dict(self.traced.inputs)
        return arrays.inputs(self.args)

    def tell_inputs(self, program: Program) -> None:
        """Note which inputs --in-dir has given, and which have nothing to begin with."""
        from nasm.apps.cli import arrays

        if self.args.in_dir is not None:
            given = {name for name, _ in self.args.inputs}
            self.notes += arrays.taken(program, self.args.in_dir, given)

    def load(self) -> tuple[Execution, dict[str, Tensor]]:
        """The program on a machine, and where its results go; raises Failure."""
        from nasm.apps.cli import files

        args = self.args
        session = self.session(values=args.values)
        self.tell_inputs(session.program)
        outputs = [(name, results.spelled(path)) for name, path in args.outputs]
        wanted = files.destinations(session.program, outputs, args.out_dir)
        if args.out_dir is not None:
            results.make_folder(args.out_dir)
        self.check(wanted)
        self.emit()
        return session, wanted

    def emit(self) -> None:
        """Write the text that a kernel becomes, if it is asked for; raises Failure."""
        from nasm.apps.cli import programs

        if self.args.emit is not None and self.traced is not None:
            path = results.spelled(self.args.emit)
            beside = programs.emit(self.traced, dict(self.args.inputs), path)
            written = beside if self.args.emit == "-" else (path, *beside)
            self.notes += [f"wrote {in_line(name)}" for name in written]

    def check(self, wanted: dict[str, Tensor]) -> None:
        """Refuse before the run what could not be written after it."""
        args = self.args
        paths = [(tensor.name, path) for path, tensor in wanted.items()]
        others = [("it is the program", file_of(args.program))]
        if args.timing is not None:
            others.append(("the timing is read from it", args.timing))
        traces = [("the trace", self.trace)] if self.trace else []
        if args.emit is not None:
            traces.append(("the text", results.spelled(args.emit)))
        paths += traces
        traces += pages.paths(args)
        paths += pages.paths(args)
        if self.log:
            paths.append((sarif.WHAT, self.log))
        problems = results.clashes(paths, others, args.json)
        # An output may replace an input, which was read; a trace is none.
        read = [(f"the input {name} is read from it", path) for name, path in args.inputs]
        problems = problems or results.clashes(traces, read, False)
        found = [results.unwritable(path) for _, path in paths]
        found += [results.seen(f"the array {tensor.name}", p) for p, tensor in wanted.items()]
        problems += [problem for problem in found if problem is not None]
        if problems:
            raise Failure(problems)
        mine = results.of_stream(sys.stdout)
        if mine is not None and mine in (results.identity(path) for _, path in paths):
            self.screen.aside()

    def run(self, session: Execution) -> RunReport:
        """Run it; a signal stops it between two events."""

        def stop() -> None:
            if session.status in (Status.READY, Status.RUNNING):
                session.halt()
            else:  # its expectations are being judged
                heard.strike()

        with signals.on_stop(stop) as heard:
            report = session.run(
                max_cycles=self.args.max_cycles,
                max_instructions=self.most,
                progress=self.screen.progress,
                hashes=self.hashes,
            )
        if heard.asked is not None:
            raise heard.asked
        self.judged = True
        return report

    @property
    def most(self) -> int | None:
        """How many instructions it may complete: fewer by default if all of them are recorded."""
        most: int | None = self.args.max_instructions
        return MOST_PROFILED if most == MOST_INSTRUCTIONS and pages.wanted(self.args) else most

    # -- what is written

    def begin_log(self) -> None:
        """Where --sarif goes, before a program is read that may not be one; raises Failure."""
        args = self.args
        if args.sarif is None:
            return
        read = [path for _, path in args.inputs] + ([args.timing] if args.timing else [])
        self.log = sarif.destination(args.sarif, [args.program], read, args.json)
        if sarif.takes_output(self.log):
            self.screen.aside()

    def write_log(self, found: ProgramProblems) -> bool:
        """Write what --sarif asks for, once; False if it cannot be written."""
        path = self.log
        if not path:
            return True
        try:
            sarif.write(path, [found])
        except Failure as failure:
            self.log = ""
            self.unwritten += failure.problems
            return False
        self.log = ""
        count = counted(len(found.problems) + len(found.allowed), "result")
        self.notes.append(f"wrote {count} to {in_line(path)}")
        return True

    def cut_log(self) -> None:
        """Write an incomplete log if the work ended before there was one."""
        self.write_log(ProgramProblems(self.args.program, (), whole=False))

    def store(self, session: Execution, status: Status, wanted: dict[str, Tensor]) -> None:
        """Write outputs and trace; one that cannot be written is no reason not to write others."""
        from nasm.apps.cli import files

        if status is Status.FINISHED:
            for found in files.store(session, wanted):
                if isinstance(found, Problem):
                    self.unwritten.append(found)
                else:
                    self.written.append(found)
        elif wanted:
            self.notes.append("no outputs are written: the program did not run to its end")
        try:
            if self.tracing is not None:
                slices = self.tracing.keep()
                self.notes.append(f"wrote {slices:,} slices to {in_line(self.trace)}")
        except Failure as failure:
            self.unwritten += failure.problems
        if self.drawn_at_once and pages.wanted(self.args):
            self.draw_pages(session, session.profile())

    def draw_pages(self, session: Execution, profile: Profile) -> None:
        """Write the page of the run, and its picture, if they are wanted."""
        if not pages.wanted(self.args):
            return
        notes, problems = pages.write(self.args, [("", session.results, profile)])
        self.notes += notes
        self.unwritten += problems

    # -- messages

    def tell(
        self, session: Execution, report: RunReport, code: int, more: Sequence[Problem] = ()
    ) -> int:
        """Write the log and print the report; returns the exit code."""
        from nasm.show import tables

        self.telling = True
        whole = code in (OK, BROKEN, REFUSED)  # others say that the run was cut short
        logged = self.write_log(of_run(report, (*more, *self.unwritten), whole))
        if whole and not logged:
            code = REFUSED
        screen = self.screen
        if self.unwritten:
            screen.problems(self.unwritten)
        if self.args.json:
            from nasm.show.documents import plain
            from nasm.show.json_diff import OTHERS

            content = jsonable.report(report)
            content["problems"] += jsonable.problems((*more, *self.unwritten))
            content |= plain(self.others(), OTHERS) | self.content()
            written = jsonable.outputs(self.written)
            return int(self.args.answer.give(code, **content, outputs=written))
        shown: dict[str, Any] = {
            "more": more,
            "unwritten": bool(self.unwritten),
            "width": screen.width,
            "ascii_only": screen.ascii_only,
        }
        if self.args.quiet:
            if code:
                screen.show(*tables.failures(report, **shown))
            return code
        notes = [*self.notes, *map(_wrote, self.written)]
        self.show(report, notes, shown)
        return code

    def show(self, report: RunReport, notes: Sequence[str], shown: dict[str, Any]) -> None:
        """Print the report."""
        from nasm.show import tables

        self.screen.show(*tables.run_report(report, notes=notes, **shown))

    def content(self) -> dict[str, Any]:
        """What its document has in addition."""
        return {}

    @property
    def files_written(self) -> list[str]:
        """The files that hold results by now."""
        return [item.file for item in self.written]

    def others(self) -> Others:
        """What is known of other runs of the program."""
        from nasm.show.json_diff import Others

        return Others()

    def refused(self, problems: tuple[Problem, ...]) -> int:
        """The program cannot be run."""
        self.write_log(ProgramProblems(self.args.program, problems))
        problems = (*problems, *self.unwritten)
        code = BROKEN if {p.code for p in problems} == {RAISED} else REFUSED
        if self.args.json:
            self.args.answer.cut(code, "refused", problems)
            return code
        self.screen.problems(problems)
        errors = counted(sum(p.severity is Severity.ERROR for p in problems), "error")
        self.screen.note(f"\n{errors}" + "; the program was not run" * (not self.judged))
        return code

    def stopped(self, session: Execution, stop: StopSignal) -> int:
        """Report how far an interrupted run has got."""
        if self.telling:  # a report is being printed, and one is enough
            raise stop
        self.screen.clear()
        over = session.over
        if not self.whole:  # otherwise its run ended as it did, and that is reported
            session.status = Status.TIMEOUT if stop.late else Status.INTERRUPTED
        more = [self.late(session, over)] if stop.late else []
        if stop.late and not over:
            self.store(session, session.status, {})
        report = session.report(hashes=False)
        code = self.tell(session, report, stop.code, more)
        if not self.args.json and not stop.late:
            self.where(session, stop, over)
        return code

    def late(self, session: Execution, over: bool) -> Problem:
        """What --timeout has cut off."""
        from nasm.analysis import summary

        if over:
            undone = "its results were written" if self.judged else "its expectations were judged"
            if self.whole:
                undone = self.undone
            message = f"the time of --timeout ({self.args.timeout:g} s) was up before {undone}"
            return Problem("E0516", message, None, "allow more with --timeout")
        span, where = summary.standing(session.machine)
        return Problem(
            "E0516",
            f"still running after {self.args.timeout:g} s: {where}",
            span,
            "allow more with --timeout, or look for a loop that does not end",
        )

    def where(self, session: Execution, stop: StopSignal, over: bool) -> None:
        """Where it was interrupted, on standard error."""
        far = session.progress(0.0)
        at = "after its end" if over else f"at {far.microseconds:,.3f} µs"
        files = ", ".join(map(in_line, self.files_written)) or "nothing"
        done = counted(far.instructions, "instruction")
        self.screen.note(f"{stop} after {done}, {at}; {files} was written")
        for queue in session.queues():
            if queue.state in ("running", "waiting") and queue.text:
                where = f" ({queue.span})" if queue.span else ""
                held = f", waits for {queue.wait}" if queue.wait else ""
                name = session.name(queue)
                self.screen.note(f"  {name} pc {queue.pc}: {queue.text}{where}{held}")


def file_of(program: str) -> str:
    """The file that a program is read from."""
    return "/dev/stdin" if program == "-" else program_names.file_of(program)


def _wrote(item: WrittenArray) -> str:
    kept, stored = item.dtype, item.stored_as
    dtype = kept if stored == kept else f"{kept} as {stored}"
    return f"wrote {item.tensor} to {in_line(item.file)} ({dtype}{item.shape})"


def exit_code(report: RunReport, unwritten: Sequence[Problem] = ()) -> int:
    """1 for a promise that does not hold; 2 if what was asked for could not be judged or done."""
    if unwritten:
        return REFUSED
    if report.status is not Status.FINISHED or report.hazards or report.against:
        return BROKEN
    if not all(e.held for e in report.expectations):
        return BROKEN
    return REFUSED if report.problems else OK
