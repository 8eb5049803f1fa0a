"""``neuronxcc.nki.isa``: instructions that return tiles.

Each is a row of ``nki.isa`` with its ``dst`` left out: a result of the shape of what it is made of.
"""

from __future__ import annotations

from nasm.nki.neuronxcc.instructions import (
    activation,
    activation_reduce,
    affine_select,
    dropout,
    iota,
    memset,
    range_select,
    reciprocal,
    scalar_tensor_tensor,
    tensor_copy,
    tensor_copy_dynamic_dst,
    tensor_copy_dynamic_src,
    tensor_copy_predicated,
    tensor_scalar,
    tensor_scalar_reduce,
    tensor_tensor,
    tensor_tensor_scan,
)
from nasm.nki.neuronxcc.shaped_instructions import (
    bn_aggr,
    bn_stats,
    builtin_custom_op,
    dma_copy,
    dma_transpose,
    local_gather,
    max8,
    nc_find_index8,
    nc_match_replace8,
    nc_matmul,
    nc_stream_shuffle,
    nc_transpose,
    select_reduce,
    sequence_bounds,
    tensor_partition_reduce,
    tensor_reduce,
    tensor_scalar_cumulative,
)

FUNCTIONS = {
    one.__name__: one
    for one in (
        activation,
        activation_reduce,
        affine_select,
        bn_aggr,
        bn_stats,
        builtin_custom_op,
        dma_copy,
        dma_transpose,
        dropout,
        iota,
        local_gather,
        max8,
        memset,
        nc_find_index8,
        nc_match_replace8,
        nc_matmul,
        nc_stream_shuffle,
        nc_transpose,
        range_select,
        reciprocal,
        scalar_tensor_tensor,
        select_reduce,
        sequence_bounds,
        tensor_copy,
        tensor_copy_dynamic_dst,
        tensor_copy_dynamic_src,
        tensor_copy_predicated,
        tensor_partition_reduce,
        tensor_reduce,
        tensor_scalar,
        tensor_scalar_cumulative,
        tensor_scalar_reduce,
        tensor_tensor,
        tensor_tensor_scan,
    )
}
"""The functions of ``neuronxcc.nki.isa``, by name."""
