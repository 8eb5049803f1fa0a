"""Maps of memories for a terminal: who owns which bytes, from when to when, and by whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from nasm.base.problems import clean
from nasm.runs.check.records import Claim, MemoryMap

WIDTH = 100
"""Columns of a map that is not written to a terminal."""

LEAST = 8
"""Cells of a bar below which there is none."""

ENGINES = 12
"""Columns that the names of engines have at least."""

HEADS = ("bytes", "bank", "tensor", "partitions", "from µs", "to µs", "writers", "readers")
RIGHT = frozenset(("bytes", "from µs", "to µs"))
MARKS, PLAIN = "█·", "#."
"""In use and not in use, in a bar."""


def shown(
    found: MemoryMap, end: float, several: bool, width: int | None = None, ascii_only: bool = False
) -> list[Text]:
    """A map: a heading, a line for each tensor with a bar for its time, and what shares bytes.

    ``end`` is when the run ended, in microseconds; ``several`` says that there are several cores.
    """
    rows = [*_rows(found)]
    columns = [n for n, name in enumerate(HEADS) if _wanted(name, found)]
    widths = [max(len(row[n]) for row in (HEADS, *(r for r, _ in rows))) for n in columns]
    _narrow(widths, (width or WIDTH) - LEAST)
    room = (width or WIDTH) - sum(widths) - 2 * len(widths)
    lines = [Text(_heading(found, several), "bold"), Text()]
    named = _line([HEADS[n] for n in columns], columns, widths)
    cells = room if room >= LEAST and end else 0
    lines.append(Text(_cut(named + _scale(end, cells), width), "dim"))
    for row, claim in rows:
        text = _line([row[n] for n in columns], columns, widths)
        bar = _bar(claim, end, cells, PLAIN if ascii_only else MARKS) if claim and cells else ""
        lines.append(Text(_cut(clean(text + bar), width), "" if claim else "dim"))
    return [*lines, *map(Text, _sharing(found))]


def _wanted(name: str, found: MemoryMap) -> bool:
    """Whether a memory has something for a column."""
    if name == "bank":
        return found.bank > 0
    return name != "partitions" or any(claim.partitions for claim in found.claims)


def _heading(found: MemoryMap, several: bool) -> str:
    each = " of each partition" if any(claim.partitions for claim in found.claims) else ""
    core = f"core {found.core}, " if several and found.size else ""
    of = f" of {found.size:,}" if found.size else ""
    text = f"{core}{found.memory}: {found.placed:,}{of} bytes{each} have an owner"
    if found.most:
        text += f", at most {found.most:,} are in use at one time ({found.at:,.3f} µs)"
    return text


def _rows(found: MemoryMap) -> Iterator[tuple[tuple[str, ...], Claim | None]]:
    """The tensors by address, and what is free between them and after them."""
    at = 0
    for claim in found.claims:
        if claim.low > at:
            yield _free(found, at, claim.low), None
        yield _row(found, claim), claim
        at = max(at, claim.high)
    if found.size > at:
        yield _free(found, at, found.size), None


def _row(found: MemoryMap, claim: Claim) -> tuple[str, ...]:
    last = claim.partition + claim.partitions - 1
    times = ("", "not used") if claim.begin is None else _times(claim)
    return (
        f"{claim.low:,} .. {claim.high:,}",
        _banks(found, claim.low, claim.high),
        claim.name,
        f"{claim.partition} to {last}" if claim.partitions else "",
        *times,
        ", ".join(claim.writers),
        ", ".join(claim.readers),
    )


def _times(claim: Claim) -> tuple[str, str]:
    return f"{claim.begin:,.3f}", f"{claim.end:,.3f}"


def _free(found: MemoryMap, low: int, high: int) -> tuple[str, ...]:
    bytes_ = f"{low:,} .. {high:,}"
    return bytes_, _banks(found, low, high), "(free)", "", "", "", "", ""


def _banks(found: MemoryMap, low: int, high: int) -> str:
    if not found.bank:
        return ""
    first, last = low // found.bank, (high - 1) // found.bank
    return f"{first}" if first == last else f"{first} to {last}"


def _narrow(widths: list[int], most: int) -> None:
    """Take from the columns of engines, which are last, what is too much for a line."""
    while sum(widths) + 2 * len(widths) > most and max(widths[-2:]) > ENGINES:
        widest = max(-1, -2, key=lambda n: widths[n])
        widths[widest] -= 1


def _line(cells: Sequence[str], columns: Sequence[int], widths: Sequence[int]) -> str:
    shown = (
        cell.rjust(width) if HEADS[n] in RIGHT else _cut(cell, width).ljust(width)
        for cell, n, width in zip(cells, columns, widths, strict=True)
    )
    return "  ".join(shown) + "  "


def _scale(end: float, cells: int) -> str:
    """What the ends of the bars mean."""
    last = f"{end:,.3f}"
    return f"0{last.rjust(cells - 1)}" if cells > len(last) else ""


def _bar(claim: Claim, end: float, cells: int, marks: str) -> str:
    """When a tensor is in use; at least one cell if it ever is."""
    if claim.begin is None or claim.end is None:
        return marks[1] * cells
    first = min(int(claim.begin / end * cells), cells - 1)
    last = max(first + 1, min(cells, -int(-claim.end * cells // end)))
    return marks[1] * first + marks[0] * (last - first) + marks[1] * (cells - last)


def _sharing(found: MemoryMap) -> Iterator[str]:
    """A line for each two tensors that have bytes in common."""
    drawn: set[str] = set()
    used = {claim.name for claim in found.claims if claim.begin is not None}
    for claim in found.claims:
        drawn.add(claim.name)
        for other in claim.sharing:
            if other.name not in drawn:
                when = "for some time both are in use" if other.meets else "at different times"
                if not used.issuperset((claim.name, other.name)):
                    when = "not both are used"
                bytes_ = f"bytes {other.low:,} .. {other.high:,}"
                yield f"{claim.name} and {other.name} share {bytes_}: {when}"


def _cut(text: str, width: int | None) -> str:
    text = text.rstrip()
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"
