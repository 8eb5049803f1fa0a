"""A row: everything there is to say of one instruction, and an instruction made of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from operator import itemgetter
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar

from nasm.base.problems import Refused, Severity
from nasm.base.records import dataclass
from nasm.isa.by_name import named, variant_named
from nasm.isa.core_state import Blocked
from nasm.isa.effects import Effect, Packet, Transfer
from nasm.isa.evidence import Cost
from nasm.isa.field_kinds import Bits, Encoding, Field
from nasm.isa.flops import Flops
from nasm.isa.generation import Generation
from nasm.isa.implicit_kinds import CoreState, Here, Implicit
from nasm.isa.kinds import Kind, Tile
from nasm.isa.ranges import RegisterComparison, Some
from nasm.views.view import Offsets, View

T = TypeVar("T")
P = ParamSpec("P")


class _Required:
    """Marks an operand that has no default."""

    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a row.

    ``access``: ``r`` is passed to the semantics, ``w`` receives a result, ``rw`` both, ``-`` is
    neither (a hint, or something only rules and costs look at), ``@`` passes the semantics the view
    itself, not its elements. ``adds`` names a flag operand: while it is true the result is added to
    what the memory holds, when the instruction completes. ``adds_to_any`` names a switch of the
    generation: where it is off, adding to what another kind of instruction wrote last has no
    defined result. ``partial`` says that elements may keep what they held: the semantics return a
    :class:`~nasm.isa.effects.Partial`. ``keyword`` has it written with its name, as a bare number
    would say little. ``footprint`` gives the views that are really read or written, where they are
    not the one that a program writes; the semantics see them stacked along the partitions.
    ``derived`` gives a function that makes of its elements, as memory has them, what the semantics
    take in their place, or None; the same function for operands that mean the same, as what it
    makes is kept until the elements change. Of columns of a tensor it also gets a function that
    returns what it makes of all of it, and which columns they are. ``use`` says what is done with
    an engine value that is read and left again, ``READ`` without it: see
    :mod:`nasm.isa.implicit_kinds`.
    A ``bare`` one is written without its name although its values are words, as is the custom of
    its language; one that is ``based`` is written in parentheses after the one before.
    """

    name: str
    kind: Kind
    access: str = "r"
    default: object = REQUIRED
    doc: str = ""
    adds: str = ""
    adds_to_any: str = ""
    partial: bool = False
    keyword: bool = False
    evidence: str = ""
    footprint: OfOperands[tuple[View, ...]] | None = None
    derived: OfOperands[Callable[..., Any] | None] | None = None
    use: OfOperands[str] | None = None
    bare: bool = False
    based: bool = False

    @property
    def implicit(self) -> bool:
        """Never written in a program: held in the engine, or known from elsewhere."""
        return isinstance(self.kind, Implicit)

    @property
    def named(self) -> bool:
        """Whether nasm writes it with its name, as it does with all that follow such a one."""
        worded = bool(self.kind.words) or self.kind.names == "label"
        return self.keyword or (worded and not self.bare)

    @property
    def walked(self) -> bool:
        """Whether the engine's lanes walk it: not a transfer's view, not a sequencer's element."""
        return self.access != "@" and any(t.lanes for t in self._tiles)

    @property
    def data(self) -> bool:
        """Whether its value is for the semantics only: it may be a tile, of which nothing is known.

        Cost, domain and footprints are the same for all numbers with a fraction that it may be.
        """
        some = getattr(self.kind, "kinds", ())
        return self.access == "r" and bool(self._tiles) and len(some) > len(self._tiles)

    @property
    def indirect(self) -> bool:
        """Whether a tile of entries may address it."""
        return any(getattr(kind, "indirect", False) for kind in self.kinds)

    @property
    def _tiles(self) -> list[Tile]:
        return [k for k in self.kinds if isinstance(k, Tile)]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Its kind, and those that it may be one of."""
        return (self.kind, *getattr(self.kind, "kinds", ()))


@dataclass(slots=True)
class InstructionContext:
    """An instruction about to be checked, costed or bound: its operands, engine and generation.

    ``tiles`` are the views that the engine's lanes walk, ``addressed`` those that a tile of entries
    addresses, both with their operands.
    """

    row: Row
    operands: dict[str, Any]
    engine: str
    generation: Generation
    tiles: list[tuple[Operand, View]]
    addressed: list[tuple[Operand, View, Offsets]]

    @staticmethod
    def of(
        row: Row, values: tuple[object, ...], engine: str, generation: Generation
    ) -> InstructionContext:
        """A row with operands in its order."""
        tiles = [
            (row.operands[n], value) for n in row.walked if isinstance(value := values[n], View)
        ]
        addressed: list[tuple[Operand, View, Offsets]] = []
        for n, value in enumerate(values):
            if type(value) is View:
                if value.offsets is not None:
                    addressed.append((row.operands[n], value, value.offsets))
            elif type(value) is tuple and value and type(value[0]) is View:
                of_list = (v for v in value if v.offsets is not None)
                addressed += [(row.operands[n], v, v.offsets) for v in of_list]
        operands = dict(zip(row.position, values, strict=True))
        return InstructionContext(row, operands, engine, generation, tiles, addressed)

    def here(self, kind: Here, core: int, rank: int | None = None) -> object:
        """The place of the instruction, as an operand needs it; None for a rank that is unknown."""
        engines = (engine.name for engine in self.generation.engines)
        return kind.at(core, self.engine, engines, rank)

    @property
    def in_float32(self) -> bool:
        """Whether the instruction computes in float32."""
        return self.row.domain(self) == FLOAT32


@dataclass(frozen=True, slots=True)
class OfOperands(Generic[T]):
    """What follows from some operands of an instruction: a cost, a domain, a footprint.

    ``names`` are the operands that ``answer`` asks for: a row that lacks one of them fails its
    import. ``name`` and ``doc`` are those of the function it was made of.
    """

    names: tuple[str, ...]
    answer: Callable[[InstructionContext], T]
    name: str
    doc: str = ""

    def __call__(self, context: InstructionContext) -> T:
        """The answer of one instruction."""
        return self.answer(context)


def of_operands(
    function: Callable[Concatenate[InstructionContext, P], T],
) -> Callable[..., OfOperands[T]]:
    """Have a function of operands called with their names, where a row is made.

    A row names its operands, and the function gets their values::

        @of_operands
        def two_tiles(context: Context, first: View, second: View) -> Cost: ...

        cost=two_tiles("data1", "data2")

    A parameter with a default may be left out, for rows that have no such operand.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def named(*names: str, **keywords: str) -> OfOperands[T]:
        try:
            bound = signature.bind(None, *names, **keywords)
        except TypeError as error:
            raise TypeError(f"{function.__name__}, called with {names}: {error}") from None
        names, keywords = bound.args[1:], bound.kwargs
        return OfOperands(
            (*names, *keywords.values()),
            _with_operands(function, names, keywords),
            function.__name__,
            inspect.getdoc(function) or "",
        )

    return named


