"""What would help: the run again and again, each time without something that costs it time.

Without hand-offs, ports and their like it is a run of a machine with :class:`Changes`. With a queue
in any order, or with fewer waits, it is a replay (:mod:`nasm.sim.replay`): instructions start as
soon as what they really need is there. What a program would gain if it were written in the best
order for that queue is about that, a little more or less: a scheduler that takes the earliest that
may start is a good one, not the best. So it may also show a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass
from nasm.machine.changes import Changes
from nasm.machine.machine import Machine
from nasm.sim.history import CAUSES, INSTRUCTION, SHARES, History
from nasm.sim.recording import Recording
from nasm.sim.replay import Replay

CHUNK = 10_000
"""Events between two looks at what a run has done."""

MORE = 4
"""Times the instructions of the run that another one may complete: one that polls may not end."""

Make = Callable[[Changes], Machine]
"""Makes a machine with some changes, ready to run the same program on the same inputs."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A run without something: how many ticks it takes, and how many that saves.

    Where it takes longer, as it can where things are shared, ``saved`` is below 0. ``ticks`` is
    None if there is no such run, for a ``reason``.
    """

    name: str
    ticks: int | None
    saved: int = 0
    reason: str = ""


def ranked(outcomes: Iterable[WhatIf]) -> tuple[WhatIf, ...]:
    """What saves most first, what cannot be said last."""
    return tuple(sorted(outcomes, key=lambda o: (o.ticks is None, -o.saved)))


def without(machine: Machine, history: History, make: Make) -> Iterator[WhatIf]:
    """The outcome of each change that can make a difference to a run, which has ended."""
    total, most = machine.scheduler.now, MORE * machine.scheduler.retired
    for name, changes in applicable(machine, history):
        yield _outcome(name, changes, total, most, make)


def in_any_order(machine: Machine, history: History, recording: Recording) -> Iterator[WhatIf]:
    """The outcome of each queue's instructions starting in any order."""
    program, scheduler = machine.program, machine.scheduler
    for queue in scheduler.queues:
        if queue.count < 2:
            continue
        name = f"{program.queue_name(queue.index)} in any order"
        try:
            ticks = Replay(history, recording, scheduler, queue.index).run()
        except Refused as refused:
            yield WhatIf(name, None, reason=refused.message)
        else:
            yield WhatIf(name, ticks, scheduler.now - ticks)


def _outcome(name: str, changes: Changes, total: int, most: int, make: Make) -> WhatIf:
    machine = make(changes)
    scheduler = machine.scheduler
    try:
        while not scheduler.idle and scheduler.retired < most:
            machine.run(CHUNK, retire=most)
    except Failure as failure:
        return WhatIf(name, None, reason=failure.problems[0].message)
    if not scheduler.idle:
        return WhatIf(name, None, reason=f"it does not end within {most:,} instructions")
    if scheduler.blocked():
        return WhatIf(name, None, reason="it ends in a deadlock")
    return WhatIf(name, scheduler.now, total - scheduler.now)


def applicable(machine: Machine, history: History) -> Iterator[tuple[str, Changes]]:
    """The changes that can make a difference to a run, by name."""
    kinds, causes = history.column("kind"), history.column("cause")
    yield "no hand-off latency", Changes(hand_off=True)
    if (kinds == SHARES).any():
        yield "free DMA", Changes(shares=True)
        yield "free issue", Changes(issue=True)
    if (causes == CAUSES.index("port")).any():
        yield "no ports", Changes(ports=True)
    started = kinds == INSTRUCTION
    executed = set(
        zip(history.column("queue")[started], history.column("pc")[started], strict=True)
    )
    paces: set[str] = set()
    engines: set[str] = set()
    program = machine.program
    for queue, pc in executed:
        lines = program.queues[queue]
        shape = machine.shape(queue, pc)
        if shape.cost.pace:
            paces.add(shape.cost.pace)
        if Changes(engine=lines.engine).frees(shape):
            engines.add(lines.engine)
    for name in program.target.paces:
        if name in paces:
            text = next(iter(machine.paces.values()))[name].without or f"no {name}"
            yield text, Changes(paces=frozenset((name,)))
    for engine in program.generation.engines:
        if engine.name in engines:
            yield f"free {engine.name}", Changes(engine=engine.name)
