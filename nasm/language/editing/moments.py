"""Texts in sequential order with moments: each line says what it comes after, and what it posts.

A line of a ``.for`` says it for all rounds, with the loops' variables. A text in which some line is
not one instruction of each round, or whose rounds differ, must be printed line by line first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from nasm.base.records import dataclass
from nasm.base.source import Source
from nasm.language.editing.changes import TextChanges
from nasm.language.editing.loop_rounds import LoopAxes, Said, StatedLines, pairs_of
from nasm.language.editing.moment_names import (
    TouchedPart,
    base,
    called,
    reason,
    touched,
    what,
    whole,
)
from nasm.language.editing.rounds import RangeEnd, Round, Sentence, sentences, unguarded
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.program.builder import ProgramBuilder
from nasm.program.footprint.layout import Regions
from nasm.sync.dependences import STARTED
from nasm.sync.edges import Came, Following
from nasm.sync.sequential_text import WrittenLine
from nasm.views.tensor import Tensor

Statement = int
"""A statement by the place of its mnemonic in its text."""

_Key = tuple[Statement, int, bool]
_Word = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _After:
    """A line comes after an event of a statement, as a sentence says of these axes of that."""

    statement: Statement
    kind: int
    free: bool
    sentence: Sentence
    axes: tuple[int, ...]


def with_moments(
    source: Source,
    builder: ProgramBuilder,
    lines: list[WrittenLine],
    strip: bool,
    text: str,
    loops: frozenset[int] = frozenset(),
    keep_lines: bool = False,
) -> str | None:
    """The text with moments; None if it has to be written line by line first. Raises Failure.

    ``lines`` are those of the program that are kept, in their order. With ``strip`` what the text
    has of waits, updates and moments is left out. ``loops`` are where the variables of loops are
    that are written out in the source, and not in the ``text`` that the moments are for. With
    ``keep_lines`` what is on lines of its own comes below all others, which keep their numbers.
    """
    file, _ = parse(source)
    if any(isinstance(s, tree.MacroCall | tree.Include) for s in every(file.body)):
        return None
    stated = _stated(source, builder, lines, _bounds(file, builder))
    if stated is None:
        return None
    where = {line: start for start, one in stated.items() for line in one.lines.values()}
    following = Following(builder, lines, where.__getitem__)
    clauses = _Clauses(builder, stated, where, following, loops)
    if not clauses.find():
        return None
    if loops:
        file, _ = parse(Source(source.name, text, source.label))
    return _Writing(text, builder, clauses, strip).made(file, keep_lines)


def every(statements: Iterable[tree.Statement]) -> Iterator[tree.Statement]:
    """Statements, and all in their blocks."""
    for statement in statements:
        yield statement
        for body in bodies(statement):
            yield from every(body)


def bodies(statement: tree.Statement) -> Iterator[tuple[tree.Statement, ...]]:
    """The bodies of a block."""
    match statement:
        case (
            tree.For(body=body)
            | tree.LoopStatement(body=body)
            | tree.ScopeBlock(body=body)
            | tree.MacroStatement(body=body)
        ):
            yield body
        case tree.If(branches=branches):
            yield from (body for _, body in branches)


def _bounds(file: tree.File, builder: ProgramBuilder) -> dict[int, RangeEnd]:
    """The upper bounds of loops that are constants of the program, by the places of variables."""
    constants, found = builder.program.constants, {}
    for one in every(file.body):
        if isinstance(one, tree.For) and isinstance(one.stop, tree.Name) and one.step is None:
            value = constants.get(one.stop.name)
            if type(value) is int:
                found[one.variable.start] = RangeEnd(one.stop.name, value)
    return found


def _stated(
    source: Source, builder: ProgramBuilder, lines: list[WrittenLine], known: Mapping[int, RangeEnd]
) -> dict[Statement, StatedLines] | None:
    """The statements of lines; None if one makes several in one round."""
    program = builder.program
    found: dict[Statement, StatedLines] = {}
    for number, line in enumerate(lines):
        span = program.spans[line.line.span]
        chain = program.chains[line.line.chain]
        bound = [frame.bound for frame in chain if frame.bound is not None]
        if span is None or span.source is not source or len(bound) < len(chain):
            return None
        values = tuple(value for _, value in bound)
        if span.start not in found:
            bounds = tuple(known.get(frame.span.start) for frame in chain)
            places = tuple(frame.span.start for frame in chain)
            found[span.start] = StatedLines(tuple(name for name, _ in bound), places, bounds)
        stated = found[span.start]
        if values in stated.lines:
            return None
        stated.lines[values] = number
    return found


class _Clauses:
    """The clauses of each statement: its ``afters``, and its moments by what they are.

    A moment is of a statement, of a kind, and may tell no more than that bytes are free again.
    """

    def __init__(
        self,
        builder: ProgramBuilder,
        stated: dict[Statement, StatedLines],
        where: dict[int, Statement],
        following: Following,
        loops: frozenset[int],
    ) -> None:
        self.program, self.stated = builder.program, stated
        rounds = sorted((n, s.places, v) for s in stated.values() for v, n in s.lines.items())
        self.loops = LoopAxes.of(loops, [(places, values) for _, places, values in rounds])
        self.where, self.following = where, following
        self.afters: dict[Statement, list[_After]] = {}
        self.names: dict[_Key, tuple[str, str]] = {}
        self._regions = Regions()
        self._touched: dict[int, list[TouchedPart]] = {}
        self._round = {n: v for one in stated.values() for v, n in one.lines.items()}

    def find(self) -> bool:
        """Find the clauses; whether the rounds have the same."""
        words: dict[_Key, Counter[_Word]] = {}
        for statement, one in self.stated.items():
            text = self.afters[statement] = []
            for (other, kind), wanted in self._wanted(one).items():
                found = self._sentences(one, other, kind, wanted)
                if found is None:
                    return False
                for sentence, axes, pairs in found:
                    free, some = self._why(one, other, kind, pairs)
                    words.setdefault((other, kind, free), Counter()).update(some)
                    text.append(_After(other, kind, free, sentence, axes))
        self._name(words)
        return True

    def _sentences(
        self, one: StatedLines, other: Statement, kind: int, wanted: dict[Round, list[Round]]
    ) -> list[Said] | None:
        """What one statement says of another: sentences with their axes, and of which rounds."""
        theirs = self.stated[other]
        if self.loops.written.isdisjoint((*one.places, *theirs.places)):
            rounds = theirs.rounds
            found = sentences(one.rounds, rounds, wanted, self._may(one, other, kind))
            if found is None:
                return None
            axes = tuple(range(len(rounds.variables)))
            plain = [unguarded(sentence, one.rounds, rounds.rounds) for sentence in found]
            return [
                Said(new, axes, pairs_of(sentence, wanted))
                for sentence, new in zip(found, plain, strict=True)
            ]
        return self.loops.sentences(one, theirs, wanted)

    def _wanted(self, one: StatedLines) -> dict[tuple[Statement, int], dict[Round, list[Round]]]:
        """Which rounds of which statements the rounds of one come after."""
        found: dict[tuple[Statement, int], dict[Round, list[Round]]] = {}
        for own, line in one.lines.items():
            for came in self.following.afters[line]:
                key = self.where[came.line], came.kind
                found.setdefault(key, {}).setdefault(own, []).append(self._round[came.line])
        return found

    def _may(self, one: StatedLines, other: Statement, kind: int) -> Callable[[Round, Round], bool]:
        """Whether a round comes after a round of another statement anyhow."""
        others = self.stated[other].lines

        def may(own: Round, theirs: Round) -> bool:
            line, before = one.lines[own], others[theirs]
            return before < line and self.following.knows(line, Came(kind, before))

        return may

    # -- what moments are called

    def _why(
        self, one: StatedLines, other: Statement, kind: int, pairs: list[tuple[Round, Round]]
    ) -> tuple[bool, Counter[_Word]]:
        """Whether a sentence says that bytes are free again, and words for the moment."""
        words: dict[bool, Counter[_Word]] = {True: Counter(), False: Counter()}
        for own, theirs in pairs:
            first = self.stated[other].lines[theirs]
            tensor, free = reason(self._parts(first), self._parts(one.lines[own]))
            words[free][self._word(first, tensor, kind, free)] += 1
        free = words[True].total() > words[False].total()
        return free, words[free]

    def _word(self, line: int, tensor: Tensor | None, kind: int, free: bool) -> _Word:
        """What has happened at an event of a line, and to what."""
        one = self.following.lines[line]
        moved = self.following.form(line).moved
        transfer = whole(self.program.instructions[one.line.instruction])
        if tensor is None or transfer:
            return transfer or self.program.queues[one.queue].engine, "done"
        if moved is not None and moved.meets:
            return base(tensor), "met"
        return base(tensor), what(tensor, kind, free)

    def _parts(self, line: int) -> list[TouchedPart]:
        number = self.following.lines[line].line.instruction
        found = self._touched.get(number)
        if found is None:
            instruction, form = self.program.instructions[number], self.following.form(line)
            found = self._touched[number] = touched(instruction, form, self._regions)
        return found

    def _name(self, words: dict[_Key, Counter[_Word]]) -> None:
        """Give each moment a name, and to those of lines that are called the same a number."""
        found: dict[str, list[_Key]] = {}
        for key in sorted(words):
            found.setdefault(called(words[key]), []).append(key)
        taken = set(found)
        for name, keys in found.items():
            if len(keys) > 1 and not any(self.stated[key[0]].variables for key in keys):
                self.names.update((key, (name, str(n))) for n, key in enumerate(keys))
                continue
            for number, key in enumerate(keys, 1):
                own = name
                while number > 1 and own in taken:
                    own, number = f"{name}_{number}", number + 1
                taken.add(own)
                self.names[key] = own, ""

    # -- as it is written

    def clauses(self, statement: Statement) -> Iterator[str]:
        """What a line comes after, and what it posts."""
        one = self.stated[statement]
        moments = [self._after(one, after) for after in self.afters[statement]]
        if moments:
            yield f"after {', '.join(dict.fromkeys(moments))}"
        for key in sorted(key for key in self.names if key[0] == statement):
            read = " @read" if key[1] == STARTED else ""
            yield f"post {self._moment(key, one.variables)}{read}"

    def _after(self, one: StatedLines, after: _After) -> str:
        bounds = [self.stated[after.statement].bounds[axis] for axis in after.axes]
        both = zip(after.sentence.indices, bounds, strict=True)
        indices = [index.text(one.variables, bound) for index, bound in both]
        moment = self._moment((after.statement, after.kind, after.free), indices)
        condition = after.sentence.condition(one.variables)
        return f"{moment} if {condition}" if condition else moment

    def _moment(self, key: _Key, indices: Iterable[str]) -> str:
        name, number = self.names[key]
        every = [*([number] if number else []), *indices]
        return f"{name}[{', '.join(every)}]" if every else name


class _Writing(TextChanges):
    """Writes the clauses into a text; with ``strip`` in place of the present ones."""

    def __init__(self, text: str, builder: ProgramBuilder, message: _Clauses, strip: bool) -> None:
        super().__init__(text)
        self.builder, self.found_clauses, self.strip = builder, message, strip
        sequencing = builder.target.sequencing
        self.bare = () if sequencing is None else (sequencing.wait, sequencing.clear)

    def made(self, file: tree.File, keep_lines: bool) -> str:
        """The text with all changes."""
        self._body(file.body)
        holds = [s for s in file.body if any(self._kept(one) for one in every((s,)))]
        if holds:
            end = len(self.text) if keep_lines else self.line_end(holds[-1].end)
            self.changes += [(end, end, f"{line}\n") for line in self._drains()]
        return self.applied()

    def _kept(self, statement: tree.Statement) -> bool:
        mnemonic = statement.mnemonic if isinstance(statement, tree.InstructionLine) else None
        return mnemonic is not None and mnemonic.start in self.found_clauses.stated

    def _drains(self) -> Iterator[str]:
        program = self.builder.program
        for queue in sorted(self.found_clauses.following.drained):
            if program.cores > 1:
                yield f".core {program.queues[queue].core}"
            yield f"@{program.queues[queue].engine}  .drain"

    def _body(self, statements: tuple[tree.Statement, ...]) -> bool:
        """Write into some statements; whether all of them are left out."""
        left = [self._statement(statement) for statement in statements]
        return all(left)

    def _statement(self, statement: tree.Statement) -> bool:
        """Write into a statement; whether it is left out."""
        if isinstance(statement, tree.InstructionLine) and statement.mnemonic is not None:
            out = self._line(statement, statement.mnemonic)
        else:
            inside = [self._body(body) for body in bodies(statement)]
            out = self.strip and isinstance(statement, tree.SemLine | tree.DrainLine)
            out = out or (bool(inside) and all(inside) and not self._empty(statement))
        if out:
            self.leave_out(statement)
        return out

    @staticmethod
    def _empty(statement: tree.Statement) -> bool:
        """Whether a block has had nothing in it before."""
        return not any(bodies(statement))

    def _line(self, statement: tree.InstructionLine, mnemonic: tree.Name) -> bool:
        """Write what a line says of moments; whether it is left out."""
        if mnemonic.start in self.found_clauses.stated:
            made = "".join(f"  {clause}" for clause in self.found_clauses.clauses(mnemonic.start))
        elif self.strip:
            if mnemonic.name in self.bare:
                return True
            made = ""
        else:
            return False
        start, end = self.clauses(statement)
        if made != self.text[start:end]:
            self.changes.append((start, end, made))
        return False
