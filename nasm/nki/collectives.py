"""What kernels import as ``nki.collectives``: exchanges of tensors with other ranks.

Each function is an instruction on the queue of the core's CC-cores. A kernel on two cores is
one rank: what it exchanges in HBM that both share is one operation of the two. They meet before it,
core 0 executes it, and they meet again. Tensors that each core has for itself, in SBUF, are
exchanged by each core with the same core of other ranks. (That the two cores meet is assumed.)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from nasm.base.problems import listed
from nasm.isa.instruction import Row
from nasm.nki.calling import NkiInstruction, operand
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import MemoryRegion, VirtualRegister
from nasm.nki.objects import NKIObject
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import CoreTrace, current
from nasm.views.value_text import value_text
from nasm.views.view import View

QUEUE = "cc"
"""Whose instructions collectives are."""

MEETING = "gpsimd"
"""The engine by which two cores meet: the one that nki.isa.core_barrier takes by default."""


class rg_partition_op(Enum):  # noqa: N801  (AWS's name)
    """How ranks are divided into lists: those that the page of ReplicaGroup shows (SDK 2.33)."""

    bitwise_and = "bitwise_and"
    div = "div"
    mod = "mod"


_OF_RANK: dict[rg_partition_op, Callable[[int, int], int]] = {
    rg_partition_op.bitwise_and: operator.and_,
    rg_partition_op.div: operator.floordiv,
    rg_partition_op.mod: operator.mod,
}


class ReplicaGroup(NKIObject):
    """Which ranks take part in a collective operation: disjoint lists of them."""

    def __init__(self, groups: Any = None) -> None:
        self.groups = groups

    @staticmethod
    def from_partition_op(world_size: int, op: rg_partition_op, operand: int) -> ReplicaGroup:
        """The ranks below ``world_size`` in lists: those for which ``op`` gives the same number."""
        if op not in _OF_RANK:
            wanted = listed([f"rg_partition_op.{each.name}" for each in rg_partition_op], "or")
            refuse(f"ReplicaGroup.from_partition_op(op={op!r}): wanted {wanted}")
        count, number = (whole_number(n, "a number of ranks") for n in (world_size, operand))
        if not number and op is not rg_partition_op.bitwise_and:
            refuse(f"ReplicaGroup.from_partition_op: {op.name} by 0")
        groups: dict[int, list[int]] = {}
        for rank in range(count):
            groups.setdefault(_OF_RANK[op](rank, number), []).append(rank)
        return ReplicaGroup(list(groups.values()))

    def __repr__(self) -> str:
        return f"ReplicaGroup({self.groups})"


# ---------------------------------------------------------------- the functions


def all_reduce(
    srcs: Any, dsts: Any, replica_group: Any, op: Any, priority: Any = None, name: Any = None
) -> NkiInstruction | None:
    """Combine a tensor of each rank, element by element, on all of them."""
    return _grouped("all_reduce", dsts, srcs, replica_group, op=op, priority=priority)


def all_gather(
    srcs: Any,
    dsts: Any,
    replica_group: Any,
    collective_dim: Any,
    priority: Any = None,
    name: Any = None,
) -> NkiInstruction | None:
    """Put a tensor of each rank together along an axis, on all of them."""
    return _grouped("all_gather", dsts, srcs, replica_group, dim=collective_dim, priority=priority)


def all_gather_v(
    srcs: Any,
    dsts: Any,
    replica_group: Any,
    metadata_tensor: Any,
    recv_counts_known: Any = False,
    has_rdispls: Any = False,
    priority: Any = None,
    name: Any = None,
) -> NkiInstruction | None:
    """Put parts of a tensor of each rank together, whose sizes a tensor says at run time."""
    return _grouped(
        "all_gather_v",
        dsts,
        srcs,
        replica_group,
        metadata=metadata_tensor,
        recv_counts_known=recv_counts_known,
        has_rdispls=has_rdispls,
        priority=priority,
    )


def reduce_scatter(
    srcs: Any,
    dsts: Any,
    replica_group: Any,
    collective_dim: Any,
    op: Any,
    priority: Any = None,
    name: Any = None,
) -> NkiInstruction | None:
    """Combine a tensor of each rank, and give each an equal part along an axis."""
    return _grouped(
        "reduce_scatter", dsts, srcs, replica_group, op=op, dim=collective_dim, priority=priority
    )


def all_to_all(
    srcs: Any,
    dsts: Any,
    replica_group: Any,
    collective_dim: Any,
    priority: Any = None,
    name: Any = None,
) -> NkiInstruction | None:
    """Give each rank a part of the tensor of every rank, in the order of the ranks."""
    return _grouped("all_to_all", dsts, srcs, replica_group, dim=collective_dim, priority=priority)


def all_to_all_v(
    srcs: Any,
    dsts: Any,
    replica_group: Any,
    metadata_tensor: Any,
    recv_counts_known: Any = False,
    has_rdispls: Any = False,
    priority: Any = None,
    name: Any = None,
) -> NkiInstruction | None:
    """The same with parts whose sizes and places a tensor says at run time."""
    return _grouped(
        "all_to_all_v",
        dsts,
        srcs,
        replica_group,
        metadata=metadata_tensor,
        recv_counts_known=recv_counts_known,
        has_rdispls=has_rdispls,
        priority=priority,
    )


def collective_permute(
    srcs: Any, dsts: Any, source_target_pairs: Any, priority: Any = None, name: Any = None
) -> NkiInstruction | None:
    """Send a tensor from one rank to another, for each pair of them."""
    pairs = _integers(source_target_pairs, "source_target_pairs", "pairs of ranks")
    what = "collective_permute"
    return _record(
        what,
        {
            "dsts": _tensors(what, "dsts", dsts),
            "srcs": _tensors(what, "srcs", srcs),
            "pairs": pairs,
            "priority": priority,
        },
    )


def collective_permute_implicit(
    srcs_by_channel: Any,
    dsts_by_channel: Any,
    replica_group: Any,
    channel_ids: Any = (0,),
    priority: Any = None,
    name: Any = None,
) -> NkiInstruction | None:
    """Send tensors to the next rank of a ring, one by each channel."""
    what = "collective_permute_implicit"
    srcs = _channels(what, "srcs_by_channel", srcs_by_channel, channel_ids)
    dsts = _channels(what, "dsts_by_channel", dsts_by_channel, channel_ids)
    return _grouped(what, dsts, srcs, replica_group, priority=priority)


def collective_permute_implicit_reduce(
    srcs0_by_channel: Any,
    srcs1_by_channel: Any,
    dsts_by_channel: Any,
    replica_group: Any,
    op: Any,
    channel_ids: Any = (0,),
    priority: Any = None,
    name: Any = None,
) -> NkiInstruction | None:
    """The same with two tensors combined before they are sent."""
    what = "collective_permute_implicit_reduce"
    first = _channels(what, "srcs0_by_channel", srcs0_by_channel, channel_ids)
    more = _channels(what, "srcs1_by_channel", srcs1_by_channel, channel_ids)
    dsts = _channels(what, "dsts_by_channel", dsts_by_channel, channel_ids)
    return _grouped(what, dsts, first, replica_group, srcs1=more, op=op, priority=priority)


def collective_permute_implicit_current_processing_rank_id(
    iteration_id: Any, replica_group: Any, channel_id: Any = 0, name: Any = None
) -> VirtualRegister:
    """The rank whose data is here after so many steps of a ring, in a register."""
    what = "collective_permute_implicit_current_processing_rank_id"
    trace = current(f"nki.collectives.{what}")
    groups = _groups(what, replica_group)
    made = trace.register()
    operands = {"dst": operand(made), "iteration": operand(iteration_id), "groups": groups}
    trace.call(_row(trace, what), operands)
    return made


def rank_id(name: Any = None) -> VirtualRegister:
    """The number of this rank among all of them, in a register."""
    trace = current("nki.collectives.rank_id")
    made = trace.register()
    trace.call(_row(trace, "rank_id"), {"dst": operand(made)})
    return made


# ---------------------------------------------------------------- recording


def _row(trace: CoreTrace, function: str, module: str = "nki.collectives") -> Row:
    """The row that a function is."""
    name = f"{module}.{function}"
    rows = trace.builder.target.isa.rows.values()
    return next(row for row in rows if name in row.vendor.get("NKI", ()))


def _grouped(
    what: str, dsts: Any, srcs: Any, replica_group: Any, **others: Any
) -> NkiInstruction | None:
    operands = {
        "dsts": _tensors(what, "dsts", dsts),
        "srcs": _tensors(what, "srcs", srcs),
        "groups": _groups(what, replica_group),
    }
    return _record(what, {**operands, **others})


def _record(what: str, operands: dict[str, Any]) -> NkiInstruction | None:
    """Record a collective; on two cores one in HBM that they share is core 0's."""
    trace = current(f"nki.collectives.{what}")
    row = _row(trace, what)
    given = {key: operand(value) for key, value in operands.items() if value is not None}
    given["operation"] = what
    shared = [each for each in _of(operands) if each.buffer is MemoryRegion.shared_hbm]
    if trace.cores < 2 or not shared:
        return NkiInstruction(trace.call(row, given, QUEUE))
    _meet(trace, shared)
    made = trace.call(row, given, QUEUE) if trace.core == 0 else None
    _meet(trace, [each for each in _of({"dsts": operands["dsts"]})])
    return None if made is None else NkiInstruction(made)


