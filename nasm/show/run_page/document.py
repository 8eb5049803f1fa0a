"""The page of a run as one file of HTML that needs no network: tables, and a script that draws.

What the script draws can be read in tables, too, and is printed as the picture of :mod:`svg`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from nasm.base import host_files
from nasm.show.run_page.columns import packed
from nasm.show.run_page.escaped import shown
from nasm.show.run_page.headline import headline
from nasm.show.run_page.number_tables import number_tables
from nasm.show.run_page.program_text import program_text
from nasm.show.run_page.record import RunRecord, kinds
from nasm.show.run_page.svg import svg

SCRIPTS = ("data.js", "timeline.js", "page.js")
"""The script in the order of its parts, each of which uses those before it."""


@cache
def asset(name: str) -> str:
    """A file of the page's own, as it is installed with this module."""
    return host_files.read_text(Path(__file__).with_name(name))


def document(runs: Sequence[RunRecord], comparison: tuple[str, str] = ("", "")) -> str:
    """The page of a run, or of two on one scale; ``comparison`` is a sentence and a text."""
    script, style = _script(), asset("page.css")
    data = packed(
        {
            f"{n}.{name}": column
            for n, run in enumerate(runs)
            for name, column in run.columns().items()
        },
        {"kinds": list(kinds(runs)), "runs": [run.others() for run in runs]},
    )
    title = " and ".join(dict.fromkeys(run.profile.title for run in runs))
    return "\n".join((
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{shown(title)}</title>",
        f"<style>{style}</style>\n</head>\n<body>",
        *_body(runs, comparison),
        f'<script type="text/plain" id="data">{data}</script>',
        f"<script>{script}</script>\n</body>\n</html>\n",
    ))  # fmt: skip


def _script() -> str:
    return '"use strict";(() => {\n' + "".join(map(asset, SCRIPTS)) + "})();\n"


class FrameSources(NamedTuple):
    """The only script and the only style of each page, as a Content-Security-Policy names them."""

    script: str
    style: str


@cache
def sources() -> FrameSources:
    """What a document has to allow that shows such a page in a frame of its own text."""
    return FrameSources(f"'{_hash(_script())}'", f"'{_hash(asset('page.css'))}'")


def _policy() -> str:
    """What the page may do: run this script, look like this, and nothing with a network."""
    return (
        f"default-src 'none'; script-src {sources().script}; style-src {sources().style}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _body(runs: Sequence[RunRecord], comparison: tuple[str, str]) -> Iterator[str]:
    yield '<a class="skip" href="#tables">skip the timeline: all of it in tables</a>'
    yield "<header>"
    for n, run in enumerate(runs):
        yield from headline(n, run)
    said, text = comparison
    if said:
        yield f'<p class="verdict">{shown(said)}</p>'
    yield "</header>\n<main>"
    yield asset("timeline.html")
    yield f'<figure class="still">{svg(runs, styled=False)}</figure>'
    if text:
        body = f"<pre>{escape(text)}</pre>"
        yield f'<section aria-labelledby="c"><h2 id="c">Comparison</h2>{body}</section>'
    yield '<div class="columns">'
    for n, run in enumerate(runs):
        yield from program_text(n, run)
    yield '</div>\n<section id="tables" aria-label="tables">'
    for n, run in enumerate(runs):
        yield from number_tables(n, run)
    yield "</section>\n</main>"
