"""A transformer's layer, a step of training and an attention, divided over ranks.

    python programs/models/ranks.py
    python programs/models/ranks.py --ranks 1,2,4 --only ring

Each is run on 1, 2, 4 and 8 ranks, and compared with NumPy. The table says how long it takes, how
much faster it is than on one rank, and how much of that time collectives are in progress and ranks
wait for others. The exit code is 0 if all results are right.

* ``layer``: each rank has some of the heads and some of the width of the MLP; the work is the same.
* ``step``: each rank has some of the rows of a batch; the work is the same.
* ``ring``: every rank has 512 queries, keys and values more: the work of a rank grows with the
  number of ranks, and is compared with that of one rank that has all keys and values at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import erf
from pathlib import Path
from typing import Any

import numpy as np

import nasm.nki
from nasm.nki import ByRank
from nasm.ranks.records import RanksReport

KERNELS = nasm.nki.module(str(Path(__file__).resolve().parents[1] / "nki" / "ranks.py"))
RANDOM = np.random.default_rng
TOKENS, COLUMNS, HEADS, WIDTH = 256, 512, 16, 2048
ROWS, DEPTH = 512, 128
DTYPE = "bfloat16"

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Outcome:
    """A run: its report, and how far the worst element of any rank is from NumPy's."""

    report: RanksReport
    error: float


def ran(kernel: Any, args: list[Any], wanted: list[Array], count: int, **more: Any) -> Outcome:
    """Run a kernel on so many ranks, and compare what each returns."""
    given = {"ranks": count, "dtype": getattr(KERNELS.nl, DTYPE), **more}
    if "rate" in more:
        del given["dtype"]
    found = nasm.nki.run(kernel, *args, kernel_args=given, ranks=count)
    worst = max(
        float(np.abs(np.asarray(mine, np.float32) - want).max() / np.abs(want).max())
        for mine, want in zip(found.outputs, wanted, strict=True)
    )
    assert found.result.ranks is not None
    return Outcome(found.result.ranks, worst)


def parts(whole: Array, count: int, axis: int) -> list[Array]:
    """An array in so many parts."""
    return [np.ascontiguousarray(part) for part in np.split(whole, count, axis)]


# ---------------------------------------------------------------- tensor parallelism


