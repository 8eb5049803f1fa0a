"""All instruction words of Wormhole, as data: opcodes, units, fields.

Names and order of operands are those of the official macros (tt-llk, ``assembly.yaml`` of Wormhole
B0), meanings and other names those of the ISA documentation, which wins where the two differ.
"""

from __future__ import annotations

from collections.abc import Mapping

from nasm.targets.tensix.words import config, frontend, matrix, misc, moving, scalar, sync, vector
from nasm.targets.tensix.words.word import Word

TABLES = (frontend, sync, scalar, config, misc, moving, matrix, vector)

WORDS: Mapping[str, Word] = {w.mnemonic: w for table in TABLES for w in table.WORDS}
"""Every word by its mnemonic."""
