"""Kernels of NKIBench on Trainium1, with the profiles that its authors published.

Their latencies are of a loop around the kernel. The time of a profile is its operations over the
rate that it reports, the part of 91.75 TFLOPS for which the array was used; so it is known where
there are products. AdamW has none: its total is taken to be 72 to 132 µs shorter than its latency,
as those of the other kernels with few stores are. Active times are the reported part of the total.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from programs.published.matmul import megabytes, total, vector
from programs.published.rows import Bound, Kernel, Row, Use, text
from programs.published.runs import Run

SOURCE = (
    "zhang677/AccelOpt, NKIBench/kernels and experiments/full_complete_local/profile_results.csv"
)
PEAK = 91.75
"""TFLOPS of Tensor in bfloat16, which the profiler's HFU is a part of."""

QUEUES = (
    "Sync issues the loads and GpSimd the stores: GpSimd is active for 63 ns for each store of "
    "four of the kernels."
)
COPIES = (
    "Scalar copies results out of PSUM, since Vector is idle in the profiles of matmuls. It copies "
    "four transposes of 128 columns at once: the bytes that it reads in PSUM are those of so many "
    "instructions of 512 columns."
)
IDENTITY = "The identity for transposes is made on the chip, where the kernel loads 64 KiB."
TWO = "What is loaded or stored in turns has two buffers, unless that does not fit."


def kernel(
    name: str, program: str, sizes: Mapping[str, int], *choices: str,
    along: str = "", reduced: tuple[int, int, int] = (0, 0, 0),
) -> Kernel:  # fmt: skip
    """A kernel of the benchmark, its text in sequential order."""
    return Kernel(
        name=name, source=f"{SOURCE}, {program}", choices=(QUEUES, TWO, *choices),
        program=text(f"nkibench_{program}.nasm", sequential=True), target="trn1", full=sizes,
        along=along, reduced=reduced,
    )  # fmt: skip


TRANSPOSED = kernel(
    "NKIBench, transposed operand", "transpose_matmul", {"M": 4096, "N": 10944},
    COPIES,
    "The block of A has one buffer for each tile and B has 24: two of both do not fit.",
    "The last products have 512 columns, of which 192 are wanted: the profile's operations are of "
    "22 products of 512 columns in each row.",
)  # fmt: skip
ADAMW = kernel(
    "NKIBench, optimiser step", "adamw", {"ROWS": 10944},
    "An expression of a product and a sum is one ScalarTensorTensor: of the kernel's fifteen "
    "operations for each piece the profile's bytes show nine results, three of them in PSUM. Here "
    "there are ten, with the three in PSUM that Scalar makes for Vector; which two the compiler "
    "joins is not shown.",
    "Inputs have three buffers, so that each engine may begin a piece before it ends the last.",
)  # fmt: skip
MATMUL = kernel(
    "NKIBench, plain product", "matmul", {"M": 4096, "N": 12288},
    COPIES, IDENTITY,
    "B is loaded for each 128 rows of A, which is what the profile's bytes are. Both halves of "
    "1,024 columns are summed up side by side, so that a tile of B need not stay until the second.",
    along="N", reduced=(2048, 3072, 4096),
)  # fmt: skip
RMSNORM = kernel(
    "NKIBench, normalised rows", "rmsnorm_matmul", {"M": 4096, "N": 2048},
    COPIES, IDENTITY,
    "X is loaded once and W 43 times in tiles of 512 KiB, where the kernel asks for 2 and 64: the "
    "profile's bytes are 75 tiles. Which 27 are loaded again it does not show: here 9 of 16 of W.",
    "Scalar squares and scales, its active time being that of so many instructions; Vector scales "
    "by 1/K and sums up in one instruction.",
    "The rows of the next block are normalised during the products of this one, and transposed "
    "after those of one row: before them they would keep Tensor waiting, and all would take "
    "12 % longer.",
)  # fmt: skip
BMM = kernel(
    "NKIBench, batches", "bmm", {"BATCHES": 16, "M": 4096, "N": 4096},
    COPIES, IDENTITY,
    "A is transposed once for all columns of B, as the profile's operations of transposes are. "
    "What the compiler spilled, 4 % of the bytes, is left out.",
)  # fmt: skip
SWIGLU = kernel(
    "NKIBench, gated features", "swiglu", {"M": 4096, "N": 3072},
    IDENTITY,
    "The loops over GATE and over UP are one, X is transposed once, and its transpose is stored "
    "and loaded twice: so many operations of transposes and spilled bytes has the profile.",
    "Scalar copies products with GATE out of PSUM, and makes exp and the reciprocal; Vector adds "
    "one and multiplies.",
)  # fmt: skip
LORA = kernel(
    "NKIBench, low rank", "lora", {"M": 4096, "N": 12288},
    COPIES, IDENTITY,
    "X is transposed twice, as the profile's operations of transposes are; the second transpose "
    "is stored and loaded for each 1,024 columns, and so are sums in each of four passes, and the "
    "products with B: the profile's spilled bytes are nearly these.",
    "Vector sets sums to zero and adds, as the kernel has it.",
    along="N", reduced=(1024, 2048, 3072),
)  # fmt: skip


