"""A run in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.

A process per core; a thread per engine, with its stalls on another one, and per ring of DMA; the
semaphores that something waits for as counters; an arrow from a post to the start it allowed. It is
written while the program runs, so that what it takes of memory does not grow with the run.

A viewer wants the slices of a thread nested or apart, and instructions of one queue overlap: one
that begins before the last has ended goes to a second thread of the same engine, and so on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import IO, Any

from nasm.isa.micro_instructions import Micro, fields, micro_of
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.show.trace_file import NEVER, WAITS, SliceLanes, TraceFile, text
from nasm.sim.channels import Flight, Group, members
from nasm.sim.counters import Semaphore
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue, Task
from nasm.sim.resources import Resource

LONGEST = 100
"""Characters of a line of the program that a trace shows."""

DECIMALS = tuple(f".{n:03}" for n in range(1_000))
"""Of µs, by ns: a third of the time that it takes to print a float, of which a trace has many."""

MANY = 200
"""Instructions that are kept before they are made text and written."""

QUEUES, DESCRIPTORS, RINGS, CHANNELS = 1_000, 99_000, 100_000, 200_000
"""Where these begin in the order of a core's threads."""

Place = tuple[str, int, int]
"""A thread, and two ticks that lie within one of its slices."""


class _Row:
    """What is shown of a queue: its threads, and the lane and the source of each open slice."""

    __slots__ = ("lanes", "open", "spans", "stalls", "which")

    def __init__(self, file: TraceFile, program: Program, queue: int) -> None:
        lines = program.queues[queue]
        order = QUEUES * (queue + 1)
        self.lanes = SliceLanes(file, lines.core, lines.engine, order)
        self.stalls = SliceLanes(file, lines.core, f"{lines.engine} waits", order + WAITS)
        self.which, self.spans = lines.instructions, lines.spans
        self.open: deque[tuple[int, Place | None]] = deque()


class _Counter:
    """A semaphore that something waits for: its last value, and the posts that may be seen yet."""

    __slots__ = ("head", "posts", "stall", "tick", "value")

    def __init__(self, process: str, name: str) -> None:
        self.head = f',\n{{"ph":"C",{process},"name":{text(f"${name}")},"ts":'
        self.stall = f',"name":{text(f"${name}")}'
        self.tick = self.value = 0
        self.posts: deque[tuple[int, int, Place]] = deque()


