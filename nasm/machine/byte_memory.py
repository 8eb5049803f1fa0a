"""Memories by byte address: what an object that a core holds reads and writes of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.isa.core_state import Bytes, Place
from nasm.isa.effects import Packet
from nasm.isa.network import Crossing, Network
from nasm.isa.tile_grid import TilePlace
from nasm.machine.state import MemoryStores
from nasm.program.program import Program
from nasm.program.queue_lines import QueueLines
from nasm.sim.memory import Journal, Store
from nasm.views.tensor import Memory

Missing = Callable[[str, int, int, int], None]
"""Called for a read of uninitialised bytes: the memory, the address, how many, and of those
missing."""

Touched = Callable[[int, int, bool], None]
"""Called for an access: the address, how many bytes, and whether it writes them."""


class AddressedBytes:
    """The bytes of a memory, each by its address; without a store there are none to be had."""

    __slots__ = ("columns", "kept", "memory", "missing", "store", "touched")
    CACHES = ("columns", "kept", "touched")

    def __init__(self, memory: Memory, store: Store, missing: Missing) -> None:
        self.memory, self.store, self.missing = memory, store, missing
        self.touched: Touched | None = None
        self.kept: Journal | None = None
        self.columns = (0, 0)

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some bytes; raises Refused where the memory has none."""
        end = self._checked("read", address, count)
        if self.touched is not None:
            self.touched(address, count, False)
        store = self.store
        if store.pending:
            store.flush()
        known = store.written[0, address:end]
        if not known.all():
            self.missing(self.memory.name, address, count, count - int(known.sum()))
        return store.data[0, address:end].copy()

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put bytes at an address; raises Refused where the memory has none."""
        end = self._checked("write", address, len(data))
        if self.touched is not None:
            self.touched(address, len(data), True)
        self._put(address, end, data)

    def put(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put bytes by hand: no instruction writes them. Raises Refused as :meth:`write`."""
        self._put(address, self._checked("write", address, len(data)), data)

    def look(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some bytes as they are, written or not; raises Refused as :meth:`read`."""
        end = self._checked("read", address, count)
        if self.store.pending:
            self.store.flush()
        return self.store.data[0, address:end].copy()

    def _put(self, address: int, end: int, data: NDArray[np.uint8]) -> None:
        store, self.columns, self.kept = self.store, (address, end), None
        store.before_change(self)
        store.data[0, address:end] = data
        store.written[0, address:end] = True

    def _checked(self, verb: str, address: int, count: int) -> int:
        end, size, name = address + count, self.memory.size, self.memory.name
        if address < 0 or end > size:
            raise Refused(
                "E0521",
                f"{verb}s {count:,} bytes at {address:#x}, and {name} has {size:,}",
                f"the last byte of {name} is at {size - 1:#x}",
            )
        return end


class Valueless:
    """A memory in a run without values: a read is refused in the words it was given."""

    def __init__(self, memory: Memory, refuse: Callable[[str, int], Exception]) -> None:
        self.memory, self.refuse = memory, refuse

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """There is none."""
        raise self.refuse(self.memory.name, address)

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Nothing is kept."""


class CoreMemories(dict[int, dict[str, Bytes]]):
    """The memories of each core whose bytes have numbers, made when they are first asked for.

    ``touching``, if there is one, makes what is called with the accesses to those of a core.
    """

    def __init__(
        self,
        program: Program,
        stores: MemoryStores,
        missing: Missing,
        refuse: Callable[[str, int], Exception],
    ) -> None:
        super().__init__()
        self._memories = [m for m in program.generation.memories.values() if m.numbered]
        self._stores, self._missing, self._refuse = stores, missing, refuse
        self._touching: Callable[[int], Touched] | None = None

    def __missing__(self, core: int) -> dict[str, Bytes]:
        made = self[core] = {memory.name: self._of(memory, core) for memory in self._memories}
        return made

    def _of(self, memory: Memory, core: int) -> Bytes:
        store = self._stores.of(memory.name, 0 if memory.shared else core)
        if store is None:
            return Valueless(memory, self._refuse)
        made = AddressedBytes(memory, store, self._missing)
        if self._touching is not None:
            made.touched = self._touching(core)
        return made

    def linear(self, core: int) -> AddressedBytes | None:
        """The memory of a core; None without values."""
        every = self[core].values()
        return next((memory for memory in every if isinstance(memory, AddressedBytes)), None)

    def watch(self, touching: Callable[[int], Touched]) -> None:
        """Tell of accesses from now on."""
        self._touching = touching
        for core, memories in self.items():
            for memory in memories.values():
                if isinstance(memory, AddressedBytes):
                    memory.touched = touching(core)


class ChangeListener(Protocol):
    """The listeners for changes of what cores hold."""

    def note(self, core: int, part: Hashable, record: int) -> None:
        """A part of what a core holds is changed, by the start that has a number."""


class Clock(Protocol):
    """What knows the tick of a run, and which instruction acts; ``record`` is of its start."""

    now: int
    acting: tuple[int, int]
    record: int
    listeners: Mapping[str, tuple[Callable[..., None], ...]]

    def revive(self, index: int) -> None:
        """Let a queue that has reached its end begin again."""

    @property
    def gates(self) -> ChangeListener:
        """The listeners for changes."""


class PacketSender(Protocol):
    """What sends packets, and knows where they go."""

    def network_of(self, core: int) -> Network:
        """The networks of the chip of a core."""

    def send(self, packet: Packet, core: int) -> Sequence[Crossing]:
        """Send a packet of a core for what acts now."""

    def tile(self, core: int) -> TilePlace:
        """The place of a core."""

    def answered(self, core: int, part: Hashable) -> bool:
        """Whether no transfer of a core is in flight whose end changes a part of what it holds."""


Report = Callable[[str, str, str, Sequence[tuple[Any, str]], bool], None]
"""Called for a finding: see :meth:`nasm.isa.core_state.Surroundings.report`."""


class Around:
    """What the object that a core holds can reach."""

    def __init__(
        self,
        core: int,
        memories: Mapping[str, Bytes],
        clock: Clock,
        report: Report,
        program: Program,
        packets: PacketSender | None = None,
    ) -> None:
        self.core, self._memories, self._clock, self._report = core, memories, clock, report
        self._program, self._packets = program, packets

    @property
    def now(self) -> int:
        """The tick of the run."""
        return self._clock.now

    @property
    def record(self) -> int:
        """The number of the start that acts now."""
        return self._clock.record

    def changed(self, *parts: Hashable, record: int | None = None) -> None:
        """Tell that parts of what the core holds change now, by whose doing."""
        by = self._clock.record if record is None else record
        altered = self._clock.listeners["altered"]
        for part in parts:
            self._clock.gates.note(self.core, part, by)
            for tell in altered:
                tell(self.core, part, by)

    def passed(self, engine: int, *parts: Hashable, started: bool = False) -> None:
        """Tell that an engine has waited for parts of what the core holds."""
        listening = self._clock.listeners["passed"]
        if listening:
            lines = self.lines(self._program.generation.engines[engine].name)
            if lines is not None:
                for tell in listening:
                    tell(lines.queue, self.core, parts, started)

    def memory(self, name: str) -> Bytes:
        """A memory whose bytes have numbers, by its name."""
        return self._memories[name]

    def lines(self, engine: str) -> QueueLines | None:
        """The instructions of an engine of the core."""
        for number, lines in enumerate(self._program.queues):
            if (lines.core, lines.engine) == (self.core, engine):
                return QueueLines(self._program, number)
        return None

    @property
    def network(self) -> Network | None:
        """The network that joins tiles."""
        return None if self._packets is None else self._packets.network_of(self.core)

    @property
    def tile(self) -> TilePlace:
        """Where the tile of the core is."""
        return self._sender.tile(self.core)

    @property
    def _sender(self) -> PacketSender:
        assert self._packets is not None, "the target has no network"
        return self._packets

    def send(self, packet: Packet) -> Sequence[Crossing]:
        """Send a packet for the instruction that acts now."""
        return self._sender.send(packet, self.core)

    def heard(self, engine: int, part: Hashable) -> None:
        """Tell that what an engine has started looks at a part that answers to packets change."""
        if self._clock.listeners["passed"] and self._sender.answered(self.core, part):
            self.passed(engine, part, started=True)

    @property
    def place(self) -> Place:
        """The queue and the pc of what starts, completes or is asked about now."""
        return self._clock.acting

    def restart(self, engine: int) -> None:
        """Let an engine that has reached its end begin again."""
        lines = self.lines(self._program.generation.engines[engine].name)
        if lines is not None:
            self._clock.revive(lines.queue)

    def late(self, place: Place, tick: int, act: Callable[[], None]) -> None:
        """Do what the instruction at a place left for a tick, as that one."""
        clock = self._clock
        before, clock.acting = clock.acting, place  # type: ignore[assignment]
        act()  # an error is reported at its place: then that stays
        for tell in clock.listeners["acted"]:
            tell(place, tick)
        clock.acting = before

    def report(
        self,
        code: str,
        text: str,
        hint: str,
        others: Sequence[tuple[Place, str]] = (),
        warning: bool = False,
    ) -> None:
        """Tell of something wrong with the instruction of now."""
        self._report(code, text, hint, others, warning)
