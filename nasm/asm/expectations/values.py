"""The sides of an expectation: what is wrong with them before a run, and their values after it.

:class:`Checker` finds what needs no run to be found; :class:`Evaluator` computes a tree that
passed it. A name is a tensor, a constant or a loop variable, never two of them. Indices, axes and
options are constant expressions of the language; so is what stands around one of the integer
operators (``& | ^ << >> ~``), which float64 lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from nasm.asm.expanding.evaluate import evaluate, free_names, name_of
from nasm.asm.expanding.scope import CONSTANTS, Scope
from nasm.asm.expectations.elements import Change, Elements, Plain, Stored, numbers
from nasm.asm.expectations.functions import (
    ARITHMETIC,
    COMPARE,
    FUNCTIONS,
    LOGIC,
    SHAPES,
    binary,
    call,
    negative,
    opposite,
)
from nasm.asm.text import tree
from nasm.dtypes import Array, DType, DTypeError
from nasm.open_files import Allowed
from nasm.problems import Failure, Problem, Refused, did_you_mean, listed
from nasm.spec.kinds import shown

METRICS = ("cycles", "busy", "util", "stalls")
CONSTANT_FUNCTIONS = ("ceil_div", "log2")
METHODS = ("T", "reshape", "permute")
DEEPEST_LIST = 32
_WORDS = (*FUNCTIONS, *METRICS, "time_us", *CONSTANT_FUNCTIONS)
_OPERATORS = (*ARITHMETIC, "@", *COMPARE, *LOGIC)


class Measures(Protocol):
    """What an expectation asks of a run that has ended."""

    files: Allowed
    """Which golden files may be read."""

    def tensor(self, name: str) -> tuple[Array, DType] | None:
        """A tensor after the run in its storage dtype, in row-major order; or None."""

    def engine(self, what: str, name: str, core: int) -> float:
        """``cycles``, ``busy``, ``util`` or ``stalls`` of an engine; refuses an unknown one."""

    def time_us(self) -> float:
        """How long the run took, in microseconds."""


def steps(node: tree.Node) -> tuple[tree.Node, list[tree.Link]]:
    """What is computed first, and the links of the chain that then continue it, in their order.

    A part with an integer operator is one constant, a chain or not.
    """
    links: list[tree.Link] = []
    while isinstance(node, tree.Link) and not _of_integers(node):
        links.append(node)
        node = node.before
    return node, links[::-1]


def _of_integers(node: tree.Link) -> bool:
    return isinstance(node, tree.Binary) and node.op not in _OPERATORS


def is_condition(node: tree.Node) -> bool:
    """Whether a node is a comparison, or comparisons joined and picked from."""
    while isinstance(node, tree.Index | tree.Method):
        node = node.before
    if isinstance(node, tree.Unary):
        return node.op == "not"
    return isinstance(node, tree.Binary) and (node.op in COMPARE or node.op in LOGIC)


# ---------------------------------------------------------------- before a run


@dataclass(slots=True)
class Checker:
    """Collects what is wrong with an expression that no run can fix.

    ``known`` decides which names are tensors, ``names`` are those to suggest; ``engines`` are all
    spellings of engines, or None if they are not known yet. The program uses so many ``cores``.
    """

    scope: Scope
    known: Callable[[str], bool]
    names: Collection[str] = ()
    engines: Collection[str] | None = None
    cores: int | None = None
    problems: list[Problem] = field(default_factory=list)

    def check(self, node: tree.Node) -> None:
        """Look through a whole expression."""
        first, links = steps(node)
        self._first(first)
        for link in links:
            self._link(link)

    def _first(self, node: tree.Node) -> None:
        match node:
            case tree.Name() | tree.Template():
                self._name(node)
            case tree.Text():
                self.report(node, "E0210", "a file can only be the whole right side")
            case tree.Register():
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
            case tree.Call():
                self._call(node)

    def _link(self, node: tree.Link) -> None:
        match node:
            case tree.Binary(right=right):
                self.check(right)
            case tree.Method():
                self._method(node)
            case tree.Index(items=items):
                for item in items:
                    self._try(lambda item=item: _picked(item, self.scope))  # type: ignore[misc]

    def report(self, node: tree.Node, code: str, message: str, hint: str = "") -> None:
        """Keep a problem at a node."""
        self.problems.append(Problem(code, message, self.scope.span(node), hint))

    def constant(self, node: tree.Node) -> Any:
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
        if name is None or self.known(name):
            return
        found = self.scope.values.get(name, CONSTANTS.get(name))
        if found is None:
            close = did_you_mean(name, [*self.names, *self.scope.values])
            self.report(node, "E0208", f"nothing is called '{name}'", close)
        elif not isinstance(found, bool | int | float | list):
            self.report(node, "E0210", f"wanted a tensor or a number, found {shown(found)}")

    def _integers(self, node: tree.Node, op: str) -> None:
        tensors = sorted(n for n in free_names(node) if self.known(n))
        if tensors:
            self.report(
                node,
                "E0222",
                f"'{op}' is for constants, and {tensors[0]} is a tensor",
                "expectations compute in float64; comparisons are joined with 'and', 'or', 'not'",
            )
        else:
            self.constant(node)

    def _call(self, node: tree.Call) -> None:
        name = node.function.name
        plain = [a for a in node.arguments if not isinstance(a, tree.Named)]
        named = [a for a in node.arguments if isinstance(a, tree.Named)]
        function = FUNCTIONS.get(name)
        fewest, most = (function.fewest, function.most) if function else (1, 1)
        if function is None and name not in _WORDS:
            hint = did_you_mean(name, _WORDS) or f"the functions are {listed(_WORDS, 'and')}"
            self.report(node.function, "E0222", f"no function '{name}' in an expectation", hint)
            return
        if name in CONSTANT_FUNCTIONS:
            self._integers(node, name)
            return
        if name == "time_us":
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

    def _option(self, name: str, named: list[tree.Named], takes: str) -> None:
        """The one option of a function: ``axis``, ``core`` or none."""
        for at, option in enumerate(named):
            if option.name != takes:
                hint = did_you_mean(option.name, [takes]) if takes else ""
                self.report(option, "E0222", f"{name} has no option '{option.name}'", hint)
            elif at:
                self.report(option, "E0222", f"{takes}= is given twice")
            else:
                self._whole(takes, option.value)

    def _whole(self, what: str, node: tree.Node) -> None:
        """The value of an option: an integer, and of a core one that the program uses."""
        found = self.constant(node)
        if found is None:
            return
        if type(found) is not int:
            article = "an" if what == "axis" else "a"
            self.report(node, "E0210", f"{article} {what} is an integer, found {shown(found)}")
        elif what == "core" and self.cores is not None and not 0 <= found < self.cores:
            used = f"cores 0 to {self.cores - 1}" if self.cores > 1 else "core 0 alone"
            self.report(node, "E0318", f"no core {found}: the program uses {used}")

    def _engine(self, metric: str, node: tree.Node) -> None:
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
                did_you_mean(node.name, METHODS) or "there are .T, .reshape(…) and .permute(…)",
            )
        elif (node.arguments is None) != (node.name == "T"):
            write = "without parentheses" if node.name == "T" else "with sizes in parentheses"
            self.report(node, "E0222", f".{node.name} is written {write}")
        elif node.arguments is not None:
            self._try(lambda: _sizes(node, self.scope))


def _arguments(fewest: int, most: int) -> str:
    if fewest == most:
        return f"{fewest} argument" + ("s" if fewest != 1 else "")
    return f"at least {fewest} argument"


# ---------------------------------------------------------------- after it


class Evaluator:
    """Computes the values of nodes that a :class:`Checker` found nothing wrong with."""

    def __init__(self, scope: Scope, measures: Measures) -> None:
        self.scope = scope
        self.measures = measures
        self._tensors: dict[str, tuple[Array, DType] | None] = {}

    def tensor(self, name: str) -> tuple[Array, DType] | None:
        """A tensor after the run, asked for once."""
        if name not in self._tensors:
            self._tensors[name] = self.measures.tensor(name)
        return self._tensors[name]

    def value(self, node: tree.Node) -> Elements:
        """The value of a node; raises Failure at the part that cannot be computed."""
        at, links = steps(node)
        try:
            value = self._first(at)
            for at in links:
                value = self._continued(value, at)
        except Refused as refused:
            raise Failure(refused.at(self.scope.span(at))) from None
        return value

    def _first(self, node: tree.Node) -> Elements:
        match node:
            case tree.Name() | tree.Template():
                return self._name(name_of(node, self.scope))
            case tree.List(items=items):
                return Plain(_stacked([self.value(i).array for i in items]))
            case tree.Unary(op="-", operand=operand):
                return negative(self.value(operand))
            case tree.Unary(op="not", operand=operand):
                return opposite(self.value(operand))
            case tree.Call() if node.function.name not in CONSTANT_FUNCTIONS:
                return self._call(node)
        return Plain(_constant(evaluate(node, self.scope)))

    def _continued(self, value: Elements, node: tree.Link) -> Elements:
        match node:
            case tree.Binary(op=op, right=right):
                return binary(op, value, self.value(right))
            case tree.Method():
                return self._method(value, node)
            case tree.Index(items=items):
                picks = [_picked(i, self.scope) for i in items]
                return _changed(value, lambda array: _cut(array, picks))
        raise AssertionError(node)

    def _name(self, name: str) -> Elements:
        held = self.tensor(name)
        if held is None:
            return Plain(_constant(self.scope.lookup(name)))
        try:
            return Stored(*held)
        except DTypeError as problem:
            raise Refused("E0210", f"{name} cannot be compared: {problem}") from None

    def _call(self, node: tree.Call) -> Elements:
        name = node.function.name
        if name == "time_us":
            return Plain(numbers(np.asarray(self.measures.time_us())))
        if name in METRICS:
            (engine,) = (a for a in node.arguments if isinstance(a, tree.Name))
            named = [a.value for a in node.arguments if isinstance(a, tree.Named)]
            core = evaluate(named[0], self.scope) if named else 0
            try:
                return Plain(numbers(np.asarray(self.measures.engine(name, engine.name, core))))
            except Refused as refused:
                raise Failure(refused.at(self.scope.span(engine))) from None
        plain = [self.value(a) for a in node.arguments if not isinstance(a, tree.Named)]
        axes = [evaluate(a.value, self.scope) for a in node.arguments if isinstance(a, tree.Named)]
        return call(name, plain, axes[0] if axes else None)

    def _method(self, target: Elements, node: tree.Method) -> Elements:
        if node.name == "T":
            return _changed(target, lambda array: array.T)
        sizes, reshapes = _sizes(node, self.scope), node.name == "reshape"
        try:
            return _changed(
                target, lambda array: array.reshape(sizes) if reshapes else array.transpose(sizes)
            )
        except (ValueError, OverflowError):
            spelled = f".{node.name}({', '.join(map(str, sizes))})"
            said = f"{spelled} does not fit the shape {list(target.shape)}"
            raise Refused(SHAPES, said) from None


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
        raise Refused("E0210", f"wanted a tensor or a number, found {shown(value)}")
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


def _sizes(node: tree.Method, scope: Scope) -> list[int]:
    """The integers a method is given, one by one or as a list."""
    given = [evaluate(a, scope) for a in node.arguments or ()]
    sizes = given[0] if len(given) == 1 and isinstance(given[0], list) else given
    for size in sizes:
        if type(size) is not int:
            message = f".{node.name} takes integers, found {shown(size)}"
            raise Failure(Problem("E0222", message, scope.span(node)))
    return sizes


# ---------------------------------------------------------------- indices


@dataclass(frozen=True, slots=True)
class _Window:
    """``first : +length``."""

    first: int
    length: int


def _picked(node: tree.Node, scope: Scope) -> int | slice | _Window:
    """One item between brackets, as numbers."""
    if not isinstance(node, tree.Slice):
        return _integer(node, scope)
    first, stop, length, step = (
        None if part is None else _integer(part, scope)
        for part in (node.first, node.stop, node.length, node.step)
    )
    if step == 0:
        raise Failure(Problem("E0305", "a slice with step 0", scope.span(node)))
    if length is None:
        return slice(first, stop, step)
    if step is not None:
        raise Failure(Problem("E0305", "a window takes no step", scope.span(node)))
    return _Window(first or 0, length)


def _integer(node: tree.Node, scope: Scope) -> int:
    value = evaluate(node, scope)
    if type(value) is not int:
        message = f"an index is an integer, found {shown(value)}"
        raise Failure(Problem("E0305", message, scope.span(node)))
    return value


def _cut(array: Array, picks: list[int | slice | _Window]) -> Array:
    """The picked part; an integer drops its axis. Refuses what reaches outside or is empty."""
    if len(picks) > array.ndim:
        raise Refused("E0305", f"{len(picks)} indices for a value with {array.ndim} axes")
    items: list[int | slice] = []
    for axis, (pick, count) in enumerate(zip(picks, array.shape, strict=False)):
        where = f"axis {axis}, which has {count}"
        if isinstance(pick, _Window):
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
