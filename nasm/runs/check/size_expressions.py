"""Expressions of a text as affine forms of its size and of the rounds of its loops.

What is not affine keeps the variables that it depends on, so that nothing which is decided by one
of them is taken for the same at all sizes: of a function, a list or a view these are the variables
of all its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NoReturn

from nasm.base.source import Source, Span
from nasm.language.text import tree
from nasm.language.text.walk import children
from nasm.runs.check.size_forms import SIZE, AffineForm, NotAffine, Thresholds, number
from nasm.runs.check.size_shapes import SizedTensor, view_of

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LOGICAL = ("and", "or")

Names = Mapping[str, AffineForm]


class Stopped(Exception):
    """Something that is not the same for all sizes."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason, self.span = reason, span


class SizeExpressions:
    """The forms of expressions, and what they do with the size.

    ``constants`` are the values of names that do not depend on it. ``tensors`` are tensors and
    views by their names, ``bases`` the tensors that names of views mean, ``local`` the tensors of
    the macro that is expanded. ``indexed`` are those in whose indices or shapes of views the size
    appears.
    """

    def __init__(
        self, source: Source, constants: Mapping[str, object], thresholds: Thresholds
    ) -> None:
        self.source, self.constants, self.thresholds = source, constants, thresholds
        self.tensors: dict[str, SizedTensor] = {}
        self.bases: dict[str, str] = {}
        self.local: set[str] = set()
        self.indexed: dict[str, Span] = {}

    def view(self, node: tree.ExpressionNode, names: Names) -> SizedTensor | None:
        """The tensor or view that an expression is; None if it is of none that is known."""
        try:
            return view_of(node, self.tensors, lambda each: self._argument(each, names))
        except KeyError:
            return None

    def _sized(self, node: tree.ExpressionNode) -> bool:
        """Whether an expression is a view of a tensor whose shape depends on the size."""
        known = self.tensors.get(base_of(node) or "")
        return known is not None and known.sized

    def form(self, node: tree.ExpressionNode, names: Names) -> AffineForm:
        """What an expression is for all sizes and rounds; opaque if it is not affine."""
        match node:
            case tree.NumberLiteral(value=value):
                return number(value)
            case tree.Name(name=name):
                return self._name(name, names)
            case tree.Unary(op=op, operand=operand):
                made = self.form(operand, names)
                return made.times(Fraction(-1)) if op == "-" else _other([made])
            case tree.Binary(before=before, op=op, right=right):
                return self._binary(node, op, self.form(before, names), self.form(right, names))
            case tree.Conditional(chosen=chosen, condition=condition, other=other):
                self.decides(condition, names)
                return either([self.form(chosen, names), self.form(other, names)])
            case tree.FunctionCall(function=tree.Name(name=name), arguments=arguments):
                return self._call(node, name, arguments, names)
            case tree.Subscript(before=before, items=items):
                return self._subscript(node, before, items, names)
            case tree.Method(before=before, arguments=arguments):
                forms = [self._argument(one, names) for one in arguments or ()]
                if arguments is not None and self._sized(before):
                    forms.append(AffineForm({SIZE: Fraction(1)}))
                self._size_within(before, forms, node)
                return _mixed([*forms, self.form(before, names)])
        return _mixed([self._argument(child, names) for child in children(node)])

    def compared(self, node: tree.ExpressionNode, one: AffineForm, other: AffineForm) -> int:
        """Two values are compared, which has to be regular; raises Stopped.

        Returns which is larger far from the first and the last round, as ``Thresholds`` says it.
        """
        try:
            return self.thresholds.compared(one, other)
        except NotAffine as problem:
            self.stop(str(problem), node)

    def holds(self, name: str | None, names: Names) -> bool:
        """Whether a name is a constant: neither a tensor nor a moment."""
        return name not in self.tensors and (name in names or name in self.constants)

    def decides(self, condition: tree.ExpressionNode, names: Names) -> None:
        """A condition decides what there is, which has to be regular; raises Stopped."""
        self.compared(condition, self.form(condition, names), number(0))

    def decided(self, node: tree.ExpressionNode, names: Names) -> bool:
        """Whether a node, by itself, is what the size or a round decides."""
        if isinstance(node, tree.FunctionCall):
            return any(self._sized(one) for one in node.arguments)
        return isinstance(node, tree.Name) and node.name in names and names[node.name].varies

    def rounds(self, node: tree.ExpressionNode, names: Names) -> None:
        """Moments in an argument of a macro: those of rounds before the first are none."""
        base = base_of(node)
        if isinstance(node, tree.Subscript) and base not in self.tensors:
            for item in node.items:
                for part in parts(item):
                    self.compared(part, self.form(part, names), number(0))
        for child in children(node):
            self.rounds(child, names)

    def stop(self, reason: str, node: tree.ExpressionNode) -> NoReturn:
        """Give up; raises Stopped."""
        raise Stopped(reason, Span(self.source, node.start, node.end))

    # -- kinds of expressions

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
            self.compared(node, one, other)
            return AffineForm({}, off=Fraction(1))
        if op in LOGICAL:
            for form in (one, other):
                self.compared(node, form, number(0))
            return AffineForm({}, off=Fraction(1))
        if op in ("//", "%"):
            return self._divided(node, op, one, other)
        return _other([one, other])

    def _product(self, node: tree.Binary, one: AffineForm, other: AffineForm) -> AffineForm:
        if one.fixed or other.fixed:
            fixed, form = (one, other) if one.fixed else (other, one)
            return form.times(fixed.constant)
        if one.factors and other.factors:
            self.stop("multiplies what grows with it", node)
        return _mixed([one, other])

    def _divided(
        self, node: tree.ExpressionNode, op: str, one: AffineForm, other: AffineForm
    ) -> AffineForm:
        """A quotient or a remainder."""
        if one.fixed and other.fixed and other.constant:
            whole = one.constant // other.constant
            return number(int(whole if op == "//" else one.constant - whole * other.constant))
        if not one.varies and not other.varies:
            return AffineForm(
                {}, off=max(abs(one.constant) + one.off, Fraction(1)), opaque=one.opaque
            )
        if not other.fixed:
            what = "a remainder by" if op == "%" else "a quotient by"
            grows = "what grows with it" if other.varies else "what is no known number"
            self.stop(f"takes {what} {grows}", node)
        by = self.thresholds.remainder if op == "%" else self.thresholds.quotient
        try:
            return by(one, int(other.constant))
        except NotAffine as problem:
            self.stop(str(problem), node)

    def _call(
        self,
        node: tree.ExpressionNode,
        name: str,
        arguments: tuple[tree.ExpressionNode, ...],
        names: Names,
    ) -> AffineForm:
        forms = [self._argument(one, names) for one in arguments]
        if name in ("min", "max") and forms:
            chosen = forms[0]
            for form in forms[1:]:
                larger = self.compared(node, chosen, form)
                wanted = larger if name == "max" else -larger
                chosen = either([chosen, form]) if not larger else chosen if wanted > 0 else form
            return chosen
        if name == "ceil_div" and len(forms) == 2:
            down = self._divided(node, "//", forms[0].times(Fraction(-1)), forms[1])
            return down.times(Fraction(-1))
        if name == "shape" and len(forms) == 2:
            known, axis = self.view(arguments[0], names), forms[1]
            axes = () if known is None or known.axes is None else known.axes
            if axis.fixed and -len(axes) <= axis.constant < len(axes):
                return axes[int(axis.constant)]
        if any(self._sized(one) for one in arguments):
            forms.append(AffineForm({SIZE: Fraction(1)}))
        return _other(forms)

    def _subscript(
        self,
        node: tree.ExpressionNode,
        before: tree.ExpressionNode,
        items: tuple[tree.ExpressionNode, ...],
        names: Names,
    ) -> AffineForm:
        forms = [self.form(part, names) for item in items for part in parts(item)]
        if any(form.real for form in forms):
            self.stop("an index is not affine", node)
        base = base_of(before)
        table = isinstance(before, tree.List) or self.holds(base, names)
        if table and any(form.varies for form in forms):
            self.stop("a number in a list is chosen by what grows with it", node)
        self._size_within(before, forms, node)
        return _mixed([*forms, self.form(before, names)])

    def _size_within(
        self, before: tree.ExpressionNode, forms: list[AffineForm], node: tree.ExpressionNode
    ) -> None:
        """Remember a tensor that is indexed or reshaped by the size."""
        base = base_of(before)
        if base is not None and any(SIZE in form.factors for form in forms):
            base = self.bases.get(base, base)
            if base in self.local:
                self.stop(f"it is among the indices of {base}, which a macro declares", node)
            self.indexed.setdefault(base, Span(self.source, node.start, node.end))


