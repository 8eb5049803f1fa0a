"""Measure the debugger: a part of ``make bench``.

Milliseconds are of the processor, in one process; ratios are medians of pairs that alternate.
"""

from __future__ import annotations

import gc
import io
import random
import statistics
from collections.abc import Callable

import numpy as np
from processor_time import busy

import nasm
from nasm.apps.repl import help_commands  # noqa: F401  (it and what it imports declare the commands)
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.base import gc_pause
from nasm.base.source import Source
from nasm.program.program import Program

Inputs = dict[str, np.ndarray] | None
Row = tuple[str, float, str]

LARGE = """\
.target trn2
.hbm A f32[8192, 8192] input
.hbm B f32[8192, 8192]
"""
"""A tensor of 256 MiB that is given, and one that nothing writes."""


class Prompt:
    """A prompt at which somebody sits."""

    def __init__(self, program: Program, inputs: Inputs = None, values: bool = True) -> None:
        self.out = io.StringIO()
        self.shell = Shell(ReplScreen(self.out))
        self.shell.adopt(nasm.Session(program, inputs, values=values))
        self.shell.attended = True
        self.session = self.shell.session

    def takes(self, line: str) -> float:
        """Milliseconds in which a command is answered."""
        self.out.seek(0)
        self.out.truncate()
        return 1e3 * busy(lambda: self.shell.take(line))

    def run(self, count: int) -> None:
        """Run until so many instructions more have completed, as a command at the prompt does."""
        with gc_pause.answering():
            self.session.run(max_instructions=count, hashes=False)


def moves(name: str, prompt: Prompt, tries: int) -> list[Row]:
    """Steps, and going back by one, at places all over a run."""
    rng, total = random.Random(1), len(prompt.session.program)
    prompt.run(total * 9 // 10)
    steps, backs = [], []
    for _ in range(tries * 4):
        prompt.session.back(rng.randrange(1, total // 2))
        backs += [prompt.takes("back 1") for _ in range(2)]
        prompt.takes("step")
        steps += [prompt.takes("step") for _ in range(3)]
        prompt.run(total // 3)
    return [
        (f"{name}: step, median", statistics.median(steps), "ms, at most 30"),
        ("  worst", max(steps), "ms"),
        ("  back 1, median", statistics.median(backs), "ms, at most 30"),
        ("  worst", max(backs), "ms, at most 100"),
    ]


def ratio(
    program: Program,
    inputs: Inputs,
    tries: int,
    prepare: Callable[[nasm.Session], object],
    keep: int | None = None,
) -> float:
    """A run of a session that was prepared over one with another ``keep`` that was not."""

    def run(keep: int | None, prepare: Callable[[nasm.Session], object]) -> float:
        session = nasm.Session(program, inputs, keep=keep)
        prepare(session)
        gc.collect()
        return busy(lambda: session.run(hashes=False))

    run(keep, prepare)
    return statistics.median(
        run(None, prepare) / run(keep, lambda session: None) for _ in range(tries)
    )


def watching(session: nasm.Session) -> None:
    """Ten breakpoints on a line that is passed, and a watched tensor that nothing writes."""
    for _ in range(10):
        session.break_at("Memset" if "t" in session.program.tensors else "DmaCopy", ignore=1 << 40)
    session.watch("A" if "A" in session.program.tensors else "u")


def stopping(session: nasm.Session) -> None:
    """Hazards stop it, as they do at the prompt."""
    session.breakpoints.hazards = True


def rows(small: str, matmul: str, naive: str, factors: Inputs, tries: int) -> list[Row]:
    """All figures of the debugger; ``small`` has 100,000 small instructions."""
    small = small.replace(".sbuf t", ".sbuf u f32[128, 512]\n.sbuf t")
    programs = (nasm.assemble(Source("small", small)), nasm.assemble(Source("matmul", matmul)))
    found: list[Row] = []
    found += moves("100,000 TensorScalar", Prompt(programs[0]), tries)
    found += moves("2048^3 matmul", Prompt(programs[1], factors), tries)
    found += moves(
        "a naive matmul", Prompt(nasm.assemble(Source("naive", naive)), values=False), tries
    )
    far = Prompt(programs[0])
    far.run(90_000)
    found.append(("back 10000 of 100,000", far.takes("back 10000"), "ms, at most 300"))
    for name, program, inputs, most in (
        ("100,000 TensorScalar", programs[0], None, "1.05"),
        ("2048^3 matmul", programs[1], factors, "1.25"),
    ):
        for what, prepare, keep, least in (
            ("the past kept / not", lambda session: None, 0, most),
            ("10 breakpoints and a watched tensor / none", watching, None, "1.15"),
            ("stopped by hazards / not", stopping, None, "1.3"),
        ):
            value = ratio(program, inputs, tries, prepare, keep)
            found.append((f"{name}, {what}", value, f"ratio, at most {least}"))
    values = np.random.default_rng(0).standard_normal((8192, 8192)).astype(np.float32)
    large = Prompt(nasm.assemble(Source("large", LARGE)), {"A": values})
    plain = 1e3 * min(busy(lambda: (values.min(), values.max(), values.mean())) for _ in range(3))
    for line in ("p A", "p B"):
        took = statistics.median(large.takes(line) for _ in range(3))
        found.append((f"'{line}' of 8192x8192 / NumPy's min, max, mean", took / plain, "ratio, 5"))
    return found
