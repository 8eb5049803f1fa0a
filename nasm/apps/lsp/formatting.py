"""A text put into columns, as ``fmt`` does it."""

from __future__ import annotations

from nasm.apps.lsp.analysis import Analysis
from nasm.apps.lsp.positions import Range
from nasm.base.problems import Failure
from nasm.language.formatting import formatted


def tidied(analysis: Analysis) -> list[tuple[Range, str]]:
    """The edits that format a text; none if nothing changes, or if it cannot be read."""
    text = analysis.source.text
    try:
        made = formatted(analysis.source)
    except Failure:
        return []
    return [(analysis.places.range(0, len(text)), made)] if made != text else []
