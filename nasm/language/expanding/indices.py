"""Indices of views: integers, slices and windows, which registers may move."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass
from nasm.language.expanding.affine import Affine, combined, first_of, unknown
from nasm.language.expanding.fractions import as_integer
from nasm.language.expanding.functions import Value, has_tiles, item_of, tensor_of
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.language.text.walk import descendants
from nasm.views.value_text import value_text
from nasm.views.view import ALL, Reg, View, Window

Compile = Callable[[tree.ExpressionNode], Callable[[Scope], Value]]
"""Makes a closure that evaluates a node."""


def index(node: tree.Subscript, compiled: Compile) -> Callable[[Scope, Value], Value]:
    """Indexing of a tensor or a list."""
    items = [_item(i, compiled) for i in node.items]

    def take(scope: Scope, target: Value) -> Value:
        if isinstance(target, list):
            picks = [i(scope) for i in items]
            for pick in picks:
                if isinstance(pick, Moving) and has_tiles(target):
                    hint = "write rounds out: in '.loop k in a..b buffers=2' x[k % 2] is known"
                    message = unknown(pick.form, "which tile of an array it is").message
                    raise Refused("E0231", message, hint)
                if isinstance(pick, Moving):
                    raise unknown(pick.form, "an index of a list")
            return item_of(target, picks)
        view = tensor_of(target, "[ ]")
        _no_new_axis(node, view, scope)
        found = [i(scope) for i in items]
        if not scope.looping:
            return view.index(found)
        made = _without(view.index(found), found)
        for axis, item in enumerate(found):
            if isinstance(item, Moving):
                _reaches(view, axis, item, scope)
        return made

    inner = [inner for item in node.items for _, inner in descendants(item)]
    holes = [each for each in inner if isinstance(each, tree.Hole)]
    if not holes or not all(isinstance(each, _NUMERIC) for each in inner):
        return take
    return _remembered(take, [hole.index for hole in holes])


_NUMERIC = (tree.Slice, tree.Hole, tree.NumberLiteral)
"""What an index is made of where nothing but its line decides it."""

MOST_VIEWS = 4096
"""Views that an index of lines with the same template remembers."""


def _remembered(
    take: Callable[[Scope, Value], Value], holes: list[int]
) -> Callable[[Scope, Value], Value]:
    """An index of lines with the same template, which often take the same view again.

    Numbers with a fraction are refused even if they are whole, so that they are never looked up.
    """
    known: dict[tuple[int, tuple[int | float, ...]], tuple[Value, Value]] = {}

    def again(scope: Scope, target: Value) -> Value:
        written = tuple([scope.numbers[hole] for hole in holes])
        if float in map(type, written):
            return take(scope, target)
        key = id(target), written
        found = known.get(key)
        if found is None:
            if len(known) >= MOST_VIEWS:
                known.clear()
            found = known[key] = target, take(scope, target)
        return found[1]

    return again


def _no_new_axis(node: tree.Subscript, view: View, scope: Scope) -> None:
    """Refuse ``t[:, None]``, with what makes an axis of 1."""
    new = [isinstance(i, tree.Name) and i.name in NEW_AXES for i in node.items]
    if not any(new) or any(i.name in scope.values for i in node.items if isinstance(i, tree.Name)):
        return
    message = f"'{scope.span(node.items[new.index(True)]).text}' makes no axis here"
    hint = "the first axis of an on-chip tensor is its partitions: new ones come after it"
    whole = all(n or _whole(item) for item, n in zip(node.items, new, strict=True))
    if whole and not (view.partitioned and new[0]) and new.count(False) <= len(view.shape):
        sizes = iter(view.shape)
        shape = [1 if one else next(sizes) for one in new]
        name = scope.span(node.before).text
        hint = f"write {name}.reshape({', '.join(map(str, [*shape, *sizes]))})"
    elif not (view.partitioned and new[0]):
        hint = "make it with .reshape: t[0:64].reshape(64, 1, 8)"
    raise Failure(Problem("E0305", message, scope.span(node), hint))


def _whole(node: tree.ExpressionNode) -> bool:
    """Whether an index is a bare colon."""
    if not isinstance(node, tree.Slice):
        return False
    return node.first is node.stop is node.step is node.length is None


NEW_AXES = ("None", "newaxis")
"""What NumPy makes an axis of 1 with."""


@dataclass(frozen=True, slots=True)
class Moving(Window):
    """A window whose start is a form of a loop's variable; an index drops its axis."""

    form: Affine
    drops: bool = False


