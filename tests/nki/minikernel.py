"""What small kernels of tests are made of: tiles loaded and stored, and what a run of one gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nasm.base.problems import Severity
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel_run import run

LOST = "E0525"
"""What an instruction writes is overwritten and never read: some tests are about that."""

Array = np.ndarray[Any, Any]


def loaded(source: Any) -> Any:
    """A tile in SBUF with what a tensor in HBM holds."""
    tile = nl.ndarray(source.shape, source.dtype, nl.sbuf)
    nisa.dma_copy(tile, source)
    return tile


def stored(tile: Any) -> Any:
    """A tensor in HBM with what a tile holds; through SBUF if it is in PSUM."""
    if tile.buffer is nl.psum:
        copy = nl.ndarray(tile.shape, tile.dtype, nl.sbuf)
        nisa.tensor_copy(copy, tile, engine=nisa.engine.vector)
        tile = copy
    out = nl.ndarray(tile.shape, tile.dtype, nl.shared_hbm)
    nisa.dma_copy(out, tile)
    return out


def sbuf(shape: tuple[int, ...], dtype: Any = nl.float32) -> Any:
    """A new tile in SBUF."""
    return nl.ndarray(shape, dtype, nl.sbuf)


def psum(shape: tuple[int, ...], dtype: Any = nl.float32) -> Any:
    """A new tile in PSUM."""
    return nl.ndarray(shape, dtype, nl.psum)


def result(kernel: Callable[..., Any], *arrays: Array, target: str = "trn2", lnc: int = 1) -> Any:
    """What a kernel returns, of a run without a finding."""
    made = run(kernel, *arrays, target=target, lnc=lnc)
    report = made.report
    found = (*report.hazards, *report.problems, *report.warnings)
    said = [p.message for p in found if p.code != LOST and p.severity is not Severity.NOTE]
    assert not said
    assert report.ok
    return made.outputs


def seeded(seed: int, *shape: int, dtype: Any = np.float32) -> Array:
    """Numbers from -2 to 2 that follow from a seed."""
    return np.random.default_rng(seed).uniform(-2, 2, shape).astype(dtype)
