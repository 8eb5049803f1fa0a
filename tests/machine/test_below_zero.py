"""Counters that go below 0: a warning for each, with who took what was not there."""

from __future__ import annotations

import nasm
from nasm.base.problems import Severity

THREE = """\
.target trn2
.sem credit, go
@sync   Nop                $credit += 1
@vector Nop $credit >= 1   $credit -= 1
@scalar Nop $credit >= 1   $credit -= 1
@gpsimd Nop $credit >= 1   $credit -= 1
"""


def test_three_that_take_one_credit_are_one_warning() -> None:
    report = nasm.run(THREE).report
    assert report.ok
    (warning,) = report.warnings
    assert (warning.code, warning.severity) == ("E0520", Severity.WARNING)
    assert "takes 1 from $credit when it is 0" in warning.message
    assert warning.message.endswith("it goes below 0, and to -2 later")
    assert warning.hint.startswith("a wait takes nothing: several may pass")
    assert warning.span is not None
    (other,) = warning.notes
    assert other.span is not None
    assert {warning.span.line, other.span.line} < {4, 5, 6}
    (credit, _) = report.semaphores
    assert credit.value == -2


def test_each_counter_has_one_however_often_it_goes_there() -> None:
    text = ".target trn2\n.sem a, b\n@vector\n" + "Nop $a -= 2\nNop $a += 2\nNop $b--\n" * 3
    found = nasm.run(text).report.warnings
    assert [w.message.partition(" from ")[2][:2] for w in found] == ["$a", "$b"]
    assert found[1].hint == "let it wait until 1 is there: $b >= 1"
    assert "to -3 later" in found[1].message
    assert "later" not in found[0].message


def test_what_was_posted_before_may_be_taken_and_a_value_may_be_set_below_0() -> None:
    text = ".target trn2\n.sem a, b\n@vector\nNop $a += 2\nNop $a -= 2\nNop $b = -1\nNop $b++\n"
    assert nasm.run(text).report.warnings == ()


def test_a_warning_is_gone_before_it_has_happened() -> None:
    session = nasm.Session(THREE)
    start = session.checkpoint()
    first = session.run()
    session.back_to(start)
    assert session.report().warnings == ()
    assert session.run() == first
