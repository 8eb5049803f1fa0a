"""The places of instructions that another one was expanded to."""

from __future__ import annotations

from typing import Any


class Micro(int):
    """Where an expanded instruction stands: pc 5, micro 3 is written "5.3".

    As a number it is the pc of the instruction that it comes from, so that whoever knows nothing of
    expansions sees that one. ``instruction`` is what is executed; ``last`` says that none follows.
    """

    micro: int
    instruction: Any
    last: bool

    def __new__(cls, pc: int, micro: int, instruction: Any, last: bool) -> Micro:
        """The place of one of several instructions that stand for that at a pc."""
        made = super().__new__(cls, pc)
        made.micro, made.instruction, made.last = micro, instruction, last
        return made

    def __repr__(self) -> str:
        return f"{int(self)}.{self.micro}"

    __str__ = __repr__

    def __reduce__(self) -> tuple[type[Micro], tuple[int, int, Any, bool]]:
        return Micro, (int(self), self.micro, self.instruction, self.last)


def fields(pc: int) -> dict[str, int]:
    """A place as documents have it: ``pc``, and ``micro`` if it was expanded to."""
    return {"pc": int(pc)} | ({"micro": pc.micro} if type(pc) is Micro else {})


def micro_of(pc: int) -> int:
    """Which of an expansion's instructions stands at a place; 0 if it is none."""
    return pc.micro if type(pc) is Micro else 0
