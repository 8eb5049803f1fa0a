"""Sentences about accesses that are in no order, and about counters that are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from nasm.analysis.hazards import unanswered
from nasm.analysis.hazards.counter_advice import CounterAdvice
from nasm.analysis.hazards.moment_advice import Clauses, MomentAdvice
from nasm.analysis.hazards.text_order import TextOrder, bare
from nasm.analysis.hazards.wait_advice import WaitAdvice
from nasm.base.problems import LateProblem, Note, Problem, Severity, listed
from nasm.base.source import Span
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import views
from nasm.language.editing.moment_names import base, what
from nasm.language.printing.additions import Addition
from nasm.machine.writers import written
from nasm.order.accesses import ByteAccess
from nasm.order.advice import Advice, advised
from nasm.order.check import Check, Line
from nasm.order.clocks import Overrun
from nasm.order.down_counters import Unordered
from nasm.order.faults import Fault, Filled
from nasm.order.remedies import Meant, meant, remedy
from nasm.order.skeleton import CounterWait
from nasm.order.trial import Trials
from nasm.program.program import Program
from nasm.sync.dependences import DONE, OVER
from nasm.views.regions import Region, overlap
from nasm.views.spelling import spell
from nasm.views.tensor import Tensor
from nasm.views.view import View

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""


SYNC = "or let 'neuron-nasm sync' find all of them: each line then comes after those above it"


Hint = tuple[str, Mapping[str, Any]]
"""What would fix a race, in sentences and as facts."""


class LateHints:
    """The hints of all races of a run, which ``search`` finds together, once."""

    CACHES = ("_found",)

    def __init__(self, search: Callable[[], Iterator[Hint]]) -> None:
        self._search: Callable[[], Iterator[Hint]] | None = search
        self._found: list[Hint] = []

    def found(self) -> list[Hint]:
        """All of them, searched for if they were not yet."""
        if self._search is not None:
            self._found, self._search = list(self._search()), None
        return self._found

    def of(self, number: int) -> Hint:
        """That of one race, by its number."""
        return self.found()[number]


class Races:
    """Reports the ordering errors of a run that was judged.

    ``region`` says which bytes a view touches, ``last`` when the last instruction of a queue
    completes, ``filled`` whether the host gives values to what an access touches, ``known`` whether
    it has any before the run, ``flying`` whether a transfer has still to land.
    """

    def __init__(
        self,
        check: Check,
        program: Program,
        region: Callable[[View], Region],
        last: Callable[[int], int],
        filled: Filled,
        known: Filled,
        flying: Callable[[int], bool],
        coming: Callable[[int], bool],
    ) -> None:
        self.check, self.program, self.region, self.last = check, program, region, last
        self.filled, self.known, self.flying, self.coming = filled, known, flying, coming
        self.bare = bare(program)
        self.apart = self._waits if self.bare else None
        self.trials = Trials(check, self.apart)
        self.moments = MomentAdvice(program, self.trials, self._named)
        self.counters = CounterAdvice(self.moments, self._named)
        executed = self.moments.executed
        self.waits = WaitAdvice(program, check, executed, self._line_of, self.coming)
        self._hints: LateHints | None = None

    def meant(self, check: Check, one: ByteAccess, other: ByteAccess) -> Meant:
        """Which of two accesses should wait: where nothing else says it, that of the later line.

        Lines of a text that synchronises nothing mean something in their order.
        """
        forced = check.starts_after(one, other) or check.starts_after(other, one)
        first = self._text.first(one, other) if self.bare and not forced else None
        if first is None:
            return meant(check, one, other, self.filled(one))
        return Meant(other if first is one else one, first, by_text=True)

    def _waits(self, one: ByteAccess, other: ByteAccess) -> Line:
        """The line that should wait: two lines of a loop may have to wait for each other."""
        waiter = self.meant(self.check, one, other).waiter
        return self.check.line(waiter.queue, waiter.index)

    @cached_property
    def _text(self) -> TextOrder:
        return TextOrder(self.check, self.moments.executed, self.known)

    # -- sentences

    def races(self, found: Iterable[Fault]) -> Iterator[Problem]:
        """All that a run has; the first one says what would fix them together.

        That is searched for when it is asked for. Of the same run :meth:`hold` does so.
        """
        every = list(found)
        self._hints = LateHints(partial(self._found_hints, every))
        for number, fault in enumerate(every):
            yield self._race(fault, partial(self._hints.of, number))

    def hold(self) -> None:
        """Search for what would fix the races now, for the run is about to change."""
        if self._hints is not None:
            self._hints.found()

    def _found_hints(self, faults: Sequence[Fault]) -> Iterator[Hint]:
        """Of each race in turn, as one may use what another adds."""
        for number, fault in enumerate(faults):
            advice = self._advised(fault)
            hint = "\n".join(self._sentences(fault, advice))
            if not number and self.bare and self._text.settled:
                hint += f"\n{SYNC}"
            yield hint, self._facts(fault, self._gap(fault), advice)

    def _race(self, fault: Fault, hint: Callable[[], Hint]) -> Problem:
        """Two accesses that are in no order; and later the wait that brings them into one."""
        mine, theirs = fault.remedy.waiter, fault.remedy.other
        here, there = self._view(mine), self._view(theirs)
        text = f"{self._who(mine)}, which {self._does(mine)} {here}, and {self._who(theirs)}, which"
        text += f" {self._does(theirs)} {'it' if there == here else there}"
        notes = [Note(self._when(theirs, there), self._span(theirs), party=True, excerpt=True)]
        notes.append(Note(self._luck(mine, theirs, self._gap(fault))))
        if fault.race.many > 1:
            notes.append(Note(f"the first of {fault.race.many:,} such pairs of these two lines"))
        notes += [self._also(one) for one in fault.alike]
        head = f"nothing orders {text}"
        return LateProblem("E0502", head, self._span(mine), notes=tuple(notes), make=hint)

    def unordered(self, found: Unordered) -> Problem:
        """A set of a counter that is in no order with another update, or a wait, of it."""
        name = f"${self.program.semaphore_name(found.counter)}"
        one, other = self._name(*found.set), self._name(*found.other)
        message = f"nothing orders the set of {name} by {one} and its update by {other}"
        if found.waits:
            message = f"nothing orders the set of {name} by {one} and the wait of {other} for it"
        note = Note(f"{other} is here", self._place(*found.other), party=True, excerpt=True)
        hint = (
            f"set {name} when nothing needs its value any more, and let the other line wait for it"
        )
        facts = {"semaphore": name.removeprefix("$")}
        return Problem("E0540", message, self._place(*found.set), hint, (note,), facts=facts)

    def overrun(self, found: Overrun) -> Problem:
        """A wait for just a value, which may be past before the wait sees it."""
        wait, (queue, index) = found.wait, found.place
        name = self._counter(wait)
        message = f"{self._name(queue, index)} waits for {name} == {wait.value}, and {name} may be "
        message += (
            f"{found.total} by then: it waits forever if it does not see the {wait.value} between"
        )
        notes = tuple(
            Note(f"{self._name(*who)} may update {name} before that", self._place(*who))
            for who in found.posters
        )
        hint = f"wait for {name} >= {wait.value}, or let what comes later wait for this"
        return Problem(
            "E0541", message, self._place(queue, index), hint, notes, severity=Severity.WARNING
        )

    def late_take(self, take: Place, wait: Place, counter: int) -> Problem:
        """A wait that may still see what its queue has just taken."""
        name = f"${self.program.semaphore_name(counter)}"
        one, other = self._name(*take), self._name(*wait)
        message = (
            f"{other} waits for {name}, and {one} of the same queue, which takes from it, need "
        )
        message += "not be complete by then: the wait may be over by what is taken already"
        note = Note(f"{one} is here", self._place(*take), party=True, excerpt=True)
        hint = "take at the start, with @read, or read a result of the take, or of what comes "
        hint += "after it, before waiting again"
        severity = Severity.WARNING
        return Problem("E0543", message, self._place(*wait), hint, (note,), severity=severity)

    def cut(self, count: int, beyond: tuple[int, int, int] | None) -> Problem:
        """A run too long to be judged as a whole, but up to a place and a tick."""
        message = f"the order of the first {count:,} instructions was judged, and of no more"
        hint = "a race among the later ones is not found: run a smaller size of the program as well"
        notes: tuple[Note, ...] = ()
        if beyond is not None:
            queue, pc, tick = beyond
            name, span = self.program.instruction_name(queue, pc), self.program.span(queue, pc)
            notes = (
                Note(f"judging ended at {self._us(tick):.3f} µs, with the start of {name}", span),
            )
        return Problem("E0542", message, None, hint, notes, Severity.NOTE)

    def place(self, access: ByteAccess) -> tuple[int | None, str]:
        """The line and the tensor of an access."""
        span = self._span(access)
        line = span.excerpt()[0] if span is not None else None
        return line, self._tensor_name(access)

    # -- hints

    def _sentences(self, fault: Fault, advice: Advice | Clauses | None) -> Iterator[str]:
        found = fault.remedy
        mine, theirs = found.waiter, found.other
        yield self._advice(fault, advice)
        if isinstance(advice, Advice) and advice.remedy.others:
            others = advice.remedy.others
            names = listed(dict.fromkeys(self._line_of(*place) for place in others), "and")
            yield (
                f"{names} {'post' if ' and ' in names else 'posts'} to "
                f"{self._counter(advice.remedy.wait)} as well, so that "
                "less of it may come without this one; or give each a semaphore of its own"
            )
        if self._either(mine, theirs):
            turned = Fault(fault.race, remedy(self.check, theirs, mine))
            back = self._advised(turned)
            if back is not None and not (isinstance(back, Clauses) and back.plural):
                yield f"if {self._who(mine)} is meant to come first: {self._advice(turned, back)}"

    def _advised(self, fault: Fault) -> Advice | Clauses | None:
        """The fix that was tried, in the words of the text, which may have moments."""
        if not self.program.posts:
            counted = advised(self.trials, fault)
            if counted is not None and counted.remedy.wait is not None:
                return counted
            found = self.moments.of(fault)
            return found or (self.counters.of(fault) if counted else None) or counted
        found = self.moments.of(fault)
        if found is None and self.moments.counted(fault):
            return advised(self.trials, fault)
        return found

    def _either(self, mine: ByteAccess, theirs: ByteAccess) -> bool:
        """Whether who is to wait may be meant to come first as well: not to read what is unset."""
        if self.check.starts_after(mine, theirs):
            return False
        one = meant(self.check, mine, theirs, self.known(mine))
        return not (one.sure and one.waiter == mine)

    def _advice(self, fault: Fault, advice: Advice | Clauses | None) -> str:
        """The line to add, or what has to be ordered if there is none."""
        mine, theirs = fault.remedy.waiter, fault.remedy.other
        here, there = self._line_of(mine.queue, mine.index), self._who(theirs)
        if self._sent_by_code(theirs):
            return f"let {here} start only when {there} is answered: poll what counts that before"
        if self._sent_by_code(mine) and mine.queue == theirs.queue:
            return f"before {here} load what {there} has stored, and use it: then that is over"
        if self.check.lasts(theirs):
            name = self.program.queue_name(theirs.queue)
            return (
                f"let {name} wait for the unit of {there} before it signals others: later lines of "
                f"{name} may be complete while the unit is still busy with that one"
            )
        none = advice is None or (isinstance(advice, Advice) and advice.remedy.wait is None)
        if none and self.check.unanswered(theirs):
            pc = self._pc(theirs.queue, theirs.index)
            return unanswered.advice(self.program, pc, mine, theirs, here, there)
        if advice is None:
            return f"let {here} start only when {there} is over: no line that does it was found"
        if isinstance(advice, Clauses):
            text = f"let {self._line_of(*advice.waiter)} say '{advice.after}'"
            if advice.post:
                text = f"let {self._line_of(*advice.other)} say '{advice.post}', and {text}"
            return f"declare '{advice.new}', {text}" if advice.new else text
        if advice.remedy.wait is None:
            return self._new_counter(mine, theirs)
        return self.waits.advice_sentence(advice)

    def _sent_by_code(self, access: ByteAccess) -> bool:
        """Whether it is one of a packet that code of a core has sent, for which no line waits."""
        instruction = self.program.instruction(access.queue, self._pc(access.queue, access.index))
        return access.moves and instruction.row.sends

    def _new_counter(self, mine: ByteAccess, theirs: ByteAccess) -> str:
        """A wait for what has no counter yet, which may take a moment instead."""
        core, queues = self.program.queues[mine.queue].core, self.program.queues
        if self.program.tiles:
            here = self._line_of(mine.queue, mine.index)
            over = f"{self._who(theirs)} is {'answered' if theirs.moves else 'complete'}"
            if core == queues[theirs.queue].core:
                return f"let {here} start only when {over}: wait for that first"
            tile, sender = self.program.core_name(core), self.program.queue_name(theirs.queue)
            return (
                f"once {over}, let {sender} raise a semaphore of tile {tile} by a packet, "
                f"for which {here} waits"
            )
        of = f" of core {core}" if self.program.cores > 1 else ""
        waits = f"wait for it before {self._line_of(mine.queue, mine.index)}"
        if theirs.moves:
            return f"let {self._who(theirs)} post to a semaphore{of} of its own, and {waits}"
        return f"let {self._who(theirs)} update a semaphore{of}, and {waits}"

    def _named(self, access: ByteAccess) -> str:
        """A name for the moment at which an access is over."""
        tensor = self._tensor(access)
        if tensor is None:
            return "done"
        kind = OVER if access.moves else DONE
        return f"{base(tensor)}_{what(tensor, kind, not (access.writes or access.moves))}"

    # -- words

    def _luck(self, mine: ByteAccess, theirs: ByteAccess, gap: int | None) -> str:
        over = "had landed" if theirs.moves else "had completed" if theirs.writes else "had started"
        me, them = self._who(mine, False), self._who(theirs, False)
        if gap is None:
            return f"in this run {me} started, and {them} has not landed yet: too early"
        apart = f"{self._us(abs(gap)):.3f} µs"
        if gap >= 0:
            return f"in this run {them} {over} {apart} before {me} started: right by luck"
        return f"in this run {me} started {apart} before {them} {over}: too early"

    def _when(self, access: ByteAccess, view: str) -> str:
        begin, over = self._us(self._begin(access)), self._end(access)
        does = f"{self._who(access)} {self._does(access)} {view}"
        if over is None:
            return f"{does} from {begin:.3f} µs on"
        end = self._us(over)
        at = f"at {end:.3f} µs" if begin >= end else f"between {begin:.3f} and {end:.3f} µs"
        return f"{does} {at}"

    def _does(self, access: ByteAccess) -> str:
        return {"read": "reads", "write": "writes", "add": "adds to"}[access.kind]

    def _touched(self, access: ByteAccess) -> tuple[View | None, Tensor | None]:
        """The view through which an access touches its bytes, or else the tensor."""
        program, pc = self.program, self._pc(access.queue, access.index)
        instruction = program.instruction(access.queue, pc)
        found = [v for operand in instruction.operands for v in views(operand)]
        for operand in instruction.operands:
            if isinstance(operand, DeclaredTransfer):
                found += [view for move in operand.moves for view in move]
        targets = written(instruction)
        best = None
        for view in found:
            if view.dynamic or view.offsets is not None or (view in targets) != access.writes:
                continue
            if self.region(view) == access.region:
                return view, view.tensor
            if self.region(view).area == access.region.area:
                best = view.tensor
        if best is not None:
            return None, best
        named = [v.tensor for v in found] + list(program.tensors.values())
        some = (t for t in named if overlap(self.region(View.whole(t)), access.region))
        return None, next(some, None)

    def _view(self, access: ByteAccess) -> str:
        """What an access touches, as the language writes it."""
        view, _ = self._touched(access)
        return spell(view) if view is not None else self._tensor_name(access)

    def _tensor(self, access: ByteAccess) -> Tensor | None:
        return self._touched(access)[1]

    def _tensor_name(self, access: ByteAccess) -> str:
        tensor = self._tensor(access)
        return tensor.name if tensor is not None else "the same bytes"

    def _also(self, fault: Fault) -> Note:
        """The same fault between the same two lines on other queues."""
        mine, theirs = fault.remedy.waiter, fault.remedy.other
        text = f"the same of {self._who(mine)} and {self._who(theirs)}"
        return Note(f"{text}, for {self._view(mine)}", self._span(mine), party=True)

    def _who(self, access: ByteAccess, full: bool = True) -> str:
        return self._name(access.queue, access.index, full)

    def _name(self, queue: int, index: int, full: bool = True) -> str:
        program, pc = self.program, self._pc(queue, index)
        if full:
            return program.instruction_name(queue, pc)
        return f"{program.queue_name(queue)} pc {pc}"

    def _line_of(self, queue: int, index: int) -> str:
        span = self._place(queue, index)
        return f"line {span.excerpt()[0]}" if span is not None else self._name(queue, index)

    def _counter(self, wait: CounterWait | None) -> str:
        assert wait is not None
        return f"${self.program.semaphore_name(wait.counter)}"

    def _facts(
        self, fault: Fault, gap: int | None, advice: Advice | Clauses | None
    ) -> dict[str, Any]:
        race, found = fault.race, fault.remedy
        both = race.first.writes and race.second.writes
        return {
            "kind": "write-write" if both else "read-write",
            "accesses": [self._fact(access) for access in (found.waiter, found.other)],
            "pairs": race.many,
            "right_by_luck": gap is not None and gap >= 0,
            "microseconds_apart": None if gap is None else self._us(gap),
            "wait": self.waits.fact(advice) if isinstance(advice, Advice) else None,
            "edits": self._edits(advice),
        }

    def _fact(self, access: ByteAccess) -> dict[str, Any]:
        span, over = self._span(access), self._end(access)
        return {
            "engine": self.program.queue_name(access.queue),
            "pc": self._pc(access.queue, access.index),
            "line": span.excerpt()[0] if span is not None else None,
            "access": access.kind,
            "dma": access.moves,
            "tensor": self._tensor_name(access),
            "view": self._view(access),
            "begin_microseconds": self._us(self._begin(access)),
            "end_microseconds": None if over is None else self._us(over),
        }

    def _edits(self, advice: Advice | Clauses | None) -> list[dict[str, Any]]:
        added: Sequence[Addition] = ()
        if isinstance(advice, Clauses):
            added = advice.additions
        elif advice is not None:
            added = self.waits.additions(advice)
        return [
            {"file": one.source.name, "line": one.line, "column": one.column, "insert": one.text}
            for one in added
        ]

    # -- places and times

    def _gap(self, fault: Fault) -> int | None:
        """The ticks from the end of what comes first to the start of what waits, in this run."""
        over = self._end(fault.remedy.other)
        return None if over is None else self._begin(fault.remedy.waiter) - over

    def _pc(self, queue: int, index: int) -> int:
        return self.check.watch.pcs[queue][index]

    def _place(self, queue: int, index: int) -> Span | None:
        return self.program.span(queue, self._pc(queue, index))

    def _span(self, access: ByteAccess) -> Span | None:
        return self._place(access.queue, access.index)

    def _us(self, ticks: int) -> float:
        return ticks / self.program.generation.ticks

    def _begin(self, access: ByteAccess) -> int:
        return self.check.watch.begin(access.queue, access.index)

    def _end(self, access: ByteAccess) -> int | None:
        """When an access was over; None if its transfer is still in flight."""
        watch, queue, index = self.check.watch, access.queue, access.index
        if access.moves:
            number = watch.moved[queue][index].number
            if self.flying(number):
                return None
            landing = watch.landing(number)
            return self._begin(access) if landing is None else landing
        return watch.end(queue, index, self.last(queue)) if access.writes else self._begin(access)
