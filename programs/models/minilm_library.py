"""The attention of a layer on kernels of AWS's nki-library, from a checkout of it.

Its kernels take heads apart, and a batch in front: the host copies what they pass to each other.
Each token attends from the first to the last one of its sentence, which the library calls sequence
packing. Norms and the MLP are those of programs/nki: the library's own MLP is for other functions.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import nasm.nki

HOME = "src/nkilib_src"
Array = np.ndarray[Any, Any]


class LibraryKernels(NamedTuple):
    """The library's kernels, or what computes the same."""

    qkv: Callable[..., Any]
    attention: Callable[..., Any]
    output: Callable[..., Any]


def kernels_of(checkout: Path, cores: int) -> LibraryKernels:
    """Those of a checkout."""
    return LibraryKernels(
        *(
            _jit(_named(checkout, module))[cores]
            for module in (
                "qkv.qkv_cte.qkv_cte",
                "attention.attention_cte.attention_cte",
                "output_projection.output_projection_cte.output_projection_cte.output_projection_cte",
            )
        )
    )


def attending(kernels: LibraryKernels) -> Callable[..., Any]:
    """What projects, attends and projects back: x, bounds, heads and the weights of a layer."""

    def attended(x: Any, bounds: Array, heads: int, weights: Any) -> Any:
        (matrix, bias), (back, back_bias) = weights["qkv"], weights["out"]
        depth = matrix.shape[1] // (3 * heads)
        rows = np.asarray(x).astype(matrix.dtype)[None]
        made = np.asarray(kernels.qkv(rows, matrix, bias=_as(bias, matrix)))
        q, k, v = made.reshape(len(bounds), 3, heads, depth).transpose(1, 2, 0, 3)
        least, past = (bounds[:, n : n + 1] for n in range(2))
        scaled = (q.astype(np.float32) * depth**-0.5).astype(q.dtype)
        mixed = kernels.attention(
            scaled, k, v, causal_mask=False, tp_k=True, tp_out=True, bound_min=least, bound_max=past
        )
        found = kernels.output(
            np.asarray(mixed)[None], back, _as(back_bias, back), output_dtype=np.float32
        )
        return np.asarray(found)[0]

    return attended


def _as(bias: Any, matrix: Any) -> Array:
    """A bias in the dtype of its weights."""
    return np.asarray(bias).astype(matrix.dtype)


def _named(checkout: Path, name: str) -> Any:
    """What is called so in the library's core."""
    home = str((checkout / HOME).resolve())
    if home not in sys.path:
        sys.path.insert(0, home)
    module, _, inner = name.rpartition(".")
    with nasm.nki.installed():
        return getattr(importlib.import_module(f"nkilib.core.{module}"), inner)


def _jit(function: Any) -> Any:
    """A kernel of a function of the library, which leaves that to its callers."""
    with nasm.nki.installed():
        return importlib.import_module("nki").jit(function)
