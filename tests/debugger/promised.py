"""Whether what a context says of the future comes true: asked often, judged at the end."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

from nasm.debugger.engines.records import Context, EngineContext
from nasm.debugger.engines.transfers import TransferRecord
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.sim.events import Observer


class Happened(Observer):
    """What has happened: starts and completions by queue, and when transfers landed."""

    def __init__(self) -> None:
        self.starts: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.ends: dict[int, set[tuple[int, int, int]]] = defaultdict(set)
        self.landings: dict[int, int] = {}

    def started(self, queue: Any, task: Any, now: int) -> None:
        self.starts[queue.index].append((queue.pc, now))

    def finished(self, queue: Any, done: Any) -> None:
        self.ends[queue.index].add((done.pc, done.start, done.finish))

    def landed(self, group: Any, now: int) -> None:
        self.landings[group.flight.key] = now


Claim = tuple[Context, list[int]]
"""A context, and how many instructions of each queue had started."""


def broken(session: Session, seed: int = 0, most: int = 300) -> list[str]:
    """What was said to happen, in the run of a program, and did not."""
    happened, rng, claims = Happened(), random.Random(seed), list[Claim]()
    scheduler = session.machine.scheduler
    scheduler.observe(happened)
    while not session.over and len(claims) < most:
        claims.append((session.context(), [queue.started for queue in scheduler.queues]))
        session.process(rng.choice((1, 1, 2, 5, 20)))
        if rng.random() < 0.2 and not session.over:
            session.process(1, session.now + rng.randrange(2_000))
    session.run(max_cycles=10**9)
    fault = session.status is Status.FAULT
    found: list[str] = []
    for context, counts in claims:
        at = f"tick {context.tick}"
        for engine, count in zip(context.engines, counts, strict=True):
            found += (f"{at}: {said}" for said in _engine(engine, count, happened, fault))
        found += (f"{at}: {said}" for t in context.transfers for said in _lands(t, happened, fault))
    return found


def _engine(engine: EngineContext, count: int, happened: Happened, fault: bool) -> list[str]:
    found = [
        f"{one} does not complete then"
        for one in engine.doing
        if not fault and (one.at.pc, one.started, one.until) not in happened.ends[engine.index]
    ]
    if engine.at is None or engine.starts is None:
        return found
    starts = happened.starts[engine.index]
    if count >= len(starts):
        return found + [f"{engine} never starts"] * (engine.certain and not fault)
    pc, tick = starts[count]
    right = tick == engine.starts if engine.certain else tick >= engine.starts
    if pc != engine.at.pc or not right:
        found.append(f"{engine} starts at {tick}, said {engine.starts} ({engine.certain})")
    return found


def _lands(transfer: TransferRecord, happened: Happened, fault: bool) -> list[str]:
    tick = happened.landings.get(transfer.number)
    if not transfer.number or (fault and tick is None):
        return []
    if tick is None:
        return [f"{transfer} never lands"]
    right = tick == transfer.lands if transfer.certain else tick >= transfer.lands
    return [] if right else [f"{transfer} lands at {tick}, said {transfer.lands}"]
