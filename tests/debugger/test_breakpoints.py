"""A breakpoint is met exactly once for each time that what it says happens, forward and backward.

What happens is taken down by an observer of a plain run that processes one event at a time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure, Refused
from nasm.debugger.moving import past
from nasm.debugger.session import Session
from nasm.machine import tensor_io
from nasm.machine.records import Moment
from nasm.runs.execution import Execution
from nasm.sim.events import Observer
from nasm.views.view import View
from tests.debugger.journeys import (
    CASES,
    CYCLES,
    LOOP,
    Made,
    checked,
    differing,
    ends,
    made,
    plain,
    programs,
    session,
    standing,
)
from tests.parts import part


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint is taken whenever one can be, and that is often."""
    monkeypatch.setattr(past, "EVERY", 0.0)
    monkeypatch.setattr(past, "SHARE", 0)
    monkeypatch.setattr(past, "FIRST", 3)
    monkeypatch.setattr(past, "MOST", 11)


@dataclass
class Taken(Observer):
    """What happens in an event, as (what, of which, ...)."""

    events: list[tuple[Any, ...]] = field(default_factory=list)

    def started(self, queue: Any, task: Any, now: int) -> None:
        self.events.append(("start", queue.index, queue.pc, now))

    def finished(self, queue: Any, done: Any) -> None:
        self.events.append(("finish", queue.index, done.pc))

    def posted(self, number: int, semaphore: Any, now: int) -> None:
        self.events.append(("post", number, semaphore.value))

    def issued(self, flight: Any, now: int) -> None:
        self.events.append(("issue", flight.key))

    def delivered(self, group: Any, now: int) -> None:
        if group.flight.left == group.count:
            self.events.append(("land", group.flight.key))


class Record:
    """A plain run, one event after the other: what happened in each, and what there was behind it.

    ``happened[p]`` belongs to the event that made the position p; ``ticks`` is when it was.
    """

    def __init__(self, given: Made) -> None:
        run, taken = plain(given), Taken()
        self.program = run.program
        run.machine.scheduler.observers.insert(0, taken)  # others make a fault of what they see
        run.machine.scheduler.observe(Observer())
        self.happened: list[list[tuple[Any, ...]]] = [[]]
        self.ticks = [0]
        self.memory = [self._memory(run)]
        self.registers = [self._registers(run)]
        self.counters = [self._counters(run)]
        self.found = [self._found(run)]
        while not run.ended:
            run.process(1)
            self.happened.append(list(taken.events))
            taken.events.clear()
            self.ticks.append(run.now)
            self.memory.append(self._memory(run))
            self.registers.append(self._registers(run))
            self.counters.append(self._counters(run))
            self.found.append(self._found(run))

    @staticmethod
    def _memory(run: Execution) -> dict[str, Any]:
        found, addresses = {}, run.machine.addresses
        for name, tensor in run.program.tensors.items():
            view = View.whole(tensor)
            known = tensor_io.known(addresses, view)
            bits = tensor_io.contents(addresses, view)
            bits = np.ascontiguousarray(bits).view(f"V{bits.dtype.itemsize}")
            found[name] = bits, known.copy()
        return found

    @staticmethod
    def _registers(run: Execution) -> list[Any]:
        return [registers.save() for registers in run.machine.state.registers]

    @staticmethod
    def _counters(run: Execution) -> dict[int, int]:
        counters = run.machine.scheduler.semaphores
        numbers = {*run.program.semaphores.values(), *run.program.events.values()}
        return {n: counters[n].value for n in numbers}

    @staticmethod
    def _found(run: Execution) -> set[object]:
        return {(p.code, p.span) for p in (*run.hazards, *run.problems)}

    # -- where something is met

    def events(self, wanted: Callable[[tuple[Any, ...]], bool]) -> list[int]:
        """Behind which events something had happened."""
        return [p for p, happened in enumerate(self.happened) if any(map(wanted, happened))]

    def changes(self, name: str) -> Iterator[tuple[int, int]]:
        """Behind which events a tensor is not what it was, and how many elements of it."""
        for p in range(1, len(self.memory)):
            (was, knew), (now, known) = self.memory[p - 1][name], self.memory[p][name]
            other = (knew != known) | ((was != now) & knew & known)
            if other.any():
                yield p, int(np.count_nonzero(other))

    def becoming(self, counter: int, least: int) -> list[int]:
        """Behind which events a counter had come to be at least so much, if only within them."""
        found, value = [], self.counters[0][counter]
        for p, happened in enumerate(self.happened):
            for what, *rest in happened:
                if what == "post" and rest[0] == counter:
                    if value < least <= rest[1] and p not in found:
                        found.append(p)
                    value = rest[1]
        return found

    def changing(self, counter: int) -> list[int]:
        """Behind which events a counter had changed, if only within them."""
        found, value = [], self.counters[0][counter]
        for p, happened in enumerate(self.happened):
            for what, *rest in happened:
                if what == "post" and rest[0] == counter:
                    if value != rest[1] and p not in found:
                        found.append(p)
                    value = rest[1]
        return found


