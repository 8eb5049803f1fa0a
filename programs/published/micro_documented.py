"""Documented costs: what AWS's guides and reference pages say of single instructions."""

from __future__ import annotations

from collections.abc import Callable

from programs.published.micro import Probe, Section, gpsimd, scalar, sync, tensor, unit, vector
from programs.published.rows import Row, Use
from programs.published.runs import Run

GUIDES = Section(
    name="2.1",
    source="aws-neuron/aws-neuron-sdk, nki/guides/architecture and "
    "nki/deep-dives/nki_perf_guide.rst",
)
COSTS = Section(
    name="2.2",
    source="awsdocs-neuron.readthedocs-hosted.com/en/v2.26.1/nki/api/generated/nki.isa.*.html, "
    "'estimated instruction cost'; N is 512 unless the instruction has a size of its own",
)
T1 = {"target": "trn1"}
MASK = "LoadMaskRegister [" + ", ".join(map(str, range(32))) + "]"
FOUR_VIEWS = "one of four round numbers for one overhead; the drains that 2.3 measures are used"


def overhead(engine: str, name: str) -> Callable[[Run], float]:
    """Cycles from the end of the least interval to completion."""

    def measure(run: Run) -> float:
        generation = run.session.program.generation
        cycle = generation.engine(engine).cycle / generation.ticks
        return run.duration(engine, name) / cycle - 64

    return measure


_TINY = vector("least interval, Vector", "TensorScalar c, a, op0=add, operand0=1.0", n=1, **T1)
_TINY_SCALAR = scalar("least interval, Scalar", "Activation c, a, op=copy", n=1, **T1)
_TINY_MATMUL = tensor("least interval, Tensor", "MultiplyMoving pc[:, 0:1], hb", n=1,
                      before=("LoadStationary hk",), **T1)  # fmt: skip
_LOAD = tensor("LoadStationary, 128 columns", "LoadStationary hk", **T1)
_IOTA = gpsimd("start-up of GpSimd", "Iota steps, [[1, N]]", n=64, **T1)
_SUMS = scalar("reading accumulators", "Activation c, a, op=copy, reduce_op=add, reduce_res=m, "
               "reduce_cmd=reset_reduce", **T1)  # fmt: skip
_HARDWARE = sync("hardware descriptors", "DmaCopy a, X  $done += 16",
                 after=("EventSemaphore  $done >= 16",))  # fmt: skip

GUIDE_ROWS = (
    GUIDES.cycles(_TINY, 64),
    GUIDES.cycles(_TINY_SCALAR, 64),
    GUIDES.cycles(_TINY_MATMUL, 64),
    GUIDES.row(_TINY, "static overhead, Vector", 100, overhead("vector", "TensorScalar"),
               unit="cycles"),
    GUIDES.row(_TINY, "static overhead, tensor access", 60, overhead("vector", "TensorScalar"),
               unit="cycles", use=Use.NEITHER, remark=FOUR_VIEWS),
    GUIDES.cycles(_LOAD, 32),
    GUIDES.row(_IOTA, "start-up", 150, lambda run: run.spacing("gpsimd", "Iota") * 1400 - 64,
               count=200, unit="cycles"),
    GUIDES.row(_SUMS, "more for reading", 64,
               lambda run: run.spacing("scalar", "Activation") * 1400 - 512, count=80,
               unit="cycles"),
    GUIDES.issue(_HARDWARE, 600),
)  # fmt: skip


def _costs(*probes: tuple[Probe, float]) -> tuple[Row, ...]:
    return tuple(COSTS.cycles(probe, cycles) for probe, cycles in probes)


