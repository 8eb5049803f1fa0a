"""Panels: what can be kept on screen above the prompt, each as some lines of a width."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from nasm.apps.repl.moving import interruptible
from nasm.apps.repl.settings import PANELS
from nasm.apps.repl.shell import Shell
from nasm.base.problems import clean, counted
from nasm.base.records import dataclass
from nasm.base.source import Source, Span
from nasm.debugger.engines.records import EngineContext
from nasm.debugger.engines.transfers import NOTIFYING, TransferRecord
from nasm.debugger.session import Session
from nasm.show import engines, memories, network_map, strips
from nasm.show import steps as text
from nasm.show.columns import cut, squeezed, wrapped

CYCLES = 1_000
"""Cycles of the base clock that the panel of the time looks back."""

MARGIN = 14
"""Columns of names next to the lines of a program, at the most."""

PRINTED = 20
"""Lines of a panel that is printed once, at the most."""

_MARKED = re.compile(r"[^|]*[>*] +\d+ \|")

Make = Callable[[Shell, int, int], list[str]]
"""Makes the lines of a panel, for a width and at most so many; none if there is nothing to show."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: what makes its lines, and how many it has to have to be of use."""

    name: str
    make: Make
    least: int


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """A line on screen; ``kind`` is ``title``, ``mark`` (an engine is there) or empty."""

    text: str
    kind: str = ""


MADE: dict[str, Panel] = {}
"""Every panel by its name."""


def panel(name: str, least: int = 1) -> Callable[[Make], Make]:
    """Declare what makes a panel of :data:`PANELS`."""

    def declare(make: Make) -> Make:
        if name not in PANELS:
            raise TypeError(f"the panel {name} says nothing of itself")
        MADE[name] = Panel(name, make, least)
        return make

    return declare


# ---------------------------------------------------------------- all of them


def shown(shell: Shell, names: Sequence[str], width: int, height: int | None) -> list[ScreenLine]:
    """Panels below each other, in so many lines at the most; any number if that is None.

    What finds no room is named in the last line. Raises Refused if no program is loaded.
    """
    most = height or PRINTED * len(PANELS)
    wanted = [
        (one, lines)
        for one in (MADE[name] for name in names)
        if (lines := one.make(shell, width, most if height else PRINTED))
    ]
    chosen, left_out = _chosen(wanted, most)
    room = _shared(chosen, most - bool(left_out))
    framed: dict[str, list[ScreenLine]] = {}
    for (one, lines), count in zip(chosen, room, strict=True):
        if count < len(lines):
            lines = one.make(shell, width, count)[:count]
        framed[one.name] = _framed(one.name, lines, width)
    # Where some took less than they were given there may be room for one that was left out.
    for one, lines in [*left_out] if chosen else ():
        free = most - sum(map(len, framed.values())) - (len(left_out) > 1)
        if _needs((one, lines)) <= free:
            left_out.remove((one, lines))
            count = free - (len(lines) > 1)
            if count < len(lines):
                lines = one.make(shell, width, count)[:count]
            framed[one.name] = _framed(one.name, lines, width)
    found = [line for one, _ in wanted for line in framed.get(one.name, ())]
    if left_out:
        names = ", ".join(one.name for one, _ in left_out)
        found.append(ScreenLine(cut(f"no room: {names}", width), "title"))
    return [ScreenLine(cut(clean(line.text), width), line.kind) for line in found]


Wanted = tuple[Panel, list[str]]


def _chosen(wanted: Sequence[Wanted], most: int) -> tuple[list[Wanted], list[Wanted]]:
    """The panels for which there is room, with a title each, and the others."""
    chosen, left_out = list(wanted), list[Wanted]()
    while chosen and sum(map(_needs, chosen)) > most - bool(left_out):
        left_out.insert(0, chosen.pop())
    return chosen, left_out


def _needs(wanted: Wanted) -> int:
    """The lines that a panel takes at the least."""
    one, lines = wanted
    return min(one.least, len(lines)) + (len(lines) > 1)


