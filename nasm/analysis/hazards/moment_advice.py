"""What to type where something has to wait, in a text with moments: ``after load[r]``.

A clause is found from the rounds of the two lines, and tried: what the run would be with it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

from nasm.analysis.hazards.rounds import ExecutedLines, Place, Round, TextLine
from nasm.base.records import dataclass
from nasm.base.source import Frame, Span
from nasm.language.editing.rounds import Rounds, SearchWork, Sentence, sentences, unguarded
from nasm.language.printing.additions import Addition, clause, updates, words
from nasm.order.accesses import ByteAccess
from nasm.order.events import Added
from nasm.order.faults import Fault
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event
from nasm.order.trial import Trials
from nasm.program.program import Program

MOST = 4096
"""Rounds of a line for which one sentence is looked for."""

FAR = 1 << 30
"""How far away a moment of another queue is."""

NEAR = 3
"""Moments that are posted later and may be waited for as well: so many are tried."""

Pair = tuple[ByteAccess, ByteAccess]
"""Who has to wait, and what for."""


class Clauses(NamedTuple):
    """What to add to a text: a clause to one line, and if there is no ``post`` yet, one to another.

    ``waiter`` and ``other`` are instructions of these lines. ``plural`` moments are waited for.
    What they name may be ``new``, and declared by another line.
    """

    waiter: Place
    after: str
    other: Place
    post: str
    additions: tuple[Addition, ...]
    plural: bool = False
    new: str = ""


@dataclass(frozen=True)
class _Moments:
    """Moments of one name: when each happens, by its indices; what the indices are called.

    ``loops`` says which of the indices count the rounds of a loop at run time.
    """

    name: str
    variables: tuple[str, ...]
    loops: tuple[bool, ...]
    events: dict[Round, Event]
    post: str = ""

    @cached_property
    def by_queue(self) -> dict[int, list[Event]]:
        """The events of each queue, in the order of its instructions."""
        found: dict[int, list[Event]] = {}
        for event in sorted(self.events.values(), key=lambda event: event.index):
            found.setdefault(event.queue, []).append(event)
        return found


class MomentAdvice:
    """Finds clauses for the faults of one run; ``named`` is a name for what an access has done.

    The lines of ``counting`` update a semaphore from now on, and post no moment.
    """

    def __init__(
        self, program: Program, trials: Trials, named: Callable[[ByteAccess], str]
    ) -> None:
        self.program, self.trials, self.named = program, trials, named
        self.check = trials.check
        self.executed = ExecutedLines(program, self.check.watch)
        self.work = SearchWork()
        self._given: dict[str, tuple[TextLine, int]] = {}
        self.counting: set[TextLine] = set()

    def of(self, fault: Fault) -> Clauses | None:
        """The clause that fixes a fault, if there is one."""
        line = self.executed.line(fault.remedy.place)
        if line is None:
            return None
        pairs = [pair for one in (fault, *fault.alike) for pair in self._pairs(one, line)]
        for moments in self._candidates(pairs, line) if pairs else ():
            for some in (_latest(pairs), pairs):
                text = self._round_sentences(some, moments, line)
                if text is not None and self._mends(fault, line, moments, text):
                    return self._made(fault, line, moments, text)
        return None

    def posts(self, line: TextLine) -> bool:
        """Whether a line was given a moment to post."""
        return any(theirs == line for theirs, _ in self._given.values())

    def counted(self, fault: Fault) -> bool:
        """Whether the instruction to wait for updates a counter that the text names."""
        line = self.executed.line((fault.remedy.other.queue, fault.remedy.other.index))
        return line is not None and updates(line.source, line.start)

    def _pairs(self, fault: Fault, line: TextLine) -> list[Pair]:
        """The pairs of a race, of which each first one, of this line, has to wait."""
        found = fault.remedy
        if found.placed is not None:
            queue, index = found.placed
            same = self.executed.line(found.placed) == line
            return [(found.waiter._replace(queue=queue, index=index), found.other)] if same else []
        return [
            (one, two)
            for one, two in self.check.split(fault.race, fault.remedy.waiter)
            if not self.check.starts_after(two, one)
            and self.executed.line((one.queue, one.index)) == line
        ]

    # -- which moments

    def _candidates(self, pairs: Sequence[Pair], line: TextLine) -> Iterator[_Moments]:
        """Moments that may be waited for: of the other line, soon after it, or new."""
        other = pairs[0][1]
        theirs = self.executed.line((other.queue, other.index))
        if theirs is None:
            return
        ranked: dict[str, int] = {}
        for name, moments in self._visible(line).items():
            away = self._away(moments, pairs)
            if away is not None:
                ranked[name] = away
        known = sorted(ranked, key=lambda name: ranked[name])
        yield from (self._visible(line)[name] for name in known if not ranked[name])
        bare = [name for name in known if ranked[name] and self._only_posts(line, name)]
        yield from (self._visible(line)[name] for name in bare[:NEAR])
        near = theirs.call == line.call and self._one_core(pairs)
        new = self._new(theirs, other) if near else None
        if new is not None:
            yield new
        later = [name for name in known if ranked[name] and name not in bare]
        yield from (self._visible(line)[name] for name in later[:NEAR])

    def _one_core(self, pairs: Sequence[Pair]) -> bool:
        queues = self.program.queues
        return all(queues[a.queue].core == queues[b.queue].core for a, b in pairs)

    def _visible(self, line: TextLine) -> dict[str, _Moments]:
        """The moments that a line can name, by what it calls them."""
        found = self._seen.get(line)
        if found is None:
            found = self._seen[line] = dict(self._named_at(line))
        return found

    @cached_property
    def _seen(self) -> dict[TextLine, dict[str, _Moments]]:
        return {}

    def _named_at(self, line: TextLine) -> Iterator[tuple[str, _Moments]]:
        known = words(line.source, line.start)
        here = self.executed.within(self.executed.lines[line.source, line.start][line.call][0])
        made: defaultdict[str, list[tuple[tuple[object, ...], Event, str]]] = defaultdict(list)
        for place in self.executed.posting:
            queue, index = place
            for posted in self.program.posts[queue, self.check.watch.pcs[queue][index]]:
                name = _called(posted.name, posted.span.chain, line, known)
                if name:
                    indices = self._indices(place, posted.indices, here)
                    event = Event(self._kind(place, posted.at_read), queue, index)
                    made[name].append((indices, event, posted.span.text))
        for name, some in made.items():
            indices, _, text = some[0]
            loops = tuple(isinstance(i, tuple) for i in indices)
            events = {_values(each): event for each, event, _ in some}
            if len({len(each) for each, _, _ in some}) == 1:
                yield name, _Moments(name, _spelled(text, len(indices)), loops, events)

    def _indices(
        self, place: Place, indices: tuple[int | tuple[int, int], ...], here: set[Span]
    ) -> tuple[object, ...]:
        """The indices of a moment in a round of a loop at run time; outside of it it has none."""
        found: list[object] = []
        for index in indices:
            if not isinstance(index, tuple):
                found.append(index)
            elif self.executed.loop(place, index[0]).span in here:
                found.append((self.executed.reached(place, index[0]) + index[1],))
        return tuple(found)

    def _kind(self, place: Place, at_read: bool) -> int:
        queue, index = place
        moved = self.check.watch.moved[queue].get(index)
        if moved is not None and not moved.met and not moved.silent:
            return LANDS
        return STARTS if at_read else COMPLETES

    def _away(self, moments: _Moments, pairs: Sequence[Pair]) -> int | None:
        """How far after what is waited for its moments are; None if there is none for some."""
        away = 0
        for waiter, other in pairs:
            event = self._event(moments, waiter, other)
            if event is None:
                return None
            far = FAR if event.queue != other.queue else 0
            away = max(away, far + event.index - other.index)
        return away

    def _event(self, moments: _Moments, waiter: ByteAccess, other: ByteAccess) -> Event | None:
        """The first of some moments that comes after what an access waits for.

        It is one of the same queue, or else one that is known to come after it.
        """
        wanted, some = self.check.end(other), moments.by_queue
        queues = self.program.queues
        for event in some.get(other.queue, ()):
            if event.index >= other.index and self._implies(event, wanted):
                if queues[event.queue].core != queues[waiter.queue].core:
                    break
                late = event.queue == waiter.queue and event.index >= waiter.index
                return None if late else event
        for queue, events in some.items():
            if queues[queue].core == queues[waiter.queue].core:
                at = bisect_left(events, True, key=lambda event: self._implies(event, wanted))
                if at < len(events) and (queue != waiter.queue or events[at].index < waiter.index):
                    return events[at]
        return None

    def _implies(self, event: Event, wanted: Event) -> bool:
        """Whether something comes after another thing."""
        if event.queue != wanted.queue:
            known = self.check.order.before(wanted, event.queue, event.index)
            return known or (wanted.kind == STARTS and self._same_rendezvous(event, wanted))
        if event.index == wanted.index:
            return event.kind >= wanted.kind
        known = wanted.kind == STARTS or wanted.kind == event.kind == COMPLETES
        if event.index > wanted.index and known:
            return True
        return self.check.order.before(wanted, event.queue, event.index)

    def _same_rendezvous(self, one: Event, other: Event) -> bool:
        """Whether two instructions start at one meeting."""
        meetings = self.check.watch.meetings
        number = meetings.get((one.queue, one.index), -1)
        return number >= 0 and number == meetings.get((other.queue, other.index))

    def _only_posts(self, line: TextLine, name: str) -> bool:
        """Whether what posts a moment does nothing else."""
        sequencing, pcs = self.program.target.sequencing, self.check.watch.pcs
        event = next(iter(self._visible(line)[name].events.values()))
        row = self.program.instruction(event.queue, pcs[event.queue][event.index]).row
        return sequencing is not None and row.name == sequencing.wait

    def _new(self, line: TextLine, other: ByteAccess) -> _Moments | None:
        """A moment that a line does not post yet; None if it cannot."""
        executed, kind = self.executed, self.check.end(other).kind
        if line in self.counting or self.check.unanswered(other):
            return None
        if kind == LANDS and updates(line.source, line.start):
            return None
        places = executed.lines[line.source, line.start][line.call]
        place = places[0]
        variables = executed.variables(place)
        events = {executed.round(at): Event(kind, *at) for at in places}
        if len(events) != len(places):
            return None
        name = self._free_name(self.named(other), line, kind)
        read = " @read" if kind == STARTS else ""
        post = f"post {_text(name, variables)}{read}"
        return _Moments(name, variables, executed.run_time(place), events, post)

    def _free_name(self, wanted: str, line: TextLine, kind: int) -> str:
        """A name for what a line posts, that neither the text has nor another line was given."""
        mine = line._replace(call=()), kind
        taken = {posted.name for some in self.program.posts.values() for posted in some}
        taken |= words(line.source, line.start)
        taken |= {name for name, theirs in self._given.items() if theirs != mine}
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name

    # -- their sentences

    def _round_sentences(
        self, pairs: Sequence[Pair], moments: _Moments, line: TextLine
    ) -> list[Sentence] | None:
        """Sentences that let each round of a line come after those moments that it needs."""
        executed = self.executed
        places = executed.lines[line.source, line.start][line.call]
        own = {executed.round(at): at for at in places}
        if len(own) != len(places) or len(own) > MOST:
            return None
        indices = {event: at for at, event in moments.events.items()}
        needs: defaultdict[Round, list[Round]] = defaultdict(list)
        for waiter, other in pairs:
            event = self._event(moments, waiter, other)
            if event is None:
                return None
            at = indices[event]
            round_ = executed.round((waiter.queue, waiter.index))
            if at not in needs[round_]:
                needs[round_].append(at)
        before = _before_all(moments)
        sums = _sums(moments.variables, executed.variables(places[0]))
        mine = Rounds(self._variables(places[0], sums), tuple(_extended(at, sums) for at in own))
        full = {_extended(at, sums): at for at in own}
        wanted = {_extended(at, sums): some for at, some in needs.items()}
        theirs = Rounds(moments.variables, (*moments.events, *before))

        def may(round_: Round, at: Round) -> bool:
            return at in before or self._may(own[full[round_]], moments.events[at])

        found = sentences(mine, theirs, wanted, may, self.work)
        loops = executed.run_time(places[0])
        loops = (*loops, *(any(loops[at] for at in some) for some in sums))
        if found is None or not all(_sayable(one, loops, moments.loops) for one in found):
            return None
        return [unguarded(one, mine, moments.events) for one in found]

    def _variables(self, place: Place, sums: Sequence[tuple[int, ...]]) -> tuple[str, ...]:
        """The variables around a line, and some sums of them."""
        names = self.executed.variables(place)
        return *names, *(" + ".join(names[at] for at in some) for some in sums)

    def _may(self, place: Place, event: Event) -> bool:
        """Whether an instruction may come after an event: it does not come before it."""
        queues = self.program.queues
        if queues[place[0]].core != queues[event.queue].core:
            return False
        if place[0] == event.queue:
            return event.index < place[1]
        return self.check.order.clock(event.queue, event.index)[place[0]] <= place[1]

    def _more(
        self, text: Sequence[Sentence], line: TextLine, moments: _Moments
    ) -> dict[Place, list[Added]]:
        """What all rounds of a line wait for with these sentences."""
        more: dict[Place, list[Added]] = {}
        places = self.executed.lines[line.source, line.start][line.call]
        sums = _sums(moments.variables, self.executed.variables(places[0]))
        for place in places:
            round_ = _extended(self.executed.round(place), sums)
            for sentence in text:
                if all(test.holds(round_) for test in sentence.tests):
                    for at in product(*(index.of(round_) for index in sentence.indices)):
                        if at in moments.events:
                            more.setdefault(place, []).append(moments.events[at])
        return more

    def _mends(
        self, fault: Fault, line: TextLine, moments: _Moments, text: Sequence[Sentence]
    ) -> bool:
        """Whether with a clause the run reaches its end, and what raced is in order.

        A line of a macro gets it in every call.
        """
        more = self._more(text, line, moments)
        for call in self.executed.lines[line.source, line.start]:
            if call != line.call:
                there = line._replace(call=call)
                others = self._there(fault, there, moments)
                if others is None:
                    return False
                more |= self._more(text, there, others)
        return self.trials.mends(more, [one.race for one in (fault, *fault.alike)])

    def _there(self, fault: Fault, line: TextLine, moments: _Moments) -> _Moments | None:
        """The moments that are called the same in another call of a macro."""
        if not moments.post:
            return self._visible(line).get(moments.name)
        other = fault.remedy.other
        theirs = self.executed.line((other.queue, other.index))
        if theirs is None:
            return None
        theirs = theirs._replace(call=line.call)
        calls = self.executed.lines[theirs.source, theirs.start]
        return self._new(theirs, other) if line.call in calls else None

    def _made(
        self, fault: Fault, line: TextLine, moments: _Moments, text: Sequence[Sentence]
    ) -> Clauses | None:
        other = fault.remedy.other
        there = self.executed.line((other.queue, other.index))
        names = self.executed.variables(fault.remedy.place)
        variables = self._variables(fault.remedy.place, _sums(moments.variables, names))
        after = f"after {', '.join(_clause(one, moments.name, variables) for one in text)}"
        additions = [clause(line.source, line.start, after)]
        if moments.post and there is not None:
            additions.insert(0, clause(there.source, there.start, moments.post))
        if None in additions:
            return None
        if moments.post and there is not None:
            self._given[moments.name] = there._replace(call=()), self.check.end(other).kind
        places = fault.remedy.place, after, (other.queue, other.index), moments.post
        made = tuple(one for one in additions if one is not None)
        return Clauses(*places, made, len(text) > 1)


def _latest(pairs: Sequence[Pair]) -> list[Pair]:
    """For each round of a waiter the last of what it waits for in each queue."""
    last: dict[tuple[int, int, int], Pair] = {}
    for waiter, other in pairs:
        key = waiter.queue, waiter.index, other.queue
        if key not in last or last[key][1].index < other.index:
            last[key] = waiter, other
    return list(last.values())


def _called(name: str, chain: tuple[Frame, ...], line: TextLine, known: set[str]) -> str:
    """What a line calls a moment of the program; nothing if it has no name for it."""
    if not line.call:
        return name if name in known else ""
    if chain[: len(line.call)] != line.call:
        return ""
    return max((word for word in known if name.endswith(f"_{word}")), key=len, default="")


def _sums(indices: Sequence[str], variables: Sequence[str]) -> list[tuple[int, ...]]:
    """Which variables are added up in indices: `m + i`."""
    found = []
    for text in indices:
        parts = [part.strip() for part in text.split("+")]
        if len(parts) > 1 and all(part in variables for part in parts):
            found.append(tuple(variables.index(part) for part in parts))
    return found


def _extended(own: Round, sums: Sequence[tuple[int, ...]]) -> Round:
    return *own, *(sum(own[at] for at in some) for some in sums)


def _spelled(text: str, count: int) -> tuple[str, ...]:
    """The indices of a moment as they are written, or nothing for each."""
    inside = text.partition("[")[2].rstrip("] ")
    found = tuple(part.strip() for part in inside.split(","))
    return found if len(found) == count else ("",) * count


def _values(indices: tuple[object, ...]) -> Round:
    found = (index[0] if isinstance(index, tuple) else index for index in indices)
    return tuple(value for value in found if isinstance(value, int))


def _before_all(moments: _Moments) -> set[Round]:
    """Rounds before the first of a loop at run time, of which nothing is waited for."""
    before: set[Round] = set()
    for at, loop in enumerate(moments.loops):
        if loop:
            values = [indices[at] for indices in moments.events]
            span = max(values) - min(values) + 1
            before |= {
                (*indices[:at], indices[at] - turn * span, *indices[at + 1 :])
                for indices in moments.events
                for turn in (1, 2)
            }
    return before - moments.events.keys()


def _sayable(sentence: Sentence, own: tuple[bool, ...], loops: tuple[bool, ...]) -> bool:
    """Whether a sentence is true of the run-time loops that it mentions."""
    if any(own[test.variable] for test in sentence.tests):
        return False
    for index, loop in zip(sentence.indices, loops, strict=True):
        moves = index.variable >= 0 and own[index.variable]
        if moves != loop or (moves and (index.times, index.over) != (1, 1)):
            return False
    return True


def _clause(sentence: Sentence, name: str, variables: tuple[str, ...]) -> str:
    moment = _text(name, [index.text(variables) for index in sentence.indices])
    condition = sentence.condition(variables)
    return f"{moment} if {condition}" if condition else moment


def _text(name: str, indices: Sequence[str]) -> str:
    return f"{name}[{', '.join(indices)}]" if indices else name
