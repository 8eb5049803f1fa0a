"""Checking and computing an expression of the language of ``.expect`` on a live machine.

In addition to what expectations have there are numbers that change from moment to moment
(semaphores, registers, rounds), parts of what cores hold, and what only instructions may write of a
tensor: ``t.view(u8)``, ``sizeof(t)``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Array, DTypeError
from nasm.base.problems import Failure, Problem, Refused, did_you_mean, listed
from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.debugger.values import core_parts
from nasm.language.expanding.evaluate import evaluate
from nasm.language.expanding.functions import FUNCTIONS
from nasm.language.expanding.scope import Scope
from nasm.language.expectations.checker import METHODS, Checker
from nasm.language.expectations.constants import CONSTANT_FUNCTIONS, OPERATORS
from nasm.language.expectations.elements import Elements, Plain, Stored
from nasm.language.expectations.values import Evaluator
from nasm.language.text import tree
from nasm.runs.inspection import Inspection, RunMeasures
from nasm.views.view import METHODS as VIEW_METHODS
from nasm.views.view import View

ONLY_VIEWS = tuple(name for name in VIEW_METHODS if name not in METHODS)
"""Methods of tensors that expectations lack."""

OF_TENSORS = frozenset(FUNCTIONS) - {*CONSTANT_FUNCTIONS, "min", "max", "abs"}
"""Functions of tensors that expectations lack."""


class _Unset:
    """What a register holds that nothing has set."""

    def __repr__(self) -> str:
        return "a register that was not set"


UNSET = _Unset()


def _begins(node: tree.ExpressionNode, held: Container[str]) -> tree.ExpressionNode | None:
    """The beginning of a chain that only the language of instructions has: ``t.view(u8)``.

    Those of parts that a core has ``held`` have none: they lie in no memory.
    """
    first, links = tree.chain(node)
    if isinstance(first, tree.Name) and first.name in held:
        return None
    for link in reversed(links):
        if isinstance(link, tree.Method) and link.name in ONLY_VIEWS:
            return link
    return None


@dataclass(slots=True)
class LiveChecker(Checker):
    """``guessed`` means that some numbers are not known yet, and are placeholders.

    ``parts`` are names of what cores hold, ``semaphores`` those of semaphores.
    """

    guessed: bool = False
    parts: Mapping[str, core_parts.PartPlace] = field(default_factory=dict)
    semaphores: Container[str] = ()

    def close(self, name: str) -> str:
        """What may be meant by a name that nothing has."""
        if name in self.semaphores:
            return f"a semaphore is written '${name}'"
        return Checker.close(self, name)

    def check(self, node: tree.ExpressionNode) -> None:
        """Look through a whole expression."""
        begin = _begins(node, self.parts)
        if begin is None:
            Checker.check(self, node)
            return
        self.constant(begin)
        for link in tree.chain(node)[1]:
            if link.end <= begin.end:
                continue
            if isinstance(link, tree.Binary) and link.op not in OPERATORS:
                self.report(link, "E0222", f"'{link.op}' is for integers, and this is a tensor")
            self._link(link)

    def _first(self, node: tree.ExpressionNode) -> None:
        if isinstance(node, tree.FunctionCall) and node.function.name in OF_TENSORS:
            self.constant(node)
        elif isinstance(node, tree.RegisterName):
            message = f"whose register %r{node.number} is it?"
            self.report(node, "E0210", message, f"write its engine: @vector.%r{node.number}")
        elif isinstance(node, tree.StringLiteral):
            self.report(node, "E0210", "a file is nothing to compute with")
        else:
            Checker._first(self, node)

    def _method(self, node: tree.Method) -> None:
        if node.name in METHODS:
            Checker._method(self, node)
            return
        if node.name == "view" and self.parts:
            self._try(lambda: _dtype(node, self.scope))
            return
        known = [*METHODS, *ONLY_VIEWS]
        hint = did_you_mean(node.name, known, ".")
        if node.name in ONLY_VIEWS:
            hint = "only a tensor has it, or a part of one"
        hint = hint or f"there are {listed((f'.{m}' for m in known), 'and')}"
        self.report(node, "E0306", f"no .{node.name} of this", hint)

    def _try(self, compute: Callable[[], Any]) -> Any:
        before = len(self.problems)
        found = Checker._try(self, compute)
        if self.guessed:
            self.problems[before:] = [p for p in self.problems[before:] if p.code == "E0208"]
        return found


class Continuing(Evaluator):
    """Computes chains too whose beginning only the language of instructions has."""

    def begin(self, node: tree.ExpressionNode) -> tuple[tree.ExpressionNode, View] | None:
        """How such a chain begins, and the tensor or part of one that this is; None for others."""
        raise NotImplementedError

    def _begun(self, view: View) -> Elements:
        """The value of such a beginning."""
        raise NotImplementedError

    def value(self, node: tree.ExpressionNode) -> Elements:
        """The value of a node; raises Failure."""
        begun = self.begin(node)
        if begun is None:
            return super().value(node)
        begin, view = begun
        value = self._begun(view)
        for link in tree.chain(node)[1]:
            if link.end > begin.end:
                try:
                    value = self._continued(value, link)
                except Refused as refused:
                    raise Failure(refused.at(self.scope.span(link))) from None
        return value


class LiveEvaluator(Continuing):
    """Computes with what the machine holds now; ``counters`` are names of 32-bit integers.

    ``lacking`` says of parts that cores hold which elements are missing, if any are.
    """

    def __init__(
        self,
        scope: Scope,
        held: Inspection,
        counters: set[str],
        places: Mapping[str, core_parts.PartPlace],
        walks: bool,
    ) -> None:
        super().__init__(scope, RunMeasures(held))
        self.held, self.counters, self.places, self.walks = held, counters, places, walks
        self.incomplete = False
        self.lacking: dict[str, Array] = {}

    def begin(self, node: tree.ExpressionNode) -> tuple[tree.ExpressionNode, View] | None:
        """How a chain begins that only the language of instructions has."""
        begin = _begins(node, self.places)
        if begin is None:
            return None
        span = self.scope.span(begin)
        return begin, still(evaluate(begin, self.scope), span.text, span)

    def missing(self, view: View) -> Array | None:
        """Which elements of a view are uninitialised; None if none is."""
        access = self.held.machine.addresses.access(view)
        return access.missing() if access.uninitialised else None

    def _begun(self, view: View) -> Elements:
        return self._stored(view)

    def _first(self, node: tree.ExpressionNode) -> Elements:
        if isinstance(node, tree.FunctionCall) and node.function.name in OF_TENSORS:
            return Plain(np.asarray(float(evaluate(node, self.scope))))
        return super()._first(node)

    def _name(self, name: str) -> Elements:
        if name in self.counters:
            found = self.scope.values[name]
            number = 0 if found is UNSET else found
            return Stored(np.array(number, np.int32), dtypes.DTYPES["int32"])
        if name in self.places:
            elements, missing = self.places[name].array(self.held)
            self.lacking[name] = np.zeros(elements.shape, np.bool_) if missing is None else missing
            self.incomplete = self.incomplete or missing is not None
            return elements
        view = self.scope.values.get(name)
        if isinstance(view, View):
            return self._stored(view)
        tensor = self.held.program.tensors.get(name)
        if tensor is None:
            return super()._name(name)
        return self._stored(View.whole(tensor))

    def _continued(self, value: Elements, node: tree.Postfix) -> Elements:
        if not (isinstance(node, tree.Method) and node.name == "view"):
            return super()._continued(value, node)
        dtype = _dtype(node, self.scope)
        if not isinstance(value, Stored) or value.held.itemsize != dtype.itemsize:
            message = f"these elements are no {dtype.name}"
            hint = "they must be stored as they are, in a dtype of as many bytes"
            raise Refused("E0306", message, hint)
        return Stored(np.asarray(value.held, order="C").view(dtype.numpy), dtype)

    def _stored(self, view: View) -> Stored:
        access = self.held.machine.addresses.access(view)
        self.incomplete = self.incomplete or access.uninitialised
        try:
            return Stored(np.ascontiguousarray(access.elements), view.dtype, not self.walks)
        except DTypeError as problem:
            message = f"{view.tensor.name} is nothing to compute with: {problem}"
            raise Refused("E0210", message) from None


def still(view: Any, text: str, span: Span) -> View:
    """A view whose place is known without an instruction that executes; raises Failure."""
    assert isinstance(view, View)
    if view.dynamic or view.offsets is not None:
        message = f"'{text}' starts where "
        message += f"{view.offsets.tile.tensor.name} says" if view.offsets else "a register says"
        raise Failure(Problem("E0822", message, span, "write the number instead"))
    return view


def _dtype(node: tree.Method, scope: Scope) -> dtypes.DType:
    """The dtype as which to read bits of what a core holds; raises Failure."""
    found = [evaluate(argument, scope) for argument in node.arguments or ()]
    if len(found) == 1 and isinstance(found[0], dtypes.DType):
        return found[0]
    raise Failure(Problem("E0306", ".view takes a dtype", scope.span(node), "as in .view(i32)"))
