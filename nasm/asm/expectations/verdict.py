"""Compares the two sides of an expectation, and says in one line how it went."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nasm.asm.expectations.functions import COMPARE, broadcast, numbers
from nasm.asm.expectations.values import Elements
from nasm.asm.text import tree
from nasm.dtypes import Array
from nasm.records import Mismatch

MOST_WORST = 5
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_LAYOUT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\s*(?:;[^\n]*)?\n\s*')


@dataclass(frozen=True, slots=True)
class Compared:
    """Both sides in their common shape, and where they agree.

    ``allowed`` is the error that ``~`` permits at each element, and 0 for other operators. An
    element's index is its place in the common shape, which is the left's unless that was repeated.
    """

    left: Array
    right: Array
    error: Array
    allowed: Array
    holds: Array

    def order(self, most: int) -> list[int]:
        """Flat places, the worst first: failing ones, by error relative to what is allowed."""
        fails = ~self.holds.ravel()
        places = np.flatnonzero(fails) if fails.any() else np.arange(fails.size)
        error = self.error.ravel()[places]
        allowed = self.allowed.ravel()[places]
        with np.errstate(all="ignore"):
            ratio = np.where(error == 0, 0.0, error / allowed)
        ratio = np.where(np.isnan(ratio), np.inf, ratio)
        size = np.where(np.isnan(error), np.inf, error)
        picked: list[int] = []
        for _ in range(min(most, places.size)):  # a few passes; sorting millions takes seconds
            ties = np.flatnonzero(ratio == ratio.max())
            best = int(ties[np.argmax(size[ties])])
            picked.append(int(places[best]))
            ratio[best] = -1.0
        return picked

    def at(self, place: int) -> Mismatch:
        """One element of both sides."""
        index = tuple(int(i) for i in np.unravel_index(place, self.holds.shape))
        found, wanted = float(self.left[index]), float(self.right[index])
        return Mismatch(index, found, wanted, float(self.error[index]))

    def worst(self) -> tuple[Mismatch, ...]:
        """The worst elements that fail."""
        return tuple(self.at(p) for p in self.order(MOST_WORST)) if not self.all else ()

    @property
    def all(self) -> bool:
        """Whether it holds everywhere."""
        return bool(self.holds.all())

    @property
    def fraction(self) -> float:
        """The part of the elements for which it holds."""
        return self.count / self.holds.size

    @property
    def count(self) -> int:
        """How many elements it holds for."""
        return int(np.count_nonzero(self.holds))


def compare(op: str, left: Elements, right: Elements, options: Mapping[str, float]) -> Compared:
    """Both sides element by element; refuses shapes that do not match."""
    found, wanted = numbers(left.array), numbers(right.array)
    shape = broadcast(f"'{op}'", found, wanted)
    found, wanted = np.broadcast_to(found, shape), np.broadcast_to(wanted, shape)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    error = np.where(same, 0.0, np.abs(found - wanted))
    allowed = np.zeros(shape)
    if op == "~":
        tolerance = options.get("atol", 1e-8) + options.get("rtol", 1e-5) * np.abs(wanted)
        allowed = np.where(np.isfinite(wanted), tolerance, 0.0)
        holds = same | (np.isfinite(found) & (error <= allowed))
    elif op in ("==", ""):
        holds = same
    elif op == "!=":
        holds = ~same
    else:
        holds = COMPARE[op](found, wanted)
    return Compared(found, wanted, error, allowed, np.asarray(holds))


# ---------------------------------------------------------------- saying it


def verdict(
    statement: tree.Expect, compared: Compared, options: Mapping[str, float], text: str
) -> tuple[bool, str, float | None, float | None]:
    """Whether it held, in a line, with the measured figure and its bound."""
    op, scalar = statement.op, compared.holds.ndim == 0
    if "at_least" in options:
        fraction, least = compared.fraction, options["at_least"]
        of = f"{compared.count:,} of {compared.holds.size:,} hold"
        shares = _apart(fraction, least)
        summary = f"{of} ({shares[0]}), wanted at least {shares[1]}"
        return fraction >= least, summary, fraction, least
    if op == "~":
        return _close(compared)
    if op and scalar:
        return _scalar(statement, compared, text)
    elements = _elements(compared)
    failed = f"{compared.holds.size - compared.count:,} of {elements}"
    worst = compared.at(compared.order(1)[0])
    if op == "==":
        summary = f"{elements} equal" if compared.all else f"{failed} differ"
        return compared.all, summary, worst.error, 0.0
    if compared.all:
        return True, "true" if scalar else f"holds in {elements}", compared.fraction, 1.0
    summary = "false" if scalar else f"fails in {failed}, first at {list(worst.index)}"
    if op:
        found, wanted = _apart(worst.found, worst.wanted)
        summary = f"fails in {failed}; {found} at {list(worst.index)}, wanted {op} {wanted}"
    return False, summary, compared.fraction, 1.0


def _close(compared: Compared) -> tuple[bool, str, float, float]:
    place = compared.order(1)[0]
    worst, allowed = compared.at(place), float(compared.allowed.ravel()[place])
    if worst.error == 0:
        return True, f"{_elements(compared)} equal", 0.0, allowed
    error, bound = _apart(worst.error, allowed)
    summary = f"worst |error| {error}, allowed {bound}"
    if worst.index:
        summary += f" at {list(worst.index)}"
    if not compared.all:
        summary += f"; beyond it in {compared.holds.size - compared.count:,} of "
        summary += _elements(compared)
    return compared.all, summary, worst.error, allowed


def _scalar(
    statement: tree.Expect, compared: Compared, text: str
) -> tuple[bool, str, float, float]:
    """``cycles(tensor) = 612, wanted <= 700``, also if it was written the other way round."""
    assert statement.right is not None
    node, op = statement.left, statement.op
    found, wanted = float(compared.left), float(compared.right)
    if isinstance(node, tree.Number) and not isinstance(statement.right, tree.Number):
        node, op, found, wanted = statement.right, _MIRRORED[op], wanted, found
    shown_found, shown_wanted = _apart(found, wanted)
    name = one_line(text[node.start : node.end])
    return compared.all, f"{name} = {shown_found}, wanted {op} {shown_wanted}", found, wanted


def _elements(compared: Compared) -> str:
    size = compared.holds.size
    return f"{size:,} element" + ("s" if size != 1 else "")


def _apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as many digits as show that they differ, if they do."""
    for digits in (4, 6, 9):
        told = _figure(first, digits), _figure(second, digits)
        if told[0] != told[1] or first == second:
            return told
    return _figure(first, 17), _figure(second, 17)


def _figure(number: float, digits: int) -> str:
    if number.is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:.{digits}g}"


def one_line(text: str) -> str:
    """The text with its line breaks, and the comments before them, made single spaces."""
    return _LAYOUT.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