def _shared(chosen: Sequence[Wanted], most: int) -> list[int]:
    """The lines of each panel: what is left goes to those that want it, in turn."""
    counts = [min(one.least, len(lines)) for one, lines in chosen]
    left = most - sum(map(_needs, chosen))
    while left > 0:
        wants = [n for n, (_, lines) in enumerate(chosen) if counts[n] < len(lines)]
        if not wants:
            break
        for n in wants[:left]:
            counts[n] += 1
        left -= len(wants)
    return counts


def _framed(name: str, lines: Sequence[str], width: int) -> list[ScreenLine]:
    """A panel below its title; a single line is placed next to it."""
    if len(lines) == 1:
        return [ScreenLine(cut(f"{name}: {lines[0].strip()}", width), "title")]
    rule = f"-- {name} "
    return [
        ScreenLine(rule + "-" * (width - len(rule)), "title"),
        *(
            ScreenLine(line, "mark" if name == "source" and _MARKED.match(line) else "")
            for line in lines
        ),
    ]


# ---------------------------------------------------------------- each of them


@panel("source", least=3)
def source(shell: Shell, width: int, most: int) -> list[str]:
    """The program around the places of engines: > marks what is next, * what is executed."""
    of = shell.session.source or _first_source(shell.session)
    if of is None:
        return []
    marks = places(shell.session, of)
    last = of.position(len(of.text.rstrip()))[0]
    chosen = _around(by_next(marks) or [1], last, most)
    names = {n: engine_labels(marks[n]) for n in chosen if n in marks}
    wide = max(map(len, names.values()), default=0)
    lines, before = list[str](), chosen[0] - 1 if chosen else 0
    margins = [f"{names.get(n, ''):>{wide}} {n:>4} | " for n in chosen]
    room = width - max(map(len, margins), default=0)
    texts = squeezed([of.line(n) for n in chosen], room)
    for n, margin, line in zip(chosen, margins, texts, strict=True):
        if n != before + 1:
            lines.append(f"{'':{wide}}  ...")
        lines.append(cut(margin + line, width))
        before = n
    return lines


def places(session: Session, of: Source) -> dict[int, list[str]]:
    """The lines of a text where engines are, those first that start something first.

    Each engine has ``>`` where it is next, and ``*`` where it executes.
    """
    marks: dict[int, list[str]] = {}
    for engine in _by_start(session):
        for place, sign in ((engine.span, ">"), *((one.span, "*") for one in engine.doing)):
            span = _within(place, of)
            if span is None:
                continue
            text = marks.setdefault(span.line, [])
            if engine.engine + sign not in text:
                text.append(engine.engine + sign)
    return marks


def _within(span: Span | None, of: Source) -> Span | None:
    """A place in a text: itself, or the call in the text that led to it."""
    if span is None or span.source is of:
        return span
    return next((frame.span for frame in reversed(span.chain) if frame.span.source is of), None)


def by_next(marks: Mapping[int, Sequence[str]]) -> list[int]:
    """Lines with marks, those first where an engine is next."""
    return sorted(marks, key=lambda n: not any(text.endswith(">") for text in marks[n]))


def _first_source(session: Session) -> Source | None:
    """The text of the first instruction that an engine is at."""
    spans = (engine.span for engine in _by_start(session))
    return next((span.source for span in spans if span is not None), None)


def _by_start(session: Session) -> list[EngineContext]:
    """The engines that have something to do, those first that start something first."""
    busy = [engine for engine in session.context().engines if not engine.idle]
    return sorted(busy, key=lambda e: (e.starts is None, e.starts or 0))


