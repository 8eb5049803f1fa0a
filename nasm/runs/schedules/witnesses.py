"""Witnesses: a race shown by a run in which one event is delayed.

Two accesses race if neither is over before the other begins in every execution. So there is one in
which the end of the first comes after all of the second: hold that end back until nothing else can
happen, and look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from nasm.base.problems import Failure, Problem, counted
from nasm.base.records import replace
from nasm.machine.records import Status
from nasm.order.skeleton import LANDS, Event
from nasm.runs.execution import Execution, HasExecution
from nasm.runs.schedules.delay import Choose, DelayOne
from nasm.runs.schedules.records import DelayedEvent, Other, Witness
from nasm.runs.schedules.rerun import Again
from nasm.sim.channels import Flight
from nasm.views.regions import Region, intersect


def witness(
    session: HasExecution, *events: Event, regions: Iterable[Region] | None = None
) -> Witness:
    """Delay each of some events in turn, until one changes the results of the run.

    Of a race they are the ends of its two accesses, and ``regions`` what these touch: of a transfer
    the shares are meant that move some bytes of each. An event is named by its kind, its queue,
    and the number of its instruction among those that the queue executed. All tensors are compared,
    outputs first. The session was made with ``reruns=True`` and has run to its end, or into a
    deadlock; raises Failure if it has not, or if there was no such event.
    """
    bytes_ = None if regions is None else tuple(regions)
    return Witnesses(session.execution).of((event, bytes_) for event in events)


class Witnesses:
    """Shows one race after the other, on one machine."""

    def __init__(self, session: Execution) -> None:
        self.session, self.hold = session, DelayOne()
        self.again = Again(session, self.hold)

    def of(self, events: Iterable[tuple[Event, Sequence[Region] | None]]) -> Witness:
        """See :func:`witness`; each event comes with the regions of its race."""
        found: Witness | None = None
        attempts = (attempt for event in events for attempt in _attempts(*event))
        for tried, (event, choose) in enumerate(attempts, 1):
            found = Witness(*self._delayed_run(event, choose), tried)
            if found.shows:
                break
        if found is None:
            raise ValueError("a witness needs an event to delay")
        return found

    def _delayed_run(self, event: Event, choose: Choose | None) -> tuple[DelayedEvent, Other]:
        """A run with one event delayed."""
        hold, again, program = self.hold, self.again, self.session.program
        again.begin()
        hold.hold(event, choose)
        run = again.run(again.tensors)
        if run.status is Status.LIMIT and hold.pc >= 0:  # others poll, and that has no end
            half = again.machine.scheduler.now // 2
            again.begin()
            hold.hold(event, choose, half)
            run = again.run(again.tensors)
        if hold.pc < 0:
            raise Failure(self._missing(event))
        queue, pc = event.queue, hold.pc
        name, text = program.queue_name(queue), program.instruction(queue, pc).row.name
        held = DelayedEvent(event, name, pc, program.span(queue, pc), text, hold.shares)
        return held, _untimed(run)

    def _missing(self, event: Event) -> Problem:
        """What to say of an event that there was none of."""
        queues = self.session.machine.scheduler.queues
        if not 0 <= event.queue < len(queues):
            return Problem("E0837", f"there is no queue {event.queue} of {len(queues)}")
        queue = queues[event.queue]
        name = self.session.program.queue_name(event.queue)
        if not 0 <= event.index < queue.count:
            did = f"{name} executed {counted(queue.count, 'instruction')}"
            return Problem("E0837", f"{did}: there is no number {event.index}, counted from 0")
        return Problem(
            "E0837", f"instruction {event.index} of {name} moves nothing that could land"
        )


def _untimed(run: Other) -> Other:
    """A run that was delayed, without the time of its deadlock: that is the delay's own."""
    if run.problem is None or run.status is not Status.DEADLOCK:
        return run
    _, _, rest = run.problem.message.partition(" µs: ")
    problem = replace(run.problem, message=f"deadlock: {rest}") if rest else run.problem
    return replace(run, problem=problem)


def _attempts(
    event: Event, regions: Sequence[Region] | None
) -> Iterator[tuple[Event, Choose | None]]:
    """What to hold, one after the other.

    Of a landing all shares that matter; and as less than all may be waited for, one of them alone.
    """
    if event.kind == LANDS:
        yield event, lambda flight: _moving(flight, regions)
        yield event, lambda flight: _moving(flight, regions)[:1]
    else:
        yield event, None


def _moving(flight: Flight, regions: Sequence[Region] | None) -> list[int]:
    """The shares of a transfer that move bytes of some regions; all, if none is known to."""
    every = [s for portion in flight.portions if portion.bytes for s in portion.shares]
    touches: Callable[[int], tuple[Region, ...]] | None = getattr(flight.cargo, "touches", None)
    if regions is None or touches is None:
        return every
    meant = [
        share for share in every if all(intersect(touches(share), (region,)) for region in regions)
    ]
    return meant or every
