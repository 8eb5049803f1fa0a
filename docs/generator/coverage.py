"""What AWS's interfaces offer, function by function, and the instruction here that does it.

The names are those of the Neuron SDK 2.32 and of KLR; which instruction does one follows from the
names that rows carry. What is no instruction says so here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from generator.markdown import code, table
from nasm.isa.instruction import Row
from nasm.targets.neuron.isa import ISA

FUNCTIONS = (
    "activate2",
    "activation",
    "activation_reduce",
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "core_barrier",
    "dma_compute",
    "dma_copy",
    "dma_transpose",
    "dropout",
    "exponential",
    "get_nc_sub_version",
    "get_nc_version",
    "iota",
    "local_gather",
    "max8",
    "memset",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_matmul",
    "nc_matmul_mx",
    "nc_n_gather",
    "nc_stream_shuffle",
    "nc_transpose",
    "nonzero_with_count",
    "quantize_mx",
    "rand2",
    "rand_get_state",
    "rand_set_state",
    "range_select",
    "reciprocal",
    "register_alloc",
    "register_load",
    "register_move",
    "register_store",
    "rng",
    "scalar_tensor_tensor",
    "select_reduce",
    "sendrecv",
    "sequence_bounds",
    "set_rng_seed",
    "tensor_copy",
    "tensor_copy_predicated",
    "tensor_partition_reduce",
    "tensor_reduce",
    "tensor_scalar",
    "tensor_scalar_cumulative",
    "tensor_scalar_reduce",
    "tensor_tensor",
    "tensor_tensor_scan",
    "topk",
)
"""Every function of nki.isa, Neuron SDK 2.32."""

NO_INSTRUCTION = {
    "get_nc_version": "asks for the generation while a kernel is compiled: `.target`",
    "get_nc_sub_version": "asks for the silicon revision while a kernel is compiled",
    "register_alloc": "a program names its registers itself; an initial value is a `RegisterMove`",
}
"""Functions that become no instruction of their own."""

OPERATORS = {
    "activate": "Activate",
    "ncActivate": "NcActivate",
    "activationReduce": "NcActivate",
    "affineSelect": "AffineSelect",
    "ncAffineSelect": "NcAffineSelect",
    "batchNormAggregate": "BatchNormAggregate",
    "batchNormStats": "BatchNormStats",
    "copy": "Copy",
    "ncCopy": "NcCopy",
    "copyPredicated": "CopyPredicated",
    "dmaCopy": "DmaCopy",
    "ncDmaCopy": "NcDmaCopy",
    "dmaTranspose": "DmaTranspose",
    "dropout": "Dropout",
    "findIndex8": "FindIndex8",
    "iota": "Iota",
    "loadMaskRegister": "LoadMaskRegister",
    "loadStationary": "LoadStationary",
    "localGather": "LocalGather",
    "ncLocalGather": "NcLocalGather",
    "matMul": "MatMul",
    "ncMatMul": "NcMatMul",
    "matchReplace8": "MatchReplace8",
    "matchValueLoad": "MatchValueLoad",
    "max8": "Max8",
    "memSet": "MemSet",
    "rangeSelect": "RangeSelect",
    "ncRangeSelect": "NcRangeSelect",
    "reciprocal": "Reciprocal",
    "scalarTensorTensor": "ScalarTensorTensor",
    "ncScalarTensorTensor": "NcScalarTensorTensor",
    "shuffle": "Shuffle",
    "tensorReduce": "TensorReduce",
    "tensorScalar": "TensorScalar",
    "tensorTensor": "TensorTensor",
    "tensorTensorScan": "TensorTensorScan",
    "tensorPartitionReduce": "TensorPartitionReduce",
    "tensorScalarReduce": "TensorScalarReduce",
    "transpose": "Transpose",
    "selectReduce": "SelectReduce",
    "sequenceBounds": "SequenceBounds",
    "sendRecv": "SendRecv",
    "sendRecvCompute": "SendRecvCompute",
    "tensorLoad": "TensorLoad",
    "tensorStore": "TensorStore",
    "registerMove": "RegisterMove",
    "cmpBranch": "CmpBranch",
    "registerAluOp": "RegisterAluOp",
    "quantizeMX": "QuantizeMX",
    "ncMatMulMX": "MatMulMX",
    "dmaCompute": "DmaCompute",
    "allReduce": "CollectiveOp",
    "allGather": "CollectiveOp",
    "reduceScatter": "CollectiveOp",
    "collectivePermute": "CollectiveOp",
    "collectivePermuteImplicit": "CollectiveOp",
    "collectivePermuteImplicitReduce": "CollectiveOp",
    "broadcast": "CollectiveOp",
    "allToAll": "CollectiveOp",
    "rankId": "RankId",
    "currentProcessingRankId": "CurrentProcessingRankId",
    "send": "Send",
    "recv": "Recv",
    "coreBarrier": "CoreBarrier",
    "rng": "Rng",
    "rand2": "Rand2",
    "randGetState": "RandGetState",
    "setRngSeed": "SetRngSeed",
    "randSetState": "RandSetState",
    "extendedInst": "ExtendedInst",
    "tensorScalarCumulative": "TensorScalarCumulative",
    "ncNGather": "NcNGather",
    "nonzeroWithCount": "NonzeroWithCount",
    "devicePrint": "DevicePrint",
    "exponential": "Exponential",
    "activate2": "Activate2",
}
"""Every operator of KLR's `Operator` (KLR/Core/Operators.lean, 2026-03-25) and its record."""

STEPS = ("sendRecvCompute", "send", "recv")
"""Operators that are steps of collectives, between cores."""

OTHERWISE = {
    **dict.fromkeys(STEPS, "a step of a collective, which is one instruction here"),
    "extendedInst": "no instruction: it carries an opcode that KLR has no record for",
}
"""Operators that no instruction does."""


def by_function(name: str) -> list[Row]:
    """The instructions that do what a function of nki.isa does."""
    return [row for row in ISA if f"nki.isa.{name}" in row.vendor.get("NKI", ())]


def by_operator(name: str) -> list[Row]:
    """The instructions that do what an operator of KLR does.

    A row names the operator or its record. A form with Nc before its name has the operands of
    nki.isa, and is the same instruction.
    """
    said = {name[0].upper() + name[1:], OPERATORS[name]}
    said |= {word.removeprefix("Nc") for word in said}
    return [row for row in ISA if said & set(row.vendor.get("KLR", ()))]


def functions() -> str:
    """Every function of nki.isa with its instruction."""
    return _table("nki.isa", FUNCTIONS, by_function, NO_INSTRUCTION)


def operators() -> str:
    """Every operator of KLR with its instruction."""
    return _table("KLR", OPERATORS, by_operator, OTHERWISE)


def _table(
    title: str, names: Iterable[str], find: Callable[[str], list[Row]], otherwise: dict[str, str]
) -> str:
    rows = []
    for name in names:
        links = ", ".join(f"[`{row.name}`]({row.name}.md)" for row in find(name))
        rows.append([code(name), links or otherwise.get(name, "")])
    return table([title, "here"], rows)
