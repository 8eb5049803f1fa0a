"""Tiles that a matmul has spread over the partitions: read where they are, in PSUM, if they can be.

An operand that cannot be in PSUM, or is the second that would be, gets a copy in SBUF: one, made
when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from nasm.nki.names import MemoryRegion
from nasm.nki.tensor import NkiTensor
from nasm.spec.instruction import Row
from nasm.spec.kinds import Tile


class Spare:
    """The copy in SBUF of a tile in PSUM: made by ``make`` when it is needed."""

    def __init__(self, make: Callable[[], NkiTensor]) -> None:
        self.make = make
        self.made: dict[int, NkiTensor] = {}

    def of(self, view: NkiTensor, body: object) -> NkiTensor:
        """A view of the copy, which is made once in each body of a loop."""
        found = self.made.get(id(body))
        if found is None:
            found = self.made[id(body)] = self.make()
        there = replace(view.view_, tensor=found.view_.tensor)
        return NkiTensor(there, MemoryRegion.sbuf, found.held, view.dtype)


def readable(row: Row, arguments: Mapping[str, Any], body: object) -> dict[str, Any]:
    """The arguments of a row, with a copy for a spread tile that the row cannot read in PSUM."""
    made = dict(arguments)
    spread = [n for n, v in made.items() if isinstance(v, NkiTensor) and v.spare is not None]
    read = [
        n
        for n, v in made.items()
        if isinstance(v, NkiTensor)
        and n in row.position
        and row.operand(n).access != "w"
        and v.buffer is MemoryRegion.psum
    ]
    for name in spread:
        if name not in read:
            continue
        tiles = [kind for kind in row.operand(name).kinds if isinstance(kind, Tile)]
        if len(read) > 1 or not any("psum" in kind.memories for kind in tiles):
            made[name] = made[name].spare.of(made[name], body)
            read.remove(name)
    return made
