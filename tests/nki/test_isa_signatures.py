"""Every function of nki.isa that AWS publishes: its parameters, in order, against ours."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from nasm.nki import isa
from tests.tables import each

PUBLISHED = {
    # name: (parameters that a call must give, parameters that have a default)
    "get_nc_sub_version": ("", ""),
    "get_nc_version": ("", ""),
    "dma_copy": ("dst src", "priority oob_mode dge_mode engine name"),
    "tensor_copy": ("dst src", "engine name"),
    "memset": ("dst value", "engine name"),
    "tensor_copy_predicated": ("dst src predicate", "reverse_pred name"),
    "nc_matmul": (
        "dst stationary moving",
        "is_stationary_onezero is_moving_onezero is_transpose accumulate tile_position "
        "tile_size perf_mode name",
    ),
    "nc_matmul_mx": (
        "dst stationary moving stationary_scale moving_scale",
        "tile_position tile_size accumulate name",
    ),
    "nc_transpose": ("dst data", "engine name"),
    "dma_transpose": ("dst src", "axes priority dge_mode oob_mode name"),
    "tensor_tensor": ("dst data1 data2 op", "engine name"),
    "tensor_scalar": ("dst data op0 operand0", "reverse0 op1 operand1 reverse1 engine name"),
    "tensor_reduce": ("dst op data axis", "negate keepdims name"),
    "tensor_partition_reduce": ("dst op data", "name"),
    "tensor_scalar_cumulative": ("dst src op0 op1 imm0", "imm1 reduce_cmd name"),
    "activation": ("dst op data", "bias scale reduce_op reduce_res reduce_cmd name"),
    "activation_reduce": ("dst op data reduce_op reduce_res", "bias scale name"),
    "activate2": (
        "dst op data imm0 imm1 op0 op1",
        "relu_param reverse0 reverse1 reduce_op reduce_res reduce_cmd name",
    ),
    "iota": ("dst pattern", "offset channel_multiplier name"),
    "affine_select": (
        "dst pattern channel_multiplier on_true_tile on_false_value",
        "cmp_op offset name",
    ),
    "local_gather": ("dst src_buffer index", "num_elem_per_idx num_valid_indices name"),
    "nc_n_gather": ("dst data indices", "name"),
    "bn_stats": ("dst data", "name"),
    "bn_aggr": ("dst data", "name"),
    "tensor_tensor_scan": ("dst data0 data1 initial op0 op1", "reverse0 reverse1 name"),
    "nc_stream_shuffle": ("dst src shuffle_mask", "name"),
    "rng": ("dst", "engine name"),
    "dropout": ("dst data prob", "name"),
    "set_rng_seed": ("src_seeds", "name"),
    "rand_set_state": ("src_seeds", "engine name"),
    "rand_get_state": ("dst", "engine name"),
    "rand2": ("dst min max", "name"),
    "exponential": ("dst src", "max_value reduce_res reduce_cmd reduce_init name"),
    "reciprocal": ("dst data", "name"),
    "max8": ("dst src", "name"),
    "sequence_bounds": ("dst segment_ids", "name"),
    "scalar_tensor_tensor": ("dst data op0 operand0 op1 operand1", "reverse0 reverse1 name"),
    "tensor_scalar_reduce": (
        "dst data op0 operand0 reduce_op",
        "reduce_res reverse0 reduce_cmd reduce_init reduce_res_negate name",
    ),
    "core_barrier": ("data cores", "engine name"),
    "dma_compute": ("dst srcs reduce_op", "scales unique_indices oob_mode name"),
    "quantize_mx": ("dst src dst_scale", "name"),
    "range_select": (
        "dst on_true_tile comp_op0 comp_op1 bound0 bound1",
        "reduce_cmd reduce_res reduce_op range_start on_false_value name",
    ),
    "select_reduce": (
        "dst predicate on_true on_false",
        "reduce_res reduce_cmd reduce_op reverse_pred name",
    ),
    "sendrecv": ("src dst send_to_rank recv_from_rank pipe_id", "dma_engine name"),
    "register_alloc": ("", "x"),
    "register_move": ("dst src", ""),
    "register_load": ("dst src", ""),
    "register_store": ("dst src", ""),
    "nc_find_index8": ("dst data vals", "name"),
    "nc_match_replace8": ("dst data vals imm", "dst_idx name"),
    "nonzero_with_count": ("dst src", "index_offset padding_val name"),
    "topk": ("val_dst idx_dst src n", "sorted name"),
}
"""The functions of NKI 0.6, by the stubs of the Neuron SDK 2.32."""

REFUSED: dict[str, str] = {}
"""Published functions that are refused, with the reason."""

MISSING: dict[str, str] = {}
"""Published functions that are not there, with the reason."""


def test_every_published_function_is_there_refused_or_known_to_be_missing() -> None:
    have = {name for name in PUBLISHED if hasattr(isa, name)}
    assert len(PUBLISHED) == 52
    assert sorted(PUBLISHED.keys() - have) == sorted(MISSING)
    assert REFUSED.keys() <= have


@each("name", sorted(PUBLISHED.keys() - MISSING.keys()))
def test_the_parameters_of_a_function_are_the_published_ones(name: str) -> None:
    needed, optional = (words.split() for words in PUBLISHED[name])
    function: Callable[..., Any] = getattr(isa, name)
    parameters = list(signature(function).parameters.values())
    assert [p.name for p in parameters] == needed + optional
    assert [p.name for p in parameters if p.default is Parameter.empty] == needed


def test_nothing_else_is_called_a_function_of_nki_isa() -> None:
    published = PUBLISHED.keys() | {"tensor_copy_dynamic_src", "tensor_copy_dynamic_dst"}
    assert set(isa.FUNCTIONS) <= published
