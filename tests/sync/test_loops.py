"""Run-time loops: each round comes after the one before it, and in order with what is around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.machine.records import Status
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program
from nasm.sync.lines import Item, Line, Loop, Sequence
from nasm.sync.synchronize import synchronise
from nasm.targets import TARGETS
from nasm.views.tensor import Tensor
from nasm.views.view import Reg, View, Window

P, W = 16, 16
ORDER = {"E0501", "E0502", "E0513", "E0514", "E0520", "E0540", "E0541"}


@dataclass
class Writing:
    """Calls in sequential order, loops with their counters in register 10 and up."""

    builder: ProgramBuilder
    items: list[Item]
    depth: int = 0
    loops: int = 0

    def tensor(self, memory: str, name: str, width: int = W, role: str = "") -> Tensor:
        """A tensor of four rows."""
        return self.builder.tensor(memory, name, "f32", (P, width), role=role)

    def made(self, engine: str, row: str, *operands: object, **named: object) -> int:
        """An instruction."""
        queue = self.builder.queue(engine)
        return self.builder.make(queue, self.builder.row(row), list(operands), named, None, None)[0]

    def call(self, engine: str, row: str, *operands: object, **named: object) -> None:
        """A call."""
        self.items.append(
            Line(self.builder.queue(engine), self.made(engine, row, *operands, **named))
        )

    def loop(self, rounds: int, *engines: str) -> tuple[Loop, list[Item]]:
        """A loop of so many rounds; what follows is its body until it is closed."""
        name, register = f"loop{self.loops}", Reg(10 + self.depth)
        self.loops += 1
        queues = {self.builder.queue(engine): engine for engine in engines}
        for engine in engines:
            self.call(engine, "RegisterMove", register, 0)
        loop = Loop(
            head=name,
            end=f"{name}_end",
            leave={
                q: self.made(
                    e, "CompareBranch", register, rounds, op="greater_equal", target=f"{name}_end"
                )
                for q, e in queues.items()
            },
            back={q: self.made(e, "CompareBranch", target=name) for q, e in queues.items()},
            step={
                q: (self.made(e, "RegisterAlu", register, register, 1, op="add"),)
                for q, e in queues.items()
            },
        )
        outside, self.items = self.items, loop.body
        outside.append(loop)
        self.depth += 1
        return loop, outside

    def close(self, outside: list[Item]) -> None:
        """The loop ends here."""
        self.items = outside
        self.depth -= 1

    def program(self) -> Program:
        """The program with its waits."""
        synchronise(self.builder, Sequence([self.items]))
        return self.builder.finish()


def writing() -> Writing:
    target = TARGETS["trn2"]()
    generation = target.generation("trn2")
    assert generation is not None
    return Writing(ProgramBuilder(target, generation), [])


def whole(tensor: Tensor) -> View:
    return View.whole(tensor)


def run(program: Program, **inputs: Any) -> nasm.Session:
    session = nasm.Session(program, inputs=inputs)
    report = session.run()
    assert not ORDER & {p.code for p in (*report.hazards, *report.warnings)}
    assert report.status is Status.FINISHED
    return session


def rows(rounds: int) -> Program:
    """Sums up tiles of A, and stores each sum."""
    made = writing()
    source, target = (
        made.tensor("hbm", "A", 8 * W, "input"),
        made.tensor("hbm", "O", 8 * W, "inout"),
    )
    tile, sums = made.tensor("sbuf", "tile"), made.tensor("sbuf", "sums")
    made.call("vector", "Memset", whole(sums), 1.0)
    _, outside = made.loop(rounds, "sync", "vector", "scalar")
    column = Window(Reg(10), 1)
    made.call("sync", "DmaCopy", whole(tile), window(source, column))
    made.call("vector", "TensorTensor", whole(sums), whole(sums), whole(tile), op="add")
    made.call("scalar", "Activation", whole(tile), whole(sums), "relu")
    made.call("sync", "DmaCopy", window(target, column), whole(tile))
    made.close(outside)
    made.call("sync", "DmaCopy", whole(target)[:, 7 * W :], whole(sums))
    return made.program()


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_a_loop_over_rows_computes_what_its_calls_mean(rounds: int) -> None:
    a = np.arange(P * 8 * W, dtype=np.float32).reshape(P, 8 * W) - 100
    session = run(rows(rounds), A=a, O=np.zeros_like(a))

    wanted, total = np.zeros_like(a), np.ones((P, W), np.float32)
    for number in range(rounds):
        total = total + a[:, number * W : (number + 1) * W]
        wanted[:, number * W : (number + 1) * W] = np.maximum(total, 0)
    wanted[:, 7 * W :] = total
    np.testing.assert_array_equal(session.read("O"), wanted)


def window(tensor: Tensor, column: Window) -> View:
    """A tile of W columns of a tensor, the one that a register says."""
    view = whole(tensor).reshape(P, 8, W)
    return view.index([slice(None), column, slice(None)])


def nested() -> Program:
    """Doubles a tile twice in each of three rounds, and adds up what it was at their beginning."""
    made = writing()
    target = made.tensor("hbm", "O", W, "inout")
    tile, more = made.tensor("sbuf", "tile"), made.tensor("sbuf", "more")
    made.call("vector", "Memset", whole(tile), 1.0)
    made.call("gpsimd", "Memset", whole(more), 0.0)
    _, outside = made.loop(3, "sync", "vector", "gpsimd", "scalar")
    made.call("gpsimd", "TensorTensor", whole(more), whole(more), whole(tile), op="add")
    _, between = made.loop(2, "vector", "scalar")
    made.call("vector", "TensorTensor", whole(tile), whole(tile), whole(tile), op="add")
    made.call("scalar", "Activation", whole(tile), whole(tile), "relu")
    made.close(between)
    made.call("sync", "DmaCopy", whole(target), whole(more))
    made.close(outside)
    made.call("sync", "DmaCopy", whole(target)[:, :2], whole(tile)[:, :2])

    return made.program()


def test_a_loop_in_a_loop_meets_in_every_round() -> None:
    session = run(nested(), O=np.zeros((P, W), np.float32))

    wanted = np.full((P, W), 1.0 + 4.0 + 16.0, np.float32)
    wanted[:, :2] = 64.0
    np.testing.assert_array_equal(session.read("O"), wanted)


def given(program: Program) -> dict[str, Any]:
    """Zeros for what the host fills."""
    filled = [t for t in program.tensors.values() if t.role]
    return {t.name: np.zeros(t.shape, np.float32) for t in filled}


def waits(program: Program) -> Iterator[tuple[int, int]]:
    """The places of all waits."""
    for queue, lines in enumerate(program.queues):
        yield from ((queue, pc) for pc, wait in enumerate(lines.waits) if wait)


@pytest.mark.parametrize("make", [lambda: rows(3), nested])
def test_each_wait_of_a_loop_is_needed(make: Callable[[], Program]) -> None:
    program, kept = make(), []
    for queue, pc in waits(program):
        lines = program.queues[queue]
        wait, lines.waits[pc] = lines.waits[pc], 0
        report = nasm.Session(program, inputs=given(program)).run()
        if not ORDER & {p.code for p in (*report.hazards, *report.warnings)}:
            kept.append((queue, pc))
        lines.waits[pc] = wait
    after = [lines.labels.get("loop0_end", 0) for lines in program.queues]
    # What is behind the loop may find that it had no round, which this run does not show.
    assert [(queue, pc) for queue, pc in kept if pc < after[queue]] == []
