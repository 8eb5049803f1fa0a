"""Instructions that stand for others: places, times, waits and updates, going back, stops.

A cycle of alpha is 3 ticks, one of beta 5. Set and Count take a cycle, and show their result after
two; Wait takes one. A post is seen 6 ticks later.
"""

from __future__ import annotations

import io
import json
import pickle

import pytest

from nasm.analysis import summary
from nasm.analysis.hazards.hazards import Hazards
from nasm.base.problems import Failure, Refused
from nasm.debugger.session import Session
from nasm.isa.micro_instructions import Micro, MicroOrigin
from nasm.machine.records import Status
from nasm.show.documents import plain
from nasm.show.jsonable import MESSAGE
from nasm.show.trace import stream
from tests.test_toy_rack import made, ran, session, stuck

TWICE = "@alpha\nSet %r0, 1\nTape 2\nCount %r0, by=1\nCount %r0, by=10\nPlay 2\nCount %r0, by=100\n"


def places(of: object) -> list[str]:
    return [f"{record[1]}:{record[2]}" for record in of.trace.instructions]  # type: ignore[attr-defined]


def test_what_is_recorded_is_executed_when_it_is_played_and_not_before() -> None:
    done = ran(TWICE)
    assert places(done) == ["0:0", "0:4.0", "0:4.1", "0:4.2", "0:4.3", "0:5"]
    assert done.state.registers[0].values[0] == 1 + 2 * 11 + 100


def test_instructions_that_are_for_none_take_no_time() -> None:
    done = ran(TWICE)
    assert done.trace is not None
    # Each reads what the one before has written, 6 ticks after its start.
    assert [r[4:] for r in done.trace.instructions] == [
        (0, 6), (6, 12), (12, 18), (18, 24), (24, 30), (30, 36),
    ]  # fmt: skip


def test_a_queue_of_nothing_but_recording_is_done_at_once() -> None:
    done = ran("@alpha\nTape 1\nWait\nPlay 0\n@beta Wait")
    assert places(done) == ["1:0"]
    assert done.scheduler.queues[0].done


def test_the_first_waits_and_the_last_updates() -> None:
    done = ran(
        ".sem go, done\n@alpha\nTape 2\nWait\nWait\nPlay 1 $go >= 1 $done++\n"
        "@beta\nWait $go++\nWait $done >= 1"
    )
    assert done.trace is not None
    # go is posted at 5 and seen at 11; done is posted at 17 and seen at 23.
    assert [(str(r[2]), r[4], r[5]) for r in done.trace.instructions] == [
        ("0", 0, 5),
        ("3.0", 11, 14),
        ("3.1", 14, 17),
        ("1", 23, 28),
    ]


@pytest.mark.parametrize("line", ["Tape 0 $s++", "Play 3 $s >= 0"])
def test_what_is_for_nothing_can_neither_wait_nor_update(line: str) -> None:
    machine = made(f".sem s\n@alpha {line}")
    with pytest.raises(Failure) as caught:
        machine.run(100)
    assert [p.code for p in caught.value.problems] == ["E0522"]


def test_a_branch_of_an_expansion_leaves_it() -> None:
    done = ran("@alpha\nSet %r0, 1\nTape 1\nLoop %r0, target=out\nPlay 3\nWait\nout: Wait")
    assert places(done) == ["0:0", "0:3.0", "0:5"]


def test_messages_say_which_of_several_it_was() -> None:
    done = ran("@alpha\nTape 2\nSet %r1, 5\nCount %r0, by=1\nPlay 1")
    (problem,) = Hazards(done).run_errors
    assert (
        problem.message == "alpha pc 3.1 (Count) reads %r0, which is uninitialised: it reads as 0"
    )
    assert problem.span is not None
    assert problem.span.line == 6
    late = stuck("@alpha\nTape 2\nLock 0\nLock 1\nPlay 1\n@beta\nLock 1\nTake %r0")
    assert late.notes[0].message.startswith("alpha pc 3.1 waits: lock 1 is held by beta")


def test_the_hash_tells_an_expansion_from_the_same_instructions_in_another_place() -> None:
    one = ran("@alpha\nTape 1\nWait\nPlay 2")
    again = ran("@alpha\nTape 1\nWait\nPlay 2")
    two = ran("@alpha\nTape 2\nWait\nPlay 1\nPlay 2")
    assert one.summary.digest() == again.summary.digest() != two.summary.digest()


def test_what_engines_did_counts_what_was_executed_and_not_what_it_is_for() -> None:
    done = ran("@alpha\nTape 2\nPress 4\nWait\nPlay 3\nWait")
    assert done.summary.completed(0).tolist() == [0, 0, 0, 6, 1]
    assert done.summary.itself(0).tolist() == [0, 0, 0, 0, 1]
    alpha = summary.engine_records(done)[0]
    assert alpha.evidence == (("assumed", 3 * (4 + 1) + 1),)


def test_a_record_of_an_expanded_instruction_has_its_own_text() -> None:
    done = ran(TWICE)
    assert done.trace is not None
    texts = [summary.executed(done, record).text for record in done.trace.instructions]
    assert texts[1:4] == ["Count %r0, 1", "Count %r0, 10", "Count %r0, 1"]


