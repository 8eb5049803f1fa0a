"""Gathering by index within SBUF, and finding the largest values with their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.effects import Partial
from nasm.isa.implicit_kinds import ShapeOf
from nasm.isa.instruction import InstructionContext, Operand, in_bits
from nasm.isa.kinds import Flag, Number, Tile
from nasm.targets.neuron import gpsimd_costs
from nasm.targets.neuron.isa.gpsimd import CORE, SBUF
from nasm.targets.neuron.isa.table import ISA, Names
from nasm.targets.neuron.rules import DTYPE, LIMIT, SHAPE, rule, same_partitions, same_shape

LOCAL, NC_N, TOPK = "nki.isa.local_gather", "nki.isa.nc_n_gather", "nki.isa.topk"


def _same_dtype(data: str, source: str) -> Any:
    @rule(
        DTYPE,
        f"dst has the dtype of {data}: a gather converts nothing",
        source,
        names=("dst", data),
    )
    def check(context: InstructionContext) -> str | None:
        dst, found = context.operands["dst"].dtype, context.operands[data].dtype
        return None if dst is found else f"dst is {dst}, {data} {found}"

    return check


def _whole_cores(name: str, source: str) -> Any:
    @rule(
        SHAPE,
        f"the partitions of {name} are a multiple of 16: whole cores",
        source,
        names=(name,),
        about=name,
    )
    def check(context: InstructionContext) -> str | None:
        found = context.operands[name].partitions
        return None if found % CORE == 0 else f"{name} has {found} partitions"

    return check


def _indices(context: InstructionContext) -> int:
    """Indices that each core gathers with: those given, or all."""
    given = context.operands["num_valid_indices"]
    return int(given) if given is not None else CORE * context.operands["index"].elements


@rule(
    LIMIT,
    "a core has at most 4,096 valid indices, and no more than index holds for it",
    LOCAL,
    about="num_valid_indices",
)
def valid_indices(context: InstructionContext) -> str | None:
    """What a core can take."""
    valid, held = _indices(context), CORE * context.operands["index"].elements
    if valid > held:
        return f"num_valid_indices={valid}; index holds {held} for each core"
    return None if valid <= 4096 else f"{valid} valid indices for each core; wanted at most 4096"


@rule(
    LIMIT, "num_elem_per_idx is 1, 2, 4, 8, 16 or 32", LOCAL, basic=True, about="num_elem_per_idx"
)
def power_of_two(context: InstructionContext) -> str | None:
    """What a core gathers at once."""
    found = context.operands["num_elem_per_idx"]
    return None if found in (1, 2, 4, 8, 16, 32) else f"num_elem_per_idx={found}"


@rule(
    SHAPE, "dst has num_valid_indices * num_elem_per_idx elements per partition", LOCAL, about="dst"
)
def gathered_size(context: InstructionContext) -> str | None:
    """What comes of it."""
    wanted = _indices(context) * int(context.operands["num_elem_per_idx"])
    found = context.operands["dst"].elements
    return None if found == wanted else f"dst has {found} elements per partition; wanted {wanted}"


def _inside(indices: Any, most: int, what: str) -> None:
    """Refuse an index past the end of what it selects from."""
    wrong = indices[indices > most]
    if wrong.size:
        raise Refused(
            "E0701",
            f"{what} {int(wrong.flat[0])} is outside the tile, whose last is {most}; what is "
            "gathered then is not documented",
        )


@ISA.instruction(
    Operand("dst", SBUF, "w", doc="[P, num_valid_indices * num_elem_per_idx]"),
    Operand("src_buffer", SBUF),
    Operand("index", Tile(("sbuf",), ("uint16",)), doc="in elements of src_buffer's partitions"),
    Operand(
        "num_elem_per_idx",
        Number(integer=True),
        default=1,
        doc="neighbours that each index gathers",
    ),
    Operand(
        "num_valid_indices",
        Number(integer=True, low=1, high=4096),
        default=None,
        doc="indices that each core uses; default: all",
    ),
    engines=("gpsimd",),
    rules=(
        same_partitions("dst", "src_buffer", "index"),
        _whole_cores("src_buffer", LOCAL),
        power_of_two,
        valid_indices,
        gathered_size,
        _same_dtype("src_buffer", LOCAL),
    ),
    cost=gpsimd_costs.gathered("dst", "num_elem_per_idx"),
    domain=in_bits,
    vendor=Names("local_gather", "", ("LocalGather", "NcLocalGather")),
    formula="dst[p, j * k + e] = src_buffer[p, i[j] + e]; i = the indices of p's 16 partitions, "
    "partition fastest; k = num_elem_per_idx",
    tensors=".sbuf rows u16[128, 4] input = zeros\n.sbuf taken bf16[128, 64]",
    example="LocalGather taken, a, rows",
    instead={"NcNGather": "where each partition has indices of its own"},
    source=LOCAL,
)
def LocalGather(
    src_buffer: Any, index: Any, num_elem_per_idx: int, num_valid_indices: int | None
) -> Any:
    """Gather by indices that the 16 partitions of a GpSimd core share.

    The core reads the indices of its partitions one column after the other, and gathers with all
    of them in every partition: num_elem_per_idx neighbours from each. An index is in elements.
    """
    valid = num_valid_indices or CORE * index.shape[1]
    along = np.arange(num_elem_per_idx)
    gathered = np.empty((len(src_buffer), valid * num_elem_per_idx), src_buffer.dtype)
    for first in range(0, len(src_buffer), CORE):
        core = slice(first, first + CORE)
        at = index[core].T.reshape(-1)[:valid].astype(np.intp)[:, None] + along
        _inside(at, src_buffer.shape[1] - 1, "element")
        gathered[core] = src_buffer[core].take(at.reshape(-1), axis=1)
    return gathered


@ISA.instruction(
    Operand("dst", SBUF, "w"),
    Operand("data", SBUF),
    Operand("indices", Tile(("sbuf",), ("uint32",)), doc="in elements of data's partitions"),
    engines=("gpsimd",),
    rules=(same_shape("dst", "indices"), same_partitions("dst", "data"), _same_dtype("data", NC_N)),
    cost=gpsimd_costs.gathered_in_groups("dst", "data"),
    domain=in_bits,
    vendor=Names("nc_n_gather", "", "NcNGather"),
    formula="dst[p, i] = data[p, indices[p, i]]",
    tensors=".sbuf picks u32[128, 8] input = zeros\n.sbuf picked bf16[128, 8]",
    example="NcNGather picked, a, picks",
    instead={"LocalGather": "where 16 partitions share their indices"},
    source=NC_N,
)
def NcNGather(data: Any, indices: Any) -> Any:
    """Gather within each partition, by its own indices.

    Indices count the elements of data's free axes, flattened.
    """
    at = indices.astype(np.intp)
    _inside(at, data.shape[1] - 1, "index")
    return np.take_along_axis(data, at, axis=1)


@rule(SHAPE, "val_dst and idx_dst have one K, 1 to 32,767 and at most n", TOPK)
def one_k(context: InstructionContext) -> str | None:
    """K is the free size of the results."""
    values, indices = context.operands["val_dst"].elements, context.operands["idx_dst"].elements
    if values != indices:
        return f"val_dst has {values} elements per partition, idx_dst {indices}"
    most = min(32767, context.operands["n"])
    return None if values <= most else f"K is {values}; wanted 1 to {most}"


@rule(LIMIT, "src has at least n / 16 elements per partition, rounded up", TOPK, about="src")
def room_for_n(context: InstructionContext) -> str | None:
    """The elements of a snake lie in 16 partitions."""
    found, wanted = context.operands["src"].elements, -(-context.operands["n"] // CORE)
    return None if found >= wanted else f"src has {found} elements per partition; wanted {wanted}"


MOST_SORTED = 8192


@rule(
    LIMIT, "K is at most 8,192 where sorted", f"{TOPK}; nki-library, chunked top-k", about="sorted"
)
def not_too_many_to_sort(context: InstructionContext) -> str | None:
    """A sorted result is shorter than others."""
    found = context.operands["val_dst"].elements
    if not context.operands["sorted"] or found <= MOST_SORTED:
        return None
    return f"K is {found:,}; wanted {MOST_SORTED:,} or less with sorted=True"


@ISA.instruction(
    Operand("val_dst", Tile(("sbuf",), ("bfloat16",)), "w", partial=True, doc="[P, K]"),
    Operand("idx_dst", Tile(("sbuf",), ("uint32",)), "w", partial=True, doc="[P, K]"),
    Operand("src", Tile(("sbuf",), ("bfloat16",)), doc="[P, at least n / 16]"),
    Operand("n", Number(integer=True, low=8, high=65535), doc="elements of each group's snake"),
    Operand("sorted", Flag(), default=False, doc="the largest first"),
    Operand("shape", ShapeOf("val_dst")),
    engines=("gpsimd",),
    rules=(
        same_partitions("val_dst", "idx_dst", "src"),
        _whole_cores("src", TOPK),
        one_k,
        room_for_n,
        not_too_many_to_sort,
    ),
    cost=gpsimd_costs.top("val_dst", "n"),
    vendor=Names("topk"),
    formula="val_dst[g + j % 16, j // 16] = the j-th of the K largest of s[0:n]; idx_dst likewise "
    "= where it is in s; s[i] = src[g + i % 16, i // 16], g = the first of a group's 16 partitions",
    tensors=".sbuf largest bf16[128, 8]\n.sbuf where u32[128, 8]",
    example="TopK largest, where, best, 128",
    instead={"Max8": "for the 8 largest of each partition"},
    source=f"{TOPK} of SDK 2.33, and of 2.32 for the ascending order where sorted is not set; "
    "assumed: the rest of the last column that results reach stays as it is, which the page leaves "
    "open; equal values in the order of their indices, the first ones taken; NaN above all "
    "numbers; all generations, as none is named",
)
def TopK(src: Any, n: int, sorted: bool, shape: tuple[int, int]) -> tuple[Partial, Partial]:
    """Find the K largest of n values that lie snakewise in 16 partitions, and their indices.

    Element i is in partition i % 16, column i // 16 of a group, and so is result i: of the K
    columns of val_dst and idx_dst K / 16 are written, rounded up. Each group of 16 partitions has
    its own result, in ascending order, or in descending order if it is sorted.
    """
    rows, k = len(src), shape[1]
    values, indices = np.zeros((rows, k), np.float32), np.zeros((rows, k), np.int64)
    at = np.arange(k)
    for first in range(0, rows, CORE):
        snake = src[first : first + CORE].T.reshape(-1)[:n]
        best = _largest(snake, k)
        if sorted:  # equal values stay in the order of their indices
            best = best[np.argsort(-_ranks(snake[best]), kind="stable")]
        values[first + at % CORE, at // CORE] = snake[best]
        indices[first + at % CORE, at // CORE] = best
    where = np.arange(k) * CORE + np.arange(rows)[:, None] % CORE < k
    return Partial(values, where), Partial(indices, where)


def _largest(snake: Any, k: int) -> Any:
    """Where the k largest are, in ascending order; of equal ones the first are taken."""
    # Backwards and stable: of equal values the one with the lower index comes later, above.
    best = len(snake) - 1 - np.argsort(snake[::-1], kind="stable")[len(snake) - k :]
    best.sort()
    return best[np.argsort(snake[best], kind="stable")]


def _ranks(values: Any) -> Any:
    """Whole numbers in the order of values, the same one for equal values and for every NaN."""
    return np.unique(values, return_inverse=True)[1]
