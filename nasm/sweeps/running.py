"""Much work over a pool: each piece once, however workers fare."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from typing import Generic, TypeVar

from nasm.base.problems import Failure
from nasm.sweeps import work
from nasm.sweeps.job import RunJob
from nasm.sweeps.journal import Journal
from nasm.sweeps.row import DIED, SweepRow
from nasm.workers.pools import WorkerPool, other
from nasm.workers.version import OtherVersion, version

J = TypeVar("J")
R = TypeVar("R")

AHEAD = 2
"""Jobs for each worker that are begun or wait to be."""

TRIES = 3
"""So often a job may lose the worker that does it alone."""

ENDED = "the process that made it ended before it did"


def rows(
    jobs: Iterable[RunJob], pool: WorkerPool, journal: Journal
) -> Iterator[tuple[RunJob, SweepRow, bool]]:
    """The row of each run, as they come, and whether it was made now.

    Runs that the journal has are not made. Raises Failure for a worker of another version.
    """

    def died(job: RunJob) -> SweepRow:
        return SweepRow(point=job.point, key=job.key, status=DIED, ok=False, reason=ENDED)

    return Pieces(
        jobs,
        pool,
        work.done,
        died,
        known=lambda job: journal.find(job.key, version()),
        keep=lambda row: journal.add(row, version()),
    ).each()


class Pieces(Generic[J, R]):
    """Jobs that are being done; ``alone`` are those of which one may have ended its worker.

    ``do`` is called with a job and the version of nasm in a worker, ``died`` says what became of a
    job that lost its worker each time; ``known`` are results that there are already, and ``keep``
    gets the others. If a worker dies, all jobs that were being done are done again, one at a time.
    """

    def __init__(
        self,
        jobs: Iterable[J],
        pool: WorkerPool,
        do: Callable[[J, str], R],
        died: Callable[[J], R],
        known: Callable[[J], R | None] = lambda job: None,
        keep: Callable[[R], None] = lambda result: None,
    ) -> None:
        self.left, self.pool, self.do, self.died = iter(jobs), pool, do, died
        self.known, self.keep = known, keep
        self.flight: dict[Future[R], J] = {}
        self.alone: deque[tuple[J, int]] = deque()
        self.tries = 0

    def each(self) -> Iterator[tuple[J, R, bool]]:
        """Each job with its result, as they come, and whether it was done now.

        Raises Failure for a worker of another version.
        """
        while True:
            yield from self._begin()
            if not self.flight:
                return
            done, _ = wait(self.flight, return_when=FIRST_COMPLETED)
            broken: list[J] = []
            for future in [future for future in self.flight if future in done]:
                job = self.flight.pop(future)
                try:
                    result = future.result()
                except OtherVersion as error:
                    raise Failure(other(error)) from None
                except BrokenExecutor:
                    broken.append(job)
                    continue
                yield self._kept(job, result)
            if broken:
                yield from self._after(broken)

    def _begin(self) -> Iterator[tuple[J, R, bool]]:
        """Begin as many as there is room for; those that are known are done."""
        if self.alone:
            if not self.flight:
                job, self.tries = self.alone.popleft()
                self._submit(job)
            return
        self.tries = 0
        while len(self.flight) < AHEAD * self.pool.width:
            try:
                following = next(self.left)
            except StopIteration:
                return
            known = self.known(following)
            if known is not None:
                yield following, known, False
            else:
                self._submit(following)

    def _submit(self, job: J) -> None:
        try:
            future = self.pool.submit(self.do, job)
        except BrokenExecutor as error:  # a worker died since
            future = Future()
            future.set_exception(error)
        self.flight[future] = job

    def _kept(self, job: J, result: R) -> tuple[J, R, bool]:
        self.keep(result)
        return job, result, True

    def _after(self, broken: list[J]) -> Iterator[tuple[J, R, bool]]:
        """A worker has died: with it all that was being done, or what this job alone did."""
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
                yield job, self.died(job), True


@contextmanager
def closing(pool: WorkerPool) -> Iterator[WorkerPool]:
    """A pool that is closed at the end, and at once if something is wrong."""
    try:
        yield pool
    except BaseException:
        pool.close(now=True)
        raise
    pool.close(now=False)
