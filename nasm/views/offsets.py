"""Views whose addresses are known at run time: ``.indirect(…)`` and the offsets of ``.ap(…)``."""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.views.value_text import value_text
from nasm.views.view import Dynamic, Offsets, Reg, View

BAD_VIEW = "E0306"


def indirect(view: View, index: View, num_elem: int | None = None) -> View:
    """Columns of a tile in the order in which another tile names them: [P, num_elem]."""
    name = view.tensor.name
    if not view.partitioned:
        raise Refused(
            BAD_VIEW,
            f"{name}.indirect(…): {name} is in {view.tensor.memory.name}, which has no partitions",
            "rows of a linear memory are addressed by .ap(…, vector_offset=tile)",
        )
    if view.dynamic or len(view.dims) > 1 or not view.contiguous:
        raise Refused(
            BAD_VIEW,
            f"{name}.indirect(…): the columns of {name} are not contiguous",
            "entries count the elements of a contiguous run in each partition",
        )
    _entries(index, "index")
    if index.partitions != view.partitions:
        raise Refused(
            BAD_VIEW,
            f"{name}.indirect(…): the index has {index.partitions} partitions, {name} "
            f"{view.partitions}; wanted the same",
        )
    count = index.size if num_elem is None else num_elem
    if type(count) is not int or not 1 <= count <= index.size:
        raise Refused(
            BAD_VIEW,
            f"num_elem={value_text(count)}: {index.tensor.name} holds {index.size} entries",
        )
    offsets = Offsets(index, 1, view.elements - 1)
    return replace(view.with_free((count,), (1,)), offsets=offsets)


def moved(made: View, called_on: View, by: Reg | View, dim: int) -> View:
    """A pattern moved along an axis by what a register, or a tile of one element, holds."""
    name, size = made.tensor.name, made.dtype.itemsize
    lanes = dim == 0 and made.partitioned
    if lanes and not isinstance(by, Reg):
        raise Refused(
            BAD_VIEW,
            f"scalar_offset along axis 0 of {name}: the partitions of an instruction "
            "are not read from a tile",
            f"a register can hold the start: {name}[%r0 : +n]",
        )
    step = called_on.steps[dim]
    limit = _room(made, step, lanes)
    if isinstance(by, Reg):
        stride = step if lanes else step * size
        return replace(made, dynamic=(Dynamic(by.number, dim, stride, limit),))
    _entries(by, "scalar_offset")
    if by.size != 1:
        raise Refused(
            BAD_VIEW,
            f"a scalar_offset is a register or a tile of one element; "
            f"{by.tensor.name} has {by.size}",
        )
    return replace(made, offsets=Offsets(by, step, limit, 1, single=True, dim=dim))


def row_by_row(made: View, called_on: View, by: object, dim: int) -> View:
    """A pattern whose first axis goes where the entries of a tile say; its own step is ignored."""
    name = made.tensor.name
    if made.partitioned or dim:
        where = f"along axis {dim} of {name}" if dim else f"of {name} in {made.tensor.memory.name}"
        raise Refused(
            BAD_VIEW,
            f"vector_offset {where}: wanted axis 0 of a memory without partitions",
            "columns on chip are picked by .indirect(tile)",
        )
    tile = _entries(by, "vector_offset")
    count = made.shape[0]
    if count > tile.size:
        raise Refused(
            BAD_VIEW,
            f"the pattern of {name} has {count} rows, {tile.tensor.name} {tile.size} entries",
        )
    step = called_on.steps[0]
    one = replace(made, shape=(1, *made.shape[1:]))
    offsets = Offsets(tile, step, _room(one, step, False), tile.partitions)
    return replace(made, steps=(step, *made.steps[1:]), offsets=offsets)


def _entries(tile: object, what: str) -> View:
    """A tile of integers that can hold entries; refuses anything else."""
    if not isinstance(tile, View) or not tile.partitioned or not tile.dtype.is_int:
        kind = value_text(tile)
        if isinstance(tile, View):
            kind = f"{tile.dtype.name} in {tile.tensor.memory.name}"
        raise Refused(BAD_VIEW, f"{what} is a tile of integers on chip, found {kind}")
    if tile.dynamic or tile.offsets is not None:
        raise Refused(BAD_VIEW, f"{what} {tile.tensor.name} is itself addressed at run time")
    return tile


def _room(view: View, step: int, lanes: bool) -> int:
    """How many steps a pattern can be moved along before it leaves its tensor."""
    tensor = view.tensor
    if step < 1:
        raise Refused(BAD_VIEW, f"an axis of {tensor.name} with a step of {step} cannot be moved")
    if lanes:
        last = view.partition + view.steps[0] * (view.shape[0] - 1)
        return (tensor.partitions - 1 - max(last, view.partition)) // step
    low, high = view.extent
    if low < 0 or high > tensor.bytes:
        raise Refused("E0305", f"the access pattern reaches past {tensor.name} with an entry of 0")
    return view.room(step)
