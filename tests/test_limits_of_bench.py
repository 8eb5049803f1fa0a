"""The benchmark says what it missed, and writes the page."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import nasm
from nasm.base.source import Source
from tests.bench.limits import Row, missed, page

ROWS: list[Row] = [
    ("fast enough", 1.2, "ratio, at most 1.3"),
    ("  too slow", 2.5, "ratio, at most 1.25"),
    ("many", 60_000.0, "instructions/s, at least 50,000"),
    ("too few", 28_000.0, "instructions/s, at least 100,000"),
    ("without a limit", 7.0, "s"),
]


def test_rows_beyond_their_limits_are_named() -> None:
    assert missed(ROWS) == [
        "missed: too slow: 2.500 ratio, at most 1.25",
        "missed: too few: 28,000 instructions/s, at least 100,000",
    ]


def test_the_page_has_a_place_for_the_table_and_gets_the_rows() -> None:
    text = (Path(__file__).parents[1] / "docs" / "performance.md").read_text(encoding="utf-8")
    made = page(text, ROWS)
    assert "| too slow | 2.500 ratio | at most 1.25 |\n" in made
    assert "| without a limit | 7.000 s |  |\n" in made
    assert page(made, ROWS) == made
    before, _, after = text.partition("<!-- measured -->")
    assert made.startswith(before)
    assert made.endswith(after.partition("<!-- end -->")[2])
    with pytest.raises(ValueError, match="no place"):
        page("no marks", ROWS)


def test_what_is_measured_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "bench"))
    bench = importlib.import_module("bench")
    naive = bench.NAIVE.format(m=2, n=4, k=32, deep=4)
    assert all(ratio > 0 for ratio in bench.watched(naive, 1))
    assert bench.rate(naive, 1, values=False) > 0
    longer = nasm.assemble(Source("small", bench.SMALL.format(rounds=400, columns=50)))
    assert bench.checkpointed(longer, {}, 1) > 0
    assert all(bench.judged(longer, {}, 1, values) > 0 for values in (False, True))
    assert {name for name, value, _ in bench.each_different(20, 1) if value > 0}
    for text in (bench.FREE, bench.STREAM, bench.LOOP, bench.UNROLLED, bench.BLOCKED):
        sizes = {"rounds": 20, "m": 1, "n": 1, "k": 1}
        assert len(nasm.assemble(Source("text", text.format(**sizes))))
    tensix = importlib.import_module("tensix_kernels")
    texts = (tensix.products(), tensix.HEAD + tensix.replayed(tensix.GELU, 2))
    assert all(len(nasm.assemble(Source("text", text))) for text in texts)
    assert all(value > 0 for _, value, _ in tensix.kernels(1))
