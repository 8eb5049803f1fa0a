"""Walks a text's statements, blocks by their bodies, and knows what names mean on the way.

Every statement is handled by the method its class names in :data:`Walker.HANDLERS`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from nasm.base.names import identifier
from nasm.base.problems import MOST_ERRORS, Failure, Problem, Refused, did_you_mean, listed, quoted
from nasm.base.source import Source, Span
from nasm.base.suppressions import Allow
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.target import Loader, Target
from nasm.isa.timing import NONE, Timing
from nasm.language.expanding import declare
from nasm.language.expanding.defines import replaced
from nasm.language.expanding.earlier_rounds import with_slope
from nasm.language.expanding.evaluate import evaluate, name_of
from nasm.language.expanding.forward_names import Later
from nasm.language.expanding.including import Includes
from nasm.language.expanding.instruction_lines import CompiledLine
from nasm.language.expanding.line_counts import RoundBudget
from nasm.language.expanding.macro_arguments import (
    CounterArgument,
    EngineArgument,
    MomentList,
    WordArgument,
)
from nasm.language.expanding.macros import Macros
from nasm.language.expanding.moment_names import posted_in
from nasm.language.expanding.operand_texts import operand_place
from nasm.language.expanding.run_time_loops import Loops
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.program.builder import ProgramBuilder
from nasm.program.notes import another, declared_note
from nasm.program.program import RANKS
from nasm.views.value_text import value_text
from nasm.views.view import Reg, View

Bodies = Iterator[Iterable[tree.Statement]]
"""The lines of a block, as often as they are made: one body after the other."""

MacroArgument = WordArgument | CounterArgument | EngineArgument | MomentList

FIRST = (tree.TargetLine, tree.Version, tree.Include, tree.MacroStatement)
"""Statements that may come before the target is known."""


def unknown_target(name: str, targets: Iterable[str]) -> Refused:
    """What to say of an unknown target."""
    known = sorted(targets)
    hint = did_you_mean(name, known) or f"targets: {listed(known)}"
    return Refused("E0214", f"no target '{quoted(name)}'", hint)


SIZE_RANGE = "E0838"


class Walker:
    """Walks statements and drives a builder: the machine, names, problems."""

    def __init__(
        self,
        source: Source,
        targets: Mapping[str, Loader],
        target: str | None = None,
        defines: Mapping[str, int | float] | None = None,
        options: Mapping[str, object] | None = None,
        timing: Timing = NONE,
        includes: Includes | None = None,
        ranks: int | None = None,
    ) -> None:
        self.source = source
        self.targets = targets
        self.override = target
        self.defines = dict(defines or {})
        self.ranks, self.several_ranks = ranks, False  # given from outside; the text says some
        self.options, self.timing = dict(options or {}), timing
        self.unfit: list[Problem] = []  # what the target does not have: no fault of the text
        self.defined: set[str] = set()
        self.named_target: str | None = None  # the target that the text names
        self.scope = Scope(source)
        self.problems: list[Problem] = []
        self.builder: ProgramBuilder | None = None
        self.made: ProgramBuilder  # the same, once the target is known
        self.engine: str | None = None  # "" once its lack was reported
        self.lines: dict[int, CompiledLine] = {}
        self.chain = 0
        self.macros = Macros()
        self.broken: set[int] = set()
        self.body: tuple[tree.Statement, ...] = ()
        self.declared: Later | None = None  # made when it is first asked for
        self.denied = False
        self.looping = 0  # loops around the line, those around calls of macros too
        self.includes = includes or Includes(source)
        self.allowed: list[Allow] = []  # what comments of included texts allow
        self.unsaid = 0
        self.passed: dict[int, tuple[Source, tuple[tree.Statement, ...]]] = {}  # not taken
        self.stopped = False  # after so many problems that the rest would be more of the same

    @cached_property
    def rounds(self) -> RoundBudget:
        """The lines that rounds may still make."""
        return RoundBudget()

    @cached_property
    def loops(self) -> Loops:
        """The loops at run time."""
        return Loops(self.made, self.includes.text)

    # -- the whole

    def expand(self, body: Iterable[tree.Statement], unread: bool = False) -> ProgramBuilder | None:
        """Expand all statements; the builder, with all problems so far.

        ``unread`` says that lines which could not be read, and so are not in the tree, may declare
        whatever seems to be missing. None if there is no program to check any further (its
        problems are in :attr:`problems`).
        """
        self.body = tuple(body)
        self.scope.undeclared.unread = unread
        self.run(self.body)
        if not self.scope.undeclared.unread:
            self._check_defines()
        if self.ranks is not None and self.builder is not None and not self.several_ranks:
            self.builder.several(self.ranks)
        self.problems += self.unfit
        if self.builder is None and not self.problems:
            self._need_target(0)
        if self.builder is None or self.denied:
            return None
        self.builder.problems[:0] = self.problems
        return self.builder

    def forget(self) -> None:
        """Give up what only helped to make a program that is finished.

        The program may hold this through its macros and expectations, which name what is declared.
        """
        self.body = tuple(s for s in self.body if not isinstance(s, tree.Like))
        self.lines.clear()
        self.made.forget()

    def _check_defines(self) -> None:
        """Values given from outside are for constants the program declares."""
        consts = [n for n, v in self.scope.values.items() if not isinstance(v, View)]
        for name in sorted(set(self.defines) - self.defined):
            if name not in self.scope.undeclared:
                hint = did_you_mean(name, consts)
                if not hint and consts:
                    hint = f"it declares {listed(consts, 'and')}"
                message = f"-D {name}: the program declares no constant '{name}'"
                self.problems.append(Problem("E0213", message, None, hint))

    def run(self, statements: Iterable[tree.Statement]) -> None:
        """Expand statements one by one; a broken one costs only itself.

        A block comes as its bodies, one after the other, so that blocks and macros within each
        other may be deeper than Python's stack.
        """
        bodies = [iter(statements)]
        blocks: list[tuple[tree.Statement, Bodies]] = []
        while True:
            statement = next(bodies[-1], None)
            if statement is None or self._ends(statement):
                bodies.pop()
                if not blocks:
                    return
                block, made = blocks[-1]
            elif id(statement) in self.broken:
                continue
            else:
                try:
                    started = self.HANDLERS[type(statement)](self, statement)
                except (Refused, Failure) as refused:
                    self._refused(statement, refused)
                    continue
                if started is None:
                    continue
                blocks.append((statement, started))
                block, made = statement, started
            try:
                bodies.append(iter(next(made)))
            except StopIteration:
                blocks.pop()
            except (Refused, Failure) as refused:
                blocks.pop()
                self._refused(block, refused)

    def _refused(self, statement: tree.Statement, refused: Refused | Failure) -> None:
        self._report(statement, [p.at(self._span(statement)) for p in refused.problems])

    def _ends(self, statement: tree.Statement) -> bool:
        """Whether a body is left before a statement."""
        if len(self.problems) >= MOST_ERRORS:
            self.stopped = True
            return True
        if self.denied and not isinstance(statement, tree.Assert):
            return True  # what follows rests on what an assertion denies
        if self.builder is None and not isinstance(statement, FIRST):
            if not self.broken and not self.scope.undeclared.unread:
                self._need_target(statement.start, statement.end)
            return True
        return False

    def _report(self, statement: tree.Statement, problems: Iterable[Problem]) -> None:
        """Keep a problem; a statement that failed is not tried again in another round."""
        self.problems += problems
        self.broken.add(id(statement))
        self.scope.undeclared.add(statement)

    def _span(self, node: tree.ExpressionNode) -> Span:
        return self.scope.span(node)

    def _need_target(self, start: int, end: int = 0) -> None:
        names = listed(sorted(self.targets))
        self.problems.append(
            Problem(
                "E0214",
                "the program names no target",
                Span(self.scope.source, start, max(end, start)),
                f"begin with .target NAME, one of {names}, or give --target",
            )
        )

    # -- target and constants

    def version(self, statement: tree.Version) -> None:
        """``.nasm 1``."""
        number = evaluate(statement.number, self.scope)
        if number != 1:
            raise Refused("E0215", f"version {value_text(number)} of the language; this is nasm 1")

    def target(self, statement: tree.TargetLine) -> None:
        """``.target trn1``: loads the target and starts the builder.

        That of an included text has to be the same.
        """
        name = statement.name.name
        if self.builder is None:
            self.named_target = name
            self.use_target(self.override or name)
            return
        if self.scope.source is self.source or self.scope.expansion is not None:
            raise Refused("E0215", ".target is given once, before everything else")
        if self.named_target is None:
            self.named_target = name  # and another one was given from outside
        if name not in self.targets:
            raise unknown_target(name, self.targets)
        if self._generation(name) is not self._generation(self.named_target):
            message = f"this file is for {name}, and the program for {self.named_target}"
            raise Refused("E0215", message, "leave '.target' to the program that includes it")

    def _generation(self, name: str) -> object:
        return self.targets[name]().generation(name)

    def use_target(self, name: str) -> None:
        """Start building for a target by name."""
        loader = self.targets.get(name)
        if loader is None:
            raise unknown_target(name, self.targets)
        target: Target = loader()
        generation = target.generation(name)
        assert generation is not None
        try:
            generation = target.configured(generation, self.options, self.timing)
        except Failure as failure:
            self.unfit = list(failure.problems)
        self._drive(ProgramBuilder(target, generation))

    def _drive(self, builder: ProgramBuilder) -> None:
        """Drive a builder: names mean what is declared there."""
        self.builder = self.made = builder
        scope = self.scope
        builder.places = operand_place
        scope.tensors, scope.transfers = builder.program.tensors, builder.program.transfers
        scope.counters = ChainMap(builder.program.semaphores, builder.program.events)
        scope.place, scope.later = builder.place, self._later
        scope.owner = self.macros.owner
        scope.computing = builder.target.computing
        builder.recorded.passed = self._passed

    def _passed(self, name: str) -> Span | None:
        """Where a moment of a name is posted in a branch that was not taken."""
        places = (posted_in(body, source, name) for source, body in self.passed.values())
        return next((place for place in places if place is not None), None)

    def _later(self, name: str, kind: str) -> tree.ExpressionNode | None:
        """Where the text declares a name further down; of another text nothing is known."""
        if self.scope.source is not self.source or self.scope.expansion is not None:
            return None
        if self.declared is None:
            self.declared = Later(self.body)
        return self.declared.find(name, kind)

    def core(self, statement: tree.CoreLine) -> None:
        """``.core 1``: what follows belongs to that core."""
        number = declare.whole(statement.number, self.scope)
        try:
            self.made.select(number)
        except Refused as refused:
            raise Failure(refused.at(self._span(statement.number))) from None
        self.scope.core = number

    def tile(self, statement: tree.TileLine) -> None:
        """``.tile 3, 4``: what follows belongs to that tile; ``.grid 4, 2`` says of which grid.

        A third coordinate is that of its chip.
        """
        pair = declare.whole(statement.x, self.scope), declare.whole(statement.y, self.scope)
        chip = 0 if statement.chip is None else declare.whole(statement.chip, self.scope)
        try:
            if statement.word == "grid":
                self.made.choose_grid(*pair)
            else:
                self.scope.core = self.made.tile(*pair, chip)
        except Refused as refused:
            raise Failure(refused.at(self._span(statement))) from None

    def several(self, statement: tree.RanksLine) -> None:
        """``.ranks 4``: so many machines run the program; ``ranks`` is that number from here on."""
        if self.several_ranks:
            raise Refused("E0215", ".ranks is given once")
        self.several_ranks = True
        place = self._span(statement)
        self._new_name(RANKS, place, self.scope)
        number = declare.whole(statement.number, self.scope)
        self.defined.add(RANKS)
        number = replaced(RANKS, number, self.defines) if self.ranks is None else self.ranks
        try:
            self.made.several(number)
        except Refused as refused:
            raise Failure(refused.at(self._span(statement.number))) from None
        self.scope.declare(RANKS, number, place)
        self.made.program.constants[RANKS] = number

    def const(self, statement: tree.Const) -> None:
        """``.const N = 512, K = N // 4``."""
        problems: list[Problem] = []
        for item in statement.items:
            try:
                self._constant(item)
            except Failure as failure:
                problems += failure.problems
                self.scope.undeclared.add_name(item)
        if problems:
            raise Failure(problems)

    def param(self, statement: tree.Param) -> None:
        """``.param N in 1..64``: a constant of which a check looks at every value."""
        if self.scope.chain:
            text = "a '.param' is a constant of the whole text: it is in no loop and no macro"
            raise Failure(Problem(SIZE_RANGE, text, self._span(statement)))
        self.const(statement)
        name = statement.items[0].name
        first, last, step = declare.size_range(statement, self.scope)
        value = self.made.program.constants[name]
        if value < first or (last is not None and value > last) or (value - first) % (step or 1):
            text = f"{name} = {value_text(value)} is no value of this '.param'"
            raise Failure(Problem(SIZE_RANGE, text, self._span(statement)))
        self.made.program.params[name] = first, last, step

    def _constant(self, item: tree.NamedArgument) -> None:
        """One constant; the command line may give one of the file's another value."""
        name, home = item.name, self.scope.home(item)
        place = Span(self.scope.source, item.start, item.start + len(item.name))
        self._new_name(name, place.within(self.scope.chain), home)
        value = evaluate(item.value, self.scope)
        if self.scope.steps:
            self.scope.steps = with_slope(name, item.value, self.scope)
        if isinstance(value, View | Reg | DeclaredTransfer | MacroArgument):
            message = f"a constant is a number, found {value_text(value)}"
            hint = f"write .view {name} = …" if isinstance(value, View) else ""
            raise Failure(Problem("E0210", message, self._span(item.value), hint))
        if home.expansion is None:
            self.defined.add(name)
            value = replaced(name, value, self.defines)
        for each in self.scope.homes(item):
            each.declare(name, value, place.within(self.scope.chain))
        if home.expansion is None and home.lasting is None and isinstance(value, int | float):
            self.made.program.constants[name] = value

    def _new_name(self, name: str, place: Span, home: Scope) -> None:
        """Refuse what is no name, or one that means something already."""
        try:
            identifier(name)
        except Refused as refused:
            raise Failure(refused.at(place)) from None
        declared = self.made.declared if home.expansion is None else {}
        if home.taken(name) or name in declared:
            before = home.places.get(name) or declared.get(name)
            raise Failure(
                Problem(
                    "E0202",
                    f"'{name}' is already declared",
                    place,
                    another(name, place, before) or _constant(home.values.get(name)),
                    declared_note(name, before),
                )
            )

    # -- engines

    def _chosen(self) -> str:
        """The engine that was chosen for the lines that name none."""
        if self.engine is None and not self.scope.undeclared.unread:
            self.engine = ""
            known = self.made.generation.engines
            engines = listed(f"@{e.name}" for e in known if not e.optional)
            raise Refused(
                "E0220",
                "no engine is chosen for this line",
                f"put one of {engines} before it, or alone on a line before several",
            )
        if not self.engine:
            raise Failure(())  # that none is selected was reported for an earlier line
        return self.engine

    def _label(self, node: tree.Name | tree.Template, engine: str) -> None:
        """Name the place of the next instruction of a queue."""
        place, name = self._span(node), name_of(node, self.scope)
        queue = self.made.queue(engine, self.scope.core)
        try:
            self.made.label(queue, self.scope.named("label", name), place)
        except Refused as refused:
            raise Failure(refused.at(place)) from None

    def _chain(self) -> int:
        """The number of the chain of expansions."""
        if self.chain < 0:
            self.chain = self.made.chain(self.scope.chain)
        return self.chain

    HANDLERS: ClassVar[dict[type, Callable[[Any, Any], Bodies | None]]] = {
        tree.Version: version,
        tree.TargetLine: target,
        tree.CoreLine: core,
        tree.TileLine: tile,
        tree.RanksLine: several,
        tree.Const: const,
        tree.Param: param,
    }


def _constant(value: object) -> str:
    """A hint for a name that a constant has already."""
    number = isinstance(value, bool | int | float | str | list)
    return "a constant keeps its value: take another name" if number else ""
