"""Tenstorrent Tensix: the coprocessor of a tile of Wormhole B0 or of Blackhole A0."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from nasm.isa.core_state import Surroundings, Unfinished
from nasm.isa.generation import Generation
from nasm.isa.target import Bursting, CodeWords, GenerationModel, Samples, Target
from nasm.targets.tensix.arrangements import ARRANGEMENTS
from nasm.targets.tensix.bursts import burst, leads
from nasm.targets.tensix.causes import CAUSES
from nasm.targets.tensix.chips import CHIPS
from nasm.targets.tensix.core.durations import Durations
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.engine_names import HARTS
from nasm.targets.tensix.ethernet.host_lines import HostLines
from nasm.targets.tensix.expansion import expanded, expansion_of, open_recordings
from nasm.targets.tensix.foreign import FOREIGN
from nasm.targets.tensix.generation import GENERATIONS
from nasm.targets.tensix.inspect import parts_of
from nasm.targets.tensix.isa import ISA, network_waits, rows_on, words_on
from nasm.targets.tensix.isa.added_lines import added_lines
from nasm.targets.tensix.isa.cores import LABELLED, PUSHING
from nasm.targets.tensix.noc.chip_map import MAPS
from nasm.targets.tensix.noc.links import Links
from nasm.targets.tensix.options import (
    AS_SRCA,
    BRANCHES,
    MISPREDICTED,
    OPTIONS,
    OUTER_BUG,
    SRCB_FORMAT,
    YES,
    quirks,
)
from nasm.targets.tensix.riscv import code_words, elf_text, loading
from nasm.targets.tensix.riscv.cores import held_in_reset
from nasm.targets.tensix.settings import settings_of


@cache
def _model(generation: str) -> GenerationModel:
    """What is a generation's own."""
    chip = CHIPS[generation]
    settings = settings_of(chip)
    return GenerationModel(
        rows_on(generation), words_on(generation), settings, parts_of(chip.layout, settings)
    )


SAMPLES = Samples(
    tensors=(),
    transfer="",
    outside="l1",
    fill={},
    semaphores="",
    posts=0,
    wait="",
    labelled=LABELLED,
)


def _new_core(generation: Generation, around: Surroundings) -> Tensix:
    """The coprocessor of a core."""
    options, chip = generation.options, CHIPS[generation.name]
    return Tensix(
        around.memory("l1"),
        around=around,
        chip=chip,
        words=words_on(generation.name),
        quirks=quirks(generation.name, options),
        outer_bug=options[OUTER_BUG] == YES,
        branch_cycles=chip.cores.mispredicted if options[BRANCHES] == MISPREDICTED else 1,
        srcb_as_srca=options[SRCB_FORMAT] == AS_SRCA,
        **loading.lines_of(around),
    )


def _left_open(core: Tensix) -> Iterator[Unfinished]:
    """What the engines of a core have left open, and what keeps some from beginning."""
    yield from open_recordings(core)
    yield from held_in_reset(core)


TARGET = Target(
    name="tensix",
    module=__name__,
    summary="Tenstorrent Tensix: Wormhole B0 and Blackhole A0",
    isa=ISA,
    generations=GENERATIONS,
    samples=SAMPLES,
    options=OPTIONS,
    model=_model,
    arrangements=ARRANGEMENTS,
    foreign=FOREIGN,
    network=lambda generation: Links(MAPS[generation.name]),
    outside=HostLines,
    holds=_new_core,
    expand=expanded,
    bursting=Bursting(expansion_of, burst, leads),
    unfinished=_left_open,
    paces={"duration": Durations},
    causes=CAUSES,
    pushing=PUSHING,
    binaries={elf_text.ENDING: elf_text.text_of},
    added=added_lines,
    begins=loading.begin,
    code_in=loading.code_in,
    code=CodeWords(HARTS, code_words.words_of, code_words.lines_of),
    waiting=network_waits.WAITING,
)
