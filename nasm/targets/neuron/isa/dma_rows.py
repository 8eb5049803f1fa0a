"""What a DMA can do with rows of HBM that a tile names: gather, scatter, transpose, add."""

from __future__ import annotations

from nasm.isa.instruction import InstructionContext
from nasm.targets.neuron.isa.dma_rules import COMPUTE_SOURCE, DMA_SOURCE, TRANSPOSE_SOURCE
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MODE, SHAPE, rule
from nasm.views.view import View

DGE_PAGE = "NKI Descriptor Generation Engine reference, 'Mode Selection Summary'"


def _rows(context: InstructionContext) -> list[View]:
    """The views whose rows a tile names, with each only once."""
    return list(dict.fromkeys(view for _, view, _ in context.addressed if view.gathers))


@rule(AVAILABLE, "rows that a tile names are moved by swdge from v3 on", DGE_PAGE)
def generation_has_rows(context: InstructionContext) -> str | None:
    """The page has it for v3 and later."""
    for view in _rows(context):
        if not context.generation.switches["dma_rows"]:
            return f"a tile names the rows of {view.tensor.name} on {context.generation.name}"
    return None


@rule(MODE, "a tile names rows on GpSimd only, which makes their descriptors (swdge)", DGE_PAGE)
def rows_by_swdge(context: InstructionContext) -> str | None:
    """Hardware descriptors take one address each time, static ones none."""
    mode = context.operands.get("dge_mode") or ("swdge" if context.engine == "gpsimd" else "none")
    for view in _rows(context):
        where = f"a tile names the rows of {view.tensor.name}"
        if context.engine != "gpsimd":
            return f"{where} on {context.engine}"
        if "dge_mode" in context.operands and mode != "swdge":
            return f"{where} with dge_mode={mode}"
    return None


@rule(SHAPE, "an index of a copy or a sum is [P, 1]: one entry on each partition", DMA_SOURCE)
def one_entry_each(context: InstructionContext) -> str | None:
    """And every one of them is used."""
    for view in _rows(context):
        assert view.offsets is not None
        tile = view.offsets.tile
        if tile.elements != 1 or tile.partitions != view.shape[0]:
            return (
                f"{tile.tensor.name}{list(tile.shape)} names the rows of "
                f"{view.tensor.name}{list(view.shape)}; wanted [{view.shape[0]}, 1]"
            )
    return None


# ---------------------------------------------------------------- transposes


@rule(
    SHAPE,
    "gathered rows of a transpose are a multiple of 16, and of 4 axes one of the middle ones is 1",
    f"{TRANSPOSE_SOURCE}, 'DMA Indirect Transpose Constraints'",
    about="src",
)
def rows_transposable(context: InstructionContext) -> str | None:
    """That the last axis has at most 128 elements follows from dst: it is its partitions."""
    src = context.operands["src"]
    if not src.gathers:
        return None
    if src.shape[0] % 16:
        return f"src has {src.shape[0]} rows"
    if len(src.shape) == 4 and 1 not in src.shape[1:3]:
        return f"src is {list(src.shape)}"
    return None


@rule(
    DTYPE,
    "gathered rows are transposed with 2-byte elements and uint32 entries",
    f"{TRANSPOSE_SOURCE}, 'DMA Indirect Transpose Constraints'",
    about="src",
)
def rows_dtype(context: InstructionContext) -> str | None:
    """Of the data, and of the index."""
    src = context.operands["src"]
    if not src.gathers:
        return None
    if src.dtype.itemsize != 2:
        return f"src is {src.dtype.name}"
    found = src.offsets.tile.dtype.name
    return None if found == "uint32" else f"the index {src.offsets.tile.tensor.name} is {found}"


@rule(
    SHAPE,
    "an index of a transpose has 16 to 128 partitions, a multiple of 16, and 128 if it "
    "has more than one column",
    f"{TRANSPOSE_SOURCE}, 'DMA Indirect Transpose Constraints'",
    about="src",
)
def index_transposable(context: InstructionContext) -> str | None:
    """Its entries are taken column by column."""
    src = context.operands["src"]
    if not src.gathers:
        return None
    tile = src.offsets.tile
    if tile.partitions % 16 or (tile.elements > 1 and tile.partitions != 128):
        return f"the index {tile.tensor.name} is {list(tile.shape)}"
    return None


@rule(
    MODE,
    "oob_mode=skip of a transpose is for a src whose address the run decides",
    TRANSPOSE_SOURCE,
    about="oob_mode",
)
def skip_is_indirect(context: InstructionContext) -> str | None:
    """Any other is within bounds."""
    src = context.operands["src"]
    if context.operands["oob_mode"] != "skip" or src.dynamic or src.offsets is not None:
        return None
    return "oob_mode=skip of a src with a fixed address"


# ---------------------------------------------------------------- sums


@rule(
    MODE,
    "a sum with rows that a tile names adds the rows of HBM to a tile in place, or a tile "
    "to the rows",
    f"{COMPUTE_SOURCE}, 'Read-Modify-Write'",
    each=True,
    about="dst",
)
def read_modify_write(context: InstructionContext) -> str | None:
    """Dst is one of two sources; the rows are one side, SBUF the other."""
    dst, sources = context.operands["dst"], context.operands["srcs"]
    found = _rows(context)
    if not found:
        return None
    if len(sources) != 2:
        return f"{len(sources)} sources; wanted two, one of them dst"
    if dst not in sources or len(found) != 1:
        return "dst is none of the sources; wanted it among them"
    others = [v for v in sources if v != dst]
    if not others or {dst.tensor.memory.name, others[0].tensor.memory.name} != {"hbm", "sbuf"}:
        return "wanted rows of hbm and a tile in sbuf"
    return None
