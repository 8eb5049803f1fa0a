"""The context as lines: what every engine executes, what is next there, and why it waits."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nasm.base.problems import counted, listed
from nasm.debugger.session import Session
from nasm.machine.records import Rows
from nasm.show import steps
from nasm.show.columns import WIDTH, cut, hanging, table
from nasm.show.steps import Timed

if TYPE_CHECKING:
    from nasm.debugger.engines.counters import Changed, Counter
    from nasm.debugger.engines.records import Context, Doing, EngineContext, Location
    from nasm.debugger.engines.wait_chain import WaitChain

MOST = 20
"""Lines that a context takes at the most."""

MUCH = 16
"""Columns of an instruction below which it follows its description."""

NOW, NEXT, SPACE = "  now   ", "  next  ", "        "


def lines(session: Session, width: int = WIDTH, plain: bool = False, most: int = MOST) -> list[str]:
    """What all engines do, as one screen, below the moment of the run."""
    found, head = session.context(), cut(steps.status(session), width)
    if plain:
        text = (sentences(found, e) for e in found.engines if not e.idle)
        return [head, *(line for lines in text for line in lines)]
    return [head, *screenful(found, width, most - 1)]


def screenful(found: Context, width: int, most: int = MOST - 1) -> list[str]:
    """What all engines do, in so many lines: the more there is to tell, the less of each."""
    tail = [*_transfers(found, width), *_idle(found, width)]
    busy = [engine for engine in found.engines if not engine.idle]
    room = most - len(tail)
    for block in (_whole, _short, _shorter, _shortest):
        blocks = [block(found, engine, width) for engine in busy]
        if sum(map(len, blocks)) <= room:
            return [*(line for lines in blocks for line in lines), *tail]
    return [*_left_out(busy, blocks, room, width), *tail]


def detail(of: Timed, engine: EngineContext, width: int = WIDTH) -> list[str]:
    """All there is to tell of one engine."""
    text = hanging(f"{_head(engine)}, {engine.completed:,} of its instructions completed", width)
    if engine.idle:
        return [*text, f"  {'nothing left to do' if engine.length else 'no instructions'}"]
    for one in engine.doing:
        text += _filled(NOW, f"{_placed(one.at, one.text)}, {_until(of, one.until)}", width)
        if one.busy < one.until and one.busy > of.now:
            text.append(f"{SPACE}its unit is free {_until(of, one.busy, 'from')} on")
        text += steps.excerpt(one.span, width) if one.span else []
    if engine.at is not None:
        text += _filled(NEXT, _placed(engine.at, engine.text), width)
        for hold in engine.holds:
            text += _filled(SPACE, hold.reason, width)
        if engine.starts is not None:
            sure = "at" if engine.certain else "not before"
            text += _filled(SPACE, f"starts {sure} {_time(of, engine.starts)}", width)
        text += steps.excerpt(engine.span, width) if engine.span else []
    return text


def sentences(of: Timed, engine: EngineContext) -> Iterator[str]:
    """One engine in sentences, which can be read aloud: each is a line."""
    yield f"{engine.engine} is at its cycle {engine.cycle:,}."
    for one in engine.doing:
        yield f"It executes {_placed(one.at, one.text)}, {_until(of, one.until)}."
    if engine.at is None:
        yield "It has nothing else to do."
        return
    yield f"Its next instruction is {_placed(engine.at, engine.text)}."
    if engine.expansion:
        yield f"That is one of {engine.expansion}."
    if engine.origin:
        yield f"It comes from {engine.origin}."
    yield f"It {engine.why}."


def chain(found: WaitChain, width: int = WIDTH) -> list[str]:
    """Why an engine does not continue: a sentence for each that blocks the one before."""
    text = [link.sentence for link in found.links]
    last = [found.sentence] if found.sentence else []
    last += [f"hint: {found.hint}"] if found.hint else []
    return [line for one in (*text, *last) for line in _filled("", one, width, "  ")]


def semaphore(of: Timed, found: Counter, history: Rows[Changed], width: int = WIDTH) -> list[str]:
    """All there is to tell of a semaphore or event, and when it got the values it has had."""
    kind = "event" if found.event else "semaphore"
    number = steps.numbered(of, found.core, found.number)
    text = [f"{post.change} of {post.by} is seen at {_time(of, post.at)}" for post in found.pending]
    if found.seen != found.value:
        text.insert(0, f"waiters see {found.seen}")
    for one in found.waiting:
        goes = f", until {_time(of, one.until)}" if one.until is not None else ""
        text.append(f"{one.at} waits for {one.op} {one.value}{goes}")
    if found.moving:
        text.append(f"transfers in flight will add {found.moving}")
    lines = [f"${found.name} = {found.value}, {kind} {number}"]
    lines += [line for one in text for line in _filled("  ", one, width)]
    return [*lines, *_posters(found, width), *_changes(history, width)]


def _posters(found: Counter, width: int) -> list[str]:
    rows = [
        (str(p.at), p.change, f"{p.made:,}", f"{p.ahead:,} or more" if p.maybe else f"{p.ahead:,}")
        for p in found.posters
    ]
    heads = ("posted by", "each", ">done", ">to come")
    return table(heads, rows, width) if rows else ["  nothing in the program posts it"]


def _changes(history: Rows[Changed], width: int) -> list[str]:
    """When it got the values that it has had, and by whom."""
    from nasm.show import listings

    heads, rows, *_ = listings.history(history, history.units)
    return table(heads, rows, width) if rows else []


# -- an engine, from the longest to the shortest


def _whole(of: Timed, engine: EngineContext, width: int) -> list[str]:
    text = [cut(_head(engine), width)]
    for one in engine.doing:
        text.append(_doing(of, one, width, NOW))
    if engine.at is not None:
        text.append(cut(NEXT + _placed(engine.at, engine.text), width))
        text += [cut(f"{SPACE}from {engine.origin}", width)] if engine.origin else []
        text += _filled(SPACE, engine.why, width)[:2]
    return text


def _short(of: Timed, engine: EngineContext, width: int) -> list[str]:
    return [cut(_head(engine), width), *_next(of, engine, width, NOW, NEXT)]


def _shorter(of: Timed, engine: EngineContext, width: int) -> list[str]:
    """Without a line for its name: that precedes what it does."""
    name = f"{engine.engine} {engine.cycle:,}  "
    after = NEXT if engine.doing else f"{name}next  "
    return _next(of, engine, width, f"{name}now   ", after)


def _shortest(of: Timed, engine: EngineContext, width: int) -> list[str]:
    """One line: what it waits for, or what it executes."""
    name = f"{engine.engine} {engine.cycle:,}  "
    if engine.at is None or (engine.doing and not engine.holds):
        return [_doing(of, engine.doing[0], width, name, len(engine.doing))]
    where = engine.at.where
    return [cut(f"{name}{where} {engine.brief}", width)]


def _next(of: Timed, engine: EngineContext, width: int, now: str, after: str) -> list[str]:
    """What it executes in a line, what is next, and in a line why that does not start."""
    text, doing = [], engine.doing
    if doing:
        text.append(_doing(of, doing[0], width, now, len(doing)))
    if engine.at is None:
        return text
    why, room = engine.why, width - len(SPACE)
    text.append(cut(after + _placed(engine.at, engine.text), width))
    return [*text, cut(SPACE + (why if len(why) <= room else engine.brief), width)]


def _doing(of: Timed, one: Doing, width: int, margin: str, count: int = 1) -> str:
    """An instruction in flight, and until when; of several that there are more."""
    until, text = _until(of, one.until), _placed(one.at, one.text)
    more = f" (and {count - 1} more)" if count > 1 else ""
    room = width - len(margin) - len(until) - len(more) - 2
    if room < MUCH:
        return cut(f"{margin}{until}{more}: {text}", width)
    return f"{margin}{cut(text, room)}, {until}{more}"


def _head(engine: EngineContext) -> str:
    at = f", pc {engine.at.pc} of {engine.length}" if engine.at is not None else ""
    of = f" ({engine.expansion})" if engine.expansion else ""
    return f"{engine.engine}  cycle {engine.cycle:,}{at}{of}"


def _placed(at: Location, text: str) -> str:
    """An instruction after its line."""
    where = at.where
    return f"{where}{f' ({at.rounds})' if at.rounds else ''}: {text}"


def _until(of: Timed, tick: int, word: str = "until") -> str:
    return f"{word} {_time(of, tick)}"


def _time(of: Timed, tick: int) -> str:
    return f"{steps.microseconds(of, tick):,.3f} µs"


def _filled(margin: str, text: str, width: int, after: str = "") -> list[str]:
    """A sentence in lines, the first after a margin, the others below."""
    after = after or " " * len(margin)
    return textwrap.wrap(
        text, width, initial_indent=margin, subsequent_indent=after, break_on_hyphens=False
    )


# -- the rest


def _left_out(
    busy: Sequence[EngineContext], blocks: Sequence[list[str]], room: int, width: int
) -> list[str]:
    """As many engines as there is room for, and that there are others."""
    shown = max(1, room - 1)
    names = listed((engine.engine for engine in busy[shown:]), "and")
    more = f"… and {counted(len(busy) - shown, 'engine')} more ('where ENGINE'): {names}"
    return [*(line for lines in blocks[:shown] for line in lines), cut(more, width)]


def _transfers(found: Context, width: int) -> list[str]:
    """How many transfers are in flight, and which of them lands next."""
    flying = [transfer for transfer in found.transfers if transfer.left]
    if not flying:
        return []
    first = min(flying, key=lambda transfer: transfer.lands)
    sure = "at" if first.certain else "not before"
    text = f"{counted(len(flying), 'transfer')} in flight"
    one = "it" if len(flying) == 1 else "the first"
    return [cut(f"{text}: {one} lands {sure} {_time(found, first.lands)}", width)]


def _idle(found: Context, width: int) -> list[str]:
    """The engines that have nothing to do, in a line."""
    done = [e.engine for e in found.engines if e.idle and e.length]
    none = [e.engine for e in found.engines if e.idle and not e.length]
    parts = [f"done: {', '.join(done)}"] if done else []
    parts += [f"no instructions: {', '.join(none)}"] if none else []
    return [cut("; ".join(parts), width)] if parts else []
