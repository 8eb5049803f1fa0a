"""The macros of programs/lib/ against NumPy, at several shapes, on every core; what they refuse."""

from __future__ import annotations

import math
import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from tests.parts import part

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
        @vector TensorScalar out[:, b], in[:, b], op0=multiply,
            operand0=2  after loaded[t], stored[t - {buffers}] if t >= {buffers}  post used[t]
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


@pytest.mark.turns(2)
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
        matmul_tiles(E, A, B, done=made, TN=256)
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


@pytest.mark.turns(2)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("p", "n", "dtype"), SHAPES)
def test_softmax(core: str, p: int, n: int, dtype: str) -> None:
    x, scale = draw(6, p, n, dtype=dtype), 1.0 if n == 33 else 0.125
    call = f"softmax(x, x, [loaded, gains, shifts], made, scale={scale})"
    text = ROWS.format(file="softmax", p=p, n=n, dtype=dtype, call=call)
    powers = np.exp(scale * (wide(x) - wide(x).max(axis=1, keepdims=True)))
    close(run(text, core, X=x)["Y"], powers / powers.sum(axis=1, keepdims=True), dtype)


@pytest.mark.turns(2)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("p", "n", "dtype"), SHAPES)
def test_layernorm(core: str, p: int, n: int, dtype: str) -> None:
    x, gain, shift = (draw(s, *d, n, dtype=dtype) for s, d in ((7, (p,)), (8, (1,)), (9, (1,))))
    call = "layernorm(x, x, gain, shift, [loaded, gains, shifts], made)"
    text = ROWS.format(file="norms", p=p, n=n, dtype=dtype, call=call)
    mean, variance = wide(x).mean(axis=1, keepdims=True), wide(x).var(axis=1, keepdims=True)
    wanted = (wide(x) - mean) / np.sqrt(variance + 1e-5) * wide(gain) + wide(shift)
    close(run(text, core, X=x, GAIN=gain, SHIFT=shift)["Y"], wanted, dtype)


@pytest.mark.turns(2)
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


@pytest.mark.turns(2)
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


@pytest.mark.turns(2)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    ("queries", "features", "tile", "tiles", "dtype"),
    [(128, 64, 128, 4, "bf16"), (128, 128, 128, 1, "f32"), (32, 16, 64, 3, "f32")],
)
def test_attention(
    core: str, queries: int, features: int, tile: int, tiles: int, dtype: str
) -> None:
    q, k = (draw(s, features, n, dtype=dtype) for s, n in ((1, queries), (2, tile * tiles)))
    v = draw(3, tile, tiles, features, dtype=dtype)
    q = (2 * wide(q)).astype(DTYPES[dtype])  # so that later tiles have higher scores for some rows
    text = f""".include "transpose.nasm"
        .include "attention.nasm"
        .hbm  Q  {dtype}[{features}, {queries}]  input
        .hbm  K  {dtype}[{features}, {tile * tiles}]  input
        .hbm  V  {dtype}[{tile}, {tiles}, {features}]  input
        .hbm  O  f32[2, {queries}, {features}]  output
        .sbuf q  {dtype}[{features}, {queries}]
        .sbuf k  {dtype}[{features}, {tile * tiles}]
        .sbuf v  {dtype}[{tile}, {tiles}, {features}]
        .sbuf o  f32[{queries}, 2, {features}]
        .sbuf unit {dtype}[128, 128]
        .psum scores f32[{queries}, 2, {tile}]
        .psum turned {dtype}[{tile}, {queries}]
        .psum sums f32[{queries}, {features}]
        identity(unit, same)
        @sync DmaCopy q, Q  post q_in
        @sync DmaCopy k, K  post k_in
        @sync DmaCopy v, V  post v_in
        .for h in 0..2
        attention(o[:, h], q, k, v, unit, scores, turned, sums, 0.25,
            [q_in, k_in, v_in, same], made[h])
        @sync DmaCopy O[h], o[:, h]  after made[h]
        .end"""
    made = run(text, core, Q=q, K=k, V=v)["O"]
    scores = 0.25 * wide(q).T @ wide(k)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    values = wide(v).transpose(1, 0, 2).reshape(tile * tiles, features)
    for found in made:  # two calls that share PSUM, one after the other
        close(found, powers / powers.sum(axis=1, keepdims=True) @ values, dtype)


# ---------------------------------------------------------------- what macros refuse

