"""Every name of NKI 0.1 that public kernels use, and every keyword of its calls, is there."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np

import nasm.nki
from nasm.nki.neuronxcc import isa, language

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import isa as nisa
    from neuronxcc.nki import language as nl

NL = """
affine_range arange bfloat16 broadcast_to copy device_print divide ds empty_like exp float16
float32 float8_e4m3 float8_e5m2 fp32.min full gather_flattened hbm int16 int32 int8 load
load_transpose2d log loop_reduce matmul max maximum mgrid min minimum nc ndarray par_dim
program_id program_ndim psum rand rsqrt sbuf sequential_range shared_constant shared_hbm
shared_identity_matrix spmd_dim sqrt square static_cast static_range store subtract sum
tile_size.gemm_moving_fmax tile_size.gemm_stationary_fmax tile_size.pmax tile_size.psum_fmax
tile_size.total_available_sbuf_size transpose uint16 uint32 uint8 zeros zeros_like
"""
NISA = """
activation activation_reduce affine_select bn_aggr bn_stats dma_copy dma_transpose dropout
get_nc_version iota local_gather max8 memset nc_find_index8 nc_match_replace8 nc_matmul
nc_stream_shuffle nc_transpose range_select reciprocal reduce_cmd scalar_tensor_tensor
select_reduce sequence_bounds tensor_copy tensor_copy_predicated tensor_partition_reduce
tensor_reduce tensor_scalar tensor_scalar_cumulative tensor_scalar_reduce tensor_tensor
tensor_tensor_scan
"""
TOP = """
baremetal benchmark compiler.skip_middle_end_transformations jit profile simulate_kernel trace
"""
KEYWORDS = {
    "nl": {
        "load": "dtype mask",
        "loop_reduce": "dtype loop_indices mask op",
        "ndarray": "buffer dtype lazy_initialization name",
        "store": "mask value",
        "sum": "axis dtype mask",
        "zeros": "buffer dtype lazy_initialization name",
    },
    "nisa": {
        "activation": "dtype mask reduce_cmd reduce_op",
        "nc_matmul": "is_moving_onezero is_stationary_onezero is_transpose mask",
        "tensor_copy": "dtype engine mask",
        "tensor_reduce": "axis dtype mask negate",
        "tensor_scalar": "dtype engine mask op0 operand0 reverse0",
    },
}


def lacking(module: Any, names: str) -> list[str]:
    return [name for name in names.split() if _found(module, name) is None]


def _found(module: Any, name: str) -> Any:
    try:
        return attrgetter(name)(module)
    except AttributeError:
        return None


def test_every_name_in_public_use_is_there() -> None:
    assert lacking(nl, NL) == []
    assert lacking(nisa, NISA) == []
    assert lacking(nki, TOP) == []
    assert lacking(nl, "no_such_name") == ["no_such_name"]


def test_every_keyword_in_public_use_is_taken() -> None:
    of: Mapping[str, Any] = {"nl": language.FUNCTIONS, "nisa": isa.FUNCTIONS}
    for module, calls in KEYWORDS.items():
        for name, words in calls.items():
            known = inspect.signature(of[module][name]).parameters
            assert set(words.split()) <= set(known), name


def test_a_running_sum_is_written_where_it_is_asked_for() -> None:
    @nki.jit
    def summed(x: Any, first: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        tile, made = nl.load(x), nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        more = {"imm1": nl.load(first), "reduce_cmd": nisa.reduce_cmd.load_reduce}
        nisa.tensor_scalar_cumulative(
            dst=made[:, 0:6], src=tile[:, 0:6], op0=np.multiply, op1=nl.add, imm0=2.0
        )
        nisa.tensor_scalar_cumulative(
            dst=made[:, 6:8], src=tile[:, 6:8], op0=np.add, op1=np.maximum, imm0=1.0, **more
        )
        nl.store(out, made)
        return out

    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    first = np.full((4, 1), 16, np.float32)
    wanted = np.concatenate((2 * x[:, :6].cumsum(1), np.maximum(x[:, 6:] + 1, 16)), 1)
    np.testing.assert_array_equal(summed(x, first), wanted)
