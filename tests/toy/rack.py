"""What a core of the toy holds beside memories, and the rows that work with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked, Fifo, Part, Place, Seen, Surroundings
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.generation import Generation
from nasm.isa.implicit_kinds import CoreState, Here
from nasm.isa.instruction import InstructionContext, Operand, of_operands
from nasm.isa.kinds import Number
from nasm.isa.micro_instructions import Elsewhere, Expansion, MicroOrigin
from nasm.isa.settings import Setting, Settings, Values
from nasm.program.program import Instruction
from tests.toy.base import BOTH, ISA, REGISTER, SOURCE, issued, sequenced

NAMES = "alpha", "beta"
CYCLES = 3, 5
FREE = -1
Array, Mask = NDArray[Any], NDArray[np.bool_]
INTEGER = Number(integer=True)
RACK = Operand("rack", CoreState())
QUEUE = Operand("queue", Here("queue"))


class Rack:
    """Four locks, a belt of two entries, a plate that is hot until a tick, and the drum.

    Whoever hums adds to the ``tune``, and takes a ``rest`` until a tick.
    Each queue has a tape, onto which the next so many instructions are still to be recorded.
    Whatever has been thrown onto the belt lands when somebody looks at it, if its tick has come.
    """

    def __init__(self, generation: Generation, around: Surroundings) -> None:
        self.around, self.drum = around, around.memory("drum")
        self.locks = [FREE] * 4
        self.belt = Fifo("the belt", 2)
        self.hot = 0
        self.tune = self.rest = 0
        self.tapes: list[tuple[Instruction, ...]] = [() for _ in NAMES]
        self.recorded: list[tuple[tuple[int, int], ...]] = [() for _ in NAMES]
        self.left = [0 for _ in NAMES]
        self.thrown: tuple[tuple[int, int, Place], ...] = ()

    def land(self) -> Fifo:
        """The belt, with what has landed on it."""
        due = [one for one in self.thrown if one[0] <= self.around.now]
        self.thrown = tuple(one for one in self.thrown if one not in due)
        for tick, value, place in due:
            self.around.late(place, tick, partial(self.belt.push, value))
        return self.belt

    def save(self) -> Any:
        """Everything that changes."""
        tapes = tuple(self.tapes), tuple(self.left), tuple(self.recorded)
        ticks = self.hot, self.tune, self.rest
        return tuple(self.locks), self.belt.save(), ticks, tapes, self.thrown

    def own(self, lock: int, queue: int) -> None:
        """Give a lock to a queue, or back."""
        self.locks[lock] = queue
        self.around.changed(("lock", lock))

    def put(self, queue: int, setting: Setting, value: int) -> None:
        """Begin with the value of a setting."""
        if setting.name.startswith("lock"):
            self.locks[int(setting.name[-1])] = value
        elif setting.of_queue:
            self.left[queue] = value
        else:
            self.hot = value

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self.locks[:], belt, ticks, tapes, self.thrown = saved
        self.hot, self.tune, self.rest = ticks
        self.tapes[:], self.left[:], self.recorded[:] = tapes
        self.belt.restore(belt)


# -- a unit that both engines share


@of_operands
def grinding(_: InstructionContext, cycles: int) -> Cost:
    """The mill is busy for so many cycles of the engine; the engine goes on."""
    return Cost(cycles, cycles + 1, Evidence.ASSUMED, SOURCE, unit="mill")


@of_operands
def pressing(_: InstructionContext, cycles: int) -> Cost:
    """The mill is busy for so many cycles of the engine, and the engine waits for it."""
    return Cost(cycles, cycles, Evidence.ASSUMED, SOURCE, unit="mill", issue=cycles)


@ISA.instruction(
    Operand("cycles", INTEGER, "-"), engines=BOTH, cost=grinding("cycles"), example="Grind 4",
    source=SOURCE,
)  # fmt: skip
def Grind() -> None:
    """Keep the mill busy."""


@ISA.instruction(
    Operand("cycles", INTEGER, "-"), engines=BOTH, cost=pressing("cycles"), example="Press 4",
    source=SOURCE,
)  # fmt: skip
def Press() -> None:
    """Keep the mill busy, and the engine."""


# -- locks, which belong to a queue


@of_operands
def unlocked(_: InstructionContext, rack: Rack, queue: int, lock: int) -> Blocked | None:
    """The lock is free, or the queue has it."""
    owner = rack.locks[lock]
    if owner in (FREE, queue):
        return None
    said = f"lock {lock} is held by {NAMES[owner]}"
    return Blocked("lock", said, by=(owner,), on=(("lock", lock),))


@ISA.instruction(
    Operand("lock", INTEGER), RACK, QUEUE,
    engines=BOTH, cost=issued(), condition=unlocked("rack", "queue", "lock"),
    example="Lock 0", source=SOURCE,
)  # fmt: skip
def Lock(lock: int, rack: Rack, queue: int) -> None:
    """Take a lock."""
    rack.own(lock, queue)


@ISA.instruction(
    Operand("lock", INTEGER), RACK,
    engines=BOTH, cost=sequenced(), example="Unlock 0", source=SOURCE,
)  # fmt: skip
def Unlock(lock: int, rack: Rack) -> Callable[[], None]:
    """Give a lock back, at completion."""

    def free() -> None:
        rack.own(lock, FREE)

    return free


@ISA.instruction(
    Operand("lock", INTEGER), RACK,
    engines=BOTH, cost=issued(), example="Drop 0", source=SOURCE,
)  # fmt: skip
def Drop(lock: int, rack: Rack) -> None:
    """Give a lock back, as soon as it starts."""
    rack.own(lock, FREE)


# -- the belt


@of_operands
def room(_: InstructionContext, rack: Rack) -> Blocked | None:
    """The belt has room for another entry."""
    return rack.land().full()


@of_operands
def filled(_: InstructionContext, rack: Rack) -> Blocked | None:
    """The belt has an entry."""
    return rack.land().empty()


@ISA.instruction(
    Operand("value", INTEGER), RACK,
    engines=BOTH, cost=issued(), condition=room("rack"), example="Push 7", source=SOURCE,
)  # fmt: skip
def Push(value: int, rack: Rack) -> None:
    """Put a number on the belt."""
    rack.belt.push(value)
    rack.around.changed(rack.belt.name)


@ISA.instruction(
    Operand("value", INTEGER), Operand("ticks", INTEGER), RACK,
    engines=BOTH, cost=issued(), example="Throw 7, 30", source=SOURCE,
)  # fmt: skip
def Throw(value: int, ticks: int, rack: Rack) -> None:
    """Put a number on the belt after so many ticks, for whoever looks then."""
    around = rack.around
    rack.thrown += ((around.now + ticks, value, around.place),)


@ISA.instruction(
    Operand("reg", REGISTER, "w"), RACK,
    engines=BOTH, cost=sequenced(), condition=filled("rack"), setup="Push 7",
    example="Take %r0", source=SOURCE,
)  # fmt: skip
def Take(rack: Rack) -> int:
    """Take the first number from the belt."""
    rack.around.changed(rack.belt.name)
    return int(rack.belt.take())


# -- a plate that is hot until a tick


@of_operands
def cold(_: InstructionContext, rack: Rack) -> Blocked | None:
    """The plate is not hot any more."""
    if rack.around.now >= rack.hot:
        return None
    said = f"the plate is hot until {rack.hot}"
    return Blocked("heat", said, until=rack.hot, on=("plate",), completions=False)


@ISA.instruction(
    Operand("ticks", INTEGER), RACK,
    engines=BOTH, cost=issued(), example="Heat 10", source=SOURCE,
)  # fmt: skip
def Heat(ticks: int, rack: Rack) -> None:
    """Make the plate hot for so many ticks."""
    rack.hot = rack.around.now + ticks
    rack.around.changed("plate")


@ISA.instruction(
    RACK, engines=BOTH, cost=issued(), condition=cold("rack"), example="Touch", source=SOURCE
)
def Touch(rack: Rack) -> None:
    """Touch the plate once it is cold."""


# -- the drum


@ISA.instruction(
    Operand("reg", REGISTER, "w"),
    Operand("address", INTEGER),
    RACK,
    engines=BOTH,
    cost=sequenced(),
    setup="Poke 8, 5\nSet %r1, 0",
    example="Peek %r0, 8",
    source=SOURCE,
)
def Peek(address: int, rack: Rack) -> int:
    """Read a byte of the drum."""
    return int(rack.drum.read(address, 1)[0])


@ISA.instruction(
    Operand("address", INTEGER), Operand("value", INTEGER), RACK,
    engines=BOTH, cost=sequenced(), example="Poke 8, 5", source=SOURCE,
)  # fmt: skip
def Poke(address: int, value: int, rack: Rack) -> Callable[[], None]:
    """Write a byte of the drum, at completion."""
    return lambda: rack.drum.write(address, np.array([value], np.uint8))


# -- what programs may set of it

SETTINGS = Settings(
    {
        **{
            f"lock{n}": Setting(
                f"lock{n}", "who holds the lock", SOURCE, 1, FREE,
                {"free": FREE, "alpha": 0, "beta": 1},
            )
            for n in range(4)
        },
        "hot": Setting("hot", "the tick until which the plate is hot", SOURCE, 1000),
        "heat": Setting("heat", "the same under another name", SOURCE, 1000, place="hot"),
        "records": Setting(
            "records", "so many instructions are recorded first", SOURCE, 9, of_queue=True
        ),
    },
    lambda rack, queue, setting, value: rack.put(queue, setting, value),
    lambda values, options: _heated(values, options),
    {"times": "how often it is written"},
)  # fmt: skip


def _heated(values: Values, options: Mapping[str, int]) -> list[tuple[str, Mapping[str, int]]]:
    for setting, _ in values:
        if setting.name != "hot":
            raise Refused("E0244", f"no instruction writes {setting.name}")
    return [("Heat", {"ticks": value}) for _, value in values] * options.get("times", 1)


# -- a tape, from which instructions come


@ISA.instruction(
    Operand("count", INTEGER, "-"), engines=BOTH, cost=issued(), example="Tape 0", source=SOURCE
)
def Tape() -> None:
    """Record the next instructions, so many, instead of executing them."""


@ISA.instruction(
    Operand("times", INTEGER, "-"), engines=BOTH, cost=issued(),
    setup="Tape 1\nSet %r0, 1", example="Play 2", source=SOURCE,
)  # fmt: skip
def Play() -> None:
    """Execute what was recorded, so many times."""


@ISA.instruction(engines=BOTH, cost=issued(), setup="Push 2", example="Unfold", source=SOURCE)
def Unfold() -> None:
    """Execute as many Touches as the first number of the belt says, once there is one.

    From 100 on it continues at that pc less 100 instead.
    """


def _unfolded(rack: Rack) -> tuple[Instruction, ...] | Blocked | Elsewhere:
    empty = rack.land().empty()
    if empty is not None:
        return empty
    rack.around.changed(rack.belt.name)
    count = rack.belt.take()
    return Elsewhere(count - 100) if count >= 100 else (TOUCH,) * count


TOUCH = Instruction(Touch, (None,))


def expand(
    rack: Rack, queue: int, instruction: Instruction, place: tuple[int, int]
) -> tuple[Instruction, ...] | Blocked | Elsewhere | None:
    """What stands for an instruction: nothing for one that is recorded, all of a tape for Play."""
    if rack.left[queue]:
        rack.left[queue] -= 1
        rack.tapes[queue] += (instruction,)
        rack.recorded[queue] += (place,)
        return ()
    if instruction.row is Tape:
        count = instruction.operand("count")
        assert isinstance(count, int)
        rack.left[queue], rack.tapes[queue], rack.recorded[queue] = count, (), ()
        return ()
    if instruction.row is Unfold:
        return _unfolded(rack)
    if instruction.row is Play:
        return _played(rack, queue, instruction)
    return None


def _played(rack: Rack, queue: int, instruction: Instruction) -> Expansion:
    times = instruction.operand("times")
    assert isinstance(times, int)
    origins = [
        MicroOrigin(f"place {n} of the tape", "recorded at", at)
        for n, at in enumerate(rack.recorded[queue])
    ]
    return Expansion.of(rack.tapes[queue] * times, origins * times)


# -- humming, which can be done many times at once


@of_operands
def humming(_: InstructionContext) -> Cost:
    """The mill hums along for a cycle of the engine."""
    return Cost(1, 3, Evidence.ASSUMED, SOURCE, unit="mill")


@of_operands
def rested(_: InstructionContext, rack: Rack) -> Blocked | None:
    """Nobody takes a rest any more."""
    if rack.around.now >= rack.rest:
        return None
    return Blocked("rest", f"there is a rest until {rack.rest}", until=rack.rest)


@ISA.instruction(
    Operand("note", INTEGER), RACK, QUEUE,
    engines=BOTH, cost=humming(), condition=rested("rack"), example="Hum 3", source=SOURCE,
)  # fmt: skip
def Hum(note: int, rack: Rack, queue: int) -> None:
    """Add a note to the tune; behind note 0 everybody rests for a cycle."""
    rack.tune = _hummed(rack.tune, note)
    if not note:
        rack.rest = rack.around.now + 2 * CYCLES[queue]


def _hummed(tune: int, note: int) -> int:
    return (31 * tune + note) % 65_521


SPOILT = 13
"""A note that cannot be hummed with others at once."""


@dataclass(frozen=True)
class Song:
    """Notes that are hummed at once: see :class:`nasm.isa.core_state.Burst`."""

    rack: Rack
    notes: Sequence[int]
    starts: Sequence[int]
    cycle: int

    @property
    def latencies(self) -> Sequence[int]:
        return [3 * self.cycle] * len(self.starts)

    @property
    def stalls(self) -> Sequence[tuple[int, str]]:
        notes = enumerate(self.notes[: len(self.starts) - 1], start=1)
        return [(number, "rest") for number, note in notes if not note]

    def perform(self, count: int, place: Callable[[int], Any]) -> bool:
        notes = self.notes[:count]
        if SPOILT in notes:
            return False
        assert place(count - 1) is not None
        for start, note in zip(self.starts, notes, strict=False):
            self.rack.tune = _hummed(self.rack.tune, note)
            if not note:
                self.rack.rest = self.rack.around.now + start + 2 * self.cycle
        return True

    @property
    def route(self) -> None:
        """They come one after the other."""
        return None

    @property
    def settle(self) -> Callable[[], None]:
        return _nothing


def _nothing() -> None:
    return None


def ahead(
    rack: Rack, queue: int, instruction: Instruction, _: object
) -> Sequence[Instruction] | None:
    """What would stand for an instruction; nobody knows of one that is recorded, or records."""
    if rack.left[queue] or instruction.row is Tape:
        return None
    if instruction.row is Unfold:
        return _unfolded(rack)
    if instruction.row is Play:
        return _played(rack, queue, instruction)
    return (instruction,)


def burst(
    rack: Rack,
    queue: int,
    pieces: Iterable[Sequence[Instruction]],
    ticks: int,
    blocked: Mapping[int, Blocked],
) -> Song | None:
    """The notes that a queue can hum at once: who waits for a lock goes on waiting."""
    if any(by.cause != "lock" for by in blocked.values()):
        return None
    notes: list[int] = []
    for piece in pieces:
        for one in piece:
            if one.row is not Hum:
                break
            note = one.operand("note")
            assert isinstance(note, int)
            notes.append(note)
        else:
            continue
        break
    starts, now, cycle = [], 0, CYCLES[queue]
    for note in notes:
        if now > ticks:
            break
        starts.append(now)
        now += cycle if note else 2 * cycle
    return Song(rack, notes, starts, cycle) if len(starts) > 1 else None


# -- what can be looked at


def _locks(rack: Rack) -> Seen:
    """The queue that holds each lock; nobody knows of one that is free."""
    held = np.array(rack.locks, np.int32)
    rows = tuple((str(n), NAMES[queue]) for n, queue in enumerate(rack.locks) if queue != FREE)
    return Seen(held, held != FREE, heads=(">lock", "held by"), rows=rows)


def _belt(rack: Rack) -> Seen:
    """The entries in their order, and places that are free."""
    held, count = np.zeros(rack.belt.capacity, np.int32), len(rack.belt)
    held[:count] = list(rack.belt)
    said = f"{count} of {rack.belt.capacity} entries" if count else ""
    return Seen(held, np.arange(rack.belt.capacity) < count, summary=said)


def _plate(rack: Rack) -> Seen:
    """The tick until which it is hot."""
    now = rack.around.now
    return Seen(
        np.array(rack.hot, np.int32), summary=f"hot until {rack.hot}" if now < rack.hot else ""
    )


def _tape(rack: Rack) -> Seen:
    """What was recorded, and how much is still to be."""
    left = np.array(rack.left, np.int32)
    rows = [
        (NAMES[queue], str(n), instruction.row.name)
        for queue, tape in enumerate(rack.tapes)
        for n, instruction in enumerate(tape)
    ]
    return Seen(left, heads=("engine", ">place", "instruction"), rows=tuple(rows))


# -- and be set by hand


def _put_locks(rack: Rack, values: Array, which: Mask) -> None:
    """Give locks to queues, or free them."""
    wrong = values[which & ~np.isin(values, (FREE, 0, 1))]
    if len(wrong):
        raise Refused("E0301", f"a lock is held by queue 0 or 1, or -1 for free, found {wrong[0]}")
    for n in np.flatnonzero(which).tolist():
        rack.locks[n] = int(values[n])


def _put_belt(rack: Rack, values: Array, which: Mask) -> None:
    """Change entries that are there."""
    entries = list(rack.belt)
    if which[len(entries) :].any():
        raise Refused("E0822", f"the belt has {len(entries)} entries")
    for n in np.flatnonzero(which).tolist():
        entries[n] = int(values[n])
    rack.belt.restore(entries)


def _put_plate(rack: Rack, values: Array, which: Mask) -> None:
    rack.hot = int(values)


PARTS = (
    Part(
        "lock",
        "the locks, and the queue that holds each",
        _locks,
        tuple(f"lock{n}" for n in range(4)),
        put=_put_locks,
        words={f"lock{n}": {"free": FREE, "alpha": 0, "beta": 1} for n in range(4)},
    ),
    Part("belt", "a belt of two entries", _belt, put=_put_belt),
    Part("plate", "the tick until which the plate is hot", _plate, put=_put_plate),
    Part("tape", "what each queue has recorded", _tape, by_queue=True),
)
