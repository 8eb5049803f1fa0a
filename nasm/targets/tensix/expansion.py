"""What reaches the wait gate in place of an instruction: as instructions, by their words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, TypeVar

from nasm.base.problems import Refused, counted
from nasm.isa.core_state import Blocked, Place, Unfinished
from nasm.isa.micro_instructions import Elsewhere, Expansion, Micro, MicroOrigin
from nasm.isa.words import encoded
from nasm.program.program import Instruction
from nasm.targets.tensix.chips import Chip
from nasm.targets.tensix.core.pushed import PushedWord, front_of
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.front.expanding import (
    EXPANDERS,
    REPLAY_WORDS,
    ExpandedWord,
    ExpanderAction,
    expand,
    expander_name,
    foreseen,
)
from nasm.targets.tensix.front.feeding import Ingested
from nasm.targets.tensix.front.mop import WORDS as MOP_WORDS
from nasm.targets.tensix.isa import DATA, words_on
from nasm.targets.tensix.isa.cores import PUSHING
from nasm.targets.tensix.risc_state import RISC_CORES
from nasm.targets.tensix.riscv import execute, feeding
from nasm.targets.tensix.state import THREADS, U32, Thread
from nasm.targets.tensix.unit_queries import thread_name
from nasm.targets.tensix.words import WORDS as DECLARED
from nasm.targets.tensix.words.units import NOTHING

TEMPLATE, BUFFER = (expander_name(one) for one in (ExpanderAction.TEMPLATE, ExpanderAction.BUFFER))
IDLE: Final = next(name for name, word in DECLARED.items() if word.unit is NOTHING)

TAKEN: Final = 1
"""Cycles that a word takes of which nothing reaches the gate: one that is recorded, for example.

Source: the pages of both expanders in the public ISA documentation of Wormhole B0, by which each
takes one word a cycle. That they do not work ahead while the gate is closed is assumed.
"""

BUBBLE: Final = 1
"""Cycles without a word between what an expanded word makes and one that is not expanded.

Source: the page of the MOP expander in the public ISA documentation of Wormhole B0.
"""


@lru_cache(maxsize=1 << 14)
def instruction_of(chip: Chip, word: int) -> Instruction:
    """The instruction of a word, one object for each; raises Refused if it is none."""
    return Instruction(*words_on(chip.name).decode(word))


@lru_cache(maxsize=1 << 10)
def _instructions(
    chip: Chip, micros: tuple[ExpandedWord, ...], recorded: tuple[tuple[int, int] | None, ...]
) -> Expansion:
    instructions = (_decoded(chip, micro) for micro in micros)
    return Expansion.of(instructions, (_origin(micro, recorded) for micro in micros))


def _origin(
    micro: ExpandedWord, recorded: tuple[tuple[int, int] | None, ...]
) -> MicroOrigin | None:
    """The slot of the expander's template, and of the replay buffer, from which a word came."""
    if micro.played is None:
        return MicroOrigin(f"{micro.slot} of {TEMPLATE}") if micro.slot else None
    of = f"{micro.slot} of {TEMPLATE}, " if micro.slot else ""
    return MicroOrigin(f"{of}{BUFFER} slot {micro.played}", "recorded at", recorded[micro.played])


def _decoded(chip: Chip, micro: ExpandedWord) -> Instruction:
    try:
        return instruction_of(chip, micro.word)
    except Refused as refused:
        if not micro.origin:
            raise
        hint = f"set the word of {micro.origin} before the run: .cfg {_setting(micro)}: {IDLE}"
        if micro.played is not None:
            hint = f"record it first, by {BUFFER} with Load=1, or {hint}"
        raise Refused(refused.code, f"{refused.message}, from {micro.origin}", hint) from None


def _setting(micro: ExpandedWord) -> str:
    """The setting that the word of an expander is."""
    if micro.played is not None:
        return f"{BUFFER}{micro.played}"
    number = next(n for n, words in enumerate(MOP_WORDS) if micro.slot in words)
    return f"{TEMPLATE}{number}_{micro.slot}"


def expanded(
    core: Tensix, thread: int, instruction: Instruction, place: tuple[int, int]
) -> Sequence[Instruction] | Blocked | Elsewhere | None:
    """What a thread executes for an instruction that expands, and while it records.

    The core of a thread pushes what it pushes one by one.
    """
    if thread >= THREADS:
        number = thread - THREADS
        if number < RISC_CORES and core.codes[number] is not None:
            return execute.entered(core, thread, place[1])
        return pushed_singly(instruction)
    if core.fed[thread]:
        return feeding.words(core, thread, place[1], partial(_of_pushed, core, thread))
    if core.lines[thread] is not None:
        return _from_front_end(core, thread, place[1])
    if instruction.row is DATA:
        return None
    word = word_of(instruction)
    micros = expand(core, thread, word, core.outer_bug, place)
    encoding = instruction.row.encoding
    mop = encoding is not None and EXPANDERS.get(encoding.code) is ExpanderAction.TEMPLATE
    late = core.after_mop[thread] and not mop
    if mop != core.after_mop[thread]:
        core.after_mop = _with(core.after_mop, thread, mop)
    if late:
        core.bubble = _with(core.bubble, thread, core.around.now + 1 + BUBBLE)
    if micros == ():
        first = core.around.now + (place[1] > 0)
        core.bubble = _with(core.bubble, thread, max(core.bubble[thread], first) + TAKEN)
    if micros is None:
        return (instruction,) if late else None
    return _instructions(core.chip, micros, core.threads[thread].recorded)


