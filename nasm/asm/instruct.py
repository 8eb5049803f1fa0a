"""Instruction lines: compiled once, evaluated for every combination of loop variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nasm.asm import tree
from nasm.asm.builder import Builder, Made
from nasm.asm.evaluate import Closure, Scope, compile_name, compile_node, free_names
from nasm.asm.functions import number_of
from nasm.problems import Failure, Note, Problem, Refused, did_you_mean
from nasm.source import Span
from nasm.spec.instruction import Instruction
from nasm.spec.kinds import Kind
from nasm.spec.program import Update, Wait

Waiter = Callable[[Scope], Wait]
Updater = Callable[[Scope], Update]


@dataclass(slots=True)
class CompiledLine:
    """An instruction line ready to be evaluated again and again.

    ``made`` remembers what it made by the values of the names in ``free``.
    """

    row: Instruction
    given: list[Closure]
    named: dict[str, Closure]
    places: dict[str, tree.Node]
    wait: Waiter | None
    update: Updater | None
    free: tuple[str, ...]
    span: int
    made: dict[tuple[object, ...], Made]

    def make(self, scope: Scope, builder: Builder, queue: int) -> Made:
        """The instruction, for the present values of the names it mentions."""
        values = scope.values
        seen = (queue, *[_key(values.get(name)) for name in self.free])
        found = self.made.get(seen)
        if found is None:
            found = self.made[seen] = builder.make(
                queue,
                self.row,
                [g(scope) for g in self.given],
                {n: c(scope) for n, c in self.named.items()},
                self.wait(scope) if self.wait else None,
                self.update(scope) if self.update else None,
                lambda name: scope.span(self.places[name]) if name in self.places else None,
            )
        return found


def _key(value: Any) -> object:
    """What tells 1 from 1.0 and true, which compare equal."""
    return value if type(value) is int or value is None else (type(value), repr(value))


def compile_line(statement: tree.Line, scope: Scope, builder: Builder) -> CompiledLine:
    """Look the mnemonic up and compile operands, wait and update; raises Failure."""
    assert statement.mnemonic is not None
    try:
        row = builder.row(statement.mnemonic.name)
    except Refused as refused:
        raise Failure(refused.at(scope.span(statement.mnemonic))) from None
    given, named, places = _operands(row, statement, scope)
    wait, update = _sync(statement, scope, builder)
    place = Span(scope.source, statement.mnemonic.start, statement.end)
    free = tuple(sorted(free_names(statement)))
    return CompiledLine(row, given, named, places, wait, update, free, builder.span(place), {})


def _operands(
    row: Instruction, statement: tree.Line, scope: Scope
) -> tuple[list[Closure], dict[str, Closure], dict[str, tree.Node]]:
    given: list[Closure] = []
    named: dict[str, Closure] = {}
    places: dict[str, tree.Node] = {}
    written = row.written
    for node in statement.operands:
        if isinstance(node, tree.Named):
            operand = next((o for o in written if o.name == node.name), None)
            if operand is None:
                raise Failure(_unknown(row, node, scope))
            if node.name in places:
                raise Failure(
                    Problem("E0309", f"operand '{node.name}' is given twice", scope.span(node))
                )
            named[node.name] = compile_operand(operand.kind, node.value)
            places[node.name] = node.value
        elif named:
            raise Failure(
                Problem("E0309", "an operand without a name after a named one", scope.span(node),
                        "from the first named operand on, all are named")
            )  # fmt: skip
        elif len(given) < len(written):
            places[written[len(given)].name] = node
            given.append(compile_operand(written[len(given)].kind, node))
        else:
            given.append(compile_node(node))
    return given, named, places


def _unknown(row: Instruction, node: tree.Named, scope: Scope) -> Problem:
    names = [o.name for o in row.written]
    hint = did_you_mean(node.name, names) or f"its operands: {', '.join(names)}"
    return Problem("E0309", f"{row.name} has no operand '{node.name}'", scope.span(node), hint)


def compile_operand(kind: Kind, node: tree.Node) -> Closure:
    """An operand's closure; a bare word means what its kind says before anything else."""
    if kind.names == "label" and isinstance(node, tree.Name | tree.Template):
        return compile_name(node)
    words = kind.words
    if not words or not isinstance(node, tree.Name) or "true" in words:
        return compile_node(node, words)
    name = node.name
    if name in words:
        return lambda scope: name

    def word(scope: Scope) -> Any:
        # a misspelt word is the kind's to refuse: it knows what the words are
        return scope.lookup(name) if scope.knows(name) else name

    return word


def _sync(
    statement: tree.Line, scope: Scope, builder: Builder
) -> tuple[Waiter | None, Updater | None]:
    waits = [s for s in statement.sync if isinstance(s, tree.Wait)]
    updates = [s for s in statement.sync if isinstance(s, tree.Update)]
    for kind, found in (("wait", waits), ("update", updates)):
        if len(found) > 1:
            raise Failure(
                Problem(
                    "E0315", f"a second {kind}: an instruction carries one", scope.span(found[1]),
                    f"an instruction of its own before or behind this one can {kind} as well "
                    "(EventSemaphore does nothing else)",
                    (Note("the first one", scope.span(found[0])),),
                )
            )  # fmt: skip
    if waits and updates and waits[0].start > updates[0].start:
        raise Failure(
            Problem("E0316", "the wait stands before the update", scope.span(waits[0]))
        )
    return (
        _wait(waits[0], scope, builder) if waits else None,
        _update(updates[0], builder) if updates else None,
    )


def _semaphore(node: tree.Name | tree.Template, builder: Builder) -> Callable[[Scope], int]:
    name = compile_name(node)
    numbers = builder.program.semaphores

    def number(scope: Scope) -> int:
        spelled = name(scope)
        found = numbers.get(spelled)
        if found is None:
            hint = did_you_mean(spelled, numbers) or f"declare it: .sem {spelled}"
            raise Failure(Problem("E0206", f"no semaphore '${spelled}'", scope.span(node), hint))
        return found

    return number


def _wait(node: tree.Wait, scope: Scope, builder: Builder) -> Waiter:
    if node.op not in (">=", "=="):
        raise Failure(
            Problem("E0317", f"a wait compares with >= or ==, found {node.op}", scope.span(node))
        )
    semaphore, value, op = _semaphore(node.name, builder), compile_node(node.value), node.op
    return lambda scope: Wait(semaphore(scope), op, _word(value(scope), node, scope))


def _update(node: tree.Update, builder: Builder) -> Updater:
    semaphore = _semaphore(node.name, builder)
    value = compile_node(node.value) if node.value is not None else None
    sign = -1 if node.op in ("--", "-=") else 1
    op = "=" if node.op == "=" else "+"

    def make(scope: Scope) -> Update:
        amount = 1 if value is None else _word(value(scope), node, scope)
        return Update(semaphore(scope), op, sign * amount, node.at_read)

    return make


def _word(value: Any, node: tree.Node, scope: Scope) -> int:
    number = number_of(value, "a semaphore")
    if not isinstance(number, int) or not -(2**31) <= number < 2**31:
        raise Failure(
            Problem("E0210", f"a semaphore counts in signed 32-bit integers, found {number}",
                    scope.span(node))
        )  # fmt: skip
    return number
