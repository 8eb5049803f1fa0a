"""Vector addition: the first exercise of a course, and what a student measured on Trainium2."""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Row, Use, text
from programs.published.runs import Run

WRITEUP = "xaviergonzalez/asst4-trainium2, part1/kernels.py and writeup.md"
README = "stanford-cs149/asst4-trainium2, README.md"

CHOICES = (
    "Sync issues every transfer, with hardware descriptors, its default from v3 on: the sources do "
    "not show who does.",
    "Two buffers for each tile: the loads of the next piece are issued before the store of this "
    "one. The kernel's decorator turns the compiler's transformations of loops off, not its "
    "overlapping of transfers and work.",
    "The inputs are float32; a tile of one column is added as a value per partition, "
    "tensor_scalar, as the kernel has it.",
)


def added(name: str, function: str, sizes: dict[str, int], along: str = "") -> Kernel:
    """The kernel with pieces of one size; where there are many, 20, 40 and 60 of them."""
    return Kernel(
        name=name,
        source=f"{WRITEUP}, {function}",
        choices=CHOICES,
        program=text("vector_add.nasm"),
        full=sizes,
        along=along,
        reduced=(20, 40, 60) if along else (0, 0, 0),
    )


ONES = added("vector add, [1,1]", "vector_add_tiled",
             {"COUNT": 25600, "P": 1, "F": 1, "TILED": 1}, "COUNT")  # fmt: skip
COLUMNS = added("vector add, [128,1]", "vector_add_tiled",
                {"COUNT": 200, "P": 128, "F": 1, "TILED": 1})  # fmt: skip
PAIRS = added("vector add, [128,2]", "vector_add_stream",
              {"COUNT": 100, "P": 128, "F": 2, "TILED": 0})  # fmt: skip
WHOLE = added("vector add, [128,200]", "vector_add_stream",
              {"COUNT": 1, "P": 128, "F": 200, "TILED": 0})  # fmt: skip
WIDE = added("vector add, [128,2000]", "vector_add_stream",
             {"COUNT": 1, "P": 128, "F": 2000, "TILED": 0})  # fmt: skip
HALVES = added("vector add, 2 x [128,1000]", "vector_add_stream",
               {"COUNT": 2, "P": 128, "F": 1000, "TILED": 0})  # fmt: skip


PROFILED = (
    "read from a profile, where the others are from a benchmark; what its total holds beside the "
    "kernel would decide it"
)


def _total(
    name: str, published: float, use: Use, bound: Bound, kernel: Kernel, family: str,
    remark: str = "",
) -> Row:  # fmt: skip
    return Row(
        name=name, figure="total", published=published, use=use, bound=bound, kernel=kernel,
        measure=lambda run: run.total, whole=True, family=family, remark=remark,
    )  # fmt: skip


def _transfers(name: str, published: float, kernel: Kernel) -> Row:
    return Row(
        name=name, figure="transfers", published=published, use=Use.JUDGES, bound=Bound.PROGRAM,
        kernel=kernel, measure=transfers, unit="transfers",
    )  # fmt: skip


def transfers(run: Run) -> float:
    """How many transfers were issued."""
    return len(run.of("sync", "DmaCopy"))


ROWS = (
    _total("#23", 37318, Use.SETS, Bound.LATENCY, ONES, "vector add, 25,600"),
    _total("#24", 378, Use.JUDGES, Bound.LATENCY, COLUMNS, "vector add, 25,600"),
    _total("#25", 186, Use.JUDGES, Bound.LATENCY, PAIRS, "vector add, 25,600"),
    _total("#25 at once", 15, Use.JUDGES, Bound.LATENCY, WHOLE, "vector add, 25,600"),
    _total("#26 at once", 28, Use.JUDGES, Bound.DMA, WIDE, "vector add, 256,000", PROFILED),
    _total("#26 in two", 26, Use.JUDGES, Bound.DMA, HALVES, "vector add, 256,000", PROFILED),
    _transfers("#26 at once", 3, WIDE),
    _transfers("#26 in two", 6, HALVES),
)
