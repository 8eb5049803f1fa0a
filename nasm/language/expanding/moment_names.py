"""Moments on a line, and those passed to a macro: which ones a name with indices means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from nasm.base.problems import Failure, Note, Problem, Refused
from nasm.base.source import Source, Span
from nasm.language.expanding.affine import Affine
from nasm.language.expanding.declare import whole
from nasm.language.expanding.earlier_rounds import directions_of
from nasm.language.expanding.evaluate import compile_name, compile_node
from nasm.language.expanding.functions import MOST_ITEMS, truth
from nasm.language.expanding.macro_arguments import MomentItem, MomentList, WordArgument
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.language.text.walk import descendants
from nasm.program.text_items import DeferredMoment, MomentMention, Round
from nasm.views.value_text import value_text

Mentioner = Callable[[Scope], list[MomentMention]]


def posted_in(body: Iterable[tree.Statement], source: Source, name: str) -> Span | None:
    """Where statements post a moment of a name, whether they are expanded or not."""
    for statement in body:
        for _, node in descendants(statement):
            named = node.moment.name if isinstance(node, tree.PostClause) else None
            if isinstance(named, tree.Name) and named.name == name:
                return Span(source, node.start, node.end)
    return None


LONG = 64
"""A number of more bits is not written out."""


def mentions(
    statement: tree.InstructionLine,
) -> tuple[tuple[Mentioner, ...], tuple[Mentioner, ...]]:
    """The moments that a line posts, and those that it comes after."""
    posts: list[Mentioner] = []
    afters: list[Mentioner] = []
    for clause in statement.sync:
        if isinstance(clause, tree.PostClause):
            posts.append(_mention(clause.moment, clause.at_read))
        elif isinstance(clause, tree.AfterClause):
            afters += [_mention(moment, False) for moment in clause.moments]
    return tuple(posts), tuple(afters)


def _mention(node: tree.MomentName, at_read: bool) -> Mentioner:
    name, indices = compile_name(node.name), [_compiled(index) for index in node.indices]
    directions = directions_of(node.indices)
    holds = None if node.condition is None else _condition(node.condition)

    def mention(scope: Scope) -> list[MomentMention]:
        if holds is not None and not holds(scope):
            return []
        every = _index_combinations([index(scope) for index in indices], node, scope)
        spelled, span, before = name(scope), scope.span(node), directions(scope)
        return [
            MomentMention(
                DeferredMoment(item.name, (*item.indices, *found)),
                span,
                at_read,
                item.otherwise if item.otherwise != item.name else "",
                (*item.earlier, *before),
            )
            for item in _named(spelled, span, scope)
            for found in every
        ]

    return mention


class _Named(NamedTuple):
    """A moment that a name means: its name in the program and in the file, with first indices."""

    name: str
    otherwise: str
    indices: tuple[int | Round, ...] = ()
    earlier: tuple[int, ...] = ()


def _named(spelled: str, span: Span, scope: Scope) -> list[_Named]:
    """The moments that a name means: several, or none, if it is a parameter."""
    held = scope.values.get(spelled) if scope.expansion is not None else None
    if isinstance(held, MomentList):
        return [
            _Named(word.named("moment", word.name), word.name, indices, earlier)
            for word, indices, earlier in held.items
        ]
    if _nothing(held):
        return []
    _check_argument(spelled, held, span, scope)
    otherwise = held.name if isinstance(held, WordArgument) else spelled
    return [_Named(scope.named("moment", spelled), otherwise)]


def _check_argument(name: str, held: object, span: Span, scope: Scope) -> None:
    """Refuse a parameter that was passed something else than moments."""
    given = {} if scope.expansion is None else scope.expansion.given
    if name in given and not isinstance(held, WordArgument):
        message = f"'{name}' is passed {value_text(held)}, and a moment is meant here"
        hint = "pass the name of a moment; a moment of the macro's own needs a name of its own"
        raise Failure(Problem("E0225", message, span, hint, (Note("passed", given[name]),)))


def _compiled(node: tree.ExpressionNode) -> Callable[[Scope], Sequence[int | Round]]:
    """An index: one, or each of a range."""
    if not isinstance(node, tree.IndexRange):
        value = compile_node(node)
        return lambda scope: (_index(value(scope), node, scope),)

    def index_range(scope: Scope) -> Sequence[int]:
        found = range(whole(node.first, scope), whole(node.stop, scope))
        if found and found[-1] - found[0] >= MOST_ITEMS:
            raise _too_many(found[-1] - found[0] + 1, node, scope)
        return found

    return index_range


def _index_combinations(
    choices: list[Sequence[int | Round]], node: tree.ExpressionNode, scope: Scope
) -> list[tuple[int | Round, ...]]:
    """All indices that some expand to."""
    count = prod(map(len, choices))
    if count > MOST_ITEMS:
        raise _too_many(count, node, scope)
    return list(product(*choices))


def _too_many(count: int, node: tree.ExpressionNode, scope: Scope) -> Failure:
    found = f"{count:,}" if count.bit_length() < LONG else "countless"
    message = f"{found} moments; wanted at most {MOST_ITEMS:,}"
    return Failure(Problem("E0211", message, scope.span(node)))


def _condition(node: tree.ExpressionNode) -> Callable[[Scope], bool]:
    value = compile_node(node)

    def holds(scope: Scope) -> bool:
        try:
            return truth(value(scope), "if")
        except Refused as refused:
            raise Failure(refused.at(scope.span(node))) from None

    return holds


def _index(value: Any, node: tree.ExpressionNode, scope: Scope) -> int | Round:
    if isinstance(value, Affine):
        if value.round is not None:
            return value.round
        message = "an index of a moment is an integer, or the variable of a loop plus or minus one"
        raise Failure(Problem("E0210", f"{message}, found {value}", scope.span(node)))
    if type(value) is not int:
        message = f"an index of a moment is an integer, found {value_text(value)}"
        raise Failure(Problem("E0210", message, scope.span(node)))
    return value


def moment_argument(
    node: tree.ExpressionNode, scope: Scope, word: Callable[[tree.Name, Scope], WordArgument]
) -> MomentList | None:
    """What ``load[r]`` or ``[load[r], bias]`` passes; None if it is something else.

    A name is that of a moment if it means nothing else, or was passed as one.
    """
    if isinstance(node, tree.Conditional):
        if not (_may_be(node.chosen, scope) or _may_be(node.other, scope)):
            return None
        chosen = node.chosen if _condition(node.condition)(scope) else node.other
        return _items(chosen, scope, word)
    return _items(node, scope, word) if _may_be(node, scope) and _indexed(node) else None


def _nothing(held: object) -> bool:
    """Whether a parameter was passed no moments: ``[]``, or a list of such."""
    return isinstance(held, list) and all(map(_nothing, held))


def _indexed(node: tree.ExpressionNode) -> bool:
    return isinstance(node, tree.Subscript | tree.List)


def _may_be(node: tree.ExpressionNode, scope: Scope) -> bool:
    """Whether these are moments: one of them has a name that means nothing else."""
    match node:
        case tree.List(items=items):
            return any(_may_be(item, scope) for item in items)
        case tree.Conditional(chosen=chosen, other=other):
            return _may_be(chosen, scope) or _may_be(other, scope)
    first, links = tree.chain(node)
    if not isinstance(first, tree.Name) or len(links) > 1:
        return False
    if links and not (isinstance(links[0], tree.Subscript) and _plain(links[0])):
        return False
    held = scope.values.get(first.name)
    none = _nothing(held) and bool(links)
    return none or isinstance(held, WordArgument | MomentList) or not scope.knows(first.name)


def _plain(link: tree.Subscript) -> bool:
    return not any(isinstance(item, tree.Slice) for item in link.items)


def _items(
    node: tree.ExpressionNode, scope: Scope, word: Callable[[tree.Name, Scope], WordArgument]
) -> MomentList:
    """The moments of a node; raises Failure if it is something else."""
    match node:
        case tree.List(items=items):
            return MomentList(tuple(i for n in items for i in _items(n, scope, word).items))
        case tree.Conditional(chosen=chosen, condition=condition, other=other):
            return _items(chosen if _condition(condition)(scope) else other, scope, word)
    first, links = tree.chain(node)
    held = scope.values.get(first.name) if isinstance(first, tree.Name) else None
    if _nothing(held):
        return MomentList(())  # a parameter that was passed none
    if not isinstance(first, tree.Name) or not _may_be(node, scope):
        message = f"'{scope.span(node).text}' is no moment, as others of this list are"
        raise Failure(Problem("E0210", message, scope.span(node)))
    indices: tuple[int | Round, ...] = ()
    earlier: tuple[int, ...] = ()
    if links:
        assert isinstance(links[0], tree.Subscript)
        indices = tuple(_index(compile_node(n)(scope), n, scope) for n in links[0].items)
        earlier = directions_of(links[0].items)(scope)
    if isinstance(held, MomentList):
        return MomentList(tuple(item.within(indices, earlier) for item in held.items))
    if isinstance(held, WordArgument):
        return MomentList((MomentItem(held, indices, earlier),))
    scope.undeclared.silence_named(first.name)
    return MomentList((MomentItem(word(first, scope), indices, earlier),))
