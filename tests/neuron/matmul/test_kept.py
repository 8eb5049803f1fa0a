"""What a product needs to know of a tile is kept until the tile changes, and no longer."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nasm
from nasm.base.exact import factors
from nasm.base.source import Source
from nasm.sim import memory

HEAD = """\
.target trn2
.sbuf a {dtype}[128, 32] = random(1)
.sbuf b {dtype}[128, 64] = random(2)
.psum c f32[32, 64]
.sem s
"""
TWICE = "@tensor\nLoadStationary a\nMultiplyMoving c, b\nMultiplyMoving c, b $s++\n"
CHANGED = "@vector Memset b[0:5, 7:9], 2.5 $s >= 1 $s++\n"
AGAIN = "@tensor\nMultiplyMoving c, b, accumulate=true $s >= 2\n"


def session(text: str, dtype: str = "bf16") -> nasm.Session:
    return nasm.Session(nasm.assemble(Source("kept", HEAD.format(dtype=dtype) + text)))


def read(found: nasm.Session, name: str) -> np.ndarray:
    return np.asarray(found.evaluate(name).array, np.float32)


def wanted(found: nasm.Session, dtype: str = "bf16") -> np.ndarray:
    """The product with b as it was, and that with b as it is if that is another one."""
    a, b = read(found, "a"), read(found, "b")
    before = read(session("", dtype), "b")
    total = multiplied(a, before)
    return total if np.array_equal(b, before) else total + multiplied(a, b)


def multiplied(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Each element the exact sum, rounded once."""
    rows, columns = a.astype(float).T.tolist(), b.astype(float).T.tolist()
    sums = [[math.fsum(x * y for x, y in zip(r, c, strict=True)) for c in columns] for r in rows]
    return np.array(sums).astype(np.float32)


def spans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of all that is measured from now on."""
    measured: list[tuple[int, ...]] = []
    measure = factors._span

    def counted(held: np.ndarray) -> factors.BitSpan:
        measured.append(held.shape)
        return measure(held)

    monkeypatch.setattr(factors, "_span", counted)
    return measured


@pytest.mark.parametrize("dtype", ["bf16", "f32", "f16", "float8_e4m3"])
def test_a_tile_is_measured_once_until_it_is_written(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = spans(monkeypatch)
    found = session(TWICE + CHANGED + AGAIN, dtype)
    assert found.run().ok
    assert measured == [(128, 32), (128, 64), (128, 64)]
    np.testing.assert_array_equal(read(found, "c"), wanted(found, dtype))


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_columns_of_a_tile_are_measured_together_from_the_second_on(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = spans(monkeypatch)
    parts = [f"MultiplyMoving c[:, {n}:{n + 8}], b[:, {n}:{n + 8}]" for n in range(0, 64, 8)]
    adding = [f"{line}, accumulate=true $s >= 2\n" for line in parts]
    text = "@tensor\nLoadStationary a\n" + "\n".join(parts) + " $s++\n"
    found = session(text + CHANGED + "@tensor\n" + "".join(adding), dtype)
    assert found.run().ok
    assert measured == [(128, 32), *[(128, 8), (128, 64)] * 2]
    np.testing.assert_array_equal(read(found, "c"), wanted(found, dtype))


def test_a_stationary_tile_is_measured_as_it_was_when_it_was_loaded() -> None:
    text = """\
@tensor
LoadStationary a[:, 0:16]
MultiplyMoving c[0:16, :], b
LoadStationary a[:, 16:32] $s++
@vector Memset a[0:4, 16:32], 2.0e30 $s >= 1 $s++
@tensor MultiplyMoving c[0:16, :], b $s >= 2
"""
    found = session(text, "f32")
    before = read(session("", "f32"), "a")
    assert found.run().ok
    np.testing.assert_array_equal(
        read(found, "c")[:16], multiplied(before[:, 16:], read(found, "b"))
    )


def test_what_is_kept_goes_back_with_the_memory() -> None:
    found = session(TWICE + CHANGED + AGAIN)
    found.run()
    end = found.report().memory_hash
    found.back(2)  # to the place where b is not written yet
    assert read(found, "b")[3, 7] != 2.5
    np.testing.assert_array_equal(read(found, "c"), wanted(found))
    found.run()
    assert found.report().memory_hash == end


def test_more_tiles_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_DERIVED", 3)
    lines = [f"MultiplyMoving c[:, {n}:{n + 8}], b[:, {n}:{n + 8}]\n" for n in range(0, 64, 8)]
    found = session("@tensor\nLoadStationary a\n" + "".join(lines * 2))
    assert found.run().ok
    np.testing.assert_array_equal(read(found, "c"), wanted(found))


def test_a_tile_of_two_rows_on_each_partition_is_another_factor() -> None:
    text = """\
.target trn2
.sbuf a float8_e4m3[64, 2, 32] = random(1)
.sbuf b float8_e4m3[64, 2, 48] = random(2)
.psum c f32[64, 96]
.psum d f32[32, 48]
@tensor
LoadStationary a
MultiplyMoving c, b
LoadStationary a, perf_mode=double_row
MultiplyMoving d, b, perf_mode=double_row
"""
    found = nasm.Session(nasm.assemble(Source("rows", text)))
    report = found.run()
    assert report.ok, report.problems
    a, b = read(found, "a"), read(found, "b")
    for name, rows in (("c", 64), ("d", 128)):
        exact = multiplied(a.reshape(rows, -1), b.reshape(rows, -1))
        np.testing.assert_array_equal(read(found, name), exact)
