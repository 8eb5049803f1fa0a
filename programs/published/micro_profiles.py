"""Single instructions and transfers in the profiles that AWS publishes as pictures."""

from __future__ import annotations

from collections.abc import Callable

from programs.published.micro import (
    Probe,
    Section,
    duration,
    gpsimd,
    often,
    scalar,
    spacing,
    sync,
    tensor,
    unit,
    vector,
)
from programs.published.rows import Row, Use
from programs.published.runs import Run

GUIDE = Section(
    name="2.4",
    source="aws-neuron/aws-neuron-sdk, nki/deep-dives/nki_perf_guide.rst, pictures 10 to 30",
)
TUTORIALS = Section(
    name="2.4",
    source="aws-neuron/aws-neuron-sdk, nki/guides/tutorials/kernel-optimization.rst and "
    "tools/images/device-profile-7.png",
)
QUANTIZE = Section(
    name="2.4",
    source="aws-neuron/aws-neuron-sdk, nki/library/specs/design-rmsnorm-quant.rst, profiles of "
    "phases 2 and 3",
    use=Use.JUDGES,
)
TRANSFERS = Section(name="2.4", source=GUIDE.source, use=Use.JUDGES)
IN_A_BURST = Section(
    name="2.4",
    source="aws-neuron/aws-neuron-sdk, nki/img/mamba_v1_profile_4k_chan_load_var.png, in "
    "nki/guides/tutorials/fused_mamba.rst",
    use=Use.JUDGES,
)
DMA_INTRO = Section(
    name="2.4", source="aws-neuron/aws-neuron-sdk, nki/get-started/about/nki-dma-overview.rst"
)
T1 = {"target": "trn1"}
PIXELS = 15
"""ns by which what is read from a picture may be off."""


def about(published: float) -> tuple[float, float]:
    """What was read from a picture."""
    return published - PIXELS, published + PIXELS


# ---------------------------------------------------------------- Trainium1

CHAIN = scalar("ACTIVATE of one element, chained", "Activation c, c, op=exp", n=1,
               before=("Activation c, a, op=exp",), **T1)  # fmt: skip
LONG = vector("TENSOR_TENSOR of 8,192", "TensorTensor c, a, b, op=multiply", n=8192, **T1)
HALF = vector("TENSOR_TENSOR of 8,192, 64 partitions",
              "TensorTensor c[0:64], a[0:64], b[0:64], op=multiply", n=8192, **T1)  # fmt: skip
COLUMNS = tensor("MATMUL, 96 columns stationary", "MultiplyMoving pc[0:96], hb",
                 before=("LoadStationary hk[:, 0:96]",), n=128, **T1)  # fmt: skip
COLUMN = tensor("MATMUL, 1 column stationary", "MultiplyMoving pc[0:1], hb",
                before=("LoadStationary hk[:, 0:1]",), n=128, **T1)  # fmt: skip
LOAD_ONE = tensor("LDWEIGHTS, 1 column", "LoadStationary hk[:, 0:1]", **T1)
TURN = tensor("MATMUL that transposes, bfloat16", "MultiplyMoving pt, hunit, is_transpose=true",
              before=(*unit("hunit"), "LoadStationary hk, is_transpose=true"), **T1)  # fmt: skip
TABLE = scalar("ACT_TABLE_LOAD", "Activation c, a, op=exp", "Activation c, a, op=sigmoid", **T1)


def table(run: Run) -> float:
    """What changing from function to function takes beside the elements."""
    return run.spacing("scalar", "Activation") * 1000 - 512 / 1.4


TRAINIUM1 = (
    GUIDE.row(CHAIN, "duration", 159, duration(CHAIN, 9), count=10,
              remark="its chain, which is spaced by 189 ns, is reproduced instead: 30 of them pass "
              "until the next one starts, and here an engine waits for its own results without "
              "a hand-off; a picture of other chains would decide it"),
    GUIDE.row(CHAIN, "spacing", 189, spacing(CHAIN), count=often(189)),
    GUIDE.row(LONG, "duration", 14987, duration(LONG)),
    GUIDE.row(HALF, "duration", 14968, duration(HALF)),
    GUIDE.row(COLUMNS, "duration", 219, duration(COLUMNS)),
    GUIDE.row(COLUMN, "duration", 188, duration(COLUMN)),
    GUIDE.row(LOAD_ONE, "duration", 67, duration(LOAD_ONE)),
    GUIDE.row(TURN, "duration", 195, duration(TURN)),
    GUIDE.row(TABLE, "duration", 368, table, count=40),
)  # fmt: skip

# ---------------------------------------------------------------- transfers of Trainium1

SPILL = sync("4 MiB reloaded", "DmaCopy a, X  $done += 16", n=8192,
             after=("EventSemaphore  $done >= 16",), **T1)  # fmt: skip
TILE = sync("256 KiB loaded", "DmaCopy a, X  $done += 16",
            after=("EventSemaphore  $done >= 16",), **T1)  # fmt: skip