def either(forms: list[AffineForm]) -> AffineForm:
    """One of some, and not known which."""
    if all(not (form.factors or form.opaque or form.real) for form in forms):
        reach = max((abs(form.constant) + form.off for form in forms), default=Fraction(0))
        return AffineForm({}, off=reach)
    return _mixed(forms)


def _mixed(forms: Iterable[AffineForm]) -> AffineForm:
    """What is not known, and depends on what some forms depend on."""
    some = list(forms)
    factors = {variable: factor for form in some for variable, factor in form.factors.items()}
    return AffineForm(factors, opaque=True, real=any(form.real for form in some))


def _other(forms: list[AffineForm]) -> AffineForm:
    """What is computed in another way: a value, if the size or a round decides it."""
    made = _mixed(forms)
    return AffineForm(made.factors, opaque=True, real=made.real or bool(made.factors))


def parts(item: tree.ExpressionNode) -> list[tree.ExpressionNode]:
    """The expressions of an index."""
    if isinstance(item, tree.Slice):
        some = (item.first, item.stop, item.length, item.step)
        return [part for part in some if part is not None]
    return [item]


def base_of(node: tree.ExpressionNode) -> str | None:
    """The name that a view begins with."""
    while isinstance(node, tree.Postfix):
        node = node.before
    return node.name if isinstance(node, tree.Name) else None
