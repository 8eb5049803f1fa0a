"""A memory of bytes for a core alone."""

from __future__ import annotations


class FlatMemory:
    """Bytes from an address on, and what was pushed."""

    def __init__(self, base: int, size: int) -> None:
        self.base, self.data = base, bytearray(size)
        self.pushed: list[int] = []

    def put(self, address: int, data: bytes) -> None:
        """Write some bytes."""
        self.data[address - self.base : address - self.base + len(data)] = data

    def fetch(self, address: int) -> int:
        """A word."""
        return self.load(address, 4)

    def load(self, address: int, size: int) -> int:
        """So many bytes."""
        at = address - self.base
        assert 0 <= at <= len(self.data) - size, hex(address)
        return int.from_bytes(self.data[at : at + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        """Write so many bytes."""
        at = address - self.base
        assert 0 <= at <= len(self.data) - size, hex(address)
        self.data[at : at + size] = value.to_bytes(size, "little")

    def push(self, word: int) -> None:
        """Remember a word."""
        self.pushed.append(word)