def _with_operands(
    function: Callable[..., T], names: tuple[str, ...], keywords: Mapping[str, str]
) -> Callable[[InstructionContext], T]:
    """The function of a context that passes another one its operands."""
    if keywords:
        words = tuple(keywords.items())

        def answer(context: InstructionContext) -> T:
            held = context.operands
            return function(context, *(held[n] for n in names), **{k: held[n] for k, n in words})
    elif len(names) > 1:
        get = itemgetter(*names)

        def answer(context: InstructionContext) -> T:
            return function(context, *get(context.operands))
    else:

        def answer(context: InstructionContext) -> T:
            return function(context, *(context.operands[n] for n in names))

    return answer


class About(str):
    """What the check of a rule found of one operand, whose name is ``operand``."""

    operand: str

    def __new__(cls, operand: str, text: str) -> About:
        """A sentence about an operand."""
        made = super().__new__(cls, text)
        made.operand = operand
        return made


SHAPE: Final = "E0404"
"""After one of these the other rules of a row would only repeat the error."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint between operands: its sentence, its source, and how it is checked.

    ``check`` returns None, or a sentence that says what was found and what was wanted; ``names``
    are the operands it was made for, which a row that has the rule must have. ``about`` is the
    operand that is at fault where it is broken, if that is always the same one; of several the
    check says which with :class:`About`.
    ``addressed`` says that only an instruction with an operand that a tile of entries addresses
    can break it. The rules after a ``basic`` one take it for granted: where it is broken they are
    not checked. ``each`` says that it looks at addresses, or at the value of what may be data: what
    others find is the same for all instructions of a shape, and they are checked once for each.
    ``relative`` says that what it looks at means something else on another engine.
    """

    code: str
    sentence: str
    source: str
    check: Callable[[InstructionContext], str | None]
    hint: str = ""
    severity: Severity = Severity.ERROR
    addressed: bool = False
    basic: bool = False
    each: bool = False
    names: tuple[str, ...] = ()
    about: str = ""
    relative: bool = False

    @property
    def stops(self) -> bool:
        """Whether later rules are skipped where it is broken."""
        return self.basic or self.code == SHAPE

    def operand(self, text: str) -> str:
        """The operand that a finding of its check is about; empty if it is about several."""
        return text.operand if isinstance(text, About) else self.about

    def refusal(self, row: Row, text: str, elsewhere: str = "") -> Refused:
        """What to say of an instruction that breaks it: the finding, then the rule it breaks.

        ``elsewhere`` says where it would not.
        """
        quoted = f"rule: {self.sentence} ({self.source})"
        hint = "\n  ".join(part for part in (self.hint, elsewhere, quoted) if part)
        return Refused(self.code, f"{row.name}: {text}", hint)


