"""The chip as a map: its tiles, which of them have cores here, and the loads of links so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nasm.isa.tile_grid import TilePlace, on_chip

if TYPE_CHECKING:
    from nasm.machine.machine import Machine


class RouterLoad(NamedTuple):
    """A place of a chip: what is there, its core, and what each network carried away from it.

    ``core`` is None where the program has none. ``loads`` are the cycles, network by network, in
    which the links to the next router of its row and of its column carried something.
    """

    place: TilePlace
    kind: str
    core: int | None
    loads: tuple[tuple[int, int], ...]


class ChipLoad(NamedTuple):
    """All places of a chip, row by row, after so many cycles; none where the target has no chip."""

    rows: tuple[tuple[RouterLoad, ...], ...]
    cycles: int


def chip_load(machine: Machine, chip: int = 0) -> ChipLoad:
    """The map of a machine's chip as it is now; of none that the program has no tiles of."""
    packets = machine.packets
    if packets is None or chip not in packets.networks:
        return ChipLoad((), machine.scheduler.now)
    rows = tuple(
        tuple(
            RouterLoad(place, kind, packets.core_at(on_chip(place, chip)), loads)
            for place, kind, loads in row
        )
        for row in packets.networks[chip].map()
    )
    return ChipLoad(rows, machine.scheduler.now)
