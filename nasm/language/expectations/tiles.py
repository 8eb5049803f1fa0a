"""Arrays of tiles in expectations: ``x[0][:, 0:8]`` is a part of a tile of ``x``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nasm.base.problems import Failure, Refused
from nasm.language.expanding.evaluate import evaluate, name_of
from nasm.language.expanding.functions import has_tiles, item_of
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.views.view import View


class ChosenTile(NamedTuple):
    """A tile, and the links that continue from it."""

    view: View
    links: Sequence[tree.Postfix]


def tile(
    first: tree.ExpressionNode, links: Sequence[tree.Postfix], scope: Scope
) -> ChosenTile | None:
    """The tile with which a chain begins, if it begins with an array; raises Failure."""
    if not isinstance(first, tree.Name | tree.Template):
        return None
    held = scope.values.get(name_of(first, scope))
    if not has_tiles(held):
        return None
    assert isinstance(held, list)
    if not links or not isinstance(links[0], tree.Subscript):
        message = f"'{scope.span(first).text}' is an array of tiles; wanted one of them"
        hint = f"write {scope.span(first).text}[0]"
        raise Failure(Refused("E0210", message, hint).at(scope.span(first)))
    try:
        found = item_of(held, [evaluate(node, scope) for node in links[0].items])
    except Refused as refused:
        raise Failure(refused.at(scope.span(links[0]))) from None
    assert isinstance(found, View)
    return ChosenTile(found, links[1:])
