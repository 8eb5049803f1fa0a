"""Figures that a user sets: which there are, what they may be, and where a file says what."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure, Problem
from nasm.base.toml_files import LARGEST, LONGEST
from nasm.debugger.session import Session
from nasm.isa.evidence import Evidence, Fact
from nasm.isa.figures import Figure, FigureSet, FigureUse, figures_line
from nasm.isa.generation import Generation
from nasm.isa.timing import LEAST, MOST, Timing
from nasm.show import examples
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.figures import FIGURES
from tests.parts import part
from tests.toy.target import GENERATION
from tests.toy.target import TARGET as TOY


def fact(value: float) -> Fact:
    return Fact(value, Evidence.MEASURED, "a test")


ROWS = (
    Figure("wait_ns", "ns", "a time", {"old": fact(3), "new": fact(4)}),
    Figure("speed", "bytes per ns", "a rate", {"old": fact(2), "new": fact(5)}, FigureUse.RATE),
    Figure("most", "tiles", "a limit", {"old": fact(8), "new": fact(9)}, FigureUse.LIMIT),
    Figure("late_ns", "ns", "a time", {"new": fact(7)}),
)


def made(name: str, *spellings: str) -> Generation:
    numbers = {f.name: f.facts[name] for f in ROWS if name in f.facts}
    return replace(
        GENERATION, name=name, spellings=spellings, summary=f"the {name} one", numbers=numbers
    )


OLD, NEW = made("old", "o1", "o2"), made("new", "n1")
TWO = replace(TOY, generations=(OLD, NEW), figures=ROWS)


def values(timing: Any, here: Generation = NEW) -> dict[str, float]:
    numbers = TWO.configured(here, {}, Timing.of(timing)).numbers
    return {name: fact.value for name, fact in numbers.items()}


def refused(timing: Any, here: Generation = NEW) -> list[Problem]:
    with pytest.raises(Failure) as raised:
        values(timing, here)
    return list(raised.value.problems)


def said(timing: Any, here: Generation = NEW) -> list[tuple[str, str, str]]:
    return [(p.code, p.message, p.hint) for p in refused(timing, here)]


def file(folder: Path, text: str) -> str:
    path = folder / "my.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


# -- what is set


def test_what_is_not_set_stays_as_it_is() -> None:
    assert values(None) == {"wait_ns": 4, "speed": 5, "most": 9, "late_ns": 7}
    assert values({"wait_ns": 1.5}) == {"wait_ns": 1.5, "speed": 5, "most": 9, "late_ns": 7}
    assert TWO.configured(NEW, {}) == NEW


def test_a_table_sets_figures_of_one_generation_and_goes_before_the_rest() -> None:
    timing = {"o2": {"wait_ns": 10}, "wait_ns": 20, "new": {"late_ns": 30}}
    assert values(timing, OLD) == {"wait_ns": 10, "speed": 2, "most": 8}
    assert values(timing, NEW) == {"wait_ns": 20, "speed": 5, "most": 9, "late_ns": 30}


def test_a_figure_that_is_set_is_assumed_and_says_by_what(tmp_path: Path) -> None:
    path = file(tmp_path, "wait_ns = 0")
    for timing, source in (({"wait_ns": 0}, "set by timing="), (path, f"set by {path}")):
        there = TWO.configured(NEW, {}, Timing.of(timing))
        assert there.numbers["wait_ns"] == Fact(0, Evidence.ASSUMED, source)
        assert TWO.figures_set(there) == (FigureSet("wait_ns", "ns", 0, 4, source),)
    assert TWO.figures_set(NEW) == ()
    same = TWO.configured(NEW, {}, Timing.of({"wait_ns": 4}))
    assert [f.default for f in TWO.figures_set(same)] == [4]  # its evidence is another now


def test_the_line_of_a_report_has_what_each_was() -> None:
    figures = (
        FigureSet("a_ns", "ns", 1_000_000, 40, "set by x.toml"),
        FigureSet("b", "cycles", 0.125, 1234.5, "set by x.toml"),
    )
    assert figures_line(figures) == (
        "set by x.toml: a_ns 1,000,000 instead of 40 ns, b 0.125 instead of 1234 cycles"
    )
    assert figures_line(()) == ""


def test_numbers_of_numpy_are_numbers() -> None:
    assert values({"wait_ns": np.float32(0.5)})["wait_ns"] == 0.5
    assert values({"speed": np.int64(3)})["speed"] == 3


# -- what is refused


@pytest.mark.parametrize(
    "value", [-1, -0.5, math.nan, math.inf, MOST + 1, 10**400, True, "4", None]
)
def test_a_time_is_a_finite_number_from_0(value: object) -> None:
    ((code, message, _),) = said({"wait_ns": value})
    assert code == "E0814"
    assert message.startswith("wait_ns is a number from 0 to 1,000,000 (ns), not ")


def test_a_rate_is_more_than_0() -> None:
    assert values({"speed": LEAST})["speed"] == LEAST
    assert said({"speed": 0}) == [
        ("E0814", "speed is a number from 0.001 to 1,000,000 (bytes per ns), not 0", "")
    ]


def test_a_limit_is_no_time() -> None:
    assert said({"most": 8}) == [
        ("E0814", "most is a limit of the hardware and takes no time: it cannot be set", "")
    ]


def test_a_date_is_shown_as_it_was_written() -> None:
    ((_, message, _),) = said({"wait_ns": date(2024, 1, 31)})
    assert message.endswith("not 2024-01-31")


@pytest.mark.parametrize(("value", "shown"), [(5, "5"), ([{"wait_ns": 1}], "[{'wait_ns': 1}]")])
def test_a_generation_has_a_table(value: object, shown: str) -> None:
    wanted = f"new is a generation and has a table, not {shown}"
    assert said({"new": value}) == [("E0814", wanted, "write [new] above its figures")]


def test_everything_wrong_is_reported_at_once_with_what_was_meant() -> None:
    timing = {"wait_n": 1, "mosst": 1, "nwe": {"wait_ns": 1}, "wait_ns": {"new": 1}, 3: 1}
    lists = "'neuron-nasm isa --timing' lists them"
    assert said(timing) == [
        ("E0814", "the machine has no figure 'wait_n'", "did you mean 'wait_ns'?"),
        ("E0814", "the machine has no figure 'mosst'", lists),
        ("E0814", "no generation 'nwe'", "did you mean 'new'?"),
        ("E0814", "wait_ns is a number from 0 to 1,000,000 (ns), not a table", ""),
        ("E0814", "the machine has no figure '3'", lists),
    ]
    assert len(refused({f"x{n}": 1 for n in range(1000)})) == 50


def test_a_figure_that_the_generation_lacks() -> None:
    hint = "new has it: set it under [new]"
    assert said({"late_ns": 1}, OLD) == [("E0814", "the old one has no figure late_ns", hint)]
    assert said({"old": {"late_ns": 1}}) == [("E0814", "the old one has no figure late_ns", hint)]
    assert values({"new": {"late_ns": 1}}, OLD) == {"wait_ns": 3, "speed": 2, "most": 8}


def test_a_figure_is_set_once_for_a_generation() -> None:
    (found,) = refused({"o1": {"wait_ns": 1}, "o2": {"wait_ns": 1}}, OLD)
    assert found.message == "wait_ns is set twice for old"


def test_options_and_figures_are_refused_together() -> None:
    with pytest.raises(Failure) as raised:
        TWO.configured(NEW, {"no": 1}, Timing.of({"no": 1}))
    assert [p.code for p in raised.value.problems] == ["E0809", "E0814"]


@pytest.mark.parametrize("timing", [3, [("wait_ns", 1)], b"my.toml"])
def test_what_is_neither_figures_nor_a_path_is_a_type_error(timing: object) -> None:
    with pytest.raises(TypeError, match="figures by name or the path of a TOML file"):
        Timing.of(timing)


# -- where a file says what


TEXT = """\
# mine
[o1]
wait = 1  # a comment

 "most" = 3
