"""``neuronxcc.nki.nccl``: exchanges with other ranks, as kernels of NKI 0.1 call them.

The module is on no page of AWS's documentation. Names and parameters are those of AWS's kernels
that call it, and of kernels that others have run; what it has besides is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nasm.nki import collectives as today
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.neuronxcc.operators import op_word
from nasm.nki.neuronxcc.results import read, write
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.tensor import NkiTensor
from nasm.views.value_text import value_text


def all_reduce(op: Any, srcs: Any, dsts: Any, replica_groups: Any, dtype: Any = None) -> None:
    """Combine a tensor of each rank, element by element, on all of them."""
    what = "all_reduce"
    sources, into = _exchanged(what, srcs, dsts, dtype)
    today.all_reduce(sources, into, _groups(replica_groups), op_word(op))


def all_gather(
    op: Any = None,
    srcs: Any = (),
    dsts: Any = (),
    replica_groups: Any = None,
    all_gather_dim: Any = 0,
    dtype: Any = None,
) -> None:
    """Put a tensor of each rank together along an axis, on all of them; ``op`` says nothing."""
    what = "all_gather"
    sources, into = _exchanged(what, srcs, dsts, dtype)
    sources, into, dim = _along(what, sources, into, all_gather_dim)
    today.all_gather(sources, into, _groups(replica_groups), dim)


def reduce_scatter(
    op: Any,
    srcs: Any,
    dsts: Any,
    replica_groups: Any,
    reduce_scatter_dim: Any = 0,
    dtype: Any = None,
) -> None:
    """Combine a tensor of each rank, and give each an equal part along an axis."""
    what = "reduce_scatter"
    sources, into = _exchanged(what, srcs, dsts, dtype)
    sources, into, dim = _along(what, sources, into, reduce_scatter_dim)
    today.reduce_scatter(sources, into, _groups(replica_groups), dim, op_word(op))


def all_to_all(
    op: Any,
    srcs: Any,
    dsts: Any,
    replica_groups: Any,
    split_dimension: Any = 0,
    concat_dimension: Any = 0,
    dtype: Any = None,
) -> None:
    """Give each rank a part of the tensor of every rank; ``op`` says nothing."""
    what = "all_to_all"
    if split_dimension != concat_dimension:
        refuse(
            f"nccl.{what}: split_dimension={split_dimension!r} and "
            f"concat_dimension={concat_dimension!r}",
            "what two axes mean is not documented: wanted the same",
        )
    sources, into = _exchanged(what, srcs, dsts, dtype)
    sources, into, dim = _along(what, sources, into, split_dimension)
    today.all_to_all(sources, into, _groups(replica_groups), dim)


def collective_permute(dst: Any, src: Any, source_target_pairs: Any, dtype: Any = None) -> None:
    """Send a tensor from one rank to another, for each pair of them."""
    sources, into = _exchanged("collective_permute", [src], [dst], dtype)
    today.collective_permute(sources, into, source_target_pairs)


def collective_permute_implicit(
    dst: Any,
    src: Any,
    replica_groups: Any,
    channel_id: Any = 0,
    num_channels: Any = 1,
    dtype: Any = None,
) -> None:
    """Send a tensor to the next rank of a ring.

    A call is of one channel; calls of several are one after the other here.
    """
    what = "collective_permute_implicit"
    channels = whole_number(num_channels, "num_channels")
    if not 0 <= whole_number(channel_id, "channel_id") < channels:
        refuse(f"nccl.{what}: channel_id={channel_id!r} of {channels} channels")
    sources, into = _exchanged(what, [src], [dst], dtype)
    today.collective_permute_implicit([sources], [into], _groups(replica_groups))


def _exchanged(
    what: str, srcs: Any, dsts: Any, dtype: Any
) -> tuple[list[NkiTensor], list[NkiTensor]]:
    """What is sent and what is received, as tensors of today's."""
    for name, given in (("srcs", srcs), ("dsts", dsts)):
        good = isinstance(given, list | tuple) and given
        if not good or not all(isinstance(each, TileTensor) for each in given):
            refuse(f"{name} of nccl.{what} is {value_text(given)}; wanted a list of tensors")
    return [read(each) for each in srcs], [write(each) for each in dsts]


def _groups(given: Any) -> Any:
    """Lists of ranks; a single list is one group."""
    flat = isinstance(given, list | tuple) and given and all(type(rank) is int for rank in given)
    return [given] if flat else given


def _along(
    what: str, sources: Sequence[NkiTensor], into: Sequence[NkiTensor], dim: Any
) -> tuple[list[NkiTensor], list[NkiTensor], int]:
    """Tensors in HBM without the axes of 1 in front of one along which they are put together."""
    axis = whole_number(dim, f"an axis of nccl.{what}")
    every = (*sources, *into)
    front = all(each.ndim > axis and set(each.shape[:axis]) <= {1} for each in every)
    if not axis or not front or any(each.on_chip for each in every):
        return list(sources), list(into), axis
    plain = [[each.reshape(each.shape[axis:]) for each in some] for some in (sources, into)]
    return plain[0], plain[1], 0


FUNCTIONS = {
    one.__name__: one
    for one in (
        all_gather,
        all_reduce,
        all_to_all,
        collective_permute,
        collective_permute_implicit,
        reduce_scatter,
    )
}
"""The functions of ``neuronxcc.nki.nccl``, by name."""
