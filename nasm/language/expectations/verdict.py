"""Compares the two sides of an expectation, and says in one line how it went."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from math import prod

import numpy as np

from nasm.base.dtypes import Array
from nasm.base.pieces import Window, windows
from nasm.base.records import dataclass, field
from nasm.language.expectations.elements import Elements, Joined, numbers
from nasm.language.expectations.functions import COMPARE, broadcast
from nasm.language.expectations.records import Mismatch
from nasm.language.text import tree

MOST_WORST = 5
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_LAYOUT = re.compile(r'"(?:[^"\\\n]|\\.)*+"|(?:(?<!\s)\s+)?(?:;[^\n]*)?\n\s*')


@dataclass(frozen=True, slots=True)
class WrongElement:
    """An element, the error that ``~`` permits there (0 for other operators), and how bad it is.

    The lowest rank is the worst: by error relative to what is allowed, then by error, then the
    first.
    """

    element: Mismatch
    allowed: float
    rank: tuple[float, float, int]


@dataclass(slots=True)
class Compared:
    """How two sides compare in their common shape: where they agree least, and in how many.

    An element's index is its place in the common shape, which is the left's unless that was
    repeated. ``places`` are the worst: of those that fail, or the worst of all if none does.
    """

    shape: tuple[int, ...]
    count: int = 0
    places: list[WrongElement] = field(default_factory=list)
    all: bool = True

    @property
    def size(self) -> int:
        """How many elements there are."""
        return prod(self.shape)

    @property
    def fraction(self) -> float:
        """The part of the elements for which it holds."""
        return self.count / self.size

    @property
    def worst(self) -> Mismatch:
        """The worst element."""
        return self.places[0].element

    @property
    def failing(self) -> tuple[Mismatch, ...]:
        """The worst elements that fail."""
        return () if self.all else tuple(place.element for place in self.places)

    def add(self, piece: _Piece) -> None:
        """Take note of some more elements."""
        held = int(np.count_nonzero(piece.holds))
        self.count += held
        fails = held < piece.holds.size
        if fails and self.all:
            self.all, self.places = False, []
        if fails or self.all:
            found = [*self.places, *piece.worst(self.shape, MOST_WORST if fails else 1)]
            found.sort(key=lambda place: place.rank)
            del found[MOST_WORST if fails else 1 :]
            self.places = found


@dataclass(frozen=True, slots=True)
class _Piece:
    """A window of both sides, where they agree, and the error that is allowed at each element."""

    window: Window
    left: Array
    right: Array
    error: Array
    allowed: Array
    holds: Array

    def worst(self, shape: tuple[int, ...], most: int) -> list[WrongElement]:
        """The worst elements: failing ones if there are any."""
        fails = np.count_nonzero(self.holds) < self.holds.size
        if not fails and not np.count_nonzero(self.error):
            return [self._at(0, shape)]
        error, allowed, places = self.error.ravel(), self.allowed.ravel(), None
        if fails:
            places = np.flatnonzero(~self.holds.ravel())
            error, allowed = error[places], allowed[places]
        ratio, size = _badness(error, allowed)
        picked: list[WrongElement] = []
        for _ in range(min(most, error.size)):  # a few passes; sorting them all takes longer
            ties = np.flatnonzero(ratio == ratio.max())
            best = int(ties[np.argmax(size[ties])])
            picked.append(self._at(best if places is None else int(places[best]), shape))
            ratio[best] = -1.0
        return picked

    def _at(self, number: int, shape: tuple[int, ...]) -> WrongElement:
        inside = np.unravel_index(number, self.holds.shape)
        index = tuple(int(i) + w.start for i, w in zip(inside, self.window, strict=True))
        error, allowed = float(self.error[inside]), float(self.allowed[inside])
        ratio = 0.0 if error == 0 else error / allowed if allowed else math.inf
        element = Mismatch(index, float(self.left[inside]), float(self.right[inside]), error)
        place = int(np.ravel_multi_index(index, shape)) if index else 0
        rank = -_or_infinite(ratio), -_or_infinite(error), place
        return WrongElement(element, allowed, rank)


def _or_infinite(number: float) -> float:
    return math.inf if math.isnan(number) else number


def _badness(error: Array, allowed: Array) -> tuple[Array, Array]:
    """Errors relative to what is allowed, and as such; both infinite where there is a NaN."""
    with np.errstate(all="ignore"):
        ratio = np.where(error == 0, 0.0, error / allowed)
    return _infinite_for_nan(ratio), _infinite_for_nan(error)


def _infinite_for_nan(numbers: Array) -> Array:
    nan = np.isnan(numbers)
    return np.where(nan, np.inf, numbers) if np.count_nonzero(nan) else numbers


def compare(op: str, left: Elements, right: Elements, options: Mapping[str, float]) -> Compared:
    """Both sides element by element; refuses shapes that do not match."""
    shape = broadcast(f"'{op}'", left, right)
    both, compared = Joined(_both, (left, right), shape), Compared(shape)
    for window in windows(shape):
        found, wanted = both.part(window)
        compared.add(_piece(op, window, found, wanted, options))
    return compared


def _both(left: Array, right: Array) -> Array:
    shape = left.shape
    if shape != right.shape:
        shape = np.broadcast_shapes(shape, right.shape)
    both = np.empty((2, *shape))
    both[0], both[1] = numbers(left), numbers(right)
    return both


def _piece(
    op: str, window: Window, found: Array, wanted: Array, options: Mapping[str, float]
) -> _Piece:
    if op == "~" and _finite(found) and _finite(wanted):
        error, allowed = np.abs(found - wanted), _tolerance(wanted, options)
        return _Piece(window, found, wanted, error, allowed, np.asarray(error <= allowed))
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    error = np.where(same, 0.0, np.abs(found - wanted))
    allowed = np.zeros(error.shape)
    if op == "~":
        allowed = np.where(np.isfinite(wanted), _tolerance(wanted, options), 0.0)
        holds = same | (np.isfinite(found) & (error <= allowed))
    elif op in ("==", ""):
        holds = same
    elif op == "!=":
        holds = ~same
    else:
        holds = COMPARE[op](found, wanted)
    return _Piece(window, found, wanted, error, allowed, np.asarray(holds))


def _finite(values: Array) -> bool:
    return int(np.count_nonzero(np.isfinite(values))) == values.size


def _tolerance(wanted: Array, options: Mapping[str, float]) -> Array:
    """The error that ``~`` permits at each element, if it is finite."""
    tolerance: Array = options.get("atol", 1e-8) + options.get("rtol", 1e-5) * np.abs(wanted)
    return tolerance


# ---------------------------------------------------------------- saying it


def verdict(
    statement: tree.Expect, compared: Compared, options: Mapping[str, float], text: str
) -> tuple[bool, str, float | None, float | None]:
    """Whether it held, in a line, with the measured figure and its bound."""
    op, scalar = statement.op, not compared.shape
    if "at_least" in options:
        fraction, least = compared.fraction, options["at_least"]
        of = f"{compared.count:,} of {compared.size:,} hold"
        shares = _apart(fraction, least)
        summary = f"{of} ({shares[0]}), wanted at least {shares[1]}"
        return fraction >= least, summary, fraction, least
    if op == "~":
        return _close(compared)
    if op and scalar:
        return _scalar(statement, compared, text)
    elements = _elements(compared)
    failed = f"{compared.size - compared.count:,} of {elements}"
    worst = compared.worst
    if op == "==":
        summary = f"{elements} equal" if compared.all else f"{failed} differ"
        if len(compared.failing) == 1:  # several are listed below
            found, wanted = _apart(worst.found, worst.wanted)
            summary = f"{failed} differs: {found} at {list(worst.index)}, wanted {wanted}"
        return compared.all, summary, worst.error, 0.0
    if compared.all:
        return True, "true" if scalar else f"holds in {elements}", compared.fraction, 1.0
    summary = "false" if scalar else f"fails in {failed}, first at {list(worst.index)}"
    if op:
        found, wanted = _apart(worst.found, worst.wanted)
        summary = f"fails in {failed}; {found} at {list(worst.index)}, wanted {op} {wanted}"
    return False, summary, compared.fraction, 1.0


def _close(compared: Compared) -> tuple[bool, str, float, float]:
    worst, allowed = compared.worst, compared.places[0].allowed
    if worst.error == 0:
        return True, f"{_elements(compared)} equal", 0.0, allowed
    error, bound = _apart(worst.error, allowed)
    summary = f"worst |error| {error}, allowed {bound}"
    if worst.index:
        summary += f" at {list(worst.index)}"
    if not compared.all:
        summary += f"; beyond it in {compared.size - compared.count:,} of "
        summary += _elements(compared)
    return compared.all, summary, worst.error, allowed


def _scalar(
    statement: tree.Expect, compared: Compared, text: str
) -> tuple[bool, str, float, float]:
    """``cycles(tensor) = 612, wanted <= 700``, also if it was written the other way round."""
    assert statement.right is not None
    node, op = statement.left, statement.op
    found, wanted = compared.worst.found, compared.worst.wanted
    if isinstance(node, tree.NumberLiteral) and not isinstance(statement.right, tree.NumberLiteral):
        node, op, found, wanted = statement.right, _MIRRORED[op], wanted, found
    shown_found, shown_wanted = _apart(found, wanted)
    name = one_line(text[node.start : node.end])
    return compared.all, f"{name} = {shown_found}, wanted {op} {shown_wanted}", found, wanted


def _elements(compared: Compared) -> str:
    size = compared.size
    return f"{size:,} element" + ("s" if size != 1 else "")


def _apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as many digits as show that they differ, if they do."""
    for digits in (4, 6, 9):
        figures = _figure(first, digits), _figure(second, digits)
        if figures[0] != figures[1] or first == second:
            return figures
    return _figure(first, 17), _figure(second, 17)


def _figure(number: float, digits: int) -> str:
    if number.is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:.{digits}g}"


def one_line(text: str) -> str:
    """The text with its line breaks, and the comments before them, made single spaces."""
    return _LAYOUT.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
