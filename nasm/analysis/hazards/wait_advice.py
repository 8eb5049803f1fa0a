"""What to type where something has to wait for a counter: a wait, or an instruction that takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.analysis.hazards.rounds import ExecutedLines, Place
from nasm.language.printing.additions import Addition, line_before, wait
from nasm.order.advice import Advice
from nasm.order.check import Check
from nasm.order.round_takes import again
from nasm.program.program import Program


class WaitAdvice:
    """Says advice; ``line_of`` names a line, ``coming`` says whether more will be posted."""

    def __init__(
        self,
        program: Program,
        check: Check,
        executed: ExecutedLines,
        line_of: Callable[[int, int], str],
        coming: Callable[[int], bool],
    ) -> None:
        self.program, self.check, self.executed = program, check, executed
        self.line_of, self.coming = line_of, coming

    def advice_sentence(self, advice: Advice) -> str:
        """What to change, in a sentence."""
        wait, place = advice.remedy.wait, advice.remedy.place
        assert wait is not None
        where, wanted = self.line_of(*place), f"${self._name(advice)} >= {wait.value}"
        before = self._before(advice)
        if before:
            return f"put '{before}' before {where}"
        if advice.remedy.takes:
            return f"let {where} say '{self._take(advice)}'"
        if self.coming(wait.counter):
            wanted += " (more if what is still to be executed posts to it, too)"
        known = self._known(place)
        text = f"let {where} wait for {wanted}"
        if known is not None:
            text += f", instead of {known.op} {known.value}"
        return f"{text} (and {advice.step} more in each further round)" if advice.step else text

    def additions(self, advice: Advice) -> list[Addition]:
        """The same as characters to put into the text; none if it takes more than that."""
        found, place = advice.remedy, advice.remedy.place
        line = self.executed.line(place)
        if line is None or line.call or found.wait is None or advice.step:
            return []
        places = self.executed.lines[line.source, line.start][()]
        alone = {queue for queue, _ in places} == {place[0]}
        if not alone or self.coming(found.wait.counter) or not self._from_the_start(place, places):
            return []
        before = self._before(advice)
        if before:
            made = line_before(line.source, line.start, before)
        elif found.takes:
            made = wait(line.source, line.start, self._take(advice))
        elif self._known(place) is None:
            made = wait(line.source, line.start, f"${self._name(advice)} >= {found.wait.value}")
        else:
            made = None
        return [] if made is None else [made]

    def fact(self, advice: Advice) -> dict[str, Any] | None:
        """The same as a document says it."""
        wait, (queue, _) = advice.remedy.wait, advice.remedy.place
        if wait is None:
            return None
        span = self.program.span(queue, self._pc(advice.remedy.place))
        return {
            "engine": self.program.queue_name(queue),
            "pc": self._pc(advice.remedy.place),
            "line": span.excerpt()[0] if span is not None else None,
            "semaphore": self._name(advice),
            "op": wait.op,
            "value": wait.value,
            "step": advice.step,
            "takes": advice.remedy.takes,
        }

    def _from_the_start(self, place: Place, places: list[Place]) -> bool:
        """Whether what was tried is what a line means in all its rounds."""
        return place == places[0] or again(self.check, place)

    def _before(self, advice: Advice) -> str:
        """An instruction before the line, if that has no room; empty if it has."""
        place, wait = advice.remedy.place, advice.remedy.wait
        sequencing = self.program.target.sequencing
        assert wait is not None
        known, lines, pc = self._known(place), self.program.queues[place[0]], self._pc(place)
        full = known is not None and known.semaphore != wait.counter
        if advice.remedy.takes:
            posts = self.program.instruction(place[0], pc).row.posts
            full = known is not None or bool(posts) or bool(lines.updates[pc])
        if not full or sequencing is None:
            return ""
        what = f"${self._name(advice)} >= {wait.value}"
        what = self._take(advice) if advice.remedy.takes else what
        return f"@{lines.engine} {sequencing.wait} {what}"

    def _take(self, advice: Advice) -> str:
        wait = advice.remedy.wait
        assert wait is not None
        return f"take ${self._name(advice)}" + (f", {wait.value}" if wait.value != 1 else "")

    def _known(self, place: Place) -> Any:
        """What the line waits for already."""
        lines = self.program.queues[place[0]]
        return self.program.waits[lines.waits[self._pc(place)]]

    def _name(self, advice: Advice) -> str:
        assert advice.remedy.wait is not None
        return self.program.semaphore_name(advice.remedy.wait.counter)

    def _pc(self, place: Place) -> int:
        return self.check.watch.pcs[place[0]][place[1]]
