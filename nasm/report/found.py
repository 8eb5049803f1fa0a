"""What is wrong with a program, for a log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nasm.allowing import AllowedProblem
from nasm.problems import Problem


@dataclass(frozen=True, slots=True)
class Found:
    """All that is wrong with a program; ``name`` is its file."""

    name: str
    problems: Sequence[Problem]
    allowed: Sequence[AllowedProblem] = ()
