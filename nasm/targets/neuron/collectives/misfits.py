"""Which shapes the tensors of a collective have, for so many ranks in its group."""

from __future__ import annotations

from nasm.base.dtypes import find
from nasm.isa.collectives import CollectiveBuffer, CollectiveCall


def misfit(call: CollectiveCall) -> str:
    """Why the tensors of a call do not fit each other, in a sentence; empty if they do."""
    if call.operation in ("all_gather_v", "all_to_all_v"):
        return _metadata(call)
    if call.operation == "collective_permute":
        wrong = _alone(call)
        if wrong:
            return wrong
    for n, target in enumerate(call.destinations):
        sources = call.sources[n :: len(call.destinations)]
        for source in sources:
            wanted = _wanted(call, source)
            if isinstance(wanted, str):
                return wanted
            if wanted != target.shape:
                return (
                    f"of a source {list(source.shape)} {call.operation} of {_ranks(call)} makes "
                    f"{list(wanted)}, and the destination is {list(target.shape)}"
                )
    return ""


def _ranks(call: CollectiveCall) -> str:
    count = len(call.group)
    return f"{count} rank" + "s" * (count != 1)


def _wanted(call: CollectiveCall, source: CollectiveBuffer) -> tuple[int, ...] | str:
    """The shape of the destination of a source, or why there is none."""
    count, axis, shape = len(call.group), int(call.option("dim") or 0), source.shape
    if call.operation == "all_gather":
        return (*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    if call.operation not in ("reduce_scatter", "all_to_all"):
        return shape
    if shape[axis] % count:
        return f"axis {axis} of a source {list(shape)} does not divide by {_ranks(call)}"
    if call.operation == "all_to_all":
        return shape
    return (*shape[:axis], shape[axis] // count, *shape[axis + 1 :])


def _alone(call: CollectiveCall) -> str:
    """A rank that sends to itself moves nothing between ranks, and no page says what it does."""
    itself = next((s for s, target in call.option("pairs") if s == target), None)
    return "" if itself is None else f"rank {itself} sends to itself"


def _metadata(call: CollectiveCall) -> str:
    """The same of what has its counts in metadata."""
    target, held = call.destinations[0], call.sources[1]
    rows = 4 if call.option("has_rdispls") else 3
    wanted: tuple[int, ...] = (rows, len(call.group))
    if held.memory == "sbuf":
        wanted = (1, *wanted)
    if held.shape != wanted:
        return f"the metadata is {list(held.shape)}; wanted {list(wanted)} for {_ranks(call)}"
    if target.elements % len(call.group) and rows == 3:
        return f"the destination has {target.elements} elements, not the same for {_ranks(call)}"
    return ""


def bytes_of(call: CollectiveCall) -> int:
    """The size that the time of a call depends on: of what a rank holds of all of it.

    That is of the larger side: the input of reduce_scatter, the output of all_gather; of a ring
    that combines two tensors what it sends, which is as much as it receives.
    """
    data = (call.destinations, call.sources)
    if call.operation == "collective_permute_implicit_reduce":
        data = (call.destinations, call.destinations)
    return max(sum(_size(one) for one in side) for side in data)


def _size(buffer: CollectiveBuffer) -> int:
    dtype = find(buffer.dtype)
    assert dtype is not None, buffer.dtype
    return buffer.elements * dtype.itemsize
