"""The trace of a run, against ticks worked out by hand for the toy target."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from nasm.report import trace
from nasm.session import Session
from nasm.source import Source
from tests.toy.target import TARGETS

RELAY = """\
.target toy
.ram   X  f32[4, 2]  input = iota
.ram   Y  f32[4, 2]  output
.bank  x  f32[4, 2]
.bank  y  f32[4, 2]
.sem loaded, added, stored
@alpha  Move   x, X                               $loaded += 2
@beta   Add    y, x, x              $loaded >= 2  $added++
@beta   Move   Y, y                 $added >= 1   $stored += 2
@alpha  Wait                        $stored >= 2
"""
TICKS = 1500
"""Of the toy, in a microsecond."""


def session(text: str = RELAY) -> Session:
    made = Session.load(Source("relay.nasm", text), targets=TARGETS, trace=True)
    made.run()
    return made


def document(text: str = RELAY) -> dict[str, Any]:
    out = io.StringIO()
    trace.write(session(text), out)
    return json.loads(out.getvalue())


def slices(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [e for e in found if e["ph"] == "X" and e["cat"] == kind]


def threads(found: list[dict[str, Any]]) -> dict[int, str]:
    return {e["tid"]: e["args"]["name"] for e in found if e["name"] == "thread_name"}


def test_every_instruction_is_a_slice_of_its_engine() -> None:
    found = document()["traceEvents"]
    names = threads(found)
    shown = [(names[e["tid"]], e["name"]) for e in slices(found, "instruction")]
    assert shown == [("alpha", "Move"), ("alpha", "Wait"), ("beta", "Add"), ("beta", "Move")]


def test_times_are_microseconds_of_the_ticks() -> None:
    add = next(e for e in document()["traceEvents"] if e["name"] == "Add")
    # landed at 46, seen 4 later; 5 cycles of 5 ticks
    assert add["ts"] == 50 / TICKS
    assert add["dur"] == pytest.approx(25 / TICKS, rel=1e-15)  # the quotient's own rounding
    assert add["args"] == {
        "pc": 0,
        "text": "Add y, x, x  $loaded >= 2  $added += 1",
        "line": "relay.nasm:8",
        "waited": 10,
    }


def test_every_share_of_a_transfer_is_a_slice_of_its_channel() -> None:
    found = document()["traceEvents"]
    names = threads(found)
    shares = slices(found, "transfer")
    assert [names[e["tid"]] for e in shares] == ["DMA 0", "DMA 1", "DMA 0", "DMA 1"]
    assert shares[0]["ts"] == 20 / TICKS
    assert shares[0]["args"] == {"engine": "alpha", "pc": 0, "ring": 0, "bytes": 16}


def test_semaphores_are_counters_that_begin_at_0() -> None:
    counters = [e for e in document()["traceEvents"] if e["ph"] == "C"]
    loaded = [(e["ts"], e["args"]["value"]) for e in counters if e["name"] == "$loaded"]
    assert loaded == [(0.0, 0), (46 / TICKS, 2)]


def test_slices_of_a_thread_do_not_overlap() -> None:
    # Add of two elements is busy for 2 cycles and complete after 5: the second starts meanwhile.
    text = RELAY.split("@alpha")[0] + "@beta Add y, x, x\n@beta Add y, x, x\n@beta Add y, x, x\n"
    found = document(text)["traceEvents"]
    names = threads(found)
    ends: dict[int, float] = {}
    for e in slices(found, "instruction"):
        assert e["ts"] >= ends.get(e["tid"], 0.0)
        ends[e["tid"]] = e["ts"] + e["dur"]
    assert [names[t] for t in sorted(ends)] == ["beta", "beta (2)", "beta (3)"]


def test_the_trace_of_a_program_is_always_the_same() -> None:
    one, two = io.StringIO(), io.StringIO()
    counted = [trace.write(session(), one), trace.write(session(), two)]
    assert one.getvalue() == two.getvalue()
    assert counted == [8, 8]


def test_a_run_without_instructions_is_a_trace_without_events() -> None:
    assert document(".target toy\n")["traceEvents"] == []


def test_what_is_said_is_a_mark_on_its_engine() -> None:
    found = document(f'{RELAY}@beta Tell x, "x\\n"\n')["traceEvents"]
    (mark,) = [e for e in found if e["ph"] == "i"]
    (part,) = [e for e in found if e["name"] == "Tell"]
    assert (mark["name"], mark["ts"], mark["tid"]) == ("x", part["ts"], part["tid"])
    assert mark["args"]["text"] == "x\n[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]"


def test_two_cores_are_two_processes_with_semaphores_and_events_of_their_own() -> None:
    found = document(
        ".target toy\n.sem a\n@alpha Wait $a++\n@alpha Meet 1\n"
        ".core 1\n.event e\n.sem b\n@beta Wait $e = 1\n@beta Wait $b++\n@beta Meet 1\n"
    )["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in found if e["name"] == "process_name"}
    assert processes == {0: "core 0", 1: "core 1"}
    counters = {(e["pid"], e["name"], e["args"]["value"]) for e in found if e["ph"] == "C"}
    assert counters == {
        (0, "$a", 0),
        (0, "$a", 1),
        (1, "$e", 0),
        (1, "$e", 1),
        (1, "$b", 0),
        (1, "$b", 1),
    }
    meetings = [e for e in slices(found, "instruction") if e["name"] == "Meet"]
    # Core 0 comes at 3, core 1 at 10; a cycle of beta is 5 ticks, and Meet is complete after two.
    assert [(e["pid"], e["ts"] * TICKS, e["dur"] * TICKS) for e in meetings] == [
        (0, pytest.approx(3), pytest.approx(7 + 6)),
        (1, pytest.approx(10), pytest.approx(10)),
    ]
