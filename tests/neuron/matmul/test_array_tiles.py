"""Tiles of the array: matmuls and transposes in different cells run side by side."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from nasm.debugger.session import Session

HEAD = """\
.target trn3
.hbm E bf16[128, 32] input
.sbuf a bf16[128, 32]
.sbuf e bf16[128, 32]
.psum c f32[128, 32]
.psum t bf16[128, 32]
.sem s, filled
@sync DmaCopy e, E   $s += 16
@vector Memset a, 1.0   $filled++
@tensor Nop   $s >= 16
@tensor Nop   $filled >= 1
"""
IDENTITY = np.tile(np.eye(32), (4, 1)).astype(ml_dtypes.bfloat16)


def program(kinds: tuple[str, ...]) -> str:
    lines = []
    for kind in kinds:
        flag, dst = (", is_transpose=true", "t") if kind == "transpose" else ("", "c")
        for row in range(0, 128, 32):
            for column in range(0, 128, 32):
                where = f"tile_position=[{row}, {column}], tile_size=[32, 32]{flag}"
                lines.append(f"@tensor LoadStationary a[{row}:{row + 32}], {where}")
                to = f"{dst}[{column}:{column + 32}], e[{row}:{row + 32}]"
                lines.append(f"@tensor MultiplyMoving {to}, {where}")
    return HEAD + "\n".join(lines) + "\n"


@pytest.mark.parametrize("kinds", [("matmul",), ("matmul", "transpose")])
def test_a_program_may_use_all_cells_of_the_array_for_matmuls_and_for_transposes(
    kinds: tuple[str, ...],
) -> None:
    # sixteen tiles of each kind name 36 units and parts, more than a fixed list of 32 held (E0901)
    session = Session(program(kinds), {"E": IDENTITY})
    report = session.run()
    assert report.ok, (report.problems, report.hazards)
    names = {r.name for r in session.machine.scheduler.resources if r.name.startswith("tensor")}
    assert (len(names) > 32) == (len(kinds) == 2)
    assert (session.read("c") == 1).all()
