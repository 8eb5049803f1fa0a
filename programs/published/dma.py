"""Transfers: the kernel of AWS's profile-querying guide that mixes how descriptors are made."""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Row, Use, text
from programs.published.runs import Run

QUERYING = "aws-neuron/neuron-agentic-development, skills/neuron-nki-profile-querying/references/"

CHOICES = (
    "The kernel itself is not published, but what it does is: sixteen tiles loaded and stored, "
    "four in each mode; four transposed loads, four transposes in SBUF, and stores of 16 x 256 "
    "bytes, which are taken to be the transposed tiles. The input is one tile high.",
    "Transfers without descriptors to make: loaded by Sync and stored by GpSimd, as AWS's profiles "
    "of the mamba kernels show it. With those of the hardware: by Sync and Scalar, which alone "
    "have them.",
    "Where the compiler chooses, it takes GpSimd's: the guide finds the same tables missing for "
    "these transfers as for those that ask for GpSimd.",
    "The transfers of a mode do not depend on each other: its loads are issued before its stores, "
    "and every tile has a place of its own in SBUF. Each engine has a ring.",
    "The transposed tiles are [16,128] in both kernels; their rows suit the hardware's limits.",
)


def _mixed(name: str, columns: int) -> Kernel:
    return Kernel(
        name=name,
        source=QUERYING + "investigations/dma_efficiency.md, worked examples",
        choices=CHOICES,
        program=text("mixed_dge.nasm"),
        full={"F": columns},
    )


SMALL, LARGE = (
    _mixed("mixed transfers, [128,512]", 512),
    _mixed("mixed transfers, [128,2048]", 2048),
)


def gigabytes_per_second(run: Run) -> float:
    """What was moved, over the time in which any DMA engine moved something."""
    return run.bytes / run.dma_active / 1000


DESCRIPTORS = (
    "its descriptors are of 1 KiB, which the guide calls significantly less efficient than 4 KiB, "
    "without another figure of it: a sweep of their sizes would decide it, and the kernel's own "
    "text how far the four modes overlap, which here all do"
)


def _rows(
    name: str, kernel: Kernel, active: float, rate: float, remark: str = ""
) -> tuple[Row, ...]:
    return (
        Row(name=name, figure="DMA active", published=active, use=Use.JUDGES, bound=Bound.DMA,
            kernel=kernel, measure=lambda run: run.dma_active, family="mixed transfers",
            remark=remark),
        Row(name=name, figure="bandwidth", published=rate, use=Use.JUDGES, bound=Bound.DMA,
            kernel=kernel, measure=gigabytes_per_second, unit="GB/s", family="mixed transfers",
            remark=remark),
    )  # fmt: skip


ROWS = (
    *_rows("#9 small", SMALL, 16, 259, DESCRIPTORS),
    Row(name="#9 small", figure="bytes", published=0.524 / 0.123, use=Use.JUDGES,
        bound=Bound.PROGRAM, kernel=SMALL, measure=lambda run: run.bytes / 1e6, unit="MB"),
    *_rows("#9 large", LARGE, 47, 354),
)  # fmt: skip
"""The bytes follow from four stores of 0.524 MB being 12.3 % of them."""
