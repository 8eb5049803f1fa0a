"""All that watches a run for its profile, and what follows from it when the run is over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from nasm.analysis import summary as describe
from nasm.analysis.operations import array, flops
from nasm.analysis.profile.advice import Advisor
from nasm.analysis.profile.bounds import bounds, rates
from nasm.analysis.profile.intervals import union
from nasm.analysis.profile.line_observers import (
    BankConflicts,
    HeadOfLineBlocking,
    IssuedTransfers,
    Readied,
)
from nasm.analysis.profile.minimum_traffic import least
from nasm.analysis.profile.observers import Moves, Shared, TouchedMemory
from nasm.analysis.profile.path import PathStep, critical_path
from nasm.analysis.profile.records import (
    MOVERS,
    EngineTimes,
    Finding,
    Moved,
    Profile,
    Rates,
    Stall,
    UnitTimes,
)
from nasm.analysis.profile.verdict import chain, lines, slacks, spent
from nasm.analysis.profile.what_if import WhatIf
from nasm.base.problems import Problem
from nasm.isa.evidence import Evidence, weakest
from nasm.machine import Machine
from nasm.machine.records import Status
from nasm.sim.counters import TRANSFER
from nasm.sim.events import Observer
from nasm.sim.history import INSTRUCTION, READY, SHARES, History
from nasm.sim.queues import Queue
from nasm.sim.recording import Recording


class WatchedMachine:
    """A machine with what watches it for a profile, which must be from before its first tick.

    ``observers`` are those that watch it.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        program, scheduler = machine.program, machine.scheduler
        outer = {m.name for m in program.generation.memories.values() if not m.partitions}
        places = frozenset(f"{core}.{name}" for core in range(program.cores) for name in outer)
        self.history, self.recording = History(), Recording()
        self.moves = Moves()
        self.shared = Shared(unit.name for unit in machine.program.generation.units)
        self.touched = TouchedMemory(places)
        self.issued, self.readied = IssuedTransfers(program, scheduler.queues), Readied(program)
        self.blocked_heads = HeadOfLineBlocking(program, self.history)
        self.banks = BankConflicts(program)
        observers: list[Observer] = [
            self.history,
            self.recording,
            self.moves,
            self.touched,
            self.issued,
            self.readied,
            self.blocked_heads,
            self.banks,
        ]
        if self.shared.units:
            observers.append(self.shared)
        self.observers = tuple(observers)

    def profile(
        self,
        status: Status,
        name: str,
        problems: tuple[Problem, ...] = (),
        outcomes: tuple[WhatIf, ...] = (),
        slack: bool = False,
    ) -> Profile:
        """Where the time of the run went up to now; ``problems`` are why it did not end."""
        machine, program = self.machine, self.machine.program
        generation, now = program.generation, machine.scheduler.now
        engines, moved, found = self.engines(), self.moved(), self.rates()
        steps = critical_path(self.history)
        return Profile(
            status=status,
            program=name,
            target=generation.spellings[0],
            generation=generation.summary,
            options=tuple(program.chosen.items()),
            timing=program.figures_set,
            ticks=now,
            microseconds=machine.microseconds(now),
            scale=describe.units(machine),
            channels=generation.channels,
            entry_and_exit=generation.entry_and_exit,
            engines=engines,
            moved=moved,
            bounds=bounds(generation, array(program), now, engines, moved, found, program.cores),
            rates=found,
            findings=self.findings(),
            spent=spent(program, steps),
            chain=chain(program, steps, now, self._busy(engines, moved)),
            path=lines(program, steps, slacks(program, self.history) if slack else None),
            evidence=tuple((e.value, n) for e, n in evidence(machine, self.history, steps)),
            busy=describe.busy_evidence(describe.engine_records(machine)),
            outcomes=outcomes,
            problems=problems,
            units=tuple(
                UnitTimes(core, unit, count, ticks)
                for (core, unit), (ticks, count) in sorted(self.shared.busy.items())
            ),
        )

    # -- engines

    def engines(self) -> tuple[EngineTimes, ...]:
        """Where the time of every engine went, up to now."""
        now, column = self.machine.scheduler.now, self.history.column
        kind, of, start, finish = map(column, ("kind", "queue", "start", "finish"))
        mine = (kind == INSTRUCTION) | (kind == READY)
        found = []
        for queue in self.machine.scheduler.queues:
            rows = np.flatnonzero(mine & (of == queue.index))
            active = union(start[rows], finish[rows], now)
            found.append(self._engine(queue, active))
        return tuple(found)

    def _engine(self, queue: Queue, active: int) -> EngineTimes:
        program = self.machine.program
        busy, idle = queue.times(self.machine.scheduler.now)
        stalls = [
            Stall(cause, self._poster(by), ticks)
            for (cause, by), ticks in idle.items()
            if ticks and cause != "empty"
        ]
        stalls.sort(key=lambda stall: -stall.ticks)
        return EngineTimes(
            queue.core,
            queue.engine,
            program.queue_name(queue.index),
            queue.count,
            busy,
            tuple(stalls),
            idle.get(("empty", None), 0),
            active,
        )

    def _busy(self, engines: Iterable[EngineTimes], moved: Iterable[Moved]) -> dict[str, int]:
        """Ticks in which each engine, by its name in prose, and DMA of any core were busy."""
        program = self.machine.program
        found = {
            program.named(one.core, program.generation.engine(one.engine).title): one.busy
            for one in engines
        }
        active = (one.active for one in moved if one.ring is None)
        return found | {MOVERS: max(active, default=0)}

    def _poster(self, by: int | None) -> str:
        if by is None:
            return ""
        return MOVERS if by == TRANSFER else self.machine.program.queue_name(by)

    # -- what was moved, and computed

    def moved(self) -> tuple[Moved, ...]:
        """What every core moved, and each of its rings."""
        now, column = self.machine.scheduler.now, self.history.column
        kind, start, finish = map(column, ("kind", "start", "finish"))
        shares, rings = kind == SHARES, column("ring")
        cores = column("core")
        found = []
        for (core, ring), traffic in sorted(
            self.moves.rings.items(), key=lambda item: (item[0][0], item[0][1] is not None, item[0])
        ):
            mine = shares & (cores == core)
            if ring is not None:
                mine &= rings == ring
            found.append(
                Moved(
                    core,
                    ring,
                    traffic.transfers,
                    union(start[mine], finish[mine], now),
                    traffic.busy,
                    traffic.bytes,
                    traffic.descriptors,
                    traffic.channels.bit_count(),
                )
            )
        return tuple(found)

    def rates(self) -> Rates:
        """What was computed and moved, compared with the peaks of the machine."""
        machine, program = self.machine, self.machine.program
        nanoseconds = 1000 * machine.microseconds(machine.scheduler.now)
        touched = self.touched
        needed = least(touched, program.tensors.values())
        moved = touched.read_bytes, touched.written_bytes, needed
        return rates(
            program.generation,
            array(program),
            program.cores,
            nanoseconds,
            flops(self.machine),
            moved,
        )

    # -- what is worth a warning

    def findings(self) -> tuple[Finding, ...]:
        """The warnings, those that cost most first within each code."""
        advice = Advisor(self.machine.program, self.machine.scheduler.now)
        found = [
            *advice.issued(self.issued),
            *advice.blocked_heads(self.blocked_heads),
            *advice.readied(self.readied),
            *advice.banks(self.banks),
        ]
        return tuple(sorted(found, key=lambda f: (f.problem.code, -f.count)))


