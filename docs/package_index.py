"""What a package index shows: the README, whose links lead somewhere, and the project's addresses.

The address of the repository is ``url`` of ``tool.hatch.metadata.hooks.custom`` in pyproject.toml,
and nowhere else. While it is empty, a link to a file is shown as its words and the name of the
file; with it, as a link to that file there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)#\s]+)(#[^)\s]*)?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
WHERE = "Files named here, such as `docs/guide/index.md`, are in the source distribution."

PLACES = {
    "Homepage": "",
    "Documentation": "docs/guide/index.md",
    "Changelog": "docs/changelog.md",
    "Source": "",
}
"""What the index lists beside the README: names, and files of the repository."""


def at(url: str, file: str, shown: bool = False) -> str:
    """The address of a file of a repository, in the form that GitHub and GitLab have.

    A picture that is ``shown`` is the file itself, and not a page about it.
    """
    return f"{url}/{'raw' if shown else 'blob'}/HEAD/{file}" if file else url


def for_index(text: str, url: str) -> str:
    """The text without a relative link."""

    def link(found: re.Match[str]) -> str:
        picture, words, file, anchor = found.groups("")
        if url:
            return f"{picture}[{words}]({at(url, file, bool(picture))}{anchor})"
        return f"`{file}`" if words == file else f"{words} (`{file}`)"

    parts = FENCED.split(text)  # every second one is fenced
    parts[::2] = [RELATIVE.sub(link, part) for part in parts[::2]]
    made = "".join(parts).rstrip()
    return f"{made}\n" if url else f"{made}\n\n{WHERE}\n"


def checked(url: object) -> str:
    """An address without a slash at its end; raises ValueError for what is none."""
    if not isinstance(url, str):
        raise ValueError(f"url of the metadata hook is a text, not {url!r}")
    parts = urlsplit(url)
    if url and (parts.scheme != "https" or not parts.netloc or parts.query or parts.fragment):
        raise ValueError(f"url of the metadata hook is https://HOST/PATH, not {url!r}")
    return url.rstrip("/")


class PackageIndex(MetadataHookInterface):
    """Gives the project its readme and its addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Read the README beside pyproject.toml."""
        url = checked(self.config.get("url", ""))
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_index(text, url)}
        metadata["urls"] = {name: at(url, file) for name, file in PLACES.items()} if url else {}