N = 512
COST_ROWS = (
    *_costs(
        (scalar("Activation", "Activation c, a, op=exp", **T1), N),
        (vector("TensorCopy", "TensorCopy c, a", **T1), N),
        (vector("TensorScalar", "TensorScalar c, a, op0=multiply, operand0=2.0", **T1), N),
        (vector("Shuffle", "Shuffle c, a", before=(MASK, "Memset c, 0.0"), **T1), N),
        (vector("Dropout", "Dropout c, a, 0.25", **T1), N),
        (vector("BatchNormStats", "BatchNormStats stats, a", **T1), N),
        (vector("Transpose, 32 by 32", "Transpose c[0:32, 0:32], a[0:32, 0:32]", **T1), 64),
        (scalar("Activation with sums", _SUMS.lines[0], **T1), N + 64),
        (vector("TensorScalarReduce", "TensorScalarReduce c, a, op0=multiply, operand0=2.0, "
                "reduce_op=add, reduce_res=m", **T1), N + 64),
        (vector("TensorTensor, SBUF and PSUM", "TensorTensor c, a, pa, op=multiply", **T1), N),
        (vector("TensorTensor, bfloat16", "TensorTensor hc, ha, hb, op=multiply", **T1), N),
        (vector("TensorTensor, float32", "TensorTensor c, a, b, op=multiply", **T1), 2 * N),
        (vector("ScalarTensorTensor", "ScalarTensorTensor c, a, b, op0=multiply, operand0=0.5, "
                "op1=add", **T1), 2 * N),
        (vector("TensorTensorScan", "TensorTensorScan c, a, b, 0.0, op0=multiply, op1=add", **T1),
         2 * N),
        (vector("CopyPredicated", "CopyPredicated c, a, mask", before=("Memset c, 0.0",), **T1),
         2 * N),
        (vector("TensorReduce, float32", "TensorReduce m, a, op=add, axis=1", **T1), N),
        (vector("TensorReduce, bfloat16", "TensorReduce hc[:, 0:1], ha, op=add, axis=1", **T1),
         N / 2),
        (vector("Reciprocal", "Reciprocal c, a", **T1), 8 * N),
        (scalar("reciprocal on Scalar", "Activation c, a, op=reciprocal", **T1), N),
        (vector("BatchNormAggregate, 16 of 6", "BatchNormAggregate both, many", **T1),
         13 * 96 / 3),
        (vector("Max8", "Max8 eight, a", **T1), N),
        (vector("FindIndex8", "FindIndex8 at, a", before=("MatchValueLoad eight",), **T1), N),
        (vector("MatchReplace8", "MatchReplace8 c, a, -1.0", before=("MatchValueLoad eight",),
                **T1), N),
        (vector("Memset", "Memset c, 1.0", **T1), N),
        (vector("Memset to 0, bfloat16", "Memset hc, 0.0", **T1), N / 2),
        (gpsimd("Iota", "Iota steps, [[1, N]]", **T1), 150 + N),
        (gpsimd("AffineSelect", "AffineSelect c, a, [[-1, N]], 1, 0.0, cmp_op=greater_equal",
                **T1), 150 + N),
        (tensor("MultiplyMoving, bfloat16", "MultiplyMoving pc, hb", before=("LoadStationary hk",),
                **T1), N),
        (tensor("MultiplyMoving, float32", "MultiplyMoving pc, b", before=("LoadStationary k",),
                **T1), 4 * N),
        (vector("ScalarTensorTensor, bfloat16", "ScalarTensorTensor hc, ha, hb, op0=subtract, "
                "operand0=0.5, op1=multiply", **T1), N),
        (vector("CopyPredicated, one in PSUM", "CopyPredicated c, pa, mask",
                before=("Memset c, 0.0",), **T1), N),
        (vector("short TensorTensor", "TensorTensor c, a, b, op=multiply", n=16, **T1), 64),
        (gpsimd("rsqrt on GpSimd", "TensorScalar c, mask, op0=rsqrt", **T1), 4 * N),
        (gpsimd("TopK, 128 of 8", "TopK most, at, few, 128", **T1), 4 * 128 + 8),
        (tensor("transpose of 128 by 128", "MultiplyMoving pt, hunit, is_transpose=true",
                before=(*unit("hunit"), "LoadStationary hk, is_transpose=true"), **T1), 128),
        (vector("copy from a register's place", "TensorCopy c[:, 0 : +1], a[:, %r1 : +1]",
                before=("RegisterMove %r1, 0",), **T1), 600),
    ),
    COSTS.cycles(
        vector("RangeSelect", "RangeSelect c, a, one, two, comp_op0=greater_equal, comp_op1=less, "
               "reduce_res=m"), N),
)  # fmt: skip

ROWS = (*GUIDE_ROWS, *COST_ROWS)
