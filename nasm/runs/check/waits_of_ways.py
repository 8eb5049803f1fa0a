"""Waits that a program does not need on any way, where values decide how it continues.

A line that waits is tried without its waits. If nothing is found then on any way, all that touches
the same bytes is in the order in which it was: without a wait nothing comes before what it came
after. So each input leads to the same results as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.order.check import Check
from nasm.runs.check.ways import EveryWay
from nasm.runs.settings import RunSettings
from nasm.runs.waits.candidates import Candidate
from nasm.runs.waits.edits import Place, WaitEdits, changed, joined
from nasm.runs.waits.lines import LinesOfText
from nasm.runs.waits.records import DROP, WaitReport
from nasm.runs.waits.sentences import WaitSentences

BUDGET = 500_000
"""Instructions that are followed again, in all."""

FOLLOWED = RunSettings(values=False)


def advised_on_every_way(ways: EveryWay) -> WaitReport:
    """The lines whose waits no way needs, of a program of which all were followed."""
    if not ways.whole:
        return WaitReport(reason="not every way that values lead to was followed")
    if not all(one.clean for one in ways.every):
        return WaitReport(reason="something was found on a way that values lead to")
    ordering = ways.first.session.ordering
    if ordering is None:
        return WaitReport(reason="nothing in it could be in no order")
    return _Advising(ways, ordering.judged()).advice()


class _Advising:
    """One program, followed on every way without some waits."""

    def __init__(self, ways: EveryWay, check: Check) -> None:
        self.ways, self.check, self.program = ways, check, ways.program
        self.lines = LinesOfText(self.program)
        self.budget, self.untried = BUDGET, 0

    def advice(self) -> WaitReport:
        """All that is found."""
        before = self._time(self.ways)
        found = [
            (one, after) for one in self._drops() if (after := self._without([one])) is not None
        ]
        kept, last = self._together([one for one, _ in found])
        words = WaitSentences(self.program, self.lines, self.check)
        waiting = dict(self.lines.waiting())
        return WaitReport(
            waits=sum(map(len, waiting.values())),
            lines=len(waiting),
            suggestions=tuple(
                words.suggestion(one, before - after, one in kept) for one, after in found
            ),
            microseconds=before,
            changed=before if last is None else last,
            untried=self.untried,
        )

    def _drops(self) -> Iterator[Candidate]:
        """The lines whose waits are for what only goes up, without these."""
        for key, places in self.lines.waiting():
            if all(self._counts(place) for place in places):
                edits = WaitEdits(dict.fromkeys(places), {})
                yield Candidate(DROP, key, tuple(places), 0, edits)

    def _counts(self, place: Place) -> bool:
        wait = self.lines.wait(place)
        assert wait is not None
        return wait.op == ">=" and not self.check.order.goes_down(wait.semaphore)

    def _without(self, some: Sequence[Candidate]) -> float | None:
        """How long the first way takes without some waits; None if that is not in order."""
        if self.budget <= 0:
            self.untried += 1
            return None
        edits = joined(one.edits for one in some)
        assert edits is not None
        made = EveryWay(changed(self.program, edits), FOLLOWED, self.ways.most, tried=False)
        self.budget -= sum(one.instructions for one in made.every)
        fine = made.whole and all(one.clean for one in made.every)
        return self._time(made) if fine else None

    def _together(self, some: Sequence[Candidate]) -> tuple[list[Candidate], float | None]:
        """A set of changes that holds as a whole, and how long the first way then takes."""
        kept, last = list[Candidate](), None
        for one in some:
            after = self._without([*kept, one])
            if after is not None:
                kept, last = [*kept, one], after
        return kept, last

    def _time(self, ways: EveryWay) -> float:
        return ways.first.report.microseconds
