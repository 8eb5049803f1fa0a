"""What the sections of an object file say, made into a program by the builder."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from nasm.base.array_files import ArrayFile
from nasm.base.files import Allowed
from nasm.base.names import identifier
from nasm.base.problems import Problem, Refused, Severity, Unsaid, listed
from nasm.base.source import Source, Span
from nasm.isa.generation import Generation
from nasm.isa.instruction import REQUIRED, Operand, Row
from nasm.isa.target import Loader, Target
from nasm.isa.timing import Timing
from nasm.language.assemble import expectations, initialisers
from nasm.language.expanding.forward_names import Undeclared
from nasm.language.objects import layout, operands, views
from nasm.language.objects.bodies import I32, I64, Column, Fields, read_columns, read_document
from nasm.language.objects.embedding import embedded
from nasm.language.objects.places import DEBUG, SPANS, ReadPlaces
from nasm.language.objects.sections import damaged, parted, unusable
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.program import availability, check
from nasm.program.builder import ProgramBuilder
from nasm.program.placement import chosen, placed_in
from nasm.program.program import Instruction, Program, Update, Wait
from nasm.views.tensor import Tensor
from nasm.views.view import View

NOT_THAT_MACHINE = "E0810"


class Reader:
    """Reads one object file, ``name`` for people, part by part."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._sections = parted(data)
        self._said = Fields(self._document(layout.MACHINE), layout.MACHINE)
        self.builder: ProgramBuilder
        self.source: Source | None = None
        self.folder = ""
        self._uses: Column = np.zeros((0, 2), I64)
        self._views: dict[str, View] = {}

    @property
    def program(self) -> Program:
        """What is made of it."""
        return self.builder.program

    def _body(self, name: str) -> memoryview:
        if name not in self._sections:
            raise damaged(f"it lacks the section '{name}'")
        return self._sections[name]

    def _document(self, name: str) -> Any:
        return read_document(self._body(name), name)

    def _rows(self, name: str, *kinds: type) -> list[Any]:
        return Fields({name: self._document(name)}, name).list_of(name, *kinds)

    # -- the machine

    def machine(self, targets: Mapping[str, Loader]) -> tuple[Target, Generation]:
        """The target and the generation that it was assembled for."""
        name = self._said.get("target", str)
        if name not in targets:
            text = f"it is for '{name}', which this version does not have"
            raise unusable(text, f"targets: {listed(sorted(targets))}")
        target = targets[name]()
        generation = target.generation(name)
        assert generation is not None
        return target, generation

    def same_machine(self, wanted: str, targets: Mapping[str, Loader]) -> None:
        """Refuse another machine than the one that it was assembled for."""
        had = self.machine(targets)[1]
        if had.name != wanted and wanted not in had.spellings:
            message = f"is assembled for {had.summary}, not for {wanted}"
            raise Refused(NOT_THAT_MACHINE, message, f"assemble its text with --target {wanted}")

    def begin(
        self, target: Target, generation: Generation, options: Mapping[str, object], timing: Timing
    ) -> None:
        """Begin to build for a machine; raises Failure with the errors of options."""
        figures = Timing(self._said.get("figures", dict), "set when it was assembled")
        chosen_options = self._said.get("options", dict) | dict(options)
        made = target.configured(generation, chosen_options, figures)
        made = target.configured(made, chosen_options, timing)
        self.builder = ProgramBuilder(target, made)

    # -- the program

    def read(self, files: Allowed, path: str) -> None:
        """All of it; raises Refused."""
        debug = self._sections.get(DEBUG)
        read = read_document(debug, DEBUG) if debug is not None else {}
        places = ReadPlaces(debug, self._sections.get(SPANS), read)
        if places.sources and places.fields.value.get("main") is True:
            self.source = places.sources[0]
        home = places.sources[0].name if places.sources else self.name
        home = path if self._said.get("linked", bool) else home
        self.folder = os.path.dirname(home)
        self._enter()
        if "ranks" in self._said.value:
            self.builder.several(self._said.get("ranks", int))
        self._tensors(places)
        made = self._operands(places)
        self._counters()
        self._constants()
        self._settings(places)
        self._lines(self._instructions(made), places)
        self._expectations(places, home)
        held = embedded(self._document(layout.FILES), self._body(layout.DATA))
        self.program.files = files.holding(
            {os.path.normpath(os.path.join(self.folder, name)): read for name, read in held.items()}
        )
        self.program.allows = places.allows()
        self.program.loop_registers = places.registers([len(q) for q in self.program.queues])
        self.program.warnings = places.problems()

    def _enter(self) -> None:
        """Use the cores that the program used, or the tiles."""
        cores = self._said.get("cores", int)
        tiles = self._said.optional("tiles", list)
        for place in tiles:
            if not 2 <= len(place) <= 3 or {type(part) for part in place} != {int}:
                raise damaged("a tile has a column and a row, and perhaps a chip")
            self.builder.tile(*place)
        if tiles and len(self.program.tiles) != cores:
            raise damaged("there are more cores than tiles, or fewer")
        self.builder.enter(cores - 1)

    def _tensors(self, places: ReadPlaces) -> None:
        rows = self._rows(layout.TENSORS, dict)
        free: list[Tensor] = []
        for row, span in zip(rows, places.of_each("tensors", len(rows)), strict=True):
            text = Fields(row, layout.TENSORS)
            place = text.list_of("place", int)
            if len(place) != 2:
                raise damaged("a tensor has no place")
            made = self.builder.tensor(
                text.get("memory", str),
                text.get("name", str),
                text.get("dtype", str),
                text.list_of("shape", int),
                role=text.get("role", str),
                init=_initialiser(row.get("init"), self.folder),
                partition=place[0],
                offset=place[1],
                core=text.get("core", int),
                span=span,
                arrangement=text.get("arrangement", str),
            )
            if not text.get("fixed", bool):
                free.append(made)
        for tensor in free:
            tensor.fixed = False
        apart = chosen(self.program.tensors.values())
        for tensor in free:  # only tensors placed by the text may share bytes
            tensor.fixed = not apart[placed_in(tensor)]

    def _operands(self, places: ReadPlaces) -> list[object]:
        """The values of operands, with the prepared transfers among them."""
        names = self._said.list_of("dtypes", str)
        tensors = list(self.program.tensors.values())
        found = views.read_views(self._body(views.NAME), names, tensors)
        most = self.builder.generation.registers
        if any(d.register >= most for view in found for d in view.dynamic):
            raise damaged("a view is moved by a register that there is not")
        rows = self._said.list_of("transfers", dict)
        for row, span in zip(rows, places.of_each("transfers", len(rows)), strict=True):
            text = Fields(row, layout.MACHINE)
            moves = [_pair(pair, found) for pair in text.list_of("moves", list)]
            options = dict(_named(pair) for pair in text.list_of("options", list))
            self.builder.transfer(text.get("name", str), moves, options, span)
        self._views = dict(_called(pair, found) for pair in self._said.list_of("views", list))
        strings = self._rows(layout.STRINGS, str)
        prepared = list(self.program.transfers.values())
        return operands.read_values(self._body(operands.NAME), found, strings, prepared)

    def _counters(self) -> None:
        generation = self.builder.generation
        for pair in self._said.list_of("counters", list):
            if [type(part) for part in pair] != [int, str] or pair[0] < 0:
                raise damaged("a semaphore has a number and a name")
            core, number, event = generation.counter(pair[0])
            if core >= self.program.cores:
                raise damaged(f"the semaphore {pair[1]} is of core {core}")
            self.builder.semaphore(pair[1], number, core=core, event=event)

    def _constants(self) -> None:
        for pair in self._said.list_of("constants", list):
            name, value = _named(pair)
            if type(value) not in (int, float, bool, str, list):
                raise damaged(f"the constant {name} has no value")
            self.program.constants[identifier(name)] = value

    def _settings(self, places: ReadPlaces) -> None:
        rows = self._said.list_of("settings", list)
        for row, span in zip(rows, places.of_each("settings", len(rows)), strict=True):
            if [type(part) for part in row] != [str, int, int, str]:
                raise damaged("a setting has a name, a value, a core and an engine")
            name, value, core, engine = row
            self.builder.set(name, value, engine, self._core(core), span)

    # -- instructions

    def _instructions(self, values: Sequence[object]) -> Column:
        """The instructions, and the row of each."""
        rows = [self._row(row) for row in self._rows(layout.ROWS, list)]
        which, given = read_columns(self._body(layout.CODE), layout.CODE_TYPES, layout.CODE)
        if which.size and int(which.max()) >= len(rows):
            raise damaged("an instruction has no row")
        if given.size and int(given.max()) >= len(values):
            raise damaged("an operand has no value")
        width = np.array([len(row.places) for row in rows], "i8")
        if int(width[which].sum()) != given.size:
            raise damaged("instructions have more operands than there are")
        ends = np.cumsum(width[which])
        made: list[Instruction | None] = [None] * which.size
        for number, row in enumerate(rows):
            at = np.flatnonzero(which == number)
            block = given[(ends[at] - width[number])[:, None] + np.arange(width[number])]
            for place, one in zip(at.tolist(), _made(row, block, values), strict=True):
                made[place] = one
        self.program.instructions += (one for one in made if one is not None)
        self._by_row = rows
        return which

    def _row(self, text: list[Any]) -> Row:
        name, names = text if len(text) == 2 else ("", None)
        builder = self.builder
        row = builder.target.row(name, builder.generation) if type(name) is str else None
        if row is None:
            raise unusable(f"this version has no instruction '{name}'", "assemble its text again")
        own = [operand.name for _, operand in row.places]
        if names != own:
            said_so = f"{name} has the operands {', '.join(own)} in this version, and others in it"
            raise unusable(said_so, "assemble its text again")
        return row

    def _lines(self, which: Column, places: ReadPlaces) -> None:
        waits, updates = self._sync()
        columns = read_columns(self._body(layout.LINES), layout.LINE_TYPES, layout.LINES)
        total = len(columns[0])
        limits = len(self.program.instructions), len(waits), len(updates)
        for column, limit in zip(columns, limits, strict=True):
            if len(column) != total or (total and not 0 <= column.min() <= column.max() < limit):
                raise damaged("a line names what there is not")
        debug = self._line_places(places, total)
        self._uses = np.full((limits[0], 2), -1)
        at = 0
        for row in self._rows(layout.QUEUES, dict):
            text = Fields(row, layout.QUEUES)
            engine, count = text.get("engine", str), text.get("lines", int)
            number = self.builder.queue(engine, self._core(text.get("core", int)))
            lines = self.program.queues[number]
            if lines.engine != engine or len(lines) or not 0 <= count <= total - at:
                raise damaged(f"the lines of @{engine} are not where they should be")
            own = [np.ascontiguousarray(c[at : at + count]) for c in (*columns, *debug)]
            lines.instructions, lines.waits, lines.updates, lines.spans, lines.chains = (
                array("i", column.astype(I32).tobytes()) for column in own
            )
            at += count
            self._labels(lines.labels, text, count)
            self._fit(number, own, which)
            self._use(number, own[0])
        if at != total or (self._uses < 0).any():
            raise damaged("there are lines of no queue, or instructions on no line")

    def _core(self, core: int) -> int:
        if not 0 <= core < self.program.cores:
            raise damaged(f"a queue is of core {core}")
        return core

    def _sync(self) -> tuple[list[Wait | None], list[Update | None]]:
        table = read_columns(self._body(layout.SYNC), layout.SYNC_TYPES, layout.SYNC)
        semaphores, comparisons, values, changed, changes, by, early = (c.tolist() for c in table)
        program = self.program
        known = {*program.semaphores.values(), *program.events.values()}
        good = (
            len(semaphores) == len(comparisons) == len(values),
            len(changed) == len(changes) == len(by) == len(early),
            known.issuperset(semaphores) and known.issuperset(changed),
            all(n < len(layout.COMPARISONS) for n in comparisons),
            all(n < len(layout.OPERATORS) for n in changes),
            all(n in (0, 1) for n in early),
            all(-(1 << 31) <= n < 1 << 31 for n in (*values, *by)),
        )
        if not all(good):
            raise damaged("a wait or an update is none")
        rows = zip(semaphores, comparisons, values, strict=True)
        program.waits += (Wait(s, layout.COMPARISONS[op], v) for s, op, v in rows)
        more = zip(changed, changes, by, early, strict=True)
        program.updates += (Update(s, layout.OPERATORS[op], v, bool(e)) for s, op, v, e in more)
        return program.waits, program.updates

    def _line_places(self, places: ReadPlaces, total: int) -> list[Column]:
        """The columns of spans and chains, which may be left out."""
        program = self.program
        if layout.PLACES not in self._sections:
            return [np.zeros(total, I32)] * 2
        program.spans, program.chains = places.spans, places.chains
        found = read_columns(self._body(layout.PLACES), layout.DEBUG_TYPES, layout.PLACES)
        limits = len(program.spans), len(program.chains)
        for column, limit in zip(found, limits, strict=True):
            if len(column) != total or (total and int(column.max()) >= limit):
                raise damaged("a line has a place that there is not")
        return found

    def _labels(self, labels: dict[str, int], text: Fields, count: int) -> None:
        for pair in text.list_of("labels", list):
            name, pc = _named(pair)
            if type(pc) is not int or not 0 <= pc <= count or name in labels:
                raise damaged(f"the label {name} is nowhere")
            labels[identifier(name)] = pc

    def _fit(self, queue: int, columns: Sequence[Column], which: Column) -> None:
        """Whether a queue may hold its lines; raises Refused."""
        program, (numbers, waits, updates) = self.program, columns[:3]
        lines, rows = program.queues[queue], which[numbers] if len(numbers) else numbers
        for row in np.unique(rows).tolist():
            found = self._by_row[row]
            availability.available(program.target, program.generation, found, lines.engine)
        for number in np.unique(waits).tolist():
            if (wait := program.waits[number]) is not None:
                check.wait_fits(program, queue, wait)
        pairs = np.unique(rows.astype("i8") << 32 | updates.astype("i8"))
        for row, number in zip((pairs >> 32).tolist(), (pairs & 0xFFFFFFFF).tolist(), strict=True):
            if (update := program.updates[number]) is not None:
                check.update_fits(program, self._by_row[row], update)
                check.update_reaches(program, queue, self._by_row[row], update)
        if program.cores > 1:
            for number in np.unique(numbers).tolist():
                instruction = program.instructions[number]
                places = instruction.row.operands
                for operand, value in zip(places, instruction.operands, strict=True):
                    check.within_reach(lines.core, value, operand.kind)

    def _use(self, queue: int, numbers: Column) -> None:
        """Note where instructions are first used, each by one engine."""
        engine = self.program.queues[queue].engine
        found, first = np.unique(numbers, return_index=True)
        known = self._uses[found, 0]
        for other in np.unique(known[known >= 0]).tolist():
            if self.program.queues[other].engine != engine:
                raise damaged("two engines have one instruction")
        new = known < 0
        self._uses[found[new]] = np.stack((np.full(new.sum(), queue), first[new]), axis=1)

    # -- expectations

    def _expectations(self, places: ReadPlaces, home: str) -> None:
        texts = self._rows(layout.EXPECT, str)
        if not self._views.keys().isdisjoint((*self.builder.declared, *self.program.constants)):
            raise damaged("a view is called as something else is")
        spans = places.of_each("expectations", len(texts))
        values = places.fields.value.get("values") or [None] * len(texts)
        if type(values) is not list or len(values) != len(texts):
            raise damaged("its expectations have other values")
        alone = Source(home, "".join(f"{text}\n" for text in texts))
        own = _statements(alone)
        if len(own) != len(texts):
            raise damaged("an expectation is none")
        written: dict[int, dict[int, tree.Expect]] = {}
        for statement, span, meant in zip(own, spans, values, strict=True):
            if span is not None and type(meant) is dict:
                source = span.source
                if id(source) not in written:
                    of_source = [s for s in spans if s is not None and s.source is source]
                    text = _alone(source.text, of_source)
                    written[id(source)] = {s.start: s for s in _statements(Source(home, text))}
                if span.start in written[id(source)]:
                    self.builder.expect((written[id(source)][span.start], meant), span)
                    continue
            place = Span(alone, statement.start, statement.end)
            self.builder.expect((statement, {**self.program.constants, **self._views}), place)

    def checked(self, rules: bool) -> list[Problem]:
        """Errors of the program as a whole."""
        found = [*initialisers(self.program), *expectations(self.builder, Undeclared())]
        if any(row.labels for row in self._by_row):
            found += check.labels(self.program, (), Unsaid())
        if rules and not found:
            queues = self.program.queues
            uses = [(queue, pc, queues[queue].engine) for queue, pc in self._uses.tolist()]
            found = check.instructions(self.program, uses, Unsaid())
        return [problem for problem in found if problem.severity is Severity.ERROR]


