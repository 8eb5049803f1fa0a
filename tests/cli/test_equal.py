"""The verb equal: its answers, exit codes and documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.programs import HALVES

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def halved(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for row in range(2):
        tile = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        half = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=half, data=tile, op0=nl.multiply, operand0=0.5)
        nisa.dma_copy(dst=y, src=half)
    return y
"""


@pytest.fixture
def other(halves: Path) -> Path:
    path = halves.parent / "other.nasm"
    path.write_text(HALVES.replace("0.5   $", "0.25  $"), encoding="utf-8")
    return path


def test_what_is_equal_ends_with_0(ran: Any, halves: Path) -> None:
    lowered = halves.parent / "lowered.nasm"
    assert ran("print", halves, "-o", lowered).code == 0
    done = ran("equal", halves, lowered)
    assert (done.code, done.out) == (0, "equal: both are the same instructions\n")
    lowered.write_text(HALVES.replace(".sbuf  x", ".sbuf  u  bf16[128, 4]\n.sbuf  x"), "utf-8")
    done = ran("equal", halves, lowered)
    assert (done.code, done.out) == (0, "equal: Y follows in the same way from the inputs\n")


def test_what_differs_ends_with_1_and_is_shown(ran: Any, halves: Path, other: Path) -> None:
    done = ran("equal", halves, other)
    assert done.code == 1
    first, a, b, tensor = done.out.splitlines()
    assert first == "different: Y differs for the inputs that a has"
    assert a.startswith("  a: vector pc 0 (TensorScalar), line 9, computes what the other does not")
    assert b.startswith("  b: vector pc 0 (TensorScalar), line 9, computes what the other does not")
    assert tensor.startswith("  Y: 511 of 512 elements differ, the first at [0, 1]: 0.5 and 0.25")
    assert ran("equal", halves, other, "--quiet").out == f"{first}\n"


def test_inputs_of_the_command_line_are_tried_first(ran: Any, halves: Path, other: Path) -> None:
    np.save(halves.parent / "zeros.npy", np.zeros((128, 4), np.uint16))
    zeros = f"X={halves.parent / 'zeros.npy'}"
    done = ran("equal", halves, other, "--in", zeros, "--tries", 0)
    assert done.code == 1
    assert done.out.startswith("not proved: Y is not computed in the same way\n")
    assert "run once on the same inputs, they had the same outputs" in done.out
    done = ran("equal", halves, other, "--in", zeros)
    assert done.out.startswith("different: Y differs for random inputs of seed 1\n")


def test_a_side_with_a_race_is_not_proved_and_the_race_is_shown(ran: Any, halves: Path) -> None:
    racy = halves.parent / "racy.nasm"
    racy.write_text(HALVES.replace("$halved >= 1 ", "             "), encoding="utf-8")
    done = ran("equal", halves, racy)
    assert done.code == 1
    assert done.out.startswith("not proved: of b: it has an error: nothing orders ")
    assert "hazard[E0502]" in done.err


def test_options_behind_vs_are_those_of_the_second_side(ran: Any, halves: Path) -> None:
    done = ran("equal", halves, "--vs", "-D", "N=8")
    assert done.code == 1
    assert done.out.startswith(
        "not proved: the output Y has another shape or dtype: bfloat16[128, 4] and "
    )
    assert ran("equal", halves).code == 2
    assert "equal wants something to compare" in ran("equal", halves).err


def test_kernels_are_compared_with_what_was_hoisted_of_them(ran: Any, tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(KERNEL, encoding="utf-8")
    given = f"{path}:halved", "--in", "x=normal[128,4]"
    assert ran("print", *given, "--hoist").out != ran("print", *given).out
    done = ran("equal", *given, "--vs", "--hoist")
    assert (done.code, done.out) == (0, "equal: y follows in the same way from the inputs\n")


def test_a_text_with_an_error_ends_with_2(ran: Any, halves: Path, other: Path) -> None:
    other.write_text("nonsense", encoding="utf-8")
    done = ran("equal", halves, other)
    assert (done.code, done.out) == (2, "")
    assert "other.nasm:1" in done.err
    made = ran("equal", halves, other, "--json").document
    assert (made["exit_code"], made["programs"]) == (2, [str(halves), str(other)])
    assert made["problems"]


def test_the_document_has_places_and_inputs(ran: Any, halves: Path, other: Path) -> None:
    made = ran("equal", halves, other, "--json").document
    assert (made["verdict"], made["ok"], made["tried"]) == ("different", False, 1)
    assert (made["a"]["line"], made["b"]["file"]) == (9, str(other))
    assert made["example"]["tensor"]["first"] == {"index": [0, 1], "a": 0.5, "b": 0.25}
    made = ran("equal", halves, halves, "--json").document
    assert (made["verdict"], made["a"], made["example"]) == ("equal", None, None)
