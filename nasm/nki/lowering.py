"""From the calls of a trace to instructions: engines and queues chosen, flags found out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nasm.nki.names import VirtualRegister
from nasm.nki.registers import Registers, written
from nasm.nki.tracing import Call, Made, RunTimeLoop, Trace
from nasm.problems import Failure, Problem, Refused
from nasm.sequence.lines import Item, Line, Loop
from nasm.spec.instruction import Context, Row
from nasm.spec.shapes import Shapes
from nasm.spec.target import rules_of
from nasm.spec.view import View

PREFERRED: dict[str, tuple[str, ...]] = {
    "nki.isa.memset": ("gpsimd", "vector"),
    "nki.isa.tensor_copy": ("vector", "scalar", "gpsimd"),
    "nki.isa.tensor_tensor": ("vector", "gpsimd"),
    "nki.isa.tensor_scalar": ("vector", "gpsimd", "scalar"),
    "nki.isa.register_store": ("sync",),
}
"""The engines of a function that leaves them to us, the likeliest first; others go by their row."""

BALANCED = ("nki.isa.tensor_copy",)
"""Functions of which the engine with the least to do gets the next."""

LOADS, STORES = "sync", "gpsimd"
"""Who issues transfers into a core's own memories, and out of them."""


class Lowering:
    """Makes the instructions of one core's trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.builder = trace, trace.builder
        self.target, self.generation = self.builder.target, self.builder.generation
        self.busy = {engine.name: 0 for engine in self.generation.engines}
        self.problems: list[Problem] = []
        self._shapes = Shapes(self.generation)
        self._started: dict[int, np.ndarray[Any, Any]] = {}

    def lines(self) -> list[Item]:
        """The instructions in the order of the calls."""
        self._choose(self.trace.made)
        self.registers = Registers(self.trace.made)
        made = self._items(self.trace.made)
        if self.problems:
            raise Failure(self.problems)
        return made

    def _items(self, calls: Sequence[Made]) -> list[Item]:
        found: list[Item] = []
        for call in calls:
            try:
                if isinstance(call, RunTimeLoop):
                    found += self._loop(call)
                else:
                    found += [self._line(call, engine) for engine in self.registers.engines(call)]
            except (Refused, Failure) as wrong:
                span = self.builder.program.spans[call.span]
                span = span and span.within(self.builder.program.chains[call.chain])
                self.problems += [p if p.span else p.at(span) for p in wrong.problems]
        return found

    def _choose(self, calls: Sequence[Made]) -> None:
        """Give every call its engine, but for those that write registers."""
        for call in calls:
            if isinstance(call, RunTimeLoop):
                self._choose(call.body)
            elif not call.engine and written(call) is None:
                call.engine = self._engine(call.row, call.operands)

    def _line(self, call: Call, engine: str) -> Line:
        if call.accumulates:
            call.operands["accumulate"] = self._adds(call.operands["dst"])
        made = self._made(engine, call.row, call.operands)
        return Line(self.builder.queue(engine, self.trace.core), made, call.span, call.chain)

    def _made(self, engine: str, row: Row, operands: dict[str, Any]) -> int:
        """An instruction of an engine, with the engine's own registers."""
        own = self.registers.own(operands, engine, self.generation.registers)
        queue = self.builder.queue(engine, self.trace.core)
        return self.builder.make(queue, row, [], own, None, None)[0]

    def _loop(self, loop: RunTimeLoop) -> list[Item]:
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
            made.leave[queue] = self._made(engine, branch, {"reg1": counter, **done, "target": end})
            made.back[queue] = self._made(engine, branch, {"target": head})
            if bound is not None:
                step = {"dst": counter, "src1": counter, "src2": loop.step, "op": "add"}
                made.step[queue] = (self._made(engine, compute, step),)
        return [made]

    # -- engines

    def _engine(self, row: Row, operands: dict[str, Any]) -> str:
        """The engine for an instruction that names none."""
        have = self.target.engines(row, self.generation)
        if row.posts:
            return self._issuer(operands)
        if len(have) < 2:
            return have[0] if have else row.engines[0]
        name = next(iter(row.vendor["NKI"]), "")
        wanted = [e for e in PREFERRED.get(name, have) if e in have]
        legal = [e for e in wanted if self._legal(row, operands, e)] or wanted[:1]
        if name not in BALANCED or len(legal) == 1:
            return legal[0]
        chosen = min(legal[:2], key=lambda e: self.busy[e])
        self.busy[chosen] += self._ticks(row, operands, chosen)
        return chosen

    def _issuer(self, operands: dict[str, Any]) -> str:
        """Who issues a transfer: stores wait for results, and would hold loads back."""
        dst = operands["dst"]
        return LOADS if dst.tensor.memory.partitions else STORES

    def _legal(self, row: Row, operands: dict[str, Any], engine: str) -> bool:
        context = self._context(row, operands, engine)
        rules = rules_of(self.target, row, bool(context.addressed))
        return all(rule.check(context) is None for rule in rules)

    def _context(self, row: Row, operands: dict[str, Any], engine: str) -> Context:
        values = list(row.defaults)
        for name, value in operands.items():
            values[row.position[name]] = row.operand(name).kind.accept(value)
        return Context.of(row, tuple(values), engine, self.generation)

    def _ticks(self, row: Row, operands: dict[str, Any], engine: str) -> int:
        context = self._context(row, operands, engine)
        values = tuple(context.operands.values())
        cost = self._shapes.of(row, values, engine, context).cost
        return cost.interval * self.generation.engine(engine).cycle

    # -- matmuls that add or do not

    def _adds(self, dst: View) -> bool:
        """Whether a matmul adds to what earlier ones left: the first into a place overwrites it."""
        tensor = dst.tensor
        started = self._started.get(tensor.index)
        if started is None:
            shape = (tensor.partitions, tensor.bytes)
            started = self._started[tensor.index] = np.zeros(shape, np.bool_)
        size = dst.dtype.itemsize
        strides = (dst.steps[0] * tensor.bytes, *(step * size for step in dst.steps[1:]))
        place = np.ndarray(
            dst.shape, np.bool_, started.data, dst.partition * tensor.bytes + dst.offset, strides
        )
        if not place.any():
            place[...] = True
            return False
        if not place.all():
            raise Refused(
                "E0652",
                f"nc_matmul into {tensor.name}, of which earlier ones have begun a part only: "
                "whether it adds is not one answer",
                "say accumulate=True or False, or multiply into the parts one by one",
            )
        return True
