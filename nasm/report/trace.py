"""A run in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.

One process per core; a thread per engine and per channel (DMA engine); the semaphores as counters.
A viewer wants the slices of a thread nested or apart, and instructions of one queue overlap: one
that begins before the last has ended goes to a second thread of the same engine, and so on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

from nasm.machine.describe import form_text, update_text, wait_text
from nasm.session import Session
from nasm.sim.channels import members

LANES = 64
"""Thread numbers reserved for each engine or channel."""

Event = dict[str, Any]


class Written(Protocol):
    """What text can be written to."""

    def write(self, text: str, /) -> object:
        """Take some more."""


def write(session: Session, out: Written) -> int:
    """Write the trace of a session as JSON, an event per line; returns how many slices it has.

    The session was made with ``trace=True``.
    """
    generation = session.program.generation
    about = {
        "program": session.source.name if session.source else "",
        "generation": generation.summary,
        "ticks_per_microsecond": generation.ticks,
    }
    out.write('{"displayTimeUnit": "ns",\n"otherData": ' + json.dumps(about))
    out.write(',\n"traceEvents": [')
    separator, slices = "\n", 0
    for event in events(session):
        slices += event["ph"] == "X"
        out.write(separator + json.dumps(event))
        separator = ",\n"
    out.write("\n]}\n")
    return slices


def events(session: Session) -> Iterator[Event]:
    """Every event: names of processes and threads last, when all threads are known."""
    threads: dict[tuple[int, int], str] = {}
    yield from _instructions(session, threads)
    yield from _jobs(session, threads)
    yield from _posts(session)
    yield from _messages(session)
    for core in sorted({core for core, _ in threads}):
        yield _name("process_name", core, 0, f"core {core}")
    for (core, thread), name in sorted(threads.items()):
        yield _name("thread_name", core, thread, name)
        yield {
            "ph": "M",
            "name": "thread_sort_index",
            "pid": core,
            "tid": thread,
            "args": {"sort_index": thread},
        }


def _name(kind: str, core: int, thread: int, name: str) -> Event:
    return {"ph": "M", "name": kind, "pid": core, "tid": thread, "args": {"name": name}}


class _Lanes:
    """Threads of one queue or channel: the first whose last slice has ended takes the next."""

    def __init__(self, first: int, name: str) -> None:
        self.first, self.name = first, name
        self.ends: list[int] = []

    def take(self, start: int, end: int) -> tuple[int, str]:
        """The thread for a slice, and what it is called."""
        lane = next((n for n, e in enumerate(self.ends) if e <= start), len(self.ends))
        if lane == len(self.ends):
            self.ends.append(end)
        self.ends[lane] = end
        return self.first + lane, self.name if not lane else f"{self.name} ({lane + 1})"


def _instructions(session: Session, threads: dict[tuple[int, int], str]) -> Iterator[Event]:
    """A slice per instruction, from its start to its completion."""
    machine, program = session.machine, session.program
    ticks = program.generation.ticks
    lanes = [_Lanes(LANES * (n + 1), q.engine) for n, q in enumerate(program.queues)]
    known: dict[tuple[int, int], Event] = {}
    records = sorted(session.trace.instructions, key=lambda r: (r[1], r[4], r[2]))
    for core, queue, pc, head, start, finish in records:
        said = known.get((queue, pc))
        if said is None:
            said = known[queue, pc] = _said(session, queue, pc)
        thread, name = lanes[queue].take(start, finish)
        threads[core, thread] = name
        yield {
            "ph": "X",
            "name": said["mnemonic"],
            "cat": "instruction",
            "pid": core,
            "tid": thread,
            "ts": start / ticks,
            "dur": (finish - start) / ticks,
            "args": {
                "pc": pc,
                "text": said["text"],
                "line": said["line"],
                "waited": (start - head) // machine.cycle(queue),
            },
        }


def _said(session: Session, queue: int, pc: int) -> Event:
    machine, instruction = session.machine, session.program.instruction(queue, pc)
    words = (form_text(instruction), wait_text(machine, queue, pc), update_text(machine, queue, pc))
    span = session.program.span(queue, pc)
    return {
        "mnemonic": instruction.row.name,
        "text": "  ".join(w for w in words if w),
        "line": f"{span.source.name}:{span.line}" if span else "",
    }


def _jobs(session: Session, threads: dict[tuple[int, int], str]) -> Iterator[Event]:
    """A slice per share of a transfer, from its start to its landing."""
    program = session.program
    ticks = program.generation.ticks
    first = LANES * (len(program.queues) + 1)
    lanes: dict[tuple[int, int], _Lanes] = {}
    records = sorted(session.trace.jobs, key=lambda r: (r[0], r[6], r[8], r[1]))
    for core, channels, ring, queue, pc, _, started, _, landed, size, shares in records:
        each = size // shares
        args = {"engine": program.queue_name(queue), "pc": pc, "ring": ring, "bytes": each}
        for channel in members(channels):
            lane = lanes.get((core, channel))
            if lane is None:
                lane = lanes[core, channel] = _Lanes(first + LANES * channel, f"DMA {channel}")
            thread, name = lane.take(started, landed)
            threads[core, thread] = name
            yield {
                "ph": "X",
                "name": f"{each:,} bytes",
                "cat": "transfer",
                "pid": core,
                "tid": thread,
                "ts": started / ticks,
                "dur": (landed - started) / ticks,
                "args": args,
            }


def _posts(session: Session) -> Iterator[Event]:
    """Every change of a semaphore as a point of its counter."""
    generation, posts = session.program.generation, session.trace.posts
    names = {
        (core, number): session.program.semaphore_name(core * generation.counters + number)
        for core, number in sorted({(core, number) for core, number, _, _ in posts})
    }
    for (core, _), name in names.items():
        yield _counter(core, name, 0.0, 0)
    for core, number, tick, value in posts:
        yield _counter(core, names[core, number], tick / generation.ticks, value)


def _messages(session: Session) -> Iterator[Event]:
    """What instructions said, each a mark on its engine's row."""
    ticks = session.program.generation.ticks
    for core, queue, pc, tick, text in session.trace.messages:
        yield {
            "ph": "i",
            "name": text.split("\n")[0] or "message",
            "cat": "message",
            "pid": core,
            "tid": LANES * (queue + 1),
            "ts": tick / ticks,
            "s": "t",
            "args": {"pc": pc, "text": text},
        }


def _counter(core: int, name: str, at: float, value: int) -> Event:
    return {
        "ph": "C",
        "name": f"${name}",
        "cat": "semaphore",
        "pid": core,
        "ts": at,
        "args": {"value": value},
    }
