"""Memories of a run by byte address, for what is outside of it: each write is a change by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nasm.debugger.changing.changes import SetBytes, addressed
from nasm.debugger.moving.past import Redoable
from nasm.runs.execution import Execution


class CoreBytes:
    """The bytes of a core's memory now, read as they are."""

    def __init__(
        self, run: Execution, change: Callable[[Redoable], object], memory: str, core: int
    ) -> None:
        self.run, self.change, self.memory, self.core = run, change, memory, core

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some bytes; raises Refused where the memory has none."""
        return addressed(self.run.machine, self.memory, self.core).look(address, count)

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put bytes at an address; raises Refused where the memory has none, or has code."""
        text = f"{len(data)} bytes of {self.memory} at {address:#x}"
        values = np.array(data, np.uint8)
        self.change(SetBytes(text, self.memory, self.core, address, values))
