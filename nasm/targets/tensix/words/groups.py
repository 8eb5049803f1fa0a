"""What programs may set by name, in groups: each has the instructions that write it, in rows."""

from __future__ import annotations

from enum import Enum
from typing import Final


class SettingGroup(Enum):
    """Settings that belong together, as the row of an instruction that writes them says.

    Of settings that no instruction writes as a setting does, it is the row of the instruction whose
    page documents them.
    """

    THREAD = "all of a word of a thread's configuration"
    WORD = "all of a word of a bank, from a general register"
    BYTE = "bits of a byte of a word of a bank; a row for each byte, the lowest first"
    REGISTER = "half a general register"
    SEMAPHORE = "the value and the maximum of semaphores"
    MUTEX = "who holds a mutex"
    MASK = "the upper half of the mask of a template"
    DESCRIPTOR = "the descriptors of unpackers"
    STORE = "anything that the RISC-V core of a thread reaches by its address"
    LOAD = "nothing, but the core waits for what it loads"


WRITERS: Final[dict[SettingGroup, list[str]]] = {}
"""The mnemonics by group, as rows declare them."""


def writer(group: SettingGroup, number: int = 0) -> str:
    """The mnemonic of what writes a group."""
    return WRITERS[group][number]
