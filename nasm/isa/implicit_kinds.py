"""Kinds of operand that no program writes: what semantics need in addition to what is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.field_kinds import Field
from nasm.isa.kinds import WRONG_KIND, Kind, OperandContext


@dataclass(frozen=True, slots=True)
class Implicit(Kind):
    """What semantics need and no program writes."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The operands it follows from, which the row must have."""
        return ()

    def accept(self, value: object) -> object:
        raise Refused(WRONG_KIND, f"{self.describe()} is not written in a program")


Part = tuple[str, Any, Any]
"""What an engine value consists of, to be looked at: what it is in a few words, an array, and
which of its elements are known (None: all)."""


READ, JOINED, REPLACED, KEPT = "read", "joined", "replaced", "kept"
"""What an instruction does with an engine value that it reads and leaves: its results follow from
it; only what it leaves does; not even that does; it looks at none, and leaves it as it is."""


def _whole(value: Any) -> Iterable[Part]:
    yield "", value, None


@dataclass(frozen=True, slots=True)
class EngineValue(Implicit):
    """What one instruction leaves in the engine for a later one.

    Reading it before it was left is a fault that says ``how`` to leave it, unless there is an
    ``initial`` value, or a function that makes one for an instruction's context. ``parts`` takes a
    value apart for display.
    """

    name: str
    how: str
    initial: object = None
    parts: Callable[[Any], Iterable[Part]] = _whole

    def describe(self) -> str:
        return f"the engine's {self.name}"


@dataclass(frozen=True, slots=True)
class DtypeOf(Implicit):
    """The dtype of another operand; None if that one is not given."""

    operand: str

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.operand,)

    def describe(self) -> str:
        return f"the dtype of {self.operand}"

    def for_semantics(self, value: object, context: OperandContext) -> object:
        view = context.operands[self.operand]
        return None if view is None else view.dtype


@dataclass(frozen=True, slots=True)
class ShapeOf(Implicit):
    """The partitions of another operand, and its elements in each."""

    operand: str

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.operand,)

    def describe(self) -> str:
        return f"the shape of {self.operand}"

    def for_semantics(self, value: object, context: OperandContext) -> object:
        view = context.operands[self.operand]
        return view.partitions, view.elements


@dataclass(frozen=True, slots=True)
class LanesOf(Implicit):
    """The partitions of another operand, as a slice; None if that one is not given."""

    operand: str

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.operand,)

    def describe(self) -> str:
        return f"the partitions of {self.operand}"

    def for_semantics(self, value: object, context: OperandContext) -> object:
        view = context.operands[self.operand]
        if view is None:
            return None
        first = (view.tensor.partition or 0) + view.partition
        return slice(first, first + view.partitions)


@dataclass(frozen=True, slots=True)
class Doubt(Implicit):
    """Where the hardware does not promise a result: semantics write a sentence, or None.

    The run continues with the result and warns; the sentence begins with a verb, and ``rule`` is
    what it goes against.
    """

    rule: str

    def describe(self) -> str:
        return f"a warning: {self.rule}"


@dataclass(frozen=True, slots=True)
class Here(Implicit):
    """The ``core`` or the ``engine`` of the instruction, or its ``queue`` within the core.

    Queues are numbered as the generation lists their engines. ``rank`` is that of the machine,
    which only a run knows.
    """

    what: str

    def describe(self) -> str:
        return f"the {self.what} that executes it"

    def at(self, core: int, engine: str, engines: Iterable[str], rank: int | None) -> object:
        """Its value on an engine of a core, which is one of those of the generation."""
        number = [*engines].index(engine)
        return {"core": core, "engine": engine, "queue": number, "rank": rank}[self.what]


@dataclass(frozen=True, slots=True)
class CoreState(Implicit):
    """What the core holds: the object that the target made for it, which semantics may change.

    A row that reads it and writes no operand may return a function: what is done at completion.
    """

    def describe(self) -> str:
        return "what the core holds"


@dataclass(frozen=True, slots=True)
class RoundingOf(Implicit):
    """How results are rounded into another operand: a function from float32 to float32."""

    operand: str

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.operand,)

    def describe(self) -> str:
        return f"the rounding into {self.operand}"


@dataclass(frozen=True, slots=True)
class SwitchOf(Implicit):
    """A switch of the generation."""

    name: str

    def describe(self) -> str:
        return f"whether the generation has {self.name}"

    def for_semantics(self, value: object, context: OperandContext) -> object:
        return context.generation.switches[self.name]


@dataclass(frozen=True, slots=True)
class OptionOf(Implicit):
    """A machine option."""

    name: str

    def describe(self) -> str:
        return f"the machine option {self.name}"

    def for_semantics(self, value: object, context: OperandContext) -> object:
        return context.generation.options[self.name]


@dataclass(frozen=True, slots=True)
class FieldOf(Implicit):
    """A part of operands that are fields of a word, under its own name.

    ``operands`` are those that have bits of it.
    """

    field: Field
    operands: tuple[Field, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.operands)

    def describe(self) -> str:
        return f"{self.field.where} of the word"

    def for_semantics(self, value: object, context: OperandContext) -> object:
        word = 0
        for one in self.operands:
            word |= one.put(context.operands[one.name])
        return self.field.get(word)
