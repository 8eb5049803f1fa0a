"""The texts of a program on a page: each line with how often it ran, and what that took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from nasm.analysis.profile.intervals import Times
from nasm.base.source import Source
from nasm.show.run_page.escaped import shown
from nasm.show.run_page.record import RunRecord
from nasm.show.run_page.scale import label

LINES = 5_000
"""Lines of a text that are shown; of a longer one only those that were executed."""

HEADS = ("line", "times", "at work", "of path", "text")


def program_text(n: int, run: RunRecord) -> Iterator[str]:
    """The texts of the run with a number, its own before those that it includes."""
    found = _Lines(n, run)
    order = sorted(enumerate(run.words.sources), key=lambda each: bool(each[1].label))
    head = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    for number, source in order:
        name = f"{run.label}: {source.shown}" if run.label else source.shown
        yield (
            f'<section class="source"><h2>{shown(name)}</h2><div class="scroll" tabindex="0">'
            f"<table><thead><tr>{head}</tr></thead><tbody>"
        )
        yield from found.rows(number, source)
        yield "</tbody></table></div></section>"


class _Lines:
    """What the lines of a run took."""

    def __init__(self, n: int, run: RunRecord) -> None:
        self.n, self.run = n, run
        words, slices = run.words, run.chart.slices
        line = words.line[words.of_slice]
        written = line >= 0

        def sums(column: Times) -> list[float]:
            found: list[float] = np.bincount(
                line[written], column[written], len(words.lines)
            ).tolist()
            return found

        self.counts, self.busy = sums(slices.count), sums(slices.busy)
        self.at = {place: number for number, place in enumerate(words.lines)}
        self.path: Counter[tuple[Source, int]] = Counter()
        for part in run.profile.path:
            if part.span is not None:
                self.path[part.span.source, part.span.line] += part.ticks
        self.total = max(1, sum(part.ticks for part in run.profile.path))

    def rows(self, number: int, source: Source) -> Iterator[str]:
        """The lines of a text; of a long one those that were executed."""
        texts = source.text.split("\n")
        for row, text in enumerate(texts, 1):
            found = self.at.get((number, row))
            if found is None and len(texts) > LINES:
                continue
            key = f"{self.n}-{number}-{row}"
            marked = "" if found is None else f' class="ran" data-line="{key}"'
            cells = "<td></td>" * 3 if found is None else self.cells(found, source, row)
            code = f"<td><code>{shown(text.rstrip(chr(13)))}</code></td>"
            yield f'<tr id="L{key}"{marked}><th scope="row">{row}</th>{cells}{code}</tr>'

    def cells(self, found: int, source: Source, row: int) -> str:
        """How often a line ran, how long it was at work, and its part of the critical path."""
        share = 100 * self.path[source, row] / self.total
        took = label(self.busy[found] / self.run.profile.ticks_per_microsecond)
        part = f'<meter min="0" max="100" value="{share:.1f}"></meter> {share:.1f} %'
        return (
            f"<td>{int(self.counts[found]):,}</td><td>{shown(took)}</td>"
            f"<td>{part if share >= 0.05 else ''}</td>"
        )
