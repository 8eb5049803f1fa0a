"""Branches and addresses that depend on the timing, judged by runs with delays of a few events."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest

import nasm
from nasm.debugger.session import Session
from nasm.runs.schedules.rerun import Again
from nasm.sim.channels import Flight
from nasm.sim.delays import Delays
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from tests.parts import part

FAR = 20_000
"""Ticks: longer than such a program takes."""

Event = tuple[int, int, bool]
"""Of an instruction of a queue by its number the start, or the landing of what it issued."""


class Chosen(Delays):
    """Delays the events of a set, each until all else is over."""

    def __init__(self) -> None:
        self.late: frozenset[Event] = frozenset()

    def lag(self, queue: Queue, latency: int) -> int:
        return FAR if (queue.index, queue.started, False) in self.late else 0

    def transfer(self, queue: Queue, flight: Flight) -> None:
        if (queue.index, queue.started, True) in self.late:
            flight.portions = [p._replace(latency=FAR) for p in flight.portions]


class Executed(Observer):
    """The instructions that a run executes, by queue, with what they touch."""

    CACHES = ("queues",)

    def __init__(self, count: int) -> None:
        self.queues: list[list[object]] = [[] for _ in range(count)]

    def started(self, queue: Queue, task: Task, now: int) -> None:
        self.queues[queue.index].append((queue.pc, task.work.reads, task.work.writes))


WRITERS = (
    "@vector Memset n, {value}",
    "@gpsimd Memset n, {value}",
    "@sync DmaCopy n, X{value}",
    "@gpsimd DmaCopy n, X{value}",
)


def text(draw: Random) -> str:
    """A few writes of a number, and a queue that reads it and branches on it."""
    lines = [".target trn2", ".hbm Y f32[1, 8] output"]
    lines += [f".hbm X{n} i32[1, 1] input = [[{n}]]" for n in range(3)]
    lines += [f".sbuf {name} i32[1, 1] = zeros" for name in "nm"]
    lines += [".sbuf t f32[1, 8] = zeros", ".sem " + ", ".join(f"s{n}" for n in range(4)), ".sem c"]
    counts: dict[int, int] = {}
    for number in range(draw.randint(1, 3)):
        line = draw.choice(WRITERS).format(value=draw.randint(0, 2))
        count = 16 if "Dma" in line else 1
        wait = ""
        if counts and draw.random() < 0.5:
            other = draw.choice(list(counts))
            wait = f" $s{other} >= {counts[other]}"
        lines.append(f"{line}{wait} $s{number} += {count}")
        counts[number] = count
    reader = ["@scalar"]
    for number, count in counts.items():
        if draw.random() < 0.7:
            reader.append(f"    Nop $s{number} >= {count}")
    if draw.random() < 0.4:
        reader.append("    Activation m, n, op=copy")
        reader.append("    TensorLoad %r0, m")
    else:
        reader.append("    TensorLoad %r0, n")
    if draw.random() < 0.3:
        reader.append("    RegisterAlu %r0, %r0, 1, op=minimum")
    if draw.random() < 0.5:
        reader.append("    CompareBranch %r0, 1, op=less, target=end\n    Nop\nend:\n    Nop")
    else:
        reader.append("    Activation t[:, 0:1], t[:, %r0 : +1], op=copy")
    return "\n".join([*lines, *reader]) + "\n"


def delays(session: Session) -> Iterator[frozenset[Event]]:
    """Every set of events that matter: starts of all but the first, and landings."""
    program = session.program
    events: list[Event] = []
    for queue, lines in enumerate(program.queues):
        for pc in range(min(len(lines), 3)):
            name = program.instruction(queue, pc).row.name
            if name != "Nop":
                events.append((queue, pc, False))
            if name.startswith("Dma"):
                events.append((queue, pc, True))
    for count in range(min(len(events), 4) + 1):
        yield from map(frozenset, itertools.combinations(events, count))


def outcomes(session: Session) -> set[str]:
    """What runs with these delays execute."""
    chosen = Chosen()
    again = Again(session.execution, chosen)
    watch = Executed(len(session.program.queues))
    again.machine.scheduler.observe(watch)
    found = set()
    for late in delays(session):
        again.begin()
        chosen.late = late
        for queue in watch.queues:
            queue.clear()
        again.run(())
        found.add(repr(watch.queues))
    return found


def judged(seed: int) -> tuple[bool, bool, str]:
    """Whether other timings execute something else, and whether that is reported."""
    made = text(Random(seed))
    session = Session(nasm.assemble(made), reruns=True)
    report = session.run()
    every = (*report.warnings, *report.hazards, *report.problems)
    return len(outcomes(session)) > 1, any(p.code == "E0546" for p in every), made


@pytest.mark.parametrize("seed", part(range(500), 8))
def test_what_is_executed_under_some_timings_only_is_reported(seed: int) -> None:
    differs, reported, made = judged(seed)
    assert reported or not differs, made


def test_what_is_in_order_is_not_reported() -> None:
    text = ".target trn2\n.sbuf n i32[1, 1] = zeros\n.sem done\n@vector Memset n, 3 $done++\n"
    text += "@gpsimd Memset n, 4 $done >= 1 $done++\n@sync\n    TensorLoad %r0, n $done >= 2\n"
    text += "    CompareBranch %r0, 4, op=equal, target=end\n    Nop\nend:\n    Nop\n"
    assert "E0546" not in [p.code for p in nasm.run(text).report.warnings]
    later = text.replace(" $done >= 1 $done++", " $done++")
    assert "E0546" in [p.code for p in nasm.run(later).report.warnings]


def test_a_write_that_comes_after_the_read_does_not_matter() -> None:
    text = ".target trn2\n.sbuf n i32[1, 1] = zeros\n.sem read\n@sync\n    TensorLoad %r0, n\n"
    text += "    CompareBranch %r0, 4, op=equal, target=end $read++\n    Nop\nend:\n    Nop\n"
    text += "@vector Memset n, 3 $read >= 1\n@gpsimd Memset n, 4 $read >= 1\n"
    found = nasm.run(text).report
    assert [p.code for p in found.hazards] == ["E0502"]
    assert [p.code for p in found.warnings] == []


def test_a_sum_that_may_round_differently_decides() -> None:
    text = ".target trn3\n.hbm X f32[1, 1] input = [[1]]\n.sbuf s f32[1, 1] = zeros\n.sem a\n"
    text += "@sync DmaCopy s, X, compute_op=add $a += 16\n"
    text += "@gpsimd DmaCopy s, X, compute_op=add WAIT $a += 16\n@vector\n"
    text += "    TensorLoad %r0, s $a >= 32\n    CompareBranch %r0, 4, op=less, target=end\n"
    text += "    Nop\nend:\n    Nop\n"
    assert "E0546" in [p.code for p in nasm.run(text.replace("WAIT", "")).report.warnings]
    assert [p.code for p in nasm.run(text.replace("WAIT", "$a >= 16")).report.warnings] == []
