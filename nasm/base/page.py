"""A page: a document of HTML that is complete in itself, and its picture."""

from __future__ import annotations

import os

from nasm.base import host_files
from nasm.base.records import dataclass

FRAME = 640
"""Pixels of height that a page has in a notebook."""


@dataclass(frozen=True, slots=True, repr=False)
class RunPage:
    """A page of a run: ``html`` is a whole document that needs no network, ``svg`` its timeline."""

    html: str
    svg: str

    def save(self, path: str | os.PathLike[str], over: bool = True) -> None:
        """Write the page to a file, or its picture if the name ends in ``.svg``.

        Raises OSError; FileExistsError if it may not be written ``over`` a file.
        """
        name = os.fspath(path)
        with host_files.whole(name, over) as out:
            out.write(self.content(name).encode())

    def content(self, path: str) -> str:
        """What a file of this name gets."""
        return self.svg if path.lower().endswith(".svg") else self.html

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which reaches nothing of the notebook."""
        from html import escape

        return (
            f'<iframe sandbox="allow-scripts" width="100%" height="{FRAME}" '
            f'style="border:0" srcdoc="{escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<page of {len(self.html):,} characters: page.save('run.html') writes it>"
