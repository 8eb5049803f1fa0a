"""How rows become an ISA: a table whose rows are checked when they are made."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from nasm.base.problems import closest, did_you_mean, listed
from nasm.isa.core_state import Blocked
from nasm.isa.effects import Effect
from nasm.isa.evidence import Cost
from nasm.isa.field_kinds import Bits, Encoding
from nasm.isa.flops import Flops
from nasm.isa.implicit_kinds import Implicit
from nasm.isa.instruction import OfOperands, Operand, Row, Rule, in_float32
from nasm.isa.ranges import RegisterComparison, Some


class Isa:
    """The instructions of a target, in the order they were written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: dict[str, Row] = {}
        self.other_names: dict[str, Row] = {}

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
        same = (name for name in theirs if _folded(name) == _folded(word))
        text = word if word in theirs else next(same, "")
        if any(_folded(name) == _folded(word) for name in known):
            text = ""
        if not text and not closest(word, known):
            text = next(iter(closest(word, theirs)), "")
        if not text:
            return did_you_mean(word, known)
        if len(theirs[text]) == 1:
            return f"did you mean '{theirs[text][0]}'?"
        return f"it is several instructions here: {listed(theirs[text], 'and')}"

    def arrange(self, modules: Iterable[str]) -> None:
        """List the rows by the modules they were written in, in this order; all are named."""
        place = {module: n for n, module in enumerate(modules)}
        self.rows = dict(
            sorted(self.rows.items(), key=lambda item: place[item[1].semantics.__module__])
        )
        for row in self.rows.values():
            for other, _ in row.instead:
                if other not in self.rows or other == row.name:
                    raise TypeError(f"{row.name}: there is no row {other} to use instead")

    def instruction(
        self,
        *operands: Operand,
        engines: tuple[str, ...],
        cost: OfOperands[Cost],
        source: str,
        example: str,
        rules: tuple[Rule, ...] = (),
        domain: OfOperands[str] = in_float32,
        vendor: Mapping[str, tuple[str, ...]] | None = None,
        since: str = "",
        until: str = "",
        engine_since: Mapping[str, str] | None = None,
        posts: int = 0,
        effect: type[Effect] | None = None,
        formula: str = "",
        setup: str = "",
        tensors: str = "",
        flops: OfOperands[Flops] | None = None,
        encoding: Encoding | None = None,
        condition: OfOperands[Blocked | None] | None = None,
        also: str = "",
        instead: Mapping[str, str] | None = None,
        signals: bool = False,
        spreads: bool = False,
        sends: bool = False,
        bounds: Callable[..., Some] | None = None,
        ways: Callable[..., tuple[tuple[Effect, RegisterComparison], ...]] | None = None,
    ) -> Callable[[Callable[..., Any]], Row]:
        """Make a row of a function: its parameters must be the operands it reads.

        ``also`` is another name by which programs may call it, ``instead`` says when to use other
        rows in its place. ``bounds`` and ``ways`` take what the semantics take.
        """

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
                flops,
                condition,
                {o.name: n for n, o in enumerate(operands)},
                tuple(o for o in operands if not o.implicit),
                tuple(o for o in operands if o.access in ("r", "rw", "@")),
                tuple(o for o in operands if o.access in ("w", "rw")),
                tuple(n for n, o in enumerate(operands) if o.walked),
                frozenset(n for n, o in enumerate(operands) if o.data),
                tuple(None if o.implicit else o.default for o in operands),
                tuple((n, o) for n, o in enumerate(operands) if not o.implicit),
                tuple(n for n, o in enumerate(operands) if o.kind.names == "label"),
                encoding,
                tuple((instead or {}).items()),
                signals=signals,
                spreads=spreads,
                sends=sends,
                bounds=bounds,
                ways=ways,
            )
            _consistent(row)
            if row.name in self.rows:
                raise TypeError(f"two rows are called {row.name}")
            self.rows[row.name] = row
            if also:
                self.other_names[also] = row
            return row

        return make


