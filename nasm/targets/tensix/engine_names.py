"""What the engines of a tile are called."""

from __future__ import annotations

from typing import Final

QUEUES: Final = ("t0", "t1", "t2")
"""The three threads, each of which issues every instruction."""

CORES: Final = tuple(f"trisc{queue[1:]}" for queue in QUEUES)
"""The RISC-V core of each thread, which pushes the instructions of that."""

OTHER_CORES: Final = ("brisc", "ncrisc")
"""RISC-V B, which may push to every thread, and NC, which pushes to none."""

HARTS: Final = (*CORES, *OTHER_CORES)
"""The engines that are RISC-V cores, in the order of their numbers."""

LETTERS: Final = ("T0", "T1", "T2", "B", "NC")
"""What the documentation calls each."""

RISCV_PREFIX: Final = "rv_"
"""What names of RISC-V instructions begin with, which lines of these engines may leave out."""
