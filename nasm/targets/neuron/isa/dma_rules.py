"""What a DMA can do: constraints on the operands of the rows in `dma.py`."""

from __future__ import annotations

from nasm.base.dtypes import ElementKind
from nasm.base.problems import Severity, listed
from nasm.isa.instruction import About, InstructionContext
from nasm.targets.neuron import dge
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MEMORY, MODE, SHAPE, repeats, rule
from nasm.views.view import View

DMA_SOURCE = "nki.isa.dma_copy"
TRANSPOSE_SOURCE = "nki.isa.dma_transpose"
COMPUTE_SOURCE = "nki.isa.dma_compute"
SHARES = 16
"""DMA engines of a core."""


@rule(SHAPE, "dst and src have the same number of elements", DMA_SOURCE)
def same_size(context: InstructionContext) -> str | None:
    """A DMA walks both sides in row-major order."""
    dst, src = context.operands["dst"].size, context.operands["src"].size
    return None if dst == src else f"dst has {dst} elements, src {src}; wanted the same"


@rule(
    AVAILABLE,
    "hwdge is for Sync and Scalar from v3 on, swdge for GpSimd, dge_mode=none for every engine",
    f"{DMA_SOURCE}; Trainium2 guide, 'Descriptor Generation Engine'",
    about="dge_mode",
)
def dge_available(context: InstructionContext) -> str | None:
    """Who can make descriptors while the program runs."""
    mode = context.operands["dge_mode"]
    if mode == "hwdge" and not context.generation.switches["hardware_dge"]:
        return f"dge_mode=hwdge on {context.generation.name}"
    if mode == "hwdge" and context.engine not in ("sync", "scalar"):
        return f"dge_mode=hwdge on {context.engine}"
    if mode == "swdge" and context.engine != "gpsimd":
        return f"dge_mode=swdge on {context.engine}"
    return None


@rule(
    AVAILABLE,
    "a DMA takes a priority from NeuronCore-v4 on",
    f"{DMA_SOURCE}, priority",
    about="priority",
)
def priority_available(context: InstructionContext) -> str | None:
    """Earlier generations serve their queues in turn."""
    priority = context.operands["priority"]
    if priority is None or context.generation.priorities:
        return None
    return f"priority={priority} on {context.generation.name}"


def _mode(context: InstructionContext) -> str:
    views = (context.operands["dst"], context.operands["src"])
    return dge.mode(context.generation, context.engine, views, context.operands["dge_mode"])


def _named(context: InstructionContext) -> str:
    return dge.named(context, _mode(context), context.operands["dge_mode"])


@rule(
    DTYPE,
    "a DMA converts through float32, not with hardware descriptors, never x4 dtypes",
    f"{DMA_SOURCE}; NKI 0.3 release notes (no cast with hardware DGE)",
    "dge_mode=none lets a DMA convert at a fixed address, swdge (@gpsimd) at any",
)
def convertible(context: InstructionContext) -> str | None:
    """Between which dtypes a DMA moves data."""
    dst, src = context.operands["dst"], context.operands["src"]
    if dst.dtype is not src.dtype and _mode(context) == "hwdge":
        return f"{src.dtype.name} into {dst.dtype.name} with {_named(context)}"
    return _inconvertible(dst, src)


def _inconvertible(dst: View, src: View) -> str | None:
    kinds = {dst.dtype.kind, src.dtype.kind}
    if dst.dtype is src.dtype or not kinds & {ElementKind.PACKED, ElementKind.SCALE}:
        return None
    return f"{src.dtype.name} into {dst.dtype.name}; such elements are moved as they are"


@rule(MODE, "a start known at run time needs descriptors made then (swdge or hwdge)", DMA_SOURCE)
def dynamic_needs_dge(context: InstructionContext) -> str | None:
    """Descriptors written before the run cannot know a register."""
    for name in ("dst", "src"):
        held = dge.at_run_time(context.operands[name])
        if held and _mode(context) == "none":
            return About(name, f"{name} starts at a {held} with {_named(context)}")
    return None


@rule(
    MODE,
    "with hwdge and a start held in a register, a tile has 1 or a multiple of 16 partitions",
    "nki-library, down_projection kernels: what 'scalar DGE' needs",
    "dge_mode=none takes any, at a fixed address; on @gpsimd swdge does",
)
def dynamic_partitions(context: InstructionContext) -> str | None:
    """What the hardware makes descriptors for from a register's value."""
    if _mode(context) != "hwdge" or not (
        dge.at_run_time(context.operands["dst"]) or dge.at_run_time(context.operands["src"])
    ):
        return None
    for name in ("dst", "src"):
        view = context.operands[name]
        if view.partitioned and view.partitions > 1 and view.partitions % SHARES:
            return About(name, f"{name} has {view.partitions} partitions")
    return None


