"""Measure nasm against the NumPy work it contains: ``make bench``.

Ratios are taken in one process, alternating both sides, so that a slow moment of the machine
hits both; the median of the pairs is what counts. Rows beyond their limits are named at the end,
and then the exit code is 1.
"""

from __future__ import annotations

import argparse
import gc
import json
import operator
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import debugger
import heavy
import kernels
import limits
import ml_dtypes
import numpy as np
import tensix_kernels
from moments import LOOP, UNROLLED
from processor_time import busy
from texts import BLOCKED, DISTINCT, FREE, MATMUL, NAIVE, SMALL, STREAM, flat, flat_naive

import nasm
from nasm.base.source import Source
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.show.trace import TraceStream
from nasm.show.trace_file import TraceFile

SIZE, TILE, WIDE = 2048, 128, 512
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"

JUDGED = [
    ROOT / "programs" / f"{name}.nasm"
    for name in ("matmul_tiled", "digits", "published/mamba_v3", "published/layernorm_v1")
]
"""Programs whose order is judged, beside the matmul."""

US = "us, at most "


def plain_matmul(a: np.ndarray, b: np.ndarray, products: type = np.float64) -> np.ndarray:
    """The same tiles in the same order, as a NumPy loop.

    Products in float64 are exact here, as nasm's are; those in float32 depend on the host.
    """
    c = np.empty((SIZE, SIZE), np.float32)
    for m in range(0, SIZE, TILE):
        totals = [np.zeros((TILE, WIDE), np.float32) for _ in range(0, SIZE, WIDE)]
        for k in range(0, SIZE, TILE):
            stationary = a[k : k + TILE, m : m + TILE].astype(products)
            for n, total in enumerate(totals):
                moving = b[k : k + TILE, n * WIDE : (n + 1) * WIDE].astype(products)
                total += (stationary.T @ moving).astype(np.float32, copy=False)
        for n, total in enumerate(totals):
            c[m : m + TILE, n * WIDE : (n + 1) * WIDE] = total
    return c


def factors() -> dict[str, np.ndarray]:
    """The inputs of the matmul."""
    generator = np.random.default_rng(1)
    return {
        name: generator.standard_normal((SIZE, SIZE)).astype(ml_dtypes.bfloat16) for name in "AB"
    }


def matmul(pairs: int) -> dict[str, float]:
    """Running the tiled matmul program over the plain loops: processor's time."""
    a, b = factors().values()
    program = nasm.assemble(Source("matmul_2048", MATMUL))
    ours, plain, short = [], [], []
    for _ in range(pairs):
        gc.collect()  # the machine before this one, 150 MB of it
        session = nasm.Session(program, {"A": a, "B": b}, keep=0)
        ours.append(busy(partial(session.run, hashes=False)))
        plain.append(busy(partial(plain_matmul, a, b)))
        short.append(busy(partial(plain_matmul, a, b, np.float32)))
    report = session.report()
    assert report.ok, report.hazards or report.problems
    assert np.array_equal(session.outputs()["C"], plain_matmul(a, b))
    return {
        "run_s": statistics.median(ours),
        "numpy_s": statistics.median(plain),
        "ratio": statistics.median(o / p for o, p in zip(ours, plain, strict=True)),
        "short": statistics.median(o / p for o, p in zip(ours, short, strict=True)),
        "simulated_us": report.microseconds,
    }


def checkpointed(program: Program, inputs: dict[str, np.ndarray], pairs: int) -> float:
    """A run of which the past is kept over one without: processor's time."""
    ratios = []
    for _ in range(pairs):
        gc.collect()
        never, often = (nasm.Session(program, inputs, keep=keep) for keep in (0, None))
        runs = (partial(session.run, hashes=False) for session in (often, never))
        ratios.append(operator.truediv(*map(busy, runs)))
    return statistics.median(ratios)


def judged(
    program: Program, inputs: dict[str, np.ndarray], pairs: int, values: bool = True
) -> float:
    """How many times as long a run takes whose order and data are judged: processor's time.

    It is run and reported as the command does it: a session executes each instruction by itself.
    """

    def run(checked: bool) -> None:
        execution = Execution(program, inputs, checked=checked, values=values)
        execution.run(hashes=False)
        execution.report()

    run(True)
    return statistics.median(
        busy(partial(run, True)) / busy(partial(run, False)) for _ in range(pairs)
    )


def rate(text: str, tries: int, values: bool = True) -> float:
    """Instructions per second of the processor's time, of a program that is loaded: the median.

    It is run as the command runs it. Without values nothing is judged: what that costs has rows of
    its own.
    """
    program = nasm.assemble(Source("rate", text))
    rates = []
    for _ in range(tries):
        gc.collect()
        execution = Execution(program, values=values, checked=values)
        rates.append(len(program) / busy(partial(execution.run, hashes=False)))
    return statistics.median(rates)


