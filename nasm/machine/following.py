"""What a run without values asks where it would have to know one, so that it need not end there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from nasm.isa.effects import Effect, Jump
from nasm.isa.instruction import Row
from nasm.isa.ranges import Some, Unknown
from nasm.views.regions import Region
from nasm.views.view import View


class Follower(Protocol):
    """Decides what an unknown value decides, and keeps what is known of it."""

    def result(self, row: Row, arguments: Sequence[Any], tiles: Sequence[View]) -> Any:
        """What the semantics of a row return for a register.

        Arguments that are not known are Unknown, or None in the place of ``tiles``.
        """

    def decide(self, row: Row, arguments: Sequence[Any]) -> Effect:
        """Which way a branch goes that an unknown value decides; raises Refused if it cannot."""

    def goes(self, effect: Jump) -> Jump:
        """Which way a branch goes that depends on nothing unknown, or on nothing at all."""

    def stored(self, before: Some, known: bool, value: Some) -> Some:
        """What a register gets that had something before, if that is ``known``."""

    def limit(self, value: Unknown, low: int, high: int) -> None:
        """A value is within bounds from now on, for otherwise the run has ended."""

    def vague(self, number: int, regions: Iterable[Region]) -> None:
        """What has a number touches some of these bytes, it is not known which."""
