"""Index expressions and masks as slices."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nasm.nki.migrating.polynomials import ONE, ZERO, Polynomial, least
from nasm.nki.migrating.values import (
    AffineMask,
    IndexVector,
    OldTensor,
    PythonValue,
    Untranslatable,
    Value,
)

Bounds = list[tuple[Polynomial, Polynomial]]
"""Of each axis of an index space the first position, and the one after the last."""


def shape_of(node: ast.AST, vectors: Sequence[IndexVector]) -> tuple[Polynomial, ...]:
    """The shape that index expressions have together."""
    rank = max(len(v.sizes) for v in vectors)
    made = [ONE] * rank
    for vector in vectors:
        for n, size in enumerate(vector.sizes, rank - len(vector.sizes)):
            if size != ONE and made[n] not in (ONE, size):
                raise Untranslatable(node, f"index vectors of {made[n]} and {size} in one index")
            made[n] = size if size != ONE else made[n]
    return tuple(made)


def over(vector: IndexVector, rank: int) -> IndexVector:
    """The same with more axes in front."""
    more = rank - len(vector.sizes)
    return IndexVector(vector.const, (ONE,) * more + vector.sizes, (ZERO,) * more + vector.steps)


def bounded(node: ast.AST, sizes: Sequence[Polynomial], mask: AffineMask | None) -> Bounds:
    """What a mask leaves of an index space; raises Untranslatable for what is no box."""
    made: Bounds = [(ZERO, size) for size in sizes]
    for given in mask.least if mask is not None else ():
        if len(given.sizes) > len(sizes):
            raise Untranslatable(node, "a mask of more axes than what it is for")
        bound = over(given, len(sizes))
        axes = [n for n, step in enumerate(bound.steps) if step != ZERO]
        if len(axes) != 1:
            what = "relates two axes to each other" if axes else "does not depend on an index"
            raise Untranslatable(node, f"a mask that {what}")
        axis, step = axes[0], bound.steps[axes[0]].constant
        low, high = made[axis]
        if step is None or step == 0:
            raise Untranslatable(node, "a mask with a step that is no number")
        if step < 0:
            last = bound.const if step == -1 else _floor(bound.const, -step)
            made[axis] = low, least(high, last + ONE)
        elif (bound.const.constant or -1) < 0:
            raise Untranslatable(node, "a mask that leaves out the beginning of an axis")
    return made


def _floor(value: Polynomial, by: int) -> Polynomial:
    if value.constant is not None:
        return Polynomial.number(value.constant // by)
    return Polynomial.of({(f"({value}) // {by}",): 1})


def sliced(
    node: ast.AST, tensor: OldTensor, items: Sequence[Value], bounds: Bounds
) -> tuple[str, tuple[Polynomial, ...]]:
    """What is in the brackets, and after them, as slices; and the sizes of what that gives."""
    rank, axes, bounds = len(bounds), list[int](), list(bounds)
    texts: list[str] = []
    for place, item in enumerate(items):
        if not isinstance(item, IndexVector):
            assert isinstance(item, PythonValue)
            texts.append(item.text)
            continue
        vector = over(item, rank)
        moving = [n for n, step in enumerate(vector.steps) if step != ZERO]
        if len(moving) > 1 or set(axes) & set(moving):
            return pattern(node, tensor, items, bounds)
        axis = moving[0] if moving else _free(rank, axes, bounds)
        if axis >= 0:
            axes.append(axis)
        low, high = bounds[axis] if axis >= 0 else (ZERO, ONE)
        step = vector.steps[axis] if moving else ONE
        texts.append(_slice(node, tensor, place, vector.const, step, (low, high)))
        if texts[-1] == ":" and tensor.sizes is not None:
            bounds[axis] = ZERO, tensor.sizes[place]
    if axes != sorted(axes):
        return pattern(node, tensor, items, bounds)
    return _whole(tensor, items, texts, bounds, rank - len(axes))


def pattern(
    node: ast.AST, tensor: OldTensor, items: Sequence[Value], bounds: Bounds
) -> tuple[str, tuple[Polynomial, ...]]:
    """An index that no slices say, as an access pattern of the whole tensor."""
    if tensor.part or not tensor.memory:
        raise Untranslatable(node, "an access pattern of what may be part of a tensor")
    sizes = [_size(tensor, n) for n in range(len(items))]
    if tensor.sizes is not None and len(tensor.sizes) != len(items):
        raise Untranslatable(node, "an access pattern of fewer axes than its tensor has")
    stride, strides = ONE, list[Polynomial]()
    for size in reversed(sizes):
        if size is None:
            raise Untranslatable(node, "an access pattern of a tensor whose shape is not in sight")
        strides.insert(0, stride)
        stride = stride * size
    offset, steps = ZERO, [ZERO] * len(bounds)
    for item, by in zip(items, strides, strict=True):
        if isinstance(item, PythonValue):
            offset = offset + Polynomial.parsed(item.text) * by
            continue
        assert isinstance(item, IndexVector)
        vector = over(item, len(bounds))
        offset = offset + vector.const * by
        for axis, step in enumerate(vector.steps):
            steps[axis] = steps[axis] + step * by
            offset = offset + step * by * bounds[axis][0]
    made = tuple(high - low for low, high in bounds)
    if tensor.memory != "hbm" and steps[0] == ZERO and made[0] == ONE:
        steps[0] = strides[0]
    pairs = ", ".join(f"[{step}, {size}]" for step, size in zip(steps, made, strict=True))
    return f".ap([{pairs}], {offset})", made


def _whole(
    tensor: OldTensor, items: Sequence[Value], texts: list[str], bounds: Bounds, missing: int
) -> tuple[str, tuple[Polynomial, ...]]:
    """An index with the axes of 1 that no item has made: of numbers, or by another shape."""
    sizes = tuple(high - low for low, high in bounds)
    on_chip = tensor.memory in ("sbuf", "psum")
    for place in range(len(items) - 1, -1, -1):
        if (
            missing
            and not on_chip
            and isinstance(items[place], PythonValue)
            and ":" not in texts[place]
        ):
            at = Polynomial.parsed(texts[place])
            texts[place], missing = f"{at}:{at + ONE}", missing - 1
    text = f"[{', '.join(texts)}]"
    if missing and not on_chip:
        text += f".reshape(({', '.join(map(str, sizes))}))"
    return text, sizes


def _free(rank: int, taken: Sequence[int], bounds: Bounds) -> int:
    """An axis of 1 for an index expression that does not move; -1 if there is none."""
    for axis in range(rank):
        if axis not in taken and bounds[axis] == (ZERO, ONE):
            return axis
    return -1


def _slice(
    node: ast.AST,
    tensor: OldTensor,
    place: int,
    const: Polynomial,
    step: Polynomial,
    span: tuple[Polynomial, Polynomial],
) -> str:
    low, high = span
    known = tensor.sizes[place] if tensor.sizes is not None else None
    full = tensor.full[place] if tensor.full is not None else known
    if step == ONE:
        first, last = const + low, const + high
        if first == ZERO and known is not None and last in (known, full):
            return ":"
        return f"{first}:{last}"
    if step.constant is not None and step.constant < 1:
        raise Untranslatable(node, "an index that runs backwards")
    first = const + step * low
    return f"{first}:{const + step * (high - ONE) + ONE}:{step}"


def sizes_of_slices(tensor: OldTensor, texts: Sequence[str]) -> tuple[Polynomial, ...] | None:
    """The sizes of what slices and numbers leave of a tensor, where they are in sight."""
    on_chip = tensor.memory in ("sbuf", "psum")
    made: list[Polynomial] = []
    if "..." in texts:
        return tensor.sizes if texts == ["..."] else None
    for axis, text in enumerate(texts):
        key = ast.parse(f"_[{text}]", mode="eval").body
        assert isinstance(key, ast.Subscript)
        if not isinstance(key.slice, ast.Slice):
            if on_chip and not axis:
                made.append(ONE)
            continue
        if key.slice.step is not None:
            return None
        whole = _size(tensor, axis)
        low = Polynomial.parsed(ast.unparse(key.slice.lower)) if key.slice.lower else ZERO
        high = Polynomial.parsed(ast.unparse(key.slice.upper)) if key.slice.upper else whole
        if high is None or any((n.constant or 0) < 0 for n in (low, high)):
            return None
        made.append(high - low)
    if on_chip and len(made) < 2:
        made.append(ONE)
    if tensor.sizes is not None:
        made += tensor.sizes[len(texts) :]
    return tuple(made) if tensor.sizes is not None else None


def _size(tensor: OldTensor, axis: int) -> Polynomial | None:
    """The size of an axis: as it is known, or as the text can ask for it."""
    if tensor.sizes is not None:
        return tensor.sizes[axis] if axis < len(tensor.sizes) else None
    if tensor.text.isidentifier():
        return Polynomial.of({(f"{tensor.text}.shape[{axis}]",): 1})
    return None
