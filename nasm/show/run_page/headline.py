"""What a reader of a page sees first: what ran, how long, what bound it, its problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.base.problems import Problem
from nasm.base.source import Span
from nasm.show.run_page.escaped import shown
from nasm.show.run_page.record import RunRecord
from nasm.show.run_page.scale import label

HELPS, FOUND = 6, 20
"""How many remedies, and how many warnings, a page has."""


def headline(n: int, run: RunRecord) -> Iterator[str]:
    """What ran, how long, what bound it, what would help, and its problems."""
    profile = run.profile
    title = f"{run.label}: {profile.title}" if run.label else profile.title
    time = label(run.now / profile.ticks_per_microsecond)
    yield f'<div class="run"><h1>{shown(title)} <b class="time">{shown(time)}</b></h1>'
    facts = f"{run.now / profile.ticks_per_microsecond:,.3f} µs, {profile.status.value}"
    if run.quantum:
        short = label(run.quantum / profile.ticks_per_microsecond)
        facts += (
            f"; {run.slices:,} slices are drawn as {len(run.chart.slices):,}: those shorter than "
            f"{short} are joined"
        )
    yield f'<p class="facts">{shown(facts)}</p>'
    if profile.verdict:
        yield f'<p class="verdict">{_verdict(n, run)}</p>'
    yield from _helps(n, run)
    yield from _problems(n, run, run.hazards, "hazard", "Hazards")
    yield from _problems(n, run, profile.problems, "hazard", "The run did not end well")
    warnings = [finding.problem for finding in profile.findings]
    yield from _problems(n, run, warnings, "warning", "Warnings")
    yield "</div>"


def _helps(n: int, run: RunRecord) -> Iterator[str]:
    """What would help most."""
    helps = [outcome for outcome in run.profile.outcomes if outcome.saved > 0][:HELPS]
    if helps:
        items = "".join(
            f"<li>{_lane_link(n, run, one.name)} <b>−{100 * one.saved / run.now:.1f} %</b> "
            f"{shown(label(one.saved / run.profile.ticks_per_microsecond))}</li>"
            for one in helps
        )
        yield f'<p class="head">What would help, each by itself:</p><ul class="helps">{items}</ul>'


def _verdict(n: int, run: RunRecord) -> str:
    """The verdict, as a link to the line with most of the critical path."""
    first = next((line for line in run.profile.path if line.span and line.steps), None)
    link = "" if first is None else _place(n, run, first.span)
    where = f" The line with most of it: {link}." if link else ""
    return f"{shown(run.profile.verdict)}.{where}"


def _lane_link(n: int, run: RunRecord, name: str) -> str:
    """What would help, as a link to the lane that it names if it names one."""
    words = name.split()
    for at, lane in enumerate(run.chart.lanes):
        if lane.name in words or (lane.kind == "ring" and "DMA" in words):
            return f'<a href="#timeline" data-lane="{n}:{at}">{shown(name)}</a>'
    return shown(name)


def _problems(
    n: int, run: RunRecord, problems: Sequence[Problem], kind: str, title: str
) -> Iterator[str]:
    """Problems, with links to all of their places."""
    if not problems:
        return
    opened = " open" if kind == "hazard" else ""
    yield f'<details class="{kind}"{opened}><summary>{title}: {len(problems):,}</summary><ul>'
    for problem in problems[:FOUND]:
        places = [problem.span, *(note.span for note in problem.notes)]
        links = " and ".join(dict.fromkeys(filter(None, (_place(n, run, s) for s in places))))
        notes = "".join(f"<br>{_lines(note.message)}" for note in problem.notes)
        hint = f'<br><i class="hint">{_lines(problem.hint)}</i>' if problem.hint else ""
        yield (
            f"<li><b>{shown(problem.code)}</b> {links}{': ' * bool(links)}"
            f"{_lines(problem.message)}{notes}{hint}</li>"
        )
    if len(problems) > FOUND:
        yield f"<li>… and {len(problems) - FOUND:,} more</li>"
    yield "</ul></details>"


def _place(n: int, run: RunRecord, span: Span | None) -> str:
    """A link to a line; empty if there is none."""
    if span is None:
        return ""
    for number, source in enumerate(run.words.sources):
        if source is span.source or source == span.source:
            at = f"{n}-{number}-{span.line}"
            return f'<a href="#L{at}" data-line="{at}">{shown(span.brief)}</a>'
    return shown(f"{span.source.shown}:{span.line}")


def _lines(text: str) -> str:
    """A text of several lines."""
    return "<br>".join(map(shown, text.split("\n")))
