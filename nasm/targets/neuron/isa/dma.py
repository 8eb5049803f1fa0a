"""DMA: copies, transposes and sums between memories, apart from the engines' queues."""

from __future__ import annotations

from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.effects import COPY, ONTO, SUM, Transfer
from nasm.isa.instruction import Operand
from nasm.isa.kinds import Choice, Flag, Integers, Number, Tile, TransferName
from nasm.isa.list_kinds import Numbers, Tiles
from nasm.targets.neuron import costs
from nasm.targets.neuron.isa import dma_rows as rows
from nasm.targets.neuron.isa import dma_rules as rules
from nasm.targets.neuron.isa.dma_rules import (
    AXES,
    COMPUTE_SOURCE,
    DMA_SOURCE,
    SHARES,
    TRANSPOSE_SOURCE,
)
from nasm.targets.neuron.isa.table import EVERY_ENGINE, ISA, Names
from nasm.views.view import View

QUEUE = Operand(
    "queue",
    Number(integer=True, low=0, high=15),
    default=0,
    doc="which of the 16 queues of each DMA engine",
)
PRIORITY = Operand(
    "priority",
    Number(integer=True, low=0, high=3),
    default=None,
    doc="v4: class of service, 0 the most urgent, none as 3; a DMA engine takes the most urgent "
    "share that waits, round-robin among equals (that it counts is documented, how assumed)",
)
DGE = Choice(("none", "swdge", "hwdge"), "dge_mode")
OOB = Operand(
    "oob_mode",
    Choice(("error", "skip"), "oob_mode"),
    default="error",
    doc="what happens to rows, or to the whole transfer, that the run addresses out of "
    "bounds: a fault, or dst stays as it is there",
)
ANYWHERE = Tile(("hbm", "sbuf", "psum"), indirect=True)
STORED = ("hbm", "sbuf")


def _options(
    queue: int, priority: int | None, dge_mode: str | None
) -> tuple[tuple[str, object], ...]:
    return (("queue", queue), ("priority", priority), ("dge_mode", dge_mode))


@ISA.instruction(
    Operand("dst", ANYWHERE, "@"),
    Operand("src", ANYWHERE, "@"),
    PRIORITY,
    OOB,
    Operand(
        "dge_mode",
        DGE,
        "r",
        None,
        "who makes the descriptors; default: hwdge on Sync and Scalar from v3, which does not "
        "convert, so that a transfer between two dtypes has none; swdge on GpSimd; else none",
    ),
    Operand(
        "compute_op",
        Choice(("none", "add"), "compute_op"),
        default="none",
        doc="add: dst += src, done by SBUF (v4)",
    ),
    QUEUE,
    engines=EVERY_ENGINE,
    rules=(
        rules.same_size,
        rules.dst_once,
        rules.dge_available,
        rules.priority_available,
        rules.convertible,
        rules.dynamic_needs_dge,
        rules.dynamic_partitions,
        rules.not_into_psum,
        rules.from_psum,
        rules.adds_near_memory,
        rows.generation_has_rows,
        rows.rows_by_swdge,
        rows.one_entry_each,
    ),
    cost=costs.dma_issue("dst", "src", "dge_mode"),
    posts=SHARES,
    effect=Transfer,
    vendor=Names("dma_copy", "DMA_DIRECT2D", ("DmaCopy", "NcDmaCopy")),
    formula="dst = src, by 16 DMA engines; with compute_op=add: dst = dst + src",
    example="DmaCopy a, A",
    instead={"TensorCopy": "within SBUF and PSUM", "DmaTranspose": "where axes change places"},
    source=f"{DMA_SOURCE}; NKI DMA overview; KLR DmaCopy (compute_op)",
)
def DmaCopy(
    dst: View,
    src: View,
    priority: int | None,
    oob_mode: str,
    dge_mode: str | None,
    compute_op: str,
    queue: int,
) -> Transfer:
    """Move data between memories with the core's 16 DMA engines.

    For its queue the instruction is complete once issued; its update, `+= 16`, counts the
    engines whose share has landed. Dtypes that differ are converted through float32.
    `compute_op=add` reads dst when the share lands, adds in float32 and rounds once.

    `vector_offset=` of src gathers rows of HBM, that of dst scatters them: GpSimd reads the
    tile when the instruction starts. Of rows that land in one place the last one stays (assumed).
    """
    op = ONTO if compute_op == "add" else COPY
    options = _options(queue, priority, dge_mode)
    return Transfer(((dst, src),), options, op, skips=oob_mode == "skip")


