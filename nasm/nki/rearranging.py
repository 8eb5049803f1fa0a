"""Axes by names: split, put in another order, and merged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nasm.nki.errors import refuse
from nasm.nki.indexing import items, whole_number
from nasm.views.value_text import value_text

Pattern = Sequence[str | Sequence[str]]


def rearranged(tensor: Any, source: Pattern, target: Pattern, fixed: Any = None) -> Any:
    """A tensor with the axes that a pattern names, as another pattern has them."""
    given, wanted = _groups(source), _groups(target)
    sizes = _sizes({} if fixed is None else fixed)
    before, after = [n for g in given for n in g], [n for g in wanted for n in g]
    if len(given) != len(tensor.shape):
        refuse(f"{len(given)} axes in {source!r}; {tensor.name} has {len(tensor.shape)}")
    if sorted(before) != sorted(after) or len(set(before)) != len(before):
        refuse(f"{source!r} and {target!r}: wanted the same names, each once")
    unknown = [name for name in sizes if name not in before]
    if unknown:
        refuse(f"a size for {unknown[0]!r}, which {source!r} does not name")
    made: Any = tensor
    dim = 0
    for group, count in zip(given, tensor.shape, strict=True):
        split = _split(group, count, sizes, f"{group!r} of {tensor.name}")
        if len(group) > 1:
            made = made.reshape_dim(dim, split)
        dim += len(group)
    if before != after:
        made = made.permute([before.index(name) for name in after])
    for dim, group in enumerate(wanted):
        if len(group) > 1:
            made = made.flatten_dims(dim, dim + len(group) - 1)
    return made


def _groups(pattern: Pattern) -> list[tuple[str, ...]]:
    parts = list(pattern) if isinstance(pattern, str) else items(pattern, "a pattern of names")
    groups = [(p,) if isinstance(p, str) else tuple(items(p, "a group of names")) for p in parts]
    for name in (name for group in groups for name in group):
        if not isinstance(name, str):
            refuse(f"{value_text(name)} in a pattern of names; wanted a string")
    return groups


def _sizes(fixed: Any) -> dict[str, int]:
    if not isinstance(fixed, Mapping):
        refuse(f"fixed_sizes is {value_text(fixed)}; wanted {{name: size}}")
    return {name: whole_number(size, f"the size of {name!r}") for name, size in fixed.items()}


def _split(
    group: tuple[str, ...], count: int, sizes: Mapping[str, int], what: str
) -> tuple[int, ...]:
    """The sizes of the axes that one becomes: one of them may follow from the others."""
    known = [sizes.get(name) for name in group]
    product = math.prod(n for n in known if n is not None)
    left = known.count(None)
    if left > 1:
        refuse(f"the sizes of {what} are not given", "fixed_sizes={name: size} for all but one")
    if (product != count) if not left else (product < 1 or count % product):
        refuse(f"sizes {known} for {what}, which has {count}")
    return tuple(count // product if n is None else n for n in known)
