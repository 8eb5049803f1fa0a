"""What a constant expression is for every size: an affine form of the size and of loops' variables.

What is not affine everywhere is affine from some size, or some round, on: a comparison has one
outcome in all rounds that are far enough from the first and the last; a remainder by a constant
repeats. How far, and after how many, is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, lcm

from nasm.base.records import dataclass, field

SIZE = 0
"""The variable of a form that is the size; loops have numbers from 1 on."""


class NotAffine(Exception):
    """An expression that is not affine, or not known to be, and why."""


@dataclass(frozen=True, slots=True)
class AffineForm:
    """Factors of variables, a constant, and by how much it may be off.

    Of an ``opaque`` one the numbers are not known, and a ``real`` one is no integer.
    """

    factors: Mapping[int, Fraction]
    constant: Fraction = Fraction(0)
    off: Fraction = Fraction(0)
    opaque: bool = False
    real: bool = False

    @property
    def fixed(self) -> bool:
        """Whether it is the same for all sizes and in all rounds."""
        return not (self.factors or self.off or self.opaque or self.real)

    @property
    def varies(self) -> bool:
        """Whether it depends on the size, or on a round of which there are more with it."""
        return bool(self.factors)

    def plus(self, other: AffineForm, sign: int = 1) -> AffineForm:
        """The sum, or the difference; of what is not known no variable cancels another."""
        factors = dict(self.factors)
        opaque = self.opaque or other.opaque
        for variable, factor in other.factors.items():
            known = Fraction(0) if opaque else factors.get(variable, Fraction(0))
            factors[variable] = known + sign * factor
        return AffineForm(
            {variable: factor for variable, factor in factors.items() if factor},
            self.constant + sign * other.constant,
            self.off + other.off,
            opaque,
            self.real or other.real,
        )

    def times(self, factor: Fraction) -> AffineForm:
        """A multiple."""
        factors = {variable: factor * each for variable, each in self.factors.items() if factor}
        off = abs(factor) * self.off
        return AffineForm(factors, factor * self.constant, off, self.opaque, self.real)


def number(value: float) -> AffineForm:
    """A constant."""
    if isinstance(value, bool) or not isinstance(value, int):
        return AffineForm({}, real=not isinstance(value, bool))
    return AffineForm({}, Fraction(value))


@dataclass(slots=True)
class LoopRange:
    """A loop of which the number of rounds grows with the size: its bounds and its step."""

    first: AffineForm
    stop: AffineForm
    step: int


@dataclass(slots=True)
class Thresholds:
    """From which round and which size on all is regular, and what it then repeats after.

    ``start`` and ``step`` are those of the sizes.
    """

    start: int
    step: int
    loops: dict[int, LoopRange] = field(default_factory=dict)
    rounds: int = 0
    size: int = 0
    period: int = 1

    def compared(self, one: AffineForm, other: AffineForm) -> int:
        """Two values are compared; raises NotAffine if that may change in the midst of a loop.

        Returns 1 where one is larger there, -1 where the other is, and 0 if neither depends on it.
        """
        form = one.plus(other, -1)
        if not form.factors:
            return 0
        if form.real or form.opaque:
            raise NotAffine("compares what is not known to be affine")
        variables = [variable for variable in form.factors if variable != SIZE]
        if not variables:
            self._of_size(form)
            return 1 if form.factors[SIZE] > 0 else -1
        if len(variables) > 1:
            raise NotAffine("compares variables of several loops")
        self._of_round(form, variables[0])
        onward = form.factors[variables[0]] * self.loops[variables[0]].step > 0
        before_last = SIZE in form.factors  # or after the first
        return 1 if onward != before_last else -1

    def _of_size(self, form: AffineForm) -> None:
        reach = (abs(form.constant) + form.off) / abs(form.factors[SIZE])
        self.size = max(self.size, ceil(reach))

    def _of_round(self, form: AffineForm, variable: int) -> None:
        """Of one loop: near its first round, or near its last."""
        factor, loop = form.factors[variable], self.loops[variable]
        bound = loop.stop if SIZE in form.factors else loop.first
        rest = form.plus(AffineForm({variable: factor}), -1).plus(bound.times(factor))
        if rest.factors:
            raise NotAffine("compares a round with a part of the size")
        reach = (abs(rest.constant) + rest.off) / abs(factor * loop.step)
        self.rounds = max(self.rounds, ceil(reach) + 1)

    def remainder(self, form: AffineForm, divisor: int) -> AffineForm:
        """What is left by a constant."""
        self._divides(form, divisor)
        if self._exact(form, divisor):
            return number(0)
        self.period = lcm(self.period, divisor)
        return AffineForm({}, off=Fraction(divisor))

    def quotient(self, form: AffineForm, divisor: int) -> AffineForm:
        """The integer quotient by a constant."""
        self._divides(form, divisor)
        exact = form.times(Fraction(1, divisor))
        if self._exact(form, divisor):
            return exact
        self.period = lcm(self.period, divisor)
        return exact.plus(AffineForm({}, off=Fraction(1)))

    def _divides(self, form: AffineForm, divisor: int) -> None:
        if divisor <= 0:
            raise NotAffine("divides by what is not a positive constant")
        if form.real or (form.opaque and form.factors):
            raise NotAffine("divides what is not known to be affine")

    def _exact(self, form: AffineForm, divisor: int) -> bool:
        """Whether a form of the size alone is a multiple of a number, for each size."""
        if form.off or form.opaque or set(form.factors) - {SIZE}:
            return False
        factor = form.factors.get(SIZE, Fraction(0))
        first = factor * self.start + form.constant
        return (factor * self.step) % divisor == 0 and first % divisor == 0
