"""What a test of the library gives to each of several ranks, as arguments of one kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.nki.by_rank import ByRank
from nasm.nki.library_tests.judging import Gap
from nasm.nki.objects import NKIObject


def inputs_of(given: Any, ranks: int) -> Mapping[str, Any]:
    """The inputs of a kernel; of those that a generator makes for each rank, all together."""
    if not hasattr(given, "for_rank"):
        return given or {}
    if ranks == 1:
        made: Mapping[str, Any] = given.for_rank(0)
        return made
    every = [given.for_rank(rank) for rank in range(ranks)]
    first = every[0]
    if any(list(one) != list(first) for one in every):
        raise Gap("ranks with other inputs than rank 0")
    return {name: together(name, [one[name] for one in every]) for name in first}


def together(name: str, values: Sequence[Any]) -> Any:
    """One value for all ranks, or an array for each."""
    first = values[0]
    if all(value is first for value in values):
        return first
    if all(isinstance(value, np.ndarray) for value in values):
        try:
            return ByRank(values)
        except Refused as refused:
            raise Gap(f"{name} by rank: {refused.message}") from None
    if isinstance(first, list | tuple) and len({len(value) for value in values}) == 1:
        parts = zip(*values, strict=True)
        return type(first)(together(f"{name}[{n}]", part) for n, part in enumerate(parts))
    if all(_same(first, value) for value in values):
        return first
    raise Gap(f"{name} differs between ranks, and is no array")


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, NKIObject):
        return bool(vars(one) == vars(other))
    return bool(one == other)


def apart(given: Any, ranks: int | None) -> Any:
    """Copies of what a kernel writes, one for each rank: a reference is computed of the inputs."""
    if ranks is None or isinstance(given, ByRank):
        return deepcopy(given)
    return ByRank([deepcopy(given) for _ in range(ranks)])
