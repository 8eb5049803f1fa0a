"""DMA: copies between any two memories, beside the engines' queues."""

from __future__ import annotations

from nasm.dtypes import Kind
from nasm.problems import listed
from nasm.spec.effects import Move
from nasm.spec.instruction import Operand, Site
from nasm.spec.kinds import Choice, Number, Tile, Transfer
from nasm.spec.program import Prepared
from nasm.spec.view import View
from nasm.targets.neuron import costs
from nasm.targets.neuron.isa.table import EVERY_ENGINE, ISA, Names
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MEMORY, MODE, SHAPE, repeats, rule

DMA_SOURCE = "nki.isa.dma_copy"
SHARES = 16
QUEUE = Number(integer=True, low=0, high=15)
DGE = Choice(("none", "swdge", "hwdge"), "dge_mode")
ANYWHERE = Tile(("hbm", "sbuf", "psum"))


@rule(SHAPE, "dst and src have as many elements", DMA_SOURCE)
def same_size(site: Site) -> str | None:
    """A DMA walks both sides in row-major order."""
    dst, src = site["dst"].size, site["src"].size
    return None if dst == src else f"dst has {dst} elements, src {src}; wanted the same"


@rule(AVAILABLE, "hwdge is Sync's and Scalar's from v3 on, swdge GpSimd's; every engine has none",
      f"{DMA_SOURCE}; Trainium2 guide, 'Descriptor Generation Engine'")  # fmt: skip
def dge_available(site: Site) -> str | None:
    """Who can make descriptors while the program runs."""
    mode = site["dge_mode"]
    if mode == "hwdge" and not site.generation.switches["hardware_dge"]:
        return f"dge_mode=hwdge on {site.generation.name}"
    if mode == "hwdge" and site.engine not in ("sync", "scalar"):
        return f"dge_mode=hwdge on {site.engine}"
    if mode == "swdge" and site.engine != "gpsimd":
        return f"dge_mode=swdge on {site.engine}"
    return None


def _mode(site: Site) -> str:
    return site.operands.get("dge_mode") or costs.default_dge(site)


@rule(DTYPE, "a DMA converts through float32, not with hardware descriptors, never x4 dtypes",
      f"{DMA_SOURCE}; NKI 0.3 release notes (no cast with hardware DGE)",
      "dge_mode=none lets a DMA convert")  # fmt: skip
def convertible(site: Site) -> str | None:
    """Between which dtypes a DMA moves data."""
    dst, src = site["dst"], site["src"]
    if dst.dtype is not src.dtype and _mode(site) == "hwdge":
        return f"{src.dtype.name} into {dst.dtype.name} with dge_mode=hwdge"
    return _inconvertible(dst, src)


def _inconvertible(dst: View, src: View) -> str | None:
    kinds = {dst.dtype.kind, src.dtype.kind}
    if dst.dtype is src.dtype or not kinds & {Kind.PACKED, Kind.SCALE}:
        return None
    return f"{src.dtype.name} into {dst.dtype.name}; such elements are moved as they are"


@rule(MODE, "a start held in a register needs descriptors made at run time (swdge or hwdge)",
      DMA_SOURCE)  # fmt: skip
def dynamic_needs_dge(site: Site) -> str | None:
    """Descriptors written before the run cannot know a register."""
    for name in ("dst", "src"):
        if site[name].dynamic and _mode(site) == "none":
            return f"{name} starts at a register with dge_mode=none on {site.engine}"
    return None


@rule(SHAPE, "a DMA writes every element of dst once", f"{DMA_SOURCE} (assumed)")
def dst_once(site: Site) -> str | None:
    """A step of 0 is for src."""
    return "dst walks some elements more than once" if repeats(site["dst"]) else None


@rule(MEMORY, "a DMA does not write PSUM", "NKI documentation: DMA and memory types (assumed)")
def not_into_psum(site: Site) -> str | None:
    """Reads of PSUM by DMA were documented once, writes never."""
    where = site["dst"].tensor.memory.name
    return "dst is in psum; wanted hbm or sbuf" if where == "psum" else None


