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
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import debugger
import heavy
import kernels
import limits
import ml_dtypes
import numpy as np
import tensix
from moments import LOOP, UNROLLED

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

NAIVE = """\
.target trn2
.const M = {m}, N = {n}, K = {k}, DEEP = {deep}
.hbm  A  f32[K*128, M*128]  input
.hbm  B  f32[K*128, N*512]  input
.hbm  C  f32[M*128, N*512]  output
.sem  used, copied
.for i in 0..DEEP
.sbuf a{{i}} f32[128, 128]
.sbuf b{{i}} f32[128, 512]
.sem  loaded{{i}}
.end
.for i in 0..2
.psum p{{i}} f32[128, 512] @ bank i
.sbuf c{{i}} f32[128, 512]
.sem  stored{{i}}
.end
.for m in 0..M
.for n in 0..N
.const tile = m*N + n, o = tile % 2
.for k in 0..K
.const i = tile*K + k, b = i % DEEP
.if i >= DEEP
@sync DmaCopy a{{b}}, A[k*128 : +128, m*128 : +128]  $used >= i - DEEP + 1  $loaded{{b}} += 16
.else
@sync DmaCopy a{{b}}, A[k*128 : +128, m*128 : +128]  $loaded{{b}} += 16
.end
@sync DmaCopy b{{b}}, B[k*128 : +128, n*512 : +512]  $loaded{{b}} += 16
@tensor LoadStationary a{{b}}  $loaded{{b}} >= 32 * (i // DEEP + 1)
.if k == 0 and tile >= 2
@tensor EventSemaphore $copied >= tile - 1
.end
@tensor MultiplyMoving p{{o}}, b{{b}}, accumulate=(k > 0)  $used++
.end
.if tile >= 2
@vector EventSemaphore $stored{{o}} >= 16 * (tile // 2)
.end
@vector TensorCopy c{{o}}, p{{o}}  $used >= (tile + 1) * K  $copied++
@gpsimd DmaCopy C[m*128 : +128, n*512 : +512], c{{o}}  $copied >= tile + 1  $stored{{o}} += 16
.end
.end
@gpsimd EventSemaphore $stored0 >= 16 * ((M*N + 1) // 2)
@gpsimd EventSemaphore $stored1 >= 16 * (M*N // 2)
"""
"""A product of float32 matrices, each tile loaded where it is used: every other instruction is a
transfer."""

BLOCKED = """\
.target trn2
.const M = {m}, N = {n}, K = {k}
.hbm  A  f32[K*128, M*512]   input
.hbm  B  f32[K*128, N*2048]  input
.sem  used, added
.for i in 0..4
.sbuf a{{i}} f32[128, 512]
.sbuf b{{i}} f32[128, 2048]
.sbuf sum{{i}} f32[128, 2048]
.sem  loaded{{i}}
@vector Memset sum{{i}}, 0.0
.end
.for i in 0..8
.psum p{{i}} f32[128, 512] @ bank i
.end
.for m in 0..M
.for n in 0..N
.for k in 0..K
.const c = (m*N + n)*K + k, s = c % 4
.if c >= 4
@sync EventSemaphore $used >= (c - 3) * 16
.end
@sync DmaCopy a{{s}}, A[k*128 : +128, m*512 : +512]  $loaded{{s}} += 16
@sync DmaCopy b{{s}}, B[k*128 : +128, n*2048 : +2048]  $loaded{{s}} += 16
@tensor EventSemaphore $loaded{{s}} >= 32 * (c // 4 + 1)
.for i in 0..4
@tensor LoadStationary a{{s}}[:, i*128 : +128]
.for j in 0..4
.const t = c*16 + i*4 + j, o = t % 8
.if t >= 8
@tensor MultiplyMoving p{{o}}, b{{s}}[:, j*512 : +512]  $added >= t - 7  $used++
.else
@tensor MultiplyMoving p{{o}}, b{{s}}[:, j*512 : +512]  $used++
.end
@vector EventSemaphore $used >= t + 1
@vector TensorTensor sum{{i}}[:, j*512 : +512], sum{{i}}[:, j*512 : +512], p{{o}}, op=add  $added++
.end
.end
.end
.end
.end
"""
"""The same with blocks that are used 4 times, and sums in SBUF: a transfer in 28 instructions."""

STREAM = """\
.target trn2
.sbuf w bf16[128, 8192]
.sbuf x bf16[128, 8192]
.sbuf y f32[128, 8192]
.sbuf z bf16[128, 8192]
.sem  multiplied, copied
.for i in 0..8
.psum p{{i}} f32[128, 512] @ bank i
.end
.for i in 0..{rounds}
@tensor LoadStationary w[:, (i % 64)*128 : +128]
.if i >= 8
@tensor MultiplyMoving p{{i % 8}}, x[:, (i % 16)*512 : +512]  $copied >= i - 7  $multiplied++
.else
@tensor MultiplyMoving p{{i % 8}}, x[:, (i % 16)*512 : +512]  $multiplied++
.end
@vector TensorCopy y[:, (i % 16)*512 : +512], p{{i % 8}}  $multiplied >= i + 1  $copied++
@scalar Activation z[:, (i % 16)*512 : +512], y[:, (i % 16)*512 : +512], op=exp  $copied >= i + 1
.end
"""

FLAT = "@vector TensorScalar t[:, {0}:{1}], t[:, {0}:{1}], op0=multiply, operand0={2}\n"


US = "us, at most "


