"""What views can reach whose addresses are known at run time only."""

from __future__ import annotations

from nasm.base.records import replace
from nasm.program.footprint.layout import Regions
from nasm.views.regions import Region
from nasm.views.view import Dynamic, Offsets, View


def window(view: View, offsets: Offsets, positions: int = 0) -> View:
    """Everything an indirect view can reach, with one axis for what its entries choose.

    It has all positions that an entry may choose, or only the first ones.
    """
    at = int(view.partitioned)
    after = at if offsets.single else at + 1
    shape = (*view.shape[:at], positions or offsets.limit + 1, *view.shape[after:])
    steps = (*view.steps[:at], offsets.step, *view.steps[after:])
    return replace(view, shape=shape, steps=steps, offsets=None)


def range_of(region: Region) -> Region:
    """The same rows, from the lowest byte to the highest."""
    low, high, size = region.low, region.high, region.itemsize
    return region._replace(start=low, dims=((size, (high - low) // size),))


def reached(regions: Regions, view: View) -> Region:
    """All the bytes that a view may touch, whatever registers and tiles hold.

    Of columns that a tile names that is their range: so much an engine takes.
    """
    if view.offsets is not None:
        found = regions.of(window(view, view.offsets))
        if view.partitioned:
            found = range_of(found)
    else:
        found = regions.of(view)
    for dynamic in view.dynamic:
        found = _moved(found, dynamic, view)
    return found


def located(regions: Regions, view: View) -> Region:
    """The bytes that a view touches, or may touch."""
    moves = view.dynamic or view.offsets is not None
    return reached(regions, view) if moves else regions.of(view)


def _moved(region: Region, dynamic: Dynamic, view: View) -> Region:
    """A region, and wherever else a register may move it to."""
    reach = dynamic.stride * dynamic.limit
    if dynamic.axis == 0 and view.partitioned:
        first, count, step = region.rows
        ends = (
            first,
            first + step * (count - 1),
            first + reach,
            first + step * (count - 1) + reach,
        )
        return region._replace(rows=(min(ends), max(ends) - min(ends) + 1, 1))
    low, high = region.low + min(reach, 0), region.high + max(reach, 0)
    if region.dense and abs(dynamic.stride) <= region.high - region.low:
        return range_of(region._replace(low=low, high=high, itemsize=1))
    dims = ((dynamic.stride, dynamic.limit + 1), *region.dims)
    return region._replace(low=low, high=high, dims=dims)
