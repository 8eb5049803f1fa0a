"""Instruction lines: compiled once, evaluated for every combination of loop variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Note, Problem, Refused, did_you_mean
from nasm.base.records import dataclass, replace
from nasm.base.source import Span
from nasm.isa.instruction import REQUIRED, Operand, Row
from nasm.isa.kinds import Kind
from nasm.isa.words import WORD
from nasm.language.expanding.affine import Affine, in_register
from nasm.language.expanding.evaluate import Closure, compile_name, compile_node, free_names
from nasm.language.expanding.field_words import compile_value
from nasm.language.expanding.fractions import as_integer
from nasm.language.expanding.functions import truth
from nasm.language.expanding.macro_arguments import ARGUMENT_TYPES, MomentList, WordArgument
from nasm.language.expanding.moment_names import Mentioner, mentions
from nasm.language.expanding.operand_hints import (
    meant_operand,
    no_operand,
    of_another,
    of_register,
    qualified,
    string,
    wanted,
)
from nasm.language.expanding.operand_texts import elsewhere, in_order
from nasm.language.expanding.scope import CONSTANTS, Scope
from nasm.language.text import tree
from nasm.language.text.walk import contains
from nasm.program.builder import Made, ProgramBuilder
from nasm.program.program import Update, Wait
from nasm.program.text_items import Moments
from nasm.views.value_text import value_text
from nasm.views.view import Reg, View

Waiter = Callable[[Scope], Wait]
Updater = Callable[[Scope], Update]
Bound = tuple[int, Closure, Operand]
"""What evaluates an operand, and its position in the row."""


@dataclass(slots=True)
class CompiledLine:
    """An instruction line ready to be evaluated again and again.

    ``made`` remembers what it made by the values of the names in ``free``, and of a line with names
    that belong to one expansion of a macro ``own``, by that expansion. Its ``posts`` and ``afters``
    are no part of that. ``bound`` are its operands by their positions, if nothing is wrong with
    their names and number.
    """

    row: Row
    given: list[Closure]
    named: dict[str, Closure]
    places: dict[str, tree.ExpressionNode]
    wait: Waiter | None
    update: Updater | None
    free: tuple[str, ...]
    span: int
    own: bool
    made: dict[tuple[object, ...], Made]
    bound: tuple[Bound, ...] | None
    posts: tuple[Mentioner, ...] = ()
    afters: tuple[Mentioner, ...] = ()

    def make(self, scope: Scope, builder: ProgramBuilder, queue: int) -> Made:
        """The instruction, for the present values of the names it mentions."""
        values = scope.values
        seen = (queue, *[_key(values.get(name)) for name in self.free])
        if self.own and scope.expansion is not None:
            seen = (*seen, scope.expansion.number)
        found = self.made.get(seen)
        if found is None:
            found = self.made[seen] = self.fresh(scope, builder, queue)
        return found

    def moments(self, scope: Scope) -> Moments | None:
        """What the line says of moments, if anything; raises Failure."""
        if not self.posts and not self.afters:
            return None
        posts = tuple(m for post in self.posts for m in post(scope))
        return Moments(posts, tuple(m for after in self.afters for m in after(scope)))

    def fresh(self, scope: Scope, builder: ProgramBuilder, queue: int) -> Made:
        """Evaluate all parts of the line; raises Failure with the errors of all of them."""
        if self.bound is not None and not scope.looping:
            with suppress(Refused, Failure):  # what all is wrong is found below
                return self._at_once(self.bound, scope, builder, queue)
        given, named, wait, update = self._values(scope)
        return builder.make(queue, self.row, given, named, wait, update, self._places(scope))

    def _at_once(
        self, bound: tuple[Bound, ...], scope: Scope, builder: ProgramBuilder, queue: int
    ) -> Made:
        """Evaluate a line whose operands were bound; raises Refused or Failure for one of them."""
        operands = list(self.row.defaults)
        for at, closure, operand in bound:
            value = closure(scope)
            operands[at] = value if value is operand.default else operand.kind.accept(value)
        wait = self.wait(scope) if self.wait is not None else None
        update = self.update(scope) if self.update is not None else None
        return builder.accepted(queue, self.row, tuple(operands), wait, update)

    def operands(
        self, scope: Scope, builder: ProgramBuilder, queue: int
    ) -> tuple[Row, tuple[object, ...]]:
        """The row and its operands alone, for what is in no queue; raises Failure."""
        given, named, _, _ = self._values(scope)
        return builder.bound(queue, self.row, given, named, self._places(scope))

    def _places(self, scope: Scope) -> Callable[[str], Span | None]:
        """The places of operands."""
        return lambda name: scope.span(self.places[name]) if name in self.places else None

    def _values(self, scope: Scope) -> tuple[list[Any], dict[str, Any], Wait | None, Update | None]:
        """Operands by their order and by name, wait and update."""
        problems: list[Problem] = []
        silent = False

        def value(closure: Callable[[Scope], Any] | None) -> Any:
            nonlocal silent
            try:
                return closure(scope) if closure is not None else None
            except Failure as failure:
                problems.extend(failure.problems)
                silent = silent or not failure.problems
                return None

        given = [value(g) for g in self.given]
        named = {n: value(c) for n, c in self.named.items()}
        if scope.looping:
            names = [o.name for o in self.row.written]
            given = [value(self._with_register(n, v)) for n, v in zip(names, given, strict=False)]
            named = {n: value(self._with_register(n, v)) for n, v in named.items()}
        wait, update = value(self.wait), value(self.update)
        if problems or silent:
            raise Failure(problems)
        return given, named, wait, update

    def _with_register(self, name: str, given: Any) -> Closure:
        """An operand with a register in the place of what one holds, if it takes registers."""

        def hold(scope: Scope) -> Any:
            try:
                return in_register(self.row, name, given, scope.register)
            except Refused as refused:
                raise Failure(refused.at(scope.span(self.places[name]))) from None

        return hold


def _key(value: Any) -> object:
    """What tells 1 from 1.0 and true, which compare equal."""
    if type(value) is int or value is None or isinstance(value, _ALONE):
        return value
    return type(value), repr(value)


_ALONE = (View, *ARGUMENT_TYPES)


def compile_line(
    statement: tree.InstructionLine, scope: Scope, builder: ProgramBuilder
) -> CompiledLine:
    """Look the mnemonic up and compile operands, wait and update; raises Failure."""
    assert statement.mnemonic is not None
    try:
        row = builder.row(statement.mnemonic.name)
    except Refused as refused:
        word = statement.mnemonic.name
        hint = elsewhere(word, builder) or refused.hint
        raise Failure(replace(refused.at(scope.span(statement.mnemonic)), hint=hint)) from None
    given, named, places = _operands(row, statement, scope)
    wait, update = _sync(row, statement, scope, builder) if statement.sync else (None, None)
    counted = tuple(s for s in statement.sync if isinstance(s, tree.Counted))
    for node in counted:
        if not isinstance(node, tree.UpdateClause):
            places["$wait"] = node
        if not isinstance(node, tree.WaitClause):
            places["$update"] = node
    place = builder.span(Span(scope.source, statement.mnemonic.start, statement.end))
    free = tuple(sorted(free_names(replace(statement, sync=counted))))
    own = _own(row, statement)
    bound = _bound(row, given, named)
    line = CompiledLine(row, given, named, places, wait, update, free, place, own, {}, bound)
    if len(counted) < len(statement.sync):
        line.posts, line.afters = mentions(statement)
    return line


def _bound(row: Row, given: list[Closure], named: dict[str, Closure]) -> tuple[Bound, ...] | None:
    """Operands by their positions; None where the builder has to look at them."""
    if row.encoding is not None or row.name == WORD or len(given) > len(row.written):
        return None
    first = {operand.name: closure for operand, closure in zip(row.written, given, strict=False)}
    closures = first | named
    written = {operand.name for operand in row.written}
    missing = any(o.default is REQUIRED and o.name not in closures for o in row.written)
    if missing or len(closures) < len(first) + len(named) or not closures.keys() <= written:
        return None
    return tuple((at, closures[o.name], o) for at, o in row.places if o.name in closures)


def _own(row: Row, statement: tree.InstructionLine) -> bool:
    """Whether it has names that mean something else in each expansion of a macro."""
    return bool(row.labels) or contains(statement, tree.Template)


def _operands(
    row: Row, statement: tree.InstructionLine, scope: Scope
) -> tuple[list[Closure], dict[str, Closure], dict[str, tree.ExpressionNode]]:
    given: list[Closure] = []
    named: dict[str, Closure] = {}
    places: dict[str, tree.ExpressionNode] = {}
    written = row.written
    for node in _apart(row, statement.operands):
        if isinstance(node, tree.NamedArgument):
            name = meant_operand(row, node.name, statement)
            kind = row.kind(name)
            if kind is None:
                raise Failure(no_operand(row, node, statement, scope))
            if name in places:
                raise Failure(
                    Problem(
                        "E0309",
                        f"operand '{name}' is given twice",
                        scope.span(node),
                        in_order(row, statement, scope),
                        (Note("the first one", scope.span(places[name])),),
                    )
                )
            named[name] = compile_operand(kind, node.value)
            places[name] = node.value
        elif named:
            raise Failure(
                Problem(
                    "E0309",
                    "a positional operand after a named one",
                    scope.span(node),
                    "from the first named operand on, all are named",
                )
            )
        elif len(given) < len(written):
            places[written[len(given)].name] = node
            given.append(compile_operand(written[len(given)].kind, node))
        else:
            given.append(compile_node(node))
    return given, named, places


def _apart(row: Row, operands: Iterable[tree.ExpressionNode]) -> Iterator[tree.ExpressionNode]:
    """Operands of which an offset and its base are two: ``8(sp)``, ``offset(sp)``, ``(sp)``."""
    for at, node in enumerate(operands):
        if isinstance(node, tree.Based):
            yield from (node.offset, node.base)
        elif isinstance(node, tree.FunctionCall) and _is_based(row, at, node):
            yield from (node.function, *node.arguments)
        elif isinstance(node, tree.Name) and _is_base(row, at, node):
            yield from (tree.NumberLiteral(node.start, node.end, 0), node)
        else:
            yield node


def _is_based(row: Row, at: int, node: tree.FunctionCall) -> bool:
    """Whether what reads as a call is a name and a register of the operand after it."""
    after = row.written[at + 1] if at + 1 < len(row.written) else None
    base = node.arguments[0] if len(node.arguments) == 1 else None
    return after is not None and isinstance(base, tree.Name) and base.name in after.kind.words


def _is_base(row: Row, at: int, node: tree.Name) -> bool:
    """Whether a name is in parentheses, and a register that is written after an offset."""
    after = row.written[at + 1] if at + 1 < len(row.written) else None
    bare = node.end - node.start == len(node.name)
    return after is not None and after.based and not bare and node.name in after.kind.words


def compile_operand(kind: Kind, node: tree.ExpressionNode) -> Closure:
    """An operand's closure; a bare word means what its kind says before anything else."""
    if kind.names == "label" and isinstance(node, tree.Name | tree.Template):
        label = compile_name(node)
        return lambda scope: scope.named("label", label(scope))
    if isinstance(node, tree.StringLiteral):
        text = node.value
        return (lambda scope: text) if kind.names == "text" else string(kind, node)
    words = kind.words
    if kind.numeric and words:
        return compile_value(kind, node)
    if isinstance(node, tree.Conditional) and words:
        condition = compile_node(node.condition)
        chosen, other = compile_operand(kind, node.chosen), compile_operand(kind, node.other)
        return lambda scope: chosen(scope) if truth(condition(scope), "if") else other(scope)
    if isinstance(node, tree.Numbered):
        return _numbered(kind, node)
    named = qualified(node) if words else None
    if named is not None:
        return of_another(kind, node, *named)
    if not isinstance(node, tree.Name) or node.name in CONSTANTS:
        return compile_node(node, words)
    name = node.name
    if name in words:
        return lambda scope: name
    return lambda scope: _worded(name, kind, words, node, scope)