def forgetful(text: str, tries: int) -> float:
    """A session without values that keeps nothing, over a run as the command does it."""
    program = nasm.assemble(Source("rate", text))
    ratios = []
    for _ in range(tries):
        gc.collect()
        session = nasm.Session(program, values=False, checked=False, keep=0)
        plain = Execution(program, values=False, checked=False)
        runs = (partial(one.run, hashes=False) for one in (session, plain))
        ratios.append(operator.truediv(*map(busy, runs)))
    return statistics.median(ratios)


def watched(text: str, tries: int) -> tuple[float, float]:
    """Runs without values that write a trace, and that keep a profile, over one that does neither.

    The profile is worked out, too.
    """
    program = nasm.assemble(Source("watched", text))
    traces, profiles = [], []

    def traced() -> None:
        session = nasm.Session(program, values=False, keep=0)
        with tempfile.TemporaryFile() as file:
            stream = TraceStream(session, TraceFile(file, False, {}))
            session.run(hashes=False)
            stream.close()

    def profiled() -> None:
        session = nasm.Session(program, values=False, profile=True, keep=0)
        session.run(hashes=False)
        session.profile()

    for _ in range(tries):
        gc.collect()
        plain = busy(lambda: nasm.Session(program, values=False, keep=0).run(hashes=False))
        traces.append(busy(traced) / plain)
        profiles.append(busy(profiled) / plain)
    return statistics.median(traces), statistics.median(profiles)


def traced_command(tries: int) -> float:
    """The command without values that writes a trace over the same without: processor's time."""
    command = ("run", "programs/published/matmul_naive.nasm", "-D", "M=512", "--no-values")
    with tempfile.TemporaryDirectory() as folder:
        writes = (*command, "--trace", f"{folder}/trace.json")
        return statistics.median(process(*writes) / process(*command) for _ in range(tries))


def process(*arguments: str) -> float:
    """The processor's time of a whole process."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "nasm", *arguments], cwd=ROOT, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system


def assembling(text: str) -> float:
    """How long it takes to assemble a text: processor's time."""
    gc.collect()  # what was measured before
    return busy(lambda: nasm.assemble(Source("text", text)))


def each_different(count: int, tries: int) -> list[tuple[str, float, str]]:
    """Lines that each have another number, assembled and run: microseconds of each."""
    text = flat(count, [1 + i / count for i in range(count)])
    program = nasm.assemble(Source("flat", text))
    sessions = (nasm.Session(program, keep=0, checked=False) for _ in range(tries))
    run = min(busy(partial(session.run, hashes=False)) for session in sessions)
    assembled = min(assembling(text) for _ in range(tries))
    return [
        ("a flat line with a number of its own, assembled", 1e6 * assembled / count, US + "60"),
        ("  run", 1e6 * run / count, US + "40"),
    ]


MEMORY = """
import re, sys, time
import nasm
from nasm.base.source import Source
session = nasm.Session(nasm.assemble(Source("naive", sys.stdin.read())), values=False)
session.run(hashes=False)
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1e3)
print(time.process_time())
"""
"""What ``getrusage`` says is at least what the process had that started this one."""


def whole(text: str) -> tuple[float, float]:
    """Megabytes and processor's time of a process that assembles a text and runs it, checked.

    It is run without values.
    """
    command = [sys.executable, "-c", MEMORY]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, input=text, text=True)
    megabytes, seconds = map(float, done.stdout.split())
    return megabytes, seconds


def cold(*arguments: str, tries: int = 5) -> float:
    """The processor's time of a whole process, from start to end; the median."""
    process(*arguments)
    return statistics.median(process(*arguments) for _ in range(tries))


WITHOUT = (
    ("40,000 TensorScalar", SMALL.format(rounds=800, columns=50), "400,000"),
    ("40,000 on four engines, no transfer", STREAM.format(rounds=10_000), "100,000"),
    ("14,000 of a blocked matmul", BLOCKED.format(m=2, n=2, k=64), "300,000"),
    ("16,000 of a naive matmul", NAIVE.format(m=4, n=16, k=64, deep=7), "90,000"),
)
"""Programs that run without values: what they are, their text, and instructions a second."""

ORDERED = (
    ("40,000 on four engines in order", FREE.format(rounds=10_000), 1.6),
    ("40,000 on four engines, with a race", STREAM.format(rounds=10_000), 1.9),
    ("14,000 of a blocked matmul", BLOCKED.format(m=2, n=2, k=64), 1.6),
    ("16,000 of a naive matmul", NAIVE.format(m=4, n=16, k=64, deep=7), 1.6),
    ("38,000 of a loop with moments", LOOP.format(rounds=3200), 1.6),
)
"""Programs whose order is judged: each instruction waits, posts or moves data. The number is how
many times as long that may take; where there is a race each step is judged by itself, and what
would fix it is tried, too."""

STARTS = (
    (("--help",), "0.06"),
    (("run", "programs/matmul.nasm"), "0.45"),
    (("repl", "-ex", "quit", "programs/matmul.nasm"), "0.55"),
    (("run", "programs/published/mamba_v3.nasm"), "0.75"),
)
"""Commands that are started, and the seconds that this may take."""


