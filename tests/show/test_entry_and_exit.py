"""What a device takes beside the time of a run: said, and not in the clock."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import nasm
from nasm.show import jsonable, tables
from nasm.targets import TARGETS
from tests.toy.target import GENERATION

TEXT = ".target {}\n@sync Nop\n"


@pytest.mark.parametrize(("on", "more"), [("trn1", "17"), ("trn2", "9.4"), ("trn3", "9.4")])
def test_every_report_says_what_entry_and_exit_take_beside_the_run(on: str, more: str) -> None:
    report = nasm.run(TEXT.format(on)).report
    generation = TARGETS[on]().generation(on)
    assert generation is not None
    line = f"a device adds about {more} µs for launch and exit (not in the time above)"
    assert tables.time_lines(report)[1] == line
    assert line in str(report).splitlines()
    # A Nop of 10 ns in whole cycles of 1.4 and 1.2 GHz.
    assert report.microseconds == pytest.approx(14 / 1400 if on == "trn1" else 12 / 1200)
    shown = jsonable.report(report)["time"]
    assert shown["entry_and_exit_microseconds"] == pytest.approx(float(more), abs=0.05)
    assert shown["microseconds"] == report.microseconds
    json.dumps(shown)


def test_a_machine_of_which_it_is_not_known_says_nothing() -> None:
    assert GENERATION.entry_and_exit is None
    report = replace(nasm.run(TEXT.format("trn2")).report, entry_and_exit=None)
    assert report.beside == ""
    assert "launch and exit" not in str(report)
