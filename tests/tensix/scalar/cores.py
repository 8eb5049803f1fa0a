"""A coprocessor for tests, with L1 as an array of bytes."""

from __future__ import annotations

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.state import U8, Coprocessor


class Flat:
    """L1 as an array."""

    def __init__(self) -> None:
        self.bytes = np.zeros(WORMHOLE.l1_bytes, np.uint8)

    def read(self, address: int, count: int) -> U8:
        self._inside(address, count)
        return self.bytes[address : address + count].copy()

    def write(self, address: int, data: U8) -> None:
        self._inside(address, len(data))
        self.bytes[address : address + len(data)] = data

    def _inside(self, address: int, count: int) -> None:
        if not 0 <= address <= WORMHOLE.l1_bytes - count:
            raise Refused("E0305", f"L1 has no byte {address}")


def made() -> Coprocessor:
    """As it is at reset."""
    return Coprocessor(Flat())
