"""What the calls of a trace compute, one after the other, in NumPy.

Written apart from the machine: from what the pages of the instructions say, with a tolerance where
they leave the order of a sum or the last bits open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nasm.nki.tracing import Call, Made, TracedLoop
from nasm.views.view import Reg, View
from tests.fuzz.tracing import functions
from tests.fuzz.tracing.memory import Array, Memory, Place, Unmodelled, Value, widened

ROUNDS = 10_000

Meeting = tuple[str, Call]


class Fault(Exception):
    """An address at run time outside of its tensor."""


class Core:
    """One core: its registers, what its array holds, and memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.registers: dict[int, int] = {}
        self.weights: Value | None = None

    def go(self, calls: Sequence[Made]) -> Iterator[Meeting]:
        """Execute calls; yields where the core meets the other one."""
        for call in calls:
            if isinstance(call, TracedLoop):
                yield from self._loop(call)
            elif call.row.name in ("CoreBarrier", "SendRecv"):
                yield call.row.name, call
            else:
                self.execute(call)

    def _loop(self, loop: TracedLoop) -> Iterator[Meeting]:
        counter = loop.counter.number
        for _ in range(ROUNDS):
            if loop.bound is None:
                if not self.number(Reg(counter)):
                    return
            else:
                bound = loop.bound if isinstance(loop.bound, int) else Reg(loop.bound.number)
                if self.number(Reg(counter)) >= self.number(bound):
                    return
            yield from self.go(loop.body)
            if loop.bound is not None:
                self.registers[counter] += loop.step
        raise Unmodelled("a long loop")

    def number(self, value: Any) -> int:
        """A number, or what a register holds."""
        if not isinstance(value, Reg):
            return int(value)
        if value.number not in self.registers:
            raise Unmodelled("a register that nobody wrote")
        return self.registers[value.number]

    # -- operands

    def moved(self, view: View) -> tuple[int, int]:
        """How far registers move a view: partitions and bytes."""
        partitions = offset = 0
        for each in view.dynamic:
            held = self.number(Reg(each.register))
            if not 0 <= held <= each.limit:
                raise Fault
            if each.axis == 0 and view.partitioned:
                partitions += held * each.stride
            else:
                offset += held * each.stride
        return partitions, offset

    def raw(self, view: View) -> Value:
        """The elements of a view as they are."""
        if view.offsets is None:
            return self.memory.read(view, self.moved(view))
        parts = [self.memory.read(part, moved) for part, moved in self._rows(view)]
        axis = int(view.partitioned)
        if view.offsets.single:
            return parts[0]
        return Value(*(np.concatenate(each, axis) for each in zip(*parts, strict=True)))

    def _rows(self, view: View) -> list[tuple[View, tuple[int, int]]]:
        """A view whose positions a tile decides, position by position."""
        offsets = view.offsets
        assert offsets is not None
        if offsets.columns or view.dynamic:
            raise Unmodelled("columns by a tile")
        entries = self.raw(offsets.tile)
        if entries.bad.any():
            raise Unmodelled("entries that are not known")
        flat = entries.x.reshape(entries.x.shape[0], -1)
        size = view.dtype.itemsize
        if offsets.single:
            entry = int(flat[0, 0])
            if not 0 <= entry <= offsets.limit:
                raise Fault
            return [(view, (0, entry * offsets.step * size))]
        found = []
        for at in range(view.shape[0]):
            number = at + offsets.first
            entry = int(flat[number % offsets.group, number // offsets.group])
            if not 0 <= entry <= offsets.limit:
                raise Fault
            one = View(
                *(view.tensor, view.dtype, view.partition, view.offset),
                *((1, *view.shape[1:]), view.steps),
            )
            found.append((one, (0, entry * offsets.step * size)))
        return found

    def put(self, view: View, value: Value, where: Array | None = None) -> None:
        """Write elements of a view's dtype."""
        if view.offsets is None:
            self.memory.write(view, value, where, self.moved(view))
            return
        rows = self._rows(view)
        for number, (part, moved) in enumerate(rows):
            if len(rows) == 1:
                self.memory.write(part, value, where, moved)
            else:
                one = slice(number, number + 1)
                self.memory.write(part, Value(value.x[one], value.bad[one]), None, moved)

    def floats(self, view: View) -> Value:
        """The elements of a view, widened."""
        if view.dtype.name.endswith("_x4"):
            raise Unmodelled(view.dtype.name)
        return widened(self.raw(view))

    def store(self, view: View, value: Value, where: Array | None = None) -> None:
        """Round what an engine has computed into a view."""
        self.put(view, self.memory.rounded(value, view.dtype), where)

    def scalar(self, value: Any, ndim: int) -> Value:
        """A number, or one for each partition."""
        if isinstance(value, View):
            held = self.floats(value)
            sizes = (held.x.shape[0], *[1] * (ndim - 1))
            return Value(held.x.reshape(sizes), held.bad.reshape(sizes))
        if value is None:
            value = 0.0
        return Value(np.float32(value), np.False_)

    def execute(self, call: Call) -> None:
        """One call."""
        made = functions.ROWS.get(call.row.name)
        if made is None:
            raise Unmodelled(call.row.name)
        row, given = call.row, call.operands
        operands = {o.name: o.default for o in row.written}
        made(self, call, {**operands, **given})


def meant(
    traces: Sequence[Sequence[Made]],
    places: Mapping[int, Place],
    inputs: Mapping[Any, Array],
    noise: np.random.Generator | None = None,
    backwards: bool = False,
) -> Memory:
    """Memory after all calls; where cores do not wait for each other, one after the other."""
    memory = Memory(places, noise)
    for tensor, array in inputs.items():
        view = View.whole(tensor)
        made = np.ascontiguousarray(array).view(tensor.dtype.numpy).reshape(tensor.shape)
        memory.write(view, Value(made, np.zeros(tensor.shape, bool)))
    cores = [Core(memory) for _ in traces]
    going = [core.go(calls) for core, calls in zip(cores, traces, strict=True)]
    order = list(range(len(cores)))
    if backwards:
        order.reverse()
    while True:
        met = {number: next(going[number], None) for number in order}
        calls = [met[number] for number in range(len(cores))]
        if all(call is None for call in calls):
            return memory
        if any(call is None for call in calls) or len({call[0] for call in calls if call}) > 1:
            raise Unmodelled("cores that do not meet")
        if calls[0] is not None and calls[0][0] == "SendRecv":
            _exchange(cores, [call[1] for call in calls if call is not None])


def _exchange(cores: Sequence[Core], calls: Sequence[Call]) -> None:
    sent = [core.raw(call.operands["src"]) for core, call in zip(cores, calls, strict=True)]
    for rank, (core, call) in enumerate(zip(cores, calls, strict=True)):
        source = call.operands["recv_from_rank"]
        if source == rank or calls[source].operands["send_to_rank"] != rank:
            raise Unmodelled("cores that send to themselves")
        dst = call.operands["dst"]
        if sent[source].x.dtype != dst.dtype.numpy or sent[source].x.shape != dst.shape:
            raise Unmodelled("an exchange of unlike tiles")
        core.put(dst, sent[source])
