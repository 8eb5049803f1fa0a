"""Texts without any wait, update or moment, and what is proposed for them, round after round.

``python -m tests.order.stripped`` tries the programs and random ones, and counts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from nasm import api
from nasm.base.problems import Problem
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.language.text.walk import descendants
from tests.order.removed import found, races, typed

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))
BARE = ("EventSemaphore", "Nop")
ROUNDS = 8


def stripped(source: Source) -> Source:
    """A text without what synchronises it."""
    cuts: set[tuple[int, int]] = set()
    for statement in parse(source)[0].body:
        for _, node in descendants(statement):
            line = node if isinstance(node, tree.InstructionLine) else None
            bare = line and line.mnemonic and line.mnemonic.name in BARE
            if bare or isinstance(node, tree.SemLine | tree.DrainLine):
                cuts.add((node.start, node.end))
            elif isinstance(node, tree.InstructionLine):
                cuts |= {(clause.start, clause.end) for clause in node.sync}
    text = source.text
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return Source(source.name, text)


def drawn(seed: int) -> Source:
    """A random program of two queues and a transfer or two, on four tiles."""
    draw = Random(f"bare {seed}")
    lines = [".target trn2", ".hbm A f32[128, 8] input = iota", ".hbm Y f32[128, 8] output"]
    lines += [f".sbuf t{n} f32[128, 8]" for n in range(4)]
    lines += ["@sync DmaCopy t0, A"]
    known = ["t0"]
    for _ in range(draw.randint(2, 6)):
        engine, made = draw.choice(("vector", "scalar")), f"t{draw.randrange(4)}"
        row = "Activation {}, {}, op=copy" if engine == "scalar" else "TensorCopy {}, {}"
        lines.append(f"@{engine} " + row.format(made, draw.choice(known)))
        known.append(made)
    lines.append(f"@sync DmaCopy Y, {known[-1]}")
    return Source("drawn.nasm", "\n".join(lines) + "\n")


class Ended(NamedTuple):
    """What came of a text: how often something was typed, and what is wrong at the end."""

    rounds: int
    text: Source
    problems: tuple[Problem, ...]

    @property
    def raced(self) -> bool:
        """Whether there is a race, or what was typed cannot be run."""
        return any(p.code < "E05" or p.code in ("E0502", "E0510") for p in self.problems)


def followed(source: Source) -> Ended:
    """Type all that is proposed until nothing more is."""
    for number in range(ROUNDS):
        problems = found(source)
        text = typed(source, races(problems))
        if text.text == source.text:
            return Ended(number, source, problems)
        source = text
    return Ended(ROUNDS, source, found(source))


def as_in_sequence(source: Source, text: Source) -> bool:
    """Whether a text gives what its lines give one after the other, without what was typed."""
    meant = api.run(api.assemble(source.text, autosync=True))
    return np.array_equal(api.run(text.text).outputs["Y"], meant.outputs["Y"])


def programs() -> Iterator[Source]:
    """The programs whose own lines hold all that synchronises them, and that race without."""
    for path in PROGRAMS:
        source = stripped(source_of(path))
        if races(found(source)):
            yield source


def main() -> int:
    """Count the texts that end without a race."""
    bare = {"programs": list(programs()), "random programs": [drawn(n) for n in range(300)]}
    for what, texts in bare.items():
        ends = [followed(text) for text in texts]
        good = sum(not end.raced for end in ends)
        sys.stdout.write(f"{good} of {len(ends)} {what} end without a race\n")
        for end in ends:
            for problem in end.problems if end.raced else ():
                sys.stdout.write(f"  {end.text.name}: {problem.code} {problem.hint}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
