"""Microbenchmarks of Trainium2 that others measured: in a stream, and alone."""

from __future__ import annotations

from programs.published.micro import (
    Probe,
    Section,
    duration,
    gpsimd,
    often,
    scalar,
    sync,
    tensor,
    unit,
    vector,
)
from programs.published.rows import Row
from programs.published.runs import Run

PROBES = Section(
    name="2.3",
    source="Joejoedesu/voyager-compiler, docs/trainium-isa-model.md, "
    "docs/trainium-operand-model.md and src/voyager_compiler/trainium/*.json; laws a + b N, at "
    "N = 512",
)

N = 512


def both(
    probe: Probe,
    issue: float | tuple[float, float] | None,
    completion: float | tuple[float, float],
    remark: str = "",
) -> tuple[Row, ...]:
    """From start to start in a stream, and from start to results alone."""
    first = () if issue is None else (PROBES.issue(probe, issue, remark=remark),)
    return (*first, PROBES.completion(probe, completion, remark=remark))


# ---------------------------------------------------------------- Tensor

HALF = tensor("matmul, bfloat16", "LoadStationary hk", "MultiplyMoving pc, hb")
FULL = tensor("matmul, float32", "LoadStationary k", "MultiplyMoving pc, b")
SHORT = tensor("matmul, float32, K = 64", "LoadStationary k[0:64]", "MultiplyMoving pc, b[0:64]")
TURN = tensor("transpose, float32", "LoadStationary k, is_transpose=true",
              "MultiplyMoving pt, unit, is_transpose=true", before=unit("unit"))  # fmt: skip

PAIR = "A matmul begins with its LoadStationary, as the probes count it."
SLOW_LOAD = (
    "with its LoadStationary at half the rate, too, it would be met: the limiter is documented for "
    "matmuls; a probe of loads just after idle would decide it"
)
PASSES = (
    "of it 216 ns are before the matmul streams, in bfloat16 38: what loading float32 costs is "
    "open, as a stream hides it; a profile that shows the loads of such a probe would decide it"
)
ALTERNATING = (
    "its columns take 107 ns to stream: it is as if the load before each took 168, but a stream of "
    "float32 matmuls of 128 columns, with two loads each, takes 225; a profile that shows the "
    "loads would decide it"
)
NO_GAP = (
    "the 7 cycles between matmuls double with the rest here, and are not there in the probe: "
    "more of them just after idle would decide it"
)


def pair(run: Run) -> float:
    """From the start of the first LoadStationary to the completion of its MultiplyMoving."""
    (load, *_), (matmul, *_) = (
        run.of("tensor", "LoadStationary"),
        run.of("tensor", "MultiplyMoving"),
    )
    return (matmul.end - load.start) * 1000


def streamed(run: Run) -> float:
    """The same in a stream, where the first pass is loaded beside the last of the one before."""
    last = run.of("tensor", "MultiplyMoving")[-1]
    return last.duration * 1000 + run.spacing("tensor", "MultiplyMoving") * 1000 / 2


def first_eight(run: Run) -> float:
    """From start to start of the first eight after an idle time."""
    starts = [s.start for s in run.of("tensor", "MultiplyMoving")]
    return (starts[7] - starts[0]) / 7 * 1000


TENSOR = (
    PROBES.issue(HALF, N / 2.4),
    PROBES.row(HALF, "completion", 203 + 1.99 * N / 2.4, pair, choice=PAIR,
               remark=SLOW_LOAD),
    PROBES.issue(FULL, (860, 7.2 + 1.70 * N)),  # as told beside K = 64, and as fitted to streams
    PROBES.row(FULL, "completion", 381 + 2.0 * 4 * N / 2.4, pair, choice=PAIR, remark=PASSES),
    PROBES.row(FULL, "completion in a stream", 184 + 2.52 * N, streamed, count=often(870),
               remark=PASSES),
    PROBES.issue(SHORT, 1707),
    PROBES.row(SHORT, "completion", 2077, pair, choice=PAIR, remark=PASSES),
    PROBES.row(SHORT, "completion in a stream", 2765, streamed, count=often(1707), remark=PASSES),
    PROBES.issue(TURN, 168, remark=ALTERNATING),
    PROBES.row(TURN, "issue just after idle", 213, first_eight, count=often(168),
               remark=NO_GAP),
    PROBES.row(TURN, "completion", 629, pair, choice=PAIR, remark=ALTERNATING),
    PROBES.row(TURN, "completion in a stream", 377, streamed, count=often(168),
               remark=ALTERNATING),
)  # fmt: skip

