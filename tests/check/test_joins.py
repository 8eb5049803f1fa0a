"""Branches of which both sides are followed as one: what is in order so is so on every way."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import nasm
from nasm.runs.check import Examination, examine, ways
from tests.check.deciding import Quiet, joined_differences
from tests.parts import part
from tests.tables import each

MOST = 16

HEAD = """
.target trn2
.hbm N i32[1, 64] input
.hbm X f32[128, 8] input
.hbm Y f32[128, 8] output
.sbuf t f32[128, 8]
.sbuf u f32[128, 8]
.sbuf v f32[128, 8]
.sem more
@sync DmaCopy t, X post in
@scalar
    Activation u, t, op=copy after in
"""
TAIL = "    Nop post made\n@sync DmaCopy Y, u after made post out\n@sync .drain\n"

SIDES = """
    TensorLoad %r0, N[:, {b} : +1]
    CompareBranch %r0, 3, op=less, target=over{b}
    Activation u, t, op=exp
    CompareBranch target=end{b}
over{b}:
    Activation u, t, op=square
end{b}:
"""
SKIP = """
    TensorLoad %r0, N[:, {b} : +1]
    CompareBranch %r0, 3, op=less, target=end{b}
    {line}
end{b}:
"""
ROUNDS = """
    RegisterMove %r7, 0
again:
    TensorLoad %r0, N[:, %r7 : +1]
    CompareBranch %r0, 3, op=less, target=over
    Activation u, t, op=exp
over:
    RegisterAlu %r7, %r7, 1, op=add
    CompareBranch %r7, 40, op=less, target=again
"""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ways, so that those that are not joined take less time."""
    monkeypatch.setattr(ways, "MOST_WAYS", MOST)


def found(text: str) -> Examination:
    return examine(nasm.assemble(text), tried=False)


def several(text: str, count: int = 10) -> str:
    return "".join(text.format(b=b) for b in range(count))


IN_ORDER = {
    "branches in a row": several(SIDES),
    "branches that skip": several(SKIP.replace("{line}", "Activation u, t, op=exp")),
    "a branch in a loop": ROUNDS,
    "a branch in a branch": several(
        SKIP.replace("{line}", SIDES.replace("{b}", "_{b}").replace("N[:, _", "N[:, "))
    ),
    "a register of two values": several(
        SKIP.replace("{line}", "RegisterMove %r1, 4").replace(
            "    Tensor", "    RegisterMove %r1, 0\n    Tensor", 1
        )
        + "    Activation u[:, %r1 : +1], t[:, %r1 : +1], op=exp\n"
    ),
}


@pytest.mark.parametrize("body", IN_ORDER.values(), ids=IN_ORDER)
def test_what_meets_again_is_decided_in_few_ways(body: str) -> None:
    answer = found(HEAD + body + TAIL)
    assert answer.whole
    assert not answer.problems
    assert answer.ways < 8


@pytest.mark.parametrize("body", IN_ORDER.values(), ids=IN_ORDER)
def test_what_is_decided_is_in_order_with_any_values(body: str) -> None:
    """And without the wait of its store it is not."""
    text = HEAD + body + TAIL
    inputs = {"N": np.full((1, 64), 5, np.int32), "X": np.zeros((128, 8), np.float32)}
    assert nasm.run(text, inputs).ok
    assert "E0545" in [p.code for p in found(text.replace(" after made", "")).warnings]


