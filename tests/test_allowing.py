"""What is allowed does not count, what is strict does, and what is unchecked is not looked for."""

from __future__ import annotations

import pickle

import pytest

import nasm
from nasm.base.problems import Failure, Note, Problem, Severity
from nasm.base.source import Source, Span
from nasm.base.suppressions import Allow, Policy
from nasm.language import codes
from nasm.language.text.suppressions import allows
from nasm.machine.records import RunReport
from nasm.targets.neuron.isa import ISA

HEAD = ".target trn1\n.sbuf c f32[128, 512]\n.sbuf d f32[128, 512]\n"
FIRST, SECOND = "@gpsimd Memset c, 1.0", "@vector Memset c, 1.0"
ALLOW = "; nasm: allow E0502 both write 1.0"


def report(body: str, head: str = HEAD, **more: object) -> RunReport:
    return nasm.run(Source("p.nasm", head + body + "\n"), **more).report  # type: ignore[arg-type]


def codes_of(found: RunReport) -> tuple[list[str], list[str], list[str]]:
    """Hazards, warnings and notes, and what is allowed, by code."""
    allowed = [a.problem.code for a in found.allowed]
    return [p.code for p in found.hazards], [p.code for p in found.warnings], allowed


def refused(body: str, **more: object) -> list[Problem]:
    with pytest.raises(Failure) as failure:
        report(body, **more)
    return list(failure.value.problems)


# -- where a comment holds


@pytest.mark.parametrize(
    "body",
    [
        f"{FIRST}   {ALLOW}\n{SECOND}",
        f"{FIRST}\n{SECOND} {ALLOW}",
        f"{FIRST}\n{SECOND} ; as before {ALLOW}",
        f"{FIRST}\n{ALLOW}\n{SECOND}",
        f"{FIRST}\n  {ALLOW}\n; another comment\n\n{SECOND}",
        f"{FIRST}\n@vector Memset c[0:128,\n   0:512], 1.0 {ALLOW}",
        f"{FIRST}\n@vector Memset c[0:128, {ALLOW}\n   0:512], 1.0",
        f"{FIRST}\n{SECOND} ;nasm:allow e0502: both write 1.0\r",
    ],
)
def test_a_race_is_allowed_on_either_of_its_lines(body: str) -> None:
    found = report(body)
    assert codes_of(found) == ([], [], ["E0502"])
    assert found.ok
    (allowed,) = found.allowed
    assert allowed.allow.reason == "both write 1.0"
    assert str(found).endswith(f"{allowed}\n\nPASS: the program has no expectations")


def test_without_the_comment_it_is_a_hazard() -> None:
    assert codes_of(report(f"{FIRST}\n{SECOND}")) == (["E0502"], [], [])


@pytest.mark.parametrize(
    "body",
    [
        f"{ALLOW}\n@sync Nop\n{FIRST}\n{SECOND}",
        f"{FIRST}\n{SECOND}\n@sync Nop {ALLOW}",
        f"{FIRST}\n{SECOND}\n{ALLOW}",
    ],
)
def test_on_another_line_it_allows_nothing_and_that_is_reported(body: str) -> None:
    found = report(body)
    assert codes_of(found) == (["E0502"], ["E0832"], [])
    assert found.warnings[0].severity is Severity.NOTE
    assert found.warnings[0].span is not None
    assert found.warnings[0].span.text == ALLOW


def test_in_a_loop_it_holds_for_all_rounds() -> None:
    half = "@gpsimd Memset c[:, 256*k : +256], 1.0"
    rounds = f".for k in 0..2\n{half}\n{SECOND} {ALLOW}\n.end"
    assert codes_of(report(rounds))[0] == []
    assert codes_of(report(rounds.replace(ALLOW, "")))[0] != []


def test_what_a_race_has_led_to_is_reported_if_the_race_is_allowed() -> None:
    read = f"{FIRST}\n@vector TensorCopy d, c"
    assert codes_of(report(read))[0] == ["E0502"]
    assert codes_of(report(f"{read} {ALLOW}")) == (["E0501"], [], ["E0502"])


def test_another_code_is_not_allowed_with_it() -> None:
    found = report(f"{FIRST}\n{SECOND} {ALLOW.replace('E0502', 'E0505')}")
    assert codes_of(found) == (["E0502"], ["E0832"], [])


def test_several_codes_have_commas_between_them() -> None:
    line = "@scalar RegisterAlu %r0, %r1, 1, op=add ; nasm: allow E0505 , E0513 starts at 0, always"
    found = report(line)
    assert codes_of(found) == ([], ["E0832"], ["E0505"])
    assert found.allowed[0].allow.reason == "starts at 0, always"


def test_who_is_only_named_does_not_allow() -> None:
    text = Source("p", "one\ntwo")
    places = [Span(text, 0, 3), Span(text, 4, 7)]
    allow = Policy(allows=(Allow("E0501", "so", places[1], 2),))
    problem = Problem("E0501", "m", places[0], notes=(Note("it writes it", places[1]),))
    assert allow.judged([problem]).errors == (problem,)
    party = Problem("E0501", "m", places[0], notes=(Note("it writes it", places[1], party=True),))
    assert allow.judged([party]).allowed[0].problem is party


def test_a_pickled_program_keeps_what_it_allows() -> None:
    program = nasm.assemble(Source("p.nasm", f"{HEAD}{FIRST}\n{SECOND} {ALLOW}\n"))
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert codes_of(nasm.run(again).report) == ([], [], ["E0502"])


# -- what a comment says


