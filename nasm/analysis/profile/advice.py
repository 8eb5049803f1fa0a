"""What of a run is worth a warning: each with a code, a place, what was found and the limit."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.analysis.profile.line_observers import (
    BankConflicts,
    ByLine,
    HeadOfLineBlocking,
    IssuedTransfers,
    Key,
    Readied,
)
from nasm.analysis.profile.records import Finding
from nasm.base.problems import Problem, Severity, counted, listed
from nasm.base.source import Span
from nasm.program.program import Program

WORTH = 100
"""A line is reported if it costs at least this part of the run."""


class Advisor:
    """Makes findings of what was gathered line by line; ``total`` is the run, in ticks."""

    def __init__(self, program: Program, total: int) -> None:
        self.program, self.total = program, max(1, total)
        self.channels, self.channel = program.generation.channels, program.generation.channel
        fact = program.generation.numbers.get("descriptor_bytes")
        self.descriptor = fact.value if fact else 0

    def issued(self, lines: IssuedTransfers) -> Iterator[Finding]:
        """Descriptors that are too small, and channels that stay idle during a large transfer."""
        for key, (times, moved, descriptors, used, ticks) in lines.counts.items():
            if not self._worth(ticks):
                continue
            size, channels = moved / max(1, descriptors), used / times
            if size < self.descriptor:
                text = (
                    f"{counted(times, 'transfer')} of {size:,.0f} B a descriptor, where "
                    f"{self.descriptor:,.0f} B or more are wanted"
                )
                hint = (
                    "move longer runs of each row, or several rows that follow each other, at once"
                )
                yield self._finding(
                    "W0101", text, hint, lines, key, times, size, self.descriptor, "bytes"
                )
            least = self.channels * self.descriptor
            if channels < self.channels and moved / times >= least:
                text = (
                    f"{counted(times, 'transfer')} on {channels:,.3g} of {self.channels} "
                    f"{self.channel}s"
                )
                hint = "spread it over all partitions: 8 of them are one engine's"
                yield self._finding(
                    "W0102", text, hint, lines, key, times, channels, self.channels, "channels"
                )

    def blocked_heads(self, lines: HeadOfLineBlocking) -> Iterator[Finding]:
        """Heads of queues that waited while a transfer after them was ready."""
        for key, (times, ticks) in lines.counts.items():
            if self._worth(ticks):
                text = (
                    f"blocked a transfer after it that was ready {counted(times, 'time')}, "
                    f"{self._time(ticks)} in all"
                )
                hint = "issue it from another queue, or after the transfers that do not wait for it"
                yield self._finding("W0103", text, hint, lines, key, times, *self._parts(ticks))

    def readied(self, lines: Readied) -> Iterator[Finding]:
        """Lines before which a unit is made ready over and over."""
        for key, (times, ticks) in lines.counts.items():
            if times > 1 and self._worth(ticks):
                text = f"loaded its table {counted(times, 'time')}, {self._time(ticks)} in all"
                hint = "do all that needs one table before what needs another"
                yield self._finding("W0104", text, hint, lines, key, times, *self._parts(ticks))

    def banks(self, lines: BankConflicts) -> Iterator[Finding]:
        """Banks that two engines used at one time; what that costs is not known."""
        for key, (times,) in lines.counts.items():
            met = lines.with_whom[key]
            others = dict.fromkeys(self.program.queue_name(queue) for queue, _, _ in met)
            banks = dict.fromkeys(f"{place.partition('.')[2]} bank {n}" for _, place, n in met)
            text = (
                f"used {_some(list(banks))} while {listed(others, 'and')} did, "
                f"{counted(times, 'time')}"
            )
            hint = "no slowdown is published, so none is in the time: give each a bank of its own"
            yield self._finding("W0105", text, hint, lines, key, times, times, 0, "times")

    def _worth(self, ticks: int) -> bool:
        return ticks * WORTH >= self.total

    def _time(self, ticks: int) -> str:
        part = 100 * ticks / self.total
        return f"{ticks / self.program.generation.ticks:,.3f} µs ({part:.1f} % of the run)"

    def _parts(self, ticks: int) -> tuple[float, float, str]:
        return 100 * ticks / self.total, 100 / WORTH, "percent"

    def _finding(
        self, code: str, message: str, hint: str, lines: ByLine, key: Key, count: int, found: float,
        limit: float, unit: str,
    ) -> Finding:  # fmt: skip
        span = self._span(key[0], lines.first[key])
        return Finding(
            Problem(code, message, span, hint, severity=Severity.WARNING), count, found, limit, unit
        )

    def _span(self, queue: int, pc: int) -> Span | None:
        return self.program.spans[self.program.queues[queue].spans[pc]]


def _some(names: list[str]) -> str:
    return listed(names, "and") if len(names) < 3 else f"{names[0]} and {len(names) - 1} others"
