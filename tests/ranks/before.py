"""What of a program of ranks is in order, and where its ranks meet: by search, without nasm.

An operation starts, its reads are over, it completes; a transfer lands apart from the instruction
that issues it. Instructions of a queue start and complete in order, and a wait orders what it waits
for before the start of what waits. A loop ends with a branch that reads a register: it starts when
what computes the register has completed, and so all before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.ranks.operations import Area, Op

Waits = Mapping[int, Sequence[int]]
"""For each operation those that it waits for."""

Event = tuple[str, int]
STARTS, READ, COMPLETES, LANDS = "starts", "read", "completes", "lands"
COMPUTING = ("compute", "repeat", "last")


class Order:
    """Happens-before of the operations of one rank, with some waits.

    The collective ``early`` posts when it starts, not when it is over.
    """

    def __init__(self, ops: Sequence[Op], waits: Waits, early: int = -1) -> None:
        self.ops, self.waits = ops, waits
        self.next: dict[Event, set[Event]] = {}
        last: dict[str, Op] = {}
        for op in ops:
            n, before = op.number, last.get(op.queue)
            self._edge((STARTS, n), read_over(op))
            self._edge((STARTS, n), (COMPLETES, n))
            self._edge((STARTS, n), done(op))
            if op.kind in COMPUTING:
                self._edge((READ, n), (COMPLETES, n))
            if before is not None:
                self._edge((STARTS, before.number), (STARTS, n))
                self._edge((COMPLETES, before.number), (COMPLETES, n))
                if before.kind in COMPUTING:
                    self._edge((READ, before.number), (STARTS, n))
                if op.delay or before.kind == "repeat":
                    self._edge((COMPLETES, before.number), (STARTS, n))
            last[op.queue] = op
            for one in waits.get(n, ()):
                self._edge((STARTS, one) if one == early else done(ops[one]), (STARTS, n))

    def _edge(self, one: Event, other: Event) -> None:
        if one != other:
            self.next.setdefault(one, set()).add(other)

    def leads(self, event: Event, to: Event) -> bool:
        seen, todo = {event}, [event]
        while todo:
            for one in self.next.get(todo.pop(), set()) - seen:
                seen.add(one)
                todo.append(one)
        return to in seen

    def unordered(self, one: Op, two: Op) -> bool:
        """Whether some access of one conflicts with one of the later other, and is in no order."""
        if one.queue == two.queue and "dma" not in (one.kind, two.kind):
            return False
        start = (STARTS, two.number)
        if meets(one.dsts, (*two.dsts, *two.reads)) and not self.leads(done(one), start):
            return True
        return meets(one.reads, two.dsts) and not self.leads(read_over(one), start)

    def races(self) -> set[tuple[int, int]]:
        """All pairs of operations that race."""
        return {
            (one.number, two.number)
            for two in self.ops
            for one in self.ops[: two.number]
            if self.unordered(one, two)
        }

    def unlanded(self) -> set[int]:
        """The transfers into outputs that nothing waits for."""
        waited = {one for some in self.waits.values() for one in some}
        return {
            op.number
            for op in self.ops
            if op.kind == "dma" and op.dsts[0].tensor[0] != "s" and op.number not in waited
        }


def done(op: Op) -> Event:
    return (LANDS if op.kind == "dma" else COMPLETES), op.number


def read_over(op: Op) -> Event:
    """When its sources may be written: those of transfers and collectives are read to the end."""
    return (READ, op.number) if op.kind in COMPUTING else done(op)


def meets(some: Sequence[Area], others: Sequence[Area]) -> bool:
    """Whether some elements are in both; every area begins at the first one."""
    return any(one.tensor == two.tensor for one in some for two in others)


class Meetings:
    """How far ranks get whose operations take no time, each with an order of its collectives.

    ``arrived`` are the collectives at which ranks are left, ``blocked`` the ranks that have more to
    do and are at none.
    """

    def __init__(self, ops: Sequence[Op], waits: Waits, orders: Sequence[Sequence[int]]) -> None:
        self.ops, self.waits = ops, waits
        self.done: list[set[int]] = [set() for _ in orders]
        self.left: list[dict[str, list[int]]] = []
        for order in orders:
            queues: dict[str, list[int]] = {"cc": list(order)}
            for op in ops:
                if op.kind != "cc":
                    queues.setdefault(op.queue, []).append(op.number)
            self.left.append(queues)
        while any([self._step(rank) for rank in range(len(orders))]):
            pass
        self.arrived = {r: n for r in range(len(orders)) if (n := self._head(r)) is not None}
        more = [rank for rank, queues in enumerate(self.left) if any(queues.values())]
        self.blocked = [rank for rank in more if rank not in self.arrived]

    def _ready(self, rank: int) -> Iterator[tuple[str, int]]:
        for queue, some in self.left[rank].items():
            if some and self.done[rank].issuperset(self.waits.get(some[0], ())):
                yield queue, some[0]

    def _head(self, rank: int) -> int | None:
        """The collective that a rank has arrived at."""
        return dict(self._ready(rank)).get("cc")

    def _finish(self, rank: int, queue: str) -> None:
        self.done[rank].add(self.left[rank][queue].pop(0))

    def _step(self, rank: int) -> bool:
        for queue, number in list(self._ready(rank)):
            if queue != "cc":
                self._finish(rank, queue)
                return True
            call, group = self.ops[number].call(rank), self.ops[number].group(rank)
            heads = {one: self._head(one) for one in group}
            if all(n is not None and self.ops[n].call(r) == call for r, n in heads.items()):
                for one in group or (rank,):
                    self._finish(one, queue)
                return True
        return False
