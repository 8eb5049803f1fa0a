"""Steps and states in words: records in, lines out."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Protocol

from nasm.base.problems import Problem, counted
from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.debugger.session import Session
from nasm.machine.records import Executed, Status, Units
from nasm.show.columns import fitted, table, wrapped


class Timed(Protocol):
    """What is at a time: a session, or a record of one."""

    @property
    def now(self) -> int:
        """The tick it is."""

    @property
    def units(self) -> Units:
        """What its ticks are worth."""


SHOWN = 12
"""Completed instructions that are listed; of more, the last."""


@dataclass(slots=True)
class Completed:
    """Instructions that completed: how many, and the last of them."""

    count: int = 0
    last: deque[Executed] = field(default_factory=lambda: deque(maxlen=SHOWN))

    def add(self, more: Sequence[Executed]) -> None:
        """Some more have completed."""
        self.count += len(more)
        self.last.extend(more)


def problem_key(problem: Problem) -> tuple[object, ...]:
    """What makes a problem another one: that it was met more often does not."""
    return problem.code, problem.message, problem.span


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a step is compared with."""

    semaphores: dict[str, int]
    registers: dict[tuple[str, int], int | None]
    loops: dict[str, dict[int, str]]
    noticed: frozenset[tuple[object, ...]]
    problems: int
    messages: int

    @staticmethod
    def of(session: Session) -> Snapshot:
        """A session as it is now."""
        judged, begun = session.judged(), session.status is not Status.READY
        return Snapshot(
            {s.name: s.value for s in session.semaphores()},
            {
                (session.name(q), n): value
                for q in session.queues()
                if q.length
                for n, value in session.registers(session.name(q)).items()
            },
            {session.name(q): session.loop_registers(session.name(q)) for q in session.queues()},
            # warnings of the text are shown with the first step
            frozenset(map(problem_key, (*judged.warnings, *judged.errors)) if begun else ()),
            len(session.problems),
            messages(session),
        )

    def changes(self, now: Snapshot) -> list[str]:
        """Semaphores and registers that are not what they were."""
        found = [
            f"${name} {self.semaphores.get(name, 0)} -> {value}"
            for name, value in now.semaphores.items()
            if value != self.semaphores.get(name, 0)
        ]
        for (engine, number), value in now.registers.items():
            known = (engine, number) in self.registers
            before = self.registers.get((engine, number))
            if before != value or not known:
                was = register(before)[0] if known else "unset"
                name = register_name(number, now.loops[engine] or self.loops[engine])
                found.append(f"{name} of {engine} {was} -> {register(value)[0]}")
        return found


def register(value: int | None) -> tuple[str, str]:
    """What a register holds, and its bits."""
    return ("unknown", "") if value is None else (str(value), f"0x{value & 0xFFFFFFFF:08x}")


def register_name(number: int, loops: Mapping[int, str]) -> str:
    """A register, with what a loop holds in it, if that is known by its number."""
    return f"%r{number} ({loops[number]})" if number in loops else f"%r{number}"


def messages(session: Session) -> int:
    """How many messages there have been, those that were not kept included."""
    return len(session.messages) + session.machine.summary.left_out


def moment(session: Timed) -> str:
    """The time it is: '3.358 µs, cycle 4,701'."""
    return session.units.moment(session.now)


def microseconds(session: Timed, ticks: int) -> float:
    """Ticks in microseconds."""
    return session.units.microseconds(ticks)


def completed(session: Session, done: Completed, width: int) -> list[str]:
    """What completed: one instruction in full, several as a table."""
    if not done.count:
        return ["no instruction completed"]
    if done.count == 1:
        return _one(session, done.last[0])
    rows = []
    for e in done.last:
        start, finish = _cycles(session, e)
        us = microseconds(session, e.finish)
        rows.append(
            (session.name(e), str(e.pc), e.text, f"{start}..{finish}", f"{us:.3f}", str(e.waited))
        )
    lines = table(("engine", ">pc", "completed", ">cycles", ">at µs", ">waited"), rows, width)
    hidden = done.count - len(done.last)
    return [f"… {hidden:,} earlier ones", *lines] if hidden else lines


def _one(session: Session, e: Executed) -> list[str]:
    start, finish = _cycles(session, e)
    first, last = microseconds(session, e.start), microseconds(session, e.finish)
    waited = f", after waiting {counted(e.waited, 'cycle')}" if e.waited else ""
    origin = session.program.origin(e.pc)
    return [
        f"{session.name(e)} pc {e.pc}  {e.text}",
        f"  {session.name(e)} cycles {start}..{finish}, {first:.3f}..{last:.3f} µs{waited}",
        *([f"  from {origin}"] if origin else []),
    ]


def _cycles(session: Session, e: Executed) -> tuple[int, int]:
    cycle = session.program.generation.engine(e.engine).cycle
    return e.start // cycle, e.finish // cycle


def status(session: Session) -> str:
    """A sentence on where the run is."""
    text = {
        Status.READY: "not started: 'step' or 'run' begins"
        if len(session.program)
        else "nothing was executed yet: type an instruction",
        Status.RUNNING: f"running, at {moment(session)}",
        Status.LIMIT: f"stopped at {moment(session)}; 'continue' resumes",
        Status.FINISHED: f"finished at {moment(session)}; 'restart' starts over"
        if len(session.program)
        else f"ready at {moment(session)}: type an instruction",
        Status.DEADLOCK: f"deadlock at {moment(session)}; 'restart' starts over",
        Status.FAULT: f"fault at {moment(session)}; 'restart' starts over",
    }
    return text[session.status]


def numbered(session: Timed, core: int, number: int) -> str:
    """A number of something of a core, with the core's in front if the program uses several."""
    return session.units.named(core, number)


def excerpt(span: Span, width: int) -> list[str]:
    """The line a span starts on, and the expansions that led there."""
    number, text, *_ = span.excerpt()
    lines = [fitted(f"{number:>6} | ", text, width)]
    return lines + [f"         in {f.what}, {f.span.brief}" for f in reversed(span.chain)]


def changed(items: Sequence[str], width: int) -> list[str]:
    """What changed, a line or two."""
    return wrapped(items, width)
