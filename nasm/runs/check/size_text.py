"""Whether a text is the same for all sizes but for the rounds of its loops, and what is not.

A constant is a *size* here: what depends on it may be bounds of loops, shapes of tensors, and sums
and multiples of that. Then a larger size has more of the same rounds, and nothing else. Any other
use of it in a text is a reason why nothing is proved of larger sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NoReturn

from nasm.base.records import dataclass, field
from nasm.base.source import Source, Span
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.language.text.walk import children, descendants
from nasm.runs.check.size_forms import SIZE, AffineForm, LoopRange, NotAffine, Thresholds, number

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LOGICAL = ("and", "or")
SKIPPED = (tree.Assert, tree.Expect, tree.Version, tree.TargetLine, tree.CoreLine, tree.DrainLine)
"""Statements that decide nothing of the order, or nothing but whether there is a program."""

Names = Mapping[str, AffineForm]


@dataclass(slots=True)
class SizeUse:
    """What a text does with its size.

    ``indexed`` are names of tensors in whose indices, or shapes of views, the size appears, each
    with its place; ``names`` are constants that depend on it. The first ``reason`` is why it is not
    the same for all sizes, if it is not.
    """

    thresholds: Thresholds
    reason: str = ""
    at: Span | None = None
    indexed: dict[str, Span] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


def size_use(
    source: Source, name: str, constants: Mapping[str, object], start: int, step: int
) -> SizeUse:
    """What a text does with a constant that is ``start`` or some steps more.

    ``constants`` are the values of the others, for one size.
    """
    file, _ = parse(source)
    found = SizeUse(Thresholds(start, step))
    walk = _Walk(source, name, constants, found)
    try:
        walk.body(file.body, {})
    except _Stopped as stopped:
        found.reason, found.at = stopped.reason, stopped.span
    return found


class _Stopped(Exception):
    """Something that is not the same for all sizes."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason, self.span = reason, span


