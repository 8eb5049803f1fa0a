"""Results that a round of an ``affine_range`` needs of another round.

Such rounds may be executed in any order, so that AWS leaves undefined what is read. Sums are no
such dependence: a tile that is combined with what is in its place, by an operator whose order does
not matter, may be carried from round to round if nothing else reads it before the loop is over.

For each element of a tensor three calls are known: the last one that overwrote it, and the first
and the last one that have been combined with it since.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Note, Problem
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.isa.instruction import Row
from nasm.isa.list_kinds import mentioned, views
from nasm.nki.broadcast_tiles import calls
from nasm.nki.engines import function
from nasm.nki.neuronxcc.resolving import plain_steps
from nasm.nki.tile_live_ranges import tensors_of
from nasm.nki.tracing import Call, CoreTrace, LoopRound
from nasm.views.tensor import Tensor
from nasm.views.view import View

CARRIED = "E0659"

ASSOCIATIVE = (
    "add",
    "multiply",
    "max",
    "maximum",
    "min",
    "minimum",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_or",
    "logical_xor",
)
"""Operators with which it does not matter in which order results are combined."""

COMBINING = {
    "tensor_tensor": (("op", "data1", "data2"),),
    "tensor_scalar": (("op0", "data", "operand0"), ("op1", "", "operand1")),
    "scalar_tensor_tensor": (("op1", "", "operand1"),),
    "dma_compute": (("reduce_op", "srcs", "srcs"),),
}
"""Of functions that combine two operands: the operator, and what it is applied to."""

Marks = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, slots=True)
class LoopAccess:
    """What a call does with a tensor: parts that it reads, overwrites, and is combined with."""

    call: Call
    reads: tuple[View, ...]
    writes: tuple[View, ...]
    combined: str = ""


def refuse_carried(trace: CoreTrace) -> None:
    """Refuse a call in a round of an affine range that reads what another round has written."""
    listed = list(calls(trace.made))
    likely = _likely(listed)
    if not likely:
        return
    every: dict[int, list[LoopAccess]] = {}
    around: tuple[Call | None, ...] = (None, *listed, None)
    for before, call, after in zip(around, listed, around[2:], strict=False):
        if not any(tensor.index in likely for tensor in tensors_of(call)):
            continue
        combined = None if before is None else _written_back(before, call)
        left = None if after is None else _written_back(call, after)
        for tensor, access in _accesses(call, combined, left):
            if tensor.index in likely:
                every.setdefault(tensor.index, []).append(access)
    for index, accesses in every.items():
        if _suspected(accesses):
            _History(trace, likely[index], accesses).walk()


def _likely(listed: Sequence[Call]) -> dict[int, Tensor]:
    """Tensors that a round may read after another round of the same loop has written them.

    What is combined with what is in its place reads it, and so may a copy, of what was.
    """
    written: dict[int, dict[int, set[int]]] = {}
    found: dict[int, Tensor] = {}
    for call in listed:
        if not call.parallel:
            continue
        now = [(id(one.loop), id(one)) for one in call.parallel]
        overwritten = _overwritten(call)
        for name, value in call.operands.items():
            for tensor in mentioned(value) if name not in overwritten else ():
                rounds = written.get(tensor.index)
                if rounds and any(rounds.get(loop, set()) - {one} for loop, one in now):
                    found[tensor.index] = tensor
        for name in _writing(call.row):
            for tensor in mentioned(call.operands.get(name)):
                rounds = written.setdefault(tensor.index, {})
                for loop, one in now:
                    rounds.setdefault(loop, set()).add(one)
    return found


def _overwritten(call: Call) -> frozenset[str]:
    """The operands that a call writes, of which it certainly reads nothing."""
    names = _writing(call.row)
    if _combines(call.row) or call.operands.get("compute_op") == "add":
        return frozenset()
    moved = [name for name in names for v in views(call.operands.get(name)) if v.offsets]
    return names.difference(moved) if moved else names


@cache
def _writing(row: Row) -> frozenset[str]:
    """The operands that a row writes."""
    return frozenset(
        one.name
        for one in row.operands
        if "w" in one.access or (one.access == "@" and one.name == "dst")
    )


@cache
def _combines(row: Row) -> bool:
    """Whether a row may combine something with what is in its place, or copy what was."""
    return function(row) in (*COMBINING, "tensor_copy") or any(one.adds for one in row.operands)


def _written_back(call: Call, after: Call) -> tuple[View, str] | None:
    """What a call combines with something, if the next one copies the result into its place."""
    made, into = call.operands.get("dst"), after.operands.get("dst")
    if function(after.row) != "tensor_copy" or function(call.row) not in COMBINING:
        return None
    if not isinstance(into, View) or not isinstance(made, View):
        return None
    into = plain_steps(into)
    if [plain_steps(view) for view in views(after.operands["src"])] != [plain_steps(made)]:
        return None
    word = _combined(call, into)
    return (into, word) if word else None


def _accesses(
    call: Call, combined: tuple[View, str] | None, left: tuple[View, str] | None
) -> Iterator[tuple[Tensor, LoopAccess]]:
    """What a call does with each tensor.

    It copies what the call before has ``combined`` with what is in its place; of what it combines
    itself, and the next one copies, it has ``left`` the place.
    """
    reads: dict[Tensor, list[View]] = {}
    writes: dict[Tensor, list[View]] = {}
    for name, value in call.operands.items():
        access = call.row.operand(name).access
        written = "w" in access or (access == "@" and name == "dst")
        for view in map(plain_steps, views(value)):
            (writes if written else reads).setdefault(view.tensor, []).append(view)
            if view.offsets is not None:
                reads.setdefault(view.offsets.tile.tensor, []).append(view.offsets.tile)
    for tensor in {**reads, **writes}:
        mine, theirs = reads.get(tensor, []), writes.get(tensor, [])
        word = _combined(call, theirs[0]) if len(theirs) == 1 else ""
        if combined is not None and theirs == [combined[0]]:
            word = combined[1]
        own = theirs[0] if word else left[0] if left is not None else None
        others = tuple(view for view in mine if view != own)
        yield tensor, LoopAccess(call, others, tuple(theirs), word)


def _combined(call: Call, dst: View) -> str:
    """The operator by which a call combines something with what is in its place; or nothing."""
    operands, row = call.operands, call.row
    adds = row.operand("dst").adds if "dst" in row.position else ""
    if adds and operands.get(adds):
        return "add"
    if operands.get("compute_op") == "add":
        return "add"
    for word, one, other in COMBINING.get(function(row), ()):
        if word == "op0" and operands.get("op1") is not None:
            continue
        found = [plain_steps(v) for name in {one, other} - {""} for v in views(operands.get(name))]
        if operands.get(word) in ASSOCIATIVE and found.count(dst) == 1:
            return str(operands[word])
    return ""


def _suspected(accesses: Sequence[LoopAccess]) -> bool:
    """Whether a round reads a tensor that an earlier round of the same loop has written."""
    written: dict[int, set[int]] = {}
    for access in accesses:
        for one in access.call.parallel:
            before = written.get(id(one.loop))
            if before and (access.reads or access.combined) and before - {id(one)}:
                return True
        for one in access.call.parallel if access.writes else ():
            written.setdefault(id(one.loop), set()).add(id(one))
    return False


def _repeats(before: LoopAccess, access: LoopAccess) -> bool:
    """Whether a call is combined with the same part as the one before it, and reads nothing."""
    return (
        bool(access.combined)
        and access.combined == before.combined
        and not (access.reads or before.reads)
        and access.writes == before.writes
    )


class _History:
    """Which calls have made what a tensor holds, call after call."""

    def __init__(self, trace: CoreTrace, tensor: Tensor, accesses: Sequence[LoopAccess]) -> None:
        self.trace, self.tensor, self.accesses = trace, tensor, accesses
        self.size = math.gcd(*(v.dtype.itemsize for a in accesses for v in (*a.reads, *a.writes)))
        self.rows = tensor.partitions if tensor.memory.partitions else 1
        self.pitch = tensor.bytes // self.size
        self.made, self.first, self.last = (
            np.zeros(self.rows * self.pitch, np.int32) for _ in range(3)
        )

    def walk(self) -> None:
        """All accesses in order; refuses a read of what another round has written."""
        repeats = [False, *(_repeats(*two) for two in pairwise(self.accesses)), False]
        for number, access in enumerate(self.accesses, 1):
            if number > 1 and all(repeats[number - 2 : number + 1]):
                continue  # of a sum the first two and the last one decide
            for view in access.reads:
                self._read(access, view)
            for view in access.writes:
                self._write(number, access, view)

    def _read(self, access: LoopAccess, view: View) -> None:
        if not access.call.parallel or view.dynamic or view.offsets is not None:
            return
        found = {
            int(n) for marks in (self.made, self.first, self.last) for n in self._of(marks, view)
        }
        for number in sorted(found - {0}):
            writer = self.accesses[number - 1].call
            for mine in access.call.parallel:
                for theirs in writer.parallel:
                    if mine.loop is theirs.loop and mine is not theirs:
                        raise Failure(self._problem(access.call, mine, writer, theirs))

    def _write(self, number: int, access: LoopAccess, view: View) -> None:
        if view.dynamic or view.offsets is not None:
            self.made[:] = self.first[:] = self.last[:] = 0
            return
        if access.combined and self._continues(access, view):
            first = self._view(self.first, view)
            first[first == 0] = number
            self._view(self.last, view)[...] = number
            return
        if access.combined:
            self._read(access, view)
        self._view(self.made, view)[...] = number
        self._view(self.first, view)[...] = self._view(self.last, view)[...] = 0

    def _continues(self, access: LoopAccess, view: View) -> bool:
        """Whether what has been combined there so far was combined by the same operator."""
        before = {self.accesses[n - 1].combined for n in self._of(self.last, view) if n}
        return before <= {access.combined}

    def _of(self, marks: Marks, view: View) -> Sequence[int]:
        mine = self._view(marks, view)
        least, most = int(mine.min()), int(mine.max())
        found: list[int] = [least] if least == most else np.unique(mine).tolist()
        return found

    def _view(self, marks: Marks, view: View) -> Marks:
        """The elements of a view among all of a tensor."""
        wide, size = view.dtype.itemsize // self.size, marks.itemsize
        steps = [step * wide for step in view.steps]
        start = view.offset // self.size
        if view.partitioned:
            steps[0] = view.steps[0] * self.pitch
            start += view.partition * self.pitch
        strides = tuple(step * size for step in (*steps, 1))
        return np.ndarray((*view.shape, wide), np.int32, marks.data, start * size, strides)

    def _problem(self, reader: Call, mine: LoopRound, writer: Call, theirs: LoopRound) -> Problem:
        name = self.tensor.name
        return Problem(
            CARRIED,
            f"{mine} reads {name}, which round {theirs.value} has written: rounds of an "
            "affine_range may be executed in any order, so what is read is undefined",
            self._span(reader),
            "nl.sequential_range keeps the order of its rounds; a sum may be carried if nothing "
            "reads it before the loop is over",
            (Note(f"round {theirs.value} writes {name} here", self._span(writer), party=True),),
            facts={"tensor": name, "round": mine.value, "other": theirs.value},
        )

    def _span(self, call: Call) -> Span | None:
        span = self.trace.builder.program.spans[call.span]
        return span and span.within(self.trace.builder.program.chains[call.chain])
