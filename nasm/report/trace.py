"""A run in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.

A process per core; a thread per engine, with its stalls on one beside it, and per ring of DMA; the
semaphores that somebody waits for as counters; an arrow from a post to the start it allowed. It is
written while the program runs, so that what it takes of memory does not grow with the run.

A viewer wants the slices of a thread nested or apart, and instructions of one queue overlap: one
that begins before the last has ended goes to a second thread of the same engine, and so on.
"""

from __future__ import annotations

from collections import deque
from typing import IO, Any

from nasm.report.trace_file import MANY, TraceFile, text
from nasm.session import Session
from nasm.sim.channels import Flight, Group, members
from nasm.sim.counters import Semaphore
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue, Task
from nasm.sim.resources import Resource
from nasm.spec.program import Program

DETAILS = ("transfers", "packets")
"""What a trace shows of DMA: a slice per transfer, or also one per share on its DMA engine."""

LONGEST = 100
"""Characters of a line of the program that a trace shows."""

NEVER = 1 << 62
QUEUES, DESCRIPTORS, RINGS, CHANNELS, WAITS = 1_000, 99_000, 100_000, 200_000, 999
"""Where these begin in the order of a core's threads, and stalls in that of a queue's."""

Place = tuple[str, int]
"""A thread and a time within one of its slices, in ns."""


class _Lanes:
    """The threads of an engine, a ring or a channel: a slice takes the first that is free.

    ``heads`` are the beginnings of their slices, ``ends`` when their last ones end.
    """

    __slots__ = ("_file", "core", "ends", "heads", "name", "order", "places")

    def __init__(self, file: TraceFile, core: int, name: str, order: int) -> None:
        self._file, self.core, self.name, self.order = file, core, name, order
        self.places: list[str] = []
        self.heads: list[str] = []
        self.ends: list[int] = []

    def take(self, start: int, end: int = NEVER) -> int:
        """The thread of a slice that begins at a tick; until it ends, nobody else gets it."""
        ends = self.ends
        for lane, before in enumerate(ends):
            if before <= start:
                ends[lane] = end
                return lane
        ends.append(end)
        lane = len(ends) - 1
        name = f"{self.name} ({lane + 1})" if lane else self.name
        place = self._file.thread(self.core, name, self.order + min(lane, WAITS - 1))
        self.places.append(place)
        self.heads.append(f',\n{{"ph":"X",{place},"ts":')
        return lane


class _Row:
    """What is shown of a queue: its threads, and the lane and the source of each open slice."""

    __slots__ = ("lanes", "open", "spans", "stalls", "which")

    def __init__(self, file: TraceFile, program: Program, queue: int) -> None:
        lines = program.queues[queue]
        order = QUEUES * (queue + 1)
        self.lanes = _Lanes(file, lines.core, lines.engine, order)
        self.stalls = _Lanes(file, lines.core, f"{lines.engine} waits", order + WAITS)
        self.which, self.spans = lines.instructions, lines.spans
        self.open: deque[tuple[int, Place | None]] = deque()


class _Counter:
    """A semaphore that somebody waits for: its last value, and the posts that may be seen yet."""

    __slots__ = ("head", "posts", "stall", "tick", "value")

    def __init__(self, process: str, name: str) -> None:
        self.head = f',\n{{"ph":"C",{process},"name":{text(f"${name}")},"ts":'
        self.stall = f',"name":{text(f"${name}")}'
        self.tick = self.value = 0
        self.posts: deque[tuple[int, int, Place]] = deque()


