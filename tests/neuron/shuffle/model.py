"""Transpose and Shuffle as loops over rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def transpose(data: Any) -> Any:
    """nki.isa.nc_transpose: one block of up to 32x32, or every 32x32 block where it stands."""
    rows, columns = data.shape
    if rows <= 32 and columns <= 32:
        made = np.empty((columns, rows), data.dtype)
        for p in range(rows):
            for n in range(columns):
                made[n, p] = data[p, n]
        return made
    made = np.empty((rows, columns), data.dtype)
    for a in range(rows // 32):
        for b in range(columns // 32):
            for i in range(32):
                for j in range(32):
                    made[32 * a + i, 32 * b + j] = data[32 * a + j, 32 * b + i]
    return made


def shuffle(before: Any, src: Any, mask: Sequence[int]) -> Any:
    """nki.isa.nc_stream_shuffle: dst[32q + i] = src[32q + mask[i]] unless mask[i] is 255."""
    made = before.copy()
    for row in range(len(made)):
        q, i = row // 32, row % 32
        if mask[i] != 255:
            made[row] = src[32 * q + mask[i]]
    return made
