"""Memories as they are now, for a terminal: a letter for each tensor, and a list of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nasm.debugger.session import Session
from nasm.debugger.values.memory import FREE, BankNow, Lane, MemoryNow, Owner
from nasm.show import steps
from nasm.show.columns import table

if TYPE_CHECKING:  # it is asked for rarely, and imported then
    from nasm.debugger.origins.last_writes import Latest

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_OWNERS = 40
BAR = 12
STATES = {"free": "-", "unwritten": ".", "accumulating": "+", "closed": "#"}
"""The states of a bank, each with its mark in a strip."""


class WriteTimes:
    """When tensors were written last, as columns of a table: there are none if it is not known."""

    def __init__(self, session: Session | None = None, found: Latest | None = None) -> None:
        self.session, self.found = session, found
        self.heads = (">at µs", "line") if found else ()

    def cells(self, name: str) -> tuple[str, ...]:
        """When a tensor was written last, and by which line: as what, if it shares its bytes."""
        if self.found is None:
            return ()
        wrote = self.found.writes.get(name)
        if wrote is None:
            return (f"<{self._time(self.found.back)}" if self.found.back else "-"), ""
        at = wrote.by
        by = (
            "by hand"
            if at.pc < 0
            else at.where.removeprefix("line ")
            if at.line
            else f"{at.engine} pc {at.pc}"
        )
        if wrote.under != name:
            by += f" as {wrote.under}"
        return self._time(wrote.tick), by

    def since(self, bank: BankNow) -> tuple[str, ...]:
        """Since when a bank accumulates, or is closed."""
        if self.found is None:
            return ()
        if bank.state not in ("accumulating", "closed"):
            return ("",)
        writes = [w for name in bank.record.tensors if (w := self.found.writes.get(name))]
        if bank.state == "closed":
            ticks = [w.tick for w in writes]
        else:
            ticks = [w.since for w in writes if w.since is not None]
        if ticks:
            return (self._time(max(ticks)),)
        return (f"<{self._time(self.found.back)}" if self.found.back else "-",)

    def _time(self, tick: int) -> str:
        assert self.session is not None  # there is none only where nothing is known
        return f"{steps.microseconds(self.session, tick):,.3f}"


UNKNOWN = WriteTimes()
"""When nothing is known of when tensors were written."""


def shown(found: MemoryNow, several: bool, width: int, times: WriteTimes = UNKNOWN) -> list[str]:
    """A memory: how much has an owner, the map, and the tensors by address."""
    lines = [_heading(found, several)]
    if not found.owners:
        return lines
    margin = len(f"{found.partitions} ") + 2
    for n, row in enumerate(found.cells):
        label = str(n * found.partitions // len(found.cells)) if found.partitions else ""
        lines.append(label.rjust(margin - 1) + " " + "".join(_cell(*cell) for cell in row))
    if found.cells and found.reach:
        each = -(-found.reach // len(found.cells[0]))
        rows = found.partitions // len(found.cells) if found.partitions else 0
        of = f"{rows} partitions of " if rows > 1 else ""
        lines.append(f"{'':{margin}}a letter is {of}about {each:,} bytes,")
        lines.append(f"{'':{margin}}a small one is not, or not all, written")
    lines += _owners(found, width, times)
    return lines


def _heading(found: MemoryNow, several: bool) -> str:
    each = " of each partition" if found.partitions else ""
    core = f"core {found.core}, " if several and found.partitions else ""
    of = f" of {found.size:,}" if found.size else ""
    return f"{core}{found.memory}: {found.placed:,}{of} bytes{each} have an owner"


def _cell(owner: int, share: float) -> str:
    if owner == FREE:
        return "."
    letter = LETTERS[owner % len(LETTERS)]
    return letter if share == 1 else letter.lower()


def _owners(found: MemoryNow, width: int, times: WriteTimes) -> list[str]:
    heads = ["", "tensor", "elements", "partitions", ">bytes", ">written", *times.heads]
    rows = [
        [
            LETTERS[number % len(LETTERS)],
            o.name,
            f"{o.dtype}{list(o.shape)}",
            _partitions(o),
            f"{o.low:,} .. {o.high:,}",
            share(o.written),
            *times.cells(o.name),
        ]
        for number, o in enumerate(found.owners[:MOST_OWNERS])
    ]
    if not found.partitions:
        for cells in (heads, *rows):
            del cells[3]
    lines = table(heads, rows, width)
    left = len(found.owners) - MOST_OWNERS
    return [*lines, f"… and {left} more: 'info tensors' lists them"] if left > 0 else lines


def _partitions(o: Owner) -> str:
    last = o.partition + o.partitions - 1
    return f"{o.partition}" if last == o.partition else f"{o.partition} to {last}"


def share(written: float | None) -> str:
    """How much of something is written, in a word."""
    if written is None:
        return "unknown"
    return "all" if written == 1 else f"{100 * written:.0f}%" if written else "-"


def lanes(found: tuple[Lane, ...], partition: int, several: bool, width: int) -> list[str]:
    """What every tensor has in a partition."""
    rows = [
        (
            f"{lane.owner.core}.{lane.memory}" if several else lane.memory,
            lane.owner.name,
            f"[{partition - lane.owner.partition}]",
            f"{lane.low:,} .. {lane.high:,}",
            share(None if lane.written is None else lane.written / (lane.high - lane.low)),
        )
        for lane in found
    ]
    if not rows:
        return [f"no tensor has bytes in partition {partition}"]
    return table(("memory", "tensor", "its row", ">bytes", ">written"), rows, width)


def strip(found: Sequence[BankNow], width: int) -> list[str]:
    """The banks side by side: the number of each, its state as a mark, and its first tensor."""
    if not found:
        return []
    room = max(4, (width - 2) // len(found) - 1)
    cells = []
    for bank in found:
        names = bank.record.tensors
        name = names[0] + (f"+{len(names) - 1}" if len(names) > 1 else "") if names else ""
        cells.append(f"{bank.record.bank}{STATES[bank.state]}{name}"[:room].ljust(room))
    return [f"  {' '.join(cells)}".rstrip()]


def banks(
    found: Sequence[BankNow], several: bool, width: int, times: WriteTimes = UNKNOWN
) -> list[str]:
    """A row for each bank: how much of each partition is written, its state and its tensors."""
    rows = []
    for bank in found:
        record = bank.record
        full = -(-record.written * BAR // record.size)
        number = f"{record.core}.{record.bank}" if several else str(record.bank)
        rows.append(
            (
                record.memory,
                number,
                f"{record.written:,}/{record.size:,}",
                "#" * full + "." * (BAR - full),
                bank.state,
                *times.since(bank),
                ", ".join(record.tensors) or "-",
            )
        )
    since = (">since µs",) if times.heads else ()
    return table(("memory", ">bank", ">written", "", "state", *since, "tensors"), rows, width)


def bank(found: BankNow, owners: Sequence[Owner], width: int, times: WriteTimes) -> list[str]:
    """The tensors of a bank, and who writes it next."""
    rows = [
        (
            o.name,
            f"{o.dtype}{list(o.shape)}",
            _partitions(o),
            f"{o.low:,} .. {o.high:,}",
            share(o.written),
            *times.cells(o.name),
        )
        for o in owners
    ]
    heads = ("tensor", "elements", "partitions", ">bytes", ">written", *times.heads)
    lines = table(heads, rows, width) if rows else []
    return [*lines, f"next writer: {found.next}"] if found.next else lines
