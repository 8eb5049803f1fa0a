"""The results of a run, and those of other runs of its program: nothing moves here.

What it returns are the frozen records of :mod:`nasm.machine.records` and
:mod:`nasm.analysis.profile.records`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from nasm.analysis import operations, summary
from nasm.analysis.hazards.endless_loops import Endless
from nasm.base.problems import Failure, Problem, ProblemFamily, Refused, family
from nasm.base.records import replace
from nasm.base.suppressions import AllowedProblem
from nasm.language.expectations.records import ExpectationRecord
from nasm.machine import Machine, memory_needs, tensor_io
from nasm.machine.changes import UNCHANGED, Changes
from nasm.machine.records import RunReport, Status
from nasm.runs.inspection import Inspection
from nasm.sim.delays import Delays

if TYPE_CHECKING:  # most runs are not profiled
    from nasm.analysis.profile.profile import WatchedMachine
    from nasm.analysis.profile.records import Finding, Profile
    from nasm.analysis.profile.timeline import Timeline
    from nasm.analysis.profile.what_if import WhatIf


class Results:
    """The results of a run so far, and those of other runs of its program.

    For a profile something must have ``watched`` the run; ``reruns`` says whether its inputs are
    kept for other runs.
    """

    def __init__(self, run: Inspection, watched: WatchedMachine | None, reruns: bool) -> None:
        self.run, self.watched, self.reruns = run, watched, reruns

    def report(self, hashes: bool = True, changes: tuple[str, ...] = ()) -> RunReport:
        """The run so far, with ``changes`` by hand; expectations are judged if it finished."""
        machine = self.run.machine
        engines = summary.engine_records(machine)
        judged: tuple[ExpectationRecord, ...] = ()
        not_judged = 0
        problems = [*self._wrong()]
        if self.run.status is Status.FINISHED:
            try:
                judged = self.run.expectations()
                not_judged = len(self.run.program.expectations) - len(judged)
            except Failure as failure:
                problems += failure.problems
        found, generation = self.run.judged(), self.run.program.generation
        return RunReport(
            status=self.run.status,
            program=self.run.title,
            target=generation.spellings[0],
            generation=generation.summary,
            options=tuple(self.run.program.chosen.items()),
            timing=self.run.program.figures_set,
            ticks=self.run.now,
            microseconds=machine.microseconds(self.run.now),
            units=self.run.units,
            entry_and_exit=generation.entry_and_exit,
            engines=engines,
            evidence=summary.busy_evidence(engines),
            channel_bytes=sum(c.bytes for c in summary.channel_records(machine)),
            hazards=found.errors,
            problems=tuple(problems),
            warnings=(*found.warnings, *self.run.unused()),
            allowed=found.allowed,
            semaphores=self.run.semaphores(),
            expectations=judged,
            trace_hash=machine.summary.digest() if hashes else "",
            memory_hash=summary.memory_hash(machine) if hashes and machine.values else "",
            messages=self.run.messages,
            messages_left_out=machine.summary.left_out,
            values=machine.values,
            checked=machine.checked,
            not_judged=not_judged,
            changes=changes,
            spilled=self.run.program.spilled,
            overlap=self.run.program.overlap,
            mfu=operations.mfu(machine),
        )

    def _wrong(self) -> tuple[Problem, ...]:
        """All that kept the run from its end."""
        return (*self.run.problems, *([self.run.limit] if self.run.limit else []))

    # -- its time

    def profile(self, *, outcomes: Iterable[WhatIf] = (), slack: bool = False) -> Profile:
        """Where the time of the run went so far; raises Failure if it was not watched for that.

        ``outcomes`` are those of :meth:`what_if`, to be part of it; with ``slack`` there are lines
        that are not on the critical path, too, each with its slack.
        """
        from nasm.analysis.profile.what_if import ranked

        watched = self.profiled()
        name = self.run.title
        found = watched.profile(self.run.status, name, self._wrong(), ranked(outcomes), slack)
        return self._counting(found)

    def _counting(self, profile: Profile) -> Profile:
        """A profile with the findings that count as they do, and apart those that are allowed."""
        kept: list[Finding] = []
        allowed: list[AllowedProblem] = []
        for finding in profile.findings:
            judged = self.run.policy.judged((finding.problem,))
            allowed += judged.allowed
            kept += [
                replace(finding, problem=problem) for problem in (*judged.errors, *judged.warnings)
            ]
        slow = [finding.problem for finding in profile.findings]
        unused = self.run.policy.unused(slow, lambda code: family(code) is ProblemFamily.SLOW)
        over = self.run.status is Status.FINISHED
        return replace(
            profile, findings=tuple(kept), allowed=tuple(allowed), unused=unused if over else ()
        )

    def timeline(self, width: int, begin: str = "", end: str = "") -> Timeline:
        """What queues, shared units and rings did, in so many cells, from ``begin`` to ``end``.

        Either is a time ("2.5us"), the number of a line, or a label, and may be left out.
        """
        from nasm.analysis.profile.timeline import timeline

        try:
            watched = self.profiled()
            tasks = watched.recording.tasks
            return timeline(self.run.machine, watched.history, tasks, width, begin, end)
        except Refused as refused:
            raise Failure(refused.at(None)) from None

    def profiled(self) -> WatchedMachine:
        """What watched the run; raises Failure if it was not watched."""
        if self.watched is None:
            hint = "make it with Session(…, profile=True), or nasm.run(…, profile=True)"
            raise Failure(Problem("E0815", "the session keeps no profile", None, hint))
        return self.watched

    # -- the program again

    def load(self, machine: Machine) -> dict[str, Any]:
        """Fill the tensors of a machine; returns the inputs, as :func:`tensor_io.load`."""
        return tensor_io.load(self.run.program, machine.addresses, self.run.inputs, self.run.files)

    def changed(self, changes: Changes, delays: Delays | None = None) -> Machine:
        """A machine with changes, that is ready to run the program on the same inputs."""
        machine = Machine(
            self.run.program, values=self.run.values, changes=changes, delays=delays, checked=False
        )
        Endless.watch(machine)
        if self.run.values:
            self.load(machine)
        return machine

    def what_if(self) -> Iterator[WhatIf]:
        """Run the program again, each time without something that may have cost it time.

        With each queue in any order, with only the waits that are needed, and with second buffers
        for tiles, too. There are none unless the run has finished, and none after changes by hand:
        another machine would run the program without them.
        """
        if self.run.changes_made:
            return
        from nasm.analysis.profile.fewer_waits import FewerWaits
        from nasm.analysis.profile.path import critical_path
        from nasm.analysis.profile.what_if import in_any_order, without

        watched = self.profiled()
        if self.run.status is Status.FINISHED:
            yield from without(self.run.machine, watched.history, self.changed)
            run = self.run.machine, watched.history, watched.recording
            yield from in_any_order(*run)
            yield from FewerWaits(*run, critical_path(watched.history)).outcomes()

    def delayed(self, delays: Delays) -> Machine:
        """A machine with other timings, that is ready to run the program on the same inputs.

        Raises Failure if these were not kept, if the run was changed by hand, or if it has not
        ended by itself: then there is nothing to compare another one with.
        """
        if self.run.changes_made:
            message = "the run was changed by hand, which other runs of the program would not be"
            raise Failure(Problem("E0836", message, None, "'restart' takes back what was changed"))
        if not self.reruns:
            hint = "make it with Session(…, reruns=True)"
            raise Failure(Problem("E0835", "the session keeps no inputs to run again", None, hint))
        if self.run.status not in (Status.FINISHED, Status.DEADLOCK):
            message = f"there is no end of a run to compare others with: {self.run.status.value}"
            raise Failure(Problem("E0836", message, None, "let it run to its end first"))
        if self.run.values:
            memory_needs.check(self.run.program, self.run.inputs)
        machine = self.changed(UNCHANGED, delays)
        machine.prepare()
        return machine
