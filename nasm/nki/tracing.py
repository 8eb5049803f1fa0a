"""The trace of a kernel: its tensors, and its calls in the order in which they were made."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import FrameType
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass, field
from nasm.isa.instruction import Row
from nasm.isa.list_kinds import mentioned
from nasm.nki.accumulating import AccumulatedBytes
from nasm.nki.errors import MISUSED, Trail, forget_last, frames, marks, refuse, span_of, trail
from nasm.nki.names import TRACED_FOR, DType, MemoryRegion, VirtualRegister
from nasm.nki.tensor import NkiTensor
from nasm.nki.variables import variable
from nasm.program.builder import ProgramBuilder
from nasm.views.tensor import Tensor
from nasm.views.view import View


@dataclass(slots=True, eq=False)
class UnrolledLoop:
    """A loop that is being unrolled; ``name`` is how the kernel writes it."""

    name: str


@dataclass(slots=True, eq=False)
class LoopRound:
    """One round of a loop: what is made in it is gone when it ends."""

    loop: UnrolledLoop
    value: int

    def __str__(self) -> str:
        return f"round {self.value} of an nl.{self.loop.name}"


@dataclass(slots=True)
class Call:
    """An instruction that the kernel asked for.

    ``operands`` are by name, registers by their number in the trace; ``engine`` is the one that it
    names, if it does; ``rounds`` are those of the static ranges that it is in, ``parallel`` those
    of the affine ranges of NKI 0.1; ``tensors`` is how many had been declared before it.
    """

    row: Row
    operands: dict[str, Any]
    engine: str = ""
    span: int = 0
    chain: int = 0
    rounds: tuple[int, ...] = ()
    parallel: tuple[LoopRound, ...] = ()
    tensors: int = 0


@dataclass(slots=True)
class TracedLoop:
    """Calls that are executed again and again: while a register is below a bound, or not 0.

    ``counter`` counts in steps of ``step`` up to ``bound``, a number or a register; without a bound
    the loop continues while the register is not 0.
    """

    counter: VirtualRegister
    bound: int | VirtualRegister | None
    step: int = 1
    body: list[Made] = field(default_factory=list)
    span: int = 0
    chain: int = 0


Made = Call | TracedLoop


class CoreTrace:
    """What one core does: the calls of a kernel that runs under it.

    ``first`` is the trace of core 0, if this is of another.
    """

    def __init__(
        self, builder: ProgramBuilder, core: int = 0, cores: int = 1, first: CoreTrace | None = None
    ) -> None:
        self.builder, self.core, self.cores, self.first = builder, core, cores, first
        self.made: list[Made] = []
        self.open: list[list[Made]] = [self.made]
        self.registers = 0
        self.shared: list[Tensor] = []
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.kept: dict[Any, NkiTensor] = {}
        self.begun: dict[int, AccumulatedBytes] = {}
        self.whiles: list[tuple[FrameType, tuple[int, int], TracedLoop]] = []
        self.inside: dict[int, list[Made]] = {}
        self.spread: set[int] = set()
        self.in_order = self.loops = 0
        self.rounds: list[int] = []
        self.parallel: tuple[LoopRound, ...] = ()
        self._places: dict[Trail, tuple[int, int]] = {}
        self._names: dict[str, int] = {}

    # -- where the kernel is

    def place(self) -> tuple[int, int]:
        """The line of the kernel that is being executed, and the calls that led to it."""
        return self._place(trail(sys._getframe(1)))

    def _place(self, found: Trail) -> tuple[int, int]:
        place = self._places.get(found)
        if place is None:
            place = self._places[found] = self._placed(found)
        return place

    def _placed(self, found: Trail) -> tuple[int, int]:
        lines = marks(found)
        span = self.builder.span(span_of(lines[0]) if lines else None)
        chain = frames(lines[1:])
        return span, self.builder.chain(chain) if chain else 0

    # -- what it makes

    def call(self, row: Row, operands: Mapping[str, Any], engine: str = "") -> Call:
        """Record an instruction."""
        if self.inside:
            self._reachable(operands)
        span, chain = self.place()
        rounds, tensors = tuple(self.rounds), len(self.builder.program.tensors)
        made = Call(row, dict(operands), engine, span, chain, rounds, self.parallel, tensors)
        self.open[-1].append(made)
        return made

    def written_out(self, numbers: Iterator[int]) -> Iterator[int]:
        """Rounds that are written out: the same line is another one in each of them."""
        depth = len(self.rounds)
        try:
            for number in numbers:
                self.rounds[depth:] = [number]
                yield number
        finally:
            del self.rounds[depth:]

    def home(self, tensor: Tensor) -> list[Made]:
        """The body of the loop in which a tile was made; else all calls."""
        return self.inside.get(tensor.index, self.made)

    def _reachable(self, operands: Mapping[str, Any]) -> None:
        """Refuse a tile that was made in the body of a loop that is over."""
        for tensor in itertools.chain.from_iterable(map(mentioned, operands.values())):
            body = self.inside.get(tensor.index)
            if body is not None and all(body is not one for one in self.open):
                refuse(
                    f"{tensor.name} was made in the body of a run-time loop, which is over",
                    "a loop may have no round: make the tile before the loop",
                )

    def governing(self, what: str) -> Row:
        """The row with which queues govern themselves so."""
        sequencing = self.builder.target.sequencing
        assert sequencing is not None
        return self.builder.row(getattr(sequencing, what))

    def register(self, frozen: bool = False) -> VirtualRegister:
        """A register that nothing else uses."""
        self.registers += 1
        return VirtualRegister(self.registers, frozen)

    def begin(
        self, counter: VirtualRegister, bound: int | VirtualRegister | None, step: int = 1
    ) -> TracedLoop:
        """Open a loop: what is recorded from here on is its body."""
        span, chain = self.place()
        made = TracedLoop(counter, bound, step, [], span, chain)
        self.open[-1].append(made)
        self.open.append(made.body)
        return made

    def end(self, loop: TracedLoop) -> None:
        """Close a loop, which is the one that was opened last."""
        self.ended(loop.body)
        self.open.pop()

    def ended(self, body: list[Made]) -> None:
        """Refuse what left the body of a loop before its end; only this one may be open."""
        if self.open[-1] is body:
            return
        loop = next(one for one in reversed(self.open[-2]) if isinstance(one, TracedLoop))
        span, chains = self.builder.program.spans[loop.span], self.builder.program.chains
        raise Failure(
            Problem(
                MISUSED,
                "the body of a run-time loop was left before its end: "
                "by break, by return, or by what it raised",
                span and span.within(chains[loop.chain]),
                "all rounds have one body, which is traced once: end the loop by its bound, or "
                "by its register",
            )
        )

    def tensor(
        self,
        shape: Sequence[int],
        dtype: Any,
        buffer: MemoryRegion,
        name: str = "",
        address: tuple[int, int] | None = None,
        role: str = "",
        array: np.ndarray[Any, Any] | None = None,
    ) -> NkiTensor:
        """Declare a tensor; on chip without an ``address`` a place is found for it later."""
        sizes, named = tuple([int(n) for n in shape]), DType(dtype)
        if buffer is MemoryRegion.shared_hbm and self.first and array is None:
            return self._second(sizes, dtype, buffer)
        partition, offset = (None, None) if address is None else address
        here = trail(sys._getframe(1))
        span = self.builder.program.spans[self._place(here)[0]]
        try:
            made = self.builder.tensor(
                buffer.memory,
                self.named(name or variable(here) or str(buffer)),
                named.stored,
                sizes,
                role=role,
                partition=partition,
                offset=offset,
                core=self.core,
                span=span,
            )
        except Refused as refused:
            refuse(refused.message, refused.hint, refused.code)
        if buffer is MemoryRegion.shared_hbm and array is None:
            self.shared.append(made)
        if array is not None:
            # Of a dtype that the generation does not have, engines read the bits as another.
            same = array.dtype.name == named != made.dtype.name
            self.arrays[made.name] = array.view(made.dtype.numpy) if same else array
        tensor = NkiTensor(View.whole(made), buffer, named)
        if len(self.open) > 1 and tensor.on_chip:
            self.inside[made.index] = self.open[-1]
        return tensor

    def _second(self, shape: tuple[int, ...], dtype: Any, buffer: MemoryRegion) -> NkiTensor:
        """What the first core declared: a tensor that the cores share is one for both."""
        assert self.first is not None
        count, others = len(self.shared), self.first.shared
        first = others[count] if count < len(others) else None
        if first is None or first.shape != shape or first.dtype is not DType(dtype).stored:
            wanted = "no such tensor" if first is None else _described(first)
            sizes = ", ".join(map(str, shape))
            refuse(
                f"tensor {count} in shared_hbm is {DType(dtype).stored}[{sizes}] on core "
                f"{self.core}; on core 0 it is {wanted}",
                "a tensor in shared_hbm is one for both cores: each declares the same ones in the "
                "same order",
            )
        self.shared.append(first)
        return NkiTensor(View.whole(first), buffer, DType(dtype))

    def named(self, wanted: str) -> str:
        """A name like the wanted one that no tensor has."""
        plain = _identifier(wanted)
        base = plain if self.core == 0 else f"{plain}_c{self.core}"
        while True:
            count = self._names[base] = self._names.get(base, -1) + 1
            name = f"{base}_{count}" if count else base
            if name not in self.builder.declared:
                return name


@cache
def _identifier(wanted: str) -> str:
    """A name that the text may have, like the wanted one."""
    plain = "".join(c if c.isalnum() and c.isascii() else "_" for c in wanted).strip("_") or "t"
    return plain if plain[0].isalpha() else f"t_{plain}"


def _described(tensor: Tensor) -> str:
    return f"{tensor.name}, {tensor.dtype}[{', '.join(map(str, tensor.shape))}]"


_CURRENT: ContextVar[CoreTrace | None] = ContextVar("nasm.nki", default=None)


def tracing() -> CoreTrace | None:
    """The trace of the kernel that is running, if one is."""
    return _CURRENT.get()


def current(what: str) -> CoreTrace:
    """The trace of the kernel that is running; refuses what makes sense in one alone."""
    found = _CURRENT.get()
    if found is None:
        refuse(
            f"{what} outside of a kernel",
            "calls of nki.isa and nki.language are recorded while a kernel is traced: "
            "call the kernel, or nasm.nki.trace(kernel, …)",
        )
    return found


@contextmanager
def under(trace: CoreTrace) -> Iterator[CoreTrace]:
    """Let a kernel run under a trace."""
    before, generation = _CURRENT.set(trace), TRACED_FOR.set(trace.builder.generation)
    try:
        yield trace
    finally:
        forget_last()
        _CURRENT.reset(before)
        TRACED_FOR.reset(generation)


__all__ = ["Call", "CoreTrace", "Failure", "Made", "TracedLoop", "current", "tracing", "under"]
