"""Records of one kind as the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from nasm.base.problems import counted, in_line
from nasm.base.source import Span
from nasm.debugger.engines.counters import Changed, Counter
from nasm.debugger.engines.transfers import NOTIFYING, TransferRecord
from nasm.debugger.engines.users import LineUse
from nasm.debugger.moving.breakpoint_records import Breakpoint
from nasm.debugger.moving.travel import Mark
from nasm.debugger.values.names import Named
from nasm.machine.records import ChannelRecord, QueueRecord, SemaphoreRecord, Units


class Listing(NamedTuple):
    """Heads, of which ``>`` is flush right, rows, and what to say where there is none."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    none: str = ""
    note: str = ""


def queues(found: Sequence[QueueRecord], units: Units) -> Listing:
    """Queues, and the next instruction of each."""
    rows = [
        (
            units.named(q.core, q.engine),
            f"{q.pc}/{q.length}",
            f"{q.completed:,}",
            str(len(q.in_flight)),
            q.state,
            q.text,
        )
        for q in found
    ]
    heads = ("engine", ">pc", ">completed", ">in flight", "state", "next")
    return Listing(heads, rows, "no engines")


def transfers(found: Sequence[TransferRecord], units: Units) -> Listing:
    """Transfers in flight, and when they land."""
    rows = [
        (
            f"{t.engine} pc {t.pc}",
            _line(t.span),
            t.phase,
            f"{t.landed}/{t.shares}",
            f"{t.bytes:,}" if t.bytes else "",
            str(t.ring) if t.ring >= 0 else "",
            _when(t, units),
            f"{t.src} -> {t.dst}",
        )
        for t in found
    ]
    heads = ("issued by", ">line", "phase", ">landed", ">bytes", ">ring", ">at µs", "from -> to")
    notes = {
        "at: when it lands": any(t.phase != NOTIFYING and t.certain for t in found),
        "> not before that": any(not t.certain for t in found),
        "seen: when waiters see it": any(t.phase == NOTIFYING for t in found),
    }
    note = "; ".join(text for text, told in notes.items() if told)
    return Listing(heads, rows, "no transfer is in flight", note)


def _when(transfer: TransferRecord, units: Units) -> str:
    """When a transfer lands, or is seen to have landed."""
    if transfer.phase == NOTIFYING:
        return f"seen {units.microseconds(transfer.seen):,.3f}"
    at = f"{units.microseconds(transfer.lands):,.3f}"
    return at if transfer.certain else f">{at}"


def channels(found: Sequence[ChannelRecord], units: Units) -> Listing:
    """Channels, and what they have moved."""
    rows = [
        (
            units.named(c.core, c.index),
            f"{c.jobs:,}",
            f"{c.bytes:,}",
            f"{units.microseconds(c.busy):,.3f}",
            str(c.pending),
            "moving" if c.moving else "idle",
        )
        for c in found
    ]
    heads = (">channel", ">shares", ">bytes", ">busy µs", ">pending", "now")
    return Listing(heads, rows, "no channels")


def semaphores(found: Sequence[SemaphoreRecord], units: Units) -> Listing:
    """Semaphores and events, and the engines that wait for them."""
    rows = [
        (
            f"${s.name}",
            f"{'event ' if s.event else ''}{units.named(s.core, s.number)}",
            str(s.value),
            ", ".join(s.waiting),
        )
        for s in found
    ]
    return Listing(("semaphore", ">number", ">value", "waiting"), rows, "no semaphores")


def counters(found: Sequence[Counter], units: Units) -> Listing:
    """Semaphores and events, who waits for what, and who can still post."""
    rows = [
        (
            f"${c.name}",
            f"{'event ' if c.event else ''}{units.named(c.core, c.number)}",
            str(c.value),
            ", ".join(f"{w.at.engine} for {w.op} {w.value}" for w in c.waiting),
            ", ".join(f"{p.at.engine} {p.change}" for p in c.posters if p.ahead or p.maybe),
        )
        for c in found
    ]
    heads = ("semaphore", ">number", ">value", "waiting", "still posted by")
    return Listing(heads, rows, "no semaphores")


def history(found: Sequence[Changed], units: Units) -> Listing:
    """What a semaphore has been, since when, and by whom."""
    rows = [
        (
            f"{units.microseconds(one.tick):,.3f}",
            str(one.value),
            f"{one.by}{', landing' if one.transfer else ''}",
        )
        for one in found
    ]
    return Listing((">since µs", ">value", "by"), rows, "nothing has changed it")


def uses(found: Sequence[LineUse], units: Units) -> Listing:
    """Lines that use something."""
    rows = [
        (
            use.engine,
            f"{'may ' if use.perhaps else ''}{use.does}{f' {use.amount}' if use.amount else ''}",
            _line(use.span),
            str(use.pcs[0]),
            "loop" if use.loops else str(len(use.pcs)),
            f"{use.completed:,}",
            use.text,
        )
        for use in found
    ]
    heads = ("engine", "does", ">line", ">pc", ">of", ">done", "instruction")
    return Listing(heads, rows, "nothing in the program uses it")


def breakpoints(found: Sequence[Breakpoint], units: Units) -> Listing:
    """Breakpoints, and how often each was met."""
    rows = [
        (
            str(one.number),
            "" if one.enabled else "off",
            f"{one.hits:,}",
            one.name,
            one.what,
            "; ".join(_more(one)),
        )
        for one in found
    ]
    heads = (">number", "", ">hits", "name", "stops", "")
    return Listing(heads, rows, "no breakpoints: 'break' and 'watch' set some")


def _more(one: Breakpoint) -> list[str]:
    text = [f"if {one.condition}"] if one.condition else []
    text += ["once"] if one.temporary else []
    text += [f"ignored {counted(one.ignore, 'more time')}"] if one.ignore else []
    return [*text, *(f"does {in_line(line)}" for line in one.commands)]


def moments(found: Sequence[Mark], units: Units) -> Listing:
    """The moments that have a name."""
    rows = [
        (
            mark.name,
            f"{units.microseconds(mark.moment.tick):,.3f}",
            f"{mark.moment.tick // units.cycle:,}",
            "; ".join(in_line(str(made.change)) for made in mark.changes),
        )
        for mark in found
    ]
    none = "no moment has a name: 'mark WORD' gives one"
    return Listing(("moment", ">at µs", ">cycle", "changed by hand"), rows, none)


def lets(found: Sequence[Named], units: Units) -> Listing:
    """Names of expressions."""
    rows = [(one.name, one.text) for one in found]
    return Listing(("name", "means"), rows, "no expression has a name: let NAME = EXPRESSION")


LISTINGS: Mapping[type, Callable[[Sequence[Any], Units], Listing]] = {
    Breakpoint: breakpoints,
    Named: lets,
    Changed: history,
    ChannelRecord: channels,
    Counter: counters,
    Mark: moments,
    QueueRecord: queues,
    SemaphoreRecord: semaphores,
    TransferRecord: transfers,
    LineUse: uses,
}
"""How records of a kind are listed."""


def _line(span: Span | None) -> str:
    """The number of a line, after the name of its file if that is included."""
    return span.brief.removeprefix("line ") if span is not None else ""