ONE_SIDE = SKIP.format(b=20, line="Activation v, t, op=exp")
SMALL = """
    TensorLoad %r1, N[:, 30 : +1]
    RegisterAlu %r1, %r1, 0, op=maximum
    RegisterAlu %r1, %r1, 7, op=minimum
"""
ELSEWHERE = """
    CompareBranch %r1, 7, op=less, target=last
    DmaCopy v, X $more += 16
last:
    Activation v, t, op=copy
"""
NOT_DECIDED = {
    "a race on one side": (
        several(SIDES) + ONE_SIDE,
        {"@sync DmaCopy Y, u": "@gpsimd Memset v, 1.0\n@sync DmaCopy Y, u"},
    ),
    "a race on the other side": (
        several(SIDES) + SIDES.format(b=20).replace("u, t, op=square", "v, t, op=square"),
        {"@sync DmaCopy Y, u": "@gpsimd Memset v, 1.0\n@sync DmaCopy Y, u"},
    ),
    "a side that posts": (
        several(SIDES) + SKIP.format(b=20, line="Activation u, t, op=exp $more++"),
        {"@sync DmaCopy Y, u": "@gpsimd Nop $more >= 1\n@sync DmaCopy Y, u"},
    ),
    "what one side alone writes": (several(SIDES) + ONE_SIDE + "    Activation u, v, op=exp\n", {}),
    "a register that one side alone writes": (
        several(SIDES)
        + SKIP.format(b=20, line="RegisterMove %r1, 4")
        + "    Activation u[:, %r1 : +1], t[:, %r1 : +1], op=exp\n",
        {},
    ),
    "a result that one side alone waits for": (
        several(SIDES).replace(" u, t", " v, t")
        + "    Activation u, t, op=exp\n"
        + ONE_SIDE
        + "    Activation t, v, op=copy\n    DmaCopy X, u $more += 16\n",
        {
            "Activation u, t, op=copy": "Activation v, t, op=copy",
            "X f32[128, 8] input": "X f32[128, 8] inout",
            "@sync DmaCopy Y, u after made": "@sync DmaCopy Y, t after made",
        },
    ),
    "what a register has that one side alone writes": (
        several(SIDES)
        + "    RegisterMove %r1, 0\n"
        + SKIP.format(b=20, line="RegisterMove %r1, 4")
        + "    Activation v[:, %r1 : +1], t[:, 0:1], op=exp\n",
        {"@sync DmaCopy Y, u": "@gpsimd Memset v[:, 0:1], 1.0\n@sync DmaCopy Y, u"},
    ),
    "a branch on one side that posts": (
        several(SIDES)
        + SKIP.format(
            b=20,
            line="CompareBranch %r0, 9, op=less, target=in $more++\n"
            "    Activation u, t, op=exp\nin:",
        ),
        {"@sync DmaCopy Y, u": "@gpsimd Nop $more >= 1\n@sync DmaCopy Y, u"},
    ),
    "a number that one side alone needs small": (
        several(SIDES)
        + SMALL
        + SKIP.format(b=20, line="Activation v[:, 0:2], t[:, %r1 : +2], op=exp")
        + ELSEWHERE,
        {},
    ),
}


@pytest.mark.parametrize(("body", "more"), NOT_DECIDED.values(), ids=NOT_DECIDED)
def test_what_is_not_so_on_some_way_is_not_decided(body: str, more: dict[str, str]) -> None:
    text = HEAD + body + TAIL
    for old, new in more.items():
        assert old in text
        text = text.replace(old, new)
    answer = found(text)
    assert answer.problems
    assert not answer.whole or answer.warnings or answer.errors
    assert answer.ways == MOST


IN_FLIGHT = 3024
"""In this one a transfer may be in flight at the end of a way, and has landed if all is done."""


@each("seed", [*part(range(600), 8), IN_FLIGHT])
def test_no_value_leads_to_what_joined_ways_do_not_have(seed: int) -> None:
    assert joined_differences(nasm.assemble(Quiet(Random(f"quiet {seed}")).text())) == []


TWICE = HEAD + several(SIDES) + "    Nop $copied >= 16\n" + TAIL
COPIED = {"X post in": "X $copied += 16", "after in": "$copied >= 16", ".sem more": ".sem copied"}


def test_a_wait_that_no_way_needs_can_go() -> None:
    text = TWICE
    for old, new in COPIED.items():
        text = text.replace(old, new)
    report = examine(nasm.assemble(text), waits=True, tried=False).waits
    assert report is not None
    assert not report.reason
    lines = {one.span.line: one for one in report.suggestions if one.span is not None}
    nop = next(n for n, line in enumerate(text.split("\n"), 1) if "Nop $copied" in line)
    first = next(n for n, line in enumerate(text.split("\n"), 1) if "op=copy $copied" in line)
    assert lines[nop].together
    assert first not in lines


def test_where_something_may_be_wrong_no_wait_is_looked_at() -> None:
    text = HEAD + several(SIDES) + TAIL.replace(" after made", "")
    report = examine(nasm.assemble(text), waits=True, tried=False).waits
    assert report is not None
    assert report.reason == "not every way that values lead to was followed"
    text = HEAD + several(SIDES, 2) + TAIL.replace(" after made", "")
    report = examine(nasm.assemble(text), waits=True, tried=False).waits
    assert report is not None
    assert report.reason == "something was found on a way that values lead to"
