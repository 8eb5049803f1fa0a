"""What kernels import as ``nki.collectives``: other chips are not simulated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from nasm.nki.errors import refuse
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


class ReplicaGroup(NKIObject):
    """Which chips take part in a collective operation."""

    def __init__(self, groups: Any = None) -> None:
        self.groups = groups


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

__all__ = ["ReplicaGroup", *FUNCTIONS]
