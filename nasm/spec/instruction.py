"""A row: everything there is to say of one instruction, and how rows become an ISA."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from nasm.problems import Refused, closest, did_you_mean, listed
from nasm.spec.effects import Effect
from nasm.spec.evidence import Cost
from nasm.spec.implicit_operands import Hidden
from nasm.spec.kinds import Kind, Tile
from nasm.spec.options import Value
from nasm.spec.target import Generation, Target, named
from nasm.spec.view import Offsets, View


class _Required:
    """Stands for the default of an operand that has none."""

    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a row.

    ``access``: ``r`` is handed to the semantics, ``w`` receives a result, ``rw`` both, ``-`` is
    neither (a hint, or something only rules and costs look at), ``@`` hands the semantics the
    view itself, not its elements. ``adds`` names a flag operand: while it is true the result is
    added to what the memory holds, when the instruction completes. ``adds_to_any`` names a switch
    of the generation: where it is off, adding to what another kind of instruction wrote last has
    no defined result. ``partial`` says that
    elements may keep what they held: the semantics return a :class:`~nasm.spec.effects.Partial`.
    ``keyword`` has it written with its name, as a bare number would say little.
    ``footprint`` gives the views that are really read or written, where they are not the one that
    a program writes; the semantics see them stacked along the partitions.
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
    footprint: Callable[[Context], tuple[View, ...]] | None = None

    @property
    def hidden(self) -> bool:
        """Never written in a program: held in the engine, or known from elsewhere."""
        return isinstance(self.kind, Hidden)

    @property
    def named(self) -> bool:
        """Whether nasm writes it with its name, as it does with all that follow such a one."""
        return self.keyword or bool(self.kind.words) or self.kind.names == "label"

    @property
    def walked(self) -> bool:
        """Whether the engine's lanes walk it: not a transfer's view, not a sequencer's element."""
        return self.access != "@" and any(t.lanes for t in self._tiles)

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
class Context:
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
    def of(row: Row, values: tuple[object, ...], engine: str, generation: Generation) -> Context:
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
        return Context(row, operands, engine, generation, tiles, addressed)

    def __getitem__(self, name: str) -> Any:
        return self.operands[name]

    def option(self, name: str) -> Value:
        """A machine option in force."""
        return self.generation.options[name]


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint between operands: its sentence, its source, and how it is checked.

    ``check`` returns None, or a sentence that says what was found and what was wanted.
    ``addressed`` says that only an instruction with an operand that a tile of entries addresses
    can break it. The rules behind a ``basic`` one take it for granted: where it is broken they
    say nothing.
    """

    code: str
    sentence: str
    source: str
    check: Callable[[Context], str | None]
    hint: str = ""
    warning: bool = False
    addressed: bool = False
    basic: bool = False

    def refusal(self, row: Row, said: str, elsewhere: str = "") -> Refused:
        """What to say of an instruction that breaks it: the finding, then the rule it breaks.

        ``elsewhere`` says where it would not.
        """
        quoted = f"rule: {self.sentence} ({self.source})"
        hint = "\n  ".join(part for part in (self.hint, elsewhere, quoted) if part)
        return Refused(self.code, f"{row.name}: {said}", hint)


FLOAT32: Final = "float32"
BITS: Final = "bits"


def in_float32(_: Context) -> str:
    """Elements are widened to float32 on reading and rounded once on writing."""
    return FLOAT32


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One row of the table. Its semantics are a pure function of arrays and immediates.

    ``vendor`` says what the vendor's tools call it, by tool. ``example`` and the lines of
    ``setup`` before it name the target's sample tensors, and those that ``tensors`` declares;
    a declaration behind an ``@engine`` is for that engine alone, in place of one before it.

    ``written`` are the operands a program writes, ``reads`` those the semantics take, ``writes``
    those they return, ``effect`` is the type of effect they return instead, ``walked`` the
    positions of those that lanes may walk, ``places`` those a program writes with their positions,
    ``labels`` the positions of labels, each in order.
    """

    name: str
    operands: tuple[Operand, ...]
    engines: tuple[str, ...]
    rules: tuple[Rule, ...]
    cost: Callable[[Context], Cost]
    semantics: Callable[..., Any]
    domain: Callable[[Context], str]
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
    position: Mapping[str, int]
    written: tuple[Operand, ...]
    reads: tuple[Operand, ...]
    writes: tuple[Operand, ...]
    walked: tuple[int, ...]
    defaults: tuple[object, ...]
    places: tuple[tuple[int, Operand], ...]
    labels: tuple[int, ...]

    def __reduce__(self) -> tuple[Callable[[str, str], Row], tuple[str, str]]:
        return named, (self.semantics.__module__, self.name)

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return self.doc.strip().splitlines()[0]

    def operand(self, name: str) -> Operand:
        """An operand by name."""
        return self.operands[self.position[name]]


