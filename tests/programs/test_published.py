"""The ledger of published figures: what its rows are, what it makes of them, and its programs."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.targets.neuron.figures import FIGURES, SWITCHES
from programs.published import ledger
from programs.published.ledger import Line, Model, Runs, disorder, extrapolated
from programs.published.matmul import FULL, V2
from programs.published.rows import FOLDER, Bound, Kernel, Row, Use, text
from programs.published.runs import Span, run, union
from tests.parts import part

ROWS = ledger.rows()

USES = {
    "#1": Use.JUDGES,
    "#2": Use.JUDGES,
    "#3": Use.JUDGES,
    "#4": Use.JUDGES,
    "#5": Use.JUDGES,
    "#6": Use.JUDGES,
    "#7": Use.JUDGES,
    "#8 full": Use.SETS,
    "#8 short sides": Use.JUDGES,
    "#9": Use.JUDGES,
    "#12": Use.JUDGES,
    "#13": Use.JUDGES,
    "#14 v3": Use.JUDGES,
    "#15": Use.JUDGES,
    "#17": Use.JUDGES,
    "#23": Use.SETS,
    "#24": Use.JUDGES,
    "#25": Use.JUDGES,
    "#26": Use.JUDGES,
    "#29": Use.JUDGES,
    "#39": Use.SETS,
    "#40": Use.SETS,
    "#41": Use.JUDGES,
}
"""What each published kernel is for. Single figures of one may be for neither."""


def made(**changes: Any) -> Row:
    """A row of no kernel's, with some of its parts."""
    parts: dict[str, Any] = {
        "name": "#0",
        "figure": "total",
        "published": 100.0,
        "use": Use.JUDGES,
        "bound": Bound.ENGINE,
        "kernel": FULL,
        "measure": lambda result: result.total,
    }
    return Row(**{**parts, **changes})


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize("name", USES)
def test_a_published_kernel_is_in_the_ledger_for_its_use(name: str) -> None:
    of_it = [row for row in ROWS if row.name == name or row.name.startswith(f"{name} ")]
    assert {row.use for row in of_it} - {Use.NEITHER} == {USES[name]}


def test_every_row_names_a_public_kernel_and_what_was_chosen() -> None:
    for row in ROWS:
        assert "/" in row.kernel.source, row.name
        assert row.kernel.choices, row.name
        assert all(choice.endswith(".") for choice in row.kernel.choices), row.name


def test_a_row_is_one_figure_of_one_kernel() -> None:
    assert len({(row.name, row.figure) for row in ROWS}) == len(ROWS)
    kernels = {row.kernel.name: row.kernel for row in ROWS}
    assert all(row.kernel is kernels[row.kernel.name] for row in ROWS)


def test_no_figure_has_its_value_from_what_judges() -> None:
    judges = [row for row in ROWS if row.use is Use.JUDGES]
    sources = [fact.source for figure in FIGURES for fact in figure.facts.values()]
    sources += [switch.source for switch in SWITCHES]
    assert len(sources) > 50
    for source in sources:
        assert re.search(r"#\d", source) is None
        for row in judges:
            assert row.kernel.name not in source
            for number in published_forms(row):
                assert number not in source


def published_forms(row: Row) -> list[str]:
    """How a source would write what a row publishes: only numbers that are not found by chance."""
    ends = row.published if isinstance(row.published, tuple) else (row.published,)
    forms = {f"{v:,.{d}f}" for value in ends for v in (value, value / 1000) for d in (0, 1, 2)}
    return [form for form in forms if len(form.replace(",", "").replace(".", "")) >= 4]


# ---------------------------------------------------------------- what is made of them


def test_rows_that_are_quick_to_run_meet_their_goals_or_say_why_not() -> None:
    quick = [row for row in ROWS if row.name.startswith("#8")]
    runs = Runs(quiet=True)
    runs.expect(quick)
    lines = [Line(row, runs.model(row)) for row in quick]
    assert len(lines) == 2
    assert [line.row.name for line in lines if not line.met and not line.row.remark] == []
    assert list(disorder(lines)) == []


def test_a_kernel_runs_once_for_all_its_rows() -> None:
    made_at: list[int] = []

    def program(sizes: Any, target: str) -> Any:
        made_at.append(sizes["COUNT"])
        return text("matmul_stream.nasm")(sizes, target)

    full = {"COUNT": 9, "SHORT": 0}
    kernel = Kernel(
        name="x", source="a/b", choices=("a.",), program=program, full=full, along="COUNT",
        reduced=(2, 3, 4),
    )  # fmt: skip
    rows = [made(kernel=kernel), made(kernel=kernel, measure=lambda r: len(r.of("tensor")))]
    runs = Runs(quiet=True)
    runs.expect(rows)
    # Two waiting instructions, and two for each matmul of four sections.
    assert runs.model(rows[1]).value == 2 + 9 * 8
    assert runs.model(rows[0]).value > 0
    assert made_at == [2, 3, 4]
    whole = Runs(full=True, quiet=True)
    assert whole.model(rows[1]).value == 2 + 9 * 8
    assert made_at == [2, 3, 4, 9]


