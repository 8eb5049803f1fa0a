"""Sentences as tokens: words in lower case, each split into the longest known pieces.

This is the tokenizer of uncased BERT: accents are dropped, punctuation and ideographs are words of
their own, and pieces within a word begin with ##.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from minilm_weights import Weights, hashed

BEGIN, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
LONGEST = 100
"""Characters of a word; a longer one is unknown."""

IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Tokenizer:
    """Makes numbers of sentences, as the vocabulary of some weights has them."""

    def __init__(self, weights: Weights) -> None:
        self._numbers = {word: number for number, word in enumerate(weights.words)}
        self._vocabulary = weights.config.vocabulary

    def tokens(self, sentence: str, most: int) -> list[int]:
        """A sentence between its marks, cut to ``most`` tokens."""
        found = [self._number(piece) for word in words(sentence) for piece in self._pieces(word)]
        return [self._number(BEGIN), *found[: most - 2], self._number(END)]

    def _number(self, piece: str) -> int:
        return self._numbers[piece] if self._numbers else hashed(piece, self._vocabulary)

    def _pieces(self, word: str) -> list[str]:
        if not self._numbers:
            return [word]
        pieces, first = [], 0
        while first < len(word) <= LONGEST:
            for last in range(len(word), first, -1):
                piece = ("##" if first else "") + word[first:last]
                if piece in self._numbers:
                    pieces.append(piece)
                    first = last
                    break
            else:
                return [UNKNOWN]
        return pieces or [UNKNOWN]


def words(sentence: str) -> Sequence[str]:
    """The words of a sentence, and its punctuation."""
    return "".join(_spaced(sentence)).split()


def _spaced(sentence: str) -> Iterator[str]:
    for char in unicodedata.normalize("NFD", _cleaned(sentence).lower()):
        category = unicodedata.category(char)
        if category == "Mn":  # an accent
            continue
        alone = _punctuation(char, category) or any(a <= ord(char) <= b for a, b in IDEOGRAPHS)
        yield f" {char} " if alone else char


def _cleaned(sentence: str) -> str:
    """Without control characters; any white space is a blank."""
    kept = []
    for char in sentence:
        if char in "\t\n\r" or unicodedata.category(char) == "Zs":
            kept.append(" ")
        elif char not in "\0\ufffd" and not unicodedata.category(char).startswith("C"):
            kept.append(char)
    return "".join(kept)


def _punctuation(char: str, category: str) -> bool:
    """Whether it is one: of ASCII all that is no letter, digit or blank."""
    return category.startswith("P") or (
        char.isascii() and char.isprintable() and (not char.isalnum() and char != " ")
    )
