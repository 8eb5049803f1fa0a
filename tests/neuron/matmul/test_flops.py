"""How many floating-point operations a matmul is, and how much of the array's peak each takes."""

from __future__ import annotations

import pytest

import nasm
from nasm.isa.flops import Flops
from nasm.isa.instruction import InstructionContext

TEXT = """\
.target {target}
.sbuf a {dtype}[{shape}]
.sbuf s u8[128, 256]
.psum c f32[{m}, 256]
@tensor {line}
"""


def flops(target: str, dtype: str, shape: str, line: str, m: int = 64) -> Flops:
    text = TEXT.format(target=target, dtype=dtype, shape=shape, line=line, m=m)
    program = nasm.assemble(text)
    made = program.instruction(0, 0)
    assert made.row.flops is not None
    return made.row.flops(
        InstructionContext.of(made.row, made.operands, "tensor", program.generation)
    )


@pytest.mark.parametrize(
    ("target", "dtype", "weight"),
    [
        ("trn1", "bf16", 1),
        ("trn1", "f32", 4),
        ("trn1", "e4m3", 1),
        ("trn2", "e4m3", 0.5),
        ("trn3", "e5m2", 0.5),
        ("trn2", "f16", 1),
    ],
)
def test_a_matmul_is_a_product_and_a_sum_for_each_row_column_and_moving_column(
    target: str, dtype: str, weight: float
) -> None:
    found = flops(target, dtype, "32, 256", "MultiplyMoving c, a")
    assert found == Flops(2 * 32 * 64 * 256, weight)


def test_a_transpose_counts_apart() -> None:
    line = "MultiplyMoving c[:, 0:32], a, is_transpose=true"
    assert flops("trn1", "bf16", "32, 32", line) == Flops(2 * 32 * 64 * 32, 1, True)


def test_two_rows_on_each_partition_count_both() -> None:
    line = "MultiplyMoving c, a, perf_mode=double_row"
    assert flops("trn2", "e4m3", "128, 2, 256", line) == Flops(2 * 256 * 64 * 256, 0.5)


def test_four_values_in_an_element_count_four_times() -> None:
    line = "MultiplyMovingMX c, a, s"
    assert flops("trn3", "float8_e5m2_x4", "128, 256", line) == Flops(2 * 512 * 64 * 256, 0.25)


def test_instructions_of_other_engines_have_none() -> None:
    with_flops = {r.name for r in nasm.assemble(".target trn3\n").target.isa if r.flops}
    assert with_flops == {"MultiplyMoving", "MultiplyMovingMX"}
