"""Errors in the sides of an expectation that are found without a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from nasm.base.problems import Failure, Problem, Refused, did_you_mean, listed
from nasm.base.records import dataclass, field
from nasm.language.expanding.evaluate import evaluate, free_names, name_of
from nasm.language.expanding.functions import has_tiles
from nasm.language.expanding.scope import CONSTANTS, Scope
from nasm.language.expectations.constants import (
    CONSTANT_FUNCTIONS,
    METRICS,
    WHOLE,
    chosen,
    integers,
    picked,
    steps,
)
from nasm.language.expectations.functions import COMPARE, FUNCTIONS, LOGIC, SHAPES
from nasm.language.expectations.python_calls import arguments, is_constant, is_python
from nasm.language.expectations.tiles import tile
from nasm.language.expectations.views import readable
from nasm.language.text import tree
from nasm.language.text.habits import FUNCTIONS as OTHERS
from nasm.views.value_text import value_text
from nasm.views.view import View

METHODS = ("T", "reshape", "permute")
WORDS = (*FUNCTIONS, *METRICS, *WHOLE, *CONSTANT_FUNCTIONS)


def is_condition(node: tree.ExpressionNode) -> bool:
    """Whether a node is a comparison, or comparisons joined and picked from."""
    while isinstance(node, tree.Subscript | tree.Method):
        node = node.before
    if isinstance(node, tree.Unary):
        return node.op == "not"
    return isinstance(node, tree.Binary) and (node.op in COMPARE or node.op in LOGIC)


@dataclass(slots=True)
class Checker:
    """Collects the errors of an expression that no run can fix.

    ``known`` decides which names are tensors, ``names`` are those to suggest; ``engines`` are all
    spellings of engines, or None if they are not known yet. The program uses so many ``cores``.
    Functions of Python files are known if ``python`` is set.
    """

    scope: Scope
    known: Callable[[str], bool]
    names: Collection[str] = ()
    engines: Collection[str] | None = None
    cores: int | None = None
    python: bool = False
    problems: list[Problem] = field(default_factory=list)

    def check(self, node: tree.ExpressionNode) -> None:
        """Look through a whole expression."""
        first, links = steps(node)
        if self._of_library(first, links):
            return
        try:
            found = tile(first, links, self.scope)
        except Failure as failure:
            self.problems += failure.problems
            return
        if found is None:
            self._first(first)
        for link in links if found is None else found.links:
            self._link(link)

    def _first(self, node: tree.ExpressionNode) -> None:
        match node:
            case tree.Name() | tree.Template():
                self._name(node)
            case tree.StringLiteral():
                self.report(node, "E0210", "a file can only be the whole right side")
            case tree.RegisterName():
                self.report(
                    node,
                    "E0210",
                    "a register cannot be used in an expectation",
                    "have the program store it in a tensor, and compare that",
                )
            case tree.List(items=items):
                for item in items:
                    self.check(item)
                if not items:
                    self.report(node, SHAPES, "an empty list has nothing to compare")
            case tree.Unary(op="~"):
                self._integers(node, "~")
            case tree.Unary(operand=operand):
                self.check(operand)
            case tree.Binary(op=op):
                self._integers(node, op)
            case tree.FunctionCall():
                self._call(node)
            case tree.Conditional(condition=condition):
                self._integers(condition, "if")
                if not self.problems:
                    self.check(chosen(node, self.scope))

    def _of_library(self, first: tree.ExpressionNode, links: Sequence[tree.Postfix]) -> bool:
        """Refuse ``np.exp(A)`` once, if it is one of the functions that there are."""
        if not isinstance(first, tree.Name) or not links or not isinstance(links[0], tree.Method):
            return False
        called, known = links[0], self.known(first.name) or first.name in self.scope.values
        if known or called.name not in (*WORDS, *OTHERS):
            return False
        given = [self.scope.span(argument).text for argument in called.arguments or ()]
        hint = f"write {called.name}({', '.join(given)})"
        hint = hint if called.name in WORDS else OTHERS[called.name]
        self.report(called, "E0208", f"nothing is called '{first.name}'", hint)
        return True

    def _link(self, node: tree.Postfix) -> None:
        match node:
            case tree.Binary(right=right):
                self.check(right)
            case tree.Method():
                self._method(node)
            case tree.Subscript(items=items):
                for item in items:
                    self._try(lambda item=item: picked(item, self.scope))  # type: ignore[misc]

    def report(self, node: tree.ExpressionNode, code: str, message: str, hint: str = "") -> None:
        """Keep a problem at a node."""
        self.problems.append(Problem(code, message, self.scope.span(node), hint))

    def constant(self, node: tree.ExpressionNode) -> Any:
        """The value of a constant expression, or None with its problems kept."""
        return self._try(lambda: evaluate(node, self.scope))

    def _try(self, compute: Callable[[], Any]) -> Any:
        try:
            return compute()
        except Failure as failure:
            self.problems += failure.problems
            return None

    def _name(self, node: tree.Name | tree.Template) -> None:
        name = self._try(lambda: name_of(node, self.scope))
        if name is None:
            return
        held = self.scope.values.get(name)
        if isinstance(held, View):
            try:
                readable(held)
            except Refused as refused:
                self.problems.append(refused.at(self.scope.span(node)))
            return
        if self.known(name):
            return
        found = self.scope.values.get(name, CONSTANTS.get(name))
        if found is None:
            close = self.close(name)
            if name in WORDS:
                close = f"it is called: {name}(vector)" if name in METRICS else f"write {name}(…)"
            elif name.lower() in CONSTANTS:
                close = f"it is written '{name.lower()}'"
            self.report(node, "E0208", f"nothing is called '{name}'", close)
        elif not isinstance(found, bool | int | float | list):
            self.report(node, "E0210", f"wanted a tensor or a number, found {value_text(found)}")

    def close(self, name: str) -> str:
        """What may be meant by a name that nothing has."""
        return did_you_mean(name, [*self.names, *self.scope.values])

    def _integers(self, node: tree.ExpressionNode, op: str) -> None:
        values = self.scope.values.items()
        views = {n for n, value in values if isinstance(value, View) or has_tiles(value)}
        tensors = sorted(n for n in free_names(node) if n in views or self.known(n))
        if tensors:
            self.report(
                node,
                "E0222",
                f"'{op}' is for constants, and {tensors[0]} is a tensor",
                "expectations compute in float64; comparisons are joined with 'and', 'or', 'not'",
            )
        else:
            self.constant(node)

    def _call(self, node: tree.FunctionCall) -> None:
        name = node.function.name
        if self.python and is_python(name):
            for _, argument in arguments(node):
                if is_constant(argument, self.scope):
                    self.constant(argument)
                else:
                    self.check(argument)
            return
        plain = [a for a in node.arguments if not isinstance(a, tree.NamedArgument)]
        named = [a for a in node.arguments if isinstance(a, tree.NamedArgument)]
        function = FUNCTIONS.get(name)
        fewest, most = (function.fewest, function.most) if function else (1, 1)
        if function is None and name not in WORDS:
            hint = OTHERS.get(name) or did_you_mean(name, WORDS)
            hint = hint or f"the functions are {listed(WORDS, 'and')}"
            self.report(node.function, "E0222", f"no function '{name}' in an expectation", hint)
            return
        if name in CONSTANT_FUNCTIONS:
            self._integers(node, name)
            return
        if name in WHOLE:
            fewest = most = 0
        takes = "axis" if function is not None and function.axis else ""
        self._option(name, named, "core" if name in METRICS else takes)
        if not fewest <= len(plain) <= most:
            wanted = "an engine" if name in METRICS else _arguments(fewest, most)
            self.report(node, "E0222", f"{name} takes {wanted}, found {len(plain)} arguments")
        elif name in METRICS:
            self._engine(name, plain[0])
            return
        for argument in plain:
            self.check(argument)

    def _option(self, name: str, named: list[tree.NamedArgument], takes: str) -> None:
        """The one option of a function: ``axis``, ``core`` or none."""
        for at, option in enumerate(named):
            if option.name != takes:
                hint = did_you_mean(option.name, [takes]) if takes else ""
                self.report(option, "E0222", f"{name} has no option '{option.name}'", hint)
            elif at:
                self.report(option, "E0222", f"{takes}= is given twice")
            else:
                self._whole(takes, option.value)

    def _whole(self, what: str, node: tree.ExpressionNode) -> None:
        """The value of an option: an integer, and of a core one that the program uses."""
        found = self.constant(node)
        if found is None:
            return
        if type(found) is not int:
            article = "an" if what == "axis" else "a"
            self.report(node, "E0210", f"{article} {what} is an integer, found {value_text(found)}")
        elif what == "core" and self.cores is not None and not 0 <= found < self.cores:
            used = f"cores 0 to {self.cores - 1}" if self.cores > 1 else "core 0 alone"
            self.report(node, "E0318", f"no core {found}: the program uses {used}")

    def _engine(self, metric: str, node: tree.ExpressionNode) -> None:
        if not isinstance(node, tree.Name):
            self.report(node, "E0222", f"{metric} takes the name of an engine")
        elif self.engines is not None and node.name not in self.engines:
            hint = did_you_mean(node.name, self.engines)
            hint = hint or f"the engines are {listed(sorted(self.engines), 'and')}"
            self.report(node, "E0203", f"no engine '{node.name}'", hint)

    def _method(self, node: tree.Method) -> None:
        if node.name not in METHODS:
            self.report(
                node,
                "E0222",
                f"no '.{node.name}' in an expectation",
                _as_function(node, self.scope)
                or did_you_mean(node.name, METHODS)
                or "there are .T, .reshape(…) and .permute(…)",
            )
        elif (node.arguments is None) != (node.name == "T"):
            write = "without parentheses" if node.name == "T" else "with sizes in parentheses"
            self.report(node, "E0222", f".{node.name} is written {write}")
        elif node.arguments is not None:
            self._try(lambda: integers(node, self.scope))


def _as_function(node: tree.Method, scope: Scope) -> str:
    """A hint for ``C.sum()``: functions have their tensors in parentheses; or nothing."""
    if node.name not in FUNCTIONS:
        return ""
    text = ", ".join(scope.span(n).text for n in (node.before, *(node.arguments or ())))
    return f"write {node.name}({text})"


def _arguments(fewest: int, most: int) -> str:
    if fewest == most:
        return f"{fewest} argument" + ("s" if fewest != 1 else "")
    return f"at least {fewest} argument"
