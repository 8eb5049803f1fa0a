"""The generators, one lane and one word at a time, in Python's integers."""

from __future__ import annotations

MASK = 0xFFFFFFFF


def splitmix32(value: int) -> int:
    """A seed scattered over 32 bits."""
    z = (value + 0x9E3779B9) & MASK
    z = ((z ^ (z >> 16)) * 0x21F0AAAD) & MASK
    z = ((z ^ (z >> 15)) * 0x735A2D97) & MASK
    return z ^ (z >> 15)


class Lfsr:
    """A 32-bit Galois LFSR with taps 32, 22, 2, 1: 32 steps a word."""

    def __init__(self, seed: int, lane: int) -> None:
        self.state = splitmix32((seed + lane) & MASK) or 1

    def round(self) -> list[int]:
        """The next word."""
        for _ in range(32):
            dropped = self.state & 1
            self.state >>= 1
            if dropped:
                self.state ^= (1 << 31) | (1 << 21) | (1 << 1) | (1 << 0)
        return [self.state]


class Xorwow:
    """Marsaglia's xorwow; ``words`` are x, y, z, w, v, d of each stream of a lane."""

    def __init__(self, words: list[int]) -> None:
        self.streams = [words[n : n + 6] for n in range(0, len(words), 6)]

    @staticmethod
    def unseeded(lane: int, words: int) -> Xorwow:
        """What a run begins with."""
        return Xorwow([splitmix32(lane * words + j) for j in range(words)])

    @property
    def words(self) -> list[int]:
        return [word for stream in self.streams for word in stream]

    def round(self) -> list[int]:
        """The next word of each stream."""
        made = []
        for stream in self.streams:
            x, y, z, w, v, d = stream
            t = x ^ (x >> 2)
            x, y, z, w = y, z, w, v
            v = (v ^ (v << 4) ^ t ^ (t << 1)) & MASK
            d = (d + 362437) & MASK
            stream[:] = [x, y, z, w, v, d]
            made.append((v + d) & MASK)
        return made


Lane = Lfsr | Xorwow


def draw(lane: Lane, count: int) -> list[int]:
    """So many words of a lane, stream by stream; what the last round makes too much is lost."""
    words: list[int] = []
    while len(words) < count:
        words += lane.round()
    return words[:count]


def uniform(word: int) -> float:
    """24 bits as a number from 0 up to 1."""
    return (word >> 8) / 2**24
