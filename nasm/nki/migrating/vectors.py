"""Arithmetic of index expressions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nasm.nki.migrating.index_text import shape_of
from nasm.nki.migrating.polynomials import ONE, ZERO, Polynomial
from nasm.nki.migrating.values import IndexVector, PythonValue, Untranslatable, Value


def vector_of(value: Value) -> IndexVector | None:
    """A number or an index expression as one."""
    if isinstance(value, IndexVector):
        return value
    if isinstance(value, PythonValue):
        return IndexVector(Polynomial.parsed(value.text), (), ())
    return None


def affine(node: ast.BinOp, left: Value, right: Value) -> Value:
    """A sum, a difference, or a product with a number."""
    one, two = vector_of(left), vector_of(right)
    if one is None or two is None:
        raise Untranslatable(node, "an index that a tile decides")
    if isinstance(node.op, ast.Mult) and not (one.sizes and two.sizes):
        by, of = (one.const, two) if two.sizes else (two.const, one)
        return IndexVector(of.const * by, of.sizes, tuple(step * by for step in of.steps))
    if not isinstance(node.op, ast.Add | ast.Sub):
        raise Untranslatable(node, "an index that is no sum of vectors times numbers")
    sign = Polynomial.number(-1 if isinstance(node.op, ast.Sub) else 1)
    sizes = shape_of(node, [v for v in (one, two) if v.sizes])
    steps = [ZERO] * len(sizes)
    for vector, by in ((one, ONE), (two, sign)):
        for n, step in enumerate(vector.steps, len(sizes) - len(vector.steps)):
            steps[n] += step * by
    return IndexVector(one.const + two.const * sign, sizes, tuple(steps))


def inequality(node: ast.AST, op: ast.cmpop, left: Value, right: Value) -> list[IndexVector]:
    """A comparison: what is 0 or more where it holds."""
    one, two = vector_of(left), vector_of(right)
    if one is None or two is None:
        raise Untranslatable(node, "a mask of what is no index expression")
    less = difference(node, two, one)
    more = difference(node, one, two)
    match op:
        case ast.Lt():
            return [less_one(less)]
        case ast.LtE():
            return [less]
        case ast.Gt():
            return [less_one(more)]
        case ast.GtE():
            return [more]
    raise Untranslatable(node, "a mask with == or !=")


def difference(node: ast.AST, one: IndexVector, two: IndexVector) -> IndexVector:
    """One index expression minus another."""
    sizes = shape_of(node, [v for v in (one, two) if v.sizes])
    steps = [ZERO] * len(sizes)
    for vector, by in ((one, ONE), (two, Polynomial.number(-1))):
        for n, step in enumerate(vector.steps, len(sizes) - len(vector.steps)):
            steps[n] += step * by
    return IndexVector(one.const - two.const, sizes, tuple(steps))


def less_one(vector: IndexVector) -> IndexVector:
    """An index expression minus 1."""
    return IndexVector(vector.const - ONE, vector.sizes, vector.steps)


def with_axes(node: ast.AST, vector: IndexVector, keys: Sequence[ast.expr]) -> IndexVector:
    """An index expression with new axes of 1."""
    places = iter(zip(vector.sizes, vector.steps, strict=True))
    sizes, steps = [], []
    for key in keys:
        if isinstance(key, ast.Constant) and key.value is None:
            sizes.append(ONE)
            steps.append(ZERO)
        elif isinstance(key, ast.Slice) and key.lower is key.upper is key.step is None:
            size, step = next(places)
            sizes.append(size)
            steps.append(step)
        else:
            raise Untranslatable(node, "part of an index expression")
    return IndexVector(vector.const, tuple(sizes), tuple(steps))
