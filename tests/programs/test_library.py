"""The macros of programs/lib/: against NumPy, at several shapes, on every core; and what they refuse."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray

from nasm.problems import Failure
from nasm.session import Session
from nasm.source import Source

LIBRARY = Path(__file__).parents[2] / "programs" / "lib"
CORES = ("trn1", "trn2", "trn3")
DTYPES = {"f32": np.float32, "bf16": bfloat16}
Array = NDArray[Any]

# Activation functions and powers are rounded once to float32 and sums have other orders; a value
# kept in bfloat16 is off by half a unit of 2**-8 at each of the few roundings on its way.
CLOSE = {"f32": {"rtol": 1e-4, "atol": 1e-4}, "bf16": {"rtol": 3e-2, "atol": 3e-2}}


def run(text: str, core: str = "trn2", **inputs: Array) -> dict[str, Array]:
    """The outputs of a text that ends with all transfers landed, in order and free of warnings."""
    source = Source("test.nasm", f".target {core}\n{text}\n@sync .drain all\n")
    session = Session.load(source, inputs=inputs, include=[LIBRARY])
    report = session.run(hashes=False)
    assert report.ok, [p.message for p in report.problems]
    assert report.hazards == ()
    assert [p.code for p in report.warnings] == []
    return session.outputs()


def refused(text: str) -> str:
    with pytest.raises(Failure) as caught:
        run(text)
    return caught.value.problems[0].message


def draw(seed: int, *shape: int, dtype: str = "f32") -> Array:
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return values.astype(DTYPES[dtype])


def wide(array: Array) -> NDArray[np.float64]:
    return array.astype(np.float64)


def close(found: Array, wanted: Array, dtype: str = "f32") -> None:
    np.testing.assert_allclose(wide(found), wide(wanted), **CLOSE[dtype])


# ---------------------------------------------------------------- tiles


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("tiles", "buffers", "width"), [(1, 2, 64), (5, 2, 32), (7, 3, 48)])
def test_tiles_come_and_go_through_rings(core: str, tiles: int, buffers: int, width: int) -> None:
    x = draw(1, tiles * 128, width)
    used = "used" if tiles > buffers else "[]"
    made = run(
        f""".include "tiles.nasm"
        .hbm  X   f32[{tiles * 128}, {width}]  input
        .hbm  Y   f32[{tiles * 128}, {width}]  output
        .sbuf in  f32[128, {buffers}, {width}]
        .sbuf out f32[128, {buffers}, {width}]
        load_tiles(in, X.reshape({tiles}, 128, {width}), loaded, {used})
        .for t in 0..{tiles}
        .const b = t % {buffers}
        .if t < {buffers}
        @vector TensorScalar out[:, b], in[:, b], op0=multiply, operand0=2  after loaded[t]  post used[t]
        .else
        @vector TensorScalar out[:, b], in[:, b], op0=multiply, operand0=2  after loaded[t], stored[t - {buffers}]  post used[t]
        .end
        .end
        store_tiles(Y.reshape({tiles}, 128, {width}), out, used, stored)""",
        core,
        X=x,
    )
    np.testing.assert_array_equal(made["Y"], 2 * x)


@pytest.mark.parametrize("partitions", [1, 128])
def test_a_row_comes_into_every_partition(partitions: int) -> None:
    row = draw(2, 1, 40)
    made = run(
        f""".include "tiles.nasm"
        .hbm  R  f32[1, 40]  input
        .hbm  Y  f32[{partitions}, 40]  output
        .sbuf t  f32[{partitions}, 40]
        load_row(t, R, here)
        @sync DmaCopy Y, t  after here""",
        R=row,
    )
    np.testing.assert_array_equal(made["Y"], np.repeat(row, partitions, axis=0))


# ---------------------------------------------------------------- products and transposes


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    ("m", "k", "n", "columns", "dtype"),
    [(128, 128, 512, 512, "bf16"), (256, 384, 512, 128, "bf16"), (384, 128, 768, 256, "f32")],
)
def test_tiles_are_multiplied(core: str, m: int, k: int, n: int, columns: int, dtype: str) -> None:
    a, b = draw(3, k, m, dtype=dtype), draw(4, k, n, dtype=dtype)
    made = run(
        f""".include "matmul.nasm"
        .hbm A {dtype}[{k}, {m}] input
        .hbm B {dtype}[{k}, {n}] input
        .hbm C f32[{m}, {n}] output
        matmul_tiles(C, A, B, TN={columns})""",
        core,
        A=a,
        B=b,
    )
    np.testing.assert_allclose(made["C"], wide(a).T @ wide(b), rtol=1e-5, atol=1e-4)


def test_two_products_in_one_program_have_moments_of_their_own() -> None:
    a, b = draw(3, 128, 128, dtype="bf16"), draw(4, 128, 256, dtype="bf16")
    made = run(
        """.include "matmul.nasm"
        .hbm A bf16[128, 128] input
        .hbm B bf16[128, 256] input
        .hbm C f32[128, 256] output
        .hbm E f32[128, 256] output
        .for k in 0..1
        matmul_tiles(C, A, B, TN=128)
        .end
        matmul_tiles(E, A, B, made, TN=256)
        @vector EventSemaphore after made[0]""",
        A=a,
        B=b,
    )
    for name in "CE":
        np.testing.assert_allclose(made[name], wide(a).T @ wide(b), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("rows", "tiles", "dtype"), [(128, 5, "bf16"), (64, 2, "f32")])
def test_a_wide_tile_is_transposed(core: str, rows: int, tiles: int, dtype: str) -> None:
    x = draw(5, rows, tiles * 128, dtype=dtype)
    made = run(
        f""".include "transpose.nasm"
        .hbm  X  {dtype}[{rows}, {tiles * 128}]  input
        .hbm  Y  {dtype}[128, {tiles}, {rows}]  output
        .sbuf x  {dtype}[{rows}, {tiles * 128}]
        .sbuf y  {dtype}[128, {tiles}, {rows}]
        .sbuf unit {dtype}[128, 128]
        .psum turned {dtype}[128, 2, {rows}]
        identity(unit, same)
        @sync DmaCopy x, X  post loaded
        transpose_tiles(y, x, unit, turned, [same, loaded], done=ready)
        .for t in 0..{tiles}
        @sync DmaCopy Y[:, t], y[:, t]  after ready[t]
        .end""",
        core,
        X=x,
    )
    wanted = np.ascontiguousarray(x.reshape(rows, tiles, 128).transpose(2, 1, 0))
    np.testing.assert_array_equal(made["Y"], wanted)


# ---------------------------------------------------------------- rows

ROWS = """.include "tiles.nasm"
.include "{file}.nasm"
.const P = {p}, N = {n}
.hbm  X      {dtype}[P, N]  input
.hbm  GAIN   {dtype}[1, N]  input = zeros
.hbm  SHIFT  {dtype}[1, N]  input = zeros
.hbm  Y      {dtype}[P, N]  output
.sbuf x      {dtype}[P, N]
.sbuf gain   {dtype}[P, N]
.sbuf shift  {dtype}[P, N]
load_row(gain, GAIN, gains)
load_row(shift, SHIFT, shifts)
@sync DmaCopy x, X   post loaded
{call}
@sync DmaCopy Y, x   after made
"""
SHAPES = [(128, 512, "f32"), (128, 700, "bf16"), (7, 33, "f32"), (64, 1, "f32")]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("p", "n", "dtype"), SHAPES)
@pytest.mark.parametrize("scale", [1.0, 0.125])
def test_softmax(core: str, p: int, n: int, dtype: str, scale: float) -> None:
    x = draw(6, p, n, dtype=dtype)
    call = f"softmax(x, x, [loaded, gains, shifts], made, scale={scale})"
    text = ROWS.format(file="softmax", p=p, n=n, dtype=dtype, call=call)
    powers = np.exp(scale * (wide(x) - wide(x).max(axis=1, keepdims=True)))
    close(run(text, core, X=x)["Y"], powers / powers.sum(axis=1, keepdims=True), dtype)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("p", "n", "dtype"), SHAPES)
def test_layernorm(core: str, p: int, n: int, dtype: str) -> None:
    x, gain, shift = (draw(s, *d, n, dtype=dtype) for s, d in ((7, (p,)), (8, (1,)), (9, (1,))))
    call = "layernorm(x, x, gain, shift, [loaded, gains, shifts], made)"
    text = ROWS.format(file="norms", p=p, n=n, dtype=dtype, call=call)
    mean, variance = wide(x).mean(axis=1, keepdims=True), wide(x).var(axis=1, keepdims=True)
    wanted = (wide(x) - mean) / np.sqrt(variance + 1e-5) * wide(gain) + wide(shift)
    close(run(text, core, X=x, GAIN=gain, SHIFT=shift)["Y"], wanted, dtype)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("p", "n", "dtype"), SHAPES)
def test_rmsnorm(core: str, p: int, n: int, dtype: str) -> None:
    x, gain = draw(7, p, n, dtype=dtype), draw(8, 1, n, dtype=dtype)
    call = "rmsnorm(x, x, gain, [loaded, gains, shifts], made)"
    text = ROWS.format(file="norms", p=p, n=n, dtype=dtype, call=call)
    squares = (wide(x) ** 2).mean(axis=1, keepdims=True)
    wanted = wide(x) / np.sqrt(squares + 1e-6) * wide(gain)
    close(run(text, core, X=x, GAIN=gain)["Y"], wanted, dtype)


# ---------------------------------------------------------------- layers


def gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    ("s", "steps", "f", "d", "dtype"),
    [(128, 2, 512, 256, "bf16"), (32, 1, 128, 64, "f32"), (128, 1, 384, 512, "f32")],
)
def test_mlp(core: str, s: int, steps: int, f: int, d: int, dtype: str) -> None:
    x = draw(1, 128, steps, s, dtype=dtype)
    w1 = (draw(2, 128, steps, f) / math.sqrt(steps * 128)).astype(DTYPES[dtype])
    w2 = (draw(3, 128, f // 128, d) / math.sqrt(f)).astype(DTYPES[dtype])
    b1, add = draw(4, 128, f // 128), draw(5, s, d)
    text = f""".include "mlp.nasm"
        .hbm Y f32[{s}, {d}] output
        .sbuf y f32[{s}, {d}]
        .psum up f32[128, 2, {s}]
        .psum down f32[{s}, {d}]
        """
    shapes = {"x": x, "w1": w1, "b1": b1, "w2": w2, "add": add}
    for name, array in shapes.items():
        made = "f32" if array.dtype == np.float32 else dtype
        text += f".hbm {name.upper()} {made}{list(array.shape)} input\n"
        text += f".sbuf {name} {made}{list(array.shape)}\n"
        text += f"@sync DmaCopy {name}, {name.upper()}  post {name}_in\n"
    text += "mlp(y, x, w1, b1, w2, add, up, down, [x_in, w1_in, b1_in, w2_in, add_in], done)\n"
    text += "@sync DmaCopy Y, y  after done\n"
    made = run(text, core, **{name.upper(): array for name, array in shapes.items()})
    hidden = np.einsum("kts,ktf->sf", wide(x), wide(w1)) + b1.T.reshape(1, f)
    hidden = wide(gelu(hidden).astype(DTYPES[dtype])).reshape(s, f // 128, 128)
    close(made["Y"], np.einsum("stk,ktd->sd", hidden, wide(w2)) + add, dtype)