TENSORS = """.hbm  A  f32[128, 128]
.hbm  T  f32[2, 128, 64]
.sbuf unit f32[128, 128]
.sbuf x  f32[128, 64]
.sbuf y  f32[128, 32]
.sbuf w  f32[128, 192]
.sbuf r  f32[128, 2, 64]
.sbuf v  f32[64, 2, 128]
.sbuf s  f32[128, 2, 32]
.psum p  f32[128, 64]
.psum u  f32[128, 2, 128]
.psum z  bf16[128, 64]
"""
REFUSED = [
    ("tiles", "load_tiles(s, T, l, [])", "src is [T, P, N] for a ring [P, B, N]"),
    ("tiles", "store_tiles(T, s, m)", "dst is [T, P, N] for a ring [P, B, N]"),
    ("tiles", "load_row(x, A)", "row is [1, N] for a tile [P, N]"),
    ("matmul", "matmul(p, r, s[0:64])", "a is [K, STEPS, M] and b [K, STEPS, N]"),
    ("matmul", "matmul(p, r, r)", "acc is [M, N] for a [K, STEPS, M] and b [K, STEPS, N]"),
    ("matmul", "matmul_tiles(A, A, A)", "N is a multiple of TN, which is at most 512"),
    ("matmul", "matmul_tiles(A, A[0:64], A[0:64], TN=128)", "K and M are multiples of 128"),
    ("matmul", "matmul_tiles(A, A, A[0:64])", "C is [M, N] for A [K, M] and B [K, N]"),
    ("transpose", "identity(x)", "unit is as wide as it has partitions"),
    ("transpose", "transpose(x, w, unit, p)", "src is at most 128 wide"),
    ("transpose", "transpose(x, x, unit, p)", "dst and turned are [N, P] for src [P, N]"),
    ("transpose", "transpose(y[0:64], unit[0:32, 0:64], unit, z[0:64, 0:32])", "have the dtype"),
    ("transpose", "transpose_tiles(r, w, unit, u)", "src is [P, T * 128] for dst [128, T, P]"),
    ("softmax", "softmax(x, y)", "dst and src are both [P, N]"),
    ("softmax", "softmax(x, x, scale=0)", "scale is above 0"),
    ("norms", "layernorm(x, x, x, y)", "dst, gain and shift are as wide as src"),
    ("norms", "rmsnorm(x, x, y)", "dst and gain are as wide as src"),
    ("mlp", "mlp(x, r, r, x, r, x, u, p)", "the hidden layer is a multiple of 128 wide"),
    ("attention", "attention(x, x, w, r, unit, u, p, p, 1)", "k is [D, T * TK] for q [D, S]"),
    ("attention", "attention(y, x, w[:, 0:128], v, unit, u, p, p, 1)", "dst is [S, D]"),
]


@pytest.mark.parametrize(("file", "call", "said"), REFUSED)
def test_a_macro_says_which_shapes_it_wants(file: str, call: str, said: str) -> None:
    message = refused(f'{TENSORS}.include "{file}.nasm"\n{call}')
    assert said in message
    assert f"{call.partition('(')[0]}: " in message


# ---------------------------------------------------------------- the transformer block


@pytest.mark.turns(4)
@pytest.mark.parametrize("sizes", [(128, 128, 1, 128), (384, 256, 4, 256)])
def test_a_transformer_block_of_other_sizes(sizes: tuple[int, ...]) -> None:
    folder = LIBRARY.parent
    golden = runpy.run_path(str(folder / "data" / "make_transformer_block.py"))["block"](*sizes)
    program = source_of(folder / "transformer_block.nasm")
    session = Session.load(program, defines=dict(zip("SDHF", sizes, strict=True)))
    assert session.run(hashes=False).ok
    np.testing.assert_allclose(session.outputs()["Y"], golden, rtol=5e-3, atol=3e-2)


def test_the_golden_values_of_the_transformer_block_are_those_of_its_script() -> None:
    folder = LIBRARY.parent / "data"
    golden = runpy.run_path(str(folder / "make_transformer_block.py"))["block"]()
    with np.load(folder / "transformer_block.npz") as stored:
        # another NumPy may sum in another order
        np.testing.assert_allclose(stored["y"], golden, rtol=1e-5, atol=1e-5)


# ---------------------------------------------------------------- what the pages say


def rows_of_cycles() -> list[list[str]]:
    text = (LIBRARY.parent / "README.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| program | machine | tensor |")
    found = [line.strip("| ").split(" | ") for line in table.splitlines()[2:11]]
    assert {len(row) for row in found} == {8}
    return found


@pytest.mark.turns(4)
@pytest.mark.parametrize("row", rows_of_cycles(), ids=lambda row: "-".join(row[:2]))
def test_the_readme_has_the_cycles_of_each_engine(row: list[str]) -> None:
    name, core = row[:2]
    session = Session.load(source_of(LIBRARY.parent / f"{name}.nasm"), target=core)
    report = session.run(hashes=False)
    busy = {e.engine: f"{e.busy:,}" for e in report.engines}
    engines = ("tensor", "vector", "scalar", "gpsimd", "sync")
    assert row[2:] == [*(busy[e] for e in engines), f"{report.microseconds:.1f}"]


def test_each_macro_of_the_library_is_used_by_a_program() -> None:
    texts = [p.read_text(encoding="utf-8") for p in LIBRARY.parent.rglob("*.nasm")]
    macros = re.findall(r"^\.macro (\w+)\(", "\n".join(texts), re.MULTILINE)
    assert len(macros) >= 13
    calls = set(re.findall(r"^ *(\w+)\(", "\n".join(texts), re.MULTILINE))
    assert [m for m in macros if m not in calls] == []


