"""Lines of a width: tables, and texts that are cut, folded or wrapped to fit."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 80
"""Columns where their number is not known."""

LEAST = 20
"""Columns of a table's widest text; where there are fewer it gets lines of its own."""


_SPELT = str.maketrans({"µ": "u", "×": "x", "–": "-", "−": "-", "→": ">"})
_LONG_DOTS, _SHORT_DOTS = re.compile(r"\S\S…"), re.compile(" …")


def in_ascii(text: str) -> str:
    """The text as ASCII spells it, in as many columns; what has no spelling stays."""
    dotted = _SHORT_DOTS.sub("..", _LONG_DOTS.sub("...", text)).replace("…", "...")
    return dotted.translate(_SPELT)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], width: int, gap: str = "  "
) -> list[str]:
    """Rows under heads. A head that starts with ``>`` has its column flush right.

    What is wider than ``width`` is taken from the columns that are flush left, the widest first.
    Of one that would keep too little, each text gets a line of its own below its row.
    """
    right = [h.startswith(">") for h in heads]
    cells = [[h.removeprefix(">") for h in heads], *[list(r) for r in rows]]
    widths = [max(len(c) for c in column) for column in zip(*cells, strict=True)]
    beside, below = _parted(widths, right, width, len(gap))
    lines = []
    for row in cells:
        shown = [
            row[n].rjust(widths[n]) if right[n] else cut(row[n], widths[n]).ljust(widths[n])
            for n in beside
        ]
        lines.append(cut(gap.join(shown).rstrip(), width))
        more = gap.join(row[n] for n in below if row[n])
        lines += [cut(gap + more, width)] if more else []
    return lines


def _parted(
    widths: list[int], right: Sequence[bool], width: int, gap: int
) -> tuple[list[int], list[int]]:
    """The columns side by side, which are made to fit, and those that get their own lines."""
    beside, below = list(range(len(widths))), list[int]()
    while True:
        over = sum(widths[n] for n in beside) + gap * (len(beside) - 1) - width
        wide = max(((widths[n], n) for n in beside[1:] if not right[n]), default=None)
        if over <= 0 or wide is None:
            return beside, below
        if wide[0] - over >= LEAST:
            widths[wide[1]] -= over
            return beside, below
        beside.remove(wide[1])
        below = sorted([*below, wide[1]])


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def fitted(margin: str, text: str, width: int) -> str:
    """A line of a program after a margin; if it is too long its columns move together."""
    return cut(margin + squeezed([text], width - len(margin))[0], width)


def folded(margin: str, text: str, width: int) -> list[str]:
    """A line of a program after a margin; what does not fit continues on the next line."""
    lines = []
    while len(margin) + len(text) > width:
        kept = _kept(text, width - len(margin))
        if not kept.strip():
            break
        lines.append(margin + kept.rstrip())
        margin = " " * (len(margin.rstrip()) - 1) + margin.rstrip()[-1:] + " "
        text = "    " + text[len(kept) :].strip()
    return [*lines, cut(margin + text, width)]


def _kept(text: str, room: int) -> str:
    """What stays in the first line: up to a gap between columns, else a comma, else a blank."""
    for between in ("  ", ", ", " "):
        at = text.rfind(between, 0, room + 1)
        if at > 0 and text[:at].strip():
            return text[: at + len(between.rstrip())]
    return ""


_COLUMNS = re.compile(r"(?<=\S)\s{3,}")


def squeezed(texts: Sequence[str], width: int) -> list[str]:
    """Lines of a program; if one is too long the columns of all move together.

    What is taken out is blank in every line that has columns, so that they stay below each other.
    """
    lines = [t.expandtabs(8).rstrip() for t in texts]
    if all(len(line) <= width for line in lines):
        return lines
    gone = _gone([line for line in lines if _COLUMNS.search(line)])
    return [
        "".join(c for n, c in enumerate(line) if n not in gone) if _COLUMNS.search(line) else line
        for line in lines
    ]


def _gone(texts: Sequence[str]) -> set[int]:
    """The columns that all of some lines can do without: two blanks stay of each gap."""
    longest = max(map(len, texts), default=0)
    blank = [all(t[n : n + 1].strip() == "" for t in texts) for n in range(longest)]
    start = next((n for n, b in enumerate(blank) if not b), longest)
    return {
        n for n in range(start, longest) if blank[n] and blank[n - 1] and blank[n - 2] and n >= 2
    }


def wrapped(
    items: Iterable[str], width: int, indent: str = "  ", gap: str = ",  ", hang: str = ""
) -> list[str]:
    """Items one after the other in lines no wider than the screen, the others after a ``hang``."""
    lines: list[str] = []
    line = ""
    for item in items:
        if line and len(indent) + len(line) + len(gap) + len(item) > width:
            lines.append(indent + line)
            line = hang + item
        else:
            line = f"{line}{gap}{item}" if line else item
    return [*lines, indent + line] if line else lines


def hanging(line: str, width: int) -> list[str]:
    """A sentence in lines, those after the first a little to the right."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_on_hyphens=False, replace_whitespace=False
    )
