"""nki.language against what AWS publishes of it: the names and parameters of its stub, NKI 0.6.

Names are facts; the stub itself is not here. A function that is refused is there too, so that the
refusal stands at the kernel's line.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from nasm.nki import language as nl
from nasm.nki.names import DType
from nasm.nki.target import default_target
from nasm.nki.tensor import NkiTensor
from tests.nki.kernels import refused, tensor, traced
from tests.tables import each

FUNCTIONS = {
    "buffer": "is_hbm is_on_chip is_psum is_sbuf",
    "x y dtype": "add subtract multiply divide maximum minimum abs_max abs_min power equal "
    "not_equal less less_equal greater greater_equal bitwise_and bitwise_or bitwise_xor left_shift "
    "right_shift logical_and logical_or logical_xor fmod mod",
    "x dtype": "abs square invert logical_not exp log sqrt rsqrt tanh sigmoid relu gelu "
    "gelu_apprx_sigmoid gelu_apprx_tanh gelu_dx gelu_apprx_sigmoid_dx silu silu_dx softplus mish "
    "erf erf_dx reciprocal copy sin cos tan arctan ceil floor trunc negative sign transpose",
    "x axis dtype keepdims": "sum max min mean prod var",
    "x axis dtype": "all softmax",
    "x w axis n epsilon dtype compute_dtype": "rms_norm",
    "condition x y dtype": "where",
    "x rate dtype": "dropout",
    "shape dtype buffer name": "ones zeros rand",
    "shape fill_value dtype buffer name": "full",
    "x dtype buffer name": "zeros_like empty_like",
    "seed": "random_seed",
    "x axis": "expand_dims",
    "x shape dtype": "broadcast_to",
    "x y transpose_x": "matmul",
    "": "no_reorder program_ndim",
    "src dtype": "load_transpose2d load",
    "data indices axis dtype": "gather_flattened",
    "start size": "ds",
    "start stop step": "affine_range sequential_range static_range dynamic_range",
    "lower upper body_fun step": "fori_loop",
    "init body_fun": "while_loop",
    "shape dtype buffer name address": "ndarray",
    "dst value": "store",
    "axis": "program_id",
    "axes": "num_programs",
    "constant": "shared_constant",
    "n dtype dst": "shared_identity_matrix",
    "print_prefix tensor": "device_print",
}
"""The functions by their parameters, in order."""

DEFAULTS = {
    "softmax": {"axis": -1, "dtype": None},
    "rms_norm": {"epsilon": 1e-6, "dtype": None, "compute_dtype": None},
    "full": {"buffer": "sbuf", "name": ""},
    "zeros_like": {"dtype": None, "buffer": None, "name": ""},
    "ndarray": {"buffer": "sbuf", "name": "", "address": None},
    "sum": {"dtype": None, "keepdims": False},
    "matmul": {"transpose_x": False},
    "gather_flattened": {"axis": 0, "dtype": None},
    "static_range": {"stop": None, "step": 1},
    "program_id": {"axis": 0},
    "num_programs": {"axes": 0},
    "shared_identity_matrix": {"dtype": "uint8", "dst": None},
}
"""Defaults, where they are more than ``dtype=None``."""

CONSTANTS = [
    "bool_",
    "int8",
    "int16",
    "int32",
    "uint8",
    "uint16",
    "uint32",
    "float16",
    "float32",
    "bfloat16",
    "tfloat32",
    "float8_e4m3",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e5m2_x4",
    "float8_e4m3fn_x4",
    "float8_e8m0fnu",
    "float4_e2m1fn_x4",
    "sbuf",
    "psum",
    "hbm",
    "private_hbm",
    "shared_hbm",
    "tile_size",
    "average",
    "prelu",
    "bypass",
    "DType",
    "MemoryRegion",
    "NKIObject",
    "NkiTensor",
]

METHODS = {
    "is_contiguous": "",
    "get_pattern": "",
    "is_indirect": "",
    "permute": "dims",
    "broadcast": "dim size",
    "expand_dim": "dim",
    "squeeze_dim": "dim",
    "reshape_dim": "dim shape",
    "flatten_dims": "start_dim end_dim",
    "reshape": "shape",
    "rearrange": "src_pattern dst_pattern fixed_sizes",
    "slice": "dim start end step",
    "select": "dim index",
    "vector_select": "dim vector_offset",
    "ap": "pattern offset scalar_offset vector_offset indirect_dim dtype",
    "view": "dtype",
    "reinterpret_cast": "dtype",
    "indirect": "index num_elem",
}
"""The methods of NkiTensor, and their parameters."""

ATTRIBUTES = ("shape", "strides", "offset", "name", "dtype", "buffer", "ndim", "size")

SIZES = {
    "pmax": 128,
    "psum_fmax": 512,
    "psum_bank_fmax": 512,
    "psum_bank_fmax_bytes": 2048,
    "gemm_stationary_fmax": 128,
    "gemm_moving_fmax": 512,
    "bn_stats_fmax": 512,
    "psum_min_align": 4,
    "sbuf_min_align": 1,
    "psum_num_banks": 8,
}
"""The attributes of tile_size that are one for all generations."""

REFUSED = ("divide", "mod", "fmod")
"""Functions that AWS's own compiler refuses: no instruction has them."""

