"""Bursts: many instructions are one event, and nothing else is another than one by one.

A cycle of alpha is 3 ticks, one of beta 5. Hum keeps the mill for a cycle and completes after
three; behind Hum 0 there is a rest of a cycle. Hum 13 is never part of a burst.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine import Machine, tensor_io
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.sim.events import Observer
from nasm.sim.gates import Gates
from nasm.sim.queues import Queue, Task
from tests.parts import part
from tests.toy.target import TARGETS


def made(text: str) -> Machine:
    return on(assemble(Source("toy.nasm", f".target toy\n{text}\n"), TARGETS))


def on(program: Program) -> Machine:
    machine = Machine(program)
    tensor_io.load(program, machine.addresses, {})
    return machine


def marks(machine: Machine) -> tuple[Any, ...]:
    """All that a burst may not change: values, times, counts and the hash of the trace."""
    scheduler = machine.scheduler
    queues = [
        (q.pc, q.count, q.finished, q.last_finish, q.record, q.times(scheduler.now))
        for q in scheduler.queues
    ]
    held = [None if one is None else one.save() for one in machine.holds]
    registers = [registers.values for registers in machine.state.registers]
    summary = machine.summary
    counts = [
        (summary.completed(n).tolist(), summary.itself(n).tolist(), dict(summary.expanded(n)))
        for n in range(len(queues))
    ]
    clock = scheduler.retired, scheduler.records, scheduler.flying, len(scheduler.heap)
    return clock, queues, held, registers, counts, summary.digest()


def both(text: str, **limits: int) -> tuple[Machine, Machine]:
    """One run one by one, the other with bursts."""
    program = assemble(Source("toy.nasm", f".target toy\n{text}\n"), TARGETS)
    alone, together = on(program), on(program)
    alone.run(100_000, **limits)
    together.run(100_000, **limits, bursts=True)
    return alone, together


HUMS = "\n".join(f"@alpha Hum {n % 7 + 1}" for n in range(40))


def test_many_instructions_are_one_event_and_come_to_the_same() -> None:
    alone, together = both(HUMS)
    assert marks(together) == marks(alone)
    assert together.scheduler.now == alone.scheduler.now == 39 * 3 + 9
    assert together.scheduler.position < 10 < 80 <= alone.scheduler.position


def test_what_is_expanded_is_part_of_a_burst_over_several_instructions() -> None:
    text = "@alpha\nTape 3\nHum 1\nHum 2\nHum 0\n" + "Play 5\n" * 4 + "Hum 9\nWait\n"
    alone, together = both(text)
    assert marks(together) == marks(alone)
    assert together.scheduler.position < 20
    # 21 rests of a cycle, of which the last comes behind the last but one: 20 are waited for
    assert together.scheduler.queues[0].waiting[("rest", None)] == 20 * 3


def test_a_burst_ends_before_anything_else_happens() -> None:
    text = f"{HUMS}\n@beta\nWait\nWait\nPress 20\nWait\n"
    alone, together = both(text)
    assert marks(together) == marks(alone)


def test_a_queue_that_waits_for_what_no_burst_changes_is_no_obstacle() -> None:
    text = f"@beta Wait\n@beta Lock 1\n@alpha Lock 1\n{HUMS}\n@alpha Drop 1\n@beta Hum 3"
    alone, together = both(text)
    assert marks(together) == marks(alone)
    assert together.scheduler.position < alone.scheduler.position // 2


def test_who_is_blocked_is_asked_again_at_the_ticks_at_which_it_always_is() -> None:
    # Nothing completes when the last Hum starts, for three cycles before there was a rest; so beta
    # is asked a tick later, behind Drop, which starts then.
    notes = "\n".join(f"@alpha Hum {note}" for note in [1] * 29 + [0, 1, 2, 3])
    text = f"@alpha Lock 1\n{notes}\n@alpha Drop 1\n@beta Wait\n@beta Lock 1"
    alone, together = both(text)
    assert marks(together) == marks(alone)
    assert together.scheduler.position < alone.scheduler.position // 2


def test_a_queue_that_wants_the_unit_takes_its_turn() -> None:
    text = f"{HUMS}\n" + "\n".join(f"@beta Hum {n}" for n in range(1, 30))
    alone, together = both(text)
    assert marks(together) == marks(alone)


def test_what_cannot_be_done_at_once_is_done_one_by_one() -> None:
    text = HUMS.replace("Hum 3", "Hum 13")
    alone, together = both(text)
    assert marks(together) == marks(alone)


@pytest.mark.parametrize("until", [0, 1, 30, 31, 32, 33, 60, 118, 125, 126, 500])
def test_a_run_ends_at_its_last_tick(until: int) -> None:
    alone, together = both(HUMS, until=until)
    assert together.scheduler.now == alone.scheduler.now
    assert marks(together) == marks(alone)


@pytest.mark.parametrize("retire", [1, 9, 10, 25, 39, 40])
def test_a_run_ends_when_so_many_have_completed(retire: int) -> None:
    alone, together = both(HUMS, retire=retire)
    assert together.scheduler.retired == alone.scheduler.retired == retire
    for machine in (alone, together):
        machine.run(100_000)
    assert marks(together) == marks(alone)


class Starts(Observer):
    """Told of every start."""

    def __init__(self) -> None:
        self.count = 0

    def started(self, queue: Queue, task: Task, now: int) -> None:
        self.count += 1


def test_who_is_reported_of_each_start_sees_each() -> None:
    machine, starts = made(HUMS), Starts()
    machine.scheduler.observe(starts)
    machine.run(100_000, bursts=True)
    assert starts.count == 40
    machine = made(HUMS)
    machine.scheduler.observe(starts)
    machine.scheduler.ignore(starts)
    machine.run(100_000, bursts=True)
    assert machine.scheduler.position < 10


def test_a_run_has_bursts_and_the_debugger_has_none() -> None:
    source = Source("toy.nasm", f".target toy\n{HUMS}\n")
    run, debugged = (of.load(source, targets=TARGETS) for of in (Execution, Session))
    assert run.run().trace_hash == debugged.run().trace_hash
    positions = [of.machine.scheduler.position for of in (run, debugged)]
    assert positions[0] < 10 < 80 <= positions[1]
    kept = Execution.load(source, targets=TARGETS, trace=True)
    kept.run()
    assert kept.machine.trace is not None
    assert len(kept.machine.trace.instructions) == 40


def test_a_checkpoint_between_bursts_is_as_any() -> None:
    whole, taken = both(HUMS, until=0)
    whole.run(100_000)
    taken.run(100_000, until=50, bursts=True)
    saved = taken.save()
    taken.run(100_000, bursts=True)
    assert marks(taken) == marks(whole)
    taken.restore(saved)
    taken.run(100_000)
    assert marks(taken) == marks(whole)


def program(rng: Random) -> str:
    """Two queues that mostly hum."""
    lines = []
    for queue in ("alpha", "beta"):
        lines.append(f"@{queue}")
        held: list[int] = []
        for _ in range(rng.randrange(4, 14)):
            kind = rng.random()
            if kind < 0.6:
                count = rng.choice([1, 3, 12, 30])
                some = [rng.choice([1, 2, 5, 7, 7, 7, 0]) for _ in range(count)]
                if rng.random() < 0.1:
                    some[rng.randrange(count)] = 13
                lines += [f"Hum {note}" for note in some]
            elif kind < 0.75:
                count = rng.randrange(1, 4)
                lines += [f"Tape {count}", *(f"Hum {rng.randrange(0, 5)}" for _ in range(count))]
                lines += [f"Play {rng.randrange(1, 9)}"] * rng.randrange(1, 5)
            elif kind < 0.85:
                lines.append(rng.choice(["Wait", "Grind 7", "Press 2", "Heat 20", "Touch"]))
            elif held:
                lines.append(f"{rng.choice(['Unlock', 'Drop'])} {held.pop()}")
            else:
                held.append(rng.randrange(2))
                lines.append(f"Lock {held[-1]}")
        lines += [f"Drop {lock}" for lock in held]
    return "\n".join(lines)


def asks(text: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ticks at which beta asks for its condition."""
    ticks, closed = [], Gates.closed

    def noted(gates: Gates, queue: Queue, condition: Any) -> bool:
        if queue.engine == "beta":
            ticks.append(gates.host.now)
        return closed(gates, queue, condition)

    monkeypatch.setattr(Gates, "closed", noted)
    machine = made(text)
    machine.run(100_000)
    assert machine.scheduler.idle
    return ticks


@pytest.mark.parametrize(("first", "wants"), [("Lock 0", "Lock 0"), ("Heat 60", "Touch")])
def test_what_no_completion_ends_is_not_asked_for_after_one(
    first: str, wants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = asks(f"@alpha {first}\n{HUMS}\n@alpha Unlock 0\n@beta {wants}\n", monkeypatch)
    assert {2, 5, 8} <= set(ticks)  # what alpha starts at 1, 4 and 7 may end either
    assert (3 in ticks) == (first == "Lock 0")  # then its first instruction completes


@pytest.mark.parametrize("seed", part(range(0, 300, 25), 1))
def test_random_programs_come_to_the_same(seed: int) -> None:
    saved = 0
    for number in range(seed, seed + 25):
        rng = Random(number)
        text = program(rng)
        limits = rng.choice([{}, {}, {"until": rng.randrange(500)}])
        alone, together = both(text, **limits)
        assert marks(together) == marks(alone), text
        saved += alone.scheduler.position - together.scheduler.position
    assert saved > 300
