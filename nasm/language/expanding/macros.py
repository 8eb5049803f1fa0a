"""Macros: the arguments of a call, and the names in its expansion."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any, NoReturn

from nasm.base.names import identifier
from nasm.base.problems import Failure, Note, Problem, Refused, counted, did_you_mean, quoted
from nasm.base.records import dataclass, field
from nasm.base.source import Frame, Source, Span
from nasm.language.expanding.evaluate import evaluate, name_of
from nasm.language.expanding.forward_names import Later
from nasm.language.expanding.including import of_library
from nasm.language.expanding.macro_arguments import (
    CounterArgument,
    EngineArgument,
    MomentList,
    WordArgument,
)
from nasm.language.expanding.moment_names import moment_argument
from nasm.language.expanding.scope import CallOfMacro, Scope
from nasm.language.text import tree
from nasm.program.builder import ProgramBuilder
from nasm.views.value_text import value_text

DEEPEST = 100
"""Calls within calls: a macro that calls itself without an end does not get further."""

WRONG = "E0225"

_GAPS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro as it was declared, and the names that its text declares."""

    statement: tree.MacroStatement
    source: Source
    own: Later
    place: Span

    @property
    def name(self) -> str:
        """Its name."""
        return self.statement.name.name

    @property
    def form(self) -> str:
        """How it is called: ``softmax(x, n=4)``, as it is declared."""
        text = self.source.text
        parameters = (text[p.start : p.end] for p in self.statement.parameters)
        return quoted(f"{self.name}({', '.join(_GAPS.sub(' ', s) for s in parameters)})")


@dataclass(slots=True)
class Macros:
    """The macros of a text by their names, and how often each was expanded."""

    known: dict[str, Macro] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    number: int = 0

    def declare(self, statement: tree.MacroStatement, scope: Scope) -> None:
        """``.macro name(a, n=4)``; raises Failure."""
        name, place = statement.name.name, scope.span(statement.name)
        try:
            identifier(name)
        except Refused as refused:
            raise Failure(refused.at(place)) from None
        before = self.known.get(name)
        if before is not None:
            notes = (Note(f"{name} is declared here", before.place),)
            message = f"the macro '{name}' is already declared"
            raise Failure(Problem("E0202", message, place, notes=notes))
        _check(statement, scope)
        self.known[name] = Macro(statement, scope.source, Later(statement.body), place)

    def owner(self, name: str, kind: str) -> str:
        """The form of a macro that was called and declares a name for itself; or nothing."""
        called = (macro for known, macro in self.known.items() if known in self.counts)
        return next((macro.form for macro in called if macro.own.find(name, kind)), "")

    def copied(self) -> Macros:
        """The same, for texts that continue: what these declare is known to them alone."""
        return Macros(dict(self.known), dict(self.counts), self.number)

    def find(self, call: tree.MacroCall, scope: Scope, mnemonics: Container[str]) -> Macro:
        """The macro that is called; raises Failure."""
        name = call.name.name
        found = self.known.get(name)
        if found is not None:
            return found
        undeclared = scope.undeclared
        silent, undeclared.unread = name in undeclared, True  # it might have exported anything
        if silent:
            raise Failure(())
        hint = scope.before(name, "macro") or did_you_mean(name, self.known)
        if name in mnemonics:
            hint = f"{name} is an instruction: its operands come after it, without parentheses"
        hint = hint or of_library(name) or "a macro is declared '.macro name(a, b, n=4)'"
        raise Failure(Problem("E0226", f"no macro '{name}'", scope.span(call.name), hint))

    def not_called(
        self, line: tree.InstructionLine, scope: Scope, mnemonics: Container[str]
    ) -> None:
        """Refuse a macro that is written like an instruction."""
        name = line.mnemonic
        macro = self.known.get(name.name) if self.known and name is not None else None
        if name is None or macro is None or name.name in mnemonics:
            return
        message = f"'{name.name}' is a macro, not an instruction"
        hint = f"it is called {macro.form}, without a space before '('"
        if line.operands:
            given = Span(scope.source, line.operands[0].start, line.operands[-1].end).text
            inside = given.startswith("(") and given.endswith(")")
            hint = f"write {name.name}{given if inside else f'({given})'}: it is {macro.form}"
        raise Failure(Problem("E0226", message, scope.span(name), hint))

    def enter(
        self, macro: Macro, call: tree.MacroCall, caller: Scope, builder: ProgramBuilder
    ) -> Scope:
        """The scope of one expansion, with its parameters; raises Failure."""
        text = caller.source.text[call.name.start : call.end]
        frame = Frame(quoted(_GAPS.sub(" ", text)), caller.span(call).within(()))
        deep = 1 + _depth(caller)
        if deep > DEEPEST:
            message = f"macros call each other {deep} deep; wanted at most {DEEPEST}"
            hint = "a macro that calls itself stops by an '.if'"
            raise Failure(Problem("E0227", message, caller.span(call), hint))
        self.number += 1
        count = self.counts[macro.name] = self.counts.get(macro.name, 0) + 1
        expansion = CallOfMacro(self.number, f"{macro.name}_{count}", macro.own, caller, deep)
        inner = caller.within(macro.source, frame, expansion)
        _bind(macro, call, caller, inner, builder)
        return inner


def _depth(scope: Scope) -> int:
    return 0 if scope.expansion is None else scope.expansion.depth


