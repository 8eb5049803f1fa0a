"""What bound a run: what its critical path is made of, the most first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nasm.analysis.profile.path import PathStep, folded
from nasm.analysis.profile.records import MOVERS, EngineChain, Link, PathLine, Spent
from nasm.analysis.profile.slack import slack
from nasm.base.source import Span
from nasm.isa.effects import RankExchange
from nasm.program.program import Program
from nasm.sim.history import History

BETWEEN = {
    "hand-off": ("engines", "Engines", "waiting for hand-offs"),
    "dispatch": (MOVERS, MOVERS, "dispatching and notifying"),
    "notification": (MOVERS, MOVERS, "dispatching and notifying"),
    "shares": (MOVERS, MOVERS, "moving data"),
    "turn": ("engines", "Engines", "waiting for their turn"),
}
"""Who does what in a part of a step that is no work of its instruction's engine."""

BUSY = 0.6
"""The part of a run for which an engine or DMA is busy that alone bounds it."""

LEAST = 0.1
"""The part of the run that a link of a chain has of the critical path."""

ROUNDS = 3
"""How often engines take turns on the path before they are called a chain."""


def spent(program: Program, steps: Iterable[PathStep]) -> tuple[Spent, ...]:
    """What the path is made of: who, doing what, for how long."""
    ticks: dict[tuple[str, str, str], int] = {}
    for step in steps:
        for name, part in step.parts:
            key = BETWEEN.get(name) or _own(program, step, name)
            ticks[key] = ticks.get(key, 0) + part
    found = (Spent(*key, part) for key, part in ticks.items())
    return tuple(sorted(found, key=lambda part: -part.ticks))


def chain(
    program: Program, steps: Iterable[PathStep], ticks: int, busy: Mapping[str, int]
) -> EngineChain | None:
    """Who takes turns on the path, if nothing that is on it is busy for most of the run.

    ``busy`` has the ticks in which each engine, by its name in prose, or DMA was busy.
    """
    spent: dict[str, int] = {}
    turns: dict[str, int] = {}
    last = ""
    for step in steps:
        name = _whose(program, step)
        spent[name] = spent.get(name, 0) + step.ticks
        turns[name] = turns.get(name, 0) + (name != last)
        last = name
    names = [name for name, its in spent.items() if its >= LEAST * ticks]
    names.sort(key=lambda name: -spent[name])
    rounds = sorted(turns[name] for name in names)[-2:-1]
    if not rounds or rounds[0] < ROUNDS or any(busy[name] > BUSY * ticks for name in names):
        return None
    return EngineChain(tuple(Link(name, spent[name], busy[name]) for name in names), rounds[0])


def _whose(program: Program, step: PathStep) -> str:
    """The engine, in prose, or DMA to which a step belongs."""
    if step.work in ("shares", "descriptors"):
        return MOVERS
    lines = program.queues[step.queue]
    return program.named(lines.core, program.generation.engine(lines.engine).title)


def _own(program: Program, step: PathStep, name: str) -> tuple[str, str, str]:
    """What an engine does with an instruction."""
    lines = program.queues[step.queue]
    engine = program.generation.engine(lines.engine)
    who, title = program.queue_name(step.queue), program.named(lines.core, engine.title)
    if name == "ready":
        return who, title, "making its unit ready"
    if step.waits and name == step.lead:
        return who, title, f"waiting for {name}"
    instruction = program.instruction(step.queue, step.pc)
    if instruction.row.effect is RankExchange:
        operation = str(instruction.operand("operation"))
        return operation, operation, "in flight"
    return who, title, "issuing transfers" if instruction.row.moves else "at work"


Key = tuple[int, int]
"""A queue, and which line of the program, as the program numbers them."""


def lines(
    program: Program, steps: Iterable[PathStep], room: Mapping[Key, int] | None = None
) -> tuple[PathLine, ...]:
    """The path by queue and line of the program, the longest first.

    With ``room``, the slack of every line, the others follow, the least slack first.
    """
    found, left = [], dict(room or {})
    for stretch in folded(steps, program.line):
        its = None if room is None else left.pop(stretch.place, 0)
        name, span, text = _named(program, *stretch.place)
        found.append(
            PathLine(
                name, span, text, stretch.ticks, stretch.count, stretch.edge, stretch.parts, its
            )
        )
    for key, ticks in sorted(left.items(), key=lambda item: (item[1], item[0])):
        name, span, text = _named(program, *key)
        found.append(PathLine(name, span, text, 0, 0, "", (), ticks))
    return tuple(found)


def _named(program: Program, queue: int, line: int) -> tuple[str, Span | None, str]:
    """A queue, and a line's place and text."""
    span = program.spans[line] if line > 0 else None
    text = span.text if span else program.instruction(queue, -1 - line).row.name
    return program.queue_name(queue), span, " ".join(text.split())


def slacks(program: Program, history: History) -> dict[Key, int]:
    """The least slack of any record of each line that ran."""
    room = slack(history)
    queues, pcs = history.column("queue"), history.column("pc")
    found: dict[Key, int] = {}
    for queue, pc, ticks in zip(queues.tolist(), pcs.tolist(), room.tolist(), strict=True):
        key = program.line(queue, pc)
        found[key] = min(ticks, found.get(key, ticks))
    return found
