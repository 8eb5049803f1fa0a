"""A program extended: texts that add to it, one after the other, while it runs.

What a text declares goes to the tables of the program, its instructions go after the ends of the
columns. A text with a mistake adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from nasm.base.problems import Failure, Unsaid, limited
from nasm.base.records import dataclass
from nasm.base.source import Source
from nasm.isa.instruction import Row
from nasm.language.assemble import expectations, initialisers
from nasm.language.expanding.functions import has_tiles
from nasm.language.expanding.interactive import Continued
from nasm.language.expanding.macros import Macros
from nasm.language.expanding.scope import CONSTANTS
from nasm.language.expanding.transfer_counts import unclear
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.program.builder import ProgramBuilder
from nasm.program.notes import in_order
from nasm.program.program import Instruction, Program, QueueProgram
from nasm.program.text_items import DeferredMoment
from nasm.views.tensor import Tensor
from nasm.views.view import View

NO_MOMENTS: Mapping[DeferredMoment, bool] = MappingProxyType({})
COLUMNS = ("instructions", "waits", "updates", "spans", "chains")
LISTS = (
    "instructions",
    "waits",
    "updates",
    "spans",
    "chains",
    "expectations",
    "warnings",
    "loop_registers",
)
TABLES = ("tensors", "semaphores", "events", "transfers", "constants")


@dataclass(frozen=True, slots=True)
class Added:
    """What a text has added to a program: names by what they are, and instructions by queue.

    ``pcs`` are their places. ``expectations`` are the new ones, by their text. The ``text``
    names the engine of each instruction; ``declarations`` is what of it is no instruction. It
    ``posts`` these moments; ``moments`` says whether it mentions any.
    """

    text: str
    declarations: str
    tensors: tuple[Tensor, ...]
    names: tuple[tuple[str, str], ...]
    pcs: tuple[tuple[int, range], ...]
    instructions: tuple[Instruction, ...]
    expectations: tuple[str, ...]
    posts: Set[DeferredMoment]
    moments: bool

    def __repr__(self) -> str:
        count = sum(len(pcs) for _, pcs in self.pcs)
        return f"<added by {self.text!r}: {len(self.names)} names, {count} instructions>"


class Continuation:
    """Appends texts to a program: that one is changed, and has to be a session's own.

    ``engine`` is the one that was chosen last, by its name alone on a line.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.engine: str | None = None
        self.core = 0
        self.values: dict[str, Any] = {**program.constants, **program.views}
        known = program.macros
        self.macros = known.copied() if isinstance(known, Macros) else Macros()
        self._builder: ProgramBuilder | None = None
        self._opened = False
        self._count = 0

    def row(self, mnemonic: str) -> Row | None:
        """The row of a mnemonic, if there is one."""
        return self.program.target.row(mnemonic, self.program.generation)

    def add(
        self,
        text: str,
        accept: Callable[[Added], None],
        posted: Mapping[DeferredMoment, bool] = NO_MOMENTS,
    ) -> Added:
        """Add what a text says; raises Failure with every problem of it, and then adds nothing.

        ``accept`` raises Failure if what it would add is not wanted. ``posted`` are the moments of
        texts before, with whether they are over.
        """
        self._count += 1
        source = Source(f"<typed {self._count}>", text)
        self._open()
        before = _Sizes(self.program)
        with self._whole(before):
            builder, expander = self._expanded(source, before, posted)
            values = {n: v for n, v in expander.scope.values.items() if n not in CONSTANTS}
            texts = _with_engines(text, expander.found), _declarations(expander)
            added = before.added(self.program, *texts, values)
            accept(added)
        self._builder, self.values = builder, values
        self.program.views = expander.scope.named_views()
        for lines, size in zip(self.program.queues, before.columns, strict=True):
            if len(lines.instructions) > size:
                lines.typed.append(size)
        self.program.warnings += in_order(builder.problems)
        self.engine, self.core = expander.engine or None, expander.scope.core
        return added

    def _expanded(
        self, source: Source, before: _Sizes, posted: Mapping[DeferredMoment, bool]
    ) -> tuple[ProgramBuilder, Continued]:
        builder = self._builder or ProgramBuilder.resume(self.program)
        builder.begin()
        before.values = set(self.values)
        file, problems = parse(source)
        expander = Continued(source, builder, self.values, self.engine, self.core)
        expander.macros, expander.includes.files = self.macros, self.program.files
        expander.problems += problems
        unsaid = Unsaid(file.unsaid, False)
        if expander.expand(file.body, file.unread) is None:
            raise Failure(limited(in_order(expander.problems), unsaid))
        undeclared = expander.scope.undeclared
        builder.problems += initialisers(self.program, before.tables["tensors"])
        builder.problems += expectations(builder, undeclared, before.lists["expectations"])
        builder.problems += unclear(builder)
        if builder.recorded:
            from nasm.sync.loops_and_moments import put_in
            from nasm.sync.moments.interactive import settled  # which most texts do not need

            before.posts = settled(builder, posted)
            before.moments = bool(builder.recorded.moments)
            builder.place()
            builder.check_rules(unsaid, before.lists["instructions"])
            put_in(builder)
        builder.place()
        builder.check(undeclared, unsaid, before.lists["instructions"])
        return builder, expander

    def _open(self) -> None:
        """Put copies in the place of columns and tables, which the caller's program has, too."""
        if self._opened:
            return
        self._opened, program = True, self.program
        for name in LISTS:
            setattr(program, name, list(getattr(program, name)))
        for name in TABLES:
            setattr(program, name, dict(getattr(program, name)))
        for lines in program.queues:
            lines.labels, lines.typed = dict(lines.labels), list(lines.typed)
            for name in COLUMNS:
                setattr(lines, name, getattr(lines, name)[:])

    @contextmanager
    def _whole(self, before: _Sizes) -> Iterator[None]:
        """All of what a block does to the program, or nothing if it raises."""
        try:
            yield
        except BaseException:
            before.restore(self.program)
            self._builder = None
            raise


