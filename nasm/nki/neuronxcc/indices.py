"""What is in the brackets after a tensor of NKI 0.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import ds
from nasm.nki.neuronxcc.affine import Grid, Index, Predicate, as_index, broadcast
from nasm.nki.neuronxcc.running import running
from nasm.nki.neuronxcc.tensor import TileIndex, TileTensor
from nasm.nki.neuronxcc.walks import Steps, all_of, reaches, units


class IndexForm(NamedTuple):
    """What an index selects, whatever the constants of its expressions.

    ``steps`` are those of each axis in a space of a ``shape``, and ``spans`` what these reach.
    """

    shape: tuple[int, ...]
    steps: tuple[Steps, ...]
    spans: tuple[tuple[int, int], ...]


def indexed(tensor: TileTensor, key: Any) -> TileTensor:
    """Part of a tensor: by numbers and slices, or by index expressions."""
    items = list(key) if isinstance(key, tuple) else [key]
    if any([isinstance(item, Grid) for item in items]):
        items = [part for item in items for part in (item if isinstance(item, Grid) else (item,))]
    known = running()
    form = _form(tensor, items)
    if form is None or known is None:
        return _indexed(tensor, items)
    kind, consts = form
    found = known.indexed.get(kind)
    if found is not None and all(
        [
            const + low >= 0 and const + high < count
            for const, (low, high), count in zip(consts, found.spans, tensor.shape, strict=True)
        ]
    ):
        return TileTensor.walking(tensor.storage, consts, found.steps, found.shape)
    made = _indexed(tensor, items)
    if not made.checks:
        spans = reaches(made.steps, all_of(made.shape))
        known.indexed[kind] = IndexForm(made.shape, made.steps, spans)
    return made


def _form(tensor: TileTensor, items: Sequence[Any]) -> tuple[Any, list[int]] | None:
    """What index expressions of a whole tensor select but for their constants, and these.

    None of a part of a tensor, and where there is more in the brackets.
    """
    shape, storage = tensor.shape, tensor.storage
    if tensor.steps is not units(len(shape)) or len(items) != len(shape) or any(tensor.consts):
        return None
    kinds: list[Any] = []
    consts: list[int] = []
    for item in items:
        if type(item) is Index:
            kinds += item.shape, item.steps
            consts.append(item.const)
        elif isinstance(item, int) and type(item) is not bool:
            kinds.append(None)
            consts.append(int(item))
        else:
            return None
    if not any(kinds) or tensor.checks or tensor.mask is not None or tensor.dynamic is not None:
        return None
    return (shape, storage.blocks, tensor.on_chip, *kinds), consts


def _indexed(tensor: TileTensor, items: list[Any]) -> TileTensor:
    items = _all(tensor, items)
    kinds = [isinstance(item, Index) and bool(item.shape) for item in items]
    by_tile = [isinstance(item, TileTensor | TileIndex) for item in items]
    if not any(kinds) and not any(by_tile):
        return _basic(tensor, items)
    if any(isinstance(item, slice | ds) and item != slice(None) for item in items):
        refuse(
            f"{tensor.name} indexed by slices and index vectors at once",
            "write the slice start:stop as start + nl.arange(stop - start)[None, :], "
            "or all of the index as slices",
        )
    return _advanced(tensor, items)


def _all(tensor: TileTensor, items: list[Any]) -> list[Any]:
    """An item for each axis, and None for new ones."""
    places = [n for n, item in enumerate(items) if item is Ellipsis]
    count = sum(item is not None and item is not Ellipsis for item in items)
    if len(places) > 1 or count > tensor.ndim:
        refuse(f"{count} indices of {tensor!r}, which has {tensor.ndim} axes")
    at = places[0] if places else len(items)
    items[at : at + len(places)] = [slice(None)] * (tensor.ndim - count)
    return items


def _basic(tensor: TileTensor, items: list[Any]) -> TileTensor:
    """By numbers, which drop their axis, and slices; None makes a new one."""
    first = tensor.lead if tensor.on_chip else -1
    real = [item for item in items if item is not None]
    free = 1 + sum(not _drops(item) for item in real[first + 1 :])
    sizes: list[int] = []
    spans: list[tuple[int, int, int]] = []  # of each axis: start, step, and the new axis or -1
    checks: list[tuple[int, int]] = []
    axis = lead = 0
    for item in items:
        if item is None:
            sizes.append(1)
            continue
        count = tensor.shape[axis]
        start, step, size = _span(item, count, tensor)
        keeps = not _drops(item)
        if not keeps and axis >= first >= 0 and (axis == first or free < 2):
            keeps, free = True, free + (axis > first)
        if not keeps and first < 0 and len(items) - axis == 1 and not sizes:
            keeps = True
        spans.append((start, step, len(sizes) if keeps else -1))
        if keeps:
            sizes.append(size)
            lead += axis < first
        checks.append((axis, count))
        axis += 1
    shape = tuple(sizes)
    made = [
        Index(start, shape, tuple(step if n == at else 0 for n in range(len(shape))))
        for start, step, at in spans
    ]
    return _taken(tensor, made, shape, max(lead, 0))


def _drops(item: Any) -> bool:
    return item is not None and not isinstance(item, slice | ds)


def _span(item: Any, count: int, tensor: TileTensor) -> tuple[int, int, int]:
    """Where an item of a basic index begins, its step, and how many positions it has."""
    where = f"an index of {tensor.name}"
    if isinstance(item, ds):
        start, size = whole_number(item.start, where), whole_number(item.size, where)
        if size < 1:
            refuse(f"nl.ds({start}, {size}) of {tensor.name}: wanted a size of at least 1")
        return start, 1, size
    if not isinstance(item, slice):
        number = whole_number(item, where)
        return (number + count if number < 0 else number), 0, 1
    first, last, step = (
        usual if n is None else whole_number(n, where)
        for n, usual in ((item.start, 0), (item.stop, count), (item.step, 1))
    )
    if step < 1:
        refuse(f"a slice of {tensor.name} with step {step}; wanted at least 1")
    first, last = (n + count if n < 0 else n for n in (first, last))
    size = len(range(first, last, step))
    if not size:
        refuse(f"[{first}:{last}] of {tensor!r} has no element")
    return first, step, size


def _advanced(tensor: TileTensor, items: list[Any]) -> TileTensor:
    """By index expressions, which broadcast; axes that are left out come after theirs."""
    given: list[Index | None] = []
    dynamic: tuple[int, TileTensor] | None = tensor.dynamic
    for axis, item in enumerate(items):
        found = item if isinstance(item, slice) else as_index(item)
        if isinstance(item, TileTensor | TileIndex):
            if dynamic is not None:
                refuse(f"two tiles in an index of {tensor.name}", "one axis may be decided by one")
            tile = item.tile if isinstance(item, TileIndex) else item
            found = item.by if isinstance(item, TileIndex) else Index(0)
            found = found.over(broadcast(found.shape, tile.shape))
            dynamic = axis, tile
        if found is None:
            refuse(f"{item!r} in an index of {tensor.name}: wanted numbers and index expressions")
        given.append(None if isinstance(found, slice) else found)
    shape = broadcast(*(one.shape for one in given if one is not None))
    rest = [n for n, one in enumerate(given) if one is None]
    if rest and rest != list(range(rest[0], tensor.ndim)):
        refuse(
            f"{tensor.name} indexed by ':' and index vectors at once",
            "write ':' as nl.arange(n) of the axis",
        )
    sizes = shape + tuple(tensor.shape[n] for n in rest)
    made = []
    for axis, one in enumerate(given):
        if one is None:
            at = len(shape) + rest.index(axis)
            made.append(Index(0, sizes, tuple(int(n == at) for n in range(len(sizes)))))
        else:
            inner = one.over(shape)
            made.append(Index(inner.const, sizes, inner.steps + (0,) * len(rest)))
    taken = _taken(tensor, made, sizes, 0)
    taken.dynamic = dynamic
    return _on_partitions(taken) if tensor.on_chip else taken


def _on_partitions(tensor: TileTensor) -> TileTensor:
    """With axis 0 along the partitions, and one more at least."""
    place = tensor.axes[tensor.storage.blocks]
    shape, others = tensor.shape, tensor.axes[tensor.storage.blocks + 1 :]
    wrong = [n for n, s in enumerate(place.steps) if s and n and shape[n] > 1]
    if wrong:
        refuse(
            f"axis {wrong[0]} of an index of {tensor.name} runs along its partitions",
            "the partition index varies along axis 0 alone, nl.arange(n)[:, None]; "
            "nisa.nc_transpose turns a tile",
        )
    front = shape[0] > 1 and not place.steps[0] and any(one.steps[0] for one in others)
    more = int(front), int(len(shape) + front < 2)
    return _widened(tensor, *more) if any(more) else tensor


def _widened(tensor: TileTensor, front: int, back: int) -> TileTensor:
    """With axes of 1 in front and at the end."""
    shape = (1,) * front + tensor.shape + (1,) * back

    def wide(one: Index) -> Index:
        return Index(one.const, shape, (0,) * front + one.steps + (0,) * back)

    checks = tuple((wide(one), limit) for one, limit in tensor.checks)
    return TileTensor(
        tensor.storage, tuple(map(wide, tensor.axes)), shape, tensor.lead, checks, tensor.dynamic
    )


def _taken(
    tensor: TileTensor, items: Sequence[Index], shape: tuple[int, ...], lead: int
) -> TileTensor:
    """A tensor in other positions, which are checked where it is used: masks come later."""
    if tensor.dynamic is not None:
        refuse(f"an index of {tensor.name}, which a tile addresses already")
    axes = tuple(one.substituted(items, shape) for one in tensor.axes)
    box = tuple((0, n) for n in shape)
    outside = [
        (item, count)
        for item, count in zip(items, tensor.shape, strict=True)
        if not (item.low(box) >= 0 and item.high(box) < count)
    ]
    inner = [(one.substituted(items, shape), limit) for one, limit in tensor.checks]
    mask = tensor.mask and Predicate(
        tuple(p.over(tensor.shape).substituted(items, shape) for p in tensor.mask.least)
    )
    return TileTensor(tensor.storage, axes, shape, lead, (*inner, *outside), mask=mask)
