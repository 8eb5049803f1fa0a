"""Which part of an expression's value is not known: it depends on bytes that nothing wrote."""

from __future__ import annotations

import numpy as np

from nasm.base.dtypes import Array
from nasm.debugger.values.evaluation import Continuing, LiveEvaluator
from nasm.language.expanding.evaluate import evaluate, free_names
from nasm.language.expanding.scope import Scope
from nasm.language.expectations.constants import CONSTANT_FUNCTIONS
from nasm.language.expectations.elements import Elements, Plain
from nasm.language.expectations.functions import FUNCTIONS
from nasm.language.text import tree
from nasm.views.view import View


class Missing(Continuing):
    """Walks an expression as the evaluator does, and computes which elements are not known.

    ``evaluator`` has computed it; ``unset`` are names of numbers that are not known. What an
    element needs is what arithmetic needs of it: a zero times something unknown is unknown.
    """

    def __init__(self, scope: Scope, evaluator: LiveEvaluator, unset: set[str]) -> None:
        super().__init__(scope, evaluator.measures)
        self.evaluator, self.unset = evaluator, unset
        self.lacking = evaluator.lacking

    def begin(self, node: tree.ExpressionNode) -> tuple[tree.ExpressionNode, View] | None:
        """As the evaluator says."""
        return self.evaluator.begin(node)

    def _begun(self, view: View) -> Elements:
        found = self.evaluator.missing(view)
        return Plain(np.zeros(view.shape, np.bool_) if found is None else found)

    def _name(self, name: str) -> Elements:
        if name in self.lacking:
            return Plain(self.lacking[name])
        tensor = self.scope.tensors.get(name)
        if name in self.scope.values or tensor is None:
            found = super()._name(name) if name not in self.unset else None
            shape = () if found is None else found.shape
            return Plain(np.full(shape, name in self.unset))
        return self._begun(View.whole(tensor))

    def _first(self, node: tree.ExpressionNode) -> Elements:
        match node:
            case tree.Name() | tree.Template() | tree.List():
                return super()._first(node)
            case tree.Unary(op="-" | "not", operand=operand):
                return self.value(operand)
            case tree.FunctionCall(function=tree.Name(name=name)) if name in FUNCTIONS:
                return self._call(node)
            case tree.FunctionCall(function=tree.Name(name=name)) if name not in CONSTANT_FUNCTIONS:
                return Plain(np.asarray(False))  # a measure, or a size
        return Plain(np.asarray(bool(free_names(node) & self.unset)))

    def _continued(self, value: Elements, node: tree.Postfix) -> Elements:
        if isinstance(node, tree.Method) and node.name == "view":
            return value  # the same elements, looked at otherwise
        if not isinstance(node, tree.Binary):
            return super()._continued(value, node)
        right = self.value(node.right).array
        if node.op == "@":
            return Plain(_multiplied(value.array, right))
        return Plain(np.logical_or(value.array, right))

    def _call(self, node: tree.FunctionCall) -> Elements:
        name, function = node.function.name, FUNCTIONS[node.function.name]
        plain = [
            self.value(a).array for a in node.arguments if not isinstance(a, tree.NamedArgument)
        ]
        axes = [
            evaluate(a.value, self.scope)
            for a in node.arguments
            if isinstance(a, tree.NamedArgument)
        ]
        first = plain[0]
        if len(plain) > 1 or not function.axis:
            missing = first
            for other in plain[1:]:
                missing = np.logical_or(missing, other)
            return Plain(np.asarray(missing))
        if name == "cumsum":
            return Plain(np.logical_or.accumulate(first, axis=axes[0] if axes else -1))
        if name == "softmax":
            any_of = first.any(axis=axes[0] if axes else -1, keepdims=True)
            return Plain(np.broadcast_to(any_of, first.shape))
        return Plain(np.asarray(first.any(axis=axes[0] if axes else None)))


def _multiplied(left: Array, right: Array) -> Array:
    """Which elements of a product of matrices depend on something missing."""
    rows = np.asarray(left.any(axis=-1))
    columns = np.asarray(right.any(axis=-2 if right.ndim > 1 else -1))
    if left.ndim > 1 and right.ndim > 1:
        return np.asarray(rows[..., :, None] | columns[..., None, :])
    return np.asarray(rows | columns)
