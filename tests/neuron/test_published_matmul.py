"""The vendor's tests of nc_matmul and nc_transpose, as programs with the same expectations.

Source: aws-neuron-sdk, nki/test/test_nki_isa_nc_matmul.py and test_nki_isa_nc_transpose.py. The
vendor compares with numpy.allclose, whose default tolerances are those of `.expect`. The half of
the transpose test that runs on Vector is with the rows of Vector.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import nasm
from nasm.records import Status
from tests.neuron.programs import Array


def ran(text: str, **inputs: Array) -> None:
    """A program that keeps its promise."""
    report = nasm.run(text, inputs).report
    assert report.status is Status.FINISHED
    assert report.ok, report
    assert report.expectations


def uniform(*shape: int) -> Array:
    return (np.random.default_rng(0).random(shape) * 100).astype(np.float32)


ONE = """
.target trn1
.hbm   A    f32[128, 128]  input
.hbm   B    f32[128, 512]  input
.sbuf  a    f32[128, 128]
.sbuf  b    f32[128, 512]
.psum  c    f32[128, 512]
.sem   loaded
@sync    DmaCopy  a, A  $loaded += 16
@sync    DmaCopy  b, B  $loaded += 16
@tensor  LoadStationary  a   $loaded >= 32
@tensor  MultiplyMoving  c, b
.expect  c ~ A.T @ B
"""


def test_example_1_multiplies_one_tile() -> None:
    ran(ONE, A=uniform(128, 128), B=uniform(128, 512))


TWO = """
.target trn1
.hbm   D    f32[256, 128]  input
.hbm   E    f32[256, 512]  input
.psum  f    f32[128, 512]
.sem   loaded
.for i in 0..2
.sbuf  d{i}  f32[128, 128]
.sbuf  e{i}  f32[128, 512]
@sync    DmaCopy  d{i}, D[i*128 : +128]  $loaded += 16
@sync    DmaCopy  e{i}, E[i*128 : +128]  $loaded += 16
@tensor  LoadStationary  d{i}   $loaded >= 32 * (i + 1)
@tensor  MultiplyMoving  f, e{i}, accumulate=(i > 0)
.end
.expect  f ~ D.T @ E
"""


def test_example_2_accumulates_over_two_tiles_of_the_contraction() -> None:
    ran(TWO, D=uniform(256, 128), E=uniform(256, 512))


THREE = """
.target trn1
.hbm   G    f32[16, 64, 64]   input
.hbm   H    f32[16, 64, 512]  input
.hbm   I    f32[16, 64, 512]  output
.sbuf  g    f32[128, 8, 64]
.sbuf  h    f32[128, 8, 512]
.sbuf  i    f32[128, 8, 512]
.sem   loaded, multiplied, copied, stored
.for n in 0..16
.const r = 64 * (n // 4 % 2), slot = n // 8 * 4 + n % 4
@sync    DmaCopy  g[r : +64, slot], G[n]  $loaded += 16
@sync    DmaCopy  h[r : +64, slot], H[n]  $loaded += 16
.end
@tensor  EventSemaphore  $loaded >= 32 * 16
.for n in 0..16
.const r = 64 * (n // 4 % 2), slot = n // 8 * 4 + n % 4, c = 64 * (n % 2), out = n // 2
.psum  acc{n}  f32[64, 512] @ c : 2048 * out
@tensor
    LoadStationary  g[r : +64, slot], tile_position=[r, c], tile_size=[64, 64]
    MultiplyMoving  acc{n}, h[r : +64, slot], tile_position=[r, c], tile_size=[64, 64]
    EventSemaphore  $multiplied++
@vector  TensorCopy  i[c : +64, out], acc{n}  $multiplied >= n + 1  $copied++
@sync    DmaCopy     I[n], i[c : +64, out]    $copied >= n + 1      $stored += 16
.end
@sync    EventSemaphore  $stored >= 16 * 16
.for n in 0..16
.expect  I[n] ~ G[n].T @ H[n]
.end
"""


def test_example_3_multiplies_a_batch_in_quarters_of_the_array() -> None:
    ran(THREE, G=uniform(16, 64, 64), H=uniform(16, 64, 512))


PAIRS = """
.target {on}
.hbm   A    e5m2[128, 2, 1]    input
.hbm   B    e5m2[128, 2, 512]  input
.sbuf  a    e5m2[128, 2, 16]        ; the vendor's test pads it
.sbuf  b    e5m2[128, 2, 512]
.psum  c    f32[1, 512]
.sem   loaded
@sync    DmaCopy  a[:, :, 0:1], A  $loaded += 16
@sync    DmaCopy  b, B             $loaded += 16
@tensor  LoadStationary  a[:, :, 0:1], perf_mode=double_row   $loaded >= 32
@tensor  MultiplyMoving  c, b, perf_mode=double_row
.expect  c ~ A.reshape(256, 1).T @ B.reshape(256, 512)
"""


@pytest.mark.parametrize("on", ["trn2", "trn3"])
def test_double_row_contracts_two_rows_of_each_partition(on: str) -> None:
    ones = np.ones((128, 2, 512), ml_dtypes.float8_e5m2)
    ran(PAIRS.format(on=on), A=ones[:, :, :1], B=ones)


TRANSPOSE = """
.target {on}
.hbm   A     f32[128, 64]   input
.hbm   I     f32[128, 128]  input
.sbuf  a     f32[128, 64]
.sbuf  unit  f32[128, 128]
.psum  t     f32[64, 128]
.sem   loaded
@sync    DmaCopy  a, A     $loaded += 16
@sync    DmaCopy  unit, I  $loaded += 16
@tensor  LoadStationary  a, is_transpose=true   $loaded >= 32
@tensor  MultiplyMoving  t, unit, is_transpose=true
.expect  t ~ A.T
"""


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_transpose_example_1_turns_a_tile(on: str) -> None:
    ran(TRANSPOSE.format(on=on), A=uniform(128, 64), I=np.eye(128, dtype=np.float32))
