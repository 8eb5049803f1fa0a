"""What expressions are: values, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nasm.base.problems import number_of
from nasm.debugger.moving.travel import Travel
from nasm.debugger.values.expressions import Expression, dated
from nasm.debugger.values.value import Value, first
from nasm.runs.execution import Execution

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.debugger.values.differences import ValueDifference
    from nasm.debugger.values.pictures import Picture
    from nasm.debugger.values.statistics import Histogram, Statistics
    from nasm.debugger.values.writing import Written

BINS = 16
"""Default number of bins of a histogram."""


class ExpressionPart:
    """Evaluates expressions on a run, now or at a moment to which it travels."""

    def __init__(self, run: Execution, travel: Travel) -> None:
        self.run, self.travel = run, travel

    def parsed(self, text: str, names: Iterable[str] = ()) -> Expression:
        """An expression of the language of ``.expect``, read once, to be asked at any moment.

        Semaphores (``$loaded``) and registers (``@scalar.%r0``) may be used in it, and ``names`` of
        numbers that are given with each question. Raises Failure.
        """
        return Expression(self.run, text, names)

    def evaluate(self, text: str, names: Mapping[str, int | float] | None = None) -> Value:
        """What an expression is now, to be read before the machine runs on; raises Failure.

        ``acc at 2.5us`` is what it was, or will be, at another moment: see :meth:`Session.goto`.
        """
        text, where = dated(str(text))
        if where:
            from nasm.debugger.values.differences import kept

            with self.travel.at(where):
                return kept(self._now(text, names))
        return self._now(text, names)

    def _now(self, text: str, names: Mapping[str, int | float] | None) -> Value:
        return Expression(self.run, text, names or ()).value(self.run, names)

    def _value(self, what: str | Value) -> Value:
        return what if isinstance(what, Value) else self.evaluate(what)

    def statistics(self, what: str | Value) -> Statistics:
        """The least, the greatest and the mean of what an expression is, and what is missing.

        It is an expression, or what :meth:`evaluate` made of one. Raises Failure.
        """
        from nasm.debugger.values.statistics import statistics

        return statistics(self._value(what))

    def first(self, what: str | Value, count: int) -> Value:
        """The first elements of what an expression is, in row-major order; raises Failure."""
        return first(self._value(what), number_of("elements", count, 1))

    def histogram(self, what: str | Value, bins: int = BINS) -> Histogram:
        """How the finite numbers of what an expression is are spread; raises Failure."""
        from nasm.debugger.values.statistics import histogram

        return histogram(self._value(what), number_of("bins", bins, 1))

    def difference(
        self,
        left: str | Value,
        right: str | Value,
        *,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> ValueDifference:
        """How two values differ, exactly or with a tolerance; raises Failure or Refused.

        They are expressions, values, and on the right also the path of an array file in quotes.
        """
        from nasm.debugger.values.differences import difference, named_file, of_file

        mine, path = self._value(left), named_file(right) if isinstance(right, str) else None
        other = self._value(right) if path is None else of_file(mine, path, self.run.files)
        return difference(mine, other, rtol, atol)

    def write(self, text: str, path: str | Path, *, over: bool = False) -> Written:
        """Write what an expression is to an array file; raises Failure or Refused.

        A file that exists stays as it is unless ``over`` is set.
        """
        from nasm.debugger.values import writing

        return writing.write(self.evaluate(text), str(path), self.run.files, over)

    def picture(
        self, what: str | Value, rows: int = 32, columns: int = 76, mean: bool = False
    ) -> Picture:
        """What an expression is in at most so many rows and columns of cells.

        A cell has the element of its block that is farthest from zero, or the mean of them. Raises
        Refused or Failure.
        """
        from nasm.debugger.values.pictures import picture

        return picture(self._value(what), rows, columns, mean)
