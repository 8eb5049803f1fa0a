"""The shapes of tiles, as far as the text says: of results, and of what a mask has cut."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nasm.base.records import replace
from nasm.nki.migrating.polynomials import ONE, Polynomial
from nasm.nki.migrating.values import OldTensor, PendingCall, Value

Sizes = tuple[tuple[Polynomial, ...] | None, tuple[Polynomial, ...] | None]
"""The sizes of a tile, and those without a mask, where they are known."""


def is_tile(value: Value) -> bool:
    """Whether a value is a tile or a tensor."""
    return isinstance(value, OldTensor | PendingCall)


def like(left: Value, right: Value, text: str) -> OldTensor:
    """A result of the shape of the larger of two operands."""
    tiles = [
        v.result if isinstance(v, PendingCall) else v
        for v in (left, right)
        if isinstance(v, OldTensor | PendingCall)
    ]
    if any(t.sizes is None for t in tiles):
        return OldTensor(text, "sbuf", dtype=tiles[0].dtype)
    wide = [t for t in tiles if t.sizes is not None and t.sizes[1:] != (ONE,)]
    like = wide[0] if wide else tiles[0]
    return OldTensor(text, "sbuf", like.sizes, like.dtype, full=like.full)


def aligned(left: Value, right: Value) -> tuple[Value, Value]:
    """Two operands, of which one is cut as far as a mask has cut the other."""
    if isinstance(left, OldTensor) and isinstance(right, OldTensor):
        return cut_like(left, right), cut_like(right, left)
    return left, right


def cut_like(tensor: OldTensor, other: OldTensor) -> OldTensor:
    """A tensor cut as far as a mask has cut another one."""
    sizes, theirs, full = tensor.sizes, other.sizes, other.full
    if sizes is None or theirs is None or full is None or theirs == full:
        return tensor
    if tensor.full is not None and tensor.full != sizes:
        return tensor
    if len(sizes) != len(theirs):
        return tensor
    made = tuple(t if s == f else s for s, t, f in zip(sizes, theirs, full, strict=True))
    if made == sizes:
        return tensor
    keys = ", ".join(":" if s == m else f"0:{m}" for s, m in zip(sizes, made, strict=True))
    return replace(tensor, text=f"{tensor.text}[{keys}]", sizes=made, full=sizes, part=True)


def two_axes(tensor: OldTensor) -> OldTensor:
    """What is loaded, with an axis more where it has one: nl.load wants two."""
    found = ast.parse(tensor.text, mode="eval").body
    if not isinstance(found, ast.Subscript) or tensor.full is not None:
        return tensor
    keys = found.slice.elts if isinstance(found.slice, ast.Tuple) else [found.slice]
    slices = [key for key in keys if isinstance(key, ast.Slice)]
    if len(slices) != 1 or (tensor.sizes is not None and len(tensor.sizes) != 1):
        return tensor
    owner = ast.unparse(found.value)
    if len(keys) == 1:
        if tensor.sizes is None:
            return tensor
        return replace(tensor, text=f"{tensor.text}.reshape(({tensor.sizes[0]}, 1))", sizes=None)
    words = [ast.unparse(key) for key in keys]
    at = max(n for n, key in enumerate(keys) if not isinstance(key, ast.Slice))
    number = Polynomial.parsed(words[at])
    if at < next(n for n, key in enumerate(keys) if isinstance(key, ast.Slice)):
        return tensor
    words[at] = f"{number}:{number + ONE}"
    return replace(tensor, text=f"{owner}[{', '.join(words)}]", sizes=None)


def tuple_text(sizes: Sequence[Polynomial]) -> str:
    """Sizes as a shape."""
    return f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"


def unmasked(tensor: OldTensor) -> OldTensor:
    """A tensor with the sizes that it has without a mask."""
    return replace(tensor, sizes=tensor.full or tensor.sizes)


def result_sizes(name: str, first: OldTensor, other: OldTensor) -> tuple[Polynomial, ...] | None:
    """The sizes of a result that has another shape than its operands."""
    if first.sizes is None or other.sizes is None:
        return None
    rows = first.sizes[0]
    match name:
        case "nc_matmul" if len(first.sizes) == 2:
            return (first.sizes[1], *other.sizes[1:])
        case "nc_transpose" if len(first.sizes) == 2:
            return first.sizes[1], rows
        case "tensor_reduce" if len(first.sizes) == 2:
            return rows, ONE
        case "bn_stats" | "bn_aggr" | "max8" | "nc_find_index8":
            return rows, Polynomial.number({"bn_stats": 6, "bn_aggr": 2}.get(name, 8))
        case "tensor_partition_reduce":
            return (ONE, *first.sizes[1:])
    return None
