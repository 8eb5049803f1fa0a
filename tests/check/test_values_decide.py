"""What `check` says where values decide: both ways of a branch, addresses that are not known."""

from __future__ import annotations

import pytest

import nasm
from nasm.base.problems import Problem, Severity
from nasm.isa.ranges import Bounds
from nasm.runs.check import Examination
from nasm.runs.check.input_search import _some
from nasm.runs.check.may_race import race_between, same
from tests.check.deciding import differences, drawn
from tests.parts import part
from tests.tables import each

HEAD = """
.target trn2
.hbm N i32[1, 4] input
.sbuf t f32[1, 8] = zeros
.sbuf u f32[1, 8] = zeros
.sem done, more
"""


def found(text: str) -> Examination:
    return nasm.check(HEAD + text)


def codes(text: str) -> list[str]:
    found_now = [problem.code for problem in found(text).problems]
    return [code for code in found_now if code not in ("E0531", "E0533")]


SKIPPING = """
@vector Memset t, 1.0  $done++
@scalar
    TensorLoad %r0, N[:, 0 : +1]
    CompareBranch %r0, 3, op=less, target=over
    Nop $done >= 1
over:
    Activation u, t, op=copy
"""


def test_a_wait_that_a_branch_skips_leads_to_a_race_for_some_values() -> None:
    (problem,) = found(SKIPPING).warnings
    assert (problem.code, problem.severity) == ("E0545", Severity.WARNING)
    assert problem.facts["inputs"]["N[0, 0]"] < 3
    assert any("is taken" in note.message for note in problem.notes)


def test_a_race_on_every_way_is_a_race() -> None:
    text = SKIPPING.replace("Nop $done >= 1", "Nop")
    assert codes(text) == ["E0502"]
    assert found(text).ways == 2


def test_what_waits_on_every_way_is_in_order() -> None:
    text = SKIPPING.replace("over:\n", "over:\n    Nop $done >= 1\n")
    assert codes(text) == []
    assert found(text).whole


def test_a_way_that_no_value_takes_is_not_followed() -> None:
    text = SKIPPING.replace("op=less", "op=equal").replace(
        "    CompareBranch", "    RegisterAlu %r0, %r0, 2, op=minimum\n    CompareBranch"
    )
    assert codes(text) == []
    assert found(text).ways == 1


def test_engines_that_load_the_same_number_go_through_their_loops_equally_often() -> None:
    text = "".join(
        f"@{engine}\n    TensorLoad %r0, N[:, 0 : +1]\n    RegisterAlu %r0, %r0, 3, op=minimum\n"
        f"again{engine}:\n    CompareBranch %r0, 1, op=less, target=end{engine}\n    {line}\n"
        f"    RegisterAlu %r0, %r0, 1, op=subtract\n    CompareBranch target=again{engine}\n"
        f"end{engine}:\n    Nop\n"
        for engine, line in (
            ("vector", "Memset t, 1.0 $more >= 1 $done++\n    Nop $more--"),
            ("scalar", "Nop $more++\n    Activation u, t, op=copy $done >= 1\n    Nop $done--"),
        )
    )
    assert "E0510" not in codes(text)
    other = text.replace("TensorLoad %r0, N[:, 0 : +1]", "TensorLoad %r0, N[:, 1 : +1]", 1)
    assert "E0510" in codes(other)


@each(
    ("clamped", "expected"),
    [
        ("%r0, 3, op=minimum", []),
        ("%r0, 4, op=minimum", ["E0545"]),
        ("%r0, 3, op=bitwise_and", []),
        ("%r0, 7, op=bitwise_and", ["E0545"]),
        ("%r0, 4, op=maximum", ["E0545"]),
    ],
)
def test_an_address_is_within_the_bounds_of_its_register(clamped: str, expected: list[str]) -> None:
    text = "@vector Memset t[:, 4:8], 1.0\n@scalar\n    TensorLoad %r0, N[:, 0 : +1]\n"
    text += f"    RegisterAlu %r0, {clamped}\n    Activation u, t, op=copy $done >= 1\n".replace(
        "Activation u, t, op=copy $done >= 1", "Activation u[:, 0:1], t[:, %r0 : +1], op=copy"
    )
    assert codes(text) == expected


def test_what_the_text_fills_is_known() -> None:
    text = SKIPPING.replace("N[:, 0 : +1]", "n")
    assert codes(".sbuf n i32[1, 1] = [[3]]\n" + text) == []
    assert codes(".sbuf n i32[1, 1] = [[2]]\n" + text) == ["E0502"]


def test_what_a_transfer_may_skip_it_may_not_touch() -> None:
    text = ".hbm R f32[4, 8] inout\n@sync\n    TensorLoad %r0, N[:, 0 : +1]\n"
    text += (
        "    DmaCopy t, R[%r0 : +1]SKIP $more += 16\n    Nop $more >= 16\n@vector Memset t, 1.0\n"
    )
    assert codes(text.replace("SKIP", "")) == ["E0502"]
    assert codes(text.replace("SKIP", ", oob_mode=skip")) == ["E0545"]


def test_no_interlock_is_relied_on_where_a_place_is_not_known() -> None:
    text = "@vector Memset u, 1.0 $done++\n@scalar\n    TensorLoad %r0, N[:, 0 : +1]\n"
    text += "    Activation t[:, %r0 : +1], t[:, 0:1], op=copy $more++\n"
    text += "    Activation t[:, 0:1], t[:, 2:3], op=copy\n    Nop $done++ @read\n"
    text += "@gpsimd Memset t[:, 5:6], 1.0 $done >= 2\n"
    assert "E0545" in codes(text)


@pytest.mark.parametrize("seed", part(range(400), 2))
def test_random_programs_are_judged_as_all_their_runs_say(seed: int) -> None:
    assert differences(drawn(seed))[0] == []


def test_a_line_is_no_place_of_what_has_no_line() -> None:
    here = ("sync", 7, 0, False)
    by_line, by_place = ("vector", 4, 9, False), ("vector", None, 5, False)
    assert race_between(here, by_line) != race_between(here, by_place)
    assert race_between(here, by_place) == race_between(("vector", None, 5, False), here)


def test_problems_without_a_place_are_the_same_by_their_code() -> None:
    assert same(Problem("E0535", "one")) == same(Problem("E0535", "other"))
    assert same(Problem("E0535", "one")) != same(Problem("E0510", "one"))


def test_values_are_tried_at_the_ends_of_bounds_and_in_the_middle() -> None:
    assert {10, 11, 505, 1000} <= set(_some(Bounds(10, 1000)))
    assert 505 not in _some(Bounds(10, 1000, frozenset({505})))
