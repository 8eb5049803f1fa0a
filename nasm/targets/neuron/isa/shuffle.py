"""Moving data between partitions: transposes of blocks, and shuffles within 32 rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.problems import Refused, listed
from nasm.isa.effects import Partial
from nasm.isa.implicit_kinds import EngineValue, ShapeOf
from nasm.isa.instruction import About, InstructionContext, Operand, in_bits
from nasm.isa.kinds import Integers
from nasm.targets.neuron import shuffle_costs
from nasm.targets.neuron.figures import QUADRANT
from nasm.targets.neuron.isa.table import ISA, LANES, Names
from nasm.targets.neuron.rules import LIMIT, SHAPE, START_PARTITION, rule, same_dtype, same_elements

TRANSPOSE, SHUFFLE = "nki.isa.nc_transpose", "nki.isa.nc_stream_shuffle"
GUIDE = "architecture guide, 'Cross-partition Data Movement'"
UNTOUCHED = 255
MASK = EngineValue("shuffle mask", "LoadMaskRegister loads its 32 entries")


@rule(
    SHAPE,
    "a tile of up to 32x32 becomes its transpose; a larger one has multiples of 32 on "
    "both sides, and dst its shape",
    f"{TRANSPOSE}; {GUIDE}",
    about="dst",
)
def blocks(context: InstructionContext) -> str | None:
    """One block, which may be partial, or whole blocks."""
    dst, data = context.operands["dst"], context.operands["data"]
    rows, columns = data.partitions, data.elements
    found = f"data is {rows}x{columns}, dst {dst.partitions}x{dst.elements}"
    if rows <= QUADRANT and columns <= QUADRANT:
        wanted = (columns, rows)
    elif rows % QUADRANT or columns % QUADRANT:
        return f"{found}; wanted multiples of 32, or data of up to 32x32"
    else:
        wanted = (rows, columns)
    if (dst.partitions, dst.elements) == wanted:
        return None
    return f"{found}; wanted dst {wanted[0]}x{wanted[1]}"


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("data", LANES),
    engines=("vector",),
    rules=(blocks, same_dtype(TRANSPOSE, "dst", "data")),
    cost=shuffle_costs.transpose("dst", "data"),
    domain=in_bits,
    vendor=Names("nc_transpose", "STREAM_TRANSPOSE", "Transpose"),
    formula="dst[32a + i, 32b + j] = data[32a + j, 32b + i]",
    example="Transpose t, a[0:8, 0:8]",
    instead={
        "MultiplyMoving": "with is_transpose=true, for up to 128x128 from SBUF into PSUM",
        "DmaTranspose": "where the tensor is in HBM",
    },
    tensors=".sbuf t bf16[8, 8]",
    source=f"{TRANSPOSE}; KLR Transpose; {GUIDE}",
)
def Transpose(data: Any) -> Any:
    """Transpose a tile of up to 32x32, or every 32x32 block of a larger one in place.

    Bits are moved as they are. Blocks do not change places, because each group of 32 partitions
    sees its own rows only (assumed): to transpose a larger matrix, exchange its blocks as well.
    """
    rows, columns = data.shape
    high, wide = min(rows, QUADRANT), min(columns, QUADRANT)
    cut = data.reshape(rows // high, high, columns // wide, wide)
    return cut.transpose(0, 3, 2, 1).reshape(rows // high * wide, columns // wide * high)


@rule(
    LIMIT,
    "an entry of shuffle_mask is a row from 0 to 31, or 255 for a row left alone",
    SHUFFLE,
    about="shuffle_mask",
)
def mask_entries(context: InstructionContext) -> str | None:
    """What a mask may hold."""
    wrong = sorted(
        {m for m in context.operands["shuffle_mask"] if not 0 <= m < QUADRANT and m != UNTOUCHED}
    )
    return f"shuffle_mask has {listed(map(str, wrong), 'and')}" if wrong else None


@ISA.instruction(
    Operand("mask", MASK, "w"),
    Operand("shuffle_mask", Integers(QUADRANT, "a list of 32 integers")),
    engines=("vector",),
    rules=(mask_entries,),
    cost=shuffle_costs.mask_load(),
    vendor=Names("nc_stream_shuffle", "LOAD_MASK_SELECT", "LoadMaskRegister"),
    formula="mask[0..31] = shuffle_mask, held in the engine",
    example="LoadMaskRegister [1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "
    "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 255]",
    source=f"{SHUFFLE}; KLR LoadMaskRegister",
)
def LoadMaskRegister(shuffle_mask: Any) -> Any:
    """Load the mask of Shuffle: for each of 32 rows the row it takes, or 255 to leave it alone."""
    return np.array(shuffle_mask)


@rule(
    START_PARTITION,
    "src and dst start where the 32-row groups of the larger one may: 3 or 4 "
    "at 0, 2 at 0 or 64, 1 at 0, 32, 64 or 96",
    SHUFFLE,
)
def shuffle_starts(context: InstructionContext) -> str | None:
    """The smaller side occupies as many groups as the larger."""
    groups = max(-(-context.operands[n].partitions // QUADRANT) for n in ("dst", "src"))
    legal = (0,) if groups > 2 else (0, 64) if groups == 2 else (0, 32, 64, 96)
    for name in ("dst", "src"):
        view = context.operands[name]
        start = (view.tensor.partition or 0) + view.partition
        if start not in legal:
            return About(
                name, f"{name} starts at partition {start}; wanted {listed(map(str, legal))}"
            )
    return None


@ISA.instruction(
    Operand("dst", LANES, "w", partial=True),
    Operand("src", LANES),
    Operand("shape", ShapeOf("dst")),
    Operand("mask", MASK),
    engines=("vector",),
    rules=(same_elements(SHUFFLE, "dst", "src"), same_dtype(SHUFFLE, "dst", "src"), shuffle_starts),
    cost=shuffle_costs.shuffle("src"),
    domain=in_bits,
    vendor=Names("nc_stream_shuffle", "STREAM_SHUFFLE", "Shuffle"),
    formula="dst[32q + i, :] = src[32q + mask[i], :] unless mask[i] = 255",
    setup="@vector LoadMaskRegister [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
    "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
    example="Shuffle d, a",
    instead={"LocalGather": "where elements move within partitions"},
    tensors=".sbuf d bf16[128, {n}]",
    source=f"{SHUFFLE}; KLR Shuffle; {GUIDE}",
)
def Shuffle(src: Any, shape: tuple[int, int], mask: Any) -> Partial:
    """Give every row of dst a row of src of the same group of 32, by the mask that was loaded.

    The mask serves every group. A row whose entry is 255 is not written. Entries beyond the last
    row of dst have no effect (assumed); one that takes a row src does not have is a fault.
    """
    row = np.arange(shape[0])
    entries = mask[row % QUADRANT]
    chosen = entries != UNTOUCHED
    taken = np.where(chosen, row - row % QUADRANT + entries, 0)
    if taken.max() >= len(src):
        raise Refused(
            "E0404", f"the shuffle mask takes row {taken.max()} of src, which has {len(src)}"
        )
    return Partial(src[taken], chosen[:, None])