def scalar(run: Run) -> float:
    """While Scalar was active."""
    return run.active("scalar")


def profile(
    name: str, made: Kernel, bound: Bound, us: float | tuple[float, float], bytes_mb: float,
    scalar_part: float, vector_part: float = 0.0, *, use: Use = Use.JUDGES, of_total: str = "",
    of_bytes: str = "",
) -> Iterator[Row]:  # fmt: skip
    """The rows of one profile: its total, active times as parts of that, and bytes."""
    common = {"name": name, "kernel": made}
    yield Row(
        **common, figure="total", published=us, use=use, bound=bound, measure=total, whole=True,
        family="NKIBench", remark=of_total,
    )  # fmt: skip
    shares = Use.NEITHER if use is Use.SETS else use
    yield Row(
        **common, figure="Scalar active", published=part(us, scalar_part), use=shares,
        bound=Bound.ENGINE, measure=scalar, remark=INSTRUCTIONS,
    )  # fmt: skip
    if vector_part:
        yield Row(
            **common, figure="Vector active", published=part(us, vector_part), use=shares,
            bound=Bound.ENGINE, measure=vector, remark=INSTRUCTIONS,
        )  # fmt: skip
    yield Row(
        **common, figure="bytes", published=bytes_mb, unit="MB", measure=megabytes,
        use=Use.NEITHER if of_bytes else use, bound=Bound.PROGRAM, remark=of_bytes,
    )  # fmt: skip


def part(us: float | tuple[float, float], share: float) -> float | tuple[float, float]:
    """A part of a time, or of each end of a range."""
    if isinstance(us, tuple):
        return us[0] * share, us[1] * share
    return us * share


def timed(gigaflops: float, used: float) -> float:
    """The microseconds of a profile with so many operations and that use of the array."""
    return gigaflops / (used * PEAK) * 1000


INSTRUCTIONS = (
    "which operations the compiler joins, and on which engine each runs, is not published: a list "
    "of instructions would decide it"
)
STEPS = (
    "Scalar is busier in the profile than the instructions here, and Vector, which bounds it, too: "
    "a list of instructions would decide it"
)
STARTS = (
    "Tensor works for 891 µs here; how long it waits for the first rows and between blocks depends "
    "on the compiler's order: a trace would decide it"
)
SPILLS = "which tiles the compiler spills is not published"

ROWS = (
    *profile("#40 transpose-matmul", TRANSPOSED, Bound.ENGINE, timed(377.957122, 0.4345979333),
             571.473920, 0.03794637728, use=Use.SETS),
    *profile("#41 AdamW", ADAMW, Bound.ENGINE, (1867.8, 1927.8), 448.266240, 0.6162108090,
             0.9001726880, of_total=STEPS),
    *profile("#41 matmul", MATMUL, Bound.DMA, timed(1159.641170, 0.3599390441), 9261.088768,
             0.06802961331),
    *profile("#41 RMSNorm-matmul", RMSNORM, Bound.ENGINE, timed(36.507222, 0.4099295125),
             72.941568, 0.17750705431, 0.0387800620, of_total=STARTS),
    *profile("#41 batched matmul", BMM, Bound.DMA, timed(70.866960, 0.1622363766), 1153.761280,
             0.37257967221, of_bytes=SPILLS),
    *profile("#41 SwiGLU", SWIGLU, Bound.ENGINE, timed(156.766306, 0.4141153029), 225.509376,
             0.09331290681, 0.1347337314, of_bytes=SPILLS),
    *profile("#41 LoRA", LORA, Bound.ENGINE, timed(1114.581762, 0.4036642629), 3611.361280,
             0.03444696322, 0.0980555928, of_bytes=SPILLS),
)  # fmt: skip
