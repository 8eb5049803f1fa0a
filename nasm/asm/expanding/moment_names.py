"""Moments on a line, and those that a macro is handed: which ones a name with indices means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.asm.expanding.affine import Affine
from nasm.asm.expanding.evaluate import compile_name, compile_node
from nasm.asm.expanding.functions import truth
from nasm.asm.expanding.handed import MomentList, Word
from nasm.asm.expanding.scope import Scope
from nasm.asm.text import tree
from nasm.building.recorded import Mention, Moment, Round
from nasm.problems import Failure, Problem, Refused
from nasm.spec.kinds import shown

Mentioner = Callable[[Scope], list[Mention]]


def mentions(statement: tree.Line) -> tuple[tuple[Mentioner, ...], tuple[Mentioner, ...]]:
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
    name, indices = compile_name(node.name), [(n, compile_node(n)) for n in node.indices]
    holds = None if node.condition is None else _condition(node.condition)

    def mention(scope: Scope) -> list[Mention]:
        if holds is not None and not holds(scope):
            return []
        found = tuple(_index(value(scope), at, scope) for at, value in indices)
        spelled, span = name(scope), scope.span(node)
        held = scope.values.get(spelled) if scope.expansion is not None else None
        if isinstance(held, MomentList):
            meant = [(w.named("moment", w.name), (*i, *found), w.name) for w, i in held.items]
        elif isinstance(held, list) and not held:
            meant = []
        else:
            otherwise = held.name if isinstance(held, Word) else spelled
            meant = [(scope.named("moment", spelled), found, otherwise)]
        return [Mention(Moment(n, i), span, at_read, o if o != n else "") for n, i, o in meant]

    return mention


def _condition(node: tree.Node) -> Callable[[Scope], bool]:
    value = compile_node(node)

    def holds(scope: Scope) -> bool:
        try:
            return truth(value(scope), "if")
        except Refused as refused:
            raise Failure(refused.at(scope.span(node))) from None

    return holds


def _index(value: Any, node: tree.Node, scope: Scope) -> int | Round:
    if isinstance(value, Affine):
        if value.round is not None:
            return value.round
        message = "an index of a moment is an integer, or the variable of a loop plus or minus one"
        raise Failure(Problem("E0210", f"{message}, found {value}", scope.span(node)))
    if type(value) is not int:
        message = f"an index of a moment is an integer, found {shown(value)}"
        raise Failure(Problem("E0210", message, scope.span(node)))
    return value


def handed_moments(
    node: tree.Node, scope: Scope, word: Callable[[tree.Name, Scope], Word]
) -> MomentList | None:
    """What ``load[r]`` or ``[load[r], bias]`` hands over; None if it is something else.

    A name is that of a moment if it means nothing else, or was handed as one.
    """
    if isinstance(node, tree.List):
        if not any(_is_moment(item, scope) for item in node.items):
            return None
        items: list[tuple[Word, tuple[int | Round, ...]]] = []
        for item in node.items:
            if not _is_moment(item, scope):
                first, _ = tree.chain(item)
                if isinstance(first, tree.Name) and scope.values.get(first.name) == []:
                    continue  # a parameter that was handed none
                said = f"'{scope.span(item).text}' is no moment, as others of this list are"
                raise Failure(Problem("E0210", said, scope.span(item)))
            items += _items(item, scope, word)
        return MomentList(tuple(items))
    if isinstance(node, tree.Index):
        if _is_moment(node, scope):
            return MomentList(_items(node, scope, word))
        first, _ = tree.chain(node)
        if isinstance(first, tree.Name) and scope.values.get(first.name) == []:
            return MomentList(())
    return None


def _is_moment(node: tree.Node, scope: Scope) -> bool:
    first, links = tree.chain(node)
    if not isinstance(first, tree.Name) or len(links) > 1:
        return False
    if links and not (isinstance(links[0], tree.Index) and _plain(links[0])):
        return False
    held = scope.values.get(first.name)
    return isinstance(held, Word | MomentList) or not scope.knows(first.name)


def _plain(link: tree.Index) -> bool:
    return not any(isinstance(item, tree.Slice) for item in link.items)


def _items(
    node: tree.Node, scope: Scope, word: Callable[[tree.Name, Scope], Word]
) -> tuple[tuple[Word, tuple[int | Round, ...]], ...]:
    first, links = tree.chain(node)
    assert isinstance(first, tree.Name)
    indices: tuple[int | Round, ...] = ()
    if links:
        assert isinstance(links[0], tree.Index)
        indices = tuple(_index(compile_node(n)(scope), n, scope) for n in links[0].items)
    held = scope.values.get(first.name)
    if isinstance(held, MomentList):
        return tuple((w, (*i, *indices)) for w, i in held.items)
    if isinstance(held, Word):
        return ((held, indices),)
    scope.undeclared.silence_named(first.name)
    return ((word(first, scope), indices),)
