"""Where a value came from, as indented lines: what made it, of what, and these in turn."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from nasm.base.problems import counted
from nasm.base.records import replace
from nasm.debugger.origins.origins import EngineElements, OfCore
from nasm.debugger.origins.records import Maker, OriginSource, Why
from nasm.debugger.origins.writes import CHANGE, TRANSFER

STEP = 2
"""Columns that what something was made of is moved in by."""

MOST_ADDED = 6
"""Earlier additions that are listed one by one; of more, the first and the last."""


_NO = {"NaN": "NaN", "infinity": "infinite or NaN"}


def chain_lines(why: Why, width: int, ascii_only: bool = False) -> list[str]:
    """A chain as lines of at most so many columns."""
    chain = _Chain(width, "us" if ascii_only else "µs")
    return list(chain.of(why))


class _Chain:
    """The lines of a chain; what was shown already is not repeated."""

    def __init__(self, width: int, micro: str) -> None:
        self.width, self.micro = width, micro
        self.shown: set[tuple[object, ...]] = set()

    def of(self, why: Why) -> Iterator[str]:
        """All lines."""
        yield from self._line(0, f"{why.text} = {why.summary}")
        yield from self._made(why, 1)

    def _line(self, level: int, text: str, hang: int = STEP) -> list[str]:
        """A line, folded where it is too long."""
        indent = min(level * STEP, self.width // 3)
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hang),
            break_long_words=True,
            break_on_hyphens=False,
        )

    def _made(self, why: Why, level: int) -> Iterator[str]:
        """What made a value, and of what."""
        if why.maker is None:
            yield from self._line(level, why.start)
            return
        by = "left as it was by" if why.kept else "by"
        by = "changed with" if isinstance(why.place, OfCore) else by
        yield from self._line(level, f"{by} {self._maker(why.maker)}")
        key = (why.text, why.maker)
        if key in self.shown and (why.sources or why.before):
            yield from self._line(level, "shown above")
            return
        self.shown.add(key)
        if why.born:
            yield from self._line(level, f"no source is {_NO[why.born]}: first computed here")
        if len(why.sources) == 1 and not why.before:
            yield from self._source(why.sources[0], level, "from ", why.summary)
        else:
            for source in why.sources:
                named = source.text.startswith(source.role)
                yield from self._source(source, level, "" if named else f"{source.role}: ")
        clear = isinstance(why.place, OfCore) or why.maker.kind == CHANGE
        if not why.sources and not why.before and not clear:
            yield from self._line(level, "from nothing that was read: a constant")
        if why.kept:
            for one in why.before:
                yield from self._line(level, "before that")
                yield from self._made(one, level)
        else:
            yield from self._added(why, level)

    def _maker(self, maker: Maker) -> str:
        when = f"cycle {maker.cycle:,}, {maker.us:.3f} {self.micro}"
        if maker.kind == CHANGE:
            return f"hand: {maker.text}, at {when}"
        verb = "landed at" if maker.kind == TRANSFER else "at"
        return f"{maker.name}{maker.where}, {maker.queue} pc {maker.pc}, {verb} {when}"

    def _source(self, source: OriginSource, level: int, word: str, same: str = "") -> Iterator[str]:
        """A source, and where it came from: a single one is shown at the same level."""
        value = "" if source.summary == same else f" = {source.summary}"
        yield from self._line(level, f"{word}{source.text}{value}")
        below = level if word == "from " else level + 1
        if len(source.whys) == 1 and source.whys[0].text == source.text:
            yield from self._made(source.whys[0], below)
            return
        for part in source.whys:
            yield from self._line(level + 1, f"{part.text} = {part.summary}")
            yield from self._made(part, level + 2)

    # -- what was added to

    def _added(self, why: Why, level: int) -> Iterator[str]:
        """What a value was added to, and what had been added before."""
        before = list(why.added)
        if not before:
            return
        first = why.before[0]
        yield from self._line(level, f"added to {first.text} = {first.summary}")
        shown = before
        if len(before) > MOST_ADDED:
            shown = [*before[: MOST_ADDED - 1], before[-1]]
        for one in shown:
            if one is before[-1] and len(shown) < len(before):
                left = counted(len(before) - len(shown), "more addition")
                yield from self._line(level + 1, left)
            yield from self._earlier(one, level + 1)

    def _earlier(self, one: Why, level: int) -> Iterator[str]:
        read = [_read(source) for source in one.sources]
        if one.maker is None or any(source.whys for source in read):
            yield from self._line(level, f"{one.text} = {one.summary}")
            yield from self._made(replace(one, before=()), level + 1)
            return
        of = " and ".join(source.text for source in read)
        text = f"{one.summary} by {self._maker(one.maker)}"
        yield from self._line(level, f"{text}, of {of}" if of else text)


def _read(source: OriginSource) -> OriginSource:
    """What was read, where an instruction left it in the engine."""
    if (
        isinstance(source.place, EngineElements)
        and len(source.whys) == 1
        and source.whys[0].sources
    ):
        return source.whys[0].sources[0]
    return source
