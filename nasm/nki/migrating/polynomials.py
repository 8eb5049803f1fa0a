"""Whole numbers of a kernel's text as sums of products of what it names: ``i * 128 + 64``.

Two of them are equal if they are equal whatever the names hold, as far as sums and products say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from nasm.base.records import dataclass

Product = tuple[str, ...]
"""The factors of a term that are no numbers, in order."""

PLAIN = re.compile(r"[\w.]+(\[[^\[\]()+*-]*\]|\([^()]*\))*")
"""A factor that needs no parentheses."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum: of each product how often it is counted, none of them 0 times."""

    terms: tuple[tuple[Product, int], ...] = ()

    @staticmethod
    def of(terms: Mapping[Product, int]) -> Polynomial:
        """The sum of some products."""
        return Polynomial(tuple(sorted((p, n) for p, n in terms.items() if n)))

    @staticmethod
    def number(value: int) -> Polynomial:
        """A number."""
        return Polynomial.of({(): value})

    @staticmethod
    def parsed(text: str) -> Polynomial:
        """What an expression says; what is neither a sum nor a product is a factor as it is."""
        return _read(ast.parse(text.strip(), mode="eval").body)

    @property
    def constant(self) -> int | None:
        """The number that it is; None if it depends on a name."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def __add__(self, other: Polynomial) -> Polynomial:
        made = dict(self.terms)
        for product, count in other.terms:
            made[product] = made.get(product, 0) + count
        return Polynomial.of(made)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((product, -count) for product, count in self.terms))

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        made: dict[Product, int] = {}
        for one, n in self.terms:
            for two, m in other.terms:
                product = tuple(sorted(one + two))
                made[product] = made.get(product, 0) + n * m
        return Polynomial.of(made)

    def __str__(self) -> str:
        ordered = sorted(self.terms, key=lambda term: (not term[0], term[1] < 0, term[0]))
        text = ""
        for product, count in ordered:
            factors = [_shown(factor) for factor in product]
            if abs(count) != 1 or not factors:
                factors.append(str(abs(count)))
            sign = "-" if count < 0 else "+"
            text += f" {sign} {' * '.join(factors)}" if text else _first(sign, factors)
        return text or "0"


def _first(sign: str, factors: list[str]) -> str:
    return ("-" if sign == "-" else "") + " * ".join(factors)


def _shown(factor: str) -> str:
    return factor if PLAIN.fullmatch(factor) else f"({factor})"


def _read(node: ast.expr) -> Polynomial:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return Polynomial.number(value)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_read(inner)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _read(left) + _read(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _read(left) - _read(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _read(left) * _read(right)
    return Polynomial.of({(ast.unparse(node),): 1})


ZERO, ONE = Polynomial.number(0), Polynomial.number(1)


def least(one: Polynomial, other: Polynomial) -> Polynomial:
    """The smaller of two numbers."""
    gap = (one - other).constant
    if gap is not None:
        return one if gap <= 0 else other
    return Polynomial.of({(f"min({one}, {other})",): 1})
