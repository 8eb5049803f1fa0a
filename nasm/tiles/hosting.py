"""One group of a program's tiles in one process: what an engine calls, wherever that process is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nasm.analysis.hazards.endless_loops import Endless
from nasm.base import gc_pause
from nasm.base.files import Allowed
from nasm.base.problems import Failure
from nasm.isa.effects import Packet
from nasm.machine import tensor_io
from nasm.machine.group_machine import GroupMachine
from nasm.machine.group_packets import Unfit
from nasm.order.tile_watch import TileWatch
from nasm.program.program import Program
from nasm.sim.group_scheduler import KeptEvent
from nasm.sim.memory import Store
from nasm.sim.queues import Queue
from nasm.tiles.interface import Division, GroupState, GroupWindow, QueuePlace, Reached
from nasm.tiles.watching import watched_of

PIECE = 1 << 14
"""Columns of a store that are sent together."""


class GroupHost:
    """A group of tiles, with the inputs of the program; raises Failure.

    It ``forks``: what tiles multiply is too small for threads.
    """

    forks = True

    def __init__(
        self,
        program: Program,
        group: int,
        division: Division,
        inputs: Mapping[str, Any],
        files: Allowed,
        values: bool,
        checked: bool,
    ) -> None:
        program = program.own()
        self.machine = machine = GroupMachine(program, group, *division, values, checked)
        Endless.watch(machine)
        if values:
            tensor_io.load(program, machine.addresses, inputs, files)
        machine.prepare()
        queues = machine.scheduler.queues
        self.own = [queue for queue in queues if queue.core in machine.cores]
        self.senders = [queue for queue in self.own if _sends(program, queue)]

    def advance(self, window: GroupWindow) -> Reached:
        """Execute what happens in a window."""
        machine, scheduler, packets = self.machine, self.machine.scheduler, self.machine.packets
        alone = ""
        try:
            with gc_pause.paused():
                packets.receive(window.payloads)
                packets.commit(window.launches)
                packets.window = window.until
                machine.run(0, window.until - 1)
        except Failure as failure:
            alone = failure.problems[0].message
        except Unfit as unfit:
            alone = str(unfit)
        return Reached(
            [sent.launch for sent in packets.mine],
            packets.given(),
            scheduler.coming_tick,
            scheduler.now,
            scheduler.retired,
            bool(packets.open) or any(not queue.done for queue in self.senders),
            len(scheduler.kept),
            alone,
        )

    def reported(self, until: int | None) -> list[KeptEvent]:
        """What has happened before a tick, or at all, and was not reported yet."""
        return self.machine.scheduler.reported(until)

    def places(self) -> dict[int, QueuePlace]:
        """Where the queues of the group are."""
        return {
            queue.index: QueuePlace(
                int(queue.pc), queue.done, queue.count, queue.finished, queue.busy,
                queue.busy_until, queue.mark, dict(queue.waiting),
            )
            for queue in self.own
        }  # fmt: skip

    def state(self, now: int) -> GroupState:
        """What the group's tiles have at the end of a run, which is at a tick."""
        machine = self.machine
        scheduler, state, cores = machine.scheduler, machine.state, machine.cores
        scheduler.now = now
        per_core = scheduler.semaphores.per_core
        stores = {
            number: (list(_pieces(store)), frozenset(store.complete))
            for number, store in state.every()
            if store.made and machine.owns(store.core, store.name)
        }
        watch = machine.watch
        return GroupState(
            queues={queue.index: _saved(queue) for queue in self.own},
            semaphores={
                number: (
                    semaphore.value,
                    semaphore.last,
                    semaphore.replaced,
                    tuple(semaphore.parked),
                )
                for number, semaphore in scheduler.semaphores.items()
                if number // per_core in cores
            },
            stores=stores,
            holds=machine.holds.save(cores),
            registers={queue.index: state.registers[queue.index].save() for queue in self.own},
            engines={queue.index: state.engines[queue.index].save() for queue in self.own},
            channels={n: core.save()[1] for n, core in scheduler.service.cores.items()},
            expanded=machine.telling.expanded,
            watched=watched_of(watch, self.own, machine.packets.names)
            if isinstance(watch, TileWatch)
            else None,
        )


def _saved(queue: Queue) -> Any:
    """A queue at the end of a run, where it may be blocked, without its head; raises Unfit."""
    if queue.done:
        return queue.save()
    if queue.flight or queue.expansion or queue.missing is not None:
        raise Unfit("a queue is blocked within what an instruction is expanded to")
    changes, flight, waiting = queue.save()
    named = {**dict(zip(queue.CHANGES, changes, strict=True)), **queue.HEAD}
    return tuple(named.values()), flight, waiting


def _sends(program: Program, queue: Queue) -> bool:
    """Whether a queue has instructions that send packets."""
    numbers = set(program.queues[queue.index].instructions)
    return any(program.instructions[number].row.effect is Packet for number in numbers)


def _pieces(store: Store) -> Iterator[tuple[int, Any, Any]]:
    """The initialised bytes of a store, and some around them, each piece from a column on."""
    if store.pending:
        store.flush()
    complete = bool(store.complete)
    for begin in range(0, store.pitch, PIECE):
        columns = slice(begin, begin + PIECE)
        written = store.written[:, columns]
        if complete or written.any():
            yield begin, store.data[:, columns], written
