"""Random programs with loops at run time, whose conflicts are in order by moments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from nasm.base.problems import Unsaid
from nasm.order.skeleton import STARTS
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program
from nasm.program.text_items import (
    Control,
    DeferredMoment,
    Drain,
    MomentMention,
    Moments,
    Round,
    RunTimeLoop,
)
from nasm.sync.loops_and_moments import put_in
from nasm.views.view import Reg
from tests.sync.cases import Call, Case, Part, calls, filled, view
from tests.sync.moments.unrolled import NOWHERE, conflicts

COUNTER = 10
"""The register that counts the rounds of an outermost loop."""


@dataclass(eq=False)
class Rounds:
    """A loop of so many rounds, which is ``told`` or not; it may be a loop ``like`` another.

    Its calls then post moments of the same names; behind them it may have more.
    """

    count: int
    body: list[Call | Rounds]
    told: bool = False
    like: Rounds | None = None

    @property
    def engines(self) -> list[str]:
        """Who goes through it: all that have anything to do in it."""
        own = [e for i in self.body for e in ([i.engine] if isinstance(i, Call) else i.engines)]
        return list(dict.fromkeys(own))


Items = list["Call | Rounds"]


def unrolled(items: Items) -> Iterator[Call]:
    """Every call, as often as it is executed."""
    for item in items:
        if isinstance(item, Call):
            yield item
        else:
            for _ in range(item.count):
                yield from unrolled(item.body)


def every(
    items: Items, loops: tuple[Rounds, ...] = ()
) -> Iterator[tuple[Call, tuple[Rounds, ...]]]:
    """Every call once, with the loops that it is in."""
    for item in items:
        if isinstance(item, Call):
            yield item, loops
        else:
            yield from every(item.body, (*loops, item))


class Mentions:
    """What each call posts, and what it comes after: others, of this round and the one before."""

    def __init__(self, items: Items) -> None:
        some = list(every(items))
        self.calls = [call for call, _ in some]
        self.loops = [loops for _, loops in some]
        self.numbers: dict[int, int] = {}
        for loops in self.loops:
            for loop in loops:
                self.numbers.setdefault(id(loop), len(self.numbers))
        self.posts: dict[int, dict[MomentMention, None]] = {}
        self.afters: dict[int, dict[MomentMention, None]] = {}
        # Every call twice, so that each is found behind each.
        for first, second, kind in conflicts([*self.calls, *self.copies()]):
            size = len(self.calls)
            if first < size <= second:
                self.between(first, second - size, kind == STARTS)

    def copies(self) -> list[Call]:
        """The calls once more."""
        return [replace(call) for call in self.calls]

    def _origin(self, number: int, depth: int) -> int:
        """The first call in whose place one stands, by which of so many loops is like which."""
        while True:
            for loop in self.loops[number][:depth]:
                found = self._there(number, loop)
                if found != number:
                    number = found
                    break
            else:
                return number

    def _there(self, number: int, loop: Rounds) -> int:
        """The call in whose place one of a loop stands, in the loop that is like; or itself."""
        if loop.like is None:
            return number
        own, other = ([call for call, _ in every(one.body)] for one in (loop, loop.like))
        at = next(at for at, call in enumerate(own) if call is self.calls[number])
        if at >= len(other):
            return number
        return next(n for n, call in enumerate(self.calls) if call is other[at])

    def _goes_on(self, first: int, second: int, depth: int) -> bool:
        """Whether two calls in loops beside each other are in order since those are alike.

        Each has a twin in the other's loop.
        """
        loops = [self.loops[number][depth : depth + 1] for number in (first, second)]
        if not all(loops) or loops[0] == loops[1]:
            return False
        there = [
            {
                self._origin(n, 9)
                for n, inside in enumerate(self.loops)
                if inside[depth:][:1] == loop
            }
            for loop in loops
        ]
        return self._origin(first, 9) in there[1] and self._origin(second, 9) in there[0]

    def between(self, first: int, second: int, at_read: bool) -> None:
        """Let one call come after another: of the same round, or of the one before."""
        common = [
            loop for loop, other in zip(self.loops[first], self.loops[second], strict=False)
            if loop is other
        ]  # fmt: skip
        rounds = 0 if first < second else 1
        if (rounds and not common) or self._goes_on(first, second, len(common)):
            return
        # Calls in each other's place share a name among those that share a loop with one of them.
        origin = self._origin(first, len(common))
        name = f"{'read' if at_read else 'done'}{origin}_{len(common)}"
        every = [Round(self.numbers[id(loop)], 0) for loop in self.loops[first]]
        self.posts.setdefault(first, {})[
            MomentMention(DeferredMoment(name, tuple(every)), NOWHERE, at_read)
        ] = None
        back = every[: len(common)]
        if rounds:
            back[-1] = back[-1]._replace(offset=-rounds)
        self.afters.setdefault(second, {})[
            MomentMention(DeferredMoment(name, tuple(back)), NOWHERE)
        ] = None

    def of(self, call: Call) -> Moments | None:
        """What is said of a call."""
        number = next(n for n, other in enumerate(self.calls) if other is call)
        said = [tuple(some.get(number, ())) for some in (self.posts, self.afters)]
        return Moments(*said) if said != [(), ()] else None


class Building:
    """Makes a program of items."""

    def __init__(self, items: Items, drain: bool = True) -> None:
        self.items, self.mentions = items, Mentions(items)
        self.case = Case(list(unrolled(items)), 1)
        self.builder: ProgramBuilder
        self.builder, _ = Case([], 1).builder()
        self.write(items, 0)
        issuers = dict.fromkeys(c.engine for c, _ in every(items) if c.transfer)
        for engine in issuers if drain else ():
            queue = self.builder.queue(engine)
            self.builder.recorded.drain(self.builder.position, Drain(queue, False, 0, 0))

    def program(self) -> Program:
        """The program, with what its moments take."""
        self.builder.place()
        self.builder.check_rules(Unsaid())
        put_in(self.builder)
        return self.builder.finish()

    def made(self, engine: str, row: str, *operands: object, **named: Any) -> int:
        """An instruction."""
        queue, found = self.builder.queue(engine), self.builder.program.tensors
        given = [view(found, o) if isinstance(o, Part) else o for o in operands]
        return self.builder.make(queue, self.builder.row(row), given, named, None, None)[0]

    def branch(self, engine: str, counter: Reg, limit: int, target: str, op: str) -> int:
        """A branch by the rounds that were counted."""
        return self.made(engine, "CompareBranch", counter, limit, target=target, op=op)

    def write(self, items: Items, depth: int) -> None:
        """Append the lines of items, and record the rest."""
        builder = self.builder
        for item in items:
            if isinstance(item, Rounds):
                self.loop(item, depth)
                continue
            said = self.mentions.of(item)
            if said is not None:
                builder.recorded.moments[builder.position] = said
            number = self.made(item.engine, item.row, *item.operands, **item.named)
            builder.append(builder.queue(item.engine), (number, 0, 0), 0)

    def loop(self, item: Rounds, depth: int) -> None:
        """A loop, with a register for each of its queues."""
        recorded, number = self.builder.recorded, self.mentions.numbers[id(item)]
        made = RunTimeLoop(number, f"loop{number}", f"loop{number}_end")
        made.rounds = item.count if item.told else None
        counter = Reg(COUNTER + depth)
        for engine in item.engines:
            made.parts[self.builder.queue(engine)] = Control(
                (self.made(engine, "RegisterMove", counter, 0),),
                self.branch(engine, counter, item.count, made.end, "greater_equal"),
                (self.made(engine, "RegisterAlu", counter, counter, 1, op="add"),),
                self.branch(engine, counter, item.count, made.head, "less"),
            )
        recorded.begin(self.builder.position, made)
        self.write(item.body, depth + 1)
        recorded.end(self.builder.position)


@st.composite
def some(draw: st.DrawFn, depth: int, least: int = 0) -> Items:
    """Calls, and a loop among them if they are not too deep in others."""
    items: Items = [*draw(st.lists(calls(0, shared=True), min_size=least, max_size=5))]
    if depth and draw(st.booleans()):
        inner = draw(rounds(depth - 1))
        at = draw(st.integers(0, len(items)))
        items.insert(at, inner)
        for _ in range(draw(st.integers(0, 2))):
            at = draw(st.integers(at + 1, len(items)))
            more = draw(st.lists(calls(0, shared=True), max_size=1))
            items.insert(at, again(inner, draw(st.sampled_from([2, 1, 0, 3])), more))
    return items


def again(loop: Rounds, count: int, more: list[Call]) -> Rounds:
    """A loop like another, with another count and perhaps with more in it."""
    return Rounds(count, [*copied(loop.body), *more], loop.told, loop)


def copied(items: Items) -> Items:
    """The same calls and loops once more."""
    return [
        replace(item)
        if isinstance(item, Call)
        else replace(item, body=copied(item.body), like=None)
        for item in items
    ]


@st.composite
def rounds(draw: st.DrawFn, depth: int) -> Rounds:
    """A loop, of which it may be told how many rounds it has."""
    count, body = draw(st.sampled_from([2, 1, 0, 3])), draw(some(depth, 1))
    return Rounds(count, body, draw(st.booleans()))


@st.composite
def looping(draw: st.DrawFn) -> Items:
    """A program with a loop."""
    inner = draw(rounds(1))
    before, after = draw(some(0)), draw(some(0))
    items = [*before, inner, *after]
    if draw(st.booleans()):
        more = draw(st.lists(calls(0, shared=True), max_size=1))
        items += [again(inner, draw(st.sampled_from([2, 1])), more), *draw(some(0))]
    used = {e for call, _ in every(items) for e in call.reads if e[0] == "register"}
    return [*(c for c in filled(0) if c.row == "Memset" or used & set(c.writes)), *items]
