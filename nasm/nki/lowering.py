"""From the calls of a trace to instructions: engines and queues chosen, loops laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nasm.base.problems import Failure, Problem, Refused
from nasm.isa.instruction import Row
from nasm.nki.broadcast_tiles import settle
from nasm.nki.engines import USUAL, Engines
from nasm.nki.hints import in_calls
from nasm.nki.hoisting import Hoisted, hoist
from nasm.nki.names import VirtualRegister
from nasm.nki.overlapping import overlap
from nasm.nki.registers import RegisterUse, written
from nasm.nki.scalar_forms import scalar_form
from nasm.nki.spilling import spill
from nasm.nki.tracing import Call, CoreTrace, Made, TracedLoop
from nasm.program.program import SpilledBytes
from nasm.sync.lines import Item, Line, Loop


class Compiling(NamedTuple):
    """That calls of NKI 0.1 are lowered; ``overlap`` is how deep they do, None if that is open."""

    overlap: int | None = None


class Lowering:
    """Makes the instructions of one core's trace."""

    def __init__(
        self,
        trace: CoreTrace,
        dma: str = USUAL,
        hoisting: bool = False,
        compiling: Compiling | None = None,
    ) -> None:
        self.trace, self.builder = trace, trace.builder
        self.target, self.generation = self.builder.target, self.builder.generation
        self.problems: list[Problem] = []
        self.engines = Engines(self.target, self.generation, dma)
        self.hoisting, self.hoisted = hoisting, Hoisted()
        self.compiling, self.spilled, self.overlapped = compiling, SpilledBytes(), 0

    def lines(self) -> list[Item]:
        """The instructions in the order of the calls."""
        settle(self.trace, self.engines)
        if self.hoisting:
            self.hoisted = hoist(self.trace)
        if self.compiling is not None and not self.hoisted.tiles:  # with some all find places
            self.spilled = spill(self.trace, self.engines.loads, self.engines.stores)
        self._choose(self.trace.made)
        if self.compiling is not None:
            self.overlapped = overlap(self.trace, self.engines, self.compiling.overlap)
        self.registers = RegisterUse(self.trace.made)
        made = self._items(self.trace.made)
        if self.problems:
            raise Failure(self.problems)
        return made

    def _items(self, calls: Sequence[Made]) -> list[Item]:
        found: list[Item] = []
        for call in calls:
            try:
                if isinstance(call, TracedLoop):
                    found += self._loop(call)
                else:
                    found += [self._line(call, engine) for engine in self.registers.engines(call)]
            except (Refused, Failure) as wrong:
                span = self.builder.program.spans[call.span]
                span = span and span.within(self.builder.program.chains[call.chain])
                placed = [p if p.span else p.at(span) for p in wrong.problems]
                placed = [in_calls(p, self.target.isa) for p in placed]
                self.problems += [p for p in placed if p not in self.problems]
        return found

    def _choose(self, calls: Sequence[Made]) -> None:
        """Give every call its engine, but for those that write registers."""
        for call in calls:
            if isinstance(call, TracedLoop):
                self._choose(call.body)
                continue
            try:
                if call.row.posts:
                    call.engine = self.engines.issue(call.row, call.operands, call.engine)
                elif self.compiling is not None and not call.engine and self._balanced(call):
                    continue
                elif written(call) is None:
                    call.engine = self.engines.choose(call.row, call.operands, call.engine)
            except Refused:  # an operand that the row does not take: said where it is made
                call.engine = call.engine or call.row.engines[0]

    def _balanced(self, call: Call) -> bool:
        """Give a call that Scalar may compute as well to the engine that is done with it first."""
        form = scalar_form(self.target.isa, call.row, call.operands)
        if form is None:
            return False
        forms = (call.row, call.operands), form
        found = self.engines.earliest(forms)
        if found is None:
            return False
        number, call.engine = found
        call.row, call.operands = forms[number]
        return True

    def _line(self, call: Call, engine: str) -> Line:
        queue = self.builder.queue(engine, self.trace.core)
        return Line(
            queue, self._made(queue, engine, call.row, call.operands), call.span, call.chain
        )

    def _made(self, queue: int, engine: str, row: Row, operands: dict[str, Any]) -> int:
        """An instruction of an engine, with the engine's own registers."""
        own = self.registers.own(operands, engine, self.generation.registers)
        return self.builder.make(queue, row, [], own, None, None)[0]

    def _loop(self, loop: TracedLoop) -> list[Item]:
        """A loop of every engine that has something to do in it."""
        trace, counter, engines = self.trace, loop.counter.named, self.registers.loop(loop)
        body = self._items(loop.body)
        if not engines:
            return []
        trace.loops += 1
        head, end = f"loop{trace.loops}", f"end{trace.loops}"
        branch, compute = trace.governing("branch"), trace.governing("compute")
        bound = loop.bound.named if isinstance(loop.bound, VirtualRegister) else loop.bound
        done = {"reg2": 0, "op": "equal"}
        if bound is not None:
            done = {"reg2": bound, "op": "greater_equal"}
        made = Loop(head, end, {}, {}, {}, body, loop.span, loop.chain)
        for engine in engines:
            queue = self.builder.queue(engine, trace.core)
            leave = {"reg1": counter, **done, "target": end}
            made.leave[queue] = self._made(queue, engine, branch, leave)
            made.back[queue] = self._made(queue, engine, branch, {"target": head})
            if bound is not None:
                step = {"dst": counter, "src1": counter, "src2": loop.step, "op": "add"}
                made.step[queue] = (self._made(queue, engine, compute, step),)
        return [made]