@rule(SHAPE, "a DMA writes every element of dst once", f"{DMA_SOURCE} (assumed)", about="dst")
def dst_once(context: InstructionContext) -> str | None:
    """A step of 0 is for src."""
    return "dst walks some elements more than once" if repeats(context.operands["dst"]) else None


@rule(
    MEMORY,
    "a DMA does not write PSUM",
    "NKI documentation: DMA and memory types (assumed)",
    about="dst",
)
def not_into_psum(context: InstructionContext) -> str | None:
    """Reads of PSUM by DMA were documented once, writes never."""
    where = context.operands["dst"].tensor.memory.name
    return "dst is in psum; wanted hbm or sbuf" if where == "psum" else None


@rule(
    MEMORY,
    "NKI allows a DMA to read PSUM up to 0.2 and forbids it from 0.3 on",
    "NKI 0.3 release notes",
    "copy to sbuf first (TensorCopy)",
    severity=Severity.WARNING,
    about="src",
)
def from_psum(context: InstructionContext) -> str | None:
    """What once was documented is done, and said."""
    return "src is in psum" if context.operands["src"].tensor.memory.name == "psum" else None


@rule(
    MODE,
    "compute_op=add needs v4 and a dst in SBUF, with bfloat16 or float32 on both sides",
    "Trainium3 guide, 'SBUF Read-Add-Write'",
    "DmaCompute with dst among its sources adds anywhere",
    about="compute_op",
)
def adds_near_memory(context: InstructionContext) -> str | None:
    """SBUF adds what arrives to what it holds; other memories do not."""
    dst, src = context.operands["dst"], context.operands["src"]
    if context.operands["compute_op"] == "none":
        return None
    if not context.generation.switches["sbuf_add"]:
        return f"compute_op=add on {context.generation.name}"
    if dst.tensor.memory.name != "sbuf":
        return f"compute_op=add into {dst.tensor.memory.name}"
    if dst.dtype is not src.dtype or dst.dtype.name not in ("bfloat16", "float32"):
        return f"compute_op=add of {src.dtype.name} to {dst.dtype.name}"
    return None


AXES = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
"""The transposes a DMA can do, by the axes of src."""


def transposed(rank: int) -> str:
    """A permutation as a program writes it."""
    return f"[{', '.join(map(str, AXES[rank]))}]"


@rule(
    SHAPE,
    "axes is [1, 0] for 2 axes, [2, 1, 0] for 3 and [3, 1, 2, 0] for 4",
    TRANSPOSE_SOURCE,
    about="axes",
)
def axes_fit(context: InstructionContext) -> str | None:
    """The first and the last axis change places."""
    rank, axes = len(context.operands["src"].shape), context.operands["axes"]
    if rank not in AXES:
        return f"src has {rank} axes; wanted 2, 3 or 4"
    if axes is None or axes == AXES[rank]:
        return None
    return f"axes={list(axes)} for {rank} axes; wanted {transposed(rank)}"


@rule(
    SHAPE,
    "dst has the shape of the transposed src, axis by axis",
    f"{TRANSPOSE_SOURCE}; NKI 0.4 migration guide",
    about="dst",
)
def transposed_shape(context: InstructionContext) -> str | None:
    """Neither an axis of 1 more nor one less."""
    dst, src = context.operands["dst"], context.operands["src"]
    wanted = [src.shape[axis] for axis in AXES[len(src.shape)]]
    if list(dst.shape) == wanted:
        return None
    return f"dst is {list(dst.shape)}; wanted {wanted}"


@rule(
    DTYPE,
    "dst and src of a transpose have one dtype, of 2 or 4 bytes",
    f"{TRANSPOSE_SOURCE}; Trainium2 guide, 'DMA Transpose'",
    "two 8-bit elements side by side can go as one: .view(u16)",
)
def transposable(context: InstructionContext) -> str | None:
    """Bits are moved, never converted."""
    dst, src = context.operands["dst"].dtype, context.operands["src"].dtype
    if dst is not src:
        return f"{src.name} into {dst.name}"
    if dst.itemsize not in (2, 4):
        return f"{dst.name} has 1 byte"
    return None


@rule(MODE, "a transpose takes swdge only with an index tile", TRANSPOSE_SOURCE, about="dge_mode")
def transpose_mode(context: InstructionContext) -> str | None:
    """GpSimd makes descriptors for gathered rows only."""
    return (
        "dge_mode=swdge"
        if context.operands["dge_mode"] == "swdge" and not context.operands["src"].gathers
        else None
    )


