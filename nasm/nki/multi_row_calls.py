"""Calls of nki.isa that are not simply their rows with the same operands."""

from __future__ import annotations

from typing import Any

from nasm.nki.calling import IsaFunction, Record, asked, given, operand, plainly
from nasm.nki.errors import refuse
from nasm.nki.matmuls import matmul, transpose
from nasm.nki.names import MemoryRegion, VirtualRegister, dge_mode
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import Call, CoreTrace
from nasm.views.value_text import value_text


def activation_reduce(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call:
    """An activation that starts a new sum and stores it."""
    (row,) = function.rows
    return trace.call(row, {**given(row, arguments), "reduce_cmd": "reset_reduce"}, "scalar")


def transfer(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call:
    """A transfer: who makes its descriptors may be for us to choose."""
    (row,) = function.rows
    engine, mode = asked(arguments, transfers=True), arguments.get("dge_mode")
    if engine and mode is not dge_mode.hwdge:
        refuse(
            f"engine=nisa.engine.{engine} of a transfer without dge_mode=nisa.dge_mode.hwdge",
            "the engine is the one that asks the hardware for descriptors, sync or scalar; "
            "without them leave engine= out",
        )
    for source in _tensors(function, arguments):
        if source.buffer is MemoryRegion.psum:
            refuse(
                f"nisa.{function.name} of {source.name}, which is in PSUM: since NKI 0.3 no "
                "transfer reads that",
                "copy it into SBUF first, with nisa.tensor_copy",
            )
    operands = given(row, arguments)
    if mode is dge_mode.unknown:
        del operands["dge_mode"]
    return trace.call(row, operands, engine)


def _tensors(function: IsaFunction, arguments: dict[str, Any]) -> list[NkiTensor]:
    """The sources of a transfer; refuses what is no tensor, where it goes to as well."""
    sources = arguments["srcs"] if "srcs" in arguments else [arguments["src"]]
    if not isinstance(sources, list | tuple):
        refuse(f"srcs of nisa.{function.name} is {value_text(sources)}; wanted a list of tensors")
    named = [("dst", arguments["dst"]), *(("src", source) for source in sources)]
    for name, value in named:
        if not isinstance(value, NkiTensor):
            refuse(f"{name} of nisa.{function.name} is {value_text(value)}; wanted a tensor")
    return [source for _, source in named[1:]]


def exchange(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call | None:
    """An exchange of two cores, or a barrier: a kernel on one core has no core to meet.

    A barrier that names only this core involves no other.
    """
    if trace.cores < 2:
        cores = arguments.get("cores")
        (*more, last) = cores if isinstance(cores, list | tuple) and cores else (cores,)
        if not more and type(last) is int and last == 0:
            return None
        refuse(
            f"nisa.{function.name} on one core", "launch the kernel on two: kernel[2](…), or lnc=2"
        )
    return plainly(trace, function, arguments)


def register(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call:
    """A register is written or read: one that counts a loop is not to be written."""
    (row,) = function.rows
    for name in ("dst", "src"):
        value = arguments[name]
        if name == "dst" and isinstance(value, VirtualRegister) and value.frozen:
            refuse("a write to the variable of a loop, which the loop itself counts")
    return trace.call(row, {name: operand(value) for name, value in arguments.items()})


def fill(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call | None:
    """A tile of integers is filled with an integer, which kernels may write as a float: 0.0."""
    value, dst = arguments["value"], arguments["dst"]
    whole = isinstance(value, float) and value.is_integer()
    if whole and isinstance(dst, NkiTensor) and dst.view_.dtype.is_int:
        arguments["value"] = int(value)
    return plainly(trace, function, arguments)


SPECIAL: dict[str, Record] = {
    "memset": fill,
    "nc_matmul": matmul,
    "nc_matmul_mx": matmul,
    "nc_transpose": transpose,
    "activation_reduce": activation_reduce,
    "dma_copy": transfer,
    "dma_compute": transfer,
    "dma_transpose": transfer,
    "core_barrier": exchange,
    "sendrecv": exchange,
    "register_move": register,
    "register_load": register,
    "register_store": register,
}
