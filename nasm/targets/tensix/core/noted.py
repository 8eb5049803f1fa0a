"""What an instruction reads of the configuration and of the registers of its thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from nasm.targets.tensix.state import Coprocessor

WORD_BYTES = 4


class NotedReads(NamedTuple):
    """The numbers of what was read: words of the configuration, registers."""

    config: list[int]
    registers: list[int]


class Noted(np.ndarray[Any, Any]):
    """Words that note which of them are read: a bank and a word, a register or some, or halves."""

    seen: list[int]

    def __array_finalize__(self, obj: Any) -> None:
        self.seen = getattr(obj, "seen", [])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], int):
            self.seen.append(key[1])
        elif isinstance(key, int):
            self.seen.append(key * self.itemsize // WORD_BYTES)
        elif isinstance(key, slice):
            self.seen.extend(range(*key.indices(len(self)))[:WORD_BYTES])
        return np.asarray(self)[key]


def noted(array: Any) -> Noted:
    """The same words, noting what is read of them from now on."""
    made: Noted = array.view(Noted)
    made.seen = []
    return made


@contextmanager
def reading(core: Coprocessor, thread: int) -> Iterator[NotedReads]:
    """Note what is read, in addition to what notes it already."""
    config, own = core.config, core.threads[thread]
    registers = own.registers
    if isinstance(config, Noted) and isinstance(registers, Noted):
        yield NotedReads(config.seen, registers.seen)
        return
    words, numbers = noted(config), noted(registers)
    core.config, own.registers = words, numbers
    try:
        yield NotedReads(words.seen, numbers.seen)
    finally:
        core.config, own.registers = config, registers
