"""What GpSimd alone does: index patterns, masks, and work along or across its partitions."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.effects import Say
from nasm.isa.implicit_kinds import DtypeOf, Implicit, ShapeOf
from nasm.isa.instruction import (
    BITS,
    FLOAT32,
    About,
    InstructionContext,
    Operand,
    in_bits,
    of_operands,
)
from nasm.isa.kinds import Choice, Either, Number, OperandContext, Tile
from nasm.isa.literal_kinds import Pattern, Text
from nasm.targets.neuron import alu, gpsimd_costs
from nasm.targets.neuron.integers import wrap32
from nasm.targets.neuron.isa.control import REGISTER
from nasm.targets.neuron.isa.operator_rules import bitwise_integers
from nasm.targets.neuron.isa.table import ISA, Names
from nasm.targets.neuron.nan import Operators
from nasm.targets.neuron.options import casting
from nasm.targets.neuron.rules import SHAPE, repeats, rule, same_partitions, same_shape
from nasm.views.view import View

IOTA, SELECT = "nki.isa.iota", "nki.isa.affine_select"
REDUCE, BOUNDS = "nki.isa.tensor_partition_reduce", "nki.isa.sequence_bounds"
NONZERO, PRINT = "nki.isa.nonzero_with_count", "nki.language.device_print"

SBUF = Tile(("sbuf",))
NUMBERS = Tile(("sbuf",), ("float32", "int32"))
WORD = Number(integer=True, low=-(2**31), high=2**31 - 1)
REGISTER_OR_WORD = Either((REGISTER, WORD))
INDICES = Pattern(dims=4, low=-(2**31), high=2**31 - 1, most=2**16)
COMPARE = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
}
CORE = 16
"""Partitions of each of GpSimd's eight cores."""


@lru_cache(maxsize=256)
def _walk(pattern: tuple[tuple[int, int], ...]) -> Any:
    """The steps of a pattern, slowest first, summed for every element; modulo 2**32."""
    at = np.zeros(1, np.uint32)
    for step, count in pattern:
        steps = np.arange(count, dtype=np.uint32) * np.uint32(step % 2**32)
        at = (at[:, None] + steps).reshape(-1)
    return at


def affine(
    pattern: tuple[tuple[int, int], ...], offset: int, channel_multiplier: int, partitions: int
) -> Any:
    """Int32 that wraps: offset + p * channel_multiplier + the steps of the pattern, [P, N]."""
    lanes = np.arange(partitions, dtype=np.uint32) * np.uint32(channel_multiplier % 2**32)
    lanes += np.uint32(offset % 2**32)
    return (lanes[:, None] + _walk(pattern)).view(np.int32)


def _pattern_size(source: str) -> Any:
    @rule(
        SHAPE,
        "pattern counts as many elements as dst has per partition",
        source,
        names=("pattern", "dst"),
    )
    def check(context: InstructionContext) -> str | None:
        counted = 1
        for _, count in context.operands["pattern"]:
            counted *= count
        found = context.operands["dst"].elements
        if counted == found:
            return None
        return f"pattern counts {counted} elements; dst has {found} per partition"

    return check


@ISA.instruction(
    Operand("dst", SBUF, "w"),
    Operand("pattern", INDICES),
    Operand("offset", REGISTER_OR_WORD, default=0),
    Operand("channel_multiplier", WORD, default=0, doc="added for each partition of dst"),
    Operand("shape", ShapeOf("dst")),
    Operand("dtype", DtypeOf("dst")),
    engines=("gpsimd",),
    rules=(_pattern_size(IOTA),),
    cost=gpsimd_costs.affine("dst"),
    vendor=Names("iota", "IOTA", "Iota"),
    formula="dst[p, w, z, y, x] = offset + p * channel_multiplier + w * sw + z * sz + y * sy + "
    "x * sx",
    tensors=".sbuf steps i32[128, 64]",
    example="Iota steps, [[1, 64]], channel_multiplier=64",
    instead={"Memset": "where all elements are equal"},
    source=f"{IOTA}; that the index wraps modulo 2**32 is assumed",
)
def Iota(
    pattern: tuple[tuple[int, int], ...],
    offset: int,
    channel_multiplier: int,
    shape: tuple[int, int],
    dtype: DType,
) -> Any:
    """Fill a tile with an index: an offset, a step for each axis and one for each partition.

    Partitions count from the first of dst. The index is computed in int32 and then converted to
    dst's dtype: exactly where it fits, saturated in narrower integers, through float32 into floats.
    """
    values = affine(pattern, offset, channel_multiplier, shape[0])
    if not dtype.is_int:
        return values.astype(np.float32)
    limits = np.iinfo(dtype.numpy)
    return np.clip(values, max(limits.min, -(2**31)), min(limits.max, 2**31 - 1))


