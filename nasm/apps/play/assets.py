"""The files of the page, as they are installed with this module."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from nasm.base import host_files

FOLDER = Path(__file__).with_name("web")


class Asset(NamedTuple):
    """A file, and what it is."""

    name: str
    kind: str


_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

NAMES = ("index.html", "play.css", "play.js", "editor.js", "words.js", "links.js", "icon.svg")
"""The files of the page, however its questions are answered."""

BACKEND = "backend.js"
"""The module of the page that asks; which file it is depends on who answers."""

ASSETS = {f"/{name}": Asset(name, _KINDS[Path(name).suffix]) for name in NAMES}
"""The files that a server of the page sends, by their paths."""
ASSETS["/"] = ASSETS["/index.html"]
ASSETS[f"/{BACKEND}"] = Asset("remote.js", _KINDS[".js"])


@cache
def asset(name: str) -> bytes:
    """The content of a file."""
    with host_files.opened(FOLDER / name) as stream:
        return stream.read()
