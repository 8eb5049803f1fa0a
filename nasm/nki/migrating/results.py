"""The tiles that functions of ``nisa`` returned in NKI 0.1: shape, dtype and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature

from nasm.base.records import dataclass
from nasm.nki.neuronxcc import isa
from nasm.nki.neuronxcc.operators import WORDS


@dataclass(frozen=True, slots=True)
class OldResult:
    """What a function makes: of which operands it takes a part under a mask, and what shape.

    ``shape`` has the first of them as ``{}``, the second as ``{other}``; ``dtype`` is empty if it
    follows that of the first.
    """

    main: tuple[str, ...]
    shape: str = "{}.shape"
    dtype: str = ""
    memory: str = "sbuf"


RESULTS: Mapping[str, OldResult] = {
    "activation": OldResult(("data",)),
    "activation_reduce": OldResult(("data",)),
    "bn_aggr": OldResult(("data",), "({}.shape[0], 2)"),
    "bn_stats": OldResult(("data",), "({}.shape[0], 6)"),
    "affine_select": OldResult(("on_true_tile",)),
    "dma_transpose": OldResult(("src",), "({}.shape[1], {}.shape[0])"),
    "dropout": OldResult(("data",)),
    "max8": OldResult(("src",), "({}.shape[0], 8)"),
    "nc_find_index8": OldResult(("data",), "({}.shape[0], 8)", "nl.uint32"),
    "nc_matmul": OldResult(
        ("stationary", "moving"), "({}.shape[1], *{other}.shape[1:])", "nl.float32", "psum"
    ),
    "nc_match_replace8": OldResult(("data",)),
    "nc_transpose": OldResult(("data",), "({}.shape[1], {}.shape[0])", "", "psum"),
    "reciprocal": OldResult(("data",)),
    "scalar_tensor_tensor": OldResult(("data",)),
    "tensor_copy": OldResult(("src",)),
    "tensor_partition_reduce": OldResult(("data",), "(1, *{}.shape[1:])"),
    "tensor_reduce": OldResult(("data",), "({}.shape[0], 1)"),
    "tensor_scalar": OldResult(("data",)),
    "tensor_scalar_reduce": OldResult(("data",)),
    "tensor_tensor": OldResult(("data1", "data2")),
    "tensor_tensor_scan": OldResult(("data0", "data1")),
}
"""The functions that are written so; ``nl`` is the name of nki.language."""

OPERATORS = ("op", "op0", "op1", "reduce_op")
"""Operands that are operators."""


def parameters(name: str) -> Sequence[str]:
    """The parameters of a function of NKI 0.1, in order."""
    return list(signature(isa.FUNCTIONS[name]).parameters)


def known(name: str) -> bool:
    """Whether NKI 0.1 has a function of ``nisa``."""
    return name in isa.FUNCTIONS


def operator_name(name: str) -> str:
    """What an operator of NumPy is called by ``nl``."""
    return WORDS.get(name, name)
