"""The map of the code in contributing.md, from the imports and from the order that tests enforce.

python docs/generator/rooms.py debugger/values     what each file of a room or folder is for
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.test_layers import INNER, LAYERS, MODULES, imports, part_of  # noqa: E402  (beside docs/)

NAMES = [name for row in LAYERS for name in row if not name.startswith("_")]
"""The rooms from the bottom up."""


@dataclass
class Room:
    """A folder or file directly in nasm/, with the other rooms that its files import."""

    files: int = 0
    lines: int = 0
    knows: set[str] = field(default_factory=set)


def rooms() -> dict[str, Room]:
    """What is in each room, and what it imports."""
    found = {name: Room() for name in NAMES}
    for module, path in MODULES.items():
        room = found.get(part_of(module))
        if room is None:
            continue
        text = path.read_text(encoding="utf-8")
        room.files += 1
        room.lines += text.count("\n")
        names = (name for _, name in imports(text, module, path.name == "__init__.py"))
        others = {part_of(name) for name in names if name.startswith("nasm.")}
        room.knows |= others - {part_of(module), ""}
    return found


def chain() -> str:
    """The order of the rooms, in a line."""
    rows = (row for row in LAYERS if row[0] in NAMES)
    return " → ".join(", ".join(f"`{name}`" for name in row) for row in rows)


def picture() -> str:
    """The rooms, one on top of the other."""
    lines = [f"{'room':10}{'files':>6}{'lines':>8}   imports directly"]
    for name, room in reversed(rooms().items()):
        line = f"{name:10}{room.files:6}{rounded(room.lines):8,}   {known(name, room.knows)}"
        lines.append(line.rstrip())
    return "\n".join(["```text", *lines, "```"])


def rounded(number: int) -> int:
    """A number of lines to two digits, so that not every change of the code changes the page."""
    return int(float(f"{number:.2g}"))


def known(name: str, knows: set[str]) -> str:
    """The rooms that one imports, or those of the rooms below that it does not."""
    floor = next(n for n, row in enumerate(LAYERS) if name in row)
    below = [other for row in reversed(LAYERS[:floor]) for other in row]
    without = [other for other in below if other not in knows]
    if len(below) > 4 and len(without) <= 4:
        return f"all below but {', '.join(without)}" if without else "all below"
    return " ".join(other for other in below if other in knows)


def folders() -> str:
    """The order within rooms that have one of their own."""
    return "\n".join(
        f"* `{folder.replace('.', '/')}/`: {' → '.join(', '.join(row) for row in rows)}"
        for folder, rows in sorted(INNER.items())
    )


def listing(folder: str) -> Iterator[str]:
    """Each file in and below a folder of nasm/, with its lines and the first line of its docs."""
    for path in sorted((ROOT / "nasm" / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        said = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        yield f"{path.relative_to(ROOT / 'nasm')!s:42}{text.count(chr(10)):5}  {said}"


if __name__ == "__main__":
    print(*listing(sys.argv[1] if len(sys.argv) > 1 else ""), sep="\n")
