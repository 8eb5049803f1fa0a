"""Transfers on a running machine: from a planned move to jobs on channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nasm import dtypes
from nasm.machine.places import Access, elements
from nasm.sim.channels import Job
from nasm.sim.memory import Array, Region
from nasm.spec.effects import Move, Share, Transfer
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine


@dataclass(slots=True, eq=False)
class Part:
    """A bound pair of a share: where its bytes come from and go to."""

    source: Array
    target: Array
    convert: Callable[[Array], Array]
    read: Access
    write: Access


@dataclass(slots=True, eq=False)
class Plan:
    """A transfer bound to a machine's memories, to be started any number of times."""

    transfer: Transfer
    parts: list[list[Part]]
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]


def bind(machine: Machine, move: Move, transfer: Transfer) -> Plan:
    """Bind every share's views."""
    reads = tuple(machine.access(s).region for _, s in move.moves)
    writes = tuple(machine.access(d).region for d, _ in move.moves)
    parts = [[_part(machine, *pair) for pair in share.moves] for share in transfer.shares]
    return Plan(transfer, parts, reads, writes)


def _part(machine: Machine, dst: View, src: View) -> Part:
    read, write = machine.access(src), machine.access(dst)
    source, target = elements(src, read.store), elements(dst, write.store)
    shape, have, want = target.shape, src.dtype, dst.dtype

    def convert(array: Array) -> Array:
        done = dtypes.convert(array, have, want)
        if done is array or done.base is not None:
            done = np.array(done)
        return done.reshape(shape)

    return Part(source, target, convert, read, write)


class Flight:
    """One start of a transfer: counts its shares as they land and posts for each."""

    __slots__ = ("key", "left", "machine", "origin", "plan", "semaphore")

    def __init__(
        self, machine: Machine, plan: Plan, origin: tuple[int, int], semaphore: int | None, key: int
    ) -> None:
        self.machine, self.plan, self.origin = machine, plan, origin
        self.semaphore, self.key = semaphore, key
        self.left = len(plan.transfer.shares)

    def jobs(self, first_channel: int) -> list[Job]:
        """A job per share."""
        transfer = self.plan.transfer
        return [
            Job(
                first_channel + share.channel, transfer.ring, share.busy, share.latency,
                share.bytes, self._reader(parts), self._lander(share, parts), self.origin,
            )
            for share, parts in zip(transfer.shares, self.plan.parts, strict=True)
        ]  # fmt: skip

    def _reader(self, parts: list[Part]) -> Callable[[int], Any]:
        machine, origin = self.machine, self.origin

        def read(now: int) -> Any:
            taken = []
            for part in parts:
                if not part.read.settled and part.read.unwritten():
                    machine.hazard_unwritten(origin[0], part.read.view, pc=origin[1])
                taken.append(part.convert(part.source))
            return taken

        return read

    def _lander(self, share: Share, parts: list[Part]) -> Callable[[Any, int], None]:
        machine = self.machine

        def land(payload: Any, now: int) -> None:
            for part, values in zip(parts, payload, strict=True):
                part.write.store.put(part.target, values)
                part.write.mark()
            self.left -= 1
            if not self.left:
                del machine.scheduler.transfers[self.key]
            if self.semaphore is not None:
                machine.scheduler.post(self.semaphore, "+", 1, self.plan.transfer.notify)

        return land
