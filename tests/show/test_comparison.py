"""How a comparison is shown."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import nasm
from nasm.debugger.session import Session
from nasm.runs.diff.records import FirstElement, TensorChange
from nasm.show import diff
from tests.diff.test_compare import CHAIN

PROGRAMS = Path(__file__).parents[2] / "programs"


def ran(program: object, **given: object) -> Session:
    session = Session(program, profile=True, **given)  # type: ignore[arg-type]
    session.run()
    return session


def shown(found: nasm.runs.diff.records.Comparison, width: int = 100) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False)
    for part in diff.screen(found, width=width, ascii_only=True):
        console.print(part)
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.fixture(scope="module")
def tiled() -> nasm.runs.diff.records.Comparison:
    path = PROGRAMS / "matmul_tiled.nasm"
    return nasm.compare(ran(path), ran(path, target="trn2", defines={"N": 2048}))


@pytest.mark.parametrize("width", [80, 100])
def test_a_comparison_is_one_screen_as_wide_as_the_terminal(
    tiled: nasm.runs.diff.records.Comparison, width: int
) -> None:
    lines = shown(tiled, width)
    assert len(lines) <= 45
    assert max(map(len, lines)) <= width
    assert all(line.replace("µ", "u").isascii() for line in lines)


def test_two_cores_are_one_screen_too() -> None:
    found = nasm.compare(ran(PROGRAMS / "ring.nasm"), ran(PROGRAMS / "pair_softmax.nasm"))
    lines = shown(found, 80)
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    kept = [change.change for change in found.engines if change.cause != "empty"]
    worst = max(kept, key=abs)
    assert any(f"{worst:+,.3f}" in line for line in lines)
    assert any(line.startswith("... and") and "smaller changes" in line for line in lines)


def test_it_says_what_each_is_what_differs_and_how_much(
    tiled: nasm.runs.diff.records.Comparison,
) -> None:
    lines = shown(tiled)
    assert lines[0].endswith("matmul_tiled.nasm on NeuronCore-v2 (Trn1)")
    assert lines[1].endswith("matmul_tiled.nasm on NeuronCore-v3 (Trn2)")
    assert lines[2].startswith("constant N: 1024 and 2048; constant NT: 2 and 4")
    a, b = tiled.a.microseconds, tiled.b.microseconds
    more = f"{b - a:,.3f} µs more (+{100 * (b - a) / a:.1f}%)"
    assert lines[4] == f"time: {a:,.3f} µs and {b:,.3f} µs, {more}"
    assert lines[5] == f"a  {tiled.a.verdict}"
    assert lines[-2:] == [
        "values: the output differs",
        "  C: the shapes differ: a float32[256, 1024], b float32[256, 2048]",
    ]


def test_the_changes_that_are_shown_add_up_to_those_there_are() -> None:
    found = nasm.compare(ran(CHAIN), ran(CHAIN, defines={"N": 256}))
    lines = shown(found)
    table = lines[lines.index(next(x for x in lines if x.startswith("engine"))) + 1 :]
    rows = [line.split() for line in table[: table.index("")]]
    fewer = 256 * 4 / 4800  # GpSimd takes 4 ticks for each of 256 elements
    found_rows = {(row[0], " ".join(row[1:-3])): row[-3:] for row in rows}
    assert found_rows["gpsimd", "busy"] == ["0.552", "0.338", f"{-fewer:+.3f}"]
    assert found_rows["vector", "waits for gpsimd"][2] == f"{-fewer:+.3f}"
    assert set(found_rows) == {
        ("gpsimd", "busy"),
        ("vector", "busy"),
        ("vector", "waits for gpsimd"),
    }


def test_a_run_beside_itself_has_no_table() -> None:
    lines = shown(nasm.compare(ran(CHAIN), ran(CHAIN)))
    assert lines[2] == "the same program on the same machine"
    assert lines[4] == "time: {0} µs and {0} µs".format(lines[4].split()[1])
    assert not any(line.startswith(("engine", "path a")) for line in lines)
    assert "3 lines without a change" in lines
    assert "neither program has an output to compare" in lines


@pytest.mark.parametrize(
    ("tensor", "line"),
    [
        (
            TensorChange("C", "", "", 6, 2, FirstElement((1, 2), 1.5, 2.5), 3.0),
            "2 of 6 elements differ, the first at [1, 2]: 1.5 and 2.5; the largest difference is 3",
        ),
        (
            TensorChange("C", "", "", 1, 1, FirstElement((), 1.0, 1.00000001), 1e-8),
            "1 of 1 element differ, it: 1 and 1.00000001; the largest difference is 1e-08",
        ),
        (
            TensorChange("C", "", "", 6, 6, FirstElement((0,), None, 2.5), None),
            "6 of 6 elements differ, the first at [0]: uninitialised and 2.5",
        ),
        (TensorChange("C", "f32[2]", "", apart="only a has it"), "only a has it: a f32[2]"),
    ],
)
def test_an_output_in_a_sentence(tensor: TensorChange, line: str) -> None:
    assert diff.tensor_line(tensor) == line


def test_the_first_output_that_differs_is_named(tiled: nasm.runs.diff.records.Comparison) -> None:
    same = TensorChange("A", "", "", 6)
    first = TensorChange("B", "", "", 6, 1, FirstElement((0,), 1.0, 2.0), 1.0)
    found = replace(tiled, tensors=(same, first, replace(first, name="C")))
    assert "values: 2 of 3 outputs differ; the first is B" in shown(found)
    assert found.first_tensor is first
    found = replace(tiled, tensors=(same, same))
    assert shown(found)[-1] == "values: all 2 outputs are equal"


def test_a_run_that_did_not_end_and_its_hazards_are_reported() -> None:
    text = CHAIN.replace(" $done >= 1", "").replace("TensorCopy b, a", "TensorCopy b, b")
    part = Session(CHAIN, profile=True)
    part.run(max_cycles=100)
    lines = shown(nasm.compare(part, ran(text)))
    assert "a  not finished (limit reached): the run up to there" in lines
    assert "values are not compared: a did not run to its end" in lines
    assert any(line.startswith("b  1 hazard: E0501") for line in lines)


def test_the_rows_that_changed_most_are_kept_in_their_order() -> None:
    assert diff.most([5.0, 3.0, 1.0, -2.0, -9.0], 3, lambda row: row) == [5.0, 3.0, -9.0]
    assert diff.most([5.0, -1.0], 3, lambda row: row) == [5.0, -1.0]
