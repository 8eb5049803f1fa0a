"""What cores and engines hold, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from nasm.base.problems import counted
from nasm.debugger.session import Session
from nasm.debugger.values.engine_state import StatePart
from nasm.debugger.values.value import Value
from nasm.show import arrays
from nasm.show.columns import hanging, table


def overview(session: Session, found: Iterable[StatePart], width: int, plain: bool) -> list[str]:
    """A line for each part of a core that is not idle, and what engines hold; maybe none."""
    items = [item for item in found if not item.resting]
    rows = [(_name(session, one), now(one), one.how) for one in items if not one.engine]
    lines = [f"{name}: {text} ({what})" for name, text, what in rows]
    if not plain:
        lines = _table(rows, width)
    return lines + [line for one in items if one.engine for line in _engine(session, one, width)]


def _table(rows: list[tuple[str, str, str]], width: int) -> list[str]:
    """Parts and how they are now, and what they are where all of that fits."""
    heads = "part", "now", "what it is"
    lines = table(heads, rows, 1 << 20)
    if max(map(len, lines)) > width:
        lines = table(heads[:2], [row[:2] for row in rows], width)
    return lines if rows else []


def whole(session: Session, found: Iterable[StatePart], width: int, plain: bool) -> list[str]:
    """All of each; of several, idle ones by their names."""
    items = list(found)
    rest = [one.name for one in items if one.resting] if len(items) > 1 else []
    busy = [one for one in items if one.name not in rest]
    lines = [line for one in busy for line in _whole(session, one, width, plain)]
    return [*lines, *hanging(f"unchanged: {', '.join(rest)}", width)] if rest else lines


def now(item: StatePart) -> str:
    """How a part of a core is now, in a few words."""
    if item.summary:
        return item.summary
    if item.rows:
        return counted(len(item.rows), "row")
    for _, value in item.parts:
        every = (slice(None),) * len(value.shape)
        known = value.known(every)
        if not known.all():
            return f"{int(known.sum()):,} of {value.size:,} known"
        there = int(np.count_nonzero(value.stored(every)))
        return f"{there:,} of {value.size:,} not 0" if value.shape else f"{value.number:g}"
    return "empty"


def _name(session: Session, item: StatePart) -> str:
    return session.program.named(item.core, item.name)


def _whole(session: Session, item: StatePart, width: int, plain: bool) -> Iterator[str]:
    if item.engine:
        yield from _engine(session, item, width, True)
        return
    yield from hanging(f"{_name(session, item)}: {item.how}", width)
    if item.summary:
        yield from hanging(f"  {item.summary}", width)
    if item.heads and not item.rows:
        yield "  empty"
    elif plain and item.rows:
        heads = [head.removeprefix(">") for head in item.heads]
        for row in item.rows:
            yield "  " + ", ".join(f"{h} {cell}" for h, cell in zip(heads, row, strict=True))
    elif item.rows:
        yield from (f"  {line}" for line in table(item.heads, item.rows, width - 2))
    else:
        for _, value in item.parts:
            yield from _elements(session, value, width)


def _elements(session: Session, value: Value, width: int) -> Iterator[str]:
    yield from arrays.shown(value, "", width)
    yield arrays.summary(value, session.expressions.statistics(value))


def _engine(session: Session, item: StatePart, width: int, full: bool = False) -> Iterator[str]:
    name = f"{session.program.named(item.core, item.engine)}'s {item.name}"
    if not item.parts:
        yield f"{name}: nothing yet ({item.how})"
    for what, value in item.parts:
        lines = arrays.shown(value, "", width) if full else [arrays.heading(value)]
        sizes = lines[0].removeprefix(value.text).strip()
        yield from (f"{name}  {sizes}", *([f"  {what}"] if what else []), *lines[1:])
        yield arrays.summary(value, session.expressions.statistics(value))
