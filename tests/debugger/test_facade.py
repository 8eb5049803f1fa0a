"""A Session as somebody uses it from Python: each ability once, and what cannot be done."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.drawing import Drawn
from nasm.debugger.moving.breakpoint_records import Breakpoint, BreakpointKeywords
from nasm.debugger.session import Session
from nasm.runs.execution import Execution

PROGRAMS = Path(__file__).parents[2] / "programs"
MATMUL = PROGRAMS / "matmul.nasm"
COPY = 19
"""The line of the TensorCopy in it."""


@pytest.fixture
def session() -> Session:
    return nasm.Session(str(MATMUL))


@pytest.fixture
def stopped(session: Session) -> Session:
    session.break_at(COPY)
    session.run()
    return session


# -- making one


def test_it_is_made_of_a_path_a_text_or_a_program(session: Session) -> None:
    text = MATMUL.read_text(encoding="utf-8")
    ends = {
        made.run().memory_hash
        for made in (
            session,
            nasm.Session(MATMUL),
            nasm.Session(text),
            nasm.Session(nasm.assemble(MATMUL)),
        )
    }
    assert len(ends) == 1


def test_it_has_parts_and_no_ancestors() -> None:
    assert Session.__bases__ == (Drawn,)
    own = {"discard", "driver", "execution", "forward", "kept", "begin", "changed", "met_halt"}
    own |= {"met_limit", "hold_hints", "peers"}
    inner = {"called", "hazard_counts", "limit", "results", "rows", "spelled", "watched"}
    names = {name for name in dir(Execution) if not name.startswith("_")}
    assert names - set(dir(Session)) <= own | inner


def test_breakpoints_and_watchpoints_take_the_same_keywords(session: Session) -> None:
    some = inspect.signature(session.break_at).parameters
    others = inspect.signature(session.watch).parameters
    assert list(some)[-5:] == list(others)[-5:] == list(BreakpointKeywords.__annotations__)
    with pytest.raises(TypeError, match="no setting 'conditon': did you mean 'condition'"):
        session.watch("C", conditon="1 > 0")  # type: ignore[call-arg]


def test_its_signature_says_all_it_takes() -> None:
    mine = inspect.signature(Session).parameters
    run = inspect.signature(nasm.run).parameters
    kinds = {p.kind for p in mine.values()}
    assert not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    moves = {"max_cycles", "max_instructions", "progress", "deadline", "memory", "hashes"}
    assert set(run) - moves - {"executor"} == set(mine) - {"trace", "reruns", "keep", "rank"}
    defaults = {name: p.default for name, p in mine.items() if name in run}
    assert defaults == {name: run[name].default for name in defaults}


def test_what_it_takes_reaches_the_machine() -> None:
    text = ".target trn1\n@vector Nop\n"
    session = nasm.Session(text, values=False, checked=False, trace=True, allow=["E0502"])
    assert (session.values, session.machine.checked) == (False, False)
    assert session.past.kept == 0
    assert list(session.policy.allows)
    session.run()
    assert len(session.trace.instructions) == 1
    assert nasm.Session(text, keep=1 << 20).past.kept == 1 << 20
    with pytest.raises(nasm.Failure) as caught:
        nasm.Session(nasm.assemble(MATMUL), target="trn2")
    assert caught.value.problems[0].code == "E0810"


def test_an_empty_machine_is_typed_at() -> None:
    session = nasm.Session.empty("trn2")
    assert session.program.generation.spellings[0] == "trn2"
    session.declare(".sbuf t f32[128, 4]")
    done = session.execute("@vector Memset t, 2.5")
    assert done.pending == 0
    assert [one.text for one, _ in done.executed] == ["Memset t, 2.5"]
    assert (session.read("t") == 2.5).all()
    assert nasm.Session(session.changes.typed_text()).run().ok


# -- where it stands


def test_repr_is_one_line_that_says_where_it_is(session: Session) -> None:
    name = f"<session of {MATMUL}"
    assert repr(session) == f"{name}: not started>"
    session.break_at(COPY)
    session.run()
    # The stop is at the start of line 19; a cycle of the base clock is 1 / 1.4 GHz.
    us = session.now / session.program.generation.ticks
    assert repr(session) == (
        f"{name}: running, at {us:,.3f} µs, cycle {int(us * 1400 + 1e-6):,}, at breakpoint 1: "
        "before @vector pc 0 (TensorCopy, line 19) starts>"
    )
    session.set("$stored", 3)
    assert repr(session).endswith(", 1 change by hand>")
    assert session.microseconds() == us
    assert session.microseconds(0) == 0


# -- stopping


def test_places_are_numbers_or_texts(session: Session) -> None:
    made = [session.break_at(place) for place in (COPY, str(COPY), f"line {COPY}")]
    assert [one.what for one in made] == ["before line 19"] * 3
    assert [one.number for one in session.breakpoints] == [1, 2, 3]
    session.run()
    assert {hit.breakpoint.number for hit in session.hits} == {1, 2, 3}


def test_a_breakpoint_is_changed_and_deleted_by_number_or_name(session: Session) -> None:
    session.break_at("MultiplyMoving", name="mm", commands="p acc[0, 0]; continue")
    assert session.breakpoints["mm"].commands == ("p acc[0, 0]", "continue")
    assert session.breakpoints.change("mm", enabled=False, ignore=2, name="other").ignore == 2
    assert not session.breakpoints[1].enabled
    assert len(session.breakpoints) == 1
    session.run()
    assert session.status is nasm.Status.FINISHED
    assert session.breakpoints.delete("other").hits == 0
    assert list(session.breakpoints) == []
    assert bool(session.breakpoints)


def test_a_watch_says_what_changed(session: Session) -> None:
    session.watch("acc[0, 0:2]")
    session.run()
    (hit,) = session.hits
    assert isinstance(hit, nasm.Hit)
    assert hit.met.count == 2
    assert [e.before for e in hit.met.elements] == [None, None]
    after = [float(e.after) for e in hit.met.elements]  # type: ignore[arg-type]
    assert after == session.read("acc[0, 0:2]")[0].tolist()


def test_breakpoints_pass_to_another_session(session: Session) -> None:
    session.break_at(COPY, name="copy", condition="1 == 1", temporary=True, ignore=1)
    session.watch("acc", "written")
    session.breakpoints.change(2, enabled=False)
    other = nasm.Session(".target trn1\n@vector Nop\n")
    ((lost, why), (gone, _)) = other.take_over(session)
    assert (lost.name, gone.asked.what) == ("copy", "acc")
    assert "line 19" in why
    third = nasm.Session(MATMUL)
    assert third.take_over(session) == ()
    assert list(map(repr, third.breakpoints)) == list(map(repr, session.breakpoints))


# -- moving, going back


def test_it_goes_until_something_and_back(session: Session) -> None:
    assert [m.text for m in session.run_until("$loaded >= 32")] == ["$loaded >= 32 is true"]
    met = session.run_until(session.stop_for(COPY))
    assert [m.pc for m in met] == [0]
    here = session.moment
    assert session.back() == 1
    assert session.back(1, "@tensor") == 1
    session.goto(here)
    assert session.moment == here
    session.goto("end")
    assert session.over
    session.goto("start")
    assert session.now == 0
    session.goto("2.5us")
    assert session.microseconds() == 2.5
    session.goto(np.int64(1400))
    assert session.microseconds() == 1.0
    session.goto("end")
    assert [m.pc for m in session.back_to_write("acc")] == [1]
    assert not session.known("acc").any()
    assert session.now < here.tick


def test_moments_have_names(stopped: Session) -> None:
    made = stopped.mark("before-copy")
    values = stopped.read("acc").copy()
    stopped.set("acc", 0)
    assert not stopped.read("acc").any()
    stopped.goto(made)
    assert (stopped.read("acc") == values).all()
    stopped.goto("end")
    stopped.goto("before-copy")
    assert [mark.name for mark in stopped.moments()] == ["before-copy"]
    assert stopped.moment == made.moment


def test_what_is_behind_undone_changes_is_refused(stopped: Session) -> None:
    stopped.set("$stored", 1)
    after = stopped.moment
    stopped.undo()
    with pytest.raises(nasm.Refused, match="undone"):
        stopped.goto(after)


# -- seeing, asking, trying


def test_values_are_asked_for_by_expression_or_value(stopped: Session) -> None:
    value = stopped.evaluate("A.T @ B")
    found = stopped.expressions.statistics("A.T @ B")
    assert found == stopped.expressions.statistics(value)
    exact = stopped.read("A").astype(float).T @ stopped.read("B").astype(float)
    assert np.isclose(found.mean, exact.mean())
    assert found.size == exact.size
    assert sum(stopped.expressions.histogram("A", bins=3).counts) == 128 * 128
    assert stopped.expressions.picture("acc", 4, 8).block == (32, 64)
    assert stopped.expressions.first("acc", 3).array.tolist() == stopped.read("acc")[0, :3].tolist()
    assert stopped.memory.written("acc") == 1
    assert stopped.memory.written("c[0:4]") == 0
    assert stopped.expressions.difference("acc", "A.T @ B", rtol=1e-2).same


def test_engines_transfers_and_memory_are_records(stopped: Session) -> None:
    vector = next(e for e in stopped.context().engines if e.engine == "vector")
    assert (vector.at.line if vector.at else None, vector.why) == (COPY, "starts now")
    assert stopped.transfers() == ()
    stopped.goto("1us")
    assert [t.span.line for t in stopped.transfers() if t.span] == [15, 16]
    (loaded,) = stopped.counters("$loaded")
    assert [w.at.engine for w in loaded.waiting] == ["tensor"]
    assert [m.memory for m in stopped.memory.maps()] == ["hbm", "sbuf", "psum"]
    assert {lane.owner.name for lane in stopped.memory.partition(5)} == {"a", "b", "c", "acc"}
    assert [use.does for use in stopped.who("acc")] == ["writes", "reads"]
    assert stopped.blocked("tensor").end == "time"
    assert [one.value for one in stopped.history("loaded")] == []


def test_why_tells_where_a_value_came_from(session: Session) -> None:
    session.run()
    why = session.why("C[0, 0]")
    made = [why.maker.name if why.maker else ""]
    while len(why.sources) == 1 and why.sources[0].whys:
        why = why.sources[0].whys[0]
        made.append(why.maker.name if why.maker else "")
    assert made == ["DmaCopy", "TensorCopy", "MultiplyMoving"]


def test_changes_are_seen_undone_and_tried(stopped: Session) -> None:
    since = stopped.memory.since()
    stopped.set("acc[0, 0:2]", [1.0, 2.0])
    (change,) = stopped.memory.changes(since)
    assert (change.place, change.count) == ("acc[0, 0:2]", 2)
    stopped.memory.release(since)
    before, hits = stopped.moment, stopped.hits
    tried = stopped.changes.trial("@vector Memset c, 7.0")
    assert tried.executed
    assert stopped.moment == before
    assert not stopped.known("c").any()
    assert stopped.hits == hits  # and the breakpoint at which it stands is not met in between
    assert stopped.breakpoints[1].hits == 1
    stopped.run()
    assert stopped.read("C[0, 0:2]").tolist() == [1.0, 2.0]
    assert [str(change) for change in stopped.changes.made] == ["set acc[0, 0:2] = [1.0, 2.0]"]
    stopped.restart()
    assert stopped.changes.made == ()
    assert stopped.now == 0


def test_counters_registers_and_engines_are_set(stopped: Session) -> None:
    assert str(stopped.set("$copied", 1)) == "$copied 0 -> 1"
    assert str(stopped.set("@scalar %r0", np.int32(5))) == "@scalar %r0 uninitialised -> 5"
    assert stopped.registers("@scalar") == {0: 5}
    assert str(stopped.skip("@vector")) == "@vector pc 0 -> 1"
    assert str(stopped.set_pc("vector", 0)) == "@vector pc 1 -> 0"


# -- what cannot be done


WRONG: dict[str, Callable[[Session], Any]] = {
    "E0203 no engine 'tensr'": lambda s: s.step("tensr"),
    "E0203 no engine '3'": lambda s: s.step(3),  # type: ignore[arg-type]
    "E0822 wanted a number of instructions from 0 on, found -1": lambda s: s.back(-1),
    "E0822 wanted a number of cycles from 0 on, found 1.5": lambda s: s.advance(1.5),  # type: ignore[arg-type]
    "E0822 no location 'MultipyMoving' in the program": lambda s: s.break_at("MultipyMoving"),
    "E0822 wanted a cycle or a time, found '-3'": lambda s: s.goto(-3),
    "E0822 no moment 'strt'": lambda s: s.goto("strt"),
    "E0822 no moment 'None'": lambda s: s.goto(None),  # type: ignore[arg-type]
    "E0822 wanted a word, found 'end'": lambda s: s.mark("end"),
    "E0822 memory is watched for being changed, written or read, not 'seen'": (
        lambda s: s.watch("acc", "seen")
    ),
    "E0206 no semaphore '$laoded'": lambda s: s.counters("laoded"),
    "E0208 nothing is called 'nope'": lambda s: s.memory.written("nope"),
    "E0822 no partition 128": lambda s: s.memory.partition(128),
    "E0822 wanted a number of rows from 1 on, found 0": lambda s: s.expressions.picture("acc", 0),
    "E0822 wanted a number of bins from 1 on, found 'many'": (
        lambda s: s.expressions.histogram("acc", "many")  # type: ignore[arg-type]
    ),
    "E0822 no breakpoint '7'": lambda s: s.breakpoints[7],
    "E0822 no breakpoint ''": lambda s: s.breakpoints[""],
    "E0822 '3' is no name of a breakpoint": lambda s: s.break_at(COPY, name="3"),
    "E0822 wanted a number of times to ignore it from 0 on, found -1": (
        lambda s: s.break_at(COPY, ignore=-1)
    ),
    "E0108 wanted a value after '+', found the end of the line": (
        lambda s: s.break_at(COPY, condition="1 +")
    ),
    "E0210 wanted a number, found None": lambda s: s.set("$loaded", None),
    "E0207 no label 'None' in @tensor": lambda s: s.set_pc("tensor", None),  # type: ignore[arg-type]
    "E0822 no such transfer is in flight": lambda s: s.finish_transfers(),
    "E0822 the next instruction of tensor is in no loop": lambda s: s.finish_loop("tensor"),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_cannot_be_done_is_said_with_a_code(session: Session, said: str) -> None:
    session.break_at("nan", name="first")
    before = session.moment
    with pytest.raises(nasm.Error) as caught:
        WRONG[said](session)
    (problem,) = caught.value.problems
    assert f"{problem.code} {problem.message}" == said
    assert session.moment == before
    assert len(session.breakpoints) == 1


def test_a_name_belongs_to_one_breakpoint(session: Session) -> None:
    session.break_at(COPY, name="one")
    session.break_at(COPY, name="two")
    with pytest.raises(nasm.Refused, match="called one already"):
        session.breakpoints.change("two", name="one")
    assert session.breakpoints.change("two", name="two").name == "two"


def test_it_stays_in_its_process(stopped: Session) -> None:
    for doing in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="a session is not copied or pickled"):
            doing(stopped)
    records: list[Any] = [*stopped.breakpoints, *stopped.hits, stopped.context(), stopped.queues()]
    for record in records:
        again = pickle.loads(pickle.dumps(record))
        assert again == record
        assert repr(again) == repr(record)


def test_what_is_exported_is_what_is_returned(stopped: Session) -> None:
    assert isinstance(stopped.moment, nasm.Moment)
    assert isinstance(stopped.status, nasm.Status)
    assert isinstance(stopped.context(), nasm.Context)
    assert isinstance(stopped.evaluate("acc"), nasm.Value)
    assert isinstance(stopped.mark("m"), nasm.Mark)
    assert nasm.Breakpoint is Breakpoint
    assert isinstance(stopped.why("acc[0, 0]"), nasm.Why)
    assert isinstance(stopped.checkpoint(), nasm.Checkpoint)
    assert isinstance(stopped.report(), nasm.RunReport)
    assert issubclass(nasm.Failure, nasm.Error)
    assert issubclass(nasm.Refused, nasm.Error)
    for name in nasm.__all__:
        assert getattr(nasm, name) is not None
