"""What a run's report says, worked out by hand from records."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console, RenderableType

from nasm.base.problems import Problem
from nasm.base.source import Source, Span
from nasm.language.expectations.records import ExpectationRecord, Mismatch
from nasm.machine.records import EngineRecord, RunReport, Status, Units
from nasm.show import tables

SPAN = Span(Source("p.nasm", ".expect C == 1"), 0, 14)
BUSY = EngineRecord(
    0,
    "tensor",
    2,
    544,
    4669,
    (("semaphore", 4000), ("data", 669)),
    5698,
    0.0413,
    (("documented", 32), ("measured", 512)),
)
IDLE = EngineRecord(0, "scalar", 0, 0, 0, (), 0, 0.0, ())
HELD = ExpectationRecord("C == 1", SPAN, True, "4 elements equal", 0.0, 0.0)
FAILED = ExpectationRecord(
    "C == 1",
    SPAN,
    False,
    "2 of 4 elements differ",
    1.0,
    0.0,
    (Mismatch((0, 3), 2.0, 1.0, 1.0), Mismatch((1, 0), 1.5, 1.0, 0.5)),
)
GOOD = RunReport(
    Status.FINISHED,
    "p.nasm",
    "trn1",
    "NeuronCore-v2 (Trn1)",
    26320,
    4.7,
    Units(5600, 4),
    (BUSY, IDLE),
    (("documented", 32), ("measured", 512)),
    1024,
    (),
    (),
    (),
    (HELD,),
    "t",
    "m",
)


def shown(*parts: RenderableType) -> str:
    out = StringIO()
    console = Console(file=out, width=80, color_system=None)
    for part in parts:
        console.print(part)
    return out.getvalue()


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ([1, 1, 1], ["34%", "33%", "33%"]),
        ([2, 1], ["67%", "33%"]),
        ([100], ["100%"]),
        ([999, 1], [">99%", "<1%"]),
        ([500, 499, 1], ["50%", "50%", "<1%"]),
        ([0, 0], ["0%", "0%"]),
    ],
)
def test_percentages_add_up_and_nothing_is_rounded_away(
    parts: list[int], wanted: list[str]
) -> None:
    assert tables.shares(parts) == wanted


def test_the_main_cause_of_waiting_is_named_with_its_share() -> None:
    assert tables.main_wait(BUSY) == "semaphore 86%"  # 4000 of 4669
    assert tables.main_wait(replace(BUSY, waits=(("data", 4669),))) == "data"
    assert tables.main_wait(IDLE) == ""


def test_evidence_is_named_from_the_strongest() -> None:
    evidence = (("assumed", 1), ("documented", 1), ("measured", 2))
    assert tables.mix(evidence) == "25% documented, 50% measured, 25% assumed"
    assert tables.mix((("assumed", 3),)) == "100% assumed"
    assert tables.mix(()) == ""


def test_the_table_holds_engines_that_ran_and_names_the_others() -> None:
    said = shown(tables.engine_table(GOOD.engines))
    row = said.splitlines()[1].split()
    # 32 of 544 cycles are documented, the others measured
    assert row[:7] == ["tensor", "2", "544", "4,669", "semaphore", "86%", "4.1%"]
    assert row[7:] == ["6%", "documented,", "94%", "measured"]
    assert "scalar" not in said
    assert tables.table_notes(GOOD.engines).endswith("nothing completed on scalar")


def test_the_evidence_has_one_column() -> None:
    third = replace(BUSY, evidence=(("assumed", 1),))
    said = shown(tables.engine_table((BUSY, third))).splitlines()
    at = said[0].index("evidence")
    assert said[0].rstrip().endswith("  evidence")
    assert [line[at:].rstrip() for line in said[1:3]] == [
        "6% documented, 94% measured",
        "100% assumed",
    ]


def test_a_long_run_fits_80_columns() -> None:
    long = replace(
        BUSY,
        instructions=100_000,
        busy=9_999_999,
        waiting=9_999_999,
        utilisation=1.0,
        evidence=(("documented", 99_990), ("measured", 99_000), ("assumed", 1)),
    )
    lines = shown(tables.engine_table((long,))).splitlines()
    assert max(map(len, lines)) <= 80
    at = lines[0].index("evidence")
    folded = " ".join(" ".join(line[at:] for line in lines[1:]).split())
    assert folded == "50% documented, 50% measured, <1% assumed"
    assert lines[1].split()[4:6] == ["semaphore", "<1%"]  # 4,000 of 9,999,999 cycles


def test_several_cores_are_reported_apart() -> None:
    said = shown(tables.engine_table((BUSY, replace(BUSY, core=1))))
    assert "0.tensor" in said
    assert "1.tensor" in said


def test_time_is_in_microseconds_and_cycles_of_the_base_clock() -> None:
    # 5,600 ticks a microsecond, 4 ticks a cycle of the base clock
    assert tables.time_lines(GOOD) == [
        "time: 4.700 µs, 6,580 cycles at 1.4 GHz; 1,024 bytes moved by DMA",
        "estimate: of the busy cycles 6% documented, 94% measured",
    ]


def test_a_failed_expectation_shows_where_it_is_worst() -> None:
    said = shown(*tables.expectations([FAILED])).splitlines()
    assert said[0] == "✗ C == 1"
    assert said[1] == "    2 of 4 elements differ"
    assert said[3].split() == ["[0,", "3]", "2", "1", "1"]
    assert shown(*tables.expectations([HELD], ascii_only=True)).startswith("ok C == 1")
    assert shown(*tables.expectations([FAILED], ascii_only=True)).startswith("FAILED C == 1")


def test_found_and_wanted_have_the_digits_that_tell_them_apart() -> None:
    assert tables.apart(1.0, 1.5) == ("1", "1.5")
    assert tables.apart(1.0000001, 1.0) == ("1.0000001", "1")


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({}, "PASS: 1 expectation met"),
        ({"expectations": ()}, "PASS: the program has no expectations"),
        ({"expectations": (HELD, FAILED)}, "FAIL: 1 of 2 expectations failed"),
        ({"status": Status.DEADLOCK}, "FAIL: deadlock"),
        ({"hazards": (Problem("E0501", "x"),) * 2}, "FAIL: 2 hazards"),
        ({"problems": (Problem("E0801", "x"),)}, "FAIL: expectations could not be evaluated"),
    ],
)
def test_the_last_line_says_whether_it_passed_and_why_not(
    change: dict[str, object], wanted: str
) -> None:
    assert tables.verdict(replace(GOOD, **change)).plain == wanted  # type: ignore[arg-type]


def test_a_result_that_was_not_written_is_a_failure() -> None:
    said = tables.verdict(GOOD, [Problem("E0806", "full")]).plain
    assert said == "FAIL: results could not be written"
