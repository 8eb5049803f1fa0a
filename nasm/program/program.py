"""A program: compact columns of instructions per queue, and what they refer to."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from nasm.base.files import ANY, Allowed
from nasm.base.problems import Problem, counted
from nasm.base.records import dataclass, field, fields, replace
from nasm.base.source import Frame, Span
from nasm.base.suppressions import Allow
from nasm.isa.core_state import Part
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.figures import FigureSet
from nasm.isa.instruction import Row
from nasm.isa.micro_instructions import Micro
from nasm.isa.options import OptionValue
from nasm.isa.settings import Assigned
from nasm.isa.tile_grid import TilePlace, tile_name
from nasm.program.accepted_operands import Accepted
from nasm.program.shapes import Shape, Shapes
from nasm.views.tensor import Tensor
from nasm.views.view import Offsets, View

if TYPE_CHECKING:
    from nasm.isa.generation import Generation
    from nasm.isa.target import Target


class Wait(NamedTuple):
    """Hold an instruction until a semaphore's or event's value compares so.

    ``semaphore`` counts those of all cores: see :meth:`Generation.counter`.
    """

    semaphore: int
    op: str
    value: int


@dataclass(frozen=True, slots=True)
class Update:
    """Change a semaphore or event, of whichever core: ``op`` is ``+``, or ``=``, which sets a bit.

    It happens at completion, or when reading starts.
    """

    semaphore: int
    op: str
    value: int
    at_read: bool = False


@dataclass(slots=True, eq=False)
class Instruction:
    """An instruction with its operands: what many lines of a queue may share.

    ``operands`` are in the order of the row; an operand left out holds its default. ``accepted``
    is what it has in common with others that were given the same, while a program is made.
    """

    row: Row
    operands: tuple[object, ...]
    known: Shape | None = None
    accepted: Accepted | None = None

    def shape(self, engine: str, generation: Generation) -> Shape:
        """What it has in common with instructions that differ in addresses only."""
        found = self.known_on(engine, generation)
        if found is None:
            found = self.known = Shapes(generation).of(self.row, self.operands, engine)
        return found

    def known_on(self, engine: str, generation: Generation) -> Shape | None:
        """The same if it is known: one that others are expanded to may be executed elsewhere."""
        found = self.known
        if found is None or found.context.generation is not generation:
            return None
        return found if found.context.engine == engine else None

    def __reduce__(self) -> tuple[type[Instruction], tuple[Row, tuple[object, ...]]]:
        return Instruction, (self.row, self.operands)  # its shape follows from these

    def operand(self, name: str) -> object:
        """An operand by name."""
        return self.operands[self.row.position[name]]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must hold after a run; ``tree`` belongs to its author."""

    tree: object
    span: Span


class LoopRegister(NamedTuple):
    """What the text calls a register between two pcs of a queue, the latter excluded.

    A loop at run time has it for a form of its variable: ``k``, ``k*128 + 3``, ``%auto``.
    """

    queue: int
    first: int
    stop: int
    number: int
    text: str


class Posted(NamedTuple):
    """A moment that an instruction posts: its name in the program, its indices, and where.

    An index that the variable of a loop at run time moves is the loop's number, and an offset.
    """

    name: str
    indices: tuple[int | tuple[int, int], ...]
    at_read: bool
    span: Span


class SpilledBytes(NamedTuple):
    """How many bytes of tiles without room on the chip are saved to HBM, and loaded again."""

    saved: int = 0
    reloaded: int = 0

    @classmethod
    def sum(cls, parts: Iterable[SpilledBytes]) -> SpilledBytes:
        """Those of several together."""
        return cls(*map(sum, zip(cls(), *parts, strict=True)))


@dataclass(slots=True)
class QueueProgram:
    """The instructions of one queue, a column per fact: numbers index the program's tables.

    Blocks that were ``typed`` in while it ran follow the end of the queue, and begin there.
    """

    core: int
    engine: str
    instructions: array[int] = field(default_factory=lambda: array("i"))
    waits: array[int] = field(default_factory=lambda: array("i"))
    updates: array[int] = field(default_factory=lambda: array("i"))
    spans: array[int] = field(default_factory=lambda: array("i"))
    chains: array[int] = field(default_factory=lambda: array("i"))
    labels: dict[str, int] = field(default_factory=dict)
    typed: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return self.typed[0] if self.typed else len(self.instructions)


