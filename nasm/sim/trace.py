"""What happened, in the order it happened, and a hash of it.

Four kinds of record, plain tuples of integers and texts; all times are ticks:

* instruction: core, queue, pc, head (when it was next in its queue), start, finish
* job: core, channels (a bit for each), ring, queue and pc that issued it, arrived, start, over,
  landed, bytes, shares
* post: core, semaphore, tick, value afterwards
* message: core, queue, pc, tick, text

The pc of an expanded instruction is a ``Micro``; which of several it was, and at which start, is in
a hash of its own that there is only where one was expanded.

A :class:`Summary` keeps what every run needs of them, in memory that does not grow with the run; a
:class:`Trace` keeps them all.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from struct import pack
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nasm.isa.micro_instructions import Micro
from nasm.sim.burst_plan import CompletedBurst
from nasm.sim.channels import Group
from nasm.sim.counters import Semaphore
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue

if TYPE_CHECKING:
    from nasm.sim.repeated import Repeated

InstructionRecord = tuple[int, int, int, int, int, int]
JobRecord = tuple[int, int, int, int, int, int, int, int, int, int, int]
PostRecord = tuple[int, int, int, int]
MessageRecord = tuple[int, int, int, int, str]

FULL = 24_000
"""Numbers that a summary gathers before it folds them into its hash."""

LARGE = 64
"""Instructions of a burst whose records are not made one by one."""

MESSAGES, CHARACTERS = 1_000, 1_000_000
"""Messages that a summary keeps, and of how many characters in all."""


class _Records(Observer):
    """Makes a record of each event, and passes it to the function for its kind.

    ``per_core`` is how many semaphores and events a core has.
    """

    def __init__(
        self,
        per_core: int,
        instruction: Callable[[InstructionRecord], None],
        job: Callable[[JobRecord], None],
        post: Callable[[PostRecord], None],
        message: Callable[[MessageRecord], None],
    ) -> None:
        self.per_core = max(1, per_core)
        self.take_instruction, self.take_job = instruction, job
        self.take_post, self.take_message = post, message

    def finished(self, queue: Queue, done: Flying) -> None:
        """Record an instruction."""
        self.take_instruction(done[:6])

    def landed(self, group: Group, now: int) -> None:
        """Record a job."""
        flight, count = group.flight, group.count
        queue, pc = flight.origin
        self.take_job(
            (
                flight.core, group.channels, flight.ring, queue, pc, group.arrived, group.start,
                group.free, now, group.portion.bytes * count, count,
            )
        )  # fmt: skip

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Record a post."""
        core, own = divmod(number, self.per_core)
        self.take_post((core, own, now, semaphore.value))

    def message_printed(self, queue: Queue, text: str, now: int) -> None:
        """Record a message."""
        self.take_message((queue.core, queue.index, queue.pc, now, text))


class Trace(_Records):
    """Every record of a run so far."""

    def __init__(self, per_core: int = 1) -> None:
        self.instructions: list[InstructionRecord] = []
        self.jobs: list[JobRecord] = []
        self.posts: list[PostRecord] = []
        self.messages: list[MessageRecord] = []
        super().__init__(
            per_core,
            self.instructions.append,
            self.jobs.append,
            self.posts.append,
            self.messages.append,
        )

    def _kinds(self) -> tuple[list[Any], ...]:
        return self.instructions, self.jobs, self.posts, self.messages

    def save(self) -> Any:
        """How many records there are: none ever changes."""
        return tuple(map(len, self._kinds()))

    def restore(self, saved: Any) -> None:
        """Drop what was recorded since."""
        for records, count in zip(self._kinds(), saved, strict=True):
            del records[count:]