def _numbered(kind: Kind, node: tree.Numbered) -> Closure:
    """What an operand's closure is for a name that lines spell with numbers of their own."""
    spell, words, other = compile_name(node), kind.words, compile_node(node)

    def word(scope: Scope) -> Any:
        name = spell(scope)
        if name in CONSTANTS:
            return other(scope)
        return name if name in words else _worded(name, kind, words, node, scope)

    return word


def _worded(
    name: str, kind: Kind, words: tuple[str, ...], node: tree.ExpressionNode, scope: Scope
) -> Any:
    """What a name means that is no word of a kind, whose ``words`` are known."""
    found = scope.values.get(name)
    if found is not None:
        return _meant(found, bool(words))
    if scope.knows(name):
        return scope.lookup(name)
    if words and "true" not in words:
        if scope.undeclared.named(name):
            raise Failure(())
        return name  # a misspelt word is the kind's to refuse: it knows what the words are
    try:
        return scope.lookup(name, wanted(name, kind))
    except Refused as refused:
        raise Failure(refused.at(scope.span(node))) from None


def _meant(value: Any, worded: bool) -> Any:
    """The value of an operand that may take words: words and dtypes are such there."""
    if isinstance(value, MomentList):
        value.refuse()
    if isinstance(value, WordArgument):
        if not worded:
            value.refuse()
        return value.name
    return value.name if worded and isinstance(value, DType) else value