@dataclass(frozen=True, slots=True)
class Saturates(Implicit):
    """Whether a number that overflows an operand's dtype becomes its largest, by the options."""

    operand: str

    @property
    def needs(self) -> tuple[str, ...]:
        """The operand it is stored in."""
        return (self.operand,)

    def describe(self) -> str:
        """Not written, so never shown."""
        return f"whether {self.operand} saturates"

    def for_semantics(self, value: object, context: OperandContext) -> bool:
        """As for everything that is stored."""
        return (
            context.operands[self.operand].dtype.name
            in casting(context.generation.options, 0).saturating
        )


@of_operands
def _selected(_: InstructionContext, dst: View, src: View) -> str:
    """Bits where the two are numbers of one dtype, else through float32."""
    dtype = dst.dtype
    return BITS if src.dtype is dtype and (dtype.is_int or dtype.is_float) else FLOAT32


@ISA.instruction(
    Operand("dst", SBUF, "w"),
    Operand("on_true_tile", SBUF),
    Operand("pattern", INDICES),
    Operand("channel_multiplier", WORD, doc="added for each partition of dst"),
    Operand("on_false_value", Number(), doc="float32, converted to dst's dtype"),
    Operand("cmp_op", Choice(tuple(COMPARE), "comparison"), default="equal"),
    Operand("offset", REGISTER_OR_WORD, default=0),
    Operand("dtype", DtypeOf("dst")),
    Operand("saturate", Saturates("dst")),
    engines=("gpsimd",),
    rules=(same_shape("dst", "on_true_tile"), _pattern_size(SELECT)),
    cost=gpsimd_costs.affine("dst"),
    domain=_selected("dst", "on_true_tile"),
    vendor=Names(
        "affine_select", "TENSOR_SCALAR_AFFINE_SELECT", ("AffineSelect", "NcAffineSelect")
    ),
    formula="dst = on_true_tile where (offset + p * channel_multiplier + w * sw + … + x * sx) "
    "<cmp_op> 0, else on_false_value",
    tensors=".sbuf scores f32[128, 128]\n.sbuf masked f32[128, 128]",
    example="AffineSelect masked, scores, [[-1, 128]], 1, -30000.0, cmp_op=greater_equal",
    instead={
        "RangeSelect": "where an index lies between two bounds, on Vector",
        "SelectReduce": "where a tile says which elements to keep",
    },
    source=f"{SELECT}; KLR has no less and less_equal: negated, as its front end does",
)
def AffineSelect(
    on_true_tile: Any,
    pattern: tuple[tuple[int, int], ...],
    channel_multiplier: int,
    on_false_value: float,
    cmp_op: str,
    offset: int,
    dtype: DType,
    saturate: bool,
) -> Any:
    """Keep elements whose index compares as wanted with 0, and set the others to a value.

    The index is Iota's. A causal mask keeps `p - x >= 0`: steps of -1, a channel_multiplier of 1.
    Elements are copied bit for bit between equal dtypes, through float32 otherwise.
    """
    index = affine(pattern, offset, channel_multiplier, len(on_true_tile))
    value = np.full(1, on_false_value, np.float32)
    if on_true_tile.dtype != np.float32:
        value = dtypes.from_float32(value, dtype, saturate)
    return np.where(COMPARE[cmp_op](index, 0), on_true_tile, value)


