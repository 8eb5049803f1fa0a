"""A run judged as a whole, by columns: whether it is in order, as far as that is easily shown."""

from __future__ import annotations

from nasm.base import gc_pause
from nasm.order.column_accesses import TouchedPlaces
from nasm.order.column_clocks import ColumnClocks
from nasm.order.events import Sources
from nasm.order.observer import Watch
from nasm.order.run_columns import RunColumns, regular
from nasm.order.touched_columns import Located, NoNumber, TouchedColumns


def in_order(sources: Sources, watch: Watch, places: Located) -> bool:
    """Whether a run is certainly in order, and nothing is left in flight.

    Engines wait for their own results. What is not shown in this way may be in order anyway.
    """
    if not regular(sources, watch):
        return False
    with gc_pause.paused():
        try:
            run = RunColumns(sources, watch)
            touched = TouchedPlaces(run, TouchedColumns(run, places))
        except NoNumber:
            return False
        every = touched.touches()
        clocks = ColumnClocks(run, touched.known(every))
        return clocks.certain() and clocks.all_landed() and touched.ordered(every, clocks)
