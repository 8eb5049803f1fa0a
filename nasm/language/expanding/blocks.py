"""What is repeated or chosen: loops, conditions, macros, included texts.

Each comes as its bodies, one after the other, which the walk goes through between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, ClassVar

from nasm.base.problems import MOST_ERRORS, Failure, Problem
from nasm.base.source import Frame, Span
from nasm.language.expanding import declare
from nasm.language.expanding.evaluate import evaluate
from nasm.language.expanding.functions import truth
from nasm.language.expanding.including import Read
from nasm.language.expanding.line_counts import LOOPS, MACROS, nested, rounds_of
from nasm.language.expanding.loop_lines import breaking, opened
from nasm.language.expanding.macros import engine as engine_named
from nasm.language.expanding.statements import Bodies, Walker
from nasm.language.text import tree
from nasm.views.value_text import value_text


class Repeating(Walker):
    """The statements that hold others."""

    def macro(self, statement: tree.MacroStatement) -> None:
        """``.macro name(a, b, n=4)``: known from here on."""
        self.macros.declare(statement, self.scope)

    def include(self, statement: tree.Include) -> Bodies:
        """``.include "file.nasm"``: its lines, once."""
        found = self._binary(statement) or self.includes.read(statement, self.scope)
        if found is None:
            return
        source, file, problems, allowed = found
        if self.builder is not None:
            self.loops.mention(source.text)
        self.problems += problems
        self.allowed += allowed
        self.unsaid += file.unsaid
        if file.unread:
            self.scope.undeclared.unread = True
        outer, chosen = self.scope.source, self.engine
        self.scope.source, self.engine = source, self.engine or None
        yield file.body
        self.scope.source, self.engine = outer, chosen

    def _binary(self, statement: tree.Include) -> Read | None:
        """What a file that is no text has as one; None for a file that is text."""
        known = {} if self.builder is None else self.builder.target.binaries
        read = next((known[end] for end in known if statement.path.value.endswith(end)), None)
        if read is None:
            return None
        generation = self.made.generation
        engine = generation.engine(self.engine).name if self.engine else ""
        return self.includes.binary(
            statement, self.scope, lambda name, data: read(name, data, engine, generation.name)
        )

    # -- control

    def call(self, statement: tree.MacroCall) -> Bodies:
        """``name(x, n=2)``: the lines of a macro, with its arguments."""
        builder, outer = self.made, self.scope
        macro = self.macros.find(statement, outer, builder.target.isa.rows)
        engine = (
            self.engine
            if statement.engine is None
            else engine_named(statement.engine, self.scope, self.made)
        )
        body = macro.statement.body
        if nested(macro.statement):
            self._foresee(statement)
        self.rounds.take(len(body), MACROS)
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
        scope, steps = self.scope, self.scope.steps
        step = _step(rounds)
        if step:
            scope.steps = {**steps, name: step}
        try:
            for value in rounds if statement.body else ():
                if self._futile():
                    break
                self.rounds.take(len(statement.body), LOOPS)
                text = str(value) if type(value) is int else value_text(value)
                bound = (name, value) if type(value) is int else None
                frame = Frame(f".for {name} = {text}", place, bound)
                yield from self._round(name, value, frame, statement.body)
        finally:
            self.looping -= 1
            scope.steps = steps

    def _foresee(self, statement: tree.For | tree.LoopStatement | tree.MacroCall) -> None:
        """Refuse an outermost loop or call that makes too many lines."""
        if isinstance(statement, tree.MacroCall) and self.scope.expansion is not None:
            return  # it was counted with the outermost one
        if self.scope.lasting is None and not self.looping:
            inside = self.scope.expansion is not None or self.scope.source is not self.source
            after = (s for s in self.body if s.start > statement.start and not inside)
            self.rounds.foresee(statement, after, self.scope, self.defines, self._body_of)

    def _body_of(self, name: str) -> tree.MacroStatement | None:
        """The macro of a name as it is written."""
        macro = self.macros.known.get(name)
        return None if macro is None else macro.statement

    def _values(self, statement: tree.For) -> range | list[Any]:
        """What the variable of a loop is, round by round."""
        scope = self.scope
        if statement.stop is None:
            found = evaluate(statement.first, scope)
            if isinstance(found, list):
                return found
            message = (
                f".for goes through a list or from a number to another, found {value_text(found)}"
            )
            hint = f"write 0..{scope.span(statement.first).text}" if type(found) is int else ""
            raise Failure(Problem("E0210", message, self._span(statement.first), hint))
        first, stop = declare.whole(statement.first, scope), declare.whole(statement.stop, scope)
        step = 1 if statement.step is None else declare.whole(statement.step, scope)
        if step == 0:
            at = self._span(statement.step or statement)
            raise Failure(Problem("E0218", "a loop with step 0 does not end", at))
        return range(first, stop, step)

    def _futile(self) -> bool:
        """Whether another round can only repeat the errors."""
        if len(self.problems) >= MOST_ERRORS:
            self.stopped = True
            return True
        if self.problems and self.rounds.in_vain():
            self.scope.undeclared.unread = True  # what these rounds declare is not known
            return True
        return False

    def run_time_loop(self, statement: tree.LoopStatement) -> Bodies:
        """``.loop k in a..b step s``: its lines are expanded once."""
        variable, before, queue = statement.variable, self.engine, None
        if statement.engine is not None or isinstance(variable, tree.RegisterName):
            self.engine = self._selected(statement)
            queue = self.made.queue(self.engine, self.scope.core)
        self._foresee(statement)
        scope, name = self.scope, variable.name if isinstance(variable, tree.Name) else ""
        place = Span(scope.source, variable.start, variable.end)
        if name:
            self._new_name(name, self._span(variable), scope)
        loop = opened(statement, scope, self.made, queue)
        if loop is not None:
            self.looping += 1
            with self.loops.within(loop, scope):
                for value, frame in loop.written(place):
                    if loop.copies > 1:
                        self.rounds.take(len(statement.body), LOOPS)
                    yield from self._round(name, value, frame, statement.body)
                self.looping -= 1
        if statement.engine is not None:
            self.engine = before

    def leave(self, statement: tree.Break) -> None:
        """``.break``, or ``.break %r1 >= 3``."""
        builder, scope = self.made, self.scope
        queue = builder.queue(self._selected(statement), scope.core)
        made = breaking(statement, self.loops, scope, queue)
        span = builder.span(Span(scope.source, statement.start, statement.end))
        builder.append(queue, made, span, self._chain())

    def _selected(self, statement: tree.LoopStatement | tree.Break) -> str:
        """The engine that a line names, or else the chosen one."""
        at = statement.engine
        if at is None:
            return self._chosen()
        return engine_named(at, self.scope, self.made)

    def _round(
        self, name: str, value: Any, frame: Frame, body: tuple[tree.Statement, ...]
    ) -> Bodies:
        """One round of a loop: its variable, and constants that last until its end."""
        scope = self.scope
        chain, outer = scope.chain, self.chain
        around = scope.begin_round()
        if name:
            scope.declare(name, value, frame.span)
        scope.chain = (*scope.chain, frame)
        self.chain = -1
        yield body
        scope.end_round(around)
        scope.chain, self.chain = chain, outer

    def choose(self, statement: tree.If) -> Bodies:
        """``.if`` … ``.elif`` … ``.else``."""
        for at, (condition, body) in enumerate(statement.branches):
            if condition is None or truth(evaluate(condition, self.scope), ".if"):
                self._pass(statement.branches[at + 1 :])
                if self.scope.chain:
                    self.rounds.take(len(body), LOOPS if self.looping else MACROS)
                with self.scope.arm():
                    yield body
                return
            self._pass([(condition, body)])

    def _pass(
        self, branches: Iterable[tuple[tree.ExpressionNode | None, tuple[tree.Statement, ...]]]
    ) -> None:
        """Remember branches that are not taken: other lines may name moments that they post."""
        for _, body in branches:
            self.passed.setdefault(id(body), (self.scope.source, body))

    def block(self, statement: tree.ScopeBlock) -> Bodies:
        """``.scope``: after it the bytes of its tensors may be another's."""
        end = Span(self.scope.source, statement.end - len(".end"), statement.end)
        self.made.begin_block()
        with self.scope.arm():
            yield statement.body
        self.made.end_block(end)

    HANDLERS: ClassVar[dict[type, Callable[[Any, Any], Bodies | None]]] = {
        **Walker.HANDLERS,
        tree.MacroStatement: macro,
        tree.MacroCall: call,
        tree.Include: include,
        tree.For: loop,
        tree.LoopStatement: run_time_loop,
        tree.Break: leave,
        tree.If: choose,
        tree.ScopeBlock: block,
    }


def _step(values: range | list[Any]) -> int:
    """Which way the variable of a loop goes: up, 1, or down, -1; 0 if neither."""
    if isinstance(values, range):
        return 1 if values.step > 0 else -1
    if not all(type(value) is int for value in values):
        return 0
    pairs = list(pairwise(values))
    upwards = all(a < b for a, b in pairs)
    return int(upwards) - int(not upwards and all(a > b for a, b in pairs))