def _consistent(row: Row) -> None:
    """The halves of a row must agree, or the import fails with what does not."""
    takes = tuple(inspect.signature(row.semantics).parameters)
    reads = tuple(o.name for o in row.reads)
    if takes != reads:
        raise TypeError(f"{row.name} takes {takes} but its row reads {reads}")
    for what, made in _given(row):
        if not isinstance(made, OfOperands):
            name = getattr(made, "__name__", made)
            raise TypeError(
                f"{row.name}: {what} is the function {name} itself; call it with the names of the "
                "operands it is to ask for"
            )
    for what, names in _asked(row):
        missing = [name for name in names if name not in row.position]
        if missing:
            raise TypeError(
                f"{row.name}: {what} asks for {', '.join(missing)}; the operands of the row are "
                f"{', '.join(row.position) or 'none'}"
            )
    fields = tuple(o.kind.field for o in row.written if isinstance(o.kind, Bits))
    if row.encoding is not None and fields != row.encoding.operands:
        raise TypeError(f"the word of {row.name} has other fields than its operands")
    text = _disagreement(row, _returned(row.semantics))
    if text:
        raise TypeError(f"{row.name} {text}")
    if not row.doc or not row.source or not row.example:
        raise TypeError(f"{row.name} lacks its documentation, source or example")


def _given(row: Row) -> Iterator[tuple[str, object]]:
    """What must be a function of operands, with their names."""
    yield "its cost", row.cost
    yield "its domain", row.domain
    if row.flops is not None:
        yield "its flops", row.flops
    if row.condition is not None:
        yield "its condition", row.condition
    for operand in row.operands:
        if operand.footprint is not None:
            yield f"the footprint of {operand.name}", operand.footprint
        if operand.derived is not None:
            yield f"what is derived of {operand.name}", operand.derived


def _asked(row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What asks for operands by name, and for which."""
    yield f"its cost, {row.cost.name},", row.cost.names
    yield f"its domain, {row.domain.name},", row.domain.names
    if row.flops is not None:
        yield f"its flops, {row.flops.name},", row.flops.names
    if row.condition is not None:
        yield f"its condition, {row.condition.name},", row.condition.names
    for rule in row.rules:
        about = (rule.about,) if rule.about else ()
        yield f"its rule '{rule.sentence}'", (*rule.names, *about)
    for operand in row.operands:
        if isinstance(operand.kind, Implicit):
            yield f"its operand {operand.name}, {operand.kind.describe()},", operand.kind.needs
        if operand.footprint is not None:
            yield f"the footprint of {operand.name}", operand.footprint.names
        if operand.adds:
            yield f"its operand {operand.name}, which adds,", (operand.adds,)


def _returned(semantics: Callable[..., Any]) -> Any:
    """The type that a function says it returns; its other hints are not evaluated."""
    kind = semantics.__annotations__.get("return", Any)
    if isinstance(kind, str):
        kind = eval(kind, semantics.__globals__)
    return type(None) if kind is None else kind


def _done_later(returns: Any) -> bool:
    """Whether it is nothing, or a function of what is done at completion."""
    return returns is type(None) or typing.get_origin(returns) is Callable


def _disagreement(row: Row, returns: Any) -> str:
    """How what the semantics say they return is not what the row says; empty if it is."""
    found = typing.get_args(returns) or (returns,)
    effects = [t for t in found if isinstance(t, type) and issubclass(t, Effect)]
    wanted = [] if row.effect is None else [row.effect]
    if effects != wanted:
        says = f"says effect={row.effect.__name__}" if row.effect else "names no effect"
        what = " or ".join(t.__name__ for t in effects) or "no effect"
        return f"returns {what} but its row {says}"
    writes = ", ".join(o.name for o in row.writes)
    if row.acts and all(map(_done_later, found if type(None) in found else (returns,))):
        return ""
    if row.effect is not None and writes:
        return f"returns an effect, so nothing is left for {writes}, which its row writes"
    if row.effect is None and (returns is type(None)) == bool(writes):
        return f"returns {'nothing' if writes else 'a result'} but its row writes " + (
            writes or "nothing"
        )
    return ""


def _folded(name: str) -> str:
    """A name without its case and underscores, which comparing ignores."""
    return name.replace("_", "").lower()
