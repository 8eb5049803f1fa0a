"""All instruction words of each generation, by mnemonic and by opcode, as rows in ``isa/`` declare.

Names and order of operands are those of the official macros (tt-llk, ``assembly.yaml`` of each
generation), meanings and other names those of the ISA documentation, which wins where they differ.
"""

from __future__ import annotations

from typing import Final

from nasm.targets.tensix.words.word import Fields, Word

FIRST: Final = "wormhole"
"""The generation whose words the table of instructions has; others have theirs as variants."""


class WordTable:
    """The words of a generation, by mnemonic and by opcode."""

    def __init__(self) -> None:
        self.by_name: dict[str, Word] = {}
        self.by_opcode: dict[int, Word] = {}

    def declare(self, word: Word) -> None:
        """Add a word; raises TypeError if its mnemonic or its opcode is taken."""
        other = self.by_name.get(word.mnemonic) or self.by_opcode.get(word.opcode)
        if other is not None:
            text = f"{word.mnemonic} and {other.mnemonic}: one mnemonic or opcode, two rows"
            raise TypeError(text)
        self.by_name[word.mnemonic] = self.by_opcode[word.opcode] = word

    def fields_of(self, mnemonic: str, word: int) -> Fields:
        """Every field of a word of an instruction, by name."""
        return self.by_name[mnemonic].fields_of(word)


TABLES: Final[dict[str, WordTable]] = {FIRST: WordTable()}
"""Every table, by the name of the generation."""

WORDS: Final = TABLES[FIRST].by_name
"""The words of the first generation by mnemonic."""

OPCODES: Final = TABLES[FIRST].by_opcode
"""The words of the first generation by opcode."""
