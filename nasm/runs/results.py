"""The results of a run, and those of other runs of its program: nothing moves here.

What it returns are the frozen records of :mod:`nasm.machine.records` and
:mod:`nasm.analysis.profile.records`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nasm.analysis import summary
from nasm.analysis.hazards.endless_loops import Endless
from nasm.base.problems import Failure, Problem, ProblemFamily, Refused, family
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


class Results(Inspection):
    """A program on a machine, and the results of its run so far.

    ``problems`` are why it did not end well, ``_limit`` why it has not ended. For a profile
    something must have watched it; ``_reruns`` says whether its inputs are kept for other runs.
    """

    problems: list[Problem]
    _limit: Problem | None
    _watched_by: WatchedMachine | None
    _reruns: bool

    def report(self, hashes: bool = True) -> RunReport:
        """The run so far; expectations are judged only if it finished."""
        machine = self.machine
        engines = summary.engine_records(machine)
        judged: tuple[ExpectationRecord, ...] = ()
        not_judged = 0
        problems = [*self._wrong()]
        if self.status is Status.FINISHED:
            try:
                judged = self.expectations()
                not_judged = len(self.program.expectations) - len(judged)
            except Failure as failure:
                problems += failure.problems
        found, generation = self.judged(), self.program.generation
        return RunReport(
            status=self.status,
            program=self.title,
            target=generation.spellings[0],
            generation=generation.summary,
            options=tuple(self.program.chosen.items()),
            timing=self.program.figures_set,
            ticks=self.now,
            microseconds=machine.microseconds(self.now),
            units=self.units,
            entry_and_exit=generation.entry_and_exit,
            engines=engines,
            evidence=summary.busy_evidence(engines),
            channel_bytes=sum(c.bytes for c in summary.channel_records(machine)),
            hazards=found.errors,
            problems=tuple(problems),
            warnings=(*found.warnings, *self.unused()),
            allowed=found.allowed,
            semaphores=self.semaphores(),
            expectations=judged,
            trace_hash=machine.summary.digest() if hashes else "",
            memory_hash=summary.memory_hash(machine) if hashes and machine.values else "",
            messages=self.messages,
            messages_left_out=machine.summary.left_out,
            values=machine.values,
            checked=machine.checked,
            not_judged=not_judged,
        )

    def _wrong(self) -> tuple[Problem, ...]:
        """All that kept the run from its end."""
        return (*self.problems, *([self._limit] if self._limit else []))

    # -- its time

    def profile(self, *, outcomes: Iterable[WhatIf] = (), slack: bool = False) -> Profile:
        """Where the time of the run went so far; raises Failure if it was not watched for that.

        ``outcomes`` are those of :meth:`what_if`, to be part of it; with ``slack`` there are lines
        that are not on the critical path, too, each with its slack.
        """
        from nasm.analysis.profile.what_if import ranked

        watched = self._profiled()
        name = self.title
        found = watched.profile(self.status, name, self._wrong(), ranked(outcomes), slack)
        return self._counting(found)

    def _counting(self, profile: Profile) -> Profile:
        """A profile with the findings that count as they do, and apart those that are allowed."""
        kept: list[Finding] = []
        allowed: list[AllowedProblem] = []
        for finding in profile.findings:
            judged = self.policy.judged((finding.problem,))
            allowed += judged.allowed
            kept += [
                replace(finding, problem=problem) for problem in (*judged.errors, *judged.warnings)
            ]
        slow = [finding.problem for finding in profile.findings]
        unused = self.policy.unused(slow, lambda code: family(code) is ProblemFamily.SLOW)
        over = self.status is Status.FINISHED
        return replace(
            profile, findings=tuple(kept), allowed=tuple(allowed), unused=unused if over else ()
        )

    def timeline(self, width: int, begin: str = "", end: str = "") -> Timeline:
        """What queues, shared units and rings did, in so many cells, from ``begin`` to ``end``.

        Either is a time ("2.5us"), the number of a line, or a label, and may be left out.
        """
        from nasm.analysis.profile.timeline import timeline

        try:
            watched = self._profiled()
            tasks = watched.recording.tasks
            return timeline(self.machine, watched.history, tasks, width, begin, end)
        except Refused as refused:
            raise Failure(refused.at(None)) from None

    def _profiled(self) -> WatchedMachine:
        if self._watched_by is None:
            hint = "make it with Session(…, profile=True), or nasm.run(…, profile=True)"
            raise Failure(Problem("E0815", "the session keeps no profile", None, hint))
        return self._watched_by

    # -- the program again

    def _load(self, machine: Machine) -> dict[str, Any]:
        """Fill the tensors of a machine; returns the inputs, as :func:`tensor_io.load`."""
        return tensor_io.load(self.program, machine.addresses, self.inputs, self.files)

    def _changed(self, changes: Changes, delays: Delays | None = None) -> Machine:
        """A machine with changes, that is ready to run the program on the same inputs."""
        machine = Machine(
            self.program, values=self.values, changes=changes, delays=delays, checked=False
        )
        Endless.watch(machine)
        if self.values:
            self._load(machine)
        return machine

    def what_if(self) -> Iterator[WhatIf]:
        """Run the program again, each time without something that may have cost it time.

        With each queue in any order, with only the waits that are needed, and with second buffers
        for tiles, too. There are none unless the run has finished.
        """
        from nasm.analysis.profile.fewer_waits import FewerWaits
        from nasm.analysis.profile.path import critical_path
        from nasm.analysis.profile.what_if import in_any_order, without

        watched = self._profiled()
        if self.status is Status.FINISHED:
            yield from without(self.machine, watched.history, self._changed)
            run = self.machine, watched.history, watched.recording
            yield from in_any_order(*run)
            yield from FewerWaits(*run, critical_path(watched.history)).outcomes()

    def delayed(self, delays: Delays) -> Machine:
        """A machine with other timings, that is ready to run the program on the same inputs.

        Raises Failure if these were not kept, or the run has not ended by itself: then there is
        nothing to compare another one with.
        """
        if not self._reruns:
            hint = "make it with Session(…, reruns=True)"
            raise Failure(Problem("E0835", "the session keeps no inputs to run again", None, hint))
        if self.status not in (Status.FINISHED, Status.DEADLOCK):
            said = f"there is no end of a run to compare others with: {self.status.value}"
            raise Failure(Problem("E0836", said, None, "let it run to its end first"))
        if self.values:
            memory_needs.check(self.program, self.inputs)
        machine = self._changed(UNCHANGED, delays)
        machine.prepare()
        return machine
