"""Matmuls: the kernels of AWS's optimisation tutorial and of its profile-querying guide.

Each kernel says what its source leaves open. What was chosen rests on what the published profiles
show of who issued, what was moved and what fits, and else follows the programs of programs/; none
of it on what it makes of the errors below.
"""

from __future__ import annotations

from collections.abc import Iterator

from programs.published.rows import Bound, Kernel, Row, Use, text
from programs.published.runs import Run

TUTORIAL = "aws-neuron/aws-neuron-sdk, nki/guides/tutorials/kernel-optimization.rst"
QUERYING = "aws-neuron/neuron-agentic-development, skills/neuron-nki-profile-querying/references"
BOUNDS = f"{QUERYING}/example-bounds-analysis.md"
STREAMS = f"{QUERYING}/investigations/te_inefficiency.md"

# ---------------------------------------------------------------- measures


def total(run: Run) -> float:
    """The whole run."""
    return run.total


def tensor(run: Run) -> float:
    """While Tensor was active."""
    return run.active("tensor")


def vector(run: Run) -> float:
    """While Vector was active."""
    return run.active("vector")


def dma(run: Run) -> float:
    """While a DMA engine was active."""
    return run.dma_active


def packets(run: Run) -> float:
    """How long DMA engines were busy, of all together."""
    return run.packet_time


def megabytes(run: Run) -> float:
    """What was moved."""
    return run.bytes / 1e6


def window(run: Run) -> float:
    """From the start of the first share to the landing of the last."""
    moved = [share for share in run.shares if share.size]
    return max(share.end for share in moved) - moved[0].start


def teraflops(run: Run) -> float:
    """Floating-point operations of all matmuls over the time in which Tensor is active."""
    return sum(flops(run)) / run.active("tensor") / 1e6


def flops(run: Run) -> Iterator[int]:
    """Of each matmul: two for each row of the array, column of it, and column that moves."""
    program = run.session.program
    (queue,) = (n for n, q in enumerate(program.queues) if q.engine == "tensor")
    for span in run.of("tensor", "MultiplyMoving"):
        matmul = program.instruction(queue, span.pc)
        dst, moving = matmul.operand("dst"), matmul.operand("moving")
        yield 2 * moving.shape[0] * dst.shape[0] * dst.shape[1]


# ---------------------------------------------------------------- the optimisation tutorial

FP32 = (
    "A float32 matmul is one LoadStationary and one MultiplyMoving here; the profile counts two "
    "pairs (LOW, LOW_HIGH), so that counts of Tensor's instructions and the sum of their times "
    "are not compared."
)
SOFTWARE = (
    "All transfers are issued by GpSimd with software descriptors: of the engines that may issue, "
    "the profile has a row for GpSimd alone, and its summary has no hardware-dynamic packets while "
    "all are dynamic."
)
VECTOR = "Vector copies results out of PSUM: the profile has no row for Scalar."
BANKS = (
    "Results go round the eight banks of PSUM, as the profile's row of PSUM usage shows, and leave "
    "through four tiles."
)
STORES = (
    "A store stands in its queue behind the loads that are issued before its tile is ready, as a "
    "scheduler of instructions would place it."
)

V2 = Kernel(
    name="tutorial, tiled",
    source=f"{TUTORIAL}, 'Writing the kernel' (profile v2)",
    choices=(
        FP32, SOFTWARE, VECTOR, BANKS, STORES,
        "Each operand has 16 buffers: nothing is published; more than the loads in flight.",
    ),
    program=text("matmul_naive.nasm"),
    full={"M": 4096, "K": 8192, "N": 8192},
    along="M",
    reduced=(512, 768, 1024),
)  # fmt: skip
V3 = Kernel(
    name="tutorial, hoisted loads",
    source=f"{TUTORIAL}, 'Analyzing the kernel' (profile v3)",
    choices=(
        FP32, SOFTWARE, VECTOR, BANKS, STORES,
        "The moving operand has the 64 buffers that the kernel declares, each loaded again when it "
        "has been used: two sets do not fit. The stationary one has two sets of 64, which do.",
    ),
    program=text("matmul_hoisted.nasm"),
    full={"M": 4096, "K": 8192, "N": 8192},
    along="M",
    reduced=(512, 768, 1024),
)  # fmt: skip
V4 = Kernel(
    name="tutorial, blocked M and N",
    source=f"{TUTORIAL}, 'Overlapping data and compute through blocking' (profile v4)",
    choices=(
        FP32, SOFTWARE, VECTOR, BANKS, STORES,
        "A block of the moving operand, 256 KiB a partition, does not fit into SBUF. The profile's "
        "memory-bandwidth utilisation says 8.655 GB: it was loaded again for the second tile of m, "
        "but for 6 of its 128 tiles. Which, it does not say: here the first. The others have 24 "
        "buffers, about what is left.",
        "The stationary operand has two sets of buffers; the next block's tiles are loaded one by "
        "one during this block.",
    ),
    program=text("matmul_blocked.nasm"),
    full={"M": 4096, "K": 8192, "N": 8192},
    along="M",
    reduced=(512, 768, 1024),
)  # fmt: skip
V5 = Kernel(
    name="tutorial, blocked K",
    source=f"{TUTORIAL}, 'Optimizing DMA through blocking the contraction dimension' (profile v5)",
    choices=(
        FP32, STORES,
        "Sync and Scalar issue loads of the moving operand, with hardware descriptors, GpSimd all "
        "other transfers, with software ones: Sync and Scalar have a burst for each block of K in "
        "the profile, GpSimd one for each block of M in it and a long one at the end of each N.",
        "GpSimd sets the sums to zero: Vector's instruction time, 3.08 ms, is that of 4,096 "
        "additions and 512 copies, and the zoomed profile shows the copies on Vector.",
        "The kernel's tiles take 228 KiB a partition, more than there is. The profile's "
        "memory-bandwidth utilisation says 1.8155 GB, 0.339 more than the kernel asks for: here 10 "
        "of 64 tiles of sums stay in HBM and are loaded and stored for each addition, which is "
        "0.336 GB and lets the rest fit.",
        "The operands have one set of buffers, since two do not fit. The first seven tiles of a "
        "block are computed side by side while its rows arrive: PSUM usage has a peak of several "
        "banks where they do.",
    ),
    program=text("matmul_blocked_k.nasm"),
    full={"M": 4096, "K": 8192, "N": 8192},
    along="N",
    reduced=(2048, 3072, 4096),
)  # fmt: skip

