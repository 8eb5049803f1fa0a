"""Two critical paths, folded by line, joined: each line with itself, or with what replaced it.

Lines of one text are the same by their number; those of two texts are aligned first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nasm.analysis.profile.records import PathLine, Profile
from nasm.base.source import Source
from nasm.runs.diff.alignment import aligned
from nasm.runs.diff.records import OnPath, PathChange

Key = tuple[str, int | str]
"""A line of a text, by its number; of an instruction that is written nowhere, its name."""


def joined(a: Profile, b: Profile) -> tuple[PathChange, ...]:
    """The lines of both paths: what got slower first."""
    theirs = _by_line(b)
    same = _Lines(a.path, b.path)
    found: list[PathChange] = []
    for key, mine in _by_line(a).items():
        there = same.of(key)
        found += _pairs(mine, theirs.pop(there, []) if there else [])
    for others in theirs.values():
        found += _pairs([], others)
    return tuple(sorted(found, key=lambda line: -line.change))


def _by_line(profile: Profile) -> dict[Key, list[OnPath]]:
    total = max(1, sum(part.ticks for part in profile.spent))
    found: dict[Key, list[OnPath]] = {}
    for line in profile.path:
        time = line.ticks / profile.ticks_per_microsecond
        share = line.ticks / total
        made = OnPath(line.queue, line.span, line.text, time, share, line.steps)
        found.setdefault(_key(line), []).append(made)
    return found


def _key(line: PathLine) -> Key:
    return (line.span.source.name, line.span.line) if line.span else ("", line.text)


def _pairs(mine: Sequence[OnPath], others: Sequence[OnPath]) -> Iterable[PathChange]:
    """What engines have of one line: each with itself, then those that it may have moved to."""
    by_queue = {_engine(line): line for line in others}
    left: list[OnPath] = []
    for line in mine:
        other = by_queue.pop(_engine(line), None)
        if other is None:
            left.append(line)
        else:
            yield PathChange(line, other)
    rest = list(by_queue.values())
    for number in range(max(len(left), len(rest))):
        yield PathChange(
            left[number] if number < len(left) else None,
            rest[number] if number < len(rest) else None,
        )


def _engine(line: OnPath) -> str:
    """A queue by the name it has where there are several cores."""
    return line.queue if "." in line.queue else f"0.{line.queue}"


class _Lines:
    """Which line of b is which of a."""

    def __init__(self, a: Iterable[PathLine], b: Iterable[PathLine]) -> None:
        mine, others = _sources(a), _sources(b)
        self._names: dict[str, str] = {}
        self._moved: dict[str, dict[int, int]] = {}
        for name, source in mine.items():
            other = _partner(source, mine, others)
            if other is None:
                continue
            self._names[name] = other.name
            if source.text != other.text:
                pairs = aligned(_stripped(source), _stripped(other))
                self._moved[name] = {at + 1: to + 1 for at, to in pairs.items()}

    def of(self, key: Key) -> Key | None:
        """The line of b that is one of a; None if there is none."""
        name, line = key
        if isinstance(line, str):
            return key
        moved = self._moved.get(name)
        there = line if moved is None else moved.get(line)
        return None if there is None or name not in self._names else (self._names[name], there)


def _sources(lines: Iterable[PathLine]) -> dict[str, Source]:
    return {line.span.source.name: line.span.source for line in lines if line.span}


def _partner(source: Source, mine: dict[str, Source], others: dict[str, Source]) -> Source | None:
    """The text of b that corresponds to one of a: the same, one of its name, or the only one."""
    for other in others.values():
        if other.text == source.text:
            return other
    if len(mine) == len(others) == 1:
        return next(iter(others.values()))
    return others.get(source.name)


def _stripped(source: Source) -> list[str]:
    """Its lines as far as they say something: blanks say nothing."""
    return [" ".join(line.split()) for line in source.text.split("\n")]
