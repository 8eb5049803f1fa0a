"""Kernels of NKI: instructions a second of tracing them, and of running them."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from processor_time import busy

import nasm.nki

KERNELS = Path(__file__).resolve().parents[2] / "programs" / "nki"


OLD = Path(__file__).with_name("old_kernels.py")


class Called(NamedTuple):
    """A kernel with what it is called with, and the least of instructions a second.

    They are those of tracing, placing and synchronising it, and of running it with values.
    """

    name: str
    file: Path
    kernel: str
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    traced: str
    run: str


def _attention(random: np.random.Generator) -> tuple[Any, ...]:
    tokens, heads, depth = 2048, 12, 32
    qkv = random.standard_normal((tokens, 3 * heads * depth), np.float32)
    return qkv, np.zeros((tokens, 128), np.float32), heads


def _rmsnorm(random: np.random.Generator) -> tuple[Any, ...]:
    rows = random.standard_normal((128 * 500, 256), np.float32)
    return rows, np.ones((1, 256), np.float32)


def _projection(random: np.random.Generator) -> tuple[Any, ...]:
    x, w = (random.standard_normal(shape, np.float32) for shape in ((2048, 1024), (1024, 1024)))
    return x, w, np.zeros((1, 1024), np.float32)


def _factors(random: np.random.Generator) -> tuple[Any, ...]:
    return tuple(random.standard_normal((1024, 2048), np.float32) for _ in range(2))


CALLED = (
    Called(
        "attention, 12 heads of 32",
        KERNELS / "attention.py", "attention", _attention, "8,000", "3,500",
    ),
    Called(
        "RMSNorm of tiles of 128x256",
        KERNELS / "rmsnorm.py", "rmsnorm", _rmsnorm, "8,000", "2,000",
    ),
    Called(
        "products of 128x128x512",
        KERNELS / "projection.py", "projection", _projection, "8,000", "1,500",
    ),
    Called(
        "rows of tiles of 128x256, in 0.1",
        OLD, "normed_rows", _rmsnorm, "3,000", "1,000",
    ),
    Called(
        "products of 128x128x512, in 0.1",
        OLD, "tiled_product", _factors, "3,000", "1,000",
    ),
)  # fmt: skip
"""Kernels of this repository, as large as some thousand instructions."""


def rows(tries: int) -> list[tuple[str, float, str]]:
    """What is measured: a name, a figure, and what it counts."""
    found = []
    for one in CALLED:
        kernel = getattr(nasm.nki.module(str(one.file)), one.kernel)
        arguments = one.arguments(np.random.default_rng(1))
        made = nasm.nki.trace(kernel, *arguments)
        run = partial(nasm.nki.run, made)
        for name, call, least in (
            (f"NKI, {one.name}: traced", partial(nasm.nki.trace, kernel, *arguments), one.traced),
            ("  run", run, one.run),
            ("  run without hashes", partial(run, hashes=False), ""),
            ("  run without values", partial(run, values=False), ""),
        ):
            unit = f"instructions/s{least and f', at least {least}'}"
            found.append((name, _rate(len(made.program), call, tries), unit))
    return found


def _rate(count: int, call: Callable[[], object], tries: int) -> float:
    """Instructions per second of the processor's time: the median."""
    rates = []
    for _ in range(tries):
        gc.collect()
        rates.append(count / busy(call))
    return statistics.median(rates)