# ---------------------------------------------------------------- the profile-querying guide

HARDWARE = (
    "Sync issues all transfers, with hardware descriptors: the guide has no active time of Scalar "
    "and GpSimd."
)
WINDOW = "The total is from the first DMA's start to the last one's end, as the guide computes it."
GUIDE = (
    "Vector copies results out of PSUM into bfloat16, as the guide's active times have it.",
    "Results go round the eight banks of PSUM and leave through four tiles, as in the tutorial.",
)

NAIVE = Kernel(
    name="guide, tiled",
    source=f"{BOUNDS}, V0",
    choices=(
        HARDWARE, WINDOW, *GUIDE, STORES,
        "The guide says that rhs was loaded 32 times, and lhsT 3 times where the kernel asks for "
        "8: a tile of lhsT stays for three columns of tiles.",
        "rhs has 64 buffers, lhsT two for each k: nothing is published.",
    ),
    program=text("matmul_naive_bf16.nasm"),
)  # fmt: skip
BLOCKED = Kernel(
    name="guide, blocked",
    source=f"{BOUNDS}, V1 (BM=8, BN=2)",
    choices=(
        HARDWARE, WINDOW, *GUIDE,
        "The first transfers are in the kernel's order, lhsT before rhs; each later one is issued "
        "when its buffer is free. lhsT and rhs have rings of one block and a half, 96 KiB a "
        "partition each, which fill SBUF.",
    ),
    program=text("matmul_blocked_bf16.nasm"),
    full={"AW": 1, "BW": 1, "RA": 384, "RB": 96},
)  # fmt: skip
ROWS_OF_TILES = Kernel(
    name="guide, row loads",
    source=f"{BOUNDS}, V2 (BM=8, BN=2)",
    choices=BLOCKED.choices,
    program=text("matmul_blocked_bf16.nasm"),
    full={"AW": 8, "BW": 2, "RA": 48, "RB": 48},
)

STREAM = (
    "Each section writes a PSUM bank of its own, every matmul overwriting the last: the guide "
    "shows no accumulation.",
    "Every nc_matmul loads its stationary tile, as the optimisation tutorial's profiles have it.",
    "What is stored at the end is not shown: here the last section's tile, copied by Vector.",
)
FULL = Kernel(
    name="stream of full tiles",
    source=f"{STREAMS}, V1",
    choices=STREAM,
    program=text("matmul_stream.nasm"),
    full={"COUNT": 512, "SHORT": 0},
)
SHORT = Kernel(
    name="stream with short sides",
    source=f"{STREAMS}, V0",
    choices=STREAM,
    program=text("matmul_stream.nasm"),
    full={"COUNT": 512, "SHORT": 1},
)

# ---------------------------------------------------------------- the rows


