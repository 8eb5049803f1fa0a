"""Operands that a tile of entries addresses: which may be, and where everything has to be.

Tensor indirection (`.indirect(tile)`) gathers and scatters columns on NeuronCore-v4. Rows of HBM
are gathered and scattered by DMA, whose own rules are with its instructions.
"""

from __future__ import annotations

from functools import partial

from nasm.base.problems import listed
from nasm.isa.instruction import About, InstructionContext, Operand, Rule
from nasm.targets.neuron.pe_tiles import FULL_TILE, place
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, LIMIT, MEMORY, MODE, START_PARTITION, rule
from nasm.views.view import Offsets, View

GUIDE = "Trainium3 architecture guide, 'SBUF/PSUM indirect access'"
TI = "nki.isa, 'Tensor indirection' of each instruction"
VIEW = "nki.language.NkiTensor.indirect"
_rule = partial(rule, addressed=True)
SHORT, WORDS = ("uint16", "int16", "uint32", "int32"), ("uint32", "int32")


def picked(context: InstructionContext) -> list[tuple[Operand, View, Offsets]]:
    """The operands whose columns the engine picks, as a tile of entries says."""
    return [found for found in context.addressed if found[2].columns]


def start(view: View) -> int:
    """The first partition of a view."""
    return (view.tensor.partition or 0) + view.partition


@_rule(AVAILABLE, "tensor indirection needs NeuronCore-v4", f"{VIEW}; {GUIDE}")
def generation_has_it(context: InstructionContext) -> str | None:
    """Earlier ones take one column, or one pattern, at a time."""
    for operand, view, _ in picked(context):
        if not context.generation.switches["tensor_indirection"]:
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) is addressed by an index tile on "
                f"{context.generation.name}; v4 has that",
            )
    return None


@_rule(MODE, "only some operands of an instruction may be indirect", f"{TI}; nki.isa.dma_copy")
def operand_may(context: InstructionContext) -> str | None:
    """The table of the vendor; rows of HBM are addressed by DMA only."""
    for operand, view, offsets in context.addressed:
        if offsets.single and operand.access != "@":
            continue
        row = context.row
        may = [o.name for o in row.operands if o.indirect and offsets.columns == (o.access != "@")]
        if operand.name in may:
            continue
        text = f"of {row.name} {listed(may)} may be" if may else f"none of {row.name}'s may be"
        return About(operand.name, f"{operand.name} ({view.tensor.name}) is indirect; {text}")
    return None


@_rule(MEMORY, "an index tile is in SBUF", f"{VIEW}; nki.isa.dma_copy")
def index_in_sbuf(context: InstructionContext) -> str | None:
    """Also the one element of a scalar_offset."""
    for operand, _, offsets in context.addressed:
        where = offsets.tile.tensor.memory.name
        if where != "sbuf":
            return About(
                operand.name,
                f"the index of {operand.name} ({offsets.tile.tensor.name}) is in {where}",
            )
    return None


@_rule(
    DTYPE,
    "entries are 32-bit integers, those of tensor indirection also 16-bit ones (assumed)",
    "nki.isa.dma_copy; NKI access patterns guide",
)
def index_dtype(context: InstructionContext) -> str | None:
    """No page names the dtype of tensor indirection."""
    for operand, _, offsets in context.addressed:
        wanted = SHORT if offsets.columns else WORDS
        found = offsets.tile.dtype.name
        if found not in wanted:
            tile = offsets.tile.tensor.name
            return About(
                operand.name,
                f"the index of {operand.name} ({tile}) is {found}; wanted {listed(wanted)}",
            )
    return None


@_rule(
    LIMIT,
    "entry i of an index is at row i % 16, column i // 16; on Tensor 32 for 16",
    VIEW,
    "num_elem= says how many there are; without it all that the index has room for",
)
def entries_there(context: InstructionContext) -> str | None:
    """An index has as many entries as its first rows can hold."""
    group = context.generation.engine(context.engine).group
    for operand, view, offsets in picked(context):
        tile, count = offsets.tile, view.elements
        rows = min(group, tile.partitions)
        holds = rows * tile.elements if rows == group else rows
        if count > holds:
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) takes {count} entries; the first {rows} "
                f"partitions of {tile.tensor.name} hold {holds} of them",
            )
    return None


@_rule(START_PARTITION, "an index tile starts at a multiple of 32", TI)
def index_at_quadrant(context: InstructionContext) -> str | None:
    """The quadrants of SBUF."""
    for operand, _, offsets in picked(context):
        at = start(offsets.tile)
        if at % 32:
            return About(
                operand.name,
                f"the index of {operand.name} ({offsets.tile.tensor.name}) starts at "
                f"partition {at}; wanted 0, 32, 64 or 96",
            )
    return None


