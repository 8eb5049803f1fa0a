"""The state of the vector unit one element at a time, and how lanes write registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.tensix.lanes.arithmetic import WORD, step

LANES = range(32)


@dataclass
class State:
    """The state: ``L[n][lane]``, by lane what is by lane, and Dst as rows of 16."""

    L: list[list[int]]
    flag: list[bool]
    uses: list[bool]
    stack: list[tuple[list[bool], list[bool]]]
    config: list[int]
    templates: list[list[int]]
    sequences: list[list[int]]
    misc: list[int]
    random: list[int]
    rotated: list[int]
    dst: list[list[int]]
    defined: list[bool]
    address: int = 0  # RWC.Dst + DEST_REGW_BASE
    offset: int = 0  # MATH_Offset
    srcb: int = 2  # what Mod0 0 of loads and stores means
    quirks: set[str] = field(default_factory=set)

    def on(self, lane: int) -> bool:
        if self.config[lane] >> (12 + lane // 8) & 1:
            return False
        return self.flag[lane] if self.uses[lane] else True

    def bit(self, lane: int, number: int) -> bool:
        return bool(self.config[lane] >> number & 1)

    def draw(self, lane: int) -> int:
        was = self.random[lane]
        self.random[lane] = step(was)
        return was

    def each(self, VD: int, value: Callable[[int], int]) -> list[int]:
        """Write a register in the lanes that execute; these."""
        active = [lane for lane in LANES if self.on(lane)]
        new = {lane: value(lane) & WORD for lane in active}
        if VD < 8 or VD == 16:
            for lane in active:
                self.L[VD][lane] = new[lane]
        return active

    def put_l7(self, VD: int, indirect: int, value: Callable[[int], int]) -> None:
        for lane in LANES:
            if self.on(lane):
                vd = self.L[7][lane] & 15 if indirect and VD != 16 else VD
                if vd < 8 or vd == 16:
                    self.L[vd][lane] = value(lane)
