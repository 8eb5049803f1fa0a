"""A fuzzer finds what it is there to find."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import nasm
from nasm.analysis.profile.observers import Moves
from nasm.analysis.profile.records import Bound
from nasm.analysis.profile.what_if import WhatIf
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source, Span
from nasm.order.check import Check
from nasm.order.clocks import Order
from nasm.program.program import Program
from tests.fuzz import commands, driver, finding, guided, order, promises
from tests.fuzz.__main__ import FUZZERS
from tests.fuzz.finding import Found, watched
from tests.fuzz.mutations import TOKEN, operands
from tests.fuzz.order import MADE
from tests.fuzz.planted import FAULTS, Planted
from tests.fuzz.programs import Programs

pytestmark = pytest.mark.thorough  # of fuzzers, which test nasm in test_batches.py


@pytest.mark.parametrize("name", FUZZERS)
def test_a_number_means_the_same_input_always(name: str) -> None:
    one, other = FUZZERS[name](), FUZZERS[name]()
    inputs = [driver.numbered(one, 5, n) for n in range(30)]
    assert inputs == [driver.numbered(other, 5, n) for n in range(30)]
    assert len(set(inputs)) > 25


def test_what_reaches_most_of_the_assembler_finds_nothing() -> None:
    fuzzer, inputs = Programs(), guided.kept()
    assert inputs
    assert sum(map(len, inputs)) <= guided.MOST
    for data in inputs:
        found = watched(fuzzer.check, data, seconds=60)
        assert found is None, f"{found}\n{data!r}\n{found and found.details}"


# -- what is found


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, driver.Findings, list[str]]:
    folder, said = tmp_path_factory.mktemp("planted"), []
    findings = driver.run(Planted, 60, 3, 2, folder, said.append)
    return folder, findings, said


def test_every_kind_of_fault_is_found_by_its_cause(planted) -> None:
    _, findings, said = planted
    inputs = [driver.numbered(Planted(), 3, n).decode().split()[2] for n in range(60)]
    wanted = Counter(word for word in inputs if word != "fine")
    assert set(wanted) == set(FAULTS)
    counts = {f.kind if f.kind != "exception" else f.what: n for f, n in findings.counts.items()}
    assert counts == {
        "LookupError ": wanted["raise"],
        "crash": wanted["leave"],
        "name": wanted["find"],
        "hang": wanted["hang"],
        "memory": wanted["fill"],
        "warning": wanted["warn"],
        "text": wanted["show"],
        "json": wanted["write"],
    }
    assert said[-1].startswith("planted: 60 of 60, ")
    others = {"trace", "profile", "hash", "order", "diagnostic"}
    assert {f.kind for f in findings.counts} | others == set(finding.KINDS)


def test_a_finding_is_saved_small_and_replays(planted) -> None:
    folder, findings, _ = planted
    for cause in findings.counts:
        inputs = list(folder.glob(f"{cause.kind}-{cause.digest}-*{Planted.suffix}"))
        assert 1 <= len(inputs) <= driver.KEPT
        if cause.kind in ("crash", "hang", "memory"):
            continue
        shortest = min((p.read_bytes() for p in inputs), key=len)
        assert len(shortest.split()) == 1
        again = driver.replay(Planted, shortest)
        assert again is not None
        assert again.digest == cause.digest
    assert driver.replay(Planted, b"a b fine c") is None


# -- what a check calls wrong


def program(text: str = "") -> Program:
    return nasm.assemble(f".target trn2\n.hbm a f32[4] output\n{text}")


def test_a_name_that_is_none_is_found() -> None:
    made = program(".sem done\nback: @sync Nop")
    promises.names(made)
    tables = [made.tensors, made.semaphores, made.queues[0].labels, made.transfers, made.events]
    for table in tables:
        table["../x"] = next(iter(made.tensors.values()))
        with pytest.raises(Found, match="no identifier"):
            promises.names(made)
        del table["../x"]


@pytest.mark.parametrize(
    ("problem", "what"),
    [
        (Problem("E0901", "a defect"), "the code E0901"),
        (Problem("E0199", "unheard of"), "the code E0199"),
        (Problem("E0101", " "), "E0101 without a sentence"),
        (Problem("E0101", "here", Span(Source("x", "Nop"), 2, 5)), "E0101 outside its text"),
        (Problem("E0101", "here", Span(Source("x", "Nop"), -1, 2)), "E0101 outside its text"),
    ],
)
def test_a_diagnostic_that_is_none_is_found(problem: Problem, what: str) -> None:
    with pytest.raises(Found) as caught:
        promises.problems([problem])
    assert caught.value.what == what


def test_a_failure_without_a_problem_is_found() -> None:
    with pytest.raises(Found, match="without a problem"):
        promises.refused(Failure(()))


def test_two_ends_of_one_program_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = iter(["one", "other"])
    monkeypatch.setattr(promises, "report", lambda *_: None)
    monkeypatch.setattr(promises, "ending", lambda _: next(ends))
    with pytest.raises(Found, match="two runs differ"):
        promises.run(program(), b"not one that is pickled")


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"ticks": 7}, "parts of an engine's time"),
        ({"evidence": ()}, "parts of the critical path"),
        ({"bounds": (Bound("a", 2.0, "b", -1.0, ""),)}, "a is longer than b"),
        ({"outcomes": (WhatIf("free time", 1, 1),)}, "what a run without something saves"),
    ],
)
def test_a_profile_that_does_not_add_up_is_found(
    monkeypatch: pytest.MonkeyPatch, wrong: dict[str, object], what: str
) -> None:
    session = nasm.Session(program("@sync Nop"), profile=True)
    session.run()
    promises.profiled(session, 80)
    made = replace(session.profile(), **wrong)
    monkeypatch.setattr(nasm.Session, "profile", lambda *_, **__: made)
    with pytest.raises(Found) as caught:
        promises.profiled(session, 80)
    assert (caught.value.kind, caught.value.what) == ("profile", what)


def test_a_trace_that_no_viewer_shows_is_found() -> None:
    with pytest.raises(Found) as caught:
        promises.viewable(b"{")
    assert caught.value.kind == "trace"


def test_a_profile_that_going_back_changes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = program(".hbm b f32[4] input = zeros\n.for i in 0..9\n@sync DmaCopy a, b\n.end")
    promises.alike(made, b"1")
    monkeypatch.setattr(Moves, "restore", lambda *_: None)
    with pytest.raises(Found, match="two profiles of one program differ"):
        promises.alike(made, b"1")


IN_ORDER = """\
.target trn2
.hbm X f32[32, 4] input = iota
.hbm Y f32[32, 4] output
.sbuf t f32[32, 4]
.sem loaded, stored
@sync DmaCopy t, X $loaded += 16
@scalar DmaCopy Y, t $loaded >= 16 $stored += 16
@gpsimd EventSemaphore $stored >= 16
"""


def ordered(text: str) -> str:
    """What is found with a program that says of itself to be in order."""
    found = driver.tried(FUZZERS["order"](), (MADE + text).encode())
    return "" if found is None else found.what


def test_a_program_in_order_is_none_without_a_wait() -> None:
    assert ordered(IN_ORDER) == ""
    for wait, codes in (("$loaded >= 16", "['E0502']"), ("$stored >= 16", "['E0514']")):
        text = IN_ORDER.replace(wait, "")
        assert ordered(text) == f"made in order, and said {codes} (3 instructions)"
    assert ordered(IN_ORDER.replace(">= 16", ">= 17")).startswith("made to end, and is deadlock")
    assert ordered(IN_ORDER.replace("DmaCopy t", "DmaCopy v")).startswith("does not assemble")


def test_a_race_in_silence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Check, "_add_race", lambda *_: None)
    assert ordered(IN_ORDER.replace("$loaded >= 16", "")) == "a race in silence"


def test_a_race_that_is_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Order, "_waited", lambda self, clock, *_: clock)
    assert ordered(IN_ORDER) == "a race is said that is none"


def test_values_that_hang_on_timings_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Check, "_add_race", lambda *_: None)
    monkeypatch.setattr(order, "_compare", lambda *_: None)
    monkeypatch.setattr(order, "TOLD", ())
    text = IN_ORDER.replace("$loaded >= 16", "")
    assert ordered(text) == "in silence, and other timings lead to something else"


def test_a_session_that_ends_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    session = b"# program programs/countdown.nasm\nstep 3\n"
    assert driver.tried(FUZZERS["commands"](), session) is None
    monkeypatch.setattr(commands.Commands, "ended", poked)
    found = driver.tried(FUZZERS["commands"](), session)
    assert found is not None
    assert found.what == "a session ends otherwise than a run"


ended = commands.Commands.ended


def poked(self: commands.Commands, session: nasm.Session, loaded: commands.Loaded) -> None:
    other = copy.copy(loaded)
    other.ending = (*loaded.ending[:-1], "the hash of other memory")
    ended(self, session, other)


def test_any_text_is_a_sequence_of_tokens() -> None:
    for text in Programs().texts:
        assert "".join(TOKEN.findall(text)) == text


def test_operands_are_cut_at_commas_outside_brackets() -> None:
    assert operands("Add a[0, 1], f(b, [c, d]), e") == ["Add a[0, 1]", " f(b, [c, d])", " e"]
