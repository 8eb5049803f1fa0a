"""From a tree to a program: directives, loops and lines, one after the other.

Every statement is handled by the method its class names in :data:`Expander.HANDLERS`. A line is
compiled once; what it makes is remembered by the values of the loop variables it mentions, so a
line of a nested loop is worked out once per combination that matters to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from nasm.allowing import Allow
from nasm.asm.expanding import declare
from nasm.asm.expanding.affine import Affine, unknown
from nasm.asm.expanding.defines import replaced
from nasm.asm.expanding.evaluate import evaluate, free_names, name_of
from nasm.asm.expanding.functions import COMPARE, truth
from nasm.asm.expanding.handed import Counter, Engine, Word
from nasm.asm.expanding.including import Includes
from nasm.asm.expanding.instruction_lines import CompiledLine, compile_line
from nasm.asm.expanding.loop_lines import breaking, opened
from nasm.asm.expanding.macros import Macros
from nasm.asm.expanding.macros import engine as engine_named
from nasm.asm.expanding.rounds import Rounds, rounds_of
from nasm.asm.expanding.run_time import Loops
from nasm.asm.expanding.scope import Scope
from nasm.asm.expanding.undeclared import Later
from nasm.asm.text import tree
from nasm.asm.text.parse import parse_line
from nasm.building.builder import ProgramBuilder, another, declared_note
from nasm.building.recorded import Drain
from nasm.problems import MOST_SAID, Failure, Problem, Refused, did_you_mean, listed, quoted
from nasm.source import Frame, Source, Span
from nasm.spec.declared_transfer import DeclaredTransfer
from nasm.spec.kinds import shown
from nasm.spec.names import identifier
from nasm.spec.target import Loader, Target
from nasm.spec.timing import NONE, Timing
from nasm.spec.view import Reg, View

Bodies = Iterator[Iterable[tree.Statement]]
"""The lines of a block, as often as they are made: one body after the other."""

Handed = Word | Counter | Engine

FIRST = (tree.TargetLine, tree.Version, tree.Include, tree.Macro)
"""What may stand before the target is known."""


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
        includes: Includes | None = None,
    ) -> None:
        self.source = source
        self.targets = targets
        self.override = target
        self.defines = dict(defines or {})
        self.options, self.timing = dict(options or {}), timing
        self.unfit: list[Problem] = []  # what the target does not have: no fault of the text
        self.defined: set[str] = set()
        self.said: str | None = None  # the target that the text names
        self.scope = Scope(source)
        self.problems: list[Problem] = []
        self.builder: ProgramBuilder | None = None
        self.engine: str | None = None  # "" once its lack was reported
        self.lines: dict[int, CompiledLine] = {}
        self.chain = 0
        self.rounds = Rounds()
        self.macros = Macros()
        self.broken: set[int] = set()
        self.body: tuple[tree.Statement, ...] = ()
        self.loops: Loops | None = None  # made by the first loop at run time
        self.declared: Later | None = None  # made when it is first asked for
        self.denied = False
        self.looping = 0  # loops around the line, those around calls of macros too
        self.includes = includes or Includes(source)
        self.allowed: list[Allow] = []  # what comments of included texts allow
        self.unsaid = 0
        self.stopped = False  # after so many problems that the rest would be more of the same

    # -- the whole

    def expand(self, body: Iterable[tree.Statement]) -> ProgramBuilder | None:
        """Expand all statements; the builder, with all problems so far.

        None if there is no program to check any further (its problems are in :attr:`problems`).
        """
        self.body = tuple(body)
        if self.problems:
            # Lines that could not be read are not in the tree: whatever seems to be missing now
            # may be in one of them.
            self.scope.undeclared.unread = True
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
        if len(self.problems) >= MOST_SAID:
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

    def _span(self, node: tree.Node) -> Span:
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
        """``.target trn1``: loads the target and starts the builder.

        That of an included text has to be the same.
        """
        name = statement.name.name
        if self.builder is None:
            self.said = name
            self.use_target(self.override or name)
            return
        if self.scope.source is self.source or self.scope.expansion is not None:
            raise Refused("E0215", ".target is given once, before everything else")
        if self.said is None:
            self.said = name  # and another one was given from outside
        if name not in self.targets:
            raise unknown_target(name, self.targets)
        if self._generation(name) is not self._generation(self.said):
            said = f"this file is for {name}, and the program for {self.said}"
            raise Refused("E0215", said, "leave '.target' to the program that includes it")

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
        self.builder = ProgramBuilder(target, generation)
        self.scope.tensors = self.builder.program.tensors
        self.scope.transfers = self.builder.program.transfers
        self.scope.place = self.builder.place
        self.scope.later = self._later

    def _later(self, name: str, kind: str) -> tree.Node | None:
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
        """One constant; the command line may give one of the file's another value."""
        name, home = item.name, self.scope.home(item)
        place = Span(self.scope.source, item.start, item.start + len(item.name))
        self._new_name(name, place.within(self.scope.chain), home)
        value = evaluate(item.value, self.scope)
        if isinstance(value, View | Reg | DeclaredTransfer | Handed):
            said = f"a constant is a number, found {shown(value)}"
            hint = f"write .view {name} = …" if isinstance(value, View) else ""
            raise Failure(Problem("E0210", said, self._span(item.value), hint))
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
                    another(name, place, before),
                    declared_note(name, before),
                )
            )

    def macro(self, statement: tree.Macro) -> None:
        """``.macro name(a, b, n=4)``: known from here on."""
        self.macros.declare(statement, self.scope)

    def include(self, statement: tree.Include) -> Bodies:
        """``.include "file.nasm"``: its lines, once."""
        found = self.includes.read(statement, self.scope)
        if found is None:
            return
        source, file, problems, allowed = found
        if self.loops is not None:
            self.loops.mention(source.text)
        self.problems += problems
        self.allowed += allowed
        self.unsaid += file.unsaid
        if problems:
            self.scope.undeclared.unread = True
        outer, chosen = self.scope.source, self.engine
        self.scope.source, self.engine = source, self.engine or None
        yield file.body
        self.scope.source, self.engine = outer, chosen

    # -- control

    def call(self, statement: tree.MacroCall) -> Bodies:
        """``name(x, n=2)``: the lines of a macro, with what it is handed."""
        builder, outer = self.made, self.scope
        macro = self.macros.find(statement, outer, builder.target.isa.rows)
        engine = self.engine if statement.engine is None else self._named(statement.engine)
        body = macro.statement.body
        self.rounds.take(len(body))
        if self.problems and self.rounds.in_vain():
            outer.undeclared.unread = True
            return
        inner = self.macros.enter(macro, statement, outer, builder)
        if statement.label is not None:
            self._label(statement.label, engine or self._chosen())
        chain, chosen = self.chain, self.engine
        self.scope, self.chain, self.engine = inner, -1, engine
        yield body
        self.scope, self.chain, self.engine = outer, chain, chosen

    def loop(self, statement: tree.For) -> Bodies:
        """``.for k in a..b step s``."""
        rounds = self._values(statement)
        if statement.body:
            self.rounds.alone(rounds_of(rounds))
        self._foresee(statement)
        name = statement.variable.name
        self._new_name(name, self._span(statement.variable), self.scope)
        place = Span(self.scope.source, statement.variable.start, statement.variable.end)
        self.looping += 1
        try:
            for value in rounds if statement.body else ():
                if self._futile():
                    break
                self.rounds.take(len(statement.body))
                said = str(value) if type(value) is int else shown(value)
                frame = Frame(f".for {name} = {said}", place)
                yield from self._round(name, value, frame, statement.body)
        finally:
            self.looping -= 1

    def _foresee(self, statement: tree.For | tree.Loop) -> None:
        """Refuse an outermost loop that makes too many lines."""
        if self.scope.lasting is None and not self.looping:
            inside = self.scope.expansion is not None or self.scope.source is not self.source
            after = (s for s in self.body if s.start > statement.start and not inside)
            macros = {n: len(m.statement.body) for n, m in self.macros.known.items()}
            self.rounds.foresee(statement, after, self.scope, self.defines, macros)

    def _values(self, statement: tree.For) -> range | list[Any]:
        """What the variable of a loop is, round by round."""
        scope = self.scope
        if statement.stop is None:
            found = evaluate(statement.first, scope)
            if isinstance(found, list):
                return found
            said = f".for goes through a list or from a number to another, found {shown(found)}"
            hint = f"write 0..{scope.span(statement.first).text}" if type(found) is int else ""
            raise Failure(Problem("E0210", said, self._span(statement.first), hint))
        first, stop = declare.whole(statement.first, scope), declare.whole(statement.stop, scope)
        step = 1 if statement.step is None else declare.whole(statement.step, scope)
        if step == 0:
            at = self._span(statement.step or statement)
            raise Failure(Problem("E0218", "a loop with step 0 does not end", at))
        return range(first, stop, step)

    def _futile(self) -> bool:
        """Whether another round can only repeat what is wrong."""
        if len(self.problems) >= MOST_SAID:
            self.stopped = True
            return True
        if self.problems and self.rounds.in_vain():
            self.scope.undeclared.unread = True  # what these rounds declare is not known
            return True
        return False

    def _round(
        self, name: str, value: Any, frame: Frame, body: tuple[tree.Statement, ...]
    ) -> Bodies:
        """One round of a loop: its variable, and constants that last until its end."""
        scope = self.scope
        chain, outer = scope.chain, self.chain
        with scope.round():
            if name:
                scope.declare(name, value, frame.span)
            scope.chain = (*scope.chain, frame)
            self.chain = -1
            yield body
        scope.chain, self.chain = chain, outer

    def run_time_loop(self, statement: tree.Loop) -> Bodies:
        """``.loop k in a..b step s``: its lines are expanded once."""
        builder, variable, before = self.made, statement.variable, self.engine
        queue = None
        if statement.engine is not None or isinstance(variable, tree.Register):
            engine = self._chosen() if statement.engine is None else self._named(statement.engine)
            queue = builder.queue(engine, self.scope.core)
            self.engine = engine
        self._foresee(statement)
        place = Span(self.scope.source, variable.start, variable.end)
        name = variable.name if isinstance(variable, tree.Name) else ""
        if name:
            self._new_name(name, self._span(variable), self.scope)
        loop = opened(statement, self.scope, builder, queue)
        if loop is not None:
            if self.loops is None:
                self.loops = Loops(builder, self.includes.text)
            self.scope.reach = self.loops.reach
            self.loops.begin(loop)
            self.scope.looping, self.looping = True, self.looping + 1
            try:
                frame = Frame(loop.said, place)
                yield from self._round(name, Affine.of(loop.variable), frame, statement.body)
            finally:
                self.looping -= 1
                self.scope.looping = len(self.loops.open) > 1
                self.loops.end()
        if statement.engine is not None:
            self.engine = before

    def leave(self, statement: tree.Break) -> None:
        """``.break``, or ``.break %r1 >= 3``."""
        builder, name = self.made, statement.engine
        engine = self._chosen() if name is None else self._named(name)
        queue = builder.queue(engine, self.scope.core)
        if self.loops is None:
            self.loops = Loops(builder, self.includes.text)
        self.scope.register = partial(self.loops.register, queue)
        made = breaking(statement, self.scope, builder, self.loops, queue)
        if self.chain < 0:
            self.chain = builder.chain(self.scope.chain)
        span = builder.span(Span(self.scope.source, statement.start, statement.end))
        builder.append(queue, made, span, self.chain)

    def choose(self, statement: tree.If) -> Bodies:
        """``.if`` … ``.elif`` … ``.else``."""
        for condition, body in statement.branches:
            if condition is None or truth(evaluate(condition, self.scope), ".if"):
                if self.scope.chain:
                    self.rounds.take(len(body))
                with self.scope.arm():
                    yield body
                return

    def block(self, statement: tree.ScopeBlock) -> Bodies:
        """``.scope``: behind it the bytes of its tensors may be another's."""
        end = Span(self.scope.source, statement.end - len(".end"), statement.end)
        self.made.begin_block()
        with self.scope.arm():
            yield statement.body
        self.made.end_block(end)

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
        if self.scope.looping:
            for name in sorted(free_names(statement)):
                if isinstance(value := self.scope.values.get(name), Affine):
                    raise unknown(value, "what an expectation compares")
        if self.made.in_blocks:
            self._lasting(statement)
        self.made.expect((statement, self.scope.keep()), self._span(statement))

    def _lasting(self, statement: tree.Expect) -> None:
        """Refuse an expectation on a tensor whose bytes may be another's after the run."""
        for name in sorted(free_names(statement)):
            value = self.scope.values.get(name) or self.scope.view(name)
            if isinstance(value, View) and value.tensor.block:
                said = f"'{name}' belongs to a '.scope': after the run its bytes may be another's"
                raise Refused("E0240", said, "compare what is copied from it to another tensor")

    # -- instructions

    def line(self, statement: tree.Line) -> None:
        """A label, an engine, an instruction: any of them may be absent."""
        builder = self.made
        queue = self._queue(statement)
        if queue is None or statement.mnemonic is None:
            return
        self.macros.not_called(statement.mnemonic, self.scope, builder.target.isa.rows)
        if self.loops is not None and self.loops.open:
            self.loops.enter(queue, self._span(statement))
            self.scope.register = partial(self.loops.register, queue)
        line = self.lines.get(id(statement))
        if line is None:
            line = compile_line(statement, self.scope, builder)
            if self.scope.chain:  # it comes again in other rounds
                self.lines[id(statement)] = line
        made = line.make(self.scope, builder, queue)
        if self.loops is not None and self.loops.open:
            self.loops.check(queue, made[0], self._span(statement))
        moments = line.moments(self.scope)
        if moments is not None:
            builder.recorded.moments[builder.position] = moments
        builder.append(queue, made, line.span, self._chain())

    def drain(self, statement: tree.DrainLine) -> None:
        """``.drain``: the queue waits for its transfers, with ``all`` for those of all queues."""
        builder = self.made
        queue = self._queue(statement)
        if queue is None:
            return
        span = builder.span(self._span(statement))
        drain = Drain(queue, statement.every, span, self._chain())
        builder.recorded.drain(builder.position, drain)

    def _chain(self) -> int:
        """The number of the chain of expansions."""
        if self.chain < 0:
            self.chain = self.made.chain(self.scope.chain)
        return self.chain

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
            made, moments = line.fresh(scope, builder, queue), line.moments(scope)
        except (Refused, Failure):
            self.line(parse_line(scope.source, statement.start, statement.end))
            return
        start = statement.start + common.mnemonic.start - common.start
        place = Span(scope.source, start, statement.end)
        if moments is not None:
            builder.recorded.moments[builder.position] = moments.at(place)
        builder.append(queue, made, builder.span(place), self.chain)

    def _label(self, node: tree.Name | tree.Template, engine: str) -> None:
        """Name the place of the next instruction of a queue."""
        place, name = self._span(node), name_of(node, self.scope)
        queue = self.made.queue(engine, self.scope.core)
        try:
            self.made.label(queue, self.scope.named("label", name), place)
        except Refused as refused:
            raise Failure(refused.at(place)) from None

    def _queue(self, statement: tree.Line | tree.DrainLine) -> int | None:
        """The queue of a line, whose label is set there; None if it only chooses an engine."""
        builder = self.made
        engine = self._engine(statement)
        if engine is None:
            return None
        queue = builder.queue(engine, self.scope.core)
        if statement.label is not None:
            self._label(statement.label, engine)
        return queue

    def _engine(self, statement: tree.Line | tree.DrainLine) -> str | None:
        """The engine a line is for; None if it only chooses one for the lines that follow."""
        if statement.engine is None:
            return self._chosen()
        chooses = (
            isinstance(statement, tree.Line)
            and statement.mnemonic is None
            and statement.label is None
        )
        try:
            engine = self._named(statement.engine)
        except Failure:
            self.engine = "" if chooses else self.engine
            raise
        if chooses:
            self.engine = engine
            return None
        return engine

    def _chosen(self) -> str:
        """The engine that was chosen for the lines that name none."""
        if self.engine is None and not self.scope.undeclared.unread:
            self.engine = ""
            engines = listed(f"@{e.name}" for e in self.made.generation.engines)
            raise Refused(
                "E0220",
                "no engine is chosen for this line",
                f"put one of {engines} before it, or alone on a line before several",
            )
        if not self.engine:
            raise Failure(())  # that none is chosen was said of an earlier line
        return self.engine

    def _named(self, name: tree.Name) -> str:
        """The engine that a line names."""
        return engine_named(name, name.name, self.scope, self.made)

    def _declare(self, statement: Any) -> None:
        """A declaration: a tensor, semaphores, a prepared transfer."""
        self.DECLARATIONS[type(statement)](statement, self.scope, self.made)

    DECLARATIONS: ClassVar[dict[type, Callable[[Any, Scope, ProgramBuilder], None]]] = {
        tree.TensorLine: declare.tensor,
        tree.SemLine: declare.semaphores,
        tree.DmaBlock: declare.transfer,
        tree.ViewLine: declare.view,
    }
    HANDLERS: ClassVar[dict[type, Callable[[Any, Any], Bodies | None]]] = {
        tree.Version: version,
        tree.TargetLine: target,
        tree.CoreLine: core,
        tree.Const: const,
        tree.TensorLine: _declare,
        tree.SemLine: _declare,
        tree.DmaBlock: _declare,
        tree.ViewLine: _declare,
        tree.For: loop,
        tree.Loop: run_time_loop,
        tree.Break: leave,
        tree.If: choose,
        tree.ScopeBlock: block,
        tree.Assert: claim,
        tree.Expect: expect,
        tree.Macro: macro,
        tree.MacroCall: call,
        tree.Include: include,
        tree.DrainLine: drain,
        tree.Line: line,
        tree.Like: like,
    }