def _of(operands: Mapping[str, Any]) -> Iterable[NkiTensor]:
    """The tensors among the operands of a collective."""
    for value in operands.values():
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, NkiTensor):
                yield part


def _meet(trace: CoreTrace, tensors: Iterable[NkiTensor]) -> None:
    """Have both cores do what they did to some tensors before either continues."""
    barrier = _row(trace, "core_barrier", "nki.isa")
    for view in dict.fromkeys(View.whole(each.view_.tensor) for each in tensors):
        trace.call(barrier, {"data": view, "cores": (0, 1)}, MEETING)


# ---------------------------------------------------------------- arguments


def _tensors(what: str, name: str, given: Any) -> tuple[NkiTensor, ...]:
    """The tensors of a list."""
    if not isinstance(given, list | tuple) or not given:
        refuse(f"{name} of nki.collectives.{what} is {value_text(given)}; wanted a list of tensors")
    for each in given:
        if not isinstance(each, NkiTensor):
            refuse(f"{name} of nki.collectives.{what} has {value_text(each)} in it; wanted tensors")
    return tuple(given)


def _channels(what: str, name: str, given: Any, channels: Any) -> list[NkiTensor]:
    """The tensor of each channel, of lists with one each."""
    numbers = list(channels) if isinstance(channels, list | tuple) else channels
    if numbers != list(range(len(numbers) if isinstance(numbers, list) else 0)):
        refuse(
            f"channel_ids of nki.collectives.{what} is {value_text(channels)}",
            "wanted the numbers from 0 on, without a gap",
        )
    whole = isinstance(given, list | tuple) and len(given) == len(numbers)
    if not whole or not all(isinstance(one, list | tuple) and len(one) == 1 for one in given):
        refuse(
            f"{name} of nki.collectives.{what}: wanted a list of one tensor for each of "
            f"{len(numbers)} channels"
        )
    return [one[0] for one in given]


def _groups(what: str, given: Any) -> tuple[tuple[int, ...], ...]:
    groups = given.groups if isinstance(given, ReplicaGroup) else given
    return _integers(groups, f"replica_group of nki.collectives.{what}", "lists of ranks")


def _integers(given: Any, name: str, wanted: str) -> tuple[tuple[int, ...], ...]:
    if not isinstance(given, list | tuple) or not given:
        refuse(f"{name} is {value_text(given)}; wanted {wanted}")
    if not all(isinstance(one, list | tuple) for one in given):
        refuse(f"{name} is {value_text(given)}; wanted {wanted}")
    return tuple(tuple(whole_number(rank, "a rank") for rank in one) for one in given)


FUNCTIONS = (
    all_reduce,
    all_gather,
    all_gather_v,
    reduce_scatter,
    all_to_all,
    all_to_all_v,
    collective_permute,
    collective_permute_implicit,
    collective_permute_implicit_reduce,
    collective_permute_implicit_current_processing_rank_id,
    rank_id,
)

__all__ = ["ReplicaGroup", "rg_partition_op", *(each.__name__ for each in FUNCTIONS)]