@rule(SHAPE, "dst has one partition, and as many elements as data has in each", REDUCE, about="dst")
def one_row(context: InstructionContext) -> str | None:
    """What is left of 128 partitions."""
    dst, data = context.operands["dst"], context.operands["data"]
    if dst.partitions != 1:
        return f"dst has {dst.partitions} partitions; wanted 1"
    if dst.elements != data.elements:
        return f"dst has {dst.elements} elements, data {data.elements} per partition"
    return None


@of_operands
def _reduced(_: InstructionContext, op: str) -> str:
    return BITS if alu.OPERATORS[op].bitvec else FLOAT32


@ISA.instruction(
    Operand("dst", SBUF, "w", doc="[1, …]"),
    Operand("data", SBUF),
    Operand(
        "op", Operators(("add", "average", "maximum", "bitwise_or", "bitwise_and"), "operator")
    ),
    engines=("gpsimd",),
    rules=(one_row, bitwise_integers),
    cost=gpsimd_costs.walked("data"),
    domain=_reduced("op"),
    vendor=Names("tensor_partition_reduce", "", "TensorPartitionReduce"),
    formula="dst[0, i] = data[0, i] <op> data[1, i] <op> …; average: their sum / partitions",
    tensors=".sbuf total f32[1, {n}]",
    example="TensorPartitionReduce total, a, op=add",
    instead={"TensorReduce": "along free axes"},
    source=f"{REDUCE}; order of the sum assumed: sequential in float32",
)
def TensorPartitionReduce(data: Any, op: str) -> Any:
    """Reduce across partitions: one row is left.

    Sums run from the first partition to the last in float32, also of integers; the vendor
    documents no order. A multiplication with a column of ones on Tensor is faster.
    """
    total = data[0]
    for row in data[1:]:
        total = alu.combine("add" if op == "average" else op, total, row)
    return (total / np.float32(len(data)) if op == "average" else total)[None]


@rule(SHAPE, "segment_ids has one partition, and dst twice its elements in one", BOUNDS)
def two_bounds(context: InstructionContext) -> str | None:
    """A start and an end for every element."""
    dst, ids = context.operands["dst"], context.operands["segment_ids"]
    for name, view in (("segment_ids", ids), ("dst", dst)):
        if view.partitions != 1:
            return About(name, f"{name} has {view.partitions} partitions; wanted 1")
    if dst.elements != 2 * ids.elements:
        return About("dst", f"dst has {dst.elements} elements; wanted {2 * ids.elements}")
    return None


@ISA.instruction(
    Operand("dst", NUMBERS, "w", doc="[1, 2, n]: starts, then ends"),
    Operand("segment_ids", NUMBERS, doc="[1, n]; 0 is padding"),
    engines=("gpsimd",),
    rules=(two_bounds,),
    cost=gpsimd_costs.walked("segment_ids"),
    domain=in_bits,
    vendor=Names("sequence_bounds", "", "SequenceBounds"),
    formula="dst[0, 0, i], dst[0, 1, i] = first and one past the last element of i's run of equal "
    "ids; n, -1 where the id is 0",
    tensors=".sbuf ids i32[1, {n}]\n.sbuf bounds i32[1, 2, {n}]",
    example="SequenceBounds bounds, ids",
    source=BOUNDS,
)
def SequenceBounds(segment_ids: Any) -> Any:
    """Find where the run of equal ids that an element belongs to begins, and where it ends.

    The end is exclusive. Only neighbours are compared: an id that comes again begins a new run.
    Ids are integers, 0 or more; any other is refused.
    """
    ids = segment_ids[0]
    wrong = ids[~((ids >= 0) & (ids % 1 == 0))]
    if wrong.size:
        raise Refused(
            "E0701",
            f"the segment id {wrong[0]} is not an integer of 0 or more; what it gives is not "
            f"documented ({BOUNDS})",
        )
    n = len(ids)
    at, changes = np.arange(n), ids[1:] != ids[:-1]
    starts = np.maximum.accumulate(np.where(np.append(True, changes), at, 0))
    ends = np.where(np.append(changes, True), at + 1, n)
    ends = np.minimum.accumulate(ends[::-1])[::-1]
    padding = ids == 0
    return np.stack([np.where(padding, n, starts), np.where(padding, -1, ends)]).reshape(1, -1)