def test_what_is_in_a_string_is_no_comment() -> None:
    assert allows(Source("p", '.expect "; nasm: allow E0502"')) == ([], [])


@pytest.mark.parametrize("comment", ["; nasm: see page 3", "; nasm is fine", "; allow E0502 so"])
def test_other_comments_stay_comments(comment: str) -> None:
    assert allows(Source("p", f"@sync Nop {comment}")) == ([], [])


@pytest.mark.parametrize(
    ("comment", "message", "hint"),
    [
        ("; nasm: allow E0502", "E0502 is allowed without a reason", "write the reason after"),
        ("; nasm: allow E0502 : ", "E0502 is allowed without a reason", "write the reason after"),
        (
            "; nasm: allow E0502, E0505",
            "E0505 is allowed without a reason",
            "write the reason after",
        ),
        ("; nasm: allow", "it does not say what is allowed", "for example"),
        ("; nasm: alow E0502 so", "'alow' is nothing", "did you mean 'allow'?"),
    ],
)
def test_a_comment_that_cannot_be_read_is_refused(comment: str, message: str, hint: str) -> None:
    (found,) = refused(f"@sync Nop {comment}")
    assert found.code == "E0830"
    assert message in found.message
    assert hint in found.hint
    assert found.span is not None
    assert found.span.text == comment.rstrip()


@pytest.mark.parametrize(
    ("code", "message", "hint"),
    [
        ("E0592", "no diagnostic has the code 'E0592'", "did you mean 'E0502'"),
        ("races", "no diagnostic has the code 'RACES'", "explain"),
        ("E0101", "E0101 cannot be allowed: the text does not parse", "warnings"),
        ("E0302", "E0302 cannot be allowed: a rule of the machine is broken", "warnings"),
        ("E0510", "E0510 cannot be allowed: a run ends with it", "warnings"),
        ("E0802", "E0802 cannot be allowed: the command line", "warnings"),
    ],
)
def test_a_code_that_cannot_be_allowed_is_refused(code: str, message: str, hint: str) -> None:
    (written,) = refused(f"@sync Nop ; nasm: allow {code} because")
    (given,) = refused("@sync Nop", allow=[code])
    for found in (written, given):
        assert found.code == "E0831"
        assert message in found.message
        assert hint in found.hint
    assert written.span is not None
    assert given.span is None


def test_whatever_is_reported_as_a_warning_can_be_allowed() -> None:
    warned = {rule.code for row in ISA for rule in row.rules if rule.severity is Severity.WARNING}
    warned |= {row.code for row in codes.table() if row.severity is Severity.WARNING}
    assert len(warned) > 5
    for code in warned:
        row = codes.find(code)
        assert row is not None
        assert row.allowable, code


# -- everywhere


@pytest.mark.parametrize("given", [["E0502"], ("e0502",), "E0502", {"E0502", " E0502"}])
def test_a_code_is_allowed_everywhere(given: object) -> None:
    found = report(f"{FIRST}\n{SECOND}", allow=given)
    assert codes_of(found) == ([], [], ["E0502"])
    assert "reason: E0502 is allowed everywhere" in str(found)


def test_a_code_that_is_nowhere_is_reported() -> None:
    found = report("@sync Nop", allow=["E0502"])
    assert codes_of(found) == ([], ["E0832"], [])
    assert found.ok


@pytest.mark.parametrize("more", [{"checked": False}, {"values": False}, {"max_cycles": 1}])
def test_what_was_not_looked_for_is_not_missed(more: dict[str, object]) -> None:
    found = report(f"{FIRST}\n@gpsimd TensorCopy d, c", allow=["E0501"], **more)
    assert codes_of(found)[1] == []


# -- strict

DOUBTED = "@gpsimd Memset c, 1.0\n@gpsimd TensorTensor d, c, c, op=subtract"


def test_a_warning_is_an_error_if_it_is_strict() -> None:
    mild, strict = report(DOUBTED), report(DOUBTED, strict=True)
    assert codes_of(mild) == ([], ["E0408"], [])
    assert codes_of(strict) == (["E0408"], [], [])
    assert mild.ok
    assert strict.reasons == ("1 error",)
    assert strict.hazards[0].severity is Severity.ERROR


def test_what_is_allowed_is_no_error_if_it_is_strict_nor_is_a_note() -> None:
    found = report(f"{DOUBTED} ; nasm: allow E0408, E0515 it will do", strict=True)
    assert codes_of(found) == ([], ["E0832"], ["E0408"])
    assert found.ok


# -- unchecked


def test_an_unchecked_run_looks_for_no_races_and_is_the_same_run() -> None:
    body = f"{FIRST}\n{SECOND}\n@vector TensorCopy d, c"
    checked, unchecked = report(body), report(body, checked=False)
    assert "E0502" in codes_of(checked)[0]
    assert codes_of(unchecked) == ([], [], [])
    assert unchecked.trace_hash == checked.trace_hash
    assert unchecked.memory_hash == checked.memory_hash
    assert str(unchecked).splitlines()[-3:] == [
        "unchecked: races and unwritten outputs were not looked for",
        "",
        "PASS: the program has no expectations",
    ]
    assert "unchecked" not in str(checked)


def test_an_unchecked_run_finds_what_is_unwritten_faults_and_deadlocks() -> None:
    assert codes_of(report("@vector TensorCopy d, c", checked=False))[0] == ["E0501"]
    head = HEAD + ".sem s\n"
    stuck = report("@vector Nop $s >= 1", head, checked=False)
    assert [p.code for p in stuck.problems] == ["E0510"]
