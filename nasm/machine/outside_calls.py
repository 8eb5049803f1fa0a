"""Calls of what a target has outside of its cores, such as a host: bytes go there and come back.

An instruction that calls it acts, as everything does, when it starts; until the call is over its
queue is parked before that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.isa.core_state import Bytes
from nasm.isa.effects import OutsideCall
from nasm.isa.outside import OutsideWorld, TensorBytes
from nasm.machine.byte_memory import CoreMemories
from nasm.machine.findings import Findings
from nasm.machine.packets import BytePlace, Packets
from nasm.machine.state import State
from nasm.program.program import Program
from nasm.sim.queues import Work
from nasm.sim.scheduler import Scheduler
from nasm.views.tensor import Tensor
from nasm.views.view import View

HELD_BY = "outside"
"""What a queue waits for whose call is not over."""


class GuardedBytes:
    """The memory of a core, whose code cannot be overwritten."""

    def __init__(self, memory: Bytes, packets: Packets, core: int) -> None:
        self.memory, self.packets, self.core = memory, packets, core

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some bytes; raises Refused for any that there are not."""
        return self.memory.read(address, count)

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put bytes at an address; raises Refused for code, and any that there are not."""
        self.packets.check_code(self.core, address, len(data))
        self.memory.write(address, data)


class SharedTensor:
    """The bytes of a tensor in a memory that cores share, by the memory's addresses."""

    def __init__(self, tensor: Tensor, packets: Packets, findings: Findings) -> None:
        self.tensor, self.packets, self.findings = tensor, packets, findings
        self.first, self.size = tensor.offset or 0, tensor.bytes

    def _place(self, address: int, count: int) -> BytePlace:
        whole = self.packets.place(View.whole(self.tensor), self.tensor.core, self.size)
        return whole._replace(address=address, size=count)

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some of its bytes."""
        return self._place(address, count).read(self.findings)

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put some of its bytes."""
        self._place(address, len(data)).write(data)


class OutsideCalls:
    """Has instructions call what is outside, which is made for the first of them."""

    def __init__(
        self,
        program: Program,
        state: State,
        findings: Findings,
        scheduler: Scheduler,
        packets: Packets,
        memories: CoreMemories,
    ) -> None:
        self.program, self.state, self.findings = program, state, findings
        self.scheduler, self.packets, self.memories = scheduler, packets, memories
        self.made: OutsideWorld | None = None

    @property
    def outside(self) -> OutsideWorld:
        """What is outside; in a run without values it has memories of its own."""
        if self.made is None:
            make = self.program.target.outside
            assert make is not None, "the target has calls, and nothing outside"
            tiles = {
                tile: GuardedBytes(memory, self.packets, core)
                for core, tile in enumerate(self.program.places)
                if (memory := self.memories.linear(core)) is not None
            }
            self.made = make(self.program, tiles, self._shared() if tiles else [])
        return self.made

    def _shared(self) -> list[tuple[str, TensorBytes]]:
        return [
            (tensor.memory.name, SharedTensor(tensor, self.packets, self.findings))
            for tensor in self.program.tensors.values()
            if tensor.memory.shared
        ]

    def work(self, work: Work, queue: int, core: int, call: OutsideCall) -> Work:
        """An instruction that calls it: parked until the call is over, and then done."""
        takes = None if call.takes is None else self._place(call.takes, core)
        gives = [None if view is None else self._place(view, core) for view in call.gives]
        work.reads = tuple(place.region for place in (takes,) if place is not None)
        work.writes = tuple(place.region for place in gives if place is not None)
        work.arrive, work.held_by = partial(self._arrive, queue, call), HELD_BY
        work.start = partial(self._act, call, takes, gives)
        work.finish = _nothing
        return work

    def _place(self, view: View, core: int) -> BytePlace:
        count = view.size * view.dtype.itemsize
        return self.packets.place(view, core, count)

    def _arrive(self, queue: int, call: OutsideCall, now: int) -> None:
        self.scheduler.release(queue, max(now, call.ends(self.outside, now)))

    def _act(
        self,
        call: OutsideCall,
        takes: BytePlace | None,
        gives: Sequence[BytePlace | None],
        now: int,
    ) -> None:
        data = b""
        if takes is not None:
            blank = takes.store is None
            data = bytes(takes.size) if blank else takes.read(self.findings).tobytes()
        for place, found in zip(gives, call.act(self.outside, now, data), strict=True):
            if place is not None and place.store is not None:
                place.write(np.frombuffer(found, np.uint8)[: place.size])

    def save(self) -> Any:
        """What is outside, if it was called."""
        return None if self.made is None else self.made.save()

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        if saved is None:
            self.made = None
        else:
            self.outside.restore(saved)


def _nothing(_: Any) -> None:
    return None
