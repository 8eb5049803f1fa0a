"""Choosing elements by a predicate, and finding them by value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.effects import Partial
from nasm.isa.implicit_kinds import EngineValue
from nasm.isa.instruction import Operand, in_bits
from nasm.isa.kinds import Anything, Either, Flag, Number, Tile
from nasm.targets.neuron import costs
from nasm.targets.neuron.isa.move import number_fits
from nasm.targets.neuron.isa.table import ISA, LANES, ONCHIP, PICKED, Names, not_both_in
from nasm.targets.neuron.rules import elements, free_dims, same_dtype, same_partitions, same_shape

PREDICATED = "nki.isa.tensor_copy_predicated"
FIND, REPLACE = "nki.isa.nc_find_index8", "nki.isa.nc_match_replace8"
MATCH_VALUES = EngineValue("match values", "MatchValueLoad loads eight per partition")


@ISA.instruction(
    Operand("dst", PICKED, "w", partial=True),
    Operand("src", Either((Anything(), LANES)), doc="a tile like dst, or a number"),
    Operand(
        "predicate",
        Tile(ONCHIP, ("uint8", "uint16", "uint32"), indirect=True),
        doc="true where not zero",
    ),
    Operand("reverse_pred", Flag(), default=False, doc="copy where predicate is zero instead"),
    engines=("vector",),
    rules=(
        same_shape("dst", "src", "predicate"),
        same_dtype(PREDICATED, "dst", "src"),
        not_both_in("psum", "src", "predicate"),
        number_fits("src", f"{PREDICATED}; nki.isa.memset (assumed)"),
    ),
    cost=costs.choice("predicate", "src"),
    domain=in_bits,
    vendor=Names("tensor_copy_predicated", "COPY_PREDICATED", "CopyPredicated"),
    formula="dst[i] = src[i] where predicate[i] != 0, else dst[i]",
    example="CopyPredicated d, a, mask",
    instead={
        "SelectReduce": "where the others come from a number, or the maximum is wanted",
        "TensorCopy": "where all elements are copied",
    },
    tensors=".sbuf d bf16[128, {n}]\n.sbuf mask u8[128, {n}]",
    source=PREDICATED,
)
def CopyPredicated(src: Any, predicate: Any, reverse_pred: bool) -> Partial:
    """Copy the elements that a predicate chooses, bit for bit; the others of dst stay.

    Elements that are not chosen are not written: they keep what dst held, and whether anything
    had been written there.
    """
    return Partial(src, (predicate != 0) ^ reverse_pred)


@ISA.instruction(
    Operand("values", MATCH_VALUES, "w"),
    Operand("vals", LANES, doc="[P, 8]"),
    engines=("vector",),
    rules=(elements("vals", 8, 8, FIND), free_dims("vals", 2, FIND)),
    cost=costs.one_tile("vals"),
    vendor=Names(("nc_find_index8", "nc_match_replace8"), "", "MatchValueLoad"),
    formula="values[p, 0..7] = vals[p, 0..7], held in the engine",
    example="MatchValueLoad best",
    source=f"{FIND}; KLR MatchValueLoad",
)
def MatchValueLoad(vals: Any) -> Any:
    """Load eight values per partition into the engine, for FindIndex8 and MatchReplace8."""
    return vals


@ISA.instruction(
    Operand("dst", Tile(ONCHIP, ("uint16", "uint32")), "w", doc="[P, 8]"),
    Operand("data", LANES, doc="8 to 16,384 elements per partition"),
    Operand("values", MATCH_VALUES),
    engines=("vector",),
    rules=(
        same_partitions("dst", "data"),
        elements("data", 8, 16384, FIND),
        elements("dst", 8, 8, FIND),
        free_dims("data", 2, FIND),
    ),
    cost=costs.one_tile("data"),
    vendor=Names("nc_find_index8", "", "FindIndex8"),
    formula="dst[p, j] = first i not taken with data[p, i] == values[p, j], or all ones",
    setup="@vector MatchValueLoad best",
    example="FindIndex8 at, a",
    source=f"{FIND}; NKI release notes 2.32 for duplicates and missing values",
)
def FindIndex8(data: Any, values: Any) -> Any:
    """Find eight loaded values in each partition: their positions, all ones for a missing one.

    Equal values find successive occurrences. Comparison is in float32, and NaN matches nothing
    (assumed).
    """
    return _places(data, values, range(8))


@ISA.instruction(
    Operand("dst", LANES, "w", doc="like data, which it may be"),
    Operand("data", LANES, doc="up to 16,384 elements per partition"),
    Operand("imm", Number(), doc="what replaces a value, often -inf"),
    Operand("dst_idx", Tile(ONCHIP, ("uint32",)), "w", default=None, doc="[P, 8]"),
    Operand("values", MATCH_VALUES),
    engines=("vector",),
    rules=(
        same_shape("dst", "data"),
        same_partitions("dst_idx", "data"),
        elements("data", 1, 16384, REPLACE),
        elements("dst_idx", 8, 8, REPLACE),
    ),
    cost=costs.one_tile("data"),
    vendor=Names("nc_match_replace8", "", "MatchReplace8"),
    formula="for j = 7..0: i = first not taken with data[p, i] == values[p, j]; "
    "dst[p, i] = imm, dst_idx[p, j] = i",
    setup="@vector MatchValueLoad best",
    example="MatchReplace8 c, a, -1.0, at",
    source=f"{REPLACE}; missing values as in nki.isa.nc_find_index8 (assumed)",
)
def MatchReplace8(data: Any, imm: float, values: Any) -> tuple[Any, Any]:
    """Replace the first occurrences of eight loaded values by a number, and say where they were.

    The values are taken from the last to the first, so that of equal ones the last finds the
    first occurrence. A replaced element is not found again, whatever imm is (assumed); for a
    missing value dst_idx is all ones (assumed). The comparison is FindIndex8's.
    """
    places = _places(data, values, reversed(range(8)))
    replaced = data.copy()
    lanes, slots = np.nonzero(places >= 0)
    replaced[lanes, places[lanes, slots]] = np.float32(imm)
    return replaced, places


def _places(data: Any, values: Any, order: Iterable[int]) -> Any:
    """Where each value occurs first, besides where an earlier one was found; -1: nowhere."""
    if values.shape[0] != data.shape[0]:
        raise Refused(
            "E0404", f"data has {data.shape[0]} partitions, the match values {values.shape[0]}"
        )
    found = _first(data, values)
    ascending = np.sort(values, axis=1)
    repeats = (ascending[:, 1:] == ascending[:, :-1]).any(axis=1)
    if repeats.any():
        found[repeats] = _successive(data[repeats], values[repeats], order)
    return found


def _first(data: Any, values: Any) -> Any:
    """Where each value occurs first; right where no value repeats."""
    at = np.empty(values.shape, np.int64)
    matches = np.empty(data.shape, np.bool_)
    for slot in range(values.shape[1]):
        np.equal(data, values[:, slot : slot + 1], out=matches)
        at[:, slot] = matches.argmax(axis=1)
    return np.where(np.take_along_axis(data, at, axis=1) == values, at, -1)


def _successive(data: Any, values: Any, order: Iterable[int]) -> Any:
    """The same where equal values find one occurrence after the other."""
    found = np.full(values.shape, -1, np.int64)
    every = np.arange(data.shape[0])
    for slot in order:
        matches = data == values[:, slot : slot + 1]
        lanes, slots = np.nonzero(found >= 0)
        matches[lanes, found[lanes, slots]] = False
        at = matches.argmax(axis=1)
        found[:, slot] = np.where(matches[every, at], at, -1)
    return found
