"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debug`; here it has its name.
"""

from __future__ import annotations

from typing import Any

from nasm.debug.past import KEPT, Past
from nasm.debug.why import DEPTH, LastWrite, Why, last_write, why
from nasm.running import ASSEMBLED, Running

__all__ = ["ASSEMBLED", "Session"]


class Session(Running):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    It is made as a :class:`~nasm.running.Running` is. So that going back takes no time, up to
    ``keep`` bytes are kept of the past; with 0 it takes as long as the run did. What is profiled
    keeps nothing unless it is said.
    """

    def __init__(self, *args: Any, keep: int | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        if keep is None:
            keep = 0 if more.get("profile") or more.get("trace") else KEPT
        self.past = Past(self, super()._advance, keep)

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.ended and self.past.ahead is None

    def _advance(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        return self.past.advance(events, until, retire)

    # -- stopping

    # -- moving

    # -- going back

    # -- seeing

    # -- asking

    def why(self, text: str, depth: int = DEPTH) -> Why:
        """Where an element of a tensor got the value that it has now; raises Failure.

        ``text`` names it as the language does. What made it, of what, and where that came from, so
        many makers back.
        """
        return why(self, self.past, text, depth)

    def last_write(self, text: str) -> LastWrite | None:
        """The last write of any element of a tensor or slice until now; None if there was none."""
        return last_write(self, self.past, text)

    # -- trying
