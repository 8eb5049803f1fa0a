"""Measure nasm against the NumPy work it contains: ``make bench``.

Ratios are taken in one process, alternating both sides, so that a slow moment of the machine
hits both; the median of the pairs is what counts. Nothing here asserts: numbers are for reading.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import heavy
import ml_dtypes
import numpy as np

import nasm
from nasm.source import Source
from nasm.spec.program import Program

SIZE, TILE, WIDE = 2048, 128, 512
ROOT = Path(__file__).resolve().parents[2]

MATMUL = """\
.target trn1
.const S = 2048, T = 128, W = 512, KT = S // T, MT = S // T, NT = S // W
.hbm  A  bf16[S, S]  input
.hbm  B  bf16[S, S]  input
.hbm  C  f32[S, S]   output
.sem  loaded, done
.for k in 0..KT
.sbuf a{k} bf16[T, S]
.sbuf b{k} bf16[T, S]
@sync DmaCopy a{k}, A[k*T : +T, :]  $loaded += 16
@sync DmaCopy b{k}, B[k*T : +T, :]  $loaded += 16
.end
.for i in 0..8
.psum acc{i} f32[T, W] @ bank i
.end
.for i in 0..2
.sbuf c{i} f32[T, S]
.sem stored{i}
.end
.sem multiplied, copied
@tensor EventSemaphore $loaded >= 32 * KT
.for m in 0..MT
.if m >= 2
@tensor EventSemaphore $copied >= (m - 1) * NT
.end
.for k in 0..KT
@tensor LoadStationary a{k}[:, m*T : +T]
.for n in 0..NT
.if k < KT - 1
@tensor MultiplyMoving acc{(m % 2) * NT + n}, b{k}[:, n*W : +W], accumulate=(k > 0)
.else
@tensor MultiplyMoving acc{(m % 2) * NT + n}, b{k}[:, n*W : +W], accumulate=true  $multiplied++
.end
.end
.end
.if m >= 2
@vector EventSemaphore $stored{m % 2} >= 16 * (m // 2)
.end
.for n in 0..NT
.const tile = m * NT + n
@vector TensorCopy c{m % 2}[:, n*W : +W], acc{tile % 8}  $multiplied >= tile + 1  $copied++
.end
@sync DmaCopy C[m*T : +T, :], c{m % 2}  $copied >= (m + 1) * NT  $stored{m % 2} += 16
.end
@sync EventSemaphore $stored0 >= 8 * MT
@sync EventSemaphore $stored1 >= 8 * MT
"""

SMALL = """\
.target trn1
.sbuf t f32[128, 512]
@vector Memset t, 1.0
.for i in 0..{rounds}
.for j in 0..{columns}
@vector TensorScalar t[:, j*8 : +8], t[:, j*8 : +8], op0=multiply, operand0=1.0
.end
.end
"""

DISTINCT = """\
.target trn1
.sbuf t f32[128, 4096]
.for i in 0..{rounds}
.for j in 0..1000
@vector TensorScalar t[:, j*4 : +4], t[:, j*4 : +4], op0=multiply, operand0=i + 1.0
.end
.end
"""

FLAT = "@vector TensorScalar t[:, {0}:{1}], t[:, {0}:{1}], op0=multiply, operand0=2.0\n"


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


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
    """Running the tiled matmul program over the plain loops."""
    a, b = factors().values()
    program = nasm.assemble(Source("matmul_2048", MATMUL))
    ours, plain, short = [], [], []
    for _ in range(pairs):
        gc.collect()  # the machine before this one, 150 MB of it
        session = nasm.Session(program, {"A": a, "B": b})
        ours.append(seconds(partial(session.run, hashes=False)))
        plain.append(seconds(partial(plain_matmul, a, b)))
        short.append(seconds(partial(plain_matmul, a, b, np.float32)))
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


def advanced(session: nasm.Session, every: float) -> None:
    """Run to the end, with a checkpoint every so many seconds."""
    last = time.perf_counter()
    session.machine.prepare()
    while session.machine.run(1_000):
        if time.perf_counter() - last >= every:
            session.checkpoint()
            last = time.perf_counter()


def checkpointed(program: Program, inputs: dict[str, np.ndarray], pairs: int) -> float:
    """A run with a checkpoint every 20 ms over one without."""
    ratios = []
    for _ in range(pairs):
        gc.collect()
        often, never = nasm.Session(program, inputs), nasm.Session(program, inputs)
        ratios.append(
            seconds(partial(advanced, often, 0.02)) / seconds(partial(advanced, never, 1e9))
        )
    return statistics.median(ratios)


def rate(text: str, tries: int) -> float:
    """Instructions per second of a program that is loaded; the median of some runs."""
    program = nasm.assemble(Source("rate", text))
    rates = []
    for _ in range(tries):
        session = nasm.Session(program)
        rates.append(len(program) / seconds(partial(session.run, hashes=False)))
    return statistics.median(rates)


def cold(*arguments: str, tries: int = 5) -> float:
    """A whole process, from start to end; the median."""
    command = [sys.executable, "-m", "nasm", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return statistics.median(
        seconds(lambda: subprocess.run(command, cwd=ROOT, check=True, capture_output=True))
        for _ in range(tries)
    )


def main() -> int:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    options = parser.parse_args()
    tries = 2 if options.quick else 5
    flat = ".target trn1\n.sbuf t f32[128, 512]\n" + "".join(
        FLAT.format(8 * (i % 64), 8 * (i % 64) + 8) for i in range(10_000)
    )
    one, fifty = (SMALL.format(rounds=20_000 // n, columns=n) for n in (1, 50))
    distinct, many = (DISTINCT.format(rounds=n) for n in (20, 100))
    nested = SMALL.format(rounds=2000, columns=50)
    small = SMALL.format(rounds=1800, columns=50)
    big = matmul(tries)
    rows: list[tuple[str, float, str]] = [
        (
            "2048^3 bfloat16 matmul, run / NumPy loop in float64",
            big["ratio"],
            "ratio, at most 1.25",
        ),
        ("  the same / a loop in float32", big["short"], "ratio"),
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
            "instructions/s, at least 40,000",
        ),
        (
            "90,000 TensorScalar, a checkpoint every 20 ms / none",
            checkpointed(nasm.assemble(Source("small", small)), {}, tries),
            "ratio",
        ),
        (
            "2048^3 matmul, a checkpoint every 20 ms / none",
            checkpointed(nasm.assemble(Source("matmul", MATMUL)), factors(), tries),
            "ratio",
        ),
        (
            "assemble 100,000 from nested .for, 50 instructions",
            seconds(lambda: nasm.assemble(Source("nested", nested))),
            "s, at most 5",
        ),
        (
            "assemble 100,000 from nested .for, all distinct",
            seconds(lambda: nasm.assemble(Source("distinct", many))),
            "s, at most 5",
        ),
        ("assemble 10,000 flat lines", seconds(lambda: nasm.assemble(Source("flat", flat))), "s"),
        ("neuron-nasm --help, cold", cold("--help"), "s, at most 0.2"),
        (
            "neuron-nasm run matmul.nasm, cold",
            cold("run", "programs/matmul.nasm"),
            "s, at most 0.8",
        ),
        *(
            (f"{row.name}, run / plain NumPy", heavy.ratio(row, tries)[0], "ratio")
            for row in heavy.HEAVY
        ),
    ]
    if options.json:
        print(json.dumps({name.strip(): value for name, value, _ in rows}))
        return 0
    for name, value, unit in rows:
        shown = f"{value:,.0f}" if value >= 1000 else f"{value:.3f}"
        print(f"{name:<50} {shown:>10} {unit}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