class _Sizes:
    """How much there was of a program."""

    def __init__(self, program: Program) -> None:
        self.lists = {name: len(getattr(program, name)) for name in LISTS}
        self.tables = {name: len(getattr(program, name)) for name in TABLES}
        self.columns = [len(lines.instructions) for lines in program.queues]
        self.labels = [len(lines.labels) for lines in program.queues]
        self.values: set[str] = set()
        self.posts: Set[DeferredMoment] = frozenset()
        self.moments = False

    def restore(self, program: Program) -> None:
        """Take away what came later."""
        for name, size in self.lists.items():
            del getattr(program, name)[size:]
        for name, size in self.tables.items():
            table = getattr(program, name)
            _shorten(table, size)
        for lines, size, labels in zip(program.queues, self.columns, self.labels, strict=True):
            _cut(lines, size)
            _shorten(lines.labels, labels)

    def added(
        self, program: Program, text: str, declarations: str, values: dict[str, Any]
    ) -> Added:
        """What came later."""
        new = {name: list(getattr(program, name))[size:] for name, size in self.tables.items()}
        kinds = (("semaphores", "semaphore"), ("events", "event"), ("transfers", "transfer"))
        names = [(name, "tensor") for name in new["tensors"]]
        names += [(name, kind) for table, kind in kinds for name in new[table]]
        names += [
            (name, "view" if isinstance(value, View) or has_tiles(value) else "constant")
            for name, value in values.items()
            if name not in self.values
        ]
        columns = zip(program.queues, self.columns, strict=True)
        return Added(
            text,
            declarations,
            tuple(program.tensors[name] for name in new["tensors"]),
            tuple(names),
            tuple(
                (queue, range(size, len(lines.instructions)))
                for queue, (lines, size) in enumerate(columns)
                if len(lines.instructions) > size
            ),
            tuple(program.instructions[self.lists["instructions"] :]),
            tuple(e.span.text for e in program.expectations[self.lists["expectations"] :]),
            self.posts,
            self.moments,
        )


def _with_engines(text: str, found: Mapping[int, str]) -> str:
    """A text in which each instruction has its engine before it."""
    parts, last = [], 0
    for at in sorted(found):
        parts += [text[last:at], f"@{found[at]} "]
        last = at
    return "".join([*parts, text[last:]])


def _declarations(expander: Continued) -> str:
    """The statements of a text that only declare something."""
    kinds = (
        tree.Const,
        tree.TensorLine,
        tree.SemLine,
        tree.DmaBlock,
        tree.ViewLine,
        tree.MacroStatement,
        tree.Include,
    )
    kept = (s for s in expander.body if isinstance(s, kinds))
    return "\n".join(expander.source.text[s.start : s.end] for s in kept)


def _shorten(table: dict[str, Any], size: int) -> None:
    while len(table) > size:
        table.popitem()


def _cut(lines: QueueProgram, size: int) -> None:
    for name in COLUMNS:
        del getattr(lines, name)[size:]