speed = [
  1,
  2,
]
[ new ]
wait_ns = "x = 1"
[nwe]
"""


def test_a_problem_has_its_line(tmp_path: Path) -> None:
    found = refused(file(tmp_path, TEXT), OLD)
    assert [(p.span.line, p.span.column, p.span.text) for p in found if p.span] == [
        (3, 1, "wait = 1  # a comment"),
        (5, 2, '"most" = 3'),
        (6, 1, "speed = ["),
        (11, 1, 'wait_ns = "x = 1"'),
        (12, 1, "[nwe]"),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\nnew = {wait_n = 1}", 2),
        ("\nnew.wait_n = 1", 2),
        ("\n\nnew . 'wait_n' = 1", 3),
        ("speed = 1\n'wait=n' = 1", 1),  # such a name is not looked for: the file is named
    ],
)
def test_also_of_tables_in_a_line(tmp_path: Path, text: str, line: int) -> None:
    (found,) = refused(file(tmp_path, text))
    assert found.span
    assert found.span.line == line


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("wait_ns = 1\nwait_ns =\n", "invalid value", 2),
        ("wait_ns = 1\nwait_ns = 2\n", "cannot overwrite a value", 2),
        ("wait_ns", "expected '=' after a key in a key/value pair", 1),
        ("a = " + "[" * 3000, "", None),
        ("a = " + "9" * 3900 + "\nb = " + "\n" * (LARGEST + 1), "more than 65,536", None),
        ("a = 1\nb = " + "[" * LONGEST, "a line of more than 4,000 characters", 2),
    ],
)
def test_a_file_that_is_no_list_of_figures(
    tmp_path: Path, text: str, what: str, line: int | None
) -> None:
    (found,) = refused(file(tmp_path, text))
    assert found.code == "E0801"
    assert what in found.message
    assert (found.span and found.span.line) == line or line is None


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    file(tmp_path, "")
    (found,) = refused(str(tmp_path / "may.toml"))
    assert (found.code, found.hint) == ("E0801", "did you mean 'my.toml'?")
    assert "Is a directory" in refused(str(tmp_path))[0].message
    (tmp_path / "bytes.toml").write_bytes(b"a = '\xff'")
    assert "is not UTF-8 text" in refused(str(tmp_path / "bytes.toml"))[0].message


# -- the machine


def test_a_generation_with_other_numbers_shares_no_cache_with_the_plain_one() -> None:
    text = ".target trn2\n.hbm A f32[128, 512] input = zeros\n.sbuf a f32[128, 512]\n"
    text += ".sem s\n@sync DmaCopy a, A $s += 16\n@sync EventSemaphore $s >= 16\n"
    plain, slow = Session(text), Session(text, timing={"dma_bytes_per_ns": 0.023})
    again = Session(text)
    times = [s.run().ticks for s in (plain, slow, again)]
    assert times[0] == times[2]
    occupancy = (1 / 0.023 - 1 / 23) * 8 * 512 * 4 * 4.8
    assert times[1] - times[0] == pytest.approx(1.3 * occupancy, abs=2)  # to the landing of a load
    one, two = plain.program.generation, slow.program.generation
    assert hash(one) == hash(two)
    assert one != two


def test_limits_are_no_times() -> None:
    limits = {f.name for f in FIGURES if f.use is FigureUse.LIMIT}
    known = {"cores", "semaphores", "events", "moving_max", "moving_max_bf16", "tile_min"}
    assert limits == {*known, "tile_max", "block_max", "stats_max", "descriptor_bytes"}


@pytest.mark.parametrize("generation", TARGET.generations, ids=lambda g: g.name)
@pytest.mark.parametrize(("time", "rate"), [(0, LEAST), (MOST, MOST)])
def test_every_instruction_runs_whatever_is_set(
    generation: Generation, time: int, rate: float
) -> None:
    timing = {
        f.name: rate if f.use is FigureUse.RATE else time
        for f in FIGURES
        if f.use is not FigureUse.LIMIT and f.name in generation.numbers
    }
    for row in part(list(TARGET.isa), 7):
        if TARGET.available(row, generation):
            text = examples.whole(row, TARGET, generation.spellings[0])
            session = Session(text, timing=timing, trace=True)
            assert session.run().ok
            assert all(record[4] <= record[5] for record in session.trace.instructions)
