"""The code of a core as words, from its first address on, and words as lines of a core."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final, cast

from nasm.base.elf_files import ElfSegment
from nasm.base.problems import Refused
from nasm.isa.core_state import Surroundings
from nasm.program.queue_lines import QueueLines
from nasm.targets.tensix.chips import CHIPS
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.engine_names import HARTS
from nasm.targets.tensix.riscv import cores
from nasm.targets.tensix.riscv.code import FORMS, RiscCode
from nasm.targets.tensix.riscv.elf_text import CodeText
from nasm.targets.tensix.state import L1Bytes

MOST: Final = 1 << 19
"""Words of a file, from the first to the last."""


def words_of(program: Any, queue: int) -> list[int] | None:
    """The words of a queue with code, with zeros where it has none; None for any other queue.

    Raises Failure or Refused.
    """
    lines = QueueLines(program, queue)
    engine = program.queues[queue].engine
    if engine not in HARTS or not len(lines) or lines.instruction(0).row.name not in FORMS:
        return None
    base = _base(program, program.queues[queue].core, HARTS.index(engine))
    code = RiscCode(lines, base, program.generation.name)
    if not code.words:
        return []
    first, last = min(code.words), max(code.words)
    count = (last - first) // 4 + 1
    if count > MOST:
        message = f"the code of @{engine} is from {first:#x} to {last + 3:#x}, too far apart"
        raise Refused("E0601", f"{message} for a file of words", "an ELF file has segments")
    found = [0] * count
    for address, word in code.words.items():
        found[(address - first) // 4] = word
    return found


def _base(program: Any, core: int, number: int) -> int:
    """Where a core begins, by what a program sets."""
    chip = CHIPS[program.generation.name]
    held = Tensix(cast(L1Bytes, None), around=cast(Surroundings, None), chip=chip)
    settings = program.target.settings(program.generation)
    engines = [engine.name for engine in program.generation.engines]
    for one in program.settings:
        if one.core == core:
            thread = engines.index(one.engine) if one.engine else 0
            settings.put(held, thread, settings.named(one.name), one.value)
    return cores.reset_pc(held, number)


def lines_of(engine: str, words: Sequence[int], generation: str) -> list[str]:
    """Words as lines of a core of a generation, the first where it begins after a reset."""
    first = cores.RESET_PCS[HARTS.index(engine)]
    segment = ElfSegment(first, struct.pack(f"<{len(words)}I", *words), 0, True)
    return list(CodeText([segment], (), generation).lines(segment))
