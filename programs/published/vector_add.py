"""Vector addition: the first exercise of a course, and what a student measured on Trainium2."""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Measure, Row, Use, text
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
PICTURE = (
    "xaviergonzalez/asst4-trainium2, handout/profiler_gui.png, the assignment's own profile of it"
)


def profiled(name: str, count: int, columns: int) -> Kernel:
    """The kernel as it was compiled for a profile, in pieces of so many columns."""
    return Kernel(
        name=name,
        source=f"{WRITEUP}, vector_add_stream under neuron-profile; {PICTURE}",
        choices=(
            "Descriptors are written before the run: for a profile run_benchmark.py compiles with "
            "--disable-dge.",
            "Sync issues the loads, at once, and GpSimd the stores, as the picture shows.",
            "Every piece has tiles of its own: in the write-up all loads come before the work "
            "that waits for them. The inputs are float32.",
        ),
        program=text("vector_add_profiled.nasm"),
        full={"COUNT": count, "F": columns},
    )


WIDE = profiled("vector add, [128,2000]", 1, 2000)
HALVES = profiled("vector add, 2 x [128,1000]", 2, 1000)

UNDER_THE_PROFILER = (
    "the assignment says that the profiler changes the time: its picture of this kernel, 30.0 µs, "
    "has 13.1 before the first issue and 2.3 after the last landing, where #39 has 9.4; what is "
    "between them is the row below; a time without the profiler would decide it"
)
IN_TWO = (
    "the assignment says that the profiler changes the time: 15.4 µs of its picture of #26 at once "
    "are entry and exit, where #39 has 9.4; a time without the profiler would decide it"
)


def window(run: Run) -> float:
    """From the first issue to the last landing."""
    return max(s.end for s in run.shares) - run.of("sync", "DmaCopy")[0].start


def addition(run: Run) -> float:
    """How long Vector adds."""
    return run.duration("vector", "TensorTensor")


def _seen(
    figure: str, start: float, end: float, bound: Bound, measure: Measure, more: float = 0
) -> Row:
    """What can be read from the picture, to 0.05 µs at either end; ``more`` is another span."""
    read = end - start + more
    return Row(
        name="#26 at once", figure=figure, published=(read - 0.1, read + 0.1), use=Use.JUDGES,
        bound=bound, kernel=WIDE, measure=measure,
    )  # fmt: skip


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
    return len([s for s in run.instructions if s.name == "DmaCopy"])


ROWS = (
    _total("#23", 37318, Use.SETS, Bound.LATENCY, ONES, "vector add, 25,600"),
    _total("#24", 378, Use.JUDGES, Bound.LATENCY, COLUMNS, "vector add, 25,600"),
    _total("#25", 186, Use.JUDGES, Bound.LATENCY, PAIRS, "vector add, 25,600"),
    _total("#25 at once", 15, Use.JUDGES, Bound.LATENCY, WHOLE, "vector add, 25,600"),
    _total(
        "#26 at once", 28, Use.JUDGES, Bound.DMA, WIDE, "vector add, 256,000", UNDER_THE_PROFILER
    ),
    _seen("first issue to last landing", 13.13, 27.30, Bound.DMA, window),
    _seen("DMA active", 14.02, 21.20, Bound.DMA, lambda run: run.dma_active, 27.30 - 24.65),
    _seen("Vector: the addition", 21.58, 23.85, Bound.ENGINE, addition),
    _total("#26 in two", 26, Use.JUDGES, Bound.DMA, HALVES, "vector add, 256,000", IN_TWO),
    _transfers("#26 at once", 3, WIDE),
    _transfers("#26 in two", 6, HALVES),
)
