"""What kernels import as ``nki.collectives``: other chips are not simulated."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn

from nasm.base.problems import listed
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.objects import NKIObject

OTHERS = "E0653"
"""The code for what needs more chips than this one."""

FUNCTIONS = (
    "all_reduce",
    "all_gather",
    "all_gather_v",
    "reduce_scatter",
    "all_to_all",
    "all_to_all_v",
    "collective_permute",
    "collective_permute_implicit",
    "collective_permute_implicit_reduce",
    "collective_permute_implicit_current_processing_rank_id",
    "rank_id",
)


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
    """Which chips take part in a collective operation."""

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


def _refused(name: str) -> Callable[..., NoReturn]:
    def collective(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(
            f"nki.collectives.{name}: other chips are not simulated",
            "run the part of the kernel that works on one chip: two of its cores are simulated, "
            "and exchange tiles with nki.isa.sendrecv",
            OTHERS,
        )

    collective.__name__ = collective.__qualname__ = name
    return collective


globals().update({name: _refused(name) for name in FUNCTIONS})

__all__ = ["ReplicaGroup", *FUNCTIONS, "rg_partition_op"]
