"""Where a part of what a core holds got what it is: what changed it last, of what, and so on back.

So it is with memory that what a core holds writes by address: no operand names its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nasm.base.problems import Failure
from nasm.debugger.moving.part_stops import OnPart, changes, differing, state
from nasm.debugger.moving.stops import Met, Test
from nasm.debugger.origins.elements import Numbers
from nasm.debugger.origins.origins import OfCore
from nasm.debugger.origins.part_reads import PartBox, PartReads
from nasm.debugger.origins.records import LastWrite, Maker, OriginSource, Why
from nasm.debugger.origins.why import initial, maker
from nasm.debugger.origins.writes import CHANGE, INSTRUCTION, Replayable, Write
from nasm.debugger.values.expressions import Expression
from nasm.debugger.values.value import Value
from nasm.machine.records import Moment
from nasm.runs.execution import Execution
from nasm.sim.counters import Who
from nasm.sim.queues import Queue, Task

FEW = 256
"""Elements of which sources are looked for: what changed more of them is named alone."""

START = "as the core began"

Search = Callable[[Test], tuple[Moment, Met] | None]
"""Goes back to where a test met something last, and says what."""


def of_core(running: Execution, text: str) -> Expression | None:
    """An expression, if it is made of what a core holds, or of memory that this writes."""
    try:
        found = Expression(running, text) if running.program.held_parts else None
    except Failure:  # the search for a tensor reports errors of the name
        return None
    return found if found is not None and found.polled else None


class PartQuestion:
    """A question: what changed a part of what a core holds, of what, and what changed that.

    ``depth`` is how many changes back, ``most`` the limit of them in all. The run is left anywhere.
    """

    def __init__(
        self, running: Execution, search: Search, past: Replayable, depth: int, most: int
    ) -> None:
        self.running, self.search, self.past = running, search, past
        self.depth, self.left = depth, most

    def why(self, text: str) -> Why:
        """The answer, as of the moment that it is."""
        asked = Expression(self.running, text)
        value = asked.value(self.running)
        return self._made(asked, value, last_change(self.running, asked, self.search, self.past), 0)

    def _made(self, asked: Expression, value: Value, found: LastWrite | None, depth: int) -> Why:
        """What a change was made of; the run is where that was found."""
        running, text = self.running, asked.text
        self.left -= 1
        values, place = _values(value), OfCore(text)
        if found is None:
            start = START if asked.view is None else initial(running, asked.view.tensor)
            return Why(text, values, value.dtype, place, None, start)
        sources: list[OriginSource] = []
        few = value.size <= FEW
        if found.maker.kind == INSTRUCTION and few and self._before(found):
            before = running.moment
            core = running.program.queues[found.who[0]].core
            reads = PartReads(running, core, lambda: state(asked.value(running)), found.position)
            for box in reads.sources():
                self.past.goto(before)
                sources.append(self._source(box, text, depth))
        return Why(text, values, value.dtype, place, found.maker, "", tuple(sources))

    def _source(self, box: PartBox, text: str, depth: int) -> OriginSource:
        """A source as it was read, and what changed it before."""
        name = str(box)
        value = Expression(self.running, name).value(self.running)
        deeper = depth + (name != text)  # what it was added to is no step back
        whys = tuple(self._parts(box, deeper)) if deeper < self.depth else ()
        return OriginSource(box.name, name, _values(value), value.dtype, OfCore(name), whys)

    def _parts(self, box: PartBox, depth: int) -> Iterator[Why]:
        """What changed some elements: those that did not change together each for themselves."""
        if self.left <= 0:
            return
        asked, now = Expression(self.running, str(box)), self.running.moment
        value = asked.value(self.running)
        found = self._due(asked) or last_change(self.running, asked, self.search, self.past)
        same = self._same(asked, found) if found is not None else ()
        if len(same) in (0, value.size):
            yield self._made(asked, value, found, depth)
            return
        for numbers in (np.setdiff1d(np.arange(value.size), same), np.asarray(same)):
            for part in box.some(numbers):
                self.past.goto(now)
                yield from self._parts(part, depth)

    def _due(self, asked: Expression) -> LastWrite | None:
        """What was left for now by an instruction, and has happened just before another starts."""
        now, met = self.running.moment, list[Met]()
        if not now.poised:
            return None
        self.past.goto(now._replace(tick=0, poised=False))
        test = OnPart(self.running, asked.text, lambda: asked.value(self.running))
        test.meet = met.append
        test.begin()
        self.past.replay(now, test)
        if not met:
            return None
        who = met[-1].queue, met[-1].pc
        maker = _maker(self.running, now, met[-1])
        return LastWrite(asked.text, maker, now.position + 1, who)

    def _same(self, asked: Expression, found: LastWrite) -> Numbers:
        """Which elements a change left as they were, by number; the run stays where it is."""
        now = self.running.moment
        after = state(asked.value(self.running))
        if found.maker.kind == CHANGE:
            self.past.goto(now._replace(changes=now.changes - 1))
        else:
            self._just_before(found.position)
        before = state(asked.value(self.running))
        self.past.goto(now)
        return np.flatnonzero(~differing(before, after).reshape(-1))

    def _before(self, found: LastWrite) -> bool:
        """Go to just before the start of what made a change; whether it is found."""
        test = _Starts(self.running, found.who)
        begun = self.search(test)
        if begun is None:
            return False
        self._just_before(begun[0].position, poised=True)
        return True

    def _just_before(self, position: int, poised: bool = False) -> None:
        """Go to just before an event, with what was changed by hand until then.

        If it is ``poised`` what is due when the event's instruction starts has happened.
        """
        before = position - 1
        made = sum(change.moment.position <= before for change in self.past.changes)
        self.past.goto(Moment(before, 0, made, poised))


class _Starts(Test):
    """An instruction starts."""

    def __init__(self, running: Execution, who: Who) -> None:
        super().__init__(running)
        self.who = who, getattr(who[1], "micro", None)

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Whether it is that."""
        if ((queue.index, queue.pc), getattr(queue.pc, "micro", None)) == self.who:
            self.meet(Met("", queue.index, queue.pc))


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
    who = met.queue, met.pc
    return LastWrite(asked.text, _maker(running, moment, met), moment.position, who)


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