STORES = gpsimd("512 KiB stored, 32 KiB an engine", "DmaCopy Y, a  $done += 16", n=1024,
                after=("EventSemaphore  $done >= 16 * 12",), **T1)  # fmt: skip
WORD = sync("4 bytes", "DmaCopy a[0:1], X[0:1]  $done += 16", n=1,
            after=("EventSemaphore  $done >= 16",), **T1)  # fmt: skip
BEHIND = (
    "in its picture it stands behind a burst of some 16 other transfers in its ring, here it is "
    "alone: what these moved would decide it"
)


def whole(run: Run) -> float:
    """From the start of the first share to the landing of the last."""
    moved = [share for share in run.shares if share.size]
    return (max(s.end for s in moved) - min(s.start for s in moved)) * 1000


def packet(run: Run) -> float:
    """How long a DMA engine is busy with what it moves, on average."""
    return run.packet_time / len([share for share in run.shares if share.size]) * 1000


TRAINIUM1_TRANSFERS = (
    TRANSFERS.row(SPILL, "duration", 16955, whole),
    IN_A_BURST.row(TILE, "duration", 3046, whole, remark=BEHIND),
    TRANSFERS.row(STORES, "duration of a share", 1810, packet, count=12),
    GUIDE.row(WORD, "duration", 7, packet, remark="39.2 ticks, which are 40 here"),
)

# ---------------------------------------------------------------- Trainium2

FULL = tensor("MATMUL, float32", "LoadStationary k", "MultiplyMoving pc, b")
LOAD = tensor("LDWEIGHTS, float32", "LoadStationary k")
TURN_FULL = tensor("MATMUL that transposes, float32", "LoadStationary k, is_transpose=true",
                   "MultiplyMoving pt, unit, is_transpose=true", before=unit("unit"))  # fmt: skip
COPY = vector("COPY from PSUM", "TensorCopy c, pa")
MIXED = vector("TENSOR_TENSOR, one in PSUM", "TensorTensor c, a, pa, op=add")
ONE = scalar("ACTIVATE of one element", "Activation c, a, op=exp", n=1)
TRIGGER = sync("DMA trigger, hardware descriptors", "DmaCopy a, X  $done += 16",
               after=("EventSemaphore  $done >= 16",))  # fmt: skip
OF_ANY_SIZE = (
    "600 ns are documented, and 599 measured by others for this size: what the transfer in the "
    "picture moved would decide it"
)
WAIT = sync("EVENT_SEMAPHORE", "EventSemaphore")
SOFT = gpsimd("DMA trigger, its own descriptors", "DmaCopy a[0:1], X[0:1]  $done += 16",
              after=("EventSemaphore  $done >= 16",))  # fmt: skip


def one_pass(run: Run) -> float:
    """Between the starts of the two passes of a matmul."""
    return run.spacing("tensor", "MultiplyMoving") * 1000 / 2


def last_pass(run: Run) -> float:
    """From the start of the second pass to the results."""
    return run.of("tensor", "MultiplyMoving")[-1].duration * 1000 - one_pass(run)


def last_load(run: Run) -> float:
    """From the start of the second pass of a load to its completion."""
    loads = run.of("tensor", "LoadStationary")
    return loads[-1].duration * 1000 - run.spacing("tensor", "LoadStationary") * 1000 / 2


TRAINIUM2 = (
    TUTORIALS.row(FULL, "spacing of a pass", 429.7, one_pass, count=often(860)),
    TUTORIALS.row(FULL, "duration of a pass", (590, 600), last_pass, count=often(860)),
    TUTORIALS.row(LOAD, "duration of a pass", (180, 190), last_load, count=often(53)),
    TUTORIALS.row(TURN_FULL, "duration", 272, duration(TURN_FULL, -1), count=often(107)),
    TUTORIALS.row(COPY, "duration", 696, duration(COPY)),
    TUTORIALS.row(MIXED, "duration", 697, duration(MIXED)),
    TUTORIALS.row(ONE, "duration", (285, 320), duration(ONE),
                  remark="which function it was is not published; here it is exp"),
    TUTORIALS.row(TRIGGER, "duration", 520, duration(TRIGGER),
                  remark=OF_ANY_SIZE),
    TUTORIALS.row(WAIT, "duration", 9, duration(WAIT), remark="10.8 cycles, which are 11 here"),
    TUTORIALS.row(SOFT, "duration", 8, duration(SOFT), remark="9.6 cycles, which are 10 here"),
)  # fmt: skip

# ---------------------------------------------------------------- from engine to engine


def _handed(name: str, producer: str, consumer: str, lines: str, take: str, before: str) -> Probe:
    return Probe(
        name=f"{name} to {consumer.capitalize()}", engine=producer, lines=(f"{lines}  $done++",),
        before=(before,) if before else (),
        after=(f"@{consumer} {take}  $done >= 1",),
    )  # fmt: skip


