"""Markdown as the generated pages write it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NOTE = "<!-- Made by docs/generate.py from the tables of the target: do not edit. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are escaped."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(cell(c) for c in row)} |" for row in rows]
    return "\n".join(lines)


def cell(text: str) -> str:
    """Text that may stand in a table."""
    return prose(" ".join(text.split())).replace("|", "\\|")


def prose(text: str) -> str:
    """Plain text with `code` in it: what Markdown would take for markup is escaped."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"[<*]", r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)


def code(text: str) -> str:
    """Text as code, or nothing."""
    return f"`{text}`" if text else ""


def joined(*parts: str) -> str:
    """Paragraphs, those that are empty left out, as a whole page."""
    return "\n\n".join(p for p in parts if p) + "\n"