def _check(statement: tree.MacroStatement, scope: Scope) -> None:
    """Parameters have distinct names; after one with a default all have one."""
    seen: dict[str, tree.ExpressionNode] = {}
    optional = ""
    for parameter in statement.parameters:
        name, place = parameter.name, scope.span(parameter)
        try:
            identifier(name)
        except Refused as refused:
            raise Failure(refused.at(place)) from None
        if name in seen:
            notes = (Note("the first one", scope.span(seen[name])),)
            raise Failure(Problem(WRONG, f"two parameters are called '{name}'", place, notes=notes))
        seen[name] = parameter
        if isinstance(parameter, tree.NamedArgument):
            optional = name
        elif optional:
            message = f"'{name}' has no default, and '{optional}' before it has one"
            raise Failure(Problem(WRONG, message, place, f"give it one: {name}=…, or put it first"))


def _bind(
    macro: Macro, call: tree.MacroCall, caller: Scope, inner: Scope, builder: ProgramBuilder
) -> None:
    """Give every parameter its value: the argument, or else its default."""
    given = _matched(macro, call, caller)
    problems: list[Problem] = []
    silent = False
    values: dict[str, Any] = {}
    for name, node in given.items():
        try:
            values[name] = argument_value(node, caller, builder)
        except Failure as failure:
            problems += failure.problems
            silent = silent or not failure.problems
    if problems or silent:
        raise Failure(problems)
    assert inner.expansion is not None
    places = inner.expansion.given
    places.update((name, caller.span(node)) for name, node in given.items())
    for parameter in macro.statement.parameters:
        name = parameter.name
        if name not in values:
            assert isinstance(parameter, tree.NamedArgument)
            values[name] = argument_value(parameter.value, inner, builder)
            places[name] = inner.span(parameter.value)
        inner.declare(name, values[name], inner.span(parameter))


def _matched(macro: Macro, call: tree.MacroCall, caller: Scope) -> dict[str, tree.ExpressionNode]:
    """The argument of each parameter that is given one; raises Failure."""
    parameters = macro.statement.parameters
    names = [p.name for p in parameters]
    found: dict[str, tree.ExpressionNode] = {}
    named = ""

    def wrong(node: tree.ExpressionNode, message: str, hint: str = "") -> NoReturn:
        hint = hint or f"it is called {macro.form}"
        notes = (Note(f"{macro.name} is declared here", macro.place),)
        raise Failure(Problem(WRONG, message, caller.span(node), hint, notes))

    positional = [a for a in call.arguments if not isinstance(a, tree.NamedArgument)]
    for node in call.arguments:
        if isinstance(node, tree.NamedArgument):
            named = node.name
            if named not in names:
                hint = did_you_mean(named, names)
                wrong(node, f"{macro.name} has no parameter '{named}'", hint)
            if named in found:
                wrong(node, f"'{named}' is given twice")
            found[named] = node.value
        elif named:
            wrong(node, "a positional argument after a named one")
        elif len(found) == len(names):
            takes = counted(len(names), "argument") if names else "no arguments"
            wrong(node, f"{macro.name} takes {takes}, found {len(positional)}")
        else:
            found[names[len(found)]] = node
    for parameter in parameters:
        if parameter.name not in found and not isinstance(parameter, tree.NamedArgument):
            wrong(call, f"{macro.name} is not given '{parameter.name}'")
    return found


def argument_value(node: tree.ExpressionNode, scope: Scope, builder: ProgramBuilder) -> Any:
    """What an argument is: a value, or what no expression can be; raises Failure."""
    match node:
        case tree.CounterName(name=name):
            spelled = name_of(name, scope)
            return scope.counter(spelled) or _counter(spelled, name, scope, builder)
        case tree.EngineName():
            return EngineArgument(engine(node, scope, builder))
        case tree.Name(name=name):
            held = scope.values.get(name)
            if held is not None:
                return held
            if not scope.knows(name):
                scope.undeclared.silence_named(name)
                return _word(node, scope)
    moments = moment_argument(node, scope, _word)
    return evaluate(node, scope) if moments is None else moments


def _word(node: tree.Name, scope: Scope) -> WordArgument:
    place = scope.span(node)

    def refuse() -> NoReturn:
        held = scope.values.get(node.name)
        if isinstance(held, WordArgument | MomentList) and held.refuse_is(refuse):
            message = f"nothing is called '{node.name}'"
            raise Failure(Problem("E0208", message, place))
        try:
            scope.lookup(node.name)
        except Refused as refused:
            raise Failure(refused.at(place)) from None
        message = f"'{node.name}' was not declared yet where it is an argument"
        raise Failure(Problem("E0208", message, place))

    number = 0 if scope.expansion is None else scope.expansion.number
    return WordArgument(node.name, refuse, scope.named, number)


def _counter(
    spelled: str, node: tree.ExpressionNode, scope: Scope, builder: ProgramBuilder
) -> CounterArgument:
    program = builder.program
    number = program.semaphores.get(spelled, program.events.get(spelled))
    if number is not None:
        return CounterArgument(spelled, number)
    scope.undeclared.silence(spelled)
    known = [*program.semaphores, *program.events]
    hint = scope.before(spelled, "semaphore") or did_you_mean(spelled, known, "$")
    hint = hint or f"declare it: .sem {spelled}"
    raise Failure(Problem("E0206", f"no semaphore '${spelled}'", scope.span(node), hint))


def engine(node: tree.Name | tree.EngineName, scope: Scope, builder: ProgramBuilder) -> str:
    """The engine that ``@name`` means: the macro's argument of that name, or itself."""
    name = node.name
    held = scope.values.get(name)
    meant = held.name if isinstance(held, EngineArgument | WordArgument) else name
    try:
        return builder.generation.engine(meant).name
    except Refused as refused:
        if held is not None and meant == name:
            message = f"'{name}' is no engine, but {value_text(held)}"
            hint = "an engine is passed to a macro by its name: '@vector', or 'vector'"
            refused = Refused(refused.code, message, hint)
        raise Failure(refused.at(scope.span(node))) from None
