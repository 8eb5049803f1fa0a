"""Rows have the operands of nki.isa's functions: their names, their order and their defaults.

`SIGNATURES` is what the page of each function has (aws-neuron-sdk, nki/api/nki/isa/__init__.py,
Neuron SDK 2.32), without `name`, which labels a call in the vendor's tools; `T` marks a tile that
is walked element by element and must be given. Here `dst` comes first, then the other such tiles,
then the rest as there. What differs besides is listed below, each with its reason.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

import pytest

from nasm.isa.instruction import REQUIRED, Row
from nasm.targets.neuron.isa import ISA
from tests.tables import each

SIGNATURES = {
    "activate2": "dst: T, op, data: T, imm0, imm1, op0, op1, relu_param=0.0, reverse0=False, "
    "reverse1=False, reduce_op=None, reduce_res=None, reduce_cmd=idle",
    "activation": "dst: T, op, data: T, bias=None, scale=1.0, reduce_op=None, reduce_res=None, "
    "reduce_cmd=idle",
    "activation_reduce": "dst: T, op, data: T, reduce_op, reduce_res, bias=None, scale=1.0",
    "affine_select": "dst: T, pattern, channel_multiplier, on_true_tile: T, on_false_value, "
    "cmp_op=equal, offset=0",
    "bn_aggr": "dst: T, data: T",
    "bn_stats": "dst: T, data: T",
    "core_barrier": "data: T, cores, engine=gpsimd",
    "dma_compute": "dst: T, srcs: T, reduce_op, scales=None, unique_indices=True, oob_mode=error",
    "dma_copy": "dst: T, src: T, priority=None, oob_mode=error, dge_mode=unknown, engine=unknown",
    "dma_transpose": "dst: T, src: T, axes=None, priority=None, dge_mode=unknown, oob_mode=error",
    "dropout": "dst: T, data: T, prob",
    "exponential": "dst: T, src: T, max_value=0.0, reduce_res=None, reduce_cmd=idle, "
    "reduce_init=0.0",
    "iota": "dst: T, pattern, offset=0, channel_multiplier=0",
    "local_gather": "dst: T, src_buffer: T, index: T, num_elem_per_idx=1, num_valid_indices=None",
    "max8": "dst: T, src: T",
    "memset": "dst: T, value, engine=unknown",
    "nc_find_index8": "dst: T, data: T, vals: T",
    "nc_match_replace8": "dst: T, data: T, vals: T, imm, dst_idx=None",
    "nc_matmul": "dst: T, stationary: T, moving: T, is_stationary_onezero=False, "
    "is_moving_onezero=False, is_transpose=False, accumulate=None, "
    "tile_position=(), tile_size=(), perf_mode=none",
    "nc_matmul_mx": "dst: T, stationary: T, moving: T, stationary_scale: T, moving_scale: T, "
    "tile_position=None, tile_size=None, accumulate=None",
    "nc_n_gather": "dst: T, data: T, indices: T",
    "nc_stream_shuffle": "dst: T, src: T, shuffle_mask",
    "nc_transpose": "dst: T, data: T, engine=unknown",
    "nonzero_with_count": "dst: T, src: T, index_offset=0, padding_val=-1",
    "quantize_mx": "dst: T, src: T, dst_scale: T",
    "rand2": "dst: T, min, max",
    "rand_get_state": "dst: T, engine=gpsimd",
    "rand_set_state": "src_seeds: T, engine=gpsimd",
    "range_select": "dst: T, on_true_tile: T, comp_op0, comp_op1, bound0: T, bound1: T, "
    "reduce_cmd=reset_reduce, reduce_res=None, reduce_op=maximum, range_start=0, "
    "on_false_value=...",
    "reciprocal": "dst: T, data: T",
    "register_load": "dst, src",
    "register_move": "dst, src",
    "register_store": "dst, src",
    "rng": "dst: T, engine=vector",
    "scalar_tensor_tensor": "dst: T, data: T, op0, operand0, op1, operand1: T, reverse0=False, "
    "reverse1=False",
    "select_reduce": "dst: T, predicate: T, on_true: T, on_false, reduce_res=None, "
    "reduce_cmd=idle, reduce_op=maximum, reverse_pred=False",
    "sendrecv": "src: T, dst: T, send_to_rank, recv_from_rank, pipe_id, dma_engine=dma",
    "sequence_bounds": "dst: T, segment_ids: T",
    "set_rng_seed": "src_seeds: T",
    "tensor_copy": "dst: T, src: T, engine=unknown",
    "tensor_copy_predicated": "dst: T, src: T, predicate: T, reverse_pred=False",
    "tensor_partition_reduce": "dst: T, op, data: T",
    "tensor_reduce": "dst: T, op, data: T, axis, negate=False, keepdims=False",
    "tensor_scalar": "dst: T, data: T, op0, operand0, reverse0=False, op1=None, operand1=None, "
    "reverse1=False, engine=unknown",
    "tensor_scalar_cumulative": "dst: T, src: T, op0, op1, imm0, imm1=None, "
    "reduce_cmd=reset_reduce",
    "tensor_scalar_reduce": "dst: T, data: T, op0, operand0, reduce_op, reduce_res=None, "
    "reverse0=False, reduce_cmd=reset_reduce, reduce_init=None, "
    "reduce_res_negate=False",
    "tensor_tensor": "dst: T, data1: T, data2: T, op, engine=unknown",
    "tensor_tensor_scan": "dst: T, data0: T, data1: T, initial, op0, op1, reverse0=False, "
    "reverse1=False",
    "topk": "val_dst: T, idx_dst: T, src: T, n, sorted=False",
}
"""Every function that becomes an instruction; `register_alloc` and the two that ask for the
generation become none."""

QUEUE = "engine"
"""The parameter that here is the queue an instruction stands in, and its default with it."""

MORE = {
    "DmaCopy": {"compute_op": "KLR's DmaCopy has it", "queue": "the profiler names the queue"},
    "DmaTranspose": {"queue": "as DmaCopy"},
    "DmaCompute": {"queue": "as DmaCopy"},
    "Dropout": {"threshold_type": "KLR's Dropout has it"},
}
"""Operands that a row has beyond its functions."""

SAID = "what the vendor's compiler decides is stated here"
NO_TILE = "the empty tuple of the page stands for none, which nc_matmul_mx writes None"
UNARY = "operators of one operand take none"
DEFAULTS = {
    ("nc_matmul", "accumulate"): ("False", SAID),
    ("nc_matmul", "tile_position"): ("None", NO_TILE),
    ("nc_matmul", "tile_size"): ("None", NO_TILE),
    ("nc_matmul_mx", "accumulate"): ("False", SAID),
    ("dma_copy", "dge_mode"): ("None", f"{SAID}, by engine and generation"),
    ("dma_transpose", "dge_mode"): ("none", SAID),
    ("tensor_scalar", "operand0"): ("None", UNARY),
    ("tensor_scalar_reduce", "operand0"): ("None", UNARY),
    ("tensor_scalar_cumulative", "imm0"): ("None", UNARY),
    ("activate2", "imm0"): ("None", "with bypass it is not used"),
    ("activate2", "imm1"): ("None", "with bypass it is not used"),
    ("core_barrier", "cores"): ("(0, 1)", "the page allows no other"),
    ("range_select", "on_false_value"): (repr(-3.4028234663852886e38), "the page: FP32_MIN"),
}
"""Defaults that differ, by function and parameter."""

MATMUL = "the modes that both instructions name stand together; accumulate right behind the tiles"
ORDERS = {
    "LoadStationary": (
        "stationary is_transpose is_stationary_onezero tile_position tile_size perf_mode",
        MATMUL,
    ),
    "MultiplyMoving": (
        "dst moving accumulate is_moving_onezero is_transpose tile_position tile_size perf_mode "
        "is_stationary_onezero",
        MATMUL,
    ),
    "MultiplyMovingMX": (
        "dst moving moving_scale accumulate tile_position tile_size",
        "as MultiplyMoving",
    ),
}
"""Rows with an order of their own."""

SHORTHANDS = {
    "activation_reduce": ("Activation", "reduce_cmd=reset_reduce of activation, its page says"),
    "nc_transpose": ("Transpose", "on Tensor it is nc_matmul with an identity, its page says"),
}
"""Functions that another one can do as well: the row that has this one's operands."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; without a default it must be given."""

    name: str
    tile: bool
    default: str | None


