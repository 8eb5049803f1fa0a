"""The ledger's programs compute what the published kernels compute, without hazards."""

from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import bfloat16

import nasm

FOLDER = Path(__file__).parents[2] / "programs" / "published"


def outputs(name: str, **sizes: int) -> dict[str, np.ndarray]:
    """What a program of the ledger leaves in its outputs, after a clean run."""
    program = nasm.assemble(FOLDER / name, defines=sizes)
    result = nasm.run(program)
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


def test_mixed_transfers_return_what_they_loaded() -> None:
    out = outputs("mixed_dge.nasm", F=32, EACH=1)
    x = np.random.default_rng(1).standard_normal((128, 128)).astype("f4").astype(bfloat16)
    assert np.array_equal(out["Y"], x)
    assert np.array_equal(out["Z"], x[None, :16])
