"""Kinds of operand. Each knows how to accept, format, describe and complete itself.

``accept`` takes what a program wrote, already evaluated: a number, a string, a bool, a list,
a :class:`View`, a :class:`Tensor`, a :class:`Reg`, or a :class:`Symbol` for a bare word. The
same values come from Python through the builder, where a bare word is a plain string.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from nasm.base.names import identifier
from nasm.base.problems import Refused, listed, quoted
from nasm.base.records import dataclass
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.generation import Generation
from nasm.isa.synonyms import meant
from nasm.views.spelling import spell
from nasm.views.tensor import Tensor
from nasm.views.value_text import value_text
from nasm.views.view import Reg, View

WRONG_KIND = "E0301"


class OperandContext(Protocol):
    """What a kind may ask of the instruction that its operand belongs to."""

    @property
    def generation(self) -> Generation:
        """The machine it is for."""

    @property
    def in_float32(self) -> bool:
        """Whether the instruction computes in float32."""

    @property
    def operands(self) -> Mapping[str, Any]:
        """All operands by their names."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What an operand accepts."""

    def accept(self, value: object) -> object:
        """The value as the machine uses it; raises Refused."""
        raise NotImplementedError

    def format(self, value: object) -> str:
        """The value as a program would write it."""
        return str(value)

    def describe(self) -> str:
        """What it accepts, for the manual page."""
        raise NotImplementedError

    @property
    def placeholder(self) -> str:
        """A word for a value of it, for the synopsis of an instruction."""
        raise NotImplementedError

    def for_semantics(self, value: object, context: OperandContext) -> object:
        """What semantics get for a value that is no view, no register and not held."""
        return value

    @property
    def words(self) -> tuple[str, ...]:
        """The closed vocabulary of bare words, if it has one."""
        return ()

    @property
    def meanings(self) -> Mapping[str, str]:
        """What its words mean, where the kind itself knows."""
        return {}

    @property
    def numeric(self) -> bool:
        """Whether its words are numbers: a program's own names come first, and bits combine."""
        return False

    @property
    def names(self) -> str:
        """Which of a program's names it accepts: ``tensor``, ``label``, ``transfer`` or ''."""
        return ""


def whole_number(value: object) -> str:
    """A hint for a float that is a whole number, where an integer is wanted; or nothing."""
    if not isinstance(value, float) or not value.is_integer():
        return ""
    return f"{value} is a fraction: '//' divides integers, and '/' never gives one"


@dataclass(frozen=True, slots=True)
class Tile(Kind):
    """A view in one of some memories, read or written element by element.

    ``flat`` passes semantics the free axes as one; ``dtypes`` limits the dtypes (empty: all);
    ``column`` wants one element per partition; ``lanes`` says that the engine's lanes walk it, so
    that the rules of its access patterns hold; ``indirect`` that a tile of entries may address it.
    """

    memories: tuple[str, ...]
    dtypes: tuple[str, ...] = ()
    flat: bool = True
    column: bool = False
    lanes: bool = True
    indirect: bool = False

    def accept(self, value: object) -> object:
        if isinstance(value, Tensor):
            value = View.whole(value)
        if not isinstance(value, View):
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        where = value.in_order().tensor.memory.name
        if where not in self.memories:
            raise Refused(
                "E0302",
                f"{value.tensor.name} is in {where}; this operand reaches "
                f"{listed(self.memories)} only",
            )
        if self.dtypes and value.dtype.name not in self.dtypes:
            raise Refused(
                "E0303", f"{value.tensor.name} is {value.dtype.name}; wanted {listed(self.dtypes)}"
            )
        if self.column and value.elements != 1:
            raise Refused(
                "E0304",
                f"{value_text(value)} has {value.elements} elements per partition; "
                "wanted one, a [P, 1] tile",
            )
        return value

    def format(self, value: object) -> str:
        return spell(value) if isinstance(value, View) else str(value)

    @property
    def placeholder(self) -> str:
        return "tile"

    def describe(self) -> str:
        shape = "a [P, 1] tile" if self.column else "a tile"
        types = f" of {listed(self.dtypes)}" if self.dtypes else ""
        return f"{shape} in {listed(self.memories)}{types}"

    @property
    def names(self) -> str:
        return "tensor"


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A number known when the program is assembled."""

    integer: bool = False
    low: float = -math.inf
    high: float = math.inf

    def accept(self, value: object) -> object:
        good = isinstance(value, int) if self.integer else isinstance(value, int | float)
        if isinstance(value, bool) or not good:
            message = f"wanted {self.describe()}, found {value_text(value)}"
            raise Refused(WRONG_KIND, message, whole_number(value))
        assert isinstance(value, int | float)
        if not (value != value or self.low <= value <= self.high):  # NaN is a number
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        return value if self.integer else as_float(value)

    def format(self, value: object) -> str:
        return repr(value)

    @property
    def placeholder(self) -> str:
        return "integer" if self.integer else "number"

    def describe(self) -> str:
        what = "an integer" if self.integer else "a number"
        if math.isinf(self.low) and math.isinf(self.high):
            return what
        return f"{what} from {_bound(self.low)} to {_bound(self.high)}"


def as_float(value: int | float) -> float:
    """A number as a float64; raises Refused if it is an integer beyond those."""
    try:
        return float(value)
    except OverflowError:
        raise Refused("E0211", f"{value_text(value)} is beyond float64") from None


def _bound(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


@dataclass(frozen=True, slots=True)
class Anything(Kind):
    """A number, kept as it was written: an integer stays one."""

    def accept(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refused(WRONG_KIND, f"wanted a number, found {value_text(value)}")
        as_float(value)
        return value

    def for_semantics(self, value: object, context: OperandContext) -> object:
        if isinstance(value, int) and context.in_float32:
            return float(value)
        return value

    @property
    def placeholder(self) -> str:
        return "number"

    def describe(self) -> str:
        return "a number"


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """``true`` or ``false``."""

    def accept(self, value: object) -> object:
        if not isinstance(value, bool):
            raise Refused(WRONG_KIND, f"wanted true or false, found {value_text(value)}")
        return value

    def format(self, value: object) -> str:
        return "true" if value else "false"

    @property
    def placeholder(self) -> str:
        return "true|false"

    def describe(self) -> str:
        return "true or false"

    @property
    def words(self) -> tuple[str, ...]:
        return ("true", "false")


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One word of a list."""

    options: tuple[str, ...]
    what: str = ""

    def accept(self, value: object) -> object:
        if isinstance(value, str) and value in self.options:
            return str(value)
        legal = f"wanted {listed(self.options)}"
        if not isinstance(value, str):
            raise Refused(WRONG_KIND, f"{value_text(value)} is no {self.what or 'word'}", legal)
        close = meant(value, self.options)
        message = f"no {self.what or 'word'} '{quoted(value)}' here"
        raise Refused("E0206", message, close or legal)

    @property
    def placeholder(self) -> str:
        few = len(self.options) <= 4 or not self.what
        return "|".join(self.options) if few else self.what.replace(" ", "-")

    def describe(self) -> str:
        return f"{self.what}: {listed(self.options)}" if self.what else listed(self.options)

    @property
    def words(self) -> tuple[str, ...]:
        return self.options


