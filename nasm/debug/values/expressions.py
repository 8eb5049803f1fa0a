"""Expressions over a program as it stands: the language of ``.expect``, between any two events.

Beside tensors, constants and measures of engines, one may ask for semaphores (``$loaded``) and
registers (``@scalar.%r0``, ``@1.scalar.%r0`` of core 1), and for the round of a loop at run time
(``k``, ``@scalar.k``), and for parts of what a core holds (``dst``, ``@1.dst`` of core 1). What an
expression says of elements that nothing wrote is not known, and is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.asm.expanding.evaluate import evaluate, free_names, name_of
from nasm.asm.expanding.functions import FUNCTIONS
from nasm.asm.expanding.scope import CONSTANTS, Scope
from nasm.asm.expectations.checker import METHODS, Checker
from nasm.asm.expectations.constants import CONSTANT_FUNCTIONS, OPERATORS
from nasm.asm.expectations.elements import Elements, Plain, Stored
from nasm.asm.expectations.values import Evaluator
from nasm.asm.text import tree
from nasm.asm.text.parse import parse_expression
from nasm.debug.values import parts
from nasm.debug.values.missing import Missing
from nasm.debug.values.rounds import round_of, variables
from nasm.debug.values.value import Value
from nasm.dtypes import Array, DTypeError
from nasm.inspection import Inspection, Measures
from nasm.problems import Failure, Problem, Refused, did_you_mean, listed
from nasm.source import Source, Span
from nasm.spec.view import METHODS as VIEW_METHODS
from nasm.spec.view import View

_COUNTER = re.compile(
    r"\$([A-Za-z_]\w*)|@((?:\d{1,9}\.)?[A-Za-z_]\w*)\.(?:%r(\d{1,9})(?!\w)|([A-Za-z_]\w*))",
    re.ASCII,
)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_LETTERS = "_abcdefghijklmnopqrstuvwxyz"

ONLY_VIEWS = tuple(name for name in VIEW_METHODS if name not in METHODS)
"""Methods of tensors that expectations lack."""

OF_TENSORS = frozenset(FUNCTIONS) - {*CONSTANT_FUNCTIONS, "min", "max", "abs"}
"""Functions of tensors that expectations lack."""


_DATED = re.compile(r"(.*[^\s,])\s+at\s+([\w.µ-]+)\s*", re.DOTALL)


def dated(text: str) -> tuple[str, str]:
    """An expression, and the moment of which it is asked: ``acc at 2.5us``; empty for now."""
    found = _DATED.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")


Counter = Callable[[Inspection], int | None]
"""What a semaphore or a register holds; None if that is not known."""


class Expression:
    """An expression, read and checked once, which has a value at any moment.

    ``names`` are names that stand for numbers given with each question, such as the variables of
    loops; they hide those that stand for expressions, which are read as what these are now. Raises
    Failure with the place of all that is wrong with it.
    """

    __slots__ = (
        "_constants", "_counters", "_node", "_parts", "_seen", "_source", "_used", "names", "text"
    )  # fmt: skip

    def __init__(self, held: Inspection, text: str, names: Iterable[str] = ()) -> None:
        text = str(text)
        self.text, self.names = text.strip(), frozenset(names)
        self._source = Source("<expression>", held.spelled(text, self.names))
        hidden, self._counters, cores = _hidden(held, self._source)
        with _placed(self._source):
            self._node = parse_expression(
                Source("<expression>", hidden), 0, len(hidden), expectation=True
            )
        self._used = free_names(self._node)
        for name in (variables(held.program) & self._used) - self.names - {*held.program.tensors}:
            self._counters[name] = _round(name)
        constants = {**held.program.constants, **held.program.views}
        self._constants = {
            name: value
            for name in self._used
            if (value := constants.get(name)) is not None and name not in self.names
        }
        self._parts = cores | self._named(held)
        self._seen = self._view(held, {})
        if self._seen is None:
            self._check(held)

    def __repr__(self) -> str:
        return f"<expression {self.text}>"

    @property
    def used(self) -> frozenset[str]:
        """The names that stand in it."""
        return frozenset(self._used)

    @property
    def held(self) -> bool:
        """Whether parts of what cores hold stand in it."""
        return bool(self._parts)

    @property
    def span(self) -> Span:
        """All of it, as a place."""
        return Span(self._source, 0, len(self._source.text))

    def picked(self, held: Inspection) -> tuple[parts.Place, Array] | None:
        """What it is, if it only picks elements of a part that a core holds: the part, and which.

        The elements are given by their numbers in the whole part. Raises Failure.
        """
        first, links = tree.chain(self._node)
        place = self._parts.get(first.name) if isinstance(first, tree.Name) else None
        if place is None or not all(isinstance(link, tree.Index) for link in links):
            return None
        numbers = parts.Numbers(place.part, place.number, place.core)
        given = {name: counter(held) for name, counter in self._counters.items()}
        assert isinstance(first, tree.Name)
        evaluator = _Evaluator(
            self._scope(held, given), held, set(self._counters), {first.name: numbers}, True
        )
        return place, evaluator.value(self._node).array.astype(np.int64)

    # -- before it is asked

    def _named(self, held: Inspection) -> dict[str, parts.Place]:
        """The names in it that are parts of what core 0 holds, as nothing else has them."""
        taken = (held.program.tensors, self._constants, self._counters, self.names, CONSTANTS)
        return {
            name: place
            for name, place in parts.named(held.program).items()
            if name in self._used and not any(name in names for names in taken)
        }

    def _check(self, held: Inspection) -> None:
        program = held.program
        given = dict.fromkeys((*self.names, *self._counters), 1)
        scope = self._scope(held, given)
        engines = {name for e in program.generation.engines for name in (e.name, *e.aliases)}
        tensors = program.tensors
        names = {**tensors, **self._parts}
        near = {**tensors, **parts.named(program)}
        checker = _Checker(
            scope, names.__contains__, near, engines, program.cores, [], bool(given), self._parts
        )
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
        if not all(isinstance(link, tree.Index | tree.Method) for link in links):
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
        return _still(view, self.text, self.span)

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
        evaluator = _Evaluator(scope, held, set(self._counters), self._parts, _walks(self._node))
        with np.errstate(all="ignore"):
            elements = evaluator.value(self._node)
            missing = None
            if unset or evaluator.incomplete:
                about = Missing(scope, Measures(held), evaluator.missing, unset, evaluator.begin)
                about.lacking = evaluator.lacking
                missing = np.broadcast_to(about.value(self._node).array, elements.shape)
        return Value(self.text, elements, elements.dtype, missing)


class _Unset:
    """What a register holds that nothing has set."""

    def __repr__(self) -> str:
        return "a register that was not set"


UNSET = _Unset()


def _walks(node: tree.Node) -> bool:
    """Whether an expression only picks elements of a tensor, and computes nothing."""
    first, links = tree.chain(node)
    plain = all(isinstance(link, tree.Index | tree.Method) for link in links)
    return plain and isinstance(first, tree.Name | tree.Template)


# ---------------------------------------------------------------- reading one


class _placed:  # noqa: N801  (a context)
    """What is refused in a text in which names stand for others is said of the text itself."""

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


def _hidden(
    held: Inspection, source: Source
) -> tuple[str, dict[str, Counter], dict[str, parts.Place]]:
    """The text with a name, as long, for each semaphore and register, and what these hold.

    So it is for each part of what a core holds whose number is said.
    """
    text = source.text
    if "$" not in text and "@" not in text:
        return text, {}, {}
    taken = {*_WORD.findall(text), *held.program.tensors}
    counters: dict[str, Counter] = {}
    found: dict[str, str] = {}
    places, cores = parts.named(held.program), dict[str, parts.Place]()

    def of_core(match: re.Match[str]) -> str:
        core, cores_used = int(match[1]), held.program.cores
        if core >= cores_used:
            used = f"cores 0 to {cores_used - 1}" if cores_used > 1 else "core 0 alone"
            said = f"no core {core}: the program uses {used}"
            raise Failure(Problem("E0318", said, Span(source, match.start(), match.end())))
        name = found.setdefault(match[0], "") or _unused(len(match[0]), taken)
        found[match[0]], cores[name] = name, replace(places[match[2]], core=core)
        return name

    if places:
        text = parts.spelt(places).sub(of_core, text)

    def hide(match: re.Match[str]) -> str:
        spelled = match[0]
        if spelled not in found:
            name = found[spelled] = _unused(len(spelled), taken)
            try:
                counters[name] = _counter(held, match)
            except Refused as refused:
                span = Span(source, match.start(), match.end())
                raise Failure(refused.at(span)) from None
        return found[spelled]

    return _COUNTER.sub(hide, text), counters, cores


def _unused(length: int, taken: set[str]) -> str:
    """A name of a length that is not taken; takes it."""
    number = 0
    while True:
        digits, rest = "", number
        while rest:
            rest, digit = divmod(rest, len(_LETTERS))
            digits += _LETTERS[digit]
        name = digits.ljust(length, "_")
        if name not in taken and len(name) == length:
            taken.add(name)
            return name
        number += 1


def _counter(held: Inspection, match: re.Match[str]) -> Counter:
    semaphore, engine, register, variable = match.groups()
    if semaphore is not None:
        named = {**held.program.semaphores, **held.program.events}
        if semaphore not in named:
            known = did_you_mean(semaphore, named, "$")
            hint = known or "'info semaphores' lists them"
            raise Refused("E0206", f"no semaphore '${semaphore}'", hint)
        index = named[semaphore]
        return lambda held: held.machine.scheduler.semaphores[index].value
    if variable is not None:
        looping = variables(held.program)
        if variable not in looping:
            hint = did_you_mean(variable, looping) or "a register is named @vector.%r0"
            raise Refused("E0208", f"no loop at run time has the variable '{variable}'", hint)
        held.queue(engine)
        return _round(variable, engine)
    queue, number = held.queue(engine).index, int(register)
    count = held.program.generation.registers
    if number >= count:
        raise Refused("E0302", f"no register %r{number}", f"the registers are %r0 to %r{count - 1}")

    def read(held: Inspection) -> int | None:
        registers = held.machine.state.registers[queue]
        value = registers.values[number]
        return value if registers.known[number] and type(value) is int else None

    return read


def _round(name: str, engine: str = "") -> Counter:
    """The round of a loop at run time that an engine is in, or all are."""
    return lambda held: round_of(held, name, engine)


# ---------------------------------------------------------------- checking and computing it


def _begins(node: tree.Node, held: Container[str]) -> tree.Node | None:
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
class _Checker(Checker):
    """``guessed`` says that some numbers are not known yet, and stand for any others.

    ``parts`` are names of what cores hold.
    """

    guessed: bool = False
    parts: Mapping[str, parts.Place] = field(default_factory=dict)

    def check(self, node: tree.Node) -> None:
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

    def _first(self, node: tree.Node) -> None:
        if isinstance(node, tree.Call) and node.function.name in OF_TENSORS:
            self.constant(node)
        elif isinstance(node, tree.Register):
            said = f"whose register %r{node.number} is it?"
            self.report(node, "E0210", said, f"write its engine: @vector.%r{node.number}")
        elif isinstance(node, tree.Text):
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


class _Evaluator(Evaluator):
    """Computes with what the machine holds now; ``counters`` are names of 32-bit integers.

    ``lacking`` says of parts that cores hold which elements are missing, if any are.
    """

    def __init__(
        self,
        scope: Scope,
        held: Inspection,
        counters: set[str],
        places: Mapping[str, parts.Place],
        walks: bool,
    ) -> None:
        super().__init__(scope, Measures(held))
        self.held, self.counters, self.places, self.walks = held, counters, places, walks
        self.incomplete = False
        self.lacking: dict[str, Array] = {}

    def begin(self, node: tree.Node) -> tuple[tree.Node, View] | None:
        """How a chain begins that only the language of instructions has, and what that is."""
        begin = _begins(node, self.places)
        if begin is None:
            return None
        span = self.scope.span(begin)
        return begin, _still(evaluate(begin, self.scope), span.text, span)

    def missing(self, view: View) -> Array | None:
        """Which elements of a view are uninitialised; None if none is."""
        access = self.held.machine.addresses.access(view)
        return access.missing() if access.uninitialised else None

    def value(self, node: tree.Node) -> Elements:
        """The value of a node, of which expectations may lack the beginning; raises Failure."""
        begun = self.begin(node)
        if begun is None:
            return super().value(node)
        begin, view = begun
        value: Elements = self._stored(view)
        for link in tree.chain(node)[1]:
            if link.end > begin.end:
                try:
                    value = self._continued(value, link)
                except Refused as refused:
                    raise Failure(refused.at(self.scope.span(link))) from None
        return value

    def _first(self, node: tree.Node) -> Elements:
        if isinstance(node, tree.Call) and node.function.name in OF_TENSORS:
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

    def _continued(self, value: Elements, node: tree.Link) -> Elements:
        if not (isinstance(node, tree.Method) and node.name == "view"):
            return super()._continued(value, node)
        dtype = _dtype(node, self.scope)
        if not isinstance(value, Stored) or value.held.itemsize != dtype.itemsize:
            said = f"these elements are no {dtype.name}"
            hint = "they must be stored as they are, in a dtype of as many bytes"
            raise Refused("E0306", said, hint)
        return Stored(np.asarray(value.held, order="C").view(dtype.numpy), dtype)

    def _stored(self, view: View) -> Stored:
        access = self.held.machine.addresses.access(view)
        self.incomplete = self.incomplete or access.uninitialised
        try:
            return Stored(np.ascontiguousarray(access.elements), view.dtype, not self.walks)
        except DTypeError as problem:
            said = f"{view.tensor.name} is nothing to compute with: {problem}"
            raise Refused("E0210", said) from None


def _still(view: Any, text: str, span: Span) -> View:
    """A view whose place is known without an instruction that executes; raises Failure."""
    assert isinstance(view, View)
    if view.dynamic or view.offsets is not None:
        said = f"'{text}' starts where "
        said += f"{view.offsets.tile.tensor.name} says" if view.offsets else "a register says"
        raise Failure(Problem("E0822", said, span, "write the number instead"))
    return view


def _dtype(node: tree.Method, scope: Scope) -> dtypes.DType:
    """The dtype that bits of what a core holds are to be looked at as; raises Failure."""
    found = [evaluate(argument, scope) for argument in node.arguments or ()]
    if len(found) == 1 and isinstance(found[0], dtypes.DType):
        return found[0]
    raise Failure(Problem("E0306", ".view takes a dtype", scope.span(node), "as in .view(i32)"))
