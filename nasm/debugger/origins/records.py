"""Records of where values came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.drawing import Drawn
from nasm.base.dtypes import DType
from nasm.base.records import dataclass
from nasm.base.source import brief
from nasm.debugger.origins.origins import OfCore, Place
from nasm.debugger.origins.writes import CHANGE
from nasm.sim.counters import Who

Array = np.ndarray[Any, Any]

UNWRITTEN = "not yet written"
"""How bytes that nothing has written are reported."""


@dataclass(frozen=True, slots=True)
class Maker:
    """What made a value: an instruction, a transfer, an exchange of cores, or a change by hand.

    ``line`` is None for what was typed, ``file`` is that of the line if another text includes it,
    and ``rounds`` are the loop variables where it is in loops; ``origin`` is what it came from if
    it was expanded to.
    Times are in ticks: it ``began`` when its engine or its channels did, and its results appeared
    at ``tick``; ``cycle`` is the latter in cycles of its engine, of the base clock for transfers
    and changes.
    """

    kind: str
    queue: str
    pc: int
    name: str
    text: str
    line: int | None
    rounds: tuple[tuple[str, int], ...]
    began: int
    tick: int
    cycle: int
    us: float
    file: str = ""
    origin: str = ""

    def __str__(self) -> str:
        if self.kind == CHANGE:
            return f"changed by hand: {self.text}"
        return f"{self.name}, {self.queue} pc {self.pc}{self.where}, at {self.us:.3f} µs"

    @property
    def where(self) -> str:
        """Its line, and the rounds of the loops that it is in."""
        text = f", {brief(self.line, self.file)}" if self.line is not None else ""
        text += "".join(f", {name} = {value}" for name, value in self.rounds)
        return f"{text} (from {self.origin})" if self.origin else text


@dataclass(frozen=True, slots=True, eq=False)
class OriginSource:
    """Elements that a value was made of, with the values that were read.

    ``role`` is the operand that read them; "entries" and "address" decided where others are.
    ``whys`` say where they came from: empty where that was not followed.
    """

    role: str
    text: str
    values: Array
    dtype: DType | None
    place: Place | OfCore
    whys: tuple[Why, ...] = ()

    @property
    def summary(self) -> str:
        """Its value, or its values in a few words."""
        return summary(self.values, self.dtype)

    def __repr__(self) -> str:
        return f"<{self.role} {self.text} = {self.summary}>"


@dataclass(frozen=True, slots=True, eq=False)
class Why(Drawn):
    """Where some elements got their values.

    ``maker`` made them of ``sources``; without one they are unchanged since the ``start``, which
    says how they began: an input, an initialiser, or nothing. ``before`` is where the place had got
    the value this one was added to. ``born`` is "NaN" or "infinity" if it is one and no source is.
    What is ``kept`` its maker could have written and left as it was in ``before``; ``sources`` say
    why.
    """

    text: str
    values: Array
    dtype: DType | None
    place: Place | OfCore
    maker: Maker | None
    start: str = ""
    sources: tuple[OriginSource, ...] = ()
    before: tuple[Why, ...] = ()
    born: str = ""
    kept: bool = False

    @property
    def summary(self) -> str:
        """Its value, or its values in a few words; it has none where nothing was written yet."""
        unwritten = self.maker is None and self.start == UNWRITTEN
        return "__" if unwritten else summary(self.values, self.dtype)

    @property
    def added(self) -> Iterator[Why]:
        """What it was added to, one after the other, the latest first."""
        for one in self.before:
            yield one
            yield from one.added

    def __str__(self) -> str:
        how = f"{self.start}" if self.maker is None else f"by {self.maker}"
        of = ", ".join(f"{s.text} = {s.summary}" for s in self.sources)
        return f"{self.text} = {self.summary}: {how}{', of ' if of else ''}{of}"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True)
class LastWrite:
    """The last write of some elements; ``position`` is that of its event.

    ``who`` is the place of the instruction that wrote, if one did.
    """

    text: str
    maker: Maker
    position: int
    who: Who = (-1, -1)

    def __repr__(self) -> str:
        return f"<{self.text}: {self.maker}>"


def summary(values: Array, dtype: DType | None) -> str:
    """A value, or several in a few words."""
    if dtype is None or values.dtype == np.object_:
        shown = [f"{v:.6g}" if isinstance(v, float | np.floating) else str(v) for v in values[:3]]
    else:
        shown = [dtypes.format_value(value, dtype) for value in values[:3]]
    if len(values) <= 3:
        return ", ".join(shown)
    text = f"{', '.join(shown[:2])}, ... ({len(values):,} elements"
    bad = spoiled(values)
    return text + (f", {int(bad.sum()):,} of them NaN or infinite)" if bad.any() else ")")


def spoiled(values: Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which values are NaN or infinite."""
    if values.dtype.kind in "iub" or values.dtype == np.object_:
        return np.zeros(len(values), np.bool_)
    try:
        with np.errstate(all="ignore"):
            return np.asarray(~np.isfinite(values.astype(np.float32)))
    except (TypeError, ValueError):
        return np.zeros(len(values), np.bool_)


def nans(values: Array) -> bool:
    """Whether any value is NaN."""
    bad = spoiled(values)
    return bool(bad.any()) and bool(np.isnan(values[bad].astype(np.float32)).any())


def born(values: Array, read: Sequence[Array]) -> str:
    """What values have that none of those has that they were made of."""
    if nans(values):
        return "" if any(map(nans, read)) else "NaN"
    infinite = bool(spoiled(values).any())
    return "infinity" if infinite and not any(spoiled(r).any() for r in read) else ""
