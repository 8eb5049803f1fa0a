"""The ten heaviest instructions against plain NumPy that computes the same.

Each is run many times over in one program, on tiles that the program finds in its memories; the
plain side works on arrays of the same dtypes, casts included. Both must give the same result.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

import nasm
from nasm.base.source import Source

P, N, TIMES = 128, 512, 40
Array = np.ndarray[Any, Any]
Tiles = dict[str, Array]
BF16, FP8 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn


@dataclass(frozen=True, slots=True)
class Heavy:
    """An instruction: what it needs, its line, and the same in NumPy.

    ``plain`` returns what ``c`` holds afterwards; None where only the shape can be compared,
    because the instruction's state goes on.
    """

    name: str
    declared: str
    line: str
    tiles: Callable[[np.random.Generator], Tiles]
    plain: Callable[[Tiles], Array]
    before: str = ""
    same: bool = True


def _one(dtype: Any = np.float32, **shapes: tuple[int, ...]) -> Callable[..., Tiles]:
    return lambda random: {n: random.standard_normal(s).astype(dtype) for n, s in shapes.items()}


def scan(t: Tiles) -> Array:
    a, b, out = t["a"].T.copy(), t["b"].T.copy(), np.empty((N, P), np.float32)
    state = np.zeros(P, np.float32)
    for n in range(N):
        np.multiply(a[n], state, out=out[n])
        np.add(out[n], b[n], out=out[n])
        state = out[n]
    return out.T.copy()


def max8(t: Tiles) -> Array:
    return np.sort(t["a"], axis=1)[:, :-9:-1].copy()


def _found(data: Array, values: Array) -> Array:
    at = np.empty((P, 8), np.int64)
    for slot in range(8):
        at[:, slot] = (data == values[:, slot : slot + 1]).argmax(axis=1)
    return at


def find(t: Tiles) -> Array:
    return _found(t["a"], t["best"]).astype(np.uint32)


def replace(t: Tiles) -> Array:
    done = t["a"].copy()
    np.put_along_axis(done, _found(t["a"], t["best"]), -np.inf, axis=1)
    return done


def aggregate(t: Tiles) -> Array:
    count, mean, spread = (np.ascontiguousarray(t["a"][:, n::3].T) for n in range(3))
    total, weighted, squares = (np.zeros(P, np.float32) for _ in range(3))
    for n in range(len(count)):
        total += count[n]
        weighted += count[n] * mean[n]
    middle = weighted / total
    for n in range(len(count)):
        squares += spread[n]
    rest = np.zeros(P, np.float32)
    for n in range(len(count)):
        rest += count[n] * np.square(mean[n] - middle)
    return np.stack([middle, (squares + rest) / total], axis=1)


def _stats(random: np.random.Generator) -> Tiles:
    return {"a": (random.random((P, 510)) + 1).astype(np.float32)}


def xorwow(_: Tiles) -> Array:
    """One xorwow step of 128 x 4 streams after another, element by element of a row."""
    x, y, z, w, v, d = (np.full(P * 4, n + 1, np.uint32) for n in range(6))
    out = np.empty((N // 4, P * 4), np.uint32)
    for n in range(N // 4):
        t = x ^ (x >> np.uint32(2))
        x, y, z, w = y, z, w, v
        v = (v ^ (v << np.uint32(4))) ^ (t ^ (t << np.uint32(1)))
        d = d + np.uint32(362437)
        out[n] = v + d
    return out.reshape(N // 4, P, 4).transpose(1, 0, 2).reshape(P, N)


def uniform(t: Tiles) -> Array:
    words = xorwow(t)
    return (words >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)


def dropout(t: Tiles) -> Array:
    kept = (xorwow(t) >> np.uint32(8)).astype(np.float32) * np.float32(2**-24) >= 0.5
    return np.where(kept, t["a"], np.float32(0))


def _grouped(t: Array) -> Array:
    return t.astype(np.float32).reshape(P // 8, 8, N // 4, 4)


def quantize(t: Tiles) -> Array:
    groups = _grouped(t["a"])
    most = np.abs(groups).max(axis=(1, 3))
    exponent = (most.view(np.uint32) >> np.uint32(23)).astype(np.int32) - 7
    scale = np.ldexp(np.float32(1), 127 - exponent)[:, None, :, None]
    return (groups * scale).astype(FP8).reshape(P, N).view(np.uint32)


def mx(t: Tiles) -> Array:
    sides = []
    for name in ("w", "x"):
        packed = t[name]
        values = packed.view(FP8).astype(np.float32).reshape(P, -1, 4)
        rows = 32 * (np.arange(16) // 4) + np.arange(16) % 4
        scale = np.ldexp(np.float32(1), t[f"{name}s"][rows].astype(np.int32) - 127)
        values *= np.repeat(scale, 8, axis=0)[:, :, None]
        sides.append(values.transpose(0, 2, 1).reshape(P * 4, -1))
    first, second = (side.astype(np.float64) for side in sides)
    return (first.T @ second).astype(np.float32)


def _packed(random: np.random.Generator) -> Tiles:
    def side(columns: int) -> Array:
        return random.standard_normal((P, columns * 4)).astype(FP8).view(np.uint32)

    def scales(columns: int) -> Array:
        return random.integers(120, 130, (P, columns)).astype(np.uint8)

    return {"w": side(128), "ws": scales(128), "x": side(N), "xs": scales(N)}


def _with_best(random: np.random.Generator) -> Tiles:
    a = random.standard_normal((P, N)).astype(np.float32)
    return {"a": a, "best": np.sort(a, axis=1)[:, :-9:-1].copy()}


_FULL = f"f32[{P}, {N}]"
_LOOKED_FOR = f".sbuf a {_FULL}\n.sbuf best f32[{P}, 8]\n"

HEAVY = (
    Heavy(
        "MultiplyMovingMX",
        f".sbuf w float8_e4m3fn_x4[{P}, 128]\n.sbuf ws u8[{P}, 128]\n"
        f".sbuf x float8_e4m3fn_x4[{P}, {N}]\n.sbuf xs u8[{P}, {N}]\n.psum c f32[128, {N}]\n",
        "@tensor MultiplyMovingMX c, x, xs",
        _packed,
        mx,
        "@tensor LoadStationaryMX w, ws\n",
    ),
    Heavy(
        "QuantizeMX",
        f".sbuf a bf16[{P}, {N}]\n.sbuf c float8_e4m3fn_x4[{P}, {N // 4}]\n"
        f".sbuf s u8[{P}, {N // 4}]\n",
        "@vector QuantizeMX c, a, s",
        _one(BF16, a=(P, N)),
        quantize,
    ),
    Heavy(
        "TensorTensorScan",
        f".sbuf a {_FULL}\n.sbuf b {_FULL}\n.sbuf c {_FULL}\n",
        "@vector TensorTensorScan c, a, b, 0.0, op0=multiply, op1=add",
        _one(a=(P, N), b=(P, N)),
        scan,
    ),
    Heavy("Rng", f".sbuf c u32[{P}, {N}]\n", "@vector Rng c", _one(), xorwow, same=False),
    Heavy("Rand2", f".sbuf c {_FULL}\n", "@vector Rand2 c, 0.0, 1.0", _one(), uniform, same=False),
    Heavy(
        "Dropout",
        f".sbuf a {_FULL}\n.sbuf c {_FULL}\n",
        "@vector Dropout c, a, 0.5",
        _one(a=(P, N)),
        dropout,
        same=False,
    ),
    Heavy(
        "MatchReplace8",
        f"{_LOOKED_FOR}.sbuf c {_FULL}\n",
        "@vector MatchReplace8 c, a, -inf",
        _with_best,
        replace,
        "@vector MatchValueLoad best\n",
    ),
    Heavy(
        "FindIndex8",
        f"{_LOOKED_FOR}.sbuf c u32[{P}, 8]\n",
        "@vector FindIndex8 c, a",
        _with_best,
        find,
        "@vector MatchValueLoad best\n",
    ),
    Heavy(
        "Max8", f".sbuf a {_FULL}\n.sbuf c f32[{P}, 8]\n", "@vector Max8 c, a", _one(a=(P, N)), max8
    ),
    Heavy(
        "BatchNormAggregate",
        f".sbuf a f32[{P}, 510]\n.sbuf c f32[{P}, 2]\n",
        "@vector BatchNormAggregate c, a",
        _stats,
        aggregate,
    ),
)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ratio(row: Heavy, pairs: int) -> tuple[float, float]:
    """Time of an instruction over that of plain NumPy, and the microseconds of the former."""
    tiles = row.tiles(np.random.default_rng(1))
    text = f".target trn3\n{row.declared}{row.before}.for i in 0..{TIMES}\n{row.line}\n.end\n"
    program = nasm.assemble(Source(row.name, text))
    ours, plain = [], []
    for _ in range(pairs):
        gc.collect()
        session = nasm.Session(program, tiles, keep=0)
        ours.append(_seconds(partial(session.run, hashes=False)) / TIMES)
        plain.append(_seconds(lambda: [row.plain(tiles) for _ in range(TIMES)]) / TIMES)
    report = session.report()
    assert report.ok, (row.name, report.hazards or report.problems)
    found, wanted = session.read("c"), row.plain(tiles)
    assert found.shape == wanted.shape, row.name
    if row.same:
        np.testing.assert_allclose(found.view(wanted.dtype), wanted, 1e-5, 1e-5)
    pairs_taken = zip(ours, plain, strict=True)
    return statistics.median(o / p for o, p in pairs_taken), statistics.median(ours) * 1e6