@dataclass(frozen=True, slots=True)
class Register(Kind):
    """A register of the engine."""

    count: int = 64

    def accept(self, value: object) -> object:
        if not isinstance(value, Reg):
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        if not 0 <= value.number < self.count:
            raise Refused(WRONG_KIND, f"{value} does not exist: wanted {self.describe()}")
        return value

    @property
    def placeholder(self) -> str:
        return "register"

    def describe(self) -> str:
        return f"a register %r0 to %r{self.count - 1}"


@dataclass(frozen=True, slots=True)
class Label(Kind):
    """A label of the instruction's queue."""

    def accept(self, value: object) -> object:
        if not isinstance(value, str):
            raise Refused(WRONG_KIND, f"wanted a label, found {value_text(value)}")
        return identifier(value)

    @property
    def placeholder(self) -> str:
        return "label"

    def describe(self) -> str:
        return "a label of this queue"

    @property
    def names(self) -> str:
        return "label"


@dataclass(frozen=True, slots=True)
class TransferName(Kind):
    """A prepared transfer, declared by ``.dma``."""

    def accept(self, value: object) -> object:
        if not isinstance(value, DeclaredTransfer):
            raise Refused(
                WRONG_KIND, f"wanted a transfer declared by .dma, found {value_text(value)}"
            )
        return value

    def format(self, value: object) -> str:
        return str(getattr(value, "name", value))

    @property
    def placeholder(self) -> str:
        return "transfer"

    def describe(self) -> str:
        return "a transfer declared by .dma"

    @property
    def names(self) -> str:
        return "transfer"


@dataclass(frozen=True, slots=True)
class Integers(Kind):
    """An integer or a list of integers (axes, a tile position)."""

    length: int = 0
    what: str = "an integer or a list of integers"

    def accept(self, value: object) -> object:
        items = tuple(value) if isinstance(value, list | tuple) else (value,)
        if any(isinstance(i, bool) or not isinstance(i, int) for i in items) or (
            self.length and len(items) != self.length
        ):
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        return items

    def format(self, value: object) -> str:
        assert isinstance(value, tuple)
        single = len(value) == 1 and not self.length
        return str(value[0]) if single else "[" + ", ".join(map(str, value)) + "]"

    @property
    def placeholder(self) -> str:
        return "integers"

    def describe(self) -> str:
        return self.what


@dataclass(frozen=True, slots=True)
class Either(Kind):
    """One of several kinds, the first that accepts."""

    kinds: tuple[Kind, ...]

    def accept(self, value: object) -> object:
        refusals: list[Refused] = []
        for kind in self.kinds:
            try:
                return kind.accept(value)
            except Refused as refused:
                refusals.append(refused)
        telling = [r for r in refusals if r.code != WRONG_KIND]
        if telling:
            raise telling[0]
        raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")

    def format(self, value: object) -> str:
        for kind in self.kinds:
            try:
                kind.accept(value)
            except Refused:
                continue
            return kind.format(value)
        return str(value)

    def for_semantics(self, value: object, context: OperandContext) -> object:
        for kind in self.kinds:
            with suppress(Refused):
                kind.accept(value)
                return kind.for_semantics(value, context)
        return value

    @property
    def placeholder(self) -> str:
        return "|".join(dict.fromkeys(k.placeholder for k in self.kinds))

    def describe(self) -> str:
        return listed(k.describe() for k in self.kinds)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(w for k in self.kinds for w in k.words)

    @property
    def names(self) -> str:
        return next((k.names for k in self.kinds if k.names), "")
