"""A target: its engines, memories, generations and the table of its instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nasm.problems import Refused, did_you_mean, listed
from nasm.spec.evidence import Fact
from nasm.spec.memory import Memory
from nasm.spec.options import Option, Value, settled

if TYPE_CHECKING:
    from nasm.dtypes import Casting
    from nasm.spec.effects import Plan, Transfer
    from nasm.spec.instruction import Isa, Row, Rule


@dataclass(frozen=True, slots=True)
class Engine:
    """An in-order queue with its clock.

    ``cycle`` is the ticks of one of its cycles; ``reads`` and ``writes`` the memories it reaches;
    ``group`` how many entries of an index tile stand in one column, where it has indirection.
    """

    name: str
    cycle: int
    summary: str
    source: str
    aliases: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    group: int = 0


@dataclass(frozen=True, slots=True)
class Generation:
    """One member of a target: everything that differs between members is data in here.

    ``ticks`` is ticks per microsecond. ``numbers`` are figures, ``switches`` are yes or no;
    ``clock`` names the engine whose cycles count a whole run, ``channel`` what a channel is called.
    ``options`` are the machine options in force: a target's generations have the defaults.
    ``rings`` are the queues of a channel, ``priorities`` the levels of urgency that transfers have,
    from 0, the most urgent (0 levels: transfers have none).
    Registers are an engine's; semaphores, one-bit events, channels and what memories hold are a
    core's; ``cores`` run beside each other and have in common what memories share.
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
    channels: int = 0
    rings: int = 0
    priorities: int = 0
    order: int = 0
    clock: str = ""
    channel: str = "channel"
    options: Mapping[str, Value] = field(default_factory=dict)

    @property
    def base(self) -> Engine:
        """The engine whose clock counts cycles of the whole."""
        return self.engine(self.clock) if self.clock else self.engines[0]

    @property
    def counters(self) -> int:
        """Semaphores and events of one core: numbered one after the other, core by core."""
        return self.semaphores + self.events

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
            did_you_mean(name, [*names, *(a for e in self.engines for a in e.aliases)])
            or f"the engines are {listed('@' + n for n in names)}",
        )

    def number(self, name: str) -> Fact:
        """A figure of this generation."""
        return self.numbers[name]

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Samples:
    """What the examples of rows are made into programs with.

    ``tensors`` are declarations of the tensors that examples name, ``{n}`` elements per partition,
    with what they hold (``input = …``) in any memory; ``transfer`` declares the one called
    ``load``. ``fill`` are lines that fill ``{dst}``, by memory, from ``{dst}_in`` in the memory
    ``outside``; each posts ``posts``, and ``wait`` waits for ``{count}``.
    """

    tensors: tuple[str, ...]
    transfer: str
    outside: str
    fill: Mapping[str, str]
    semaphores: str
    posts: int
    wait: str


def named(module: str, name: str) -> Any:
    """What a module calls so: what holds functions is copied and pickled by its name."""
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """An instruction set and the machines that run it.

    ``rules`` hold for every instruction; ``plan`` turns a move into shares for channels.
    ``options`` are what a user may choose about its machines; ``casting`` makes of them the
    casts of a stream of instructions, by the stream's number. ``module`` is where it is written,
    under the name TARGET.
    """

    name: str
    module: str
    summary: str
    isa: Isa
    generations: tuple[Generation, ...]
    rules: tuple[Rule, ...] = ()
    plan: Callable[[Transfer, Generation, str], Plan] | None = None
    samples: Samples | None = None
    options: tuple[Option, ...] = ()
    casting: Callable[[Mapping[str, Value], int], Casting] | None = None

    def __reduce__(self) -> tuple[Callable[[str, str], Target], tuple[str, str]]:
        return named, (self.module, "TARGET")

    def generation(self, name: str) -> Generation | None:
        """A generation by any of its spellings."""
        return next((g for g in self.generations if name in g.spellings or name == g.name), None)

    def configured(self, generation: Generation, given: Mapping[str, object]) -> Generation:
        """A generation with these options in force; raises Failure with all that are wrong."""
        return replace(generation, options=settled(self.options, given))

    def chosen(self, generation: Generation) -> dict[str, Value]:
        """The options of a generation that are not as they are by default."""
        defaults = settled(self.options, {})
        return {n: v for n, v in generation.options.items() if v != defaults[n]}

    def available(self, row: Row, generation: Generation) -> bool:
        """Whether a generation has an instruction."""
        order = {g.name: g.order for g in self.generations}
        since = order[row.since] if row.since else 0
        until = order[row.until] if row.until else max(order.values())
        return since <= generation.order <= until

    def engines(self, row: Row, generation: Generation) -> tuple[str, ...]:
        """The engines of a generation that have an instruction, in the generation's order."""
        if not self.available(row, generation):
            return ()
        order = {g.name: g.order for g in self.generations}
        since = {e: order[name] for e, name in row.engine_since.items()}
        return tuple(
            e.name
            for e in generation.engines
            if e.name in row.engines and since.get(e.name, 0) <= generation.order
        )


Loader = Callable[[], Target]
"""Imports a target when a program first asks for it."""
