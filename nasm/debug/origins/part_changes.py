"""Where a part of what a core holds got what it is: the last instruction that changed it.

So it is with memory that what a core holds writes by address: no operand names its bytes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nasm.debug.moving.parts import OnPart
from nasm.debug.moving.stops import Test
from nasm.debug.origins.origins import OfCore
from nasm.debug.origins.why import initial, maker
from nasm.debug.origins.whys import LastWrite, Maker, Why
from nasm.debug.origins.writes import INSTRUCTION, Write
from nasm.debug.values.expressions import Expression
from nasm.debug.values.value import Value
from nasm.problems import Failure
from nasm.records import Moment
from nasm.running import Running

START = "as the core began"

Search = Callable[[Test], Moment | None]
"""Goes back to where a test met something last."""


def of_core(running: Running, text: str) -> Expression | None:
    """An expression, if it is made of what a core holds, or of memory that this writes."""
    try:
        found = Expression(running, text) if running.program.target.parts else None
    except Failure:  # whoever looks for a tensor says what is wrong with it
        return None
    return found if found is not None and found.polled else None


def why(running: Running, asked: Expression, search: Search) -> Why:
    """What changed it last, if anything did; the run is left where that was."""
    value = asked.value(running)
    values, place = _values(value), OfCore(asked.text)
    found = last_change(running, asked, search)
    if found is None:
        start = START if asked.view is None else initial(running, asked.view.tensor)
        return Why(asked.text, values, value.dtype, place, None, start)
    return Why(asked.text, values, value.dtype, place, found.maker)


def last_change(running: Running, asked: Expression, search: Search) -> LastWrite | None:
    """The last change; the run is left where that was."""
    test = OnPart(running, asked.text, lambda: asked.value(running))
    if search(test) is None:
        return None
    return LastWrite(asked.text, _maker(running), running.machine.scheduler.position)


def _maker(running: Running) -> Maker:
    scheduler = running.machine.scheduler
    position, now = scheduler.position, scheduler.now
    return maker(running, Write(INSTRUCTION, scheduler.acting, -1, position, now, now))


def _values(value: Value) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    """Its elements in a row; words for those that are not known."""
    elements = value.array.reshape(-1)
    known = value.known((slice(None),) * len(value.shape)).reshape(-1)
    if known.all():
        return elements
    shown = elements.astype(object)
    shown[~known] = "__"
    return shown