def parameters(function: str) -> list[Parameter]:
    """Those of a function, in its order."""
    (made,) = ast.parse(f"def f({SIGNATURES[function]}): ...").body
    assert isinstance(made, ast.FunctionDef)
    given = made.args.args
    defaults = [None] * (len(given) - len(made.args.defaults)) + [
        ast.unparse(value) for value in made.args.defaults
    ]
    return [
        Parameter(a.arg, a.annotation is not None, d)
        for a, d in zip(given, defaults, strict=True)
        if a.arg != QUEUE
    ]


def order(function: str) -> list[str]:
    """How its operands come here: dst, the other tiles, the rest."""
    every = parameters(function)
    tiles = [p.name for p in every if p.tile]
    tiles.sort(key=lambda name: name != "dst")
    return tiles + [p.name for p in every if not p.tile]


def named(row: Row) -> list[str]:
    """The functions of nki.isa that a row names."""
    every = (name.rpartition(".") for name in row.vendor.get("NKI", ()))
    return [function for module, _, function in every if module == "nki.isa"]


def rows(function: str) -> list[Row]:
    """The rows that do a function and have its operands."""
    found = [row for row in ISA if function in named(row)]
    if function in SHORTHANDS:
        found = [row for row in found if row.name == SHORTHANDS[function][0]]
    return found


