"""The fields of a word by all of their names: official arguments and those of the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from nasm.targets.tensix.words import WORDS

Fields = Mapping[str, int]


@lru_cache(maxsize=1 << 14)
def fields_of(mnemonic: str, word: int) -> Fields:
    """Every field of a word, by name."""
    encoding = WORDS[mnemonic].encoding
    return {one.name: one.get(word) for one in encoding.fields()}
