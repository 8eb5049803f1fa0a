"""Where values came from: the run is done again, from checkpoints, to find out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.debugger.moving.travel import Travel
from nasm.debugger.parts.engines import EnginePart
from nasm.runs.execution import Execution

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.debugger.origins.last_writes import Latest
    from nasm.debugger.origins.records import LastWrite, Why

LATELY = 5_000
"""Events that are done again to find out when tensors were written last: a second, mostly less."""


class WhyPart:
    """Asks the past of a run; it is called with the name of an element."""

    def __init__(self, run: Execution, travel: Travel, engines: EnginePart) -> None:
        self.run, self.travel, self.engines = run, travel, engines
        self.past = travel.past

    def __call__(self, text: str, depth: int | None = None, most: int | None = None) -> Why:
        """Where an element of a tensor, or a part of what a core holds, got the value it has now.

        It says what made it, of what, and where that came from, ``depth`` times back (copies are
        ignored), with ``most`` as the limit of values in all. Raises Failure.
        """
        from nasm.debugger.origins import part_changes

        asked = part_changes.of_core(self.run, text)
        from nasm.debugger.origins.why import DEPTH, MOST, why

        depth, most = DEPTH if depth is None else depth, MOST if most is None else most
        if asked is None:
            return why(self.run, self.past, text, depth, most)
        with self.travel.excursion():
            search = self.travel.met_last
            question = part_changes.PartQuestion(self.run, search, self.past, depth, most)
            return question.why(asked.text)

    def last_write(self, text: str) -> LastWrite | None:
        """The last write of any element of a tensor or slice until now; None if there was none.

        Of a part of what a core holds it is the last change. Raises Failure.
        """
        from nasm.debugger.origins import part_changes

        asked = part_changes.of_core(self.run, text)
        if asked is None:
            from nasm.debugger.origins.why import last_write

            return last_write(self.run, self.past, text)
        with self.travel.excursion():
            return part_changes.last_change(self.run, asked, self.travel.met_last, self.past)

    def latest(self, events: int | None = LATELY) -> Latest | None:
        """When each tensor was written last, and by whom, as far as a search in the past finds it.

        It looks at the last ``events``, or at all: how long these took changes nothing. None if it
        is halted on the way.
        """
        from nasm.debugger.origins.last_writes import latest

        return latest(self.past, self.engines.scene(), events)
