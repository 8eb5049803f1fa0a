"""BatchNormStats and BatchNormAggregate, every step rounded to float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.neuron import scalar
from tests.neuron.elementwise.model import widened
from tests.neuron.scalar import divided, f


def _sum(values: Sequence[float]) -> float:
    total = values[0]
    for value in values[1:]:
        total = f(total + value)
    return total


def _statistics(values: Sequence[float]) -> list[float]:
    if not values:
        return [0.0, 0.0, 0.0]
    count = float(len(values))
    mean = f(_sum(values) / count)
    away = [f(value - mean) for value in values]
    return [count, mean, _sum([f(d * d) for d in away])]


def stats(data: Any, dtype: str) -> Any:
    """nki.isa.bn_stats: count, mean and sum of squared differences of even, then odd elements."""
    made = np.empty((len(data), 6), scalar.NUMPY[dtype])
    for p in range(len(data)):
        row = [widened(v) for v in data[p]]
        six = _statistics(row[0::2]) + _statistics(row[1::2])
        made[p] = [scalar.out(v, dtype) for v in six]
    return made


def aggregate(data: Any, dtype: str) -> Any:
    """nki.isa.bn_aggr: mean and variance of what (count, mean, variance * count) describe."""
    made = np.empty((len(data), 2), scalar.NUMPY[dtype])
    for p in range(len(data)):
        row = [widened(v) for v in data[p]]
        counts, means, spreads = row[0::3], row[1::3], row[2::3]
        count = _sum(counts)
        products = [f(c * m) for c, m in zip(counts, means, strict=True)]
        mean = f(divided(_sum(products), count))
        away = [f(m - mean) for m in means]
        between = _sum([f(c * f(d * d)) for c, d in zip(counts, away, strict=True)])
        variance = f(divided(f(_sum(spreads) + between), count))
        made[p] = [scalar.out(mean, dtype), scalar.out(variance, dtype)]
    return made