@pytest.mark.parametrize(
    ("values", "wanted", "unsteady"),
    [
        ((10.0, 14.0, 18.0), 18 + 12 * 4, False),
        ((10.0, 14.0, 18.01), 18.01 + 12 * 4.01, False),
        ((10.0, 14.0, 19.0), 19 + 12 * 5, True),
        ((5.0, 5.0, 5.0), 5, False),
    ],
)
def test_three_sizes_extend_to_the_full_one(
    values: tuple[float, float, float], wanted: float, unsteady: bool
) -> None:
    # V2 runs at M = 512, 768 and 1,024, of 4,096: twelve more steps.
    found = extrapolated(V2, values)
    assert found.value == pytest.approx(wanted)
    assert (found.unsteady > 0) is unsteady
    assert Line(made(published=wanted), found).met is not unsteady


def test_sizes_that_are_not_equally_far_apart_are_refused() -> None:
    uneven = Kernel(
        name="x", source="a/b", choices=(), program=V2.program, full=V2.full, along="M",
        reduced=(128, 256, 512),
    )  # fmt: skip
    with pytest.raises(SystemExit, match="equally far apart"):
        extrapolated(uneven, (1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("published", "model", "error"),
    [(100.0, 103.0, 0.03), (100.0, 90.0, -0.1), ((90.0, 110.0), 100.0, 0.0),
     ((90.0, 110.0), 121.0, 0.1), ((90.0, 110.0), 81.0, -0.1)],
)  # fmt: skip
def test_an_error_is_of_what_is_published(published: Any, model: float, error: float) -> None:
    assert made(published=published).error(model) == pytest.approx(error)


@pytest.mark.parametrize(
    ("use", "bound", "goal"),
    [
        (Use.JUDGES, Bound.ENGINE, 0.03),
        (Use.JUDGES, Bound.DMA, 0.15),
        (Use.JUDGES, Bound.LATENCY, 0.15),
        (Use.JUDGES, Bound.MICRO, 0.10),
        (Use.SETS, Bound.LATENCY, 0.02),
        (Use.SETS, Bound.PROGRAM, 0.01),
    ],
)
def test_a_goal_follows_from_use_and_bound(use: Use, bound: Bound, goal: float) -> None:
    assert made(use=use, bound=bound).goal == goal


def test_an_order_counts_within_a_family_and_beyond_two_per_cent() -> None:
    def line(name: str, published: float, model: float, family: str = "f") -> Line:
        return Line(made(name=name, published=published, family=family), Model(model))

    slow, fast, near = line("#1", 103, 90), line("#2", 100, 95), line("#3", 104, 80)
    assert list(disorder([slow, fast])) == ["#1 should be above #2 (total)"]
    assert list(disorder([slow, near])) == []
    assert list(disorder([slow, line("#2", 100, 95, "g")])) == []
    assert list(disorder([slow, line("#2", 100, 80)])) == []


def test_a_reason_is_where_a_goal_is_missed() -> None:
    row = made(remark="because")
    assert Line(row, Model(103.0)).remark == ""
    assert Line(row, Model(103.1)).remark == "because"
    assert Line(row, Model(100.0, 0.1)).remark.startswith("because; the steps of three sizes")
    assert Line(made(remark="because", use=Use.NEITHER), Model(100.0)).remark == "because"


@pytest.mark.parametrize("seed", part(range(5), 2))
def test_active_time_is_the_length_of_what_is_covered(seed: int) -> None:
    draw = random.Random(seed)
    ends = [sorted(draw.choices(range(60), k=2)) for _ in range(draw.randint(0, 12))]
    covered = {n for start, end in ends for n in range(start, end)}
    assert union(Span("", "", 0, start, end) for start, end in ends) == len(covered)


def test_the_table_is_written_where_it_is_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "published.md"
    page.write_text("before\n<!-- published -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    monkeypatch.setattr(ledger, "PAGE", page)
    monkeypatch.setattr(ledger, "ROOT", tmp_path)
    new = ledger.section([Line(made(remark="because"), Model(104.0))])
    assert not ledger.settle(new, check=True)
    assert "old" in page.read_text(encoding="utf-8")
    assert ledger.settle(new, check=False)
    assert ledger.settle(new, check=True)
    assert capsys.readouterr().out.split("\n")[:3] == [
        "published.md is stale: run 'make published'",
        "wrote published.md",
        "published.md is current",
    ]
    lines = page.read_text(encoding="utf-8").split("\n")
    assert (lines[0], lines[-2]) == ("before", "after")
    wanted = "| #0 | total | 100.0 µs | 104.0 | +4.0% | **no**, 3% | judges | because |"
    assert wanted in lines


def test_what_is_met_is_counted_by_use_and_by_what_bounds_it() -> None:
    def line(model: float, **changes: Any) -> Line:
        return Line(made(**changes), Model(model))

    lines = [line(100), line(110), line(110, bound=Bound.DMA), line(101, use=Use.SETS),
             line(150, use=Use.NEITHER)]  # fmt: skip
    assert ledger.tally(lines) == (
        "2 of 3 figures that judge meet their goals: 1 of 2 that an engine bounds, 1 of 1 that DMA "
        "bounds. 1 of 1 figures that set meet their goals."
    )


# ---------------------------------------------------------------- the programs compute


MATMULS = [
    ("matmul_naive.nasm", {"M": 256, "K": 384, "N": 1024, "D": 5}),
    ("matmul_naive.nasm", {"M": 128, "K": 1280, "N": 1536, "D": 3}),
    ("matmul_hoisted.nasm", {"M": 384, "K": 256, "N": 1024}),
    ("matmul_hoisted.nasm", {"M": 128, "K": 512, "N": 512}),
    ("matmul_blocked.nasm", {"M": 768, "K": 512, "N": 2048, "KEPT": 3, "D": 5}),
    ("matmul_blocked.nasm", {"M": 512, "K": 512, "N": 1024, "KEPT": 0, "D": 12}),
    ("matmul_blocked_k.nasm",
     {"M": 1024, "K": 512, "N": 2048, "BM": 4, "BK": 2, "OUT": 2, "FIRST": 1}),
    ("matmul_blocked_k.nasm",
     {"M": 512, "K": 768, "N": 1024, "BM": 4, "BK": 1, "OUT": 2, "FIRST": 0, "SIDE": 5}),
    ("matmul_naive_bf16.nasm", {"M": 256, "K": 384, "N": 2560, "D": 7}),
    ("matmul_naive_bf16.nasm", {"M": 384, "K": 256, "N": 1024, "D": 2, "REUSED": 1}),
    ("matmul_blocked_bf16.nasm", {"M": 1024, "K": 512, "N": 2048, "BM": 4, "RA": 20, "RB": 10}),
    ("matmul_blocked_bf16.nasm",
     {"M": 1024, "K": 512, "N": 2048, "BM": 4, "AW": 4, "BW": 2, "RA": 8, "RB": 6}),
]  # fmt: skip


@pytest.mark.turns(6)
@pytest.mark.parametrize(("name", "sizes"), MATMULS)
def test_a_matmul_is_exact_on_small_integers(name: str, sizes: dict[str, int]) -> None:
    # Products up to 9 and sums up to 11,520: integers that bfloat16 and float32 hold exactly;
    # bfloat16 rounds the sums once.
    draw = np.random.default_rng([sizes["M"], sizes["K"], sizes["N"]])
    a, b = (draw.integers(-3, 4, (sizes["K"], sizes[side])) for side in "MN")
    kind = bfloat16 if "bf16" in name else np.float32
    session = Session.load(
        source_of(FOLDER / name), defines=sizes, inputs={"A": a.astype(kind), "B": b.astype(kind)}
    )
    report = session.run(hashes=False)
    assert report.ok, str(report)
    wanted = (a.T.astype(np.float64) @ b).astype(kind)
    np.testing.assert_array_equal(session.outputs()["C"], wanted)


@pytest.mark.parametrize(
    ("name", "sizes"), [MATMULS[0], MATMULS[2], MATMULS[4], MATMULS[6], MATMULS[8], MATMULS[11]]
)
def test_a_matmul_moves_what_its_kernel_asks_for(name: str, sizes: dict[str, int]) -> None:
    # In tiles of 128 x 128 elements: each of C is stored once; how often A and B are loaded is
    # what the kernels differ in.
    m, k, n = (sizes[side] // 128 for side in "MKN")
    loads_a, loads_b = {
        "matmul_naive.nasm": (n // 4, m),
        "matmul_hoisted.nasm": (1, m),
        "matmul_blocked.nasm": (1, m),
        "matmul_blocked_k.nasm": (n // 8, 1),
        "matmul_naive_bf16.nasm": (-(-n // 12), m),
        "matmul_blocked_bf16.nasm": (1, m // 4),
    }[name]
    tiles = loads_a * k * m + loads_b * k * n + m * n
    if "KEPT" in sizes:  # of each block, loaded once and not twice
        tiles -= 4 * sizes["KEPT"] * (m // 2) * (n // 8)
    if "OUT" in sizes:  # in and out again for each block of k: but the first time, and to pack
        blocks = k // sizes["BK"]
        tiles += 4 * 2 * blocks * sizes["OUT"] * (m // sizes["BM"]) * (n // 8)
    size = 2 if "bf16" in name else 4
    assert run(text(name)(sizes, "trn2")).bytes == tiles * 128 * 128 * size
