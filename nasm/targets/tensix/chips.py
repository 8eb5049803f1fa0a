"""What differs between generations for what executes, as data: the configuration, sizes, counts.

A coprocessor has one of these records. What differs in words of instructions is in ``isa/``, what
programs and people see of it in ``generation.py``.
"""

from __future__ import annotations

from typing import Final

from nasm.base.records import dataclass
from nasm.targets.tensix.layouts.layout import ConfigLayout
from nasm.targets.tensix.layouts.wormhole import WORMHOLE_LAYOUT
from nasm.targets.tensix.words import TABLES, WordTable


@dataclass(frozen=True, slots=True, eq=False)
class Chip:
    """A generation, for what executes.

    ``name`` is that of the generation, ``docs`` the documents that describe it. ``l1_bytes`` is the
    size of L1, ``mutexes`` are the numbers of those that there are.
    """

    name: str
    docs: str
    layout: ConfigLayout
    l1_bytes: int
    mutexes: tuple[int, ...]

    @property
    def words(self) -> WordTable:
        """Its instruction words."""
        return TABLES[self.name]


WORMHOLE: Final = Chip(
    "wormhole",
    "Tenstorrent ISA documentation, Wormhole B0",
    WORMHOLE_LAYOUT,
    1464 << 10,
    (0, *range(2, 8)),
)
