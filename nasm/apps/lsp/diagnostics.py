"""The diagnostics of a text, as an editor marks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nasm.apps.lsp.analysis import Analysis
from nasm.apps.lsp.navigation import within_library
from nasm.apps.lsp.positions import Position, Range, TextPositions
from nasm.base.problems import Problem, clean
from nasm.base.records import dataclass, replace
from nasm.base.source import Span


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that matters: in a file, which is None for the text itself."""

    file: str | None
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What to type in this text against what is marked at a range: insertions, by their places."""

    range: Range
    code: str
    title: str
    insertions: tuple[tuple[Position, str], ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem at its place; ``severity`` is error, warning or note."""

    range: Range
    severity: str
    code: str
    message: str
    related: tuple[Related, ...] = ()


def diagnostics(analysis: Analysis, problems: Iterable[Problem]) -> list[Diagnostic]:
    """Problems as they are marked, each once."""
    made = (_diagnostic(analysis, problem) for problem in problems)
    return list(dict.fromkeys(made))


def fixes(analysis: Analysis, problems: Iterable[Problem]) -> list[Fix]:
    """What problems propose to add to the text; what takes other files is not among it."""
    found = []
    for problem in problems:
        edits = problem.facts.get("edits", ())
        own = _within(analysis, problem.span)
        if own is None or not edits or any(e["file"] != analysis.source.name for e in edits):
            continue
        places = analysis.places
        insertions = tuple(
            (places.position(analysis.source.offset(e["line"]) + e["column"] - 1), e["insert"])
            for e in edits
        )
        title = "add " + " and ".join(f"'{e['insert'].strip()}'" for e in edits)
        found.append(Fix(places.range(own.start, own.end), problem.code, title, insertions))
    return found


def included(analysis: Analysis, problems: Iterable[Problem]) -> dict[str, list[Diagnostic]]:
    """Problems in included texts, as they are marked there, by file.

    Those of the library are not among them: the error is in what it is called with.
    """
    found: dict[str, list[Diagnostic]] = {}
    for problem in problems:
        span = problem.span
        if span is None or not span.source.label or within_library(span.source.name):
            continue
        places = TextPositions(span.source.text)
        message = problem.message + (f"\n{problem.hint}" if problem.hint else "")
        led = [_at(analysis, frame.span, f"in {frame.what}") for frame in reversed(span.chain)]
        related = tuple(replace(r, file=r.file or analysis.source.name) for r in led)
        marked = places.range(span.start, span.end)
        severity = problem.severity.value
        made = Diagnostic(marked, severity, problem.code, clean(message), related)
        if made not in found.setdefault(span.source.name, []):
            found[span.source.name].append(made)
    return found


def _diagnostic(analysis: Analysis, problem: Problem) -> Diagnostic:
    places, own = analysis.places, _within(analysis, problem.span)
    message = problem.message + (f"\n{problem.hint}" if problem.hint else "")
    # Problems without a place in this text are reported at its beginning.
    marked = places.range(own.start, own.end) if own is not None else _first(places)
    related = tuple(_related(analysis, problem, own))
    return Diagnostic(marked, problem.severity.value, problem.code, clean(message), related)


def _first(places: TextPositions) -> Range:
    return places.range(0, len(places.line(0)))


def _within(analysis: Analysis, span: Span | None) -> Span | None:
    """The place of this text that a problem is at, or from where it was led to its place."""
    if span is None:
        return None
    led = (frame.span for frame in reversed(span.chain))
    return next((s for s in (span, *led) if s.source == analysis.source), None)


def _related(analysis: Analysis, problem: Problem, own: Span | None) -> Iterator[Related]:
    span = problem.span
    if span is not None and span.source != analysis.source:
        yield _at(analysis, span, problem.message)
    for frame in reversed(span.chain if span is not None else ()):
        yield _at(analysis, frame.span, f"in {frame.what}")
    for note in problem.notes:
        where = note.span or own
        if where is not None:
            yield _at(analysis, where, note.message)


def _at(analysis: Analysis, span: Span, message: str) -> Related:
    inside = span.source == analysis.source
    places = analysis.places if inside else TextPositions(span.source.text)
    file = None if inside else span.source.name
    return Related(file, places.range(span.start, span.end), clean(message))
