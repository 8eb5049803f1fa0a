"""The README for a package index, where no checkout stands beside it that links could lead to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)#\s]+)(?:#[^)\s]*)?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
WHERE = "Files named here, such as `docs/guide/index.md`, are in the source distribution."


def for_index(text: str) -> str:
    """The text with each relative link as its words and the file it leads to."""
    parts = FENCED.split(text)  # every second one is fenced
    parts[::2] = [RELATIVE.sub(_plain, part) for part in parts[::2]]
    return "".join(parts).rstrip() + f"\n\n{WHERE}\n"


def _plain(link: re.Match[str]) -> str:
    words, file = link[2], link[3]
    return f"`{file}`" if words == file else f"{words} (`{file}`)"


class Readme(MetadataHookInterface):
    """Gives the project its readme."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Read the README beside pyproject.toml."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_index(text)}
