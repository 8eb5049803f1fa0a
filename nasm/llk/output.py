"""What a function makes: instructions, writes of settings, and settings before the run.

The words of the first template that is programmed are settings, which hold from the start of the
run. Those of others are written where they are, once the expander has expanded what came before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from nasm.base.problems import Refused
from nasm.base.records import dataclass, field
from nasm.isa.foreign import ForeignItem, WrittenSettings

VENDOR: Final = "tt-llk"
"""What rows call the names of its macros."""

MOST: Final = 100_000
"""So many instructions a function may make."""

LOOPS: Final = (
    "OuterCount", "InnerCount", "StartOp", "EndOp0", "EndOp1", "LoopOp", "LoopOp1", "Loop0Last",
    "Loop1Last",
)  # fmt: skip
MASKED: Final = ("Flags", "B", "A0", "A1", "A2", "A3", "SkipA0", "SkipB")
OF_EXPANDER: Final = ("MOP0_", "MOP1_")
"""The words of an expander, by names of settings: of two loops, of a mask."""

AB: Final = ("SrcAIncr", "SrcACR", "SrcAClear", "SrcBIncr", "SrcBCR", "SrcBClear")
DST: Final = ("DestIncr", "DestCR", "DestClear", "DestCToCR", "FidelityIncr", "FidelityClear")
PACK: Final = (
    "YsrcIncr", "YsrcCR", "YsrcClear", "YdstIncr", "YdstCR", "YdstClear", "ZsrcIncr", "ZsrcClear",
    "ZdstIncr", "ZdstClear",
)  # fmt: skip
"""The fields of the word of an address modifier of the packers."""
BIAS: Final = ("BiasIncr", "BiasClear")
"""The fields of the three words of an address modifier."""


@dataclass(slots=True, eq=False)
class LlkOutput:
    """What is made so far, and the words of expanders."""

    items: list[ForeignItem] = field(default_factory=list)
    settings: dict[str, int] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)

    @property
    def words(self) -> list[int]:
        """The instructions among it."""
        return [one for one in self.items if isinstance(one, int)]

    def word(self, word: int) -> None:
        """An instruction."""
        if len(self.items) >= MOST:
            raise Refused("E0211", f"the function makes more than {MOST:,} instructions")
        self.items.append(word & 0xFFFFFFFF)

    def template(self, number: int, values: Sequence[int]) -> None:
        """The words of an expander's template, which are written here if it has others already."""
        names = (f"{OF_EXPANDER[number]}{name}" for name in (LOOPS if number else MASKED))
        found = {name: value & 0xFFFFFFFF for name, value in zip(names, values, strict=True)}
        if not self.settings:
            self.settings = found
        elif found != self.held:
            self.items.append(WrittenSettings(found, {"wait": 1}))
        self.held = found

    def modifier(self, number: int, given: Mapping[str, int]) -> None:
        """The three words of an address modifier, written as the run goes."""
        for section, names in (("AB", AB), ("DST", DST), ("BIAS", BIAS)):
            start = f"ADDR_MOD_{section}_SEC{number}_"
            values = {f"{start}{name}": given.get(name, 0) for name in names}
            self.items.append(WrittenSettings(values))

    def pack_modifier(self, number: int, given: Mapping[str, int]) -> None:
        """The word of an address modifier of the packers."""
        values = {f"ADDR_MOD_PACK_SEC{number}_{name}": given.get(name, 0) for name in PACK}
        self.items.append(WrittenSettings(values))
