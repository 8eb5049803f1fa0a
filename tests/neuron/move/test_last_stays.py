"""Destinations with steps of 0: of what is put in one place the last stays, in the row's order."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure, Severity

HEAD = ".target trn2\n.hbm A f32[4, 24] input = iota\n.sbuf a f32[4, 24]\n.sbuf t f32[4, 24]\n"
HEAD += ".hbm T f32[4, 24] output\n.sem in, done, out\n@sync DmaCopy a, A  $in += 16\n"
TAIL = "@sync DmaCopy T, t $done >= 2 $out += 16\n@sync EventSemaphore  $out >= 16\n"


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        # of 24 elements of each partition, the place of each that stays
        ("[[24, 4], [0, 24]]", {0: 23}),
        ("[[24, 4], [0, 4], [1, 6]]", {n: 18 + n for n in range(6)}),
        ("[[24, 4], [2, 4], [0, 6]]", {2 * n: 6 * n + 5 for n in range(4)}),
        (
            "[[24, 4], [6, 2], [0, 3], [1, 4]]",
            {6 * n + m: 12 * n + 8 + m for n in (0, 1) for m in range(4)},
        ),
    ],
)
@pytest.mark.parametrize("row", ["TensorCopy", "Activation"])
def test_the_last_stays(pattern: str, left: dict[int, int], row: str) -> None:
    call = {
        "TensorCopy": f"@vector TensorCopy t.ap({pattern}), a $done >= 1 $done += 1",
        "Activation": f"@scalar Activation t.ap({pattern}), a, op=copy $done >= 1 $done += 1",
    }[row]
    text = HEAD + "@vector Memset t, -1.0 $in >= 16 $done += 1\n" + call + "\n" + TAIL
    result = nasm.run(text)
    found = result.outputs["T"]
    source = np.arange(96, dtype=np.float32).reshape(4, 24)
    expected = np.full((4, 24), -1, np.float32)
    for place, of in left.items():
        expected[:, place] = source[:, of]
    assert np.array_equal(found, expected)
    (note,) = [p for p in result.report.warnings if p.code == "E0411"]
    assert note.severity is Severity.NOTE
    assert result.report.ok


def test_a_matmul_has_no_such_destination() -> None:
    text = ".target trn2\n.sbuf a bf16[128, 128]\n.psum p f32[128, 1]\n"
    text += "@tensor LoadStationary a\n@tensor MultiplyMoving p.broadcast(128, 128), a\n"
    with pytest.raises(Failure, match="walks some elements more than once"):
        nasm.assemble(text)
