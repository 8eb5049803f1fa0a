"""TensorTensor, TensorScalar, ScalarTensorTensor and Reciprocal, element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.neuron import operators, scalar

Stage = tuple[str, Any, bool]
"""An operator, its operand (a number or a [P, 1] array), and whether its sides are swapped."""


def each(data: Any, element: Callable[[int, int], Any], dtype: str) -> Any:
    """A [P, N] array, element by element; data gives the shape."""
    return scalar.each(data.shape, element, dtype)


def widened(value: Any) -> float:
    """An element as an engine reads it."""
    return scalar.f(float(value))


def _of(operand: Any, p: int) -> Any:
    return operand[p, 0] if getattr(operand, "ndim", 0) else operand


def tensor_tensor(x: Any, y: Any, op: str, dtype: str) -> Any:
    """nki.isa.tensor_tensor: dst = out(op(f(data1), f(data2)))."""
    return each(
        x,
        lambda p, n: scalar.out(operators.apply(op, widened(x[p, n]), widened(y[p, n])), dtype),
        dtype,
    )


def exact_tensor_tensor(x: Any, y: Any, op: str, dtype: str) -> Any:
    """nki.isa.tensor_tensor on GpSimd with 32-bit integers throughout: exact, modulo 2**32."""
    return each(x, lambda p, n: operators.exact(op, int(x[p, n]), int(y[p, n]), dtype), dtype)


def bits_tensor_tensor(x: Any, y: Any, op: str, dtype: str) -> Any:
    """nki.isa.tensor_tensor, bitvec: integers of one width as they are."""
    name = str(x.dtype)

    def element(p: int, n: int) -> Any:
        made = scalar.bitwise(op, int(x[p, n]), int(y[p, n]), name)
        return scalar.bitwise("bitwise_or", made, 0, dtype)

    return each(x, element, dtype)


def tensor_scalar(data: Any, stages: Sequence[Stage], dtype: str) -> Any:
    """nki.isa.tensor_scalar, arithmetic: each stage is rounded to float32."""

    def element(p: int, n: int) -> Any:
        value = widened(data[p, n])
        for op, operand, reverse in stages:
            value = operators.staged(op, value, widened(_of(operand, p)), reverse)
        return scalar.out(value, dtype)

    return each(data, element, dtype)


def exact_tensor_scalar(data: Any, stages: Sequence[Stage], dtype: str) -> Any:
    """nki.isa.tensor_scalar, 32-bit integers: exact, modulo 2**32."""

    def element(p: int, n: int) -> Any:
        value, name = int(data[p, n]), str(data.dtype)
        for op, operand, reverse in stages:
            given = operators.wrapped(int(_of(operand, p)), name)
            x, y = (given, value) if reverse else (value, given)
            value = operators.exact(op, x, y, name)
        return operators.wrapped(value, dtype)

    return each(data, element, dtype)


def bits_tensor_scalar(data: Any, stages: Sequence[Stage], dtype: str) -> Any:
    """nki.isa.tensor_scalar, bitvec: the bits of data and of integers of its width."""
    name = str(data.dtype)

    def element(p: int, n: int) -> Any:
        value = int(data[p, n])
        for op, operand, reverse in stages:
            if op == "bypass":
                continue
            given = int(_of(operand, p))
            x, y = (given, value) if reverse and op != "invert" else (value, given)
            value = scalar.bitwise(op, x, y, name)
        return scalar.bitwise("bitwise_or", value, 0, dtype)

    return each(data, element, dtype)


def scalar_tensor_tensor(data: Any, first: Stage, second: Stage, dtype: str) -> Any:
    """nki.isa.scalar_tensor_tensor: dst = out(op1(op0(f(data), a0), f(operand1)))."""
    (op0, a0, reverse0), (op1, operand1, reverse1) = first, second

    def element(p: int, n: int) -> Any:
        value = operators.staged(op0, widened(data[p, n]), widened(_of(a0, p)), reverse0)
        value = operators.staged(op1, value, widened(operand1[p, n]), reverse1)
        return scalar.out(value, dtype)

    return each(data, element, dtype)


def reciprocal(data: Any, dtype: str) -> Any:
    """nki.isa.reciprocal: dst = out(1 / f(data))."""
    return each(
        data,
        lambda p, n: scalar.out(operators.apply("reciprocal", widened(data[p, n]), 0.0), dtype),
        dtype,
    )
