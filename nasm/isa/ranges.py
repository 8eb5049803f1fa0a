"""What is known of an integer in a run without values: bounds, and what it follows from.

A number that memory holds is a *source*. A register that was computed from one is ``scale * source
+ offset`` where that is exact; of what is computed in another way only bounds are known, and it is
a source itself. A comparison narrows sources, and with them all that follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

LOW, HIGH = -(2**31), 2**31 - 1
"""The least and the largest int32."""

MOST_HOLES = 64
"""Single values that are remembered to be excluded; of more it is forgotten."""

MOST_VALUES = 64
"""Values of operands, at most, for each of which a function is asked."""


class Bounds(NamedTuple):
    """All integers from ``low`` to ``high``, both included, without the ``holes``."""

    low: int = LOW
    high: int = HIGH
    holes: frozenset[int] = frozenset()

    def within(self, low: int, high: int) -> Bounds | None:
        """The same within other bounds; None if nothing is left."""
        low, high, holes = max(self.low, low), min(self.high, high), self.holes
        while low <= high and low in holes:
            low += 1
        while low <= high and high in holes:
            high -= 1
        return Bounds(low, high, holes) if low <= high else None

    def without(self, value: int) -> Bounds | None:
        """The same without one value; None if nothing is left."""
        if value in (self.low, self.high):
            low, high = self.low + (value == self.low), self.high - (value == self.high)
            return self.within(low, high)
        if not self.low < value < self.high or len(self.holes) >= MOST_HOLES:
            return self
        return self._replace(holes=self.holes | {value})


class NumberSource:
    """An integer that is not known, and what it is known to be within: that may be narrowed."""

    __slots__ = ("bounds",)

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds


class Unknown:
    """An integer that is not known: ``scale * source + offset``."""

    __slots__ = ("offset", "scale", "source")

    def __init__(self, source: NumberSource, scale: int = 1, offset: int = 0) -> None:
        self.source, self.scale, self.offset = source, scale, offset

    @classmethod
    def within(cls, low: int = LOW, high: int = HIGH) -> Unknown:
        """One that follows from nothing."""
        return cls(NumberSource(Bounds(low, high)))

    @property
    def low(self) -> int:
        """The least that it may be."""
        bounds = self.source.bounds
        return self.scale * (bounds.low if self.scale > 0 else bounds.high) + self.offset

    @property
    def high(self) -> int:
        """The largest that it may be."""
        bounds = self.source.bounds
        return self.scale * (bounds.high if self.scale > 0 else bounds.low) + self.offset

    def __repr__(self) -> str:
        return f"{self.low} to {self.high}"


Some = int | Unknown
"""An integer, or what is known of one."""

COMPARISONS: Final = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")

Narrowed = dict[NumberSource, Bounds]
"""What some sources are within if something is so."""


def bounds(value: Some) -> tuple[int, int]:
    """What an integer is within."""
    return (value, value) if isinstance(value, int) else (value.low, value.high)


def union(values: Iterable[int]) -> Some:
    """What is known of one of some integers; there is at least one."""
    found = sorted(set(values))
    return found[0] if len(found) == 1 else Unknown.within(found[0], found[-1])


# -- arithmetic; what may leave the int32 is not known at all, for it wraps


def add(a: Some, b: Some) -> Some:
    """The sum."""
    found = _linear(_parts(a), _parts(b), 1)
    return _span(a, b, lambda x, y: x + y) if found is None else found


def subtract(a: Some, b: Some) -> Some:
    """The difference."""
    found = _linear(_parts(a), _parts(b), -1)
    return _span(a, b, lambda x, y: x - y) if found is None else found


def multiply(a: Some, b: Some) -> Some:
    """The product."""
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int) and isinstance(a, Unknown):
        return _fits(a.source, a.scale * b, a.offset * b)
    return _span(a, b, lambda x, y: x * y)


def least(a: Some, b: Some) -> Some:
    """The smaller one."""
    return _span(a, b, min)


def largest(a: Some, b: Some) -> Some:
    """The larger one."""
    return _span(a, b, max)


def by_values(function: Callable[[int, int], int], a: Some, b: Some) -> Some:
    """What a function makes of two integers: asked for each of their values if those are few."""
    (low, high), (least_, most) = bounds(a), bounds(b)
    if (high - low + 1) * (most - least_ + 1) > MOST_VALUES:
        return Unknown.within()
    return union(function(x, y) for x in range(low, high + 1) for y in range(least_, most + 1))


_Parts = tuple[NumberSource | None, int, int]


def _parts(value: Some) -> _Parts:
    if isinstance(value, int):
        return None, 0, value
    return value.source, value.scale, value.offset


def _linear(a: _Parts, b: _Parts, sign: int) -> Some | None:
    """The sum or the difference of what follows from one source; None if there are two."""
    source = a[0] or b[0]
    if b[0] not in (None, source):
        return None
    if source is None:
        return None
    return _fits(source, a[1] + sign * b[1], a[2] + sign * b[2])


def _fits(source: NumberSource, scale: int, offset: int) -> Some:
    """``scale * source + offset``, if that is an int32 whatever the source is."""
    if not scale:
        return offset if LOW <= offset <= HIGH else Unknown.within()
    made = Unknown(source, scale, offset)
    return made if made.low >= LOW and made.high <= HIGH else Unknown.within()


def _span(a: Some, b: Some, function: Callable[[int, int], int]) -> Some:
    """From the least to the largest that a function makes of the ends."""
    ends = [function(x, y) for x in bounds(a) for y in bounds(b)]
    low, high = min(ends), max(ends)
    if low < LOW or high > HIGH:
        return Unknown.within()
    return low if low == high else Unknown.within(low, high)


# -- comparisons


class RegisterComparison(NamedTuple):
    """That two integers compare so."""

    left: Some
    op: str
    right: Some

    def narrowed(self) -> Narrowed | None:
        """What follows for the sources if it is so; None if it cannot be."""
        source, scale, offset = self._difference()
        if source is None and scale:  # two sources, of which only the bounds are known
            return self._apart()
        if source is None:
            return {} if _HOLDS[self.op](offset) else None
        found = _solved(source.bounds, scale, offset, self.op)
        return None if found is None else {source: found}

    def _difference(self) -> tuple[NumberSource | None, int, int]:
        """Left less right, as (source, scale, offset); (None, 1, 0) if there are two sources."""
        (source, scale, offset), (other, by, more) = _parts(self.left), _parts(self.right)
        if source is not None and other is not None and source is not other:
            return None, 1, 0
        scale -= by
        return ((source or other) if scale else None), scale, offset - more

    def _apart(self) -> Narrowed | None:
        left, op, right = self
        assert isinstance(left, Unknown)
        assert isinstance(right, Unknown)
        if op in ("greater", "greater_equal"):
            left, op, right = right, {"greater": "less"}.get(op, "less_equal"), left
        if op == "not_equal":
            same = left.low == left.high == right.low == right.high
            return None if same else {}
        gap = int(op == "less")
        found: Narrowed = {}
        one = _moved(left, left.low if op != "equal" else right.low, right.high - gap)
        other = _moved(right, left.low + gap, right.high if op != "equal" else left.high)
        if one is None or other is None:
            return None
        found[left.source], found[right.source] = one, other
        return found


def limited(value: Unknown, low: int, high: int) -> Narrowed | None:
    """What follows for its source if an integer is within bounds; None if it cannot be."""
    found = _moved(value, low, high)
    return None if found is None else {value.source: found}


def _moved(value: Unknown, low: int, high: int) -> Bounds | None:
    """The bounds of its source if an integer is from ``low`` to ``high``."""
    scale, offset = value.scale, value.offset
    if scale < 0:
        scale, offset, low, high = -scale, -offset, -high, -low
    return value.source.bounds.within(-((offset - low) // scale), (high - offset) // scale)


def _solved(known: Bounds, scale: int, offset: int, op: str) -> Bounds | None:
    """The bounds of a source for which ``scale * source + offset`` compares so with 0."""
    if scale < 0:
        scale, offset, op = -scale, -offset, _TURNED.get(op, op)
    if op in ("equal", "not_equal"):
        at, rest = divmod(-offset, scale)
        if op == "equal":
            return None if rest or at in known.holes else known.within(at, at)
        return known if rest else known.without(at)
    if op in ("less", "less_equal"):
        return known.within(LOW, (-offset - (op == "less")) // scale)
    return known.within(-((offset - (op == "greater")) // scale), HIGH)


_HOLDS: Final[dict[str, Callable[[int], bool]]] = {
    "equal": lambda n: n == 0,
    "not_equal": lambda n: n != 0,
    "less": lambda n: n < 0,
    "less_equal": lambda n: n <= 0,
    "greater": lambda n: n > 0,
    "greater_equal": lambda n: n >= 0,
}
_TURNED: Final = {
    "less": "greater",
    "greater": "less",
    "less_equal": "greater_equal",
    "greater_equal": "less_equal",
}
OPPOSITE: Final = {
    "equal": "not_equal",
    "not_equal": "equal",
    "less": "greater_equal",
    "greater_equal": "less",
    "greater": "less_equal",
    "less_equal": "greater",
}
"""What is so if a comparison is not."""