class _Walk:
    """Goes through the statements of a text once, with the forms of the names at each."""

    def __init__(
        self, source: Source, name: str, constants: Mapping[str, object], found: SizeUse
    ) -> None:
        self.source, self.name, self.constants, self.found = source, name, constants, found
        self.thresholds = found.thresholds
        self.views: dict[str, str] = {}
        self.macros: dict[str, tree.MacroStatement] = {}
        self.sized = set[str]()

    # -- statements

    def body(self, statements: Iterable[tree.Statement], names: Names) -> dict[str, AffineForm]:
        """Statements, one after the other; returns the names after them."""
        known = dict(names)
        for statement in statements:
            self._statement(statement, known)
        return known

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
                self.form(value, names)
                self.views[name] = _base(value) or name
            case tree.MacroStatement():
                self.macros[statement.name.name] = statement
            case tree.MacroCall(name=name, arguments=arguments):
                self._only_fixed(arguments, names, "a macro is called with what depends on it")
                if name.name in self.macros:
                    body = self.macros[name.name].body
                    self._only_fixed(body, names, "a macro depends on it")
            case tree.InstructionLine(operands=operands, sync=sync):
                for node in (*operands, *sync):
                    self._used(node, names)
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
                self.form(condition, names)
            ends.append(self.body(body, names))
        for name in {name for end in ends for name in end}:
            forms = [end[name] for end in ends if name in end]
            same = all(form == forms[0] for form in forms)
            names[name] = forms[0] if same else self._either(forms)

    def _constant(self, item: tree.NamedArgument, names: dict[str, AffineForm]) -> None:
        if item.name == self.name:
            names[item.name] = AffineForm({SIZE: Fraction(1)})
            self.found.names.add(item.name)
            return
        form = names[item.name] = self.form(item.value, names)
        if form.factors:
            self.found.names.add(item.name)

    def _loop(self, loop: tree.For | tree.LoopStatement, names: dict[str, AffineForm]) -> None:
        """A loop: its variable is of a number of its own if its bounds depend on the size."""
        inner = dict(names)
        variable = loop.variable.name if isinstance(loop.variable, tree.Name) else ""
        if loop.stop is None:
            self._only_fixed([loop.first], names, "a loop goes through a list that depends on it")
            inner[variable] = AffineForm({}, opaque=True)
        else:
            first, stop = self.form(loop.first, names), self.form(loop.stop, names)
            step = number(1) if loop.step is None else self.form(loop.step, names)
            if step.factors or step.off or not step.constant:
                self._stop("the step of a loop depends on it", loop.step or loop)
            for bound in (first, stop):
                if bound.off or bound.real or set(bound.factors) - {SIZE}:
                    self._stop("a bound of a loop is not affine in it", loop)
            key = len(self.thresholds.loops) + 1
            if first.factors or stop.factors:
                if first.opaque or stop.opaque or step.opaque:
                    self._stop("a bound of a loop is not known", loop)
                self.thresholds.loops[key] = LoopRange(first, stop, int(step.constant))
                inner[variable] = AffineForm({key: Fraction(1)})
            else:
                inner[variable] = AffineForm({}, off=self._reach(first, stop))
        if isinstance(loop, tree.LoopStatement) and loop.copies is not None:
            self._only_fixed([loop.copies.value], names, "buffers= depends on it")
            copies = self.form(loop.copies.value, names)
            if copies.fixed:  # what is left of the rounds comes after the loop
                self.thresholds.period = lcm(self.thresholds.period, int(copies.constant))
        self.body(loop.body, inner)

    def _reach(self, first: AffineForm, stop: AffineForm) -> Fraction:
        """How far the variable of a loop with constant bounds may be from 0."""
        return max(abs(first.constant), abs(stop.constant))

    def _tensor(self, line: tree.TensorLine, names: dict[str, AffineForm]) -> None:
        shape = [self.form(node, names) for node in line.shape]
        if isinstance(line.name, tree.Name) and any(SIZE in form.factors for form in shape):
            self.sized.add(line.name.name)
        if line.place is not None:
            places = [node for node in line.place[1:] if node is not None]
            self._only_fixed(places, names, "the place of a tensor depends on it")

    def _only_fixed(self, nodes: Iterable[tree.ExpressionNode], names: Names, reason: str) -> None:
        """Refuse what depends on the size or on rounds of which there are more with it."""
        for node in nodes:
            for _, each in descendants(node):
                if isinstance(each, tree.Name) and each.name in names:
                    form = names[each.name]
                    if form.factors or form.real:
                        self._stop(reason, each)

    def _used(self, node: tree.ExpressionNode, names: Names) -> None:
        """An operand or a clause of an instruction line."""
        match node:
            case tree.NamedArgument(value=value):
                self.form(value, names)
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
                self.form(node, names)

    def _moment(self, moment: tree.MomentName, names: Names) -> None:
        """A moment of a round: there may be none of its number, as of those before the first."""
        if moment.condition is not None:
            self.form(moment.condition, names)
        for index in moment.indices:
            some = [index.first, index.stop] if isinstance(index, tree.IndexRange) else [index]
            for one in some:
                form = self._integer(one, names)
                self._compared(one, form, number(0))

    def _integer(self, node: tree.ExpressionNode, names: Names) -> AffineForm:
        form = self.form(node, names)
        if form.real:
            self._stop("what it waits for is not affine", node)
        return form

    # -- expressions

    def form(self, node: tree.ExpressionNode, names: Names) -> AffineForm:
        """What an expression is for all sizes and rounds; opaque if it is neither."""
        match node:
            case tree.NumberLiteral(value=value):
                return number(value)
            case tree.Name(name=name):
                return self._name(name, names)
            case tree.Unary(op=op, operand=operand):
                made = self.form(operand, names)
                return made.times(Fraction(-1)) if op == "-" else self._other([made], node)
            case tree.Binary(before=before, op=op, right=right):
                return self._binary(node, op, self.form(before, names), self.form(right, names))
            case tree.Conditional(chosen=chosen, condition=condition, other=other):
                self.form(condition, names)
                return self._either([self.form(chosen, names), self.form(other, names)])
            case tree.FunctionCall(function=tree.Name(name=name), arguments=arguments):
                return self._call(node, name, [self._argument(one, names) for one in arguments])
            case tree.Subscript(before=before, items=items):
                return self._subscript(node, before, items, names)
            case tree.Method(before=before, arguments=arguments):
                forms = [self._argument(one, names) for one in arguments or ()]
                base = _base(before)
                if arguments is not None and self.views.get(base or "", base) in self.sized:
                    forms.append(AffineForm({SIZE: Fraction(1)}))
                self._size_within(before, forms, node)
                self.form(before, names)
                return AffineForm({}, opaque=True)
        for child in children(node):
            self.form(child, names)
        return AffineForm({}, opaque=True)

    def _argument(self, node: tree.ExpressionNode, names: Names) -> AffineForm:
        return self.form(node.value if isinstance(node, tree.NamedArgument) else node, names)

    def _name(self, name: str, names: Names) -> AffineForm:
        if name in names:
            return names[name]
        value: Any = self.constants.get(name)
        return number(value) if isinstance(value, int | float) else AffineForm({}, opaque=True)

    def _binary(self, node: tree.Binary, op: str, one: AffineForm, other: AffineForm) -> AffineForm:
        if op in "+-":
            return one.plus(other, 1 if op == "+" else -1)
        if op == "*":
            return self._product(node, one, other)
        if op in COMPARISONS:
            self._compared(node, one, other)
            return AffineForm({}, off=Fraction(1))
        if op in LOGICAL:
            return AffineForm({}, off=Fraction(1))
        if op in ("//", "%"):
            if one.fixed and other.fixed and other.constant:
                whole = one.constant // other.constant
                return number(int(whole if op == "//" else one.constant - whole * other.constant))
            return self._divided(node, op, one, other)
        return self._other([one, other], node)

    def _product(self, node: tree.Binary, one: AffineForm, other: AffineForm) -> AffineForm:
        if one.fixed or other.fixed:
            fixed, form = (one, other) if one.fixed else (other, one)
            return form.times(fixed.constant)
        if one.factors and other.factors:
            self._stop("multiplies what grows with it", node)
        return AffineForm(
            {**one.factors, **other.factors}, opaque=True, real=one.real or other.real
        )

    def _either(self, forms: list[AffineForm]) -> AffineForm:
        """One of some, and not known which."""
        if all(not (form.factors or form.opaque or form.real) for form in forms):
            reach = max(abs(form.constant) + form.off for form in forms)
            return AffineForm({}, off=reach)
        factors = {variable: factor for form in forms for variable, factor in form.factors.items()}
        return AffineForm(factors, opaque=True, real=any(form.real for form in forms))

    def _call(self, node: tree.ExpressionNode, name: str, forms: list[AffineForm]) -> AffineForm:
        if name in ("min", "max") and any(form.factors for form in forms):
            for form in forms[1:]:
                self._compared(node, forms[0], form)
        return self._either(forms) if name in ("min", "max") else self._other(forms, node)

    def _other(self, forms: list[AffineForm], node: tree.ExpressionNode) -> AffineForm:
        """What is computed in another way: a value, if the size or a round decides it."""
        if any(form.factors or form.real for form in forms):
            return AffineForm({}, real=True)
        return AffineForm({}, opaque=True)

    def _subscript(
        self,
        node: tree.ExpressionNode,
        before: tree.ExpressionNode,
        items: tuple[tree.ExpressionNode, ...],
        names: Names,
    ) -> AffineForm:
        forms = [self.form(part, names) for item in items for part in _parts(item)]
        if any(form.real for form in forms):
            self._stop("an index is not affine", node)
        table = isinstance(before, tree.List) or _base(before) in self.constants
        if table and any(form.factors for form in forms):
            self._stop("a number in a list is chosen by what grows with it", node)
        self._size_within(before, forms, node)
        self.form(before, names)
        return AffineForm({}, opaque=True)

    def _size_within(
        self, before: tree.ExpressionNode, forms: list[AffineForm], node: tree.ExpressionNode
    ) -> None:
        """Remember a tensor that is indexed or reshaped by the size."""
        base = _base(before)
        if base is not None and any(SIZE in form.factors for form in forms):
            base = self.views.get(base, base)
            self.found.indexed.setdefault(base, Span(self.source, node.start, node.end))

    def _compared(self, node: tree.ExpressionNode, one: AffineForm, other: AffineForm) -> None:
        try:
            self.thresholds.compared(one, other)
        except NotAffine as problem:
            self._stop(str(problem), node)

    def _divided(
        self, node: tree.Binary, op: str, one: AffineForm, other: AffineForm
    ) -> AffineForm:
        """A quotient or a remainder."""
        if not one.factors:
            return AffineForm(
                {}, off=max(abs(one.constant) + one.off, Fraction(1)), opaque=one.opaque
            )
        if not other.fixed:
            what = "a remainder by" if op == "%" else "a quotient by"
            grows = "what grows with it" if other.factors else "what is no known number"
            self._stop(f"takes {what} {grows}", node)
        by = self.thresholds.remainder if op == "%" else self.thresholds.quotient
        try:
            return by(one, int(other.constant))
        except NotAffine as problem:
            self._stop(str(problem), node)

    def _stop(self, reason: str, node: tree.ExpressionNode) -> NoReturn:
        raise _Stopped(reason, Span(self.source, node.start, node.end))


def _parts(item: tree.ExpressionNode) -> list[tree.ExpressionNode]:
    """The expressions of an index."""
    if isinstance(item, tree.Slice):
        some = (item.first, item.stop, item.length, item.step)
        return [part for part in some if part is not None]
    return [item]


def _base(node: tree.ExpressionNode) -> str | None:
    """The name that a view begins with."""
    while isinstance(node, tree.Postfix):
        node = node.before
    return node.name if isinstance(node, tree.Name) else None
