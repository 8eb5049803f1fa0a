"""Why two lines are in order, or what is missing: the answer to ``order A B``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from nasm.analysis.hazards.ordering import Ordering
from nasm.base.problems import Refused, listed
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.order.accesses import READ, WRITE, ByteAccess
from nasm.order.chains import IN_ORDER, MET, WAITED, ChainLink, Chains, Place
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event
from nasm.program.program import Program
from nasm.views.regions import Region, intersect

NO_LINE = "E0822"
MOST = 2_000
"""Pairs of executions of two lines that are looked at."""

NOWHERE = Region("", (0, 1, 1), 0, 0, 0, (), 1)
"""What an instruction touches that touches nothing."""

Pair = tuple[ByteAccess, ByteAccess]


@dataclass(frozen=True, slots=True)
class OrderStep:
    """A link of the chain in words, with the line of the instruction that it is about."""

    text: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """Whether two lines are in order in every execution, whatever the durations, and why.

    ``first`` and ``second`` are instructions of the lines, by name: the first pair that is in no
    order, if there is one, else the first pair. ``sharing`` says that they touch a byte in common,
    ``pairs`` how many pairs of executions were looked at. ``steps`` is the chain from the one to
    the other in the order of time, or, if they are in no order, what is known.
    """

    first: str
    second: str
    ordered: bool
    sharing: bool
    pairs: int
    steps: tuple[OrderStep, ...]

    @property
    def summary(self) -> str:
        """The answer in a sentence."""
        if not self.ordered:
            text = f"nothing orders {self.first} and {self.second}"
            return text if self.sharing else f"{text}, which have no byte in common"
        other = "" if self.pairs == 1 else f"; so are all {self.pairs:,} pairs of the two lines"
        text = f"{self.first} is over before {self.second} starts, in every execution{other}"
        return text if self.sharing else f"{text}; they have no byte in common"

    def __str__(self) -> str:
        return "\n".join([self.summary, *(f"  {step.text}" for step in self.steps)])


class OrderQuestion:
    """Asks the order of a run, as far as it has got, about two lines of its text."""

    def __init__(self, program: Program, ordering: Ordering) -> None:
        self.program, self.watch = program, ordering.watch
        self.check = ordering.judged()
        self.chains = Chains(self.check.order)

    def ask(self, one: int, other: int) -> OrderAnswer:
        """The answer about two lines, by their numbers; raises Refused if none was executed."""
        firsts, seconds = self._executed(one), self._executed(other)
        pairs = list(islice(self._conflicts(firsts, seconds), MOST))
        sharing = bool(pairs)
        if not sharing:
            pairs = [
                (self._whole(a), self._whole(b)) for a, b in zip(firsts, seconds, strict=False)
            ]
        for pair in pairs:
            if self._sorted(pair) is None:
                return self._unordered(pair, sharing, len(pairs))
        first, second = self._sorted(pairs[0]) or pairs[0]
        links = self.chains.chain(self.check.end(first), (second.queue, second.index))
        steps = tuple(self._steps(first, second, links))
        names = self._name(first), self._name(second)
        return OrderAnswer(*names, True, sharing, len(pairs), steps)

    # -- what is compared

    def _executed(self, line: int) -> list[Place]:
        """The instructions of a line that were executed."""
        found, known = list[Place](), set[int]()
        for queue, pcs in enumerate(self.watch.pcs):
            lines = {pc: self._line(queue, pc) for pc in set(pcs)}
            known.update(lines.values())
            found += [(queue, index) for index, pc in enumerate(pcs) if lines[pc] == line]
        if not found:
            near = sorted(sorted(known - {0}, key=lambda at: abs(at - line))[:3])
            hint = f"near it were lines {listed(map(str, near), 'and')}" if near else ""
            raise Refused(NO_LINE, f"no instruction of line {line} was executed", hint)
        return found

    def _line(self, queue: int, pc: int) -> int:
        span = self.program.span(queue, pc)
        return 0 if span is None else span.line

    def _accesses(self, place: Place) -> Iterator[ByteAccess]:
        """What an instruction and its transfer touch."""
        queue, index = place
        work, moved = self.watch.works[queue][index], self.watch.moved[queue].get(index)
        for kind, regions in ((READ, work.reads), (WRITE, work.writes)):
            for region in regions:
                yield ByteAccess(queue, index, kind, False, region)
        if moved is not None:
            for kind, regions in ((READ, moved.reads), (WRITE, moved.writes)):
                for region in regions:
                    yield ByteAccess(queue, index, kind, True, region)

    def _conflicts(self, firsts: Sequence[Place], seconds: Sequence[Place]) -> Iterator[Pair]:
        """The pairs of accesses of which one writes what the other touches."""
        ours = [(place, list(self._accesses(place))) for place in firsts[:MOST]]
        theirs = [(place, list(self._accesses(place))) for place in seconds[:MOST]]
        for a, mine in ours:
            for b, others in theirs:
                if a == b:
                    continue
                for one in mine:
                    for other in others:
                        writes = one.writes or other.writes
                        if writes and intersect((one.region,), (other.region,)):
                            yield one, other

    def _whole(self, place: Place) -> ByteAccess:
        """An instruction as one that is over when it completes, or its transfer has landed."""
        queue, index = place
        moved = self.watch.moved[queue].get(index)
        every = list(self._accesses(place))
        region = every[0].region if every else NOWHERE
        return ByteAccess(queue, index, WRITE, moved is not None, region)

    def _sorted(self, pair: Pair) -> Pair | None:
        """Two accesses, the one that comes first before the other; None if neither does."""
        one, other = pair
        if self.check.ordered(one, other):
            return one, other
        if self.check.ordered(other, one):
            return other, one
        return None

    # -- in words

    def _name(self, access: ByteAccess) -> str:
        return self._who((access.queue, access.index))

    def _who(self, place: Place) -> str:
        queue, index = place
        pc = self.watch.pcs[queue][index]
        name, line = self.program.instruction_name(queue, pc), self._line(queue, pc)
        times = sum(1 for one in self.watch.pcs[queue][:index] if one == pc)
        again = f", time {times + 1}" if self.watch.pcs[queue].count(pc) > 1 else ""
        return f"{name} of line {line}{again}" if line else f"{name}{again}"

    def _span(self, place: Place) -> Span | None:
        queue, index = place
        return self.program.span(queue, self.watch.pcs[queue][index])

    def _steps(
        self, first: ByteAccess, second: ByteAccess, links: Sequence[ChainLink]
    ) -> Iterator[OrderStep]:
        """A chain in words."""
        if not links:
            text = f"{self.program.queue_name(first.queue)} executes them one after the other"
            if first.queue != second.queue:
                text = "no single chain shows it: it follows from all sets and takes of a semaphore"
            yield OrderStep(text, None)
            return
        event = self.check.end(first)
        begin, name = (event.queue, event.index), self._name(first)
        if links[0].earlier != begin:
            yield self._same_queue(event, links[0])
        for link in links:
            yield OrderStep(self._sentence(link, name), self._span(link.later))

    def _same_queue(self, event: Event, link: ChainLink) -> OrderStep:
        later, earlier = self._who(link.earlier), self._who((event.queue, event.index))
        text = f"{later} comes after {earlier}, in the order of their queue"
        return OrderStep(text, self._span(link.earlier))

    def _sentence(self, link: ChainLink, what: str) -> str:
        later, earlier = self._who(link.later), self._who(link.earlier)
        if link.how == IN_ORDER:
            return f"{later} starts after {earlier}, in the order of its queue"
        if link.how == MET:
            return f"{later} starts together with {earlier}"
        if link.how != WAITED or link.wait is None:
            return f"{later} reads what {earlier} wrote, on the same engine"
        wait = link.wait
        name = f"${self.program.semaphore_name(wait.counter)}"
        when = {STARTS: "at its start", COMPLETES: "when it completes", LANDS: "when it has landed"}
        text = f"{later} waits for {name} {wait.op} {wait.value}; {earlier} posts {when[link.kind]}"
        if not link.alone:
            text += " (one of those it may be)"
        if link.posted:
            left = link.posted - link.through
            what = "it" if what == earlier else what
            text += f", and of at most {link.posted:,} only {left:,} can be posted without {what}"
        return text

    def _unordered(self, pair: Pair, sharing: bool, pairs: int) -> OrderAnswer:
        """What is known of two accesses in no order."""
        steps = []
        for one, other in (pair, pair[::-1]):
            steps.append(self._known(one, other))
        names = self._name(pair[0]), self._name(pair[1])
        return OrderAnswer(*names, False, sharing, pairs, tuple(steps))

    def _known(self, one: ByteAccess, other: ByteAccess) -> OrderStep:
        """The last instruction of the queue of one that certainly is over before the other."""
        order, at = self.check.order, self.check.end(one)
        clock = order.clock(other.queue, other.index)
        queue = self.program.queue_name(one.queue)
        who, over = self._name(other), {STARTS: "started", COMPLETES: "completed", LANDS: "landed"}
        if at.kind == LANDS:
            return OrderStep(
                f"{who} starts without knowing that the transfer of {self._name(one)} has landed",
                self._span((other.queue, other.index)),
            )
        column = one.queue + (order.queues if at.kind == COMPLETES else 0)
        known = clock[column] if one.queue != other.queue else other.index
        if not known:
            text = f"when {who} starts, nothing of {queue} has certainly {over[at.kind]}"
        else:
            last = self._who((one.queue, known - 1))
            text = f"when {who} starts, of {queue} only {last} has certainly {over[at.kind]}"
        return OrderStep(text, self._span((other.queue, other.index)))
