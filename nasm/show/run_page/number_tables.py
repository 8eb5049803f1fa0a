"""What the pictures of a page show, in numbers: tables for readers who do not see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.analysis.profile.records import Stall
from nasm.show.run_page.escaped import shown
from nasm.show.run_page.record import RunRecord
from nasm.show.run_page.roofline import roofline

LINES, TENSORS = 40, 400
"""Lines of the critical path, and tensors, that a page lists."""

Row = tuple[str, ...]

HEADS = {
    "Engines": ("engine", "instructions", "busy µs", "busy", "waits for", "nothing left, µs"),
    "Transfers": ("moved by", "transfers", "active µs", "bytes", "GB/s while active",
                  "bytes a descriptor"),
    "Critical path": ("engine", "line", "µs", "steps", "mostly", "text"),
    "Memory on chip": ("tensor", "memory", "bytes of a partition", "from µs", "to µs",
                       "times filled", "in use µs"),
    "Bounds": ("bound", "µs", "gap µs", "meaning"),
}  # fmt: skip
"""The tables and their columns."""


def number_tables(n: int, run: RunRecord) -> Iterator[str]:
    """All tables of the run with a number."""
    name = f"{run.label}: " if run.label else ""
    rows = (_engines(run), _moved(run), _path(run), _memory(run), _bounds(run))
    yield '<div class="tables">'
    for (title, heads), each in zip(HEADS.items(), rows, strict=True):
        yield _table(name + title, heads, list(each))
    yield roofline(run.profile.rates, f"{name}Roofline")
    yield f'<div class="heats" data-run="{n}"></div></div>'


def _time(run: RunRecord, ticks: float) -> str:
    return f"{ticks / run.profile.ticks_per_microsecond:,.3f}"


def _percent(run: RunRecord, ticks: int) -> str:
    return f"{100 * ticks / max(1, run.now):.1f} %"


def _waited(run: RunRecord, stall: Stall) -> str:
    """What was waited for: a post by its author, all else in words."""
    return str(stall) if stall.by else run.waited(stall.cause)


def _engines(run: RunRecord) -> Iterator[Row]:
    for e in run.profile.engines:
        if e.instructions or e.busy:
            waits = ", ".join(
                f"{_waited(run, stall)} {_percent(run, stall.ticks)}" for stall in e.stalls
            )
            times = _time(run, e.busy), _percent(run, e.busy), waits, _time(run, e.empty)
            yield (e.name, f"{e.instructions:,}", *times)


def _moved(run: RunRecord) -> Iterator[Row]:
    for m in run.profile.moved:
        active = m.active / run.profile.ticks_per_microsecond
        yield (
            f"core {m.core}" + ("" if m.ring is None else f", ring {m.ring}"),
            f"{m.transfers:,}",
            _time(run, m.active),
            f"{m.bytes:,}",
            f"{m.bytes / active / 1e3:,.1f}" if active else "",
            f"{m.bytes_per_descriptor:,.0f}",
        )


def _path(run: RunRecord) -> Iterator[Row]:
    for part in [part for part in run.profile.path if part.steps][:LINES]:
        line = str(part.span.line) if part.span else ""
        mostly = part.parts[0][0] if part.parts else ""
        yield part.queue, line, _time(run, part.ticks), f"{part.steps:,}", mostly, part.text


def _memory(run: RunRecord) -> Iterator[Row]:
    lives = run.lives
    for number, tensor in enumerate(lives.tensors[:TENSORS]):
        mine = lives.tensor == number
        if not mine.any():
            continue
        begin, end, memory = lives.begin[mine], lives.end[mine], lives.memories[tensor.memory]
        yield (
            tensor.name,
            memory.name + f" of core {memory.core}" * (memory.core > 0),
            f"{tensor.low:,} to {tensor.high:,}",
            _time(run, int(begin.min())),
            _time(run, int(end.max())),
            f"{len(begin):,}",
            _time(run, int((end - begin).sum())),
        )


def _bounds(run: RunRecord) -> Iterator[Row]:
    for b in run.profile.bounds:
        gap = f"{b.gap:,.3f}" if b.above else ""
        yield b.name, f"{b.microseconds:,.3f}", gap, b.meaning


def _table(title: str, heads: Sequence[str], rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{shown(one)}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{shown(first)}</th>'
        + "".join(f"<td>{shown(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    caption = f"<caption>{shown(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