# ---------------------------------------------------------------- Vector

CYCLE = 1 / 0.96
MASK = "LoadMaskRegister [" + ", ".join(map(str, range(32))) + "]"
SCAN = "TensorTensorScan c, a, b, {}, op0=multiply, op1=add"
BLOCK = vector("Transpose, 32 by 32", "Transpose c[0:32, 0:32], a[0:32, 0:32]")
CHANGING = vector("Transpose, changing quadrants", "Transpose c[0:32, 0:32], a[32:64, 0:32]",
                  "Transpose c[0:32, 0:32], a[64:96, 0:32]")  # fmt: skip

VECTOR = (
    PROBES.completion(vector("TensorCopy, float32 in SBUF", "TensorCopy c, a"), 155 + 0.52 * N),
    PROBES.completion(vector("TensorCopy, bfloat16 in SBUF", "TensorCopy hc, ha"), 156 + 0.27 * N),
    *both(vector("TensorCopy, from PSUM", "TensorCopy c, pa"), N * CYCLE,
          (156 + 1.04 * N, 160 + 1.04 * N)),
    *both(vector("TensorCopy, from PSUM to bfloat16", "TensorCopy hc, pa"), N * CYCLE,
          (156 + 1.04 * N, 160 + 1.04 * N)),
    *both(vector("TensorScalar, float32", "TensorScalar c, a, op0=multiply, operand0=2.0"),
          N * CYCLE / 2, 160 + 0.52 * N),
    *both(vector("TensorTensor, float32", "TensorTensor c, a, b, op=multiply"), N * CYCLE,
          159 + 1.04 * N),
    *both(vector("TensorTensor, bfloat16", "TensorTensor hc, ha, hb, op=multiply"), N * CYCLE / 2,
          161 + 0.52 * N),
    *both(vector("TensorTensor, one in PSUM", "TensorTensor c, a, pa, op=multiply"), N * CYCLE,
          (144 + 1.04 * N, 154 + 1.04 * N)),
    *both(vector("TensorReduce, add", "TensorReduce m, a, op=add, axis=1"), N * CYCLE,
          (142 + 1.042 * N, 158 + 1.042 * N)),
    *both(vector("TensorReduce, maximum, PSUM", "TensorReduce m, pa, op=maximum, axis=1"),
          N * CYCLE, (142 + 1.042 * N, 158 + 1.042 * N)),
    PROBES.completion(vector("Reciprocal", "Reciprocal c, a"), (152 + 6.25 * N, 154 + 6.25 * N)),
    *both(vector("TensorTensorScan", SCAN.format("0.0")), 2 * N * CYCLE, 2 * N * CYCLE + 158),
    PROBES.completion(vector("TensorTensorScan from a tile", SCAN.format("one")),
                      2 * N * CYCLE + 158 + 60),
    PROBES.completion(vector("Memset", "Memset c, 1.0"), 58 + 0.83 * N),
    *both(vector("Shuffle", "Shuffle c[0:32], a[0:32]", before=(MASK, "Memset c, 0.0")),
          N * CYCLE, 143 + 1.045 * N),
    *both(vector("LoadMaskRegister", MASK), 13, 13, "12.48 cycles of Vector, which are 13 here"),
    *both(vector("CopyPredicated of a number", "CopyPredicated c, 1.0, mask",
                 before=("Memset c, 0.0",)),
          N * CYCLE, 156 + 1.11 * N,
          "the source restates the documented N cycles, but its completions lie 1.066 N apart, "
          "which are used: a stream of them would decide it"),
    *both(BLOCK, 93, 233),
    PROBES.issue(CHANGING, 234),
)  # fmt: skip

# ---------------------------------------------------------------- Scalar

WRITE = "reduce_op=add, reduce_cmd=reset_reduce"
SUMMING = scalar("Activation that accumulates", f"Activation c, a, op=exp, {WRITE}")
READING = scalar("ActReadAccumulator", f"Activation c, a, op=exp, {WRITE}", "ActReadAccumulator m")
READS = scalar("ActReadAccumulator", "ActReadAccumulator m",
               before=(f"Activation c, a, op=exp, {WRITE}",))  # fmt: skip
