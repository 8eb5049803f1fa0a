"""One event delayed: as long as anything else can happen, it does not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event
from nasm.sim.channels import Cargo, Flight
from nasm.sim.delays import Delays, parted
from nasm.sim.queues import Queue

FAR = 1 << 50
"""A tick after everything else: an event that is put off until then is delayed."""

Choose = Callable[[Flight], Collection[int]]
"""Which shares of a transfer are meant, by their numbers."""


class DelayOne(Delays):
    """Puts off one event till a tick that nothing else reaches, by which it is alone.

    Of a transfer those shares are held that ``choose`` names, by itself all of them; they take
    their bytes when they land, so that what they read is held as well. ``shares`` is how many these
    are, ``pc`` the place of the instruction whose event it is, -1 until it was met.
    """

    def __init__(self) -> None:
        self.event: Event | None = None
        self.choose: Choose | None = None
        self.far = FAR
        self.pc = -1
        self.shares = 0

    def hold(self, event: Event, choose: Choose | None = None, far: int = FAR) -> None:
        """Hold an event of the run that begins."""
        self.event, self.choose, self.far = event, choose, far
        self.pc, self.shares = -1, 0

    def _is(self, kind: int, queue: Queue) -> bool:
        event = self.event
        if event is None or (event.kind, event.queue) != (kind, queue.index):
            return False
        if event.index != queue.started:
            return False
        self.pc = queue.pc
        return True

    def lag(self, queue: Queue, latency: int) -> int:
        """A start that is held comes late."""
        return self.far if self._is(STARTS, queue) else 0

    def work(self, queue: Queue, interval: int, latency: int) -> tuple[int, int]:
        """An instruction whose completion is held has a long latency."""
        return interval, self.far if self._is(COMPLETES, queue) else latency

    def transfer(self, queue: Queue, flight: Flight) -> None:
        """Shares that are held land late; their channels serve others meanwhile."""
        if not self._is(LANDS, queue):
            return
        every = [share for portion in flight.portions for share in portion.shares]
        held = frozenset(every if self.choose is None else self.choose(flight))
        flight.portions = [
            part._replace(latency=self.far) if part.shares[0] in held else part
            for portion in flight.portions
            for part in parted(portion, held.__contains__)
        ]
        if flight.cargo is not None:
            flight.cargo = Late(flight.cargo, held)
        self.shares = len(held)

    def save(self) -> Any:
        """Everything that changes."""
        return self.event, self.choose, self.far, self.pc, self.shares

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self.event, self.choose, self.far, self.pc, self.shares = saved


class Late:
    """Cargo of which the shares that are held take their bytes only when they deliver them."""

    __slots__ = ("cargo", "held")

    def __init__(self, cargo: Cargo, held: frozenset[int]) -> None:
        self.cargo, self.held = cargo, held

    def read(self, shares: Sequence[int]) -> Any:
        """Take the bytes of shares that are not held: those of a group all are, or none is."""
        return None if shares[0] in self.held else self.cargo.read(shares)

    def write(self, shares: Sequence[int], payload: Any) -> None:
        """Deliver what was taken, or what is there now."""
        late = shares[0] in self.held
        self.cargo.write(shares, self.cargo.read(shares) if late else payload)

    def part(self, shares: Sequence[int], payload: Any, some: Sequence[int]) -> tuple[Any, Any]:
        """Of what was taken for some shares, that of a few of them and that of the rest."""
        late = shares[0] in self.held
        return (None, None) if late else self.cargo.part(shares, payload, some)
