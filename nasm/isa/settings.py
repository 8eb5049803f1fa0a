"""Settings: what cores and their queues hold before a run, as programs say by name.

A target offers them: words of a configuration, registers, buffers. A program gives each at most
once; the machine puts them into what its cores hold before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.views.value_text import value_text

UNKNOWN, TWICE, MISPLACED = "E0242", "E0243", "E0244"
"""Codes: a setting that there is not, one that is set twice, and one of another queue."""

NEAR = 6
"""Words that a hint lists before it says how many there are."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something that a core or each of its queues holds, which a program may set.

    It takes integers from ``least`` to ``most``, or ``words`` for them. ``of_queue``: each queue
    has one. ``instruction``: its value may be written as an instruction, of which it is the word.
    ``place`` is what it sets: of two with one place the later would overwrite the earlier.
    ``part_of`` is the setting that has its bits, and others.
    """

    name: str
    summary: str
    source: str
    most: int
    least: int = 0
    words: Mapping[str, int] = field(default_factory=dict, compare=False)
    of_queue: bool = False
    instruction: bool = False
    place: object = None
    part_of: str = ""

    def shares(self, other: Setting) -> bool:
        """Whether both set some bits."""
        if self.where == other.where or self.part_of == other.name:
            return True
        return other.part_of == self.name

    @property
    def where(self) -> object:
        """What it sets."""
        return self.name if self.place is None else self.place

    def accept(self, value: object) -> int:
        """The number that a value or a word means; raises Refused."""
        if isinstance(value, str) and value in self.words:
            return self.words[value]
        if type(value) is int and self.least <= value <= self.most:
            return value
        hint = did_you_mean(value, self.words) if isinstance(value, str) else ""
        message = f"{self.name} is {self.describe()}, found {_shown(value)}"
        raise Refused("E0301", message, hint or self._hint())

    def describe(self) -> str:
        """What it takes, for people."""
        most = f"{self.most:#x}" if self.most > 0xFFFF else str(self.most)
        found = f"{self.least} to {most}"
        if self.words:
            some = list(self.words)[:NEAR]
            rest = len(self.words) - len(some)
            return f"{found} or {', '.join(some)}{f' and {rest} more' if rest else ''}"
        return f"an integer from {found}"

    def _hint(self) -> str:
        return f"its words are {listed(self.words)}" if len(self.words) > NEAR else ""

    def text(self, value: int) -> str:
        """A value as a program writes it."""
        word = next((word for word, number in self.words.items() if number == value), "")
        return word or (hex(value) if value > 0xFFFF else str(value))


def _shown(value: object) -> str:
    return f"'{quoted(value)}'" if isinstance(value, str) else value_text(value)


Values = Sequence[tuple[Setting, int]]
"""Some settings, each with a value."""

Written = tuple[str, Mapping[str, int]]
"""An instruction that writes (a part of) a setting: its mnemonic, and operands by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """What the programs of a target may set.

    ``put`` puts the value of a setting into what a core holds, for a queue by its number within
    the core (0 for what belongs to the core). ``written`` are instructions that write some settings
    while a queue runs; it is given what else the line says, by the names of ``options``.
    ``elsewhere`` says which other generation has a setting of a name, if one has.
    """

    offered: Mapping[str, Setting]
    put: Callable[[Any, int, Setting, int], None]
    written: Callable[[Values, Mapping[str, int]], Sequence[Written]] | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Callable[[str], str] | None = None

    def named(self, name: str) -> Setting:
        """A setting by its name; raises Refused with the nearest one."""
        found = self.offered.get(name)
        if found is None:
            message = f"there is no setting '{quoted(name)}'"
            other = "" if self.elsewhere is None else self.elsewhere(name)
            raise Refused(UNKNOWN, message, other or did_you_mean(name, self.offered))
        return found


@dataclass(frozen=True, slots=True)
class Assigned:
    """A setting with its value, of a core, or of one of its queues by the engine's name."""

    name: str
    value: int
    core: int
    engine: str = ""
    span: Span | None = field(default=None, compare=False)