@_rule(START_PARTITION, "an indirect input starts on the partition of its index", TI)
def input_at_index(context: InstructionContext) -> str | None:
    """A lane reads its own part of the index."""
    for operand, view, offsets in picked(context):
        if operand.walked and "w" not in operand.access and start(view) != start(offsets.tile):
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) starts at partition {start(view)}, its "
                f"index {offsets.tile.tensor.name} at {start(offsets.tile)}; wanted the same",
            )
    return None


@_rule(
    START_PARTITION,
    "the index of an indirect dst starts where the main input does, or where "
    "the index of that does if it is in PSUM",
    f"{TI}; for a matmul moving takes the place of stationary (assumed)",
)
def dst_index_at_input(context: InstructionContext) -> str | None:
    """The main input is the one that may be indirect itself."""
    main = next(o for o in (*context.row.operands, None) if o is None or _reads_picked(o))
    for operand, view, offsets in picked(context):
        if "w" not in operand.access or main is None:
            continue
        source: View = context.operands[main.name]
        if source.tensor.memory.name == "psum":
            if source.offsets is None:
                continue
            source = source.offsets.tile
        if start(offsets.tile) != start(source):
            return About(
                operand.name,
                f"the index of {operand.name} ({view.tensor.name}) starts at partition "
                f"{start(offsets.tile)}, {source.tensor.name} at {start(source)}; wanted the same",
            )
    return None


def _reads_picked(operand: Operand) -> bool:
    return operand.indirect and operand.access == "r"


@_rule(MEMORY, "Scalar does not scatter into PSUM", "nki.isa.activation; nki.isa.tensor_copy")
def scalar_scatters_to_sbuf(context: InstructionContext) -> str | None:
    """Vector does."""
    for operand, view, _ in picked(context):
        where = view.tensor.memory.name
        if context.engine == "scalar" and "w" in operand.access and where == "psum":
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) is indirect and in psum on scalar",
            )
    return None


EVERYWHERE = (
    generation_has_it,
    operand_may,
    index_in_sbuf,
    index_dtype,
    entries_there,
    index_at_quadrant,
    input_at_index,
    dst_index_at_input,
    scalar_scatters_to_sbuf,
)
"""What holds for every instruction with an operand that a tile addresses."""


def indirect_on(*engines: str) -> Rule:
    """Indirect operands are for some engines of the instruction only."""

    @_rule(MODE, f"with tensor indirection it runs on {listed(engines)}", TI)
    def check(context: InstructionContext) -> str | None:
        for operand, view, _ in picked(context):
            if context.engine not in engines:
                return About(
                    operand.name,
                    f"{operand.name} ({view.tensor.name}) is indirect on {context.engine}",
                )
        return None

    return check


MATMUL_DTYPES = ("float16", "bfloat16", "float8_e4m3", "float8_e5m2", "float8_e4m3fn")


@_rule(DTYPE, "an indirect operand of a matmul is float16, bfloat16 or fp8", "nki.isa.nc_matmul")
def matmul_dtypes(context: InstructionContext) -> str | None:
    """Also dst, as the page has it."""
    for operand, view, _ in picked(context):
        if view.dtype.name not in MATMUL_DTYPES:
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) is indirect and {view.dtype.name}",
            )
    return None


@_rule(
    MODE,
    "tensor indirection and tiles of the array do not go together",
    "nki.isa.nc_matmul, nki.isa.nc_matmul_mx",
)
def not_tiled(context: InstructionContext) -> str | None:
    """The whole array is one tile."""
    for operand, view, _ in picked(context):
        if place(context) != ((0, 0), FULL_TILE):
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) is indirect with a tile of the array",
            )
    return None


@_rule(MODE, "moving is not indirect in transpose mode", "nki.isa.nc_matmul")
def no_indirect_transpose(context: InstructionContext) -> str | None:
    """A transpose streams its rows as they lie."""
    if context.operands["is_transpose"] and context.operands["moving"].offsets is not None:
        return (
            f"moving ({context.operands['moving'].tensor.name}) is indirect with is_transpose=true"
        )
    return None


@_rule(
    MODE,
    "address arithmetic on int32 or uint32 tiles takes no indirect operand",
    "nki.isa.tensor_scalar; which tiles that means is assumed",
)
def not_address_arithmetic(context: InstructionContext) -> str | None:
    """The form that computes addresses has no room for an index."""
    data, dst = context.operands["data"], context.operands["dst"]
    for operand, view, _ in picked(context):
        if data.dtype.name in WORDS and dst.dtype.name in WORDS:
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) is indirect among {data.dtype.name} tiles",
            )
    return None