class Summary(_Records):
    """What every run keeps of its trace: a hash, how often each pc completed, first messages.

    ``lengths`` are those of the queues. Numbers are gathered as they come, and folded into the
    hash of their kind by the thousand. ``left_out`` counts the messages that were not kept.
    """

    CACHES = ("_saved", "_folds", "_most")

    def __init__(self, per_core: int = 1, lengths: Sequence[int] = ()) -> None:
        self._gathered: tuple[list[int], list[int], list[int]] = ([], [], [])
        self._hashes = [hashlib.blake2b(digest_size=16) for _ in "ijpm"]
        self._first = np.cumsum([0, *lengths])
        self._counts = np.zeros(self._first[-1], np.int64)
        self._saved, self._folds, self._most = False, 0, FULL
        self.messages: list[MessageRecord] = []
        self.left_out = self._characters = 0
        self._micros: Any = None
        instructions, jobs, posts = self._gathered
        super().__init__(per_core, instructions.extend, jobs.extend, posts.extend, self._say)

    def burst(self, queue: Queue, done: CompletedBurst) -> None:
        """Record the instructions of a burst."""
        self._gathered[0].extend(_rows(queue, done).reshape(-1).tolist())

    def mark(self) -> Any:
        """How often was folded, and how much is gathered since."""
        self._most = 10 * FULL
        return self._folds, *map(len, self._gathered)

    def since(self, mark: Any) -> bool:
        """Whether nothing was folded since a mark."""
        return bool(mark[0] == self._folds)

    def repeated(self, mark: Any, rounds: Repeated) -> None:
        """Record what was recorded since a mark some times more."""
        width = (6, 11, 4)
        found = [
            np.array(numbers[begin:], np.int64).reshape(-1, columns)
            for numbers, begin, columns in zip(self._gathered, mark[1:], width, strict=True)
        ]
        places, later = np.array(rounds.places), np.arange(1, rounds.times + 1)[:, None]
        made = [np.tile(records, (rounds.times, 1, 1)) for records in found]
        instructions, jobs, posts = made
        instructions[:, :, 2] += later * places[found[0][:, 1]]
        instructions[:, :, 3:] += (later * rounds.ticks)[:, :, None]
        jobs[:, :, 4] += later * places[found[1][:, 3]]
        jobs[:, :, 5:9] += (later * rounds.ticks)[:, :, None]
        posted = (found[2][:, 0] * self.per_core + found[2][:, 1]).tolist()
        posts[:, :, 2] += later * rounds.ticks
        posts[:, :, 3] += later * np.array([rounds.counters[n] for n in posted], np.int64)
        if rounds.times * sum(records.size for records in found) < FULL:
            for numbers, records in zip(self._gathered, made, strict=True):
                numbers.extend(records.ravel().tolist())
            return
        self._fold()
        for records, hasher in zip(made, self._hashes, strict=False):
            hasher.update(records.astype("<i8").tobytes())
        self._count(instructions.reshape(-1, 6))

    def make_room(self, lengths: Sequence[int]) -> None:
        """Count instructions of queues that have grown to these lengths."""
        self._fold()
        first, counts = self._first, self._counts
        self._first = np.cumsum([0, *lengths])
        self._counts, self._saved = np.zeros(self._first[-1], np.int64), False
        for queue, at in enumerate(self._first[:-1]):
            mine = counts[first[queue] : first[queue + 1]]
            self._counts[at : at + len(mine)] = mine

    def _say(self, record: MessageRecord) -> None:
        *numbers, text = record
        encoded = text.encode("utf-8", "surrogatepass")
        self._hashes[3].update(pack("<5q", *numbers, len(encoded)) + encoded)
        characters = self._characters + len(text)
        if self.left_out or len(self.messages) == MESSAGES or characters > CHARACTERS:
            self.left_out += 1
            return
        self._characters = characters
        self.messages.append(record)

    def settle(self) -> None:
        """Fold what was gathered, if it is much."""
        if any(len(numbers) >= self._most for numbers in self._gathered):
            self._fold()

    def _fold(self) -> None:
        self._folds += 1
        for numbers, hasher in zip(self._gathered, self._hashes, strict=False):
            if not numbers:
                continue
            packed = pack(f"<{len(numbers)}q", *numbers)
            hasher.update(packed)
            if numbers is self._gathered[0]:
                self._count(np.frombuffer(packed, "<i8").reshape(-1, 6))
            numbers.clear()

    def _count(self, instructions: Any) -> None:
        if self._saved:
            self._counts, self._saved = self._counts.copy(), False
        np.add.at(self._counts, self._first[instructions[:, 1]] + instructions[:, 2], 1)

    def completed(self, queue: int) -> Any:
        """How often the instruction at each pc of a queue has completed."""
        self._fold()
        return self._counts[self._first[queue] : self._first[queue + 1]]

    def itself(self, queue: int) -> Any:
        """The same of those that were executed themselves, not what they expand to."""
        return self.completed(queue)

    def expanded(self, queue: int) -> Mapping[Any, int]:
        """How often each instruction has completed that was expanded to others."""
        return {}

    def digest(self) -> str:
        """The trace hash of the run so far, as docs/tools.md defines it."""
        self._fold()
        hashers = self._hashes if self._micros is None else (*self._hashes, self._micros)
        parts = b"".join(hasher.digest() for hasher in hashers)
        return hashlib.blake2b(parts, digest_size=16).hexdigest()

    @property
    def size(self) -> int:
        """Bytes that what it saves may take."""
        return self._counts.nbytes

    def save(self) -> Any:
        """Everything there is: counts are copied when they change, and messages never do."""
        self._fold()
        self._saved = True
        hashes = tuple(hasher.copy() for hasher in self._hashes)
        micros = None if self._micros is None else self._micros.copy()
        counts = self._first, self._counts
        return hashes, micros, counts, len(self.messages), self.left_out, self._characters

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        hashes, micros, counts, count, self.left_out, self._characters = saved
        self._hashes[:] = [hasher.copy() for hasher in hashes]
        self._micros = None if micros is None else micros.copy()
        del self.messages[count:]
        for numbers in self._gathered:
            numbers.clear()
        first = self._first
        (self._first, self._counts), self._saved = counts, True
        if self._first is not first:  # of a time when queues were shorter
            self.make_room(np.diff(first).tolist())