def gap(producer: str, consumer: str) -> Callable[[Run], float]:
    """From completion on one engine to the start of what waits for it on another."""
    return lambda run: (run.of(consumer)[-1].start - run.of(producer)[-1].end) * 1000


HANDS = (
    ("scalar", "vector", "Activation c, a, op=copy", "TensorCopy hc, c", "", about(26)),
    ("vector", "tensor", "TensorCopy hc, ha", "MultiplyMoving pc, hc",
     "@tensor LoadStationary hk", about(52)),
    ("vector", "scalar", "TensorCopy c, a", "Activation hc, c, op=copy", "", about(40)),
)  # fmt: skip
HAND_OFF = "one hand-off for all engines, 40 ns"
HANDED = tuple(
    TUTORIALS.row(
        _handed("completion", producer, consumer, line, take, before), "to start", read,
        gap(producer, consumer), remark=HAND_OFF,
    )
    for producer, consumer, line, take, before, read in HANDS
)  # fmt: skip

# ---------------------------------------------------------------- the quantising kernel

COLD = tensor("MATMUL, bfloat16, just after idle", "LoadStationary hk", "MultiplyMoving pc, hb")
SCALED = vector("SCALAR_TENSOR_TENSOR, PSUM and a value per partition",
                "ScalarTensorTensor hc[0:80], ha[0:80], pa[0:80], op0=multiply, "
                "operand0=one[0:80], op1=multiply")  # fmt: skip
GREATEST = vector("TENSOR_SCALAR_REDUCE of 16,384", "TensorScalarReduce hc[0:80], ha[0:80], "
                  "op0=multiply, operand0=1.0, reduce_op=maximum, reduce_res=m[0:80]",
                  n=16384)  # fmt: skip
QUANTIZED = vector("TENSOR_SCALAR of 16,384, bfloat16 to fp8", "TensorScalar ec[0:80], ha[0:80], "
                   "op0=multiply, operand0=one[0:80]", n=16384)  # fmt: skip
SQUARES = scalar("ACTIVATE of 16,384 with sums", "Activation hc[0:80], ha[0:80], op=square, "
                 "reduce_op=add, reduce_cmd=reset_reduce", n=16384)  # fmt: skip


def first(run: Run) -> float:
    """From start to start of the first eight."""
    starts = [s.start for s in run.of("tensor", "MultiplyMoving")]
    return (starts[7] - starts[0]) / 7 * 1000


OPERAND = (
    "what a value per partition costs beside a PSUM operand is open: probes of either would decide "
    "it"
)
ABSOLUTE = "The kernel's operator is the absolute value, here it is a product: all take as long."

QUANTIZING = (
    QUANTIZE.row(COLD, "spacing", (421, 427), first, count=8),
    QUANTIZE.row(COLD, "duration", (581, 633), duration(COLD), count=8),
    QUANTIZE.row(SCALED, "spacing", 661, spacing(SCALED), count=often(661), remark=OPERAND),
    QUANTIZE.row(SCALED, "duration", 755, duration(SCALED, -1), count=often(661)),
    QUANTIZE.row(GREATEST, "duration", 17200, duration(GREATEST), choice=ABSOLUTE),
    QUANTIZE.row(QUANTIZED, "duration", 8810, duration(QUANTIZED)),
    QUANTIZE.row(SQUARES, "duration", 13930, duration(SQUARES)),
)

# ---------------------------------------------------------------- transfers of Trainium2

ONE_ENGINE = sync("32 KiB on one DMA engine", "DmaCopy a[0:4], X[0:4]  $done += 16", n=2048,
                  after=("EventSemaphore  $done >= 16",))  # fmt: skip
ROWS_OF_256 = sync("2 KiB on each DMA engine", "DmaCopy a, X  $done += 16", n=64,
                   after=("EventSemaphore  $done >= 16",))  # fmt: skip


def to_data(run: Run) -> float:
    """From the start of the instruction to the start of its first share."""
    return (run.shares[0].start - run.of("sync", "DmaCopy")[0].start) * 1000


def to_consumer(run: Run) -> float:
    """From the last landing to what waits for it."""
    landed = max(share.end for share in run.shares)
    return (run.of("sync", "EventSemaphore")[0].start - landed) * 1000


TRANSFERS_OF_2 = (
    DMA_INTRO.row(ONE_ENGINE, "duration of a share", 1416, packet),
    DMA_INTRO.row(ROWS_OF_256, "duration of a share", about(97), packet),
    DMA_INTRO.row(ROWS_OF_256, "trigger to first data", (740, 980), to_data),
    DMA_INTRO.row(ROWS_OF_256, "last data to consumer", about(300), to_consumer),
)

ROWS: tuple[Row, ...] = (
    *TRAINIUM1, *TRAINIUM1_TRANSFERS, *TRAINIUM2, *HANDED, *QUANTIZING, *TRANSFERS_OF_2,
)  # fmt: skip
