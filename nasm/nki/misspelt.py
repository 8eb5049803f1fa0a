"""Hints at names that Python does not find in a kernel: the closest, or what NKI has instead."""

from __future__ import annotations

from types import ModuleType, TracebackType

from nasm.base.problems import did_you_mean
from nasm.isa.synonyms import meant_exactly
from nasm.nki.tensor import NkiTensor

_IMPORTS = {
    "nki": "import nki",
    "nisa": "import nki.isa as nisa",
    "nl": "import nki.language as nl",
    "np": "import numpy as np",
}
_TURNED = ".permute reorders axes in a partition; nisa.nc_transpose exchanges them with partitions"
_CONVERTS = "a call of nki.isa that writes a tile of another dtype converts"
_METHODS = {
    **dict.fromkeys(("T", "transpose", "swapaxes"), _TURNED),
    **dict.fromkeys(("astype", "to", "cast"), _CONVERTS),
    **dict.fromkeys(("flatten", "ravel"), "use .reshape"),
    **dict.fromkeys(("squeeze", "unsqueeze"), "use .squeeze_dim, .expand_dim or .reshape"),
    **dict.fromkeys(("sum", "max", "min", "mean", "prod"), "nisa.tensor_reduce reduces axes"),
    **dict.fromkeys(("fill", "zero_", "fill_"), "nisa.memset(dst, value) fills a tile"),
}
"""What a method of other libraries is for tensors of NKI."""

_CALLS = {
    **dict.fromkeys(("matmul", "mm", "dot", "gemm"), "nisa.nc_matmul(dst, stationary, moving)"),
    **dict.fromkeys(("copy", "move", "cast"), "nisa.tensor_copy(dst, src)"),
    **dict.fromkeys(("dma_load", "dma_store", "load", "store"), "nisa.dma_copy(dst, src)"),
}
_INSTEAD = {
    **dict.fromkeys(("float64", "double"), "float32: no dtype has 64 bits"),
    **dict.fromkeys(("int64", "long"), "int32: no dtype has 64 bits"),
    **dict.fromkeys(("dram", "gmem", "global_memory"), "hbm"),
    **dict.fromkeys(("sram", "vmem", "smem", "shared"), "sbuf"),
}


def instead(error: BaseException) -> str:
    """What to write for a name that is not there; or nothing."""
    if not isinstance(error, NameError | AttributeError) or error.name is None:
        return ""
    if isinstance(error, NameError):
        return _unknown(error.name, error.__traceback__)
    if isinstance(error.obj, NkiTensor):
        return _METHODS.get(error.name) or did_you_mean(error.name, _public(type(error.obj)))
    if isinstance(error.obj, ModuleType):
        return _of_module(error.obj, error.name)
    return ""


def _of_module(module: ModuleType, name: str) -> str:
    where = {"nki.isa": "nisa", "nki.language": "nl"}.get(module.__name__)
    if where == "nl" and name in _INSTEAD:
        return f"write nl.{_INSTEAD[name]}"
    if where == "nisa":
        call = _CALLS.get(name) or _with_operator(name)
        if call:
            return f"write {call}"
        functions = [n for n in _public(module) if callable(getattr(module, n))]
        return did_you_mean(name, [n for n in functions if n[0].islower()])
    return did_you_mean(name, _public(module)) if where else ""


def _with_operator(name: str) -> str:
    """The call that takes an operator, which a name is, with ``tensor_`` before it or without."""
    from nasm.nki.isa import FUNCTIONS  # which imports what raises these errors

    short = name.removeprefix("tensor_")
    for function, operands in (
        ("tensor_tensor", "dst, data1, data2"),
        ("activation", "dst, data=data"),
    ):
        row = FUNCTIONS[function].rows[0]
        word = meant_exactly(short, row.operand("op").kind.words)
        if word:
            return f"nisa.{function}({operands}, op=nl.{word})"
    return ""


def _unknown(name: str, trace: TracebackType | None) -> str:
    """The import that a name wants, or the closest name of the line that has it."""
    if name in _IMPORTS:
        return f"write '{_IMPORTS[name]}' at the top of the file"
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    frame = trace.tb_frame
    known = (*frame.f_locals, *frame.f_globals)
    return did_you_mean(name, [n for n in known if not n.startswith("_")])


def _public(of: ModuleType | type) -> list[str]:
    return [name for name in dir(of) if not name.startswith("_")]