class Stream(Observer):
    """Writes a trace of a session while it runs, from its start on; ``slices`` were written.

    ``out`` gets it as bytes, gzipped if ``zipped``.
    """

    def __init__(
        self, session: Session, out: IO[bytes], *, zipped: bool = False, detail: str = DETAILS[0]
    ) -> None:
        program, generation = session.program, session.program.generation
        about = {
            "program": session.source.name if session.source else "",
            "generation": generation.summary,
            "ticks_per_microsecond": generation.ticks,
        }
        self.file = TraceFile(out, zipped, about)
        self._parts = self.file.parts
        self.slices = 0
        self._session, self._program = session, program
        self._ticks, self._packets = generation.ticks, detail == "packets"
        self._rows = [_Row(self.file, program, queue) for queue in range(len(program.queues))]
        self._tails: dict[tuple[str, int], str] = {}
        self._lines: dict[int, str] = {}
        self._others: dict[tuple[int, int], _Lanes] = {}
        self._flights: dict[int, tuple[_Lanes, int, int]] = {}
        self._where: Place | None = None
        self._counters: dict[int, _Counter] = {}
        for number in sorted({wait.semaphore for wait in program.waits if wait is not None}):
            name = program.semaphore_name(number)
            process = self.file.process(generation.counter(number)[0])
            self._counters[number] = _Counter(process, name)
        session.machine.scheduler.observe(self)

    # -- instructions

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Take a thread for an instruction, and draw what held it back."""
        row = self._rows[queue.index]
        begin = now if queue.arrived is None else queue.arrived
        ends, lane, source = row.lanes.ends, 0, None
        if ends and ends[0] <= begin:
            ends[0] = NEVER
        else:
            lane = row.lanes.take(begin)
        if now > queue.reached:
            if queue.cause == "semaphore":
                source = self._source(task, queue.because)
            self._stall(row, queue, task, now)
        row.open.append((lane, source))
        if task.update is not None and task.update[3]:  # posted before it is drawn
            at = begin * 1000 // self._ticks + 1
            long = queue.latency * 1000 // self._ticks > 1
            self._where = (row.lanes.places[lane], at) if long else None

    def finished(self, queue: Queue, done: Flying) -> None:
        """Draw an instruction, and the post that let it start."""
        row = self._rows[queue.index]
        lane, source = row.open.popleft()
        _, _, pc, _, start, finish, _, _, _, record = done
        lanes, ticks = row.lanes, self._ticks
        lanes.ends[lane] = finish
        begin, took = start * 1000 // ticks, (finish - start) * 1000 // ticks
        tail, parts = self._tail(row, pc), self._parts
        parts.append(f'{lanes.heads[lane]}{begin / 1000},"dur":{took / 1000}{tail}{pc}}}}}')
        self.slices += 1
        place = lanes.places[lane]
        self._where = (place, begin + took - 1) if took > 1 else None
        if source is not None and took:
            there, at = source
            same = f'"id":{record},"name":"post","cat":"post"'
            parts.append(
                f',\n{{"ph":"s",{there},"ts":{at / 1000},{same}}},\n'
                f'{{"ph":"f","bp":"e",{place},"ts":{begin / 1000},{same}}}'
            )
        if len(parts) > MANY:
            self.file.flush()

    def _tail(self, row: _Row, pc: int) -> str:
        """The end of an instruction's slice, up to the pc: its name, and where it is written."""
        span = row.spans[pc]
        name = self._program.instructions[row.which[pc]].row.name
        known = self._tails.get((name, span))
        if known is None:
            known = f',"name":{text(name)},"args":{{{self._written(span)}"pc":'
            self._tails[name, span] = known
        return known

    def _written(self, number: int) -> str:
        """Where an instruction is written, and how."""
        known = self._lines.get(number)
        if known is None:
            known, span = "", self._program.spans[number]
            if span is not None:
                code = " ".join(span.text[: 4 * LONGEST].split())
                code = code if len(code) <= LONGEST else code[: LONGEST - 1] + "…"
                known = f'"line":{text(f"{span.source.name}:{span.line}")},"code":{text(code)},'
            self._lines[number] = known
        return known

    def _stall(self, row: _Row, queue: Queue, task: Task, until: int) -> None:
        """Draw the wait of an instruction from when its turn had come."""
        what = queue.cause
        if what == "semaphore" and task.wait is not None:
            tail = self._counters[task.wait[0]].stall
        elif what == "port" and isinstance(queue.blocker, Resource):
            tail = f',"name":{text(f"port {queue.blocker.name}")}'
        else:
            tail = f',"name":"{what}"'
        lane = row.stalls.take(queue.reached, until)
        self._slice(row.stalls.heads[lane], queue.reached, until, tail)

    def _slice(self, head: str, start: int, end: int, tail: str) -> None:
        begin, took = start * 1000 // self._ticks, (end - start) * 1000 // self._ticks
        self._parts.append(f'{head}{begin / 1000},"dur":{took / 1000}{tail}}}')
        self.slices += 1

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        """Draw what makes a unit ready."""
        assert task.pace is not None
        lanes = self._rows[queue.index].lanes
        lane = lanes.take(start, until)
        self._slice(lanes.heads[lane], start, until, f',"name":{text(task.pace.label)}')

    def said(self, queue: Queue, words: str, now: int) -> None:
        """Mark what an instruction said."""
        row = self._rows[queue.index]
        place = row.lanes.places[row.open[-1][0]]
        name = words.split("\n")[0] or "message"
        args = text({"pc": queue.pc, "text": words})
        at = now * 1000 // self._ticks / 1000
        self._parts.append(
            f',\n{{"ph":"i","s":"t",{place},"ts":{at},"name":{text(name)},"args":{args}}}'
        )

    # -- semaphores

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Count on: the last value of each tick is a point."""
        counter = self._counters.get(number)
        if counter is None:
            return
        if now != counter.tick:
            self._count(counter)
            counter.tick = now
        counter.value = semaphore.value
        last = semaphore.last
        if semaphore.parked and self._where is not None and last is not None:
            posts = counter.posts
            while posts and posts[0][0] < now:  # whoever was to see that has
                posts.popleft()
            posts.append((last.at, last.record, self._where))

    def _count(self, counter: _Counter) -> None:
        at = counter.tick * 1000 // self._ticks / 1000
        self._parts.append(f'{counter.head}{at},"args":{{"value":{counter.value}}}}}')

    def _source(self, task: Task, record: int) -> Place | None:
        """Where the post was made that let a task start."""
        assert task.wait is not None
        for _, number, place in reversed(self._counters[task.wait[0]].posts):
            if number == record:
                return place
        return None

    # -- transfers

    def made(self, queue: Queue, record: int, because: int, start: int, until: int) -> None:
        """Draw what is made beside the queues."""
        lanes = self._lanes("descriptors", queue.core, DESCRIPTORS)
        lane = lanes.take(start, until)
        written = self._written(self._rows[queue.index].spans[queue.pc])
        tail = f',"name":"{queue.engine}","args":{{{written}"pc":{queue.pc}}}'
        self._slice(lanes.heads[lane], start, until, tail)

    def read(self, group: Group, now: int) -> None:
        """Take a thread for a transfer when its first shares start."""
        flight = group.flight
        if flight.key not in self._flights:
            lanes = self._lanes(f"ring {flight.ring}", flight.core, RINGS + QUEUES * flight.ring)
            self._flights[flight.key] = lanes, lanes.take(now), now

    def landed(self, group: Group, now: int) -> None:
        """Draw a transfer when all of it has landed."""
        flight = group.flight
        lanes, lane, begin = self._flights[flight.key]
        first, ns = begin * 1000 // self._ticks, now * 1000 // self._ticks
        # The slice may end a ns before: its beginning and its length are both rounded down.
        self._where = (lanes.places[lane], ns - 2) if ns - first > 2 else None
        if self._packets:
            self._shares(group)
        if flight.left == group.count:
            del self._flights[flight.key]
            lanes.ends[lane] = now
            self._slice(lanes.heads[lane], begin, now, self._moved(flight, flight.bytes))

    def _shares(self, group: Group) -> None:
        """Draw shares on their DMA engines, for as long as they keep these busy."""
        tail = self._moved(group.flight, group.portion.bytes)
        for channel in members(group.channels):
            lanes = self._lanes(f"DMA {channel}", group.flight.core, CHANNELS + QUEUES * channel)
            lane = lanes.take(group.start, group.free)
            self._slice(lanes.heads[lane], group.start, group.free, tail)

    def _moved(self, flight: Flight, size: int) -> str:
        queue, pc = flight.origin
        written = self._written(self._rows[queue].spans[pc])
        engine = text(self._program.queue_name(queue))
        return f',"name":"{size:,} bytes","args":{{"engine":{engine},{written}"pc":{pc}}}'

    def _lanes(self, name: str, core: int, order: int) -> _Lanes:
        """The threads of something of a core that is no queue."""
        lanes = self._others.get((core, order))
        if lanes is None:
            lanes = self._others[core, order] = _Lanes(self.file, core, name, order)
        return lanes

    # -- the end

    def close(self) -> None:
        """Draw what is under way as far as it got, and write the end; raises OSError."""
        scheduler = self._session.machine.scheduler
        scheduler.ignore(self)
        now = scheduler.now
        for queue, row in zip(scheduler.queues, self._rows, strict=True):
            for flying, (lane, _) in zip(queue.flight, row.open, strict=False):
                tail = f"{self._tail(row, flying.pc)}{flying.pc}}}"
                self._slice(row.lanes.heads[lane], flying.start, now, tail)
            if not queue.done and queue.head is not None and queue.reached < now:
                self._stall(row, queue, queue.head, now)
        for key, (lanes, lane, begin) in self._flights.items():
            flight = scheduler.transfers[key]
            self._slice(lanes.heads[lane], begin, now, self._moved(flight, flight.bytes))
        for counter in self._counters.values():
            self._count(counter)
        self.file.close()

    def restore(self, saved: Any) -> None:
        """What is written cannot be taken back."""
        raise ValueError("a session whose trace is being written cannot go back")
