"""Tenstorrent Tensix: the coprocessor of a tile of Wormhole B0."""

from __future__ import annotations

from nasm.isa.core_state import Surroundings
from nasm.isa.generation import Generation
from nasm.isa.target import Bursting, Samples, Target
from nasm.isa.words import Spelling, Words
from nasm.targets.tensix.arrangements import ARRANGEMENTS
from nasm.targets.tensix.bursts import burst
from nasm.targets.tensix.causes import CAUSES
from nasm.targets.tensix.core.durations import Durations
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.expansion import expanded, expansion_of, open_recordings
from nasm.targets.tensix.foreign import FOREIGN
from nasm.targets.tensix.generation import GENERATIONS
from nasm.targets.tensix.inspect import PARTS
from nasm.targets.tensix.isa import DATA, ISA
from nasm.targets.tensix.isa.cores import PUSHING
from nasm.targets.tensix.isa.table import CORES, QUEUES
from nasm.targets.tensix.options import AS_SRCA, OPTIONS, OUTER_BUG, SRCB_FORMAT, YES, quirks
from nasm.targets.tensix.settings import SETTINGS
from nasm.targets.tensix.words.word import OPCODE

BITS = 32


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (BITS - by)) & ((1 << BITS) - 1)


def _streamed(word: int) -> int:
    return _rotated(word, 2)


def _read(word: int) -> int:
    return _rotated(word, BITS - 2)


def _no_core_has(bits: int) -> bool:
    """Whether no RISC-V instruction of 32 bits is these: such have 3 in the lowest two."""
    return bits & 3 != 3


TTINSN = Spelling("among RISC-V instructions: rotated left by two", _streamed, _read, _no_core_has)
WORDS = Words(ISA, OPCODE, DATA, {"ttinsn": TTINSN})

SAMPLES = Samples(
    tensors=(), transfer="", outside="l1", fill={}, semaphores="", posts=0, wait="", labelled=""
)


def _new_core(generation: Generation, around: Surroundings) -> Tensix:
    """The coprocessor of a core."""
    options = generation.options
    return Tensix(
        around.memory("l1"),
        around=around,
        quirks=quirks(options),
        outer_bug=options[OUTER_BUG] == YES,
        srcb_as_srca=options[SRCB_FORMAT] == AS_SRCA,
        lines=tuple(
            None if around.lines(core) is None else around.lines(queue)
            for core, queue in zip(CORES, QUEUES, strict=True)
        ),
    )


TARGET = Target(
    name="tensix",
    module=__name__,
    summary="Tenstorrent Tensix: Wormhole B0",
    isa=ISA,
    generations=GENERATIONS,
    samples=SAMPLES,
    options=OPTIONS,
    words=WORDS,
    arrangements=ARRANGEMENTS,
    foreign=FOREIGN,
    holds=_new_core,
    expand=expanded,
    bursting=Bursting(expansion_of, burst),
    unfinished=open_recordings,
    paces={"duration": Durations},
    parts=PARTS,
    causes=CAUSES,
    settings=SETTINGS,
    pushing=PUSHING,
)
