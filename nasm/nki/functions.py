"""Functions that no table of an engine has: made of several instructions."""

from __future__ import annotations

import math
from typing import Any

from nasm.nki.applying import predicate, reciprocal, scaled
from nasm.nki.names import DType
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import FLOAT32, INT32, instruct, new, result, tile

TURN = 2 * math.pi
HIGH = 6.28125
"""A turn in so few bits that its multiples up to 2**13 are exact in float32; the rest is LOW."""
LOW = TURN - HIGH
EDGE = 3.1415925
"""The largest float32 below pi, where the tables end."""

WHOLE = float(2**23)
"""From here on a float32 has no fraction."""


def sin(x: Any, dtype: Any = None) -> NkiTensor:
    """The sine, of any x: a multiple of 2 pi is taken off before the table is asked."""
    return _sine("sin", x, 0.0, dtype)


def cos(x: Any, dtype: Any = None) -> NkiTensor:
    """The cosine: the sine a quarter of a turn further."""
    return _sine("cos", x, 0.25, dtype)


def tan(x: Any, dtype: Any = None) -> NkiTensor:
    """The sine over the cosine."""
    over = _sine("tan", x, 0.0, FLOAT32)
    under = reciprocal(_sine("tan", x, 0.25, FLOAT32))
    dst = result("tan", over.shape, tile("tan", x).dtype if dtype is None else dtype)
    instruct("tensor_tensor", dst=dst, data1=over, data2=under, op="multiply")
    return dst


def _sine(what: str, x: Any, further: float, dtype: Any) -> NkiTensor:
    data = tile(what, x)
    # Stored as integers, turns are rounded to the nearest.
    turns = scaled(what, data, "multiply", 1 / TURN, INT32, op1="add", operand1=further)
    rest = new(what, data.shape, FLOAT32)
    _minus(rest, turns, HIGH, data)
    _minus(rest, turns, LOW, rest)
    if further:
        rest = scaled(what, rest, "add", further * TURN)
    rest = scaled(what, rest, "minimum", EDGE, op1="maximum", operand1=-EDGE)
    dst = result(what, data.shape, data.dtype if dtype is None else dtype)
    instruct("activation", dst=dst, op="sin", data=rest)
    return dst


def _minus(dst: NkiTensor, turns: NkiTensor, size: float, data: NkiTensor) -> None:
    """Data - turns * size."""
    instruct(
        "scalar_tensor_tensor",
        dst=dst,
        data=turns,
        op0="multiply",
        operand0=-size,
        op1="add",
        operand1=data,
    )


def floor(x: Any, dtype: Any = None) -> NkiTensor:
    """The largest whole number that is not above."""
    return _whole("floor", x, dtype)


def ceil(x: Any, dtype: Any = None) -> NkiTensor:
    """The smallest whole number that is not below."""
    return _whole("ceil", x, dtype)


def trunc(x: Any, dtype: Any = None) -> NkiTensor:
    """Without the fraction."""
    return _whole("trunc", x, dtype)


def _whole(what: str, x: Any, dtype: Any) -> NkiTensor:
    """Rounded to the nearest by a conversion to integers, and corrected where that went too far.

    What has no fraction, infinities and NaN stay as they are.
    """
    data = tile(what, x)
    kind = data.dtype if dtype is None else DType(dtype)
    nearest = new(what, data.shape, INT32)
    instruct("tensor_copy", dst=nearest, src=data)
    made = new(what, data.shape, FLOAT32)
    instruct("tensor_copy", dst=made, src=data)
    sizes = scaled(what, data, "abs", 0.0, FLOAT32)
    whole = new(what, data.shape, FLOAT32)
    instruct("tensor_copy", dst=whole, src=nearest)
    if what == "trunc":
        # Towards 0: the size is rounded down, and gets its sign back.
        instruct("activation", dst=whole, op="abs", data=whole)
        _corrected(what, whole, sizes, "greater", "subtract")
        signs = new(what, data.shape, FLOAT32)
        instruct("activation", dst=signs, op="sign", data=data)
        instruct("tensor_tensor", dst=whole, data1=whole, data2=signs, op="multiply")
    elif what == "floor":
        _corrected(what, whole, made, "greater", "subtract")
    else:
        _corrected(what, whole, made, "less", "add")
    small = scaled(what, sizes, "less", WHOLE)
    instruct("tensor_copy_predicated", dst=made, src=whole, predicate=predicate(small))
    if kind == FLOAT32:
        return made
    dst = result(what, data.shape, kind)
    instruct("tensor_copy", dst=dst, src=made)
    return dst


def _corrected(what: str, whole: NkiTensor, data: NkiTensor, past: str, back: str) -> None:
    """One back where rounding went past."""
    far = new(what, whole.shape, FLOAT32)
    instruct("tensor_tensor", dst=far, data1=whole, data2=data, op=past)
    instruct("tensor_tensor", dst=whole, data1=whole, data2=far, op=back)
