"""The values of the sides of an expectation, after the run.

A name is a tensor, a constant or a loop variable, never two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from nasm.base.dtypes import Array, DType, DTypeError
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Refused
from nasm.language.expanding.evaluate import evaluate, name_of
from nasm.language.expanding.scope import Scope
from nasm.language.expectations.constants import (
    CONSTANT_FUNCTIONS,
    METRICS,
    WHOLE,
    WindowValue,
    chosen,
    integers,
    picked,
    steps,
)
from nasm.language.expectations.elements import Change, Elements, Plain, Stored, numbers
from nasm.language.expectations.functions import SHAPES, binary, call, negative, opposite
from nasm.language.expectations.python_calls import arguments, is_constant, is_python
from nasm.language.expectations.tiles import tile
from nasm.language.expectations.views import viewed
from nasm.language.text import tree
from nasm.views.value_text import value_text
from nasm.views.view import View

DEEPEST_LIST = 32


class Measures(Protocol):
    """What an expectation asks of a run that has ended."""

    files: Allowed
    """Which golden files may be read."""

    def tensor(self, name: str) -> tuple[Array, DType] | None:
        """A tensor after the run in its storage dtype, in row-major order; or None."""

    def engine(self, what: str, name: str, core: int) -> float:
        """``cycles``, ``busy``, ``util`` or ``stalls`` of an engine; refuses an unknown one."""

    def whole(self, what: str) -> float:
        """``time_us`` or ``mfu`` of the whole run; refuses an MFU that there is not."""

    def python(
        self, name: str, source: str, plain: Sequence[Any], named: Mapping[str, Any]
    ) -> Array:
        """What a function of a Python file next to a text returns; refuses one that may not run."""


class Evaluator:
    """Computes the values of nodes with which the checker found nothing wrong."""

    def __init__(self, scope: Scope, measures: Measures) -> None:
        self.scope = scope
        self.measures = measures
        self._tensors: dict[str, tuple[Array, DType] | None] = {}

    def tensor(self, name: str) -> tuple[Array, DType] | None:
        """A tensor after the run, asked for once."""
        if name not in self._tensors:
            self._tensors[name] = self.measures.tensor(name)
        return self._tensors[name]

    def value(self, node: tree.ExpressionNode) -> Elements:
        """The value of a node; raises Failure at the part that cannot be computed."""
        at, links = steps(node)
        try:
            found = tile(at, links, self.scope)
            value = self._first(at) if found is None else self._viewed(found.view)
            for at in links if found is None else found.links:
                value = self._continued(value, at)
        except Refused as refused:
            raise Failure(refused.at(self.scope.span(at))) from None
        return value

    def _first(self, node: tree.ExpressionNode) -> Elements:
        match node:
            case tree.Name() | tree.Template():
                return self._name(name_of(node, self.scope))
            case tree.List(items=items):
                return Plain(_stacked([self.value(i).array for i in items]))
            case tree.Unary(op="-", operand=operand):
                return negative(self.value(operand))
            case tree.Unary(op="not", operand=operand):
                return opposite(self.value(operand))
            case tree.FunctionCall() if node.function.name not in CONSTANT_FUNCTIONS:
                return self._call(node)
            case tree.Conditional():
                return self.value(chosen(node, self.scope))
        return Plain(_constant(evaluate(node, self.scope)))

    def _continued(self, value: Elements, node: tree.Postfix) -> Elements:
        match node:
            case tree.Binary(op=op, right=right):
                return binary(op, value, self.value(right))
            case tree.Method():
                return self._method(value, node)
            case tree.Subscript(items=items):
                picks = [picked(i, self.scope) for i in items]
                return _changed(value, lambda array: _cut(array, picks))
        raise AssertionError(node)

    def _name(self, name: str) -> Elements:
        view = self.scope.values.get(name)
        if isinstance(view, View):
            return self._viewed(view)
        held = self.tensor(name)
        if held is None:
            return Plain(_constant(self.scope.lookup(name)))
        return _stored(name, *held)

    def _viewed(self, view: View) -> Elements:
        held = self.tensor(view.tensor.name)
        assert held is not None
        return _stored(view.tensor.name, viewed(held[0], view), view.dtype)

    def _call(self, node: tree.FunctionCall) -> Elements:
        name = node.function.name
        if is_python(name):
            return self._python(node)
        if name in WHOLE:
            return Plain(numbers(np.asarray(self.measures.whole(name))))
        if name in METRICS:
            (engine,) = (a for a in node.arguments if isinstance(a, tree.Name))
            named = [a.value for a in node.arguments if isinstance(a, tree.NamedArgument)]
            core = evaluate(named[0], self.scope) if named else 0
            try:
                return Plain(numbers(np.asarray(self.measures.engine(name, engine.name, core))))
            except Refused as refused:
                raise Failure(refused.at(self.scope.span(engine))) from None
        plain = [self.value(a) for a in node.arguments if not isinstance(a, tree.NamedArgument)]
        axes = [
            evaluate(a.value, self.scope)
            for a in node.arguments
            if isinstance(a, tree.NamedArgument)
        ]
        return call(name, plain, axes[0] if axes else None)

    def _python(self, node: tree.FunctionCall) -> Elements:
        plain, named = [], {}
        for name, argument in arguments(node):
            given: Any
            if is_constant(argument, self.scope):
                given = evaluate(argument, self.scope)
            else:
                given = self.value(argument).array.copy()
            if name:
                named[name] = given
            else:
                plain.append(given)
        return Plain(self.measures.python(node.function.name, self.scope.source.name, plain, named))

    def _method(self, target: Elements, node: tree.Method) -> Elements:
        if node.name == "T":
            return _changed(target, lambda array: array.T)
        sizes, reshapes = integers(node, self.scope), node.name == "reshape"
        try:
            return _changed(
                target, lambda array: array.reshape(sizes) if reshapes else array.transpose(sizes)
            )
        except (ValueError, OverflowError):
            spelled = f".{node.name}({', '.join(map(str, sizes))})"
            message = f"{spelled} does not fit the shape {list(target.shape)}"
            raise Refused(SHAPES, message) from None


def _stored(name: str, array: Array, dtype: DType) -> Elements:
    """Elements of a tensor; refuses a dtype that cannot be compared."""
    try:
        return Stored(array, dtype)
    except DTypeError as problem:
        raise Refused("E0210", f"{name} cannot be compared: {problem}") from None


def _changed(elements: Elements, change: Change) -> Elements:
    """Elements in another shape; those of a tensor stay where they are."""
    if isinstance(elements, Stored):
        return elements.changed(change)
    return Plain(change(elements.array))


def _constant(value: Any) -> Array:
    if isinstance(value, list):
        return _stacked([_constant(v) for v in value])
    if isinstance(value, bool):
        return np.asarray(value)
    if not isinstance(value, int | float):
        raise Refused("E0210", f"wanted a tensor or a number, found {value_text(value)}")
    try:
        return np.asarray(float(value))
    except OverflowError:
        raise Refused("E0211", "a number beyond the largest float64") from None


def _stacked(items: list[Array]) -> Array:
    if len({i.shape for i in items}) != 1:
        raise Refused(SHAPES, "the items of a list have different shapes")
    if items[0].ndim >= DEEPEST_LIST:
        raise Refused(SHAPES, f"a list nested more than {DEEPEST_LIST} deep")
    return np.stack(items)


def _cut(array: Array, picks: list[int | slice | WindowValue]) -> Array:
    """The picked part; an integer drops its axis. Refuses what reaches outside or is empty."""
    if len(picks) > array.ndim:
        raise Refused("E0305", f"{len(picks)} indices for a value with {array.ndim} axes")
    items: list[int | slice] = []
    for axis, (pick, count) in enumerate(zip(picks, array.shape, strict=False)):
        where = f"axis {axis}, which has {count}"
        if isinstance(pick, WindowValue):
            first = pick.first + count if pick.first < 0 else pick.first
            if first < 0:
                raise Refused("E0305", f"index {pick.first} is outside {where}")
            pick = slice(first, first + pick.length)
        if isinstance(pick, int):
            if not -count <= pick < count:
                raise Refused("E0305", f"index {pick} is outside {where}")
        elif any(b is not None and not -count <= b <= count for b in (pick.start, pick.stop)):
            raise Refused("E0305", f"a slice reaches past {where}")
        elif not range(*pick.indices(count)):
            raise Refused("E0305", f"a slice selects nothing of {where}")
        items.append(pick)
    return np.asarray(array[tuple(items)])