def _sync(
    row: Row, statement: tree.InstructionLine, scope: Scope, builder: ProgramBuilder
) -> tuple[Waiter | None, Updater | None]:
    waits = [s for s in statement.sync if isinstance(s, tree.WaitClause | tree.TakeClause)]
    updates = [s for s in statement.sync if isinstance(s, tree.UpdateClause | tree.TakeClause)]
    for kind, found, where in (("wait", waits, "before"), ("update", updates, "after")):
        if len(found) > 1:
            raise Failure(
                Problem(
                    "E0315",
                    f"a second {kind}: an instruction carries one",
                    scope.span(found[1]),
                    f"put an instruction that only waits and updates {where} this one"
                    + _bare(builder),
                    (Note("the first one", scope.span(found[0])),),
                )
            )
    taken = next((s for s in statement.sync if isinstance(s, tree.TakeClause)), None)
    if taken is not None and row.posts:
        message = (
            f"{row.name} posts when it has landed, and carries no other update: it cannot take"
        )
        hint = "take in an instruction before it" + _bare(builder)
        raise Failure(Problem("E0314", message, scope.span(taken), hint))
    if waits and updates and waits[0].start > updates[0].start:
        raise Failure(
            Problem(
                "E0316",
                "this wait follows the update",
                scope.span(waits[0]),
                f"write {scope.span(waits[0]).text}  {scope.span(updates[0]).text}",
            )
        )
    return (
        _wait(waits[0], scope, builder) if waits else None,
        _update(row, updates[0], builder) if updates else None,
    )


