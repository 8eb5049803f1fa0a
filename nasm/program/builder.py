"""The one way to make a Program: declarations, then instructions, then the builder's ``finish``.

The assembler calls it for every line of a text, Python front ends call it directly. Problems are
collected, so that all of them are reported at once. Lines with the same row and operands share one
instruction, which is checked once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import Self, TypeVar

from nasm.base.names import identifier
from nasm.base.problems import Failure, Problem, Refused, Severity, Unsaid, did_you_mean, limited
from nasm.base.records import replace
from nasm.base.source import Frame, Span
from nasm.isa.effects import RankExchange
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row, bind
from nasm.isa.target import AddedLine, Target
from nasm.isa.words import VALUE, WORD
from nasm.program import availability, check
from nasm.program.accepted_operands import Accepted, AcceptedOperands, exactly, key_of
from nasm.program.declarations import CounterAllocation, Declarations
from nasm.program.notes import declared_note, in_order
from nasm.program.operand_parts import join
from nasm.program.placement import place
from nasm.program.program import Expectation, Instruction, Program, Update, Wait
from nasm.program.pushes import Pushes
from nasm.program.ranks import check_ranks
from nasm.program.text_items import PlacedLabel, Recorded
from nasm.views.view import View

Sync = TypeVar("Sync", Wait, Update)

NONE = 0, 0
"""How many instructions and labels a queue begins with."""

Made = tuple[int, int, int]
"""Indices of an instruction, its wait and its update in the program's tables."""