Expected = list[tuple[int, bool]]
"""Positions, and whether the start of an instruction comes next."""


def expectations(record: Record, one: Session, draw: random.Random) -> list[tuple[int, Expected]]:
    """Some breakpoints that are set, by number, and where each is to be met."""
    program = record.program
    every: list[tuple[Callable[[], int], Expected]] = []

    def before(places: set[tuple[int, int]]) -> Expected:
        found = record.events(lambda e: e[0] == "start" and (e[1], e[2]) in places)
        return [(p - 1, True) for p in found]

    def after(places: set[tuple[int, int]]) -> Expected:
        found = record.events(lambda e: e[0] == "finish" and (e[1], e[2]) in places)
        return [(p, False) for p in found]

    def breaking(what: str, expected: Expected, **more: Any) -> None:
        every.append((lambda: one.break_at(what, **more).number, expected))

    queues = range(len(program.queues))
    placed = [(q, pc) for q in queues for pc in range(len(program.queues[q]))]
    for q, pc in draw.sample(placed, min(4, len(placed))):
        name = program.queue_name(q)
        breaking(f"{name} pc {pc}", before({(q, pc)}))
        breaking(f"{name} pc {pc}", after({(q, pc)}), after=True)
    for q in queues:
        mine = {place for place in placed if place[0] == q}
        breaking(f"@{program.queue_name(q)}", before(mine))
        breaking(f"@{program.queue_name(q)}", after(mine), after=True)
    for row in sorted(
        {program.instruction(q, pc).row.name for q, pc in draw.sample(placed, min(2, len(placed)))}
    ):
        alike = {place for place in placed if program.instruction(*place).row.name == row}
        breaking(row, before(alike))
    for name, number in {**program.semaphores, **program.events}.items():
        breaking(f"${name}", [(p, False) for p in record.changing(number)])
        least = draw.randint(1, 20)
        breaking(f"${name} >= {least}", [(p, False) for p in record.becoming(number, least)])
        truths = [counters[number] >= least for counters in record.counters]
        true = [(p, False) for p in range(1, len(truths)) if truths[p] and not truths[p - 1]]
        every.append(
            (lambda n=name, least=least: one.break_at(f"if ${n} >= {least}").number, true)  # type: ignore[misc]
        )
    for name in program.tensors:
        changes = [(p, False) for p, _ in record.changes(name)]
        every.append((lambda name=name: one.watch(name).number, changes))  # type: ignore[misc]
    for q in queues:
        values = [registers[q] for registers in record.registers]
        held = [tuple(zip(*v, strict=True)) for v in values]
        if held[0]:
            changes = [(p, False) for p in range(1, len(held)) if held[p][0] != held[p - 1][0]]
            name = program.queue_name(q)
            every.append((lambda n=name: one.watch(f"@{n}.%r0").number, changes))  # type: ignore[misc]
    issued = record.events(lambda e: e[0] == "issue")
    landed = record.events(lambda e: e[0] == "land")
    breaking("transfer start", [(p, False) for p in issued])
    breaking("transfer land", [(p, False) for p in landed])
    breaking("transfer", [(p, False) for p in sorted({*issued, *landed})])
    news = [p for p in range(1, len(record.found)) if record.found[p] - record.found[p - 1]]
    breaking("hazard", [(p, False) for p in news])
    chosen = draw.sample(every, min(len(every), draw.choice((1, 1, 2, 4))))
    return [(add(), expected) for add, expected in chosen]


def met(one: Session) -> list[tuple[int, str, int]]:
    """What was met, in any order."""
    return sorted((h.breakpoint.number, h.met.text, h.met.count) for h in one.hits)


