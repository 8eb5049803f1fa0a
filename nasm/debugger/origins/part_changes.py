"""Where a part of what a core holds got what it is: the last instruction that changed it.

So it is with memory that what a core holds writes by address: no operand names its bytes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nasm.base.problems import Failure
from nasm.debugger.moving.part_stops import OnPart, changes, state
from nasm.debugger.moving.stops import Met, Test
from nasm.debugger.origins.origins import OfCore
from nasm.debugger.origins.records import LastWrite, Maker, Why
from nasm.debugger.origins.why import initial, maker
from nasm.debugger.origins.writes import CHANGE, INSTRUCTION, Replayable, Write
from nasm.debugger.values.expressions import Expression
from nasm.debugger.values.value import Value
from nasm.machine.records import Moment
from nasm.runs.execution import Execution

START = "as the core began"

Search = Callable[[Test], tuple[Moment, Met] | None]
"""Goes back to where a test met something last, and says what."""


def of_core(running: Execution, text: str) -> Expression | None:
    """An expression, if it is made of what a core holds, or of memory that this writes."""
    try:
        found = Expression(running, text) if running.program.target.parts else None
    except Failure:  # the search for a tensor reports errors of the name
        return None
    return found if found is not None and found.polled else None


def why(running: Execution, asked: Expression, search: Search, past: Replayable) -> Why:
    """What changed it last, if anything did; the run is left where that was."""
    value = asked.value(running)
    values, place = _values(value), OfCore(asked.text)
    found = last_change(running, asked, search, past)
    if found is None:
        start = START if asked.view is None else initial(running, asked.view.tensor)
        return Why(asked.text, values, value.dtype, place, None, start)
    return Why(asked.text, values, value.dtype, place, found.maker)


def last_change(
    running: Execution, asked: Expression, search: Search, past: Replayable
) -> LastWrite | None:
    """The last change, by an instruction or by hand; the run is left where that was."""
    by_hand = past.changes[: past.now.changes]
    test = OnPart(running, asked.text, lambda: asked.value(running))
    found = search(test)
    for made in reversed(by_hand):
        if found is not None and made.moment.position < found[0].position:
            break
        if _changes(running, asked, made.moment, past):
            tick, position = made.moment.tick, made.moment.position
            write = Write(CHANGE, (-1, -1), -1, position, tick, tick, change=made.change)
            return LastWrite(asked.text, maker(running, write), position)
    if found is None:
        return None
    moment, met = found
    return LastWrite(asked.text, _maker(running, moment, met), moment.position)


def _changes(running: Execution, asked: Expression, moment: Moment, past: Replayable) -> bool:
    """Whether the value in question differs just after a change by hand; the run is left there."""
    past.goto(moment)
    before = state(asked.value(running))
    past.goto(moment._replace(changes=moment.changes + 1))
    return changes(before, state(asked.value(running)))[0] > 0


def _maker(running: Execution, moment: Moment, met: Met) -> Maker:
    tick = moment.tick if met.tick < 0 else met.tick
    write = Write(INSTRUCTION, (met.queue, met.pc), -1, moment.position, tick, tick)
    return maker(running, write)


def _values(value: Value) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    """Its elements in a row; words for those that are not known."""
    elements = value.array.reshape(-1)
    known = value.known((slice(None),) * len(value.shape)).reshape(-1)
    if known.all():
        return elements
    shown = elements.astype(object)
    shown[~known] = "__"
    return shown
