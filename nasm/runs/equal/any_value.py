"""Following a run whose addresses depend on values: they may be anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nasm.base.problems import Refused
from nasm.isa.effects import Effect, Jump
from nasm.isa.instruction import Row
from nasm.isa.ranges import Some, Unknown
from nasm.runs.equal.value_numbers import UNNUMBERED
from nasm.views.regions import Region
from nasm.views.view import View


class AnyValue:
    """Keeps what may be touched, and refuses a branch that a value decides."""

    def __init__(self) -> None:
        self.vague_regions: dict[int, frozenset[Region]] = {}

    def result(self, row: Row, arguments: Sequence[Any], tiles: Sequence[View]) -> Any:
        """What a register gets: any number."""
        return Unknown.within()

    def decide(self, row: Row, arguments: Sequence[Any]) -> Effect:
        """A branch that a value decides: it is not known which way it goes."""
        raise Refused(UNNUMBERED, f"{row.name} branches as a value decides")

    def goes(self, effect: Jump) -> Jump:
        """It goes where it leads."""
        return effect

    def stored(self, before: Some, known: bool, value: Some) -> Some:
        """It gets what it gets."""
        return value

    def limit(self, value: Unknown, low: int, high: int) -> None:
        """A value within bounds is any value."""

    def vague(self, number: int, regions: Iterable[Region]) -> None:
        """What has a number touches some of these bytes, it is not known which."""
        self.vague_regions[number] = frozenset(regions)
