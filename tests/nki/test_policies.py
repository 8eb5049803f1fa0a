"""Who starts transfers: the policies, on the kernel of the documentation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import nasm
import nasm.nki
from nasm.base.problems import Failure

KERNEL = Path(__file__).parents[2] / "programs" / "nki" / "rmsnorm.py"


def traced(dma: str) -> nasm.nki.Traced:
    kernels = nasm.nki.module(str(KERNEL))
    x, w = np.ones((256, 8), np.float32), np.ones((1, 8), np.float32)
    return nasm.nki.trace(kernels.rmsnorm, x, w, dma=dma)


@pytest.mark.parametrize(
    ("dma", "started"),
    [
        ("split", {("sync", "none"): 3, ("gpsimd", "none"): 2}),
        ("sync", {("sync", "none"): 5}),
        ("hardware", {("sync", "hwdge"): 3, ("scalar", "hwdge"): 2}),
    ],
)
def test_a_policy_says_who_starts_loads_and_stores(
    dma: str, started: dict[tuple[str, str], int]
) -> None:
    program = traced(dma).program
    found = Counter(
        (lines.engine, instruction.operand("dge_mode"))
        for queue, lines in enumerate(program.queues)
        for pc in range(len(lines))
        if (instruction := program.instruction(queue, pc)).row.posts
    )
    assert found == started
    assert nasm.run(program, dict(traced(dma).inputs)).ok


def test_a_policy_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(Failure, match=r"no policy dma=fast; wanted split, sync or hardware"):
        traced("fast")