class TraceStream(Observer):
    """Writes a trace of a session while it runs, from its start on; ``slices`` were written.

    The session begins at ``begin``, in nanoseconds of the trace, and is the ``number``-th in its
    file. Events are kept as they are and made text by the thousand, which takes half as long as one
    by one.
    """

    def __init__(
        self, session: Execution, file: TraceFile, begin: int = 0, number: int = 0
    ) -> None:
        program, generation = session.program, session.program.generation
        self.file, self._begin, self._first = file, begin, number << 40
        self.slices = 0
        self._session, self._program = session, program
        self._ticks = generation.ticks
        self._least = -(-2 * generation.ticks // 1000)  # ticks of two ns
        self._rows = [_Row(self.file, program, queue) for queue in range(len(program.queues))]
        self._done: list[tuple[_Row, str, int, int, int]] = []
        self._slices: list[tuple[str, int, int, str]] = []
        self._points: list[tuple[str, int, int]] = []
        self._arrows: list[tuple[Place, Place, int]] = []
        self._tails: dict[tuple[str, int], str] = {}
        self._lines: dict[int, str] = {}
        self._sizes: dict[tuple[int, int, int], str] = {}
        self._others: dict[tuple[int, int], SliceLanes] = {}
        self._flights: dict[int, tuple[SliceLanes, int, int]] = {}
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
        begin = queue.arrived
        if begin is None:
            begin = now
        ends, lane, source = row.lanes.ends, 0, None
        for end in ends:
            if end <= begin:
                ends[lane] = NEVER
                break
            lane += 1
        else:
            lane = row.lanes.take(begin)
        if now > queue.reached:
            if queue.cause == "semaphore" and queue.wait is not None:
                because = queue.because
                for post in reversed(self._counters[queue.wait[0]].posts):
                    if post[1] == because:
                        source = post[2]
                        break
            self._stall(row, queue, now)
        row.open.append((lane, source))
        update = task.update
        if update is not None and update[3]:  # posted before it is drawn
            place = row.lanes.places[lane], begin, begin + self._least
            self._where = place if queue.latency >= self._least else None

    def finished(self, queue: Queue, done: Flying) -> None:
        """Draw an instruction, and the post that let it start."""
        row = self._rows[queue.index]
        lane, source = row.open.popleft()
        _, _, pc, _, start, finish, _, _, _, record = done
        lanes = row.lanes
        lanes.ends[lane] = finish
        self._done.append((row, lanes.heads[lane], start, finish, pc))
        self._where = where = lanes.places[lane], start, finish
        if source is not None:
            self._arrows.append((source, where, record))
        if len(self._done) >= MANY:
            self.flush()

    def _stall(self, row: _Row, queue: Queue, until: int) -> None:
        """Draw the wait of an instruction from when its turn had come."""
        what, lanes = queue.cause, row.stalls
        if what == "semaphore" and queue.wait is not None:
            tail = self._counters[queue.wait[0]].stall
        elif what == "port" and isinstance(queue.blocker, Resource):
            tail = f',"name":{text(f"port {queue.blocker.name}")}'
        else:
            tail = f',"name":"{what}"'
        if not lanes.heads:
            lanes.take(0)
        self._slices.append((lanes.heads[0], queue.reached, until, tail))

    def _tail(self, row: _Row, pc: int) -> str:
        """The end of an instruction's slice, up to the pc: its name, and where it is written."""
        one = pc.instruction if type(pc) is Micro else self._program.instructions[row.which[pc]]
        span, name = row.spans[pc], one.row.name
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

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        """Draw what makes a unit ready."""
        assert task.pace is not None
        lanes = self._rows[queue.index].lanes
        lane = lanes.take(start, until)
        self._slices.append((lanes.heads[lane], start, until, f',"name":{text(task.pace.label)}'))

    def message_printed(self, queue: Queue, words: str, now: int) -> None:
        """Mark what an instruction said."""
        row = self._rows[queue.index]
        place = row.lanes.places[row.open[-1][0]]
        name = words.split("\n")[0] or "message"
        args = text({**fields(queue.pc), "text": words})
        at = (self._begin + now * 1000 // self._ticks) / 1000
        self.file.parts.append(
            f',\n{{"ph":"i","s":"t",{place},"ts":{at},"name":{text(name)},"args":{args}}}'
        )

    # -- semaphores

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Count on: the last value of each tick is a point."""
        counter = self._counters.get(number)
        if counter is None:
            return
        if now != counter.tick:
            self._points.append((counter.head, counter.tick, counter.value))
            counter.tick = now
        counter.value = semaphore.value
        last = semaphore.last
        if semaphore.parked and self._where is not None and last is not None:
            posts = counter.posts
            while posts and posts[0][0] < now:  # every waiter that could see that has
                posts.popleft()
            posts.append((last.at, last.record, self._where))

    # -- transfers

    def read(self, group: Group, now: int) -> None:
        """Take a thread for a transfer when its first shares start."""
        flight = group.flight
        if flight.key not in self._flights:
            ring = flight.core, RINGS + QUEUES * flight.ring
            name = self._session.program.generation.ring_name(flight.ring)
            lanes = self._others.get(ring) or self._lanes(name, *ring)
            self._flights[flight.key] = lanes, lanes.take(now), now

    def landed(self, group: Group, now: int) -> None:
        """Draw a transfer when all of it has landed."""
        flight = group.flight
        lanes, lane, begin = self._flights[flight.key]
        self._where = lanes.places[lane], begin, now
        if flight.left == group.count:
            del self._flights[flight.key]
            lanes.ends[lane] = now
            tail = self._moved(flight, flight.bytes)
            self._slices.append((lanes.heads[lane], begin, now, tail))

    def _moved(self, flight: Flight, size: int) -> str:
        queue, pc = flight.origin
        span = self._rows[queue].spans[pc]
        known = self._sizes.get((queue, span, size))
        if known is None:
            engine = text(self._program.queue_name(queue))
            args = f'{{"engine":{engine},{self._written(span)}"pc":'
            known = self._sizes[queue, span, size] = f',"name":"{size:,} bytes","args":{args}'
        return f"{known}{_shown(pc)}}}"

    def _lanes(self, name: str, core: int, order: int) -> SliceLanes:
        """The threads of something of a core that is no queue."""
        lanes = self._others.get((core, order))
        if lanes is None:
            lanes = self._others[core, order] = SliceLanes(self.file, core, name, order)
        return lanes

    # -- the text of it

    def flush(self) -> None:
        """Make text of the events, and write it."""
        parts, ticks, decimals = self.file.parts, self._ticks, DECIMALS
        zero = self._begin
        for row, head, start, end, pc in self._done:
            at, took = zero + start * 1000 // ticks, (end - start) * 1000 // ticks
            parts.append(
                f'{head}{at // 1000}{decimals[at % 1000]},"dur":{took // 1000}'
                f"{decimals[took % 1000]}{self._tail(row, pc)}"
                f"{pc if type(pc) is int else _shown(pc)}}}}}"
            )
        for head, start, end, tail in self._slices:
            at, took = zero + start * 1000 // ticks, (end - start) * 1000 // ticks
            parts.append(
                f'{head}{at // 1000}{decimals[at % 1000]},"dur":{took // 1000}'
                f"{decimals[took % 1000]}{tail}}}"
            )
        for head, tick, value in self._points:
            at = zero + tick * 1000 // ticks
            parts.append(f'{head}{at // 1000}{decimals[at % 1000]},"args":{{"value":{value}}}}}')
        for source, target, record in self._arrows:
            self._arrow(source, target, record)
        self.slices += len(self._done) + len(self._slices)
        for batch in (self._done, self._slices, self._points, self._arrows):
            batch.clear()
        self.file.flush()

    def _arrow(self, source: Place, target: Place, record: int) -> None:
        """Draw an arrow between two slices that are long enough: the first must not have ended."""
        ticks, (there, start, end), (place, begin, over) = self._ticks, source, target
        took, long = (end - start) * 1000 // ticks, (over - begin) * 1000 // ticks
        if took > 1 and long:
            posted = self._begin + start * 1000 // ticks + took - 1
            at, record = self._begin + begin * 1000 // ticks, self._first + record
            self.file.parts.append(
                f',\n{{"ph":"s",{there},"ts":{posted // 1000}{DECIMALS[posted % 1000]}'
                f',"id":{record},"name":"post","cat":"post"}},\n'
                f'{{"ph":"f","bp":"e",{place},"ts":{at // 1000}{DECIMALS[at % 1000]}'
                f',"id":{record},"name":"post","cat":"post"}}'
            )

    # -- the end

    def close(self, more: Mapping[str, Any] = {}) -> None:
        """Draw what is in progress as far as it got, and write the end; raises OSError."""
        self.end()
        self.file.close(more)

    def end(self) -> None:
        """Draw what is in progress as far as it got: nothing of this session follows."""
        scheduler = self._session.machine.scheduler
        scheduler.ignore(self)
        now = scheduler.now
        for queue, row in zip(scheduler.queues, self._rows, strict=True):
            for flying, (lane, _) in zip(queue.flight, row.open, strict=False):
                self._done.append((row, row.lanes.heads[lane], flying.start, now, flying.pc))
            if not queue.done and queue.head is not None and queue.reached < now:
                self._stall(row, queue, now)
        for key, (lanes, lane, begin) in self._flights.items():
            flight = scheduler.transfers[key]
            self._slices.append((lanes.heads[lane], begin, now, self._moved(flight, flight.bytes)))
        for counter in self._counters.values():
            self._points.append((counter.head, counter.tick, counter.value))
        self.flush()

    def restore(self, saved: Any) -> None:
        """What is written cannot be taken back."""
        raise ValueError("a session whose trace is being written cannot go back")


class _Detailed(TraceStream):
    """The same with what DMA engines do, and what makes descriptors for them."""

    def made(self, queue: Queue, record: int, because: int, start: int, until: int) -> None:
        """Draw what is made independently of the queues."""
        lanes = self._lanes("descriptors", queue.core, DESCRIPTORS)
        lane = lanes.take(start, until)
        written = self._written(self._rows[queue.index].spans[queue.pc])
        tail = f',"name":"{queue.engine}","args":{{{written}"pc":{_shown(queue.pc)}}}'
        self._slices.append((lanes.heads[lane], start, until, tail))

    def landed(self, group: Group, now: int) -> None:
        """Draw shares on their DMA engines, for as long as they keep these busy."""
        tail = self._moved(group.flight, group.portion.bytes)
        for channel in members(group.channels):
            lanes = self._lanes(f"DMA {channel}", group.flight.core, CHANNELS + QUEUES * channel)
            lane = lanes.take(group.start, group.free)
            self._slices.append((lanes.heads[lane], group.start, group.free, tail))
        super().landed(group, now)


DETAILS: dict[str, type[TraceStream]] = {"transfers": TraceStream, "packets": _Detailed}
"""What a trace shows of DMA: a slice per transfer, or also one per share on its DMA engine."""


def _shown(pc: int) -> str:
    """A place after its name, with the field of its own that an expanded instruction has."""
    return f'{int(pc)},"micro":{micro_of(pc)}' if type(pc) is Micro else str(int(pc))


def stream(
    session: Execution, out: IO[bytes], *, zipped: bool = False, detail: str = "transfers"
) -> TraceStream:
    """Write a trace of what a session does from now on, to ``out`` as bytes, maybe gzipped.

    ``detail`` is one of DETAILS.
    """
    return DETAILS[detail](session, TraceFile(out, zipped, about(session)))


def about(session: Execution) -> dict[str, Any]:
    """What a trace says of its program."""
    generation = session.program.generation
    return {
        "program": session.title,
        "generation": generation.summary,
        "ticks_per_microsecond": generation.ticks,
    }
