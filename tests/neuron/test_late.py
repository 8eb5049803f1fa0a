"""What can only be known while a program runs: registers in addresses, what an engine holds."""

from __future__ import annotations

import pytest

from tests.neuron.programs import fault, psum, result, sbuf


def test_a_register_that_makes_an_illegal_start_partition_is_a_fault() -> None:
    problem = fault(
        "@vector RegisterMove %r0, 5\n@vector TensorCopy c, a[%r0 : +2]",
        a=sbuf("f32", (128, 1)),
        c=sbuf("f32", (2, 1)),
    )
    assert problem.code == "E0401"
    assert "starts at partition 5 with 2" in problem.message
    assert "rule: more than 64 partitions start at 0" in problem.hint


def test_a_register_that_leads_across_a_bank_is_a_fault() -> None:
    problem = fault(
        "@tensor RegisterMove %r0, 300\n@tensor LoadStationary w\n"
        "@tensor MultiplyMoving c[:, %r0 : +512], b",
        w=sbuf("bf16", (128, 128)),
        b=sbuf("bf16", (128, 512)),
        c=psum("f32", (128, 1024)),
    )
    assert problem.code == "E0409"


@pytest.mark.parametrize("command", ["idle", "reduce"])
def test_sums_that_nothing_reset_are_not_read_out(command: str) -> None:
    sums = ", reduce_op=add, reduce_cmd=reduce" if command == "reduce" else ""
    problem = fault(
        f"@scalar Activation c, a, op=copy{sums}, reduce_res=total".replace(
            ", reduce_cmd=reduce, reduce_res=total", ", reduce_res=total, reduce_cmd=reduce"
        ),
        a=sbuf("f32", (128, 4)),
        c=sbuf("f32", (128, 4)),
        total=sbuf("f32", (128, 1)),
    )
    assert problem.code == "E0503"


def test_packed_tiles_can_be_filled_with_zero() -> None:
    got = result("@vector Memset c, 0", "trn3", c=sbuf("float8_e5m2_x4", (4, 8)))
    assert (got.view("u4") == 0).all()