def stops(one: Session, go: Callable[[], object]) -> Iterator[tuple[Moment, Any]]:
    """Every stop of a run to its end."""
    while not one.over:
        go()
        if one.hits:
            yield one.moment, met(one)


@pytest.mark.parametrize(("kind", "seed"), part(CASES[::2], 2))
def test_each_is_met_once_forward_and_backward(kind: str, seed: int) -> None:
    draw = random.Random(f"stops {kind} {seed}")
    with programs(kind, seed) as given:
        ended = ends(given)
        if ended is None or sum(map(len, given[0].queues)) > 40:
            return
        record = Record(given)
        for _ in range(2):
            one = session(given, keep=draw.choice((0, 100 << 10, 256 << 20)))
            wanted = expectations(record, one, draw)
            every = sorted({place for _, expected in wanted for place in expected})
            said = [str(b) for b in one.breakpoints]
            found = list(stops(one, one.run))
            assert [(m.position, m.poised) for m, _ in found] == every, said
            for number, expected in wanted:
                assert one.breakpoints[number].hits == len(expected), said
            assert one.run(max_cycles=CYCLES) == ended
            backward = [stop for stop in found if stop[0] == one.moment]  # it stands there
            while one.back_to_stop():
                backward.append((one.moment, met(one)))
                if draw.random() < 0.1:
                    checked(given, one, said)
            assert backward[::-1] == found, said
            assert one.moment.position == 0
            again = list(stops(one, moving(one, draw)))
            assert again == found, said
            assert one.run(max_cycles=CYCLES) == ended, said


