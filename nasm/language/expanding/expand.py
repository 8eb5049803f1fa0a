"""From a tree to a program: directives, loops and lines, one after the other.

Every statement is handled by the method its class names in :data:`Expander.HANDLERS`. A line is
compiled once; what it makes is remembered by the values of the loop variables it mentions, so a
line of a nested loop is computed once per combination that matters to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from nasm.base.problems import Failure, Problem, Refused, listed
from nasm.base.records import replace
from nasm.base.source import Span
from nasm.language.expanding import declare
from nasm.language.expanding.affine import Affine, unknown
from nasm.language.expanding.blocks import Repeating
from nasm.language.expanding.evaluate import evaluate, free_names
from nasm.language.expanding.functions import COMPARE, truth
from nasm.language.expanding.instruction_lines import compile_line
from nasm.language.expanding.macros import engine as engine_named
from nasm.language.expanding.operand_texts import elsewhere, instead
from nasm.language.expanding.scope import Scope
from nasm.language.expanding.set_lines import assign, setting_of, writes
from nasm.language.expanding.statements import Bodies
from nasm.language.text import tree
from nasm.language.text.parse import parse_line
from nasm.program.builder import Made, ProgramBuilder
from nasm.program.text_items import Drain
from nasm.views.value_text import value_text
from nasm.views.view import View


class Expander(Repeating):
    """Makes a program of a text's statements."""

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

    def _sides(self, condition: tree.ExpressionNode) -> str:
        """What the sides of a comparison are, those that are not written as numbers."""
        if not isinstance(condition, tree.Binary) or condition.op not in COMPARE:
            return ""
        sides = [
            s for s in (condition.before, condition.right) if not isinstance(s, tree.NumberLiteral)
        ]
        text = [f"{self._span(s).text} is {value_text(evaluate(s, self.scope))}" for s in sides]
        return listed(text, "and") if text else ""

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
                message = (
                    f"'{name}' belongs to a '.scope': after the run its bytes may be another's"
                )
                raise Refused("E0240", message, "compare what is copied from it to another tensor")

    # -- instructions

    def line(self, statement: tree.InstructionLine) -> None:
        """A label, an engine, an instruction: any of them may be absent."""
        builder, written = self.made, id(statement)
        statement = self._in_full(statement)
        if written not in self.lines:
            self.macros.not_called(statement, self.scope, builder.target.isa.rows)
        queue = self._queue(statement)
        if queue is None or statement.mnemonic is None:
            return
        line = self.lines.get(written)
        if line is None:
            self._refuse_foreign(statement.mnemonic)
            line = compile_line(statement, self.scope, builder)
            if self.scope.chain:  # it comes again in other rounds
                self.lines[written] = line
        if self.scope.looping:
            place = self._span(statement)
            with self.loops.line(queue, place, self.scope):
                made = line.make(self.scope, builder, queue)
            self.loops.check(queue, made[0], place)
        else:
            made = line.make(self.scope, builder, queue)
        moments = line.moments(self.scope)
        if moments is not None:
            builder.recorded.moments[builder.position] = moments
        builder.append(queue, made, line.span, self._chain())

    def _in_full(self, statement: tree.InstructionLine) -> tree.InstructionLine:
        """A line with the prefix of its engine before its mnemonic, if it was left out."""
        word, engine = statement.mnemonic, self.engine or ""
        if word is None or word.name in self.made.target.isa.rows:
            return statement
        if statement.engine is not None:
            engine = statement.engine.name
        known = self.made.generation.engines
        prefix = next((e.prefix for e in known if engine in (e.name, *e.aliases)), "")
        name = prefix + word.name.removeprefix(".")
        if not prefix or name not in self.made.target.isa.rows:
            return statement
        return replace(statement, mnemonic=replace(word, name=name))

    def drain(self, statement: tree.DrainLine) -> None:
        """``.drain``: the queue waits for its transfers, with ``all`` for those of all queues."""
        builder = self.made
        queue = self._queue(statement)
        if queue is None:
            return
        if self.scope.looping:
            self.loops.enter(queue, self._span(statement))
        span = builder.span(Span(self.scope.source, statement.start, statement.end))
        drain = Drain(queue, statement.every, span, self._chain())
        builder.recorded.drain(builder.position, drain)

    def setting(self, statement: tree.SettingLine) -> None:
        """``.cfg NAME = value``: for the engine it names, or the chosen one if each has one."""
        setting = setting_of(statement.name, self.scope, self.made)
        engine = ""
        if statement.engine is not None:
            engine = engine_named(statement.engine, self.scope, self.made)
        elif setting.of_queue:
            engine = self._chosen()
        assign(statement, setting, engine, self.scope, self.made)

    def write(self, statement: tree.WriteLine) -> None:
        """``.write NAME = value``: the instructions that write it, here."""
        queue = self._entered(statement)
        if queue is not None:
            self._append(statement, writes(statement, queue, self.scope, self.made))

    def foreign(self, statement: tree.ForeignLine) -> None:
        """``.language "file:function"``: what it makes, here."""
        queue = self._entered(statement)
        if queue is not None:
            from nasm.language.expanding.foreign_lines import foreign_lines  # few programs have any

            made = foreign_lines(statement, queue, self.scope, self.made, self.includes)
            self._append(statement, made)

    def _entered(self, statement: tree.WriteLine | tree.ForeignLine) -> int | None:
        """The queue of a line that makes instructions, in the loop around it; None without one."""
        queue = self._queue(statement)
        if queue is not None and self.scope.looping:
            self.loops.enter(queue, self._span(statement))
        return queue

    def _append(
        self, statement: tree.WriteLine | tree.ForeignLine, made: Iterable[tuple[int, Made]]
    ) -> None:
        """Put what a line makes where the line is, each on its queue."""
        span = self.made.span(Span(self.scope.source, statement.start, statement.end))
        for queue, one in made:
            self.made.append(queue, one, span, self._chain())

    def like(self, statement: tree.Like) -> None:
        """A line like others. Its errors are found with its own tree."""
        builder, scope, common = self.made, self.scope, statement.line
        assert common.mnemonic is not None
        scope.numbers = statement.numbers
        try:
            line = self.lines.get(id(common))
            if line is None:
                line = compile_line(self._in_full(common), scope, builder)
                self.lines[id(common)] = line
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

    def _queue(
        self, statement: tree.InstructionLine | tree.DrainLine | tree.WriteLine | tree.ForeignLine
    ) -> int | None:
        """The queue of a line, whose label is set there; None if it only chooses an engine."""
        engine = self._engine(statement)
        if engine is None:
            return None
        if statement.label is not None:
            self._label(statement.label, engine)
        return self.made.queue(engine, self.scope.core)

    def _engine(
        self, statement: tree.InstructionLine | tree.DrainLine | tree.WriteLine | tree.ForeignLine
    ) -> str | None:
        """The engine a line is for; None if it only chooses one for the lines that follow."""
        if statement.engine is None:
            if isinstance(statement, tree.InstructionLine):
                self._refuse_unmarked(statement)
            return self._chosen()
        chooses = (
            isinstance(statement, tree.InstructionLine)
            and statement.mnemonic is None
            and statement.label is None
        )
        try:
            engine = engine_named(statement.engine, self.scope, self.made)
        except Failure:
            self.engine = "" if chooses else self.engine
            raise
        if chooses:
            self.engine = engine
            return None
        return engine

    def _refuse_unmarked(self, statement: tree.InstructionLine) -> None:
        """Refuse a directive without its dot, or an engine without ``@``, that reads as a line."""
        word = statement.mnemonic
        if word is None or word.name in self.made.target.isa.rows:
            return
        hint = elsewhere(word.name, self.made)
        if hint:
            self.scope.undeclared.unread = True  # what it was meant to declare is not known
            message = f"no instruction '{word.name}'"
            raise Failure(Problem("E0201", message, self._span(word), hint))

    def _refuse_foreign(self, word: tree.Name) -> None:
        """Refuse a mnemonic of another machine, or a statement of another language."""
        hint = "" if word.name in self.made.target.isa.rows else instead(word.name, self.made)
        if hint:
            raise Failure(Problem("E0201", f"no instruction '{word.name}'", self._span(word), hint))

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
        **Repeating.HANDLERS,
        tree.TensorLine: _declare,
        tree.SemLine: _declare,
        tree.DmaBlock: _declare,
        tree.ViewLine: _declare,
        tree.Assert: claim,
        tree.Expect: expect,
        tree.DrainLine: drain,
        tree.SettingLine: setting,
        tree.WriteLine: write,
        tree.ForeignLine: foreign,
        tree.InstructionLine: line,
        tree.Like: like,
    }
