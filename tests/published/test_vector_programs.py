"""The ledger's programs compute what the published kernels compute, without hazards."""

from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import bfloat16

import nasm

FOLDER = Path(__file__).parents[2] / "programs" / "published"


def outputs(
    name: str, inputs: dict[str, np.ndarray] | None = None, sequential: bool = False, **sizes: int
) -> dict[str, np.ndarray]:
    """What a program of the ledger leaves in its outputs, after a clean run."""
    result = nasm.run(FOLDER / name, inputs, defines=sizes, autosync=sequential)
    assert result.ok, str(result)
    return {**result.outputs}


@pytest.mark.parametrize(
    "sizes",
    [
        {"COUNT": 5, "P": 128, "F": 3, "TILED": 0},
        {"COUNT": 1, "P": 128, "F": 200, "TILED": 0},
        {"COUNT": 7, "P": 1, "F": 1, "TILED": 1},
        {"COUNT": 3, "P": 128, "F": 1, "TILED": 1},
    ],
)
def test_vector_add_adds(sizes: dict[str, int]) -> None:
    shape = sizes["P"], sizes["COUNT"] * sizes["F"]
    a, b = (np.random.default_rng(seed).standard_normal(shape).astype("f4") for seed in (1, 2))
    assert np.array_equal(outputs("vector_add.nasm", **sizes)["C"], a + b)


def test_vector_add_adds_when_it_is_profiled() -> None:
    a, b = (np.random.default_rng(seed).standard_normal((128, 9)).astype("f4") for seed in (1, 2))
    assert np.array_equal(outputs("vector_add_profiled.nasm", COUNT=3, F=3)["C"], a + b)


def test_mixed_transfers_return_what_they_loaded() -> None:
    out = outputs("mixed_dge.nasm", F=32, EACH=1)
    x = np.random.default_rng(1).standard_normal((128, 128)).astype("f4").astype(bfloat16)
    assert np.array_equal(out["Y"], x)
    assert np.array_equal(out["Z"], x[None, :16])


def drawn(seed: int, *shape: int) -> np.ndarray:
    """What random(seed=1), or normal of another seed, put into a tensor."""
    generator = np.random.default_rng(seed)
    return (generator.random(shape) if seed == 1 else generator.standard_normal(shape)).astype("f4")


def mamba(a: np.ndarray, positions: int) -> np.ndarray:
    """What mamba's three versions compute, one position after another, in float64."""
    channels, states = a.shape
    delta, u = (drawn(seed, channels, positions).astype("f8") for seed in (1, 2))
    b, c = (drawn(seed, states, positions).astype("f8") for seed in (4, 5))
    out = np.zeros((channels, positions))
    state = np.zeros((channels, states))
    for i in range(positions):
        state = np.exp(delta[:, i, None] * a) * state + (delta * u)[:, i, None] * b[:, i]
        out[:, i] = state @ c[:, i]
    return out


MAMBAS = [
    ("mamba_v1.nasm", {"CHANNELS": 384, "SEQ": 8, "STATES": 5, "RELOAD": 1}),
    ("mamba_v1.nasm", {"CHANNELS": 256, "SEQ": 8, "STATES": 4, "RELOAD": 0}),
    ("mamba_v2.nasm", {"CHANNELS": 384, "SEQ": 8, "STATES": 5}),
    pytest.param(
        "mamba_v2.nasm", {"CHANNELS": 128, "SEQ": 1024, "STATES": 3}, marks=pytest.mark.thorough
    ),
    ("mamba_v2_long.nasm", {"CHANNELS": 384, "SEQ": 8, "STATES": 5}),
    pytest.param(
        "mamba_v2_long.nasm",
        {"CHANNELS": 384, "SEQ": 2560, "STATES": 1},
        marks=pytest.mark.thorough,
    ),
    pytest.param(
        "mamba_v2_long.nasm",
        {"CHANNELS": 128, "SEQ": 8192, "STATES": 2},
        marks=pytest.mark.thorough,
    ),
    ("mamba_v3.nasm", {"CHANNELS": 384, "SEQ": 8, "STATES": 5}),
    pytest.param(
        "mamba_v3.nasm", {"CHANNELS": 256, "SEQ": 1024, "STATES": 3}, marks=pytest.mark.thorough
    ),
    pytest.param(
        "mamba_v3.nasm",
        {"CHANNELS": 384, "SEQ": 1024, "STATES": 3, "HELD": 1},
        marks=pytest.mark.thorough,
    ),
]


@pytest.mark.parametrize(("name", "sizes"), MAMBAS)
def test_every_version_of_mamba_computes_the_same(name: str, sizes: dict[str, int]) -> None:
    a = -drawn(1, sizes["CHANNELS"], sizes["STATES"])
    found = outputs(name, {"A": a}, **sizes)["OUT"]
    assert np.allclose(found, mamba(a, sizes["SEQ"]), rtol=1e-4, atol=1e-4)


def test_layernorm_normalises_rows() -> None:
    x, (gamma, beta) = drawn(1, 384, 1024).astype("f8"), drawn(2, 2, 1024).astype("f8")
    shifted = x - x.mean(axis=1, keepdims=True)
    scaled = shifted / np.sqrt((shifted**2).mean(axis=1, keepdims=True) + 1e-5)
    found = outputs("layernorm_v1.nasm", ROWS=384, COLUMNS=1024)["Y"]
    assert np.allclose(found, scaled * gamma + beta, rtol=1e-4, atol=1e-4)


def test_products_of_windows_and_filters() -> None:
    filters = drawn(2, 128, 3)
    image = np.random.default_rng(1).standard_normal((128, 10)).astype("f4")
    windows = np.stack([image[:, at : at + 3] for at in range(8)], axis=1)
    found = outputs("depthwise.nasm", COUNT=11, WIDTH=8)["P"]
    assert np.array_equal(found, windows * filters[:, None])


LARGE = pytest.mark.thorough
"""Of those that need some 10^9 exact products of float32: they take seconds."""

OF_NKIBENCH = [
    ("adamw", {"ROWS": 72}),
    ("matmul", {"M": 128, "N": 1024, "KT": 8, "RING": 3}),
    pytest.param("matmul", {"M": 256, "N": 2048, "KT": 16}, marks=LARGE),
    pytest.param("rmsnorm_matmul", {"M": 2048, "N": 1024, "KEPT": 3}, marks=LARGE),
    ("bmm", {"BATCHES": 2, "M": 512, "N": 1024}),
    pytest.param("swiglu", {"M": 1024, "N": 1024}, marks=LARGE),
    pytest.param("lora", {"M": 512, "N": 1024, "KT": 8, "KP": 4}, marks=LARGE),
]


@pytest.mark.parametrize(("name", "sizes"), OF_NKIBENCH)
def test_a_kernel_of_nkibench_meets_its_expectation(name: str, sizes: dict[str, int]) -> None:
    assert outputs(f"nkibench_{name}.nasm", sequential=True, **sizes)


@pytest.mark.thorough
def test_a_transposed_operand_is_multiplied_up_to_its_last_columns() -> None:
    a, b = drawn(2, 128, 1, 1024).astype("f8"), drawn(3, 128, 1, 1728).astype("f8")
    found = outputs(
        "nkibench_transpose_matmul.nasm",
        {"A": a.astype("f4"), "B": b.astype("f4")},
        sequential=True, M=1024, N=1728, KT=1, RING=1,
    )["C"]  # fmt: skip
    assert np.allclose(found, a[:, 0].T @ b[:, 0], rtol=1e-4, atol=1e-3)
