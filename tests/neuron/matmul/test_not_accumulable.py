"""Adding to PSUM what another kind of instruction wrote last: undefined before v4."""

from __future__ import annotations

import numpy as np
import pytest

from tests.neuron.programs import hazards, psum, sbuf, session

FOREIGN = """.sem done
@vector Memset a, 1.0   $done++
@{writer}
@tensor
LoadStationary a   $done >= 2
{between}
MultiplyMoving c[:, {columns}], a[:, {columns}], accumulate=true"""


@pytest.mark.parametrize(
    ("on", "writer", "between", "columns", "found"),
    [
        ("trn1", "vector Memset c, 0.0   $done++", "", "0:4", ["E0509"]),
        ("trn2", "vector TensorCopy c, a   $done++", "", "0:4", ["E0509"]),
        ("trn3", "vector Memset c, 0.0   $done++", "", "0:4", []),
        ("trn2", "vector Memset c, 0.0   $done++", "MultiplyMoving c, a", "0:4", []),
        (
            "trn2",
            "vector Memset c[:, 2:4], 0.0   $done++",
            "MultiplyMoving c[:, 0:2], a[:, 0:2]",
            "0:2",
            [],
        ),
        (
            "trn2",
            "vector Memset c[:, 2:4], 0.0   $done++",
            "MultiplyMoving c[:, 0:2], a[:, 0:2]",
            "1:3",
            ["E0509"],
        ),
        (
            "trn2",
            "vector Memset c, 0.0   $done++",
            "MultiplyMoving c[:, 0:3], a[:, 0:3]",
            "0:4",
            ["E0509"],
        ),
    ],
)
def test_adding_to_what_another_instruction_wrote_is_a_hazard_before_v4(
    on: str, writer: str, between: str, columns: str, found: list[str]
) -> None:
    lines = FOREIGN.format(writer=writer, between=between, columns=columns)
    tiles = {"a": sbuf("f32", (4, 4)), "c": psum("f32", (4, 4))}
    assert [code for code in hazards(lines, on, **tiles) if code == "E0509"] == found


@pytest.mark.parametrize(("columns", "found"), [("0:2", []), ("1:3", ["E0509"])])
def test_only_what_was_chosen_counts_as_written_by_another_instruction(
    columns: str, found: list[str]
) -> None:
    chosen = np.array([[0, 0, 1, 1]] * 4, np.uint8)
    lines = f""".sem cleared, copied
        @tensor
        LoadStationary a
        MultiplyMoving c, a   $cleared++
        @vector CopyPredicated c, a, m   $cleared >= 1   $copied++
        @tensor EventSemaphore $copied >= 1
        @tensor MultiplyMoving c[:, {columns}], a[:, {columns}], accumulate=true"""
    a = sbuf("f32", np.ones((4, 4)))
    assert hazards(lines, "trn2", a=a, c=psum("f32", (4, 4)), m=sbuf("u8", chosen)) == found


def test_what_another_instruction_wrote_is_added_to_all_the_same() -> None:
    writer = "vector TensorCopy c, a   $done >= 1   $done++"
    lines = FOREIGN.format(writer=writer, between="", columns="0:4")
    made = session(lines, "trn2", a=sbuf("f32", (4, 4)), c=psum("f32", (4, 4)))
    (hazard,) = made.run().hazards
    assert hazard.code == "E0509"
    assert "TensorCopy" in hazard.notes[0].message
    assert "accumulate=false" in hazard.hint
    assert made.read("c").tolist() == [[5] * 4] * 4