def engine_labels(text: Sequence[str]) -> str:
    """The names of engines, all shortened by the same rule if they are too long together."""
    whole = ",".join(text)
    if len(whole) <= MARGIN:
        return whole
    each = max(1, (MARGIN + 1) // len(text) - 2)
    return ",".join(name[:-1][:each] + name[-1] for name in text)[:MARGIN]


def _around(marked: Sequence[int], last: int, most: int) -> list[int]:
    """As many lines as there is room for: those with a mark in this order, then those around."""
    best: list[int] = []
    for number in marked:
        if _taken(found := sorted([*best, number])) <= most:
            best = found
    if len(best) < len(marked):
        return best
    for reach in range(1, last + 1):
        around = [range(max(1, n - reach), min(last, n + reach) + 1) for n in marked]
        found = sorted({n for some in around for n in some})
        if _taken(found) > most:
            break
        best = found
        if len(found) == last:
            break
    return best


def _taken(lines: Sequence[int]) -> int:
    """The lines that some of a program take, with one for each gap between them."""
    return len(lines) + sum(b - a > 1 for a, b in pairwise(lines))


@panel("queues", least=4)
def queues(shell: Shell, width: int, most: int) -> list[str]:
    """What 'where' says."""
    return engines.lines(shell.session, width, most=min(most + 1, engines.MOST))[1:]


@panel("semaphores")
def semaphores(shell: Shell, width: int, most: int) -> list[str]:
    """Values, those first that an engine waits for."""
    records = shell.session.semaphores()
    ordered = sorted(records, key=lambda s: (not s.waiting, not s.value))
    items = [
        f"${s.name} = {s.value}" + (f" ({', '.join(s.waiting)} waiting)" if s.waiting else "")
        for s in ordered
    ]
    return _first(wrapped(items, width), most, "'info semaphores' lists all")


@panel("transfers")
def transfers(shell: Shell, width: int, most: int) -> list[str]:
    """A line for each DMA in flight."""
    lines = [cut(_transfer(shell.session, t), width) for t in shell.session.transfers()]
    return _first(lines, most, "'info transfers' lists all")


def _transfer(session: Session, found: TransferRecord) -> str:
    where = found.span.brief if found.span else f"{found.engine} pc {found.pc}"
    tick = found.seen if found.phase == NOTIFYING else found.lands
    what = "seen" if found.phase == NOTIFYING else "lands"
    sure = "at" if found.certain else "not before"
    when = f"{what} {sure} {text.microseconds(session, tick):,.3f} µs"
    done = f"{found.landed}/{found.shares}"
    return f"  {where}: {found.phase}, {done} landed, {when}: {found.src} -> {found.dst}"


@panel("psum")
def psum(shell: Shell, width: int, most: int) -> list[str]:
    """The strip of banks, of each core."""
    session = shell.session
    found = session.memory.banks()
    cores = sorted({bank.record.core for bank in found if bank.record.tensors})
    lines = []
    for core in cores:
        lines += memories.strip([bank for bank in found if bank.record.core == core], width)
    return _first([cut(line, width) for line in lines], most, "'info banks' shows all")


@panel("display")
def display(shell: Shell, width: int, most: int) -> list[str]:
    """What is displayed."""
    return _first(shell.displays.lines(shell.session, width), most, "'display' shows all")


@panel("time", least=4)
def time(shell: Shell, width: int, most: int) -> list[str]:
    """The strips of the last cycles; the legend as far as there is room."""
    session = shell.session
    if not session.now:
        return []
    with interruptible(shell) as stop:
        found = session.engines.strip(CYCLES, strips.room(session, width))
    if stop.asked is not None and stop.asked.leaving:
        raise stop.asked
    if found is None:
        return ["interrupted"]
    lines = [line for line in strips.strips(session, found, width) if line]
    return lines[:most]


@panel("noc", least=4)
def noc(shell: Shell, width: int, most: int) -> list[str]:
    """The map of the chip; nothing where the target has none, or before anything was sent."""
    found = shell.session.engines.network()
    if not any(sum(map(sum, one.loads)) for row in found.rows for one in row):
        return []
    return network_map.shown(found, width, most)[:most]


def _first(lines: list[str], most: int, more: str) -> list[str]:
    """As many lines as there is room for, and that there are others."""
    if len(lines) <= most:
        return lines
    if most < 3:
        return lines[:most]
    left = counted(len(lines) - most + 1, "more line")
    return [*lines[: most - 1], f"  ... {left}: {more}"]
