"""A run judged as a whole, by columns: whether it is in order, as far as that is easily shown."""

from __future__ import annotations

from nasm.base import gc_pause
from nasm.order.column_accesses import TouchedPlaces
from nasm.order.column_clocks import ColumnClocks
from nasm.order.events import Sources
from nasm.order.observer import Watch
from nasm.order.run_columns import RunColumns, regular
from nasm.order.touched_columns import Located, NoNumber, TouchedColumns
from nasm.order.whole_order import WholeOrder


def judged(sources: Sources, watch: Watch, places: Located) -> WholeOrder | None:
    """What is easily shown of a run; None if nothing is.

    Engines wait for their own results. What is not shown in this way may be in order anyway.
    """
    if not regular(sources, watch):
        return None
    with gc_pause.paused():
        try:
            run = RunColumns(sources, watch)
            touched = TouchedPlaces(run, TouchedColumns(run, places))
        except NoNumber:
            return None
        every = touched.touches()
        clocks = ColumnClocks(run, touched.known(every))
        if not clocks.certain():
            return None
        areas = touched.unordered(every, clocks)
        return WholeOrder(clocks.all_landed(), areas, clocks if clocks.exact else None)
