"""All instruction words of Wormhole by mnemonic and by opcode, as rows in ``isa/`` declare them.

Names and order of operands are those of the official macros (tt-llk, ``assembly.yaml`` of Wormhole
B0), meanings and other names those of the ISA documentation, which wins where the two differ.
"""

from __future__ import annotations

from typing import Final

from nasm.targets.tensix.words.word import Word

WORDS: Final[dict[str, Word]] = {}
"""Every word by its mnemonic."""

OPCODES: Final[dict[int, Word]] = {}
"""Every word by its opcode."""


def declare(word: Word) -> None:
    """Add the word of a row; raises TypeError if its mnemonic or its opcode is taken."""
    other = WORDS.get(word.mnemonic) or OPCODES.get(word.opcode)
    if other is not None:
        raise TypeError(f"{word.mnemonic} and {other.mnemonic}: one mnemonic or opcode, two rows")
    WORDS[word.mnemonic] = OPCODES[word.opcode] = word
