"""Comments behind and between lines: what is allowed there, and which line of Python made them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from nasm.allowing import Allow
from nasm.problems import in_line
from nasm.source import Source, Span

LONGEST = 100
"""Characters of a line of Python that a comment repeats."""

Remark = Callable[[Span], str]
"""What to say above the lines that a place led to; nothing if it is empty."""

_MEANING = re.compile(r"nasm(?=:)")


def python_line(span: Span) -> str:
    """``kernel.py:41  nisa.nc_matmul(…)`` of a place in Python; nothing of one in a program."""
    name = span.source.shown
    if not name.endswith(".py"):
        return ""
    text = span.source.line(span.line).strip()
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return f"{os.path.basename(name)}:{span.line}  {text}"


def comment(text: str) -> str:
    """A comment that nobody but people reads."""
    return "; " + _MEANING.sub("nasm ", in_line(text))


class Allowed:
    """What comments of a text allow, to be written again where their lines have come to."""

    def __init__(self, allows: Iterable[Allow]) -> None:
        self._by_line: dict[int, list[tuple[Source, Allow]]] = {}
        for allow in allows:
            if allow.span is not None:
                known = self._by_line.setdefault(allow.line, [])
                known.append((allow.span.source, allow))

    def behind(self, span: Span | None) -> str:
        """The comment behind what is written at a place, or an empty string."""
        if span is None or not self._by_line:
            return ""
        last = span.source.position(max(span.start, span.end - 1))[0]
        by_reason: dict[str, list[str]] = {}
        for line in range(span.line, last + 1):
            for source, allow in self._by_line.get(line, ()):
                if source is span.source or source == span.source:
                    by_reason.setdefault(allow.reason, []).append(allow.code)
        said = (f"; nasm: allow {', '.join(c)} {why}" for why, c in by_reason.items())
        return "  ".join(said)