FLOAT32: Final = "float32"
BITS: Final = "bits"


in_float32: Final = OfOperands((), lambda _: FLOAT32, "in_float32")
"""Elements are widened to float32 on reading and rounded once on writing."""
in_bits: Final = OfOperands((), lambda _: BITS, "in_bits")
"""Elements are taken, and stored, as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One row of the table. Its semantics are a pure function of arrays and immediates.

    ``vendor`` says what the vendor's tools call it, by tool. ``example`` and the lines of ``setup``
    before it name the target's sample tensors, and those that ``tensors`` declares; a declaration
    after an ``@engine`` is for that engine alone, in place of one before it. ``flops`` are its
    floating-point operations, if the peak of the machine counts them. ``encoding`` is its word,
    where instructions have one: then each operand that is written is a field of it, in the order of
    the row. ``condition`` is asked when nothing else keeps an instruction from starting, and says
    what still does; it changes nothing. Of implicit operands it gets what the core holds, and the
    place. ``instead`` are other rows, each with when to use it in the place of this one.
    ``variant`` is set of a row as it is on one generation, where others have it in another form:
    the target's module and the name of the generation. One that ``signals`` has a packet make its
    update, where that is; of one that ``spreads`` each of several receivers posts, as many as its
    update says. One that ``sends`` may have what its core holds send a packet. Where operands are
    not known (an :class:`~nasm.isa.ranges.Unknown` in the place of an integer, None in that of a
    tile) ``bounds`` says what is known of the integer that the semantics return, and ``ways`` are
    the effects that a branch may have, each with what must hold for it.

    ``written`` are the operands a program writes, ``reads`` those the semantics take, ``writes``
    those they return, ``effect`` is the type of effect they return instead, ``walked`` the
    positions of those that lanes may walk, ``data`` of those whose numbers are data, ``places``
    those a program writes with their positions, ``labels`` the positions of labels, each in order.
    """

    name: str
    operands: tuple[Operand, ...]
    engines: tuple[str, ...]
    rules: tuple[Rule, ...]
    cost: OfOperands[Cost]
    semantics: Callable[..., Any]
    domain: OfOperands[str]
    vendor: Mapping[str, tuple[str, ...]]
    example: str
    source: str
    since: str
    until: str
    engine_since: Mapping[str, str]
    posts: int
    effect: type[Effect] | None
    formula: str
    doc: str
    setup: str
    tensors: str
    flops: OfOperands[Flops] | None
    condition: OfOperands[Blocked | None] | None
    position: Mapping[str, int]
    written: tuple[Operand, ...]
    reads: tuple[Operand, ...]
    writes: tuple[Operand, ...]
    walked: tuple[int, ...]
    data: frozenset[int]
    defaults: tuple[object, ...]
    places: tuple[tuple[int, Operand], ...]
    labels: tuple[int, ...]
    encoding: Encoding | None = None
    instead: tuple[tuple[str, str], ...] = ()
    variant: tuple[str, str] | None = None
    signals: bool = False
    spreads: bool = False
    sends: bool = False
    bounds: Callable[..., Some] | None = None
    ways: Callable[..., tuple[tuple[Effect, RegisterComparison], ...]] | None = None

    def __reduce__(self) -> tuple[Callable[..., Row], tuple[str, ...]]:
        if self.variant is not None:
            return variant_named, (*self.variant, self.name)
        return named, (self.semantics.__module__, self.name)

    @property
    def holds(self) -> bool:
        """Whether its semantics get what the core holds, and may change it."""
        return any(isinstance(operand.kind, CoreState) for operand in self.reads)

    @property
    def moves(self) -> bool:
        """Whether it has bytes moved apart from its queue."""
        return self.effect is Transfer or (self.effect is Packet and not self.signals)

    @property
    def acts(self) -> bool:
        """Whether all it does is done to what the core holds."""
        return self.holds and self.effect is None and not self.writes

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return self.doc.strip().splitlines()[0]

    @property
    def parts(self) -> Mapping[str, Field]:
        """Other names that a program may write: of operands, and of parts of them."""
        return {} if self.encoding is None else self.encoding.parts

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that a program may write before a value."""
        return (*(o.name for o in self.written), *self.parts)

    def kind(self, name: str) -> Kind | None:
        """What may follow such a name; None if it is none."""
        found = next((o.kind for o in self.written if o.name == name), None)
        return Bits(self.parts[name]) if found is None and name in self.parts else found

    def operand(self, name: str) -> Operand:
        """An operand by name."""
        return self.operands[self.position[name]]


def bind(row: Row, given: list[object], named: Mapping[str, object]) -> tuple[object, ...]:
    """Put positional and named operands in the order of the row, defaults where none is given."""
    written = row.written
    if len(given) > len(written):
        few = "1 operand" if len(written) == 1 else f"{len(written) or 'no'} operands"
        raise Refused(
            "E0307",
            f"{row.name} takes {few}, found {len(given)}",
            f"its operands: {', '.join(o.name for o in written)}" if written else "",
        )
    values = list(row.defaults)
    position = row.position
    for operand, value in zip(written, given, strict=False):
        values[position[operand.name]] = value
    for name, value in named.items():
        at = position[name]
        if values[at] is not row.defaults[at]:
            raise Refused("E0309", f"operand '{name}' of {row.name} is given twice")
        values[at] = value
    if any(value is REQUIRED for value in values):  # an array would compare element by element
        missing = [o.name for o in written if values[position[o.name]] is REQUIRED]
        if missing:
            what = "operand" if len(missing) == 1 else "operands"
            raise Refused(
                "E0308",
                f"{row.name} lacks its {what} {', '.join(missing)}",
                f"for example: {row.example}",
            )
    return tuple(values)
