"""Calls that compute what an earlier call has computed: they are left out, and its tile is read.

Loops are unrolled, so that a call that does not depend on the loop's variable is there once for
each round. A call is left out if an earlier one has the same key (:mod:`nasm.nki.call_values`),
nothing has written any of its operands in between, and each of their tiles is written by that call
alone. The earlier tile lives longer then: where there is no room for that, both calls stay, and the
later one's tile is what calls after it may read. Calls in loops of the machine stay as they are.

Which calls are left out follows what published profiles show of AWS's compiler for NKI 0.1. Loads
are reused however much later they come. An instruction moves out of the loops around it as long as
it depends on the variable of none of them, beginning with the innermost: so the earlier call has to
be the latest that its line has made. What depends on an inner loop's variable and not on an outer
one's is computed in each round of both. The rounds of a ``static_range`` are written out, so that
they are no loop, and each of their lines is one of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from nasm.base.problems import Note, Problem, Severity, counted, listed
from nasm.base.records import dataclass, field, replace
from nasm.base.source import Span
from nasm.language.printing.comments import python_line
from nasm.nki.broadcast_tiles import calls, replaced
from nasm.nki.call_values import CallResult, Key, changed, computed, continues_sums
from nasm.nki.tile_live_ranges import placeable, tensors_of, tile_live_ranges
from nasm.nki.tracing import Call, CoreTrace, Made, TracedLoop
from nasm.program.program import Program
from nasm.views.tensor import Tensor

REUSED = "E0658"

SHARES = (8, 7, 6, 4, 2)
"""Eighths of SBUF that tiles may take when they live longer, each tried if more has no places."""

Place = tuple[int, int]
"""A line of the kernel, and the calls that led to it, as the program numbers them."""


@dataclass(slots=True)
class Hoisted:
    """What was left out: tiles that nothing uses any more, and how often which line was.

    ``reused`` counts calls by their place and that of the call whose result is read instead;
    ``made`` are all calls that places had.
    """

    tiles: list[Tensor] = field(default_factory=list)
    reused: Counter[tuple[Place, Place]] = field(default_factory=Counter)
    made: Counter[Place] = field(default_factory=Counter)


def hoist(trace: CoreTrace) -> Hoisted:
    """Leave out what repeats an earlier call; if any is, ``trace`` changes and fits SBUF."""
    facts = _Facts(trace)
    for share in SHARES:
        walk = _Walk(facts, facts.room * share // 8)
        found = walk.walk()
        if not found.tiles:
            break
        if placeable(walk.kept, facts.memory):
            trace.made[:] = walk.kept
            return found
    return Hoisted()


class _Facts:
    """What is known of a trace before a call of it is left out."""

    def __init__(self, trace: CoreTrace) -> None:
        self.trace, self.memory = trace, trace.builder.generation.memories["sbuf"]
        self.lives = tile_live_ranges(trace.made, self.memory)
        self.sums = continues_sums(calls(trace.made))
        self.writers: Counter[int] = Counter()
        self.changes: list[set[Tensor]] = []
        for one in trace.made:
            inside = calls(one.body) if isinstance(one, TracedLoop) else [one]
            written = [tensor for call in inside for tensor in changed(call)]
            self.changes.append(set(written))
            rounds = 2 if isinstance(one, TracedLoop) else 1
            for tensor in written:
                self.writers[tensor.index] += rounds
        self.alive = np.zeros(max((x.last for x in self.lives.values()), default=0) + 1, np.int64)
        by_hand = np.zeros(self.memory.size, np.bool_)
        for life in self.lives.values():
            tensor, at = life.tensor, life.tensor.offset
            if at is None:
                self.alive[life.first : life.last + 1] += tensor.bytes
            else:
                by_hand[at : at + tensor.bytes] = True
        self.room = self.memory.size - int(by_hand.sum())

    def once(self, tensor: Tensor, at: int) -> bool:
        """Whether a tile is written by the call at a place alone, and not read before."""
        return self.writers[tensor.index] == 1 and self.lives[tensor.index].made == at


class _Walk:
    """A walk through the calls of a trace, with so many bytes for the tiles of SBUF."""

    def __init__(self, facts: _Facts, room: int) -> None:
        self.facts, self.room = facts, room
        self.alive = facts.alive.copy()
        self.ends = {index: life.last for index, life in facts.lives.items()}
        self.versions: Counter[int] = Counter()
        self.known: dict[Key, tuple[CallResult, Call]] = {}
        self.latest: dict[tuple[object, ...], Key] = {}
        self.others: dict[int, Tensor] = {}
        self.kept: list[Made] = []
        self.found = Hoisted()

    def walk(self) -> Hoisted:
        """All calls in order."""
        at = 0
        for one, changes in zip(self.facts.trace.made, self.facts.changes, strict=True):
            if isinstance(one, TracedLoop):
                self.kept.append(self._renamed(one))
                at += sum(1 for _ in calls(one.body))
            else:
                self.found.made[one.span, one.chain] += 1
                call = self._renamed(one)
                assert isinstance(call, Call)
                if not self._repeats(call, at):
                    self.kept.append(call)
                at += 1
            for tensor in changes:
                self.versions[_area(tensor)] += 1
        return self.found

    def _renamed(self, one: Made) -> Made:
        """It with the tiles that are there in the place of those that are not."""
        if isinstance(one, TracedLoop):
            return replace(one, body=[self._renamed(each) for each in one.body])
        if not any(tensor.index in self.others for tensor in tensors_of(one)):
            return one
        operands = {name: replaced(value, self.others) for name, value in one.operands.items()}
        return replace(one, operands=operands)

    def _repeats(self, call: Call, at: int) -> bool:
        """Whether a call is left out; else what it computes is known from here on."""
        made = computed(call, self._version, self.facts.sums)
        if not call.row.posts:
            self._retire(call, made)
        if made is None or not all(self.facts.once(tensor, at) for tensor in made.into):
            return False
        before = self.known.get(made.key)
        if before is None or not self._extended(before[0].into, made.into):
            self.known[made.key] = made, call
            return False
        for earlier, later in zip(before[0].into, made.into, strict=True):
            self.others[later.index] = earlier
            self.found.tiles.append(later)
        first = before[1]
        self.found.reused[(call.span, call.chain), (first.span, first.chain)] += 1
        return True

    def _retire(self, call: Call, made: CallResult | None) -> None:
        """Forget what a line has computed before, unless it computes the same."""
        line = call.span, call.chain, call.rounds, call.row.name
        before = self.latest.pop(line, None)
        if before is not None and (made is None or made.key != before):
            self.known.pop(before, None)
        if made is not None:
            self.latest[line] = made.key

    def _version(self, tensor: Tensor) -> object:
        """What identifies the contents of a tensor; None if another core may change them."""
        if tensor.memory.shared and self.facts.trace.cores > 1 and tensor.role != "input":
            return None
        return tensor.index, self.versions[_area(tensor)]

    def _extended(self, earlier: Sequence[Tensor], later: Sequence[Tensor]) -> bool:
        """Have tiles live as long as those that they replace, if there is room for that."""
        begin = min(self.ends[tensor.index] for tensor in earlier) + 1
        begin = min(begin, *(self.facts.lives[tensor.index].first for tensor in later))
        end = max(self.ends[tensor.index] for tensor in (*earlier, *later)) + 1
        alive = self.alive[begin:end].copy()
        for old, new in zip(earlier, later, strict=True):
            life, until = self.facts.lives[new.index], self.ends[old.index] + 1
            alive[life.first - begin : life.last + 1 - begin] -= new.bytes
            alive[until - begin : max(life.last + 1 - begin, 0)] += old.bytes
        if (alive > np.maximum(self.alive[begin:end], self.room)).any():
            return False
        self.alive[begin:end] = alive
        for old, new in zip(earlier, later, strict=True):
            self.ends[old.index] = max(self.ends[old.index], self.facts.lives[new.index].last)
        return True


def _area(tensor: Tensor) -> int:
    """What of memory a tensor is a part of: those that the kernel places may share bytes."""
    return tensor.index if tensor.offset is None else -1


def forget(program: Program, tiles: Sequence[Tensor]) -> None:
    """Take tiles that nothing uses out of a program, all of whose lines are made."""
    for tile in tiles:
        del program.tensors[tile.name]
    for index, tensor in enumerate((*program.tensors.values(), *tiles)):
        tensor.index = index


# -- what is reported


@dataclass(frozen=True, slots=True)
class Reuse:
    """``count`` of the ``calls`` at a place, whose results those of another place already have."""

    span: Span | None
    first: Span | None
    count: int
    calls: int

    def note(self) -> Problem:
        """A note at the line whose calls are left out."""
        number = f"{self.count:,} of {counted(self.calls, 'call')} here"
        notes: tuple[Note, ...] = ()
        what = "an earlier one of them"
        if self.first != self.span:
            what, notes = "another line", (Note("computed here", self.first),)
        return Problem(
            REUSED,
            f"{number} {'computes' if self.count == 1 else 'compute'} what {what} has computed: "
            "its result is read instead",
            self.span,
            "--no-hoist, or hoist=False, executes each",
            notes,
            severity=Severity.NOTE,
        )


def reuses(program: Program, found: Sequence[Hoisted]) -> Iterator[Reuse]:
    """What was reused, line by line; of all cores together."""
    reused: Counter[tuple[Span | None, Span | None]] = Counter()
    made: Counter[Span | None] = Counter()
    for one in found:
        for (place, first), count in one.reused.items():
            reused[_span(program, place), _span(program, first)] += count
        for place in {place for place, _ in one.reused}:
            made[_span(program, place)] += one.made[place]
    for (span, before), count in reused.items():
        yield Reuse(span, before, count, made[span])


def remarks(reused: Sequence[Reuse]) -> Callable[[Span], str]:
    """What a text says above the lines of a kernel: with the calls that read a result again."""
    again: dict[tuple[str, int], list[str]] = {}
    for each in reused:
        if each.first is not None and each.span is not None:
            calls_of = f"{counted(each.count, 'call')} of line {each.span.line}"
            again.setdefault((each.first.source.name, each.first.line), []).append(calls_of)

    def remark(span: Span) -> str:
        found = again.get((span.source.name, span.line))
        text = python_line(span)
        return f"{text}  (reused for {listed(found, 'and')})" if text and found else text

    return remark


def _span(program: Program, place: Place) -> Span | None:
    span = program.spans[place[0]]
    return span and span.within(program.chains[place[1]])
