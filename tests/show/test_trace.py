"""The trace of a run, against ticks worked out by hand for the toy target."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.pace import Pace
from nasm.show.trace import DETAILS, MANY, stream
from tests.parts import part
from tests.show.trace_events import Event, checked, ns, on, threads
from tests.tables import each
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
PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))


def at(tick: int) -> int:
    """A tick of the toy in whole ns: there are 1,500 in a microsecond."""
    return tick * 2 // 3


def session(text: str = RELAY, checked: bool = True) -> Session:
    return Session.load(Source("relay.nasm", text), targets=TARGETS, checked=checked, keep=0)


def written(text: str = RELAY, most: int | None = None, **how: Any) -> bytes:
    made, out = session(text), io.BytesIO()
    traced = stream(made, out, **how)
    made.run(max_instructions=most)
    traced.close()
    return out.getvalue()


def events(text: str = RELAY, most: int | None = None, **how: Any) -> list[Event]:
    return checked(json.loads(written(text, most, **how)))


def arrows(found: list[Event]) -> list[tuple[str, int, str, int]]:
    """From where and when to where and when, of each arrow."""
    names = threads(found)
    ends = {e["id"]: e for e in found if e["ph"] == "f"}
    return sorted(
        (names[e["tid"]], ns(e), names[ends[e["id"]]["tid"]], ns(ends[e["id"]]))
        for e in found
        if e["ph"] == "s"
    )


# -- instructions


def test_every_instruction_is_a_slice_of_its_engine() -> None:
    found = events()
    assert [e["name"] for e in on(found, "alpha")] == ["Move", "Wait"]
    assert [e["name"] for e in on(found, "beta")] == ["Add", "Move"]


def test_a_slice_says_when_and_where() -> None:
    (add,) = [e for e in events() if e["name"] == "Add"]
    # landed at 46, seen 4 later; 5 cycles of 5 ticks
    assert (ns(add), ns(add, "dur")) == (at(50), at(25))
    code = "Add y, x, x $loaded >= 2 $added++"
    assert add["args"] == {"line": "relay.nasm:8", "code": code, "pc": 0}


def test_times_have_three_decimals_and_are_never_rounded_up() -> None:
    for event in json.loads(written())["traceEvents"]:
        for key in ("ts", "dur"):
            if key in event:
                assert len(str(event[key]).partition(".")[2]) <= 3


def test_a_long_line_is_cut_and_odd_characters_are_escaped() -> None:
    name = "x" * 200
    text = RELAY.replace(".sem loaded", f".bank {name} f32[4, 2]\n.sem loaded").replace(
        "@beta   Add    y, x, x  ", f'@beta Tell x, "µ\\"\\n"\n@beta   Add    y, {name}, {name}'
    )
    made, out = Session.load(Source('a"b.nasm', text), targets=TARGETS), io.BytesIO()
    traced = stream(made, out)
    made.run()
    traced.close()
    found = checked(json.loads(out.getvalue()))
    (add,) = [e for e in found if e["name"] == "Add"]
    assert len(add["args"]["code"]) == 100
    assert add["args"]["code"].endswith("…")
    assert add["args"]["line"].startswith('a"b.nasm:')
    (mark,) = [e for e in found if e["ph"] == "i"]
    assert mark["name"] == 'µ"'


def test_instructions_that_overlap_are_on_threads_beside_each_other() -> None:
    # Add of two elements is busy for 2 cycles and complete after 5: the second starts meanwhile.
    found = events(RELAY.split("@alpha")[0] + "@beta Add y, x, x\n" * 3)
    names = threads(found)
    starts = [(ns(e), names[e["tid"]]) for e in on(found, "beta")]
    assert starts == [(at(0), "beta"), (at(10), "beta (2)"), (at(20), "beta (3)")]


def test_what_is_said_is_a_mark_on_its_engine() -> None:
    found = events(f'{RELAY}@beta Tell x, "x\\n"\n')
    (mark,) = [e for e in found if e["ph"] == "i"]
    (part,) = [e for e in found if e["name"] == "Tell"]
    assert (mark["name"], mark["ts"], mark["tid"]) == ("x", part["ts"], part["tid"])
    assert mark["args"] == {"pc": 2, "text": "x\n[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]"}


class Warm(Pace):
    """Makes a unit ready for 7 ticks, once."""

    label = "WARM_UP"

    def __init__(self) -> None:
        self.left = 7

    def ahead(self, key: object) -> int:
        left, self.left = self.left, 0
        return left


def test_what_makes_a_unit_ready_is_a_slice_of_its_own() -> None:
    text = RELAY.split("@alpha")[0] + "@beta Add y, x, x\n@beta Add y, x, x  $added++\n"
    made, out = session(text), io.BytesIO()
    traced = stream(made, out)
    task, _ = made.machine.tasks[1].fetch(1)
    task.pace = Warm()
    made.run()
    traced.close()
    found = on(checked(json.loads(out.getvalue())), "beta")
    assert [(e["name"], ns(e), ns(e, "dur")) for e in found if e["name"] == "WARM_UP"] == [
        ("WARM_UP", at(10), at(7))
    ]
    assert ns(found[-1]) == at(17)


# -- stalls and arrows


def test_a_stall_is_a_slice_from_when_the_turn_had_come() -> None:
    found = events()
    waits = [(e["name"], ns(e), ns(e) + ns(e, "dur")) for e in on(found, "beta waits")]
    # Add waits from the start; Move could start a cycle after Add but for its semaphore,
    # which is posted at 75 and seen 4 ns later, 6 ticks.
    assert waits == [("$loaded", at(0), at(50)), ("$added", at(60), at(81))]


def test_a_stall_for_data_is_named_so() -> None:
    found = events(RELAY.split("@alpha")[0] + "@beta Add y, x, x\n@beta Add x, y, y\n")
    (stall,) = on(found, "beta waits")
    assert (stall["name"], ns(stall), ns(stall, "dur")) == ("data", at(10), at(15))


def test_an_arrow_leads_from_a_post_to_the_start_that_it_allowed() -> None:
    lands = 81 + 20 + 16 + 10  # the second Move; its post is seen 4 ticks later
    assert arrows(events()) == [
        ("beta", at(50) + at(25) - 1, "beta", at(81)),
        ("ring 0", at(20) + at(26) - 1, "beta", at(50)),
        ("ring 0", at(101) + at(26) - 1, "alpha", at(lands + 4)),
    ]


def test_an_address_in_a_register_changes_neither_stalls_nor_arrows() -> None:
    text = RELAY.replace("Add    y, x, x ", "Add    y[%r0 : +4], x, x ")
    found, plain = events(text), events()
    assert arrows(found) == arrows(plain) != []
    stalls = [
        [(e["name"], ns(e), ns(e, "dur")) for e in on(f, "beta waits")] for f in (found, plain)
    ]
    assert stalls[0] == stalls[1] != []


def test_a_post_at_reading_has_an_arrow_too() -> None:
    text = RELAY.split("@alpha")[0] + "@beta Add y, x, x $added++@read\n@alpha Wait $added >= 1\n"
    # posted at 0, seen at 6: while Add goes on until 25
    assert arrows(events(text)) == [("beta", 1, "alpha", at(6))]


def test_a_wait_that_held_before_has_no_arrow() -> None:
    text = RELAY.split("@alpha")[0] + "@alpha Wait $added++\n" + "@beta Add y, x, x\n" * 2
    assert arrows(events(f"{text}@beta Wait $added >= 1\n")) == []


def test_only_semaphores_that_somebody_waits_for_are_counters() -> None:
    text = f"{RELAY}.sem other\n@alpha Wait $other++\n"
    counters = {e["name"] for e in events(text) if e["ph"] == "C"}
    assert counters == {"$loaded", "$added", "$stored"}


def test_counters_begin_at_0_and_have_one_value_for_a_tick() -> None:
    counters = [e for e in events() if e["ph"] == "C" and e["name"] == "$loaded"]
    assert [(ns(e), e["args"]["value"]) for e in counters] == [(0, 0), (at(46), 2)]


# -- transfers


def test_a_transfer_is_one_slice_of_its_ring() -> None:
    found = events()
    first, second = on(found, "ring 0")
    assert (ns(first), ns(first, "dur")) == (at(20), at(26))  # 16 bytes a channel, and 10 more
    assert (first["name"], first["args"]["engine"]) == ("32 bytes", "alpha")
    assert second["args"] == {
        "engine": "beta",
        "line": "relay.nasm:9",
        "code": "Move Y, y $added >= 1 $stored += 2",
        "pc": 1,
    }
    assert not on(found, "DMA 0")


def test_packets_are_slices_of_their_dma_engine_for_as_long_as_it_is_busy() -> None:
    found = events(detail="packets")
    assert on(found, "ring 0")
    for name in ("DMA 0", "DMA 1"):
        shares = on(found, name)
        assert [(e["name"], ns(e, "dur")) for e in shares] == [("16 bytes", at(16))] * 2
        assert ns(shares[0]) == at(20)


def test_descriptors_that_are_made_are_shown_with_the_packets() -> None:
    text = ".target trn2\n.hbm A f32[128, 8] input = zeros\n.sbuf a f32[128, 8]\n.sem s\n"
    text += "@gpsimd DmaCopy a, A, dge_mode=swdge $s += 16\n@gpsimd EventSemaphore $s >= 16\n"
    shown = {}
    for detail in DETAILS:
        made, out = Session(text), io.BytesIO()
        traced = stream(made, out, detail=detail)
        made.run()
        traced.close()
        shown[detail] = on(checked(json.loads(out.getvalue())), "descriptors")
    (one,) = shown["packets"]
    assert not shown["transfers"]
    took = made.program.generation.numbers["dma_descriptors_ns"].value
    assert (one["name"], ns(one, "dur")) == ("gpsimd", took)


# -- runs that do not end well


def test_what_is_under_way_when_a_run_stops_is_drawn_as_far_as_it_got() -> None:
    made, out = session(), io.BytesIO()
    traced = stream(made, out)
    made.run(max_cycles=20)  # of alpha: 60 ticks; Add is at work from 50 to 75
    traced.close()
    found = checked(json.loads(out.getvalue()))
    (add,) = [e for e in found if e["name"] == "Add"]
    assert (ns(add), ns(add, "dur")) == (at(50), at(10))
    assert [e["name"] for e in on(found, "alpha waits")] == ["$stored"]


def test_a_run_may_stop_between_two_completions_at_one_tick() -> None:
    text = ".target toy\n@alpha Wait\n.core 1\n@alpha Wait\n"
    whole, stopped = events(text), events(text, 1)
    assert stopped == whole
    assert [e["name"] for e in whole if e["ph"] == "X"] == ["Wait", "Wait"]


def test_a_deadlock_shows_what_each_engine_waits_for() -> None:
    found = events(f"{RELAY.replace('$added >= 1 ', '$added >= 2 ')}@alpha Wait\n")
    assert [e["name"] for e in on(found, "alpha waits")] == ["$stored"]
    (_, last) = on(found, "beta waits")
    assert (last["name"], ns(last) + ns(last, "dur")) == ("$added", at(75))


def test_a_transfer_that_has_not_landed_is_drawn() -> None:
    made, out = session(), io.BytesIO()
    traced = stream(made, out)
    made.run(max_cycles=10)  # 30 ticks: it started at 20 and lands at 46
    traced.close()
    (move,) = on(checked(json.loads(out.getvalue())), "ring 0")
    assert (ns(move), ns(move, "dur")) == (at(20), at(10))


def test_a_session_whose_trace_is_being_written_cannot_go_back() -> None:
    made = session()
    stream(made, io.BytesIO())
    checkpoint = made.checkpoint()
    with pytest.raises(ValueError, match="cannot go back"):
        made.back_to(checkpoint)


# -- the file


def test_the_trace_of_a_program_is_always_the_same() -> None:
    assert written() == written()
    assert written(zipped=True) == written(zipped=True)


def test_a_trace_may_be_gzipped() -> None:
    assert gzip.decompress(written(zipped=True)) == written()


def test_a_run_without_instructions_is_a_trace_without_slices() -> None:
    assert {e["ph"] for e in events(".target toy\n")} == {"M"}


@each("detail", DETAILS)
@each("path", part(PROGRAMS, 4), ids=lambda p: p.stem)
def test_the_trace_of_every_program_is_what_a_viewer_can_show(path: Path, detail: str) -> None:
    made, out = Session(path), io.BytesIO()
    traced = stream(made, out, detail=detail)
    made.run(max_instructions=3000)
    traced.close()
    found = checked(json.loads(out.getvalue()))
    done = sum(queue.completed for queue in made.queues())
    shown = [set(e.get("args", ())) for e in found if e["ph"] == "X"]
    assert sum("pc" in args and "engine" not in args for args in shown) >= done


def test_slices_are_counted() -> None:
    made, out = session(), io.BytesIO()
    traced = stream(made, out)
    made.run()
    traced.close()
    found = checked(json.loads(out.getvalue()))
    assert traced.slices == sum(e["ph"] == "X" for e in found)


LOOP = """\
.target toy
.sem turn
@alpha
Set %r0, {count}
again:
Wait $turn++
Count %r0
Loop %r0, target=again
@beta
Wait $turn >= {count}
"""


def test_it_is_written_while_the_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nasm.show.trace.MANY", 100)
    sizes = []

    class Out(io.BytesIO):
        def write(self, data: Any) -> int:
            sizes.append(len(data))
            return super().write(data)

    made, out = session(LOOP.format(count=100)), Out()
    traced = stream(made, out)
    made.run()
    assert len(sizes) >= 3
    traced.close()
    checked(json.loads(out.getvalue()))


def test_its_memory_does_not_grow_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nasm.show.trace.MANY", 100)

    class Nowhere(io.RawIOBase):
        def write(self, data: Any) -> int:
            return len(data)

    def kept(count: int) -> int:
        # what is kept to judge the order has a bound of its own: machine/test_ordering.py
        made = session(LOOP.format(count=count), checked=False)
        traced = stream(made, Nowhere())
        made.run(max_instructions=100)
        tracemalloc.start()
        made.run()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        traced.close()
        return size

    few, many = kept(200), kept(2000)
    assert many < few + 20_000  # 100 texts that wait to be written; 2,000 would be a megabyte


def test_what_cannot_be_written_is_reported_in_the_end_and_the_run_goes_on() -> None:
    class Full(io.RawIOBase):
        def write(self, data: Any) -> int:
            raise OSError(28, "No space left on device")

    for zipped in (False, True):
        made = session(LOOP.format(count=MANY // 2))
        traced = stream(made, Full(), zipped=zipped)
        assert made.run().ok
        with pytest.raises(OSError, match="No space left"):
            traced.close()


# -- two cores


def test_two_cores_are_two_processes_with_semaphores_and_events_of_their_own() -> None:
    found = events(
        ".target toy\n.sem a\n@alpha Wait $a++\n@alpha Meet 1\n@beta Wait $a >= 1\n"
        ".core 1\n.event e\n.sem b\n@beta Wait $e = 1\n@beta Wait $b++\n@beta Meet 1\n"
        "@alpha Wait $e == 1\n@alpha Wait $b >= 1\n"
    )
    processes = {e["pid"]: e["args"]["name"] for e in found if e["name"] == "process_name"}
    assert processes == {1: "core 0", 2: "core 1"}
    counters = {(e["pid"], e["name"], e["args"]["value"]) for e in found if e["ph"] == "C"}
    assert counters == {
        (1, "$a", 0),
        (1, "$a", 1),
        (2, "$e", 0),
        (2, "$e", 1),
        (2, "$b", 0),
        (2, "$b", 1),
    }
    meetings = [e for e in found if e["name"] == "Meet"]
    # Core 0 comes at 3, core 1 at 10; a cycle of beta is 5 ticks, and Meet is complete after two.
    assert sorted((e["pid"], ns(e), ns(e, "dur")) for e in meetings) == [
        (1, at(3), at(7 + 6)),
        (2, at(10), at(10)),
    ]


def test_a_core_on_which_nothing_starts_has_a_name_for_its_counters() -> None:
    found = events(".target toy\n@beta Wait\n.core 1\n.sem a\n@alpha Wait $a >= 1\n")
    assert {e["pid"] for e in found if e["ph"] == "C"} == {2}
    assert [e["args"]["name"] for e in found if e["name"] == "process_name"] == ["core 0", "core 1"]
