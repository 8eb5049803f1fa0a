"""Random numbers: the generators of Vector and GpSimd, all lanes at once.

The vendor names the algorithms (an LFSR on Vector up to v3, XORWOW elsewhere) and the number of
words of state, and nothing else. Polynomial, shifts, constants, the order of the words, seeding
and the state before any seed are therefore project-defined, not hardware-exact: a program gets
the same stream from every run, and another one than the hardware gives.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass

Words = NDArray[np.uint32]

LANES = 128
XORWOW_WORDS = 6
BITS = 32
TAPS = 0x80200003
"""Taps 32, 22, 2 and 1 of the LFSR, as the bits that a 1 shifted out flips."""

TERMS = (1, 2, 22, 32)
"""How far back the words are of which the next is the sum: what TAPS makes of 32 steps."""

WEYL = 362437
BLOCK = 512
"""Words per lane that are transposed at a time, few enough for the host's caches."""


class Generator(Protocol):
    """The state of a generator in every lane of an engine.

    It never changes: drawing makes a new one.
    """

    @property
    def states(self) -> Words:
        """The words of every lane."""

    def draw(self, first: int, lanes: int, count: int) -> tuple[Words, Generator]:
        """The next ``count`` words of some lanes, [lanes, count], and the state after them."""


def splitmix32(values: Words) -> Words:
    """Scatter integers over 32 bits, no two equal: seeds become states."""
    z = values + np.uint32(0x9E3779B9)
    z = (z ^ (z >> np.uint32(16))) * np.uint32(0x21F0AAAD)
    z = (z ^ (z >> np.uint32(15))) * np.uint32(0x735A2D97)
    return z ^ (z >> np.uint32(15))


@dataclass(frozen=True, slots=True, eq=False)
class Lfsr:
    """A 32-bit Galois LFSR per lane, 32 steps per word; ``states`` is [128]."""

    states: Words

    @staticmethod
    def seeded(seed: int) -> Lfsr:
        """Lane p starts from splitmix32(seed + p); from 1 where that is 0, which stays 0."""
        states = splitmix32(np.arange(LANES, dtype=np.uint32) + np.uint32(seed & 0xFFFFFFFF))
        return Lfsr(np.where(states == 0, np.uint32(1), states))

    def draw(self, first: int, lanes: int, count: int) -> tuple[Words, Lfsr]:
        """The state after every 32 steps is a word."""
        words = np.empty((count + 1, lanes), np.uint32)
        words[0] = self.states[first : first + lanes]
        tables = _tables()
        for n in range(1, min(count + 1, BITS)):
            words[n] = _stepped(tables, words[n - 1])
        _extend(words)
        states = self.states.copy()
        states[first : first + lanes] = words[count]
        return _by_lane(words[1:]), Lfsr(states)


