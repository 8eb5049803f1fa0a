"""Many runs over a pool: each once, however workers fare."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager

from nasm.base.problems import Failure
from nasm.sweeps.job import RunJob
from nasm.sweeps.journal import Journal
from nasm.sweeps.pools import WorkerPool, other
from nasm.sweeps.row import DIED, SweepRow
from nasm.sweeps.work import OtherVersion, version

AHEAD = 2
"""Runs for each worker that are begun or wait to be."""

Made = tuple[RunJob, SweepRow, bool]
"""A run, what became of it, and whether it was made now."""

TRIES = 3
"""So often a run may lose the worker that makes it alone."""


def rows(jobs: Iterable[RunJob], pool: WorkerPool, journal: Journal) -> Iterator[Made]:
    """The row of each run, as they come; raises Failure for a worker of another version.

    Runs that the journal has are not made. If a worker dies, all runs that were being made are made
    again, one at a time, and one that loses its worker each time is a row of status DIED.
    """
    left = iter(jobs)
    return _Runs(left, pool, journal).rows()


class _Runs:
    """Runs that are being made; ``alone`` are those of which one may have ended its worker."""

    def __init__(self, left: Iterator[RunJob], pool: WorkerPool, journal: Journal) -> None:
        self.left, self.pool, self.journal = left, pool, journal
        self.flight: dict[Future[SweepRow], RunJob] = {}
        self.alone: deque[tuple[RunJob, int]] = deque()
        self.tries = 0

    def rows(self) -> Iterator[Made]:
        """All of them."""
        while True:
            yield from self._begin()
            if not self.flight:
                return
            done, _ = wait(self.flight, return_when=FIRST_COMPLETED)
            broken: list[RunJob] = []
            for future in [future for future in self.flight if future in done]:
                job = self.flight.pop(future)
                try:
                    row = future.result()
                except OtherVersion as error:
                    raise Failure(other(error)) from None
                except BrokenExecutor:
                    broken.append(job)
                    continue
                yield self._kept(job, row)
            if broken:
                yield from self._after(broken)

    def _begin(self) -> Iterator[Made]:
        """Begin as many as there is room for; those that the journal has are done."""
        if self.alone:
            if not self.flight:
                job, self.tries = self.alone.popleft()
                self._submit(job)
            return
        self.tries = 0
        while len(self.flight) < AHEAD * self.pool.width:
            following = next(self.left, None)
            if following is None:
                return
            known = self.journal.find(following.key, version())
            if known is not None:
                yield following, known, False
            else:
                self._submit(following)

    def _submit(self, job: RunJob) -> None:
        try:
            future = self.pool.submit(job)
        except BrokenExecutor as error:  # a worker died since
            future = Future()
            future.set_exception(error)
        self.flight[future] = job

    def _kept(self, job: RunJob, row: SweepRow) -> Made:
        self.journal.add(row, version())
        return job, row, True

    def _after(self, broken: list[RunJob]) -> Iterator[Made]:
        """A worker has died: with it all that was being run, or what this run alone did."""
        for future in list(self.flight):
            job = self.flight.pop(future)
            if future.cancelled() or not future.done() or future.exception() is not None:
                broken.append(job)
            else:
                yield self._kept(job, future.result())
        renewed = self.pool.renew()
        if renewed and len(broken) == 1 and self.tries + 1 < TRIES:
            self.alone.appendleft((broken[0], self.tries + 1))
        elif renewed and len(broken) > 1:
            self.alone.extend((job, 0) for job in broken)
        else:
            for job in broken:
                reason = "the process that made it ended before it did"
                row = SweepRow(point=job.point, key=job.key, status=DIED, ok=False, reason=reason)
                yield job, row, True


@contextmanager
def closing(pool: WorkerPool) -> Iterator[WorkerPool]:
    """A pool that is closed at the end, and at once if something is wrong."""
    try:
        yield pool
    except BaseException:
        pool.close(now=True)
        raise
    pool.close(now=False)
