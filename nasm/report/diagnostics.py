"""Diagnostics for a terminal: the text of :func:`nasm.problems.render`, coloured and fitted.

On a terminal, sentences are folded at its width and a long line of a program is cut around its
caret; without a width nothing is folded or cut, so that what is piped can be searched.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from rich.cells import cell_len
from rich.text import Text

from nasm.codes.row import family
from nasm.problems import Family, Problem, advice
from nasm.source import Span

STYLES = {"error": "bold red", "hazard": "bold magenta", "warning": "bold yellow"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_GAP = "…"


def clean(text: str) -> str:
    """Text with what would move a terminal's cursor made visible and harmless."""
    return _CONTROL.sub("\ufffd", text).expandtabs(8)


def label(problem: Problem) -> str:
    """What a problem is called: a warning, a hazard or an error."""
    if problem.warning:
        return "warning"
    return "hazard" if family(problem.code) is Family.HAZARD else "error"


def diagnostic(problem: Problem, width: int | None = None) -> Text:
    """A problem with its excerpt, expansions, notes and hint."""
    kind = label(problem)
    text = Text()
    head = folded(f"{kind}[{problem.code}]: {problem.message}", "", width)
    text.append(head[0][: len(f"{kind}[{problem.code}]")], STYLES[kind])
    text.append(head[0][len(f"{kind}[{problem.code}]") :], "bold")
    for line in head[1:]:
        text.append("\n" + line, "bold")
    if problem.span is not None:
        _excerpt(text, problem.span, STYLES[kind], width)
        for frame in reversed(problem.span.chain):
            _append(text, f"  in {frame.what}, {frame.span}", "dim", width)
    for note in problem.notes:
        where = f" ({note.span})" if note.span else ""
        _append(text, f"  note: {note.message}{where}", "cyan", width)
    for line in advice(problem):
        _append(text, f"  {line}", "green", width)
    return text


def diagnostics(problems: Iterable[Problem], width: int | None = None) -> Text:
    """Problems one below the other, an empty line between them."""
    return Text("\n\n").join(diagnostic(p, width) for p in problems)


def _append(text: Text, line: str, style: str, width: int | None) -> None:
    """Lines with the word before their first colon in colour."""
    lines = folded(line, "        ", width)
    word, colon, rest = lines[0].partition(": ")
    if not colon or not word.strip().isalpha():
        text.append("\n" + "\n".join(lines), style)
        return
    text.append(f"\n{word}{colon}", style)
    text.append("\n".join([rest, *lines[1:]]))


def folded(text: str, indent: str, width: int | None) -> list[str]:
    """A sentence in lines of at most a width, all but the first indented; its own lines stay."""
    lines: list[str] = []
    for line in clean(text).split("\n"):
        # A map or a table among the lines keeps its columns.
        if width is None or cell_len(line) <= width or line.startswith("    "):
            lines.append(line)
            continue
        own = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(
            line,
            width,
            initial_indent="",
            subsequent_indent=indent or own + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines or [""]


def _excerpt(text: Text, span: Span, style: str, width: int | None) -> None:
    number, line, column, length = span.excerpt()
    margin = " " * len(str(number))
    before, marked = clean(line[:column]), line[column : column + length]
    shown = clean(line)
    start = cell_len(before)
    size = max(1, cell_len(shown[len(before) :][: len(clean(marked))]))
    if width is not None:
        shown, start, size = _cut(shown, start, size, width - len(margin) - 3)
    text.append(f"\n{margin}--> ", "blue").append(clean(str(span)))
    text.append(f"\n{margin} |", "blue")
    text.append(f"\n{number} | ", "blue").append(shown)
    text.append(f"\n{margin} | ", "blue").append(" " * start)
    text.append("^" * size, style)


def _cut(line: str, start: int, size: int, room: int) -> tuple[str, int, int]:
    """The part of a line around its caret that fits, with the caret's place in it."""
    if cell_len(line) <= room or room < 20:
        return line, start, size
    first = 0
    if start + size > room - 1:
        # A third of what comes before stays: the mark is what matters, and where it ends.
        first = max(0, min(start - room // 3, start + size - room + 2))
    head = _GAP if first else ""
    rest = line[first + len(head) :]
    tail = _GAP if len(rest) + len(head) > room else ""
    shown = head + rest[: room - len(head) - len(tail)] + tail
    start -= first
    return shown, start, max(1, min(size, room - start))
