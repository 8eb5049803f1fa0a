"""Whether a text is the same for all sizes but for the rounds of its loops, and what is not.

A constant is a *size* here: what depends on it may be bounds of loops, shapes of tensors, and sums
and multiples of that. Then a larger size has more of the same rounds, and nothing else. Any other
use of it in a text is a reason why nothing is proved of larger sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from nasm.base.files import Allowed
from nasm.base.problems import Failure
from nasm.base.records import dataclass, field
from nasm.base.source import Source, Span
from nasm.language.expanding.including import Includes
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.language.text.walk import children, descendants
from nasm.program.program import Program
from nasm.runs.check.size_expressions import Names, SizeExpressions, Stopped, base_of, either
from nasm.runs.check.size_forms import SIZE, AffineForm, LoopRange, Thresholds, number
from nasm.runs.check.size_shapes import SizedTensor, declared

SKIPPED = (tree.Assert, tree.Expect, tree.Version, tree.TargetLine, tree.CoreLine, tree.DrainLine)
"""Statements that decide nothing of the order, or nothing but whether there is a program."""

EXPORTED = (tree.ExportedName, tree.ExportedTemplate, tree.ExportedNamed)

DEEPEST = 16
"""Calls of macros within calls that are followed."""


@dataclass(slots=True)
class SizeUse:
    """What a text does with its size.

    ``indexed`` are names of tensors in whose indices, or shapes of views, the size appears, each
    with its place. The first ``reason`` is why it is not the same for all sizes, if it is not.
    """

    thresholds: Thresholds
    reason: str = ""
    at: Span | None = None
    indexed: dict[str, Span] = field(default_factory=dict)


def size_use(
    source: Source, files: Allowed, name: str, program: Program, start: int, step: int
) -> SizeUse:
    """What a text does with a constant that is ``start`` or some steps more.

    ``program`` is that of one size; ``files`` are those that it may include.
    """
    found = SizeUse(Thresholds(start, step))
    walk = _Walk(source, files, name, program, found)
    try:
        walk.body(parse(source)[0].body, {})
    except Stopped as stopped:
        found.reason, found.at = stopped.reason, stopped.span
    return found


class _Walk:
    """Goes through the statements of a text once, with the forms of the names at each."""

    def __init__(
        self, source: Source, files: Allowed, name: str, program: Program, found: SizeUse
    ) -> None:
        self.name, self.thresholds = name, found.thresholds
        self.includes, self.memories = Includes(source, files), program.generation.memories
        self.values = SizeExpressions(source, program.constants, found.thresholds)
        self.values.indexed = found.indexed
        self.macros: dict[str, tuple[Source, tree.MacroStatement]] = {}
        self.outside: list[Names] = []

    # -- statements

    def body(self, statements: Iterable[tree.Statement], names: Names) -> dict[str, AffineForm]:
        """Statements, one after the other; returns the names after them."""
        known = dict(names)
        self._statements(statements, known)
        return known

    def _statements(
        self, statements: Iterable[tree.Statement], names: dict[str, AffineForm]
    ) -> None:
        for statement in statements:
            self._statement(statement, names)

    def _statement(self, statement: tree.Statement, names: dict[str, AffineForm]) -> None:
        match statement:
            case tree.Const(items=items):
                for item in items:
                    self._constant(item, names)
            case tree.For() | tree.LoopStatement():
                self._loop(statement, names)
            case tree.If(branches=branches):
                self._branches(branches, names)
            case tree.ScopeBlock(body=body):
                names |= self.body(body, names)
            case tree.TensorLine():
                self._tensor(statement, names)
            case tree.ViewLine(name=tree.Name(name=name), value=value):
                self.values.form(value, names)
                self._view(name, value, names, (self.values.tensors, self.values.bases))
            case tree.Include():
                self._include(statement, names)
            case tree.MacroStatement():
                self.macros[statement.name.name] = self.values.source, statement
            case tree.MacroCall():
                self._call(statement, names)
            case tree.InstructionLine():
                self._instruction(statement, names)
            case tree.Like(line=line):
                self._statement(line, names)
            case _ if not isinstance(statement, SKIPPED):
                inside = list(children(statement))
                self._only_fixed(inside, names, "this line depends on it")

    def _branches(
        self,
        branches: Sequence[tuple[tree.ExpressionNode | None, tuple[tree.Statement, ...]]],
        names: dict[str, AffineForm],
    ) -> None:
        """Lines of which some are made: a name may then have the form of any branch."""
        ends = [dict(names)]
        for condition, body in branches:
            if condition is not None:
                self.values.decides(condition, names)
            ends.append(self.body(body, names))
        for name in {name for end in ends for name in end}:
            forms = [end[name] for end in ends if name in end]
            same = all(form == forms[0] for form in forms)
            names[name] = forms[0] if same else either(forms)

    def _constant(self, item: tree.NamedArgument, names: dict[str, AffineForm]) -> None:
        if item.name == self.name and not self.outside:
            names[item.name] = AffineForm({SIZE: Fraction(1)})
        else:
            names[item.name] = self.values.form(item.value, names)

    def _loop(self, loop: tree.For | tree.LoopStatement, names: dict[str, AffineForm]) -> None:
        """A loop: its variable is of a number of its own if its bounds depend on the size."""
        inner = dict(names)
        variable = loop.variable.name if isinstance(loop.variable, tree.Name) else ""
        if loop.stop is None:
            self._only_fixed([loop.first], names, "a loop goes through a list that depends on it")
            inner[variable] = AffineForm({}, opaque=True)
        else:
            inner[variable] = self._variable(loop, loop.stop, names)
        if isinstance(loop, tree.LoopStatement) and loop.copies is not None:
            self._only_fixed([loop.copies.value], names, "buffers= depends on it")
            copies = self.values.form(loop.copies.value, names)
            if copies.fixed:  # what is left of the rounds comes after the loop
                self.thresholds.period = lcm(self.thresholds.period, int(copies.constant))
        self.body(loop.body, inner)

    def _variable(
        self, loop: tree.For | tree.LoopStatement, end: tree.ExpressionNode, names: Names
    ) -> AffineForm:
        first, stop = self.values.form(loop.first, names), self.values.form(end, names)
        step = number(1) if loop.step is None else self.values.form(loop.step, names)
        if step.factors or step.off or not (step.constant or step.opaque):
            self.values.stop("the step of a loop depends on it", loop.step or loop)
        for bound in (first, stop):
            if bound.off or bound.real or set(bound.factors) - {SIZE}:
                self.values.stop("a bound of a loop is not affine in it", loop)
        opaque = first.opaque or stop.opaque or step.opaque
        if not (first.factors or stop.factors):
            reach = max(abs(first.constant), abs(stop.constant), Fraction(1))
            return AffineForm({}, off=reach, opaque=opaque)
        if opaque:
            self.values.stop("a bound of a loop is not known", loop)
        key = len(self.thresholds.loops) + 1
        self.thresholds.loops[key] = LoopRange(first, stop, int(step.constant))
        return AffineForm({key: Fraction(1)})

    def _tensor(self, line: tree.TensorLine, names: dict[str, AffineForm]) -> None:
        shape = tuple(self.values.form(node, names) for node in line.shape)
        if isinstance(line.name, tree.Name):
            memory = self.memories.get(line.space.name)
            partitions = memory is not None and memory.partitions > 0
            self.values.tensors[line.name.name] = declared(line, shape, partitions)
            self.values.bases.pop(line.name.name, None)
            if self.outside:
                self.values.local.add(line.name.name)
        if line.tiles is not None:
            self._only_fixed([line.tiles], names, "how many tiles there are depends on it")
        if line.place is not None:
            places = [node for node in line.place[1:] if node is not None]
            self._only_fixed(places, names, "the place of a tensor depends on it")

    def _only_fixed(self, nodes: Iterable[tree.ExpressionNode], names: Names, reason: str) -> None:
        """Refuse what depends on the size or on rounds of which there are more with it."""
        for node in nodes:
            for _, each in descendants(node):
                if self.values.decided(each, names):
                    self.values.stop(reason, each)

    # -- texts within texts

    def _include(self, statement: tree.Include, names: dict[str, AffineForm]) -> None:
        """The lines of another text, if they were not included before."""
        outer = self.values.source
        place = Span(outer, statement.path.start, statement.path.end)
        try:
            made = self.includes.source(statement.path.value, outer, place)
        except Failure:
            self.values.stop("it includes what is no text of this language", statement)
        if made is not None:
            self.values.source = made
            self._statements(parse(made)[0].body, names)
            self.values.source = outer

    def _call(self, call: tree.MacroCall, names: dict[str, AffineForm]) -> None:
        """The lines of a macro, whose names are its parameters, its own, and those of the file."""
        macro = self.macros.get(call.name.name)
        values, arguments = self.values, list(call.arguments)
        varies = any(
            values.decided(each, names) for one in arguments for _, each in descendants(one)
        )
        if macro is None or len(self.outside) >= DEEPEST:
            values.stop("it calls macros that are not followed", call)
        source, statement = macro
        exports = any(isinstance(each, EXPORTED) for _, each in descendants(statement))
        if varies and exports:
            values.stop("a macro that exports names is called with what depends on it", call)
        outside = self.outside[0] if self.outside else dict(names)
        bound = dict(outside)
        given = dict(zip((p.name for p in statement.parameters), arguments, strict=False))
        given |= {one.name: one.value for one in arguments if isinstance(one, tree.NamedArgument)}
        held = values.source, values.tensors, values.bases, values.local
        known = dict(values.tensors), dict(values.bases)
        for name, node in given.items():
            value = node.value if isinstance(node, tree.NamedArgument) else node
            base = base_of(value)
            bound[name] = values.form(value, names)
            if base is not None and base not in values.tensors and not values.holds(base, names):
                del bound[name]  # a moment, or a word
            values.rounds(value, names)
            self._view(name, value, names, known)
        values.source, values.local = source, set(values.local)
        values.tensors, values.bases = known
        self.outside.append(outside)
        for parameter in statement.parameters:
            if parameter.name not in given and isinstance(parameter, tree.NamedArgument):
                bound[parameter.name] = values.form(parameter.value, bound)
                self._view(parameter.name, parameter.value, bound, known)
        self._statements(statement.body, bound)
        self.outside.pop()
        values.source, values.tensors, values.bases, values.local = held

    # -- lines

    def _instruction(self, line: tree.InstructionLine, names: Names) -> None:
        """An operand or a clause of an instruction line after the other."""
        for node in (*line.operands, *line.sync):
            self._used(node, names)
        if any(isinstance(node, tree.RegisterName) for node in line.operands):
            self._only_fixed(line.operands, names, "what is in a register depends on it")

    def _used(self, node: tree.ExpressionNode, names: Names) -> None:
        match node:
            case tree.NamedArgument(value=value):
                self.values.form(value, names)
            case tree.UpdateClause(value=value) | tree.TakeClause(value=value):
                if value is not None:
                    self._only_fixed([value], names, "what is posted depends on it")
            case tree.WaitClause(value=value):
                self._integer(value, names)
            case tree.PostClause(moment=moment):
                self._moment(moment, names)
            case tree.AfterClause(moments=moments):
                for moment in moments:
                    self._moment(moment, names)
            case _:
                self.values.form(node, names)

    def _moment(self, moment: tree.MomentName, names: Names) -> None:
        """A moment of a round: there may be none of its number, as of those before the first."""
        if moment.condition is not None:
            self.values.decides(moment.condition, names)
        for index in moment.indices:
            some = [index.first, index.stop] if isinstance(index, tree.IndexRange) else [index]
            for one in some:
                self.values.compared(one, self._integer(one, names), number(0))

    def _integer(self, node: tree.ExpressionNode, names: Names) -> AffineForm:
        form = self.values.form(node, names)
        if form.real or (form.opaque and form.factors):
            self.values.stop("what it waits for is not affine", node)
        return form

    def _view(
        self,
        name: str,
        value: tree.ExpressionNode,
        names: Names,
        known: tuple[dict[str, SizedTensor], dict[str, str]],
    ) -> None:
        """A name means a view from here on, or nothing of that kind; ``known`` are such names."""
        tensors, bases = known
        made, base = self.values.view(value, names), base_of(value)
        bases.pop(name, None)
        tensors.pop(name, None)
        if made is not None and base is not None:
            tensors[name], bases[name] = made, self.values.bases.get(base, base)
