"""How a console writes to a stream: in colour or not, whether it is a terminal or not.

Whatever is printed passes :class:`Visible`, so that no character of a program, a file name or a
message reaches a terminal that cannot be seen there.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from nasm.base.problems import clean

_SIZES = ("COLUMNS", "LINES")
_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)
SIZE = re.compile("0*[1-9][0-9]{0,3}", re.ASCII)
"""What a size is that a screen can have: of ``COLUMNS=0`` Rich makes no line at all."""


class Visible(Console):
    """A console that prints what it is given and nothing that cannot be seen.

    It writes to its stream and nowhere else: in the kernel of a notebook a console of Rich's would
    display what it prints, whatever stream it was given.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs, force_jupyter=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of a renderable, the text of each clean."""
        return visible(super().render(renderable, options))


def visible(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Segments, the text of each clean."""
    for segment in segments:
        seen = clean(segment.text) if segment.control is None else segment.text
        yield segment if seen == segment.text else Segment(seen, segment.style)


def settings(stream: IO[str], color: str) -> dict[str, Any]:
    """Arguments of a rich Console for a stream.

    ``auto`` is in colour on a terminal that has colours, but never with ``NO_COLOR`` and always
    with ``FORCE_COLOR`` in the environment. A stream that is no terminal is not taken for one
    because it gets colours: nothing is folded there.
    """
    if color == "auto":
        color = _wanted()
    systems = {"auto": "auto", "always": _system(), "never": None}
    return {
        "file": stream,
        "_environ": {k: v for k, v in os.environ.items() if k not in _SIZES or SIZE.fullmatch(v)},
        "highlight": False,
        "markup": False,
        "emoji": False,
        "force_terminal": stream.isatty(),
        # Rich keeps bold without colours; a reader who wants none wants plain text.
        "no_color": color == "never",
        "color_system": systems[color],
    }


def without_blanks(text: str) -> str:
    """A text without the blanks that tables fill their lines with: a pipe has no use for them."""
    return _BLANKS.sub("", text)


def plain(parts: Iterable[RenderableType], width: int | None = None) -> str:
    """Parts of a report as the command writes them to a pipe."""
    out = io.StringIO()
    console = Visible(**settings(out, "never"), width=width)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))
    return without_blanks(out.getvalue()).rstrip("\n")


def _wanted() -> str:
    """What the environment says; as is usual, an empty value says nothing."""
    if os.environ.get("NO_COLOR"):
        return "never"
    return "always" if os.environ.get("FORCE_COLOR", "") not in ("", "0") else "auto"


def _system() -> str:
    """The colours to use where they are wanted, whatever the stream is."""
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256color" in os.environ.get("TERM", "") else "standard"
