"""Going back by instructions, by time and to what happened; halted, and torn by an interrupt."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from nasm.base.problems import Refused
from nasm.debugger.moving import past
from nasm.debugger.moving.past import Past
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.sim.events import Observer
from tests.debugger.journeys import (
    CYCLES,
    LOOP,
    checked,
    differing,
    ends,
    made,
    plain,
    programs,
    session,
    standing,
)
from tests.debugger.test_breakpoints import Record, expectations
from tests.machine.test_halting import calls
from tests.parts import part


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint is taken whenever one can be, and that is often."""
    monkeypatch.setattr(past, "EVERY", 0.0)
    monkeypatch.setattr(past, "SHARE", 0)
    monkeypatch.setattr(past, "FIRST", 3)
    monkeypatch.setattr(past, "MOST", 11)


@pytest.fixture
def one() -> Session:
    """A session with a little of everything."""
    return session(made(LOOP))


@pytest.mark.parametrize("engine", [None, "vector", "sync"])
def test_back_undoes_steps_one_by_one_and_many_at_once(one: Session, engine: str | None) -> None:
    there = [one.moment]
    while one.step(engine):
        there.append(one.moment)
    total = len(there) - 1
    for n in reversed(range(total)):
        assert one.back(1, engine) == 1
        assert one.moment == there[n]
    assert one.back(1, engine) == 0
    for some in (total, total // 2, 1):
        one.goto("end")
        assert one.back(some, engine) == some
        assert one.moment == there[total - some]
    assert one.back(total + 5, engine) == total - 1
    assert one.moment == there[0]


def test_back_by_cycles_is_where_until_would_have_ended(one: Session) -> None:
    cycle = one.program.generation.engine("vector").cycle
    one.goto("end")
    now = one.now
    one.back_cycles(700, "vector")
    assert one.now == now - 700 * cycle
    there = standing(one)
    other = session(made(LOOP))
    while other.now < now - 700 * cycle:
        other.process(1_000, now - 700 * cycle)
    assert not differing(there, standing(other))


def test_back_to_a_write_is_just_before_the_last_one() -> None:
    given = made(LOOP)
    record, one = Record(given), session(given)
    one.goto("end")
    for p in reversed([p for p, _ in record.changes("y")]):
        (met,) = one.back_to_write("y")
        assert one.moment.position == p - 1
        assert "changed" in met.text or "written" in met.text
        checked(given, one)
    assert one.back_to_write("y") == ()
    assert one.moment.position == 0


def test_back_until_goes_to_where_it_came_to_be_true_last(one: Session) -> None:
    record = Record(made(LOOP))
    number = one.program.semaphores["done"]
    values = [counters[number] for counters in record.counters]
    came = [p for p in range(1, len(values)) if values[p] == 2 != values[p - 1]]
    one.goto("end")
    assert one.back_until("$done == 2")
    assert [one.moment.position] == came
    assert not one.back_until("$done == 2")
    assert one.moment.position == 0


def test_nothing_that_was_met_is_reported_where_nothing_is(one: Session) -> None:
    one.break_at("@vector")
    one.run()
    assert one.hits
    one.goto("start")
    assert not one.hits
    one.run()
    one.mend()
    assert not one.hits


class Halting(Observer):
    """Halts a session now and then."""

    def __init__(self, one: Session, draw: random.Random) -> None:
        self.one, self.draw = one, draw

    def _halt(self) -> None:
        if self.draw.random() < 0.2:
            self.one.halt()

    def started(self, queue: Any, task: Any, now: int) -> None:
        self._halt()

    def finished(self, queue: Any, done: Any) -> None:
        self._halt()

    def delivered(self, group: Any, now: int) -> None:
        self._halt()


KINDS = [(kind, seed) for kind in ("ordered", "mutant", "stuck", "any") for seed in (20, 21)]


@pytest.mark.parametrize(("kind", "seed"), part([*KINDS, ("file", 1), ("file", 4)], 3))
def test_a_run_that_is_halted_anywhere_ends_as_one_that_is_not(kind: str, seed: int) -> None:
    draw = random.Random(f"halted {kind} {seed}")
    with programs(kind, seed) as given:
        ended = ends(given)
        if ended is None or sum(map(len, given[0].queues)) > 40:
            return
        record = Record(given)
        one = session(given, keep=draw.choice((0, 1 << 20)))
        expectations(record, one, draw)
        one.machine.scheduler.observe(Halting(one, draw))
        while not one.over:
            draw.choice((one.run, one.step, one.event, partial(one.advance, 500)))()
            if draw.random() < 0.1:
                checked(given, one)
            if draw.random() < 0.1:
                one.back(2)
        for breakpoint in one.breakpoints:
            one.breakpoints.delete(breakpoint.number)
        assert one.run(max_cycles=CYCLES) == ended


@pytest.mark.parametrize(("kind", "seed"), part([*KINDS, ("file", 1)], 3))
def test_torn_within_an_instruction_it_is_fixed_and_goes_on(kind: str, seed: int) -> None:
    draw = random.Random(f"torn {kind} {seed}")
    with programs(kind, seed) as given:
        ended = ends(given)
        if ended is None or sum(map(len, given[0].queues)) > 40:
            return
        record = Record(given)
        one = session(given, keep=draw.choice((0, 1 << 20)))
        expectations(record, one, draw)
        count = calls(partial(one.run, hashes=False), 0, lambda: None)
        for _ in range(6):
            one.goto("start")
            with suppress(KeyboardInterrupt):
                calls(partial(one.run, hashes=False), draw.randrange(1, count), interrupt)
            draw.choice((one.mend, partial(one.back, 2)))()
            checked(given, one)
        for breakpoint in one.breakpoints:
            one.breakpoints.delete(breakpoint.number)
        assert one.run(max_cycles=CYCLES) == ended


def interrupt() -> None:
    raise KeyboardInterrupt


def test_a_change_in_the_past_drops_the_later_ones_unless_a_mark_keeps_them(one: Session) -> None:
    one.goto(600)
    one.set("y[0, 6]", 1)
    one.goto(800)
    one.set("y[0, 7]", 2)
    one.mark("both")
    both = standing(one)
    one.goto(700)
    assert [str(c) for c in one.changes.made] == ["set y[0, 6] = 1"]
    one.set("y[1, 6]", 3)
    one.goto("end")
    assert [str(c) for c in one.changes.made] == ["set y[0, 6] = 1", "set y[1, 6] = 3"]
    one.goto("both")
    assert [str(c) for c in one.changes.made] == ["set y[0, 6] = 1", "set y[0, 7] = 2"]
    assert not differing(both, standing(one))
    assert str(one.undo()) == "set y[0, 7] = 2"
    assert str(one.undo()) == "set y[0, 6] = 1"
    assert one.undo() is None
    assert one.run() == plain(made(LOOP)).run()
    with pytest.raises(Refused):
        one.goto("neither")


def test_what_was_before_a_declaration_can_be_gone_back_to(one: Session) -> None:
    one.goto(500)
    then = standing(one)
    one.declare(".sbuf new f32[2, 4] = iota")
    one.execute("@vector TensorCopy new, new")
    values = standing(one)
    assert values["tensor new"] != then.get("tensor new")
    one.goto(500)
    one.goto("end")
    after = standing(one)
    one.goto("start")
    assert one.evaluate("new").missing is not None  # declared, and not given values yet
    one.goto("end")
    assert not differing(after, standing(one))
    one.undo()
    one.undo()
    assert not differing(then, standing(one))


def test_what_is_kept_stays_within_its_bound_and_the_start_is_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep, totals = 2 << 20, []
    thin = Past._thin

    def thinned(self: Past) -> None:
        thin(self)
        totals.append(sum(map(self.running.kept, self.running.checkpoints)))

    monkeypatch.setattr(Past, "_thin", thinned)
    given = made(LOOP.replace("0..3", "0..60").replace("8 * i : 8 * i + 8", "i"))
    one = session(given, keep=keep)
    one.run()
    assert len(totals) > 20
    assert keep // 2 < max(totals) <= keep
    start = one.checkpoints[0]
    for _ in range(30):
        one.back(1)
        one.set("x", 1.0)
        assert totals[-1] <= keep
    assert one.checkpoints[0] is start
    one.restart()
    checked(given, one)
    assert one.run(max_cycles=CYCLES) == ends(given)


def test_a_change_between_two_events_is_made_again_at_its_tick_by_single_events(
    one: Session,
) -> None:
    one.event()
    one.event()
    before = one.moment
    one.advance(16)
    assert before.position == one.moment.position
    assert before.tick < one.moment.tick
    one.set("$loaded", 3)
    one.mark("changed")
    there = standing(one)
    one.goto("start")
    while not one.changes_made:
        assert one.event()
    one.goto("changed")
    assert not differing(there, standing(one))


def test_with_nothing_kept_no_checkpoint_stays(one: Session) -> None:
    one = session(made(LOOP), keep=0)
    one.run()
    one.back(3)
    one.set("y", 1.0)
    one.run()
    assert one.status is Status.FINISHED
    assert len(one.checkpoints) <= 2


def test_of_order_nothing_is_said_that_was_judged_of_another_future() -> None:
    with programs("wrong", "deadlock-overshot") as given:
        one = session(given)
        one.execute("@gpsimd Nop $loaded++")
        one.report()
        one.undo()
        checked(given, one)
        assert one.run() == ends(given)


def test_a_time_that_no_run_reaches_is_refused(one: Session) -> None:
    for text in ("9" * 400, "9" * 30 + "us"):
        with pytest.raises(Refused, match="no run lasts"):
            one.goto(text)
        with pytest.raises(Refused, match="no run lasts"):
            one.break_at(f"time {text}")


def test_of_several_times_in_one_stretch_the_last_is_found() -> None:
    record, one = Record(made(LOOP)), session(made(LOOP), keep=0)
    number = one.program.semaphores["done"]
    values = [counters[number] for counters in record.counters]
    odd = [p for p in range(1, len(values)) if values[p] % 2 and not values[p - 1] % 2]
    assert len(odd) == 2
    one.goto("end")
    for p in reversed(odd):
        assert one.back_until("$done == 1 or $done == 3")
        assert one.moment.position == p


def test_a_time_is_reached_at_the_end_of_what_happens_then(one: Session) -> None:
    record = Record(made(LOOP))
    for tick in sorted({*record.ticks} - {0}, reverse=True):
        last = max(p for p, at in enumerate(record.ticks) if at <= tick)
        one._travel.to_tick(tick)
        assert one.moment.position == last
        one.past.to_position(last - 1)
        one.checkpoint()
        one._travel.to_tick(tick)
        assert one.moment.position == last


def test_a_deadlock_is_reported_where_it_is_and_no_earlier() -> None:
    one = session(made(".target trn2\n.sem never\n@vector Nop\n@vector Nop  $never >= 1\n"))
    for _ in range(3):
        one.run()
        assert (one.status, len(one.problems)) == (Status.DEADLOCK, 1)
        assert len(one.report().problems) == 1
        one.back()
        assert (one.status, one.problems) == (Status.READY, [])
        assert one.report().problems == ()


RACES = """\
.target trn2
.sbuf a f32[128, 8]
.sbuf b f32[128, 8]
@vector Memset a, 1.0
@vector Memset b, 1.0
@gpsimd Memset a, 2.0
@gpsimd Memset b, 2.0
"""


def test_of_two_futures_with_as_many_races_each_is_reported_its_own() -> None:
    one = session(made(RACES))

    def raced() -> list[str]:
        return [p.message.split(" writes ")[1][0] for p in one.run(hashes=False).hazards]

    one.skip("vector")  # the Memset of a
    assert raced() == ["b"]
    one.undo()
    while one.queue("vector").pc == 0:
        one.event()
    one.skip("vector")  # that of b
    assert raced() == ["a"]


TWICE = """\
.target trn2
.sbuf a f32[128, 8]
@vector Memset a, 1.0
@vector Memset a, 2.0
"""


def test_back_to_a_write_that_has_just_happened_is_to_that_one() -> None:
    one = session(made(TWICE), keep=0)
    one.step(count=2)
    behind = one.moment
    assert not behind.poised
    for pc in (1, 0):
        (met,) = one.back_to_write("a")
        assert met.pc == pc
    assert one.back_to_write("a") == ()
    one.break_at("vector pc 1")
    one.goto("start")
    one.run()
    before = one.moment
    assert before.poised
    one.goto(behind)
    one.goto(before)
    assert one.moment == before
    (met,) = one.event()
    assert met.kind == "start"
    one.goto(before)
    assert [m.pc for m in one.back_to_write("a")] == [0]
