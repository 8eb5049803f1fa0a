"""What is asked of the past of a run: it is done again, from checkpoints, to find out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.debugger.moving.past import Past
from nasm.debugger.views import Seeing
from nasm.machine.records import Rows

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.debugger.engines.counters import Changed
    from nasm.debugger.engines.strips import TimeSoFar
    from nasm.debugger.origins.last_writes import Latest
    from nasm.debugger.origins.records import LastWrite, Why

LATELY = 0.5
"""Seconds of computing that are done again to find out when tensors were written last."""

STRIP = 60
"""Default number of cells of a strip."""


class Asking(Seeing):
    """A run with its past, which explains how it reached its state."""

    past: Past

    def history(self, name: str, most: int | None = None) -> Rows[Changed]:
        """The last changes of a semaphore or event, the latest last; raises Refused.

        The run is done again to see them, from the last checkpoint or from earlier ones.
        """
        from nasm.debugger.engines.counters import Changed, history

        given = {} if most is None else {"most": most}
        found = history(self.past, self._scene(), self.semaphore(name), **given)
        return self._rows(Changed, found)

    def latest(self, seconds: float | None = LATELY) -> Latest | None:
        """When each tensor was written last, and by whom, as far as a search in the past finds it.

        What took more than so many ``seconds`` to compute is not done again, if there is a bound.
        None if it is halted on the way.
        """
        from nasm.debugger.origins.last_writes import latest

        return latest(self.past, self._scene(), seconds)

    def strip(self, cycles: int | None = None, width: int = STRIP) -> TimeSoFar | None:
        """What every engine did in the last cycles of the base clock: in so many cells, and in all.

        The run is done again from the last checkpoint before that. None if it is halted on the way.
        """
        from nasm.debugger.engines.strips import strip

        return strip(self.past, self._scene(), cycles, width)

    def why(self, text: str, depth: int | None = None, most: int | None = None) -> Why:
        """Where an element of a tensor got the value that it has now; raises Failure.

        ``text`` names it as the language does. What made it, of what, and where that came from,
        ``depth`` times back (copies are ignored), with ``most`` as the limit of values in all.
        """
        from nasm.debugger.origins.why import why

        bounds = {"depth": depth, "most": most}
        given = {name: bound for name, bound in bounds.items() if bound is not None}
        return why(self, self.past, text, **given)

    def last_write(self, text: str) -> LastWrite | None:
        """The last write of any element of a tensor or slice until now; None if there was none."""
        from nasm.debugger.origins.why import last_write

        return last_write(self, self.past, text)