def test_the_readme_lists_the_library() -> None:
    readme = (LIBRARY.parent / "README.md").read_text(encoding="utf-8")
    for path in sorted(LIBRARY.rglob("*.nasm")):
        assert f"](lib/{path.relative_to(LIBRARY).as_posix()})" in readme
        for macro in re.findall(
            r"^\.macro (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert f"`{macro}`" in readme


# ---------------------------------------------------------------- together with the rest


@pytest.mark.parametrize("core", CORES)
def test_a_macro_in_a_loop_at_run_time(core: str) -> None:
    x = draw(1, 6, 128, 48)
    made = run(
        """.include "softmax.nasm"
        .hbm  X  f32[6, 128, 48]  input
        .hbm  Y  f32[6, 128, 48]  output
        .sbuf t  f32[128, 48]
        .loop k in 0..6
        @gpsimd DmaCopy t, X[k]  after out[k - 1]  post in[k]
        softmax(t, t, in[k], made[k])
        @gpsimd DmaCopy Y[k], t  after made[k]  post out[k]
        .end
        @gpsimd .drain""",
        core,
        X=x,
    )
    powers = np.exp(wide(x))
    close(made["Y"], powers / powers.sum(axis=-1, keepdims=True))


PAIRS = "sslsrsallrlarraas"
"""Each of four macros after each of them."""

SHARING = """.include "softmax.nasm"
        .include "norms.nasm"
        .include "attention.nasm"
        .include "transpose.nasm"
        .const N = 17
        .sbuf x    f32[128, N, 64] = normal(seed=1)
        .sbuf gain f32[128, 64]    = normal(seed=2)
        .sbuf q    f32[64, 128]    = normal(seed=3)
        .sbuf k    f32[64, 192]    = normal(seed=4)
        .sbuf v    f32[64, 3, 64]  = normal(seed=5)
        .sbuf unit f32[128, 128]
        .psum scores f32[128, 2, 64]
        .psum turned f32[64, 128]
        .psum sums   f32[128, 64]
        .hbm  Y  f32[N, 128, 64]  output
        identity(unit, same)
"""


@pytest.mark.parametrize("core", part(CORES, 1))
def test_calls_share_scratch_and_need_no_wait_for_it(core: str) -> None:
    calls = {
        "s": "softmax(x[:, {n}], x[:, {n}], done=made[{n}])",
        "l": "layernorm(x[:, {n}], x[:, {n}], gain, gain, done=made[{n}])",
        "r": "rmsnorm(x[:, {n}], x[:, {n}], gain, done=made[{n}])",
        "a": "attention(x[:, {n}], q, k, v, unit, scores, turned, sums, 0.2, same, made[{n}])",
    }
    lines = [calls[which].format(n=n) for n, which in enumerate(PAIRS)]
    stores = ".for n in 0..N\n@sync DmaCopy Y[n], x[:, n]  after made[n]\n.end"
    text = SHARING + "\n".join(lines) + "\n" + stores
    run(text, core)  # in order in every execution, or it is told
    source = Source("test.nasm", f".target {core}\n{text}\n")
    tensors = Session.load(source, include=[LIBRARY]).program.tensors
    for macro in ("softmax_{}_lowest", "rmsnorm_{}_scale", "attention_{}_p"):
        assert tensors[macro.format(1)].offset == tensors[macro.format(4)].offset


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("file", "wait"),
    [
        ("attention", "after copied[o]"),
        ("attention", "after raised[o]"),
        ("attention", "after found[t]"),
        ("attention", "after faded[o]"),
        ("attention", "after scored[t]"),
        ("attention", "after passed[o]"),
        ("transpose", "after ones"),
        ("tiles", "after made[t]"),
    ],
)
def test_a_wait_that_a_macro_forgets_is_a_hazard(file: str, wait: str, tmp_path: Path) -> None:
    program = LIBRARY.parent / "attention.nasm"
    shutil.copytree(LIBRARY, tmp_path / "lib")
    text = (LIBRARY / f"{file}.nasm").read_text(encoding="utf-8")
    assert f"  {wait}" in text
    (tmp_path / "lib" / f"{file}.nasm").write_text(text.replace(f"  {wait}", ""), "utf-8")
    source = Source(str(tmp_path / program.name), program.read_text(encoding="utf-8"))
    report = Session.load(source).run(hashes=False)
    assert report.hazards != ()


def test_a_program_that_may_read_no_file_may_include_the_library_and_nothing_beside_it() -> None:
    head = ".target trn2\n.include "
    assert Session.load(Source("a.nasm", head + '"lib/softmax.nasm"\n'), files=False)
    for name in ("lib/../transpose.nasm", "transpose.nasm", str(LIBRARY.parent / "ring.nasm")):
        with pytest.raises(Failure) as caught:
            Session.load(Source("a.nasm", f'{head}"{name}"\n'), files=False)
        assert caught.value.problems[0].code == "E0801"
