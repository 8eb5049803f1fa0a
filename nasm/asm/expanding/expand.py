"""From a tree to a program: directives, loops and lines, one after the other.

Every statement is handled by the method its class names in :data:`Expander.HANDLERS`. A line is
compiled once; what it makes is remembered by the values of the loop variables it mentions, so a
line of a nested loop is worked out once per combination that matters to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from nasm.asm.expanding import declare
from nasm.asm.expanding.evaluate import evaluate, name_of
from nasm.asm.expanding.functions import COMPARE, truth
from nasm.asm.expanding.instruction_lines import (
    CompiledLine,
    compile_line,
    elsewhere,
    operand_place,
)
from nasm.asm.expanding.rounds import Rounds, rounds_of
from nasm.asm.expanding.scope import Scope
from nasm.asm.expanding.undeclared import Later
from nasm.asm.text import tree
from nasm.asm.text.parse import parse_line
from nasm.building.builder import ProgramBuilder, declared_note
from nasm.problems import MOST_SAID, Failure, Problem, Refused, did_you_mean, listed, quoted
from nasm.source import Frame, Source, Span
from nasm.spec.declared_transfer import DeclaredTransfer
from nasm.spec.kinds import shown
from nasm.spec.names import identifier
from nasm.spec.target import Loader, Target
from nasm.spec.timing import NONE, Timing
from nasm.spec.view import Reg, View


def unknown_target(name: str, targets: Iterable[str]) -> Refused:
    """What to say of an unknown target."""
    known = sorted(targets)
    hint = did_you_mean(name, known) or f"targets: {listed(known)}"
    return Refused("E0214", f"no target '{quoted(name)}'", hint)


class Expander:
    """Walks a text's statements and drives a builder."""

    def __init__(
        self,
        source: Source,
        targets: Mapping[str, Loader],
        target: str | None = None,
        defines: Mapping[str, int | float] | None = None,
        options: Mapping[str, object] | None = None,
        timing: Timing = NONE,
    ) -> None:
        self.source = source
        self.targets = targets
        self.override = target
        self.defines = dict(defines or {})
        self.options, self.timing = dict(options or {}), timing
        self.unfit: list[Problem] = []  # what the target does not have: no fault of the text
        self.defined: set[str] = set()
        self.scope = Scope(source)
        self.problems: list[Problem] = []
        self.builder: ProgramBuilder | None = None
        self.engine: str | None = None  # "" once its lack was reported
        self.lines: dict[int, CompiledLine] = {}
        self.chain = 0
        self.rounds = Rounds()
        self.local: set[str] = set()
        self.rounds_own: list[str] = []  # names that last until the end of a round
        self.held: dict[str, Any] | None = None  # what names mean now, for expectations
        self.broken: set[int] = set()
        self.body: tuple[tree.Statement, ...] = ()
        self.declared: Later | None = None  # made when it is first asked for
        self.denied = False
        self.stopped = False  # after so many problems that the rest would be more of the same

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
        self.problems += self.unfit
        if self.builder is None and not self.problems:
            self._need_target(0)
        if self.builder is None or self.denied:
            return None
        self.builder.problems[:0] = self.problems
        return self.builder

    def _check_defines(self) -> None:
        """Values given from outside are for constants the program declares."""
        consts = [n for n in self.scope.values if n not in self.local]
        for name in sorted(set(self.defines) - self.defined):
            if name not in self.scope.undeclared:
                hint = did_you_mean(name, consts)
                if not hint and consts:
                    hint = f"it declares {listed(consts, 'and')}"
                message = f"-D {name}: the program declares no constant '{name}'"
                self.problems.append(Problem("E0213", message, None, hint))

    def run(self, statements: Iterable[tree.Statement]) -> None:
        """Expand statements one by one; a broken one costs only itself."""
        for statement in statements:
            if len(self.problems) >= MOST_SAID:
                self.stopped = True
                return
            if self.denied and not isinstance(statement, tree.Assert):
                return  # what follows rests on what an assertion denies
            if self.builder is None and not isinstance(statement, tree.TargetLine | tree.Version):
                if not self.broken and not self.scope.undeclared.unread:
                    self._need_target(statement.start, statement.end)
                return
            handler = self.HANDLERS[type(statement)]
            if id(statement) in self.broken:
                continue
            try:
                handler(self, statement)
            except Refused as refused:
                self._report(statement, [refused.at(self._span(statement))])
            except Failure as failure:
                self._report(statement, [p.at(self._span(statement)) for p in failure.problems])

    def _report(self, statement: tree.Statement, problems: Iterable[Problem]) -> None:
        """Keep a problem; a statement that failed is not tried again in another round."""
        self.problems += problems
        self.broken.add(id(statement))
        self.scope.undeclared.add(statement)

    def _span(self, node: tree.Node) -> Span:
        return self.scope.span(node)

    def _need_target(self, start: int, end: int = 0) -> None:
        names = listed(sorted(self.targets))
        self.problems.append(
            Problem(
                "E0214",
                "the program names no target",
                Span(self.source, start, max(end, start)),
                f"begin with .target NAME, one of {names}, or give --target",
            )
        )

    @property
    def made(self) -> ProgramBuilder:
        """The builder, once the target is known."""
        assert self.builder is not None
        return self.builder

    # -- target and constants

    def version(self, statement: tree.Version) -> None:
        """``.nasm 1``."""
        number = evaluate(statement.number, self.scope)
        if number != 1:
            raise Refused("E0215", f"version {shown(number)} of the language; this is nasm 1")

    def target(self, statement: tree.TargetLine) -> None:
        """``.target trn1``: loads the target and starts the builder."""
        if self.builder is not None:
            raise Refused("E0215", ".target is given once, before everything else")
        self.use_target(self.override or statement.name.name)

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
        self.builder, scope = builder, self.scope
        builder.places = operand_place
        scope.tensors, scope.transfers = builder.program.tensors, builder.program.transfers
        scope.place, scope.later = builder.place, self._later
        scope.computing = builder.target.computing

    def _later(self, name: str, kind: str) -> tree.Node | None:
        """Where the text declares a name further down."""
        if self.declared is None:
            self.declared = Later(self.body)
        return self.declared.find(name, kind)

    def core(self, statement: tree.CoreLine) -> None:
        """``.core 1``: what follows belongs to that core."""
        number = declare.whole(statement.number, self.scope)
        try:
            self.made.enter(number)
        except Refused as refused:
            raise Failure(refused.at(self._span(statement.number))) from None
        self.scope.core = number

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

    def _constant(self, item: tree.Named) -> None:
        """One constant; the command line may give it another value."""
        name, place = item.name, Span(self.source, item.start, item.start + len(item.name))
        self._new_name(name, place.within(self.scope.chain))
        self.defined.add(name)
        value = evaluate(item.value, self.scope)
        if isinstance(value, View | Reg | DeclaredTransfer):
            raise Failure(
                Problem(
                    "E0210", f"a constant is a number, found {shown(value)}", self._span(item.value)
                )
            )
        self.scope.values[name] = self.defines.get(name, value)
        self.scope.places[name] = place.within(self.scope.chain)
        self.held = None
        if self.scope.chain:
            self.local.add(name)
            self.rounds_own.append(name)
        elif isinstance(self.scope.values[name], int | float):
            self.made.program.constants[name] = self.scope.values[name]

    def _new_name(self, name: str, place: Span) -> None:
        """Refuse what is no name, or one that means something already."""
        try:
            identifier(name)
        except Refused as refused:
            raise Failure(refused.at(place)) from None
        known = name in self.scope.values or name in self.made.declared
        if known:
            before = self.scope.places.get(name) or self.made.declared.get(name)
            raise Failure(
                Problem(
                    "E0202",
                    f"'{name}' is already declared",
                    place,
                    notes=declared_note(name, before),
                )
            )

    # -- control

    def loop(self, statement: tree.For) -> None:
        """``.for k in a..b step s``."""
        first = declare.whole(statement.first, self.scope)
        stop = declare.whole(statement.stop, self.scope)
        step = 1 if statement.step is None else declare.whole(statement.step, self.scope)
        if step == 0:
            at = self._span(statement.step or statement)
            raise Failure(Problem("E0218", "a loop with step 0 does not end", at))
        rounds = range(first, stop, step)
        if statement.body:
            self.rounds.alone(rounds_of(rounds))
        if not self.scope.chain:
            after = (s for s in self.body if s.start > statement.start)
            self.rounds.foresee(statement, after, self.scope, self.defines)
        name = statement.variable.name
        self._new_name(name, self._span(statement.variable))
        place = Span(self.source, statement.variable.start, statement.variable.end)
        self.scope.places[name] = place
        for value in rounds if statement.body else ():
            if self._futile():
                break
            self.rounds.take(len(statement.body))
            self._round(name, value, place, statement.body)

    def _futile(self) -> bool:
        """Whether another round can only repeat what is wrong."""
        if len(self.problems) >= MOST_SAID:
            self.stopped = True
            return True
        if self.problems and self.rounds.in_vain():
            self.scope.undeclared.unread = True  # what these rounds declare is not known
            return True
        return False

    def _round(self, name: str, value: int, place: Span, body: tuple[tree.Statement, ...]) -> None:
        """One round of a loop: its variable, and constants that last until its end."""
        scope = self.scope
        chain, outer, kept = scope.chain, self.chain, len(self.rounds_own)
        scope.values[name] = value
        self.local.add(name)
        self.rounds_own.append(name)
        scope.chain = (*scope.chain, Frame(f".for {name} = {value}", place))
        self.chain = -1
        self.held = None
        self.run(body)
        for made in self.rounds_own[kept:]:
            del scope.values[made]
            self.local.discard(made)
        del self.rounds_own[kept:]
        scope.chain, self.chain, self.held = chain, outer, None

    def choose(self, statement: tree.If) -> None:
        """``.if`` … ``.elif`` … ``.else``."""
        for condition, body in statement.branches:
            if condition is None or truth(evaluate(condition, self.scope), ".if"):
                if self.scope.chain:
                    self.rounds.take(len(body))
                self.run(body)
                return

    def claim(self, statement: tree.Assert) -> None:
        """``.assert e, "message"``."""
        if truth(evaluate(statement.condition, self.scope), ".assert"):
            return
        message = ""
        if statement.message is not None:
            message = f": {evaluate(statement.message, self.scope)}"
        self.denied = True
        raise Failure(
            Problem(
                "E0219",
                f"the assertion fails{message}",
                self._span(statement.condition),
                self._sides(statement.condition),
            )
        )

    def _sides(self, condition: tree.Node) -> str:
        """What the sides of a comparison are, those that are not written as numbers."""
        if not isinstance(condition, tree.Binary) or condition.op not in COMPARE:
            return ""
        sides = [s for s in (condition.before, condition.right) if not isinstance(s, tree.Number)]
        said = [f"{self._span(s).text} is {shown(evaluate(s, self.scope))}" for s in sides]
        return listed(said, "and") if said else ""

    def expect(self, statement: tree.Expect) -> None:
        """``.expect``: kept as it is, with what names mean here."""
        if self.held is None:
            self.held = dict(self.scope.values)
        self.made.expect((statement, self.held), self._span(statement))

    def unsupported(self, statement: tree.Unsupported) -> None:
        """A directive the language has and this version does not do yet."""
        name = statement.directive.name.lstrip(".")
        if name == "include":
            self.scope.undeclared.unread = True  # what it would have declared is not known
        raise Failure(
            Problem("E0602", f".{name} is not supported yet", self._span(statement.directive))
        )

    # -- instructions

    def line(self, statement: tree.Line) -> None:
        """A label, an engine, an instruction: any of them may be absent."""
        builder = self.made
        engine = self._engine(statement)
        if engine is None:
            return
        queue = builder.queue(engine, self.scope.core)
        if statement.label is not None:
            place = self._span(statement.label)
            try:
                builder.label(queue, name_of(statement.label, self.scope), place)
            except Refused as refused:
                raise Failure(refused.at(place)) from None
        if statement.mnemonic is None:
            return
        line = self.lines.get(id(statement))
        if line is None:
            line = compile_line(statement, self.scope, builder)
            if self.scope.chain:  # it comes again in other rounds
                self.lines[id(statement)] = line
        made = line.make(self.scope, builder, queue)
        if self.chain < 0:
            self.chain = builder.chain(self.scope.chain)
        builder.append(queue, made, line.span, self.chain)

    def like(self, statement: tree.Like) -> None:
        """A line like others. What is wrong with it is found out by its own tree."""
        builder, scope, common = self.made, self.scope, statement.line
        assert common.mnemonic is not None
        scope.numbers = statement.numbers
        try:
            line = self.lines.get(id(common))
            if line is None:
                line = self.lines[id(common)] = compile_line(common, scope, builder)
            if common.engine is None and not self.engine:
                raise Failure(())
            engine = self._engine(common)
            assert engine is not None
            queue = builder.queue(engine, scope.core)
            made = line.fresh(scope, builder, queue)
        except (Refused, Failure):
            self.line(parse_line(self.source, statement.start, statement.end))
            return
        start = statement.start + common.mnemonic.start - common.start
        span = builder.span(Span(self.source, start, statement.end))
        builder.append(queue, made, span, self.chain)

    def _engine(self, statement: tree.Line) -> str | None:
        """The engine a line is for; None if it only chooses one for the lines that follow."""
        generation = self.made.generation
        if statement.engine is None:
            self._refuse_unmarked(statement)
            if self.engine is None and not self.scope.undeclared.unread:
                self.engine = ""
                engines = listed(f"@{e.name}" for e in generation.engines)
                raise Refused(
                    "E0220",
                    "no engine is chosen for this line",
                    f"put one of {engines} before it, or alone on a line before several",
                )
            if not self.engine:
                raise Failure(())  # that none is chosen was said of an earlier line
            return self.engine
        chooses = statement.mnemonic is None and statement.label is None
        try:
            engine = generation.engine(statement.engine.name).name
        except Refused as refused:
            self.engine = "" if chooses else self.engine
            raise Failure(refused.at(self._span(statement.engine))) from None
        if chooses:
            self.engine = engine
            return None
        return engine

    def _refuse_unmarked(self, statement: tree.Line) -> None:
        """Refuse a directive without its dot, or an engine without ``@``, that reads as a line."""
        word = statement.mnemonic
        if word is None or word.name in self.made.target.isa.rows:
            return
        hint = elsewhere(word.name, self.made)
        if hint:
            self.scope.undeclared.unread = True  # what it was meant to declare is not known
            said = f"no instruction '{word.name}'"
            raise Failure(Problem("E0201", said, self._span(word), hint))

    def _declare(self, statement: Any) -> None:
        """A declaration: a tensor, semaphores, a prepared transfer."""
        self.DECLARATIONS[type(statement)](statement, self.scope, self.made)

    DECLARATIONS: ClassVar[dict[type, Callable[[Any, Scope, ProgramBuilder], None]]] = {
        tree.TensorLine: declare.tensor,
        tree.SemLine: declare.semaphores,
        tree.DmaBlock: declare.transfer,
    }
    HANDLERS: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        tree.Version: version,
        tree.TargetLine: target,
        tree.CoreLine: core,
        tree.Const: const,
        tree.TensorLine: _declare,
        tree.SemLine: _declare,
        tree.DmaBlock: _declare,
        tree.For: loop,
        tree.If: choose,
        tree.Assert: claim,
        tree.Expect: expect,
        tree.Unsupported: unsupported,
        tree.Line: line,
        tree.Like: like,
    }
