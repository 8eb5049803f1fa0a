"""TensorTensor, TensorScalar, ScalarTensorTensor and Reciprocal against scalar loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.neuron import operators, scalar
from tests.neuron.cases import INTEGERS, Draw, Tile, random_cases
from tests.neuron.elementwise import model

NEW = ("abs_max", "abs_min")
BITWISE = (
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "left_shift",
    "right_shift",
    "arith_shift_left",
    "arith_shift_right",
)
WORDS = ("int32", "uint32")
ORDERED = ("maximum", "minimum", "greater_equal", "greater", "less_equal", "less")
SIZE = 14


def arithmetic(draw: Draw) -> list[str]:
    """The binary operators that Vector has on this machine."""
    later = () if draw.on == "trn3" else NEW
    return [op for op in operators.BINARY if op not in (*later, "power")]


def of_width(draw: Draw, dtype: str) -> str:
    """An integer dtype of the same width."""
    width = np.dtype(scalar.NUMPY[dtype]).itemsize
    return draw.dtype(*(d for d in INTEGERS if np.dtype(scalar.NUMPY[d]).itemsize == width))


def memories(draw: Draw) -> tuple[str, str]:
    """Memories of two inputs, which are not both in PSUM."""
    first = draw.one_of("sbuf", "sbuf", "psum")
    return first, "sbuf" if first == "psum" else draw.one_of("sbuf", "sbuf", "psum")


@random_cases(edges=0.3)
def test_tensor_tensor(draw: Draw) -> None:
    shape, (one, two) = draw.shape(SIZE), memories(draw)
    a = draw.tile(shape, draw.any_dtype(), one)
    b = draw.tile(shape, draw.any_dtype(), two)
    dst = draw.result(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    op = draw.one_of(*arithmetic(draw))
    draw.line(f"@vector TensorTensor {dst}, {a}, {b}, op={op}")
    draw.expect(dst, model.tensor_tensor(a.rows, b.rows, op, dst.dtype))


@random_cases(edges=0.3)
def test_tensor_tensor_of_bits(draw: Draw) -> None:
    shape, (one, two) = draw.shape(SIZE), memories(draw)
    dtype = draw.dtype(*INTEGERS)
    a, dst = draw.tile(shape, dtype, one), draw.result(shape, of_width(draw, dtype))
    op = draw.one_of(*BITWISE)
    if "shift" in op and draw.flag(0.8):
        amounts = draw.numbers(0, 9 * a.values.itemsize - 1, shape)
        b = draw.tile(shape, dtype, two, values=amounts.astype(scalar.NUMPY[dtype]))
    else:
        b = draw.tile(shape, of_width(draw, dtype), two)
    draw.line(f"@vector TensorTensor {dst}, {a}, {b}, op={op}")
    draw.expect(dst, model.bits_tensor_tensor(a.rows, b.rows, op, dst.dtype))


@random_cases(edges=0.3)
def test_tensor_tensor_on_gpsimd(draw: Draw) -> None:
    shape = draw.shape(SIZE)
    if draw.flag():
        a, b = draw.tile(shape, draw.any_dtype()), draw.tile(shape, draw.any_dtype())
        dst = draw.result(shape, draw.dtype("float32", "bfloat16", "float16", "int8", "uint16"))
        op = draw.one_of("add", "multiply", "power", "power", *arithmetic(draw))
        want = model.tensor_tensor(a.rows, b.rows, op, dst.dtype)
    else:
        op, dtype = draw.one_of(*operators.EXACT), draw.dtype(*WORDS)
        a = draw.tile(shape, dtype)
        b = draw.tile(shape, dtype if op in ORDERED else draw.dtype(*WORDS))
        dst = draw.result(shape, draw.dtype(*WORDS))
        first, second = (operators.as_words(t.rows, dtype) for t in (a, b))
        want = model.exact_tensor_tensor(first, second, op, dst.dtype)
    draw.line(f"@gpsimd TensorTensor {dst}, {a}, {b}, op={op}")
    draw.expect(dst, want)


def spelled(n: int, op: str, operand: Any, reverse: bool) -> str:
    """One stage of TensorScalar or ScalarTensorTensor, as a program writes it."""
    said = f"op{n}={op}"
    if operand is not None:
        said += f", operand{n}={operand if isinstance(operand, Tile) else repr(operand)}"
    return said + (f", reverse{n}=true" if reverse else "")


def held(operand: Any) -> Any:
    """What a model takes for an operand."""
    return operand.rows if isinstance(operand, Tile) else 0.0 if operand is None else operand


def scalar_operand(draw: Draw, partitions: int) -> Any:
    """A number or a column of float32."""
    if draw.flag():
        return draw.column(partitions)
    return draw.one_of(0.0, -1.5, 3, 1e-40, 1e38, draw.real())


def stages(draw: Draw, partitions: int, unary: list[str], binary: list[str]) -> list[Any]:
    """One or two stages of arithmetic."""
    made: list[Any] = []
    for n in range(draw.number(1, 2)):
        later = [o for o in (*unary, *binary) if o not in (*NEW, "square", "relu")]
        names = [*unary, *binary] if n == 0 else later
        op = draw.one_of(*names)
        operand = draw.one_of(None, 0) if op in unary else scalar_operand(draw, partitions)
        made.append((op, operand, draw.flag(0.3)))
    return made


def tensor_scalar(draw: Draw, engine: str, dst: Tile, data: Tile, made: list[Any]) -> list[Any]:
    """Add the instruction; what a model takes for its stages."""
    text = ", ".join(spelled(n, *stage) for n, stage in enumerate(made))
    draw.line(f"@{engine} TensorScalar {dst}, {data}, {text}")
    return [(op, held(operand), reverse) for op, operand, reverse in made]


@random_cases(edges=0.3)
def test_tensor_scalar(draw: Draw) -> None:
    shape = draw.shape(SIZE)
    data = draw.tile(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    dst = draw.result(shape, draw.dtype("float32", "bfloat16", "float8_e5m2", "int8", "uint16"))
    new = ["square", "relu"] if draw.on == "trn3" else []
    unary = ["abs", "reciprocal", "bypass", *new]
    said = tensor_scalar(draw, "vector", dst, data, stages(draw, shape[0], unary, arithmetic(draw)))
    want = model.tensor_scalar(data.rows, said, dst.dtype)
    draw.expect(dst, want)


@random_cases(edges=0.3)
def test_tensor_scalar_of_bits(draw: Draw) -> None:
    shape, dtype = draw.shape(SIZE), draw.dtype(*INTEGERS)
    data, dst = draw.tile(shape, dtype), draw.result(shape, of_width(draw, dtype))
    made: list[Any] = []
    for _ in range(draw.number(1, 2)):
        op = draw.one_of(*BITWISE, "invert", "bypass")
        number = draw.content(dtype, (1,))[0].item()
        column = draw.tile((shape[0], 1), dtype, plain=True)
        operand = None if op in ("invert", "bypass") else draw.one_of(number, column)
        made.append((op, operand, draw.flag(0.3)))
    if all(op == "bypass" for op, _, _ in made):
        made[0] = ("invert", None, False)
    said = tensor_scalar(draw, "vector", dst, data, made)
    draw.expect(dst, model.bits_tensor_scalar(data.rows, said, dst.dtype))


@random_cases(edges=0.3)
def test_tensor_scalar_of_addresses(draw: Draw) -> None:
    """On Vector and GpSimd: exact, where float32 would lose what is above 2**24."""
    shape = draw.shape(SIZE)
    data, dst = draw.tile(shape, draw.dtype(*WORDS)), draw.result(shape, draw.dtype(*WORDS))
    made: list[Any] = []
    for op in draw.one_of(("add",), ("multiply", "add")):
        number = int(draw.content("int32", (1,))[0])
        column = draw.tile((shape[0], 1), draw.dtype(*WORDS), plain=True)
        made.append((op, draw.one_of(number, column), draw.flag(0.3)))
    said = tensor_scalar(draw, draw.one_of("vector", "gpsimd"), dst, data, made)
    draw.expect(dst, model.exact_tensor_scalar(data.rows, said, dst.dtype))


@random_cases(edges=0.3)
def test_tensor_scalar_on_gpsimd(draw: Draw) -> None:
    shape = draw.shape(SIZE)
    if draw.flag(0.6):
        data = draw.tile(shape, draw.any_dtype())
        dst = draw.result(shape, draw.dtype("float32", "bfloat16", "int16", "float8_e4m3"))
        made = stages(draw, shape[0], ["rsqrt", "bypass"], ["power", "power"])
        said = tensor_scalar(draw, "gpsimd", dst, data, made)
        draw.expect(dst, model.tensor_scalar(data.rows, said, dst.dtype))
        return
    dtype = draw.dtype(*WORDS)
    data, dst = draw.tile(shape, dtype), draw.result(shape, draw.dtype(*WORDS))
    made = []
    for _ in range(draw.number(1, 2)):
        op = draw.one_of(*operators.EXACT)
        number = draw.content(dtype, (1,))[0].item()
        column = draw.tile((shape[0], 1), dtype, plain=True)
        made.append((op, draw.one_of(number, column), draw.flag(0.3)))
    said = tensor_scalar(draw, "gpsimd", dst, data, made)
    draw.expect(dst, model.exact_tensor_scalar(data.rows, said, dst.dtype))


@random_cases(on=("trn2", "trn3"), edges=0.3)
def test_tensor_scalar_on_scalar(draw: Draw) -> None:
    shape = draw.shape(SIZE)
    data = draw.tile(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    dst = draw.result(shape, draw.any_dtype())
    pair = draw.one_of(("multiply", "add"), ("multiply",), ("add",))
    made = [(op, scalar_operand(draw, shape[0]), draw.flag(0.3)) for op in pair]
    said = tensor_scalar(draw, "scalar", dst, data, made)
    draw.expect(dst, model.tensor_scalar(data.rows, said, dst.dtype))


@random_cases(edges=0.3)
def test_scalar_tensor_tensor(draw: Draw) -> None:
    shape, (one, two) = draw.shape(SIZE), memories(draw)
    data = draw.tile(shape, draw.any_dtype(), one)
    other = draw.tile(shape, draw.any_dtype(), two)
    dst = draw.result(shape, draw.dtype("float32", "bfloat16", "float8_e5m2", "int8", "uint16"))
    binary = arithmetic(draw)
    op0 = draw.one_of("abs", "bypass", *binary)
    op1 = draw.one_of(*binary)
    column = draw.column(shape[0], draw.dtype("float32", "bfloat16", "int16"))
    operand = 0 if op0 in operators.UNARY else draw.one_of(column, scalar_operand(draw, shape[0]))
    first, second = (op0, operand, draw.flag()), (op1, other, draw.flag())
    draw.line(
        f"@vector ScalarTensorTensor {dst}, {data}, {spelled(0, *first)}, {spelled(1, *second)}"
    )
    want = model.scalar_tensor_tensor(
        data.rows, (op0, held(operand), first[2]), (op1, other.rows, second[2]), dst.dtype
    )
    draw.expect(dst, want)


@random_cases(edges=0.3)
def test_reciprocal(draw: Draw) -> None:
    shape = draw.shape(SIZE)
    data = draw.tile(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    dst = draw.result(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    draw.line(f"@vector Reciprocal {dst}, {data}")
    draw.expect(dst, model.reciprocal(data.rows, dst.dtype))
