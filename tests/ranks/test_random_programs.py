"""Random programs of ranks, in the order of their lines: NumPy's values, no race, one hash."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import nasm
from nasm.ranks.runs import RanksRun
from nasm.runs.settings import RunSettings
from tests.parts import part

TENSORS, ROWS = 4, 8
Held = list[np.ndarray]
"""Of each tensor the values of all ranks: [ranks, ROWS, 4]."""


class Program:
    """A text in sequential order, and what its tensors hold after each line."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.ranks = random.choice((2, 4))
        rng = np.random.default_rng(seed)
        self.start = rng.integers(-9, 9, (TENSORS, self.ranks, ROWS, 4)).astype(np.float32)
        self.held: Held = [one.copy() for one in self.start]
        self.lines = [f"@sync DmaCopy t{n}, x{n}" for n in range(TENSORS)]
        for _ in range(random.randint(2, 7)):
            random.choice((self.exchange, self.exchange, self.copy, self.sum))()
        self.lines += [f"@gpsimd DmaCopy y{n}, t{n}" for n in range(TENSORS)]

    @property
    def text(self) -> str:
        shape = f"f32[{ROWS}, 4]"
        head = [".target trn2", f".ranks {self.ranks}"]
        for n in range(TENSORS):
            head += [f".hbm x{n} {shape} input", f".hbm t{n} {shape}", f".hbm y{n} {shape} output"]
        return "\n".join([*head, *self.lines, ""])

    def pick(self) -> tuple[int, int]:
        dst, src = self.random.sample(range(TENSORS), 2)
        return dst, src

    def copy(self) -> None:
        dst, src = self.pick()
        self.lines.append(f"@{self.random.choice(('sync', 'scalar'))} DmaCopy t{dst}, t{src}")
        self.held[dst] = self.held[src].copy()

    def sum(self) -> None:
        dst, src = self.pick()
        self.lines.append(f"@sync DmaCompute t{dst}, [t{dst}, t{src}], reduce_op=add")
        self.held[dst] = self.held[dst] + self.held[src]

    def exchange(self) -> None:
        dst, src = self.pick()
        ranks = list(range(self.ranks))
        self.random.shuffle(ranks)
        size = self.random.choice((2, self.ranks))
        groups = [ranks[n : n + size] for n in range(0, self.ranks, size)]
        operation = self.random.choice(("all_reduce", "all_to_all", "collective_permute_implicit"))
        op = self.random.choice(("add", "maximum", "minimum"))
        how = f", op={op}" if operation == "all_reduce" else ""
        self.lines.append(f"@cc Collective t{dst}, t{src}, {operation}, groups={groups}{how}")
        made = self.held[dst].copy()
        for group in groups:
            sent = self.held[src][group]
            if operation == "all_reduce":
                fold = {"add": np.sum, "maximum": np.max, "minimum": np.min}[op]
                made[group] = fold(sent, axis=0)
            elif operation == "all_to_all":
                cut = sent.reshape(size, size, ROWS // size, 4)
                made[group] = cut.swapaxes(0, 1).reshape(size, ROWS, 4)
            else:
                made[group] = np.roll(sent, 1, axis=0)
        self.held[dst] = made

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        return {f"x{n}": self.start[n] for n in range(TENSORS)}


@pytest.mark.parametrize("seed", part(range(400), 12))
def test_values_are_numpys_and_there_is_no_race(seed: int) -> None:
    made = Program(seed)
    done = nasm.run(made.text, made.inputs, autosync=True)
    assert done.ok, (made.text, done.report.reasons)
    for n in range(TENSORS):
        assert np.array_equal(done.outputs[f"y{n}"], made.held[n]), (made.text, n)


@pytest.mark.parametrize("seed", part(range(400, 500), 3))
def test_every_order_of_ranks_has_the_same_hashes(seed: int) -> None:
    made = Program(seed)
    program = nasm.assemble(made.text, autosync=True)
    found = set()
    for _ in range(3):
        order = made.random.sample(range(made.ranks), made.ranks)
        report = RanksRun(program, made.inputs, RunSettings(), order).run()
        found.add((report.trace_hash, report.memory_hash))
    assert len(found) == 1


@pytest.mark.parametrize("seed", part(range(500, 700), 6))
def test_each_wait_around_a_collective_that_is_missing_is_reported(seed: int) -> None:
    """Only the waits that its lines need were put in: without one of them there is a race."""
    made = Program(seed)
    program = nasm.assemble(made.text, autosync=True)
    places = [
        (queue, pc)
        for queue, lines in enumerate(program.queues)
        for pc, wait in enumerate(lines.waits)
        if wait and (lines.engine == "cc" or pc % 2)
    ]
    for queue, pc in made.random.sample(places, min(2, len(places))):
        bare = program.own()
        bare.queues[queue].waits = bare.queues[queue].waits[:]
        bare.queues[queue].waits[pc] = 0
        report = nasm.run(bare, made.inputs).report
        codes = {one.code for one in (*report.hazards, *report.problems)}
        assert codes & {"E0502", "E0514"}, (made.text, program.instruction_name(queue, pc), codes)
