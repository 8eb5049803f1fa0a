"""Tiles of NKI 0.1 that SBUF has no room for: saved to HBM and loaded again, in every bit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure
from nasm.nki.kernel import Traced, trace
from nasm.nki.kernel_run import run
from nasm.show import jsonable
from tests.sync.traced_oracle import judge

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import compiler as ncc
    from neuronxcc.nki import language as nl

TILES, ROWS, COLUMNS = 6, 4, 300
SIZE = ROWS * COLUMNS * 4
"""Bytes of a tile."""

ROOM = 4 * COLUMNS * 4 + 100
"""Bytes of a partition of trn1 that one tile leaves: of the others it holds four."""

RNG = np.random.default_rng(1)
X = RNG.integers(-8, 9, (TILES, ROWS, COLUMNS)).astype(np.float32)


def crowded(function: Any, room: int = ROOM) -> Any:
    """A kernel that runs while a tile at a place of its own takes all of SBUF but for some room."""

    def kernel(x: Any) -> Any:
        size = (nl.par_dim(ROWS), (196_608 - room) // 4)
        end = nl.ndarray((ROWS, 1), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(size, dtype=x.dtype, buffer=ncc.sbuf.alloc(lambda *_: (0, 0)))
        tile[0:ROWS, 0:1] = nl.zeros((ROWS, 1), dtype=x.dtype)
        made = function(x)
        nl.store(end, tile[0:ROWS, 0:1])
        return made, end

    return nki.jit(kernel)


def tiles_like(x: Any) -> Any:
    """A result like an argument, and tiles for its parts."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    return out, nl.ndarray((TILES, nl.par_dim(ROWS), COLUMNS), dtype=x.dtype, buffer=nl.sbuf)


def spilled(kernel: Any, gives: Any) -> Traced:
    """A kernel on trn1: right in every bit, in order, and with the bytes that it says it spills."""
    traced = trace(crowded(kernel), X, target="trn1")
    made = run(traced)
    assert made.ok
    assert np.array_equal(made.outputs[0], gives)
    verdict = judge(traced)
    assert verdict is None or not (verdict.unordered or verdict.needless)
    moves = [
        (instruction.operand("dst"), instruction.operand("src"))
        for queue in traced.program.queues
        for number in queue.instructions
        if (instruction := traced.program.instructions[number]).row.posts
    ]
    ways = [
        [way for way in each if "_spilled" in way.tensor.name] for each in zip(*moves, strict=True)
    ]
    moved = tuple(sum(view.size * view.dtype.itemsize for view in way) for way in ways)
    assert moved == traced.program.spilled == made.report.spilled
    return traced


def twice(x: Any) -> Any:
    out, tiles = tiles_like(x)
    for i in nl.affine_range(TILES):
        tiles[i] = nl.add(nl.load(x[i]), 1.0)
    for i in nl.affine_range(TILES):
        nl.store(out[i], nl.multiply(tiles[i], 2.0))
    return out


def test_a_tile_without_room_is_saved_and_loaded_again() -> None:
    traced = spilled(twice, (X + 1) * 2)
    saved, reloaded = traced.program.spilled
    assert saved == reloaded
    assert 2 * SIZE <= saved <= 4 * SIZE


def test_what_was_loaded_from_an_argument_is_loaded_again_and_not_saved() -> None:
    def kernel(x: Any) -> Any:
        _, tiles = tiles_like(x)
        out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
        for i in nl.affine_range(TILES):
            tiles[i] = nl.load(x[i])
            nl.store(out[0, i], tiles[i])
        for i in nl.affine_range(TILES):
            nl.store(out[1, i], tiles[i])
        return out

    traced = spilled(kernel, np.stack([X, X]))
    assert traced.program.spilled == (0, 0)


def test_a_tile_that_is_half_written_keeps_its_half() -> None:
    half = COLUMNS // 2

    def kernel(x: Any) -> Any:
        out, tiles = tiles_like(x)
        for part in nl.static_range(2):
            for i in nl.affine_range(TILES):
                columns = part * half + nl.arange(half)[None, :]
                rows = nl.arange(ROWS)[:, None]
                tiles[i, rows, columns] = nl.add(nl.load(x[i, rows, columns]), part)
        for i in nl.affine_range(TILES):
            nl.store(out[i], tiles[i])
        return out

    wanted = X.copy()
    wanted[..., half:] += 1
    # Only the halves that have been written are saved in the first round.
    saved, reloaded = spilled(kernel, wanted).program.spilled
    assert saved % SIZE == reloaded % SIZE == SIZE // 2


def test_a_tile_that_is_written_anew_is_not_loaded() -> None:
    def kernel(x: Any) -> Any:
        _, tiles = tiles_like(x)
        out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
        for part in nl.static_range(2):
            for i in nl.affine_range(TILES):
                tiles[i] = nl.add(nl.load(x[i]), part)
                nl.store(out[part, i], tiles[i])
        return out

    traced = spilled(kernel, np.stack([X, X + 1]))
    assert traced.program.spilled.reloaded == 0


def test_random_uses_of_more_tiles_than_fit() -> None:
    for seed in range(2):
        random = Random(seed)
        steps = [(*random.sample(range(TILES), 2), random.random()) for _ in range(12)]

        def kernel(x: Any, steps: Any = steps) -> Any:
            out, tiles = tiles_like(x)
            rows, columns = nl.arange(ROWS)[:, None], nl.arange(90)[None, :]
            for i in nl.affine_range(TILES):
                tiles[i] = nl.load(x[i])
            for into, other, what in steps:
                if what < 0.6:
                    tiles[into] = nl.maximum(tiles[into], tiles[other])
                elif what < 0.9:
                    first, second = tiles[into, rows, columns], tiles[other, rows, columns + 150]
                    tiles[into, rows, columns + 120] = nl.subtract(first, second)
                else:
                    tiles[into] = nl.load(x[other])
            for i in nl.affine_range(TILES):
                nl.store(out[i], tiles[i])
            return out

        wanted = X.copy()
        for into, other, what in steps:
            if what < 0.6:
                wanted[into] = np.maximum(wanted[into], wanted[other])
            elif what < 0.9:
                made = wanted[into][:, :90] - wanted[other][:, 150:240]
                wanted[into][:, 120:210] = made
            else:
                wanted[into] = X[other]
        assert spilled(kernel, wanted).program.spilled.saved


def test_a_tile_larger_than_the_room_is_refused_with_the_map() -> None:
    with pytest.raises(Failure) as caught:
        trace(crowded(twice, room=COLUMNS), X, target="trn1")
    assert caught.value.problems[0].code == "E0311"
    assert "sbuf at instruction" in caught.value.problems[0].hint


def test_reports_name_spilled_bytes_if_there_are_any() -> None:
    report = run(crowded(twice), X, target="trn1", values=False).report
    saved = report.spilled.saved
    assert f"spill_save_bytes {saved:,}, spill_reload_bytes {saved:,}" in str(report)
    assert jsonable.report(report)["spill_save_bytes"] == saved
    fitting = run(nki.jit(twice), X, target="trn1", values=False).report
    assert "spill" not in str(fitting)
    assert jsonable.report(fitting)["spill_reload_bytes"] == 0
