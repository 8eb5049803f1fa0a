"""Lines of the terminal as HTML for a notebook: the same text, escaped, in the same colours."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

from nasm.show.console import Visible

WIDTH = 100
"""Columns that are laid out for: a notebook does not say how wide it is."""

_STYLE = "white-space:pre;overflow-x:auto;line-height:normal;font-family:monospace"
_CODE = f'<pre style="{_STYLE}">{{code}}</pre>'


def page(parts: Iterable[str | RenderableType], width: int = WIDTH) -> str:
    """Lines and tables, one below the other, as one element."""
    console = Visible(
        record=True,
        file=io.StringIO(),
        width=width,
        color_system="truecolor",
        force_terminal=True,
        legacy_windows=False,
        no_color=False,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},
    )
    for part in parts:
        if isinstance(part, str):
            part = Text(part)
        console.print(part, soft_wrap=isinstance(part, Text))
    return console.export_html(code_format=_CODE, inline_styles=True)