def written(row: Row) -> list[str]:
    return [operand.name for operand in row.written]


def test_every_function_that_a_row_names_is_here() -> None:
    assert {function for row in ISA for function in named(row)} == set(SIGNATURES)


@each("function", SIGNATURES)
def test_every_parameter_of_a_function_is_an_operand(function: str) -> None:
    assert set(order(function)) <= {name for row in rows(function) for name in written(row)}


@each("row", [row for row in ISA if named(row)], ids=lambda row: row.name)
def test_every_operand_is_a_parameter_or_said_to_be_more(row: Row) -> None:
    known = {name for function in named(row) for name in order(function)}
    assert set(written(row)) - known == set(MORE.get(row.name, ()))


@each("function", SIGNATURES)
def test_the_operands_of_a_row_come_in_the_order_of_the_page(function: str) -> None:
    if function == "activation_reduce":  # Activation has the order of activation
        return
    wanted = order(function)
    for row in rows(function):
        if row.name in ORDERS:
            continue
        here = [name for name in written(row) if name not in MORE.get(row.name, ())]
        assert here == [name for name in wanted if name in here]


@pytest.mark.parametrize("row", ORDERS)
def test_an_order_of_its_own_is_kept(row: str) -> None:
    assert written(ISA.rows[row]) == ORDERS[row][0].split()


def test_what_a_row_has_beyond_its_functions_comes_last() -> None:
    for name, more in MORE.items():
        assert written(ISA.rows[name])[-len(more) :] == list(more)


@each("function", SIGNATURES)
def test_the_defaults_of_a_row_are_those_of_the_page(function: str) -> None:
    for row in rows(function):
        for parameter in parameters(function):
            if parameter.name not in written(row):
                continue
            default = row.operand(parameter.name).default
            here = None if default is REQUIRED else str(default)
            wanted = DEFAULTS.get((function, parameter.name), (parameter.default,))[0]
            if function == "activation_reduce" and parameter.default is None:
                continue  # what it requires activation leaves out
            assert here == wanted, parameter.name


def test_no_exception_is_one_that_is_not_needed() -> None:
    for (function, name), (here, _) in DEFAULTS.items():
        (found,) = (p.default for p in parameters(function) if p.name == name)
        assert found != here
    for function, (row, _) in SHORTHANDS.items():
        assert [found.name for found in rows(function)] == [row]
    for row in ORDERS:
        (page, *_) = named(ISA.rows[row])
        here = written(ISA.rows[row])
        assert here != [name for name in order(page) if name in here]
