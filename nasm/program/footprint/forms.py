"""Forms: the bytes that an instruction reads and writes, and the events between which it does.

What it reads is touched at its start. What it writes, adds to or may write in part is touched from
its start to its completion. What its transfer or its meeting moves is touched apart from the queue:
by a transfer from the start to the landing, by a meeting at the moment at which all have come.
"""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.effects import ONTO, Rendezvous, Transfer
from nasm.isa.generation import Generation
from nasm.isa.list_kinds import views
from nasm.program.footprint.layout import Regions
from nasm.program.footprint.reach import reached
from nasm.program.footprint.traits import Footprint, Traits, here
from nasm.program.program import Instruction
from nasm.program.shapes import Shape
from nasm.views.regions import Region
from nasm.views.view import Reg, View

_NONE: frozenset[Region] = frozenset()
APART = (Transfer, Rendezvous)
"""Effects of what touches bytes apart from the queue."""


@dataclass(frozen=True, slots=True)
class DetachedTouches:
    """What is touched apart from the queue: by a transfer, or while cores meet.

    A transfer that ``adds`` does so to what it writes.
    """

    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    meets: bool = False
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What an instruction touches.

    ``taken`` and ``left`` are the registers that it reads and writes. Regions that are ``loose``
    are all that a register may move an address to: less of it is touched each time.
    """

    reads: tuple[Region, ...] = ()
    writes: tuple[Region, ...] = ()
    moved: DetachedTouches | None = None
    taken: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    loose: frozenset[Region] = frozenset()


class Forms:
    """The forms of a program's instructions, from their rows; all their tensors have places."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self.regions = Regions()
        self._traits: dict[tuple[Shape, int], Traits] = {}

    def of(self, instruction: Instruction, engine: str, core: int) -> Form:
        """What an instruction of an engine touches."""
        shape = instruction.shape(engine, self.generation)
        traits = self._traits.get((shape, core))
        if traits is None:
            traits = self._traits[shape, core] = Traits(shape, core)
        return _Reader(self.regions, shape, traits, instruction).form()


class _Reader:
    """Reads one instruction."""

    def __init__(
        self, regions: Regions, shape: Shape, traits: Traits, instruction: Instruction
    ) -> None:
        self.regions, self.shape, self.traits = regions, shape, traits
        self.row, self.operands = instruction.row, instruction.operands
        self.loose: list[Region] = []

    def form(self) -> Form:
        """What it touches."""
        traits, operands = self.traits, self.operands
        reads = self._views(traits.reads)
        if traits.tile is not None:
            named = (view.offsets for operand in operands for view in _named(operand))
            reads += self._each([offsets.tile for offsets in named if offsets is not None])
        writes = self._views(traits.writes)
        effect, moved = self._effect(), None
        if (
            isinstance(effect, Rendezvous)
            and effect.exchange is not None
            and effect.exchange.direct
        ):
            reads += self._each([effect.exchange.src])
            writes += self._each([effect.exchange.dst])
        else:
            moved = self._moved(effect)
        return Form(
            _once(reads),
            _once(writes),
            moved,
            (*_registers(operands, traits.registers), *self.shape.registers),
            _registers(operands, traits.stored),
            frozenset(self.loose) if self.loose else _NONE,
        )

    def _each(self, found: list[View] | tuple[View, ...]) -> list[Region]:
        regions = []
        for view in found:
            if view.dynamic or view.offsets is not None:
                region = reached(self.regions, view)
                if view.dynamic:
                    self.loose.append(region)
            else:
                region = self.regions.of(view)
            regions.append(region)
        return regions

    def _views(self, places: list[tuple[int, Footprint | None]]) -> list[Region]:
        found: list[Region] = []
        for position, footprint in places:
            if footprint is None:
                found += self._each([self.operands[position]])  # type: ignore[list-item]
            else:
                found += self._each(footprint(here(self.shape.context, self.operands)))
        return found

    def _moved(self, made: object) -> DetachedTouches | None:
        """What moves apart from the queue; ``made`` is what the semantics return."""
        if isinstance(made, Transfer):
            into = self._each([dst for dst, *_ in made.moves])
            out = self._each([src for _, *srcs in made.moves for src in srcs])
            return DetachedTouches(tuple(out), tuple(into), adds=made.op == ONTO)
        if isinstance(made, Rendezvous) and made.exchange is not None:
            out, into = self._each([made.exchange.src]), self._each([made.exchange.dst])
            return DetachedTouches(tuple(out), tuple(into), meets=True)
        if self.row.effect not in APART:
            return None
        every = tuple(self._each([v for o in self.operands for v in _named(o)]))
        return DetachedTouches(every, every, meets=self.row.effect is Rendezvous)

    def _effect(self) -> object:
        """What the semantics return; None if that matters not, or if only a run knows."""
        traits = self.traits
        if self.row.effect not in APART or traits.blind or traits.registers:
            return None
        arguments = traits.arguments.copy()
        for position, at in traits.constants:
            arguments[at] = self.operands[position]
        try:
            return traits.row.semantics(*arguments)
        except Refused:
            return None


def _once(regions: list[Region]) -> tuple[Region, ...]:
    return tuple(dict.fromkeys(regions) if len(regions) > 1 else regions)


def _registers(operands: tuple[object, ...], places: list[tuple[int, int]]) -> tuple[int, ...]:
    if not places:
        return ()
    found = (operands[position] for position, _ in places)
    return tuple(register.number for register in found if isinstance(register, Reg))


def _named(operand: object) -> tuple[View, ...]:
    if isinstance(operand, DeclaredTransfer):
        return tuple(view for pair in operand.moves for view in pair)
    return views(operand)
