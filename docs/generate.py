"""Writes the generated pages, and the generated parts of others.

These are docs/isa/, from the rows and tables of the target; the tables in timing.md and
tables.md; and what commands print in README.md, guide.md, profile.md, diff.md and schedules.md.

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

from generator import captured, figures, instruction_pages, profile_tables, published, table_pages  # noqa: E402  (beside this file)

SECTIONS: dict[str, Callable[[], str]] = {
    "clocks": figures.clocks,
    "figures": figures.figures,
    "switches": figures.switches,
    "costs": figures.costs,
}
"""What stands between `<!-- generated: name -->` and `<!-- end -->` in timing.md."""


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
    files = {DOCS / "isa" / name: text for name, text in made.items()}
    timing = DOCS / "timing.md"
    files[timing] = filled(timing.read_text(encoding="utf-8"))
    tables = DOCS / "tables.md"
    files[tables] = profile_tables.filled(tables.read_text(encoding="utf-8"))
    shown = (DOCS / f"{name}.md" for name in ("guide", "profile", "diff", "schedules", "repl"))
    for path in (DOCS.parent / "README.md", *shown):
        files[path] = captured.filled(path.read_text(encoding="utf-8"))
    return files


def filled(text: str) -> str:
    """A page with its generated sections written anew."""
    for name, make in SECTIONS.items():
        pattern = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        text, count = re.subn(
            pattern, lambda m, make=make: f"{m[1]}{make()}\n{m[2]}", text, flags=re.DOTALL
        )
        if count != 1:
            raise SystemExit(f"timing.md has {count} sections '{name}', wanted one")
    return text


def stale(files: dict[Path, str]) -> Iterator[Path]:
    """Files that do not hold what they should, and pages of what is gone."""
    for path, text in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path
    for path in sorted((DOCS / "isa").glob("*.md")):
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
            path.parent.mkdir(exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
            print(f"wrote {name}")
        else:
            path.unlink()
            print(f"removed {name}")
    return 1 if arguments and differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
