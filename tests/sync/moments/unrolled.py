"""Random programs whose conflicts are in order by moments, in a text order that is not theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from nasm.base.problems import Unsaid
from nasm.base.source import Source, Span
from nasm.order.skeleton import COMPLETES, LANDS, STARTS
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program, Update, Wait
from nasm.program.text_items import DeferredMoment, Drain, MomentMention, Moments
from nasm.sync.loops_and_moments import put_in
from tests.sync.cases import Call, Case, calls, filled
from tests.sync.oracle import Oracle

NOWHERE = Span(Source("random", "post"), 0, 4)


@dataclass
class Woven:
    """A case, the order in which a text has its calls, and where written counters are beside.

    With ``every`` one drain at the end waits for all queues, otherwise each has its own.
    """

    case: Case
    order: list[int]
    counted: set[int]
    every: bool

    def program(self) -> Program:
        """The program, with what its moments take."""
        builder = self.recorded()
        builder.place()
        builder.check_rules(Unsaid())
        put_in(builder)
        return builder.finish()

    def recorded(self) -> ProgramBuilder:
        """The program with its moments."""
        builder, sequence = self.case.builder()
        (lines,) = sequence.cores
        posts, afters = self.mentions()
        written = builder.program.semaphores[builder.semaphore("written")]
        for position, number in enumerate(self.order):
            queue, instruction, *_ = lines[number]
            if number in posts or number in afters:
                said = Moments(tuple(posts.get(number, ())), tuple(afters.get(number, ())))
                builder.recorded.moments[position] = said
            wait = update = None
            if number in self.counted and not self.case.calls[number].transfer:
                wait, update = Wait(written, ">=", 0), Update(written, "+", 1)
            builder.append(queue, (instruction, *builder.numbers(wait, update)), 0)
        issuers = [
            builder.queue(e) for e in dict.fromkeys(c.engine for c in self.case.calls if c.transfer)
        ]
        for queue in issuers[-1:] if self.every else issuers:
            builder.recorded.drain(builder.position, Drain(queue, self.every, 0, 0))
        return builder

    def mentions(self) -> tuple[dict[int, list[MomentMention]], dict[int, list[MomentMention]]]:
        """What each call posts and what it comes after: every other one that it conflicts with."""
        posts: dict[int, dict[MomentMention, None]] = {}
        afters: dict[int, dict[MomentMention, None]] = {}
        for first, second, kind in conflicts(self.case.calls):
            at_read = kind == STARTS
            mention = MomentMention(
                DeferredMoment("read" if at_read else "done", (first,)), NOWHERE, at_read
            )
            posts.setdefault(first, {})[mention] = None
            afters.setdefault(second, {})[mention] = None
        return {n: list(m) for n, m in posts.items()}, {n: list(m) for n, m in afters.items()}


class Conflicts(Oracle):
    """Pairs of calls in conflict, each as if it had a place of its own."""

    def __init__(self, calls: list[Call]) -> None:
        engines = list(dict.fromkeys(call.engine for call in calls))
        self.place = {id(c): (engines.index(c.engine), n) for n, c in enumerate(calls)}
        self.found = [
            (pair.end, n, later)
            for later, second in enumerate(calls)
            for n, first in enumerate(calls[:later])
            for pair in self._between(first, second)
        ]


def conflicts(calls: list[Call]) -> list[tuple[int, int, Any]]:
    """Calls by their numbers: the one, who has to come after it, and the kind of what ends it."""
    kinds = {COMPLETES, LANDS, STARTS}
    found = Conflicts(calls).found
    assert all(end.kind in kinds for end, _, _ in found)
    return [(first, second, end.kind) for end, first, second in found]


@st.composite
def woven(draw: st.DrawFn) -> Woven:
    """A program of one core, its lines in any order that keeps that of each queue."""
    some = draw(st.lists(calls(0, shared=True), min_size=1, max_size=14))
    used = {e for call in some for e in call.reads if e[0] == "register"}
    made = [*(c for c in filled(0) if c.row == "Memset" or used & set(c.writes)), *some]
    queues: dict[str, list[int]] = {}
    for number, call in enumerate(made):
        queues.setdefault(call.engine, []).append(number)
    order = list(range(len(made)))
    if draw(st.booleans()):  # engine by engine, or at random
        order = [
            number for engine in draw(st.permutations(list(queues))) for number in queues[engine]
        ]
    elif draw(st.booleans()):
        order = []
        for engine in draw(st.permutations([c.engine for c in made])):
            order.append(queues[engine].pop(0))
    counted = set(draw(st.lists(st.integers(0, len(made) - 1), max_size=2)))
    return Woven(Case(made, 1), order, counted, draw(st.booleans()))
