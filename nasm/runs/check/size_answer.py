"""What is known of all sizes of a program: a plain record."""

from __future__ import annotations

from typing import NamedTuple

from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.runs.check.records import Examination


class SizeRange(NamedTuple):
    """Values of a constant: from ``first`` to ``last``, or without end, in steps if given."""

    name: str
    first: int
    last: int | None = None
    step: int | None = None

    def __str__(self) -> str:
        last = "" if self.last is None else self.last
        return f"{self.name}={self.first}..{last}"


@dataclass(frozen=True, slots=True)
class SizesAnswer:
    """What is known of the sizes of a program that are in a range.

    ``sizes`` were looked at by themselves, in steps of ``step``. If it is ``proved`` all others are
    in order as they are; if not, there is a ``reason``, and where it is in the text. Of a size that
    is not in order, the smallest, which is ``failing``, ``found`` and ``problems`` are the errors.
    From ``too_large`` on memory does not suffice, as ``memory`` says.
    """

    range: SizeRange
    step: int
    sizes: tuple[int, ...]
    proved: bool
    reason: str = ""
    at: Span | None = None
    failing: int | None = None
    found: Examination | None = None
    problems: tuple[Problem, ...] = ()
    too_large: int | None = None
    memory: Problem | None = None

    @property
    def ok(self) -> bool:
        """Whether no size was found that is not in order."""
        return self.failing is None
