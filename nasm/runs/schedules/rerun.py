"""A session's program on a machine with other timings, again and again, compared each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nasm.analysis import summary
from nasm.analysis.deadlock.report import deadlock
from nasm.base.problems import Failure, Problem
from nasm.machine.records import Status
from nasm.runs.diff.records import TensorChange
from nasm.runs.diff.tensors import compared
from nasm.runs.execution import Execution
from nasm.runs.schedules.records import Other, SemaphoreChange
from nasm.sim.delays import Delays
from nasm.views.tensor import Tensor

CHUNK = 10_000
"""Events between two looks at what a run has done."""

MORE, AT_LEAST = 16, 10_000
"""Times the instructions of the plain run that another may complete, and how many it always may:
one that polls for what is late may take many more."""


class Again:
    """A machine that runs what a session has run; what a caller does to the session is not seen.

    Raises Failure for a session that cannot be run again: see :meth:`Execution.delayed`.
    """

    def __init__(self, session: Execution, delays: Delays) -> None:
        self.session, self.machine = session, session.delayed(delays)
        self.most = MORE * session.machine.scheduler.retired + AT_LEAST
        self._start = self.machine.save()
        tensors = session.program.tensors.values() if session.values else ()
        outputs = [t for t in tensors if t.role in ("output", "inout")]
        self.outputs: tuple[Tensor, ...] = tuple(outputs)
        self.tensors = (*outputs, *(t for t in tensors if t not in outputs))

    def begin(self) -> None:
        """Return to the start, with the inputs that were loaded then."""
        self.machine.restore(self._start)

    def run(self, tensors: Iterable[Tensor]) -> Other:
        """Run to the end; the tensors that differ are reported."""
        expected = self.session.status
        status, problem = self._run()
        if status is not expected:
            return Other(status, expected, problem=problem)
        changes = tuple(self._changes(tensors))
        return Other(status, expected, changes, tuple(self._counters()), problem)

    def _run(self) -> tuple[Status, Problem | None]:
        """How it ends, and why it does not finish if it does not."""
        scheduler = self.machine.scheduler
        try:
            while not scheduler.idle and scheduler.retired < self.most:
                self.machine.run(CHUNK, retire=self.most)
        except Failure as failure:
            return Status.FAULT, failure.problems[0]
        if not scheduler.idle:
            return Status.LIMIT, summary.limit(self.machine, self.most)
        if scheduler.blocked():
            return Status.DEADLOCK, deadlock(self.machine)[0]
        return Status.FINISHED, None

    def _changes(self, tensors: Iterable[Tensor]) -> Iterator[TensorChange]:
        plain, here = self.session.machine.addresses, self.machine.addresses
        for tensor in tensors:
            change = compared(plain, tensor, here, tensor)
            if not change.equal:
                yield change

    def _counters(self) -> Iterator[SemaphoreChange]:
        pairs = (summary.semaphore_records(m) for m in (self.session.machine, self.machine))
        for mine, other in zip(*pairs, strict=True):
            if mine.value != other.value:
                yield SemaphoreChange(mine.name, mine.value, other.value)