def busy(work: Callable[[], object]) -> float:
    """The processor's time that one call takes in this process: others do not count."""
    began = time.process_time()
    work()
    return time.process_time() - began


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
    """How many times as long a run takes whose order and data are judged: processor's time."""

    def run(checked: bool) -> None:
        session = nasm.Session(program, inputs, checked=checked, keep=0, values=values)
        session.run(hashes=False)

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


def flat(count: int, numbers: Sequence[float]) -> str:
    """A line for each instruction, with these numbers in turn."""
    lines = (
        FLAT.format(8 * (i % 64), 8 * (i % 64) + 8, numbers[i % len(numbers)]) for i in range(count)
    )
    return "".join([".target trn1\n.sbuf t f32[128, 512]\n@vector Memset t, 1.0\n", *lines])


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
import re, sys
import nasm
from nasm.base.source import Source
session = nasm.Session(nasm.assemble(Source("naive", sys.stdin.read())), values=False)
session.run(hashes=False)
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1e3)
"""
"""What ``getrusage`` says is at least what the process had that started this one."""


def memory(text: str) -> float:
    """Megabytes of a process that assembles a text and runs it without values."""
    command = [sys.executable, "-c", MEMORY]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, input=text, text=True)
    return float(done.stdout)


def flat_naive(m: int, n: int, k: int, deep: int) -> str:
    """The naive product as a generator writes it, a line for each instruction."""
    lines = [
        *(".target trn2", f".hbm A f32[{k * 128}, {m * 128}] input"),
        f".hbm B f32[{k * 128}, {n * 512}] input",
        *(f".sbuf a{i} f32[128, 128]\n.sbuf b{i} f32[128, 512]" for i in range(deep)),
        *(f".sem loaded{i}" for i in range(deep)),
        ".psum p f32[128, 512]",
        ".sem used",
    ]
    for i in range(m * n * k):
        row, column, part, at = i // (n * k), i // k % n, i % k, i % deep
        free = f"$used >= {i - deep + 1} " if i >= deep else ""
        rows = f"{part * 128}:{part * 128 + 128}"
        lines += [
            f"@sync DmaCopy a{at}, A[{rows}, {row * 128} : +128] {free}$loaded{at} += 16",
            f"@sync DmaCopy b{at}, B[{rows}, {column * 512} : +512] $loaded{at} += 16",
            f"@tensor LoadStationary a{at} $loaded{at} >= {32 * (i // deep + 1)}",
            f"@tensor MultiplyMoving p, b{at}, accumulate={'true' if part else 'false'} $used++",
        ]
    return "\n".join([*lines, ""])


def cold(*arguments: str, tries: int = 5) -> float:
    """The processor's time of a whole process, from start to end; the median."""
    process(*arguments)
    return statistics.median(process(*arguments) for _ in range(tries))


WITHOUT = (
    ("40,000 TensorScalar", SMALL.format(rounds=800, columns=50), "150,000"),
    ("40,000 on four engines, no transfer", STREAM.format(rounds=10_000), "100,000"),
    ("10,000 of a blocked matmul", BLOCKED.format(m=2, n=2, k=64), "60,000"),
    ("16,000 of a naive matmul", NAIVE.format(m=4, n=16, k=64, deep=7), "40,000"),
)
"""Programs that run without values: what they are, their text, and instructions a second."""

FREE = (
    STREAM.replace("copied\n", "copied, done\n")
    .replace("$copied >= i - 7", "$done >= i - 7")
    .replace("$copied >= i + 1", "$copied >= i + 1  $done++")
)
ORDERED = (
    ("40,000 on four engines in order", FREE.format(rounds=10_000), 2),
    ("40,000 on four engines, with a race", STREAM.format(rounds=10_000), 6),
    ("38,000 of a loop with moments", LOOP.format(rounds=3200), 2),
)
"""Programs whose order is judged: each instruction waits, posts or moves data. The number is how
many times as long that may take; where there is a race, what would fix it is tried, too."""

STARTS = (
    (("--help",), "0.06"),
    (("run", "programs/matmul.nasm"), "0.45"),
    (("repl", "-ex", "quit", "programs/matmul.nasm"), "0.55"),
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
    big = matmul(tries)
    traced, profiled = watched(NAIVE.format(m=4, n=16, k=64, deep=7), tries)
    rows: list[tuple[str, float, str]] = [
        ("2048^3 bfloat16 matmul, run / NumPy loop in float64", big["ratio"], "ratio, at most 1.7"),
        ("  the same / a loop in float32", big["short"], "ratio, at most 4"),
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
        ("  the last of them, with a trace / without", traced, "ratio"),
        ("  the same with a profile / without", profiled, "ratio"),
        (
            "a naive matmul, the command with --trace / without",
            traced_command(tries),
            "ratio, at most 1.3",
        ),
        (
            "132,000 of them, assembled and run",
            memory(NAIVE.format(m=32, n=16, k=64, deep=7)),
            "MB, at most 450",
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
        (
            "100,000 of these, assembled and run",
            memory(flat(100_000, [1 + i / 100_000 for i in range(100_000)])),
            "MB, at most 300",
        ),
        *(
            (f"neuron-nasm {' '.join(words)}, cold", cold(*words), f"s, at most {most}")
            for words, most in STARTS
        ),
        *debugger.rows(nested, MATMUL, NAIVE.format(m=8, n=16, k=64, deep=7), factors(), tries),
        *tensix.rows(tries),
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