NAMED = [(name, words) for words, names in FUNCTIONS.items() for name in names.split()]


def test_the_table_has_all_functions_of_the_stub() -> None:
    assert len(NAMED) == len(dict(NAMED)) == 103


@each(("name", "words"), NAMED)
def test_a_function_has_its_parameters_in_order(name: str, words: str) -> None:
    parameters = inspect.signature(vars(nl)[name]).parameters
    assert " ".join(parameters) == words
    for word, default in DEFAULTS.get(name, {}).items():
        assert parameters[word].default == default, word


@each("name", CONSTANTS)
def test_a_constant_is_there(name: str) -> None:
    assert name in vars(nl)
    assert name in nl.__all__


def test_what_is_in_all_is_there() -> None:
    assert [name for name in nl.__all__ if name not in vars(nl)] == []
    assert len(set(nl.__all__)) == len(nl.__all__)


@each(("name", "words"), METHODS.items())
def test_a_method_of_a_tensor_has_its_parameters(name: str, words: str) -> None:
    parameters = inspect.signature(getattr(NkiTensor, name)).parameters.values()
    named = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
    assert named == ["self", *words.split()]


def test_a_tensor_has_its_attributes() -> None:
    with traced() as trace:
        made = tensor(trace, (4, 8))
        assert [name for name in ATTRIBUTES if not hasattr(made, name)] == []


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_a_tile_size_is_the_same_everywhere(name: str, size: int) -> None:
    assert getattr(nl.tile_size, name) == size
    for target in ("trn1", "trn2", "trn3"):
        with traced(target):
            assert getattr(nl.tile_size, name) == size


@pytest.mark.parametrize(("target", "kib"), [("trn1", 192), ("trn2", 224), ("trn3", 256)])
def test_the_sizes_of_sbuf_are_of_the_generation(target: str, kib: int) -> None:
    with traced(target):
        assert nl.tile_size.sbuf_fmax_bytes == kib * 1024
        assert nl.tile_size.total_available_sbuf_size == kib * 1024
        assert nl.tile_size.sbuf_fmax == kib * 256
        assert nl.tile_size.sbuf_size_bytes == kib * 1024 * 128


def test_outside_of_a_kernel_sizes_are_of_the_target_that_is_asked_for(monkeypatch: Any) -> None:
    monkeypatch.setenv("NKI_NC_VERSION", "gen2")
    assert default_target() == "gen2"
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", "trn3")
    assert nl.tile_size.sbuf_fmax_bytes == 256 * 1024
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", "trn9")
    assert "no target 'trn9'" in refused(lambda: nl.tile_size.pmax).message


@pytest.mark.parametrize("name", REFUSED)
def test_an_operator_that_no_instruction_has_is_refused(name: str) -> None:
    with traced() as trace:
        x = tensor(trace, (4, 8), dtype="float32")
        said = refused(lambda: vars(nl)[name](x, 2.0))
        assert f"nl.{name}" in said.message
        assert said.hint


def test_operators_are_known_by_their_words() -> None:
    assert nl.add == nl.add != nl.subtract
    assert {nl.add: 1}[nl.add] == 1
    assert repr(nl.maximum) == "nl.maximum"
    assert (nl.max.operator_name, nl.min.operator_name) == ("maximum", "minimum")
    assert (nl.sum.operator_name, nl.prod.operator_name) == ("add", "multiply")
    with traced():
        assert "word for op=" in refused(lambda: nl.average(1)).message


def test_memories_are_reported_apart() -> None:
    assert nl.hbm == nl.private_hbm == "private_hbm"
    assert nl.is_hbm(nl.shared_hbm)
    assert nl.is_hbm(nl.hbm)
    assert not nl.is_hbm(nl.sbuf)
    assert nl.is_on_chip(nl.psum)
    assert nl.is_on_chip(nl.sbuf)
    assert not nl.is_on_chip(nl.hbm)
    assert nl.is_psum("psum")
    assert nl.is_sbuf(nl.sbuf)
    assert not nl.is_sbuf(nl.psum)
    assert nl.MemoryRegion("hbm") is nl.hbm
    assert "nl.sbuf" in refused(lambda: nl.MemoryRegion("dram")).message
    assert isinstance(nl.float32, DType)
