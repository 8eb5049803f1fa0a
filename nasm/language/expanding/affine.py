"""What is known of a loop's variable when a text is assembled: an affine form of its values.

In a loop at run time a variable is the number of the round, which a register holds. What
can be made of it by sums and by products with constants steps by a constant, too: a register of
its own can hold that, and the body needs no arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from nasm.base.numbers import bounded
from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.instruction import Row
from nasm.isa.kinds import Register
from nasm.program.text_items import Round
from nasm.views.value_text import value_text
from nasm.views.view import Reg

RUN_TIME = "E0231"
NO_FORM = "E0232"


class Variable(NamedTuple):
    """The variable of a loop at run time; ``first`` is its first value, if that is known."""

    loop: int
    name: str
    first: int | None
    step: int


@dataclass(frozen=True, slots=True)
class Affine:
    """A constant, and variables times constants other than 0: those of inner loops come last."""

    terms: tuple[tuple[Variable, int], ...]
    constant: int = 0

    def __str__(self) -> str:
        text = " + ".join(v.name if c == 1 else f"{v.name}*{c}" for v, c in self.terms)
        if not self.constant:
            return text
        return f"{text} {'-' if self.constant < 0 else '+'} {value_text(abs(self.constant))}"

    @property
    def innermost(self) -> int:
        """The number of the loop that changes it most often."""
        return self.terms[-1][0].loop

    @property
    def round(self) -> Round | None:
        """The same as a variable plus a constant, if it is that."""
        ((variable, factor), *more) = self.terms
        return Round(variable.loop, self.constant) if factor == 1 and not more else None

    @staticmethod
    def of(variable: Variable) -> Affine:
        """The form that is the variable."""
        return Affine(((variable, 1),))


def form(factors: Mapping[Variable, int], constant: int) -> Affine | int:
    """The form with these factors; a number if none is left of them."""
    terms = tuple(
        (variable, bounded(factors[variable])) for variable in sorted(factors) if factors[variable]
    )
    return Affine(terms, bounded(constant)) if terms else bounded(constant)


def combined(op: str, a: object, b: object) -> Affine | int:
    """What an operator makes of two values of which one is a form; raises Refused."""
    if op == "<<" and type(b) is int and 0 <= b <= 64:
        op, b = "*", 1 << b
    if op in ("//", "%") and isinstance(a, Affine) and type(b) is int and b:
        return _divided(op, a, b)
    first, second = _parts(a), _parts(b)
    if first is None or second is None or op not in ("+", "-", "*"):
        raise _none(op, a, b)
    (left, more), (right, rest) = first, second
    if op == "*":
        if left and right:
            raise _none(op, a, b)
        if right:
            left, more, rest = right, rest, more
        return form({v: c * rest for v, c in left.items()}, more * rest)
    sign = 1 if op == "+" else -1
    factors = dict(left)
    for variable, factor in right.items():
        factors[variable] = factors.get(variable, 0) + sign * factor
    return form(factors, more + sign * rest)


def _parts(value: object) -> tuple[dict[Variable, int], int] | None:
    if isinstance(value, Affine):
        return dict(value.terms), value.constant
    return ({}, value) if type(value) is int else None


def _divided(op: str, a: Affine, b: int) -> Affine | int:
    """A quotient or a remainder, where that is a form.

    A variable that steps by two is always even, or always odd.
    """
    if op == "//" and all(not factor % b for _, factor in a.terms):
        return form({v: factor // b for v, factor in a.terms}, a.constant // b)
    if op == "%":
        every = [v.first is not None and not factor * v.step % b for v, factor in a.terms]
        if all(every):
            return (a.constant + sum((v.first or 0) * factor for v, factor in a.terms)) % b
        if all(not factor % b for _, factor in a.terms):
            return a.constant % b
    raise _none(op, a, b)


def _none(op: str, a: object, b: object) -> Refused:
    """What to say of an operator that makes no form."""
    known = a if isinstance(a, Affine) else b
    sides = f"{value_text(a)} {op} {value_text(b)}"
    text = f"{sides}: a register that steps from round to round holds no such"
    hint = f"of {known}, sums and products with integers are possible"
    if op in ("%", "//", "&", ">>") and isinstance(a, Affine):
        name, count = a.terms[0][0].name, value_text(b)
        if op in (">>", "&"):
            count = "2"
        hint = f"write {count} rounds out: '.loop {name} in a..b buffers={count}'"
    return Refused(NO_FORM, f"{text} value", hint)


def refuse(value: object, what: str) -> None:
    """Refuse a form, or a list with one, for what has to be known when assembling."""
    found = first_of((value,))
    if found is not None:
        raise unknown(found, what)


def unknown(value: Affine, what: str) -> Refused:
    """What to say of a form where ``what`` wants what is known when assembling."""
    of_loop = value == Affine.of(value.terms[0][0])
    variable = ", the variable of a '.loop'," if of_loop else ""
    return Refused(
        RUN_TIME,
        f"{what} has to be known when assembling; {value}{variable} is known only at run time",
        "write the rounds that differ before or after the loop, or repeat its lines with '.for'",
    )


def first_of(values: Iterable[object]) -> Affine | None:
    """The first form among values, those of lists included."""
    for value in values:
        if isinstance(value, Affine):
            return value
        if isinstance(value, list):
            found = first_of(value)
            if found is not None:
                return found
    return None


def in_register(row: Row, name: str, given: object, register: Callable[[Affine], Reg]) -> object:
    """An operand with a register in the place of what one holds; raises Refused.

    There has to be one for it, and the operand has to take registers.
    """
    found = first_of((given,))
    if found is None:
        return given
    kind = row.kind(name)
    takes = any(isinstance(k, Register) for k in (kind, *getattr(kind, "kinds", ())))
    if given is found and takes:
        return register(found)
    raise unknown(found, f"operand {name} of {row.name}")
