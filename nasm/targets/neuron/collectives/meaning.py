"""What a rank receives from a collective: pure functions of what each rank of its group sends.

A sum is exact and rounded once, as those of matrix products are: in which order and with how many
bits the chips add is not documented, and an exact sum depends on neither. Source of every
operation: AWS's ``nki.collectives`` (SDK 2.33) and neuron-runtime/about/collectives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.exact.sums import total
from nasm.base.problems import Refused
from nasm.isa.collectives import CollectiveBuffer, CollectiveCall, Elements, Parcel
from nasm.targets.neuron import alu

Sent = Sequence[Sequence[Parcel]]
Received = tuple[Parcel | None, ...]

COUNTS = "E0563"
"""What the metadata of a collective says does not fit its tensors."""

SEND_COUNT, SEND_PLACE, RECEIVED, RECEIVE_PLACE = range(4)
"""The rows of metadata."""


def combine(call: CollectiveCall, place: int, sent: Sent) -> Received:
    """What the rank at a place of its group receives."""
    return _OPERATIONS[call.operation](call, place, sent)


def reduced(op: str, arrays: Sequence[Elements], dtype: DType) -> Elements:
    """Arrays of a dtype combined element by element: add, minimum or maximum.

    A sum of integers saturates (assumed).
    """
    if dtype.is_int:
        return _of_integers(op, arrays, dtype)
    if op == "add":
        return dtypes.convert_float64(total([dtypes.to_float64(a, dtype) for a in arrays]), dtype)
    first, *others = (dtypes.to_float32(array, dtype) for array in arrays)
    result: Elements = first
    with np.errstate(all="ignore"):
        for other in others:
            result = alu.apply(op, result, other)
    return dtypes.from_float32(result, dtype)


def _of_integers(op: str, arrays: Sequence[Elements], dtype: DType) -> Elements:
    wide = [array.astype(np.int64) for array in arrays]
    if op == "add":
        limits = np.iinfo(dtype.numpy)
        summed: Elements = np.clip(np.sum(wide, axis=0), limits.min, limits.max)
        return summed.astype(dtype.numpy)
    fold = np.minimum if op == "minimum" else np.maximum
    result: Elements = fold.reduce(wide, axis=0).astype(dtype.numpy)
    return result


def _dtype(buffer: CollectiveBuffer) -> DType:
    found = dtypes.find(buffer.dtype)
    assert found is not None, buffer.dtype
    return found


def _each(
    call: CollectiveCall, sent: Sent, make: Callable[[int, list[Elements]], Elements]
) -> Received:
    """For each destination, by its number, what is made of what each rank sends for it."""
    return tuple(
        Parcel(np.ascontiguousarray(make(n, [parcels[n].values for parcels in sent])))
        for n in range(len(call.destinations))
    )


def _all_reduce(call: CollectiveCall, place: int, sent: Sent) -> Received:
    op = str(call.option("op"))
    return _each(call, sent, lambda n, arrays: reduced(op, arrays, _dtype(call.sources[n])))


def _all_gather(call: CollectiveCall, place: int, sent: Sent) -> Received:
    axis = int(call.option("dim"))
    return _each(call, sent, lambda n, arrays: np.concatenate(arrays, axis))


def _reduce_scatter(call: CollectiveCall, place: int, sent: Sent) -> Received:
    op, axis, count = str(call.option("op")), int(call.option("dim")), len(call.group)

    def part(n: int, arrays: list[Elements]) -> Elements:
        mine = [np.split(array, count, axis)[place] for array in arrays]
        return reduced(op, mine, _dtype(call.sources[n]))

    return _each(call, sent, part)


def _all_to_all(call: CollectiveCall, place: int, sent: Sent) -> Received:
    axis, count = int(call.option("dim")), len(call.group)

    def mine(n: int, arrays: list[Elements]) -> Elements:
        return np.concatenate([np.split(array, count, axis)[place] for array in arrays], axis)

    return _each(call, sent, mine)


def _permute(call: CollectiveCall, place: int, sent: Sent) -> Received:
    """One tensor of the rank that names this one as its target, if one does."""
    pairs: tuple[tuple[int, int], ...] = call.option("pairs")
    source = next((s for s, target in pairs if target == call.group[place]), None)
    if source is None:
        return (None,)
    return (Parcel(sent[call.group.index(source)][0].values),)


def _ring(call: CollectiveCall, place: int, sent: Sent) -> Received:
    """The tensors of the predecessor, one for each channel."""
    return tuple(Parcel(parcel.values) for parcel in sent[place - 1])


def _ring_reduce(call: CollectiveCall, place: int, sent: Sent) -> Received:
    """The same of what the predecessor makes of its two sources of each channel."""
    op, parcels = str(call.option("op")), sent[place - 1]
    channels = len(call.destinations)
    return tuple(
        Parcel(
            reduced(op, [parcels[n].values, parcels[n + channels].values], _dtype(call.sources[n]))
        )
        for n in range(channels)
    )


# ---------------------------------------------------------------- with sizes known at run time


def _counts(sent: Sent, rank: int) -> Elements:
    """The metadata of a rank: [rows, ranks]."""
    held = sent[rank][1].values
    return held.reshape(-1, len(sent)).astype(np.int64)


def _gathered(call: CollectiveCall, place: int, sent: Sent) -> Received:
    return _varying(call, place, sent, lambda sender: 0)


def _exchanged(call: CollectiveCall, place: int, sent: Sent) -> Received:
    return _varying(call, place, sent, lambda sender: place)


def _varying(
    call: CollectiveCall, place: int, sent: Sent, column: Callable[[int], int]
) -> Received:
    """Chunks whose sizes are in the metadata of their senders, in the given column."""
    target = call.destinations[0]
    values = np.zeros(target.elements, sent[0][0].values.dtype)
    known = np.zeros(target.elements, bool)
    slot, mine = target.elements // len(sent), _counts(sent, place).copy()
    for sender, parcels in enumerate(sent):
        source, counts = parcels[0].values.reshape(-1), _counts(sent, sender)
        count, begin = counts[SEND_COUNT, column(sender)], counts[SEND_PLACE, column(sender)]
        own = bool(call.option("has_rdispls"))
        at, room = slot * sender, slot
        if own:
            at = int(mine[RECEIVE_PLACE, sender])
            room = max(0, target.elements - at)
        _fits(call, sender, place, int(begin), int(count), source.size, room)
        values[at : at + count], known[at : at + count] = source[begin : begin + count], True
        mine[RECEIVED, sender] = count
    received = Parcel(values.reshape(target.shape), known.reshape(target.shape))
    if len(call.destinations) == 1:
        return (received,)
    return received, _metadata(sent[place][1], mine)


def _metadata(held: Parcel, counts: Elements) -> Parcel:
    """The metadata with the row of what was received, which alone is written."""
    values = counts.astype(held.values.dtype).reshape(held.values.shape)
    known = np.zeros(counts.shape, bool)
    known[RECEIVED] = True
    return Parcel(values, known.reshape(held.values.shape))


def _fits(
    call: CollectiveCall, sender: int, place: int, begin: int, count: int, size: int, room: int
) -> None:
    """Refuse a chunk that is not within its source, or for which there is no room."""
    group = call.group
    chunk = f"rank {group[sender]} sends {count} elements to rank {group[place]}"
    if begin + count > size:
        raise Refused(
            COUNTS,
            f"{chunk}, from element {begin} on, and its source has {size}",
            "send_count and send_displ are rows 0 and 1 of the metadata, in elements",
        )
    if count > room:
        raise Refused(
            COUNTS,
            f"{chunk}, which has room for {room} from it",
            "without recv_displs each sender has an equal part of the destination",
        )


_OPERATIONS: dict[str, Callable[[CollectiveCall, int, Sent], Received]] = {
    "all_reduce": _all_reduce,
    "all_gather": _all_gather,
    "all_gather_v": _gathered,
    "reduce_scatter": _reduce_scatter,
    "all_to_all": _all_to_all,
    "all_to_all_v": _exchanged,
    "collective_permute": _permute,
    "collective_permute_implicit": _ring,
    "collective_permute_implicit_reduce": _ring_reduce,
}

SAME = frozenset(("all_reduce", "all_gather"))
"""Those by which every rank of a group receives the same."""

OPERATIONS = tuple(_OPERATIONS)
"""The operations, named as functions of ``nki.collectives``."""