def _extend(words: Words) -> None:
    """Fill rows from the 32nd on, each the sum of four earlier ones.

    The states obey their polynomial, w[n] = w[n-1] + w[n-2] + w[n-22] + w[n-32], and so does
    every 2**k-th of them: squaring a polynomial over two elements squares its powers. So many
    rows are made at once, ever more.
    """
    done = BITS
    while done < len(words):
        stride = 1 << ((done // BITS).bit_length() - 1)
        end = min(done + stride, len(words))
        near, next_, far, farthest = (words[done - stride * t : end - stride * t] for t in TERMS)
        np.bitwise_xor(near, next_, out=words[done:end])
        words[done:end] ^= far
        words[done:end] ^= farthest
        done = end


@cache
def _tables() -> Words:
    """What each value of each byte of a state becomes in 32 steps; a state's is their sum."""
    images = np.uint32(1) << np.arange(BITS, dtype=np.uint32)
    for _ in range(BITS):
        images = (images >> np.uint32(1)) ^ ((images & np.uint32(1)) * np.uint32(TAPS))
    tables = np.zeros((4, 256), np.uint32)
    for bit in range(BITS):
        byte, place = divmod(bit, 8)
        tables[byte, (np.arange(256) >> place) & 1 == 1] ^= images[bit]
    return tables


def _stepped(tables: Words, states: Words) -> Words:
    """States 32 steps on."""
    parts = [tables[n].take((states >> np.uint32(8 * n)) & np.uint32(255)) for n in range(4)]
    stepped: Words = parts[0] ^ parts[1] ^ parts[2] ^ parts[3]
    return stepped


@dataclass(frozen=True, slots=True, eq=False)
class Xorwow:
    """Marsaglia's xorwow, some streams per lane; ``states`` is [128, streams, 6].

    The words are x, y, z, w, v and d. Element i comes from stream i % streams; the streams
    advance together, so that what the last round makes too much is lost.
    """

    states: Words

    @staticmethod
    def unseeded(streams: int) -> Xorwow:
        """Word j of lane p is splitmix32(p * words + j), words being those of all its streams."""
        states = splitmix32(np.arange(LANES * streams * XORWOW_WORDS, dtype=np.uint32))
        return Xorwow(states.reshape(LANES, streams, XORWOW_WORDS))

    def seeded(self, first: int, words: Words) -> Xorwow:
        """With the words of some lanes, [lanes, streams * 6], in place of theirs."""
        states = self.states.copy()
        some = states[first : first + len(words)]
        some[...] = words.reshape(some.shape)
        return Xorwow(states)

    def words(self, first: int, lanes: int) -> Words:
        """The words of some lanes, [lanes, streams * 6]."""
        held: Words = self.states[first : first + lanes].reshape(lanes, -1)
        return held.copy()

    def draw(self, first: int, lanes: int, count: int) -> tuple[Words, Xorwow]:
        """Each word is v + d after a step."""
        streams = self.states.shape[1]
        rounds = -(-count // streams)
        states = self.states.copy()
        some = states[first : first + lanes].reshape(lanes * streams, XORWOW_WORDS)
        drawn = np.empty((lanes, rounds * streams), np.uint32)
        words = drawn.reshape(lanes, rounds, streams)
        steps = np.arange(1, min(rounds, BLOCK) + 1, dtype=np.uint32) * np.uint32(WEYL)
        line = XorshiftLanes(some[:, :5].T, min(rounds, BLOCK))
        for at in range(0, rounds, BLOCK):
            made = line.on(min(BLOCK, rounds - at))
            made += some[:, 5]
            made += steps[: len(made), None]
            some[:, 5] += steps[len(made) - 1]
            words[:, at : at + BLOCK] = made.reshape(-1, lanes, streams).swapaxes(0, 1)
        some[:, :5] = line.last.T
        return drawn if count == drawn.shape[1] else drawn[:, :count], Xorwow(states)


class XorshiftLanes:
    """The xorshift line of many lanes, a block of rows at a time.

    u[n+5] = u[n+4] ^ u[n+4] << 4 ^ t ^ t << 1 with t = u[n] ^ u[n] >> 2; the part of t is made
    for five rows at once.
    """

    def __init__(self, start: Words, most: int) -> None:
        self.last = np.ascontiguousarray(start)
        self._line = np.empty((most + 5, start.shape[1]), np.uint32)
        self._rows = list(self._line)

    def on(self, count: int) -> Words:
        """The next rows, good until the next call."""
        line, rows = self._line, self._rows
        line[:5] = self.last
        old, moved = np.empty_like(self.last), np.empty_like(self.last)
        added, kept = list(old), np.empty_like(old[0])
        one, two, four = np.uint32(1), np.uint32(2), np.uint32(4)
        for n in range(0, count, 5):
            five = line[n : n + 5]
            np.right_shift(five, two, out=old)
            np.bitwise_xor(old, five, out=old)
            np.left_shift(old, one, out=moved)
            np.bitwise_xor(old, moved, out=old)
            for at in range(min(5, count - n)):
                np.left_shift(rows[n + at + 4], four, out=kept)
                np.bitwise_xor(kept, rows[n + at + 4], out=kept)
                np.bitwise_xor(kept, added[at], out=rows[n + at + 5])
        self.last = line[count : count + 5].copy()
        return line[5 : count + 5]


def _by_lane(rows: Words) -> Words:
    """[count, lanes] as [lanes, count]."""
    result = np.empty(rows.shape[::-1], np.uint32)
    for at in range(0, len(rows), BLOCK):
        result[:, at : at + BLOCK] = rows[at : at + BLOCK].T
    return result
