"""CopyPredicated, FindIndex8 and MatchReplace8 as loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.neuron import scalar
from tests.neuron.elementwise.model import widened


def copy_predicated(before: Any, src: Any, predicate: Any, reverse: bool) -> Any:
    """nki.isa.tensor_copy_predicated: src[i] where (pred[i] != 0) xor reverse_pred."""
    made = before.copy()
    for p in range(made.shape[0]):
        for n in range(made.shape[1]):
            if (int(predicate[p, n]) != 0) != reverse:
                made[p, n] = src[p, n]
    return made


def find_index8(data: Any, vals: Any, dtype: str) -> Any:
    """nki.isa.nc_find_index8: first places, successive ones of equal values, or all ones."""
    missing = 2 ** (8 * np.dtype(scalar.NUMPY[dtype]).itemsize) - 1
    made = np.empty((len(data), 8), scalar.NUMPY[dtype])
    for p in range(len(data)):
        row = [widened(v) for v in data[p]]
        taken: set[int] = set()
        for slot in range(8):
            want, found = widened(vals[p, slot]), missing
            for n, have in enumerate(row):
                if have == want and n not in taken:
                    found = n
                    taken.add(n)
                    break
            made[p, slot] = found
    return made


def match_replace8(data: Any, vals: Any, imm: float, dtype: str) -> tuple[Any, Any]:
    """nki.isa.nc_match_replace8: from the last value to the first, each place only once."""
    made = np.empty(data.shape, scalar.NUMPY[dtype])
    where = np.full((len(data), 8), 2**32 - 1, np.uint32)
    for p in range(len(data)):
        row = [widened(v) for v in data[p]]
        taken: set[int] = set()
        for slot in (7, 6, 5, 4, 3, 2, 1, 0):
            want = widened(vals[p, slot])
            for n, have in enumerate(row):
                if have == want and n not in taken:
                    taken.add(n)
                    where[p, slot] = n
                    break
        for n, have in enumerate(row):
            made[p, n] = scalar.out(scalar.f(imm) if n in taken else have, dtype)
    return made, where