TABLES = scalar("table load", "Activation c, a, op=exp", "Activation c, a, op=sigmoid")


def _function(op: str) -> Probe:
    return scalar(f"Activation, {op}", f"Activation c, a, op={op}")


def behind(run: Run) -> float:
    """From the end of the producer's stream to the start of the read."""
    (producer, *_), (read, *_) = (
        run.of("scalar", "Activation"),
        run.of("scalar", "ActReadAccumulator"),
    )
    return (read.start - producer.start) * 1000 - N / 1.2


def beyond(run: Run) -> float:
    """What a function takes in a stream beside its elements."""
    return run.spacing("scalar", "Activation") * 1000 - N / 1.2


SCALAR = (
    *(row for op in ("exp", "sigmoid", "rsqrt", "log", "sqrt", "square")
      for row in both(_function(op), N / 1.2, (276 + 0.833 * N, 296 + 0.833 * N))),
    PROBES.completion(scalar("Activation, silu, PSUM", "Activation c, pa, op=silu"),
                      260 + 1.33 * N),
    *both(scalar("Activation, copy", "Activation c, a, op=copy"), N / 1.2, 202 + 0.833 * N),
    PROBES.completion(scalar("Activation, copy, a scale", "Activation c, a, op=copy, scale=one"),
                      202 + 91 + 0.833 * N),
    PROBES.completion(scalar("Activation, copy, scale and bias",
                             "Activation c, a, op=copy, scale=one, bias=two"),
                      202 + 2 * 91 + 0.833 * N),
    *both(scalar("TensorCopy, SBUF", "TensorCopy c, a"), N / 1.2, 190 + 0.833 * N),
    *both(scalar("TensorCopy, from PSUM", "TensorCopy c, pa"), N / 1.2,
          (159 + 0.833 * N, 174 + 0.833 * N)),
    *both(SUMMING, N / 1.2, 294 + 0.833 * N),
    PROBES.issue(READS, 185),
    PROBES.row(READS, "completion", 279, duration(READS, 2), count=3),
    PROBES.row(READING, "after the producer's stream", 200, behind,
               remark="what an engine holds is usable here when the interval that loads it ends, "
               "and has no delay of its own; with 4 partitions the same probes see 291: others "
               "between would decide what such a delay follows"),
    PROBES.row(TABLES, "issue", 1283, beyond, count=30),
)  # fmt: skip

# ---------------------------------------------------------------- GpSimd, control, DMA

SELECT = "AffineSelect c, a, [[-1, N]], 1, 0.0, cmp_op=greater_equal"
OTHER = (
    *both(gpsimd("AffineSelect", SELECT), 127 + 0.846 * N, 177 + 0.846 * N),
    *both(gpsimd("RegisterMove", "RegisterMove %r1, 7"), 68, 68),
)

LOAD = sync("load of [128,512] float32", "DmaCopy a, X  $done += 16",
            after=("EventSemaphore  $done >= 16",))  # fmt: skip
STORE = sync("store of [128,512] float32", "DmaCopy Y, a  $done += 16",
             after=("EventSemaphore  $done >= 16",))  # fmt: skip
IDEAL = 8 * 4 * N / 23


def dispatch(run: Run) -> float:
    """From the start of the instruction to the start of its first share."""
    return (run.shares[0].start - run.of("sync", "DmaCopy")[0].start) * 1000


def payload(run: Run) -> float:
    """From the start of a share to its landing, the longest."""
    return max(share.duration for share in run.shares) * 1000


def notify(run: Run) -> float:
    """From the last landing to the start of what waited for it."""
    landed = max(share.end for share in run.shares)
    return (run.of("sync", "EventSemaphore")[0].start - landed) * 1000


DMA = (
    PROBES.issue(LOAD, 599),
    PROBES.row(LOAD, "dispatch", 751, dispatch),
    PROBES.row(LOAD, "payload", 293 + 1.30 * IDEAL, payload),
    PROBES.row(LOAD, "notify", 314, notify),
    PROBES.issue(STORE, 609),
    PROBES.row(STORE, "dispatch", 566, dispatch),
    PROBES.row(STORE, "payload", 162 + 0.96 * IDEAL, payload),
    PROBES.row(STORE, "notify", 355, notify),
)

ROWS = (*TENSOR, *VECTOR, *SCALAR, *OTHER, *DMA)