def _without(view: View, items: Iterable[int | slice | Window]) -> View:
    """A view without the axes that indices drop: on chip the partition axis stays."""
    kept: list[int | slice] = []
    for axis, item in enumerate(items):
        lanes = axis == 0 and view.partitioned
        if isinstance(item, Moving) and item.drops and not lanes:
            kept.append(0)
        elif lanes or not isinstance(item, int):
            kept.append(ALL)
    return view.index(kept) if 0 in kept else view


def _reaches(view: View, axis: int, item: Moving, scope: Scope) -> None:
    """Refuse a window that leaves its axis in one of the rounds."""
    found, count = scope.reach(item.form), view.shape[axis]
    if found is None or (found[0] >= 0 and found[1] + item.length <= count):
        return
    low, high = found
    where = f"axis {axis} of {view.tensor.name}, which has {count}"
    window = f"a window of {item.length}" if item.length > 1 else "an index"
    message = f"{window} at {item.form}, which goes from {low} to {high}, reaches past {where}"
    hint = "at run time an index cannot count from the end" if low < 0 else ""
    raise Refused("E0305", message, hint)


def _item(node: tree.ExpressionNode, compiled: Compile) -> Callable[[Scope], int | slice | Window]:
    if not isinstance(node, tree.Slice):
        value = compiled(node)

        def one(scope: Scope) -> int | Window:
            found = value(scope)
            if isinstance(found, Reg):
                return Window(found, 1)
            if type(found) is Affine:
                return Moving(scope.register(found), 1, found, drops=True)
            return _placed_integer(found, node, scope)

        return one
    if node.length is not None:
        return _window(node, compiled)
    if node.first is node.stop is node.step is None:
        return lambda scope: ALL
    parts = [None if p is None else compiled(p) for p in (node.first, node.stop, node.step)]

    def cut(scope: Scope) -> slice | Window:
        bounds = [None if p is None else p(scope) for p in parts]
        for bound in bounds:
            if isinstance(bound, Reg):
                raise Failure(
                    Problem(
                        "E0305",
                        "a start held in a register needs a length, not an end",
                        scope.span(node),
                        f"write {bound} : +length",
                    )
                )
        if scope.looping and first_of(bounds) is not None:
            return _from_to(bounds, node, scope)
        for bound in bounds:
            if bound is not None:
                _placed_integer(bound, node, scope)
        return slice(*bounds)

    return cut


def _from_to(bounds: list[Value], node: tree.Slice, scope: Scope) -> Window:
    """``k*128 : k*128 + 128``: a window, as it is equally long in every round."""
    first, stop, step = bounds
    length = combined("-", stop, 0 if first is None else first) if stop is not None else None
    if type(length) is int and type(first) is Affine and step is None:
        return Moving(scope.register(first), length, first)
    hint = "write its start and its length, which every round has: first : +length"
    if step is not None:
        hint = "cut the window again, as in t[k : +n][::2]"
    refused = unknown(first_of(bounds) or first, "where a slice begins and ends")
    raise Failure(Problem(refused.code, refused.message, scope.span(node), hint))


def _window(node: tree.Slice, compiled: Compile) -> Callable[[Scope], Window]:
    """``a : +n``."""
    assert node.length is not None
    first = compiled(node.first or tree.NumberLiteral(node.start, node.start, 0))
    length = compiled(node.length)

    def cut(scope: Scope) -> Window:
        start = first(scope)
        if type(start) is not Reg and type(start) is not Affine:
            _placed_integer(start, node, scope)
        if node.step is not None:
            raise Failure(Problem("E0305", "a window takes no step", scope.span(node)))
        count = _placed_integer(length(scope), node, scope)
        if type(start) is Affine:
            return Moving(scope.register(start), count, start)
        return Window(start, count)

    return cut


def _placed_integer(value: Value, node: tree.ExpressionNode, scope: Scope) -> int:
    if type(value) is int:
        return value
    if type(value) is Affine:
        raise Failure(unknown(value, "the length of a window").at(scope.span(node)))
    message = f"an index is an integer, found {value_text(value)}"
    raise Failure(Problem("E0305", message, scope.span(node), as_integer(value, node, scope)))
