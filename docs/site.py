"""Writes the documentation as a site: the pages of this checkout, with search and navigation.

    python docs/site.py [--to dist/site] [--playground dist/playground]

Its pages are those of the repository, at the same places relative to each other. The navigation
follows the table of documents in README.md; the page of `make playground` is in it, if there is
one. A link that leads nowhere fails.
"""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).resolve().parents[1]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
URL = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["url"] or None
"""The address of the repository, if it has one."""

COPIED = (
    "docs/**/*.md",
    "docs/**/*.svg",
    "docs/**/*.png",
    "docs/slides.html",
    "programs/**/*",
    "LICENSE",
    ".ci/run",
)
PLAYGROUND = Path("playground/index.html")

LEFT_OUT = re.compile(r"__pycache__|\.npz$|/data/.*\.py$")

EXTENSIONS: list[Any] = [
    "admonition",
    "attr_list",
    "tables",
    "toc",
    "pymdownx.escapeall",
    "pymdownx.superfences",
    {"pymdownx.highlight": {"anchor_linenums": True}},
]
FEATURES = ["navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"]
PALETTE = [
    {
        "media": f"(prefers-color-scheme: {name})",
        "scheme": scheme,
        "primary": "black",
        "toggle": {"icon": "material/theme-light-dark", "name": f"not {name}"},
    }
    for name, scheme in (("light", "default"), ("dark", "slate"))
]

_ROW = re.compile(r"^\| (\[.*?\]\([^)]*\).*?) \| ", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#]+\.md)\)")


def navigation(readme: str) -> list[Any]:
    """The pages, in the order of the README's table, and each folder of pages below its index."""
    table = readme[readme.index("## Documentation") : readme.index("## Status")]
    made: list[Any] = [{"nasm": "index.md"}]
    for row in _ROW.findall(table):
        for name, path in _LINK.findall(row):
            folder = (ROOT / path).parent
            more = path.endswith("/index.md") or path == "docs/timing.md"
            if more:
                below = folder if path.endswith("/index.md") else folder / "timing"
                pages = sorted(below.glob("*.md")) + sorted(below.glob("*/*.md"))
                others = [str(p.relative_to(ROOT)) for p in pages if p != ROOT / path]
                made.append({name: [path, *others]})
            else:
                made.append({name: path})
    return made


def staged(folder: Path) -> None:
    """Copy all that the site shows to an empty folder; the README is its first page."""
    for pattern in COPIED:
        for path in ROOT.glob(pattern):
            to = folder / path.relative_to(ROOT)
            if path.is_file() and not LEFT_OUT.search(str(path)):
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)
    shutil.copy(ROOT / "README.md", folder / "index.md")
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("../README.md", "../index.md"), encoding="utf-8")


def write(to: Path, playground: Path | None) -> None:
    """Write the site; whatever the folder held is gone. Raises mkdocs' Abort."""
    there = [{"playground": str(PLAYGROUND)}] if playground is not None else []
    with tempfile.TemporaryDirectory() as scratch:
        pages = Path(scratch) / "pages"
        pages.mkdir()
        staged(pages)
        config = Path(scratch) / "mkdocs.yml"
        config.write_text("site_name: nasm\n")
        build(
            load_config(
                str(config),
                site_description="An assembler, interpreter and debugger for AWS NeuronCores",
                repo_url=URL,
                docs_dir=str(pages),
                site_dir=str(to),
                strict=True,
                use_directory_urls=False,
                nav=[*navigation((ROOT / "README.md").read_text(encoding="utf-8")), *there],
                theme={"name": "material", "features": FEATURES, "palette": PALETTE, "font": False},
                markdown_extensions=EXTENSIONS,
                validation={
                    # the playground is copied when the pages are made
                    "nav": {"omitted_files": "ignore", "not_found": "ignore" if there else "warn"},
                    "links": {"anchors": "warn"},
                },
                plugins=["search"],
            )
        )
    if playground is not None:
        shutil.copytree(playground, to / PLAYGROUND.parent)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--to", type=Path, default=ROOT / "dist" / "site")
    parser.add_argument("--playground", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if given.playground is not None and not (given.playground / PLAYGROUND.name).is_file():
        parser.error(f"{given.playground} holds no {PLAYGROUND.name}: make playground writes one")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    write(given.to.resolve(), given.playground)
    print(f"wrote {given.to}", file=sys.stderr)


if __name__ == "__main__":
    main()
