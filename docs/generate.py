"""Writes the generated pages, and the generated parts of others.

These are docs/isa/ and the pages of generations in docs/timing/, from the rows and tables of the
target; columns.md; api.md, from the public names; the map in contributing.md, from the imports;
the tables in json.md, machine.md, repl.md and tensix.md, and the plot of that; the tables of the
parser; pictures/, of runs and of the guide, and slides.html; what commands print in README.md,
guide/, loops.md, profile.md, tools.md, nki.md, repl.md, tensix.md, walkthrough.md and judge.md;
and what follows from tables in grammar/editors/.

    python docs/generate.py            write what differs
    python docs/generate.py --check    write nothing; exit 1 and name what is stale

A page follows from the tables alone, so a new row gets its page by existing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent)]

from generator import (  # noqa: E402  (beside this file)
    api_page,
    captured,
    debugger_tables,
    documents,
    drawings,
    editor_files,
    ethernet_flags,
    fidelity,
    figures,
    generations,
    instruction_pages,
    parse_tables,
    profile_tables,
    published,
    rooms,
    run_pictures,
    shells,
    slides,
    table_pages,
)

from nasm.targets import TARGETS  # noqa: E402  (beside this file)

SECTIONS: dict[str, dict[str, Callable[[], str]]] = {
    "contributing": {"chain": rooms.chain, "picture": rooms.picture, "folders": rooms.folders},
    "json": documents.SECTIONS,
    "machine": {"words": debugger_tables.words},
    "repl": {
        "commands": debugger_tables.commands,
        "info": debugger_tables.info,
        "settings": debugger_tables.settings,
    },
    "tensix": {
        "generations": generations.differences,
        "parts": debugger_tables.parts,
        "fidelity": fidelity.errors,
        "ethernet": ethernet_flags.flags,
    },
}
"""What stands between `<!-- generated: name -->` and `<!-- end -->`, by page."""


def pages() -> dict[Path, str]:
    """Every generated file with the text it should hold."""
    made = {
        "index.md": instruction_pages.index(),
        "operators.md": table_pages.operators(),
        "activations.md": table_pages.activations(),
        "dtypes.md": table_pages.dtypes(),
        "options.md": table_pages.options(),
        "published.md": published.page(),
    }
    made |= {f"{row.name}.md": instruction_pages.page(row) for row in instruction_pages.ISA}
    words = {t.name: t for t in (load() for load in TARGETS.values()) if t.words(t.generations[0])}
    for target in words.values():
        made[f"{target.name}/index.md"] = instruction_pages.word_index(target)
        for row in target.isa:
            made[f"{target.name}/{row.name}.md"] = instruction_pages.page(row, target)
    files = {DOCS / "isa" / name: text for name, text in made.items()}
    files |= {DOCS / "timing" / name: text for name, text in figures.pages().items()}
    for name in SECTIONS:
        path = DOCS / f"{name}.md"
        files[path] = filled(name, path.read_text(encoding="utf-8"))
    files[DOCS / "columns.md"] = profile_tables.page()
    files[DOCS / "api.md"] = api_page.page()
    names = ("loops", "profile", "tools", "nki", "repl", "tensix", "walkthrough", "judge")
    shown = (DOCS / f"{name}.md" for name in names)
    for path in (DOCS.parent / "README.md", *sorted((DOCS / "guide").glob("*.md")), *shown):
        files[path] = captured.filled(files.get(path) or path.read_text(encoding="utf-8"))
    files[parse_tables.MODULE] = parse_tables.module()
    files[DOCS / "tensix_fidelity.svg"] = fidelity.picture()
    pictures = run_pictures.pictures() | drawings.drawings()
    files |= {DOCS / "pictures" / name: text for name, text in pictures.items()}
    files[DOCS / "slides.html"] = slides.page(files)
    files |= {DOCS.parent / "grammar" / "shells" / n: text for n, text in shells.files().items()}
    editor = DOCS.parent / "grammar" / "editors" / "vscode"
    return files | {editor / name: text for name, text in editor_files.files().items()}


def filled(page: str, text: str) -> str:
    """A page with its generated sections written anew."""
    for name, make in SECTIONS[page].items():
        pattern = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        text, count = re.subn(
            pattern, lambda m, make=make: f"{m[1]}{make()}\n{m[2]}", text, flags=re.DOTALL
        )
        if count != 1:
            raise SystemExit(f"{page}.md has {count} sections '{name}', wanted one")
    return text


def stale(files: dict[Path, str]) -> Iterator[Path]:
    """Files that do not hold what they should, and pages of what is gone."""
    for path, text in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path
    for path in sorted([*(DOCS / "isa").rglob("*.md"), *(DOCS / "timing").glob("v*.md")]):
        if path not in files:
            yield path


def main(arguments: list[str]) -> int:
    """Check or write; returns the exit code."""
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 2
    files = pages()
    differing = list(stale(files))
    for path in differing:
        name = path.relative_to(DOCS.parent)
        if arguments:
            print(f"{name} is stale: run 'make docs'")
        elif path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
            print(f"wrote {name}")
        else:
            path.unlink()
            print(f"removed {name}")
    return 1 if arguments and differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
