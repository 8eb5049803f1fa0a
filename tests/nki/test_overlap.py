"""Rounds of NKI 0.1 that overlap: sooner, with the same values and in an order that holds."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import nasm.nki
from nasm.nki.kernel import Traced, trace
from nasm.nki.kernel_run import run
from nasm.show import jsonable
from tests.sync.traced_oracle import judge

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import isa as nisa
    from neuronxcc.nki import language as nl

X = np.random.default_rng(1).integers(1, 9, (8, 4, 64)).astype(np.float32)


def both(kernel: Any, **options: Any) -> tuple[Traced, float, float]:
    """A kernel whose rounds overlap, and its time without and with that: the same bits in order."""
    found = []
    for overlap in (0, None):
        traced = trace(nki.jit(kernel), X, target="trn1", overlap=overlap, **options)
        made = run(traced)
        assert made.ok
        verdict = judge(traced)
        assert verdict is None or not (verdict.unordered or verdict.needless)
        found.append(made)
    first, second = found
    assert np.array_equal(first.outputs, second.outputs)
    assert first.report.overlap == 0
    assert "calls overlap" not in str(first.report)
    return second.traced, first.report.microseconds, second.report.microseconds


def in_turns(x: Any) -> Any:
    """Each round goes from Scalar to Vector and back."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(8):
        tile = nl.load(x[i])
        for _ in nl.static_range(3):
            tile = nl.maximum(nl.sqrt(tile), tile)
        nl.store(out[i], tile)
    return out


def test_a_round_runs_while_an_earlier_one_waits() -> None:
    traced, alone, overlapped = both(in_turns)
    assert overlapped < 0.75 * alone
    report = run(traced, values=False).report
    assert report.overlap == traced.program.overlap == 1024
    assert "calls overlap within 1,024 (--overlap)" in str(report)
    assert jsonable.report(report)["overlap"] == 1024


def test_a_depth_can_be_set() -> None:
    times = [
        run(nki.jit(in_turns), X, target="trn1", overlap=depth, values=False).report.microseconds
        for depth in (0, 16, 64)
    ]
    assert times[0] > times[1] > times[2]


def test_what_an_engine_holds_keeps_its_order() -> None:
    def kernel(x: Any) -> Any:
        out = nl.ndarray((8, 4, 1), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((4, 1), dtype=x.dtype, buffer=nl.sbuf)
        for i in nl.affine_range(8):
            tile = nl.load(x[i])
            nisa.activation(
                nl.square, nl.sqrt(tile), reduce_op=nl.add, reduce_cmd=nisa.reduce_cmd.reset_reduce
            )
            nisa.activation(
                nl.square,
                tile,
                reduce_op=nl.add,
                reduce_res=total,
                reduce_cmd=nisa.reduce_cmd.reduce,
            )
            nl.store(out[i], total)
        return out

    both(kernel)


def test_random_steps_on_a_few_tiles() -> None:
    for seed in range(3):
        random = Random(seed)
        steps = [(*random.choices(range(4), k=3), random.randrange(4)) for _ in range(30)]

        def kernel(x: Any, steps: Any = steps) -> Any:
            out = nl.ndarray((4, 4, 64), dtype=x.dtype, buffer=nl.shared_hbm)
            tiles = nl.ndarray((4, nl.par_dim(4), 64), dtype=x.dtype, buffer=nl.sbuf)
            rows, columns = nl.arange(4)[:, None], nl.arange(32)[None, :]
            for i in nl.affine_range(4):
                tiles[i] = nl.load(x[i])
            for into, one, other, what in steps:
                if what == 0:
                    tiles[into] = nl.maximum(tiles[one], tiles[other])
                elif what == 1:
                    tiles[into, rows, columns] = nl.sqrt(tiles[one, rows, columns + 32])
                elif what == 2:
                    tiles[into] = nl.load(x[one + 4])
                else:
                    tiles[into, rows, columns + 16] = nl.add(tiles[one, rows, columns], 1)
            for i in nl.affine_range(4):
                nl.store(out[i], tiles[i])
            return out

        both(kernel)