@rule(MEMORY, "NKI lets a DMA read PSUM up to 0.2 and forbids it since 0.3",
      "NKI 0.3 release notes", "copy to sbuf first (TensorCopy)", warning=True)  # fmt: skip
def from_psum(site: Site) -> str | None:
    """What once was documented is done, and said."""
    return "src is in psum" if site["src"].tensor.memory.name == "psum" else None


@ISA.instruction(
    Operand("dst", ANYWHERE, "@"),
    Operand("src", ANYWHERE, "@"),
    Operand("queue", QUEUE, default=0, doc="which of the 16 queues of each DMA engine"),
    Operand("dge_mode", DGE, "-", None,
            "who makes the descriptors; default: hwdge on Sync and Scalar from v3, swdge on "
            "GpSimd, else none"),
    engines=EVERY_ENGINE,
    rules=(same_size, dst_once, dge_available, convertible, dynamic_needs_dge, not_into_psum,
           from_psum),
    cost=costs.dma_issue,
    posts=SHARES,
    effects=True,
    vendor=Names("dma_copy", "DMA_DIRECT2D", "DmaCopy"),
    formula="dst = src, by 16 DMA engines",
    example="DmaCopy a, A",
    source=f"{DMA_SOURCE}; NKI DMA overview",
)  # fmt: skip
def DmaCopy(dst: View, src: View, queue: int) -> Move:
    """Move data between memories with the core's 16 DMA engines.

    For its queue the instruction is complete once issued; its update, `+= 16`, counts the
    engines whose share has landed. Dtypes that differ are converted through float32.
    """
    return Move(((dst, src),), (("queue", queue),))


@rule(SHAPE, "each line of the transfer has as many elements on both sides, in memories a DMA "
             "writes", DMA_SOURCE)  # fmt: skip
def lines_fit(site: Site) -> str | None:
    """Every `dst <- src` of a prepared transfer is one a DMA could do."""
    for dst, src in site["transfer"].moves:
        if dst.size != src.size:
            return f"{dst.tensor.name} has {dst.size} elements, {src.tensor.name} {src.size}"
        if dst.tensor.memory.name == "psum":
            return f"{dst.tensor.name} is in psum; wanted {listed(('hbm', 'sbuf'))}"
    return None


@rule(DTYPE, "each line of the transfer is of dtypes the generation has and a DMA converts",
      DMA_SOURCE)  # fmt: skip
def lines_convertible(site: Site) -> str | None:
    """Every line moves elements as they are, or through float32."""
    for dst, src in site["transfer"].moves:
        for view in (dst, src):
            if view.dtype.name not in site.generation.dtypes:
                return (
                    f"{view.tensor.name} is {view.dtype.name}, "
                    f"which {site.generation.summary} does not have"
                )
        said = _inconvertible(dst, src)
        if said:
            return said
    return None


@rule(MODE, "a prepared transfer starts at no register: its descriptors are written before the run",
      DMA_SOURCE)  # fmt: skip
def lines_static(site: Site) -> str | None:
    """Nothing of it depends on the run."""
    for pair in site["transfer"].moves:
        for view in pair:
            if view.dynamic:
                return f"{view.tensor.name} starts at a register"
    return None


@ISA.instruction(
    Operand("transfer", Transfer(), "r"),
    engines=EVERY_ENGINE,
    rules=(lines_fit, lines_convertible, lines_static),
    cost=costs.control("dma_static_ns"),
    posts=SHARES,
    effects=True,
    vendor=Names("", "PSEUDO_DMA_TRIGGER", ""),
    formula="start the transfer a .dma block prepared",
    example="DmaTrigger load",
    source="NKI DMA overview, dge_mode none; performance guide, figure 29 (the trigger's WRITE)",
)
def DmaTrigger(transfer: Prepared) -> Move:
    """Start a transfer whose descriptors were written before the run, by a `.dma` block.

    Any engine can ring it, any number of times; its update is `+= 16`.
    """
    return Move(transfer.moves, transfer.options)