def _made(row: Row, block: Column, values: Sequence[object]) -> Iterator[Instruction]:
    """Instructions of a row, each with its values; raises Refused if an operand takes none."""
    columns: list[Iterable[object]] = [repeat(default) for default in row.defaults]
    for (at, operand), numbers in zip(row.places, block.T, strict=True):
        accepted = {n: _accepted(row, at, operand, values, n) for n in np.unique(numbers).tolist()}
        columns[at] = map(accepted.__getitem__, numbers.tolist())
    rows = zip(*columns, strict=False) if columns else repeat(())
    return map(Instruction, repeat(row, len(block)), rows)


def _accepted(row: Row, at: int, operand: Operand, values: Sequence[object], number: int) -> object:
    if number:
        return operand.kind.accept(values[number])
    if row.defaults[at] is REQUIRED:
        raise damaged(f"an instruction lacks its operand {operand.name}")
    return row.defaults[at]


def _initialiser(text: Any, folder: str) -> Any:
    if type(text) is list:
        return tuple(text)
    if type(text) is dict:
        file = Fields(text, layout.TENSORS)
        return ArrayFile(folder, file.get("file", str), file.get("key", str))
    if text is not None:
        raise damaged("a tensor begins with nothing")
    return None


def _pair(pair: list[Any], found: Sequence[View]) -> tuple[View, View]:
    if len(pair) != 2 or not all(type(n) is int and 0 <= n < len(found) for n in pair):
        raise damaged("a transfer moves what there is not")
    return found[pair[0]], found[pair[1]]


def _called(pair: list[Any], found: Sequence[View]) -> tuple[str, View]:
    """A view that expectations name."""
    name, number = _named(pair)
    if type(number) is not int or not 0 <= number < len(found):
        raise damaged(f"{name} is a view that there is not")
    view = found[number]
    if view.dynamic or view.offsets is not None:
        raise damaged(f"{name} is a view without a place of its own")
    return identifier(name), view


def _named(pair: Any) -> tuple[str, Any]:
    if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str:
        raise damaged("something has no name")
    return pair[0], pair[1]


def _statements(source: Source) -> list[tree.Expect]:
    """The expectations of a text that has nothing else; raises Refused."""
    file, problems = parse(source)
    found = [statement for statement in file.body if isinstance(statement, tree.Expect)]
    if problems or len(found) != len(file.body):
        raise damaged("an expectation is none")
    return found


def _alone(text: str, spans: Sequence[Span]) -> str:
    """A text that is blank except at some places."""
    parts, at = [], 0
    for start, end in sorted({(span.start, span.end) for span in spans}):
        if start < at:
            continue
        parts += [_blank(text[at:start]), text[start:end]]
        at = end
    return "".join(parts)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
