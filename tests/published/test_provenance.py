"""No figure comes from what judges the model, and none changes without the ledger showing it."""

import functools
import operator
import re
from fractions import Fraction

import pytest

from nasm.targets.neuron.figures import FIGURES, SWITCHES
from programs.published import ledger
from programs.published.ledger import Line, Model, Runs, disorder
from programs.published.rows import Bound, Use
from programs.published.runs import Span, union

ROWS = ledger.rows()
SOURCES = sorted(
    {fact.source for figure in FIGURES for fact in figure.facts.values()}
    | {switch.source for switch in SWITCHES}
)

JUDGES = {
    "#1": (r"\btotal|\bactive\b|packet time|MFU|MBU|utili[sz]ation of memory",
           "kernel-optimization tutorial: Tensor active for 34.8 ms"),
    "#5": (r"4,?096 ?(\^3|³|x 4,?096)|bounds.analysis|blocking.tiled|row loads",
           "profile querying reference, blocking-tiled matmul"),
    "#8 short sides": (r"short side|\b[KM] = 32\b|N = 64\b", "seen at K = 32 in bfloat16"),
    "#9": (r"\bmixed\b|dma.efficiency|descriptors below 4 ?KiB", "the DMA efficiency guide"),
    "#12": (r"mamba.?v\d|\bpositions\b|\bchannels\b|\d ms\b", "mamba_v2: 1.61 ms"),
    "#17": (r"layer.?norm", "a LayerNorm that was measured"),
    "#24": (r"\[128,|vector.?add(?!itions)|profiler.gui|\biterations", "vector add of [128,200]"),
    "#29": (r"conv1d|depthwise|autocomp|65,?536", "the depthwise convolution"),
    "#41": (r"adamw|rms.?norm.?matmul|\bbmm\b|swiglu|\blora\b|nkibench, (?!transpose)",
            "NKIBench, bmm on trn1"),
    "2.4 SCALAR_TENSOR_TENSOR": (r"rms.?norm|quant(?!is[ae]|iz)|phases? [23]\b",
                                 "design-rmsnorm-quant, phase 2"),
    "2.4 4 MiB": (r"figure 14\b|\bspill|reload", "NKI performance guide, figure 14"),
    "2.4 256 KiB": (r"256 KiB|3,?046|load_var", "a load of 256 KiB in a picture"),
}  # fmt: skip
"""What a source says if it is one that judges, and a sentence that says so."""


@pytest.mark.parametrize("name", JUDGES)
def test_no_source_of_a_figure_is_one_that_judges(name: str) -> None:
    pattern, sentence = JUDGES[name]
    assert re.search(pattern, sentence, re.IGNORECASE)
    assert [source for source in SOURCES if re.search(pattern, source, re.IGNORECASE)] == []


def test_every_kernel_that_judges_is_looked_for() -> None:
    numbers = {row.name.split()[0] for row in ROWS if row.use is Use.JUDGES} - {"2.4"}
    of_one_source = {"#2": "#1", "#3": "#1", "#4": "#1", "#6": "#5", "#7": "#5", "#13": "#12",
                     "#14": "#12", "#15": "#12", "#25": "#24", "#26": "#24"}  # fmt: skip
    assert {of_one_source.get(n, n) for n in numbers} == {name.split()[0] for name in JUDGES} - {
        "2.4"
    }


# ---------------------------------------------------------------- the table of the page

QUICK = ("#8 full", "#24", "#25", "#25 at once", "#26 at once", "#26 in two")
"""Kernels that take less than a second, beside the single instructions."""


def table() -> list[str]:
    """The lines of the table as it stands."""
    (found,) = ledger.SECTION.finditer(ledger.PAGE.read_text(encoding="utf-8"))
    return [line for line in found[0].split("\n") if line.startswith("| ")][2:]


@pytest.mark.turns(2)
def test_what_is_quick_to_run_is_in_the_table_as_it_runs_now() -> None:
    # A figure that changes moves a line here: of an instruction, of a transfer, or of a start.
    quick = [row for row in ROWS if row.bound is Bound.MICRO or row.name in QUICK]
    runs = Runs(quiet=True)
    runs.expect(quick)
    stands = set(table())
    made = ["| " + " | ".join(ledger.cells(Line(row, runs.model(row)))) + " |" for row in quick]
    assert len(made) > 180
    assert [line for line in made if line not in stands] == [], "run 'make published'"


@pytest.mark.parametrize(
    ("error", "said"),
    [(1e-16, "0.0%"), (-1e-16, "0.0%"), (0.0, "0.0%"), (-0.0, "0.0%"), (-0.00049, "0.0%"),
     (-0.0006, "−0.1%"), (0.0006, "+0.1%"), (-0.25, "−25.0%")],
)  # fmt: skip
def test_an_error_that_rounds_to_zero_has_no_sign(error: float, said: str) -> None:
    assert ledger.percentage(error) == said


def test_times_are_added_up_to_the_same_number_by_every_version_of_python() -> None:
    spans = [Span("vector", "", 0, n / 7, n / 7 + 0.1) for n in range(200)]
    lengths = [Fraction(span.end - span.start) for span in spans]
    in_order = functools.reduce(operator.add, map(float, lengths))  # as sum does before 3.12
    assert union(spans) == float(sum(lengths)) != in_order


def cells_of(line: str) -> list[str]:
    """A line's cells: row, figure, published, model, error, goal met, use, remark."""
    return [cell.strip() for cell in line.strip()[1:-1].split(" | ")]


def read_back() -> list[Line]:
    """The table as rows with what it says of them."""
    found = []
    for row, line in zip(ROWS, table(), strict=True):
        name, figure, _, model, _, _, use, _ = cells_of(line)
        assert (name, figure, use) == (row.name, row.figure, row.use.value)
        found.append(Line(row, Model(float(model.replace(",", "")))))
    return found


def test_every_order_in_the_table_is_right() -> None:
    lines = read_back()
    assert len({line.row.family for line in lines}) > 6
    assert list(disorder(lines)) == []


def test_every_miss_in_the_table_says_what_would_decide_it() -> None:
    missed = [row for row, line in zip(ROWS, table(), strict=True) if "**no**" in cells_of(line)[5]]
    assert missed
    for row in missed:
        rounded = re.search(r"^[\d.]+ (cycles|ticks).*, which are \d+ here$", row.remark)
        assert "decide" in row.remark or rounded, row.name
