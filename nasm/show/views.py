"""How things draw themselves outside the prompt: the lines of the debugger's views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from nasm.base.drawing import Drawn
from nasm.base.problems import clean
from nasm.debugger.engines.records import Context
from nasm.debugger.engines.wait_chain import Blocked
from nasm.debugger.moving.breakpoints import Breakpoint, Breakpoints
from nasm.debugger.origins.records import Why
from nasm.debugger.session import Session
from nasm.debugger.values.differences import Difference
from nasm.debugger.values.memory import BankNow, MemoryNow
from nasm.debugger.values.pictures import Picture
from nasm.debugger.values.statistics import Histogram, Statistics, statistics
from nasm.debugger.values.value import Value
from nasm.machine.records import Rows
from nasm.show import arrays, differences, engines, html, listings, memories, origins, pictures
from nasm.show.columns import WIDTH, cut, hanging, in_ascii, table

Lines = list[str]


def parts(thing: Drawn, width: int, coloured: bool, ascii_only: bool = False) -> list[Text]:
    """A thing in lines of at most so many columns."""
    if isinstance(thing, Picture):
        return pictures.drawn(thing, coloured)
    for kind, lines in VIEWS.items():
        if isinstance(thing, kind):
            return [Text(in_ascii(line) if ascii_only else line) for line in lines(thing, width)]
    return [Text(repr(thing))]


def _session(session: Session, width: int) -> Lines:
    return [*hanging(repr(session)[1:-1], width), *engines.screenful(session.context(), width)]


def _context(found: Context, width: int) -> Lines:
    stands = f"{found.status.value}, at {found.units.moment(found.tick)}"
    return [cut(stands, width), *engines.screenful(found, width)]


def _value(value: Value, width: int) -> Lines:
    lines = arrays.shown(value, "", width)
    if not value.shape and value.view is None:
        return lines
    return [*lines, arrays.summary(value, statistics(value))]


def _rows(found: Rows[Any], width: int) -> Lines:
    several = found.units.cores > 1
    if found.kind is MemoryNow:
        return [line for one in found for line in memories.shown(one, several, width)]
    if found.kind is BankNow:
        return memories.banks(found, several, width)
    listing = listings.LISTINGS[found.kind](found, found.units)
    if not listing.rows:
        return [listing.none]
    return [*table(listing.heads, listing.rows, width), *([listing.note] if listing.note else [])]


def _breakpoints(found: Breakpoints, width: int) -> Lines:
    return _rows(Rows(Breakpoint, found, found.running.units), width)


VIEWS: Mapping[type, Callable[[Any, int], Lines]] = {
    Blocked: engines.chain,
    Breakpoints: _breakpoints,
    Context: _context,
    Difference: differences.shown,
    Histogram: arrays.histogram,
    MemoryNow: lambda found, width: memories.shown(found, found.core > 0, width),
    Rows: _rows,
    Session: _session,
    Statistics: lambda found, width: [arrays.statistics(found).strip()],
    Value: _value,
    Why: origins.told,
}
"""How each kind of thing looks, but for pictures, which have colours."""


# -- where it is drawn


def html_of(thing: Drawn) -> str:
    """A thing for a notebook."""
    return html.page(parts(thing, html.WIDTH, coloured=True))


def plain(thing: Drawn) -> str:
    """A thing as text."""
    return "\n".join(clean(part.plain) for part in parts(thing, WIDTH, coloured=False))


def rendered(thing: Drawn, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
    """A thing for a console of Rich's, as wide as that is."""
    graded = console.color_system in ("256", "truecolor") and not options.ascii_only
    for part in parts(thing, options.max_width, graded, options.ascii_only):
        part.no_wrap, part.plain = True, clean(part.plain)
        yield part
