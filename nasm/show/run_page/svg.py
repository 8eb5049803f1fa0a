"""The timeline of a run as an SVG: for papers, for a README, and where a page runs no script.

It is as small as what can be seen of it: slices of a kind that touch at the scale of the picture
are one, and those of a lane and a kind are one path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nasm.analysis.profile.intervals import Times
from nasm.analysis.profile.records import MOVERS
from nasm.show.run_page.escaped import shown
from nasm.show.run_page.record import RunRecord, kinds
from nasm.show.run_page.scale import label, ticks
from nasm.show.run_page.slices import (
    ARRIVED,
    DESCRIBED,
    MADE_READY,
    MOVED,
    NOT_STARTED,
    RING,
    TimelineLane,
)

WIDTH, LEFT, RIGHT, TOP = 960, 92, 12, 54
HIGH, ROW, GAP = 18, 9, 5
"""Heights of a lane with one row, of each of several rows, and between lanes."""

FINEST = 0.75
"""Slices of a kind that are closer than so many pixels are one."""

LETTER = 6.4
"""Pixels of a letter of the labels."""

KIND = {MADE_READY: "ready", DESCRIBED: "descriptors", MOVED: "moved"}
"""Classes of slices that are no instructions."""

STYLE = """\
text{font:11px system-ui,sans-serif;fill:#1b1f24}.h{font-weight:600;font-size:13px}.d{fill:#57606a}
.k0{fill:#8c959f}.k1{fill:#0969da}.k2{fill:#d9822b}.k3{fill:#1a7f64}.k4{fill:#a475f9}.k5{fill:#b8a000}
.k6{fill:#cf4a7d}.k7{fill:#3bb3c3}.ready{fill:#b35900}.descriptors{fill:#7d8590}.moved{fill:#4a8f29}
.l{fill:#fff;font-size:10px}.w{fill:url(#w)}.wd{fill:url(#wd)}.wl{fill:#57606a;font-size:10px}
.g{stroke:#d0d7de;stroke-width:1}.p{fill:none;stroke:#cf222e;stroke-width:1.5}.b{fill:#fff}
.s{stroke:#8c959f;stroke-width:1}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.d,.wl{fill:#9198a1}.g{stroke:#3d444d}
.b{fill:#0d1117}.l{fill:#fff}.p{stroke:#ff7b72}.s{stroke:#656c76}}"""
"""How a picture of its own looks; one within a page looks as the page says."""

HATCHES = (
    '<pattern id="w" width="5" height="5" patternUnits="userSpaceOnUse">'
    '<path class="s" d="M0 5L5 0"/></pattern>'
    '<pattern id="wd" width="5" height="5" patternUnits="userSpaceOnUse">'
    '<path class="s" d="M0 0L5 5M0 5L5 0"/></pattern>'
)
"""Waits are hatched: for DMA with crosses."""


def svg(runs: Sequence[RunRecord], *, styled: bool = True) -> str:
    """The timelines of some runs on one scale."""
    return "\n".join(_Picture(runs).made(styled)) + "\n"


class _Picture:
    """Draws from top to bottom."""

    def __init__(self, runs: Sequence[RunRecord]) -> None:
        self.runs, self.kinds = runs, kinds(runs)
        # A run in which nothing took time has no scale of its own.
        self.micro = max([run.now / run.profile.ticks_per_microsecond for run in runs] + [1e-3])
        self.y = 0.0
        self.parts: list[str] = []

    def made(self, styled: bool) -> list[str]:
        """The whole of it."""
        for run in self.runs:
            self.run(run)
        self.legend()
        high = round(self.y + 8)
        names = ", ".join(run.profile.title for run in self.runs)
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" '
            f'role="img" aria-label="{shown(f"timeline of {names}")}">'
        ]
        if styled:
            head += [f"<style>{STYLE}</style>", f'<rect class="b" width="100%" height="{high}"/>']
        return [*head, f"<defs>{HATCHES}</defs>", *self.parts, "</svg>"]

    def run(self, run: RunRecord) -> None:
        """A heading, an axis, and the lanes."""
        name = f"{run.label}: " if run.label else ""
        time = label(run.now / run.profile.ticks_per_microsecond)
        self.text(4, self.y + 16, f"{name}{run.profile.title}: {time}", "h")
        self.text(4, self.y + 31, run.profile.verdict, "d")
        top = self.y + TOP
        lanes = self.lanes(run)
        bottom = top + sum(_high(lane) + GAP for _, lane in lanes)
        for at, text in ticks(0, self.micro, 8):
            x = self.x(at, 1)
            self.parts.append(f'<path class="g" d="M{x:g} {top - 4:g}V{bottom:g}"/>')
            self.text(x, top - 6, text, "d", "middle" if at else "start")
        self.y, middles = top, dict[int, float]()
        for number, lane in lanes:
            middles[number] = self.y + _high(lane) / 2
            self.lane(run, number, lane)
        self.path(run, middles)
        self.y += 10

    def lanes(self, run: RunRecord) -> list[tuple[int, TimelineLane]]:
        """The lanes in which something happened."""
        used = {*run.chart.slices.lane.tolist(), *run.chart.shared[1].tolist()}
        return [(n, lane) for n, lane in enumerate(run.chart.lanes) if n in used]

    def lane(self, run: RunRecord, number: int, lane: TimelineLane) -> None:
        """The slices of a lane by kind, and its waits."""
        slices = run.chart.slices
        self.text(LEFT - 8, self.y + _high(lane) / 2 + 4, lane.name, "", "end")
        mine = np.flatnonzero(slices.lane == number)
        if not len(mine):
            which, lanes = run.chart.shared
            mine = which[lanes == number]
        self.waits(run, mine, lane)
        classes = self.classes(run, mine)
        for name in sorted({*classes}):
            those = mine[classes == name]
            self.boxes(run, those, lane, name)
        self.y += _high(lane) + GAP

    def classes(self, run: RunRecord, mine: Times) -> np.ndarray:
        """How slices look: by their mnemonic, or by what they are."""
        numbers = {name: n + 1 for n, name in enumerate(self.kinds)}
        kinds = np.array([f"k{numbers.get(name, 0)}" for name in run.words.strings])
        found = kinds[run.names[mine]].astype("<U12")
        what = run.chart.slices.what[mine]
        for kind, name in KIND.items():
            found[what == kind] = name
        found[np.isin(what, (NOT_STARTED, ARRIVED))] = ""
        return found

    def boxes(self, run: RunRecord, those: Times, lane: TimelineLane, name: str) -> None:
        """Slices that look the same, as one path, and what they are where there is room."""
        if not name:
            return
        slices, drawn, words = run.chart.slices, list[str](), list[tuple[float, float, str]]()
        tall = HIGH if lane.rows == 1 else ROW - 1
        for row in range(lane.rows):
            rows = those if lane.rows == 1 else those[slices.row[those] == row]
            begin, end = slices.start[rows], slices.start[rows] + slices.length[rows]
            for low, high, first in self.joined(run, begin, end):
                y = self.y + row * ROW
                drawn.append(f"M{low:g} {y:g}h{high - low:g}v{tall}h{low - high:g}z")
                text = run.words.strings[run.names[rows[first]]] if tall == HIGH else ""
                if name.startswith("k") and len(text) * LETTER < high - low - 4:
                    words.append(((low + high) / 2, y + 13, text))
        if drawn:
            self.parts.append(f'<path class="{name}" d="{"".join(drawn)}"/>')
        for x, y, text in words:
            self.text(x, y, text, "l", "middle")

    def waits(self, run: RunRecord, mine: Times, lane: TimelineLane) -> None:
        """What was waited for, hatched, with names where there is room."""
        slices = run.chart.slices
        if lane.kind == RING:
            return
        mine = mine[slices.wait[mine] > 0]
        if not len(mine) or (slices.lane[mine] != run.chart.lanes.index(lane)).any():
            return
        high, names = _high(lane), list[str]()
        for why in np.unique(slices.why[mine]).tolist():
            those = mine[slices.why[mine] == why]
            ends = slices.start[those]
            name, drawn = run.waits[why], []
            for low, up, _ in self.joined(run, ends - slices.wait[those], ends):
                if up - low < 1:
                    continue
                drawn.append(f"M{low:g} {self.y + 3:g}h{up - low:g}v{high - 6}h{low - up:g}z")
                text = f"waits for {name}"
                text = text if len(text) * LETTER < up - low - 8 else name
                if len(text) * LETTER < up - low - 8:
                    names.append(_box(low, up, self.y + high / 2, text))
            if drawn:
                kind = "wd" if name == MOVERS else "w"
                self.parts.append(f'<path class="{kind}" d="{"".join(drawn)}"/>')
        self.parts += names

    def path(self, run: RunRecord, middles: dict[int, float]) -> None:
        """The critical path as one line."""
        path, last, drawn = run.path, (-9.0, -9.0), list[str]()
        lanes = run.chart.slices.lane[path.slice].tolist()
        for lane, begin, end in zip(lanes, path.begin.tolist(), path.end.tolist(), strict=True):
            y = middles.get(lane, 0.0)
            low, high = (self.x(at, run.profile.ticks_per_microsecond) for at in (begin, end))
            if (high - last[0] < FINEST and y == last[1]) or not y:
                continue
            drawn.append(f"{'L' if drawn else 'M'}{low:g} {y:g}H{high:g}")
            last = high, y
        if drawn:
            self.parts.append(f'<path class="p" d="{"".join(drawn)}"/>')

    def legend(self) -> None:
        """What colours and hatches are."""
        x, used = 4.0, [(f"k{n + 1}", name) for n, name in enumerate(self.kinds)]
        whats = {int(what) for run in self.runs for what in np.unique(run.chart.slices.what)}
        used += [("k0", "other instructions")]
        used += [(KIND[what], WORDS[what]) for what in KIND if what in whats]
        used += [("w", "waits for what is named")]
        used += [("wd", "waits for DMA")] * any(MOVERS in run.waits for run in self.runs)
        for name, text in (*used, ("p", "critical path")):
            width = 26 + len(text) * LETTER
            if x + width > WIDTH:
                x, self.y = 4.0, self.y + 16
            if name == "p":
                self.parts.append(f'<path class="p" d="M{x:g} {self.y + 5:g}h10"/>')
            else:
                y = self.y
                self.parts.append(
                    f'<rect class="{name}" x="{x:g}" y="{y:g}" width="10" height="10"/>'
                )
            self.text(x + 14, self.y + 9, text, "d")
            x += width
        self.y += 12

    # -- places

    def x(self, at: float, per_micro: float) -> float:
        """Where a time is, to a tenth of a pixel."""
        return round(LEFT + at / per_micro / self.micro * (WIDTH - LEFT - RIGHT), 1)

    def joined(
        self, run: RunRecord, begin: Times, end: Times
    ) -> Iterator[tuple[float, float, int]]:
        """Stretches in pixels, those that touch as one, each with the first that is in it."""
        if not len(begin):
            return
        scale = (WIDTH - LEFT - RIGHT) / self.micro / run.profile.ticks_per_microsecond
        low, high = LEFT + begin * scale, np.maximum.accumulate(LEFT + end * scale)
        new = np.concatenate(([True], low[1:] > high[:-1] + FINEST))
        first = np.flatnonzero(new)
        last = np.append(first[1:], len(low)) - 1
        lows, highs = low[first].round(1).tolist(), high[last].round(1).tolist()
        for one, other, at in zip(lows, highs, first.tolist(), strict=True):
            yield one, max(other, round(one + FINEST, 1)), at

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """A text, if there is one."""
        if text:
            anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
            named = f' class="{kind}"' if kind else ""
            self.parts.append(f'<text x="{x:g}" y="{y:g}"{named}{anchored}>{shown(text)}</text>')


WORDS = {MADE_READY: "a unit made ready", DESCRIBED: "descriptors made", MOVED: "a transfer"}


def _box(low: float, high: float, middle: float, name: str) -> str:
    """The name of a wait, on a ground of its own."""
    x, wide = (low + high) / 2, len(name) * LETTER + 4
    return (
        f'<rect class="b" x="{x - wide / 2:g}" y="{middle - 6:g}" width="{wide:g}" height="12"/>'
        f'<text class="wl" x="{x:g}" y="{middle + 4:g}" text-anchor="middle">{shown(name)}</text>'
    )


def _high(lane: TimelineLane) -> int:
    return HIGH if lane.rows == 1 else max(HIGH, lane.rows * ROW)
