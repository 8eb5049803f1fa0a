"""A program under other timings: all latencies, dispatches and hand-offs drawn at random."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.runs.execution import HasExecution
from nasm.runs.schedules.records import Schedule, Schedules
from nasm.runs.schedules.rerun import Again
from nasm.sim.delays import Jitter


def schedules(session: HasExecution, count: int = 200, seed: int = 1) -> Schedules:
    """Run what a session has run under so many other timings, and compare what they lead to.

    The session was made with ``reruns=True`` and has run to its end, or into a deadlock; raises
    Failure if it has not. The first timing is drawn from ``seed``, the next from the number after
    it, and so on: the same number has the same run on every computer.
    """
    others = tuple(s for s in each(session, count, seed) if not s.run.same)
    return Schedules(seed, count, others)


def each(session: HasExecution, count: int, seed: int) -> Iterator[Schedule]:
    """The same one by one, those that lead to the same included."""
    run = session.execution
    jitter = Jitter(span=2 * run.now)
    again = Again(run, jitter)
    for number in range(seed, seed + count):
        again.begin()
        jitter.seed(number)
        other = again.run(again.outputs)
        yield Schedule(number, again.machine.microseconds(again.machine.scheduler.now), other)
