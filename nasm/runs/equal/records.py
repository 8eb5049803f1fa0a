"""What a comparison of two programs tells: plain frozen records."""

from __future__ import annotations

from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.runs.diff.records import TensorChange

EQUAL, DIFFERENT, NOT_PROVED = "equal", "different", "not proved"
"""The verdicts: the same for every input, not the same for one, or neither is known."""


@dataclass(frozen=True, slots=True)
class PartingPlace:
    """Where a program is the first of two to do something else: in words, and in its text."""

    text: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Inputs for which two programs differ, and the first output that does.

    ``given`` says what the inputs were: those that the first program declares, or random numbers
    of a ``seed``, which is None for the former.
    """

    given: str
    seed: int | None
    tensor: TensorChange


@dataclass(frozen=True, slots=True, repr=False)
class Equality:
    """Whether two programs leave the same in their outputs for every input, and how that is known.

    ``verdict`` is ``equal``, ``different`` or ``not proved``; ``reason`` says why in a sentence.
    Where they are not proved equal ``a`` and ``b`` are the first place where each does something
    else than the other, and ``problems`` what keeps either from having one result. ``example`` are
    inputs for which they differ. They were run on ``tried`` sets of inputs. ``outputs`` are the
    tensors that were compared, ``instructions`` how many each executed.
    """

    verdict: str
    reason: str
    outputs: tuple[str, ...] = ()
    instructions: tuple[int, int] = (0, 0)
    a: PartingPlace | None = None
    b: PartingPlace | None = None
    example: Counterexample | None = None
    tried: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether they are proved equal."""
        return self.verdict == EQUAL

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        places = [f"  {n}: {p.text}" for n, p in (("a", self.a), ("b", self.b)) if p is not None]
        return "\n".join([f"{self.verdict}: {self.reason}", *places])

    def __repr__(self) -> str:
        return f"<{self.verdict}: {self.reason}>"
