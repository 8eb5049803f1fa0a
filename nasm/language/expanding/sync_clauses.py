"""The wait and the update of an instruction line, compiled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.base.problems import Failure, Note, Problem, did_you_mean
from nasm.isa.instruction import Row
from nasm.language.expanding.affine import Affine
from nasm.language.expanding.evaluate import compile_name, compile_node
from nasm.language.expanding.fractions import as_integer
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Update, Wait
from nasm.views.value_text import value_text
from nasm.views.view import Reg

Waiter = Callable[[Scope], Wait]
Updater = Callable[[Scope], Update]


def compile_sync(
    row: Row, statement: tree.InstructionLine, scope: Scope, builder: ProgramBuilder
) -> tuple[Waiter | None, Updater | None]:
    """What evaluates the wait and the update of a line; raises Failure."""
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
        _update(updates[0], builder) if updates else None,
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


def _update(node: tree.UpdateClause | tree.TakeClause, builder: ProgramBuilder) -> Updater:
    semaphore, amount = _semaphore(node.name, builder), _amount(node)
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
        raise Failure(_of_register(value, node, scope))
    if type(value) is not int or not -(2**31) <= value < 2**31:
        message = f"a semaphore counts in signed 32-bit integers, found {value_text(value)}"
        hint = as_integer(value, node, scope)
        raise Failure(Problem("E0210", message, scope.span(node), hint))
    return value


def _of_register(value: Reg | Affine, node: tree.ExpressionNode, scope: Scope) -> Problem:
    """What to say of a wait for a number that is known at run time alone, and of an update."""
    what = "a wait compares with" if isinstance(node, tree.WaitClause) else "an update adds"
    message = f"{what} a number that is known when assembling, found {value_text(value)}"
    assert isinstance(node, tree.WaitClause | tree.UpdateClause | tree.TakeClause)
    name = f"${scope.span(node.name).text}"
    hint = (
        f"let each round take what it waits for: take {name} is {name} >= 1 with {name} -= 1, "
        f"and give {name} is {name} += 1"
    )
    return Problem("E0210", message, scope.span(node), hint)
