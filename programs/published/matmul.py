"""Matmuls: the kernels of AWS's optimisation tutorial, of its profile-querying guide, and streams.

Nothing in a program was chosen by what it makes of the errors: what a source leaves open is
decided by what its profile shows, or else as the programs of programs/ do it.
"""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Row, Use, text
from programs.published.runs import Run

QUERYING = "aws-neuron/neuron-agentic-development, skills/neuron-nki-profile-querying/references/"

# ---------------------------------------------------------------- streams of equal matmuls


def teraflops(run: Run) -> float:
    """Floating-point operations of all matmuls over the time in which Tensor is active."""
    return flops(run) / run.active("tensor") / 1e6


def flops(run: Run) -> float:
    """Two for each row of the array, column of it, and column that moves through."""
    program = run.session.program
    (queue,) = (n for n, q in enumerate(program.queues) if q.engine == "tensor")
    found = 0
    known: dict[int, int] = {}
    for span in run.of("tensor", "MultiplyMoving"):
        if span.pc not in known:
            matmul = program.instruction(queue, span.pc)
            out, moving = matmul.operand("dst"), matmul.operand("moving")
            known[span.pc] = 2 * moving.shape[0] * out.shape[0] * out.shape[1]
        found += known[span.pc]
    return found


STREAM_CHOICES = (
    "The four sections write a PSUM bank each, every matmul overwriting the last: the guide shows "
    "no accumulation.",
    "Every nc_matmul loads its stationary tile, as the instruction counts of the optimisation "
    "tutorial's profiles have it.",
    "What is stored at the end is not shown; here the last section's tile, copied by Vector.",
)
FULL = Kernel(
    name="matmul stream",
    source=QUERYING + "investigations/te_inefficiency.md, V1",
    choices=STREAM_CHOICES,
    program=text("matmul_stream.nasm"),
    full={"COUNT": 512, "SHORT": 0},
)
SHORT = Kernel(
    name="matmul stream, short sides",
    source=QUERYING + "investigations/te_inefficiency.md, V0",
    choices=STREAM_CHOICES,
    program=text("matmul_stream.nasm"),
    full={"COUNT": 512, "SHORT": 1},
)

STREAMS = (
    Row(name="#8 full", figure="rate", published=77.2, unit="TFLOPS", use=Use.SETS,
        bound=Bound.ENGINE, kernel=FULL, measure=teraflops, family="streams"),
    Row(name="#8 short sides", figure="rate", published=30.8, unit="TFLOPS", use=Use.JUDGES,
        bound=Bound.ENGINE, kernel=SHORT, measure=teraflops, family="streams"),
)  # fmt: skip

ROWS = STREAMS
