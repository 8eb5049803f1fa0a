"""What threads share and what is each thread's own, set by hand: mutexes, fields, counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import fields as fields_of
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.inspect.put import Values, within
from nasm.targets.tensix.scalar.config import put_field, set_field
from nasm.targets.tensix.state import NO_THREAD, THREADS, Bools, RowCounters

OWNERS: Final = {"free": NO_THREAD, **{f"t{thread}": thread for thread in range(THREADS)}}
"""Who may hold a mutex, by name."""

ROW_COUNTERS: Final = tuple(f.name for f in fields_of(RowCounters))
_ROW_LIMITS: Final = np.array([1023, 1023, 63, 63, 63, 63, 3, 1])
"""What row counters have bits for, in the order of their names (RWC.md)."""


def mutexes(core: Tensix, values: Values, which: Bools) -> None:
    """The threads that hold mutexes."""
    for number in np.flatnonzero(which).tolist():
        if number not in core.chip.mutexes:
            raise Refused("E0301", f"there is no mutex {number}")
    within("a mutex", values, which, THREADS - 1, NO_THREAD)
    core.settle()
    core.mutexes[which] = values[which]


def fields(core: Tensix, names: Sequence[str], values: Values, which: Bools) -> None:
    """Fields of the configuration, by bank."""
    for n in np.flatnonzero(which.any(axis=1)).tolist():
        within(names[n], values[n], which[n], core.layout.fields[names[n]].mask)
    core.settle()
    for n, bank in np.argwhere(which).tolist():
        put_field(core, bank, core.layout.fields[names[n]], int(values[n, bank]))


def own_fields(core: Tensix, names: Sequence[str], values: Values, which: Bools) -> None:
    """Fields of the threads' own configuration, by thread."""
    for n in np.flatnonzero(which.any(axis=1)).tolist():
        within(names[n], values[n], which[n], core.layout.fields[names[n]].mask)
    core.settle()
    for n, thread in np.argwhere(which).tolist():
        set_field(core, thread, names[n], int(values[n, thread]))


def row_counters(core: Tensix, values: Values, which: Bools) -> None:
    """Row counters of threads."""
    within("a row counter", values, which, _ROW_LIMITS)
    core.settle()
    for thread, n in np.argwhere(which).tolist():
        setattr(core.threads[thread].rows, ROW_COUNTERS[n], int(values[thread, n]))


def _of_threads(core: Tensix, name: str, values: Values, which: Bools) -> None:
    core.settle()
    for thread, own in enumerate(core.threads):
        getattr(own, name)[which[thread]] = values[thread][which[thread]]


def address_counters(core: Tensix, values: Values, which: Bools) -> None:
    """Address counters of threads."""
    within("an address counter", values, which, np.array(core.chip.tiles.counters)[:, None])
    _of_threads(core, "adc", values, which)


def mop_words(core: Tensix, values: Values, which: Bools) -> None:
    """Words of the MOP expander."""
    _of_threads(core, "mop", values, which)


def replays(core: Tensix, values: Values, which: Bools) -> None:
    """Words of the replay buffers."""
    _of_threads(core, "replay", values, which)


def gprs(core: Tensix, values: Values, which: Bools) -> None:
    """General registers."""
    _of_threads(core, "registers", values, which)