def tutorial(
    name: str, kernel: Kernel, bound: Bound, ms: float, tensor_ms: float, dma_ms: float,
    packets_ms: float, gigabytes: float, *more: Row,
) -> Iterator[Row]:  # fmt: skip
    """The rows of one profile of the tutorial: total, active times, packets, bytes."""
    common = {"name": name, "kernel": kernel, "use": Use.JUDGES, "family": "optimisation tutorial"}
    yield Row(**common, figure="total", published=ms * 1000, bound=bound, measure=total, whole=True)
    yield Row(
        **common, figure="Tensor active", published=tensor_ms * 1000, bound=bound, measure=tensor
    )
    yield from more
    yield Row(**common, figure="DMA active", published=dma_ms * 1000, bound=Bound.DMA, measure=dma)
    yield Row(
        **common, figure="DMA packet time", published=packets_ms * 1000, bound=Bound.DMA,
        measure=packets,
    )  # fmt: skip
    yield Row(
        **common, figure="bytes", published=gigabytes * 1000, unit="MB", bound=Bound.PROGRAM,
        measure=megabytes,
    )  # fmt: skip


def guide(
    name: str, kernel: Kernel, bound: Bound, us: float, tensor_us: float, vector_us: float,
    dma_us: float, bytes_mb: float, *, of_total: str = "", of_tensor: str = "", of_dma: str = "",
) -> Iterator[Row]:  # fmt: skip
    """The rows of one profile of the guide; three of its figures may have remarks.

    Vector makes the same 256 copies in all three, so that its times have no order to be right.
    """
    plain = {"name": name, "kernel": kernel, "use": Use.JUDGES}
    common = {**plain, "family": "guide"}
    yield Row(**common, figure="total", published=us, bound=bound, measure=window, remark=of_total)
    yield Row(
        **common, figure="Tensor active", published=tensor_us, bound=bound, measure=tensor,
        remark=of_tensor,
    )  # fmt: skip
    yield Row(
        **plain, figure="Vector active", published=vector_us, bound=Bound.ENGINE, measure=vector
    )
    yield Row(
        **common, figure="DMA active", published=dma_us, bound=Bound.DMA, measure=dma,
        remark=of_dma,
    )  # fmt: skip
    yield Row(
        **common, figure="bytes", published=bytes_mb, unit="MB", bound=Bound.PROGRAM,
        measure=megabytes,
    )  # fmt: skip


SMALL_TRANSFERS = (
    "its transfers of 1 KiB and less a partition reach 153 GB/s, those of #1, which are larger, "
    "272; the same guide calls descriptors below 4 KiB significantly less efficient, but has no "
    "other figure of it: a sweep of their sizes would decide it"
)
THROTTLED = (
    "Tensor idles as long here as in the guide, some 290 µs, but is slow for less time: the guide "
    "puts 415 µs down to throttling after idle gaps and counts 258 matmuls that waited for a "
    "transfer, here some 150 do; the order of the compiler's loads, which are small ones as in #5, "
    "would decide it"
)
FIRST_ROWS = (
    "Tensor idles 60 µs here, 20 in the guide, all of it while the first tile waits for its 64 "
    "rows one after another; the compiler's order of tiles, which a trace would show, would "
    "decide it"
)
UNION = (
    "the guide's union is of all packets, also those that fetch instructions and post semaphores, "
    "and there are none of them here; rows come in bursts here, as soon as a buffer is free: a "
    "trace of the packets would decide it"
)

ROWS = (
    *tutorial("#1", V2, Bound.DMA, 39.89, 34.82, 39.87, 519.58, 10.871),
    *tutorial("#2", V3, Bound.ENGINE, 28.20, 28.16, 28.12, 402.07, 8.858),
    *tutorial("#3", V4, Bound.ENGINE, 28.41, 28.28, 27.19, 390.69, 8.655),
    *tutorial(
        "#4", V5, Bound.ENGINE, 28.30, 28.16, 6.10, 81.73, 1.8155,
        Row(
            name="#4", figure="Vector active", published=2990, use=Use.JUDGES, bound=Bound.ENGINE,
            kernel=V5, measure=vector,
        ),
    ),
    *guide("#5", NAIVE, Bound.DMA, 8602, 4806, 176, 7906, 1207.697,
           of_total=SMALL_TRANSFERS, of_tensor=SMALL_TRANSFERS, of_dma=SMALL_TRANSFERS),
    *guide("#6", BLOCKED, Bound.ENGINE, 2451, 2163, 174, 1325, 201.4,
           of_total=THROTTLED, of_tensor=THROTTLED, of_dma=SMALL_TRANSFERS),
    *guide("#7", ROWS_OF_TILES, Bound.ENGINE, 1801, 1781, 172, 819, 201.4,
           of_total=FIRST_ROWS, of_dma=UNION),
    Row(
        name="#8 full", figure="rate", published=77.2, unit="TFLOPS", use=Use.SETS,
        bound=Bound.ENGINE, kernel=FULL, measure=teraflops, family="streams",
    ),
    Row(
        name="#8 short sides", figure="rate", published=30.8, unit="TFLOPS", use=Use.JUDGES,
        bound=Bound.ENGINE, kernel=SHORT, measure=teraflops, family="streams",
    ),
)  # fmt: skip
"""Bytes of the tutorial are its memory-bandwidth utilisation times 716 GB/s and its total."""
