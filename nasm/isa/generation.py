"""A generation of a target: its engines, memories, figures and switches, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nasm.base.problems import Refused, did_you_mean, listed
from nasm.base.records import dataclass, field
from nasm.isa.evidence import Fact
from nasm.isa.options import OptionValue
from nasm.views.tensor import Memory

if TYPE_CHECKING:
    from nasm.isa.tile_grid import TileGrid


@dataclass(frozen=True, slots=True)
class Engine:
    """An in-order queue with its clock.

    ``cycle`` is the ticks of one of its cycles; ``reads`` and ``writes`` the memories it reaches;
    ``group`` how many entries of an index tile one column holds, where it has indirection.
    ``spelled`` is its name in prose, if that is not the name with a capital. One that is ``rare``
    has a queue only in programs that have lines for it. One that ``pushes`` gives another engine,
    by its name, the instructions of its queue, one by one; it has a queue in programs that have
    lines for it, and in others that engine has all of its instructions at once. If it does not
    ``count`` its lines wait for and update no semaphores, and ``instead`` says what else does.
    On it mnemonics may be written without their ``prefix``. One that is ``everywhere`` has a queue
    of the first core only, and reaches what every core has.
    """

    name: str
    cycle: int
    summary: str
    source: str
    aliases: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    group: int = 0
    spelled: str = ""
    pushes: str = ""
    rare: bool = False
    everywhere: bool = False
    counts: bool = True
    instead: str = ""
    prefix: str = ""

    @property
    def optional(self) -> bool:
        """Whether it has a queue only in programs that have lines for it."""
        return self.rare or bool(self.pushes)

    @property
    def title(self) -> str:
        """Its name in prose."""
        return self.spelled or self.name.capitalize()


@dataclass(frozen=True, slots=True)
class Unit:
    """Something of a core that executes for whichever of its queues, one instruction at a time.

    The cost of an instruction names it; it counts cycles of the engine that issued that.
    """

    name: str
    summary: str
    source: str


@dataclass(frozen=True, slots=True)
class Port:
    """A way to a memory that some engines of a core have in common: one instruction at a time.

    An instruction of one of the ``engines`` that walks an operand in ``memory`` takes it for its
    interval.
    """

    name: str
    memory: str
    engines: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Generation:
    """One member of a target: everything that differs between members is data in here.

    ``ticks`` is ticks per microsecond. ``numbers`` are figures, ``switches`` are yes or no;
    ``clock`` names the engine whose cycles count a whole run, ``channel`` what a channel is called.
    ``options`` are the machine options in force: a target's generations have the defaults.
    ``supply`` names two figures: how much the memory that cores share has for the channels of all
    of them, and how much each channel takes.
    ``rings`` are the queues of a channel, ``priorities`` the levels of urgency that transfers have,
    from 0, the most urgent (0 levels: transfers have none).
    Registers are an engine's; semaphores, one-bit events, channels and what memories hold are a
    core's; ``cores`` run side by side and have in common what memories share. ``ports`` are
    those that instructions wait for. ``units`` are what the queues of a core have in common: the
    cost of an instruction may name one of them where others name a part of their engine. ``peak``
    says of what numbers the peak of operations is given, such as ``16-bit``. ``absent`` says why
    this generation has none of engines that another one has, by their names. With a ``grid`` each
    core is a tile of a chip, of which ``chips`` may be joined: programs select it by its
    coordinates.
    """

    name: str
    spellings: tuple[str, ...]
    summary: str
    ticks: int
    engines: tuple[Engine, ...]
    memories: Mapping[str, Memory]
    dtypes: tuple[str, ...]
    numbers: Mapping[str, Fact]
    switches: Mapping[str, bool] = field(default_factory=dict)
    registers: int = 64
    semaphores: int = 256
    events: int = 0
    cores: int = 1
    chips: int = 1
    channels: int = 0
    supply: tuple[str, str] | None = None
    rings: int = 0
    priorities: int = 0
    order: int = 0
    clock: str = ""
    channel: str = "channel"
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    ports: tuple[Port, ...] = ()
    units: tuple[Unit, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    peak: str = ""
    grid: TileGrid | None = None

    @property
    def base(self) -> Engine:
        """The engine whose clock counts cycles of the whole."""
        return self.engine(self.clock) if self.clock else self.engines[0]

    @property
    def entry_and_exit(self) -> float | None:
        """Microseconds that a device takes before and after a program; None if not known."""
        fact = self.numbers.get("kernel_ns")
        return None if fact is None else fact.value / 1000

    @property
    def counters(self) -> int:
        """Semaphores and events of one core: numbered one after the other, core by core."""
        return self.semaphores + self.events

    def ring_name(self, ring: int) -> str:
        """What a ring of channels is called, which is a network where cores are tiles."""
        return f"ring {ring}" if self.grid is None else f"NoC {ring}"

    def counter(self, index: int) -> tuple[int, int, bool]:
        """Of a semaphore or event among those of all cores: core, number, whether an event."""
        core, number = divmod(index, self.counters)
        event = number >= self.semaphores
        return core, number - self.semaphores * event, event

    def engine(self, name: str) -> Engine:
        """An engine by its name or an alias; raises Refused with the legal ones."""
        for engine in self.engines:
            if name == engine.name or name in engine.aliases:
                return engine
        names = [e.name for e in self.engines]
        raise Refused(
            "E0203",
            f"no engine '{name}'",
            self.absent.get(name)
            or did_you_mean(name, [*names, *(a for e in self.engines for a in e.aliases)])
            or f"the engines are {listed('@' + n for n in names)}",
        )

    def __hash__(self) -> int:
        return hash(self.name)