def moving(one: Session, draw: random.Random) -> Callable[[], object]:
    """Goes on in one way or another."""
    tick = one.program.generation.base.cycle

    def go() -> None:
        some = draw.choice((1, 2, 5))
        ways: list[Callable[[], object]] = [
            one.run,
            lambda: one.step(count=some),
            lambda: one.advance(draw.choice((1, 50, 700))),
            lambda: one.run(max_instructions=some),
            lambda: one.run(max_cycles=one.now // tick + draw.randint(1, 300)),
            one.event,
        ]
        with suppress(Refused, Failure):
            draw.choice(ways)()

    return go


# ---------------------------------------------------------------- one by one


@pytest.fixture
def one() -> Session:
    """A session with a little of everything."""
    return session(made(LOOP))


def lines(one: Session, go: Callable[[], object] | None = None) -> list[str]:
    """What is said at each stop up to the end."""
    return [text for _, found in stops(one, go or one.run) for _, text, _ in found]


def test_a_line_of_an_unrolled_loop_is_one_breakpoint_and_its_variable_chooses(
    one: Session,
) -> None:
    line = next(n for n, text in enumerate(LOOP.splitlines(), 1) if "TensorScalar" in text)
    every = one.break_at(str(line))
    second = one.break_at(str(line), condition="i == 1", name="second")
    none = one.break_at(str(line), condition="i == 7")
    elsewhere = one.break_at("Memset", condition="i < 2")
    assert lines(one) == [
        f"before @vector pc 1 (TensorScalar, line {line}) starts",
        f"before @vector pc 2 (Memset, line {line + 1}) starts",
        *[f"before @vector pc 3 (TensorScalar, line {line}) starts"] * 2,
        f"before @vector pc 4 (Memset, line {line + 1}) starts",
        f"before @vector pc 5 (TensorScalar, line {line}) starts",
    ]
    hits = [one.breakpoints[b.number].hits for b in (every, second, none, elsewhere)]
    assert hits == [3, 1, 0, 2]
    assert one.breakpoints["second"].number == second.number
    assert one.back_to_stop("second")
    assert one.evaluate("1 + 1")  # it stands where things can be asked
    assert [h.breakpoint.number for h in one.hits] == [second.number]


def test_ignored_disabled_and_temporary_ones(one: Session) -> None:
    ignored = one.break_at("TensorScalar", ignore=2).number
    off = one.break_at("Memset").number
    one.breakpoints.change(off, enabled=False)
    once = one.break_at("@scalar", temporary=True).number
    found = lines(one)
    assert [text.split(" (")[0] for text in found] == ["before @scalar pc 0", "before @vector pc 5"]
    assert one.breakpoints[ignored].hits == 3
    assert one.breakpoints[ignored].ignore == 0
    assert one.breakpoints[off].hits == 0
    with pytest.raises(Refused):
        one.breakpoints[once]
    one.breakpoints.change(off, enabled=True)
    one.goto("start")
    assert sum("Memset" in text for text in lines(one)) == 4


def test_an_ignored_time_and_a_false_condition_at_a_time_end_no_run(one: Session) -> None:
    one.break_at("cycle 700", ignore=1)
    one.break_at("cycle 900", condition="1 == 2")
    one.break_at("if $loaded >= 16", ignore=1)
    report = one.run()
    assert report.status.value == "finished"
    assert [b.hits for b in one.breakpoints] == [1, 0, 1]


def test_a_time_is_met_once_where_nothing_happens_then(one: Session) -> None:
    tick = one.program.generation.base.cycle
    one.break_at("cycle 1000")
    one.break_at("cycle 0")
    one.run()
    assert (one.moment.tick, len(one.hits)) == (1000 * tick, 1)
    one.run()
    assert one.over
    assert one.back_to_stop()
    assert one.moment.tick == 1000 * tick
    assert not one.back_to_stop()


def test_the_first_and_the_last_event(one: Session) -> None:
    record = Record(made(LOOP))
    first = record.events(lambda e: e[0] == "start")[0]
    ((_, queue, pc, tick),) = record.happened[first]
    one.break_at(f"{one.program.queue_name(queue)} pc {pc}")
    one.run()
    assert one.moment == Moment(first - 1, tick, 0, True)
    one.run()
    assert one.over
    last = one.moment.position
    ((what, queue, pc),) = record.happened[last]
    assert what == "finish"
    one.goto("start")
    one.break_at(f"{one.program.queue_name(queue)} pc {pc}", after=True)
    one.run()
    one.run()
    assert (one.moment.position, one.over, len(one.hits)) == (last, True, 1)


def test_a_stop_before_an_instruction_is_left_once_whatever_is_done_there(one: Session) -> None:
    number = one.break_at("@vector pc 3").number
    one.run()
    there = one.moment
    assert there.poised
    before = standing(one)
    one.goto(there.tick // one.program.generation.base.cycle - 5)
    assert not one.moment.poised
    assert one.moment < there
    one.run()
    assert (one.moment, differing(before, standing(one))) == (there, {})
    assert one.breakpoints[number].hits == 2
    one.set("y[0, 7]", 3)
    one.run(max_cycles=1)  # a limit that has passed changes nothing
    one.step("vector")
    assert not one.hits
    assert one.undo() is not None
    assert (one.moment, differing(before, standing(one))) == (there, {})
    assert one.back_to_stop() is False
    one.run()
    assert one.moment == there
    one.skip("vector")
    one.run()
    assert one.over
    assert one.breakpoints[number].hits == 3


def test_another_engine_that_starts_next_is_met_though_the_first_was_skipped() -> None:
    text = ".target trn2\n.sbuf a f32[4, 8]\n.sbuf b f32[4, 8]\n"
    text += "@vector Memset a, 1.0\n@gpsimd Memset b, 2.0\n"
    one = session(made(text))
    one.break_at("@vector")
    one.break_at("@gpsimd")
    found = lines(one)
    assert len(found) == 2
    one.goto("start")
    one.run()
    first = one.hits[0].met.text
    one.skip(one.program.queue_name(one.hits[0].met.queue))
    one.run()
    assert [first, *(h.met.text for h in one.hits)] == found


def test_a_post_by_hand_that_wakes_another_first_hides_neither() -> None:
    text = ".target trn2\n.sbuf a f32[4, 8]\n.sbuf b f32[4, 8]\n.sem s\n"
    text += "@vector Memset a, 1.0 $s >= 1\n@gpsimd Memset b, 2.0\n"
    one = session(made(text))
    one.break_at("@vector")
    one.break_at("@gpsimd")
    one.run()
    assert "gpsimd" in one.hits[0].met.text
    one.set("$s", 1)
    assert [t.split()[1] for t in lines(one)] == ["@vector"]
    assert one.breakpoints[2].hits == 1
    one.goto("start")
    assert [t.split()[1] for t in lines(one)] == ["@gpsimd", "@vector"]


def test_what_is_set_by_hand_is_no_change_for_a_watch_the_second_time_either(one: Session) -> None:
    one.watch("y[0, 5]")
    one.goto(100)
    one.set("y[0, 5]", 2)
    assert lines(one) == []  # the program gives it the value it has
    one.goto("start")
    assert lines(one) == []
    assert not one.back_to_stop()


def test_old_and_new_values_are_those_of_memory_event_by_event() -> None:
    given = made(LOOP)
    record = Record(given)
    one = session(given)
    one.watch("y")
    number = len(list(record.changes("y")))
    seen = 0
    while not one.over:
        one.run()
        for hit in one.hits:
            seen += 1
            p = one.moment.position
            (was, knew), (now, known) = record.memory[p - 1]["y"], record.memory[p]["y"]
            assert hit.met.count == dict(record.changes("y"))[p]
            for element in hit.met.elements:
                for bits, there, value in (
                    (was, knew, element.before),
                    (now, known, element.after),
                ):
                    assert (value is not None) == bool(there[element.index])
                    if value is not None:
                        assert np.asarray(value).tobytes() == bits[element.index].tobytes()
    assert seen == number > 2


def test_a_breakpoint_and_a_limit_at_the_same_event_are_both_kept(one: Session) -> None:
    number = one.break_at("@vector pc 1", after=True).number
    while not one.hits:
        one.run(max_instructions=1)
    assert one.breakpoints[number].hits == 1
    retired = one.machine.scheduler.retired
    one.run(max_instructions=1)
    assert one.machine.scheduler.retired == retired + 1
    assert not one.hits
    assert one.status.value == "limit reached"


def test_hazards_are_met_where_stepping_by_events_finds_them() -> None:
    text = LOOP.replace("@vector EventSemaphore $loaded >= 16\n", "@vector Nop\n")
    given = made(text)
    record = Record(given)
    news = [p for p in range(1, len(record.found)) if record.found[p] - record.found[p - 1]]
    one = session(given)
    one.breakpoints.hazards = True
    where = []
    while not one.over:
        one.run()
        where += [one.moment.position] * bool(one.hits)
    assert where == news
    assert news


RACED = """\
.target trn2
.sbuf a f32[128, 8]
.sem s
@vector Memset a, 1.0
@vector EventSemaphore $s++
@vector EventSemaphore $s++
@gpsimd Memset a, 2.0
"""


def test_a_change_behind_a_hazard_that_was_judged_late_is_news_when_it_comes() -> None:
    # gpsimd starts at once, beside vector; that nothing orders them is judged when $s has changed
    one = session(made(RACED))
    one.breakpoints.hazards = True
    counter = one.break_at("$s")
    found = []
    while not one.over:
        one.run()
        found.append([(h.breakpoint.number, h.met.text.split(",")[0]) for h in one.hits])
    assert [[number for number, _ in some] for some in found] == [[0], [1], [1], []]
    assert [text for some in found for number, text in some if number] == ["$s 0 -> 1", "$s 1 -> 2"]
    assert one.breakpoints[counter.number].hits == 2


GROUPS = """\
.target trn2
.hbm A f32[130, 64] input = zeros
.sbuf t f32[65, 128]
.hbm B f32[3, 8192] input = zeros
.hbm C f32[3, 8192]
.sem s
@sync DmaCopy t, A.reshape(65, 128) $s += 16
@gpsimd DmaCopy C, B $s += 16
@sync EventSemaphore $s >= 32
"""


class Deliveries(Observer):
    """Which groups of shares land: of which queue, and how many shares."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int]] = []

    def delivered(self, group: Any, now: int) -> None:
        """One more."""
        self.found.append((group.flight.origin[0], group.count))

    def save(self) -> Any:
        return list(self.found)

    def restore(self, saved: Any) -> None:
        self.found = list(saved)


def test_a_transfer_of_several_groups_has_landed_when_the_last_of_them_has() -> None:
    one, seen = session(made(GROUPS)), Deliveries()
    one.machine.scheduler.observe(seen)
    place = one.break_at("transfer land")
    landed = []
    while not one.over:
        one.run()
        for hit in one.hits:
            mine = [count for queue, count in seen.found if queue == hit.met.queue]
            landed.append((hit.met.queue, sum(mine), len(mine) > 1))
    assert sorted(landed) == sorted({(queue, 16, True) for queue, _ in seen.found})
    assert len(landed) == one.breakpoints[place.number].hits == 2
