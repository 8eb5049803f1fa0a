"""What a user changes by hand: records that do it, and do the same when they do it again.

Each has a text that could be typed again. What it needs is in it: it reads no file and no clock.
None of them moves the machine. The host acts between two events, so that what it writes is there
for whatever starts from now on; what was read before stays as it was read.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.core_state import Part
from nasm.isa.micro_instructions import Micro
from nasm.machine import Machine
from nasm.machine.access import Access
from nasm.machine.byte_memory import AddressedBytes
from nasm.machine.records import Status
from nasm.program.text_items import DeferredMoment
from nasm.runs.execution import Execution
from nasm.sim.counters import HIGHEST, LOWEST
from nasm.sim.divert import divert
from nasm.sim.memory import Array
from nasm.sim.queues import Queue
from nasm.views.tensor import Tensor
from nasm.views.view import View

WRONG = "E0822"
"""The code of what cannot be done, or not now."""


class HandChange:
    """Something done by hand; ``str`` is what could be typed to do it again."""

    __slots__ = ()

    text: str

    def apply(self, running: Execution) -> None:
        """Do it; raises Failure or Refused. It moves nothing: no event is processed."""
        if running.status is Status.FAULT:
            raise Refused(
                WRONG,
                "the machine has stopped at a fault, and nothing can happen on it",
                "go back to before it first",
            )
        running.hold_hints()
        self._do(running)
        running.changed()

    def _do(self, running: Execution) -> None:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<change: {self.text}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetElements(HandChange):
    """Elements of tensors get values, one per element, as they are stored."""

    text: str
    place: str
    values: tuple[tuple[View, Array], ...]

    def _do(self, running: Execution) -> None:
        for view, values in self.values:
            write(running.machine.addresses.access(view), values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetBytes(HandChange):
    """Bytes of a core's memory get values, by address; those of code are refused."""

    text: str
    memory: str
    core: int
    address: int
    values: NDArray[np.uint8]

    def meets(self, tensor: Tensor) -> bool:
        """Whether some of the bytes are a tensor's."""
        core = 0 if tensor.memory.shared else tensor.core
        if (tensor.memory.name, core) != (self.memory, self.core) or tensor.offset is None:
            return False
        first, last = self.address, self.address + len(self.values)
        return tensor.offset < last and first < tensor.offset + tensor.bytes

    def _do(self, running: Execution) -> None:
        machine, first = running.machine, self.address
        code_in = running.program.target.code_in
        if code_in is not None and code_in(machine.holds[self.core], first, len(self.values)):
            message = f"of the bytes at {first:#x} some are code of RISC-V cores"
            raise Refused("E0325", message, "put the data elsewhere")
        addressed(machine, self.memory, self.core).put(first, self.values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetSemaphore(HandChange):
    """A semaphore or an event gets a value, which queues that wait for it see at once.

    From now on the program alone does not determine the order: it is checked no further.
    """

    text: str
    number: int
    value: int

    def _do(self, running: Execution) -> None:
        machine = running.machine
        machine.scheduler.waits.put(self.number, self.value)
        if machine.watch is not None:
            machine.watch.close()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetRegister(HandChange):
    """A register of a queue gets a value."""

    text: str
    queue: int
    number: int
    value: int

    def _do(self, running: Execution) -> None:
        machine = running.machine
        machine.state.registers[self.queue].set(self.number, self.value)
        queue = machine.scheduler.queues[self.queue]
        if queue.head is None or queue.arrived is not None:
            return
        if queue.fetch(queue.pc)[0] is not queue.head:  # its address was taken from the register
            divert(machine.scheduler, queue, queue.pc, queue.resume)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetPart(HandChange):
    """Elements of a part of what a core holds get values: those ``numbers`` say, as it stores them.

    Who waits for something of the core asks again, now.
    """

    text: str
    place: str
    core: int
    part: Part
    numbers: Array
    values: Array

    def _do(self, running: Execution) -> None:
        machine, put = running.machine, self.part.put
        held = machine.holds[self.core]
        shape = np.asarray(self.part.read(held).array).shape
        values, which = np.zeros(shape, self.values.dtype), np.zeros(shape, np.bool_)
        values.reshape(-1)[self.numbers], which.reshape(-1)[self.numbers] = self.values, True
        assert put is not None
        put(held, values, which)
        machine.scheduler.gates.changed(self.core, machine.scheduler.now)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Divert(HandChange):
    """A queue continues at another pc: after its next instruction, or wherever it was sent."""

    text: str
    queue: int
    pc: int
    resume: tuple[int, ...] = ()

    def _do(self, running: Execution) -> None:
        scheduler = running.machine.scheduler
        queue = scheduler.queues[self.queue]
        free(running, queue)
        if self.pc < queue.length or self.resume:
            queue.fetch(self.pc)  # errors are reported before anything is changed
        divert(scheduler, queue, self.pc, self.resume)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Type(HandChange):
    """Declarations and instructions that were typed: tensors get their values, queues the rest.

    ``pcs`` are the places of the instructions of each queue. They are its next ones.
    ``declarations`` is what of the text declares something, ``posts`` are moments of it.
    """

    text: str
    declarations: str
    values: tuple[tuple[View, Array], ...]
    pcs: tuple[tuple[int, range], ...]
    posts: Set[DeferredMoment] = frozenset()

    def _do(self, running: Execution) -> None:
        scheduler = running.machine.scheduler
        for index, pcs in self.pcs:
            queue = scheduler.queues[index]
            free(running, queue)
            whole(running, queue)
            for pc in pcs:
                queue.fetch(pc)
        for view, values in self.values:
            write(running.machine.addresses.access(view), values)
        for index, pcs in self.pcs:
            queue = scheduler.queues[index]
            divert(scheduler, queue, pcs[0], (*queue.resume, queue.pc))


def addressed(machine: Machine, memory: str, core: int) -> AddressedBytes:
    """A memory of a core by byte address; raises Refused where there is none with values."""
    known = 0 <= core < machine.program.cores
    found = machine.core_memories[core].get(memory) if known else None
    if isinstance(found, AddressedBytes):
        return found
    raise Refused(WRONG, f"there are no bytes of a memory {memory} of core {core} here")


def write(access: Access, values: Array) -> None:
    """Store values by hand: what was there is not a result that is lost, and no queue wrote it."""
    access.look()
    access.put_parts([((), values)])
    access.note_writer(accumulable=True)


def free(running: Execution, queue: Queue) -> None:
    """Refuse to take back an instruction that has arrived at a rendezvous."""
    if queue.arrived is not None:
        name = running.program.queue_name(queue.index)
        raise Refused(
            WRONG,
            f"the next instruction of @{name} has arrived at a rendezvous, and is not taken back",
            "go back to before it did, or let the other cores arrive",
        )


def whole(running: Execution, queue: Queue) -> None:
    """Refuse to put something into the middle of an expansion, which could not be gone on with."""
    if type(queue.pc) is Micro:
        name = running.program.queue_name(queue.index)
        raise Refused(
            WRONG,
            f"@{name} is in the expansion of pc {int(queue.pc)}, at {queue.pc}",
            f"finish it first: finish expansion {name}",
        )


def word(value: object, what: str) -> int:
    """A value for a semaphore or a register; raises Refused."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("E0210", f"{what} holds an integer, found {value}")
    if not LOWEST <= value <= HIGHEST:
        raise Refused("E0210", f"{what} holds a signed 32-bit integer, found {value}")
    return value
