"""What a function makes: instructions as lines of a program, and settings before the run.

What the vendor's templates write into the expanders while a kernel runs is a setting here, which
holds from the start: so each can be programmed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from nasm.base.problems import Refused
from nasm.base.records import dataclass, field
from nasm.isa.target import Target
from nasm.language.printing.words import line, words_known

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
_COUNTS: Final = ("OuterCount", "InnerCount", "Flags")

AB: Final = ("SrcAIncr", "SrcACR", "SrcAClear", "SrcBIncr", "SrcBCR", "SrcBClear")
DST: Final = ("DestIncr", "DestCR", "DestClear", "DestCToCR", "FidelityIncr", "FidelityClear")
BIAS: Final = ("BiasIncr", "BiasClear")
"""The fields of the three words of an address modifier."""


@dataclass(slots=True, eq=False)
class LlkOutput:
    """Lines so far, and the words of expanders."""

    target: Target
    words: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    def word(self, word: int) -> None:
        """An instruction."""
        if len(self.words) >= MOST:
            raise Refused("E0211", f"the function makes more than {MOST:,} instructions")
        word &= 0xFFFFFFFF
        self.words.append(word)
        text = line(words_known(self.target), word)
        self.lines.append(
            f"{text.partition(' ;')[0].rstrip()}, data=true" if ".word" in text else text
        )

    def template(self, number: int, values: Sequence[int]) -> None:
        """The words of an expander's template; raises Refused if it has others already."""
        names = LOOPS if number else MASKED
        known = words_known(self.target)
        found = {}
        for name, value in zip(names, values, strict=True):
            if name in _COUNTS:
                found[f"{OF_EXPANDER[number]}{name}"] = f" = {value}"
            elif known.reason(value & 0xFFFFFFFF):
                found[f"{OF_EXPANDER[number]}{name}"] = f" = {value & 0xFFFFFFFF:#010x}"
            else:
                found[f"{OF_EXPANDER[number]}{name}"] = f": {line(known, value & 0xFFFFFFFF)}"
        if self.settings and self.settings != found:
            raise Refused(
                "E0244",
                "the expander's template is programmed a second time, with other words: here they "
                "hold from the start of the run",
                "make a program of each function, or write what it expands to",
            )
        self.settings = found

    def modifier(self, number: int, given: Mapping[str, int]) -> None:
        """The three words of an address modifier, written as the run goes."""
        for section, names in (("AB", AB), ("DST", DST), ("BIAS", BIAS)):
            values = (f"ADDR_MOD_{section}_SEC{number}_{n} = {given.get(n, 0)}" for n in names)
            self.lines.append(f".write {', '.join(values)}")

    def text(self, machine: str, queue: str) -> str:
        """All of it as a program."""
        rows = [f".target {machine}", "", f"@{queue}"]
        rows += [f".cfg {name}{value}" for name, value in self.settings.items()]
        rows += [f"    {text}" for text in self.lines]
        return "\n".join(rows) + "\n"