@of_operands
def _first_of_each_core(_: InstructionContext, view: View) -> tuple[View, ...]:
    """Partitions 0, 16, … of an operand: a core reads and writes the first of its own."""
    return (view.index([slice(0, None, CORE)]),)


@rule(SHAPE, "dst has one element more than src in each partition", NONZERO, about="dst")
def room_for_count(context: InstructionContext) -> str | None:
    """The count comes last."""
    dst, wanted = context.operands["dst"].elements, context.operands["src"].elements + 1
    return None if dst == wanted else f"dst has {dst} elements per partition; wanted {wanted}"


@ISA.instruction(
    Operand(
        "dst",
        Tile(("sbuf",), ("int32",)),
        "w",
        doc="[P, T + 1]",
        footprint=_first_of_each_core("dst"),
    ),
    Operand("src", NUMBERS, doc="[P, T]", footprint=_first_of_each_core("src")),
    Operand("index_offset", REGISTER_OR_WORD, default=0, doc="added to every index"),
    Operand(
        "padding_val", REGISTER_OR_WORD, default=-1, doc="fills the elements after the indices"
    ),
    engines=("gpsimd",),
    since="v3",
    rules=(same_partitions("dst", "src"), room_for_count),
    cost=gpsimd_costs.walked("src"),
    domain=in_bits,
    vendor=Names("nonzero_with_count", "NONZERO_WITH_COUNT", "NonzeroWithCount"),
    formula="dst[p] = [i + index_offset for i where src[p, i] != 0], padding_val …, their count; "
    "p = 0, 16, 32, …",
    tensors=".sbuf row i32[1, {n}]\n.sbuf found i32[1, {n} + 1]",
    example="NonzeroWithCount found, row",
    source=f"{NONZERO}; that a register may hold its numbers is assumed",
)
def NonzeroWithCount(src: Any, index_offset: int, padding_val: int) -> Any:
    """List the indices of the elements that are not zero, and count them at the end.

    Each of the eight cores works on its first partition: partitions 0, 16, … 112 are read and
    written, the others are left as they are. NaN is not zero.
    """
    found = np.full((len(src), src.shape[1] + 1), wrap32(padding_val), np.int32)
    for row, values in zip(found, src, strict=True):
        at = np.flatnonzero(values != 0).astype(np.int32)
        row[: len(at)] = at + np.int32(wrap32(index_offset))
        row[-1] = len(at)
    return found


@rule(
    SHAPE,
    "a message shows every element of the tensor once",
    f"{PRINT} (assumed)",
    "print the tensor itself, and not what repeats it",
    about="tensor",
)
def printed_once(context: InstructionContext) -> str | None:
    """A step of 0 would make a message of any length."""
    return (
        "tensor walks some elements more than once" if repeats(context.operands["tensor"]) else None
    )


@ISA.instruction(
    Operand("tensor", Tile(("sbuf", "hbm"), flat=False, lanes=False)),
    Operand("print_prefix", Text(), default="", doc="what the message begins with"),
    Operand("dtype", DtypeOf("tensor")),
    engines=("gpsimd",),
    rules=(printed_once,),
    cost=gpsimd_costs.walked("tensor"),
    domain=in_bits,
    effect=Say,
    vendor={**Names(klr="DevicePrint"), "NKI": (PRINT,)},
    formula="a message of the run: print_prefix and the elements of tensor",
    example='DevicePrint a, "a ="',
    source=f"{PRINT}; KLR DevicePrint; the engine and the form of the message are assumed",
)
def DevicePrint(tensor: Any, print_prefix: str, dtype: DType) -> Say:
    """Put a tile's elements into the run's report, after a text. Data is not touched.

    Of more than 64 elements the first and last three of each axis are shown.
    """
    values = np.array2string(
        tensor,
        threshold=64,
        edgeitems=3,
        max_line_width=100,
        formatter={"all": lambda value: dtypes.format_value(value, dtype)},
    )
    gap = "\n" if "\n" in values else " " if print_prefix else ""
    return Say(f"{print_prefix}{gap}{values}")
