"""What lines of random programs of ranks do: which elements they touch, and their meaning in NumPy.

Nothing here is nasm's: collectives are written from the pages of nki.collectives, for integers that
float64 adds exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROWS, COLUMNS = 60, 12
"""Of each tensor: each number of ranks up to 6 divides both but 5, which divides ROWS."""

State = dict[str, np.ndarray]
"""The tensors of one rank."""

FOLD = {"add": np.sum, "maximum": np.max, "minimum": np.min}
PAIR = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum, "minimum": np.minimum}


@dataclass(frozen=True)
class Area:
    """The first rows and columns of a tensor."""

    tensor: str
    rows: int = ROWS
    columns: int = COLUMNS

    def __str__(self) -> str:
        return f"{self.tensor}[0:{self.rows}, 0:{self.columns}]"

    @property
    def at(self) -> tuple[slice, slice]:
        return slice(0, self.rows), slice(0, self.columns)

    @property
    def described(self) -> tuple[str, int, int]:
        """What ranks compare of it: its memory and shape."""
        return self.tensor[0], self.rows, self.columns


@dataclass(frozen=True)
class Op:
    """A line: its queue and kind, what it writes and reads, and how.

    Kinds are `dma`, `compute`, `repeat` (each rank a number of times that depends on it), `cc` and
    `last`, which only waits.
    """

    number: int
    queue: str
    kind: str
    name: str
    dsts: tuple[Area, ...] = ()
    srcs: tuple[Area, ...] = ()
    more: tuple[Area, ...] = ()
    op: str = ""
    groups: tuple[tuple[int, ...], ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    dim: int = 0
    delay: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def reads(self) -> tuple[Area, ...]:
        return (*self.srcs, *self.more)

    def group(self, rank: int) -> tuple[int, ...]:
        """The ranks that a rank meets, none if it takes no part."""
        if self.pairs:
            every = tuple(sorted({one for pair in self.pairs for one in pair}))
            return every if rank in every else ()
        return next(group for group in self.groups if rank in group)

    def call(self, rank: int) -> tuple[object, ...]:
        """What all ranks of a group have in common when they meet."""
        sides = [tuple(one.described for one in side) for side in (self.dsts, self.srcs, self.more)]
        return self.name, self.op, self.dim, self.pairs, self.group(rank), *sides

    @property
    def text(self) -> str:
        """The instruction, without what it waits for and posts."""
        if self.kind != "cc":
            operands = ", ".join(map(str, (*self.dsts, *self.srcs)))
            return f"{self.name} {operands}{self.op}"
        words = [_listed(self.dsts), _listed(self.srcs), self.name]
        words += [f"op={self.op}"] * bool(self.op) + ["dim=1"] * self.dim
        words += [f"srcs1={_listed(self.more)}"] * bool(self.more)
        some = self.pairs or self.groups
        words.append(f"{'pairs' if self.pairs else 'groups'}={[list(one) for one in some]}")
        return f"Collective {', '.join(words)}"

    # -- what it does

    def execute(self, states: list[State]) -> None:
        """Do it in each rank."""
        if self.kind == "cc":
            self._exchange(states)
            return
        for rank, state in enumerate(states):
            dst = state[self.dsts[0].tensor][self.dsts[0].at] if self.dsts else None
            data = [state[area.tensor][area.at] for area in self.srcs]
            if self.kind == "repeat":
                dst[:] = data[0] + rank + 1
            elif self.name == "TensorTensor":
                dst[:] = PAIR[self.options["op"]](*data)
            elif self.name == "TensorScalar":
                dst[:] = data[0] + self.options["number"]
            elif self.name == "Memset":
                dst[:] = self.options["number"]
            elif self.dsts:
                dst[:] = data[0]

    def _exchange(self, states: list[State]) -> None:
        sent = [[state[a.tensor][a.at].copy() for a in self.reads] for state in states]
        for rank, state in enumerate(states):
            group = self.group(rank)
            if not group:
                continue
            made = self._received(rank, group, sent)
            for area, values in zip(self.dsts, made, strict=True):
                if values is not None:
                    state[area.tensor][area.at] = values

    def _received(
        self, rank: int, group: tuple[int, ...], sent: list[list[np.ndarray]]
    ) -> list[np.ndarray | None]:
        place, size = group.index(rank), len(group)
        before = sent[group[place - 1]]
        if self.pairs:
            source = [one for one, target in self.pairs if target == rank]
            return [sent[source[0]][0]] if source else [None]
        if self.name == "collective_permute_implicit":
            return list(before)
        if self.name == "collective_permute_implicit_reduce":
            half = len(self.srcs)
            both = zip(before[:half], before[half:], strict=True)
            return [FOLD[self.op](np.stack(pair), axis=0) for pair in both]
        made: list[np.ndarray | None] = []
        for nth in range(len(self.srcs)):
            each = [sent[one][nth] for one in group]
            if self.name == "all_gather":
                made.append(np.concatenate(each, axis=self.dim))
                continue
            if self.name == "all_to_all":
                made.append(np.vstack([np.vsplit(one, size)[place] for one in each]))
                continue
            whole = FOLD[self.op](np.stack(each), axis=0)
            made.append(np.vsplit(whole, size)[place] if self.name == "reduce_scatter" else whole)
        return made


def _listed(areas: tuple[Area, ...]) -> str:
    return str(areas[0]) if len(areas) == 1 else f"[{', '.join(map(str, areas))}]"
