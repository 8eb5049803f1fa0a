"""A diagnostic code as one row."""

from __future__ import annotations

from nasm.base.problems import ProblemFamily, Severity, family
from nasm.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code, what it means, and lines of a program that are wrong and right.

    Words of the language are in backquotes in ``text``; paragraphs are separated by an empty
    line. Examples that do not say ``.target`` are part of a program that declares A, B and C in
    device memory and a, b, c and acc on chip; lines with ``$`` first are typed at a shell.

    ``severity`` is what most problems have that have the code. A run does not continue after one
    that ``ends`` it; ``warns`` marks a code of rules of which some only warn.
    """

    code: str
    title: str
    text: str
    wrong: str = ""
    right: str = ""
    severity: Severity = Severity.ERROR
    ends: bool = False
    warns: bool = False

    @property
    def family(self) -> ProblemFamily:
        """Whose fault it is."""
        return family(self.code)

    @property
    def allowable(self) -> bool:
        """Whether a program may allow it: hazards that a run survives, and warnings."""
        return self.warns or (
            not self.ends and self.family in (ProblemFamily.HAZARD, ProblemFamily.SLOW)
        )
