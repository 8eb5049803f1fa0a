"""Kernels of NKI on several ranks at the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

FILE = """
import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl

@nki.jit
def summed(x):
    src = nl.ndarray(x.shape, x.dtype, nl.shared_hbm)
    dst = nl.ndarray(x.shape, x.dtype, nl.shared_hbm)
    out = nl.ndarray(x.shape, x.dtype, nl.shared_hbm)
    nisa.dma_copy(src, x)
    ncc.all_reduce([src], [dst], replica_group=ncc.ReplicaGroup([[0, 1]]), op=nl.add)
    nisa.dma_copy(out, dst)
    return out
"""


def test_the_command_runs_a_kernel_with_a_file_for_each_rank(
    ran: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("of_ranks.py").write_text(FILE)
    for rank in range(2):
        np.save(f"x{rank}.npy", np.full((4, 8), rank + 1, np.float32))
    done = ran("run", "of_ranks.py:summed", "--in", "x=x{rank}.npy", "--ranks", "2",
               "--out", "out=out{rank}.npy")  # fmt: skip
    assert done.code == 0, done
    for rank in range(2):
        assert (np.load(f"out{rank}.npy") == 3).all()
    np.save("x1.npy", np.ones((4, 9), np.float32))
    done = ran("check", "of_ranks.py:summed", "--in", "x=x{rank}.npy", "--ranks", "2")
    assert done.code == 2
    assert "--in x: arrays by rank of float32[4, 8] and float32[4, 9]" in done.err
    done = ran("check", "of_ranks.py:summed", "--in", "x=x0.npy")
    assert "no rank 1: the program has rank 0 alone" in done.err