class Isa:
    """The instructions of a target, in the order they were written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: dict[str, Row] = {}

    def __iter__(self) -> Any:
        return iter(self.rows.values())

    def meant(self, word: str, also: Iterable[str] = ()) -> str:
        """A hint for a word that is no mnemonic: the vendor's other names are known as well.

        ``also`` are other words that may have been meant. Empty if nothing is close.
        """
        theirs: dict[str, list[str]] = {}
        for name, row in self.rows.items():
            every = (n.rpartition(".")[2] for names in row.vendor.values() for n in names)
            for spelling in dict.fromkeys(every):  # in order: of equally close ones the first
                theirs.setdefault(spelling, []).append(name)
        known = [*self.rows, *also]
        said = word if word in theirs else ""
        if not said and not closest(word, known):
            said = next(iter(closest(word, theirs)), "")
        if not said:
            return did_you_mean(word, known)
        if len(theirs[said]) == 1:
            return f"did you mean '{theirs[said][0]}'?"
        return f"it is several instructions here: {listed(theirs[said], 'and')}"

    def arrange(self, modules: Iterable[str]) -> None:
        """List the rows by the modules they were written in, in this order; all are named."""
        place = {module: n for n, module in enumerate(modules)}
        self.rows = dict(
            sorted(self.rows.items(), key=lambda item: place[item[1].semantics.__module__])
        )

    def instruction(
        self,
        *operands: Operand,
        engines: tuple[str, ...],
        cost: Callable[[Context], Cost],
        source: str,
        example: str,
        rules: tuple[Rule, ...] = (),
        domain: Callable[[Context], str] = in_float32,
        vendor: Mapping[str, tuple[str, ...]] | None = None,
        since: str = "",
        until: str = "",
        engine_since: Mapping[str, str] | None = None,
        posts: int = 0,
        effect: type[Effect] | None = None,
        formula: str = "",
        setup: str = "",
        tensors: str = "",
    ) -> Callable[[Callable[..., Any]], Row]:
        """Make a row of a function: its parameters must be the operands it reads."""

        def make(semantics: Callable[..., Any]) -> Row:
            row = Row(
                semantics.__name__,
                operands,
                engines,
                rules,
                cost,
                semantics,
                domain,
                vendor or {},
                example,
                source,
                since,
                until,
                engine_since or {},
                posts,
                effect,
                formula,
                inspect.getdoc(semantics) or "",
                setup,
                tensors,
                {o.name: n for n, o in enumerate(operands)},
                tuple(o for o in operands if not o.hidden),
                tuple(o for o in operands if o.access in ("r", "rw", "@")),
                tuple(o for o in operands if o.access in ("w", "rw")),
                tuple(n for n, o in enumerate(operands) if o.walked),
                tuple(None if o.hidden else o.default for o in operands),
                tuple((n, o) for n, o in enumerate(operands) if not o.hidden),
                tuple(n for n, o in enumerate(operands) if o.kind.names == "label"),
            )
            _consistent(row)
            if row.name in self.rows:
                raise TypeError(f"two rows are called {row.name}")
            self.rows[row.name] = row
            return row

        return make


def _consistent(row: Row) -> None:
    """The halves of a row must agree, or the import fails."""
    takes = tuple(inspect.signature(row.semantics).parameters)
    reads = tuple(o.name for o in row.reads)
    if takes != reads:
        raise TypeError(f"{row.name} takes {takes} but its row reads {reads}")
    for operand in row.operands:
        if operand.adds and operand.adds not in row.position:
            raise TypeError(f"{row.name}.{operand.name} adds by an unknown operand {operand.adds}")
    if not row.doc or not row.source or not row.example:
        raise TypeError(f"{row.name} lacks its documentation, source or example")


@cache
def rules_of(target: Target, row: Row, addressed: bool) -> tuple[Rule, ...]:
    """The rules that an instruction must obey: the target's, then the row's own."""
    return tuple(r for r in (*target.rules, *row.rules) if addressed or not r.addressed)


@dataclass(frozen=True, slots=True)
class Facts:
    """What follows from an instruction's operands: how it computes, and what it costs."""

    context: Context
    domain: str
    cost: Cost

    @staticmethod
    def of(row: Row, operands: tuple[object, ...], engine: str, generation: Generation) -> Facts:
        """Ask the row."""
        context = Context.of(row, operands, engine, generation)
        return Facts(context, row.domain(context), row.cost(context))


def bind(row: Row, given: list[object], named: Mapping[str, object]) -> tuple[object, ...]:
    """Put positional and named operands in the order of the row, defaults where none is given."""
    written = row.written
    if len(given) > len(written):
        raise Refused(
            "E0307",
            f"{row.name} takes {len(written)} operands, found {len(given)}",
            f"its operands: {', '.join(o.name for o in written)}",
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