def layer(count: int) -> Outcome:
    """A layer of an encoder, with heads and width divided over ranks."""
    random = RANDOM(1)

    def normal(*shape: int, by: float = 1.0) -> Array:
        return random.standard_normal(shape).astype(np.float32) / np.float32(by)

    x = normal(TOKENS, COLUMNS)
    mask = np.zeros((TOKENS, 128), np.float32)
    qkv = [normal(COLUMNS, COLUMNS, by=22) for _ in range(3)]
    out, w1, w2 = (
        normal(COLUMNS, COLUMNS, by=22),
        normal(COLUMNS, WIDTH, by=22),
        normal(WIDTH, COLUMNS, by=45),
    )
    b1, rows = normal(WIDTH, 1), [normal(1, COLUMNS) for _ in range(2)]
    norms = [(1 + normal(1, COLUMNS, by=9), normal(1, COLUMNS)) for _ in range(2)]
    wanted = _layer(x, qkv, out, w1, b1, w2, rows, norms)

    def once(row: Array) -> ByRank:
        return ByRank([row if rank == 0 else np.zeros_like(row) for rank in range(count)])

    mine = zip(*(parts(w, count, 1) for w in qkv), strict=True)
    args = [
        x,
        mask,
        HEADS // count,
        (
            ByRank([np.concatenate(some, axis=1) for some in mine]),
            np.zeros((1, 3 * COLUMNS // count), np.float32),
        ),
        (ByRank(parts(out, count, 0)), once(rows[0])),
        (ByRank(parts(w1, count, 1)), ByRank(parts(b1, count, 0))),
        (ByRank(parts(w2, count, 0)), once(rows[1])),
        norms,
    ]
    return ran(KERNELS.parallel_layer, args, [wanted] * count, count)


def _layer(
    x: Array,
    qkv: list[Array],
    out: Array,
    w1: Array,
    b1: Array,
    w2: Array,
    rows: list[Array],
    norms: list[tuple[Array, Array]],
) -> Array:
    """The same in NumPy: attention within blocks of 128 tokens."""
    depth = COLUMNS // HEADS
    q, k, v = ((x @ w).reshape(TOKENS // 128, 128, HEADS, depth).transpose(0, 2, 1, 3) for w in qkv)
    weights = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(depth))
    mixed = (weights / weights.sum(axis=-1, keepdims=True)) @ v
    x = _norm(mixed.transpose(0, 2, 1, 3).reshape(x.shape) @ out + rows[0] + x, *norms[0])
    inner = x @ w1 + b1.T
    gelu = inner * (1 + np.vectorize(erf)(inner / np.sqrt(2))) / 2
    return _norm(gelu @ w2 + rows[1] + x, *norms[1])


def _norm(x: Array, weight: Array, bias: Array) -> Array:
    x = x - x.mean(axis=1, keepdims=True)
    made: Array = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-12) * weight + bias
    return made


# ---------------------------------------------------------------- data parallelism


def step(count: int) -> Outcome:
    """A step of training of a linear layer, with the rows of a batch divided over ranks."""
    random, rate = RANDOM(2), 0.01
    x = random.standard_normal((4096, 512)).astype(np.float32)
    dy = random.standard_normal((4096, 512)).astype(np.float32)
    w = random.standard_normal((512, 512)).astype(np.float32)
    wanted = w - np.float32(rate) * (x.T @ dy)
    args = [ByRank(parts(x, count, 0)), ByRank(parts(dy, count, 0)), w]
    return ran(KERNELS.training_step, args, [wanted] * count, count, rate=rate)


# ---------------------------------------------------------------- a ring


def ring(count: int) -> Outcome:
    """Attention of 512 queries of each rank to the keys of all ranks, which pass around."""
    q, k, v = RANDOM(3).standard_normal((3, count * ROWS, DEPTH)).astype(np.float32)
    weights = np.exp(q @ k.T / np.sqrt(DEPTH))
    wanted = (weights / weights.sum(axis=1, keepdims=True)) @ v
    args = [ByRank(parts(one, count, 0)) for one in (q, k, v)]
    return ran(KERNELS.ring_attention, args, parts(wanted, count, 0), count)


CASES: dict[str, tuple[Callable[[int], Outcome], float]] = {
    "layer": (layer, 0.03),
    "step": (step, 1e-4),
    "ring": (ring, 0.03),
}
"""Each with how far it may be off, of the largest element: products of bfloat16, or of float32."""


def main(arguments: list[str] | None = None) -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ranks", default="1,2,4,8", help="numbers of ranks")
    parser.add_argument("--only", choices=CASES, help="one of them")
    given = parser.parse_args(arguments)
    counts = [int(word) for word in given.ranks.split(",")]
    print("work   ranks        time  faster  collectives  ranks wait    error")
    wrong = 0
    for name, (case, limit) in CASES.items():
        if given.only not in (None, name):
            continue
        first = 0.0
        for count in counts:
            outcome = case(count)
            report, time = outcome.report, outcome.report.microseconds
            share = count if name == "ring" else 1  # its work grows with the ranks
            first = first or time / share
            ticks = max(1, report.ticks)
            exchanging = max(report.exchanging) / ticks
            waiting = max(report.waits) / ticks
            print(
                f"{name:6} {count:5}  {time:8.1f} µs  {first * share / time:5.2f}x "
                f"{exchanging:11.0%}  {waiting:10.0%}  {outcome.error:.1e}"
            )
            wrong += outcome.error > limit or not report.ok
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
