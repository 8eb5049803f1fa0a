"""Colours as prompt_toolkit calls them, for what is typed and for what is drawn."""

from __future__ import annotations

from collections.abc import Iterable

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.styles import Style

from nasm.apps.repl.panels import ScreenLine
from nasm.apps.repl.shell import Shell
from nasm.show import colours
from nasm.show.columns import in_ascii

STYLE = Style.from_dict(
    {
        "command": "bold",
        "title": "bold",
        "mark": "bold",
        **{kind: f"ansi{name.replace('_', '')}" for kind, name in colours.STYLES.items()},
    }
)
"""Kinds of word, each with its colour as prompt_toolkit calls it."""


def pieces(found: Iterable[colours.Piece], style: str = "") -> StyleAndTextTuples:
    """Pieces of a line for prompt_toolkit, with a style that all of them have."""
    return [(f"{style} class:{kind}".strip() if kind else style, text) for kind, text in found]


def painted(shell: Shell, line: ScreenLine) -> StyleAndTextTuples:
    """A line of a panel, with what in it is of a program in its colours."""
    text = in_ascii(line.text) if shell.screen.ascii_only else line.text
    style = f"class:{line.kind}" if line.kind else ""
    if line.kind == "title":
        return [(style, text)]
    return pieces(colours.line(text, shell.screen.mnemonics), style)