RANKS = "ranks"
"""The constant that says how many ranks there are, where the text does."""


@dataclass(slots=True, repr=False, eq=False)
class Program:
    """What the builder makes and a machine runs. Index 0 of each table means 'none'.

    ``constants`` are those of the whole text, for later questions about them by name, ``params``
    those with a range: its first and last value, and a step. Semaphores
    and events have numbers among those of all cores: see :meth:`Generation.counter`. ``cores`` is
    how many the program uses, ``tiles`` the places of those that are tiles, ``ranks`` how many
    machines run it; ``files`` are those that it may read, ``allows`` what the comments of its text
    allow, ``loop_registers`` those that the text does not name; ``settings`` are put into what
    cores hold before anything runs. ``views``, with arrays of tiles, and ``macros`` are what lines
    that are typed in may name, too; the latter belong to their author. ``posts`` are the moments
    that instructions post, by queue and pc: empty if the text has none. ``unnamed`` are the
    counters that the text cannot name: those of moments and drains. ``spilled`` is what transfers
    move that the author of a kernel did not ask for, ``overlap`` within how many of its calls some
    go before earlier ones.
    """

    target: Target
    generation: Generation
    tensors: dict[str, Tensor] = field(default_factory=dict)
    cores: int = 1
    tiles: list[TilePlace] = field(default_factory=list)
    ranks: int = 1
    semaphores: dict[str, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    transfers: dict[str, DeclaredTransfer] = field(default_factory=dict)
    queues: list[QueueProgram] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)
    waits: list[Wait | None] = field(default_factory=lambda: [None])
    updates: list[Update | None] = field(default_factory=lambda: [None])
    spans: list[Span | None] = field(default_factory=lambda: [None])
    chains: list[tuple[Frame, ...]] = field(default_factory=lambda: [()])
    expectations: list[Expectation] = field(default_factory=list)
    constants: dict[str, int | float] = field(default_factory=dict)
    params: dict[str, tuple[int, int | None, int | None]] = field(default_factory=dict)
    warnings: list[Problem] = field(default_factory=list)
    allows: list[Allow] = field(default_factory=list)
    files: Allowed = ANY
    loop_registers: list[LoopRegister] = field(default_factory=list)
    settings: list[Assigned] = field(default_factory=list)
    views: dict[str, View | list[View]] = field(default_factory=dict, compare=False)
    macros: object = field(default=None, compare=False)
    posts: dict[tuple[int, int], tuple[Posted, ...]] = field(default_factory=dict, compare=False)
    unnamed: set[int] = field(default_factory=set, compare=False)
    spilled: SpilledBytes = field(default=SpilledBytes(), compare=False)
    overlap: int = field(default=0, compare=False)

    __hash__ = None  # type: ignore[assignment]  # it is being made while it is used

    def own(self) -> Program:
        """The same program, of whose columns and tables others can be put in the place."""
        return replace(self, queues=[replace(lines) for lines in self.queues])

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """Every machine option with its value."""
        return self.generation.options

    @property
    def chosen(self) -> dict[str, OptionValue]:
        """The machine options that are not as they are by default."""
        return self.target.chosen(self.generation)

    @property
    def held_parts(self) -> tuple[Part, ...]:
        """What can be looked at of what its cores hold."""
        return self.target.parts(self.generation)

    @property
    def figures_set(self) -> tuple[FigureSet, ...]:
        """The timing figures that are not as they are by default."""
        return self.target.figures_set(self.generation)

    def span(self, queue: int, pc: int) -> Span | None:
        """Where an instruction is written, expansions included."""
        lines = self.queues[queue]
        span = self.spans[lines.spans[pc]]
        return span.within(self.chains[lines.chains[pc]]) if span is not None else None

    def instruction(self, queue: int, pc: int) -> Instruction:
        """The instruction and operands at a place of a queue, an expanded one among them."""
        if type(pc) is Micro:
            return cast(Instruction, pc.instruction)
        return self.instructions[self.queues[queue].instructions[pc]]

    def origin(self, pc: int) -> str:
        """What an expanded instruction came from, and where that was written; empty for others."""
        found = pc.origin if type(pc) is Micro else None
        if found is None:
            return ""
        span = self.span(*found.place) if found.place is not None else None
        return (
            f"{found.description}, {found.put} {span.brief}"
            if span is not None
            else found.description
        )

    def register_names(self, queue: int, pc: int) -> dict[int, str]:
        """What loops hold in registers at a place of a queue, by their numbers."""
        return {
            held.number: held.text
            for held in self.loop_registers
            if held.queue == queue and held.first <= pc < held.stop
        }

    def semaphore_name(self, number: int) -> str:
        """The name a program gave a semaphore or event, or its number on its core."""
        for table in (self.semaphores, self.events):
            for name, at in table.items():
                if at == number:
                    return name
        core, own, event = self.generation.counter(number)
        name = f"{'event' if event else ''}{own}"
        return f"{self.core_name(core)}.{name}" if self.cores > 1 else str(own)

    def queue_name(self, queue: int) -> str:
        """An engine's name, with its core's number in front of it if there are several."""
        lines = self.queues[queue]
        return self.named(lines.core, lines.engine)

    def instruction_name(self, queue: int, pc: int) -> str:
        """An instruction as sentences name it, "vector pc 3 (Add)"."""
        return f"{self.queue_name(queue)} pc {pc} ({self.instruction(queue, pc).row.name})"

    def line(self, queue: int, pc: int) -> tuple[int, int]:
        """The line of the text that an instruction came from: all rounds of a loop have one."""
        return queue, self.queues[queue].spans[pc] or -1 - pc

    def named(self, core: int, engine: str) -> str:
        """The name of an engine of a core, as reports say it."""
        return f"{self.core_name(core)}.{engine}" if self.cores > 1 else engine

    def core_name(self, core: int) -> str:
        """A core as reports name it: by its number, or by the place of its tile, "3-4"."""
        return tile_name(self.tiles[core]) if self.tiles else str(core)

    @property
    def places(self) -> list[TilePlace]:
        """The tiles that its cores are, where the target has some; if it names none, the first."""
        grid = self.generation.grid
        return self.tiles or ([] if grid is None else [grid.first])

    @property
    def busy_cores(self) -> list[int]:
        """The cores that have queues, in order: the others do nothing."""
        return sorted({lines.core for lines in self.queues})

    @property
    def core_names(self) -> tuple[str, ...]:
        """The cores as reports name them, if there are several."""
        return tuple(map(self.core_name, range(self.cores))) if self.cores > 1 else ()

    def core_numbered(self, name: str) -> int | None:
        """The core that a name means, as reports say it or by its number; None for none."""
        if name in self.core_names:
            return self.core_names.index(name)
        number = int(name) if name.isdecimal() and len(name) < 10 else -1
        return number if 0 <= number < self.cores else None

    def __len__(self) -> int:
        return sum(len(q) for q in self.queues)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same program, tensor by tensor, instruction by instruction."""
        if not isinstance(other, Program):
            return NotImplemented
        return all(
            _outline(getattr(self, f.name)) == _outline(getattr(other, f.name))
            for f in fields(Program)
            if f.compare
        )

    def __repr__(self) -> str:
        counts = ((len(self), "instruction"), (len(self.tensors), "tensor"))
        held = ", ".join(counted(n, what) for n, what in counts)
        return f"<program for {self.generation.summary}: {held}>"


_LOOKED_INTO = (Tensor, View, Offsets, DeclaredTransfer, Expectation)
"""What tensors, which are equal to themselves alone, are parts of."""


def _outline(value: object) -> object:
    """What a part of a program is, with the number of a tensor in the place of each mention."""
    if isinstance(value, list | tuple):
        return [_outline(item) for item in value]
    if isinstance(value, dict):
        return {key: _outline(item) for key, item in value.items()}
    if isinstance(value, Instruction):
        return value.row.name, _outline(value.operands)
    if isinstance(value, _LOOKED_INTO):
        parts = {f.name: getattr(value, f.name) for f in fields(value)}
        if isinstance(value, View):
            parts["tensor"] = value.tensor.index
        return type(value), {name: _outline(part) for name, part in parts.items()}
    return value
