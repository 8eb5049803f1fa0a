"""Lines of loops at run time: ``.loop`` and ``.break``."""

from __future__ import annotations

from nasm.base.problems import Failure, Problem, Refused, counted
from nasm.base.source import Span
from nasm.language.expanding import declare
from nasm.language.expanding.affine import Affine, Variable
from nasm.language.expanding.evaluate import evaluate
from nasm.language.expanding.functions import COMPARE
from nasm.language.expanding.run_time_loops import WORD, Bound, Loops, Open
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.language.text.walk import descendants
from nasm.program.builder import Made, ProgramBuilder
from nasm.program.text_items import RunTimeLoop
from nasm.views.value_text import value_text
from nasm.views.view import Reg

OUTSIDE, CONDITION, COPIES = "E0237", "E0238", "E0239"

MOST_COPIES = 64
"""Rounds that a loop at run time writes out."""

COMPARISONS = {
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}


def opened(
    statement: tree.LoopStatement, scope: Scope, builder: ProgramBuilder, queue: int | None
) -> Open | None:
    """The loop that a line opens, for one queue if there is one; None if it has no round."""
    step = 1 if statement.step is None else declare.whole(statement.step, scope)
    if step == 0:
        at = scope.span(statement.step or statement)
        raise Failure(Problem("E0218", "a loop with step 0 does not end", at))
    first, stop = (_bound(node, scope) for node in (statement.first, statement.stop))
    rounds = range(first, stop, step) if type(first) is int and type(stop) is int else None
    copies = _copies(statement, scope, rounds)
    if rounds is not None and not rounds:
        return None
    if rounds is not None:
        rounds, step = rounds[::copies], step * copies
    recorded = builder.recorded
    recorded.loops += 1
    number, place = recorded.loops, Span(scope.source, statement.start, statement.head, scope.chain)
    head, end = (_label(f"{word}{number}", scope, builder) for word in ("loop", "end"))
    record = RunTimeLoop(number, head, end, step, rounds=None if rounds is None else len(rounds))
    record.span = builder.span(Span(scope.source, statement.start, statement.head))
    record.chain = builder.chain(scope.chain) if scope.chain else 0
    counter, name = None, "%auto"
    if isinstance(statement.variable, tree.RegisterName):
        counter = Reg(statement.variable.number)
        name = str(counter)
    elif isinstance(statement.variable, tree.Name):
        name = statement.variable.name
    variable = Variable(number, name, first if type(first) is int else None, step)
    steady = _steady(statement, builder)
    return Open(record, variable, place, first, stop, rounds, counter, queue, steady, copies)


def _copies(statement: tree.LoopStatement, scope: Scope, rounds: range | None) -> int:
    """How many rounds are written out one after the other: ``buffers=2``."""
    given = statement.copies
    if given is None:
        return 1
    if given.name != "buffers":
        hint = "it takes buffers=2, with which two rounds are written out"
        raise _no_copies(f"'.loop' takes no '{given.name}='", scope.span(given), hint)
    count, place = declare.whole(given.value, scope), scope.span(given)
    if not 1 <= count <= MOST_COPIES:
        raise _no_copies(f"buffers= is an integer from 1 to {MOST_COPIES}, not {count}", place)
    if not isinstance(statement.variable, tree.Name):
        message = "a loop with buffers= has a variable with a name, as each written round has a "
        raise _no_copies(f"{message}number", place, "write '.loop k in a..b'")
    if rounds is None:
        message = "the rounds of a loop with buffers= have to be known when assembling"
        hint = "write one round, with the tiles in one tensor: x[:, k*64 : +64]"
        raise _no_copies(message, place, hint)
    if len(rounds) % count:
        message = f"{counted(len(rounds), 'round')} cannot be written out {count} at a time"
        hint = f"let the loop end at {rounds[len(rounds) - len(rounds) % count]}, and "
        hint += f"write the {counted(len(rounds) % count, 'round')} left after it"
        raise _no_copies(message, place, hint)
    return count


def _no_copies(message: str, place: Span, hint: str = "") -> Failure:
    return Failure(Problem(COPIES, message, place, hint))


_STEADY = (
    tree.For,
    tree.If,
    tree.LoopStatement,
    tree.Const,
    tree.Assert,
    tree.TensorLine,
    tree.SemLine,
    tree.ViewLine,
    tree.ScopeBlock,
    tree.CoreLine,
    tree.RanksLine,
    tree.Expect,
    tree.DrainLine,
    tree.SettingLine,
    tree.WriteLine,
    tree.ForeignLine,
)
"""Statements that lead nowhere else by themselves."""


def _steady(loop: tree.LoopStatement, builder: ProgramBuilder) -> bool:
    """Whether no line of a loop branches."""
    rows = builder.target.isa.rows
    for _, node in descendants(loop):
        if isinstance(node, tree.InstructionLine):
            row = rows.get(node.mnemonic.name) if node.mnemonic is not None else None
            if row is not None and row.labels:
                return False
        elif isinstance(node, tree.Statement) and not isinstance(node, _STEADY):
            return False
    return True


def _bound(node: tree.ExpressionNode, scope: Scope) -> Bound:
    """A bound of a loop: an integer, a register, or what the loops around it make."""
    value = evaluate(node, scope)
    if isinstance(value, Reg | Affine):
        return value
    number = declare.whole(node, scope)
    if number not in WORD:
        message = f"a register holds 32 bits, found {value_text(number)}"
        raise Failure(Problem("E0301", message, scope.span(node)))
    return number


def _label(name: str, scope: Scope, builder: ProgramBuilder) -> str:
    """A label like this one that no queue has."""
    queues = builder.program.queues
    while scope.later(name, "label") is not None or any(name in q.labels for q in queues):
        name += "_"
    return name


def breaking(statement: tree.Break, loops: Loops, scope: Scope, queue: int) -> Made:
    """What leaves the innermost loop, at once or if a comparison holds."""
    place = scope.span(statement)
    if not loops.open:
        raise Failure(
            Problem(
                OUTSIDE,
                "'.break' outside of a loop at run time",
                place,
                "it leaves the innermost '.loop'; lines of a '.for' are chosen by '.if'",
            )
        )
    loop = loops.open[-1]
    loops.enter(queue, place)
    loop.breaks.append(place)
    loop.record.left = True
    condition = statement.condition
    if condition is None:
        return loops.leave(queue, loop.record.end)
    if not isinstance(condition, tree.Binary) or condition.op not in COMPARE:
        raise _no_comparison(f"found {scope.span(condition).text}", scope.span(condition))
    with loops.line(queue, place, scope):
        sides = [_side(node, scope) for node in (condition.before, condition.right)]
    if not any(isinstance(side, Reg) for side in sides):
        raise _no_comparison("neither side changes at run time", scope.span(condition))
    first, second = sides
    made = loops.branch(queue, first, COMPARISONS[condition.op], second, loop.record.end)
    return made, 0, 0


def _side(node: tree.ExpressionNode, scope: Scope) -> int | Reg:
    value = evaluate(node, scope)
    if isinstance(value, Reg):
        return value
    if isinstance(value, Affine):
        try:
            return scope.register(value)
        except Refused as refused:
            raise Failure(refused.at(scope.span(node))) from None
    return declare.whole(node, scope)


def _no_comparison(found: str, place: Span) -> Failure:
    text = "'.break' compares a register or the variable of a loop with a number or a register"
    return Failure(Problem(CONDITION, f"{text}; {found}", place, "as in .break %r1 >= 3"))
