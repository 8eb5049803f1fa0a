"""What a viewer asks of a trace, checked without one: for tests and for the fuzzers."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

Event = dict[str, Any]

KEYS = {
    "M": {"ph", "pid", "tid", "name", "args"},
    "X": {"ph", "pid", "tid", "ts", "dur", "name"},
    "C": {"ph", "pid", "ts", "name", "args"},
    "i": {"ph", "s", "pid", "tid", "ts", "name", "args"},
    "s": {"ph", "pid", "tid", "ts", "id", "name", "cat"},
    "f": {"ph", "bp", "pid", "tid", "ts", "id", "name", "cat"},
}


def ns(event: Event, key: str = "ts") -> int:
    """A time in whole ns: a trace has no finer ones, and rounds none of them."""
    value = event[key] * 1000
    assert abs(value - round(value)) < 1e-3, event
    return round(value)


def checked(document: Any) -> list[Event]:
    """The events of a trace; raises AssertionError if a viewer would not show them as they are."""
    assert set(document) == {"displayTimeUnit", "otherData", "traceEvents"}
    events: list[Event] = document["traceEvents"]
    for event in events:
        assert KEYS[event["ph"]] <= set(event) <= KEYS[event["ph"]] | {"args"}, event
        assert event["ph"] == "M" or event["ts"] >= 0
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["name"] == "process_name"}
    assert {e["pid"] for e in events} <= processes
    assert len({tid for _, tid in named}) == len(named)
    slices: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            assert (event["pid"], event["tid"]) in named
            start, took = ns(event), ns(event, "dur")
            assert took >= 0
            slices[event["pid"], event["tid"]].append((start, start + took))
    for found in slices.values():
        found.sort()
        for (_, end), (start, _) in pairwise(found):
            assert end <= start, "two slices of a thread overlap"
    _flows(events, slices)
    return events


def _flows(events: list[Event], slices: dict[tuple[int, int], list[tuple[int, int]]]) -> None:
    """Each arrow has one end, which is not before its start; both are within slices."""
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert len(begins) == sum(e["ph"] == "s" for e in events)
    assert len(ends) == sum(e["ph"] == "f" for e in events)
    assert set(begins) == set(ends)
    for number, begin in begins.items():
        end = ends[number]
        assert ns(begin) <= ns(end)
        assert end["bp"] == "e"
        assert any(a < ns(begin) < b for a, b in slices[begin["pid"], begin["tid"]]), begin
        assert any(a == ns(end) < b for a, b in slices[end["pid"], end["tid"]]), end


def threads(events: list[Event]) -> dict[int, str]:
    """What each thread is called."""
    return {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}


def on(events: list[Event], *names: str) -> list[Event]:
    """The slices of threads that are called so, with those beside them, in order of time."""
    known = {tid for tid, name in threads(events).items() if name.split(" (")[0] in names}
    found = [e for e in events if e["ph"] == "X" and e["tid"] in known]
    return sorted(found, key=lambda e: (e["ts"], e["tid"]))