@ISA.instruction(
    Operand("dst", Tile(("sbuf",)), "@"),
    Operand("src", Tile(STORED, indirect=True), "@", doc="with rows that a tile names: swdge"),
    Operand(
        "axes",
        Integers(what="a list of axes"),
        default=None,
        doc="axis i of dst is axis axes[i] of src; default: by the axes of src, as nki.isa",
    ),
    PRIORITY,
    Operand("dge_mode", DGE, "r", "none", "who makes the descriptors"),
    OOB,
    QUEUE,
    engines=EVERY_ENGINE,
    rules=(
        rules.axes_fit,
        rules.transposed_shape,
        rules.dst_once,
        rules.dge_available,
        rules.priority_available,
        rules.transpose_mode,
        rules.transposable,
        rules.hardware_transpose,
        rules.dynamic_needs_dge,
        rows.generation_has_rows,
        rows.rows_by_swdge,
        rows.rows_transposable,
        rows.rows_dtype,
        rows.index_transposable,
        rows.skip_is_indirect,
    ),
    cost=costs.dma_transpose_issue("dst", "src", "dge_mode"),
    posts=SHARES,
    effect=Transfer,
    vendor=Names("dma_transpose", "", "DmaTranspose"),
    formula="dst = transpose(src, axes)",
    tensors=".hbm K bf16[{n}, 128]\n.sbuf t bf16[128, {n}]",
    example="DmaTranspose t, K",
    instead={
        "Transpose": "for up to 32x32 in SBUF or PSUM",
        "MultiplyMoving": "with is_transpose=true, for up to 128x128 from SBUF into PSUM",
    },
    source=f"{TRANSPOSE_SOURCE}; Trainium2 guide, 'DMA Transpose'",
)
def DmaTranspose(
    dst: View,
    src: View,
    axes: tuple[int, ...] | None,
    priority: int | None,
    dge_mode: str,
    oob_mode: str,
    queue: int,
) -> Transfer:
    """Exchange the first and the last axis of a tensor while moving it into SBUF, bit for bit.

    From v3 on the DMA engines work together on tiles of 128 partitions by 16 elements: a smaller
    tile takes as long as a whole one, and all of them are busy for as long (assumed). v2 moves
    element by element (assumed), which takes many times as long as a copy.
    """
    order = axes or AXES.get(len(src.shape), ())
    options = _options(queue, priority, dge_mode)
    return Transfer(((dst, src),), options, COPY, order, oob_mode == "skip")


@ISA.instruction(
    Operand("dst", Tile(STORED, indirect=True), "@"),
    Operand("srcs", Tiles(STORED, 16, indirect=True), "@"),
    Operand("reduce_op", Choice(("add",), "reduce_op"), "-"),
    Operand("scales", Numbers(), "-", None, "all 1.0"),
    Operand("unique_indices", Flag(), "-", True),
    OOB,
    QUEUE,
    engines=EVERY_ENGINE,
    rules=(
        rules.sources_fit,
        rules.dst_once,
        rules.summable,
        rules.unscaled,
        rules.unique,
        rules.static,
        rows.generation_has_rows,
        rows.rows_by_swdge,
        rows.one_entry_each,
        rows.read_modify_write,
    ),
    cost=costs.dma_sum("dst", "srcs"),
    posts=SHARES,
    effect=Transfer,
    vendor=Names("dma_compute", "", "DmaCompute"),
    formula="dst = srcs[0] + srcs[1] + …",
    example="DmaCompute a, [A, b], reduce_op=add",
    instead={"TensorTensor": "for two tiles in SBUF or PSUM, with any operator"},
    source=COMPUTE_SOURCE,
)
def DmaCompute(dst: View, srcs: tuple[View, ...], oob_mode: str, queue: int) -> Transfer:
    """Add up to 16 tensors with the DMA engines, in float32, and round once into dst.

    With dst among its sources it accumulates: each share reads dst when it starts. The order
    of addition is that of the list (assumed). Two sources take twice the time of a copy, which is
    documented; more take time in proportion (assumed). Rows of HBM that a tile names are added to
    a tile in place, or a tile to them; an entry that names a row twice is refused there.
    """
    rows = any(view.gathers for view in (dst, *srcs))
    options = _options(queue, None, "swdge" if rows else "none")
    return Transfer(((dst, *srcs),), options, SUM, skips=oob_mode == "skip")


@ISA.instruction(
    Operand("transfer", TransferName(), "r"),
    engines=EVERY_ENGINE,
    rules=(rules.lines_fit, rules.lines_once, rules.lines_convertible, rules.lines_static),
    cost=costs.control("dma_static_ns"),
    posts=SHARES,
    effect=Transfer,
    vendor=Names("", "PSEUDO_DMA_TRIGGER", ""),
    formula="start the transfer a .dma block prepared",
    example="DmaTrigger load",
    source="NKI DMA overview, dge_mode none; performance guide, figure 29 (the trigger's WRITE)",
)
def DmaTrigger(transfer: DeclaredTransfer) -> Transfer:
    """Start a transfer whose descriptors were written before the run, by a `.dma` block.

    Any engine can start it, any number of times; its update is `+= 16`.
    """
    return Transfer(transfer.moves, transfer.options)