class ProgramBuilder(Declarations):
    """Collects a program for one generation of a target."""

    def __init__(self, target: Target, generation: Generation) -> None:
        super().__init__(target, generation)
        self.problems: list[Problem] = []
        self._instructions: dict[tuple[object, ...], int] = {}
        self._accepted = AcceptedOperands()
        self._first_use: list[tuple[int, int, str]] = []
        self._waits: dict[Wait, int] = {}
        self._updates: dict[Update, int] = {}
        self._spans: dict[tuple[int, int, int], int] = {}
        self._label_spans: dict[tuple[int, str], Span | None] = {}
        self._placed = self._checked = 0
        self._written = array("H")
        self._begun: dict[int, tuple[int, int]] = {}
        self.recorded = Recorded()
        self.stepped: dict[int, tuple[int, Span]] = {}
        self._available: set[tuple[Row, str]] = set()
        self.places: check.Places = lambda line, row, operand: None
        self.enter(0)

    @classmethod
    def resume(cls, program: Program) -> Self:
        """Continue a program that is finished: what is added to it has to fit what is there."""
        made = cls(program.target, program.generation)
        made.program, made._entered = program, program.cores - 1
        made._queues = {(q.core, q.engine): n for n, q in enumerate(program.queues)}
        made._first_use = [(-1, -1, "")] * len(program.instructions)
        made._waits = {wait: n for n, wait in enumerate(program.waits) if wait is not None}
        made._updates = {u: n for n, u in enumerate(program.updates) if u is not None}
        for table in (program.semaphores, program.events):
            for name, index in table.items():
                made._counters.give(name, index, chosen=True)
                made._declared[name] = None
        made._declared.update((t.name, t.span) for t in program.tensors.values())
        made._declared.update((t.name, t.span) for t in program.transfers.values())
        made._placed = len(program.tensors)
        made._resumed = made._blocks.use = True
        made.pushes = Pushes(program)
        for (core, engine), number in list(made._queues.items()):
            fed = made.generation.engine(engine).pushes
            if fed:
                made.pushes.add(number, made._queues[core, fed])
        return made

    def begin(self) -> None:
        """Begin a text after what there is: it is counted, and cleared, by itself."""
        self.problems, self.recorded = [], Recorded()
        del self._written[:]
        self._blocks.keep()
        sizes = [(len(q.instructions), len(q.labels)) for q in self.program.queues]
        self._begun = dict(enumerate(sizes))

    def begun(self, queue: int) -> int:
        """How many instructions a queue had when the text began."""
        return self._begun.get(queue, NONE)[0]

    # -- instructions

    def row(self, mnemonic: str) -> Row:
        """A row by its one spelling."""
        row = self.target.row(mnemonic, self.generation)
        if row is None and mnemonic == WORD:
            raise Refused("E0201", f"{self.target.summary} has no words for '{WORD}' to give")
        if row is None:
            raise Refused("E0201", f"no instruction '{mnemonic}'", self.target.isa.meant(mnemonic))
        return row

    def make(
        self,
        queue: int,
        row: Row,
        positional: list[object],
        named: Mapping[str, object],
        wait: Wait | None,
        update: Update | None,
        spans: Callable[[str], Span | None] | None = None,
    ) -> Made:
        """An instruction for a queue: its operands bound and accepted, its wait and update legal.

        Raises Failure; ``spans`` says where an operand is written, so that it can be pointed at.
        """
        engine, key = self.program.queues[queue].engine, None
        more: list[Problem] = []
        if wait is not None or update is not None:
            more = check.sync(self.program, queue, row, wait, update, spans)
        elif spans is None and not positional and row.encoding is None:
            core = self.program.queues[queue].core if self._entered else None
            key = key_of(row, engine, core, named)
        accepted = None if key is None else self._accepted.find(key[0])
        if accepted is None:
            row, operands = self.bound(queue, row, positional, named, spans, more)
            if key is not None:
                accepted = self._accepted.keep(key[0], operands)
        elif key is not None:
            operands = accepted.with_views(key[1])
        return (self._form(engine, row, operands, accepted), *self.numbers(wait, update))

    def accepted(
        self,
        queue: int,
        row: Row,
        operands: tuple[object, ...],
        wait: Wait | None,
        update: Update | None,
    ) -> Made:
        """An instruction for a queue of operands that their kinds accepted.

        Raises Refused, or Failure, with something that is wrong with it.
        """
        lines = self.program.queues[queue]
        self._check_available(row, lines.engine)
        for operand, value in zip(row.operands, operands, strict=True):
            if type(value) in _ADDRESSED:
                check.registers_exist(self.generation, value)
            if self._entered:
                check.within_reach(lines.core, value, operand.kind)
        if wait is not None or update is not None:
            problems = check.sync(self.program, queue, row, wait, update, None)
            if problems:
                raise Failure(problems)
        return (self._form(lines.engine, row, operands), *self.numbers(wait, update))

    def bound(
        self,
        queue: int,
        row: Row,
        positional: list[object],
        named: Mapping[str, object],
        spans: Callable[[str], Span | None] | None = None,
        more: Iterable[Problem] = (),
    ) -> tuple[Row, tuple[object, ...]]:
        """A row with operands that were bound and accepted, in no queue yet.

        A word is decoded. Raises Failure, with ``more`` errors after the others.
        """
        engine = self.program.queues[queue].engine
        self._check_available(row, engine)
        parts = {name: value for name, value in named.items() if name in row.parts}
        if parts:
            named = {name: value for name, value in named.items() if name not in parts}
        for name in named:
            if name not in row.position or row.operand(name).implicit:
                raise Refused(
                    "E0309", f"{row.name} has no operand '{name}'", did_you_mean(name, row.names)
                )
        operands = bind(row, positional, named)
        accepted = list(operands)
        problems: list[Problem] = []
        for at, operand in row.places:
            value = operands[at]
            if value is operand.default:
                continue
            try:
                accepted[at] = operand.kind.accept(value)
                check.registers_exist(self.generation, accepted[at])
                if self._entered:
                    here = self.program.queues[queue].core
                    check.within_reach(here, accepted[at], operand.kind)
            except Refused as refused:
                problem = availability.of_operand(
                    self.target, self.generation, row, operand.name, refused, value, spans
                )
                if isinstance(value, int | float) and not problem.hint:
                    hint = availability.of_number(self.target, row, operand.name, operands)
                    problem = replace(problem, hint=hint)
                problems.append(problem)
        if len(problems) == 2:
            problems = availability.swapped(row, operands, problems)
        if row.encoding is not None and not problems:
            whole = {*named, *(o.name for o in row.written[: len(positional)])}
            problems += join(row, accepted, whole, parts, spans)
        elif row.name == WORD and not problems:
            row, accepted = self._decoded(row, accepted, spans)
            self._check_available(row, engine)
        problems += more
        if problems:
            raise Failure(problems)
        return row, tuple(accepted)

    def _check_available(self, row: Row, engine: str) -> None:
        if (row, engine) not in self._available:
            availability.available(self.target, self.generation, row, engine)
            self._available.add((row, engine))

    def _decoded(
        self, row: Row, accepted: list[object], spans: Callable[[str], Span | None] | None
    ) -> tuple[Row, list[object]]:
        """The instruction that a word is, or the word itself if it is to stay one."""
        words = self.target.words(self.generation)
        assert words is not None
        word, kept = accepted
        assert isinstance(word, int)
        if kept:
            return row, accepted
        try:
            row, operands = words.decode(word)
        except Refused as refused:
            raise Failure(refused.at(spans(VALUE) if spans else None)) from None
        return row, list(operands)

    def numbers(self, wait: Wait | None, update: Update | None) -> tuple[int, int]:
        """The numbers of a wait and an update in the program's tables."""
        if wait is None and update is None:
            return 0, 0
        return (
            self._interned(wait, self._waits, self.program.waits),
            self._interned(update, self._updates, self.program.updates),
        )

    def _form(
        self, engine: str, row: Row, operands: tuple[object, ...], accepted: Accepted | None = None
    ) -> int:
        exact = exactly(operands) if accepted is None else accepted.exact
        key = (engine, row.name, operands, exact)
        count = len(self.program.instructions)
        found = self._instructions.setdefault(key, count)
        if found == count:
            self.program.instructions.append(Instruction(row, operands, None, accepted))
            self._first_use.append((-1, -1, engine))
        return found

    @staticmethod
    def _interned(value: Sync | None, known: dict[Sync, int], table: list[Sync | None]) -> int:
        if value is None:
            return 0
        found = known.get(value)
        if found is None:
            found = known[value] = len(table)
            table.append(value)
        return found

    def span(self, span: Span | None) -> int:
        """The index of a place in the program's table."""
        if span is None:
            return 0
        key = (id(span.source), span.start, span.end)
        found = self._spans.get(key)
        if found is None:
            found = self._spans[key] = len(self.program.spans)
            self.program.spans.append(span)
        return found

    def chain(self, frames: tuple[Frame, ...]) -> int:
        """The index of a chain of expansions in the program's table."""
        self.program.chains.append(frames)
        return len(self.program.chains) - 1

    def append(self, queue: int, made: Made, span: int, chain: int = 0) -> int:
        """Put an instruction at the end of a queue; returns its pc.

        If its engine pushes those of another, what that one has so far is pushed before it.
        """
        if queue in self.pushes.by_queue:
            self._push(queue, self.pushes.before(queue, self.program.instructions[made[0]]))
        return self._put(queue, made, span, chain)

    def _put(self, queue: int, made: Made, span: int, chain: int) -> int:
        lines = self.program.queues[queue]
        instruction = made[0]
        if self._blocks.over:
            self._blocks.check(instruction, self.program.instructions[instruction])
        if self._first_use[instruction][0] < 0:
            self._first_use[instruction] = (
                queue,
                len(lines.instructions),
                self._first_use[instruction][2],
            )
        self._written.append(queue)
        lines.instructions.append(instruction)
        lines.waits.append(made[1])
        lines.updates.append(made[2])
        lines.spans.append(span)
        lines.chains.append(chain)
        return len(lines.instructions) - 1

    def _add(self, added: AddedLine) -> None:
        """Put lines at the end of a queue that no text has; their place is that of others."""
        queue, after = self.queue(added.engine, added.core), self.queue(added.after, added.core)
        spans, chains = self.program.queues[after].spans, self.program.queues[after].chains
        made = self.make(queue, self.row(added.row), [], {}, None, None)
        for _ in range(added.times):
            self._put(queue, made, spans[-1], chains[-1])

    def _push(self, queue: int, count: int) -> None:
        """Let a queue push so many instructions of another: the next ones."""
        if not count:
            return
        assert self.target.pushing is not None
        pushing = self.target.pushing
        fed, at = self.pushes.made(queue, count)
        operands = {pushing.count: count}
        if self.program.queues[queue].labels:  # in a loop it is not the next one each time
            operands[pushing.first] = at
        made = self.make(queue, self.row(pushing.row), [], operands, None, None)
        lines = self.program.queues[fed]
        self._put(queue, made, lines.spans[at], lines.chains[at])

    def label(self, queue: int, name: str, span: Span | None = None) -> None:
        """Name the place of the next instruction of a queue."""
        identifier(name)
        lines = self.program.queues[queue]
        if queue in self.pushes.by_queue and not self.pushes.by_queue[queue].written:
            self._push(queue, self.pushes.left(self.pushes.by_queue[queue]))
        if name in lines.labels:
            notes = declared_note(name, self._label_spans.get((queue, name)))
            raise Refused(
                "E0202", f"label '{name}' is already defined in @{lines.engine}", "", notes
            )
        lines.labels[name] = len(lines.instructions)
        self._label_spans[queue, name] = span
        self.recorded.label(self.position, PlacedLabel(queue, name))

    def expect(self, tree: object, span: Span) -> None:
        """Add something that must hold after the run."""
        self.program.expectations.append(Expectation(tree, span))

    # -- the end

    def place(self) -> None:
        """Give every tensor declared so far its place."""
        tensors = list(self.program.tensors.values())
        if self._placed != len(tensors):
            self.problems += place(tensors)
            self._placed = len(tensors)

    def finish(self, undeclared: Container[str] = (), unsaid: Unsaid | None = None) -> Program:
        """Place, check every instruction, and return the program; raises Failure with its problems.

        ``undeclared`` are labels that are missing because of what was reported already, ``unsaid``
        problems that are counted only.
        """
        unsaid = unsaid or Unsaid()
        self.place()
        self.check(undeclared, unsaid)
        self.program.warnings = in_order(self.problems)
        return self.program

    def check_rules(self, unsaid: Unsaid, first: int = 0) -> None:
        """Check the rules of every instruction from one on that was not; raises Failure."""
        first = max(first, self._checked)
        self.problems += self._broken(unsaid, first)
        self._checked = len(self.program.instructions)
        if any(p.severity is Severity.ERROR for p in self.problems):
            raise Failure(limited(in_order(self.problems), unsaid))

    def keeps_rules(self) -> bool:
        """Whether all tensors have places and every instruction keeps all rules.

        Then there is no line of a problem to look for, and instructions need not be in queues yet.
        """
        if self.problems or self._blocks.over or self.pushes.by_queue:
            return False
        made = islice(self.program.instructions, self._checked, None)
        engines = [engine for _, _, engine in islice(self._first_use, self._checked, None)]
        if not check.all_kept(self.program, list(made), engines):
            return False
        self._checked = len(self.program.instructions)
        return True

    def _broken(self, unsaid: Unsaid, first: int) -> list[Problem]:
        found = check.instructions(self.program, self._first_use, unsaid, first, self.places)
        made = islice(self.program.instructions, first, None)
        if any(one.row.effect is RankExchange for one in made):
            found += check_ranks(self.program, first)
        return found

    @property
    def position(self) -> int:
        """How many lines were appended."""
        return len(self._written)

    def order(self) -> Iterator[tuple[int, int]]:
        """The queue and the pc of every line, in the order in which they were appended."""
        counts = [self.begun(queue) for queue in range(len(self.program.queues))]
        for queue in self._written:
            yield queue, counts[queue]
            counts[queue] += 1

    def clear(self, counters: bool = False) -> None:
        """Take everything out of the queues, and take ``counters`` back; what was made stays."""
        del self._written[:]
        self.recorded = Recorded()
        self._blocks.forget()  # what was in order in the text is put in again
        if counters:
            for table in (self.program.semaphores, self.program.events):
                for name in table:
                    del self._declared[name]
                table.clear()
            self.program.unnamed.clear()
            del self.program.waits[1:], self.program.updates[1:]
            self._counters = CounterAllocation(self.generation)
            self._waits, self._updates = {}, {}
        for queue, lines in enumerate(self.program.queues):
            size, labels = self._begun.get(queue, NONE)
            for column in (
                lines.instructions, lines.waits, lines.updates, lines.spans, lines.chains
            ):  # fmt: skip
                del column[size:]
            while len(lines.labels) > labels:
                lines.labels.popitem()
        self.pushes.count_again()

    def forget(self) -> None:
        """Give up what finds an instruction, or a place, that was made before."""
        self._instructions.clear()
        self._first_use.clear()
        self._spans.clear()

    def check(self, undeclared: Container[str], unsaid: Unsaid, first: int = 0) -> None:
        """Check every instruction from one on; raises Failure with all problems there are.

        Queues that push have pushed everything then.
        """
        self.pushes.count_again()
        for queue, pusher in self.pushes.by_queue.items():
            if not pusher.written:
                self._push(queue, self.pushes.left(pusher))
        self.problems += self.pushes.wrong()
        for added in [*self.target.added(self.program)]:
            self._add(added)
        new = max(first, self._checked)
        self.problems += self._broken(unsaid, new)
        self._checked = len(self.program.instructions)
        self.problems += check.labels(self.program, undeclared, unsaid, first)
        if any(p.severity is Severity.ERROR for p in self.problems):
            raise Failure(limited(in_order(self.problems), unsaid))


_ADDRESSED = View, tuple, list
"""What may hold views."""
