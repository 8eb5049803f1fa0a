"""Transfers: the chart of the introduction to DMA, of which only the shape is known."""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Row, Use, text
from programs.published.runs import Run

SOURCE = "aws-neuron/aws-neuron-sdk, nki/get-started/about/nki-dma-overview.rst, chart of bandwidth"
CHOICES = (
    "One load of a tile from HBM into SBUF, issued by Sync, as the text beside the chart has it.",
    "Its time is that of the transfer: from the start of its first share until all have landed, as "
    "the chart has no issue and no wait in it that could be told apart.",
)
SHAPE = "the axis has no labels; a gridline is taken for 50 GB/s: the numbers would decide it"

CHART = {
    32: 4,
    64: 7.9,
    128: 15,
    256: 31,
    512: 62,
    1024: 126,
    2048: 243,
    4096: 290,
    8192: 295,
    16384: 297,
    32768: 300,
}
"""GB/s by bytes in each partition, read from the picture."""


def bandwidth(run: Run) -> float:
    """What was moved, in GB/s, over the time from the first share's start to the last landing."""
    return run.bytes / run.dma_active / 1000


def _row(size: int, published: float) -> Row:
    kernel = Kernel(
        name=f"chart of bandwidth, {size} B",
        source=SOURCE,
        choices=CHOICES,
        program=text("dma_chart.nasm"),
        full={"B": size},
    )
    return Row(name=f"2.6 DMA: load of [128, {size}] B", figure="bandwidth", published=published,
               use=Use.NEITHER, bound=Bound.DMA, kernel=kernel, measure=bandwidth, unit="GB/s",
               remark=SHAPE)  # fmt: skip


ROWS = tuple(_row(size, published) for size, published in CHART.items())
