"""Random pipelines in a loop: each stage reads what another has written some rounds before.

In a nest the rounds go on from entry to entry, and from one loop to its copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

WIDTH, BEFORE = 4, 3
"""Columns that a round writes, and rounds that there are none of before the first."""


@dataclass(frozen=True)
class Stage:
    """A stage: its engine, whether it is a transfer, which stage it reads, how far back."""

    engine: str
    transfer: bool
    source: int
    distance: int


@dataclass(frozen=True)
class Pipeline:
    """Stages, in the order in which a round has them; ``unrolled`` rounds of them are one.

    So many copies of the loop stand ``beside`` each other in an outer one of ``entries``, if any.
    """

    stages: tuple[Stage, ...]
    order: tuple[int, ...]
    rounds: int
    unrolled: int
    entries: int = 0
    beside: int = 1

    @property
    def total(self) -> int:
        """How many rounds there are, of all entries and copies."""
        return self.rounds * self.beside * max(self.entries, 1)

    @property
    def columns(self) -> int:
        """How wide the buffers are."""
        return (self.total + BEFORE) * WIDTH

    def text(self) -> str:
        """The program."""
        lines = [
            ".target trn2",
            f".hbm A f32[1, {self.columns}] input",
            f".hbm O f32[1, {self.columns}] inout",
        ]
        for n in range(len(self.stages)):
            lines += [
                f".sbuf t{n} f32[1, {self.columns}]",
                f"@vector Memset t{n}, {n} post fill[{n}]",
            ]
        outer = [f".loop i in 0..{self.entries}"] if self.entries else []
        outer.append(f".for j in 0..{self.beside}")
        lines += [*outer, f".loop k in 0..{self.rounds} step {self.unrolled}"]
        lines.append(f".for b in 0..{self.unrolled}")
        lines += [self.line(n) for n in self.order]
        lines += [".end", ".end", *(".end" for _ in outer)]
        last = len(self.stages) - 1
        lines.append(f"@sync DmaCopy O, t{last} after m{last}, fill[{last}]")
        lines.append("@sync .drain all")
        return "\n".join(lines) + "\n"

    def in_order(self, stage: Stage) -> bool:
        """Whether the order of a queue lets a stage read what its source has written."""
        source = self.stages[stage.source]
        return not (stage.transfer or source.transfer) and source.engine == stage.engine

    def line(self, number: int) -> str:
        """The line of a stage."""
        stage = self.stages[number]
        entry = f"i * {self.beside} + j" if self.entries else "j"
        now = f"({entry}) * {self.rounds} + k + b"
        at = f"({now} + {BEFORE}) * {WIDTH} : +{WIDTH}"
        back = f"({now} + {BEFORE - stage.distance}) * {WIDTH} : +{WIDTH}"
        source = f"A[:, {at}]" if stage.source < 0 else f"t{stage.source}[:, {back}]"
        row = "DmaCopy" if stage.transfer else "TensorCopy"
        after = [f"fill[{number}]"]
        if stage.source >= 0:
            after.append(f"fill[{stage.source}]")
            if not self.in_order(stage):
                after.append(f"m{stage.source}[k + b - {stage.distance}]")
        said = f"after {', '.join(after)} post m{number}[k + b]"
        return f"@{stage.engine} {row} t{number}[:, {at}], {source} {said}"

    def inputs(self) -> dict[str, np.ndarray[Any, Any]]:
        """Values of what is in HBM."""
        values = np.arange(100, 100 + self.columns, dtype=np.float32).reshape(1, -1)
        return {"A": values, "O": np.zeros_like(values)}

    def meant(self) -> np.ndarray[Any, Any]:
        """What the last stage has written in the end."""
        shape = 1, self.columns
        held = [np.full(shape, n, np.float32) for n in range(len(self.stages))]
        given = self.inputs()["A"]
        for number in range(self.total):
            for n in self.order:
                stage, at = self.stages[n], (number + BEFORE) * WIDTH
                back = at - stage.distance * WIDTH
                source = given[:, at : at + WIDTH]
                if stage.source >= 0:
                    source = held[stage.source][:, back : back + WIDTH]
                held[n][:, at : at + WIDTH] = source
        return held[-1]


@st.composite
def pipelines(draw: st.DrawFn, rounds: int = 0, nested: bool = False) -> Pipeline:
    """Any pipeline of up to five stages, with some number of rounds, in a nest or not."""
    made = []
    for number in range(draw(st.integers(1, 5))):
        transfer = draw(st.booleans()) or not number
        engines = ["sync", "scalar", "gpsimd"] if transfer else ["vector", "gpsimd", "scalar"]
        source = draw(st.integers(0, number - 1)) if number else -1
        distance = draw(st.integers(0, BEFORE)) if number else 0
        made.append(Stage(draw(st.sampled_from(engines)), transfer, source, distance))
    unrolled = draw(st.sampled_from([1, 2]))
    rounds = unrolled * (rounds or draw(st.sampled_from([3, 1, 4])))
    order = tuple(range(len(made)))
    if all(stage.distance or stage.source < 0 for stage in made):
        order = tuple(draw(st.permutations(order)))
    entries = draw(st.sampled_from([2, 3, 0])) if nested else 0
    beside = draw(st.sampled_from([1, 2])) if nested else 1
    return Pipeline(tuple(made), order, rounds, unrolled, entries, beside)
