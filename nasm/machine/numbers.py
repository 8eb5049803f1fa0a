"""Where NaN and infinities are first computed, and what conversions cut off: counted by line.

The processor itself says that an operation on numbers has overflowed, divided by zero or had no
result: NumPy asks it after each of its own operations anyway. Only then a result is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nasm.base.dtypes import DType
from nasm.machine.writers import written
from nasm.program.program import Program
from nasm.sim.counters import Who
from nasm.sim.memory import Array, Mask
from nasm.views.view import View


class LineFindings(NamedTuple):
    """What was found of a line: by whom first and where, and how many elements of each kind."""

    who: Who
    where: str
    counts: tuple[int, ...]


class NumberFindings:
    """The elements that became NaN or infinite, or did not fit into what they were stored as.

    ``raised`` says that an operation has overflowed or had no result since it was last asked.
    """

    CACHES = ("raised",)

    def __init__(self, program: Program, acting: Callable[[], Who]) -> None:
        self.program, self.acting = program, acting
        self.raised = False
        self.born: dict[Who, LineFindings] = {}
        self.cut: dict[tuple[Who, DType], LineFindings] = {}

    def signal(self, kind: str, flag: int) -> None:
        """NumPy's: an operation has overflowed, divided by zero, or has no result."""
        self.raised = True

    # -- births

    def look(self, arguments: Sequence[Any], results: Any) -> None:
        """Count what an instruction made NaN or infinite, of operands that are not."""
        self.raised = False
        for result in results if isinstance(results, tuple | list) else (results,):
            if isinstance(result, np.ndarray) and result.dtype == np.float32:
                self._look(arguments, result)

    def _look(self, arguments: Sequence[Any], result: Array) -> None:
        bad = ~np.isfinite(result)
        if not bad.any():
            return
        nan, infinite = np.isnan(result), np.isinf(result)
        for array in (array for argument in arguments for array in _arrays(argument)):
            if not np.isfinite(array).all():
                infinite &= ~_met(~np.isfinite(array), result)
                nan &= ~_met(np.isnan(array), result)
        self.note(nan, infinite)

    def added(self, held: Array, values: Array) -> None:
        """Values were added to what a place held, where some of the sums are no numbers."""
        self.raised = False
        fine = np.isfinite(values)
        self.note(np.isnan(held) & fine, np.isinf(held) & fine)

    def note(self, nan: Mask, infinite: Mask) -> None:
        """Elements of a result that have become NaN or infinite."""
        counts = int(np.count_nonzero(nan)), int(np.count_nonzero(infinite))
        if any(counts):
            who = self.acting()
            where = self._where(who, nan | infinite, ("float32", "float16", "bfloat16"))
            self._count(self.born, self.program.line(*who), who, where, counts)

    # -- conversions

    def clipped(self, lost: Mask, dtype: DType) -> None:
        """Elements did not fit into the dtype that they were stored as."""
        who = self.acting()
        where = self._where(who, lost, (dtype.name,))
        counts = (int(np.count_nonzero(lost)),)
        self._count(self.cut, (self.program.line(*who), dtype), who, where, counts)

    def _count(
        self,
        found: dict[Any, LineFindings],
        key: object,
        who: Who,
        where: str,
        counts: tuple[int, ...],
    ) -> None:
        known = found.get(key)
        if known is not None:
            who, where = known.who, known.where
            counts = tuple(a + b for a, b in zip(known.counts, counts, strict=True))
        found[key] = LineFindings(who, where, counts)

    def again(self, born: bool, key: Any, who: Who, where: str, counts: tuple[int, ...]) -> None:
        """What another machine has counted of the same run."""
        self._count(self.born if born else self.cut, key, who, where, counts)

    # -- words

    def _where(self, who: Who, chosen: Mask, names: Sequence[str]) -> str:
        """The first of some elements of what an instruction writes."""
        views = written(self.program.instruction(*who))
        fitting = [view for view in views if view.size == chosen.size]
        named = [view for view in fitting if view.dtype.name in names] or fitting or views
        if not named:
            return ""
        view = named[0]
        if view.size != chosen.size or view.dynamic or view.offsets is not None:
            return view.tensor.name
        first = np.unravel_index(int(np.argmax(chosen.reshape(-1))), view.shape)
        return view.tensor.name + _place(view, [int(n) for n in first])

    # -- checkpoints

    def save(self) -> Any:
        """What was counted until now."""
        return dict(self.born), dict(self.cut)

    def restore(self, saved: Any) -> None:
        """Forget what was counted since."""
        self.born, self.cut = map(dict, saved)


def _arrays(argument: Any) -> Iterator[Array]:
    """The floating-point numbers that an argument of semantics has."""
    if isinstance(argument, float):
        yield np.asarray(argument)
    elif isinstance(argument, np.ndarray):
        if argument.dtype.kind == "f":
            yield argument
    elif isinstance(argument, tuple | list):
        for one in argument:
            yield from _arrays(one)
    elif not callable(getattr(argument, "values", len)):  # what stays in an engine
        yield from _arrays(argument.values)


def _met(bad: Mask, result: Array) -> Mask:
    """Which elements of a result may come from elements of an operand.

    Of as many as the result has each gives its own; else those of a partition give all of it; and
    where partitions meet each other, any gives any.
    """
    if bad.size == result.size:
        return bad.reshape(result.shape)
    if bad.ndim and result.ndim and len(bad) == len(result) > 1:
        rows = bad.reshape(len(bad), -1).any(axis=1)
        return np.broadcast_to(rows.reshape(-1, *[1] * (result.ndim - 1)), result.shape)
    return np.broadcast_to(bad.any(), result.shape)


def _place(view: View, at: list[int]) -> str:
    """An element of a view, as a program would index its tensor."""
    tensor, lanes = view.tensor, int(view.partitioned)
    if view.dtype is not tensor.dtype:
        return f".view({view.dtype.name}), element {at}"
    steps = zip(at[lanes:], view.steps[lanes:], strict=True)
    free = view.offset // view.dtype.itemsize + sum(n * step for n, step in steps)
    inner = np.unravel_index(free, tensor.shape[lanes:]) if tensor.shape[lanes:] else ()
    rows = [view.partition + at[0] * view.steps[0]] if lanes else []
    return f"[{', '.join(map(str, [*rows, *map(int, inner)]))}]"
