"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debug`; here it has its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nasm.debug.expressions import Expression, Value, first
from nasm.debug.memory import written
from nasm.debug.pictures import Picture, picture
from nasm.debug.statistics import BINS, Histogram, Statistics, histogram, statistics
from nasm.running import ASSEMBLED, Running

__all__ = ["ASSEMBLED", "Session"]


class Session(Running):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    It is made as a :class:`~nasm.running.Running` is.
    """

    # -- stopping

    # -- moving

    # -- going back

    # -- seeing

    def expression(self, text: str, names: Iterable[str] = ()) -> Expression:
        """An expression of the language of ``.expect``, read once, to be asked at any moment.

        Semaphores (``$loaded``) and registers (``@scalar.%r0``) may stand in it, and ``names`` of
        numbers that are given with each question. Raises Failure.
        """
        return Expression(self, text, names)

    def evaluate(self, text: str, names: Mapping[str, int | float] | None = None) -> Value:
        """What an expression is now, to be read before the machine runs on; raises Failure."""
        return Expression(self, text, names or ()).value(self, names)

    def statistics(self, value: Value) -> Statistics:
        """The least, the greatest and the mean of what an expression is, and what is missing."""
        return statistics(value)

    def first(self, value: Value, count: int) -> Value:
        """The first elements of what an expression is, in row-major order."""
        return first(value, count)

    def written(self, name: str) -> float:
        """How much of a tensor is initialised, from 0 to 1; raises Failure."""
        return written(self, name)

    def histogram(self, value: Value, bins: int = BINS) -> Histogram:
        """How the finite numbers of what an expression is are spread."""
        return histogram(value, bins)

    def picture(self, value: Value, rows: int, columns: int, mean: bool = False) -> Picture:
        """What an expression is in at most so many rows and columns of cells; raises Refused.

        A cell has the element of its block that is farthest from zero, or the mean of them.
        """
        return picture(value, rows, columns, mean)

    # -- asking

    # -- trying
