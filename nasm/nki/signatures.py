"""The signatures of nki.isa: what the rows say, in AWS's order.

A function's parameters are the operands of the rows that name it, with their defaults. What is
written down here is their order where it differs, and what a call takes in addition to operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from inspect import Parameter, Signature

from nasm.isa.instruction import REQUIRED, Operand, Row
from nasm.isa.isa import Isa
from nasm.nki.names import dge_mode, dma_engine, engine, matmul_perf_mode, oob_mode, reduce_cmd

ORDER = {
    name: tuple(parameters.split())
    for name, parameters in {
        "dma_copy": "dst src priority oob_mode dge_mode engine",
        "tensor_copy": "dst src engine",
        "memset": "dst value engine",
        "nc_matmul": "dst stationary moving is_stationary_onezero is_moving_onezero is_transpose "
        "accumulate tile_position tile_size perf_mode",
        "nc_matmul_mx": "dst stationary moving stationary_scale moving_scale tile_position "
        "tile_size accumulate",
        "nc_transpose": "dst data engine",
        "dma_transpose": "dst src axes priority dge_mode oob_mode",
        "tensor_tensor": "dst data1 data2 op engine",
        "tensor_scalar": "dst data op0 operand0 reverse0 op1 operand1 reverse1 engine",
        "tensor_reduce": "dst op data axis negate keepdims",
        "tensor_partition_reduce": "dst op data",
        "activation": "dst op data bias scale reduce_op reduce_res reduce_cmd",
        "activation_reduce": "dst op data reduce_op reduce_res bias scale",
        "activate2": "dst op data imm0 imm1 op0 op1 relu_param reverse0 reverse1 reduce_op "
        "reduce_res reduce_cmd",
        "affine_select": "dst pattern channel_multiplier on_true_tile on_false_value cmp_op offset",
        "nc_stream_shuffle": "dst src shuffle_mask",
        "rng": "dst engine",
        "dropout": "dst data prob",
        "rand_set_state": "src_seeds engine",
        "rand_get_state": "dst engine",
        "scalar_tensor_tensor": "dst data op0 operand0 op1 operand1 reverse0 reverse1",
        "core_barrier": "data cores engine",
        "dma_compute": "dst srcs reduce_op scales unique_indices oob_mode",
        "range_select": "dst on_true_tile comp_op0 comp_op1 bound0 bound1 reduce_cmd reduce_res "
        "reduce_op range_start on_false_value",
        "sendrecv": "src dst send_to_rank recv_from_rank pipe_id dma_engine",
        "nc_find_index8": "dst data vals",
        "nc_match_replace8": "dst data vals imm dst_idx",
    }.items()
}
"""The parameters of functions in AWS's order, where that is not the order of the row's operands."""

UNNAMED = ("register_move", "register_load", "register_store")
"""The functions whose instructions have no name."""

DEFAULTS: dict[str, dict[str, object]] = {
    "": {"engine": engine.unknown, "name": None, "dge_mode": dge_mode.unknown},
    "nc_matmul": {"accumulate": None, "tile_position": (), "tile_size": ()},
    "nc_matmul_mx": {"accumulate": None},
    "rng": {"engine": engine.vector},
    "rand_set_state": {"engine": engine.gpsimd},
    "rand_get_state": {"engine": engine.gpsimd},
    "core_barrier": {"engine": engine.gpsimd, "cores": Parameter.empty},
    "activation_reduce": {"reduce_op": Parameter.empty, "reduce_res": Parameter.empty},
    "tensor_scalar": {"operand0": Parameter.empty},
    "tensor_scalar_cumulative": {"imm0": Parameter.empty},
}
"""Defaults that are not those of the rows; under no name those that hold for every function."""

WORDS = {type_.__name__: type_ for type_ in (dge_mode, dma_engine, oob_mode, reduce_cmd)} | {
    "perf_mode": matmul_perf_mode
}
"""The vocabularies of operands, by the operand's name."""


@cache
def functions(isa: Isa) -> dict[str, tuple[Row, ...]]:
    """The rows of each function of nki.isa, in the order of the table."""
    found: dict[str, tuple[Row, ...]] = {}
    for row in isa.rows.values():
        for name in row.vendor.get("NKI", ()):
            module, _, function = name.rpartition(".")
            if module == "nki.isa":
                found[function] = (*found.get(function, ()), row)
    return found


def signature(name: str, rows: Sequence[Row]) -> Signature:
    """The parameters of a function, as Python has them."""
    operands: dict[str, Operand] = {}
    for row in rows:
        for operand in row.written:
            operands.setdefault(operand.name, operand)
    words = ORDER.get(name, tuple(operands)) + (() if name in UNNAMED else ("name",))
    defaults = [_default(name, word, operands) for word in words]
    needed = [n for n, default in enumerate(defaults) if default is Parameter.empty]
    defaults[: max(needed, default=0)] = [Parameter.empty] * max(needed, default=0)
    made = [
        Parameter(word, Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for word, default in zip(words, defaults, strict=True)
    ]
    return Signature(made)


def _default(function: str, word: str, operands: dict[str, Operand]) -> object:
    own = DEFAULTS.get(function, {})
    if word in own:
        return own[word]
    if word in DEFAULTS[""]:
        return DEFAULTS[""][word]
    default = operands[word].default
    if default is REQUIRED:
        return Parameter.empty
    if word in WORDS and isinstance(default, str):
        return WORDS[word][default]
    return default
