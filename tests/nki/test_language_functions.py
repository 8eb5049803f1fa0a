"""Functions of nki.language that make tiles, against plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.nki import language as nl
from nasm.nki.kernel_run import run
from tests.nki.kernels import Array, computed
from tests.tables import each

R = np.random.default_rng(7)
A, B = (R.normal(size=(8, 16)).astype(np.float32) for _ in range(2))
COLUMN = R.normal(size=(8, 1)).astype(np.float32)
CUBE = R.normal(size=(8, 3, 4)).astype(np.float32)
I = R.integers(-50, 100, size=(8, 16)).astype(np.int32)  # noqa: E741
J = R.integers(1, 6, size=(8, 16)).astype(np.int32)
BITS = (I % 2).astype(np.uint8)
EVEN = (I % 2).astype(np.float32)


def bf16(array: Array) -> Array:
    return array.astype(ml_dtypes.bfloat16)


EXACT: dict[str, tuple[Callable[..., Any], tuple[Array, ...], Array]] = {
    "tile + tile": (nl.add, (A, B), A + B),
    "tile - number": (lambda x: nl.subtract(x, 2.0), (A,), A - 2),
    "number - tile": (lambda x: nl.subtract(2.0, x), (A,), 2 - A),
    "numpy's number": (lambda x: nl.multiply(np.float32(0.5), x), (A,), A / 2),
    "tile - column": (nl.subtract, (A, COLUMN), A - COLUMN),
    "column - tile": (nl.subtract, (COLUMN, A), COLUMN - A),
    "column in bfloat16": (nl.add, (A, bf16(COLUMN)), A + bf16(COLUMN).astype(np.float32)),
    "columns": (nl.add, (COLUMN, COLUMN), 2 * COLUMN),
    "free axes of 1": (
        lambda x, y: nl.maximum(x, y[:, :, 0:1]),
        (CUBE, CUBE),
        np.maximum(CUBE, CUBE[:, :, :1]),
    ),
    "integers": (nl.add, (I, J), I + J),
    "integer column": (lambda x, y: nl.add(x, y[:, 0:1]), (I, J), I + J[:, :1]),
    "integer number": (lambda x: nl.multiply(x, 3), (I,), I * 3),
    "float beats integer": (nl.add, (BITS, A), BITS + A),
    "minimum": (nl.minimum, (A, B), np.minimum(A, B)),
    "and": (nl.bitwise_and, (I, J), I & J),
    "or": (lambda x: nl.bitwise_or(x, 5), (I,), I | 5),
    "xor": (lambda x: nl.bitwise_xor(6, x), (I,), I ^ 6),
    "shift": (lambda x: nl.left_shift(x, 2), (I,), I << 2),
    "shifted": (lambda x: nl.left_shift(1, x), (J,), 1 << J),
    "right shift": (lambda x: nl.right_shift(x, 1), (J,), J >> 1),
    "invert": (nl.invert, (I,), ~I),
    "invert bytes": (nl.invert, (BITS,), ~BITS),
    "not, of integers": (nl.logical_not, (BITS,), 1 - BITS),
    "not, of floats": (nl.logical_not, (EVEN,), 1 - EVEN),
    "xor of truths": (nl.logical_xor, (EVEN, EVEN[:, ::-1].copy()), EVEN[:, ::-1] != EVEN),
    "less": (lambda x, y: nl.less(x, y, dtype=nl.uint8), (A, B), A < B),
    "greater_equal": (lambda x: nl.greater_equal(x, 0.0), (A,), A >= 0),
    "not_equal": (lambda x, y: nl.not_equal(x, y), (I, J), I != J),
    "abs": (nl.abs, (A,), np.abs(A)),
    "square": (nl.square, (A,), np.square(A)),
    "negative": (nl.negative, (A,), -A),
    "sign": (nl.sign, (A,), np.sign(A)),
    "relu": (nl.relu, (A,), np.maximum(A, 0)),
    "reciprocal": (nl.reciprocal, (A,), 1 / A),
    "copy": (nl.copy, (I,), I),
    "copy into bfloat16": (lambda x: nl.copy(x, dtype=nl.bfloat16), (A,), bf16(A)),
    "dtype=": (lambda x: nl.add(x, 0.5, dtype="bfloat16"), (A,), bf16(A + np.float32(0.5))),
    "max": (lambda x: nl.max(x, axis=2), (CUBE,), CUBE.max(2)),
    "min, kept": (lambda x: nl.min(x, axis=-1, keepdims=True), (CUBE,), CUBE.min(2, keepdims=True)),
    "max of all": (lambda x: nl.max(x, axis=[1, 2]), (CUBE,), CUBE.max((1, 2)).reshape(8, 1)),
    "sum of integers": (lambda x: nl.sum(x, axis=1), (I,), I.sum(1, keepdims=True)),
    "all": (lambda x: nl.all(x, axis=1), (EVEN,), EVEN.all(1, keepdims=True)),
    "where": (nl.where, (EVEN, A, B), np.where(EVEN, A, B)),
    "where, numbers": (lambda c: nl.where(c, 2.0, -1.0), (BITS,), np.where(BITS, 2.0, -1.0)),
    "where, a number": (lambda c, x: nl.where(c, x, 0.5), (BITS, A), np.where(BITS, A, 0.5)),
    "where, a column": (nl.where, (EVEN, COLUMN, A), np.where(EVEN, COLUMN, A)),
    "where, a condition for each row": (
        lambda c, x: nl.where(nl.greater(c, 0.0), x, 0.5),
        (COLUMN, A),
        np.where(COLUMN > 0, A, 0.5),
    ),
    "transpose": (nl.transpose, (A,), A.T),
    "expand_dims": (lambda x: nl.copy(nl.expand_dims(x, 1)), (A,), A[:, None]),
    "expand_dims, last": (lambda x: nl.copy(nl.expand_dims(x, -1)), (A,), A[..., None]),
    "columns repeated": (
        lambda x: nl.copy(nl.broadcast_to(x, (8, 5))),
        (COLUMN,),
        np.broadcast_to(COLUMN, (8, 5)),
    ),
    "a row repeated": (
        lambda x: nl.broadcast_to(x, (32, 16)),
        (A[:1].copy(),),
        np.broadcast_to(A[:1], (32, 16)),
    ),
    "a row and columns repeated": (
        lambda x: nl.copy(nl.broadcast_to(x, (128, 3, 4))),
        (CUBE[:1, :, :1].copy(),),
        np.broadcast_to(CUBE[:1, :, :1], (128, 3, 4)),
    ),
    "gather": (
        nl.gather_flattened,
        (A, (J % 16).astype(np.uint32)),
        np.take_along_axis(A, J % 16, 1),
    ),
    "zeros": (lambda x: nl.zeros((4, 8), nl.bfloat16), (A,), np.zeros((4, 8))),
    "ones": (lambda x: nl.ones((4, 8), nl.uint8), (A,), np.ones((4, 8))),
    "full": (lambda x: nl.full((4, 8), -7, nl.int16), (A,), np.full((4, 8), -7)),
    "full in PSUM": (
        lambda x: nl.full((4, 8), 2.5, nl.float32, nl.psum),
        (A,),
        np.full((4, 8), 2.5),
    ),
    "zeros_like": (nl.zeros_like, (I,), np.zeros((8, 16))),
    "identity": (lambda x: nl.copy(nl.shared_identity_matrix(8)), (A,), np.eye(8)),
    "identity in bfloat16": (
        lambda x: nl.copy(nl.shared_identity_matrix(5, dtype=nl.bfloat16)),
        (A,),
        np.eye(5),
    ),
    "constant": (lambda x: nl.load(nl.shared_constant(B)), (A,), B),
    "nothing dropped": (lambda x: nl.dropout(x, 0.0), (A,), A),
}


@each("name", EXACT)
def test_a_function_gives_what_numpy_gives(name: str) -> None:
    body, arrays, wanted = EXACT[name]
    made = computed(body, *arrays)
    assert made.shape == wanted.shape
    assert np.array_equal(made.astype(np.float64), wanted.astype(np.float64))


def softmax(x: Array, axes: Any) -> Array:
    powers = np.exp(x - x.max(axes, keepdims=True))
    return powers / powers.sum(axes, keepdims=True)


NEAR: dict[str, tuple[Callable[..., Any], tuple[Array, ...], Array]] = {
    # Sums in float32, in another order than NumPy's; functions rounded once, where NumPy errs.
    "sum": (lambda x: nl.sum(x, axis=[1, 2]), (CUBE,), CUBE.sum((1, 2)).reshape(8, 1)),
    "prod": (lambda x: nl.prod(x, axis=2), (CUBE,), CUBE.prod(2)),
    "mean": (lambda x: nl.mean(x, axis=2), (CUBE,), CUBE.mean(2)),
    "mean, kept": (lambda x: nl.mean(x, [1], keepdims=True), (A,), A.mean(1, keepdims=True)),
    "var": (lambda x: nl.var(x, axis=[1, 2]), (CUBE,), CUBE.var((1, 2), keepdims=True)),
    "softmax": (nl.softmax, (CUBE,), softmax(CUBE, 2)),
    "softmax of two axes": (lambda x: nl.softmax(x, axis=(1, 2)), (CUBE,), softmax(CUBE, (1, 2))),
    "rms_norm": (
        lambda x, w: nl.rms_norm(x, w, axis=1, n=16),
        (A, B),
        A / np.sqrt((A**2).mean(1, keepdims=True) + 1e-6) * B,
    ),
    "rms_norm with a row": (
        lambda x, w: nl.rms_norm(x, w, 1, 16, epsilon=0.5),
        (A, B[:1].copy()),
        A / np.sqrt((A**2).mean(1, keepdims=True) + 0.5) * B[:1],
    ),
    "power": (nl.power, (np.abs(A), B), np.abs(A) ** B),
    "power of a number": (lambda x: nl.power(x, 3.0), (np.abs(A),), np.abs(A) ** 3),
    "exp": (nl.exp, (A,), np.exp(A)),
    "log": (nl.log, (np.abs(A),), np.log(np.abs(A))),
    "sqrt": (nl.sqrt, (np.abs(A),), np.sqrt(np.abs(A))),
    "rsqrt": (nl.rsqrt, (np.abs(A),), 1 / np.sqrt(np.abs(A))),
    "tanh": (nl.tanh, (A,), np.tanh(A)),
    "sigmoid": (nl.sigmoid, (A,), 1 / (1 + np.exp(-A))),
    "silu": (nl.silu, (A,), A / (1 + np.exp(-A))),
    "arctan": (nl.arctan, (A,), np.arctan(A)),
    "matmul": (nl.matmul, (A, B.T.copy()), A @ B.T),
    "matmul, transposed": (lambda x, y: nl.matmul(x, y, transpose_x=True), (A, B), A.T @ B),
}


@each("name", NEAR)
def test_a_function_gives_nearly_what_numpy_gives(name: str) -> None:
    body, arrays, wanted = NEAR[name]
    made = computed(body, *arrays)
    assert made.shape == wanted.shape
    np.testing.assert_allclose(made, wanted, rtol=4e-6, atol=1e-6)


@pytest.mark.parametrize(("function", "numpy"), [(nl.sin, np.sin), (nl.cos, np.cos)])
def test_sine_and_cosine_hold_far_from_zero(function: Any, numpy: Any) -> None:
    x = np.linspace(-6000, 6000, 512, dtype=np.float32).reshape(8, 64)
    # What is left of 1,000 turns in float32 is off by the rounding of x / (2 pi) * LOW.
    assert np.abs(computed(function, x) - numpy(x.astype(np.float64))).max() < 2e-6


def test_the_tangent_is_sine_over_cosine() -> None:
    x = np.linspace(-1.3, 1.3, 128, dtype=np.float32).reshape(8, 16)
    np.testing.assert_allclose(
        computed(nl.tan, x), np.tan(x.astype(np.float64)), rtol=1e-5, atol=1e-6
    )


EDGES = [-2.5, -0.5, -0.0, 0.5, 1.5, 2.5, 1e9, -3e9, 8388609.0, 4194303.5, 3.7, -3.2, -7.0, 1e20]


@pytest.mark.parametrize(
    ("function", "numpy"), [(nl.floor, np.floor), (nl.ceil, np.ceil), (nl.trunc, np.trunc)]
)
def test_rounding_is_exact_everywhere(function: Any, numpy: Any) -> None:
    x = np.array([EDGES], np.float32)
    assert np.array_equal(computed(function, x), numpy(x))
    assert np.array_equal(computed(function, A * 9), numpy(A * 9))
    assert np.array_equal(computed(lambda t: function(t, dtype=nl.int32), A * 9), numpy(A * 9))


@pytest.mark.parametrize("function", [nl.floor, nl.ceil, nl.trunc])
def test_rounding_leaves_infinities_and_nan(function: Any) -> None:
    x = np.array([[np.inf, -np.inf, np.nan, 0.25]], np.float32)

    def kernel(source: Any) -> Any:
        out = nl.ndarray((1, 4), nl.float32, buffer=nl.shared_hbm)
        nl.store(out, function(nl.load(source)))
        return out

    made = run(kernel, x).outputs
    assert made[0, :2].tolist() == [np.inf, -np.inf]
    assert np.isnan(made[0, 2])


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_random_numbers_are_between_0_and_1(target: str) -> None:
    made = computed(lambda x: nl.rand((128, 64), nl.float32), A, target=target)
    assert made.min() >= 0
    assert made.max() < 1
    assert abs(made.mean() - 0.5) < 0.02  # 8,192 of them: the deviation of the mean is 0.003


def test_the_same_seed_gives_the_same_numbers() -> None:
    def kernel(x: Any) -> Any:
        out = nl.ndarray((2, 8, 16), nl.float32, buffer=nl.shared_hbm)
        seed = nl.full((1, 1), 42, nl.int32)
        for n in range(2):
            nl.random_seed(seed)
            nl.store(out[n], nl.rand((8, 16), nl.float32))
        return out

    one, other = run(kernel, A).outputs
    assert np.array_equal(one, other)


def test_hbm_is_filled_however_large() -> None:
    def kernel(x: Any) -> Any:
        return (
            nl.zeros((3, 50, 7), nl.float32, buffer=nl.shared_hbm),
            nl.full((2, 5000), 3, nl.int32, buffer=nl.shared_hbm),
            nl.ones((300,), nl.uint8, buffer=nl.shared_hbm),
        )

    zeros, threes, ones = run(kernel, A).outputs
    assert zeros.shape == (3, 50, 7)
    assert not zeros.any()
    assert (threes == 3).all()
    assert (ones == 1).all()


def test_a_constant_is_one_tensor_however_often_and_from_a_file(tmp_path: Any) -> None:
    np.save(tmp_path / "b.npy", B)

    def kernel(x: Any) -> Any:
        first, second = nl.shared_constant(B), nl.shared_constant(str(tmp_path / "b.npy"))
        assert first.name == second.name
        assert first.buffer == nl.shared_hbm
        out = nl.ndarray(B.shape, nl.float32, buffer=nl.shared_hbm)
        nl.store(out, nl.load(second))
        return out

    assert np.array_equal(run(kernel, A).outputs, B)


def test_both_cores_share_a_constant() -> None:
    def kernel(x: Any) -> Any:
        out = nl.ndarray((16, 16), nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(nl.shared_constant(B))
        nl.store(out[nl.ds(8 * nl.program_id(0), 8)], tile)
        return out

    assert np.array_equal(run(kernel, A, lnc=2).outputs, np.concatenate([B, B]))


def test_a_matrix_is_loaded_transposed() -> None:
    x = R.normal(size=(32, 64)).astype(np.float32)

    def kernel(source: Any) -> Any:
        out = nl.ndarray((64, 32), nl.float32, buffer=nl.shared_hbm)
        nl.store(out, nl.load_transpose2d(source))
        return out

    assert np.array_equal(run(kernel, x).outputs, x.T)


def test_a_load_casts() -> None:
    made = computed(lambda x: nl.copy(x), A)
    assert made.dtype == np.float32

    def kernel(source: Any) -> Any:
        out = nl.ndarray(A.shape, nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(source, dtype=nl.bfloat16)
        assert tile.dtype == nl.bfloat16
        nl.store(out, tile)
        return out

    assert np.array_equal(run(kernel, A).outputs, bf16(A).astype(np.float32))


def test_where_a_kernel_runs() -> None:
    def kernel(x: Any, cores: int) -> Any:
        assert nl.num_programs() == nl.num_programs(0) == nl.num_programs((0,)) == cores
        assert nl.program_ndim() == (cores > 1)
        out = nl.ndarray((2, 1), nl.float32, buffer=nl.shared_hbm)
        nl.store(
            out[nl.ds(nl.program_id(), 1)], nl.full((1, 1), nl.program_id(0) + 1.0, nl.float32)
        )
        return out

    assert run(kernel, A, 2, lnc=2).outputs.tolist() == [[1.0], [2.0]]
    assert run(kernel, A, 1).outputs[0, 0] == 1.0


def test_ranges_are_unrolled() -> None:
    for made in (nl.affine_range, nl.sequential_range, nl.static_range):
        assert list(made(3)) == [0, 1, 2]
        assert list(made(1, 7, 3)) == [1, 4]
        assert list(made(np.int64(2))) == [0, 1]


def test_a_tile_is_named_after_its_variable() -> None:
    def kernel(x: Any) -> Any:
        total = nl.add(nl.load(x), 1.0)
        assert total.name == "total"
        out = nl.ndarray(A.shape, nl.float32, buffer=nl.shared_hbm)
        nl.store(out, total)
        return out

    assert np.array_equal(run(kernel, A).outputs, A + 1)


def test_a_print_on_the_device_is_a_message_of_the_report() -> None:
    def kernel(x: Any) -> Any:
        out = nl.ndarray((1, 2), nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(x)
        nl.device_print("before:", tile)
        nl.store(out, nl.add(tile, 1.0))
        nl.device_print("after:", out)
        return out

    report = run(kernel, np.array([[1.5, 2.5]], np.float32)).report
    assert [each.text for each in report.messages] == ["before: [[1.5 2.5]]", "after: [[2.5 3.5]]"]
