"""A summary of many elements in a line: computed piece by piece, without a copy."""

from __future__ import annotations

import math

import numpy as np

from nasm.base.drawing import Drawn
from nasm.base.dtypes import Array
from nasm.base.pieces import windows
from nasm.base.problems import Refused, counted
from nasm.base.records import dataclass
from nasm.debugger.values.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Statistics(Drawn):
    """Of ``size`` elements: the least, the greatest and the mean of those that are numbers.

    They are None if none is. ``known`` is the number of those that depend on nothing uninitialised;
    ``nan`` and ``infinite`` count among them. Packed elements are not ``numeric``: they have no
    statistics.
    """

    size: int
    known: int
    nan: int = 0
    infinite: int = 0
    least: float | None = None
    most: float | None = None
    mean: float | None = None
    numeric: bool = True

    def __repr__(self) -> str:
        text = [f"{self.known:,} of {counted(self.size, 'element')} initialised"]
        if self.least is not None and self.mean is not None:
            text.append(f"{self.least:.6g} to {self.most:.6g}, mean {self.mean:.6g}")
        text += [f"{self.nan:,} NaN"] if self.nan else []
        return f"<statistics: {', '.join(text)}>"


@dataclass(slots=True)
class _Sum:
    """Of the pieces so far."""

    known: int = 0
    nan: int = 0
    infinite: int = 0
    least: float = math.inf
    most: float = -math.inf
    total: float = 0.0

    def add(self, part: Array) -> None:
        """Some more numbers, all of them known."""
        if not part.size:
            return
        self.known += part.size
        least = part.min()
        if least != least:  # a NaN among them; the fast way looks at each number three times
            good = part[~np.isnan(part)]
            self.nan += part.size - good.size
            part = good
            if not part.size:
                return
            least = part.min()
        most = part.max()
        if math.isinf(least) or math.isinf(most):
            self.infinite += int(np.count_nonzero(np.isinf(part)))
        self.least, self.most = min(self.least, float(least)), max(self.most, float(most))
        self.total += float(part.sum(dtype=np.float64))


def statistics(value: Value) -> Statistics:
    """A summary of a value as a whole."""
    if not value.numeric:
        missing = 0 if value.missing is None else int(np.count_nonzero(value.missing))
        return Statistics(value.size, value.size - missing, numeric=False)
    found = _Sum()
    with np.errstate(all="ignore"):
        for window in windows(value.shape):
            found.add(numbers(value, window))
    counted = found.known - found.nan
    if not counted:
        return Statistics(value.size, found.known, found.nan)
    return Statistics(
        value.size,
        found.known,
        found.nan,
        found.infinite,
        found.least,
        found.most,
        found.total / counted,
    )


def numbers(value: Value, window: tuple[slice, ...]) -> Array:
    """The known numbers of a part of a value, in a dtype that NumPy is quick with."""
    part = value.stored(window)
    if part.dtype.kind not in "iu" and part.dtype not in (np.float32, np.float64):
        part = np.asarray(value.numbers(window), np.float64)
    if value.missing is None:
        return part
    known = value.known(window)
    if known.all():
        return part
    return part[known] if known.any() else part.reshape(-1)[:0]


@dataclass(frozen=True, slots=True, repr=False)
class Histogram(Drawn):
    """How many numbers lie between ``edges``; of the last two both count.

    What is outside of the bins is listed: NaN, infinities, and elements that are not known.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    statistics: Statistics

    def __repr__(self) -> str:
        ends = f" from {self.edges[0]:.6g} to {self.edges[-1]:.6g}" if self.counts else ""
        return f"<histogram: {counted(len(self.counts), 'bin')}{ends}>"


def histogram(value: Value, bins: int) -> Histogram:
    """How the finite numbers of a value are spread over bins of equal width; raises Refused."""
    if not value.numeric:
        raise Refused("E0822", "packed elements have no histogram", "view them as another dtype")
    found = statistics(value)
    low, high = _finite(value, found)
    if low is None or high is None:
        return Histogram((), (), found)
    low, high = float(low), float(high)
    if low == high:
        bins = 1
    elif value.dtype is not None and value.dtype.is_int and high - low < bins:
        bins = int(high - low) + 1
        high += 1.0
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins, np.int64)
    with np.errstate(all="ignore"):
        for window in windows(value.shape):
            part = np.asarray(numbers(value, window), np.float64).reshape(-1)
            part = part[np.isfinite(part)]
            counts += np.histogram(part, edges)[0] if low < high else part.size
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()), found)


def _finite(value: Value, found: Statistics) -> tuple[float | None, float | None]:
    """The least and the greatest finite number."""
    if not found.infinite or found.least is None:
        return found.least, found.most
    least, most = math.inf, -math.inf
    for window in windows(value.shape):
        part = numbers(value, window)
        part = part[np.isfinite(part)]
        if part.size:
            least, most = min(least, float(part.min())), max(most, float(part.max()))
    return (least, most) if least <= most else (None, None)
