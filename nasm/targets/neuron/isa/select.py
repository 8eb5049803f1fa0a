"""Finding values: eight are loaded into the engine, then looked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.problems import Refused
from nasm.spec.instruction import Operand
from nasm.spec.kinds import State, Tile
from nasm.targets.neuron import costs
from nasm.targets.neuron.isa.table import ISA, LANES, ONCHIP, Names
from nasm.targets.neuron.rules import elements, same_partitions

SOURCE = "nki.isa.nc_find_index8"
MATCH_VALUES = State("match values", "MatchValueLoad loads eight per partition")


@ISA.instruction(
    Operand("values", MATCH_VALUES, "w"),
    Operand("vals", LANES, doc="[P, 8]"),
    engines=("vector",),
    rules=(elements("vals", 8, 8, SOURCE),),
    cost=costs.one_tile("vals"),
    vendor=Names("nc_find_index8", "", "MatchValueLoad"),
    formula="values[p, 0..7] = vals[p, 0..7], held in the engine",
    example="MatchValueLoad best",
    source=f"{SOURCE}; KLR MatchValueLoad",
)
def MatchValueLoad(vals: Any) -> Any:
    """Load eight values per partition into the engine, for FindIndex8 to look for."""
    return vals


@ISA.instruction(
    Operand("dst", Tile(ONCHIP, ("uint16", "uint32")), "w", doc="[P, 8]"),
    Operand("data", LANES, doc="8 to 16,384 elements per partition"),
    Operand("values", MATCH_VALUES),
    engines=("vector",),
    rules=(same_partitions("dst", "data"), elements("data", 8, 16384, SOURCE),
           elements("dst", 8, 8, SOURCE)),
    cost=costs.one_tile("data"),
    vendor=Names("nc_find_index8", "", "FindIndex8"),
    formula="dst[p, j] = first i not taken with data[p, i] == values[p, j], or all ones",
    setup="@vector MatchValueLoad best",
    example="FindIndex8 at, a",
    source=f"{SOURCE}; NKI release notes 2.32 for duplicates and missing values",
)  # fmt: skip
def FindIndex8(data: Any, values: Any) -> Any:
    """Find where eight loaded values stand in each partition; all ones where one does not.

    Equal values find successive occurrences. Comparison is in float32, and NaN matches nothing
    (assumed).
    """
    if values.shape[0] != data.shape[0]:
        raise Refused(
            "E0404", f"data has {data.shape[0]} partitions, the match values {values.shape[0]}"
        )
    found = np.full((data.shape[0], 8), -1, np.int64)
    for slot in range(8):
        wanted = values[:, slot : slot + 1]
        earlier = (values[:, :slot] == wanted).sum(axis=1)
        matches = data == wanted
        turn = matches.cumsum(axis=1) == earlier[:, None] + 1
        at = (turn & matches).argmax(axis=1)
        hit = (turn & matches).any(axis=1)
        found[:, slot] = np.where(hit, at, -1)
    return found
