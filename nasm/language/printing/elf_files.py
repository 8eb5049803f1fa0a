"""The words of a coprocessor that are in the code of RISC-V cores, in ELF files."""

from __future__ import annotations

import struct
from typing import Final

from nasm.base.elf_files import ElfFile, is_elf
from nasm.base.records import dataclass
from nasm.isa.words import Spelling, Words

_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class ElfStretch:
    """Words of a coprocessor in a function, or in a section: each with its address."""

    name: str
    address: int
    words: tuple[tuple[int, int], ...]


def words_in_code(name: str, data: bytes, words: Words, form: Spelling) -> list[ElfStretch]:
    """The words in the code of a file, in the order of their places; raises Failure.

    What is an instruction of ``words`` in this form is none of the core: the lowest two bits of its
    instructions are 3, and would be the highest of an opcode. Where functions have sizes, only they
    are code.
    """
    file = ElfFile(name, data)
    found = []
    for title, address, code in file.code():
        made = []
        for at in range(0, len(code) - _BYTES + 1, _BYTES):
            (bits,) = struct.unpack_from("<I", code, at)
            word = form.read(bits)
            if not words.reason(word):
                made.append((address + at, word))
        if made:
            found.append(ElfStretch(title, address, tuple(made)))
    return found


__all__ = ["ElfStretch", "is_elf", "words_in_code"]
