"""The machine of a whole program, which gets what groups of its tiles tell and have."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nasm.machine.group_machine import BEGUN, BELOW, COUNT, DONE, FOUND, POST, SAY
from nasm.machine.group_packets import JOB, LAUNCH, OVER, FlightName, Unfit
from nasm.machine.machine import Machine
from nasm.machine.packets import ByteChange
from nasm.machine.state import StoreKey
from nasm.machine.transfers import MOST_IN_FLIGHT
from nasm.order.observer import MOST
from nasm.order.tile_watch import TileWatch
from nasm.sim.counters import Who
from nasm.sim.group_scheduler import GONE
from nasm.sim.queues import Queue
from nasm.sim.trace import ExpandedSummary
from nasm.tiles.interface import GroupState, QueuePlace
from nasm.tiles.watching import put_together


class WholeMachine:
    """Lets a machine be as if it had executed what groups have: what it reports is the same.

    ``numbers`` are those of transfers among all groups'.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        watch = machine.watch
        self.watch = watch if isinstance(watch, TileWatch) else None
        self.numbers: dict[FlightName, int] = {}
        self._origins: dict[int, Who] = {}
        self._later: list[int] | None = None
        self._hearing: dict[str, Callable[..., None]] = {
            BEGUN: self._begun,
            DONE: self._done,
            POST: self._post,
            BELOW: self._below,
            SAY: self._say,
            LAUNCH: self._launch,
            JOB: self._job,
            OVER: self._over,
            GONE: self._gone,
            FOUND: self._found,
            COUNT: self._count,
        }
        records = [machine.summary, *([machine.trace] if machine.trace is not None else [])]
        self._records = records

    def hear(self, heard: tuple[Any, ...], records: array[int]) -> None:
        """Something that a group tells, whose records have these numbers among all."""
        self._hearing[heard[0]](records, *heard[1:])

    def _begun(self, _: array[int], queue: int) -> None:
        if self.watch is not None:
            if len(self.watch.queues) >= MOST:
                raise Unfit(f"the order of more than {MOST:,} instructions is judged")
            self.watch.queues.append(queue)

    def _done(self, records: array[int], record: Any, start: int, micro: int) -> None:
        self._forget()
        self._later = []
        for one in self._records:
            one.take_instruction(record)
        if micro >= 0:
            assert isinstance(self.machine.summary, ExpandedSummary)
            self.machine.summary.take_micro(record, records[start], micro)

    def _post(self, _: array[int], record: Any) -> None:
        for one in self._records:
            one.take_post(record)

    def _below(self, _: array[int], *change: Any) -> None:
        self.machine.below_zero.changed(*change)

    def _say(self, _: array[int], record: Any) -> None:
        for one in self._records:
            one.take_message(record)

    def _launch(self, _: array[int], order: tuple[int, int], who: Who, flights: int) -> None:
        packets = self.machine.packets
        assert packets is not None
        for number in range(flights):
            packets.sent += 1
            self.numbers[order, number] = packets.sent
            self._origins[packets.sent] = who
        if len(self._origins) > MOST_IN_FLIGHT:
            raise Unfit(f"more than {MOST_IN_FLIGHT:,} transfers are in flight")

    def _over(self, _: array[int], order: tuple[int, int], flight: int) -> None:
        number = self.numbers[order, flight]
        if self._later is not None:
            self._later.append(number)
        else:
            del self._origins[number]

    def _gone(self, _: array[int]) -> None:
        self._forget()
        self._later = None

    def _forget(self) -> None:
        """Something has come after the end of some transfers: they were not late."""
        for number in self._later or ():
            del self._origins[number]

    def _job(self, _: array[int], record: Any, order: tuple[int, int], flight: int) -> None:
        for one in self._records:
            one.take_job(record)
        if self.watch is not None:
            self.watch.flights.append(self.numbers[order, flight])
            self.watch.landings.append(record[8])

    def _found(self, _: array[int], fact: Any, key: Any, warning: bool) -> None:
        self.machine.findings.again(fact, key, warning)

    def _count(self, _: array[int], born: bool, *counted: Any) -> None:
        self.machine.findings.numbers.again(born, *counted)

    # -- the end

    def stop(self, places: Sequence[Mapping[int, QueuePlace]], now: int) -> None:
        """The run was halted where queues of the groups are: enough to report where that is."""
        scheduler, watch = self.machine.scheduler, self.watch
        scheduler.now = now
        if watch is not None:  # what the groups have kept of the order stays with them
            del watch.queues[:], watch.flights[:], watch.landings[:]
        for number, place in (item for some in places for item in some.items()):
            queue = scheduler.queues[number]
            queue.pc, queue.done, queue.count, queue.finished = place[:4]
            queue.busy, queue.busy_until, queue.mark, waiting = place[4:]
            queue.waiting = dict(waiting)

    def finish(self, states: Sequence[GroupState], now: int, retired: int) -> None:
        """Take over what the groups have at the end of the run."""
        machine, scheduler = self.machine, self.machine.scheduler
        scheduler.heap.clear()
        scheduler.now, scheduler.retired, scheduler.flying = now, retired, 0
        for state in states:
            for number, saved in state.queues.items():
                scheduler.queues[number].restore(saved)
            for number, (value, last, replaced, _) in state.semaphores.items():
                semaphore = scheduler.semaphores[number]
                semaphore.value = semaphore.seen = value
                semaphore.last, semaphore.replaced = last, replaced
            for number, (pieces, complete) in state.stores.items():
                self._fill(number, pieces)
                machine.state.store(number).complete.update(complete)
            for core, saved in state.holds.items():
                held = machine.holds[core]
                assert held is not None
                held.restore(saved)
            for number, saved in state.registers.items():
                machine.state.registers[number].restore(saved)
            for number, saved in state.engines.items():
                machine.state.engines[number].restore(saved)
            for core, counts in state.channels.items():
                scheduler.service.cores[core].add(counts)
            if state.expanded:
                assert isinstance(machine.summary, ExpandedSummary)
                machine.summary.take_expanded(state.expanded)
        if all(queue.done for queue in scheduler.queues):
            late = sorted(self._later or ())
            scheduler.late = tuple(self._origins[number] for number in late)
        watched = [state.watched for state in states if state.watched is not None]
        if self.watch is not None:
            put_together(self.watch, watched, self.numbers)
        machine.addresses.forget()
        for state in states:
            for number, saved in state.queues.items():
                self._block(scheduler.queues[number], saved)
            for number, (*_, parked) in state.semaphores.items():
                scheduler.semaphores[number].parked[:] = parked

    def _block(self, queue: Queue, saved: Any) -> None:
        """Let a queue that is not at its end wait for what it did in its group; raises Unfit."""
        if queue.done:
            return
        scheduler = self.machine.scheduler
        scheduler.attempt(queue)
        if scheduler.heap or queue.head is None:
            raise Unfit("a queue is blocked in its group alone")
        queue.restore(saved, but=queue.HEAD)

    def _fill(self, number: StoreKey, pieces: Sequence[tuple[int, Any, Any]]) -> None:
        """Put the bytes that a group has into a store, and which of them are initialised."""
        store = self.machine.state.store(number)
        if store.pending:
            store.flush()
        for begin, data, written in pieces:
            end = begin + data.shape[1]
            store.before_change(ByteChange((begin, end)))
            store.data[:, begin:end], store.written[:, begin:end] = data, written