def _rows(queue: Queue, done: CompletedBurst) -> NDArray[np.int64]:
    """The records of the instructions of a burst."""
    count = len(done.times.starts)
    records = np.empty((count, 6), np.int64)
    records[:, 0], records[:, 1] = queue.core, queue.index
    records[:, 2] = done.planned.pcs[:count]
    for column, of in enumerate(done.times, 3):
        records[:, column] = of
    return records


class ExpandedSummary(Summary):
    """The same of a run whose instructions may be expanded: which of several each was, too.

    Counts are by queue: of each instruction that was expanded to others, and by pc of all those
    together.
    """

    def __init__(self, per_core: int = 1, lengths: Sequence[int] = ()) -> None:
        super().__init__(per_core, lengths)
        self._of: dict[int, Counter[Any]] = {}
        self._at: dict[int, Counter[int]] = {}

    def finished(self, queue: Queue, done: Flying) -> None:
        """Record an instruction."""
        super().finished(queue, done)
        pc = done.pc
        if type(pc) is Micro:
            self.take_micro(done[:6], done.record, pc.micro)
            self._of.setdefault(done.queue, Counter())[pc.instruction] += 1

    def take_micro(self, record: InstructionRecord, start: int, micro: int) -> None:
        """Count an instruction that others were expanded to: which one it is, and its start."""
        if self._micros is None:
            self._micros = hashlib.blake2b(digest_size=16)
        self._micros.update(pack("<2q", start, micro))
        _, queue, pc, *_ = record
        self._at.setdefault(queue, Counter())[int(pc)] += 1

    def take_expanded(self, of: Mapping[int, Counter[Any]]) -> None:
        """Count the instructions that were expanded, by queue."""
        for queue, counts in of.items():
            self._of.setdefault(queue, Counter()).update(counts)

    def burst(self, queue: Queue, done: CompletedBurst) -> None:
        """Record the instructions of a burst."""
        planned, count = done.planned, len(done.times.starts)
        self._record(queue, done)
        micros = planned.micros if len(planned.micros) == count else planned.micros[:count]
        if max(micros) < 0:
            return
        if self._micros is None:
            self._micros = hashlib.blake2b(digest_size=16)
        first, instructions, pcs = done.first, planned.instructions[:count], planned.pcs[:count]
        numbers: Sequence[int] = range(count)
        if min(micros) < 0:
            numbers = [n for n in numbers if micros[n] >= 0]
            micros, instructions, pcs = (
                [of[n] for n in numbers] for of in (micros, instructions, pcs)
            )
        both = np.empty((len(numbers), 2), "<i8")
        both[:, 0], both[:, 1] = numbers, micros
        both[:, 0] += first
        self._micros.update(both.tobytes())
        self._of.setdefault(queue.index, Counter()).update(instructions)
        self._at.setdefault(queue.index, Counter()).update(pcs)

    def _record(self, queue: Queue, done: CompletedBurst) -> None:
        """Record a burst of instructions: a large one goes into the hash at once.

        Rounds that repeat themselves, which look at what was gathered, are never of these.
        """
        count = len(done.times.starts)
        if count < LARGE:
            times = (of.tolist() for of in done.times)
            rows = zip(done.planned.pcs[:count], *times, strict=True)
            for row in rows:
                self._gathered[0].extend((queue.core, queue.index, *row))
            return
        self._fold()
        records = _rows(queue, done)
        self._hashes[0].update(records.astype("<i8", copy=False).tobytes())
        self._count(records)

    def itself(self, queue: int) -> Any:
        """How often each pc has completed that was executed itself."""
        counts = self.completed(queue).copy()
        for pc, count in self._at.get(queue, {}).items():
            counts[pc] -= count
        return counts

    def expanded(self, queue: int) -> Mapping[Any, int]:
        """How often each instruction has completed that was expanded to others."""
        return self._of.get(queue, {})

    def save(self) -> Any:
        """Everything there is."""
        of, at = ({q: c.copy() for q, c in counts.items()} for counts in (self._of, self._at))
        return super().save(), of, at

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        own, of, at = saved
        super().restore(own)
        self._of, self._at = ({q: c.copy() for q, c in counts.items()} for counts in (of, at))
