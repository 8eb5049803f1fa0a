"""What rows say of the engine values that they need not look at: semantics called with others."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from nasm.base import dtypes
from nasm.isa.implicit_kinds import JOINED, KEPT, READ, REPLACED
from nasm.isa.instruction import InstructionContext, Row
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.accumulators import Accumulators

ROWS = [row for row in TARGET.isa.rows.values() if any(o.use is not None for o in row.operands)]
FLOAT = dtypes.find("f32")
COMMANDS = ("idle", "reset", "reduce", "reset_reduce", "load_reduce")


def test_every_row_that_reads_and_leaves_accumulators_or_tiles_says_how() -> None:
    assert {row.name for row in ROWS} == {
        *("Activation", "Activation2", "Exponential", "RangeSelect", "SelectReduce"),
        *("TensorScalarReduce", "TensorScalarCumulative", "LoadStationary", "LoadStationaryMX"),
    }


def accumulators(seed: int) -> Accumulators:
    values = np.random.default_rng(seed).standard_normal((128, 1)).astype(np.float32)
    return Accumulators(values, np.ones(128, np.bool_))


VALUES: dict[str, Any] = {
    "op": "relu", "op0": "multiply", "op1": "add", "comp_op0": "greater", "comp_op1": "less",
    "accumulate": "before_cast", "rounded": lambda y: y, "reduce_init": 1.0, "range_start": 0,
    "lanes": slice(0, 4), "bias": None, "scale": 1.0, "imm0": 2.0, "imm1": 1.0, "operand0": 2.0,
    "relu_param": 0.0, "reverse0": False, "reverse1": False, "reverse_pred": False,
    "on_false": -1.0, "max_value": 0.0, "reduce_res_negate": False,
}  # fmt: skip


def arguments(row: Row, command: str, out: bool, held: Any) -> dict[str, Any]:
    """What semantics take, with tiles of a few numbers."""
    tile = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)
    found: dict[str, Any] = {}
    for operand in row.reads:
        name = operand.name
        if name in ("bound0", "bound1"):
            found[name] = np.full((4, 1), {"bound0": 1.0, "bound1": 6.0}[name], np.float32)
        else:
            found[name] = VALUES.get(name, tile)
    found |= {"reduce_cmd": command, "out": slice(0, 4) if out else None, "accumulators": held}
    if "reduce_op" in found:
        found["reduce_op"] = "maximum" if row.name in ("RangeSelect", "SelectReduce") else "add"
    names = [operand.name for operand in row.reads]
    return {name: found[name] for name in names}


@pytest.mark.parametrize("row", [r for r in ROWS if "Load" not in r.name], ids=lambda r: r.name)
def test_accumulators_are_used_as_a_row_says(row: Row) -> None:
    seen = set()
    (operand,) = (o for o in row.operands if o.use is not None)
    taken = row.operand("reduce_cmd").kind
    for command, out in itertools.product(COMMANDS, (False, True)):
        if command not in taken.words or (out and "reduce_res" not in row.position):
            continue
        held = [accumulators(1), accumulators(2)]
        context = InstructionContext(row, {**{o.name: None for o in row.operands},
            "reduce_cmd": command, "reduce_res": "m" if out else None, "reduce_op": "add"},
            row.engines[0], TARGET.generations[-1], [], [])  # fmt: skip
        use = operand.use(context)
        if use == REPLACED and out:
            continue
        results = [row.semantics(**arguments(row, command, out, one)) for one in held]
        names = [o.name for o in row.writes]
        left = names.index("accumulators")
        for nth in range(len(names)):
            same = equal(results[0][nth], results[1][nth])
            if nth == left:
                assert use != KEPT or results[0][nth] is held[0]
                assert same or use in (READ, JOINED, KEPT)
            else:
                assert same or use == READ, (row.name, command, names[nth])
        seen.add(use)
    assert len(seen) > 1


def equal(one: Any, two: Any) -> bool:
    if isinstance(one, Accumulators):
        return bool((one.values == two.values).all() and (one.known == two.known).all())
    return one is two or np.array_equal(one, two)


def test_a_tile_of_the_whole_array_replaces_what_it_holds_and_another_joins_it() -> None:
    row = TARGET.isa.rows["LoadStationary"]
    (operand,) = (o for o in row.operands if o.use is not None)
    tile = np.ones((32, 32), np.float32)
    places = {REPLACED: (None, None), JOINED: ((0, 32), (32, 32))}
    for use, (position, size) in places.items():
        given = {o.name: None for o in row.operands}
        given |= {"tile_position": position, "tile_size": size}
        context = InstructionContext(row, given, "tensor", TARGET.generations[-1], [], [])
        assert operand.use is not None
        assert operand.use(context) == use
        other = row.semantics((), tile, FLOAT, False, False, (64, 64), (32, 32), "none", False)
        made = row.semantics(other, tile, FLOAT, False, False, position, size, "none", False)
        assert len(made) == (1 if use == REPLACED else 2)
