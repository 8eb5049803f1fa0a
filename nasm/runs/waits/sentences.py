"""Suggestions in words: what a line waits for or posts, and what would do instead."""

from __future__ import annotations

from nasm.base.problems import listed
from nasm.order.check import Check
from nasm.program.program import Program
from nasm.runs.waits.candidates import Candidate
from nasm.runs.waits.edits import Place
from nasm.runs.waits.lines import LinesOfText
from nasm.runs.waits.records import AT_READ, DROP, EARLIER, LATER, WEAKER, WaitSuggestion

FEW = 3
"""Values and moments that are named."""


class WaitSentences:
    """Puts changes to a program into words."""

    def __init__(self, program: Program, lines: LinesOfText, check: Check) -> None:
        self.program, self.lines = program, lines
        self._moments = self._posted()

    def _posted(self) -> dict[int, list[str]]:
        """The moments whose posts go to a counter that the text does not name."""
        found: dict[int, list[str]] = {}
        for (queue, pc), posts in self.program.posts.items():
            update = self.lines.update((queue, pc))
            if update is not None and update.semaphore in self.program.unnamed:
                names = found.setdefault(update.semaphore, [])
                names += [post.name for post in posts if post.name not in names]
        return found

    def suggestion(self, one: Candidate, saved: float, together: bool) -> WaitSuggestion:
        """A change as a record."""
        first = one.places[0]
        queue = self.program.queue_name(first[0])
        other = None
        if one.kind in (LATER, EARLIER):
            by = one.amount if one.kind == LATER else -one.amount
            other = first[0], first[1] + by
        text = f"@{queue} {self.program.instruction(*first).row.name} {self._text(one, other)}"
        return WaitSuggestion(
            one.kind,
            queue,
            text,
            self.lines.span(first),
            None if other is None else self.lines.span(other),
            len(one.places),
            len(self.lines.places[one.key]),
            saved,
            together,
        )

    def _text(self, one: Candidate, other: Place | None) -> str:
        if one.kind == DROP:
            take = self.lines.take(one.places[0]) is not None
            return f"need not {'take' if take else 'wait for'} {self._waits(one)}"
        if one.kind == WEAKER:
            return f"waits for {self._waits(one)}; {self._waits(one, one.amount)} is enough"
        if one.kind == LATER:
            return f"waits for {self._waits(one)}, which {self._there(other)} can do instead"
        if one.kind == AT_READ:
            return f"posts {self._posts(one)}; as soon as it has read (@read) is enough"
        return f"posts {self._posts(one)}, which {self._there(other)} can do instead"

    def _there(self, other: Place | None) -> str:
        assert other is not None
        span = self.lines.span(other)
        name = self.program.instruction(*other).row.name
        if span is None:
            return f"pc {other[1]} ({name})"
        several = len(self.lines.places[self.lines.key[other]]) > 1
        rounds = [frame.step for frame in span.chain if frame.step] if several else []
        return f"line {span.line} ({', '.join((name, *rounds))})"

    def _name(self, counter: int) -> str:
        name = f"${self.program.semaphore_name(counter)}"
        moments = self._moments.get(counter, [])
        if not moments:
            return name
        return f"{listed(moments[:FEW], 'or')} ({name})"

    def _waits(self, one: Candidate, less: int = 0) -> str:
        """What instructions of a line wait for."""
        found: dict[int, list[int]] = {}
        for place in one.places:
            wait = self.lines.wait(place)
            assert wait is not None
            values = found.setdefault(wait.semaphore, [])
            if wait.value - less not in values:
                values.append(wait.value - less)
        texts = []
        for counter, values in list(found.items())[:FEW]:
            more = ", …" if len(values) > FEW else ""
            texts.append(f"{self._name(counter)} >= {', '.join(map(str, values[:FEW]))}{more}")
        return listed(texts, "and")

    def _posts(self, one: Candidate) -> str:
        counters = dict.fromkeys(
            update.semaphore
            for place in one.places
            if (update := self.lines.update(place)) is not None
        )
        return listed([self._name(counter) for counter in counters][:FEW], "and")
