"""Expressions over the state of a run: the language of ``.expect``, between any two events.

In addition to tensors, constants and measures of engines, they may use semaphores (``$loaded``) and
registers (``@scalar.%r0``, ``@1.scalar.%r0`` of core 1), and for the round of a loop at run time
(``k``, ``@scalar.k``), and for parts of what a core holds (``dst``, ``@1.dst`` of core 1). The
value of an expression for elements that nothing wrote is not known, and is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from nasm.base.dtypes import Array
from nasm.base.problems import Failure, Problem
from nasm.base.records import replace
from nasm.base.source import Source, Span
from nasm.debugger.values import core_parts
from nasm.debugger.values.counters import round_now, with_names
from nasm.debugger.values.evaluation import ONLY_VIEWS, UNSET, LiveChecker, LiveEvaluator, still
from nasm.debugger.values.rounds import variables
from nasm.debugger.values.unknown_values import Missing
from nasm.debugger.values.value import Value
from nasm.language.expanding.evaluate import evaluate, free_names, name_of
from nasm.language.expanding.functions import has_tiles
from nasm.language.expanding.scope import CONSTANTS, Scope
from nasm.language.expectations.elements import Stored
from nasm.language.text import tree
from nasm.language.text.parse import parse_expression
from nasm.runs.inspection import Inspection
from nasm.views.tensor import Tensor
from nasm.views.view import View

_DATED = re.compile(r"(.*[^\s,])\s+at\s+([\w.µ-]+)\s*", re.DOTALL)


def dated(text: str) -> tuple[str, str]:
    """An expression, and the moment of which it is asked: ``acc at 2.5us``; empty for now."""
    found = _DATED.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")


class Expression:
    """An expression, read and checked once, which has a value at any moment.

    ``names`` are names of numbers given with each question, such as the variables of loops; they
    hide names of expressions, which are replaced by their current expressions. Raises Failure with
    the place of all that is wrong with it.
    """

    __slots__ = (
        "_constants", "_counters", "_node", "_numbered", "_parts", "_seen", "_source", "_used",
        "names", "text",
    )  # fmt: skip

    def __init__(self, held: Inspection, text: str, names: Iterable[str] = ()) -> None:
        text = str(text)
        self.text, self.names = text.strip(), frozenset(names)
        self._source = Source("<expression>", held.spelled(text, self.names))
        hidden, self._counters, cores = with_names(held, self._source)
        with _placed(self._source):
            self._node = parse_expression(
                Source("<expression>", hidden), 0, len(hidden), expectation=True
            )
        self._used = free_names(self._node)
        for name in (variables(held.program) & self._used) - self.names - {*held.program.tensors}:
            self._counters[name] = round_now(name)
        constants = {**held.program.constants, **held.program.views}
        self._constants = {
            name: value
            for name in self._used
            if (value := constants.get(name)) is not None and name not in self.names
        }
        self._parts = cores | self._named(held)
        self._numbered = any(t.memory.numbered for t in self._tensors(held))
        self._seen = self._view(held, {})
        if self._seen is None:
            self._check(held)

    def __repr__(self) -> str:
        return f"<expression {self.text}>"

    @property
    def used(self) -> frozenset[str]:
        """The names used in it."""
        return frozenset(self._used)

    @property
    def held(self) -> bool:
        """Whether parts of what cores hold are used in it."""
        return bool(self._parts)

    @property
    def polled(self) -> bool:
        """Whether it changes by what cores hold: parts of that, and memory that it writes."""
        return bool(self._parts) or self._numbered

    @property
    def view(self) -> View | None:
        """The part of a tensor that all of it is; none if it is computed."""
        return self._seen

    @property
    def span(self) -> Span:
        """All of it, as a place."""
        return Span(self._source, 0, len(self._source.text))

    def picked(self, held: Inspection) -> tuple[core_parts.PartPlace, Array] | None:
        """What it is, if it only picks elements of a part that a core holds: the part, and which.

        The elements are given by their numbers in the whole part. Raises Failure.
        """
        first, links = tree.chain(self._node)
        place = self._parts.get(first.name) if isinstance(first, tree.Name) else None
        if place is None or not all(isinstance(link, tree.Subscript) for link in links):
            return None
        numbers = core_parts.PartNumbers(place.part, place.number, place.core)
        given = {name: counter(held) for name, counter in self._counters.items()}
        assert isinstance(first, tree.Name)
        evaluator = LiveEvaluator(
            self._scope(held, given), held, set(self._counters), {first.name: numbers}, True
        )
        return place, evaluator.value(self._node).array.astype(np.int64)

    # -- before it is asked

    def _named(self, held: Inspection) -> dict[str, core_parts.PartPlace]:
        """The names in it that are parts of what core 0 holds, as nothing else has them."""
        taken = (held.program.tensors, self._constants, self._counters, self.names, CONSTANTS)
        return {
            name: place
            for name, place in core_parts.named(held.program).items()
            if name in self._used and not any(name in names for names in taken)
        }

    def _tensors(self, held: Inspection) -> Iterator[Tensor]:
        """The tensors used in it."""
        tensors = held.program.tensors
        yield from (tensors[name] for name in self._used if name in tensors)
        yield from (v.tensor for v in self._constants.values() if isinstance(v, View))
        arrays = (v for v in self._constants.values() if isinstance(v, list) and has_tiles(v))
        yield from (tile.tensor for tiles in arrays for tile in tiles)

    def _check(self, held: Inspection) -> None:
        program = held.program
        given = dict.fromkeys((*self.names, *self._counters), 1)
        scope = self._scope(held, given)
        engines = {name for e in program.generation.engines for name in (e.name, *e.aliases)}
        tensors = program.tensors
        names = {**tensors, **self._parts}
        near = {**tensors, **core_parts.named(program)}
        checker = LiveChecker(
            scope, names.__contains__, near, engines, program.cores,
            guessed=bool(given), parts=self._parts,
            semaphores={*program.semaphores, *program.events},
        )  # fmt: skip
        checker.check(self._node)
        if checker.problems:
            raise Failure(checker.problems)

    def _scope(self, held: Inspection, given: Mapping[str, Any]) -> Scope:
        return Scope(self._source, {**self._constants, **given}, held.program.tensors)

    def _view(self, held: Inspection, given: Mapping[str, Any]) -> View | None:
        """The part of a tensor that all of it is, in the language of instructions."""
        first, links = tree.chain(self._node)
        if not isinstance(first, tree.Name | tree.Template):
            return None
        if not all(isinstance(link, tree.Subscript | tree.Method) for link in links):
            return None
        if self._used & (self.names | set(self._counters)) and not given:
            return None
        scope = self._scope(held, given)
        name = name_of(first, scope)
        if name not in held.program.tensors and not isinstance(scope.values.get(name), View):
            return None
        try:
            view = evaluate(self._node, scope)
        except Failure as failure:
            engine_only = any(isinstance(n, tree.Method) and n.name in ONLY_VIEWS for n in links)
            if engine_only or failure.problems[0].code != "E0306":
                raise
            return None
        assert isinstance(view, View)
        return still(view, self.text, self.span)

    # -- asking

    def value(self, held: Inspection, names: Mapping[str, int | float] | None = None) -> Value:
        """Its value now; raises Failure at what cannot be computed."""
        given: dict[str, Any] = dict(names or {})
        unset = set()
        for name, counter in self._counters.items():
            found = counter(held)
            given[name] = UNSET if found is None else found
            if found is None:
                unset.add(name)
        if self._seen is not None:
            return self._part(held, self._seen)
        if given and (view := self._view(held, given)) is not None:
            return self._part(held, view)
        return self._computed(held, given, unset)

    def _part(self, held: Inspection, view: View) -> Value:
        access = held.machine.addresses.access(view)
        elements = Stored(access.elements, view.dtype, computes=False)
        missing = access.missing() if access.uninitialised else None
        return Value(self.text, elements, view.dtype, missing, view)

    def _computed(self, held: Inspection, given: Mapping[str, Any], unset: set[str]) -> Value:
        scope = self._scope(held, given)
        evaluator = LiveEvaluator(scope, held, set(self._counters), self._parts, _walks(self._node))
        with np.errstate(all="ignore"):
            elements = evaluator.value(self._node)
            missing = None
            if unset or evaluator.incomplete:
                about = Missing(scope, evaluator, unset)
                missing = np.broadcast_to(about.value(self._node).array, elements.shape)
        return Value(self.text, elements, elements.dtype, missing)


def _walks(node: tree.ExpressionNode) -> bool:
    """Whether an expression only picks elements of a tensor, and computes nothing."""
    first, links = tree.chain(node)
    plain = all(isinstance(link, tree.Subscript | tree.Method) for link in links)
    return plain and isinstance(first, tree.Name | tree.Template)


class _placed:  # noqa: N801  (a context)
    """An error in a text whose names were replaced is reported for the text itself."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Failure):
            raise Failure(map(self._placed, error.problems)) from None

    def _placed(self, problem: Problem) -> Problem:
        hint = "" if problem.code == "E0101" else problem.hint  # it is of lines of a program
        if problem.span is None:
            return replace(problem, hint=hint)
        return replace(problem, hint=hint, span=replace(problem.span, source=self.source))
