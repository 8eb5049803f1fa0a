"""The cases of AWS's own instruction tests: inputs, and what their NumPy references give.

Each function is one program of this folder. It draws the inputs as the published test does and
returns them by name, ``WANT…`` among them: what the reference makes of the inputs, written anew
here. Source: aws-neuron-sdk, nki/test/test_nki_isa_*.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]
Inputs = dict[str, Array]
Case = Callable[[np.random.RandomState], Inputs]
CASES: dict[str, Case] = {}
FAULTS = {"dma_gather_outside": "E0508", "dma_scatter_outside": "E0508"}
"""Programs that must stop with a fault, as the published test must raise."""
LEAST = np.finfo(np.float32).min


def case(make: Case) -> Case:
    """File a case under the name of its program."""
    CASES[make.__name__] = make
    return make


def uniform(random: np.random.RandomState, *shape: int, scale: float = 100) -> Array:
    return (random.random_sample(shape).astype(np.float32) * scale).astype(np.float32)


@case
def activation_exp(random: np.random.RandomState) -> Inputs:
    a, b, c = uniform(random, 128, 1024), uniform(random, 128, 512), uniform(random, 128, 1)
    with np.errstate(over="ignore"):
        return {"A": a, "B": b, "C": c, "WANT_EXP": np.exp(a), "WANT_SQ": np.square(b * 2 + c)}


@case
def affine_select(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 128)
    return {"A": a, "WANT": np.where(np.triu(np.ones_like(a)) == 1, LEAST, a)}


def _moments(a: Array) -> Inputs:
    mean, var = a.mean(axis=1, keepdims=True), a.var(axis=1, keepdims=True)
    return {"WANT_MEAN": mean, "WANT_VAR": var}


@case
def bn_stats_one(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 128)
    return {"A": a, **_moments(a)}


@case
def bn_stats_two(random: np.random.RandomState) -> Inputs:
    b = uniform(random, 128, 1024)
    return {"B": b, **_moments(b)}


@case
def copy_predicated(random: np.random.RandomState) -> Inputs:
    a, b = uniform(random, 128, 512), uniform(random, 128, 512)
    chosen = a <= 0.8
    return {
        "PRED": chosen.astype(np.uint8),
        "ON_TRUE": a,
        "ON_FALSE": b,
        "WANT": np.where(chosen, a, b),
    }


@case
def dma_copy(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 256, 1)
    return {"A": a, "WANT": a}


@case
def dma_copy_swdge(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 64, 512, scale=1)
    return {"A": a, "WANT": a}


@case
def dma_copy_hwdge(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512, scale=1)
    return {"A": a, "WANT": a}


@case
def dma_gather(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512, scale=1)
    return {"A": a, "WANT": a[::2]}


@case
def dma_gather_outside(random: np.random.RandomState) -> Inputs:
    return {"A": uniform(random, 128, 512, scale=1), "WANT": np.zeros((64, 512), np.float32)}


@case
def dma_gather_skip(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512, scale=1)
    want = np.full((64, 512), -1, np.float32)
    rows = np.arange(0, 128, 3)
    want[: len(rows)] = a[rows]
    return {"A": a, "WANT": want}


@case
def dma_scatter(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 64, 512, scale=1)
    want = np.full((128, 512), -1, np.float32)
    want[::2] = a
    return {"A": a, "WANT": want}


@case
def dma_scatter_outside(random: np.random.RandomState) -> Inputs:
    return {"A": uniform(random, 64, 512, scale=1), "WANT": np.zeros((128, 512), np.float32)}


@case
def dma_scatter_skip(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 64, 512, scale=1)
    want = np.full((128, 512), -1, np.float32)
    rows = np.arange(0, 128, 3)
    want[rows] = a[: len(rows)]
    return {"A": a, "WANT": want}


@case
def dma_scatter_add(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 64, 512, scale=1)
    want = np.ones((128, 512), np.float32)
    want[::2] += a
    return {"A": a, "WANT": want}


def _turned(random: np.random.RandomState) -> Inputs:
    a = (random.random_sample((16, 128)).astype(np.float16) * 100).astype(np.float16)
    return {"A": a, "WANT": a.T.copy()}


for _name in ("hbm", "sbuf", "hbm_hwdge", "sbuf_hwdge"):
    CASES[f"dma_transpose_{_name}"] = _turned


@case
def dma_transpose_gather(random: np.random.RandomState) -> Inputs:
    source = (np.arange(64 * 4 * 128) % 65536).astype(np.uint16).reshape(64, 4, 128)
    index = np.arange(32, dtype=np.uint32).reshape(32, 1)
    return {"SRC": source, "INDEX": index, "WANT": source[:32].transpose(2, 1, 0).copy()}


@case
def dropout_tile(random: np.random.RandomState) -> Inputs:
    return {"A": uniform(random, 128, 512), "PROB": uniform(random, 128, 1, scale=1)}


@case
def dropout_number(random: np.random.RandomState) -> Inputs:
    return {"A": uniform(random, 128, 512)}


@case
def iota(random: np.random.RandomState) -> Inputs:
    row, column = np.arange(512.0)[None, :], np.arange(128.0)[:, None]
    wanted = {"A": row, "B": column, "C": -row, "D": 5 + 2 * column, "E": row + column}
    return {f"WANT_{name}": value.astype(np.float32) for name, value in wanted.items()}


@case
def local_gather(random: np.random.RandomState) -> Inputs:
    source = uniform(random, 128, 512, 4)
    rows = np.tile(random.randint(0, 512, (16, 4)).astype(np.uint16), (8, 1))
    want = np.empty((128, 64, 4), np.float32)
    for first in range(0, 128, 16):
        lanes = slice(first, first + 16)
        want[lanes] = np.take(source[lanes], rows[lanes].flatten(order="F"), axis=1)
    return {"SRC": source, "INDEX": rows * np.uint16(4), "WANT": want.reshape(128, 4, 16, 4)}


def _largest(a: Array) -> Array:
    return np.sort(a.reshape(len(a), -1), axis=1)[:, :-9:-1].copy()


@case
def max8(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 32, 128, scale=1)
    return {"A": a, "WANT": _largest(a)}


@case
def memset(random: np.random.RandomState) -> Inputs:
    return {"WANT": np.full((128, 128), 0.2, np.float32)}


@case
def find_index8(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 32, 128, scale=1)
    order = np.argsort(-a, axis=1, kind="stable")[:, :8]
    return {"A": a, "WANT": order.astype(np.uint32)}


def _replaced(a: Array, value: float) -> Inputs:
    rows = a.reshape(len(a), -1)
    at = np.argsort(-rows, axis=1, kind="stable")[:, :8]
    done = rows.copy()
    np.put_along_axis(done, at, value, axis=1)
    return {"A": a, "WANT": done.reshape(a.shape), "WANT_AT": at.astype(np.uint32)}


@case
def match_replace8(random: np.random.RandomState) -> Inputs:
    found = _replaced(uniform(random, 4, 16, scale=1), -np.inf)
    return {"A": found["A"], "WANT": found["WANT"]}


@case
def match_replace8_indices(random: np.random.RandomState) -> Inputs:
    return _replaced(uniform(random, 128, 512, scale=1), -np.inf)


@case
def match_replace8_mask(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512, scale=1)
    return {**_replaced(a[:64, :256], -np.inf), "A": a}


@case
def match_replace8_3d(random: np.random.RandomState) -> Inputs:
    return _replaced(uniform(random, 128, 4, 4, scale=1), 0.0)


CASES["match_replace8_inplace"] = match_replace8_3d


@case
def matmul(random: np.random.RandomState) -> Inputs:
    a, b = uniform(random, 128, 128), uniform(random, 128, 512)
    d, e = uniform(random, 256, 128), uniform(random, 256, 512)
    return {"A": a, "B": b, "D": d, "E": e, "WANT_C": a.T @ b, "WANT_F": d.T @ e}


@case
def matmul_tiles(random: np.random.RandomState) -> Inputs:
    g, h = uniform(random, 16, 64, 64), uniform(random, 16, 64, 512)
    return {"G": g, "H": h, "WANT": np.matmul(g.transpose(0, 2, 1), h)}


@case
def matmul_double_row(random: np.random.RandomState) -> Inputs:
    a, b = np.ones((128, 2, 1), np.float32), np.ones((128, 2, 512), np.float32)
    fp8 = ml_dtypes.float8_e5m2
    return {"A": a.astype(fp8), "B": b.astype(fp8), "WANT": np.einsum("kli,klj->ij", a, b)}


ROLLED = np.arange(32) - 1


@case
def shuffle(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 32, 128)
    return {"IN": a, "WANT": a[ROLLED]}


@case
def shuffle_broadcast(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 1, 128)
    return {"IN": a, "WANT": np.repeat(a, 32, axis=0)}


@case
def shuffle_quadrants(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 128)
    return {"IN": a, "WANT": np.concatenate([quarter[ROLLED] for quarter in np.split(a, 4)])}


@case
def transpose_tensor(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 64)
    return {"A": a, "I": np.eye(128, dtype=np.float32), "WANT": a.T.copy()}


@case
def transpose_vector(random: np.random.RandomState) -> Inputs:
    b = uniform(random, 32, 2)
    return {"B": b, "WANT": b.T.copy()}


@case
def partition_reduce(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 32, 4)
    return {"A": a, "WANT": a.sum(axis=0, keepdims=True)}


@case
def partition_reduce_batch(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 4, 128, 32, 8)
    return {"A": a, "WANT": a.sum(axis=1, keepdims=True)}


def _selected(a: Array, low: float, high: float, start: int) -> Array:
    columns = (start + np.arange(a.shape[1])).astype(np.float32)
    return np.where((columns >= low) & (columns < high), a.astype(np.float32), LEAST)


def _range_select(dtype: Any) -> Case:
    def make(random: np.random.RandomState) -> Inputs:
        a = random.random_sample((128, 512)).astype(dtype)
        with np.errstate(over="ignore"):
            chosen = _selected(a, 0, 64, 32)
            most = chosen.max(axis=1, keepdims=True)
            return {
                "A": a,
                "LOW": np.zeros((128, 1), np.float32),
                "HIGH": np.full((128, 1), 64, np.float32),
                "WANT": chosen.astype(dtype),
                "WANT_MOST": most.astype(dtype),
            }

    return make


for _name, _dtype in (
    ("float8_e4m3", ml_dtypes.float8_e4m3),
    ("float8_e5m2", ml_dtypes.float8_e5m2),
    ("bfloat16", ml_dtypes.bfloat16),
    ("float16", np.float16),
    ("float32", np.float32),
):
    CASES[f"range_select_{_name}"] = _range_select(_dtype)


@case
def range_select_chain(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512, scale=1)
    chosen, most = a, np.full((128, 1), LEAST)
    for turn in range(3):
        chosen = _selected(a + np.float32(turn), 0, 350, 32 + 128 * turn)
        most = np.maximum(most, chosen.max(axis=1, keepdims=True))
    return {
        "A": a,
        "LOW": np.zeros((128, 1), np.float32),
        "HIGH": np.full((128, 1), 350, np.float32),
        "WANT": chosen,
        "WANT_MOST": most,
    }


@case
def reciprocal(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512)
    return {"A": a, "WANT": np.reciprocal(a)}


@case
def reduce(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512)
    return {"A": a, "WANT": a.sum(axis=1, keepdims=True)}


@case
def tensor_copy(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 8, 8)
    return {"A": a, "WANT": a}


@case
def tensor_scalar_subtract(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512)
    return {"A": a, "WANT": a - 1}


@case
def tensor_scalar_reverse(random: np.random.RandomState) -> Inputs:
    a = uniform(random, 128, 512)
    return {"A": a, "WANT": 1 - a}


@case
def tensor_scalar_two(random: np.random.RandomState) -> Inputs:
    e, f = uniform(random, 64, 1024), uniform(random, 64, 1)
    return {"E": e, "F": f, "WANT": e * f + np.float32(2.5)}


@case
def tensor_tensor(random: np.random.RandomState) -> Inputs:
    a, b = uniform(random, 128, 512), uniform(random, 128, 512)
    return {"A": a, "B": b, "WANT": a + b}


@case
def tensor_tensor_scan(random: np.random.RandomState) -> Inputs:
    a, b = uniform(random, 128, 1024, scale=1), uniform(random, 128, 1024, scale=1)
    want = np.zeros(a.shape)
    running = np.zeros(128)
    for i in range(a.shape[1]):
        running = a[:, i] * running + b[:, i]
        want[:, i] = running
    return {"A": a, "B": b, "WANT": want.astype(np.float32)}


def _half() -> tuple[Array, Array]:
    chosen = np.zeros((128, 64), np.uint8)
    chosen[:64] = 1
    return chosen, np.ones((128, 64), np.float32)


@case
def select_reduce(random: np.random.RandomState) -> Inputs:
    chosen, ones = _half()
    return {"PRED": chosen, "A": ones, "WANT": np.where(chosen == 1, ones, LEAST)}


@case
def select_reduce_reverse(random: np.random.RandomState) -> Inputs:
    chosen, ones = _half()
    return {"PRED": chosen, "A": ones, "WANT": np.where(chosen == 1, LEAST, ones)}


@case
def select_reduce_maximum(random: np.random.RandomState) -> Inputs:
    a, other = uniform(random, 128, 512), uniform(random, 128, 1)
    chosen = random.randint(0, 2, (128, 512)).astype(np.uint8)
    want = np.where(chosen == 1, a, other)
    return {
        "PRED": chosen,
        "A": a,
        "ON_FALSE": other,
        "WANT": want,
        "WANT_MOST": want.max(axis=1, keepdims=True),
    }


@case
def sequence_bounds(random: np.random.RandomState) -> Inputs:
    ids = np.sort(random.randint(0, 32, 32))
    n = len(ids)
    starts, ends = np.full(n, n), np.full(n, -1)
    for i in range(n):
        if ids[i]:
            starts[i] = starts[i - 1] if i and ids[i] == ids[i - 1] else i
    for i in reversed(range(n)):
        if ids[i]:
            ends[i] = ends[i + 1] if i + 1 < n and ids[i] == ids[i + 1] else i + 1
    want = np.stack([starts, ends]).astype(np.float32)[None]
    return {"IDS": ids.astype(np.float32)[None], "WANT": want}


ONES = np.ones((128, 64), np.float32)
STEPS = np.arange(1, 65, dtype=np.float32) * ONES


def _cumulative(want: Array, **tiles: float) -> Case:
    columns = {n: np.full((128, 1), v, np.float32) for n, v in tiles.items()}
    return lambda random: {"A": ONES, "WANT": want.astype(np.float32), **columns}


with np.errstate(over="ignore"):
    CASES |= {
        "cumulative_add": _cumulative(STEPS),
        "cumulative_multiply": _cumulative(ONES),
        "cumulative_add_tile": _cumulative(2 * STEPS, IMM0=1),
        "cumulative_multiply_tile": _cumulative(np.multiply.accumulate(2 * ONES, 1), IMM0=1),
        "cumulative_maximum_tile": _cumulative(2 * ONES, IMM0=1),
        "cumulative_add_loaded": _cumulative(2 * STEPS + 1, IMM0=1, IMM1=1),
        "cumulative_multiply_loaded": _cumulative(0 * ONES, IMM0=1, IMM1=0),
        "cumulative_minimum_loaded": _cumulative(0 * ONES, IMM0=1, IMM1=0),
        "cumulative_chain": _cumulative(STEPS + 64),
        "cumulative_chain_loaded": _cumulative(STEPS + 65),
        "cumulative_scan": _cumulative(STEPS + 2),
    }