def pushed_singly(instruction: Instruction) -> Sequence[Instruction] | None:
    """The pushes of which one that pushes several is made; None for anything else."""
    if instruction.row.name != PUSHING.row:
        return None
    first, count = (instruction.operand(name) for name in (PUSHING.first, PUSHING.count))
    assert isinstance(first, int)
    assert isinstance(count, int)
    if count == 1:
        return None
    steps = range(first, first + count) if first >= 0 else [first] * count
    return tuple(_single(instruction, step) for step in steps)


@lru_cache(maxsize=1 << 12)
def _single(instruction: Instruction, first: int) -> Instruction:
    operands = list(instruction.operands)
    operands[instruction.row.position[PUSHING.count]] = 1
    operands[instruction.row.position[PUSHING.first]] = first
    return Instruction(instruction.row, tuple(operands))


def _from_front_end(
    core: Tensix, thread: int, pc: int
) -> Sequence[Instruction] | Blocked | Elsewhere | None:
    """What a thread executes for a line that its core has pushed, once its expanders have it."""
    front = front_of(core, thread)
    if front.lines:
        first, *rest = front.lines
        if first.pc != pc:
            return Elsewhere(first.pc)
        front.lines, front.passing = tuple(rest), first.number
        micros = first.micros
        if isinstance(micros, Refused):
            raise micros
        return micros and _instructions(core.chip, micros, core.threads[thread].recorded)
    if front.pushed:
        if front.pushed[0][1] != pc:
            return Elsewhere(front.pushed[0][1])
        reason, until = "it is still in front of the expanders", front.next_step(core.around.now)
    else:
        reason, until = f"the RISC-V core of {thread_name(thread)} has not pushed it", None
    on = (f"front {thread}",)
    return Blocked("host", reason, until, by=(THREADS + thread,), on=on)


def _of_pushed(core: Tensix, thread: int, first: Ingested) -> Sequence[Instruction]:
    """What a thread executes for a word that RISC-V code has pushed."""
    if isinstance(first.micros, Refused):
        raise first.micros
    if first.micros is not None:
        return _instructions(core.chip, first.micros, core.threads[thread].recorded)
    assert isinstance(first.pc, PushedWord)
    origin = MicroOrigin("a word", "pushed at", first.pc.place)
    return Expansion.of((instruction_of(core.chip, int(first.pc)),), (origin,))


def open_recordings(core: Tensix) -> Iterator[Unfinished]:
    """The recordings that threads have left open."""
    for number, own in enumerate(core.threads):
        if own.recording.left:
            left = counted(own.recording.left, "more instruction")
            text = f"ends while {BUFFER} waits for {left} to record"
            if not own.recording.executes:
                text += "; what it has recorded since was not executed"
            yield Unfinished(number, text, f"give {BUFFER} the count of the instructions after it")


Executed = Callable[[], Sequence[tuple[Instruction, tuple[int, int]]]]
"""What comes before an instruction and is executed itself, but for the first, with its places."""


def expansion_of(
    core: Tensix, thread: int, instruction: Instruction, executed: Executed
) -> Sequence[Instruction] | None:
    """What a thread would execute for an instruction; None where that changes the expanders.

    What is executed while it is recorded is the instruction itself: see ``record``. After the last
    one of those it is played as it will be recorded then.
    """
    if thread >= THREADS or core.lines[thread] is not None:
        return None
    expander = _expander_of(instruction)
    if instruction.row is DATA or (expander is ExpanderAction.TEMPLATE) != core.after_mop[thread]:
        return None
    own = core.threads[thread]
    if expander is None:
        recording = own.recording
        return None if recording.left and not recording.executes else (instruction,)
    replay, recorded = own.replay, own.recorded
    if own.recording.left:
        later = _recorded(own, executed())
        if later is None:
            return None
        replay, recorded = later
    try:
        micros = foreseen(own, replay, word_of(instruction), core.outer_bug)
        return None if micros is None else _instructions(core.chip, micros, recorded)
    except Refused:
        return None


def _recorded(
    own: Thread, executed: Sequence[tuple[Instruction, tuple[int, int]]]
) -> tuple[U32, tuple[tuple[int, int] | None, ...]] | None:
    """The replay buffer after some instructions, and the places of what it holds.

    None where a thread still records then, or records what it does not execute.
    """
    recording = own.recording
    if not recording.executes or len(executed) < recording.left:
        return None
    replay, recorded = own.replay.copy(), list(own.recorded)
    for number, (one, place) in enumerate(executed[: recording.left], recording.index):
        replay[number % REPLAY_WORDS] = word_of(one)
        recorded[number % REPLAY_WORDS] = place
    return replay, tuple(recorded)


def record(core: Tensix, thread: int, words: Iterable[tuple[int, Place]]) -> None:
    """Record words, of which each has its place, where a thread records what it executes."""
    for word, place in words:
        if not core.threads[thread].recording.left:
            return
        if isinstance(place, tuple) and type(place[1]) is not Micro:
            expand(core, thread, word, core.outer_bug, place)


def _expander_of(instruction: Instruction) -> ExpanderAction | None:
    encoding = instruction.row.encoding
    return None if encoding is None else EXPANDERS.get(encoding.code)


@lru_cache(maxsize=1 << 14)
def word_of(instruction: Instruction) -> int:
    """The word of an instruction."""
    return encoded(instruction.row, instruction.operands)


@lru_cache(maxsize=1 << 12)
def words_of(instructions: tuple[Instruction, ...]) -> tuple[int, ...]:
    """The words of some instructions."""
    return tuple(map(word_of, instructions))


T = TypeVar("T")


def _with(values: tuple[T, T, T], thread: int, value: T) -> tuple[T, T, T]:
    first, second, third = (value if t == thread else v for t, v in enumerate(values))
    return first, second, third
