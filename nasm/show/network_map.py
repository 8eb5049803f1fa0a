"""The map of a chip as lines: a cell for each tile, with the loads of the links that leave it."""

from __future__ import annotations

from nasm.debugger.engines.network import ChipLoad, RouterLoad

CELL = 4
"""Columns of a place: what is there, and a digit for each of its two links."""

LABEL = 3
"""Columns of the number of a row."""

GAP = "   "


def shown(found: ChipLoad, width: int, most: int) -> list[str]:
    """The networks next to each other where there is room, else those with load below each other.

    A digit is the ninths of all cycles in which a link carried something, at least 1 if it did.
    """
    if not found.rows:
        return []
    networks = range(len(found.rows[0][0].loads))
    maps = [_map(found, network) for network in networks]
    whole = len(maps[0][0]) * len(maps) + len(GAP) * (len(maps) - 1)
    if whole <= width:
        lines = [GAP.join(row).rstrip() for row in zip(*maps, strict=True)]
    else:
        busy = [m for m, n in zip(maps, networks, strict=True) if _busy(found, n)] or maps[:1]
        fits = max(1, most // len(maps[0]))
        lines = [line.rstrip() for one in busy[:fits] for line in one]
    return [*lines, *_legend(width)]


def _busy(found: ChipLoad, network: int) -> int:
    return sum(sum(one.loads[network]) for row in found.rows for one in row)


def _map(found: ChipLoad, network: int) -> list[str]:
    wide = LABEL + CELL * len(found.rows[0])
    numbers = "".join(f"{x:<{CELL}}" for x in range(len(found.rows[0])))
    rows = [
        f"{y:>{LABEL - 1}} " + "".join(_cell(one, network, found.cycles) for one in row)
        for y, row in enumerate(found.rows)
    ]
    head = f"NoC {network}, {_busy(found, network):,} cycles of links"
    return [head.ljust(wide), " " * LABEL + numbers, *rows]


def _cell(one: RouterLoad, network: int, cycles: int) -> str:
    kind = one.kind if one.core is not None or one.kind != "T" else "t"
    along, down = (_digit(load, cycles) for load in one.loads[network])
    return f"{kind}{along}{down}".ljust(CELL)


def _digit(load: int, cycles: int) -> str:
    return "." if not load else str(min(9, -(-9 * load // max(1, cycles))))


def _legend(width: int) -> list[str]:
    text = "T: a tile of the program, t another one, D DRAM, E Ethernet, P host, A ARC, - nothing"
    more = "digits: ninths of the time in which the link of its row, and of its column, had load"
    if max(len(text), len(more)) <= width:
        return [text, more]
    return ["T: of the program, t: another tile, D DRAM, E Ethernet", "digits: ninths of the time"]
