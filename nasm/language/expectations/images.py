"""Convolution and pooling in expectations, over the last two axes; all raise Refused."""

from __future__ import annotations

import math

import numpy as np

from nasm.base.dtypes import Float64
from nasm.base.exact import multiply
from nasm.base.host_memory import room_for
from nasm.base.problems import Refused
from nasm.language.expectations.elements import Elements, Plain, numbers

SHAPES = "E0221"

MOST_PRODUCTS = 2**38
"""More multiplications than this take minutes."""


def conv2d(image: Elements, filters: Elements) -> Elements:
    """[…, C, H, W] with filters [K, C, h, w]: […, K, H - h + 1, W - w + 1], not mirrored."""
    if len(image.shape) < 3 or len(filters.shape) != 4 or image.shape[-3] != filters.shape[1]:
        sizes = f"{list(image.shape)} and {list(filters.shape)}"
        hint = "conv2d(image, filters) of […, C, H, W] and [K, C, h, w]"
        raise Refused(SHAPES, f"the shapes {sizes} do not match in conv2d", hint)
    count, channels, high, wide = filters.shape
    rows, columns = image.shape[-2] - high + 1, image.shape[-1] - wide + 1
    if rows < 1 or columns < 1:
        sizes = f"{high} x {wide} in one of {image.shape[-2]} x {image.shape[-1]}"
        raise Refused(SHAPES, f"filters do not fit into the image: {sizes}")
    images, terms = math.prod(image.shape[:-3]), channels * high * wide
    if images * count * rows * columns * terms > MOST_PRODUCTS:
        raise Refused(SHAPES, f"conv2d takes more than {MOST_PRODUCTS:,} multiplications")
    room_for([("the parts of an image in float64", 8 * terms * rows * columns)])
    plain = numbers(image.array).reshape(images, channels, *image.shape[-2:])
    factor = numbers(filters.array).reshape(count, terms)
    made = np.empty((images, count, rows, columns))
    for number, one in enumerate(plain):
        parts = np.lib.stride_tricks.sliding_window_view(one, (high, wide), axis=(1, 2))
        moved = parts.transpose(0, 3, 4, 1, 2).reshape(terms, rows * columns)
        made[number] = multiply(factor, np.ascontiguousarray(moved)).reshape(made.shape[1:])
    return Plain(made.reshape(*image.shape[:-3], count, rows, columns))


def max_pool(image: Elements, size: Elements) -> Elements:
    """The largest of each square of so many rows and columns."""
    squares = _squares("max_pool", image, size)
    return Plain(np.max(squares, axis=(-3, -1)))


def avg_pool(image: Elements, size: Elements) -> Elements:
    """The mean of each square of so many rows and columns."""
    squares = _squares("avg_pool", image, size)
    side = squares.shape[-1]
    total = np.zeros((*squares.shape[:-3], squares.shape[-2]))
    for row in range(side):  # in one order, whatever the library would choose
        for column in range(side):
            total += squares[..., row, :, column]
    return Plain(total / side**2)


def _squares(name: str, image: Elements, size: Elements) -> Float64:
    """[…, H/n, n, W/n, n]."""
    side = float(numbers(size.array)) if not size.shape else 0.0
    if side < 1 or side != int(side):
        raise Refused("E0222", f"{name} takes the side of a square, an integer from 1 on")
    n = int(side)
    if len(image.shape) < 2 or image.shape[-2] % n or image.shape[-1] % n:
        message = f"the shape {list(image.shape)} has no whole squares of {n} x {n} in {name}"
        raise Refused(SHAPES, message, "cut it first: x[…, 0:64, 0:64]")
    rows, columns = image.shape[-2] // n, image.shape[-1] // n
    return numbers(image.array).reshape(*image.shape[:-2], rows, n, columns, n)