def main() -> int:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md, too")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    options = parser.parse_args()
    tries = 2 if options.quick else 5
    one, fifty = (SMALL.format(rounds=20_000 // n, columns=n) for n in (1, 50))
    distinct, many = (DISTINCT.format(rounds=n) for n in (20, 100))
    nested = SMALL.format(rounds=2000, columns=50)
    small = SMALL.format(rounds=1800, columns=50)
    megabytes, seconds = whole(flat(100_000, [1 + i / 100_000 for i in range(100_000)]))
    big = matmul(tries)
    traced, profiled = watched(NAIVE.format(m=4, n=16, k=64, deep=7), tries)
    rows: list[tuple[str, float, str]] = [
        ("2048^3 bfloat16 matmul, run / NumPy loop in float64", big["ratio"], "ratio, at most 1.7"),
        ("  the same / a loop in float32", big["short"], "ratio, at most 3.8"),
        ("  run", big["run_s"], "s"),
        ("  plain NumPy loop", big["numpy_s"], "s"),
        (
            "20,000 TensorScalar 128x8, one instruction",
            rate(one, tries),
            "instructions/s, at least 50,000",
        ),
        (
            "20,000 TensorScalar 128x8, 50 instructions",
            rate(fifty, tries),
            "instructions/s, at least 50,000",
        ),
        (
            "20,000 TensorScalar 128x4, all distinct",
            rate(distinct, tries),
            "instructions/s, at least 30,000",
        ),
        *(
            (
                f"{name}, without values",
                rate(text, tries, False),
                f"instructions/s, at least {least}",
            )
            for name, text, least in WITHOUT
        ),
        (
            "  the last of them, a session that keeps nothing / the command",
            forgetful(WITHOUT[-1][1], tries),
            "ratio, at most 1.1",
        ),
        ("  the last of them, with a trace / without", traced, "ratio"),
        ("  the same with a profile / without", profiled, "ratio"),
        (
            "a naive matmul, the command with --trace / without",
            traced_command(tries),
            "ratio, at most 1.3",
        ),
        (
            "132,000 of them, assembled and run",
            whole(NAIVE.format(m=32, n=16, k=64, deep=7))[0],
            "MB, at most 450",
        ),
        (
            "90,000 TensorScalar, a checkpoint every 30 ms / none",
            checkpointed(nasm.assemble(Source("small", small)), {}, tries),
            "ratio",
        ),
        (
            "2048^3 matmul, a checkpoint every 30 ms / none",
            checkpointed(nasm.assemble(Source("matmul", MATMUL)), factors(), tries),
            "ratio",
        ),
        *(
            (f"{name}, checked / unchecked", judged(program, inputs, tries), "ratio, at most 1.3")
            for name, program, inputs in (
                ("2048^3 matmul", nasm.assemble(Source("matmul", MATMUL)), factors()),
                *((path.stem, nasm.assemble(path), {}) for path in JUDGED),
            )
        ),
        (
            "90,000 TensorScalar, checked / unchecked",
            judged(nasm.assemble(Source("small", small)), {}, tries),
            "ratio, 1",
        ),
        *(
            (
                f"{name}, without values, checked / unchecked",
                judged(nasm.assemble(Source("order", text)), {}, tries, values=False),
                f"ratio, at most {most}",
            )
            for name, text, most in ORDERED
        ),
        (
            "assemble 3,000 with moments from .for",
            assembling(UNROLLED.format(rounds=1000)),
            "s, at most 2",
        ),
        ("assemble 100,000 from nested .for, 50 instructions", assembling(nested), "s, at most 5"),
        ("assemble 100,000 from nested .for, all distinct", assembling(many), "s, at most 5"),
        ("assemble 10,000 flat lines", assembling(flat(10_000, [2.0])), "s"),
        (
            "assemble 10,240 flat lines, most of them distinct",
            assembling(flat_naive(5, 8, 64, 7)),
            "s",
        ),
        *each_different(10_000, tries),
        ("100,000 of these, assembled and run", megabytes, "MB, at most 300"),
        ("  the whole process", seconds, "s, at most 9"),
        *(
            (f"neuron-nasm {' '.join(words)}, cold", cold(*words), f"s, at most {most}")
            for words, most in STARTS
        ),
        *debugger.rows(nested, MATMUL, NAIVE.format(m=8, n=16, k=64, deep=7), factors(), tries),
        *tensix_kernels.rows(tries),
        *kernels.rows(tries),
        *(
            (f"{row.name}, run / plain NumPy", heavy.ratio(row, tries)[0], "ratio")
            for row in heavy.HEAVY
        ),
    ]
    if options.json:
        print(json.dumps({name.strip(): value for name, value, _ in rows}))
        return 0
    print("\n".join(map(limits.line, rows)))
    if options.write:
        PAGE.write_text(limits.page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    beyond = limits.missed(rows)
    print("\n".join(beyond))
    return int(bool(beyond))


if __name__ == "__main__":
    raise SystemExit(main())
