"""What cores execute when a run begins: their lines as words in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from nasm.base.problems import Failure, Refused
from nasm.isa.core_state import EngineLines, Surroundings
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.engine_names import CORES, HARTS, QUEUES
from nasm.targets.tensix.memory_map import LOCAL
from nasm.targets.tensix.risc_state import IRAM_BYTES, NC
from nasm.targets.tensix.riscv import cores
from nasm.targets.tensix.riscv.code import FORMS, IRAM, RiscCode
from nasm.targets.tensix.riscv.feeding import FED_ROWS
from nasm.targets.tensix.riscv.late import press
from nasm.targets.tensix.state import U8, L1Bytes


def _coded(lines: EngineLines | None) -> bool:
    """Whether lines are RISC-V code."""
    return lines is not None and len(lines) > 0 and lines.instruction(0).row.name in FORMS


def _feeds(lines: EngineLines) -> bool:
    """Whether lines represent what RISC-V code pushes."""
    return len(lines) > 0 and lines.instruction(0).row.name in FED_ROWS


def lines_of(around: Surroundings) -> dict[str, Any]:
    """The lines of threads that are pushed, and whether it is RISC-V code that pushes."""
    coded = [_coded(around.lines(engine)) for engine in HARTS]
    lines, fed = [], []
    for core, queue in zip(CORES, QUEUES, strict=True):
        own = around.lines(queue)
        fed.append(any(coded) and own is not None and _feeds(own))
        lines.append(None if around.lines(core) is None and not fed[-1] else own)
    return {"lines": tuple(lines), "fed": tuple(fed)}


class WatchedL1:
    """L1 of a tile with code in it: which of its words are overwritten is noted."""

    CACHES: Final = ("l1", "core", "low", "high", "words", "coded")

    def __init__(self, l1: L1Bytes, core: Tensix, words: Mapping[int, int]) -> None:
        self.l1, self.core, self.words = l1, core, words
        self.low, self.high = min(words), max(words) + 4
        size = (self.high - self.low) // 4
        self.coded = np.zeros(size, np.bool_)
        self.coded[(np.fromiter(words, np.int64) - self.low) // 4] = True
        core.overwritten, core.code_low = np.zeros(size, np.bool_), self.low

    def read(self, address: int, count: int) -> U8:
        """A copy of some bytes."""
        return self.l1.read(address, count)

    def write(self, address: int, data: U8) -> None:
        """Put bytes at an address."""
        self.l1.write(address, data)
        if address < self.high and address + len(data) > self.low:
            self._note(address, len(data))

    def has_code(self, address: int, count: int) -> bool:
        """Whether some bytes are code."""
        first, last = self._words(address, count)
        return bool(self.coded[first:last].any())

    def _words(self, address: int, count: int) -> tuple[int, int]:
        """Which of the words from the first to the last of code some bytes are in."""
        first = max(address - self.low, 0) // 4
        return first, max(first, -(-(min(address + count, self.high) - self.low) // 4))

    def _note(self, address: int, count: int) -> None:
        core, low = self.core, self.low
        first, last = self._words(address, count)
        for at in (first + self.coded[first:last].nonzero()[0]).tolist():
            word = low + 4 * at
            found = int.from_bytes(self.l1.read(word, 4).tobytes(), "little")
            core.altered -= int(core.overwritten[at])
            core.overwritten[at] = found != self.words[word]
            core.altered += int(core.overwritten[at])


def code_in(core: Tensix, address: int, count: int) -> bool:
    """Whether some bytes of L1 are code of the tile's cores."""
    return isinstance(core.l1, WatchedL1) and core.l1.has_code(address, count)


def begin(core: Tensix) -> None:
    """Put the code of every core where it begins; raises Refused or Failure."""
    made: list[RiscCode | None] = []
    for number, engine in enumerate(HARTS):
        lines = core.around.lines(engine)
        if lines is None or not _coded(lines):
            made.append(None)
            continue
        risc = core.riscs[number]
        base = cores.reset_pc(core, number) if risc.base < 0 else risc.base
        code = RiscCode(lines, base, core.chip.name)
        for address, data in code.image():
            try:
                _put(core, number, address, data)
            except Refused as refused:
                raise Failure(refused.at(code.span(address))) from None
        made.append(code)
    core.codes, core.press = tuple(made), press
    core.coded = tuple(code is not None for code in made)
    words = _words(made)
    if words:
        core.l1 = WatchedL1(core.l1, core, words)


def _words(codes: Iterable[RiscCode | None]) -> dict[int, int]:
    """The words of code in L1; raises Refused where two cores have others at one address."""
    found: dict[int, int] = {}
    for code in codes:
        if code is None:
            continue
        for address, word in code.words.items():
            if address < LOCAL and found.setdefault(address, word) != word:
                message = f"two cores have code at {address:#x}"
                raise Failure(Refused("E0301", message).at(code.span(address)))
    return found


def _put(core: Tensix, number: int, address: int, data: U8) -> None:
    if not len(data):
        return
    if address < LOCAL:
        core.l1.write(address, data)
        return
    local = core.riscs[number].local
    if address >= LOCAL and address + len(data) <= LOCAL + 4 * len(local):
        first = (address - LOCAL) // 4
        local[first : first + len(data) // 4] = data.view("<u4")
        return
    has = number == NC and core.chip.cores.instruction_memory
    if not has or address + len(data) > IRAM + IRAM_BYTES:
        raise Refused("E0701", f"{address:#x} is in no memory that the core has")
    first = address - IRAM
    core.iram[first : first + len(data)] = np.asarray(data)
    core.iram_known[first : first + len(data)] = True