def test_a_place_survives_pickling_and_is_its_pc() -> None:
    place = Micro(5, 3, None, False, MicroOrigin("place 3"))
    copy = pickle.loads(pickle.dumps(place))
    assert copy.origin == place.origin
    assert (copy, copy.micro, f"{copy}", {copy: 1}[5]) == (5, 3, "5.3", 1)


def test_the_trace_for_a_viewer_has_the_name_and_the_number_of_each() -> None:
    held, out = session("@alpha\nTape 2\nWait\nSet %r0, 1\nPlay 1\nWait\n"), io.BytesIO()
    writing = stream(held, out, zipped=False)
    held.run()
    writing.close()
    slices = [e for e in json.loads(out.getvalue())["traceEvents"] if "pc" in e.get("args", {})]
    found = [(e["name"], e["args"]["pc"], e["args"].get("micro")) for e in slices]
    assert sorted(found, key=str) == [("Set", 3, 1), ("Wait", 3, 0), ("Wait", 4, None)]


def marks(of: Session) -> tuple[object, ...]:
    report = of.report()
    return report.ticks, report.trace_hash, report.memory_hash


MIXED = (
    "@alpha\nTape 3\nPush 1\nWait\nLock 0\nPlay 3\nUnlock 0\n"
    "@beta\nTape 1\nTake %r0\nPlay 2\nTake %r1\nLock 0\n"
)


@pytest.mark.parametrize("text", [TWICE, MIXED])
def test_a_machine_that_goes_back_at_any_event_restores_the_rest_of_an_expansion(text: str) -> None:
    whole, stepped = session(text), session(text)
    whole.run()
    machine = stepped.machine
    while not machine.scheduler.idle:
        saved = machine.save()
        machine.run(4)
        machine.restore(saved)
        machine.run(1)
    assert marks(stepped) == marks(whole)


def test_steps_stop_at_each_expanded_instruction() -> None:
    held = session(TWICE)
    found = [f"{one.pc}" for _ in range(6) for one in held.step()]
    assert found == ["0", "4.0", "4.1", "4.2", "4.3", "5"]


def test_going_back_a_step_goes_back_within_an_expansion() -> None:
    held = session(TWICE)
    for _ in range(3):
        held.step()
    before = held.machine.scheduler.queues[0].pc
    held.step()
    held.back()
    assert str(held.machine.scheduler.queues[0].pc) == str(before)
    held.run()
    whole = session(TWICE)
    whole.run()
    assert marks(held) == marks(whole)


@pytest.mark.parametrize(
    ("where", "at"), [("alpha pc 4", "4.0"), ("alpha pc 4.2", "4.2"), ("alpha:4.3", "4.3")]
)
def test_a_breakpoint_is_at_the_first_or_at_one_of_an_expansion(where: str, at: str) -> None:
    held = session(TWICE)
    held.break_at(where)
    held.run()
    assert str(held.machine.scheduler.queues[0].pc) == at
    held.run()
    assert held.ended


def test_the_rest_of_an_expansion_can_be_run_as_one() -> None:
    held = session(TWICE)
    held.step(count=2)
    held.finish_expansion("alpha")
    queue = held.machine.scheduler.queues[0]
    assert (queue.count, str(queue.pc)) == (5, "5")


def test_nothing_is_typed_in_the_middle_of_an_expansion() -> None:
    held = session(TWICE)
    held.step(count=2)
    with pytest.raises(Refused, match="expansion"):
        held.execute("@alpha Wait")


def test_what_an_expanded_instruction_says_is_said_of_its_own_place() -> None:
    one = session(
        ".ram X f32[4, 2] input = iota\n.bank x f32[4, 2]\n.sem loaded\n"
        "@beta\nMove x, X $loaded += 2\nWait $loaded >= 2\nTape 2\nTell x\nTell x\nPlay 1\nTell x\n"
    )
    report = one.run()
    assert report.status is Status.FINISHED
    said = [plain(one, MESSAGE) for one in report.messages]
    assert [(each["pc"], each.get("micro")) for each in said] == [(5, 0), (5, 1), (6, None)]
    assert all("micro" not in each or json.dumps(each).count('"pc": 5,') for each in said)


def test_what_an_instruction_was_expanded_to_says_where_it_came_from() -> None:
    one = session("@alpha\nTape 2\nWait\nPush 7\nPlay 1\n")
    one.watch("belt")
    one.step("alpha", 1)
    (alpha, _) = one.context().engines
    assert alpha.origin == "place 1 of the tape, recorded at line 5"
    saved = one.checkpoint()
    one.run()
    (hit,) = one.hits
    assert hit.met.text == (
        "belt changed with @alpha pc 3.1 "
        "(Push, line 6, from place 1 of the tape, recorded at line 5)"
    )
    one.back_to(saved)
    assert one.context().engines[0].origin == alpha.origin
    why = one.why("belt[0]")
    assert why.maker is None
    one.run()
    why = one.why("belt[0]")
    assert why.maker is not None
    assert why.maker.where == ", line 6 (from place 1 of the tape, recorded at line 5)"
