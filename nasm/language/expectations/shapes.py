"""Whether the two sides of an expectation have shapes that match, without a run.

Tensors are zeros of their shape that take no memory, and what no shape depends on is not computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nasm.base import array_files
from nasm.base.dtypes import Array, DType
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Problem, Refused
from nasm.language.expectations.constants import METRICS
from nasm.language.expectations.elements import Elements, Plain
from nasm.language.expectations.functions import broadcast, multiplies
from nasm.language.expectations.judge import fits, golden_file, opened
from nasm.language.expectations.python_calls import is_python
from nasm.language.expectations.values import Evaluator
from nasm.language.text import tree
from nasm.program.program import Expectation
from nasm.views.tensor import Tensor

MOST = 1 << 20
"""Elements up to which a function of whole arrays is computed to know the shape of its result."""


class _Unknown(Exception):
    """The shape of something would take a run to know."""


class _Zeros:
    """What an expectation asks of a run, of one that has not been: tensors of zeros."""

    def __init__(self, tensors: Mapping[str, Tensor], files: Allowed) -> None:
        self.tensors, self.files = tensors, files

    def tensor(self, name: str) -> tuple[Array, DType] | None:
        """A tensor of zeros."""
        found = self.tensors.get(name)
        if found is None:
            return None
        return np.broadcast_to(np.zeros((), found.dtype.numpy), found.shape), found.dtype

    def engine(self, what: str, name: str, core: int) -> float:
        """A number."""
        return 0.0

    def whole(self, what: str) -> float:
        """A number."""
        return 0.0

    def python(
        self, name: str, source: str, plain: Sequence[Any], named: Mapping[str, Any]
    ) -> Array:
        """What a function returns is not known."""
        raise _Unknown


class _Shapes(Evaluator):
    """Computes what shapes depend on."""

    def _continued(self, value: Elements, node: tree.Postfix) -> Elements:
        if isinstance(node, tree.Binary) and node.op == "@":
            shape = multiplies(value.shape, self.value(node.right).shape)
            return Plain(np.broadcast_to(np.zeros(()), shape))
        return super()._continued(value, node)

    def _call(self, node: tree.FunctionCall) -> Elements:
        name = node.function.name
        if is_python(name):
            raise _Unknown
        given = [a for a in node.arguments if not isinstance(a, tree.NamedArgument)]
        if name not in METRICS and sum(self.value(one).size for one in given) > MOST:
            raise _Unknown
        return super()._call(node)


def mismatch(
    expectation: Expectation, tensors: Mapping[str, Tensor], files: Allowed
) -> list[Problem]:
    """What a run would find of the shapes of an expectation; nothing where only a run knows."""
    statement, scope = opened(expectation)
    evaluator = _Shapes(scope, _Zeros(tensors, files))
    try:
        with np.errstate(all="ignore"):
            left = evaluator.value(statement.left)
            named = golden_file(expectation)
            if named is not None:
                try:
                    array_files.read_header(named[0], fits(named[0], left), files)
                except Refused as refused:
                    return [refused.at(named[1])]
            elif statement.right is not None:
                broadcast(f"'{statement.op}'", left, evaluator.value(statement.right))
    except Failure as failure:
        return list(failure.problems)
    except Refused as refused:
        return [refused.at(expectation.span)]
    except _Unknown:
        pass
    return []