@rule(
    MODE,
    "with hwdge, src has 16 rows (of 2 axes) or 1, 2, 4, 8 or 16 whose product with the "
    "next to last axis is a multiple of 16, and 2 bytes",
    f"{TRANSPOSE_SOURCE}, Neuron SDK 2.32",
    "dge_mode=none has none of these limits",
    about="src",
)
def hardware_transpose(context: InstructionContext) -> str | None:
    """What the hardware makes the descriptors of a transpose for."""
    src = context.operands["src"]
    if context.operands["dge_mode"] != "hwdge":
        return None
    rows = src.shape[0]
    if len(src.shape) == 2 and rows != 16:
        return f"src has {rows} rows; wanted 16"
    if rows not in (1, 2, 4, 8, 16):
        return f"src has {rows} rows; wanted 1, 2, 4, 8 or 16"
    if rows * src.shape[-2] % 16:
        return f"{rows} x {src.shape[-2]} rows; wanted a multiple of 16"
    if src.dtype.itemsize != 2:
        return f"src is {src.dtype.name}; wanted 2 bytes"
    return None


@rule(
    SHAPE, "every source has the same number of elements as dst", f"{COMPUTE_SOURCE}, 'Tile size'"
)
def sources_fit(context: InstructionContext) -> str | None:
    """All are walked in row-major order."""
    wanted = context.operands["dst"].size
    for view in context.operands["srcs"]:
        if view.size != wanted:
            return f"{view.tensor.name} has {view.size} elements, dst {wanted}"
    return None


@rule(
    DTYPE,
    "a sum needs numbers: no x4 and e8m0 dtypes",
    f"{COMPUTE_SOURCE}; NKI DMA overview (no casts of MX dtypes)",
)
def summable(context: InstructionContext) -> str | None:
    """Every element passes through float32."""
    for view in (context.operands["dst"], *context.operands["srcs"]):
        if view.dtype.kind in (ElementKind.PACKED, ElementKind.SCALE):
            return f"{view.tensor.name} is {view.dtype.name}"
    return None


@rule(MODE, "scales are all 1.0, one for each source", COMPUTE_SOURCE, about="scales")
def unscaled(context: InstructionContext) -> str | None:
    """The API has room for more than it does."""
    scales, sources = context.operands["scales"], context.operands["srcs"]
    if scales is None:
        return None
    if len(scales) != len(sources):
        return f"{len(scales)} scales for {len(sources)} sources"
    other = next((s for s in scales if s != 1), None)
    return f"a scale of {other}; wanted 1.0" if other is not None else None


@rule(
    MODE,
    "unique_indices is true",
    f"{COMPUTE_SOURCE}: indices that repeat are not supported",
    about="unique_indices",
)
def unique(context: InstructionContext) -> str | None:
    """What several additions to one element give is not said."""
    return None if context.operands["unique_indices"] else "unique_indices=false"


@rule(
    MODE,
    "the addresses of a sum are known when the program is assembled, but for rows that a "
    "tile names",
    COMPUTE_SOURCE,
)
def static(context: InstructionContext) -> str | None:
    """Its descriptors are written before the run."""
    for view in (context.operands["dst"], *context.operands["srcs"]):
        if dge.at_run_time(view):
            return f"{view.tensor.name} starts at a {dge.at_run_time(view)}"
    return None


@rule(
    SHAPE,
    "each line of the transfer has the same number of elements on both sides, in memories "
    "a DMA writes",
    DMA_SOURCE,
)
def lines_fit(context: InstructionContext) -> str | None:
    """Every `dst <- src` of a prepared transfer is one a DMA could do."""
    for dst, src in context.operands["transfer"].moves:
        if dst.size != src.size:
            return f"{dst.tensor.name} has {dst.size} elements, {src.tensor.name} {src.size}"
        if dst.tensor.memory.name == "psum":
            return f"{dst.tensor.name} is in psum; wanted {listed(('hbm', 'sbuf'))}"
    return None


@rule(
    SHAPE,
    "each line of the transfer writes every element of its dst once",
    f"{DMA_SOURCE} (assumed)",
)
def lines_once(context: InstructionContext) -> str | None:
    """As DmaCopy does."""
    for dst, _ in context.operands["transfer"].moves:
        if repeats(dst):
            return f"{dst.tensor.name} is walked more than once in places"
    return None


@rule(
    DTYPE,
    "each line of the transfer is of dtypes the generation has and a DMA converts",
    DMA_SOURCE,
)
def lines_convertible(context: InstructionContext) -> str | None:
    """Every line moves elements as they are, or through float32."""
    for dst, src in context.operands["transfer"].moves:
        for view in (dst, src):
            if view.dtype.name not in context.generation.dtypes:
                return (
                    f"{view.tensor.name} is {view.dtype.name}, "
                    f"which {context.generation.summary} does not have"
                )
        text = _inconvertible(dst, src)
        if text:
            return text
    return None


@rule(
    MODE,
    "a prepared transfer has no address that only the run knows: its descriptors are written "
    "before it",
    DMA_SOURCE,
)
def lines_static(context: InstructionContext) -> str | None:
    """Nothing of it depends on the run."""
    for pair in context.operands["transfer"].moves:
        for view in pair:
            if view.dynamic:
                return f"{view.tensor.name} starts at a register"
            if view.offsets is not None:
                return f"{view.tensor.name} is addressed by a tile"
    return None