def _bare(builder: ProgramBuilder) -> str:
    """The instruction without operands, which only waits and updates; as the end of a hint."""
    return next((f": {row.name}" for row in builder.target.isa if not row.written), "")


def _semaphore(node: tree.Name | tree.Template, builder: ProgramBuilder) -> Callable[[Scope], int]:
    name = compile_name(node)
    semaphores, events = builder.program.semaphores, builder.program.events

    def number(scope: Scope) -> int:
        spelled = name(scope)
        held = scope.counter(spelled) if scope.expansion is not None else None
        if held is not None:
            return held.number
        found = semaphores.get(spelled)
        if found is None:
            found = events.get(spelled)
        if found is None:
            scope.undeclared.silence(spelled)
            known = [*semaphores, *events]
            hint = scope.before(spelled, "semaphore") or did_you_mean(spelled, known, "$")
            hint = hint or f"declare it: .sem {spelled}"
            raise Failure(Problem("E0206", f"no semaphore '${spelled}'", scope.span(node), hint))
        return found

    return number


def _wait(node: tree.WaitClause | tree.TakeClause, scope: Scope, builder: ProgramBuilder) -> Waiter:
    if isinstance(node, tree.TakeClause):
        semaphore, value = _semaphore(node.name, builder), _amount(node)
        return lambda scope: Wait(semaphore(scope), ">=", value(scope))
    if node.op not in (">=", "=="):
        hint = "wait until it has reached a value, with >="
        if node.op == ">":
            bound = node.value
            more = f"{scope.span(bound).text} + 1"
            more = str(bound.value + 1) if isinstance(bound, tree.NumberLiteral) else more
            hint = f"it counts in integers: write >= {more}"
        raise Failure(
            Problem(
                "E0317", f"a wait compares with >= or ==, found {node.op}", scope.span(node), hint
            )
        )
    semaphore, value, op = _semaphore(node.name, builder), compile_node(node.value), node.op
    return lambda scope: Wait(semaphore(scope), op, _word(value(scope), node, scope))


def _update(
    row: Row, node: tree.UpdateClause | tree.TakeClause, builder: ProgramBuilder
) -> Updater:
    semaphore, amount = _semaphore(node.name, builder), _amount(node)
    if row.posts and isinstance(node, tree.UpdateClause) and node.op == "++":

        def stepped(scope: Scope) -> Update:
            number = semaphore(scope)
            if builder.generation.counter(number)[2]:
                return Update(number, "+", 1, node.at_read)  # an event, which is refused
            builder.stepped.setdefault(number, (row.posts, scope.span(node)))
            return Update(number, "+", row.posts, node.at_read)

        return stepped
    sign, op = -1, "+"
    if isinstance(node, tree.UpdateClause):
        sign = -1 if node.op in ("--", "-=") else 1
        op = "=" if node.op == "=" else "+"
    return lambda scope: Update(semaphore(scope), op, sign * amount(scope), node.at_read)


def _amount(node: tree.UpdateClause | tree.TakeClause) -> Callable[[Scope], int]:
    """By how much a semaphore changes: 1 if it is not said."""
    if node.value is None:
        return lambda scope: 1
    value = compile_node(node.value)
    return lambda scope: _word(value(scope), node, scope)


def _word(value: Any, node: tree.ExpressionNode, scope: Scope) -> int:
    if isinstance(value, Reg | Affine):
        raise Failure(of_register(value, node, scope))
    if type(value) is not int or not -(2**31) <= value < 2**31:
        message = f"a semaphore counts in signed 32-bit integers, found {value_text(value)}"
        hint = as_integer(value, node, scope)
        raise Failure(Problem("E0210", message, scope.span(node), hint))
    return value
