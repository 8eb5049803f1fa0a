"""Operands that a tile of entries addresses: how an instruction reads and writes them.

The entries are read when the instruction starts, also those of what it writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from nasm import dtypes
from nasm.machine.casts import Reader, Writer, choosing, fitted, reading, storing, tile_of
from nasm.machine.indirect import Entries, Indirect
from nasm.problems import Refused
from nasm.sim.memory import Array
from nasm.spec.instruction import Operand
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.bind import Binder


def _bound(binder: Binder, view: View) -> tuple[Indirect, Callable[[], Entries]]:
    """A view bound to its memory, and how its entries are read."""
    machine, queue = binder.machine, binder.queue
    assert view.offsets is not None
    group = view.offsets.group or binder.context.generation.engine(binder.context.engine).group
    found = machine.indirect(view, group)
    binder.reads.append(found.tile.access.region)

    def entries() -> Entries:
        return found.checked(found.entries(lambda tile: machine.hazard_unwritten(queue, tile)))

    return found, entries


def gathering(binder: Binder, operand: Operand, view: View) -> Reader | None:
    """How the elements that a tile picks are read; None: the operand is the view itself."""
    found, entries = _bound(binder, view)
    if operand.access == "@":
        return None
    binder.reads.append(found.region)
    kind = tile_of(operand)
    flat, domain = kind is None or kind.flat, binder.domain

    def read() -> Array:
        chosen = entries()
        _look(binder, found, chosen, False)
        array: Array = reading(found.gather(chosen), view.dtype, domain, flat, view.partitioned)()
        return array

    return read


def scattering(binder: Binder, operand: Operand, view: View) -> tuple[Writer, Writer]:
    """How a result is stored where a tile says."""
    found, entries = _bound(binder, view)
    binder.writes.append(found.region)
    if operand.adds and binder.context.operands[operand.adds]:
        return _adding(binder, found, entries)
    prepare = storing(found.template, view.dtype, binder.casting, None)
    if operand.partial:
        prepare = choosing(found.template, view.dtype, binder.casting)

    def start(result: Any) -> tuple[Entries, Any]:
        return entries(), prepare(result)

    guarded, strange = binder.machine.state.guarded(found.store), not operand.adds

    def commit(payload: tuple[Entries, Any]) -> None:
        found.scatter(*payload)
        if guarded:
            found.strange(payload[0], strange)

    return start, commit


def _adding(
    binder: Binder, found: Indirect, entries: Callable[[], Entries]
) -> tuple[Writer, Writer]:
    """Add to what the memory holds, in float32, when the instruction completes."""
    dtype, shape, size = found.view.dtype, found.view.shape, found.view.size
    narrow = binder.casting.narrower(dtype)

    def start(result: Any) -> tuple[Entries, Any]:
        chosen = entries()
        if len(np.unique(chosen)) < len(chosen):
            raise Refused(
                "E0701",
                f"entries of {found.tile.view.tensor.name} name one place twice: what adding to "
                f"{found.view.tensor.name} gives then is not documented",
            )
        return chosen, fitted(result, shape, size)

    def commit(payload: tuple[Entries, Any]) -> None:
        chosen, result = payload
        _look(binder, found, chosen, True)
        if found.foreign(chosen):
            binder.machine.hazard_foreign(binder.queue, found.view)
        total = dtypes.to_float32(found.gather(chosen), dtype) + result
        found.scatter(chosen, narrow(total, dtype))

    return start, commit


def _look(binder: Binder, found: Indirect, chosen: Entries, adding: bool) -> None:
    """Say so if some of the chosen elements were never written."""
    known = found.written(chosen)
    if not known.all():
        missing = known.size - int(np.count_nonzero(known))
        binder.machine.hazard_unwritten(binder.queue, found.view, adding, missing=missing)