HAND_OFF = ("semaphore_ns",)
"""The figures that a hand-off depends on."""


def evidence(
    machine: Machine, history: History, steps: Sequence[PathStep]
) -> tuple[tuple[Evidence, int], ...]:
    """Ticks of a path by how the figures are known that they follow from: all of its ticks.

    What follows from several figures is worth as much as the worst. The order of a queue, and
    turns that others have, follow from none: they are how the model works, which is assumed. So is
    what a condition waited for.
    """
    mix = dict.fromkeys(Evidence, 0)
    before: PathStep | None = None
    for step in steps:
        for name, ticks in step.parts:
            mix[_of(machine, history, step, before, name)] += ticks
        before = step
    return tuple((kind, ticks) for kind, ticks in mix.items() if ticks)


def _of(
    machine: Machine, history: History, step: PathStep, before: PathStep | None, name: str
) -> Evidence:
    """The evidence of a part of a step."""
    if name in ("interval", "latency", "ready"):
        return _instruction(machine, history, step, name)
    if name == "hand-off":
        return _figures(machine, HAND_OFF)
    if name in ("order", "turn"):
        return Evidence.ASSUMED
    moved = before if name == "notification" else step
    assert moved is not None
    plan = machine.transfers.plans.get((moved.queue, moved.pc))
    if plan is None:  # what a condition waited for, by its own name
        return Evidence.ASSUMED
    return _figures(machine, dict(plan.figures).get(name, ()))


def _instruction(machine: Machine, history: History, step: PathStep, name: str) -> Evidence:
    """That of its cost, and of what paces it if it took another time."""
    cost, record = machine.shape(step.queue, step.pc).cost, history[step.record]
    ticks = max(1, cost.interval * machine.cycle(step.queue))
    if not cost.pace or (name != "ready" and record.until - record.start == ticks):
        return cost.evidence
    pace = _figures(machine, machine.paces[record.core][cost.pace].figures)
    return pace if name == "ready" else weakest((pace, cost.evidence))


def _figures(machine: Machine, names: Iterable[str]) -> Evidence:
    """What a time is worth that follows from some figures; from none, it is assumed."""
    numbers = machine.program.generation.numbers
    found = [numbers[name].evidence for name in names if name in numbers]
    return weakest(found) if found else Evidence.ASSUMED
