"""Explanations of diagnostics, for a terminal or as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nasm.base.problems import Refused, did_you_mean, quoted
from nasm.language import codes
from nasm.language.codes.row import Code
from nasm.show.colours import code, painted
from nasm.show.documents import Key, Shape

_QUOTED = re.compile(r"`((?:\\.|[^`])*)`")


def find(code: str) -> Code:
    """The row of a code; raises Refused, with what may have been meant."""
    row = codes.find(code)
    if row is None:
        hint = did_you_mean(code.upper(), [r.code for r in codes.table()])
        raise Refused(
            "E0807",
            f"no diagnostic has the code '{quoted(code)}'",
            hint or "'neuron-nasm explain' lists them all",
        )
    return row


def rich_code(row: Code) -> RenderableType:
    """A diagnostic at length."""
    parts: list[RenderableType] = [
        Text.assemble((row.code, "bold red"), "  ", (row.title, "bold")),
        Text(f"({row.family.value})", "dim"),
    ]
    for paragraph in row.text.split("\n\n"):
        parts += [Text(), prose(paragraph)]
    for name, example, style in (("Wrong", row.wrong, "red"), ("Right", row.right, "green")):
        if example:
            parts += [Text(), Text(f"{name}:", style)]
            parts += [Padding(painted(code(line)), (0, 0, 0, 4)) for line in example.split("\n")]
    return Group(*parts)


def prose(text: str) -> Text:
    """A paragraph with the text in backquotes in colour instead."""
    made = Text()
    at = 0
    for match in _QUOTED.finditer(text):
        made.append(text[at : match.start()]).append(match[1], "bold cyan")
        at = match.end()
    return made.append(text[at:])


def rich_list(rows: Iterable[Code]) -> RenderableType:
    """All codes with their titles, by family."""
    return Group(*_families(rows))


def _families(rows: Iterable[Code]) -> Iterator[RenderableType]:
    for family, members in groupby(rows, key=lambda r: r.family):
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="bold red", no_wrap=True)
        table.add_column(overflow="fold")
        for row in members:
            table.add_row(row.code, Text(row.title))
        yield Text(family.value[0].upper() + family.value[1:], "bold")
        yield Padding(table, (0, 0, 1, 2))


CODE: Shape = (
    Key("code", "a code"),
    Key("title", "what it means, in a few words"),
    Key("family", "whose fault it is; see `family` of a problem"),
    Key("text", "what it means, at length; words of the language are in backquotes"),
    Key("wrong", "lines that lead to it; may be empty"),
    Key("right", "lines that do not; may be empty"),
)
