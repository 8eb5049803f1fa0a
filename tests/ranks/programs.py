"""Random programs of 2 to 6 ranks: work in HBM and SBUF between collectives, with their waits.

Some work depends on the rank, so that ranks arrive at different times. Waits are those that the
order of :mod:`tests.ranks.before` asks for, with a few more, as semaphores or moments.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.ranks.before import Order
from tests.ranks.operations import COLUMNS, ROWS, Area, Op, State

OPERATIONS = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "collective_permute",
    "collective_permute_implicit",
    "collective_permute_implicit_reduce",
)
HBM, SBUF = ("h0", "h1", "h2", "h3"), ("s0", "s1", "s2")
TRANSFERS, COMPUTES = ("sync", "scalar", "gpsimd"), ("vector", "scalar", "gpsimd")
MOST = 2**24
"""Integers up to this are exact in float32."""

Groups = tuple[tuple[int, ...], ...]


class Program:
    """A random program of ``least`` to 5 collectives: ``ops`` in order, the ``waits`` of each."""

    def __init__(self, seed: int, moments: bool | None = None, least: int = 1) -> None:
        self.random = random = Random(seed)
        self.ranks = random.randint(2, 6)
        self.moments = random.random() < 0.4 if moments is None else moments
        self.counted = {queue for queue in COMPUTES if random.random() < 0.5}
        self.groupings = [self._partition() for _ in range(random.randint(1, 2))]
        self.largest = dict.fromkeys((*HBM, *SBUF), 4)
        self.ops: list[Op] = []
        self._fill(least)
        self.waits = self._waits()
        generator = np.random.default_rng(seed)
        self.inputs = {
            name: generator.integers(-4, 5, (self.ranks, ROWS, COLUMNS)).astype(np.float32)
            for name in (*HBM, *(f"x{n}" for n in range(len(SBUF))))
        }

    def _partition(self, size: int = 0) -> Groups:
        """Groups of all ranks, of one size or not."""
        ranks = list(range(self.ranks))
        self.random.shuffle(ranks)
        groups = []
        while ranks:
            count = min(size or self.random.choice((2, 2, 3, self.ranks, 1)), len(ranks))
            groups.append(tuple(ranks[:count]))
            del ranks[:count]
        return tuple(groups)

    # -- operations

    def _fill(self, least: int) -> None:
        for n, name in enumerate(SBUF):
            self._add(self._engine(), "dma", "DmaCopy", (Area(name),), (Area(f"x{n}"),))
        for _ in range(self.random.randint(least, 5)):
            for _ in range(self.random.choice((0, 1, 1, 2))):
                self.random.choice((self._copy, self._copy, self._compute, self._repeat))()
            self._exchange()
        self.random.choice((self._copy, self._compute, self._repeat))()
        for n, name in enumerate(SBUF):
            self._add(self._engine(), "dma", "DmaCopy", (Area(f"y{n}"),), (Area(name),))

    def _engine(self) -> str:
        return self.random.choice(TRANSFERS)

    def _add(self, queue: str, kind: str, name: str, dsts: Any, srcs: Any, **more: Any) -> None:
        delay = self.random.choice((0, 0, 0, 1, 9, -9))
        self.ops.append(Op(len(self.ops), queue, kind, name, dsts, srcs, delay=delay, **more))

    def _copy(self) -> None:
        dst, src = self.random.sample((*HBM, *SBUF), 2)
        rows = self.random.choice((ROWS, 32, 7))
        self._add(self._engine(), "dma", "DmaCopy", (Area(dst, rows),), (Area(src, rows),))
        self.largest[dst] = max(self.largest[dst], self.largest[src])

    def _compute(self) -> None:
        random, large = self.random, self.largest
        dst, one, two = (random.choice(SBUF) for _ in range(3))
        rows = random.choice((ROWS, 32))
        areas = tuple(Area(name, rows) for name in (dst, one, two))
        kind = random.choice(("TensorTensor", "TensorTensor", "TensorScalar", "Memset"))
        if kind == "Memset":
            number, queue = random.randint(-4, 4), random.choice(("vector", "gpsimd"))
            self._add(queue, "compute", kind, areas[:1], (), op=f", {number}.0",
                      options={"number": number})  # fmt: skip
            return
        if kind == "TensorScalar":
            number, queue = random.randint(-4, 4), random.choice(("vector", "scalar"))
            self._add(queue, "compute", kind, areas[:1], areas[1:2], options={"number": number},
                      op=f", op0=add, operand0={number}.0")  # fmt: skip
            large[dst] = max(large[dst], large[one] + 4)
            return
        op = random.choice(("add", "subtract", "maximum", "minimum"))
        if large[one] + large[two] >= MOST:
            op = "maximum"
        queue = random.choice(("vector", "gpsimd")) if op == "add" else "vector"
        self._add(queue, "compute", kind, areas[:1], areas[1:], op=f", op={op}", options={"op": op})
        large[dst] = max(large[dst], large[one] + large[two])

    def _repeat(self) -> None:
        """Each rank adds 1 once more than the rank before it."""
        name = self.random.choice(SBUF)
        area = (Area(name, self.random.choice((ROWS, 32))),)
        self._add(self.random.choice(("vector", "scalar")), "repeat", "TensorScalar", area, area,
                  op=", op0=add, operand0=1.0")  # fmt: skip
        self.largest[name] += self.ranks

    # -- collectives

    def _exchange(self) -> None:
        random, name = self.random, self.random.choice(OPERATIONS)
        inside = name not in ("all_to_all", "collective_permute") and random.random() < 0.3
        equal = name in ("all_gather", "reduce_scatter", "all_to_all")
        groups = random.choice(self.groupings)
        if equal and len(set(map(len, groups))) > 1:
            groups = self._partition(random.choice([n for n in range(1, 7) if self.ranks % n == 0]))
        size = len(groups[0])
        most = 1 if inside or name == "collective_permute" else 2
        tensors = list(SBUF if inside else HBM)
        random.shuffle(tensors)
        count = random.randint(1, most)
        if name == "collective_permute_implicit_reduce":
            count = 1
        dim = int(inside and name == "all_gather" and size != 5 and random.random() < 0.5)
        dsts, srcs = self._areas(name, tensors, count, size, dim)
        more = (Area(tensors[2]),) if name == "collective_permute_implicit_reduce" else ()
        if name == "all_reduce" and random.random() < 0.2:
            dsts = srcs
        reducing = name in ("all_reduce", "reduce_scatter", "collective_permute_implicit_reduce")
        op = self._fold(dsts, (*srcs, *more), reducing)
        pairs = self._pairs() if name == "collective_permute" else ()
        self._add("cc", "cc", name, dsts, srcs, more=more, op=op, dim=dim, pairs=pairs,
                  groups=() if pairs else groups)  # fmt: skip

    @staticmethod
    def _areas(
        name: str, tensors: list[str], count: int, size: int, dim: int
    ) -> tuple[tuple[Area, ...], tuple[Area, ...]]:
        part = Area("", ROWS if dim else ROWS // size, COLUMNS // size if dim else COLUMNS)
        into = part if name == "reduce_scatter" else Area("")
        from_ = part if name == "all_gather" else Area("")
        dsts = tuple(Area(one, into.rows, into.columns) for one in tensors[:count])
        srcs = tuple(Area(one, from_.rows, from_.columns) for one in tensors[count : 2 * count])
        return dsts, srcs

    def _fold(self, dsts: tuple[Area, ...], srcs: tuple[Area, ...], reducing: bool) -> str:
        op = self.random.choice(("add", "add", "maximum", "minimum")) if reducing else ""
        large = max(self.largest[area.tensor] for area in srcs)
        if large * self.ranks >= MOST and op:
            op = "maximum"
        for area in dsts:
            grown = large * self.ranks if op == "add" else large
            self.largest[area.tensor] = max(self.largest[area.tensor], grown)
        return op

    def _pairs(self) -> tuple[tuple[int, int], ...]:
        """Some ranks send to others; a rank may be in no pair."""
        ranks = list(range(self.ranks))
        self.random.shuffle(ranks)
        ring = [(a, b) for a, b in zip(ranks, [*ranks[1:], ranks[0]], strict=True) if a != b]
        return tuple(self.random.sample(ring, self.random.randint(1, len(ring))))

    # -- waits

    def _waits(self) -> dict[int, list[int]]:
        """For each operation those before it that it has to wait for, and a few more."""
        waits: dict[int, list[int]] = {}
        for two in self.ops:
            for one in reversed(self.ops[: two.number]):
                more = one.queue != two.queue and self.random.random() < 0.03
                if more or Order(self.ops, waits).unordered(one, two):
                    waits.setdefault(two.number, []).append(one.number)
        last = Op(len(self.ops), self.random.choice(TRANSFERS), "last", "EventSemaphore")
        landing = sorted(Order(self.ops, waits).unlanded())
        self.ops.append(last)
        waits[last.number] = landing
        return waits

    def without(self, consumer: int, producer: int) -> dict[int, list[int]]:
        """The waits without one of them."""
        rest = [one for one in self.waits[consumer] if one != producer]
        return {**self.waits, consumer: rest}

    # -- meaning

    def outputs(self) -> dict[str, np.ndarray]:
        """What the outputs hold at the end, of all ranks."""
        states: list[State] = []
        for rank in range(self.ranks):
            state = {name: value[rank].astype(np.float64) for name, value in self.inputs.items()}
            for name in (*SBUF, *(f"y{n}" for n in range(len(SBUF)))):
                state[name] = np.full((ROWS, COLUMNS), np.nan)
            states.append(state)
        for op in self.ops:
            op.execute(states)
        names = (*HBM, *(f"y{n}" for n in range(len(SBUF))))
        return {name: np.stack([state[name] for state in states]) for name in names}
